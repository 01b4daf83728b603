//! Models behind the engine's `Models` trait: those of services and servers, and the built-in ones of a program that has them.
//!
//! Architecture Invariant: nothing here knows a node kind, a flow document or the journal. A call comes in as a
//! `ModelRequest` and leaves as a `ModelReply` or a `NodeError`; keys leave this crate for the composition alone.

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

/// The ids of the providers that take a key, with the environment variables that hold it.
pub fn key_holders() -> impl Iterator<Item = (&'static str, &'static str)> {
    catalog::CATALOG
        .iter()
        .filter_map(|known| Some((known.id, known.key?)))
}
