//! Removing a workspace, and its size. Links are never followed.

use std::{fs, io, path::Path};

use crate::{
    error::{Error, Result},
    person::Person,
    pin,
    workspace::{self, Workspace},
};

/// The bytes that a workspace takes on the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Size {
    /// The files with what programs built and downloaded.
    pub files: u64,
    /// The recorded trees.
    pub record: u64,
    /// The rest, such as temporary files.
    pub other: u64,
}

impl Size {
    pub fn total(&self) -> u64 {
        self.files + self.record + self.other
    }
}

impl Workspace {
    /// Measures a workspace. It need not be open, or whole.
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

    /// Removes a workspace with its ref in the source. Its trees are gone then. If this is interrupted, it can be called again.
    ///
    /// # Errors
    /// [`Busy`](Error::Busy) if a process works in it, or an error of a file or of git.
    pub fn remove(place: &Path, person: &Person) -> Result<()> {
        if !place.exists() {
            return Ok(());
        }
        let lock = workspace::hold(place)?;
        for part in ["files", "record.git", "tmp", "set-aside"] {
            everything(&place.join(part))?;
        }
        pin::unpin(place, person)?;
        everything(place)?;
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

/// Removes a file or a link if it exists.
///
/// # Errors
/// An error if it cannot be removed.
pub(crate) fn file(path: &Path) -> Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(Error::file("remove", path)(error))
        }
        _ => Ok(()),
    }
}

/// Removes a file, a link, or a folder with all that is in it.
///
/// # Errors
/// An error if something cannot be removed.
pub(crate) fn everything(path: &Path) -> Result<()> {
    let meta = match path.symlink_metadata() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        meta => meta.map_err(Error::file("read", path))?,
    };
    if !meta.is_dir() {
        return fs::remove_file(path).map_err(Error::file("remove", path));
    }
    match fs::remove_dir_all(path) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            // Some programs make folders that may not be written, such as caches of modules.
            make_writable(path);
            fs::remove_dir_all(path).map_err(Error::file("remove", path))
        }
        Err(error) => Err(Error::file("remove", path)(error)),
    }
}

fn make_writable(folder: &Path) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        // Removing fails with the reason if this does not help.
        let _ = fs::set_permissions(folder, fs::Permissions::from_mode(0o700));
    }
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            make_writable(&entry.path());
        }
    }
}
