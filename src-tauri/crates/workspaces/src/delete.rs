//! Deletes files and folders. Links are never followed.

use std::{fs, io, path::Path};

use crate::error::{Error, Result};

/// Removes a file or a link if it exists.
///
/// # Errors
/// Returns an error if the path cannot be removed.
pub(crate) fn file(path: &Path) -> Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(Error::file("remove", path)(error))
        }
        _ => Ok(()),
    }
}

/// Removes a file, a link, or a folder with everything in it.
///
/// # Errors
/// Returns an error if anything cannot be removed.
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
            // Some programs create read-only folders, such as module caches.
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
        // If this fails, removing the folder returns the reason.
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
