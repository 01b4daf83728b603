//! Reads a flow from text, and writes a flow to disk atomically.

use std::{
    fs,
    io::{self, Write as _},
    path::Path,
    sync::atomic::{AtomicU64, Ordering},
};

use serde_json::{Map, Value};
use thiserror::Error;

use crate::{
    document::{Flow, SCHEMA_VERSION},
    json::{self, JsonError},
    named_file,
};

/// The maximum size of a flow file, in bytes.
pub const MAX_BYTES: usize = 8 * 1024 * 1024;

/// The reason why text is not a flow. Each message says how to correct it.
#[derive(Debug, Error)]
pub enum ReadError {
    #[error("{path} cannot be read: {source}.")]
    Io { path: String, source: io::Error },
    #[error("The file is {size} MB; a flow file can be at most {} MB. Check that it is a flow.", MAX_BYTES / 1024 / 1024)]
    TooLarge { size: usize },
    #[error("The file is empty. A flow is a JSON object with `nodes` and `edges`.")]
    Empty,
    #[error("{}", not_json(.0))]
    NotJson(#[from] JsonError),
    #[error("The file is not UTF-8 text. A flow is a JSON file.")]
    NotText,
    #[error("The file is JSON, but not a flow: {0}")]
    NotAFlow(String),
    #[error(
        "This flow was written by a newer version of Loopwright (schemaVersion {found}; this program reads up to {SCHEMA_VERSION}). \
         Update Loopwright to open it. The file was not changed."
    )]
    TooNew { found: String },
}

fn not_json(error: &JsonError) -> String {
    let fault = match error.is_json {
        true => "The file cannot be stored exactly as written",
        false => "The file is not valid JSON",
    };
    format!("{fault}: {error}.")
}

/// Parses a flow. Unknown fields are kept. A newer `schemaVersion` is refused.
///
/// # Errors
/// Returns [`ReadError`] if the text is too large, is not JSON that can be stored exactly, or is not a flow.
pub fn read_str(text: &str) -> Result<Flow, ReadError> {
    if text.len() > MAX_BYTES {
        return Err(ReadError::TooLarge {
            size: text.len().div_ceil(1024 * 1024),
        });
    }
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.trim().is_empty() {
        return Err(ReadError::Empty);
    }
    read_value(json::read(text)?)
}

/// Reads a flow as [`read_str`] does, but from JSON that is already parsed.
///
/// # Errors
/// Returns [`ReadError`] if the value is not a flow, or has a newer `schemaVersion`.
pub fn read_value(value: Value) -> Result<Flow, ReadError> {
    let Value::Object(object) = &value else {
        return Err(ReadError::NotAFlow(format!(
            "it contains {}, but a flow is an object with `nodes` and `edges`.",
            crate::value::describe(&value)
        )));
    };
    match object.get("schemaVersion") {
        None | Some(Value::Null) => {}
        Some(Value::Number(version)) if version.as_u64().is_some_and(|v| v <= SCHEMA_VERSION) => {}
        Some(Value::Number(version)) if version.as_f64().is_some_and(|v| v > 1.0) => {
            return Err(ReadError::TooNew {
                found: version.to_string(),
            });
        }
        Some(other) => {
            return Err(ReadError::NotAFlow(format!(
                "`schemaVersion` is {other}; it must be a whole number from 1 to {SCHEMA_VERSION}."
            )));
        }
    }
    match object.get("nodes") {
        Some(Value::Array(_)) => {}
        Some(other) => {
            return Err(ReadError::NotAFlow(format!(
                "`nodes` is {}, but must be a list.",
                crate::value::describe(other)
            )));
        }
        None => {
            return Err(ReadError::NotAFlow(
                "it has no `nodes`. A flow is an object with `nodes` and `edges`.".to_owned(),
            ));
        }
    }
    for (list, required) in [
        ("nodes", ["id", "type"].as_slice()),
        ("edges", &["id", "source", "target"]),
    ] {
        let Some(value) = object.get(list) else {
            continue;
        };
        let Value::Array(items) = value else {
            return Err(ReadError::NotAFlow(format!(
                "`{list}` is {}, but must be a list.",
                crate::value::describe(value)
            )));
        };
        for (index, item) in items.iter().enumerate() {
            for field in required {
                if !item.get(*field).is_some_and(Value::is_string) {
                    return Err(ReadError::NotAFlow(format!(
                        "`{list}[{index}]` has no string `{field}`."
                    )));
                }
            }
        }
    }
    check_nodes(object)?;
    check_optional(object)?;
    serde_json::from_value(value).map_err(|error| ReadError::NotAFlow(format!("{error}.")))
}

