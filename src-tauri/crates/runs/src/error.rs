//! The one error that commands give: a code that callers branch on, and words for a person.

use std::io::ErrorKind;

use loopwright_engine::{journal::JournalError, redact::without_user_info};
use loopwright_model::file::ReadError;
use serde::Serialize;
use specta::Type;
use thiserror::Error;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum Code {
    NotFound,
    InvalidFlow,
    /// A file is of no format that can be imported.
    UnknownFormat,
    /// A file that is imported has marks of several readings of its format.
    AmbiguousDialect,
    TooNew,
    ChangedOnDisk,
    Io,
    Busy,
    InvalidArgument,
    /// What is asked for cannot be done with this file: it would come out as something else.
    Unsupported,
    /// The flow would use something that nobody has approved.
    NotApproved,
    /// A journal is not what the program makes of its flow.
    Diverged,
    Internal,
}

#[derive(Debug, Clone, PartialEq, Eq, Error, Serialize, Type)]
#[error("{message}")]
pub struct ApiError {
    pub code: Code,
    pub message: String,
    pub path: Option<String>,
}

impl ApiError {
    /// An error for people. Names and passwords in addresses are not shown.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self {
            code,
            message: without_user_info(&message.into()).into_owned(),
            path: None,
        }
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
                format!("There is no file {path}.")
            }
            ReadError::Io { path, source } if source.kind() == ErrorKind::IsADirectory => {
                format!("{path} is a folder. Name a flow file in it.")
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
        Self::new(code, error.to_string())
    }
}
