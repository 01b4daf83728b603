//! Templates and expressions (Tera): parsing, the references they make, and rendering within bounds.
//!
//! A template is scanned into tokens, rewritten so that Tera is strict and bounded and keeps JSON as JSON, and compiled
//! once. What only puts names into text is rendered without Tera. Nesting is bounded while it is scanned: rendering runs flat
//! instructions and needs little stack; compiling recurses, and what is nested deeply is compiled on a large one.

mod bounds;
mod convert;
mod filters;
mod plain;
mod rewrite;
mod scan;

use std::{fmt, sync::Arc};

use serde_json::{Map, Value};
use tera::{Context, ErrorKind, Tera};

use self::{
    bounds::{Output, Stop},
    plain::Plain,
    rewrite::{Chain, Rewritten},
    scan::Piece,
};
use crate::{validate::suggest::nearest, value::describe};

/// The names a template sees, by root name: `input`, `inputs`, `draft`, `run`, `vars`, `loopIndex`, …
pub type Scope = Map<String, Value>;

/// A name that a template reads: `draft.response` is root `draft`, path `["response"]`; `nodes["id"].x` is root `nodes`,
/// path `["id", "x"]`. The path ends before a step that is only known when it runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    pub root: String,
    pub path: Vec<String>,
    /// A `default` filter stands behind it or a test before it, so that nothing is wrong when it is undefined.
    pub has_default: bool,
}

impl Reference {
    /// As it is written: `draft.response`, `nodes["my node"].x`.
    pub fn written(&self) -> String {
        let mut text = self.root.clone();
        for step in &self.path {
            if step
                .bytes()
                .all(|byte| byte == b'_' || byte.is_ascii_alphanumeric())
                && !step.starts_with(|c: char| c.is_ascii_digit())
            {
                text.push('.');
                text.push_str(step);
            } else if step.bytes().all(|byte| byte.is_ascii_digit()) {
                text.push_str(&format!("[{step}]"));
            } else {
                text.push_str(&format!("[\"{step}\"]"));
            }
        }
        text
    }
}

/// Why a template does not parse or render, in plain words, with the place inside the source where known.
///
/// Codes: `template_syntax`; `undefined` (a name without a value), `not_a_boolean`, `template_limit` (a bound on size,
/// steps or time) and `template_failed` (anything else, such as adding a text to a number).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TemplateError {
    pub code: &'static str,
    pub message: String,
    /// 1-based line and column.
    pub at: Option<(usize, usize)>,
}

impl fmt::Display for TemplateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for TemplateError {}

impl TemplateError {
    fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            at: None,
        }
    }

    /// A mistake at a byte of the source.
    fn syntax(source: &str, byte: usize, message: impl Into<String>) -> Self {
        let before = source.get(..byte).unwrap_or(source);
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or(before).chars().count() + 1;
        Self {
            at: Some((line, column)),
            ..Self::new("template_syntax", message)
        }
    }

    fn limit(why: &str) -> Self {
        Self::new(
            "template_limit",
            format!("The template was stopped: {why}. Make it simpler."),
        )
    }

    /// A name without a value, with what there is instead.
    fn undefined(reference: &Reference, scope: &Scope) -> Self {
        let written = reference.written();
        let Some(mut value) = scope.get(&reference.root) else {
            let near = nearest(&reference.root, scope.keys().map(String::as_str));
            return Self::new(
                "undefined",
                match near {
                    Some(near) => format!(
                        "`{written}` has no value here: there is no `{}`. Did you mean `{near}`?",
                        reference.root
                    ),
                    None => format!(
                        "`{written}` has no value here. Where it may be missing, write `{written} | default(value=\"\")`."
                    ),
                },
            );
        };
        let mut parent = Reference {
            path: Vec::new(),
            ..reference.clone()
        };
        for step in &reference.path {
            match plain::step(value, step) {
                Some(next) => value = next,
                None => {
                    let parent = parent.written();
                    let near = value
                        .as_object()
                        .and_then(|fields| nearest(step, fields.keys().map(String::as_str)));
                    return Self::new(
                        "undefined",
                        match (near, value) {
                            (Some(near), _) => format!(
                                "`{written}` has no value here: `{parent}` has no field `{step}`. Did you mean `{near}`?"
                            ),
                            (None, Value::Object(_)) => format!(
                                "`{written}` has no value here: `{parent}` has no field `{step}`. Where it may be missing, write \
                                 `{written} | default(value=\"\")`."
                            ),
                            (None, other) => format!(
                                "`{written}` has no value here: `{parent}` is {}, which has no field `{step}`.",
                                describe(other)
                            ),
                        },
                    );
                }
            }
            parent.path.push(step.clone());
        }
        Self::new("undefined", format!("`{written}` has no value here."))
    }
}

