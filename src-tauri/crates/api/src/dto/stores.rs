//! Stores of runs that several computers share.

use serde::Serialize;
use specta::Type;

/// A worker that serves a shared store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct WorkerView {
    pub name: String,
    /// The maximum number of runs that the worker executes at the same time.
    pub places: u32,
    /// The number of runs that the worker executes now.
    pub runs: u32,
    /// The compatibility number of the records that the worker accepts.
    pub compat: u32,
    /// The time since the worker's last heartbeat, in seconds.
    pub silent_seconds: u32,
}

/// The content of a shared store, and its workers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct StoreCheck {
    pub runs: u32,
    /// The size of the store on disk, in bytes.
    pub bytes: u64,
    pub workers: Vec<WorkerView>,
}

/// A batch of runs in a shared store, and its progress.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct BatchView {
    pub name: String,
    pub flow: String,
    /// The time at which the batch was created, in milliseconds since the Unix epoch, UTC.
    pub created_at: i64,
    /// Whether a person stopped the batch.
    pub stopped: bool,
    pub runs: u32,
    /// The number of runs that no worker has begun.
    pub queued: u32,
    pub running: u32,
    /// The number of runs that wait for a person or are paused.
    pub suspended: u32,
    pub completed: u32,
    pub failed: u32,
    pub cancelled: u32,
    pub cost_usd: f64,
    /// The maximum cost of all runs together, in dollars; null if no limit is set.
    pub budget_usd: Option<f64>,
}
