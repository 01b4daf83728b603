//! Shared stores that have a name in the settings.

use loopwright_providers::Secret;
use loopwright_runs::{
    ApiError, Code, Env, NamedStore, secrets,
    store_addresses::{check, escaped, password_name, split, unescaped},
};

use crate::settings::save_settings;

/// Returns the shared stores from the settings, in their order.
pub fn stores(env: &Env) -> Vec<NamedStore> {
    env.settings().stores
}

/// Adds a named store, or changes the address of an existing one. A password in the address is moved to the system's
/// keychain. Returns the store, without its password.
///
/// # Errors
/// [`Code::InvalidArgument`] for an invalid name or address; [`Code::Io`] if the password or the settings cannot be saved.
pub fn add_store(env: &Env, name: &str, url: &str) -> Result<NamedStore, ApiError> {
    add_store_with(env, name, url, None)
}

/// Adds a store as [`add_store`] does, with a password that is not part of the address.
///
/// # Errors
/// See [`add_store`].
pub fn add_store_with(
    env: &Env,
    name: &str,
    url: &str,
    password: Option<&str>,
) -> Result<NamedStore, ApiError> {
    let parts = split(url)?;
    let password = match (password, parts.password) {
        (Some(_), Some(_)) => {
            return Err(ApiError::new(
                Code::InvalidArgument,
                "The password is given twice, in the address and separately. Give it only once.",
            ));
        }
        (Some(password), None) => Some(password.to_owned()),
        (None, written) => written.map(unescaped).transpose()?,
    };
    let store = NamedStore {
        name: name.to_owned(),
        url: parts.with_password(None),
    };
    let mut settings = env.settings();
    settings.stores.retain(|other| other.name != name);
    settings.stores.push(store.clone());
    check(&settings.stores)?;
    if let Some(password) = password {
        let variable = password_name(name);
        let secret = Secret::new(password);
        env.keys().set(&variable, &secret).map_err(|error| {
            ApiError::new(
                Code::Io,
                format!("The password of the store {name} was not saved. {error}. Leave the password out of the address, and set it in the environment variable {variable}."),
            )
        })?;
    }
    save_settings(env, settings)?;
    Ok(store)
}

/// Removes a store and its password from the settings. The runs remain in the store.
///
/// # Errors
/// [`Code::NotFound`] if no store has the name; [`Code::Io`] if the settings cannot be written.
pub fn remove_store(env: &Env, name: &str) -> Result<(), ApiError> {
    let mut settings = env.settings();
    let before = settings.stores.len();
    settings.stores.retain(|store| store.name != name);
    if settings.stores.len() == before {
        return Err(no_store(env, name));
    }
    save_settings(env, settings)?;
    if let Err(error) = env.keys().remove(&password_name(name)) {
        tracing::warn!(
            "The password of the store {name} was not removed from the system's keychain: {error}"
        );
    }
    Ok(())
}

/// Returns the address of a store, with its password. `store` is an address, or a name in the settings. If the address
/// contains no password and none is stored for the name, the password is read from `PGPASSWORD` or the `PGPASSFILE` file, as
/// in PostgreSQL's own programs.
///
/// # Errors
/// [`Code::NotFound`] if no store has the name; the message lists the known names.
pub fn store_address(env: &Env, store: &str) -> Result<String, ApiError> {
    if store.contains('=') && !store.contains("://") {
        return Ok(store.to_owned());
    }
    let (url, mut password) = if store.contains("://") {
        (store.to_owned(), None)
    } else {
        let stores = stores(env);
        let known = stores.into_iter().find(|known| known.name == store);
        let name = password_name(store);
        let password = secrets::find(env.keys(), &name).map_err(|why| {
            ApiError::new(
                Code::Io,
                format!("The password of the store {store} cannot be read: {why}."),
            )
        })?;
        (known.ok_or_else(|| no_store(env, store))?.url, password)
    };
    let parts = split(&url)?;
    if parts.password.is_some() {
        return Ok(url);
    }
    password = password
        .or_else(|| std::env::var("PGPASSWORD").ok())
        .filter(|password| !password.is_empty())
        .or_else(|| parts.password_in_file());
    Ok(match password {
        Some(password) if !password.is_empty() => parts.with_password(Some(&escaped(&password))),
        _ => url,
    })
}

fn no_store(env: &Env, name: &str) -> ApiError {
    let stores = stores(env);
    let names: Vec<&str> = stores.iter().map(|store| store.name.as_str()).collect();
    let known = match names.as_slice() {
        [] => {
            "No store has been added yet. Add one with `loopwright store add NAME URL`.".to_owned()
        }
        names => format!("The stores are {}.", names.join(", ")),
    };
    ApiError::new(Code::NotFound, format!("There is no store {name}. {known}"))
}