/// A rewritten template, compiled.
struct Compiled {
    tera: Tera,
    chains: Vec<Chain>,
    references: Vec<Reference>,
}

impl fmt::Debug for Compiled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Compiled")
            .field("references", &self.references)
            .finish_non_exhaustive()
    }
}

/// The one name under which each compiled template is known to its own Tera.
const NAME: &str = "template";

/// Nesting up to which Tera's compiler, which recurses, needs no more stack than any thread has.
const SHALLOW: usize = 8;
/// Enough for the deepest nesting that is allowed, without optimisation.
const LARGE_STACK: usize = 32 * 1024 * 1024;

/// Compiles `source`, on a thread with a large stack when it is deeply nested.
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
                    "The template is nested too deeply to be compiled here",
                )),
            ),
        }
    })
}

impl Compiled {
    /// Compiles what was rewritten; a mistake is reported in terms of `original`, a template that Tera reads as it is.
    fn new(
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
            references: rewritten.references,
        })
    }

    /// Renders; gives the text and, where the template keeps one, the value.
    fn run(&self, scope: &Scope) -> Result<(String, Option<Value>), Failure> {
        let mut context = Context::new();
        for reference in &self.references {
            if !context.contains_key(&reference.root)
                && let Some(value) = scope.get(&reference.root)
            {
                context.insert_value(reference.root.clone(), convert::to_tera(value));
            }
        }
        let mut output = Output::default();
        let (result, stop, kept) =
            bounds::within(|| self.tera.render_to(NAME, &context, &mut output));
        match (result, stop) {
            (_, Some(stop)) => Err(Failure::Stopped(stop)),
            (Err(error), None) => Err(Failure::Tera(plain_message(&error))),
            (Ok(()), None) => Ok((String::from_utf8_lossy(&output.bytes).into_owned(), kept)),
        }
    }

    fn error(&self, failure: Failure, scope: &Scope) -> TemplateError {
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
                "The result is no finite number of a size that JSON can hold.",
            ),
            Failure::Stopped(Stop::Limit(why)) => TemplateError::limit(why),
            Failure::Tera(message) => TemplateError::new("template_failed", message),
        }
    }
}

fn no_value() -> TemplateError {
    TemplateError::new(
        "undefined",
        "The expression has no value here, or something in it has none.",
    )
}

enum Failure {
    Stopped(Stop),
    Tera(String),
}

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
        .trim_end_matches('.')
        .to_owned();
    // Tera lists the kinds of its tokens, which says little to someone who wrote a sentence with a hole in it.
    match message
        .strip_prefix("Found ")
        .and_then(|rest| rest.split_once(" but expected one of: integer"))
    {
        Some((found, _)) => format!("A value is missing before {found}."),
        None => format!("{message}."),
    }
}

/// Tera's syntax error, where `shift` columns of the first line are not the author's.
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
    // The marks around an expression are not the author's either.
    let message = match shift {
        Some(1..) => plain_message(error).replace("before `}}`", "at the end"),
        _ => plain_message(error),
    };
    TemplateError {
        at,
        ..TemplateError::new("template_syntax", message)
    }
}

fn check_size(source: &str) -> Result<(), TemplateError> {
    if source.len() > bounds::MAX_SOURCE {
        return Err(TemplateError::new(
            "template_syntax",
            format!(
                "The template has {} KB, and at most {} KB are read. Put long texts into inputs or files.",
                source.len() / 1024,
                bounds::MAX_SOURCE / 1024
            ),
        ));
    }
    Ok(())
}

#[derive(Debug)]
enum Form {
    Plain(Plain),
    /// One `{{ expression }}`, which keeps its type.
    Value(Compiled),
    Text(Compiled),
}

/// A compiled template. Cheap to clone, safe to share.
#[derive(Debug, Clone)]
pub struct Template {
    form: Arc<Form>,
}

impl Template {
    /// Parses `source`.
    ///
    /// # Errors
    /// `template_syntax`, with the place: a mistake in the source, an unknown filter, test or function, a tag that is not
    /// supported, too large a source or too deep a nesting.
    pub fn parse(source: &str) -> Result<Self, TemplateError> {
        check_size(source)?;
        let pieces = scan::pieces(source)?;
        let form = match Plain::new(&pieces) {
            Some(plain) => Form::Plain(plain),
            None => Self::compile(source, &pieces)?,
        };
        Ok(Self {
            form: Arc::new(form),
        })
    }

