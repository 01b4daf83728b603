//! The errors of workspaces. Each message names the path and the remedy.

use std::{
    io,
    path::{Path, PathBuf},
};

use crate::{git::GitError, source::Refused};

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Refused(#[from] Refused),
    #[error(transparent)]
    Git(#[from] GitError),
    #[error("Cannot {what} {path}: {error}", path = .path.display())]
    File {
        /// The operation as a verb, such as `write`.
        what: &'static str,
        path: PathBuf,
        error: io::Error,
    },
    #[error("There is no workspace at {place}. It was removed, or belongs to a run on another computer.", place = .0.display())]
    Missing(PathBuf),
    #[error("There is already a workspace at {place}. Open it, or remove it first.", place = .0.display())]
    Exists(PathBuf),
    #[error("Another Loopwright process is using the workspace at {place}. Wait until it ends.", place = .0.display())]
    Busy(PathBuf),
    #[error("The workspace at {place} is damaged: {why}", place = .place.display())]
    Damaged { place: PathBuf, why: String },
    #[error("The source of the workspace, {source_folder}, no longer has the files that the workspace started from ({why}). Move the folder back to its place, or start again with its current files.", source_folder = .source_folder.display())]
    SourceGone { source_folder: PathBuf, why: String },
    #[error("The tree {tree} is not in the workspace at {place}. It may belong to another workspace, or to one that was removed.", place = .place.display())]
    NoTree { tree: String, place: PathBuf },
    #[error("`{0}` is not the hash of a tree")]
    NotATree(String),
    #[error("Cannot record {path}: it cannot be read ({error}). Make it readable, delete it, or name it in .gitignore.", path = .path.display())]
    Unreadable { path: PathBuf, error: io::Error },
    #[error(
        "`{pattern}` in `protect` cannot be used: {why}. Write a path from the top of the repository, with `*` and `**`."
    )]
    Pattern { pattern: String, why: String },
    #[error(
        "Programs cannot be confined: {0}. Choose to run them without confinement, or check the system's limits."
    )]
    Confine(io::Error),
}

impl Error {
    /// Returns a function for `map_err` that converts an I/O error to [`Self::File`]. `what` is the verb of its message, such as
    /// `read`.
    pub(crate) fn file(what: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |error| Self::File {
            what,
            path: path.to_path_buf(),
            error,
        }
    }
}

pub type Result<T, E = Error> = std::result::Result<T, E>;
