//! Size limits of data sets.

/// The maximum size of a row, in bytes.
pub const MAX_ROW_BYTES: usize = 16 * 1024 * 1024;
/// The maximum number of cases in a data set.
pub const MAX_CASES: usize = 1_000_000;
/// The maximum size in bytes of a JSON object or YAML file with a list of cases. Such files are read as a whole.
pub const MAX_DOCUMENT_BYTES: usize = 64 * 1024 * 1024;
/// The maximum number of rejected rows that are listed. A note states how many others there are.
pub const MAX_REJECTED: usize = 10_000;

/// The limits that apply to one data set. Tests use smaller ones.
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
