//! The tests of the whole crate.

#![allow(clippy::unwrap_used, unreachable_pub)]

#[macro_use]
#[path = "../../../journal/src/tests/suite/mod.rs"]
mod suite;
#[path = "../../../api/tests/it/support/mod.rs"]
mod support;

mod budgets;
mod conformance;
mod flows;
mod versions;