/// Checks that each optional field, if present, has the right type.
fn check_optional(object: &Map<String, Value>) -> Result<(), ReadError> {
    let wrong = |place: String, value: &Value, what: &str| {
        ReadError::NotAFlow(format!(
            "`{place}` is {}, but must be {what}.",
            crate::value::describe(value)
        ))
    };
    for (field, is_text) in [("name", true), ("description", true), ("settings", false)] {
        let (fits, what): (fn(&Value) -> bool, _) = if is_text {
            (Value::is_string, "text")
        } else {
            (Value::is_object, "an object")
        };
        if let Some(value) = object
            .get(field)
            .filter(|value| !value.is_null() && !fits(value))
        {
            return Err(wrong(field.to_owned(), value, what));
        }
    }
    let edges = object.get("edges").and_then(Value::as_array);
    for (index, edge) in edges.into_iter().flatten().enumerate() {
        for field in ["sourceHandle", "targetHandle"] {
            if let Some(value) = edge
                .get(field)
                .filter(|value| !value.is_null() && !value.is_string())
            {
                return Err(wrong(format!("edges[{index}].{field}"), value, "text"));
            }
        }
    }
    Ok(())
}

/// Reports node fields of the wrong type, with their location. The deserializer's own type errors do not name the location.
fn check_nodes(flow: &Map<String, Value>) -> Result<(), ReadError> {
    let nodes = flow.get("nodes").and_then(Value::as_array);
    for (index, node) in nodes.into_iter().flatten().enumerate() {
        if let Some(data) = node.get("data").filter(|data| !data.is_object()) {
            return Err(ReadError::NotAFlow(format!(
                "`nodes[{index}].data` is {}, but must be an object.",
                crate::value::describe(data)
            )));
        }
        let Some(position) = node.get("position").filter(|position| !position.is_null()) else {
            continue;
        };
        if !["x", "y"]
            .iter()
            .all(|axis| position.get(*axis).is_some_and(Value::is_number))
        {
            return Err(ReadError::NotAFlow(format!(
                "`nodes[{index}].position` must be an object with the numbers `x` and `y`."
            )));
        }
    }
    Ok(())
}

/// Reads a flow file and returns the flow with its text.
///
/// # Errors
/// Returns [`ReadError`] if the file cannot be read, and the errors of [`read_str`].
pub fn read(path: &Path) -> Result<(Flow, String), ReadError> {
    let io_error = |source| ReadError::Io {
        path: path.display().to_string(),
        source,
    };
    let bytes = named_file::read(path, MAX_BYTES as u64).map_err(|error| {
        match (error.kind(), fs::metadata(path)) {
            (io::ErrorKind::FileTooLarge, Ok(data)) => ReadError::TooLarge {
                size: (data.len() as usize).div_ceil(1024 * 1024),
            },
            _ => io_error(error),
        }
    })?;
    let text = String::from_utf8(bytes).map_err(|_| ReadError::NotText)?;
    let flow = read_str(&text)?;
    Ok((flow, text))
}

/// Formats a document as pretty JSON with a final newline. Fields keep their order.
pub fn to_string(document: &Value) -> String {
    let mut text = format!("{document:#}");
    text.push('\n');
    text
}

/// Writes a file atomically: a crash leaves either the old or the new contents. The function writes a temporary file in the
/// same folder, syncs it and renames it.
///
/// # Errors
/// Returns the system's error if the file cannot be written. The old contents are then unchanged.
pub fn write_atomically(path: &Path, contents: impl AsRef<[u8]>) -> io::Result<()> {
    write_whole(path, contents.as_ref(), |temporary, target| {
        fs::rename(temporary, target)
    })
}

