//! Tables as CSV, for spreadsheets.

use std::{
    borrow::Cow,
    io::{self, Write},
};

/// Returns the text, with an apostrophe in front if a spreadsheet would evaluate it as a formula.
pub fn protect(text: &str) -> Cow<'_, str> {
    if text.starts_with(['=', '+', '-', '@', '\t', '\r']) {
        Cow::Owned(format!("'{text}"))
    } else {
        Cow::Borrowed(text)
    }
}

/// Writes a row.
///
/// # Errors
/// Returns an error if the row cannot be written.
pub(crate) fn write_row(to: &mut ::csv::Writer<impl Write>, row: &[String]) -> io::Result<()> {
    to.write_record(row).map_err(io::Error::from)
}

/// Returns a table as CSV: the names of the columns, then the rows.
///
/// # Errors
/// Returns an error if a row has a different number of columns.
pub fn table(columns: &[&str], rows: &[Vec<String>]) -> io::Result<String> {
    let mut to = ::csv::Writer::from_writer(Vec::new());
    to.write_record(columns).map_err(io::Error::from)?;
    for row in rows {
        write_row(&mut to, row)?;
    }
    let bytes = to.into_inner().map_err(io::Error::other)?;
    String::from_utf8(bytes).map_err(io::Error::other)
}
