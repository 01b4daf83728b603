//! The files of subflows: how a reference names a file, and why a file cannot be found.

use std::path::{Component, Path, PathBuf};

use crate::{
    document::Flow,
    file::{self, ReadError},
};

/// A flow that was read from a file.
#[derive(Debug, Clone)]
pub struct FlowFile {
    pub flow: Flow,
    /// The length of the file's text, in bytes.
    pub bytes: usize,
}

/// The reason why a reference does not lead to a flow: a stable code, and a message to append to a node's name (`refers to
/// "a.json", which does not exist in …`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotFound {
    pub code: &'static str,
    pub message: String,
}

impl NotFound {
    pub fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
        }
    }
}

/// Finds and reads the flows to which other flows refer.
pub trait FlowFiles {
    /// Returns the file that `reference` names in the file `holder`; a `holder` of `None` means a document that was never
    /// saved. Every reference to the same file returns the same path.
    ///
    /// # Errors
    /// [`NotFound`] if the reference leads to no file.
    fn find(&self, holder: Option<&Path>, reference: &str) -> Result<PathBuf, NotFound>;

    /// Reads a file that [`Self::find`] returned.
    ///
    /// # Errors
    /// [`ReadError`] if the file cannot be read or is not a flow.
    fn read(&self, file: &Path) -> Result<FlowFile, ReadError> {
        let (flow, text) = file::read(file)?;
        Ok(FlowFile {
            flow,
            bytes: text.len(),
        })
    }
}

/// A [`FlowFiles`] that finds no files, for flows that cannot have files next to them.
pub struct NoFiles;

impl FlowFiles for NoFiles {
    fn find(&self, _holder: Option<&Path>, reference: &str) -> Result<PathBuf, NotFound> {
        Err(unsaved(reference))
    }
}

/// Returns the error for a reference in a document that was never saved.
pub fn unsaved(reference: &str) -> NotFound {
    NotFound::new(
        "subflow_unsaved",
        format!(
            "refers to \"{reference}\", but this workflow is not saved yet, so there is no folder to look in. Save it first, or \
             store the flow inline."
        ),
    )
}

/// Returns `reference` as a path below the folder of the file that contains it.
///
/// # Errors
/// `subflow_outside` for an absolute path and for a path that leads out of the folder.
pub fn relative(reference: &str) -> Result<PathBuf, NotFound> {
    let outside = |why: &str| {
        NotFound::new(
            "subflow_outside",
            format!(
                "refers to \"{reference}\", {why}. A subflow's file must be in the folder of the file that refers to it, or in a subfolder. Move it there, and write the path relative to that folder, with `/` between folders."
            ),
        )
    };
    // Drive letters and backslashes have a meaning only on some systems, but a flow must mean the same everywhere.
    if reference.starts_with('/') || reference.contains([':', '\\']) {
        return Err(outside("which is not relative to this file's folder"));
    }
    let mut path = PathBuf::new();
    for part in Path::new(reference).components() {
        match part {
            Component::Normal(part) => path.push(part),
            Component::CurDir => {}
            Component::ParentDir => return Err(outside("which points outside this file's folder")),
            Component::RootDir | Component::Prefix(_) => {
                return Err(outside("which is not relative to this file's folder"));
            }
        }
    }
    if path.as_os_str().is_empty() {
        return Err(outside("which does not name a file"));
    }
    Ok(path)
}
