//! Checksums of rows: 64 bits of BLAKE3 over every meaningful value of a row, including its key. A checksum is written with its
//! row and checked when the row is read, so that a changed bit causes an error instead of a wrong value.
//!
//! Checksums protect against damage, not against a person who changes a row together with its checksum.

use std::cell::RefCell;

thread_local! {
    /// One buffer for each thread. A row is collected in it and hashed at once, because BLAKE3 is fast on long inputs.
    static BUFFER: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// A value of a row.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Field<'a> {
    Int(i64),
    Text(&'a str),
    Null,
}

impl From<i64> for Field<'_> {
    fn from(number: i64) -> Self {
        Self::Int(number)
    }
}

impl<'a> From<&'a str> for Field<'a> {
    fn from(text: &'a str) -> Self {
        Self::Text(text)
    }
}

impl<'a> From<&'a String> for Field<'a> {
    fn from(text: &'a String) -> Self {
        Self::Text(text)
    }
}

impl<'a, T: Into<Field<'a>>> From<Option<T>> for Field<'a> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

/// Returns the checksum of a row of `table`.
pub(crate) fn sum(table: &str, fields: &[Field<'_>]) -> i64 {
    BUFFER.with_borrow_mut(|buffer| {
        buffer.clear();
        gather(buffer, table.into());
        for field in fields {
            gather(buffer, *field);
        }
        let hash = blake3::hash(buffer);
        // A row of many megabytes must not stay in memory until the thread ends.
        buffer.shrink_to(1 << 20);
        let mut short = [0; 8];
        short.copy_from_slice(&hash.as_bytes()[..8]);
        i64::from_le_bytes(short)
    })
}

/// Appends a value with its type and length, so that no two rows have the same bytes.
fn gather(buffer: &mut Vec<u8>, field: Field<'_>) {
    match field {
        Field::Int(number) => {
            buffer.push(b'i');
            buffer.extend_from_slice(&number.to_le_bytes());
        }
        Field::Text(text) => {
            buffer.push(b't');
            buffer.extend_from_slice(&(text.len() as u64).to_le_bytes());
            buffer.extend_from_slice(text.as_bytes());
        }
        Field::Null => buffer.push(b'n'),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_that_differ_have_other_sums() {
        let one = sum("t", &["a".into(), "bc".into(), 1.into()]);
        assert_eq!(one, sum("t", &["a".into(), "bc".into(), 1.into()]));
        for other in [
            sum("u", &["a".into(), "bc".into(), 1.into()]),
            sum("t", &["ab".into(), "c".into(), 1.into()]),
            sum("t", &["a".into(), "bc".into(), 2.into()]),
            sum("t", &["a".into(), "bc".into()]),
            sum("t", &["a".into(), "bc".into(), Field::Null]),
        ] {
            assert_ne!(one, other);
        }
    }
}
