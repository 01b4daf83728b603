//! Writes flows as programs of other systems: an exact one, or none and the reasons.
//!
//! Architecture Invariant: knows no runs, no network and no files. A document comes in; the text of a program goes out.

#![cfg_attr(test, allow(clippy::unwrap_used))]

pub mod langgraph;
