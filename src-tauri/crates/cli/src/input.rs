//! Reads the input of commands: a file, a pipe of the shell, or standard input, always up to a limit.
//!
//! The path of a named pipe or a device is refused, because reading it may never end. Standard input and pipes that the shell
//! opened for this program (`<(…)`, a path below `/dev/fd`) are read to their end. If this takes long, a line on standard error
//! says so.

use std::{
    fs::File,
    io::{self, Read},
    path::Path,
    sync::mpsc,
    thread,
    time::Duration,
};

use loopwright_api::{json, named_file};
use loopwright_runs::{ApiError, Code};
use serde_json::Value;

use crate::out::errln;

/// The maximum size of the value of `--input-file`, in bytes.
pub(crate) const MAX_VALUE: u64 = 64 << 20;
/// The time after which a line on standard error says that the command is waiting for input.
const NOTICE: Duration = Duration::from_secs(3);

/// Parses JSON. `what` names the source of the text in errors, such as `--value` or "The input `n`".
///
/// # Errors
/// Returns an error if the text is not JSON, or if the value cannot be stored exactly.
pub(crate) fn json(text: &str, what: &str) -> Result<Value, ApiError> {
    json::read(text).map_err(|error| {
        let fault = if error.is_json {
            "cannot be stored exactly as written"
        } else {
            "must be JSON, but is not"
        };
        invalid(format!("{what} {fault}: {error}."))
    })
}

/// Parses the JSON of `--value`.
///
/// # Errors
/// Returns an error if the value is not JSON, or if it cannot be stored exactly.
pub(crate) fn value(text: &str) -> Result<Value, ApiError> {
    json(text, "--value").map_err(|error| ApiError {
        message: format!("{} Put text in quotes: --value '\"text\"'.", error.message),
        ..error
    })
}

/// Parses JSON like [`json`], but returns text that is not JSON as a string.
///
/// # Errors
/// Returns an error if the text is JSON that cannot be stored exactly.
pub(crate) fn json_or_text(text: &str, what: &str) -> Result<Value, ApiError> {
    json::read_or_text(text).map_err(|error| {
        invalid(format!(
            "{what} cannot be stored exactly as written: {error}."
        ))
    })
}

fn invalid(message: String) -> ApiError {
    ApiError::new(Code::InvalidArgument, message)
}

/// Reads a file, or standard input if `path` is `-`, as UTF-8 text of at most `limit` bytes.
///
/// # Errors
/// Returns an error if the input cannot be read, is longer than `limit`, or is not UTF-8.
pub(crate) fn text(path: &str, limit: u64) -> Result<String, ApiError> {
    bytes(path, limit)
        .and_then(|bytes| named_file::text(bytes).map_err(|error| failed(path, &error)))
}

/// Reads a file like [`text`], but returns bytes, which need not be UTF-8.
///
/// # Errors
/// Returns an error if the input cannot be read or is longer than `limit`.
pub(crate) fn bytes(path: &str, limit: u64) -> Result<Vec<u8>, ApiError> {
    let read = if path == "-" {
        stream(io::stdin(), path, limit)
    } else if is_handed_over(path) {
        File::open(path).and_then(|file| stream(file, path, limit))
    } else {
        named_file::read(Path::new(path), limit)
    };
    read.map_err(|error| failed(path, &error))
}

/// Returns whether a path is a stream that was open when this program started: standard input or a pipe of the shell.
pub(crate) fn is_handed_over(path: &str) -> bool {
    let named = path == "/dev/stdin"
        || ["/dev/fd/", "/proc/self/fd/"].iter().any(|folder| {
            path.strip_prefix(folder)
                .is_some_and(|number| number.parse::<u32>().is_ok())
        });
    // Standard input may be a regular file, under any of these names.
    named && !Path::new(path).is_file()
}

/// Returns the name by which messages refer to an input: its path, or `Standard input` for `-`.
pub(crate) fn title(path: &str) -> &str {
    match path {
        "-" => "Standard input",
        path => path,
    }
}

fn failed(path: &str, error: &io::Error) -> ApiError {
    let code = match error.kind() {
        io::ErrorKind::NotFound => Code::NotFound,
        io::ErrorKind::InvalidInput
        | io::ErrorKind::IsADirectory
        | io::ErrorKind::InvalidData
        | io::ErrorKind::FileTooLarge => Code::InvalidArgument,
        _ => Code::Io,
    };
    ApiError::new(code, format!("{} cannot be read: {error}.", title(path)))
}

fn stream(stream: impl Read, path: &str, limit: u64) -> io::Result<Vec<u8>> {
    let (done, waiting) = mpsc::channel::<()>();
    let name = title(path).to_owned();
    let notice = thread::spawn(move || {
        if waiting.recv_timeout(NOTICE) == Err(mpsc::RecvTimeoutError::Timeout) {
            errln!("Still reading {name}. Press Ctrl-C to stop.");
        }
    });
    let read = named_file::read_bounded(stream, limit);
    drop(done);
    // The thread only prints, so its result does not matter.
    let _ = notice.join();
    read
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_descriptors_of_this_program_are_handed_over() {
        for path in [
            "/dev/fd/x",
            "/dev/fd/3/x",
            "/dev/fd/",
            "/dev/zero",
            "a",
            "-",
        ] {
            assert!(!is_handed_over(path), "{path}");
        }
    }
}
