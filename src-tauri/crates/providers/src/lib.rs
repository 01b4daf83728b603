//! Models behind the engine's `Models` trait: the built-in ones, OpenAI-compatible servers, a scripted fake.
//!
//! Architecture Invariant: nothing here knows a node kind, a flow document or the journal. A call comes in as a
//! `ModelRequest` and leaves as a `ModelReply` or a `NodeError`; keys never leave this crate.

pub mod builtin;
mod provider;

pub use builtin::{Builtin, BuiltinInfo};
pub use provider::{ModelProvider, ModelSummary, ProviderSummary};
