//! Keys that the settings name for tools: a search service, MCP servers, agents. A key is known by the name of an environment
//! variable, which goes before an entry of that name in the system's keychain.

use std::collections::BTreeMap;

use loopwright_providers::{Keys, key_holders};
use loopwright_runs::{ApiError, Code, Env, account, provider_set};
use serde::Serialize;
use specta::Type;

use crate::{dto::KeySource, store_addresses};

/// A key that the settings name, and where it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct NamedKey {
    /// The environment variable, and the entry in the keychain.
    pub name: String,
    /// What of the settings uses it.
    pub used_by: Vec<String>,
    /// Null: it is nowhere yet.
    pub source: Option<KeySource>,
}

/// What is wrong with the system's keychain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct KeychainTrouble {
    /// Shortly, with what to do.
    pub says: String,
    /// In the system's own words.
    pub detail: String,
}

/// Whether `name` can be that of an environment variable: `BRAVE_API_KEY`.
fn is_variable(name: &str) -> bool {
    let mut letters = name.chars();
    letters
        .next()
        .is_some_and(|first| first.is_ascii_uppercase() || first == '_')
        && letters.all(|char| char.is_ascii_uppercase() || char.is_ascii_digit() || char == '_')
}

/// The account of a key that a person sets, by a provider's id or the name of a variable, and the variable that it could be in.
///
/// # Errors
/// [`Code::InvalidArgument`] for what is neither, with the providers that take a key.
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
            "No provider “{id}” takes a key. There are: {}. A key of a tool has the name of a variable, as BRAVE_API_KEY.",
            ids.join(", ")
        ),
    ))
}

fn source(keys: &Keys, name: &str) -> Option<KeySource> {
    if std::env::var_os(name).is_some_and(|value| !value.is_empty()) {
        return Some(KeySource::Environment);
    }
    // What is wrong with a keychain is said once, and not for each key.
    let kept = keys.get(account(name)).ok().flatten();
    kept.map(|_| KeySource::Keychain)
}

/// The keys that the settings name for tools, in order, and where each is. Never a key itself.
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

/// What is wrong with the system's keychain: said once, where keys are set.
///
/// # Errors
/// When the providers' settings cannot be read.
pub fn keychain_trouble(env: &Env) -> Result<Option<KeychainTrouble>, ApiError> {
    // Whoever lists the providers asks the keychain for their keys.
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
