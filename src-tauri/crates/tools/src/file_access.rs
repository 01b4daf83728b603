//! Code that the file tools share: reading a file, names of temporary files, and errors.

use std::{
    io::{ErrorKind, Read as _},
    path::Path,
    sync::atomic::{AtomicU64, Ordering},
};

use cap_std::fs::OpenOptions;
use loopwright_engine::NodeError;
use serde_json::Value;

use crate::folders::Open;

/// The name prefix of temporary files, which are written next to their target. Their names do not contain the target's name,
/// which may already have the maximum length.
const PART: &str = ".loopwright";

/// The maximum size of a file that is read or written, in bytes.
pub(crate) const MAX_FILE: u64 = 8 * 1024 * 1024;
pub(crate) fn bad(words: impl Into<String>) -> NodeError {
    NodeError::new("tool_bad_arguments", words)
}

pub(crate) fn failed(path: &Path, doing: &str, error: &std::io::Error) -> NodeError {
    let path = path.display();
    match error.kind() {
        ErrorKind::NotFound => NodeError::new(
            "not_found",
            format!("There is no file {path}. Check the path."),
        ),
        ErrorKind::AlreadyExists => NodeError::new(
            "exists",
            format!(
                "{path} already exists, and this call must not replace it. Choose another name."
            ),
        ),
        // The error of cap-std for a link or a `..` that leads out of the folder.
        ErrorKind::PermissionDenied if error.to_string().contains("outside") => NodeError::new(
            "outside_folder",
            format!("{path} leads out of its folder, perhaps through a link. Nothing was {doing}."),
        ),
        _ => NodeError::new(
            "file_failed",
            format!("{path} could not be {doing}: {error}."),
        ),
    }
}

/// Opens a regular file for reading. Returns an error for anything else: a read from a pipe or a device might never return.
fn open_file(open: &Open, path: &Path) -> Result<cap_std::fs::File, NodeError> {
    let failed = |error: std::io::Error| failed(path, "read", &error);
    let no_file = || {
        NodeError::new(
            "file_failed",
            format!(
                "{} is not a regular file, and cannot be read. Check that it is not a folder.",
                path.display()
            ),
        )
    };
    // The check comes first, because opening a device can have side effects.
    if !open.dir.metadata(path).map_err(failed)?.is_file() {
        return Err(no_file());
    }
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use cap_std::fs::OpenOptionsExt as _;
        use rustix::fs::OFlags;
        // The path may have been replaced since the check. Opening a pipe must not wait for a writer.
        let flags = OFlags::NONBLOCK | OFlags::NOCTTY;
        options.custom_flags(flags.bits().cast_signed());
    }
    let file = open.dir.open_with(path, &options).map_err(failed)?;
    if file.metadata().map_err(failed)?.is_file() {
        Ok(file)
    } else {
        Err(no_file())
    }
}

pub(crate) fn read(open: &Open, path: &Path) -> Result<Value, NodeError> {
    let failed = |error: std::io::Error| failed(path, "read", &error);
    open.refuse_closed(path)?;
    let file = open_file(open, path)?;
    let mut bytes = Vec::new();
    file.take(MAX_FILE + 1)
        .read_to_end(&mut bytes)
        .map_err(failed)?;
    if bytes.len() as u64 > MAX_FILE {
        return Err(NodeError::new(
            "file_too_large",
            format!(
                "{} is larger than {} MB. Split it, or use a smaller file.",
                path.display(),
                MAX_FILE / 1024 / 1024
            ),
        ));
    }
    String::from_utf8(bytes).map(Value::String).map_err(|_| {
        NodeError::new(
            "not_text",
            format!(
                "{} is not UTF-8 text. Convert it to UTF-8 first.",
                path.display()
            ),
        )
    })
}

/// A counter of the temporary files that have been created, which makes their names distinct.
static WRITTEN: AtomicU64 = AtomicU64::new(0);

/// Returns a name for a temporary file that no other file has.
pub(crate) fn part_name() -> String {
    let number = WRITTEN.fetch_add(1, Ordering::Relaxed);
    format!("{PART}-{}-{number}.part", std::process::id())
}
