//! The Workflow Definition Language of Azure Logic Apps: reads its expressions and evaluates them over their syntax tree.
//!
//! Reference: Microsoft, "Schema reference guide for the Workflow Definition Language in Azure Logic Apps" and "Reference
//! guide to workflow expression functions in Azure Logic Apps and Power Automate".
//!
//! An evaluation is a pure function of the expression and the context. It has no clock and no randomness but what the
//! context gives, and it is bounded in work and bytes. Names compare without regard to case. What the definition does not
//! have (a function, a variable, a parameter, an action, a loop) is an error and never null.
//!
//! Architecture Invariant: knows no flows, no nodes and no tools.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod args;
mod ast;
mod budget;
mod catalog;
mod condition;
mod culture;
mod date;
mod environment;
mod eval;
mod functions;
mod names;
mod number;
mod operators;
mod parse;
mod strings;
mod uri;
mod value;
mod xml;
mod zones;

use std::fmt;

pub use ast::{Expr, Part, Reading, Step};
pub use catalog::{check, is_boolean};
pub use condition::condition;
pub use environment::Context;
pub use eval::{evaluate, evaluate_each};
pub use names::{Name, names};
pub use parse::{MAX_SOURCE, Mistake, bare, read};

/// Whose reading of the language is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Dialect {
    /// As Azure evaluates it.
    #[default]
    Azure,
    /// As Loom does: a missing property is null, booleans within texts are `true` and `false`, texts may stand in double
    /// quotes, and a call within a call may have its own `@`.
    Loom,
}

/// Why an expression has no value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// `expression_syntax`, `expression_failed` or `expression_limit`.
    pub code: &'static str,
    /// What is wrong, as a sentence.
    pub message: String,
}

impl Failure {
    pub(crate) fn failed(message: impl Into<String>) -> Self {
        Self {
            code: "expression_failed",
            message: message.into(),
        }
    }

    pub(crate) fn limit(message: impl Into<String>) -> Self {
        Self {
            code: "expression_limit",
            message: message.into(),
        }
    }
}

impl From<Mistake> for Failure {
    fn from(mistake: Mistake) -> Self {
        Self {
            code: "expression_syntax",
            message: mistake.message,
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Failure {}
