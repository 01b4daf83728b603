//! Expressions without delimiters (`{{ }}`), compiled once and evaluated to a value or as a condition.

use std::sync::Arc;

use serde_json::Value;

use crate::{
    bounds::Stop,
    compiled::{Compiled, Failure, no_value},
    error::TemplateError,
    names::Scope,
    operation::{Operation, quick},
    plain::Plain,
    reference::Reference,
    rewrite,
    scan::{self, check_size},
    value::{describe, preview},
};

#[derive(Debug)]
enum ExpressionForm {
    Plain(Plain),
    Tera {
        operation: Option<Operation>,
        strict: Box<Compiled>,
        lenient: Box<Compiled>,
    },
}

/// A compiled expression without delimiters, such as `score >= 8 and not draft.done`. It is cheap to clone and safe to share.
#[derive(Debug, Clone)]
pub struct Expression {
    source: Arc<str>,
    form: Arc<ExpressionForm>,
}

impl Expression {
    /// Parses `source`.
    ///
    /// # Errors
    /// `template_syntax` if the expression is invalid, as described at [`Template::parse`].
    pub fn parse(source: &str) -> Result<Self, TemplateError> {
        check_size(source)?;
        if source.trim_start().starts_with("{{") && source.trim_end().ends_with("}}") {
            return Err(TemplateError::syntax(
                source,
                0,
                "This is an expression, not a template: leave out the `{{` and `}}`.",
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

    /// Returns the reference, such as `draft.text`, if the expression consists only of that reference. Otherwise,
    /// returns `None`.
    pub fn as_reference(&self) -> Option<&Reference> {
        match self.references() {
            [only] if only.written() == *self.source => Some(only),
            _ => None,
        }
    }

    /// Returns the value of the expression.
    ///
    /// # Errors
    /// `undefined` if a name has no value; `template_limit` if the evaluation exceeds a limit; `template_failed` for any other
    /// failure.
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

    /// Returns whether the expression, evaluated as a condition, is true. A missing field counts as false, and so does a
    /// condition whose result depends on a missing field (`missing >= 8`).
    ///
    /// # Errors
    /// `not_a_boolean` if the result is neither true nor false; `template_limit` if the evaluation exceeds a limit;
    /// `template_failed` for any other failure.
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
                    "The condition `{}` must be true or false, and is {}: {}. Compare it with a value.",
                    self.source,
                    describe(&other),
                    preview(&other, 60)
                ),
            )),
        }
    }
}

#[cfg(test)]
impl Expression {
    /// Compiles the expression without the fast paths, so that tests can compare both implementations.
    pub(crate) fn through_tera(source: &str) -> Self {
        let mut expression = Self::parse(source).unwrap();
        let form = Arc::get_mut(&mut expression.form).unwrap();
        if let ExpressionForm::Tera { operation, .. } = form {
            *operation = None;
        }
        expression
    }
}
