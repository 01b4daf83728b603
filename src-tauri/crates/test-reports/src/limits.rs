//! Limits of a report.

/// The maximum number of failures in a report. [`Counts::failed`](crate::Counts::failed) still counts all of them.
pub const MAX_FAILURES: usize = 500;
/// The maximum length of a message in bytes. A longer message is truncated and ends with `…`.
pub const MAX_MESSAGE: usize = 2_000;
/// The maximum length of a name or path in bytes.
pub const MAX_NAME: usize = 500;
