//! Model providers with their models and keys, in the form that Settings and lists show.

use loopwright_engine::event::timestamp;
use loopwright_providers::{KeyFrom, ModelSummary, ProviderSummary, Secret, key_holders};
use loopwright_runs::{
    ApiError, Code, Env, ModelLists, failed, keep_models, model_lists, provider_set,
};

use crate::{
    dto::{KeySource, ModelInfo, ProviderInfo, ProviderState, ProviderTest},
    tool_keys,
};

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
fn shown(provider: ProviderSummary, lists: &ModelLists) -> ProviderInfo {
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

/// Returns the current state of every provider. Contacts only servers on this computer.
///
/// # Errors
/// Returns an error if the provider settings are invalid.
pub async fn providers(env: &Env) -> Result<Vec<ProviderInfo>, ApiError> {
    // Keys are read again from the keychain, because another program may have stored one.
    env.keys().forget();
    let set = provider_set(env)?;
    set.discover().await;
    let lists = model_lists(env);
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
            format!("The key for \"{id}\" is empty. Enter a key, or remove the stored one."),
        ));
    }
    env.keys()
        .set(&account, &key)
        .map_err(|error| ApiError::new(Code::Io, format!("The key for \"{id}\" was not saved. {error}. Set it in the environment variable {variable} instead.")))
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
            format!("The key for \"{id}\" was not removed from the system's keychain. {error}."),
        )
    })
}
