//! Every integration test of the crate, in one program.

mod promises;

mod json;
mod random;
mod thoughts;
mod verdicts;
