//! Secrets taken out of texts: who is sent one may send it back, as it is or encoded.

/// What stands in the place of a secret.
pub const STARS: &str = "***";
/// A key of a few letters is no key, and would tear words apart. In bytes.
const SHORTEST: usize = 6;

/// `text` with stars where `secret` stands in it, as it is, in base64 (of either alphabet) or percent-encoded.
pub fn redact(secret: &str, text: &str) -> String {
    if secret.len() < SHORTEST {
        return text.to_owned();
    }
    let mut text = text.replace(secret, STARS);
    let base64 = base64(secret.as_bytes());
    let url = base64.replace('+', "-").replace('/', "_");
    let percent = percent(secret);
    let lower = lower_hex(&percent);
    for form in [base64, url, percent, lower] {
        // The last characters of base64 depend on what follows.
        let form = form.trim_end_matches('=');
        if form != secret && text.contains(form) {
            text = text.replace(form, STARS);
        }
    }
    text
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
pub fn percent(text: &str) -> String {
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
    fn a_secret_is_found_in_each_of_its_forms() {
        assert_eq!(base64(b"Man"), "TWFu");
        assert_eq!(base64(b"Ma"), "TWE=");
        let secret = "sk/a+b=c&d";
        for form in [
            secret,
            "sk%2Fa%2Bb%3Dc%26d",
            "sk%2fa%2bb%3dc%26d",
            &base64(secret.as_bytes()),
        ] {
            let said = redact(secret, &format!("Your key {form} is wrong"));
            assert!(said.contains(STARS) && !said.contains(form), "{said}");
        }
        assert_eq!(redact("a", "a b a"), "a b a");
    }
}
