//! A script as the interpreter reads it.

/// The lines of the source, with what is inserted into one of them.
pub(super) struct Script {
    pub(super) text: String,
    pub(super) is_async: bool,
    /// The line, from 1, and the column, from 1, of what was inserted, and its characters.
    pub(super) inserted: Option<(usize, usize, usize)>,
}
