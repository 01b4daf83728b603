//! What a flow may use of the world: document search, HTTP, scripts, expressions and templates, behind the engine's `Tools`.
//!
//! Architecture Invariant: tools know no node kinds and no flows; they take JSON arguments and give JSON back. Everything
//! that leaves the machine goes through [`http`].

mod agent;
mod command;
mod expression;
mod files;
mod folders;
mod http;
mod jinja;
mod program;
mod registry;
mod script;
mod search;
mod web;

pub use agent::{Runner, bundled_runners, formats::Format};
pub use registry::{ToolSet, ToolSettings};
pub use web::{Engine as SearchEngine, WebSearch};