/// Writes a file as [`write_atomically`] does, but never replaces an existing file.
///
/// # Errors
/// `AlreadyExists` if the file exists. The file is then unchanged. Otherwise, the errors of [`write_atomically`].
pub fn write_new_atomically(path: &Path, contents: impl AsRef<[u8]>) -> io::Result<()> {
    write_whole(path, contents.as_ref(), |temporary, target| {
        // Unlike a rename, a hard link never replaces another file. On file systems without hard links, an empty file is
        // created first to reserve the name.
        match fs::hard_link(temporary, target) {
            Ok(()) => fs::remove_file(temporary),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(error),
            Err(_) => {
                fs::File::create_new(target)?;
                fs::rename(temporary, target)
            }
        }
    })
}

fn write_whole(
    path: &Path,
    contents: &[u8],
    put: impl FnOnce(&Path, &Path) -> io::Result<()>,
) -> io::Result<()> {
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let folder = match target.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_path_buf(),
        _ => Path::new(".").to_path_buf(),
    };
    let name = target.file_name().ok_or_else(|| {
        io::Error::new(
            io::ErrorKind::InvalidInput,
            "the path does not end in a file name",
        )
    })?;
    // Two threads may write the same file at the same time. Each uses its own temporary file, and the thread that finishes last
    // wins.
    static WRITTEN: AtomicU64 = AtomicU64::new(0);
    let temporary = folder.join(format!(
        ".{}.{}-{}.tmp",
        name.to_string_lossy(),
        std::process::id(),
        WRITTEN.fetch_add(1, Ordering::Relaxed)
    ));
    let result = (|| {
        let mut file = fs::File::create(&temporary)?;
        if let Ok(metadata) = fs::metadata(&target) {
            fs::set_permissions(&temporary, metadata.permissions())?;
        }
        file.write_all(contents)?;
        file.sync_all()?;
        put(&temporary, &target)?;
        // Syncing the folder makes the rename survive a power failure. Not every file system supports this, so errors are
        // ignored.
        if let Ok(folder) = fs::File::open(&folder) {
            let _ = folder.sync_all();
        }
        Ok(())
    })();
    if result.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(text: &str) -> String {
        read_str(text).unwrap_err().to_string()
    }

    #[test]
    fn what_is_no_flow_is_reported_with_its_place() {
        assert!(message("").contains("empty"));
        assert!(message("{\"nodes\": [}").contains("line 1"));
        assert!(message("[1]").contains("a list"));
        assert!(message("nonsense").contains("not a JSON value (line 1, column 2)"));
        let twice = message("{\"nodes\": [],\n \"settings\": {\"a\": 1, \"b\": 2, \"a\": 3}}");
        assert!(
            twice.contains("`a` appears twice") && twice.contains("line 2"),
            "{twice}"
        );
        assert!(message("{}").contains("no `nodes`"));
        assert!(message(r#"{"nodes": [{"id": 1, "type": "note"}]}"#).contains("nodes[0]"));
        assert!(
            message(r#"{"nodes": [{"id": "a", "type": "note", "position": "x"}]}"#)
                .contains("nodes[0].position")
        );
        assert!(
            message(r#"{"nodes": [{"id": "a", "type": "note", "data": 3}]}"#)
                .contains("nodes[0].data")
        );
        assert!(message(r#"{"nodes": [], "edges": {}}"#).contains("`edges`"));
    }

    #[test]
    fn a_newer_version_is_refused_by_name() {
        let message = message(r#"{"schemaVersion": 2, "nodes": []}"#);
        assert!(message.contains("newer version of Loopwright") && message.contains('2'));
    }

    #[test]
    fn unknown_fields_survive_reading_and_writing() {
        let text = r#"{"nodes":[{"id":"a","type":"wat","data":{"q":[1.50]},"zIndex":3}],"edges":[],"viewport":{"x":0,"y":0,"zoom":1},"mine":null}"#;
        let flow = read_str(text).unwrap();
        let again = serde_json::to_value(&flow).unwrap();
        assert_eq!(again, serde_json::from_str::<Value>(text).unwrap());
    }

    #[test]
    fn writing_replaces_the_file_whole_and_leaves_nothing_behind() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.flow.json");
        write_atomically(&path, "one").unwrap();
        write_atomically(&path, "two").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "two");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_file_that_cannot_be_written_says_so_and_keeps_the_old_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("missing").join("a.flow.json");
        assert!(write_atomically(&path, "x").is_err());
    }
}
