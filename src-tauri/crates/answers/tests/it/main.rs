//! Every integration test of the crate, in one program.

#![allow(clippy::unwrap_used, unreachable_pub)]

mod promises;

mod json;
mod parts;
mod random;
mod thoughts;
mod verdicts;
