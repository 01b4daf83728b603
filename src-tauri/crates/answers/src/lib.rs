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
mod verdict;
mod words;

pub use thoughts::{Answer, Splitter, split};
pub use verdict::Verdict;
pub use words::{REASONS, is_reason};
