//! The error of all commands: a code that callers branch on, and a message for people.

use std::io::ErrorKind;

use loopwright_engine::{journal::JournalError, redact::without_user_info};
use loopwright_model::file::ReadError;
use serde::{Deserialize, Serialize};
use specta::Type;
use thiserror::Error;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum Code {
    NotFound,
    InvalidFlow,
    /// The file's format cannot be imported.
    UnknownFormat,
    /// The imported file has features of several dialects of its format.
    AmbiguousDialect,
    TooNew,
    ChangedOnDisk,
    Io,
    Busy,
    InvalidArgument,
    /// The request is not possible: this store does not support it, or it would change the meaning of the file.
    Unsupported,
    /// The flow would use something that is not approved.
    NotApproved,
    /// The journal of a run differs from the records that this program produces for the run's flow.
    Diverged,
    Internal,
}

/// The thing that an error is about. A page may have its own message or field for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum Subject {
    /// A run store on another machine. It cannot be reached.
    Store,
    /// The name of a shared store. It is invalid or already in use.
    StoreName,
}

#[derive(Debug, Clone, PartialEq, Eq, Error, Serialize, Type)]
#[error("{message}")]
pub struct ApiError {
    pub code: Code,
    pub message: String,
    pub path: Option<String>,
    pub subject: Option<Subject>,
    /// The reason alone, as a sentence, without the part of `message` that says what failed. A page that has already
    /// said what failed shows only the reason. Null if `message` is the only text.
    pub reason: Option<String>,
}

impl ApiError {
    /// Creates an error with a message for people. Names and passwords in addresses are removed.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self {
            code,
            message: without_user_info(&message.into()).into_owned(),
            path: None,
            subject: None,
            reason: None,
        }
    }

    pub fn about(self, subject: Subject) -> Self {
        Self {
            subject: Some(subject),
            ..self
        }
    }

    /// Sets `reason`, with a capital letter. Names and passwords in addresses are removed from it.
    pub fn because(mut self, reason: &str) -> Self {
        let reason = without_user_info(reason);
        let mut letters = reason.chars();
        let first = letters.next().into_iter().flat_map(char::to_uppercase);
        self.reason = Some(first.chain(letters).collect());
        self
    }

    pub fn at(mut self, path: impl Into<String>) -> Self {
        self.path = Some(path.into());
        self
    }
}

impl From<ReadError> for ApiError {
    fn from(error: ReadError) -> Self {
        let code = match &error {
            ReadError::Io { source, .. } => match source.kind() {
                ErrorKind::NotFound => Code::NotFound,
                ErrorKind::IsADirectory | ErrorKind::InvalidInput => Code::InvalidArgument,
                _ => Code::Io,
            },
            ReadError::TooNew { .. } => Code::TooNew,
            _ => Code::InvalidFlow,
        };
        let message = match &error {
            ReadError::Io { path, source } if source.kind() == ErrorKind::NotFound => {
                format!("The file {path} does not exist. Check the path.")
            }
            ReadError::Io { path, source } if source.kind() == ErrorKind::IsADirectory => {
                format!("{path} is a folder. Give the path of a flow file in it.")
            }
            other => other.to_string(),
        };
        Self::new(code, message)
    }
}

impl From<JournalError> for ApiError {
    fn from(error: JournalError) -> Self {
        let code = match &error {
            JournalError::NoRun(_) => Code::NotFound,
            JournalError::Exists(_) => Code::InvalidArgument,
            JournalError::Busy(_) | JournalError::TakenOver(_) | JournalError::Unreachable(_) => {
                Code::Busy
            }
            JournalError::TooNew { .. } => Code::TooNew,
            JournalError::Write(_)
            | JournalError::Read(_)
            | JournalError::Damaged(_)
            | JournalError::DamagedRun { .. }
            | JournalError::Full
            | JournalError::ReadOnly(_) => Code::Io,
        };
        let words = Self::new(code, error.to_string());
        match &error {
            JournalError::Unreachable(why) => words
                .about(Subject::Store)
                .because(&format!("{why}. {}", JournalError::REACH_IT)),
            _ => words,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_store_that_cannot_be_reached_gives_its_reason_alone() {
        let error = ApiError::from(JournalError::Unreachable(
            "no route to postgres://me:secret@host".to_owned(),
        ));
        assert_eq!(
            (error.code, error.subject),
            (Code::Busy, Some(Subject::Store))
        );
        let reason = error.reason.expect("a reason");
        assert_eq!(
            reason,
            "No route to postgres://***@host. Check that its server is running and that the address is right."
        );
        assert_eq!(
            error.message,
            format!(
                "The run store cannot be reached: {}",
                reason.replace("No route", "no route")
            )
        );
        let other = ApiError::from(JournalError::Busy("a backup".to_owned()));
        assert_eq!((other.subject, other.reason), (None, None));
    }
}
