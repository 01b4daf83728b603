//! The one way of tools to secrets.

use loopwright_engine::trust::Secrets;

/// Looks a name up in the environment.
pub(crate) fn lookup() -> Secrets {
    Secrets::new(|name| match std::env::var(name) {
        Ok(value) => Ok(Some(value)),
        Err(std::env::VarError::NotPresent) => Ok(None),
        Err(std::env::VarError::NotUnicode(_)) => {
            Err("the environment variable holds something else than text".to_owned())
        }
    })
}
