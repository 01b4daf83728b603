//! The Model Context Protocol in both directions: tools of servers for flows, and flows as tools for other programs.
//!
//! Architecture Invariant: this crate knows no node kinds, no flows and no journal. It speaks the protocol and ends the programs
//! that it started.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod client;
mod connection;
mod lines;
mod server;
mod server_spec;
mod words;

#[cfg(test)]
mod tests;

pub use client::{McpTools, SeenTool, is_shortened};
pub use server::{Offer, OfferedTool, Offers, Progress, serve_over, serve_stdio};
pub use server_spec::ServerSpec;
