//! Model providers with their models and keys, in the form that Settings and lists show.

use std::collections::BTreeMap;

use loopwright_engine::event::timestamp;
use loopwright_providers::{
    KeyFrom, ModelSummary, ProviderSet, ProviderSummary, Secret, key_holders,
};
use loopwright_runs::{ApiError, Code, Env, failed, json_file, paths, provider_set};
use serde::{Deserialize, Serialize};

use crate::{
    dto::{KeySource, ModelInfo, ProviderInfo, ProviderState, ProviderTest},
    tool_keys,
};

/// The content of `models.json`: the list of each provider, by the provider's id.
type Lists = BTreeMap<String, List>;

/// The models that a provider's server listed.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct List {
    /// The address from which the list was read. The list is ignored if the provider now has a different address.
    address: String,
    /// The time at which the list was requested, in milliseconds since the Unix epoch, UTC.
    at: i64,
    models: Vec<Kept>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Kept {
    id: String,
    name: String,
    #[serde(default)]
    does: String,
}

fn info(model: &ModelSummary) -> ModelInfo {
    ModelInfo {
        id: model.id.clone(),
        name: model.name.clone(),
        does: model.does.clone(),
        cannot: model.cannot.clone(),
    }
}

fn state(state: loopwright_providers::ProviderState) -> ProviderState {
    use loopwright_providers::ProviderState as From;
    match state {
        From::Ready => ProviderState::Ready,
        From::Found => ProviderState::Found,
        From::NeedsKey => ProviderState::NeedsKey,
        From::Offline => ProviderState::Offline,
        From::NotSetUp => ProviderState::NotSetUp,
    }
}

/// Returns the description of a provider for the window, with the models that its server listed last.
fn shown(provider: ProviderSummary, lists: &Lists) -> ProviderInfo {
    let kept = lists.get(&provider.id).filter(|list| {
        provider.models.is_empty() && provider.base_url.as_deref() == Some(list.address.as_str())
    });
    let models = match kept {
        Some(list) => list
            .models
            .iter()
            .map(|model| ModelInfo {
                id: model.id.clone(),
                name: model.name.clone(),
                does: model.does.clone(),
                cannot: String::new(),
            })
            .collect(),
        None => provider.models.iter().map(info).collect(),
    };
    let variable = key_holders().find(|(id, _)| *id == provider.id);
    ProviderInfo {
        state: state(provider.state),
        ready: provider.state.is_ready(),
        status: provider.status,
        base_url: provider.base_url,
        has_key: provider.has_key,
        key_source: provider.key_from.map(|from| match from {
            KeyFrom::Keychain => KeySource::Keychain,
            KeyFrom::Environment(_) => KeySource::Environment,
        }),
        key_variable: variable.map(|(_, name)| name.to_owned()),
        models,
        models_at: kept.map(|list| timestamp(list.at)),
        note: provider.note,
        remedy: provider.remedy,
        name: provider.name,
        id: provider.id,
    }
}

/// Reads the stored lists of models. A damaged file is renamed, and the user is notified.
fn lists(env: &Env) -> Lists {
    let (lists, damaged) = json_file::load_json(&paths::models(env.data_dir()));
    if let Some(words) = damaged {
        env.give_notice(words);
    }
    lists
}

/// Returns the current state of every provider. Contacts only servers on this computer.
///
/// # Errors
/// Returns an error if the provider settings are invalid.
pub async fn providers(env: &Env) -> Result<Vec<ProviderInfo>, ApiError> {
    // Keys are read again from the keychain, because another program may have stored one.
    env.keys().forget();
    let set = provider_set(env)?;
    set.discover().await;
    let lists = lists(env);
    Ok(set
        .summaries()
        .into_iter()
        .map(|provider| shown(provider, &lists))
        .collect())
}

/// Tests whether a provider can be reached, and stores the models that it lists.
///
/// # Errors
/// Returns an error if the provider is unknown or cannot be reached, or if the list cannot be written.
pub async fn test_provider(env: &Env, id: &str) -> Result<ProviderTest, ApiError> {
    let set = provider_set(env)?;
    let tested = set.test(id).await.map_err(|error| failed(&error))?;
    keep_models(env, &set, id, &tested.models)?;
    Ok(ProviderTest {
        says: tested.says,
        took_ms: u32::try_from(tested.took.as_millis()).unwrap_or(u32::MAX),
    })
}

/// Fetches, stores and returns the list of a provider's models.
///
/// # Errors
/// Returns an error if the provider is unknown or cannot be reached, or if the list cannot be written.
pub async fn refresh_models(env: &Env, id: &str) -> Result<Vec<ModelInfo>, ApiError> {
    let set = provider_set(env)?;
    let models = set.models(id).await.map_err(|error| failed(&error))?;
    keep_models(env, &set, id, &models)?;
    Ok(models.iter().map(info).collect())
}

fn keep_models(
    env: &Env,
    set: &ProviderSet,
    id: &str,
    models: &[ModelSummary],
) -> Result<(), ApiError> {
    let summary = set
        .summaries()
        .into_iter()
        .find(|provider| provider.id == id);
    let Some(address) = summary.and_then(|provider| provider.base_url) else {
        return Ok(());
    };
    let path = paths::models(env.data_dir());
    let mut lists = lists(env);
    let list = List {
        address,
        at: env.now(),
        models: models
            .iter()
            .map(|model| Kept {
                id: model.id.clone(),
                name: model.name.clone(),
                does: model.does.clone(),
            })
            .collect(),
    };
    lists.insert(id.to_owned(), list);
    json_file::save_json(&path, &lists)
}

/// Stores a key in the system's keychain. `id` is a provider, or the name of the environment variable for a tool's key.
///
/// # Errors
/// [`Code::InvalidArgument`] if the key is empty or `id` is invalid; [`Code::Io`] if the keychain cannot be written.
pub fn set_key(env: &Env, id: &str, key: &str) -> Result<(), ApiError> {
    let (account, variable) = tool_keys::place(id)?;
    let key = Secret::new(key);
    if key.is_empty() {
        return Err(ApiError::new(
            Code::InvalidArgument,
            format!("The key of \"{id}\" is empty. Enter a key, or remove the stored one."),
        ));
    }
    env.keys()
        .set(&account, &key)
        .map_err(|error| ApiError::new(Code::Io, format!("The key of \"{id}\" was not saved. {error}. Set it in the environment variable {variable} instead.")))
}

/// Removes a key from the system's keychain. Returns `true` if a key was removed, or `false` if none was stored.
///
/// # Errors
/// [`Code::InvalidArgument`] if `id` is invalid; [`Code::Io`] if the keychain cannot be written.
pub fn remove_key(env: &Env, id: &str) -> Result<bool, ApiError> {
    let (account, _) = tool_keys::place(id)?;
    env.keys().remove(&account).map_err(|error| {
        ApiError::new(
            Code::Io,
            format!("The key of \"{id}\" was not removed. {error}."),
        )
    })
}
