//! The reason why a row is rejected.

/// The problem with a row, and the column that contains it if there is one.
pub(crate) struct Rejection {
    pub(crate) column: Option<String>,
    pub(crate) message: String,
}
