//! The encoding of values as JSON. Each large string is stored once, in a separate table, and values refer to it by its
//! hash.
//!
//! A reference is a string that starts with a marker. If a string in a run itself starts with the marker, it is stored by
//! hash even if it is short. A stored string that starts with the marker is therefore always a reference.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    sync::Arc,
};

use loopwright_engine::journal::{Entry, JournalError, Record, is_nested_within};
use memchr::memchr2;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

/// The minimum size, in bytes, of a string that is stored in a separate row. For a shorter string, the row would take more
/// space than the string.
const LARGE: usize = 1024;
const MARKER: &str = "blob:blake3:";
/// The maximum nesting depth of lists and objects that can be stored.
const DEEPEST: usize = 512;
/// The maximum number of levels of nesting that a record adds around its values.
const AROUND: usize = 64;
/// The maximum size of a value, in bytes. Larger values are rejected, because every reader must hold the whole value in
/// memory.
const LARGEST: usize = 16 << 20;

pub(crate) type Hash = [u8; 32];

/// The large strings that encoded values refer to, keyed by hash.
#[derive(Debug, Default, Clone)]
pub(crate) struct Encoded {
    pub(crate) blobs: BTreeMap<Hash, Arc<str>>,
}

/// A record in its stored form.
#[derive(Debug, Clone)]
pub(crate) struct Row {
    pub(crate) kind: String,
    pub(crate) payload: String,
}

impl Encoded {
    /// Encodes a value as JSON and collects its large strings. `place` names the value's owner in errors. Fails if the value
    /// is too large or too deeply nested.
    pub(crate) fn json(
        &mut self,
        value: &impl Serialize,
        place: &str,
    ) -> Result<String, JournalError> {
        let mut value =
            serde_json::to_value(value).map_err(|error| unwritable(place, &error.to_string()))?;
        self.shorten(&mut value, 0, place)?;
        self.text(&value, place)
    }

    /// Encodes a record's entry. Fails if a value in it is too large or too deeply nested.
    pub(crate) fn record(&mut self, record: &Record) -> Result<Row, JournalError> {
        let place = match record.path.as_str() {
            "" => "the run itself",
            path => path,
        };
        let unwritable = |error: serde_json::Error| unwritable(place, &error.to_string());
        let json = short_json(&record.entry).map_err(unwritable)?;
        if let Some(kind) = kind(&json).filter(|_| json.len() <= LARGEST && is_short(&json)) {
            return Ok(Row {
                kind: kind.to_owned(),
                payload: json,
            });
        }
        let mut value = serde_json::to_value(&record.entry).map_err(unwritable)?;
        let kind = value
            .get("type")
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned();
        self.shorten(&mut value, 0, place)?;
        Ok(Row {
            kind,
            payload: self.text(&value, place)?,
        })
    }

    /// Encodes a value as a single string, and returns the hash of that string. A document that many runs share is thus
    /// stored only once. Fails if the value is too large or too deeply nested.
    pub(crate) fn whole(&mut self, value: &Value, place: &str) -> Result<Hash, JournalError> {
        check_depth(value, 0, place)?;
        let text =
            serde_json::to_string(value).map_err(|error| unwritable(place, &error.to_string()))?;
        self.keep(&text, place)
    }

    fn text(&self, value: &Value, place: &str) -> Result<String, JournalError> {
        let text =
            serde_json::to_string(value).map_err(|error| unwritable(place, &error.to_string()))?;
        check_size(text.len(), place)?;
        Ok(text)
    }

    fn keep(&mut self, text: &str, place: &str) -> Result<Hash, JournalError> {
        check_size(text.len(), place)?;
        let hash: Hash = blake3::hash(text.as_bytes()).into();
        self.blobs.entry(hash).or_insert_with(|| text.into());
        Ok(hash)
    }

    fn shorten(
        &mut self,
        value: &mut Value,
        depth: usize,
        place: &str,
    ) -> Result<(), JournalError> {
        if depth > DEEPEST {
            return Err(too_deep(place));
        }
        match value {
            Value::String(text) if text.len() >= LARGE || text.starts_with(MARKER) => {
                let hash = self.keep(text, place)?;
                *text = format!("{MARKER}{}", blake3::Hash::from(hash).to_hex());
                Ok(())
            }
            Value::Array(items) => items
                .iter_mut()
                .try_for_each(|item| self.shorten(item, depth + 1, place)),
            Value::Object(fields) => fields
                .values_mut()
                .try_for_each(|field| self.shorten(field, depth + 1, place)),
            _ => Ok(()),
        }
    }
}

