//! Finds what is wrong in English prose and says how to put it right.
//!
//! The dictionary, the part-of-speech tagger and most rules are harper-core's; [`spelling`] ranks its suggestions.
//! [`patterns`] reads words that are confused or written twice, agreement and number from a data file. Everything is deterministic.
//!
//! Architecture Invariant: this crate knows no models, no flows and no requests. It is apart from the rest so that
//! harper-core, the slowest of the dependencies, is linked by one small crate.

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

pub use checker::{check, warm_up};
pub use finding::{Finding, Kind, Level, apply, edited};
