//! The external capabilities of a flow (document search, HTTP, scripts, expressions and templates), as implementations of
//! the engine's `Tools`.
//!
//! Architecture Invariant: tools know no node kinds and no flows. They take JSON arguments and return JSON. All network
//! traffic goes through [`http`].

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod agent;
mod command;
mod edit;
#[cfg(feature = "dialects")]
mod expression;
mod file_access;
mod files;
mod folders;
mod http;
#[cfg(feature = "dialects")]
mod jinja;
mod program;
mod real_path;
mod registry;
mod script;
mod search;
mod system_files;
mod web;
#[cfg(not(feature = "dialects"))]
mod without_dialects;
mod workspace;

#[cfg(test)]
mod tests;

pub use agent::{Runner, bundled_runners, format::Format};
pub use registry::{ToolSet, ToolSettings};
pub use web::{SearchEngine, WebSearch};

/// Returns the arguments with these names, as one value. Two calls with equal values have the same destination.
fn subset(args: &serde_json::Map<String, serde_json::Value>, names: &[&str]) -> serde_json::Value {
    let own = args
        .iter()
        .filter(|(name, _)| names.contains(&name.as_str()));
    own.map(|(name, value)| (name.clone(), value.clone()))
        .collect()
}
