//! Templates and expressions (Tera): parsing, the references they make, and rendering within bounds.
//!
//! A template is scanned into tokens, rewritten so that Tera is strict and bounded and keeps JSON as JSON, and compiled
//! once. What only puts names into text is rendered without Tera. Nesting is bounded while it is scanned: rendering runs flat
//! instructions and needs little stack; compiling recurses, and what is nested deeply is compiled on a large one.

mod bounds;
mod compiled;
mod convert;
mod error;
mod filters;
mod language;
mod names;
mod occurrence;
mod places;
mod plain;
mod rewrite;
pub mod scan;

use std::sync::Arc;

use serde_json::Value;

use self::{
    bounds::Stop,
    compiled::{Compiled, Failure, no_value},
    plain::Plain,
    scan::Piece,
};
pub use self::{
    error::TemplateError,
    language::{LANGUAGE, Word, WordKind},
    names::Scope,
    occurrence::Occurrence,
    rewrite::expression::WORDS as KEYWORDS,
};
use crate::value::describe;

/// Names whose first step is a node's id: what follows it is read from the node.
const KEYED: [&str; 2] = ["nodes", "previous"];

/// Under which name a scope keeps the whole value of `root`, where its entry for `root` itself holds what can be read
/// from it: a text has no fields, and a node that gives one has handles. For `nodes` and `previous` it holds whole values by id.
pub fn whole_key(root: &str) -> String {
    format!("\0{root}")
}

/// A name that a template reads: `draft.response` is root `draft`, path `["response"]`; `nodes["id"].x` is root `nodes`,
/// path `["id", "x"]`. The path ends before a step that is only known when it runs.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
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

/// The value that `reference` reads in `scope`; `None`: it is missing.
pub fn lookup<'v>(reference: &Reference, scope: &'v Scope) -> Option<&'v Value> {
    plain::find(reference, scope)
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
        self.render_shared(scope).map(Arc::unwrap_or_clone)
    }

    /// As [`Self::render`]; what is one name alone is shared with the scope, and not copied.
    ///
    /// # Errors
    /// As [`Self::render`].
    pub fn render_shared(&self, scope: &Scope) -> Result<Arc<Value>, TemplateError> {
        match &*self.form {
            Form::Plain(plain) => match plain.shared(scope) {
                Some(value) => Ok(value),
                None => plain.render(scope).map(Arc::new),
            },
            Form::Value(compiled) => match compiled.run(scope) {
                Ok((_, kept)) => kept.map(Arc::new).ok_or_else(no_value),
                Err(failure) => Err(compiled.error(failure, scope)),
            },
            Form::Text(compiled) => match compiled.run(scope) {
                Ok((text, _)) => Ok(Arc::new(Value::String(text))),
                Err(failure) => Err(compiled.error(failure, scope)),
            },
        }
    }
}

#[derive(Debug)]
enum ExpressionForm {
    Plain(Plain),
    Tera {
        strict: Box<Compiled>,
        lenient: Box<Compiled>,
    },
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
                    strict: Box::new(Compiled::new(
                        rewrite::expression(source, &tokens, false)?,
                        original,
                    )?),
                    lenient: Box::new(Compiled::new(
                        rewrite::expression(source, &tokens, true)?,
                        original,
                    )?),
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

#[cfg(test)]
mod tests;
#[cfg(test)]
mod tests_cost;
