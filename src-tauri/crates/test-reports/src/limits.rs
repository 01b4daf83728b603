//! Bounds of a report.

/// The most failures that a report lists. [`Counts::failed`](crate::Counts::failed) still counts all of them.
pub const MAX_FAILURES: usize = 500;
/// The most bytes of a message; a longer one is cut and ends with `…`.
pub const MAX_MESSAGE: usize = 2_000;
/// The most bytes of a name or a path.
pub const MAX_NAME: usize = 500;
