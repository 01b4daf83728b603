//! Why a schema cannot be compiled, or a value not checked.

use std::fmt;

use crate::meter::Stopped;

/// Why there is no compiled schema, or no verdict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SchemaError {
    /// `bad_schema`: it is no JSON Schema; `schema_limit`: it, or a check, goes beyond a bound; `cancelled`: nobody waits for
    /// the verdict any more.
    pub code: &'static str,
    /// A clause about the schema: "is not a JSON Schema: …".
    pub message: String,
}

impl fmt::Display for SchemaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for SchemaError {}

impl SchemaError {
    pub(super) fn bad(message: impl fmt::Display) -> Self {
        Self {
            code: "bad_schema",
            message: format!("is not a JSON Schema: {message}"),
        }
    }

    pub(super) fn limit(why: impl fmt::Display) -> Self {
        Self {
            code: "schema_limit",
            message: format!("goes beyond a bound: {why}"),
        }
    }
}

impl From<Stopped> for SchemaError {
    fn from(stopped: Stopped) -> Self {
        match stopped {
            Stopped::Limit(why) => Self::limit(why),
            Stopped::Attempt | Stopped::Cancelled => Self {
                code: "cancelled",
                message: "was not checked to the end".to_owned(),
            },
        }
    }
}
