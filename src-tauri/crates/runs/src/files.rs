//! Opening and saving flow files.

use std::{
    fs,
    path::{Path, PathBuf},
};

use loopwright_model::{file, json, named_file};
use serde::Serialize;
use serde_json::{Map, Value, json};
use specta::Type;
use specta_typescript::Any;

use crate::{
    error::{ApiError, Code},
    paths, refuse_foreign,
};

#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct OpenedFlow {
    pub path: String,
    #[specta(type = Any)]
    pub document: Value,
    /// The version of the file's content. It is different after every change.
    pub version: String,
    /// Messages for the user about how the file was read.
    pub notes: Vec<String>,
}

impl OpenedFlow {
    /// Returns the path of the flow's file, or `None` if the flow has no file.
    pub fn path(&self) -> Option<&str> {
        (!self.path.is_empty()).then_some(&*self.path)
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct SavedFlow {
    pub path: String,
    pub version: String,
}

/// Reads a flow file.
///
/// # Errors
/// Every error message contains the path. [`Code::NotFound`] if the file does not exist; [`Code::Io`] if it cannot be read;
/// [`Code::InvalidFlow`] if it is not a flow.
pub fn read_flow(path: &str) -> Result<OpenedFlow, ApiError> {
    let absolute = absolute(path);
    let shown = absolute.display().to_string();
    let (flow, text) = file::read(&absolute).map_err(|error| {
        let error = ApiError::from(error).at(&shown);
        if error.message.contains(&shown) {
            return error;
        }
        let reason = error.message.clone();
        let message = format!("{shown} cannot be opened. {reason}");
        ApiError { message, ..error }.because(&reason)
    })?;
    let document = document(&text).map_err(|error| error.at(&shown))?;
    let mut notes = Vec::new();
    if flow.schema_version.is_none() {
        notes.push("The file has no schemaVersion, so it was read as version 1.".to_owned());
    }
    Ok(OpenedFlow {
        version: version(&text),
        path: shown,
        document,
        notes,
    })
}

/// Parses `text` as the content of a flow file and returns the flow's document. Error messages name `source` as the origin
/// of the text.
///
/// # Errors
/// Returns an error if the text is not a flow.
pub fn read_flow_text(text: &str, source: &str) -> Result<Value, ApiError> {
    file::read_str(text).map_err(|error| {
        let error = ApiError::from(error);
        ApiError {
            message: format!("{source} cannot be read as a flow. {}", error.message),
            ..error
        }
    })?;
    document(text)
}

/// Returns the JSON document in `text`, which has already been parsed as a flow.
fn document(text: &str) -> Result<Value, ApiError> {
    let mut document = json::read(text.strip_prefix('\u{feff}').unwrap_or(text))
        .map_err(|error| ApiError::new(Code::InvalidFlow, format!("{error}.")))?;
    refuse_foreign::refuse_foreign(&document)?;
    add_missing_data(&mut document);
    Ok(document)
}

/// Adds an empty `data` to each node without one, as the parser of flows does. The window relies on it. Flows inside nodes are
/// included.
fn add_missing_data(document: &mut Value) {
    let nodes = document.get_mut("nodes").and_then(Value::as_array_mut);
    for node in nodes.into_iter().flatten().filter_map(Value::as_object_mut) {
        let data = node.entry("data").or_insert_with(|| json!({}));
        let inner = data.as_object_mut().into_iter().flat_map(Map::values_mut);
        inner.for_each(add_missing_data);
    }
}

/// Creates a file atomically: it is written completely, or not at all. If the file exists, the error message contains
/// `instead`, which says what to do.
///
/// # Errors
/// [`Code::InvalidArgument`] if the file exists; [`Code::Io`] if it cannot be written.
pub fn write_new(path: &str, contents: impl AsRef<[u8]>, instead: &str) -> Result<(), ApiError> {
    file::write_new_atomically(Path::new(path), contents).map_err(|error| {
        let (code, words) = if error.kind() == std::io::ErrorKind::AlreadyExists {
            (
                Code::InvalidArgument,
                format!("The file {path} already exists and was not changed. {instead}"),
            )
        } else {
            (Code::Io, format!("{path} cannot be written: {error}."))
        };
        ApiError::new(code, words).at(path)
    })
}

/// Writes a file atomically: completely, or not at all. Replaces an existing file.
///
/// # Errors
/// [`Code::Io`] if the file cannot be written.
pub fn write_over(path: &str, contents: impl AsRef<[u8]>) -> Result<(), ApiError> {
    file::write_atomically(Path::new(path), contents).map_err(|error| {
        ApiError::new(Code::Io, format!("{path} cannot be written: {error}.")).at(path)
    })
}

/// Writes an image of a flow to a file and replaces an existing one. Accepts only PNG and SVG, and only with the matching
/// file extension, so that a page cannot write programs or settings.
///
/// # Errors
/// `invalid_argument` if the bytes are not such an image or the extension does not match; `io` if the file cannot be
/// written.
pub fn save_picture(path: &str, bytes: &[u8]) -> Result<(), ApiError> {
    let named = |ending: &str| path.to_ascii_lowercase().ends_with(ending);
    let is_png = named(".png") && bytes.starts_with(b"\x89PNG\r\n\x1a\n");
    let is_svg = named(".svg") && bytes.starts_with(b"<svg ");
    if !is_png && !is_svg {
        return Err(ApiError::new(
            Code::InvalidArgument,
            format!(
                "The file name {path} does not match the image format. Use the extension .png for PNG or .svg for SVG."
            ),
        )
        .at(path));
    }
    fs::write(path, bytes).map_err(|error| {
        ApiError::new(Code::Io, format!("{path} cannot be written: {error}.")).at(path)
    })
}

/// Takes the lock for saving files, which all programs that use this data folder share. Returns `None` if the lock is
/// unavailable. A save then continues without the lock. It still checks for changes just before it writes.
pub fn alone(data_dir: &Path) -> Option<fs::File> {
    let file = fs::OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .open(paths::saving(data_dir))
        .ok()?;
    file.lock().ok()?;
    Some(file)
}

/// Writes a flow. If `expected_version` is set, a file whose content has a different version is not overwritten.
///
/// # Errors
/// [`Code::ChangedOnDisk`] if the file changed; an error if the document is not a flow or the file cannot be written.
pub fn save(
    path: &str,
    document: &Value,
    expected_version: Option<&str>,
) -> Result<SavedFlow, ApiError> {
    let absolute = absolute(path);
    let shown = absolute.display().to_string();
    // A draft with problems can be saved, but a document that is not a flow cannot.
    file::read_value(document.clone())?;
    if let Some(expected) = expected_version {
        // A deleted file is written again. A file that cannot be read counts as changed.
        let changed = match named_file::read(&absolute, file::MAX_BYTES as u64) {
            Ok(now) => blake3::hash(&now).to_hex().as_str() != expected,
            Err(error) => error.kind() != std::io::ErrorKind::NotFound,
        };
        if changed {
            let words = format!(
                "Another program has changed {shown} since you opened it, so it was not overwritten. Save under another name, or open the file again."
            );
            return Err(ApiError::new(Code::ChangedOnDisk, words).at(&shown));
        }
    }
    let text = file::to_string(document);
    file::write_atomically(&absolute, &text).map_err(|error| {
        ApiError::new(
            Code::Io,
            format!("{shown} could not be saved: {error}. Your changes are still here; save them somewhere else."),
        )
        .at(&shown)
    })?;
    Ok(SavedFlow {
        path: shown,
        version: version(&text),
    })
}

/// Returns an empty flow. It has only an input, a loop, the end of the loop and an output.
pub fn new_flow() -> Value {
    json!({
        "schemaVersion": 1,
        "name": "Untitled",
        "nodes": [
            { "id": "input", "type": "input", "position": { "x": 0, "y": 120 }, "data": { "label": "Input", "name": "text", "dataType": "text", "required": true } },
            { "id": "loop", "type": "loop", "position": { "x": 240, "y": 100 },
              "data": { "label": "Loop", "maxIterations": 3, "exitCondition": "max_iterations", "feedbackMode": "replace" } },
            { "id": "exit", "type": "exit", "position": { "x": 780, "y": 120 }, "data": { "label": "Exit" } },
            { "id": "output", "type": "output", "position": { "x": 1000, "y": 120 }, "data": { "label": "Output", "name": "result", "format": "text" } }
        ],
        "edges": [
            { "id": "e-input-loop", "source": "input", "sourceHandle": "value", "target": "loop", "targetHandle": "input" },
            { "id": "e-exit-output", "source": "exit", "sourceHandle": "output", "target": "output", "targetHandle": "value" }
        ],
        "viewport": { "x": 40, "y": 80, "zoom": 1 }
    })
}

pub fn version(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex().to_string()
}

/// Returns the folder of a flow's file, where the flow's relative paths begin; `None` if the path has no parent folder.
pub(crate) fn folder(flow_path: &str) -> Option<PathBuf> {
    absolute(flow_path).parent().map(Path::to_path_buf)
}

pub fn absolute(path: &str) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| PathBuf::from(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_no_flow_is_named_in_the_message_and_not_in_the_reason() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        let error = read_flow(&file.path().display().to_string()).expect_err("it is empty");
        let (path, reason) = (error.path.expect("a path"), error.reason.expect("a reason"));
        assert_eq!(error.message, format!("{path} cannot be opened. {reason}"));
        assert!(reason.starts_with("The file is empty."), "{reason}");
        let missing = read_flow(&format!("{path}.none")).expect_err("no file");
        assert_eq!(missing.reason, None);
    }

    /// The window showed nothing at all for such a file.
    #[test]
    fn nodes_without_data_get_an_empty_one_also_in_subflows() {
        let text = r#"{"nodes": [
            {"id": "a", "type": "llm", "config": {"prompt": "p"}},
            {"id": "b", "type": "subflow", "data": {"label": "B", "flow": {"nodes": [{"id": "c", "type": "llm"}]}}}
        ]}"#;
        let document = read_flow_text(text, "The text").expect("a flow");
        assert_eq!(document["nodes"][0]["data"], json!({}));
        assert_eq!(document["nodes"][0]["config"]["prompt"], "p");
        let inner = &document["nodes"][1]["data"]["flow"]["nodes"][0];
        assert_eq!(inner["data"], json!({}));
        assert_eq!(document["nodes"][1]["data"]["label"], "B");
    }
}
