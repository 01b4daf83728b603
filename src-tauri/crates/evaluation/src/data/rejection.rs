//! Why a row does not fit.

/// The column, where it is one, and what is wrong with it.
pub(crate) struct Rejection {
    pub(crate) column: Option<String>,
    pub(crate) message: String,
}
