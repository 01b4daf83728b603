//! Every integration test of the crate, in one program.

mod hostile;
mod outputs;
mod runners;
