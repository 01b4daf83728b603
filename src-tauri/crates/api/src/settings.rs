//! What a person chose, kept as one small JSON file.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use loopwright_model::{file::write_atomically, json, named_file};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Map, Value};

use crate::{
    dto::Settings,
    error::{ApiError, Code},
    paths, private, stores, tool_settings,
};

/// The largest file of the program's own that is read, in bytes: a draft is a flow.
pub(crate) const MAX_BYTES: u64 = 64 << 20;

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
    let mut all = serde_json::to_value(Settings::default())?;
    if let Some(fields) = all.as_object_mut() {
        fields.extend(kept);
    }
    serde_json::from_value(all)
}

pub(crate) fn save(data_dir: &Path, settings: &Settings) -> Result<(), ApiError> {
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
    stores::check(&settings.stores)?;
    if settings.history_limit_mb.is_some_and(|limit| limit < 10) {
        return Err(ApiError::new(
            Code::InvalidArgument,
            "The room for past runs must be at least 10 MB, or without a limit.",
        ));
    }
    save_json(&paths::settings(data_dir), settings)
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

/// Reads a JSON file of the program's own. A missing one gives the default; a damaged one is renamed, and said.
pub(crate) fn load_json<T: DeserializeOwned + Default>(path: &Path) -> (T, Option<String>) {
    let text = match named_file::read(path, MAX_BYTES) {
        Ok(bytes) => named_file::text(bytes),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return (T::default(), None),
        Err(error) => {
            return (
                T::default(),
                Some(format!("{} cannot be read: {error}", path.display())),
            );
        }
    };
    let read = text.map_err(|error| error.to_string()).and_then(|text| {
        let value = json::read(&text).map_err(|error| error.to_string())?;
        serde_json::from_value(value).map_err(|error| error.to_string())
    });
    match read {
        Ok(value) => (value, None),
        Err(error) => {
            let what = match set_aside(path) {
                Ok(kept) => format!("It was kept as {}.", kept.display()),
                Err(error) => format!("It could not be set aside: {error}."),
            };
            (
                T::default(),
                Some(format!(
                    "{} is damaged ({error}). {what} Defaults are used.",
                    path.display()
                )),
            )
        }
    }
}

/// Renames a file to the first free `<name>.damaged-<n>.json`.
fn set_aside(path: &Path) -> io::Result<PathBuf> {
    let free = (1_u32..)
        .map(|number| path.with_extension(format!("damaged-{number}.json")))
        .find(|candidate| !candidate.exists());
    let kept = free.ok_or_else(|| io::Error::other("no free name beside it"))?;
    fs::rename(path, &kept)?;
    Ok(kept)
}

pub(crate) fn save_json(path: &Path, value: &impl Serialize) -> Result<(), ApiError> {
    let failed = |error: &dyn std::fmt::Display| {
        ApiError::new(
            Code::Io,
            format!("{} cannot be written: {error}", path.display()),
        )
    };
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(|error| failed(&error))?;
    }
    let text = serde_json::to_string_pretty(value).map_err(|error| failed(&error))?;
    write_atomically(path, &(text + "\n")).map_err(|error| failed(&error))?;
    private::close(path);
    Ok(())
}