/// Serializes an entry to JSON, in a buffer that is large enough for most entries.
fn short_json(entry: &Entry) -> serde_json::Result<String> {
    let mut json = Vec::with_capacity(2 * LARGE);
    serde_json::to_writer(&mut json, entry)?;
    String::from_utf8(json).map_err(serde::ser::Error::custom)
}

/// Returns the kind of an entry, which is the first field of its JSON. Returns `None` if the JSON does not begin with that
/// field.
fn kind(json: &str) -> Option<&str> {
    json.strip_prefix("{\"type\":\"")?
        .split_once('"')
        .map(|(kind, _)| kind)
}

/// Returns whether a value's JSON can be stored unchanged. It can if it contains no large string, no deep nesting and
/// no string that starts with the marker. This holds for most records, and scanning their JSON costs far less than
/// building a tree of it.
fn is_short(json: &str) -> bool {
    let bytes = json.as_bytes();
    let (mut at, mut depth, mut deepest) = (0, 0_usize, 0);
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'"' => {
                let Some(length) = text_length(&bytes[at + 1..]) else {
                    return false;
                };
                // A string is never longer than its JSON, so only a long JSON string can be a large text.
                if length >= LARGE {
                    return false;
                }
                at += length + 1;
            }
            b'{' | b'[' => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b'}' | b']' => depth -= 1,
            _ => {}
        }
        at += 1;
    }
    deepest <= DEEPEST && !json.contains(MARKER)
}

/// Returns the length in bytes of a JSON string up to its closing quote. Returns `None` if there is no closing quote.
fn text_length(rest: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        let found = at + memchr2(b'"', b'\\', rest.get(at..)?)?;
        if rest[found] == b'"' {
            return Some(found);
        }
        at = found + 2;
    }
}

fn check_depth(value: &Value, depth: usize, place: &str) -> Result<(), JournalError> {
    let mut inside = |item: &Value| check_depth(item, depth + 1, place);
    match value {
        _ if depth > DEEPEST => Err(too_deep(place)),
        Value::Array(items) => items.iter().try_for_each(inside),
        Value::Object(fields) => fields.values().try_for_each(&mut inside),
        _ => Ok(()),
    }
}

fn check_size(bytes: usize, place: &str) -> Result<(), JournalError> {
    if bytes <= LARGEST {
        return Ok(());
    }
    Err(JournalError::Write(format!(
        "a value of {place} is {} MB, and the limit for a shared store is {} MB. Let the flow pass a smaller value, such as the name of a file",
        bytes >> 20,
        LARGEST >> 20
    )))
}

fn too_deep(place: &str) -> JournalError {
    JournalError::Write(format!(
        "a value of {place} is nested more than {DEEPEST} levels deep. Pass a value with fewer levels"
    ))
}

fn unwritable(place: &str, why: &str) -> JournalError {
    JournalError::Write(format!("a value of {place} cannot be written: {why}"))
}

/// Texts by hash, as read from the store.
pub(crate) type Texts = HashMap<Hash, Arc<str>>;

fn parse<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    // Another database client may have written a value with deeper nesting, which would overflow the stack.
    if !is_nested_within(text, DEEPEST + AROUND) {
        return Err(format!(
            "a stored value is nested more than {DEEPEST} levels deep"
        ));
    }
    let mut reader = serde_json::Deserializer::from_str(text);
    // The depth was checked above, so the reader needs no limit.
    reader.disable_recursion_limit();
    T::deserialize(&mut reader)
        .map_err(|error| format!("a stored value is no longer valid JSON ({error})"))
}

/// Collects the hashes of the strings to which a stored value refers.
pub(crate) fn mentioned(json: &str, into: &mut HashSet<Hash>) {
    for (at, _) in json.match_indices(MARKER) {
        let hex = json.get(at + MARKER.len()..at + MARKER.len() + 64);
        if let Some(hash) = hex.and_then(|hex| blake3::Hash::from_hex(hex).ok()) {
            into.insert(hash.into());
        }
    }
}

