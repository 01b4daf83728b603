//! Models behind the engine's `Models` trait: the built-in ones, OpenAI-compatible servers, a scripted fake.
//!
//! Architecture Invariant: nothing here knows a node kind, a flow document or the journal. A call comes in as a
//! `ModelRequest` and leaves as a `ModelReply` or a `NodeError`; keys never leave this crate.

pub mod builtin;
mod environment;
pub mod fake;
pub mod openai;
pub mod prices;
mod provider;
mod role;
mod set;
mod structured;

pub use builtin::{Builtin, BuiltinInfo};
pub use environment::Environment;
pub use prices::{Price, PriceTable};
pub use provider::{ModelProvider, ModelSummary, ProviderSummary};
pub use set::{ProviderSet, ProviderSettings, Rate};

/// Starts loading what the built-in models need, so that the first call need not wait for it.
pub fn warm_up() {
    loopwright_prose::warm_up();
}
