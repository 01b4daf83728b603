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
mod lookup;
mod names;
mod occurrence;
mod operation;
mod places;
mod plain;
mod reference;
mod rewrite;
pub mod scan;

use std::sync::Arc;

use serde_json::Value;

use self::{
    bounds::Stop,
    compiled::{Compiled, Failure, no_value},
    operation::Operation,
    plain::Plain,
    scan::{Piece, check_size},
};
pub use self::{
    error::TemplateError,
    language::{LANGUAGE, Word, WordKind},
    lookup::lookup,
    names::Scope,
    occurrence::Occurrence,
    reference::Reference,
    rewrite::words::WORDS as KEYWORDS,
};
use crate::value::describe;

#[derive(Debug)]
enum Form {
    Plain(Plain),
    /// One `{{ expression }}`, which keeps its type.
    Value(Option<Operation>, Compiled),
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
        let whole = match pieces {
            [Piece::Output(block)] => Some(block),
            _ => None,
        };
        let rewritten = rewrite::template(source, pieces, whole.is_some())?;
        let compiled = Compiled::new(rewritten, || (source.to_owned(), 0))?;
        Ok(match whole {
            Some(block) => Form::Value(Operation::new(&block.tokens), compiled),
            None => Form::Text(compiled),
        })
    }

    /// What it reads, each once, in the order of first use. Local names (`for x in`, `set`) are not references.
    pub fn references(&self) -> &[Reference] {
        match &*self.form {
            Form::Plain(plain) => &plain.references,
            Form::Value(_, compiled) | Form::Text(compiled) => &compiled.references,
        }
    }

    /// Renders: a template that is one `{{ expression }}` keeps the JSON type of its value, anything else gives a text.
    ///
    /// # Errors
    /// `undefined`, `template_limit` and `template_failed`, see [`TemplateError`].
    pub fn render(&self, scope: &Scope) -> Result<Value, TemplateError> {
        match &*self.form {
            Form::Plain(plain) => match plain.shared(scope) {
                Some(value) => Ok((*value).clone()),
                None => plain.render(scope),
            },
            Form::Value(operation, compiled) => {
                if let Some(value) = quick(operation.as_ref(), scope)? {
                    return Ok(value);
                }
                match compiled.run(scope) {
                    Ok((_, kept)) => kept.ok_or_else(no_value),
                    Err(failure) => Err(compiled.error(failure, scope)),
                }
            }
            Form::Text(compiled) => match compiled.run(scope) {
                Ok((text, _)) => Ok(Value::String(text)),
                Err(failure) => Err(compiled.error(failure, scope)),
            },
        }
    }

    /// As [`Self::render`]; what is one name alone is shared with the scope, and not copied.
    ///
    /// # Errors
    /// As [`Self::render`].
    pub fn render_shared(&self, scope: &Scope) -> Result<Arc<Value>, TemplateError> {
        let shared = match &*self.form {
            Form::Plain(plain) => plain.shared(scope),
            Form::Value(..) | Form::Text(_) => None,
        };
        match shared {
            Some(value) => Ok(value),
            None => self.render(scope).map(Arc::new),
        }
    }
}

fn quick(operation: Option<&Operation>, scope: &Scope) -> Result<Option<Value>, TemplateError> {
    operation.map_or(Ok(None), |operation| operation.value(scope))
}

#[derive(Debug)]
enum ExpressionForm {
    Plain(Plain),
    Tera {
        operation: Option<Operation>,
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
                    operation: Operation::new(&tokens),
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
            ExpressionForm::Tera {
                operation, strict, ..
            } => {
                if let Some(value) = quick(operation.as_ref(), scope)? {
                    return Ok(value);
                }
                match strict.run(scope) {
                    Ok((_, kept)) => kept.ok_or_else(no_value),
                    Err(failure) => Err(strict.error(failure, scope)),
                }
            }
        }
    }

    /// As a condition. A missing field is false; where nothing can be said without it (`missing >= 8`), so is the whole.
    ///
    /// # Errors
    /// `not_a_boolean` when the result is anything else; `template_limit` and `template_failed`, see [`TemplateError`].
    pub fn test(&self, scope: &Scope) -> Result<bool, TemplateError> {
        let value = match &*self.form {
            ExpressionForm::Plain(plain) => plain.single(scope).flatten().cloned(),
            ExpressionForm::Tera {
                operation, lenient, ..
            } => match quick(operation.as_ref(), scope)? {
                Some(value) => Some(value),
                None => match lenient.run(scope) {
                    Ok((_, kept)) => kept,
                    Err(Failure::Tera(_) | Failure::Stopped(Stop::NoValue))
                        if lenient.misses(scope) =>
                    {
                        None
                    }
                    Err(failure) => return Err(lenient.error(failure, scope)),
                },
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
