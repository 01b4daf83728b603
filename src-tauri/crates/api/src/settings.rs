//! Saves settings.

use std::path::Path;

use loopwright_runs::{ApiError, Code, Env, Settings, paths, save_json, store_addresses};

use crate::tool_settings;

/// Saves new settings and returns them. They apply to runs that start later.
///
/// # Errors
/// [`Code::InvalidArgument`] for an invalid setting; [`Code::Io`] if the file cannot be written.
pub fn save_settings(env: &Env, new: Settings) -> Result<Settings, ApiError> {
    check(&new)?;
    save_json(&paths::settings(env.data_dir()), &new)?;
    env.set_settings(new.clone());
    Ok(new)
}

fn check(settings: &Settings) -> Result<(), ApiError> {
    if let Some(folder) = &settings.documents_folder
        && !Path::new(folder).is_dir()
    {
        return Err(ApiError::new(
            Code::InvalidArgument,
            format!("There is no folder {folder}. Choose another documents folder."),
        ));
    }
    let addresses = settings.addresses.values();
    for address in addresses.chain(&settings.openai_base_url) {
        check_address(address)?;
    }
    for (amount, what) in [
        (settings.budget_usd, "The amount that stops a run"),
        (
            settings.ask_above_usd,
            "The amount above which Loopwright asks",
        ),
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
    if let Some(command) = &settings.notifications.command
        && command.program.trim().is_empty()
    {
        return Err(ApiError::new(
            Code::InvalidArgument,
            "The notify command has no program. Enter one, or remove the command.",
        ));
    }
    if settings.history_limit_mb.is_some_and(|limit| limit < 10) {
        return Err(ApiError::new(
            Code::InvalidArgument,
            "The limit for past runs must be at least 10 MB. Leave it empty for no limit.",
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
            "\"{address}\" is not a valid address. Write one that begins with http:// or https://, such as http://localhost:11434/v1."
        )),
        // The error message leaves the address out, because the part before the `@` may contain a password.
        Some(rest) if rest.split('/').next().is_some_and(|host| host.contains('@')) => invalid(
            "The address contains a user name or password, which the settings do not store. Set the key separately.".to_owned(),
        ),
        Some(_) => Ok(()),
    }
}
