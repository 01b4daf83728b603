//! Data sets: reading cases from files of several formats.
//!
//! | format | what is read |
//! | --- | --- |
//! | JSONL | an object a line; also Inspect samples, and the `item` or `input` and `ideal` of OpenAI evals |
//! | JSON | a list of objects; also an object that holds such a list, and a promptfoo configuration |
//! | CSV, TSV | a header and rows, also behind a line `sep=;`; also promptfoo's columns, which begin with `__` |
//! | YAML | a list of objects, a list of promptfoo tests, or a promptfoo configuration |
//!
//! JSONL, JSON lists, CSV and TSV are read in a stream: only the cases stay in memory. JSON objects and YAML are read whole.
//!
//! A row that does not fit is rejected and the others are read. An error that concerns every row ends reading.

mod canonical;
mod csv;
mod document;
mod format;
mod head;
mod ids;
mod items;
mod lines;
mod mapping;
mod notes;
mod promptfoo;
mod rejection;
mod shape;
mod shaped_row;
mod strict;
mod values;

use std::io::{BufRead, Read};

use serde::{Deserialize, Serialize};

pub use format::Format;

use crate::result::{Case, RejectedRow};

/// The largest row, in bytes.
pub const MAX_ROW_BYTES: usize = 16 * 1024 * 1024;
/// The most cases of a data set.
pub const MAX_CASES: usize = 1_000_000;
/// The largest JSON object or YAML file that holds a list of cases, in bytes. These are read whole.
pub const MAX_DOCUMENT_BYTES: usize = 64 * 1024 * 1024;
/// The most rejected rows that are listed. A note counts the others.
pub const MAX_REJECTED: usize = 10_000;

/// What a flow wants to know of a data set.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Columns {
    /// The column with the id of a case. Default: `id` where there is one, else a hash of the row.
    pub id: Option<String>,
    pub inputs: Vec<InputColumn>,
    /// The column with what a result is compared with. Default: the first of `expected`, `target`, `reference` and `ideal` that a row
    /// has and no input reads.
    pub expected: Option<String>,
}

/// An input of the flow and the column that fills it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct InputColumn {
    pub name: String,
    /// The column that fills it, where that is not the one of its name.
    pub column: Option<String>,
    pub required: bool,
    pub has_default: bool,
    pub data_type: DataType,
}

/// The `dataType` of a flow's input.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DataType {
    #[default]
    Text,
    Json,
    Number,
    Boolean,
    /// A file path.
    File,
}

/// What was read.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct DataSet {
    /// In the order of the file.
    pub cases: Vec<Case>,
    /// Rows that do not fit, at most [`MAX_REJECTED`] of them.
    pub rejected: Vec<RejectedRow>,
    /// Every column, in order of appearance.
    pub columns: Vec<String>,
    /// What was read in another way than it is written, or not at all.
    pub notes: Vec<String>,
}

/// Why nothing can be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}{message}", .line.map_or_else(String::new, |line| format!("Line {line}: ")))]
pub struct DataError {
    /// Of the file, from 1.
    pub line: Option<u32>,
    pub column: Option<String>,
    /// What is wrong and what to do.
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
            "The file cannot be read: {error}. Check that it exists and that you may read it."
        ))
    }
}

/// Reads JSON whose objects name each key once.
pub(crate) fn strict_json(text: &str) -> Result<serde_json::Value, strict::JsonError> {
    strict::from_slice(text.as_bytes())
}

/// What reading may use. Tests read with less.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    pub(crate) row_bytes: usize,
    pub(crate) cases: usize,
    pub(crate) document_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            row_bytes: MAX_ROW_BYTES,
            cases: MAX_CASES,
            document_bytes: MAX_DOCUMENT_BYTES,
        }
    }
}

/// Reads a data set from `reader`. A byte order mark is skipped.
///
/// The id of a case is the value of its id column. Without one it is the first 16 hexadecimal digits of the BLAKE3 hash of the row as JSON
/// with sorted keys. Equal rows are legitimate repeats: the second one's id ends in `#2`. A row that repeats the id of another is rejected.
///
/// In CSV and TSV every cell is text. The cells of number, boolean and JSON inputs are parsed, and an empty one has no value. An empty
/// cell of the expected column means that nothing is expected. In the other formats `null` has no value.
///
/// # Errors
/// An empty file, a column that no row has, a malformed file, duplicate names in a header, and a file above a limit. The error names the
/// line and says what to do.
pub fn read(reader: impl BufRead, format: Format, columns: &Columns) -> Result<DataSet, DataError> {
    read_within(reader, format, columns, Limits::default())
}

pub(crate) fn read_within(
    mut reader: impl BufRead,
    format: Format,
    columns: &Columns,
    limits: Limits,
) -> Result<DataSet, DataError> {
    let mut head = head::read(&mut reader).map_err(|error| DataError::io(&error))?;
    if head.iter().all(u8::is_ascii_whitespace) && head.len() < head::MAX_BYTES {
        return Err(DataError::new(
            "The file is empty. Write a row for each case.",
        ));
    }
    format::check_text(&head)?;
    let mut mapper = mapping::Mapper::new(columns, format.is_table(), limits);
    let first = head
        .iter()
        .find(|byte| !byte.is_ascii_whitespace())
        .copied();
    let separator = csv::Separator::of(&head, format);
    if format.is_table() {
        separator.skip(&mut head);
    }
    let mut reader = std::io::Cursor::new(head).chain(reader);
    match format {
        Format::Jsonl => lines::read(&mut reader, &mut mapper, limits)?,
        Format::Json if first == Some(b'[') => items::read(&mut reader, &mut mapper, limits)?,
        Format::Json => document::read_json(&mut reader, &mut mapper, limits)?,
        Format::Yaml => document::read_yaml(&mut reader, &mut mapper, limits)?,
        Format::Csv | Format::Tsv => csv::read(&mut reader, separator, &mut mapper, limits)?,
    }
    mapper.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_cases_than_the_limit_are_an_error_with_the_line() {
        let limits = Limits {
            cases: 2,
            ..Limits::default()
        };
        for (format, text) in [
            (Format::Csv, "id\na\nb\nc\n"),
            (Format::Jsonl, "{\"id\":1}\n{\"id\":2}\n\n{\"id\":3}\n"),
        ] {
            let error = read_within(text.as_bytes(), format, &Columns::default(), limits);
            let error = error.unwrap_err();
            assert_eq!(error.line, Some(4), "{error}");
            assert!(error.message.contains("more than 2 cases"), "{error}");
        }
    }

    #[test]
    fn a_document_above_the_limit_is_an_error() {
        let limits = Limits {
            document_bytes: 20,
            ..Limits::default()
        };
        for format in [Format::Json, Format::Yaml] {
            let text = "{\"tests\": [{\"vars\": {}}]}";
            let error = read_within(text.as_bytes(), format, &Columns::default(), limits);
            assert!(error.unwrap_err().message.contains("JSONL"));
        }
    }
}
