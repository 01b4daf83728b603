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
    /// Whether a living worker leads a run.
    pub has_leader: Arc<dyn Fn(&str) -> bool + Send + Sync>,
    /// What the runs that this program leads may use, whatever was approved elsewhere.
    pub may_use: Grants,
    /// The leaders of the runs, if this program leads none.
    pub workers: Option<Arc<dyn Workers>>,
    /// The milliseconds by which the store's clock is ahead of this computer's. Runs use the store's clock.
    pub ahead_ms: i64,
}

/// A request about a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Control {
    /// End it as stopped.
    Stop,
    /// Pause it: steps under way finish, and none is started.
    Pause,
    /// Resume it, if it is paused or interrupted, optionally with another budget.
    Resume {
        usd: Option<f64>,
        tokens: Option<u64>,
    },
    /// Answer the node at a path, which waits for it.
    Answer { path: String, answer: Answer },
}

/// The workers of a shared store, as seen by a program that leads no runs. The calls block.
pub trait Workers: Send + Sync {
    /// Stores a run for the workers.
    ///
    /// # Errors An error if the store rejects it.
    fn start(&self, header: &RunHeader, approve: ApprovalPolicy) -> Result<(), ApiError>;

    /// Hands the workers a run that this program has created.
    ///
    /// # Errors An error if the store does not answer.
    fn hand_over(&self, run_id: &str) -> Result<(), ApiError>;

    /// Sends a request about a run.
    ///
    /// # Errors [`crate::Code::NotFound`] for an unknown run; [`crate::Code::InvalidArgument`] if its state does not allow the
    /// request.
    fn ask(&self, run_id: &str, control: &Control) -> Result<(), ApiError>;
}
