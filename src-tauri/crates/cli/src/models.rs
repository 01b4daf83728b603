//! `loopwright models`: lists the models that can be used here.

use loopwright_api as api;
use loopwright_api::App;
use loopwright_runs as runs;
use loopwright_runs::ApiError;

use crate::{out::errln, render, status};

pub(crate) async fn list(app: &App, refresh: bool, json: bool) -> Result<u8, ApiError> {
    let mut providers = api::providers(app.env()).await?;
    if refresh {
        for provider in providers.iter().filter(|provider| provider.ready) {
            if let Err(error) = api::refresh_models(app.env(), &provider.id).await {
                // The error is printed, and the other providers are still listed.
                errln!("{}", error.message);
            }
        }
        providers = api::providers(app.env()).await?;
    }
    render::providers(&providers, &runs::prices(app.env())?, json);
    if let Some(trouble) = api::keychain_trouble(app.env())? {
        errln!("{}", trouble.says);
    }
    Ok(status::COMPLETED)
}
