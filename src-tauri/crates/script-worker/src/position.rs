//! The line and column of a byte in a script.

/// Returns the line and the column of a byte in `source`, both from 1. Columns are counted in characters.
pub(crate) fn line_and_column(source: &str, byte: usize) -> (usize, usize) {
    let mut byte = byte.min(source.len());
    while !source.is_char_boundary(byte) {
        byte -= 1;
    }
    let before = &source[..byte];
    let line = before.matches('\n').count() + 1;
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    (line, source[start..byte].chars().count() + 1)
}
