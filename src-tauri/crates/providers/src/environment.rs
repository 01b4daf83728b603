//! The providers that the settings, the keychain and the environment set up.

use std::sync::Arc;

use loopwright_engine::NodeError;

use crate::{
    catalog::CATALOG,
    keys::{KeyFrom, Keys},
    local_servers::LocalServers,
    prices::PriceTable,
    provider::{ProviderState, ProviderSummary},
    secret::Secret,
    settings::ProviderSettings,
    spec::{Needs, ProviderSpec, with_query},
    wire::{Limits, Remote, RemoteConfig},
};

/// Returns the value of an environment variable, or `None` if it is not set.
pub type Environment<'a> = dyn Fn(&str) -> Option<String> + 'a;

/// Returns the key of a provider and the source of the key; `None` if no key is found. Errors of the keychain are not returned
/// here; [`Keys::trouble`] reports them.
pub(crate) fn key(
    spec: &ProviderSpec,
    environment: &Environment<'_>,
    keys: &Keys,
) -> Option<(Secret, KeyFrom)> {
    let name = spec.key?;
    let given = environment(name)
        .map(Secret::new)
        .filter(|key| !key.is_empty());
    if let Some(key) = given {
        return Some((key, KeyFrom::Environment(name)));
    }
    let kept = keys.get(spec.id).ok().flatten();
    kept.map(|key| (key, KeyFrom::Keychain))
}

/// A provider that is set up, or the summary of one that is not.
pub(crate) enum ProviderSetup {
    SetUp(Remote, Option<KeyFrom>),
    /// The provider has its default address on this computer, where a server may or may not answer.
    Local(Remote),
    Missing(ProviderSummary),
    /// The provider's address is invalid. Only its own calls fail, with the error.
    Faulty(ProviderSummary, NodeError),
}

/// Returns the setup of the provider `spec`, from the settings, the environment and the keychain. `usual` is the provider's
/// default address, if it has one.
pub(crate) fn provider_setup(
    spec: &'static ProviderSpec,
    usual: Option<&str>,
    settings: &ProviderSettings,
    environment: &Environment<'_>,
    keys: &Keys,
    prices: &Arc<PriceTable>,
) -> ProviderSetup {
    let read = |name: &str| {
        environment(name)
            .map(|value| value.trim().to_owned())
            .filter(|value| !value.trim_matches(['"', '\'', ' ']).is_empty())
    };
    let key = key(spec, environment, keys);
    let given = settings
        .addresses
        .get(spec.id)
        .map(|address| address.trim().to_owned())
        .filter(|address| !address.is_empty())
        .or_else(|| read(spec.address));
    let enough = match spec.needs {
        Needs::KeyOrAddress => key.is_some() || given.is_some(),
        Needs::KeyAndAddress => key.is_some() && given.is_some(),
        Needs::Address => given.is_some(),
    };
    let Some(address) = given
        .as_deref()
        .or(usual)
        .filter(|_| enough || spec.local.is_some())
    else {
        return ProviderSetup::Missing(missing(spec, given, key.is_some()));
    };
    let version = settings
        .azure_api_version
        .clone()
        .or_else(|| read("AZURE_OPENAI_API_VERSION"));
    let (key, from) = key.unzip();
    let mut limits = Limits::default();
    if spec.local.is_some() {
        limits = limits.of_local_server();
    }
    let has_key = key.is_some();
    let made = Remote::new(RemoteConfig {
        id: spec.id.to_owned(),
        name: spec.name.to_owned(),
        base_url: with_query((spec.base)(address), address),
        key,
        protocol: (spec.protocol)(version.as_deref()),
        limits,
    });
    let remote = match made {
        Ok(remote) => remote.priced(Arc::clone(prices)).noted(spec.note),
        Err(error) => return ProviderSetup::Faulty(faulty(spec, has_key, from), error),
    };
    if enough {
        ProviderSetup::SetUp(remote, from)
    } else {
        ProviderSetup::Local(remote.found())
    }
}

/// Returns the summary of a provider with an invalid address. The address is omitted: it may contain a password.
fn faulty(spec: &ProviderSpec, has_key: bool, key_from: Option<KeyFrom>) -> ProviderSummary {
    ProviderSummary {
        id: spec.id.to_owned(),
        name: spec.name.to_owned(),
        state: ProviderState::NotSetUp,
        status: format!("has an invalid address (from {})", spec.address),
        base_url: None,
        has_key,
        key_from,
        models: Vec::new(),
        note: spec.note.to_owned(),
        remedy: format!(
            "Correct the address in Settings or in {}: it should look like {}.",
            spec.address,
            spec.default_address.unwrap_or("https://host/v1")
        ),
    }
}

/// Returns the summary of a provider that is not set up.
fn missing(spec: &ProviderSpec, address: Option<String>, has_key: bool) -> ProviderSummary {
    let wants_key = match spec.needs {
        Needs::KeyOrAddress => true,
        Needs::KeyAndAddress => !has_key && address.is_some(),
        Needs::Address => false,
    };
    let (state, status) = match (spec.needs, spec.key) {
        (Needs::KeyOrAddress, Some(key)) => (
            ProviderState::NeedsKey,
            format!("needs a key ({key}, or {})", spec.address),
        ),
        (Needs::KeyAndAddress, Some(key)) if wants_key => {
            (ProviderState::NeedsKey, format!("needs a key ({key})"))
        }
        _ => (
            ProviderState::NotSetUp,
            format!("needs an address ({})", spec.address),
        ),
    };
    ProviderSummary {
        id: spec.id.to_owned(),
        name: spec.name.to_owned(),
        state,
        status,
        base_url: address,
        has_key,
        key_from: None,
        models: Vec::new(),
        note: spec.note.to_owned(),
        remedy: spec.remedy.to_owned(),
    }
}

/// Returns the setup of all providers, in their order.
pub(crate) fn all(
    settings: &ProviderSettings,
    environment: &Environment<'_>,
    keys: &Keys,
    local_servers: &LocalServers,
) -> Vec<ProviderSetup> {
    let prices = Arc::new(PriceTable::new(settings.prices.clone()));
    CATALOG
        .iter()
        .map(|spec| {
            let usual = local_servers.address(spec.id).or(spec.default_address);
            provider_setup(spec, usual, settings, environment, keys, &prices)
        })
        .collect()
}
