//! The tests of the whole crate.

#![allow(clippy::unwrap_used, unreachable_pub)]

mod programs;
#[path = "../../../providers/tests/it/misbehaving/tls.rs"]
mod tls;

mod agent_transcripts;
mod agents;
mod command;
mod edit;
mod outside;
mod own_folder;
mod world;
