//! Python of `run:` blocks as Luau, for the part of the language that has a faithful counterpart.
//!
//! What has none is an error that names it, so that the caller keeps the source instead of running something else. Values keep
//! Python's rules (truth, indices from 0, errors by name) through helpers that stand in front of the script, those alone
//! that it uses.

mod expression;
mod runtime;
mod scope;
mod statement;

use rustpython_ruff_python_parser::parse_module;

pub(crate) use expression::text as lua_text;

use super::expr::nesting;

/// Bytes of one `run:` block.
const MAX_LENGTH: usize = 48 * 1024;
/// Stack for the deepest nesting that is let through.
const STACK: usize = 256 * 1024 * 1024;
/// Brackets and signs in a block that need no large stack, however they are nested.
const SHALLOW: usize = 400;
/// The most of them in any block.
const MOST: usize = 20_000;

/// A block of Python in Luau.
#[derive(Debug)]
pub(super) struct Translated {
    /// A whole script: it takes the state as `input` and returns the state.
    pub(super) source: String,
    /// How the script may differ from the Python, a sentence each.
    pub(super) differs: Vec<&'static str>,
    /// Whether it reads the agent's `variables`, which the caller gives it as a local of that name.
    pub(super) constants: bool,
}

/// Whether a text is Python at all.
pub(super) fn is_python(source: &str) -> bool {
    source.len() <= MAX_LENGTH
        && nesting(source) <= MOST
        && on_stack(source, |source| parse(source).is_ok()) == Some(true)
}

/// Translates the body of a function that reads `state` and returns what changes in it.
///
/// # Errors
/// What has no counterpart, as the end of "it …", with its line.
pub(super) fn translate(source: &str) -> Result<Translated, String> {
    if source.len() > MAX_LENGTH || nesting(source) > MOST {
        return Err("is too long to be translated".to_owned());
    }
    on_stack(source, |source| {
        let module = parse(source)?;
        statement::block(source, &module)
    })
    .unwrap_or_else(|| Err("is nested too deeply to be translated".to_owned()))
}

fn parse(source: &str) -> Result<Vec<rustpython_ruff_python_ast::Stmt>, String> {
    // `return` outside of a function is what these blocks are made of; the parser lets it pass and leaves it to later stages.
    let source = dedent(source);
    parse_module(&source)
        .map(|parsed| parsed.into_syntax().body)
        .map_err(|error| format!("is no Python: {}", error.error))
}

/// Without the margin that all lines share.
pub(super) fn dedent(source: &str) -> String {
    let margin = source
        .lines()
        .filter(|line| !line.trim().is_empty())
        .map(|line| line.len() - line.trim_start().len())
        .min()
        .unwrap_or(0);
    let mut text = String::with_capacity(source.len());
    for line in source.lines() {
        text.push_str(line.get(margin..).unwrap_or("").trim_end_matches('\r'));
        text.push('\n');
    }
    text
}

/// Does `work` where deep nesting has the stack it needs; `None` where there is none to be had.
fn on_stack<T: Send>(source: &str, work: impl FnOnce(&str) -> T + Send) -> Option<T> {
    if nesting(source) <= SHALLOW {
        return Some(work(source));
    }
    std::thread::scope(|scope| {
        std::thread::Builder::new()
            .stack_size(STACK)
            .spawn_scoped(scope, || work(source))
            .ok()
            .and_then(|thread| thread.join().ok())
    })
}
