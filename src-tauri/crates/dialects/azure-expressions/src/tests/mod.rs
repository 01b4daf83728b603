//! The tests of the whole crate.

#![allow(clippy::unwrap_used, unreachable_pub)]

mod cases;
mod language;
