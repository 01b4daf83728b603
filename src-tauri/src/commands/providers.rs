//! Commands for the providers of models, the prices, and the settings.

use loopwright_api as api;
use loopwright_api::{ModelInfo, ProviderInfo, ProviderTest};
use loopwright_runs as runs;
use loopwright_runs::{ApiError, PriceInfo, PriceList, Settings};

use super::{Shared, SharedAttention};

/// Returns the current state of the providers. Looks for servers on this computer.
#[tauri::command]
#[specta::specta]
pub(crate) async fn providers(app: Shared<'_>) -> Result<Vec<ProviderInfo>, ApiError> {
    api::providers(app.env()).await
}

/// Fetches the models of a provider and stores the list.
#[tauri::command]
#[specta::specta]
pub(crate) async fn refresh_models(
    app: Shared<'_>,
    id: String,
) -> Result<Vec<ModelInfo>, ApiError> {
    api::refresh_models(app.env(), &id).await
}

/// Returns the context window of `model` in tokens; `null` if it is unknown. `model` includes the provider, as in
/// `openai/gpt-4.1`. May ask the provider's server for its list of models.
#[tauri::command]
#[specta::specta]
pub(crate) async fn context_window(
    app: Shared<'_>,
    model: String,
) -> Result<Option<u32>, ApiError> {
    runs::context_window(app.env(), &model).await
}

/// Stores a key in the system's keychain. `id` is the id of a provider, or the name of the environment variable for a tool's key.
/// No command returns a key.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn set_key(app: Shared<'_>, id: &str, key: &str) -> Result<(), ApiError> {
    api::set_key(app.env(), id, key)
}

/// Removes the key with this `id` (see `set_key`) from the system's keychain. Returns false if there was none.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn remove_key(app: Shared<'_>, id: &str) -> Result<bool, ApiError> {
    api::remove_key(app.env(), id)
}

/// Returns the prices of models: those of the user, then the built-in ones.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn prices(app: Shared<'_>) -> Result<PriceList, ApiError> {
    runs::prices(app.env())
}

/// Replaces the prices of the user. Returns all prices.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn save_prices(app: Shared<'_>, own: Vec<PriceInfo>) -> Result<PriceList, ApiError> {
    runs::save_prices(app.env(), own)
}

#[tauri::command]
#[specta::specta]
pub(crate) fn settings(app: Shared<'_>) -> Result<Settings, ApiError> {
    Ok(app.env().settings())
}

#[tauri::command(async)]
#[specta::specta]
pub(crate) fn save_settings(
    app: Shared<'_>,
    attention: SharedAttention<'_>,
    settings: Settings,
) -> Result<Settings, ApiError> {
    let saved = api::save_settings(app.env(), settings)?;
    attention.apply_settings();
    Ok(saved)
}

#[tauri::command]
#[specta::specta]
pub(crate) async fn test_provider(app: Shared<'_>, id: String) -> Result<ProviderTest, ApiError> {
    api::test_provider(app.env(), &id).await
}