/// Decodes a stored value. Fails if the value is damaged, or if a string that it refers to is missing.
pub(crate) fn load<T: DeserializeOwned>(json: &str, texts: &Texts) -> Result<T, String> {
    let mut value: Value = parse(json)?;
    lengthen(&mut value, texts)?;
    serde_json::from_value(value).map_err(|error| format!("a stored value is damaged ({error})"))
}

/// Decodes a value written by [`Encoded::whole`]. Fails if the string is missing or is not valid JSON.
pub(crate) fn load_whole(hash: &Hash, texts: &Texts) -> Result<Value, String> {
    parse(found(hash, texts)?)
}

/// Decodes a record's entry. Fails in the same cases as [`load`].
pub(crate) fn load_entry(payload: &str, texts: &Texts) -> Result<Entry, String> {
    load(payload, texts)
}

fn lengthen(value: &mut Value, texts: &Texts) -> Result<(), String> {
    match value {
        Value::String(text) => {
            if let Some(hex) = text.strip_prefix(MARKER) {
                let hash = blake3::Hash::from_hex(hex)
                    .map_err(|_| format!("the stored text {hex} is missing"))?;
                *text = found(&hash.into(), texts)?.to_owned();
            }
            Ok(())
        }
        Value::Array(items) => items.iter_mut().try_for_each(|item| lengthen(item, texts)),
        Value::Object(fields) => fields
            .values_mut()
            .try_for_each(|field| lengthen(field, texts)),
        _ => Ok(()),
    }
}

fn found<'t>(hash: &Hash, texts: &'t Texts) -> Result<&'t str, String> {
    let hex = blake3::Hash::from(*hash).to_hex();
    let text = texts
        .get(hash)
        .ok_or_else(|| format!("the stored text {hex} is missing"))?;
    if blake3::hash(text.as_bytes()) != blake3::Hash::from(*hash) {
        return Err(format!("the stored text {hex} does not match its hash"));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use loopwright_engine::journal::Fact;
    use serde_json::json;

    use super::*;

    fn row(value: Value) -> (Row, usize) {
        let mut texts = Encoded::default();
        let entry = Entry::Fact(Fact::NodeStarted {
            inputs: [("input", value)].into(),
            primary: None,
            max_iterations: None,
        });
        let record = Record {
            seq: 0,
            at: 0,
            path: String::new(),
            node_id: None,
            entry: entry.clone(),
        };
        let row = texts.record(&record).unwrap();
        assert_eq!(row.kind, "node_started");
        let back = load_entry(&row.payload, &texts.blobs.clone().into_iter().collect());
        assert_eq!(back.unwrap(), entry);
        (row, texts.blobs.len())
    }

    #[test]
    fn a_record_without_large_texts_is_stored_as_it_is() {
        for value in [
            json!("a".repeat(LARGE - 1)),
            json!(["a\"b\\", "\u{0}", { "\"": "[[[{" }, "ü", 1.5, null]),
            json!(["a".repeat(600), "b".repeat(600)]),
        ] {
            let (row, texts) = row(value);
            assert_eq!(texts, 0);
            assert!(is_short(&row.payload));
        }
    }

    #[test]
    fn what_is_nested_too_deep_to_be_read_is_damage() {
        for text in ["[".repeat(3_000_000), "{\"a\":".repeat(3_000_000)] {
            let error = load::<Value>(&text, &Texts::default()).unwrap_err();
            assert!(error.contains("512 levels"), "{error}");
            assert!(load_entry(&text, &Texts::default()).is_err());
        }
        // The record adds a few levels around the value.
        let deep = (8..DEEPEST).fold(json!(1), |inside, _| json!([inside]));
        row(deep);
    }

    #[test]
    fn a_large_text_and_one_like_a_marker_are_stored_by_content() {
        for value in [
            json!("a".repeat(LARGE)),
            json!({ "x": ["\n".repeat(LARGE)] }),
            json!(format!("{MARKER}00")),
            json!("\\\"".repeat(LARGE)),
        ] {
            assert_eq!(row(value).1, 1);
        }
        let deep = (0..DEEPEST + 2).fold(json!(1), |inside, _| json!([inside]));
        assert!(!is_short(&deep.to_string()));
    }
}
