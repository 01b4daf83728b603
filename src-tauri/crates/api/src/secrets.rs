//! The one way of tools to secrets: the environment, else the keychain, as for providers.

use loopwright_engine::trust::Secrets;
use loopwright_providers::{KeyError, Keys};

use crate::tool_keys::account;

/// Looks a name up: an environment variable goes before an entry of the keychain.
pub(crate) fn lookup(keys: &Keys) -> Secrets {
    let keys = keys.clone();
    Secrets::new(move |name| match std::env::var(name) {
        Ok(value) => Ok(Some(value)),
        Err(std::env::VarError::NotUnicode(_)) => {
            Err("the environment variable holds something else than text".to_owned())
        }
        Err(std::env::VarError::NotPresent) => match keys.get(account(name)) {
            Ok(secret) => Ok(secret.map(loopwright_providers::Secret::into_text)),
            // Without a keychain the environment is the only place, and what is not there is missing.
            Err(KeyError::NoKeychain(_)) => Ok(None),
            Err(error) => Err(error.to_string()),
        },
    })
}
