//! Implements the engine's `Models` trait with the models of services and servers and, if the program includes them, the
//! built-in models.
//!
//! Architecture Invariant: this crate knows no node kind, no flow document and no journal. A call arrives as a
//! `ModelRequest` and leaves as a `ModelReply` or a `NodeError`. Only the crate that assembles the program receives keys
//! from this crate.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod anthropic;
mod azure;
mod builtin;
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
mod secret;
mod settings;
mod spec;
mod structured;
mod wire;

pub use builtin::{BuiltinModel, BuiltinModels};
pub use environment::Environment;
pub use keys::{KeyError, KeyFrom, KeyStore, Keys};
pub use local_servers::LocalServers;
pub use prices::{Price, PriceTable};
pub use provider::{ModelProvider, ModelSummary, ProviderState, ProviderSummary, Rate, Tested};
pub use provider_set::ProviderSet;
pub use secret::Secret;
pub use settings::ProviderSettings;
pub use wire::{Limits, Protocol, Remote, RemoteConfig, offline};

/// Returns whether a provider is a model server on the user's computer, such as Ollama. Such a server may load the same
/// model with a different context window each time.
pub fn is_local_server(id: &str) -> bool {
    catalog::provider_spec(id).is_some_and(|spec| spec.local.is_some())
}

/// Returns the ids of the providers that take a key, each with the environment variable that can contain the key.
pub fn key_holders() -> impl Iterator<Item = (&'static str, &'static str)> {
    catalog::CATALOG
        .iter()
        .filter_map(|known| Some((known.id, known.key?)))
}
