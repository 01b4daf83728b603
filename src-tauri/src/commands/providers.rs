//! Who answers prompts, what that costs, and the settings.

use loopwright_api::{
    ApiError, ModelInfo, PriceInfo, PriceList, ProviderInfo, ProviderTest, Settings,
};

use super::Shared;

/// The providers as they stand now; looks for servers on this computer.
#[tauri::command]
#[specta::specta]
pub(crate) async fn providers(app: Shared<'_>) -> Result<Vec<ProviderInfo>, ApiError> {
    app.providers().await
}

/// Asks a provider for its models, and keeps the list.
#[tauri::command]
#[specta::specta]
pub(crate) async fn refresh_models(
    app: Shared<'_>,
    id: String,
) -> Result<Vec<ModelInfo>, ApiError> {
    app.refresh_models(&id).await
}

/// Keeps a key in the system's keychain: that of a provider (`id`), or that of a tool by the name of its variable. It is never
/// given back.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn set_key(app: Shared<'_>, id: &str, key: &str) -> Result<(), ApiError> {
    app.set_key(id, key)
}

/// Removes a key from the system's keychain, as `set_key` names it; false where there was none.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn remove_key(app: Shared<'_>, id: &str) -> Result<bool, ApiError> {
    app.remove_key(id)
}

/// What models cost: the person's own prices, then those that the program comes with.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn prices(app: Shared<'_>) -> Result<PriceList, ApiError> {
    app.prices()
}

/// Makes these the person's own prices; gives all.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn save_prices(app: Shared<'_>, own: Vec<PriceInfo>) -> Result<PriceList, ApiError> {
    app.save_prices(own)
}

#[tauri::command]
#[specta::specta]
pub(crate) fn settings(app: Shared<'_>) -> Result<Settings, ApiError> {
    Ok(app.settings())
}

#[tauri::command(async)]
#[specta::specta]
pub(crate) fn save_settings(app: Shared<'_>, settings: Settings) -> Result<Settings, ApiError> {
    app.save_settings(settings)
}

#[tauri::command]
#[specta::specta]
pub(crate) async fn test_provider(app: Shared<'_>, id: String) -> Result<ProviderTest, ApiError> {
    app.test_provider(&id).await
}
