//! Every integration test of the crate, in one program.

#![allow(clippy::unwrap_used, unreachable_pub)]

#[macro_use]
mod suite;

mod damage;
mod experiments;
mod memory;
mod sqlite;
