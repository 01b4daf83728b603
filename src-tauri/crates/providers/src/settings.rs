//! A person's settings for providers.

use std::collections::BTreeMap;

use crate::prices::Price;

/// The provider settings of the person at this computer. Keys come from the keychain or the environment, never from here.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ProviderSettings {
    /// The provider that `auto` selects: an id, or `builtin`. If it is empty or `auto`, the first provider that is set up is
    /// selected, otherwise `builtin`.
    pub default_provider: String,
    /// The model for requests that name no model.
    pub default_model: Option<String>,
    /// The addresses of providers, by provider id. They override the addresses in the environment.
    pub addresses: BTreeMap<String, String>,
    /// The version of Azure's API, if it is not the default version.
    pub azure_api_version: Option<String>,
    /// Prices that override those of the bundled table.
    pub prices: Vec<Price>,
}
