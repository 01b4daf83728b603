//! Reads CSV (RFC 4180) and TSV one row at a time.
//!
//! The `csv` crate splits rows and cells. The crate has three gaps: it counts blank lines above a row as part of the row,
//! does not limit the size of rows, and accepts an unclosed quote. [`Guard`] reads the same bytes and closes these gaps.

use std::{
    collections::{HashMap, VecDeque},
    io::{self, BufRead, Read},
};

use csv::ByteRecord;
use serde_json::{Map, Value};

use super::{error::DataError, format::Format, limits::Limits, lines::too_large, mapping::Mapper};
use crate::nearest::list;

/// The separator of cells, and the length of the line that declares the separator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Separator {
    byte: u8,
    /// The length in bytes of the leading line `sep=;` that some spreadsheets write. It is 0 if the file has no such line.
    line_bytes: usize,
}

impl Separator {
    /// Detects the separator. A first line such as `sep=;` declares it. Otherwise a CSV file whose first line has semicolons
    /// and no comma uses semicolons, as spreadsheets do in many countries.
    pub(crate) fn of(head: &[u8], format: Format) -> Self {
        if let Some(separator) = Self::written(head) {
            return separator;
        }
        let first = head
            .split(|byte| matches!(byte, b'\n' | b'\r'))
            .next()
            .unwrap_or_default();
        let byte = if format == Format::Tsv {
            b'\t'
        } else if first.contains(&b';') && !first.contains(&b',') {
            b';'
        } else {
            b','
        };
        Self {
            byte,
            line_bytes: 0,
        }
    }

    /// Parses a first line such as `sep=;`, even if it is quoted or in capitals. Returns `None` for any other line. A letter or
    /// digit cannot be a separator: `sep=a` is a column name.
    fn written(head: &[u8]) -> Option<Self> {
        let end = head.iter().position(|byte| matches!(byte, b'\n' | b'\r'))?;
        let line = &head[..end];
        let bare = line
            .strip_prefix(b"\"")
            .and_then(|line| line.strip_suffix(b"\""))
            .unwrap_or(line);
        let (name, byte) = bare.split_at_checked(4)?;
        let &[byte] = byte else { return None };
        let separates = byte == b'\t' || byte.is_ascii_punctuation() && byte != b'"';
        if !name.eq_ignore_ascii_case(b"sep=") || !separates {
            return None;
        }
        let ending = if head[end..].starts_with(b"\r\n") {
            2
        } else {
            1
        };
        Some(Self {
            byte,
            line_bytes: end + ending,
        })
    }

    /// Removes the line that declares the separator.
    pub(crate) fn skip(self, head: &mut Vec<u8>) {
        head.drain(..self.line_bytes);
    }

    /// Returns the line number of the header: 2 after a line that declares the separator, otherwise 1.
    fn header_line(self) -> u32 {
        if self.line_bytes > 0 { 2 } else { 1 }
    }
}

/// Reads the header and each row. Rejects rows that are not UTF-8 or have too few or too many cells. Skips blank rows.
pub(crate) fn read(
    reader: &mut impl BufRead,
    separator: Separator,
    mapper: &mut Mapper<'_>,
    limits: Limits,
) -> Result<(), DataError> {
    let delimiter = separator.byte;
    if delimiter == b';' && separator.line_bytes == 0 {
        mapper.note(
            "The first line has semicolons and no comma, so cells are separated by semicolons.",
        );
    }
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .delimiter(delimiter)
        .buffer_capacity(64 * 1024)
        .from_reader(Guard::new(
            reader,
            delimiter,
            limits,
            separator.header_line(),
        ));
    let mut record = ByteRecord::new();
    let Some(line) = next(&mut reader, &mut record)? else {
        return Err(DataError::new(
            "The file is empty. Write a header and a row for each case.",
        ));
    };
    let header = header(&record, line)?;
    mapper.set_header(&header, line)?;
    while let Some(line) = next(&mut reader, &mut record)? {
        if record.iter().all(|cell| cell.trim_ascii().is_empty()) && header.len() > 1 {
            continue;
        }
        if record.len() != header.len() {
            mapper.reject(line, None, ragged(record.len(), header.len(), delimiter));
            continue;
        }
        let mut row = Map::with_capacity(header.len());
        let mut broken = None;
        for (name, cell) in header.iter().zip(record.iter()) {
            match std::str::from_utf8(cell) {
                Ok(text) => {
                    row.insert(name.clone(), Value::String(text.to_owned()));
                }
                Err(error) => {
                    broken = Some((name, error.valid_up_to() + 1));
                    break;
                }
            }
        }
        match broken {
            None => mapper.add(line, row)?,
            Some((name, at)) => mapper.reject_encoding_in(line, name, at),
        }
    }
    Ok(())
}

