//! Keys, which can be used but are never shown.

use std::fmt;

use loopwright_engine::redact::{Redactor, STARS};

/// A key. Its `Debug` form is asterisks, so that it cannot leak into a log.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Creates a key. Surrounding white space, which files and terminals add, is removed.
    pub fn new(value: impl AsRef<str>) -> Self {
        Self(value.as_ref().trim().to_owned())
    }

    pub(crate) fn expose(&self) -> &str {
        &self.0
    }

    /// Returns the text of the key. Only the crate that assembles the program may call this: tools receive only the keys
    /// that the user approved for them.
    pub fn into_text(self) -> String {
        self.0
    }

    /// Returns whether the key is empty.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns a redactor that removes the key from a server's messages, because a server may echo it.
    pub fn redactor(&self) -> Redactor {
        Redactor::new([self.0.as_str()])
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(STARS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_not_shown() {
        let key = Secret::new(" sk/a+b=c&d \n");
        assert_eq!(format!("{key:?}"), "***");
        assert_eq!(
            key.redactor()
                .redact("Your key sk%2fa%2bb%3dc%26d is wrong"),
            "Your key *** is wrong"
        );
    }
}
