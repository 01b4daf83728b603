//! A call of a script, its limits and its outcome.

use std::{fmt, time::Duration};

use serde_json::{Map, Value};

use crate::{Language, Mistake};

/// The maximum size of a script's source, in bytes.
pub const MAX_SOURCE: usize = 64 * 1024;

/// The maximum nesting depth of values, both for input and for output.
pub const MAX_DEPTH: usize = 100;

const MB: usize = 1024 * 1024;

/// The resources that a script may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The memory of the interpreter in bytes, including the script's input values.
    pub memory: usize,
    pub time: Duration,
    /// The maximum size in bytes of the result as JSON. The same maximum applies separately to the printed text.
    pub result: usize,
}

impl Limits {
    /// The highest limits for a script.
    pub const MAX: Self = Self {
        memory: 1024 * MB,
        time: Duration::from_secs(60),
        result: 8 * MB,
    };
}

impl Default for Limits {
    /// Returns limits of 2 s, 256 MB, and 1 MB of output.
    fn default() -> Self {
        Self {
            memory: 256 * MB,
            time: Duration::from_secs(2),
            result: MB,
        }
    }
}

/// A script to run.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    pub language: Language,
    pub source: String,
    /// The script's variables. The additional variable `inputs` contains all of them, unless one of them has that name.
    pub values: Map<String, Value>,
    /// The limits of the call. Each is reduced to its maximum in [`Limits::MAX`] if it is higher.
    pub limits: Limits,
}

/// The reason why a script has no result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// The code of the reason: `script_syntax` (an error that was found before the script ran), `script_failed` (an error in
    /// the running script), `script_limit` (the script exceeded its limit of memory, time or output), `script_result` (the
    /// result is not JSON), `script_worker` (no worker process could be started), `script_building` (the workers' program is
    /// still being built) or `cancelled`.
    pub code: &'static str,
    /// The line, from 1, if it is known.
    pub line: Option<usize>,
    /// The column in characters, from 1, if it is known.
    pub column: Option<usize>,
    /// The problem, without the line and column.
    pub message: String,
}

/// The codes of a [`Failure`].
pub(crate) const CODES: [&str; 7] = [
    "script_syntax",
    "script_failed",
    "script_limit",
    "script_result",
    "script_worker",
    "script_building",
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
    /// Creates a failure without a line and column. `code` is one of the codes listed at [`Self::code`].
    pub fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self {
            code,
            line: None,
            column: None,
            message: message.into(),
        }
    }

    /// Creates the failure of a script that exceeded its time limit.
    pub fn time(limits: Limits) -> Self {
        Self::new(
            "script_limit",
            format!(
                "The script ran for more than {} s. Look for a loop that does not end, or process less data at a time.",
                limits.time.as_secs_f64()
            ),
        )
    }

    /// Creates the failure of a script that exceeded its memory limit.
    pub fn memory(limits: Limits) -> Self {
        Self::new(
            "script_limit",
            format!(
                "The script and its values need more than {} MB of memory. Process less data at a time.",
                limits.memory / MB
            ),
        )
    }
}

/// The outcome of a script.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    pub result: Result<Value, Failure>,
    /// The printed text, even if the script failed.
    pub logs: String,
}

impl Outcome {
    /// Creates the outcome of a failure without printed text.
    pub fn failed(failure: Failure) -> Self {
        Self {
            result: Err(failure),
            logs: String::new(),
        }
    }
}

/// Returns the message about a script that is longer than [`MAX_SOURCE`] and is therefore neither read nor run.
pub fn too_long(source: &str) -> Mistake {
    Mistake {
        line: 1,
        column: None,
        message: format!(
            "The script is {} KB long, but the limit is {} KB. Move data from the script into inputs.",
            source.len() / 1024,
            MAX_SOURCE / 1024
        ),
    }
}

/// Returns the failure of a script if one of its `values` is nested more deeply than [`MAX_DEPTH`].
pub fn too_deep(values: &Map<String, Value>) -> Option<Failure> {
    values
        .values()
        .any(|value| is_deeper(value, MAX_DEPTH))
        .then(|| {
            Failure::new(
                "script_failed",
                format!(
                    "An input is nested more than {MAX_DEPTH} levels deep. Pass a value with fewer levels."
                ),
            )
        })
}

fn is_deeper(value: &Value, left: usize) -> bool {
    let within = |inner: &Value| left == 0 || is_deeper(inner, left - 1);
    match value {
        Value::Array(items) => left == 0 || items.iter().any(within),
        Value::Object(fields) => left == 0 || fields.values().any(within),
        _ => false,
    }
}
