//! Every integration test of the crate, in one program.

#![allow(clippy::unwrap_used, unreachable_pub)]

#[path = "../../../providers/tests/it/registries/mod.rs"]
mod registries;

mod limits;
mod servers;
