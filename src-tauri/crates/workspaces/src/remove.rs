//! Removes workspaces, and measures their size. Links are never followed.

use std::{fs, path::Path};

use crate::{
    delete,
    error::Result,
    person::Person,
    pin,
    workspace::{self, Workspace},
};

/// The size of a workspace on disk, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Size {
    /// The size of the files, including those that programs built and downloaded.
    pub files: u64,
    /// The size of the recorded trees.
    pub record: u64,
    /// The size of everything else, such as temporary files.
    pub other: u64,
}

impl Size {
    pub fn total(&self) -> u64 {
        self.files + self.record + self.other
    }
}

impl Workspace {
    /// Measures a workspace. The workspace may be closed or incomplete.
    pub fn size(place: &Path) -> Size {
        let (files, record) = (
            measure(&place.join("files")),
            measure(&place.join("record.git")),
        );
        Size {
            files,
            record,
            other: measure(place).saturating_sub(files + record),
        }
    }

    /// Removes a workspace with its trees and its ref in the source. If the removal is interrupted, call this function
    /// again.
    ///
    /// # Errors
    /// [`Busy`](Error::Busy) if a process is using the workspace; an error if a file or the ref cannot be removed.
    pub fn remove(place: &Path, person: &Person) -> Result<()> {
        if !place.exists() {
            return Ok(());
        }
        let lock = workspace::hold(place)?;
        for part in ["files", "record.git", "tmp", "set-aside"] {
            delete::everything(&place.join(part))?;
        }
        pin::unpin(place, person)?;
        delete::everything(place)?;
        drop(lock);
        Ok(())
    }
}

fn measure(path: &Path) -> u64 {
    let Ok(meta) = path.symlink_metadata() else {
        return 0;
    };
    #[cfg(unix)]
    let own = std::os::unix::fs::MetadataExt::blocks(&meta) * 512;
    #[cfg(not(unix))]
    let own = meta.len();
    if !meta.is_dir() {
        return own;
    }
    let Ok(entries) = fs::read_dir(path) else {
        return own;
    };
    own + entries
        .flatten()
        .map(|entry| measure(&entry.path()))
        .sum::<u64>()
}