/// Reads the next row that is not blank into `record`. Returns the number of its first line, or `None` at the end of the
/// file.
fn next<R: BufRead>(
    reader: &mut csv::Reader<Guard<R>>,
    record: &mut ByteRecord,
) -> Result<Option<u32>, DataError> {
    match reader.read_byte_record(record) {
        Ok(true) => Ok(Some(reader.get_mut().starts.pop_front().unwrap_or(1))),
        Ok(false) => Ok(None),
        Err(error) => {
            let guard = reader.get_mut();
            Err(match guard.error.take() {
                Some(error) => error,
                None => match error.into_kind() {
                    csv::ErrorKind::Io(error) => DataError::io(&error),
                    _ => invalid(guard.starts.front().copied()),
                },
            })
        }
    }
}

/// Returns the error for a row that cannot be read, with the number of its first line if that is known.
fn invalid(line: Option<u32>) -> DataError {
    const MESSAGE: &str = "The file is not valid CSV. Export it as CSV again.";
    match line {
        Some(line) => DataError::at(line, MESSAGE),
        None => DataError::new(MESSAGE),
    }
}

/// The maximum number of columns. A file with more probably has another format or separator.
const MAX_COLUMNS: usize = 10_000;

/// Returns the names of the columns. A column without a name is named by its number.
fn header(record: &ByteRecord, line: u32) -> Result<Vec<String>, DataError> {
    if record.len() > MAX_COLUMNS {
        return Err(DataError::at(
            line,
            format!(
                "The header has {} columns, but a table may have at most {MAX_COLUMNS}. Leave out the columns that the flow does not read. A row is a case: \
                 if the file has its cases in columns, transpose it.",
                record.len()
            ),
        ));
    }
    let mut names: Vec<String> = Vec::with_capacity(record.len());
    let mut places: HashMap<String, usize> = HashMap::with_capacity(record.len());
    for (at, cell) in record.iter().enumerate() {
        let name = std::str::from_utf8(cell).map_err(|_| {
            DataError::at(
                line,
                format!(
                    "The name of column {} is not in UTF-8. Save the file in UTF-8.",
                    at + 1
                ),
            )
        })?;
        let name = match name.trim() {
            "" => format!("column {}", at + 1),
            name => name.to_owned(),
        };
        if let Some(first) = places.insert(name.clone(), at) {
            return Err(DataError::at(
                line,
                format!(
                    "Columns {} and {} are both called `{name}`. Rename one. The columns are {}.",
                    first + 1,
                    at + 1,
                    list(names.iter().map(String::as_str))
                ),
            )
            .of_column(&name));
        }
        names.push(name);
    }
    Ok(names)
}

fn ragged(cells: usize, names: usize, delimiter: u8) -> String {
    let separator = match delimiter {
        b'\t' => "tabs",
        b';' => "semicolons",
        b',' => "commas",
        _ => "that separator",
    };
    let remedy = if cells > names {
        format!("Put cells that contain {separator} in double quotes.")
    } else {
        "Add the missing cells.".to_owned()
    };
    let plural = if cells == 1 { "" } else { "s" };
    format!("The row has {cells} cell{plural} and the header has {names}. {remedy}")
}

/// The guard's state within a row.
#[derive(Clone, Copy, PartialEq)]
enum State {
    RowStart,
    CellStart,
    Bare,
    Quoted,
    /// The guard has just read a quote inside a quoted cell. The quote either ends the cell or is the first half of a
    /// doubled quote.
    Quote,
}

/// Passes bytes through, counts lines and rows, and stops at an oversized row or an unclosed quote.
struct Guard<R> {
    inner: R,
    delimiter: u8,
    limits: Limits,
    state: State,
    after_carriage_return: bool,
    line: u32,
    row_line: u32,
    row_bytes: usize,
    quote_line: u32,
    /// The first line number of each row that the guard has passed to the `csv` crate and that the crate has not returned
    /// yet, in order.
    starts: VecDeque<u32>,
    error: Option<DataError>,
}

