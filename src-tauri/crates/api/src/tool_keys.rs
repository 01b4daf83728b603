//! The keys that the settings name for tools: for the search service, MCP servers, agents and shared stores. A key is
//! identified by the name of an environment variable. The variable takes precedence over the entry of the same name in the
//! system's keychain.

use std::collections::BTreeMap;

use loopwright_providers::{Keys, key_holders};
use loopwright_runs::{ApiError, Code, Env, account, provider_set, store_addresses};
use serde::Serialize;
use specta::Type;

use crate::dto::KeySource;

/// A key that the settings name, and its source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct NamedKey {
    /// The name of the environment variable and of the keychain entry.
    pub name: String,
    /// The settings that use the key.
    pub used_by: Vec<String>,
    /// The source of the key; null if it is not set.
    pub source: Option<KeySource>,
}

/// A problem with the system's keychain, as it is shown to the user.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct KeychainTrouble {
    /// A short description of the problem, with a remedy.
    pub says: String,
    /// The message of the operating system.
    pub detail: String,
}

/// Returns whether `name` can be the name of an environment variable, such as `BRAVE_API_KEY`.
fn is_variable(name: &str) -> bool {
    let mut letters = name.chars();
    letters
        .next()
        .is_some_and(|first| first.is_ascii_uppercase() || first == '_')
        && letters.all(|char| char.is_ascii_uppercase() || char.is_ascii_digit() || char == '_')
}

/// Returns the keychain account of a key, and the environment variable that can contain it. `id` is a provider, or the name of a
/// variable.
///
/// # Errors
/// [`Code::InvalidArgument`] if `id` is neither; the message lists the providers that take a key.
pub(crate) fn place(id: &str) -> Result<(String, String), ApiError> {
    if let Some((id, variable)) = key_holders().find(|(known, _)| *known == id) {
        return Ok((id.to_owned(), variable.to_owned()));
    }
    if is_variable(id) {
        return Ok((account(id).to_owned(), id.to_owned()));
    }
    let ids: Vec<_> = key_holders().map(|(id, _)| id).collect();
    Err(ApiError::new(
        Code::InvalidArgument,
        format!(
            "“{id}” is not a provider that takes a key. These providers take one: {}. For a tool, give the name of its variable, such as BRAVE_API_KEY.",
            ids.join(", ")
        ),
    ))
}

fn source(keys: &Keys, name: &str) -> Option<KeySource> {
    if std::env::var_os(name).is_some_and(|value| !value.is_empty()) {
        return Some(KeySource::Environment);
    }
    // An error of the keychain is ignored here, because `keychain_trouble` reports it once for all keys.
    let kept = keys.get(account(name)).ok().flatten();
    kept.map(|_| KeySource::Keychain)
}

/// Returns the keys that the settings name for tools, sorted by name, with the source of each. The keys themselves are
/// never included.
pub fn tool_keys(env: &Env) -> Vec<NamedKey> {
    let settings = env.settings();
    let mut uses: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut add = |name: &str, user: String| {
        let users = uses.entry(name.to_owned()).or_default();
        if !users.contains(&user) {
            users.push(user);
        }
    };
    if let Some(search) = &settings.web_search
        && let Some(key) = search.of_tools().engine.key()
    {
        add(key, "web search".to_owned());
    }
    for server in &settings.mcp_servers {
        for name in server.env.iter().chain(server.headers.values()) {
            add(name, format!("MCP server {}", server.name));
        }
    }
    for agent in &settings.agents {
        for name in &agent.env {
            add(name, format!("agent {}", agent.name));
        }
    }
    for store in &settings.stores {
        add(
            &store_addresses::password_name(&store.name),
            format!("store {}", store.name),
        );
    }
    env.keys().forget();
    uses.into_iter()
        .map(|(name, used_by)| NamedKey {
            source: source(env.keys(), &name),
            name,
            used_by,
        })
        .collect()
}

/// Returns the problem with the system's keychain, or `None` if the keychain works. The problem is shown once, next to
/// the keys.
///
/// # Errors
/// Returns an error if the settings of the providers cannot be read.
pub fn keychain_trouble(env: &Env) -> Result<Option<KeychainTrouble>, ApiError> {
    // Listing the providers reads their keys, which reveals any problem with the keychain.
    provider_set(env)?;
    Ok(env.keys().trouble().map(|error| KeychainTrouble {
        says: error.remedy().to_owned(),
        detail: error.to_string(),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_has_one_place_by_either_of_its_names() {
        let openai = ("openai".to_owned(), "OPENAI_API_KEY".to_owned());
        assert_eq!(place("openai").unwrap(), openai);
        assert_eq!(place("OPENAI_API_KEY").unwrap(), openai);
        let brave = ("BRAVE_API_KEY".to_owned(), "BRAVE_API_KEY".to_owned());
        assert_eq!(place("BRAVE_API_KEY").unwrap(), brave);
        for wrong in ["", "nobody", "brave-api-key", "1KEY", "A=B"] {
            let error = place(wrong).unwrap_err();
            assert!(error.message.contains("BRAVE_API_KEY"), "{error}");
        }
    }
}