    fn compile(source: &str, pieces: &[Piece<'_>]) -> Result<Form, TemplateError> {
        let whole = matches!(pieces, [Piece::Output(_)]);
        let rewritten = rewrite::template(source, pieces, whole)?;
        let compiled = Compiled::new(rewritten, || (source.to_owned(), 0))?;
        Ok(if whole {
            Form::Value(compiled)
        } else {
            Form::Text(compiled)
        })
    }

    /// What it reads, each once, in the order of first use. Local names (`for x in`, `set`) are not references.
    pub fn references(&self) -> &[Reference] {
        match &*self.form {
            Form::Plain(plain) => &plain.references,
            Form::Value(compiled) | Form::Text(compiled) => &compiled.references,
        }
    }

    /// Renders: a template that is one `{{ expression }}` keeps the JSON type of its value, anything else gives a text.
    ///
    /// # Errors
    /// `undefined`, `template_limit` and `template_failed`, see [`TemplateError`].
    pub fn render(&self, scope: &Scope) -> Result<Value, TemplateError> {
        match &*self.form {
            Form::Plain(plain) => plain.render(scope),
            Form::Value(compiled) => match compiled.run(scope) {
                Ok((_, kept)) => kept.ok_or_else(no_value),
                Err(failure) => Err(compiled.error(failure, scope)),
            },
            Form::Text(compiled) => match compiled.run(scope) {
                Ok((text, _)) => Ok(Value::String(text)),
                Err(failure) => Err(compiled.error(failure, scope)),
            },
        }
    }
}

#[derive(Debug)]
enum ExpressionForm {
    Plain(Plain),
    Tera { strict: Compiled, lenient: Compiled },
}

/// A compiled bare expression (`score >= 8 and not draft.done`). Cheap to clone, safe to share.
#[derive(Debug, Clone)]
pub struct Expression {
    source: Arc<str>,
    form: Arc<ExpressionForm>,
}

impl Expression {
    /// Parses `source`.
    ///
    /// # Errors
    /// `template_syntax`, as [`Template::parse`].
    pub fn parse(source: &str) -> Result<Self, TemplateError> {
        check_size(source)?;
        if source.trim_start().starts_with("{{") && source.trim_end().ends_with("}}") {
            return Err(TemplateError::syntax(
                source,
                0,
                "An expression stands here, not a template: leave out the `{{` and `}}`.",
            ));
        }
        let tokens = scan::expression(source)?;
        let form = match Plain::expression(&tokens) {
            Some(plain) => ExpressionForm::Plain(plain),
            None => {
                let original = || (format!("{{{{ {source} }}}}"), 3);
                ExpressionForm::Tera {
                    strict: Compiled::new(rewrite::expression(source, &tokens, false)?, original)?,
                    lenient: Compiled::new(rewrite::expression(source, &tokens, true)?, original)?,
                }
            }
        };
        Ok(Self {
            source: source.trim().into(),
            form: Arc::new(form),
        })
    }

    pub fn references(&self) -> &[Reference] {
        match &*self.form {
            ExpressionForm::Plain(plain) => &plain.references,
            ExpressionForm::Tera { strict, .. } => &strict.references,
        }
    }

    /// Its value.
    ///
    /// # Errors
    /// `undefined`, `template_limit` and `template_failed`, see [`TemplateError`].
    pub fn evaluate(&self, scope: &Scope) -> Result<Value, TemplateError> {
        match &*self.form {
            ExpressionForm::Plain(plain) => plain.render(scope),
            ExpressionForm::Tera { strict, .. } => match strict.run(scope) {
                Ok((_, kept)) => kept.ok_or_else(no_value),
                Err(failure) => Err(strict.error(failure, scope)),
            },
        }
    }

    /// As a condition. A missing field is false; where nothing can be said without it (`missing >= 8`), so is the whole.
    ///
    /// # Errors
    /// `not_a_boolean` when the result is anything else; `template_limit` and `template_failed`, see [`TemplateError`].
    pub fn test(&self, scope: &Scope) -> Result<bool, TemplateError> {
        let value = match &*self.form {
            ExpressionForm::Plain(plain) => plain.single(scope).flatten().cloned(),
            ExpressionForm::Tera { lenient, .. } => match lenient.run(scope) {
                Ok((_, kept)) => kept,
                Err(Failure::Tera(_) | Failure::Stopped(Stop::NoValue))
                    if lenient.misses(scope) =>
                {
                    None
                }
                Err(failure) => return Err(lenient.error(failure, scope)),
            },
        };
        match value {
            None => Ok(false),
            Some(Value::Bool(result)) => Ok(result),
            Some(other) => Err(TemplateError::new(
                "not_a_boolean",
                format!(
                    "The condition `{}` must be true or false, and is {}: {}. Compare it with something.",
                    self.source,
                    describe(&other),
                    crate::value::preview(&other, 60)
                ),
            )),
        }
    }
}

impl Compiled {
    /// Whether something it reads is missing.
    fn misses(&self, scope: &Scope) -> bool {
        self.references
            .iter()
            .any(|reference| plain::find(reference, scope).is_none_or(Value::is_null))
    }
}

#[cfg(test)]
mod tests;
