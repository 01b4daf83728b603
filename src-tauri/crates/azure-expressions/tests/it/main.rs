//! Every integration test of the crate, in one program.

mod cases;
mod language;
