//! `loopwright keys`: the keys of providers in the system's keychain. A key comes in by standard input and never goes out.

use std::io::{IsTerminal as _, Read as _};

use loopwright_api::{ApiError, App, Code, KeySource, ProviderInfo};
use serde_json::json;

use crate::{args::KeysCommand, out::outln, render::print_json};

/// The longest that is read, in bytes: no key is so long.
const LONGEST: u64 = 64 << 10;

pub(crate) async fn perform(app: &App, command: &KeysCommand, json: bool) -> Result<(), ApiError> {
    match command {
        KeysCommand::Set { provider } => {
            app.set_key(provider, &read()?)?;
            said(
                &format!("The key of {provider} is in the system's keychain."),
                json,
                provider,
                true,
            );
        }
        KeysCommand::Remove { provider } => {
            let words = if app.remove_key(provider)? {
                format!("The key of {provider} was removed from the system's keychain.")
            } else {
                format!("There was no key of {provider} in the system's keychain.")
            };
            said(&words, json, provider, false);
        }
        KeysCommand::List => {
            let providers = app.providers().await?;
            let holders = providers
                .iter()
                .filter(|provider| provider.key_variable.is_some());
            if json {
                let rows: Vec<_> = holders
                    .map(|provider| json!({ "provider": provider.id, "source": provider.key_source, "variable": provider.key_variable }))
                    .collect();
                print_json(&rows);
            } else {
                holders.for_each(line);
            }
        }
    }
    Ok(())
}

fn said(words: &str, json: bool, provider: &str, has_key: bool) {
    if json {
        print_json(&json!({ "provider": provider, "inKeychain": has_key }));
    } else {
        eprintln!("{words}");
    }
}

fn line(provider: &ProviderInfo) {
    let variable = provider.key_variable.as_deref().unwrap_or_default();
    let place = match provider.key_source {
        Some(KeySource::Keychain) => "in the system's keychain".to_owned(),
        Some(KeySource::Environment) => format!("from {variable}"),
        None => format!("none; `loopwright keys set {}` or {variable}", provider.id),
    };
    outln!("{:<14}{place}", provider.id);
}

/// The key that stands on standard input.
fn read() -> Result<String, ApiError> {
    let input = std::io::stdin();
    if input.is_terminal() {
        eprintln!("Enter the key, then Enter and Ctrl-D:");
    }
    let mut key = String::new();
    input
        .take(LONGEST)
        .read_to_string(&mut key)
        .map_err(|error| ApiError::new(Code::Io, format!("The key cannot be read: {error}")))?;
    Ok(key)
}
