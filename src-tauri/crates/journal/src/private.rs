//! Files and folders that no other user of the computer can read.

use std::{
    fs::{self, File, OpenOptions},
    io,
    path::Path,
};

/// Makes a folder, and those above it; the last one is the owner's alone. One that is there stays as it is.
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
        // Another program was faster.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && path.is_dir() => Ok(()),
        done => done,
    }
}

/// How a file of the owner's alone is opened for writing, and made where it is missing.
pub(crate) fn writing() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.create(true).truncate(false).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// An empty file in the place of whatever is there.
pub(crate) fn create(path: &Path) -> io::Result<File> {
    writing().truncate(true).open(path)
}

/// Takes the rights of others from a file that is there. Where that cannot be done the file stays as it is.
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
