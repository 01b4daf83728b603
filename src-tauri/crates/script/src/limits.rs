//! A call of a script: what it may use up, and what comes of it.

use std::{fmt, time::Duration};

use serde_json::{Map, Value};

use crate::{Language, Mistake};

/// Bytes of a script's source.
pub const MAX_SOURCE: usize = 64 * 1024;

/// How deeply values may be nested, in both directions.
pub const MAX_DEPTH: usize = 100;

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

/// A script to run.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    pub language: Language,
    pub source: String,
    /// Its variables. Where there is no `inputs` among them, that is all of them.
    pub values: Map<String, Value>,
    /// Larger ones than [`Limits::MAX`] are as that.
    pub limits: Limits,
}

/// Why a script gave no result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// `script_syntax` (before it ran), `script_failed` (an error in it), `script_limit` (memory, time, output),
    /// `script_result` (what it returned is no JSON), `script_worker` (no worker process could be started), `script_building`
    /// (the program of the workers is still being built), `cancelled`.
    pub code: &'static str,
    /// From 1, where it is known.
    pub line: Option<usize>,
    /// From 1, in characters, where it is known.
    pub column: Option<usize>,
    /// What is wrong, without the place.
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
    /// Without a place. `code`: one of those of [`Self::code`].
    pub fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self {
            code,
            line: None,
            column: None,
            message: message.into(),
        }
    }

    /// The script used up its time.
    pub fn time(limits: Limits) -> Self {
        Self::new(
            "script_limit",
            format!(
                "The script ran for more than {} s. Look for a loop that does not end, or do less at once.",
                limits.time.as_secs_f64()
            ),
        )
    }

    /// The script used up its memory.
    pub fn memory(limits: Limits) -> Self {
        Self::new(
            "script_limit",
            format!(
                "The script and its values need more than {} MB of memory. Do less at once.",
                limits.memory / MB
            ),
        )
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
    /// Without logs.
    pub fn failed(failure: Failure) -> Self {
        Self {
            result: Err(failure),
            logs: String::new(),
        }
    }
}

/// Why a script above [`MAX_SOURCE`] is neither read nor run.
pub fn too_long(source: &str) -> Mistake {
    Mistake {
        line: 1,
        column: None,
        message: format!(
            "The script has {} KB, and at most {} KB are read. Put data into inputs.",
            source.len() / 1024,
            MAX_SOURCE / 1024
        ),
    }
}

/// The failure of a script whose `values` are nested more deeply than [`MAX_DEPTH`]; `None` if none is.
pub fn too_deep(values: &Map<String, Value>) -> Option<Failure> {
    values
        .values()
        .any(|value| is_deeper(value, MAX_DEPTH))
        .then(|| {
            Failure::new(
                "script_failed",
                format!("An input is nested more than {MAX_DEPTH} deep."),
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
