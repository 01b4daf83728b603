//! The status of a run.

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(specta::Type))]
#[serde(rename_all = "snake_case")]
pub enum RunStatus {
    /// The run is in a shared store, and no worker has started it.
    Queued,
    Running,
    Paused,
    Waiting,
    Completed,
    Failed,
    Cancelled,
    Interrupted,
}

impl RunStatus {
    /// Returns whether the run is over: completed, failed or cancelled. A run that failed at a budget can still be resumed.
    pub fn is_over(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Cancelled)
    }
}
