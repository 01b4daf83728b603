//! JavaScript of function nodes and code actions as Luau, for the part of the language that has a faithful counterpart.
//!
//! What has none (regular expressions, classes, `async`, dates, the network) is an error that names it, so that the caller keeps
//! the source instead of running something else. The reader is our own: only a part of the language is translated, and a whole
//! parser of it is 25 crates. Values keep JavaScript's rules (truth, `==`, `+`, indices from 0, `undefined` beside `null`)
//! through helpers that stand in front of the script, those alone that it uses. Lists hold no `undefined`, which becomes null in
//! them, and objects keep no order of their keys.

mod ast;
mod emit;
mod lex;
mod parse;

use crate::helpers::{Helpers, sections};

static RUNTIME: Helpers = Helpers::new("js.", || sections(include_str!("runtime.luau")));

/// Bytes of one program.
const MAX_LENGTH: usize = 32 * 1024;

/// A program in Luau.
pub(crate) struct Translated {
    /// A whole script that returns what the program returns.
    pub(crate) source: String,
    /// How the script may differ from the program, a sentence each.
    pub(crate) differs: Vec<&'static str>,
}

/// Translates the body of a function. `names` are its parameters, which `before` declares as `v_name`; `given` writes what
/// a path of names reads that are none of its own, and says how many of them that takes.
///
/// # Errors
/// What has no counterpart, as the end of "it …", with its line.
pub(crate) fn translate(
    source: &str,
    names: &[&str],
    before: &str,
    given: emit::Given<'_>,
) -> Result<Translated, String> {
    if source.len() > MAX_LENGTH {
        return Err("is too long to be translated".to_owned());
    }
    let program = parse::program(source)?;
    let mut emitter = emit::Emitter::new(given, names);
    let body = emitter.body(&program)?;
    let script = format!("{before}return js.outcome(function()\n{body}end)\n");
    Ok(Translated {
        source: RUNTIME.used_by(&script) + &script,
        differs: emitter.differs.into_iter().collect(),
    })
}
