//! Splits English text into words and sentences, for the search tool and the built-in models. Decodes the bytes of files and
//! web pages.
//!
//! Architecture Invariant: all functions are pure, and this crate knows no documents, models or flows.

#![cfg_attr(test, allow(clippy::unwrap_used))]

pub mod charset;
mod sentence;
mod word;

pub use sentence::{sentences, window};
pub use word::{Word, fold, is_stop, stem, words};
