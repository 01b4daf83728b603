//! A finding before it is settled.

use std::ops::Range;

use crate::{finding::Kind, lexicon::with_case_of, token::Token};

/// A finding before it is settled: characters instead of bytes.
pub(crate) struct PendingFinding {
    pub(crate) kind: Kind,
    pub(crate) span: Range<usize>,
    pub(crate) replacement: Option<String>,
    pub(crate) message: String,
    pub(crate) rule: String,
    /// Which one wins where two overlap: the lower.
    pub(crate) rank: u16,
}

impl PendingFinding {
    /// Replaces one word, with its capitals.
    pub(crate) fn word(kind: Kind, rule: &str, token: &Token, with: &str, message: String) -> Self {
        Self {
            kind,
            span: token.span.clone(),
            replacement: Some(with_case_of(&token.text, with)),
            message,
            rule: rule.to_owned(),
            rank: 140,
        }
    }
}
