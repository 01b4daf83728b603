//! A fast path for a single operation on two whole numbers (`vars.count + 1`, `score >= 8`). Most loops count and compare, and
//! passing the names to Tera takes ten times as long as the operation itself. Tera evaluates all other expressions and reports
//! their errors.

use serde_json::Value;

use crate::{
    error::TemplateError,
    lookup::lookup,
    meter::{self, STEP},
    names::Scope,
    plain::name,
    reference::Reference,
    scan::{Kind, Token},
};

/// The work, in units, that is charged for two operands and a result.
const WORK: u64 = 3 * STEP;

#[derive(Debug)]
pub(crate) struct Operation {
    left: Operand,
    sign: Sign,
    right: Operand,
}

#[derive(Debug)]
enum Operand {
    Name(Reference),
    Number(i64),
}

#[derive(Debug, Clone, Copy)]
enum Sign {
    Plus,
    Minus,
    Times,
    Equal,
    Unequal,
    Less,
    AtMost,
    Greater,
    AtLeast,
}

/// Returns the result of an operation. Returns `None` if `operation` is `None` or only Tera can evaluate it.
pub(crate) fn quick(
    operation: Option<&Operation>,
    scope: &Scope,
) -> Result<Option<Value>, TemplateError> {
    operation.map_or(Ok(None), |operation| operation.value(scope))
}

impl Sign {
    fn new(token: &Token<'_>) -> Option<Self> {
        if token.kind != Kind::Symbol {
            return None;
        }
        Some(match token.text {
            "+" => Self::Plus,
            "-" => Self::Minus,
            "*" => Self::Times,
            "==" => Self::Equal,
            "!=" => Self::Unequal,
            "<" => Self::Less,
            "<=" => Self::AtMost,
            ">" => Self::Greater,
            ">=" => Self::AtLeast,
            _ => return None,
        })
    }

    /// Applies the operator to two numbers. Returns `None` if the result overflows.
    fn of(self, left: i64, right: i64) -> Option<Value> {
        Some(match self {
            Self::Plus => left.checked_add(right)?.into(),
            Self::Minus => left.checked_sub(right)?.into(),
            Self::Times => left.checked_mul(right)?.into(),
            Self::Equal => (left == right).into(),
            Self::Unequal => (left != right).into(),
            Self::Less => (left < right).into(),
            Self::AtMost => (left <= right).into(),
            Self::Greater => (left > right).into(),
            Self::AtLeast => (left >= right).into(),
        })
    }
}

impl Operand {
    fn new(tokens: &[Token<'_>]) -> Option<Self> {
        if let [number] = tokens
            && number.kind == Kind::Number
        {
            // A number with a fraction, or with `_` between its digits, does not parse here. Tera reads it instead.
            return number.text.parse().ok().map(Self::Number);
        }
        name(tokens).map(Self::Name)
    }

    fn value(&self, scope: &Scope) -> Option<i64> {
        match self {
            Self::Name(reference) => lookup(reference, scope)?.as_i64(),
            Self::Number(number) => Some(*number),
        }
    }
}

impl Operation {
    /// Returns the operation that the tokens form, or `None` if the tokens are any other expression.
    pub(crate) fn new(tokens: &[Token<'_>]) -> Option<Self> {
        let at = tokens.iter().position(|token| Sign::new(token).is_some())?;
        Some(Self {
            left: Operand::new(&tokens[..at])?,
            sign: Sign::new(&tokens[at])?,
            right: Operand::new(&tokens[at + 1..])?,
        })
    }

    /// Evaluates the operation. Returns `None` if only Tera can evaluate it with these values.
    ///
    /// # Errors
    /// `template_limit` if the enclosing computation exceeds its limit.
    pub(crate) fn value(&self, scope: &Scope) -> Result<Option<Value>, TemplateError> {
        let Some((left, right)) = self.left.value(scope).zip(self.right.value(scope)) else {
            return Ok(None);
        };
        meter::charge(WORK, 0).map_err(TemplateError::stopped)?;
        Ok(self.sign.of(left, right))
    }
}
