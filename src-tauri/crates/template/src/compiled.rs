//! A rewritten template compiled by Tera, and its results.

use std::fmt;

use serde_json::Value;
use tera::{Context, ErrorKind, Tera};

use crate::{
    bounds::{self, Output, Stop},
    convert,
    error::TemplateError,
    filters,
    lookup::lookup,
    meter::Stopped,
    names::Scope,
    reference::Reference,
    rewrite::rewriter::{Chain, Rewritten, WHOLE},
};

/// A template that was rewritten and compiled.
pub(crate) struct Compiled {
    tera: Tera,
    chains: Vec<Chain>,
    whole: Vec<String>,
    parts: Vec<String>,
    pub(crate) references: Vec<Reference>,
}

impl fmt::Debug for Compiled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Compiled")
            .field("references", &self.references)
            .finish_non_exhaustive()
    }
}

/// The name of the compiled template in its Tera instance. Each template has its own instance, so all can have the same name.
const NAME: &str = "template";

/// The nesting depth up to which Tera's recursive compiler fits on the stack of any thread.
const SHALLOW: usize = 8;
/// The stack size, in bytes, that is enough for the deepest allowed nesting in an unoptimized build.
const LARGE_STACK: usize = 32 * 1024 * 1024;

/// Compiles `source`, on a thread with a large stack if `depth` is large. Returns a Tera instance with the template, and
/// whether the template compiled.
fn add(source: &str, depth: usize) -> (Tera, Result<(), tera::Error>) {
    let compile = || {
        let mut tera = filters::BASE.clone();
        let result = tera.add_raw_template(NAME, source);
        (tera, result)
    };
    if depth <= SHALLOW {
        return compile();
    }
    std::thread::scope(|scope| {
        let done = std::thread::Builder::new()
            .stack_size(LARGE_STACK)
            .spawn_scoped(scope, compile)
            .map(std::thread::ScopedJoinHandle::join);
        match done {
            Ok(Ok(compiled)) => compiled,
            _ => (
                filters::BASE.clone(),
                Err(tera::Error::message(
                    "There is not enough memory to compile a template nested this deeply. Make it simpler",
                )),
            ),
        }
    })
}

impl Compiled {
    /// Compiles a rewritten template. `original` returns the source before rewriting, in a form that Tera can compile, and the
    /// number of columns that this form adds in front of the author's text. Syntax errors refer to this source.
    pub(crate) fn new(
        rewritten: Rewritten,
        original: impl FnOnce() -> (String, usize),
    ) -> Result<Self, TemplateError> {
        let (tera, compiled) = add(&rewritten.source, rewritten.depth);
        if let Err(error) = compiled {
            let (source, shift) = original();
            let first = add(&source, rewritten.depth).1.err();
            return Err(syntax_error(
                first.as_ref().unwrap_or(&error),
                first.is_some().then_some(shift),
            ));
        }
        Ok(Self {
            tera,
            chains: rewritten.chains,
            whole: rewritten.whole,
            parts: rewritten.parts,
            references: rewritten.references,
        })
    }

    /// Renders the template. Returns the text and, if the rewritten template stores one, the value of the expression.
    pub(crate) fn run(&self, scope: &Scope) -> Result<(String, Option<Value>), Failure> {
        let mut output = Output::default();
        let (result, stop, kept) = bounds::within(|| {
            let context = self
                .context(scope)
                .map_err(|stopped| bounds::stop(stopped.into()))?;
            self.tera.render_to(NAME, &context, &mut output)
        });
        match (result, stop) {
            (_, Some(stop)) => Err(Failure::Stopped(stop)),
            (Err(error), None) => Err(Failure::Tera(plain_message(&error))),
            (Ok(()), None) => Ok((String::from_utf8_lossy(&output.bytes).into_owned(), kept)),
        }
    }

