//! The user's settings for providers.

use std::collections::BTreeMap;

use crate::prices::Price;

/// The user's provider settings. They contain no keys: keys come from the keychain or the environment.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ProviderSettings {
    /// The provider that `auto` selects: an id, or `builtin`. If it is empty or `auto`, the first provider that is set up is
    /// selected, otherwise `builtin`.
    pub default_provider: String,
    /// The model for requests that name no model. If it is `None`, the first chat model that the server lists is used.
    pub default_model: Option<String>,
    /// The addresses of providers, by provider id. They override the addresses in the environment.
    pub addresses: BTreeMap<String, String>,
    /// The version of Azure's API; `None` for the default version.
    pub azure_api_version: Option<String>,
    /// Prices that override those of the bundled table.
    pub prices: Vec<Price>,
}
