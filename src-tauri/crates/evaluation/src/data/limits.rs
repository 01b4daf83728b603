//! How large a data set may be.

/// The largest row, in bytes.
pub const MAX_ROW_BYTES: usize = 16 * 1024 * 1024;
/// The most cases of a data set.
pub const MAX_CASES: usize = 1_000_000;
/// The largest JSON object or YAML file that holds a list of cases, in bytes. These are read whole.
pub const MAX_DOCUMENT_BYTES: usize = 64 * 1024 * 1024;
/// The most rejected rows that are listed. A note counts the others.
pub const MAX_REJECTED: usize = 10_000;

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
