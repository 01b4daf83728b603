//! The reason why a row is rejected.

/// The problem of a row, and the column that has it if there is one.
pub(crate) struct Rejection {
    pub(crate) column: Option<String>,
    pub(crate) message: String,
}
