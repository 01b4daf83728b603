//! The tests of the whole crate.

#![allow(clippy::unwrap_used, unreachable_pub)]

#[path = "../../../providers/tests/it/registries/mod.rs"]
mod registries;

mod limits;
mod servers;
