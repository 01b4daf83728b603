//! The encoded forms of a secret, and how they are compared with text.

use std::collections::BTreeSet;

use super::escapes::{Escaped, begins_escape, unescaped};

/// The minimum length of a secret, in bytes. Shorter ones would match inside ordinary words.
pub(super) const SHORTEST: usize = 6;

/// One form of a secret.
pub(super) struct Form {
    pub(super) bytes: Vec<u8>,
    /// Whether letters match regardless of case, as for header names and hexadecimal digits.
    pub(super) any_case: bool,
}

/// The number of most recent readings that are searched for a duplicate. Equal readings are close together.
const LOOK_BACK: usize = 16;

/// How far a form matches the beginning of the text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Agreement {
    /// The length of a complete match in the text, in bytes; `None` if the form does not match completely.
    pub(super) whole: Option<usize>,
    /// The number of bytes of the form that match, if the text ends before the form does.
    pub(super) within: Option<usize>,
}

impl Form {
    /// Returns how far the beginning of `text` matches this form. Characters of the text may be escaped.
    pub(super) fn agreement(&self, text: &[u8]) -> Agreement {
        let mut found = Agreement::default();
        let (mut at, mut read) = (0, 0);
        // Alternative readings of the text, in which an escape is decoded instead of compared literally. Each is tried once.
        let mut tried: Vec<(usize, usize)> = Vec::new();
        let most = 4 * self.bytes.len() + LOOK_BACK;
        let mut next = 0;
        loop {
            if at == self.bytes.len() {
                found.whole = found.whole.max(Some(read));
            } else if let Some(&byte) = text.get(read) {
                if begins_escape(byte) {
                    for escaped in unescaped(&text[read..]).into_iter().flatten() {
                        let mut letter = [0; 4];
                        let letter = match escaped {
                            Escaped::Cut => {
                                found.within = found.within.max(Some(at));
                                continue;
                            }
                            Escaped::Byte(byte, _) => {
                                letter[0] = byte;
                                &letter[..1]
                            }
                            Escaped::Letter(c, _) => c.encode_utf8(&mut letter).as_bytes(),
                        };
                        let follows = (at + letter.len(), read + escaped.length());
                        let is_new = || {
                            !tried
                                .iter()
                                .rev()
                                .take(LOOK_BACK)
                                .any(|one| *one == follows)
                        };
                        if self.has(letter, at) && tried.len() < most && is_new() {
                            tried.push(follows);
                        }
                    }
                }
                if self.has(&[byte], at) {
                    (at, read) = (at + 1, read + 1);
                    continue;
                }
            } else {
                found.within = found.within.max(Some(at));
            }
            let Some(&follows) = tried.get(next) else {
                return found;
            };
            (at, read) = follows;
            next += 1;
        }
    }

    /// Returns whether the form contains these bytes at position `at`.
    fn has(&self, bytes: &[u8], at: usize) -> bool {
        self.bytes.get(at..at + bytes.len()).is_some_and(|of_form| {
            of_form == bytes || (self.any_case && of_form.eq_ignore_ascii_case(bytes))
        })
    }
}

/// Adds all encoded forms of a secret to `into`. The `bool` of each form says whether its letters match regardless of case.
pub(super) fn forms(secret: &str, into: &mut BTreeSet<(Vec<u8>, bool)>) {
    let digits: String = secret.bytes().map(|byte| format!("{byte:02x}")).collect();
    let mut all = vec![
        (secret.as_bytes().to_vec(), true),
        (secret.chars().rev().collect::<String>().into_bytes(), true),
        (digits.into_bytes(), true),
    ];
    for base64 in base64_forms(secret.as_bytes()) {
        let of_urls = base64.replace('+', "-").replace('/', "_");
        all.push((of_urls.into_bytes(), false));
        all.push((base64.into_bytes(), false));
    }
    into.extend(all.into_iter().filter(|(form, _)| form.len() >= SHORTEST));
}

/// Returns the base64 forms of a secret, both alone and inside longer text. There is one form for each of the three
/// positions in a group of bytes at which the secret can begin. A form contains only the characters that depend on nothing
/// but the secret.
fn base64_forms(secret: &[u8]) -> Vec<String> {
    let mut forms = vec![base64(secret).trim_end_matches('=').to_owned()];
    for before in 0..3 {
        let bytes: Vec<u8> = std::iter::repeat_n(0, before)
            .chain(secret.iter().copied())
            .collect();
        let (from, to) = ((before * 8).div_ceil(6), bytes.len() * 8 / 6);
        forms.push(base64(&bytes)[from..to].to_owned());
    }
    forms
}

/// Encodes bytes in base64 (RFC 4648, section 4).
pub(super) fn base64(bytes: &[u8]) -> String {
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
