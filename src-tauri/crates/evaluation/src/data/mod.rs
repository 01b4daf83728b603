//! Data sets: reads cases from files in several formats.
//!
//! | format | content |
//! | --- | --- |
//! | JSONL | one object per line, including Inspect samples and rows of OpenAI evals (`item`, or `input` and `ideal`) |
//! | JSON | a list of objects, an object that contains such a list, or a promptfoo configuration |
//! | CSV, TSV | a header and rows, optionally after a line `sep=;`, with promptfoo's columns (which start with `__`) if there are any |
//! | YAML | a list of objects, a list of promptfoo tests, or a promptfoo configuration |
//!
//! JSONL, JSON lists, CSV and TSV are streamed: only the cases stay in memory. JSON objects and YAML are read as a whole.
//!
//! If a row is invalid, only that row is rejected. An error that affects every row ends the reading.

mod canonical;
mod csv;
mod data_set;
mod document;
mod error;
mod format;
mod head;
mod ids;
mod items;
mod limits;
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

pub use data_set::{Columns, DataSet, DataType, InputColumn};
pub use error::DataError;
pub use format::Format;
pub(crate) use limits::Limits;
pub use limits::{MAX_CASES, MAX_DOCUMENT_BYTES, MAX_REJECTED, MAX_ROW_BYTES};

/// Reads JSON whose objects have unique keys.
///
/// # Errors
/// Returns an error if the text is not JSON, or if an object repeats a key.
pub(crate) fn strict_json(text: &str) -> Result<serde_json::Value, strict::JsonError> {
    strict::from_slice(text.as_bytes())
}

/// Reads a data set from `reader`. Skips a byte order mark.
///
/// The id of a case is the value of its id column. If there is none, the id is the first 16 hexadecimal digits of the BLAKE3
/// hash of the row as JSON with sorted keys. Rows without an id may be equal: the id of the second of them ends in `#2`. A
/// row whose id column repeats another row's id is rejected.
///
/// In CSV and TSV, every cell is text. The cells of number, boolean and JSON inputs are parsed; an empty cell means that the
/// input has no value. An empty cell in the expected column means that no result is expected. In the other formats, `null`
/// means no value.
///
/// # Errors
/// Returns an error if the file is empty, malformed or above a limit, if its header repeats a name, or if no row has a
/// required column. The error names the line and says what to do.
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
