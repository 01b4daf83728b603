//! `loopwright models`: who can answer prompts here.

use loopwright_api::{ApiError, App};

use crate::{out::errln, render};

pub(crate) async fn list(app: &App, refresh: bool, json: bool) -> Result<(), ApiError> {
    let mut providers = app.providers().await?;
    if refresh {
        for provider in providers.iter().filter(|provider| provider.ready) {
            if let Err(error) = app.refresh_models(&provider.id).await {
                // The others are listed all the same.
                errln!("{}", error.message);
            }
        }
        providers = app.providers().await?;
    }
    render::providers(&providers, &app.prices()?, json);
    if let Some(trouble) = app.keychain_trouble()? {
        errln!("{}", trouble.says);
    }
    Ok(())
}
