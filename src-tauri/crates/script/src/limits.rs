//! What a script may use up, and what comes of it.

use std::{
    fmt,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use serde_json::Value;

use crate::Mistake;

const MB: usize = 1024 * 1024;

/// What a script may use up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes that the interpreter holds at once, the values that it is given included.
    pub memory: usize,
    pub time: Duration,
    /// Bytes of the result as JSON, and bytes that it prints.
    pub result: usize,
}

impl Limits {
    /// The most that a script may be given.
    pub const MAX: Self = Self {
        memory: 1024 * MB,
        time: Duration::from_secs(60),
        result: 8 * MB,
    };
}

impl Default for Limits {
    /// 2 s, 256 MB, 1 MB of output.
    fn default() -> Self {
        Self {
            memory: 256 * MB,
            time: Duration::from_secs(2),
            result: MB,
        }
    }
}

/// Ends a running script from outside. Clones end the same one.
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

/// Why a script gave no result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// `script_syntax` (before it ran), `script_failed` (an error in it), `script_limit` (memory, time, output),
    /// `script_result` (what it returned is no JSON), `script_worker` (no worker process could be started), `cancelled`.
    pub code: &'static str,
    /// From 1, where it is known.
    pub line: Option<usize>,
    /// From 1, in characters, where it is known.
    pub column: Option<usize>,
    /// What is wrong, without the place.
    pub message: String,
}

/// The codes of a [`Failure`].
pub(crate) const CODES: [&str; 6] = [
    "script_syntax",
    "script_failed",
    "script_limit",
    "script_result",
    "script_worker",
    "cancelled",
];

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "line {line}: {}", self.message),
            None => f.write_str(&self.message),
        }
    }
}

impl std::error::Error for Failure {}

impl From<Mistake> for Failure {
    fn from(mistake: Mistake) -> Self {
        Self {
            code: "script_syntax",
            line: Some(mistake.line),
            column: mistake.column,
            message: mistake.message,
        }
    }
}

impl Failure {
    pub(crate) fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self {
            code,
            line: None,
            column: None,
            message: message.into(),
        }
    }

    pub(crate) fn time(limits: Limits) -> Self {
        Self::new(
            "script_limit",
            format!(
                "The script ran for more than {} s. Look for a loop that does not end, or do less at once.",
                limits.time.as_secs_f64()
            ),
        )
    }

    pub(crate) fn memory(limits: Limits) -> Self {
        Self::new(
            "script_limit",
            format!(
                "The script and its values need more than {} MB of memory. Do less at once.",
                limits.memory / MB
            ),
        )
    }

    pub(crate) fn result_too_large(limits: Limits) -> Self {
        Self::new(
            "script_limit",
            format!(
                "The result has more than {}. Return less.",
                size(limits.result)
            ),
        )
    }

    pub(crate) fn no_json(why: impl fmt::Display) -> Self {
        Self::new(
            "script_result",
            format!("The script returns what is no JSON: {why}"),
        )
    }
}

/// A number of bytes as people read it.
pub(crate) fn size(bytes: usize) -> String {
    if bytes >= MB && bytes.is_multiple_of(MB) {
        format!("{} MB", bytes / MB)
    } else {
        format!("{} KB", bytes.div_ceil(1024))
    }
}

/// What came of a script.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    pub result: Result<Value, Failure>,
    /// What it printed, also where it failed.
    pub logs: String,
}

impl Outcome {
    pub(crate) fn failed(failure: Failure) -> Self {
        Self {
            result: Err(failure),
            logs: String::new(),
        }
    }
}

/// What a script prints, up to a limit.
#[derive(Debug, Default)]
pub(crate) struct Logs {
    text: String,
    limit: usize,
    full: bool,
}

impl Logs {
    /// Of at most `limit` bytes.
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
    /// `script_limit` where it does not fit; what did fit is kept, and the script fails whatever it makes of the error.
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
                "The script prints more than {}. Print less.",
                size(self.limit)
            ),
        )
    }

    /// The outcome with these logs.
    pub(crate) fn ended(self, result: Result<Value, Failure>) -> Outcome {
        let result = match result {
            // Time and memory have the first word; a script may catch what `write` says.
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
