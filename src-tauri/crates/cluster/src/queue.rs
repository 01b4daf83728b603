//! What a job engine must do for us, in five functions. Correctness rests on the runs' epochs, never on it: it may hand out a
//! run twice, late, or to the wrong worker.

use std::{future::Future, pin::Pin, sync::Arc, time::Duration};

use async_trait::async_trait;

/// A run to continue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Job {
    pub run_id: String,
    /// The compatibility of its records: only workers of this number take it.
    pub compat: u32,
}

/// How a worker serves.
#[derive(Debug, Clone)]
pub struct Serving {
    /// Runs at once.
    pub places: usize,
    /// The compatibility of this worker.
    pub compat: u32,
    /// How long a worker may be silent before its jobs go to others.
    pub threshold: Duration,
}

/// The queue's server failed, or does not answer.
#[derive(Debug, thiserror::Error)]
#[error("The queue cannot be used: {0}")]
pub struct QueueError(pub String);

/// Continues a run until it ends or is suspended. Errors of the run are the run's own affair.
pub type Advance = Arc<dyn Fn(String) -> Pin<Box<dyn Future<Output = ()> + Send>> + Send + Sync>;

#[async_trait]
pub trait Queue: Send + Sync {
    /// Asks for runs to be continued, now. One that is asked for twice is handed out once.
    async fn enqueue(&self, jobs: &[Job]) -> Result<(), QueueError>;
    /// Asks for a run to be continued after some time.
    async fn later(&self, job: &Job, after: Duration) -> Result<(), QueueError>;
    /// Takes jobs until `stop` is ready, then lets those that are under way end.
    async fn serve(
        &self,
        serving: Serving,
        advance: Advance,
        stop: Pin<Box<dyn Future<Output = ()> + Send>>,
    ) -> Result<(), QueueError>;
    /// Takes back what was asked for a run.
    async fn forget(&self, run_id: &str) -> Result<(), QueueError>;
    /// How many workers the queue has heard of lately.
    async fn alive(&self) -> Result<usize, QueueError>;
}
