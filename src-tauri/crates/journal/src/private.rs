//! Files and folders that other users of the computer cannot read.

use std::{
    fs::{self, File, OpenOptions},
    io,
    path::Path,
};

/// Creates a folder and its missing parents. Only the owner can access the folder itself. An existing folder stays unchanged.
pub(crate) fn make_folder(path: &Path) -> io::Result<()> {
    if path.is_dir() {
        return Ok(());
    }
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent)?;
    }
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    match builder.create(path) {
        // Another program has created the folder in the meantime.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && path.is_dir() => Ok(()),
        done => done,
    }
}

/// Returns options that open a private file for writing and create it if it is missing.
pub(crate) fn writing() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.create(true).truncate(false).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Creates an empty private file. An existing file is truncated.
pub(crate) fn create(path: &Path) -> io::Result<File> {
    writing().truncate(true).open(path)
}

/// Removes the permissions of other users from an existing file. If this fails, the file stays unchanged.
#[cfg(unix)]
pub(crate) fn close_to_others(path: &Path) {
    use std::os::unix::fs::PermissionsExt as _;
    if let Ok(found) = fs::metadata(path)
        && found.permissions().mode() & 0o077 != 0
    {
        let _ = fs::set_permissions(path, fs::Permissions::from_mode(0o600));
    }
}

#[cfg(not(unix))]
pub(crate) fn close_to_others(_: &Path) {}
