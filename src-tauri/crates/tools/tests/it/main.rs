//! Every integration test of the crate, in one program.

mod programs;
#[path = "../../../providers/tests/it/misbehaving/tls.rs"]
mod tls;

mod agentic_search;
mod agents;
mod command;
mod outside;
mod own_folder;
mod world;
