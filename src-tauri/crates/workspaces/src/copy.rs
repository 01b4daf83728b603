//! Copies files and folders. The copies share their blocks with the originals if the file system supports it. Links are copied
//! as links.

use std::{
    fs::{self, File, FileTimes, Metadata},
    io,
    path::{Path, PathBuf},
};

use crate::error::{Error, Result};

/// Copies the contents of a folder, except a `.git` at its top, into an empty folder. Returns the paths that cannot be copied,
/// such as pipes.
///
/// # Errors
/// Returns an error if a file cannot be read or written.
pub(crate) fn folder(from: &Path, to: &Path) -> Result<Vec<PathBuf>> {
    let mut left_out = Vec::new();
    copy_folder(from, to, Path::new(""), &mut left_out)?;
    Ok(left_out)
}

/// Copies a file together with its modification time. Git compares the time of an index with the times of files to detect
/// changes that were made at the same moment.
///
/// # Errors
/// Returns an error if the file cannot be read or written.
pub(crate) fn file_with_time(from: &Path, to: &Path) -> Result<()> {
    let copied = fs::copy(from, to).and_then(|_| {
        let time = from.metadata()?.modified()?;
        File::options().write(true).open(to)?.set_modified(time)
    });
    copied.map_err(Error::file("write", to))
}

fn copy_folder(from: &Path, to: &Path, at: &Path, left_out: &mut Vec<PathBuf>) -> Result<()> {
    let source = from.join(at);
    for entry in fs::read_dir(&source).map_err(Error::file("read", &source))? {
        let entry = entry.map_err(Error::file("read", &source))?;
        let relative = at.join(entry.file_name());
        if relative == Path::new(".git") {
            left_out.push(relative);
            continue;
        }
        let (one, other) = (from.join(&relative), to.join(&relative));
        let meta = one.symlink_metadata().map_err(Error::file("read", &one))?;
        if meta.is_dir() {
            fs::create_dir(&other).map_err(Error::file("create", &other))?;
            copy_folder(from, to, &relative, left_out)?;
            // The mode is set last, because no file could be written into a read-only folder.
            set_mode_and_time(&other, &meta).map_err(Error::file("write", &other))?;
        } else if !file(&one, &other, &meta)? {
            left_out.push(relative);
        }
    }
    Ok(())
}

/// Copies a file or a link to a path that does not exist. Returns `false`, and copies nothing, for anything else.
///
/// # Errors
/// Returns an error if the file cannot be read or written.
pub(crate) fn file(from: &Path, to: &Path, meta: &Metadata) -> Result<bool> {
    if meta.is_symlink() {
        let target = fs::read_link(from).map_err(Error::file("read", from))?;
        link(&target, to).map_err(Error::file("create", to))?;
        return Ok(true);
    }
    if !meta.is_file() {
        return Ok(false);
    }
    let reads = File::open(from).map_err(Error::file("read", from))?;
    let writes = File::create_new(to).map_err(Error::file("create", to))?;
    copy_content(&reads, &writes)
        .and_then(|()| set_mode_and_time(to, meta))
        .map_err(Error::file("write", to))?;
    Ok(true)
}

fn copy_content(mut from: &File, mut to: &File) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    if rustix::fs::ioctl_ficlone(to, from).is_ok() {
        return Ok(());
    }
    io::copy(&mut from, &mut to).map(drop)
}

fn set_mode_and_time(path: &Path, meta: &Metadata) -> io::Result<()> {
    if let Ok(time) = meta.modified() {
        let times = FileTimes::new().set_modified(time);
        // Only the times of files matter, and some systems cannot open folders for writing.
        if meta.is_file() {
            File::options().write(true).open(path)?.set_times(times)?;
        }
    }
    fs::set_permissions(path, meta.permissions())
}

#[cfg(unix)]
fn link(target: &Path, at: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(target, at)
}

#[cfg(windows)]
fn link(target: &Path, at: &Path) -> io::Result<()> {
    if target.is_dir() {
        std::os::windows::fs::symlink_dir(target, at)
    } else {
        std::os::windows::fs::symlink_file(target, at)
    }
}
