//! Stores of runs that several machines share.

use serde::Serialize;
use specta::Type;

/// A worker that serves a shared store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct WorkerView {
    pub name: String,
    /// Runs that it can lead at once.
    pub places: u32,
    /// Runs that it leads.
    pub runs: u32,
    /// It takes runs whose records have this number.
    pub compat: u32,
    /// Since it was last heard of.
    pub silent_seconds: u32,
}

/// What a shared store holds, and who serves it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct StoreCheck {
    pub runs: u32,
    /// On disk.
    pub bytes: u64,
    pub workers: Vec<WorkerView>,
}

/// A batch of runs in a shared store, and how far it is.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct BatchView {
    pub name: String,
    pub flow: String,
    /// Milliseconds since the Unix epoch, UTC.
    pub created_at: i64,
    /// Somebody stopped it.
    pub stopped: bool,
    pub runs: u32,
    /// No worker has begun them.
    pub queued: u32,
    pub running: u32,
    /// They wait for a person, or are paused.
    pub suspended: u32,
    pub completed: u32,
    pub failed: u32,
    pub cancelled: u32,
    pub cost_usd: f64,
    /// What all runs together may cost; null: no limit.
    pub budget_usd: Option<f64>,
}
