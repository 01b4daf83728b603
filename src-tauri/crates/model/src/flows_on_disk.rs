//! Reads the files of flows that other flows refer to.

use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::subflow::{self, FlowFiles, NotFound};

/// A reader of flow files. It finds only files in the folder of the referring flow, or below it.
pub struct FlowsOnDisk;

impl FlowFiles for FlowsOnDisk {
    fn find(&self, holder: Option<&Path>, reference: &str) -> Result<PathBuf, NotFound> {
        place(holder, reference)
    }
}

/// Returns the path of the file that `reference` names in `holder`. The file must exist.
///
/// # Errors
/// `subflow_missing` if the file does not exist; `subflow_unreadable` if it cannot be accessed; `subflow_outside` if the
/// reference leads out of the folder of `holder`; and the errors of [`folder`].
pub fn place(holder: Option<&Path>, reference: &str) -> Result<PathBuf, NotFound> {
    let path = subflow::relative(reference)?;
    let folder = folder(holder, reference)?;
    let found = fs::canonicalize(folder.join(path)).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => NotFound::new(
            "subflow_missing",
            format!(
                "refers to \"{reference}\", which does not exist in {}. Put it there, choose another file, or store the flow inline.",
                folder.display()
            ),
        ),
        _ => NotFound::new(
            "subflow_unreadable",
            format!(
                "refers to \"{reference}\", which cannot be read: {error}. Make it readable, or choose another file."
            ),
        ),
    })?;
    if !found.starts_with(&folder) {
        return Err(NotFound::new(
            "subflow_outside",
            format!(
                "refers to \"{reference}\", which is a link to a place outside {}. Replace the link with the file itself.",
                folder.display()
            ),
        ));
    }
    Ok(found)
}

/// Returns the folder of `holder`, in which `reference` is looked up.
///
/// # Errors
/// `subflow_unreadable` if the folder cannot be read, and the error of [`subflow::unsaved`] if the document was never saved.
pub fn folder(holder: Option<&Path>, reference: &str) -> Result<PathBuf, NotFound> {
    let holder = holder.ok_or_else(|| subflow::unsaved(reference))?;
    let folder = holder
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    fs::canonicalize(folder).map_err(|error| {
        NotFound::new(
            "subflow_unreadable",
            format!(
                "refers to \"{reference}\", but the folder {} cannot be read: {error}. Save this workflow somewhere else.",
                folder.display()
            ),
        )
    })
}
