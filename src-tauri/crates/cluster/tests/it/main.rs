//! Every integration test of the crate, in one program.

#![allow(clippy::unwrap_used, unreachable_pub)]

#[macro_use]
#[path = "../../../journal/tests/it/suite/mod.rs"]
mod suite;
#[path = "../../../api/tests/it/support/mod.rs"]
mod support;

mod budgets;
mod conformance;
mod flows;
mod versions;
