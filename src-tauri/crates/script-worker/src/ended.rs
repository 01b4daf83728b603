//! The end of a script: the switch that stops it, the text that it has printed, and its outcome.

use std::{
    fmt,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use serde_json::Value;

use crate::{Failure, Limits, Outcome};

const MB: usize = 1024 * 1024;

/// A switch that stops a running script from another thread. All clones stop the same script.
#[derive(Debug, Clone, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    pub fn stop(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    pub(crate) fn is_stopped(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

pub(crate) fn result_too_large(limits: Limits) -> Failure {
    Failure::new(
        "script_limit",
        format!(
            "The result is larger than the maximum of {}. Return less data.",
            size(limits.result)
        ),
    )
}

pub(crate) fn no_json(why: impl fmt::Display) -> Failure {
    Failure::new(
        "script_result",
        format!("The script returns a value that is not JSON: {why}"),
    )
}

/// Formats a number of bytes for messages.
fn size(bytes: usize) -> String {
    if bytes >= MB && bytes.is_multiple_of(MB) {
        format!("{} MB", bytes / MB)
    } else {
        format!("{} KB", bytes.div_ceil(1024))
    }
}

/// The printed text of a script, up to a size limit.
#[derive(Debug, Default)]
pub(crate) struct Logs {
    text: String,
    limit: usize,
    full: bool,
}

impl Logs {
    /// Creates empty logs with a limit in bytes.
    pub(crate) fn new(limit: usize) -> Self {
        Self {
            text: String::new(),
            limit,
            full: false,
        }
    }

    /// Appends `text`.
    ///
    /// # Errors
    /// Returns the failure `script_limit` if the text does not fit. The part that fits is kept, and the script fails even if it
    /// catches the error.
    pub(crate) fn write(&mut self, text: &str) -> Result<(), Failure> {
        let room = self.limit - self.text.len();
        if !self.full && text.len() <= room {
            self.text.push_str(text);
            return Ok(());
        }
        if !self.full {
            self.full = true;
            let mut end = room;
            while !text.is_char_boundary(end) {
                end -= 1;
            }
            self.text.push_str(&text[..end]);
        }
        Err(self.failure())
    }

    fn failure(&self) -> Failure {
        Failure::new(
            "script_limit",
            format!(
                "The script prints more than the maximum of {}. Print less.",
                size(self.limit)
            ),
        )
    }

    /// Returns the outcome with this result and these logs. If the logs are full, the outcome is a failure.
    pub(crate) fn ended(self, result: Result<Value, Failure>) -> Outcome {
        let result = match result {
            // If the log is full, its failure replaces any other failure except that of a time or memory limit, because a
            // script may have caught the error of `write`.
            Err(failure) if self.full && failure.code != "script_limit" => Err(Failure {
                line: failure.line,
                column: failure.column,
                ..self.failure()
            }),
            Ok(_) if self.full => Err(self.failure()),
            result => result,
        };
        Outcome {
            result,
            logs: self.text,
        }
    }
}
