//! Providers, their models, and the prices of models.

use serde::Serialize;
use specta::Type;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct ModelInfo {
    pub id: String,
    pub name: String,
    pub does: String,
    pub cannot: String,
}

/// Whether a provider can be used and, if not, what is missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum ProviderState {
    Ready,
    /// The provider's server was found running on this computer.
    Found,
    NeedsKey,
    /// The provider's server is expected on this computer, but does not answer.
    Offline,
    /// The provider has no address yet.
    NotSetUp,
}

/// The source from which a key is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum KeySource {
    Keychain,
    Environment,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct ProviderInfo {
    pub id: String,
    pub name: String,
    pub state: ProviderState,
    /// Whether a call to the provider can be attempted now.
    pub ready: bool,
    /// The state as a phrase: `ready`, or what is missing.
    pub status: String,
    pub base_url: Option<String>,
    pub has_key: bool,
    pub key_source: Option<KeySource>,
    /// The environment variable for the provider's key; null if the provider takes no key.
    pub key_variable: Option<String>,
    pub models: Vec<ModelInfo>,
    /// The time at which the stored list of models was fetched; null if there is no stored list.
    pub models_at: Option<String>,
    /// A description of the provider in one line.
    pub note: String,
    /// The steps that a person must take before the provider can be used; empty if nothing is missing.
    pub remedy: String,
}

/// The result of a connection test.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct ProviderTest {
    pub says: String,
    /// The time until the server answered, in milliseconds.
    pub took_ms: u32,
}
