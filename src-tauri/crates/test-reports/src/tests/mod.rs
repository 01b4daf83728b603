//! The tests of the whole crate.

#![allow(clippy::unwrap_used, unreachable_pub)]

mod hostile;
mod outputs;
mod runners;
mod sure;
