//! A script as the interpreter runs it.

/// A script's source. The reader may have made one insertion, so that the script returns its last expression.
pub(super) struct Script {
    pub(super) text: String,
    pub(super) is_async: bool,
    /// The line and the column of the insertion, both from 1, and the number of inserted characters. `None` if nothing was
    /// inserted.
    pub(super) inserted: Option<(usize, usize, usize)>,
}
