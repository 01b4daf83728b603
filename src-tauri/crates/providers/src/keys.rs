//! The sources of keys: the system's keychain, or environment variables.
//!
//! An environment variable takes precedence over the keychain, because it may be set on purpose for one command. No key is ever
//! written to one of the program's own files. If there is no keychain, the program reports this and names the variable to set.

use std::{
    collections::HashMap,
    fmt,
    sync::{Arc, Mutex, PoisonError, mpsc},
    thread,
    time::Duration,
};

use thiserror::Error;

use crate::secret::Secret;

/// The source of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyFrom {
    /// The environment variable of this name.
    Environment(&'static str),
    Keychain,
}

impl fmt::Display for KeyFrom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Environment(name) => write!(f, "from {name}"),
            Self::Keychain => f.write_str("in the system keychain"),
        }
    }
}

/// The error of a keychain. It never contains a key.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum KeyError {
    #[error("No working keychain was found on this computer: {0}")]
    NoKeychain(String),
    #[error(
        "The keychain did not respond within {0} s. If it is locked, unlock it, then try again."
    )]
    Locked(u64),
    #[error("The keychain failed: {0}")]
    Failed(String),
}

impl KeyError {
    /// Describes the error and what to do, in two short sentences. `Display` shows the system's message instead.
    pub fn remedy(&self) -> &'static str {
        match self {
            Self::NoKeychain(_) => {
                "No working keychain was found on this computer. Set keys as environment variables."
            }
            Self::Locked(_) => {
                "The keychain does not respond. Unlock it, or set keys as environment variables."
            }
            Self::Failed(_) => "The keychain returned an error. Set keys as environment variables.",
        }
    }
}

/// A store of secrets by account. Calls may block.
pub trait KeyStore: Send + Sync {
    /// Returns the key of an account, or `None` if the account has no key.
    ///
    /// # Errors
    /// Returns an error if the store cannot be read.
    fn get(&self, account: &str) -> Result<Option<Secret>, KeyError>;
    /// Stores the key of an account.
    ///
    /// # Errors
    /// Returns an error if the store cannot be written.
    fn set(&self, account: &str, key: &Secret) -> Result<(), KeyError>;
    /// Removes the key of an account. Returns whether the account had a key.
    ///
    /// # Errors
    /// Returns an error if the store cannot be written.
    fn remove(&self, account: &str) -> Result<bool, KeyError>;
}

/// The keychain of macOS, the credential manager of Windows, or the secret service of other systems.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemKeychain;

/// The program's name in the keychain.
const SERVICE: &str = "Loopwright";

/// The longest time to wait for a key. A locked keychain may ask the user for a password. The rest of the program continues
/// in the meantime.
const READ_TIMEOUT: Duration = Duration::from_secs(5);
/// The longest time to wait while the user sets a key.
const SET_TIMEOUT: Duration = Duration::from_secs(60);

/// Runs `work` on its own thread and waits for its result. After `patience`, returns [`KeyError::Locked`]. A separate thread
/// is needed because a key store blocks its thread, which an async task must not do.
fn within<T: Send + 'static>(
    patience: Duration,
    work: impl FnOnce() -> keyring::Result<T> + Send + 'static,
) -> Result<T, KeyError> {
    let (send, receive) = mpsc::channel();
    thread::Builder::new()
        .name("keychain".to_owned())
        .spawn(move || {
            let done = match keyring::Entry::store_status() {
                Ok(()) => work().map_err(|error| failure(&error)),
                Err(error) => Err(KeyError::NoKeychain(words(error))),
            };
            // The receiver is gone if the caller has timed out.
            let _ = send.send(done);
        })
        .map_err(|error| KeyError::Failed(error.to_string()))?;
    receive
        .recv_timeout(patience)
        .unwrap_or(Err(KeyError::Locked(patience.as_secs())))
}

/// Returns the message of a keychain error without the error's payload, which may contain the key.
fn words(error: &keyring::Error) -> String {
    match error {
        keyring::Error::PlatformFailure(cause) | keyring::Error::NoStorageAccess(cause) => {
            cause.to_string()
        }
        keyring::Error::NoDefaultStore => "none is running".to_owned(),
        keyring::Error::BadEncoding(_) => "the stored key is not text".to_owned(),
        keyring::Error::TooLong(_, most) => format!("the key is longer than {most} characters"),
        _ => "the keychain gave no reason".to_owned(),
    }
}

fn failure(error: &keyring::Error) -> KeyError {
    match error {
        keyring::Error::NoDefaultStore | keyring::Error::NoStorageAccess(_) => {
            KeyError::NoKeychain(words(error))
        }
        _ => KeyError::Failed(words(error)),
    }
}

impl KeyStore for SystemKeychain {
    fn get(&self, account: &str) -> Result<Option<Secret>, KeyError> {
        let account = account.to_owned();
        within(READ_TIMEOUT, move || {
            match keyring::Entry::new(SERVICE, &account)?.get_password() {
                Ok(key) => Ok(Some(Secret::new(key))),
                Err(keyring::Error::NoEntry) => Ok(None),
                Err(error) => Err(error),
            }
        })
    }

    fn set(&self, account: &str, key: &Secret) -> Result<(), KeyError> {
        let (account, key) = (account.to_owned(), key.clone());
        within(SET_TIMEOUT, move || {
            keyring::Entry::new(SERVICE, &account)?.set_password(key.expose())
        })
    }

