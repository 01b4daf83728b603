//! Secrets taken out of texts: who is sent one may send it back, as it is or encoded, whole or in pieces.

use std::{collections::BTreeSet, fmt, sync::Arc};

use serde_json::{Map, Value};

/// What stands in the place of a secret.
pub const STARS: &str = "***";
/// A key of a few letters is no key, and would tear words apart. In bytes.
const SHORTEST: usize = 6;
/// A text may end in the middle of a secret. So many bytes of one, and half of it, are taken out there.
const BEGINNING: usize = 8;

/// One form of a secret.
struct Form {
    bytes: Vec<u8>,
    /// Its letters are hexadecimal digits, which may be of either case.
    any_case: bool,
}

impl Form {
    /// Whether `text` and this form are the same as far as the shorter of them goes.
    fn agrees(&self, text: &[u8]) -> bool {
        let length = self.bytes.len().min(text.len());
        let (form, text) = (&self.bytes[..length], &text[..length]);
        if self.any_case {
            form.eq_ignore_ascii_case(text)
        } else {
            form == text
        }
    }
}

/// What a place of a text is.
enum Place {
    Plain,
    /// So many bytes are a secret.
    Secret(usize),
    /// What follows must be known first.
    Undecided,
}

/// Takes secrets out of texts, in every form that it knows: as they are, reversed, in base64 of either alphabet (also where
/// something stands before or behind them, as in `base64("user:" + key)`), percent-encoded, in hexadecimal digits, and
/// escaped as in JSON.
pub struct Redactor {
    /// The longest first.
    forms: Vec<Form>,
    /// The bytes with which forms begin.
    begins: [bool; 256],
}

impl Default for Redactor {
    fn default() -> Self {
        Self::new([])
    }
}

/// Its forms are secrets.
impl fmt::Debug for Redactor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Redactor")
    }
}

impl Redactor {
    /// Knows these secrets. Those shorter than six bytes are not looked for.
    pub fn new<'a>(secrets: impl IntoIterator<Item = &'a str>) -> Self {
        let mut known = BTreeSet::new();
        for secret in secrets {
            if secret.len() >= SHORTEST {
                forms(secret, &mut known);
            }
        }
        let mut begins = [false; 256];
        for (form, any_case) in &known {
            let first = form[0];
            begins[usize::from(first)] = true;
            if *any_case {
                begins[usize::from(first.to_ascii_uppercase())] = true;
            }
        }
        let mut forms: Vec<Form> = known
            .into_iter()
            .map(|(bytes, any_case)| Form { bytes, any_case })
            .collect();
        forms.sort_by_key(|form| std::cmp::Reverse(form.bytes.len()));
        Self { forms, begins }
    }

    /// `text` with stars where a secret stands in it.
    pub fn redact(&self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        self.scan(text, true, &mut out);
        out
    }

    /// As [`Self::redact`], in every text and name of a value.
    pub fn redact_value(&self, value: Value) -> Value {
        if self.forms.is_empty() {
            return value;
        }
        match value {
            Value::String(text) => Value::String(self.redact(&text)),
            Value::Array(items) => items
                .into_iter()
                .map(|item| self.redact_value(item))
                .collect(),
            Value::Object(fields) => fields
                .into_iter()
                .map(|(name, value)| (self.redact(&name), self.redact_value(value)))
                .collect::<Map<_, _>>()
                .into(),
            plain => plain,
        }
    }

    /// Appends `text` to `out` as far as it is decided, and gives how many bytes of it that is. `whole`: nothing follows.
    fn scan(&self, text: &str, whole: bool, out: &mut String) -> usize {
        let bytes = text.as_bytes();
        let (mut taken, mut at) = (0, 0);
        while at < bytes.len() {
            if !self.begins[usize::from(bytes[at])] {
                at += 1;
                continue;
            }
            // A form begins with a letter, so that what it agrees with does as well, and ends with one.
            match self.place(&bytes[at..], whole) {
                Place::Plain => at += 1,
                Place::Secret(length) => {
                    out.push_str(&text[taken..at]);
                    out.push_str(STARS);
                    at += length;
                    taken = at;
                }
                Place::Undecided => break,
            }
        }
        out.push_str(&text[taken..at]);
        at
    }

    fn place(&self, rest: &[u8], whole: bool) -> Place {
        for form in self.forms.iter().filter(|form| form.agrees(rest)) {
            let length = form.bytes.len();
            if length <= rest.len() {
                return Place::Secret(length);
            }
            if !whole {
                return Place::Undecided;
            }
            if rest.len() >= BEGINNING && rest.len() * 2 >= length {
                return Place::Secret(rest.len());
            }
        }
        Place::Plain
    }
}

/// Takes secrets out of a text that comes in pieces. What could be the beginning of a secret is held back until that is
/// decided.
#[derive(Debug)]
pub struct RedactedStream {
    redactor: Arc<Redactor>,
    held: String,
}

