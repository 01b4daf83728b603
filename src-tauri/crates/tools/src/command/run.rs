//! Runs one program from its start to its exit: sends its input, and keeps a limited amount of its output.

use std::{
    collections::VecDeque,
    ffi::OsString,
    io,
    path::{Path, PathBuf},
    process::ExitStatus,
    sync::Arc,
};

use loopwright_engine::redact::{RedactedBytes, Redactor};
use tokio::io::{AsyncRead, AsyncReadExt as _};

use crate::{program::Started, workspace::Limits};

/// The program to start.
pub(super) struct Start<'a> {
    pub(super) program: &'a str,
    pub(super) args: &'a [String],
    pub(super) cwd: &'a Path,
    /// Variables in addition to those that every program needs.
    pub(super) env: &'a [(String, String)],
    /// The limits of the workspace in which the program works.
    pub(super) limits: Option<&'a Limits>,
}

/// The content of one output stream.
#[derive(Debug, Default)]
pub(super) struct Output {
    pub(super) text: String,
    /// Whether the middle of the output was left out, because the output is longer than the limit.
    pub(super) truncated: bool,
    /// Whether invalid UTF-8 was replaced by `�`.
    pub(super) replaced: bool,
}

#[derive(Debug, Default)]
pub(super) struct Ended {
    /// The exit code, or `None` if a signal ended the program.
    pub(super) code: Option<i32>,
    /// The signal, such as `SIGKILL`, or `None` if the program exited.
    pub(super) signal: Option<String>,
    pub(super) stdout: Output,
    pub(super) stderr: Output,
}

/// Resolves a program's path relative to its folder. A name without a folder is unchanged.
fn located(program: &str, cwd: &Path) -> OsString {
    let path = Path::new(program);
    let is_name = path.components().count() == 1 && !program.starts_with('.');
    if is_name || path.is_absolute() {
        return program.into();
    }
    let path: PathBuf = cwd.join(path).components().collect();
    path.into()
}

impl Start<'_> {
    pub(super) async fn start(&self) -> io::Result<Started> {
        let command = located(self.program, self.cwd);
        Started::new(command, self.args, self.cwd, self.env, self.limits).await
    }
}

/// Sends the input to the program and waits for its exit. Of each output, the first and last bytes are kept, `most` in
/// total, without the secrets that `redactor` knows.
///
/// # Errors
/// Returns an error if the program's exit status or output cannot be read.
pub(super) async fn finish(
    mut started: Started,
    input: String,
    most: usize,
    redactor: Arc<Redactor>,
) -> io::Result<Ended> {
    let mut stdout = Kept::new(most, Arc::clone(&redactor));
    let mut stderr = Kept::new(most, redactor);
    let (out, err) = started.outputs();
    let read = async { tokio::try_join!(stdout.read(out), stderr.read(err)).map(drop) };
    let status = started.finish(input, read).await?;
    Ok(Ended {
        code: status.code(),
        signal: signal(status),
        stdout: stdout.output(),
        stderr: stderr.output(),
    })
}

#[cfg(unix)]
fn signal(status: ExitStatus) -> Option<String> {
    use std::os::unix::process::ExitStatusExt as _;
    let number = status.signal()?;
    let name = match number {
        1 => "SIGHUP",
        2 => "SIGINT",
        3 => "SIGQUIT",
        4 => "SIGILL",
        6 => "SIGABRT",
        8 => "SIGFPE",
        9 => "SIGKILL",
        11 => "SIGSEGV",
        13 => "SIGPIPE",
        14 => "SIGALRM",
        15 => "SIGTERM",
        other => return Some(format!("signal {other}")),
    };
    Some(name.to_owned())
}

#[cfg(not(unix))]
fn signal(_status: ExitStatus) -> Option<String> {
    None
}

/// The first and the last bytes of an output.
struct Kept {
    redacted: RedactedBytes,
    ends: Ends,
}

struct Ends {
    first: Vec<u8>,
    last: VecDeque<u8>,
    most_first: usize,
    most_last: usize,
    left_out: u64,
}

