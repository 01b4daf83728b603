//! What a person chose, kept as one small JSON file.

use std::path::Path;

use serde_json::{Map, Value};

use crate::{
    app::App,
    dto::Settings,
    error::{ApiError, Code},
    json_file::{load_json, save_json},
    paths, store_addresses, tool_settings,
};

/// Reads the settings; a damaged file is set aside and the defaults are used.
pub(crate) fn load(data_dir: &Path) -> (Settings, Option<String>) {
    let path = paths::settings(data_dir);
    let (kept, damaged): (Map<String, Value>, _) = load_json(&path);
    match overlay(kept) {
        Ok(settings) => (settings, damaged),
        Err(error) => {
            let words = format!(
                "{} has a setting of the wrong type ({error}). Defaults are used.",
                path.display()
            );
            (Settings::default(), Some(words))
        }
    }
}

/// The defaults with what was kept over them: a file of an older version lacks settings that are newer than it.
fn overlay(kept: Map<String, Value>) -> serde_json::Result<Settings> {
    if kept.is_empty() {
        return Ok(Settings::default());
    }
    let mut all = serde_json::to_value(Settings::default())?;
    if let Some(fields) = all.as_object_mut() {
        fields.extend(kept);
    }
    serde_json::from_value(all)
}

impl App {
    /// Keeps new settings. Runs that begin from now on go by them.
    ///
    /// # Errors
    /// [`Code::InvalidArgument`] for a setting that cannot be; [`Code::Io`] where the file cannot be written.
    pub fn save_settings(&self, new: Settings) -> Result<Settings, ApiError> {
        check(&new)?;
        save_json(&paths::settings(self.data_dir()), &new)?;
        self.set_settings(new.clone());
        Ok(new)
    }
}

fn check(settings: &Settings) -> Result<(), ApiError> {
    if let Some(folder) = &settings.documents_folder
        && !Path::new(folder).is_dir()
    {
        return Err(ApiError::new(
            Code::InvalidArgument,
            format!("There is no folder {folder}. Choose another for the documents."),
        ));
    }
    let addresses = settings.addresses.values();
    for address in addresses.chain(&settings.openai_base_url) {
        check_address(address)?;
    }
    for (amount, what) in [
        (settings.budget_usd, "The amount to stop a run at"),
        (settings.ask_above_usd, "The amount to ask above"),
    ] {
        if amount.is_some_and(|usd| !usd.is_finite() || usd < 0.0) {
            return Err(ApiError::new(
                Code::InvalidArgument,
                format!("{what} must be zero dollars or more."),
            ));
        }
    }
    tool_settings::check(
        settings.proxy.as_deref(),
        settings.web_search.as_ref(),
        &settings.mcp_servers,
        &settings.agents,
    )?;
    store_addresses::check(&settings.stores)?;
    if settings.history_limit_mb.is_some_and(|limit| limit < 10) {
        return Err(ApiError::new(
            Code::InvalidArgument,
            "The room for past runs must be at least 10 MB, or without a limit.",
        ));
    }
    Ok(())
}

fn check_address(address: &str) -> Result<(), ApiError> {
    let rest = ["http://", "https://"]
        .iter()
        .find_map(|scheme| address.strip_prefix(scheme));
    let invalid = |message: String| Err(ApiError::new(Code::InvalidArgument, message));
    match rest {
        None => invalid(format!(
            "\"{address}\" is no address. It begins with http:// or https://, as http://localhost:11434/v1."
        )),
        // Not repeated: what stands before the @ is a password.
        Some(rest) if rest.split('/').next().is_some_and(|host| host.contains('@')) => invalid(
            "The address has a user name or password in it, which the settings do not keep. Set the key for itself.".to_owned(),
        ),
        Some(_) => Ok(()),
    }
}
