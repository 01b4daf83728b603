//! Reads a model's answer: its reasoning, its text, the JSON in the text, and its verdict.
//!
//! The rules are in docs/answers.md, which calls the reasoning *thoughts*. Reasoning, text and JSON values are slices of the
//! answer.
//!
//! Architecture Invariant: pure functions of text, in linear time. Nothing here guesses: a verdict that an answer does not
//! state clearly is not read.

#![cfg_attr(test, allow(clippy::unwrap_used))]

pub mod choice;
pub mod json;
mod marks;
pub mod part;
pub mod rating;
mod syntax;
mod tags;
pub mod thoughts;
mod verdict;
mod words;

pub use thoughts::{Answer, Splitter, split};
pub use verdict::Verdict;
pub use words::{REASONS, is_reason};
