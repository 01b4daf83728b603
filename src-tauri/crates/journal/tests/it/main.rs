//! Every integration test of the crate, in one program.

mod suite;

mod damage;
mod experiments;
mod memory;
mod sqlite;
