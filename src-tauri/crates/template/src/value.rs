//! The text form and the canonical form of JSON values.

use std::io;

use serde_json::Value;

/// Converts a value to text. Text is unchanged, null becomes an empty string, and any other value becomes compact JSON.
pub fn to_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

/// Converts a value to text for comparison. Text is unchanged, and any other value becomes compact JSON with sorted keys.
pub fn canonical_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => sorted(other).to_string(),
    }
}

/// Returns the first `limit` characters of [`canonical_text`], and whether they are the whole text. No more than these
/// characters are produced.
pub fn canonical_head(value: &Value, limit: usize) -> (Vec<char>, bool) {
    let mut head = Head {
        letters: Vec::new(),
        limit,
    };
    let whole = match value {
        Value::String(text) => head.write(text),
        other => head.value(other),
    }
    .is_ok();
    (head.letters, whole)
}

/// The beginning of text that is being written, up to a maximum length.
struct Head {
    letters: Vec<char>,
    limit: usize,
}

/// The error that stops writing when the text has reached its maximum length.
struct Full;

impl Head {
    fn write(&mut self, text: &str) -> Result<(), Full> {
        let room = self.limit - self.letters.len();
        let mut letters = text.chars();
        self.letters.extend(letters.by_ref().take(room));
        letters.next().map_or(Ok(()), |_| Err(Full))
    }

    /// Writes text in quotes. Text that does not fit is cut off before it is escaped.
    fn quoted(&mut self, text: &str) -> Result<(), Full> {
        let room = self.limit + 1 - self.letters.len();
        let end = text
            .char_indices()
            .nth(room)
            .map_or(text.len(), |(end, _)| end);
        self.write(&Value::from(&text[..end]).to_string())
    }

    fn value(&mut self, value: &Value) -> Result<(), Full> {
        match value {
            Value::String(text) => self.quoted(text),
            Value::Array(items) => {
                self.write("[")?;
                for (index, item) in items.iter().enumerate() {
                    if index > 0 {
                        self.write(",")?;
                    }
                    self.value(item)?;
                }
                self.write("]")
            }
            Value::Object(fields) => {
                let mut fields: Vec<_> = fields.iter().collect();
                fields.sort_by(|one, other| one.0.cmp(other.0));
                self.write("{")?;
                for (index, (name, field)) in fields.into_iter().enumerate() {
                    if index > 0 {
                        self.write(",")?;
                    }
                    self.quoted(name)?;
                    self.write(":")?;
                    self.value(field)?;
                }
                self.write("}")
            }
            other => self.write(&other.to_string()),
        }
    }
}

fn sorted(value: &Value) -> Value {
    match value {
        Value::Array(items) => Value::Array(items.iter().map(sorted).collect()),
        Value::Object(map) => {
            let mut entries: Vec<_> = map.iter().collect();
            entries.sort_by(|a, b| a.0.cmp(b.0));
            Value::Object(
                entries
                    .into_iter()
                    .map(|(key, value)| (key.clone(), sorted(value)))
                    .collect(),
            )
        }
        other => other.clone(),
    }
}

/// Returns the first `limit` characters of a value's text, for lists and events, with `…` appended if the text is longer. The
/// cost depends on `limit`, not on the size of the value.
pub fn preview(value: &Value, limit: usize) -> String {
    let (mut text, is_cut) = match value {
        Value::String(text) => cut(text, limit),
        Value::Null => (String::new(), false),
        other => {
            let mut start = Start::new(limit);
            let whole = serde_json::to_writer(&mut start, other).is_ok();
            (start.text(), !whole)
        }
    };
    if is_cut {
        text.push('…');
    }
    text
}

/// Returns whether a value's text has more than `limit` characters. Reads only slightly more than `limit` characters.
pub fn is_longer(value: &Value, limit: usize) -> bool {
    match value {
        Value::String(text) => text.chars().nth(limit).is_some(),
        other => serde_json::to_writer(Start::new(limit), other).is_err(),
    }
}

fn cut(text: &str, limit: usize) -> (String, bool) {
    match text.char_indices().nth(limit) {
        None => (text.to_owned(), false),
        Some((end, _)) => (text[..end].to_owned(), true),
    }
}

