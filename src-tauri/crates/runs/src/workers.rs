//! Stores of runs that programs on several machines share, and the workers that lead the runs in them.

use std::sync::Arc;

use loopwright_engine::{
    Answer, ApprovalPolicy,
    journal::{Journal, RunHeader},
    trust::Grants,
};
use serde::{Deserialize, Serialize};

use crate::error::ApiError;

/// A store of runs that programs on several machines share.
pub struct SharedStore {
    pub journal: Arc<dyn Journal>,
    /// Whether a living worker leads a run.
    pub has_leader: Arc<dyn Fn(&str) -> bool + Send + Sync>,
    /// What the runs that this program leads may use of the world, whatever was approved elsewhere.
    pub may_use: Grants,
    /// Who leads the runs, where this program does not.
    pub workers: Option<Arc<dyn Workers>>,
    /// Milliseconds by which the store's clock is ahead of this computer's. Runs go by the store's.
    pub ahead_ms: i64,
}

/// Something asked of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Control {
    /// End it as stopped.
    Stop,
    /// Pause it: what is under way ends, and nothing is started.
    Pause,
    /// Resume it, where it is paused or interrupted; with another budget, where one is given.
    Resume {
        usd: Option<f64>,
        tokens: Option<u64>,
    },
    /// An answer for the node at a path, which waits for it.
    Answer { path: String, answer: Answer },
}

/// The workers of a shared store, as a program that leads no runs itself knows them. The calls block.
pub trait Workers: Send + Sync {
    /// Stores a run for them.
    ///
    /// # Errors
    /// When the store does not take it.
    fn start(&self, header: &RunHeader, approve: ApprovalPolicy) -> Result<(), ApiError>;

    /// Gives them a run that this program has created.
    ///
    /// # Errors
    /// When the store does not answer.
    fn hand_over(&self, run_id: &str) -> Result<(), ApiError>;

    /// Asks something of a run.
    ///
    /// # Errors
    /// [`crate::Code::NotFound`] for a run that is not there; [`crate::Code::InvalidArgument`] where its state does not allow it.
    fn ask(&self, run_id: &str, control: &Control) -> Result<(), ApiError>;
}
