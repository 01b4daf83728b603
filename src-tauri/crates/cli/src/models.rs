//! `loopwright models`: who can answer prompts here.

use loopwright_api as api;
use loopwright_api::App;
use loopwright_runs as runs;
use loopwright_runs::ApiError;

use crate::{out::errln, render};

pub(crate) async fn list(app: &App, refresh: bool, json: bool) -> Result<(), ApiError> {
    let mut providers = api::providers(app.env()).await?;
    if refresh {
        for provider in providers.iter().filter(|provider| provider.ready) {
            if let Err(error) = api::refresh_models(app.env(), &provider.id).await {
                // The others are listed all the same.
                errln!("{}", error.message);
            }
        }
        providers = api::providers(app.env()).await?;
    }
    render::providers(&providers, &runs::prices(app.env())?, json);
    if let Some(trouble) = api::keychain_trouble(app.env())? {
        errln!("{}", trouble.says);
    }
    Ok(())
}
