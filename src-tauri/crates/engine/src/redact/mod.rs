//! Redacts secrets from text. A recipient of a secret may repeat it in a reply, unchanged or encoded, complete or in pieces.

mod bytes;
mod escapes;
mod form;
mod user_info;

use std::{collections::BTreeSet, fmt, sync::Arc};

use serde_json::{Map, Value};

pub use self::bytes::RedactedBytes;
pub use self::user_info::without_user_info;
use self::{
    escapes::begins_escape,
    form::{Form, SHORTEST, forms},
};

/// The replacement for a secret.
pub const STARS: &str = "***";
/// The minimum length, in bytes, of a secret's prefix that is redacted at the end of text. The prefix must also be at least
/// half of the secret.
const BEGINNING: usize = 8;

/// The kind of text that begins at a position.
enum Place {
    Plain,
    /// A secret of this length in bytes.
    Secret(usize),
    /// The beginning of a possible secret. The text that follows decides.
    Undecided,
}

/// A redactor that recognizes secrets in many forms: unchanged (in upper or lower case), reversed, in hexadecimal digits,
/// and in base64 with either alphabet, including inside a longer text such as `base64("user:" + key)`. Each letter of a form
/// may be escaped for a URL, JSON or HTML, once or twice.
pub struct Redactor {
    /// The forms of the secrets, longest first.
    forms: Vec<Form>,
    /// For each byte, whether a form can begin with it.
    begins: [bool; 256],
}

impl Default for Redactor {
    fn default() -> Self {
        Self::new([])
    }
}

/// Shows no fields, because the forms reveal the secrets.
impl fmt::Debug for Redactor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Redactor")
    }
}

impl Redactor {
    /// Creates a redactor of these secrets. Secrets shorter than six bytes are ignored.
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
                begins[usize::from(first.to_ascii_lowercase())] = true;
            }
        }
        if !known.is_empty() {
            for byte in 0..=u8::MAX {
                begins[usize::from(byte)] |= begins_escape(byte);
            }
        }
        let mut forms: Vec<Form> = known
            .into_iter()
            .map(|(bytes, any_case)| Form { bytes, any_case })
            .collect();
        forms.sort_by_key(|form| std::cmp::Reverse(form.bytes.len()));
        Self { forms, begins }
    }

    /// Returns whether the redactor has no secrets.
    pub fn is_empty(&self) -> bool {
        self.forms.is_empty()
    }

    /// Returns `text` with every form of each secret replaced by stars.
    pub fn redact(&self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        self.scan(text, true, &mut out);
        out
    }

    /// Returns `value` with every string and every field name redacted as by [`Self::redact`].
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

    /// Redacts the part of `text` that later text cannot affect, and appends the result to `out`. Returns the length of that
    /// part of `text` in bytes. `whole` is true if no text follows.
    fn scan(&self, text: &str, whole: bool, out: &mut String) -> usize {
        let bytes = text.as_bytes();
        let (mut taken, mut at) = (0, 0);
        while at < bytes.len() {
            if !self.begins[usize::from(bytes[at])] {
                at += 1;
                continue;
            }
            // A form begins and ends with a letter, so a match begins and ends at character boundaries.
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
        for form in &self.forms {
            let agreement = form.agreement(rest);
            if let Some(length) = agreement.whole {
                return Place::Secret(length);
            }
            let Some(read) = agreement.within else {
                continue;
            };
            if !whole {
                return Place::Undecided;
            }
            if read >= BEGINNING && read * 2 >= form.bytes.len() {
                return Place::Secret(rest.len());
            }
        }
        Place::Plain
    }
}

/// A redactor for text that arrives in pieces. A possible prefix of a secret is held back until later pieces show whether it is
/// one.
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

    /// Adds a piece. Returns the text that is now safe to show.
    pub fn push(&mut self, piece: &str) -> String {
        self.held.push_str(piece);
        let mut out = String::new();
        let decided = self.redactor.scan(&self.held, false, &mut out);
        self.held.drain(..decided);
        out
    }

    /// Ends the text. Returns the text that was held back, redacted.
    pub fn end(&mut self) -> String {
        self.redactor.redact(&std::mem::take(&mut self.held))
    }
}

/// Returns `text` with every form of `secret` replaced by stars.
pub fn redact(secret: &str, text: &str) -> String {
    Redactor::new([secret]).redact(text)
}

/// Returns `text` with all characters percent-encoded, except the unreserved ones of RFC 3986.
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
    use super::{form::base64, *};

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

    /// Returns the encodings of a key that a server might return.
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
            KEY.to_ascii_lowercase(),
            KEY.to_ascii_uppercase(),
        ]
    }

    #[test]
    fn a_secret_is_found_with_any_of_its_letters_escaped() {
        let key = "tok-Zz91&<x>'77\\ \u{1f511}é";
        for form in [
            "tok-Zz91&amp;&lt;x&gt;&#39;77\\ \u{1f511}é",
            "TOK-zz91&#38;&#x3C;x&#62;&apos;77&#92;&nbsp;&#x1F511;&#233;",
            "tok-Zz91\\u0026\\u003cx\\u003E'77\\\\ \\ud83d\\udd11\\u00e9",
            "tok-Zz91\\\\u0026\\\\u003cx\\\\u003e'77\\\\\\\\ \\\\ud83d\\\\udd11é",
            "tok-Zz91&%3Cx%3E'77%5C+%F0%9F%94%91%C3%A9",
            "tok-Zz91%2526%253Cx%253E'77%255c%2520%25F0%259F%2594%2591%25C3%25A9",
            "tok-Zz91&amp;amp;&amp;lt;x&amp;gt;&amp;#39;77\\ \u{1f511}é",
            "&#116;ok-Zz91&<x>'77\\ \u{1f511}é",
            "%74ok%2DZz91&<x>'77\\ \u{1f511}é",
            "tok-Zz91\\x26<x>\\'77\\\\ \u{1f511}é",
        ] {
            let text = format!("It is ({form}), & 50% of \\it.");
            let said = redact(key, &text);
            assert_eq!(said, "It is (***), & 50% of \\it.", "{form}");
            let mut stream = RedactedStream::new(Arc::new(Redactor::new([key])));
            let mut came: String = text
                .chars()
                .map(|letter| stream.push(&letter.to_string()))
                .collect();
            came.push_str(&stream.end());
            assert_eq!(came, said, "{form}");
        }
        for plain in [
            "a & b &amp; &#; &bogus; %zz % \\ \\u12 \\q + &",
            "100%",
            "&#x110000;&#xD800;",
        ] {
            assert_eq!(redact(key, plain), plain);
        }
    }

    /// Each backslash in this text may be literal or begin an escape, so there are very many possible readings.
    #[test]
    fn many_readings_take_no_time() {
        let key = "\\&%".repeat(40);
        let text = "\\\\&amp;%25".repeat(4_000) + "x";
        let said = redact(&key, &text);
        assert!(said.contains(STARS));
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
