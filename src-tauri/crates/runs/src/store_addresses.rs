//! The addresses of the shared stores in the settings, and their passwords, which the settings do not contain.

use std::collections::BTreeMap;

use crate::{
    error::{ApiError, Code, Subject},
    settings::NamedStore,
    store_passwords::{self, Place},
};

/// The maximum number of characters in the name of a store.
const LONGEST: usize = 40;

/// Returns the name of the environment variable and keychain entry that contain a store's password.
pub fn password_name(store: &str) -> String {
    format!(
        "STORE_{}_PASSWORD",
        store.to_ascii_uppercase().replace('-', "_")
    )
}

fn invalid(message: impl Into<String>) -> ApiError {
    ApiError::new(Code::InvalidArgument, message)
}

fn invalid_name(message: String) -> ApiError {
    invalid(message).about(Subject::StoreName)
}

/// Checks the names and addresses of shared stores.
///
/// # Errors
/// [`Code::InvalidArgument`] if a name is invalid, if two names would share a password, or if an address is invalid or
/// contains a password.
pub fn check(stores: &[NamedStore]) -> Result<(), ApiError> {
    let mut passwords = BTreeMap::new();
    for store in stores {
        let name = &store.name;
        let mut letters = name.chars();
        let fits = letters
            .next()
            .is_some_and(|first| first.is_ascii_alphanumeric())
            && letters.all(|char| char.is_ascii_alphanumeric() || char == '-' || char == '_')
            && name.len() <= LONGEST;
        if !fits {
            return Err(invalid_name(format!(
                "\"{name}\" is not a valid store name. Use at most {LONGEST} letters, digits, - and _, and begin with a letter or digit."
            )));
        }
        if let Some(other) = passwords.insert(password_name(name), name) {
            return Err(invalid_name(match other == name {
                true => format!("A store named {name} already exists. Choose another name."),
                false => format!(
                    "The names of the stores {other} and {name} are too similar: both would use the same password. Choose another name."
                ),
            }));
        }
        if split(&store.url)?.password.is_some() {
            return Err(invalid(format!(
                "The address of the store {name} contains a password, which the settings do not store. Remove it from the address."
            )));
        }
    }
    Ok(())
}

/// The parts of a store's address.
pub struct Parts<'a> {
    /// The scheme of the address, including `://`.
    pub scheme: &'a str,
    pub user: Option<&'a str>,
    /// The password as the address contains it, percent-encoded; `None` if the address has none.
    pub password: Option<&'a str>,
    /// The rest of the address after the `@`: the hosts, the database and the options.
    pub rest: &'a str,
}

/// Splits the address of a store into its parts.
///
/// # Errors
/// [`Code::InvalidArgument`] if the address has another scheme or names no host.
pub fn split(url: &str) -> Result<Parts<'_>, ApiError> {
    // The error message leaves the address out, because it may contain a password.
    let wrong = || {
        invalid(
            "The address of a store must begin with postgres:// and name a host: postgres://USER:PASSWORD@HOST:PORT/DATABASE",
        )
    };
    let (scheme, after) = ["postgres://", "postgresql://"]
        .iter()
        .find_map(|scheme| Some((*scheme, url.strip_prefix(scheme)?)))
        .ok_or_else(wrong)?;
    if after.is_empty() {
        return Err(wrong());
    }
    let hosts_end = after.find(['/', '?']).unwrap_or(after.len());
    let (user, rest) = match after.get(..hosts_end).and_then(|hosts| hosts.rfind('@')) {
        Some(at) => (after.get(..at), after.get(at + 1..).unwrap_or_default()),
        None => (None, after),
    };
    let (user, password) = match user.and_then(|user| user.split_once(':')) {
        Some((user, password)) => (Some(user), Some(password)),
        None => (user, None),
    };
    Ok(Parts {
        scheme,
        user,
        password,
        rest,
    })
}