impl<R> Guard<R> {
    fn new(inner: R, delimiter: u8, limits: Limits, first_line: u32) -> Self {
        Self {
            inner,
            delimiter,
            limits,
            state: State::RowStart,
            after_carriage_return: false,
            line: first_line,
            row_line: first_line,
            row_bytes: 0,
            quote_line: first_line,
            starts: VecDeque::new(),
            error: None,
        }
    }

    fn watch(&mut self, bytes: &[u8]) -> Result<(), DataError> {
        for &byte in bytes {
            let is_second_half = byte == b'\n' && self.after_carriage_return;
            self.after_carriage_return = byte == b'\r';
            let ends_line = matches!(byte, b'\n' | b'\r');
            // A row ends at the first byte of "\r\n". Within quotes the second byte does not change the state.
            if !is_second_half {
                self.step(byte, ends_line);
                self.line = self.line.saturating_add(u32::from(ends_line));
            }
            self.row_bytes += 1;
            if self.row_bytes > self.limits.row_bytes && self.state != State::RowStart {
                return Err(if self.state == State::Quoted {
                    self.open_quote(&format!(
                        "the row is larger than {} MB",
                        self.limits.row_bytes / (1024 * 1024)
                    ))
                } else {
                    too_large("row", self.row_line, self.limits)
                });
            }
        }
        Ok(())
    }

    fn step(&mut self, byte: u8, ends_line: bool) {
        if self.state == State::RowStart && !ends_line {
            self.row_line = self.line;
            self.row_bytes = 0;
            self.starts.push_back(self.line);
            self.state = State::CellStart;
        }
        self.state = match self.state {
            State::Quoted if byte == b'"' => State::Quote,
            State::Quoted => State::Quoted,
            State::Quote if byte == b'"' => State::Quoted,
            State::CellStart if byte == b'"' => {
                self.quote_line = self.line;
                State::Quoted
            }
            _ if ends_line => State::RowStart,
            _ if byte == self.delimiter => State::CellStart,
            _ => State::Bare,
        };
    }

    fn open_quote(&self, found: &str) -> DataError {
        DataError::at(
            self.quote_line,
            format!(
                "A cell begins here with a double quote that is never closed: {found}. Close the quote. Within quotes, write a double quote twice."
            ),
        )
    }
}

impl<R: BufRead> Read for Guard<R> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(to)?;
        let watched = if read == 0 && !to.is_empty() && self.state == State::Quoted {
            Err(self.open_quote("the file ends"))
        } else {
            self.watch(&to[..read])
        };
        watched.map(|()| read).map_err(|error| {
            let words = error.to_string();
            self.error = Some(error);
            io::Error::other(words)
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_first_line_may_name_the_separator() {
        for (head, byte, line_bytes) in [
            (&b"sep=;\r\na;b\n"[..], b';', 7),
            (b"SEP=|\na|b\n", b'|', 6),
            (b"\"sep=;\"\r\na;b", b';', 9),
            (b"sep=\t\na\tb", b'\t', 6),
            (b"sep=,\ra,b", b',', 6),
            // These are column names, not separators.
            (b"sep=a\nx", b',', 0),
            (b"sep=;x\ny", b';', 0),
            (b"sep=;", b';', 0),
            (b"a;b\n", b';', 0),
            (b"a;b,c\n", b',', 0),
        ] {
            let wanted = Separator { byte, line_bytes };
            assert_eq!(
                Separator::of(head, Format::Csv),
                wanted,
                "{}",
                String::from_utf8_lossy(head)
            );
        }
        assert_eq!(Separator::of(b"a\tb\n", Format::Tsv).byte, b'\t');
    }

    proptest! {
        /// For any bytes, the guard and the `csv` crate find the same rows.
        #[test]
        fn the_guard_sees_the_rows_that_the_reader_sees(text in "[a,\"\r\n ]{0,60}") {
            let guard = Guard::new(text.as_bytes(), b',', Limits::default(), 1);
            let mut reader = csv::ReaderBuilder::new()
                .has_headers(false)
                .flexible(true)
                .from_reader(guard);
            let mut rows = 0;
            let mut record = ByteRecord::new();
            let open = loop {
                match reader.read_byte_record(&mut record) {
                    Ok(true) => rows += 1,
                    Ok(false) => break false,
                    Err(_) => break true,
                }
            };
            // A row with an open quote starts but is never returned.
            prop_assert_eq!(reader.get_ref().starts.len(), rows + usize::from(open));
            prop_assert_eq!(open, reader.get_ref().error.is_some());
        }
    }
}
