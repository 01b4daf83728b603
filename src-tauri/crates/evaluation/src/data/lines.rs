//! Reads JSONL, which has one object on each line.

use std::io::{BufRead, Read};

use serde_json::Value;

use super::{error::DataError, limits::Limits, mapping::Mapper, strict};

/// Reads each line as a row. Rejects lines that are not JSON objects. Skips blank lines.
pub(crate) fn read(
    reader: &mut impl BufRead,
    mapper: &mut Mapper<'_>,
    limits: Limits,
) -> Result<(), DataError> {
    let mut text = Vec::new();
    let mut line = 0_u32;
    let mut first_error = None;
    loop {
        text.clear();
        // The part of a line beyond the limit is not read.
        let most = u64::try_from(limits.row_bytes)
            .unwrap_or(u64::MAX)
            .saturating_add(2);
        let read = reader.take(most).read_until(b'\n', &mut text);
        if read.map_err(|error| DataError::io(&error))? == 0 {
            break;
        }
        line = line.saturating_add(1);
        let row = text.trim_ascii();
        if row.len() > limits.row_bytes {
            return Err(too_large("line", line, limits));
        }
        if row.is_empty() {
            continue;
        }
        if let Err(error) = std::str::from_utf8(row) {
            mapper.reject_encoding(line, error.valid_up_to() + 1);
            continue;
        }
        match strict::from_slice(row) {
            Ok(Value::Object(row)) => mapper.add(line, row)?,
            Ok(_) => mapper.reject(
                line,
                None,
                "The line is not a JSON object. Write an object such as {\"topic\": \"…\"}.",
            ),
            Err(error) => {
                let message = format!(
                    "The line is not a valid row: {}, at character {}. Correct it.",
                    error.message, error.column
                );
                first_error.get_or_insert_with(|| message.clone());
                mapper.reject(line, None, message);
            }
        }
    }
    if mapper.rows() == 0
        && let Some(message) = first_error
    {
        return Err(DataError::new(format!(
            "No line of the file is a JSON object. The first problem: {message} If the file contains one JSON value that spans several lines, rename it to .json."
        )));
    }
    Ok(())
}

/// Returns the error for a row or line that exceeds the size limit. `what` is the word for it in the message: row or line.
pub(crate) fn too_large(what: &str, line: u32, limits: Limits) -> DataError {
    DataError::at(
        line,
        format!(
            "The {what} is larger than {} MB. If it contains several cases, split it. Otherwise, put large values into files and use their paths instead.",
            limits.row_bytes / (1024 * 1024)
        ),
    )
}
