//! Finds mistakes in English prose and suggests corrections.
//!
//! The dictionary, the part-of-speech tagger and most rules come from harper-core. [`spelling`] ranks its suggestions.
//! [`patterns`] finds confused words, repetition, and errors of agreement and number, according to patterns in a data file.
//! Everything is deterministic.
//!
//! Architecture Invariant: this crate knows no models, flows or requests. It is separate so that only one small crate links
//! harper-core, the slowest dependency to build.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod checker;
mod classes;
mod finding;
mod harper;
mod lexicon;
mod patterns;
mod sentences;
mod spelling;
mod token;

#[cfg(test)]
mod tests;

pub use checker::{check, warm_up};
pub use finding::{Finding, Kind, Level, apply, edited};
