//! Large texts are stored once, by content: in a stored JSON value each string of [`LARGE`] bytes or more gives way to a
//! marker that names its hash. A loop hands the same text from node to node; it is written to disk the first time.
//!
//! A person's own text may look like a marker. So every string that begins like one is stored by content too, however
//! short: then whatever begins like a marker in a stored value is a marker.

use loopwright_engine::journal::JournalError;
use rusqlite::{Connection, OptionalExtension, params};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

use crate::rows;

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

/// Writes an entry as JSON text. Nearly all of them are shorter than the shortest text that is stored by content, and then
/// nothing in them can be one, nor be nested too deep: every level takes two characters.
pub(crate) fn store_entry(
    connection: &Connection,
    run: i64,
    entry: &impl Serialize,
) -> Result<String, StoreError> {
    let text = serde_json::to_string(entry).map_err(StoreError::Json)?;
    if text.len() < LARGE && !text.contains(MARKER) {
        return Ok(text);
    }
    store(
        connection,
        run,
        serde_json::to_value(entry).map_err(StoreError::Json)?,
    )
}

/// Writes a value by content as one text: the same document of many runs is stored once.
pub(crate) fn store_whole(
    connection: &Connection,
    run: i64,
    value: &Value,
) -> Result<String, StoreError> {
    if depth(value) > DEEPEST {
        return Err(StoreError::TooDeep);
    }
    let text = serde_json::to_string(value).map_err(StoreError::Json)?;
    keep(connection, run, &text)
}

/// Reads back what [`store_whole`] wrote, or, of files that older versions wrote, what [`store`] did.
pub(crate) fn load_whole(connection: &Connection, text: &str) -> Result<Value, StoreError> {
    match text.starts_with(MARKER) {
        true => parse(&fetch(connection, text)?),
        false => load(connection, text),
    }
}

/// Reads back what [`store`] wrote.
pub(crate) fn load<T: DeserializeOwned>(
    connection: &Connection,
    text: &str,
) -> Result<T, StoreError> {
    let mut json = parse(text)?;
    internalise(connection, &mut json)?;
    serde_json::from_value(json).map_err(StoreError::Json)
}

fn parse(text: &str) -> Result<Value, StoreError> {
    let mut reader = serde_json::Deserializer::from_str(text);
    reader.disable_recursion_limit();
    <Value as serde::Deserialize>::deserialize(&mut reader).map_err(StoreError::Json)
}

/// Levels of arrays and objects; 0 for anything else. Counts no further than just past [`DEEPEST`].
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

/// Puts a text into the blob table on behalf of `run` and gives its marker.
fn keep(connection: &Connection, run: i64, text: &str) -> Result<String, StoreError> {
    let hash = blake3::hash(text.as_bytes());
    connection
        .prepare_cached("INSERT OR IGNORE INTO blobs (hash, content) VALUES (?1, ?2)")?
        .execute(params![hash.as_bytes(), text])?;
    connection
        .prepare_cached("INSERT OR IGNORE INTO blob_uses (hash, run) VALUES (?1, ?2)")?
        .execute(params![hash.as_bytes(), run])?;
    Ok(format!("{MARKER}{}", hash.to_hex()))
}

/// The text behind a marker.
fn fetch(connection: &Connection, marker: &str) -> Result<String, StoreError> {
    let hex = marker.strip_prefix(MARKER).unwrap_or(marker);
    let missing = || StoreError::Missing(hex.to_owned());
    let hash = blake3::Hash::from_hex(hex).map_err(|_| missing())?;
    let text: String = connection
        .prepare_cached("SELECT content FROM blobs WHERE hash = ?1")?
        .query_row([hash.as_bytes()], |row| row.get(0))
        .optional()
        .map_err(rows::changed)?
        .ok_or_else(missing)?;
    if blake3::hash(text.as_bytes()) != hash {
        return Err(StoreError::Changed(format!(
            "the stored text {hex} is not what was written"
        )));
    }
    Ok(text)
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
    /// What is stored is not what was written, in words.
    Changed(String),
    /// The index of a run's records does not agree with them.
    Index,
    /// As `Changed`, of a record: its number and path.
    Record(u64, String, Box<StoreError>),
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
            Self::TooDeep => wrap(format!(
                "a value is nested more than {DEEPEST} levels deep; make the flow carry something flatter"
            )),
            damage => wrap(damage.damage()),
        }
    }

    /// As the journal says it of one run.
    pub(crate) fn of_run(self, run_id: &str, wrap: fn(String) -> JournalError) -> JournalError {
        match self {
            Self::Sqlite(_) | Self::TooDeep => self.into_journal(wrap),
            damage => JournalError::DamagedRun {
                run_id: run_id.to_owned(),
                what: damage.damage(),
            },
        }
    }

    /// What is damaged, in words.
    pub(crate) fn damage(self) -> String {
        match self {
            Self::Sqlite(error) => error.to_string(),
            Self::TooDeep => "a value is nested too deep".to_owned(),
            Self::Json(error) => format!("a stored value is no JSON any more ({error})"),
            Self::Missing(hash) => format!("the stored text {hash} is missing"),
            Self::Changed(what) => what,
            Self::Index => "the index of its records leaves some out; the next start of Loopwright makes it anew".to_owned(),
            Self::Record(seq, path, why) => {
                let place = match path.as_str() {
                    "" => "of the run itself".to_owned(),
                    path => format!("of `{path}`"),
                };
                format!("record {seq} {place} cannot be read: {}", why.damage())
            }
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
            *text = keep(connection, run, text)?;
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
