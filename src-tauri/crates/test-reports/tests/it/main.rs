//! All integration tests of the crate, in one program.

#![allow(clippy::unwrap_used, unreachable_pub)]

mod hostile;
mod outputs;
mod runners;
mod sure;
