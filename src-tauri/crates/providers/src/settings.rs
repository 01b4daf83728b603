//! A person's settings for providers.

use std::collections::BTreeMap;

use crate::prices::Price;

/// The settings of the person at this computer. Keys come from the keychain or the environment, never from here.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ProviderSettings {
    /// The provider that `auto` selects: an id, or `builtin`. If empty or `auto`, it is the first provider that is set up, or
    /// else `builtin`.
    pub default_provider: String,
    /// The model of requests that name none.
    pub default_model: Option<String>,
    /// Addresses by provider id. They override those of the environment.
    pub addresses: BTreeMap<String, String>,
    /// The version of Azure's API, if not the default.
    pub azure_api_version: Option<String>,
    /// Prices that override those of the bundled table.
    pub prices: Vec<Price>,
}
