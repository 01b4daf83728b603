//! The reason why a row is rejected.

/// A column, if the problem lies in one, and the problem.
pub(crate) struct Rejection {
    pub(crate) column: Option<String>,
    pub(crate) message: String,
}
