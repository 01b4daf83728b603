//! Reads an agent's standard output line by line while the program works. Only the lines that the answer needs are kept, so
//! that a long turn needs little memory.

use std::{io, sync::Arc};

use loopwright_engine::{
    redact::{RedactedBytes, Redactor},
    transcript::{Activity, ActivityKind},
};
use serde_json::Value;

use super::{format::Format, readers::Reader, readers::reader, transcript::Transcript};

/// The maximum number of bytes that are kept for the answer. A program that exceeds it is stopped.
const MAX_KEPT: usize = 16 * 1024 * 1024;
/// The maximum number of bytes of one event. A longer line is skipped.
const MAX_LINE: usize = 8 * 1024 * 1024;
/// The maximum number of bytes that a program may print in one turn.
const MAX_PRINTED: u64 = 4 * 1024 * 1024 * 1024;
/// The number of bytes at the start of the output that are always kept, for the error message about output without an
/// answer.
const BEGINNING: usize = 1_000;

pub(super) struct Stream {
    redacted: RedactedBytes,
    reader: Box<dyn Reader>,
    /// Whether the program's events are known. If not, its whole output is kept.
    is_known: bool,
    transcript: Transcript,
    /// The part of the current line that has arrived.
    line: Vec<u8>,
    /// The number of bytes of the current line that were skipped, because the line exceeds the limit.
    skipped: usize,
    kept: String,
    printed: u64,
}

impl Stream {
    pub(super) fn new(format: &Format, redactor: Arc<Redactor>, transcript: Transcript) -> Self {
        Self {
            redacted: RedactedBytes::new(redactor),
            reader: reader(format),
            is_known: !matches!(format, Format::Own { .. }),
            transcript,
            line: Vec::new(),
            skipped: 0,
            kept: String::new(),
            printed: 0,
        }
    }

    pub(super) fn transcript(&mut self) -> &mut Transcript {
        &mut self.transcript
    }

    /// Adds bytes of the output.
    ///
    /// # Errors
    /// Returns an error if the program printed more than a limit allows.
    pub(super) fn push(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.printed = self.printed.saturating_add(bytes.len() as u64);
        if self.printed > MAX_PRINTED {
            return Err(too_much(MAX_PRINTED));
        }
        let mut shown = Vec::with_capacity(bytes.len());
        self.redacted
            .push(bytes, |bytes| shown.extend_from_slice(bytes));
        self.lines(&shown);
        if self.kept.len() > MAX_KEPT {
            return Err(too_much(MAX_KEPT as u64));
        }
        Ok(())
    }

    fn lines(&mut self, mut bytes: &[u8]) {
        while let Some(end) = bytes.iter().position(|byte| *byte == b'\n') {
            self.extend(&bytes[..=end]);
            self.end_line();
            bytes = &bytes[end + 1..];
        }
        self.extend(bytes);
    }

    /// Adds bytes to the current line. The bytes of a line that is too long are only counted.
    fn extend(&mut self, bytes: &[u8]) {
        let is_long = self.line.len() + bytes.len() > MAX_LINE;
        if self.skipped > 0 || (is_long && self.is_known) {
            self.skipped += self.line.len() + bytes.len();
            self.line = Vec::new();
        } else if is_long {
            // If the program's events are unknown, the output is read as a whole, so its lines need not be complete.
            self.end_line();
            self.line.extend_from_slice(bytes);
        } else {
            self.line.extend_from_slice(bytes);
        }
    }

    fn end_line(&mut self) {
        let skipped = std::mem::take(&mut self.skipped);
        if skipped > 0 {
            self.transcript.add(Activity::new(
                ActivityKind::Failed,
                format!(
                    "A line of {} MB in the agent's output was skipped, because it is too long to be an event.",
                    skipped >> 20
                ),
            ));
            return;
        }
        let line = std::mem::take(&mut self.line);
        let line = String::from_utf8_lossy(&line);
        let json = line.trim().trim_start_matches('\u{feff}');
        let event = json
            .starts_with('{')
            .then(|| serde_json::from_str::<Value>(json).ok())
            .flatten();
        let is_needed = match &event {
            Some(event) => self.reader.event(event, &mut self.transcript),
            None => {
                if !self.is_known || !json.starts_with(['{', '[', '}', ']', '"']) {
                    self.reader.text(json, &mut self.transcript);
                }
                true
            }
        };
        if is_needed || !self.is_known || self.kept.len() + line.len() < BEGINNING {
            self.kept.push_str(&line);
        }
    }

    /// Ends the output. `errors` is the program's standard error. Returns the part of the output that the answer needs.
    pub(super) fn end(&mut self, errors: &str) -> String {
        let rest = self.redacted.end();
        self.lines(&rest);
        if !self.line.is_empty() || self.skipped > 0 {
            self.end_line();
        }
        self.reader.end(&mut self.transcript);
        self.transcript.close(errors);
        if let Some(stand_in) = self.reader.stand_in() {
            if !self.kept.is_empty() && !self.kept.ends_with('\n') {
                self.kept.push('\n');
            }
            self.kept.push_str(stand_in);
        }
        std::mem::take(&mut self.kept)
    }
}

fn too_much(limit: u64) -> io::Error {
    io::Error::other(format!(
        "it printed more than the maximum of {} MB",
        limit >> 20
    ))
}