impl Parts<'_> {
    /// Returns the password for this address from the password file of the current user; `None` if the file has no matching line.
    pub fn password_in_file(&self) -> Option<String> {
        let (hosts, database) = self.rest.split_once('/').unwrap_or((self.rest, ""));
        let hosts = hosts.split(['?', ',']).next().unwrap_or_default();
        let (host, port) = match hosts.rsplit_once(':') {
            Some((host, port)) if !port.contains(']') => (host, port),
            _ => (hosts, ""),
        };
        let or = |text: &str, other: &str| match text {
            "" => other.to_owned(),
            text => unescaped(text).unwrap_or_default(),
        };
        let own = std::env::var("USER").unwrap_or_default();
        let user = or(self.user.unwrap_or_default(), &own);
        store_passwords::find(&Place {
            host: &or(
                host.trim_start_matches('[').trim_end_matches(']'),
                "localhost",
            ),
            port: &or(port, "5432"),
            database: &or(database.split('?').next().unwrap_or_default(), &user),
            user: &user,
        })
    }

    /// Returns the address with this percent-encoded password, or without a password.
    pub fn with_password(&self, password: Option<&str>) -> String {
        let user = self.user.unwrap_or_default();
        let by = match (user, password) {
            ("", None) => String::new(),
            (user, None) => format!("{user}@"),
            (user, Some(password)) => format!("{user}:{password}@"),
        };
        format!("{}{by}{}", self.scheme, self.rest)
    }
}

/// Percent-encodes all characters except the unreserved ones (RFC 3986, section 2.3).
pub fn escaped(password: &str) -> String {
    password
        .bytes()
        .map(|byte| match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                char::from(byte).to_string()
            }
            byte => format!("%{byte:02X}"),
        })
        .collect()
}

/// Decodes the percent-encoded characters in a part of an address.
///
/// # Errors
/// [`Code::InvalidArgument`] if a `%` does not start an escape, or if the decoded bytes are not UTF-8.
pub fn unescaped(part: &str) -> Result<String, ApiError> {
    let wrong = || {
        invalid(
            "The password in the address contains a % that does not start an escape. Write it as %25.",
        )
    };
    let mut bytes = Vec::with_capacity(part.len());
    let mut rest = part.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        if *first != b'%' {
            bytes.push(*first);
            continue;
        }
        let digits = after.get(..2).and_then(|two| std::str::from_utf8(two).ok());
        let byte = digits.and_then(|two| u8::from_str_radix(two, 16).ok());
        bytes.push(byte.ok_or_else(wrong)?);
        rest = after.get(2..).unwrap_or_default();
    }
    String::from_utf8(bytes).map_err(|_| wrong())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_are_taken_out_of_addresses_and_put_back() {
        for (url, user, password, without) in [
            (
                "postgres://me:p%40ss@host:1/db",
                Some("me"),
                Some("p%40ss"),
                "postgres://me@host:1/db",
            ),
            (
                "postgresql://me@host/db?sslmode=require",
                Some("me"),
                None,
                "postgresql://me@host/db?sslmode=require",
            ),
            ("postgres://host", None, None, "postgres://host"),
            (
                "postgres://a:b@one:1,two:2/db",
                Some("a"),
                Some("b"),
                "postgres://a@one:1,two:2/db",
            ),
        ] {
            let parts = split(url).unwrap();
            assert_eq!((parts.user, parts.password), (user, password), "{url}");
            assert_eq!(parts.with_password(None), without);
            assert_eq!(parts.with_password(parts.password), url);
        }
        assert!(split("http://host").is_err());
        let password = "p@ss/word: 50%ä";
        assert_eq!(unescaped(&escaped(password)).unwrap(), password);
        assert!(unescaped("50%").is_err());
    }

    #[test]
    fn names_are_such_that_ids_and_variables_can_hold_them() {
        let named = |name: &str| NamedStore {
            name: name.to_owned(),
            url: "postgres://host/db".to_owned(),
        };
        assert!(check(&[named("work"), named("team-2")]).is_ok());
        for wrong in ["", "a/b", "-a", "a b", &"a".repeat(41)] {
            let refused = check(&[named(wrong)]).unwrap_err();
            assert_eq!(refused.subject, Some(Subject::StoreName), "{wrong}");
        }
        let same_password = check(&[named("a-b"), named("a_b")]).unwrap_err();
        assert_eq!(same_password.subject, Some(Subject::StoreName));
        let address = check(&[NamedStore {
            url: "postgres://a:b@host".to_owned(),
            ..named("a")
        }]);
        assert_eq!(address.unwrap_err().subject, None);
    }
}
