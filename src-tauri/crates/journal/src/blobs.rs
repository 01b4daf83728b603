//! Large strings are stored once, by content: each string of at least [`LARGE`] bytes in a stored JSON value is replaced by a
//! marker with its hash. A large list or object that is itself a value of a record, not a part of one, is stored in the same
//! way; see [`crate::entries`].
//!
//! A user's own string may look like a marker. Therefore, every such string is itself stored by content, even if it is short.
//! As a result, every string in a stored value that looks like a marker is a marker.

use loopwright_engine::{journal::is_nested_within, named::Named};
use rusqlite::{Connection, OptionalExtension, params};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::error::{DEEPEST, StoreError, row_error};

/// The minimum size, in bytes, of a string that is stored separately. For shorter strings, the separate row would take more
/// space than the string.
pub(crate) const LARGE: usize = 1024;
pub(crate) const MARKER: &str = "blob:blake3:";
/// The prefix of a marker for a list or an object, whose blob is JSON. It begins like [`MARKER`], so that no user's string is
/// mistaken for it. It replaces only a complete value of a record, never a part of one.
pub(crate) const JSON_MARKER: &str = "blob:blake3:json:";
/// The prefix of a marker for a value of another record of the same run; see [`crate::entries`].
pub(crate) const SAME: &str = "=#";

/// Returns a value as JSON text, after storing its large strings in the blob table on behalf of `run`.
pub(crate) fn store(
    connection: &Connection,
    run: i64,
    value: &Value,
) -> Result<String, StoreError> {
    let mut out = Vec::new();
    write(connection, run, value, 0, &mut out)?;
    text_of(out)
}

/// Returns named values as the text of a JSON object. Each value is stored as [`store`] does it.
pub(crate) fn store_named(
    connection: &Connection,
    run: i64,
    values: &Named,
) -> Result<String, StoreError> {
    let mut out = Vec::new();
    let fields = values.iter().map(|(name, value)| (name, &**value));
    write_object(connection, run, fields, 1, &mut out)?;
    text_of(out)
}

fn text_of(json: Vec<u8>) -> Result<String, StoreError> {
    String::from_utf8(json).map_err(|error| StoreError::Json(serde::ser::Error::custom(error)))
}

/// Stores the JSON of a value as a single blob, so that a document shared by many runs is stored once. Returns the marker.
pub(crate) fn store_whole(
    connection: &Connection,
    run: i64,
    value: &Value,
) -> Result<String, StoreError> {
    if depth(value) > DEEPEST {
        return Err(StoreError::TooDeep);
    }
    let text = serde_json::to_string(value).map_err(StoreError::Json)?;
    store_text(connection, run, &text)
}

/// Reads the result of [`store_whole`] or, in files of older versions, of [`store`].
pub(crate) fn load_whole(connection: &Connection, text: &str) -> Result<Value, StoreError> {
    match text.starts_with(MARKER) {
        true => parse(&fetch(connection, text)?),
        false => load(connection, text),
    }
}

/// Reads the result of [`store`].
pub(crate) fn load<T: DeserializeOwned>(
    connection: &Connection,
    text: &str,
) -> Result<T, StoreError> {
    let mut json: Value = parse(text)?;
    internalise(connection, &mut json)?;
    serde_json::from_value(json).map_err(StoreError::Json)
}

/// The number of nesting levels that a record adds around its values.
const AROUND: usize = 64;

pub(crate) fn parse<T: DeserializeOwned>(text: &str) -> Result<T, StoreError> {
    // Only another program can have written deeper values. They would overflow the stack.
    if !is_nested_within(text, DEEPEST + AROUND) {
        return Err(StoreError::Changed(format!(
            "a stored value is nested more than {DEEPEST} levels deep"
        )));
    }
    let mut reader = serde_json::Deserializer::from_str(text);
    // The nesting is already limited above.
    reader.disable_recursion_limit();
    T::deserialize(&mut reader).map_err(StoreError::Json)
}

/// Returns whether a user's string begins like a marker, so that it must be stored by content.
pub(crate) fn is_reserved(text: &str) -> bool {
    text.starts_with(MARKER) || text.starts_with(SAME)
}

/// Returns the nesting depth of arrays and objects, or 0 for other values. Stops counting just above [`DEEPEST`].
fn depth(value: &Value) -> usize {
    fn walk(value: &Value, above: usize) -> usize {
        let inside: &mut dyn Iterator<Item = &Value> = match value {
            _ if above > DEEPEST => return above,
            Value::Array(items) => &mut items.iter(),
            Value::Object(fields) => &mut fields.values(),
            _ => return above,
        };
        inside.fold(above + 1, |deepest, item| {
            deepest.max(walk(item, above + 1))
        })
    }
    walk(value, 0)
}