    fn remove(&self, account: &str) -> Result<bool, KeyError> {
        let account = account.to_owned();
        within(SET_TIMEOUT, move || {
            match keyring::Entry::new(SERVICE, &account)?.delete_credential() {
                Ok(()) => Ok(true),
                Err(keyring::Error::NoEntry) => Ok(false),
                Err(error) => Err(error),
            }
        })
    }
}

/// Keys that are kept in memory only, for tests.
#[derive(Debug, Default)]
pub struct MemoryKeys(Mutex<HashMap<String, Secret>>);

impl KeyStore for MemoryKeys {
    fn get(&self, account: &str) -> Result<Option<Secret>, KeyError> {
        let keys = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(keys.get(account).cloned())
    }

    fn set(&self, account: &str, key: &Secret) -> Result<(), KeyError> {
        let mut keys = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        keys.insert(account.to_owned(), key.clone());
        Ok(())
    }

    fn remove(&self, account: &str) -> Result<bool, KeyError> {
        let mut keys = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(keys.remove(account).is_some())
    }
}

/// A key store without keys. It is used when the keychain is switched off.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoKeychain;

impl NoKeychain {
    fn error() -> KeyError {
        KeyError::NoKeychain("LOOPWRIGHT_KEYCHAIN is set to off".to_owned())
    }
}

impl KeyStore for NoKeychain {
    fn get(&self, _account: &str) -> Result<Option<Secret>, KeyError> {
        Err(Self::error())
    }

    fn set(&self, _account: &str, _key: &Secret) -> Result<(), KeyError> {
        Err(Self::error())
    }

    fn remove(&self, _account: &str) -> Result<bool, KeyError> {
        Err(Self::error())
    }
}

/// The result of each read from the keychain, keyed by provider.
type Read = HashMap<String, Result<Option<Secret>, KeyError>>;

/// A key store with a cache, which reads each key from the store only once. Clones are cheap and share the cache.
#[derive(Clone)]
pub struct Keys {
    store: Arc<dyn KeyStore>,
    read: Arc<Mutex<Read>>,
}

impl fmt::Debug for Keys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Keys")
    }
}

impl Keys {
    pub fn of(store: impl KeyStore + 'static) -> Self {
        Self {
            store: Arc::new(store),
            read: Arc::default(),
        }
    }

    /// Returns the system's keychain, or [`NoKeychain`] if the environment variable `LOOPWRIGHT_KEYCHAIN` is `off`.
    pub fn system() -> Self {
        let off = std::env::var("LOOPWRIGHT_KEYCHAIN").is_ok_and(|value| value == "off");
        if off {
            Self::of(NoKeychain)
        } else {
            Self::of(SystemKeychain)
        }
    }

    /// Returns the key of an account, or `None` if the account has no key. The key is read from the store once and then cached
    /// until [`Self::forget`].
    ///
    /// # Errors
    /// Returns an error if the store cannot be read. After an error the store is not read again, not even for other keys.
    pub fn get(&self, account: &str) -> Result<Option<Secret>, KeyError> {
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = read.get(account) {
            return known.clone();
        }
        let absent = read.values().find_map(|known| known.clone().err());
        let found = match absent {
            Some(error) => Err(error),
            None => self.store.get(account),
        };
        read.insert(account.to_owned(), found.clone());
        found
    }

    /// Stores the key of an account, and discards all cached keys.
    ///
    /// # Errors
    /// Returns an error if the store cannot be written.
    pub fn set(&self, account: &str, key: &Secret) -> Result<(), KeyError> {
        let set = self.store.set(account, key);
        self.forget();
        set
    }

    /// Removes the key of an account, and discards all cached keys. Returns whether the account had a key.
    ///
    /// # Errors
    /// Returns an error if the store cannot be written.
    pub fn remove(&self, account: &str) -> Result<bool, KeyError> {
        let removed = self.store.remove(account);
        self.forget();
        removed
    }

    /// Returns the error of a failed read from the store. `None` if no read has failed since the cache was last discarded.
    pub fn trouble(&self) -> Option<KeyError> {
        let read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        read.values().find_map(|known| known.clone().err())
    }

    /// Discards all cached keys, because another program may have changed the store.
    pub fn forget(&self) {
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        read.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_kept_read_and_removed_and_never_shown() {
        let keys = Keys::of(MemoryKeys::default());
        assert_eq!(keys.get("openai"), Ok(None));
        keys.set("openai", &Secret::new("sk-one")).unwrap();
        assert_eq!(keys.get("openai"), Ok(Some(Secret::new("sk-one"))));
        assert!(!format!("{keys:?}{:?}", keys.get("openai")).contains("sk-one"));
        assert_eq!(keys.remove("openai"), Ok(true));
        assert_eq!(
            (keys.get("openai"), keys.remove("openai")),
            (Ok(None), Ok(false))
        );
    }

    #[test]
    fn a_missing_keychain_is_reported() {
        let keys = Keys::of(NoKeychain);
        assert_eq!(keys.trouble(), None);
        let error = keys.get("openai").unwrap_err();
        assert!(error.to_string().contains("No working keychain"), "{error}");
        assert!(error.remedy().contains("environment variables"));
        assert_eq!(keys.trouble(), Some(error));
    }
}
