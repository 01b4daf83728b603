//! One operation on two whole numbers (`vars.count + 1`, `score >= 8`), done without Tera: most loops count and compare, and to hand
//! Tera its names takes ten times as long as the operation. Whatever else stands there or turns up is left to Tera, which says what it
//! comes to or what is wrong with it.

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

/// Work: two values and what they come to.
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

/// The value of an operation, if there is one that can be done without Tera.
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

    /// What it makes of two numbers; `None` where that is too large a number for this.
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
            // One with a fraction, or with `_` between its digits, is left to Tera.
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
    /// The operation that an expression is; `None` where it is something else.
    pub(crate) fn new(tokens: &[Token<'_>]) -> Option<Self> {
        let at = tokens.iter().position(|token| Sign::new(token).is_some())?;
        Some(Self {
            left: Operand::new(&tokens[..at])?,
            sign: Sign::new(&tokens[at])?,
            right: Operand::new(&tokens[at + 1..])?,
        })
    }

    /// What it comes to; `None` where that is for Tera to say.
    ///
    /// # Errors
    /// `template_limit`: the computation that it belongs to takes too long.
    pub(crate) fn value(&self, scope: &Scope) -> Result<Option<Value>, TemplateError> {
        let Some((left, right)) = self.left.value(scope).zip(self.right.value(scope)) else {
            return Ok(None);
        };
        meter::charge(WORK, 0).map_err(TemplateError::stopped)?;
        Ok(self.sign.of(left, right))
    }
}
