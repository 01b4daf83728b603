//! Errors when a data set is read.

/// The reason why a data set cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}{message}", .line.map_or_else(String::new, |line| format!("Line {line}: ")))]
pub struct DataError {
    /// The line in the file, from 1. `None` if the problem is not on one line.
    pub line: Option<u32>,
    pub column: Option<String>,
    /// The problem and its remedy.
    pub message: String,
}

impl DataError {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self {
            line: None,
            column: None,
            message: message.into(),
        }
    }

    pub(crate) fn at(line: u32, message: impl Into<String>) -> Self {
        Self {
            line: Some(line),
            ..Self::new(message)
        }
    }

    pub(crate) fn of_column(mut self, column: &str) -> Self {
        self.column = Some(column.to_owned());
        self
    }

    pub(crate) fn io(error: &std::io::Error) -> Self {
        Self::new(format!(
            "The file cannot be read: {error}. Check that it exists and that you have permission to read it."
        ))
    }
}
