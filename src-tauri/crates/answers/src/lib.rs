//! Reads a model's answer: its reasoning, its text, the JSON in the text, and its verdict.
//!
//! The rules are in docs/answers.md, which calls the reasoning *thoughts*. Reasoning, text and JSON values are slices of the
//! answer.
//!
//! Architecture Invariant: all functions are pure, take linear time, and never guess. An answer that does not state its
//! verdict clearly has no verdict.

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
