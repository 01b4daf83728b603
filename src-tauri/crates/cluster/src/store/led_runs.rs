//! What this program knows of a run that it leads.

/// A run that this program leads.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LedRun {
    /// The run's key in the store.
    pub(crate) run: i64,
    pub(crate) epoch: i64,
    /// The number of its next record.
    pub(crate) next: u64,
}
