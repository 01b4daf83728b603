//! Every integration test of the crate, in one program.

mod extreme_numbers;
mod kinds;
mod large_flows;
mod rename;
mod validation;
