//! Templates: text with names and expressions, compiled once and rendered with the values of a scope.

use std::sync::Arc;

use serde_json::Value;

use crate::{
    compiled::{Compiled, no_value},
    error::TemplateError,
    names::Scope,
    operation::{Operation, quick},
    plain::Plain,
    reference::Reference,
    rewrite,
    scan::{self, Piece, check_size},
};

#[derive(Debug)]
enum Form {
    Plain(Plain),
    /// A single `{{ expression }}`, whose value keeps its JSON type, and its fast path, if it has one.
    Value(Option<Operation>, Compiled),
    Text(Compiled),
}

/// A compiled template. It is cheap to clone and safe to share.
#[derive(Debug, Clone)]
pub struct Template {
    form: Arc<Form>,
}

impl Template {
    /// Parses `source`.
    ///
    /// # Errors
    /// `template_syntax`, with the position, if the source has a syntax error, uses an unknown filter, test, function
    /// or tag, is too large, or is nested too deeply.
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

    /// Returns the references of the template, each once, in order of first use. Names that the template itself defines with
    /// `for x in` or `set` are not references.
    pub fn references(&self) -> &[Reference] {
        match &*self.form {
            Form::Plain(plain) => &plain.references,
            Form::Value(_, compiled) | Form::Text(compiled) => &compiled.references,
        }
    }

    /// Renders the template. A single `{{ expression }}` keeps the JSON type of its value; any other template returns text.
    ///
    /// # Errors
    /// `undefined` if a name has no value; `template_limit` if the rendering exceeds a limit; `template_failed` for any
    /// other failure.
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

    /// Renders the template as [`Self::render`] does, but shares the value of a single name with the scope instead of copying
    /// it.
    ///
    /// # Errors
    /// Returns the errors of [`Self::render`].
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

#[cfg(test)]
impl Template {
    /// Compiles the template without the fast paths, so that tests can compare both implementations.
    pub(crate) fn through_tera(source: &str) -> Self {
        let pieces = scan::pieces(source).unwrap();
        let form = match Self::compile(source, &pieces).unwrap() {
            Form::Value(_, compiled) => Form::Value(None, compiled),
            form => form,
        };
        Self {
            form: Arc::new(form),
        }
    }

    /// Returns whether this template is rendered without Tera.
    pub(crate) fn is_plain(&self) -> bool {
        matches!(&*self.form, Form::Plain(_))
    }
}
