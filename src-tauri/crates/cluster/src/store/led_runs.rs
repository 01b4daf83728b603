//! The runs that this program leads.

/// A run that this program leads.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LedRun {
    /// The run's key in the store.
    pub(crate) run: i64,
    pub(crate) epoch: i64,
    /// The sequence number of the run's next record.
    pub(crate) next: u64,
}
