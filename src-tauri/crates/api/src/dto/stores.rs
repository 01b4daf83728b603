//! Stores of runs that several computers share.

use serde::Serialize;
use specta::Type;

/// A worker that serves a shared store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct WorkerView {
    pub name: String,
    /// The number of runs that it can lead at once.
    pub places: u32,
    /// The number of runs that it leads.
    pub runs: u32,
    /// The compatibility number of the records that it accepts.
    pub compat: u32,
    /// The seconds since its last sign of life.
    pub silent_seconds: u32,
}

/// The content of a shared store, and its workers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct StoreCheck {
    pub runs: u32,
    /// The size on disk.
    pub bytes: u64,
    pub workers: Vec<WorkerView>,
}

/// A batch of runs in a shared store, and its progress.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct BatchView {
    pub name: String,
    pub flow: String,
    /// The time of creation, in milliseconds since the Unix epoch, UTC.
    pub created_at: i64,
    /// Whether somebody stopped it.
    pub stopped: bool,
    pub runs: u32,
    /// Runs that no worker has begun.
    pub queued: u32,
    pub running: u32,
    /// Runs that wait for a person or are paused.
    pub suspended: u32,
    pub completed: u32,
    pub failed: u32,
    pub cancelled: u32,
    pub cost_usd: f64,
    /// The cost limit of all runs together; null if there is none.
    pub budget_usd: Option<f64>,
}
