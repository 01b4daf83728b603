//! The interface of a job queue. The queue may hand out a run twice, late, or to the wrong worker. The runs' epochs alone
//! ensure correctness.

use std::{future::Future, pin::Pin, sync::Arc, time::Duration};

use async_trait::async_trait;

/// A run to continue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Job {
    pub run_id: String,
    /// The compatibility number of the run's records. Only workers with this number take the job.
    pub compat: u32,
}

/// The settings with which a worker takes jobs.
#[derive(Debug, Clone)]
pub struct Serving {
    /// The maximum number of runs that the worker executes at once.
    pub places: usize,
    /// The worker's compatibility number.
    pub compat: u32,
    /// The time for which a worker may be silent before other workers receive its jobs.
    pub threshold: Duration,
}

/// An error of the queue: its server failed or does not answer.
#[derive(Debug, thiserror::Error)]
#[error("The run queue of the store cannot be used: {0}")]
pub struct QueueError(pub String);

/// A function that continues a run until it ends or is suspended. The function handles the run's errors itself.
pub type Advance = Arc<dyn Fn(String) -> Pin<Box<dyn Future<Output = ()> + Send>> + Send + Sync>;

#[async_trait]
pub trait Queue: Send + Sync {
    /// Enqueues jobs that are due immediately. A run that is enqueued again before a worker has taken it is handed out only
    /// once.
    ///
    /// # Errors
    /// Returns an error if the queue's server does not answer.
    async fn enqueue(&self, jobs: &[Job]) -> Result<(), QueueError>;
    /// Enqueues a job that is due after a delay.
    ///
    /// # Errors
    /// Returns an error if the queue's server does not answer.
    async fn later(&self, job: &Job, after: Duration) -> Result<(), QueueError>;
    /// Takes jobs until `stop` completes, then waits for the jobs in progress.
    ///
    /// # Errors
    /// Returns an error if the queue cannot be used.
    async fn serve(
        &self,
        serving: Serving,
        advance: Advance,
        stop: Pin<Box<dyn Future<Output = ()> + Send>>,
    ) -> Result<(), QueueError>;
    /// Removes a run's job.
    ///
    /// # Errors
    /// Returns an error if the queue's server does not answer.
    async fn forget(&self, run_id: &str) -> Result<(), QueueError>;
    /// Returns the number of workers that were recently active.
    ///
    /// # Errors
    /// Returns an error if the queue's server does not answer.
    async fn alive(&self) -> Result<usize, QueueError>;
}
