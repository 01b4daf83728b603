//! The reason why a schema cannot be compiled or a value cannot be checked.

use std::fmt;

use crate::meter::Stopped;

/// The reason why a schema could not be compiled or a value could not be checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SchemaError {
    /// The stable code of the reason. `bad_schema`: the schema is not a JSON Schema. `schema_limit`: the schema or a check
    /// exceeds a limit. `cancelled`: the caller no longer waits for the result.
    pub code: &'static str,
    /// The reason, as a clause whose subject is the schema: "is not a JSON Schema: …".
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
            message: format!("exceeds a limit: {why}"),
        }
    }
}

impl From<Stopped> for SchemaError {
    fn from(stopped: Stopped) -> Self {
        match stopped {
            Stopped::Limit(why) => Self::limit(why),
            Stopped::Attempt | Stopped::Cancelled => Self {
                code: "cancelled",
                message: "was not checked completely".to_owned(),
            },
        }
    }
}
