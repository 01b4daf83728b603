//! What a person chose for providers.

use std::collections::BTreeMap;

use crate::prices::Price;

/// What the person at this computer has chosen. Keys come from the keychain or the environment, never from here.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ProviderSettings {
    /// What `auto` means: a provider's id, or `builtin`. Empty or `auto`: the first that is set up, else `builtin`.
    pub default_provider: String,
    /// The model of calls that name none.
    pub default_model: Option<String>,
    /// Addresses by provider; they go before those of the environment.
    pub addresses: BTreeMap<String, String>,
    /// The version of Azure's interface, where it is not the usual one.
    pub azure_api_version: Option<String>,
    /// Prices that go before those of the program's own table.
    pub prices: Vec<Price>,
}
