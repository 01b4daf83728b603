//! Every integration test of the crate, in one program.

mod mutator;

mod corpus;
mod escapes;
