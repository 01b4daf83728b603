//! Evaluates flows: how well a flow works on many inputs, how many iterations are worth their cost, and whether a change is
//! an improvement.
//!
//! Everything here is a pure function of recorded results. The `experiments` crate runs the flow and computes the scores.
//!
//! Architecture Invariant: this crate uses no clock, I/O, journal or engine. All randomness is seeded.

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

#[cfg(test)]
mod tests;