    /// Returns the values that the template reads, by name, converted for Tera.
    fn context(&self, scope: &Scope) -> Result<Context, Stopped> {
        let mut context = Context::new();
        for root in &self.parts {
            if let Some(value) = scope.get(root) {
                context.insert_value(root.clone(), convert::to_tera(value)?);
            }
        }
        for root in &self.whole {
            if let Some(value) = scope.whole(root) {
                context.insert_value(format!("{WHOLE}{root}"), convert::to_tera(value)?);
            }
        }
        Ok(context)
    }

    pub(crate) fn error(&self, failure: Failure, scope: &Scope) -> TemplateError {
        match failure {
            Failure::Stopped(Stop::Undefined(index)) => match self.chains.get(index) {
                Some(chain) => {
                    let reference = Reference {
                        root: chain.root.clone(),
                        path: chain.path.clone(),
                        has_default: false,
                    };
                    if chain.local {
                        TemplateError::new(
                            "undefined",
                            format!("`{}` has no value here.", reference.written()),
                        )
                    } else {
                        TemplateError::undefined(&reference, scope)
                    }
                }
                None => no_value(),
            },
            Failure::Stopped(Stop::NoValue) => no_value(),
            Failure::Stopped(Stop::NoNumber) => TemplateError::new(
                "template_failed",
                "The result is not a finite number, or is too large for JSON.",
            ),
            Failure::Stopped(Stop::Limit(why)) => TemplateError::limit(why),
            Failure::Stopped(Stop::GivenUp) => TemplateError::given_up(),
            Failure::Tera(message) => TemplateError::new("template_failed", message),
        }
    }

    /// Returns whether a value that the template reads is missing or null.
    pub(crate) fn misses(&self, scope: &Scope) -> bool {
        self.references
            .iter()
            .any(|reference| lookup(reference, scope).is_none_or(Value::is_null))
    }
}

pub(crate) fn no_value() -> TemplateError {
    TemplateError::new(
        "undefined",
        "The expression has no value here, or a value in it is missing. Where it may be missing, add `| default(value=\"\")`.",
    )
}

pub(crate) enum Failure {
    Stopped(Stop),
    Tera(String),
}

/// The maximum number of characters of a message from Tera. Tera's messages repeat values in full.
const MAX_MESSAGE: usize = 500;

fn plain_message(error: &tera::Error) -> String {
    let message = match error.kind() {
        ErrorKind::SyntaxError(report) | ErrorKind::RenderingError(report) => {
            report.message().to_owned()
        }
        _ => error.to_string(),
    };
    let message = message
        .lines()
        .next()
        .unwrap_or_default()
        .trim_end_matches('.');
    let message = match message.char_indices().nth(MAX_MESSAGE) {
        Some((end, _)) => format!("{}…", &message[..end]),
        None => message.to_owned(),
    };
    // Tera lists the tokens that it expected. That list does not help someone who left out a value.
    match message
        .strip_prefix("Found ")
        .and_then(|rest| rest.split_once(" but expected one of: integer"))
    {
        Some((found, _)) => format!("A value is missing before {found}."),
        None => format!("{message}."),
    }
}

/// Converts Tera's syntax error. `shift` is the number of columns that were added before the author's text in the first
/// line. `None` means that the error refers to a source that the author did not write. The position of the error is
/// then omitted.
fn syntax_error(error: &tera::Error, shift: Option<usize>) -> TemplateError {
    let at = match (error.kind(), shift) {
        (ErrorKind::SyntaxError(report), Some(shift)) => {
            let span = report.span();
            let shift = if span.start_line == 1 { shift } else { 0 };
            Some((
                span.start_line,
                (span.start_col + 1).saturating_sub(shift).max(1),
            ))
        }
        _ => None,
    };
    // The author of an expression wrote no braces around it, so the message does not mention them.
    let message = match shift {
        Some(1..) => plain_message(error).replace("before `}}`", "at the end"),
        _ => plain_message(error),
    };
    TemplateError {
        at,
        ..TemplateError::new("template_syntax", message)
    }
}
