//! What a model said: its thoughts, its text, the JSON in it, its verdict.
//!
//! The rules are in docs/answers.md. Everything here is found in the answer: a thought, a text and a JSON value are slices of it.
//!
//! Architecture Invariant: pure functions of text, in linear time. What an answer does not say clearly is not read: nothing here
//! guesses.

#![cfg_attr(test, allow(clippy::unwrap_used))]

pub mod choice;
pub mod json;
mod marks;
pub mod part;
pub mod rating;
mod syntax;
mod tags;
pub mod thoughts;
mod words;

pub use thoughts::{Answer, Splitter, split};

/// The names that models give the reason of a verdict, in small letters.
pub const REASONS: [&str; 10] = [
    "reason",
    "reasoning",
    "rationale",
    "explanation",
    "justification",
    "why",
    "because",
    "thoughts",
    "comment",
    "analysis",
];

/// Whether a field of this name has the reason of a verdict.
pub fn is_reason(name: &str) -> bool {
    REASONS.contains(&words::key(name).as_str())
}

/// A verdict, and why.
#[derive(Debug, Clone, PartialEq)]
pub struct Verdict<T> {
    pub value: T,
    /// In the words of the answer; empty where it gives none.
    pub reason: String,
}
