//! Every integration test of the crate, in one program.

#![allow(clippy::unwrap_used, unreachable_pub)]

mod agentic_search;
mod provider_set;
mod self_refine;
