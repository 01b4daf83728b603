//! Stores that programs on several machines share, and the workers that lead the runs in them.

use std::sync::Arc;

use loopwright_engine::{
    Answer, ApprovalPolicy,
    journal::{Journal, RunHeader},
    trust::Grants,
};
use serde::{Deserialize, Serialize};

use crate::error::ApiError;

/// A store that programs on several machines share.
pub struct SharedStore {
    pub journal: Arc<dyn Journal>,
    /// A function that returns whether a live worker leads the run with this id.
    pub has_leader: Arc<dyn Fn(&str) -> bool + Send + Sync>,
    /// The permissions of the runs that this program leads. Approvals from other machines do not count.
    pub may_use: Grants,
    /// The workers that lead the runs; `None` if this program leads them itself.
    pub workers: Option<Arc<dyn Workers>>,
    /// The number of milliseconds by which the store's clock is ahead of this computer's clock. Runs use the store's clock.
    pub ahead_ms: i64,
}

/// A request to the workers about a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Control {
    /// Stop the run, in any status.
    Stop,
    /// Pause the run: steps in progress finish, and no new step starts.
    Pause,
    /// Resume the run if it is paused or interrupted, optionally with another budget.
    Resume {
        usd: Option<f64>,
        tokens: Option<u64>,
    },
    /// Answer the node at this path, which waits for a person.
    Answer { path: String, answer: Answer },
}

/// The workers of a shared store, as seen by a program that leads no runs itself. The methods block.
pub trait Workers: Send + Sync {
    /// Stores a run for the workers to start.
    ///
    /// # Errors
    /// Returns an error if the store rejects the run.
    fn start(&self, header: &RunHeader, approve: ApprovalPolicy) -> Result<(), ApiError>;

    /// Asks the workers to lead a run that this program has created in the store.
    ///
    /// # Errors
    /// Returns an error if the store does not answer.
    fn hand_over(&self, run_id: &str) -> Result<(), ApiError>;

    /// Sends a request about a run.
    ///
    /// # Errors
    /// [`crate::Code::NotFound`] if the run does not exist; [`crate::Code::InvalidArgument`] if its state does not allow the
    /// request.
    fn ask(&self, run_id: &str, control: &Control) -> Result<(), ApiError>;
}
