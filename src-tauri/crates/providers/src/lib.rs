//! Models behind the engine's `Models` trait: the built-in ones, and those of services and servers.
//!
//! Architecture Invariant: nothing here knows a node kind, a flow document or the journal. A call comes in as a
//! `ModelRequest` and leaves as a `ModelReply` or a `NodeError`; keys leave this crate for the composition alone.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod anthropic;
mod azure;
pub mod builtin;
mod catalog;
mod compatible;
mod environment;
mod gemini;
pub mod keys;
mod llama_server;
mod lm_studio;
mod local_servers;
mod ollama;
mod openai;
pub mod prices;
mod provider;
mod provider_set;
mod role;
mod secret;
mod settings;
mod spec;
mod structured;
mod wire;

pub use builtin::Builtin;
pub use environment::Environment;
pub use keys::{KeyError, KeyFrom, KeyStore, Keys};
pub use local_servers::LocalServers;
pub use prices::{Price, PriceTable};
pub use provider::{ModelProvider, ModelSummary, ProviderState, ProviderSummary, Rate, Tested};
pub use provider_set::ProviderSet;
pub use secret::Secret;
pub use settings::ProviderSettings;
pub use wire::{Limits, Protocol, Remote, RemoteConfig, offline};

/// The ids of the providers that take a key, with the environment variables that hold it.
pub fn key_holders() -> impl Iterator<Item = (&'static str, &'static str)> {
    catalog::CATALOG
        .iter()
        .filter_map(|known| Some((known.id, known.key?)))
}

/// Starts loading what the built-in models need, so that the first call need not wait for it.
pub fn warm_up() {
    loopwright_prose::warm_up();
}
