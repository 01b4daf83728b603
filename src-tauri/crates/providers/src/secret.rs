//! Keys, which are used and never shown.

use std::fmt;

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

    /// `text` with stars where the key stands in it, as it is, in base64 or percent-encoded: a server may send back what it
    /// was sent.
    pub fn redact(&self, text: &str) -> String {
        // A key of a few letters is no key, and would tear words apart.
        if self.0.len() < SHORTEST {
            return text.to_owned();
        }
        let mut text = text.replace(&self.0, STARS);
        let base64 = base64(self.0.as_bytes());
        let url = base64.replace('+', "-").replace('/', "_");
        let percent = percent(&self.0);
        let lower = lower_hex(&percent);
        for form in [base64, url, percent, lower] {
            // The last characters of base64 depend on what follows.
            let form = form.trim_end_matches('=');
            if form != self.0 && text.contains(form) {
                text = text.replace(form, STARS);
            }
        }
        text
    }
}

const STARS: &str = "***";
const SHORTEST: usize = 6;

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(STARS)
    }
}

/// RFC 4648, section 4.
fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let byte = |at: usize| u32::from(group.get(at).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for place in 0..4 {
            if place <= group.len() {
                out.push(char::from(
                    LETTERS[(bits >> (18 - 6 * place)) as usize & 63],
                ));
            } else {
                out.push('=');
            }
        }
    }
    out
}

/// The same with its hexadecimal digits in small letters.
fn lower_hex(encoded: &str) -> String {
    let mut left = 0;
    encoded
        .chars()
        .map(|c| {
            let is_digit = left > 0;
            left = if c == '%' { 2 } else { left.max(1) - 1 };
            if is_digit { c.to_ascii_lowercase() } else { c }
        })
        .collect()
}

/// RFC 3986: everything but unreserved characters.
pub(crate) fn percent(text: &str) -> String {
    text.bytes()
        .map(|byte| match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => {
                char::from(byte).to_string()
            }
            _ => format!("%{byte:02X}"),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_found_in_each_of_its_forms() {
        assert_eq!(base64(b"Man"), "TWFu");
        assert_eq!(base64(b"Ma"), "TWE=");
        let key = Secret::new(" sk/a+b=c&d \n");
        assert_eq!(format!("{key:?}"), "***");
        for form in [
            "sk/a+b=c&d",
            "sk%2Fa%2Bb%3Dc%26d",
            "sk%2fa%2bb%3dc%26d",
            &base64(b"sk/a+b=c&d"),
        ] {
            let said = key.redact(&format!("Your key {form} is wrong"));
            assert!(said.contains("***") && !said.contains(form), "{said}");
        }
        assert_eq!(Secret::new("a").redact("a b a"), "a b a");
    }
}
