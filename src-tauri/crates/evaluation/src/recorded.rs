//! The data that a back-test reads from one loop of a recorded run.

use serde::{Deserialize, Serialize};

use crate::result::{CellResult, CellStatus, Spent};

/// A loop of a finished run, with the records of its iterations.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedLoop {
    /// The case number. Runs with the same number count as repetitions: they are averaged, and they are resampled together
    /// for intervals. Unrelated runs have different numbers.
    pub case: u32,
    /// The finished iterations, in order.
    pub iterations: Vec<RecordedIteration>,
    pub ended: Ended,
}

/// The result of one iteration.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RecordedIteration {
    /// The scores, one for each scorer, of the result that the loop would have returned if it had ended with this iteration.
    /// `None` if the result is unscored.
    pub scores: Vec<Option<f64>>,
    /// The usage that the run would have had if the loop had ended with this iteration.
    pub spent: Spent,
    /// The similarity to the previous result. `None` for the first one, or if it was not computed.
    pub similarity: Option<f64>,
    /// The value of the loop's own `score`. `None` if it was not recorded.
    pub loop_score: Option<f64>,
    pub reached_exit: bool,
    /// The results of the condition of each policy that has one, in the order of the policies. `None` means that the condition
    /// could not be evaluated.
    pub conditions: Vec<Option<bool>>,
}

/// The reason why a recorded loop ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(specta::Type))]
#[serde(rename_all = "snake_case")]
pub enum Ended {
    /// The exit condition was met.
    Exit,
    /// The loop reached its cap.
    Cap,
    /// The loop reached its time limit or its budget, or it made no progress.
    Limit,
    /// A node in the loop failed.
    Failed,
    /// The run was stopped, or it has not ended.
    Stopped,
}

impl Ended {
    /// Returns the reason why the recorded loop of a cell's run ended.
    pub fn of(result: &CellResult) -> Self {
        Self::by_reason(
            result.exit_reason.as_deref(),
            result.status == CellStatus::Failed,
        )
    }

    /// Returns the reason why a loop ended. `reason` is the JSON name of the engine's `ExitReason`. If the reason is
    /// missing, or is `completed` (from an iterator over a list), `failed` decides between failed and stopped. Any other
    /// name that is not that of a limit, a failure or a stop counts as an exit condition, so new conditions need no change
    /// here.
    pub fn by_reason(reason: Option<&str>, failed: bool) -> Self {
        match reason {
            Some("max_iterations") => Self::Cap,
            Some("timeout" | "budget_exceeded" | "no_progress") => Self::Limit,
            Some("cancelled") => Self::Stopped,
            Some("error") => Self::Failed,
            None | Some("completed") if failed => Self::Failed,
            None | Some("completed") => Self::Stopped,
            Some(_) => Self::Exit,
        }
    }
}

impl RecordedLoop {
    /// Returns the recorded loop of a cell's run. Its `conditions` are empty.
    pub fn of(result: &CellResult) -> Self {
        let iterations = result.iterations.iter().map(|iteration| RecordedIteration {
            scores: iteration.scores.iter().map(|score| score.value).collect(),
            spent: iteration.spent,
            similarity: iteration.similarity,
            loop_score: iteration.loop_score,
            reached_exit: iteration.reached_exit,
            conditions: Vec::new(),
        });
        Self {
            case: result.cell.case,
            iterations: iterations.collect(),
            ended: Ended::of(result),
        }
    }
}
