//! Every integration test of the crate, in one program.

mod mutations;
mod reading;
