//! Errors of an evaluation.

use std::fmt;

use crate::parse::Mistake;

/// The reason why an expression has no value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// The error code: `expression_syntax`, `expression_failed` or `expression_limit`.
    pub code: &'static str,
    /// The problem, as a sentence.
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