/// A writer that accepts a limited number of characters and then fails.
struct Start {
    bytes: Vec<u8>,
    /// The number of characters that the writer still accepts.
    left: usize,
}

impl Start {
    fn new(limit: usize) -> Self {
        Self {
            bytes: Vec::new(),
            left: limit,
        }
    }

    fn text(self) -> String {
        String::from_utf8_lossy(&self.bytes).into_owned()
    }
}

impl io::Write for Start {
    fn write(&mut self, piece: &[u8]) -> io::Result<usize> {
        for (at, byte) in piece.iter().enumerate() {
            let begins = byte & 0b1100_0000 != 0b1000_0000;
            if begins && self.left == 0 {
                self.bytes.extend_from_slice(&piece[..at]);
                return Err(io::Error::other("enough"));
            }
            self.left -= usize::from(begins);
        }
        self.bytes.extend_from_slice(piece);
        Ok(piece.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Returns the JSON type of a value with its article, for messages, such as `a list` or `an object`.
pub fn describe(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// Reads a non-negative whole number, which may be written with a fraction or an exponent (`2.0`, `1e6`). Returns `None` for
/// any other value. A number that is too large becomes the largest integer.
pub fn whole(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| {
        value
            .as_f64()
            .filter(|number| *number >= 0.0 && number.fract() == 0.0)
            .map(|number| number as u64)
    })
}

/// The maximum nesting depth of lists and objects in a value. The depth is limited because the code that writes, reads and
/// compares values is recursive, and a loop that wraps its own result adds a level in every iteration.
pub const DEEPEST: usize = 256;

/// Returns the nesting depth of lists and objects in a value. Stops counting at `most` levels.
pub fn levels(value: &Value, most: usize) -> usize {
    let deepest = |inner: Option<usize>| 1 + inner.unwrap_or_default();
    match value {
        Value::Array(items) if most > 0 => {
            deepest(items.iter().map(|item| levels(item, most - 1)).max())
        }
        Value::Object(fields) if most > 0 => {
            deepest(fields.values().map(|field| levels(field, most - 1)).max())
        }
        _ => 0,
    }
}

/// Returns whether the lists and objects in a value are nested at most `levels` deep. A string or number has depth 0.
pub fn is_within(value: &Value, levels: usize) -> bool {
    let inside = |item: &Value| levels > 0 && is_within(item, levels - 1);
    match value {
        Value::Array(items) => levels > 0 && items.iter().all(inside),
        Value::Object(fields) => levels > 0 && fields.values().all(inside),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_head_of_a_canonical_text_is_its_beginning() {
        let values = [
            json!({ "b": [1, 2.5, null, true], "a": { "d": "é\"\n", "c": [] } }),
            json!("a text with 😀 in it"),
            json!([]),
            json!(7),
        ];
        for value in values {
            let text: Vec<char> = canonical_text(&value).chars().collect();
            for limit in 0..text.len() + 3 {
                let (head, whole) = canonical_head(&value, limit);
                assert_eq!(head, text[..limit.min(text.len())], "{value} {limit}");
                assert_eq!(whole, limit >= text.len(), "{value} {limit}");
            }
        }
    }

    #[test]
    fn a_preview_is_the_start_of_the_whole_text() {
        for value in [
            json!("Zoë’s 😀 text"),
            json!({ "b": ["ä\n", 1.5, null], "a": { "é": true } }),
            json!(null),
            json!([]),
            json!(12),
        ] {
            let whole = to_text(&value);
            let length = whole.chars().count();
            for limit in 0..length + 2 {
                let expected: String = whole.chars().take(limit).collect();
                let end = if limit < length { "…" } else { "" };
                assert_eq!(preview(&value, limit), format!("{expected}{end}"));
            }
        }
    }

    #[test]
    fn levels_are_counted() {
        assert_eq!(levels(&json!(1), 9), 0);
        assert_eq!(levels(&json!([[], { "a": [1] }]), 9), 3);
        assert_eq!(levels(&json!([[[[]]]]), 2), 2);
    }
}
