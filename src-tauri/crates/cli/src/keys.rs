//! `loopwright keys`: the keys of providers and tools in the system's keychain. Keys are read from standard input and never
//! printed.

use std::io::{IsTerminal as _, Read as _};

use loopwright_api as api;
use loopwright_api::{App, KeySource, ProviderInfo};
use loopwright_runs::{ApiError, Code};
use serde_json::json;

use crate::{
    args::KeysCommand,
    out::{errln, outln},
    render::print_json,
    status,
};

/// The maximum number of bytes read from standard input. No key is that long.
const LONGEST: u64 = 64 << 10;

pub(crate) async fn perform(app: &App, command: &KeysCommand, json: bool) -> Result<u8, ApiError> {
    match command {
        KeysCommand::Set { provider } => {
            api::set_key(app.env(), provider, &read()?)?;
            said(
                &format!("The key for {provider} was saved in the system's keychain."),
                json,
                provider,
                true,
            );
        }
        KeysCommand::Remove { provider } => {
            let words = if api::remove_key(app.env(), provider)? {
                format!("The key for {provider} was removed from the system's keychain.")
            } else {
                format!("There was no key for {provider} in the system's keychain.")
            };
            said(&words, json, provider, false);
        }
        KeysCommand::List => {
            let providers = api::providers(app.env()).await?;
            let holders = providers
                .iter()
                .filter(|provider| provider.key_variable.is_some());
            let tools = api::tool_keys(app.env());
            if json {
                let mut rows: Vec<_> = holders
                    .map(|provider| json!({ "provider": provider.id, "source": provider.key_source, "variable": provider.key_variable }))
                    .collect();
                rows.extend(tools.iter().map(|key| json!({ "usedBy": key.used_by, "source": key.source, "variable": key.name })));
                print_json(&rows);
            } else {
                holders.for_each(line);
                for key in &tools {
                    let place = place(key.source, &key.name, &key.name);
                    outln!("{:<14}{place}, for {}", key.name, key.used_by.join(", "));
                }
                if let Some(trouble) = api::keychain_trouble(app.env())? {
                    errln!("{}", trouble.says);
                }
            }
        }
    }
    Ok(status::COMPLETED)
}

fn said(words: &str, json: bool, provider: &str, has_key: bool) {
    if json {
        print_json(&json!({ "provider": provider, "inKeychain": has_key }));
    } else {
        errln!("{words}");
    }
}

fn line(provider: &ProviderInfo) {
    let variable = provider.key_variable.as_deref().unwrap_or_default();
    let place = place(provider.key_source, &provider.id, variable);
    outln!("{:<14}{place}", provider.id);
}

/// Returns a phrase that says where a key is stored, or how to set a key that is missing. `id` is the name of the provider or
/// tool in `keys set`.
fn place(source: Option<KeySource>, id: &str, variable: &str) -> String {
    match source {
        Some(KeySource::Keychain) => "in the system's keychain".to_owned(),
        Some(KeySource::Environment) => format!("from {variable}"),
        None if id == variable => {
            format!("none; set it with `loopwright keys set {id}` or in the environment")
        }
        None => format!("none; set it with `loopwright keys set {id}` or in {variable}"),
    }
}

/// Reads a key from standard input.
fn read() -> Result<String, ApiError> {
    let input = std::io::stdin();
    if input.is_terminal() {
        errln!("Type the key, then press Enter and Ctrl-D:");
    }
    let mut key = String::new();
    input
        .take(LONGEST)
        .read_to_string(&mut key)
        .map_err(|error| ApiError::new(Code::Io, format!("The key cannot be read: {error}")))?;
    Ok(key)
}
