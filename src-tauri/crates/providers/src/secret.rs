//! Keys, which are used and never shown.

use std::fmt;

use loopwright_engine::redact::{Redactor, STARS};

/// A key. Its `Debug` form is stars, so that it cannot slip into a log.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// The key without white space around it, as it comes from a file or a terminal.
    pub fn new(value: impl AsRef<str>) -> Self {
        Self(value.as_ref().trim().to_owned())
    }

    pub(crate) fn expose(&self) -> &str {
        &self.0
    }

    /// The key itself, for the one who composes the program: tools are given keys that the person approved for them.
    pub fn into_text(self) -> String {
        self.0
    }

    /// Whether nothing is left of it.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Takes the key out of what a server says: it may send back what it was sent.
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
