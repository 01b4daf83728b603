//! All integration tests of this crate, in one program.

#![allow(clippy::unwrap_used, unreachable_pub)]

mod extreme_numbers;
mod kinds;
mod large_flows;
mod rename;
mod validation;