impl RedactedStream {
    pub fn new(redactor: Arc<Redactor>) -> Self {
        Self {
            redactor,
            held: String::new(),
        }
    }

    /// What may be shown now that this piece has come.
    pub fn push(&mut self, piece: &str) -> String {
        self.held.push_str(piece);
        let mut out = String::new();
        let decided = self.redactor.scan(&self.held, false, &mut out);
        self.held.drain(..decided);
        out
    }

    /// What was held back; the text is over.
    pub fn end(&mut self) -> String {
        self.redactor.redact(&std::mem::take(&mut self.held))
    }
}

/// `text` with stars where `secret` stands in it, in any of its forms.
pub fn redact(secret: &str, text: &str) -> String {
    Redactor::new([secret]).redact(text)
}

/// Adds the forms of a secret, each with whether the case of its letters is open.
fn forms(secret: &str, into: &mut BTreeSet<(Vec<u8>, bool)>) {
    let exact = |text: String| (text.into_bytes(), false);
    let digits = |before: &str| {
        let digits = secret.bytes().map(|byte| format!("{before}{byte:02x}"));
        (digits.collect::<String>().into_bytes(), true)
    };
    let percent = percent(secret);
    let json = Value::from(secret).to_string();
    let json = json[1..json.len() - 1].to_owned();
    let escaped: String = secret
        .encode_utf16()
        .map(|unit| format!("\\u{unit:04x}"))
        .collect();
    let mut all = vec![
        exact(secret.to_owned()),
        exact(secret.chars().rev().collect()),
        exact(lower_hex(&percent)),
        exact(percent),
        exact(json.replace('/', "\\/")),
        exact(json),
        digits(""),
        digits("%"),
        (escaped.into_bytes(), true),
    ];
    for base64 in base64_forms(secret.as_bytes()) {
        all.push(exact(base64.replace('+', "-").replace('/', "_")));
        all.push(exact(base64));
    }
    into.extend(all.into_iter().filter(|(form, _)| form.len() >= SHORTEST));
}

/// The secret in base64, by itself and as a part of something longer: the characters that depend on nothing but it, for each
/// of the three places where it can begin in a group.
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

    const KEY: &str = "sk-canary-7f3a\"9c/é";

    /// What a server may make of a key.
    fn encoded() -> Vec<String> {
        let hex: String = KEY.bytes().map(|byte| format!("{byte:02X}")).collect();
        let user = |user: &str| base64(format!("{user}:{KEY}@host").as_bytes());
        vec![
            KEY.to_owned(),
            KEY.chars().rev().collect(),
            hex.to_lowercase(),
            hex,
            serde_json::json!(KEY).to_string(),
            serde_json::json!(KEY).to_string().replace('/', "\\/"),
            KEY.encode_utf16()
                .map(|unit| format!("\\u{unit:04X}"))
                .collect(),
            user("u"),
            user("us"),
            user("use"),
            user("use").replace('+', "-").replace('/', "_"),
            KEY.bytes().map(|byte| format!("%{byte:02x}")).collect(),
        ]
    }

    #[test]
    fn a_secret_is_found_however_it_is_written() {
        for form in encoded() {
            let said = redact(KEY, &format!("It is {form}, I think."));
            assert!(said.contains(STARS), "{form}: {said}");
            assert!(said.len() < form.len() + 12, "{form}: {said}");
        }
    }

    #[test]
    fn a_secret_is_found_however_it_is_cut_into_pieces() {
        let redactor = Arc::new(Redactor::new([KEY, "another-secret"]));
        for form in encoded() {
            let text = format!("It is {form}, or sk-canary; no: another-secre or {form}.");
            let whole = redactor.redact(&text);
            for length in [1, 2, 3, 7, 1000] {
                let letters: Vec<char> = text.chars().collect();
                let mut stream = RedactedStream::new(Arc::clone(&redactor));
                let mut came = String::new();
                for piece in letters.chunks(length) {
                    came.push_str(&stream.push(&piece.iter().collect::<String>()));
                }
                came.push_str(&stream.end());
                assert_eq!(came, whole, "{length}");
            }
        }
    }

    #[test]
    fn what_cannot_be_a_secret_is_not_held_back() {
        let mut stream = RedactedStream::new(Arc::new(Redactor::new([KEY])));
        assert_eq!(stream.push("I ask sk"), "I ask ");
        assert_eq!(stream.push("y"), "sky");
        assert_eq!(stream.push(" sk-"), " ");
        assert_eq!(stream.end(), "sk-");
        let mut none = RedactedStream::new(Arc::default());
        assert_eq!(
            (none.push("sk-").as_str(), none.end().as_str()),
            ("sk-", "")
        );
    }

    #[test]
    fn a_text_that_ends_within_a_secret_does_not_show_most_of_it() {
        assert_eq!(redact(KEY, "It is sk-canary-7f3"), "It is ***");
        assert_eq!(redact(KEY, "It is sk-can"), "It is sk-can");
    }
}