/// Stores text in the blob table on behalf of `run` and returns its marker.
pub(crate) fn store_text(
    connection: &Connection,
    run: i64,
    text: &str,
) -> Result<String, StoreError> {
    let hash = blake3::hash(text.as_bytes());
    // This query comes first, because an insert copies the text even if the blob already exists.
    let is_there = connection
        .prepare_cached("SELECT 1 FROM blobs WHERE hash = ?1")?
        .exists([hash.as_bytes()])?;
    if !is_there {
        connection
            .prepare_cached("INSERT INTO blobs (hash, content) VALUES (?1, ?2)")?
            .execute(params![hash.as_bytes(), text])?;
    }
    connection
        .prepare_cached("INSERT OR IGNORE INTO blob_uses (hash, run) VALUES (?1, ?2)")?
        .execute(params![hash.as_bytes(), run])?;
    Ok(format!("{MARKER}{}", hash.to_hex()))
}

/// Returns the text to which a marker refers.
pub(crate) fn fetch(connection: &Connection, marker: &str) -> Result<String, StoreError> {
    let hex = marker.strip_prefix(MARKER).unwrap_or(marker);
    let missing = || StoreError::Missing(hex.to_owned());
    let hash = blake3::Hash::from_hex(hex).map_err(|_| missing())?;
    let text: String = connection
        .prepare_cached("SELECT content FROM blobs WHERE hash = ?1")?
        .query_row([hash.as_bytes()], |row| row.get(0))
        .optional()
        .map_err(row_error)?
        .ok_or_else(missing)?;
    if blake3::hash(text.as_bytes()) != hash {
        return Err(StoreError::Changed(format!(
            "the stored text {hex} does not match its hash"
        )));
    }
    Ok(text)
}

/// Removes a run's references to blobs, and the blobs that no other run uses.
pub(crate) fn release(connection: &Connection, run: i64) -> rusqlite::Result<()> {
    connection
        .prepare_cached(
            "DELETE FROM blobs WHERE hash IN (SELECT hash FROM blob_uses WHERE run = ?1)
             AND NOT EXISTS (SELECT 1 FROM blob_uses AS other WHERE other.hash = blobs.hash AND other.run <> ?1)",
        )?
        .execute([run])?;
    connection
        .prepare_cached("DELETE FROM blob_uses WHERE run = ?1")?
        .execute([run])?;
    Ok(())
}

/// Appends a value as JSON, with its large strings replaced by markers.
fn write(
    connection: &Connection,
    run: i64,
    value: &Value,
    depth: usize,
    out: &mut Vec<u8>,
) -> Result<(), StoreError> {
    if depth > DEEPEST {
        return Err(StoreError::TooDeep);
    }
    match value {
        Value::String(text) if text.len() >= LARGE || is_reserved(text) => {
            let marker = store_text(connection, run, text)?;
            serde_json::to_writer(out, &marker).map_err(StoreError::Json)
        }
        Value::Array(items) => {
            out.push(b'[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(b',');
                }
                write(connection, run, item, depth + 1, out)?;
            }
            out.push(b']');
            Ok(())
        }
        Value::Object(fields) => {
            let fields = fields.iter().map(|(name, value)| (name.as_str(), value));
            write_object(connection, run, fields, depth + 1, out)
        }
        other => serde_json::to_writer(out, other).map_err(StoreError::Json),
    }
}

/// Appends an object as JSON. `depth` is the nesting level of the object's values.
fn write_object<'v>(
    connection: &Connection,
    run: i64,
    fields: impl Iterator<Item = (&'v str, &'v Value)>,
    depth: usize,
    out: &mut Vec<u8>,
) -> Result<(), StoreError> {
    out.push(b'{');
    for (index, (name, value)) in fields.enumerate() {
        if index > 0 {
            out.push(b',');
        }
        serde_json::to_writer(&mut *out, name).map_err(StoreError::Json)?;
        out.push(b':');
        write(connection, run, value, depth, out)?;
    }
    out.push(b'}');
    Ok(())
}

pub(crate) fn internalise(connection: &Connection, value: &mut Value) -> Result<(), StoreError> {
    match value {
        Value::String(text) => {
            if text.starts_with(MARKER) {
                *text = fetch(connection, text)?;
            }
        }
        Value::Array(items) => {
            for item in items {
                internalise(connection, item)?;
            }
        }
        Value::Object(fields) => {
            for field in fields.values_mut() {
                internalise(connection, field)?;
            }
        }
        _ => {}
    }
    Ok(())
}
