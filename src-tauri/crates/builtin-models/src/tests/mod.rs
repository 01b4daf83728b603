//! The tests of the whole crate.

#![allow(clippy::unwrap_used, unreachable_pub)]

mod agentic_search;
mod builtins;
mod provider_set;
mod self_refine;
