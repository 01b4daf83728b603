//! The files that flows refer to: what they are named, and why one is not found.

use std::path::{Component, Path, PathBuf};

use crate::{
    document::Flow,
    file::{self, ReadError},
};

/// A flow that was read from a file.
#[derive(Debug, Clone)]
pub struct FlowFile {
    pub flow: Flow,
    /// The length of its text.
    pub bytes: usize,
}

/// Why a reference leads to no flow: a stable code, and words that follow a node's name
/// (`refers to "a.json", and there is no such file …`).
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

/// Reads flows that other flows refer to.
pub trait FlowFiles {
    /// The file that `reference` names in the file `holder`; `None` is a document that was never saved. The path is the same
    /// whichever reference led to it.
    ///
    /// # Errors
    /// See [`NotFound`].
    fn find(&self, holder: Option<&Path>, reference: &str) -> Result<PathBuf, NotFound>;

    /// Reads a file that [`Self::find`] gave.
    ///
    /// # Errors
    /// See [`ReadError`].
    fn read(&self, file: &Path) -> Result<FlowFile, ReadError> {
        let (flow, text) = file::read(file)?;
        Ok(FlowFile {
            flow,
            bytes: text.len(),
        })
    }
}

/// Refers nowhere: for flows that cannot have files beside them.
pub struct NoFiles;

impl FlowFiles for NoFiles {
    fn find(&self, _holder: Option<&Path>, reference: &str) -> Result<PathBuf, NotFound> {
        Err(unsaved(reference))
    }
}

/// A document without a file refers to one.
pub fn unsaved(reference: &str) -> NotFound {
    NotFound::new(
        "subflow_unsaved",
        format!(
            "refers to \"{reference}\", and this workflow is not saved yet, so that there is no folder to look in. Save it first, \
             or hold the flow inline."
        ),
    )
}

/// `reference` as a path below the folder of the file that holds it.
///
/// # Errors
/// `subflow_outside` for an absolute path and for one that leads up.
pub fn relative(reference: &str) -> Result<PathBuf, NotFound> {
    let outside = |why: &str| {
        NotFound::new(
            "subflow_outside",
            format!(
                "refers to \"{reference}\", {why}. A subflow's file lies in the folder of the file that refers to it, or below: move \
                 it there and write the path from there, with `/` between folders."
            ),
        )
    };
    // A drive letter and a backslash mean something on some systems; a flow means the same on all.
    if reference.starts_with('/') || reference.contains([':', '\\']) {
        return Err(outside("which is no path from this file's folder"));
    }
    let mut path = PathBuf::new();
    for part in Path::new(reference).components() {
        match part {
            Component::Normal(part) => path.push(part),
            Component::CurDir => {}
            Component::ParentDir => return Err(outside("which leads out of this file's folder")),
            Component::RootDir | Component::Prefix(_) => {
                return Err(outside("which is no path from this file's folder"));
            }
        }
    }
    if path.as_os_str().is_empty() {
        return Err(outside("which names no file"));
    }
    Ok(path)
}
