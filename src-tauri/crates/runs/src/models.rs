//! The model providers, as configured in the settings.

use loopwright_providers::{ProviderSet, ProviderSettings};

use crate::{
    builtin_models::with_builtin_models,
    env::Env,
    error::{ApiError, Code},
    prices,
};

/// Converts an error of the provider settings to an error of a command.
pub fn failed(error: &loopwright_engine::NodeError) -> ApiError {
    ApiError::new(Code::InvalidArgument, error.message.clone())
}

pub(crate) fn provider_settings(env: &Env) -> Result<ProviderSettings, ApiError> {
    let settings = env.settings();
    let mut addresses = settings.addresses;
    addresses.extend(
        settings
            .openai_base_url
            .map(|address| ("openai".to_owned(), address)),
    );
    Ok(ProviderSettings {
        default_provider: settings.provider,
        default_model: settings.model,
        addresses,
        azure_api_version: settings.azure_api_version,
        prices: prices::own(env.data_dir())?,
    })
}

pub fn provider_set(env: &Env) -> Result<ProviderSet, ApiError> {
    let settings = provider_settings(env)?;
    ProviderSet::new(&settings, env.keys(), env.local_servers().clone())
        .map(with_builtin_models)
        .map_err(|error| failed(&error))
}
