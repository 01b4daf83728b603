//! Every integration test of the crate, in one program.

#[path = "../../../providers/tests/it/registries/mod.rs"]
mod registries;

mod limits;
mod servers;
