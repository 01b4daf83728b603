//! Providers, their models, and what models cost.

use serde::Serialize;
use specta::Type;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct ModelInfo {
    pub id: String,
    pub name: String,
    pub does: String,
    pub cannot: String,
}

/// How a provider stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum ProviderState {
    Ready,
    /// It runs on this computer and was found there.
    Found,
    NeedsKey,
    /// It would run on this computer, and does not answer.
    Offline,
    /// It has no address yet.
    NotSetUp,
}

/// Where a key comes from.
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
    /// Whether a call can be tried now.
    pub ready: bool,
    /// The state in words: `ready`, or what is missing.
    pub status: String,
    pub base_url: Option<String>,
    pub has_key: bool,
    pub key_source: Option<KeySource>,
    /// The environment variable that holds its key; null where it takes none.
    pub key_variable: Option<String>,
    pub models: Vec<ModelInfo>,
    /// When the list of models was had from the server; null where it was had just now or never.
    pub models_at: Option<String>,
    /// What it is, in a line.
    pub note: String,
    /// How what is missing is given; empty where nothing is.
    pub remedy: String,
}

/// What a test of the connection found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct ProviderTest {
    pub says: String,
    /// How long the server took, in milliseconds.
    pub took_ms: u32,
}
