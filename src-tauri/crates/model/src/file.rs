//! Reading a flow from text and writing it to disk atomically.

use std::{
    fs,
    io::{self, Write as _},
    path::Path,
};

use serde_json::Value;
use thiserror::Error;

use crate::document::{Flow, SCHEMA_VERSION};

/// The largest flow file that is opened, in bytes.
pub const MAX_BYTES: usize = 8 * 1024 * 1024;

/// Why a text is not a flow. Messages say what to do.
#[derive(Debug, Error)]
pub enum ReadError {
    #[error("{path}: {source}")]
    Io { path: String, source: io::Error },
    #[error("The file is {size} MB; a flow file may be at most {} MB. Is it really a flow?", MAX_BYTES / 1024 / 1024)]
    TooLarge { size: usize },
    #[error("The file is empty. A flow is a JSON object with `nodes` and `edges`.")]
    Empty,
    #[error("The file is not valid JSON: {message} (line {line}, column {column}).")]
    NotJson {
        message: String,
        line: usize,
        column: usize,
    },
    #[error("The file is JSON, but not a flow: {0}")]
    NotAFlow(String),
    #[error(
        "This flow was written by a newer Loopwright (schemaVersion {found}; this program reads up to {SCHEMA_VERSION}). \
         Update Loopwright to open it. The file was not changed."
    )]
    TooNew { found: String },
}

/// Parses a flow. Unknown fields are kept; a newer `schemaVersion` is refused.
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
    let value: Value = serde_json::from_str(text).map_err(|error| ReadError::NotJson {
        message: plain_json_message(&error),
        line: error.line(),
        column: error.column(),
    })?;
    read_value(value)
}

/// As [`read_str`], from JSON that was already parsed.
pub fn read_value(value: Value) -> Result<Flow, ReadError> {
    let Value::Object(object) = &value else {
        return Err(ReadError::NotAFlow(format!(
            "it holds {}, and a flow is an object with `nodes` and `edges`.",
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
                "`nodes` is {}, and must be a list.",
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
                "`{list}` is {}, and must be a list.",
                crate::value::describe(value)
            )));
        };
        for (index, item) in items.iter().enumerate() {
            for field in required {
                if !item.get(*field).is_some_and(Value::is_string) {
                    return Err(ReadError::NotAFlow(format!(
                        "`{list}[{index}]` has no text `{field}`."
                    )));
                }
            }
        }
    }
    serde_json::from_value(value).map_err(|error| ReadError::NotAFlow(format!("{error}.")))
}

/// Reads a flow file.
pub fn read(path: &Path) -> Result<(Flow, String), ReadError> {
    let io_error = |source| ReadError::Io {
        path: path.display().to_string(),
        source,
    };
    let size = fs::metadata(path).map_err(io_error)?.len();
    if size > MAX_BYTES as u64 {
        return Err(ReadError::TooLarge {
            size: (size as usize).div_ceil(1024 * 1024),
        });
    }
    let bytes = fs::read(path).map_err(io_error)?;
    let text = String::from_utf8(bytes).map_err(|_| {
        ReadError::NotAFlow("it is not text in UTF-8. A flow is a JSON file.".to_owned())
    })?;
    let flow = read_str(&text)?;
    Ok((flow, text))
}

/// Pretty JSON with a final newline, fields in the order they were read.
pub fn to_string(document: &Value) -> String {
    let mut text = format!("{document:#}");
    text.push('\n');
    text
}

/// Writes `text` so that a crash leaves either the old file or the new one: a temporary file beside it, synced, renamed.
pub fn write_atomically(path: &Path, text: &str) -> io::Result<()> {
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let folder = match target.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_path_buf(),
        _ => Path::new(".").to_path_buf(),
    };
    let name = target
        .file_name()
        .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "the path names no file"))?;
    let temporary = folder.join(format!(
        ".{}.{}.tmp",
        name.to_string_lossy(),
        std::process::id()
    ));
    let result = (|| {
        let mut file = fs::File::create(&temporary)?;
        if let Ok(metadata) = fs::metadata(&target) {
            fs::set_permissions(&temporary, metadata.permissions())?;
        }
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        fs::rename(&temporary, &target)?;
        // The rename itself must survive a power cut; not every file system can sync a folder, and then nothing is lost by it.
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

fn plain_json_message(error: &serde_json::Error) -> String {
    let text = error.to_string();
    match text.find(" at line ") {
        Some(end) => text[..end].to_owned(),
        None => text,
    }
}
