//! The tests of the whole crate.

#![allow(clippy::unwrap_used, unreachable_pub)]

#[macro_use]
mod suite;

mod costs;
mod damage;
mod experiments;
mod memory;
mod spending;
mod sqlite;
