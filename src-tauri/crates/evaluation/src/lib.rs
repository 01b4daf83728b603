//! Evaluation: how good a flow is on many inputs, how many iterations are worth paying for, and whether a change helped.
//!
//! Everything here is a pure function of recorded results. `api` makes the runs and the scores.
//!
//! Architecture Invariant: knows no clock, no I/O, no journal and no engine. All randomness is seeded.

#![cfg_attr(test, allow(clippy::unwrap_used))]

pub mod backtest;
pub mod check;
pub mod data;
pub mod file;
pub mod formats;
pub mod html;
mod nearest;
pub mod plan;
pub mod policy;
pub mod recorded;
pub mod report;
pub mod result;
pub mod statistics;
pub mod test_file;
pub mod wording;
