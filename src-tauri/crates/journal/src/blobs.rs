//! Large texts are stored once, by content: in a stored JSON value each string of [`LARGE`] bytes or more gives way to a
//! marker that names its hash. A loop hands the same text from node to node; it is written to disk the first time.
//!
//! A person's own text may look like a marker. So every string that begins like one is stored by content too, however
//! short: then whatever begins like a marker in a stored value is a marker.

use loopwright_engine::journal::JournalError;
use rusqlite::{Connection, OptionalExtension, params};
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Bytes. Below this a row of its own costs more than the text itself.
const LARGE: usize = 1024;
const MARKER: &str = "blob:blake3:";
/// Levels of nesting that are kept. serde_json reads 128 unless told otherwise, and a loop that wraps its own result goes
/// deeper; the readers' recursion still needs a bound, and this one takes a small part of a 2 MiB stack.
const DEEPEST: usize = 512;

/// Writes a value as JSON text, its large strings to the blob table on behalf of `run`.
pub(crate) fn store(
    connection: &Connection,
    run: i64,
    mut value: Value,
) -> Result<String, StoreError> {
    externalise(connection, run, &mut value, 0)?;
    serde_json::to_string(&value).map_err(StoreError::Json)
}

/// Reads back what [`store`] wrote.
pub(crate) fn load<T: DeserializeOwned>(
    connection: &Connection,
    text: &str,
) -> Result<T, StoreError> {
    let mut reader = serde_json::Deserializer::from_str(text);
    reader.disable_recursion_limit();
    let mut json =
        <Value as serde::Deserialize>::deserialize(&mut reader).map_err(StoreError::Json)?;
    internalise(connection, &mut json)?;
    serde_json::from_value(json).map_err(StoreError::Json)
}

/// Removes the uses of a run and the blobs that no other run uses.
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

#[derive(Debug)]
pub(crate) enum StoreError {
    Sqlite(rusqlite::Error),
    Json(serde_json::Error),
    TooDeep,
    /// A marker without its blob: the file was changed by something else.
    Missing(String),
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sqlite(error)
    }
}

impl StoreError {
    /// As the journal says it; `wrap` tells reading from writing.
    pub(crate) fn into_journal(self, wrap: fn(String) -> JournalError) -> JournalError {
        match self {
            Self::Sqlite(error) => crate::sqlite::sqlite_error(error, wrap),
            Self::Json(error) => wrap(error.to_string()),
            Self::TooDeep => wrap(format!(
                "a value is nested more than {DEEPEST} levels deep; make the flow carry something flatter"
            )),
            Self::Missing(hash) => wrap(format!("the stored text {hash} is missing")),
        }
    }
}

fn externalise(
    connection: &Connection,
    run: i64,
    value: &mut Value,
    depth: usize,
) -> Result<(), StoreError> {
    if depth > DEEPEST {
        return Err(StoreError::TooDeep);
    }
    match value {
        Value::String(text) if text.len() >= LARGE || text.starts_with(MARKER) => {
            let hash = blake3::hash(text.as_bytes());
            connection
                .prepare_cached("INSERT OR IGNORE INTO blobs (hash, content) VALUES (?1, ?2)")?
                .execute(params![hash.as_bytes(), text.as_str()])?;
            connection
                .prepare_cached("INSERT OR IGNORE INTO blob_uses (hash, run) VALUES (?1, ?2)")?
                .execute(params![hash.as_bytes(), run])?;
            *text = format!("{MARKER}{}", hash.to_hex());
        }
        Value::Array(items) => {
            for item in items {
                externalise(connection, run, item, depth + 1)?;
            }
        }
        Value::Object(fields) => {
            for field in fields.values_mut() {
                externalise(connection, run, field, depth + 1)?;
            }
        }
        _ => {}
    }
    Ok(())
}

fn internalise(connection: &Connection, value: &mut Value) -> Result<(), StoreError> {
    match value {
        Value::String(text) => {
            if let Some(hex) = text.strip_prefix(MARKER) {
                let missing = || StoreError::Missing(hex.to_owned());
                let hash = blake3::Hash::from_hex(hex).map_err(|_| missing())?;
                *text = connection
                    .prepare_cached("SELECT content FROM blobs WHERE hash = ?1")?
                    .query_row([hash.as_bytes()], |row| row.get(0))
                    .optional()?
                    .ok_or_else(missing)?;
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
