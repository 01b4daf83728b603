//! Reads a file that a person named. Only regular files up to a size limit are accepted. Folders, pipes and devices are
//! refused, so reading never waits for a writer. A pipe or device can replace the file between the check of the path and the
//! call that opens it, so the opened file is checked again.

use std::{
    fs::{self, File, FileType},
    io::{self, Read as _},
    path::Path,
};

/// Reads a regular file of at most `limit` bytes. Symbolic links are followed.
///
/// # Errors
/// `IsADirectory` for a folder, `InvalidInput` for anything else that is not a regular file, `FileTooLarge` above the limit, and
/// the system's own errors.
pub fn read(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    // Opening a device can have side effects, so its type is checked first.
    let expected = fs::metadata(path)?;
    refuse_special(expected.file_type())?;
    let file = open(path)?;
    let found = file.metadata()?;
    refuse_special(found.file_type())?;
    if found.len() > limit {
        return Err(too_large(found.len(), limit));
    }
    read_bounded(file, limit)
}

/// Reads a file as [`read`] does, but returns UTF-8 text.
///
/// # Errors
/// Returns the errors of [`read`], and `InvalidData` if the bytes are not UTF-8.
pub fn read_text(path: &Path, limit: u64) -> io::Result<String> {
    text(read(path, limit)?)
}

/// Reads a stream to its end.
///
/// # Errors
/// `FileTooLarge` if the stream is longer than `limit` bytes, and the errors of the stream.
pub fn read_bounded(stream: impl io::Read, limit: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let length = stream
        .take(limit.saturating_add(1))
        .read_to_end(&mut bytes)? as u64;
    if length > limit {
        return Err(too_large(length, limit));
    }
    Ok(bytes)
}

/// Converts bytes to UTF-8 text.
///
/// # Errors
/// `InvalidData` if the bytes are not UTF-8.
pub fn text(bytes: Vec<u8>) -> io::Result<String> {
    String::from_utf8(bytes)
        .map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "it is not UTF-8 text"))
}

#[cfg(unix)]
fn open(path: &Path) -> io::Result<File> {
    use rustix::fs::{Mode, OFlags};

    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOCTTY | OFlags::NONBLOCK;
    Ok(File::from(rustix::fs::open(path, flags, Mode::empty())?))
}

#[cfg(not(unix))]
fn open(path: &Path) -> io::Result<File> {
    File::open(path)
}

fn refuse_special(file_type: FileType) -> io::Result<()> {
    if file_type.is_file() {
        return Ok(());
    }
    let (kind, what) = if file_type.is_dir() {
        (io::ErrorKind::IsADirectory, "a folder")
    } else {
        (io::ErrorKind::InvalidInput, special(file_type))
    };
    Err(io::Error::new(
        kind,
        format!("it is {what}, but only regular files can be read"),
    ))
}

#[cfg(unix)]
fn special(file_type: FileType) -> &'static str {
    use std::os::unix::fs::FileTypeExt as _;

    if file_type.is_fifo() {
        "a named pipe"
    } else if file_type.is_socket() {
        "a socket"
    } else {
        "a device"
    }
}

#[cfg(not(unix))]
fn special(_file_type: FileType) -> &'static str {
    "a device"
}

fn too_large(size: u64, limit: u64) -> io::Error {
    const MB: u64 = 1024 * 1024;

    let words = if limit < MB {
        format!("it is larger than the limit of {limit} bytes")
    } else if size > limit + 1 {
        format!(
            "it is {} MB, and the limit is {} MB",
            size.div_ceil(MB),
            limit / MB
        )
    } else {
        format!("it is larger than the limit of {} MB", limit / MB)
    };
    io::Error::new(io::ErrorKind::FileTooLarge, words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_regular_file_is_read_up_to_the_limit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        fs::write(&path, "four").unwrap();
        assert_eq!(read_text(&path, 4).unwrap(), "four");
        let error = read(&path, 3).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::FileTooLarge);
        assert!(
            error
                .to_string()
                .contains("larger than the limit of 3 bytes"),
            "{error}"
        );
        fs::write(&path, [0xff]).unwrap();
        assert_eq!(
            read_text(&path, 4).unwrap_err().kind(),
            io::ErrorKind::InvalidData
        );
        assert_eq!(
            read(&folder.path().join("b"), 4).unwrap_err().kind(),
            io::ErrorKind::NotFound
        );
        let error = read(folder.path(), 4).unwrap_err();
        assert!(error.to_string().contains("a folder"), "{error}");
    }

    #[cfg(unix)]
    #[test]
    fn pipes_and_devices_are_refused_at_once_also_behind_a_link() {
        use rustix::fs::{CWD, Mode};

        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        rustix::fs::mkfifoat(CWD, &pipe, Mode::from_raw_mode(0o600)).unwrap();
        let link = folder.path().join("link");
        std::os::unix::fs::symlink("/dev/zero", &link).unwrap();
        for (path, what) in [(pipe.as_path(), "a named pipe"), (&link, "a device")] {
            let error = read(path, 4).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::InvalidInput);
            assert!(error.to_string().contains(what), "{error}");
        }
        // Even if a pipe replaces the file after the check, opening the path does not wait for a writer.
        assert!(!open(&pipe).unwrap().metadata().unwrap().is_file());
    }

    #[test]
    fn a_stream_without_end_is_cut_off() {
        let error = read_bounded(io::repeat(0), 1024 * 1024).unwrap_err();
        assert!(
            error.to_string().contains("larger than the limit of 1 MB"),
            "{error}"
        );
    }
}