impl Ends {
    fn new(most: usize) -> Self {
        let most_last = most / 2;
        Self {
            first: Vec::new(),
            last: VecDeque::new(),
            most_first: most - most_last,
            most_last,
            left_out: 0,
        }
    }

    fn add(&mut self, bytes: &[u8]) {
        let room = self.most_first - self.first.len();
        let (first, rest) = bytes.split_at(room.min(bytes.len()));
        self.first.extend_from_slice(first);
        self.last.extend(rest);
        let over = self.last.len().saturating_sub(self.most_last);
        self.last.drain(..over);
        self.left_out += over as u64;
    }
}

impl Kept {
    fn new(most: usize, redactor: Arc<Redactor>) -> Self {
        Self {
            redacted: RedactedBytes::new(redactor),
            ends: Ends::new(most),
        }
    }

    fn add(&mut self, bytes: &[u8]) {
        let ends = &mut self.ends;
        self.redacted.push(bytes, |bytes| ends.add(bytes));
    }

    async fn read(&mut self, from: Option<impl AsyncRead + Unpin>) -> io::Result<()> {
        let Some(mut from) = from else { return Ok(()) };
        let mut part = vec![0; 16 * 1024];
        loop {
            match from.read(&mut part).await? {
                0 => return Ok(()),
                length => self.add(&part[..length]),
            }
        }
    }

    fn output(mut self) -> Output {
        let held = self.redacted.end();
        self.ends.add(&held);
        let mut output = self.ends.output();
        output.replaced |= self.redacted.replaced;
        output
    }
}

impl Ends {
    fn output(self) -> Output {
        let last = Vec::from(self.last);
        if self.left_out == 0 {
            let (text, replaced) = decoded(&[self.first, last].concat());
            return Output {
                text,
                replaced,
                truncated: false,
            };
        }
        // A character that the limit split is not invalid output of the program.
        let (first, last) = (whole_end(&self.first), whole_start(&last));
        let (first, one) = decoded(first);
        let (last, other) = decoded(last);
        Output {
            text: format!("{first}\n… {} bytes left out …\n{last}", self.left_out),
            truncated: true,
            replaced: one || other,
        }
    }
}

/// Decodes bytes as text. Also returns whether some were invalid UTF-8.
fn decoded(bytes: &[u8]) -> (String, bool) {
    match std::str::from_utf8(bytes) {
        Ok(text) => (text.to_owned(), false),
        Err(_) => (String::from_utf8_lossy(bytes).into_owned(), true),
    }
}

/// Removes an incomplete character at the end.
fn whole_end(bytes: &[u8]) -> &[u8] {
    match std::str::from_utf8(bytes) {
        Err(error) if error.error_len().is_none() => &bytes[..error.valid_up_to()],
        _ => bytes,
    }
}

/// Removes an incomplete character at the start.
fn whole_start(bytes: &[u8]) -> &[u8] {
    let continued = bytes
        .iter()
        .take(3)
        .take_while(|byte| **byte & 0xC0 == 0x80)
        .count();
    &bytes[continued..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_and_the_last_bytes_are_kept() {
        let mut kept = Kept::new(8, Arc::default());
        for part in ["ab", "cdäö", "xyz", "12"] {
            kept.add(part.as_bytes());
        }
        let output = kept.output();
        assert_eq!(output.text, "abcd\n… 5 bytes left out …\nyz12");
        assert!(output.truncated && !output.replaced);
        let mut kept = Kept::new(8, Arc::default());
        kept.add(b"a\xffb");
        let output = kept.output();
        assert_eq!(output.text, "a\u{fffd}b");
        assert!(!output.truncated && output.replaced);
    }

    #[test]
    fn a_key_is_taken_out_before_the_middle_is_left_out() {
        let key = "sk-canary-Ab7f3a9c2e1d5b8a40";
        for before in 0..80 {
            let mut kept = Kept::new(54, Arc::new(Redactor::new([key])));
            let text = format!("{}{key}{}", "0".repeat(before), "1".repeat(80 - before));
            for part in text.as_bytes().chunks(11) {
                kept.add(part);
            }
            let shown = kept.output().text;
            assert!(
                !shown.contains(&key[..6]) && !shown.contains(&key[22..]),
                "{shown}"
            );
        }
    }
}
