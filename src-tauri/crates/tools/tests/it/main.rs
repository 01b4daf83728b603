//! Every integration test of the crate, in one program.

#![allow(clippy::unwrap_used, unreachable_pub)]

mod programs;
#[path = "../../../providers/tests/it/misbehaving/tls.rs"]
mod tls;

mod agents;
mod command;
mod outside;
mod own_folder;
mod world;
