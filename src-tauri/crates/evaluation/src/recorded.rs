//! A loop of a recorded run, as far as a back-test reads it.

use serde::{Deserialize, Serialize};

use crate::result::{CellResult, CellStatus, Spent};

/// What a loop did.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedLoop {
    /// Runs of the same case count as repetitions: they are averaged, and drawn together when an interval is estimated. Runs that
    /// have nothing to do with one another have a number each.
    pub case: u32,
    /// Those that finished.
    pub iterations: Vec<RecordedIteration>,
    pub ended: Ended,
}

/// What one iteration gave.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RecordedIteration {
    /// By scorer, of the result that the loop would have returned had it ended here.
    pub scores: Vec<Option<f64>>,
    /// What the run had spent had the loop ended here.
    pub spent: Spent,
    /// Of the result to the one before. `None` for the first, and where it was not computed.
    pub similarity: Option<f64>,
    /// The value of the loop's own `score`.
    pub loop_score: Option<f64>,
    pub reached_exit: bool,
    /// One for each policy with a condition, in the order of the policies: whether it is met. `None`: it could not be evaluated.
    pub conditions: Vec<Option<bool>>,
}

/// Why a recorded loop has no more iterations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(specta::Type))]
#[serde(rename_all = "snake_case")]
pub enum Ended {
    /// Its exit condition was met.
    Exit,
    /// It reached its cap.
    Cap,
    /// Its time or its budget was over.
    Limit,
    /// A node failed.
    Failed,
    /// It was stopped from outside, or is not over.
    Stopped,
}

impl Ended {
    /// Why the loop of a cell's run ended.
    pub fn of(result: &CellResult) -> Self {
        Self::by_reason(
            result.exit_reason.as_deref(),
            result.status == CellStatus::Failed,
        )
    }

    /// Why a loop ended, by the reason's name in JSON (the engine's `ExitReason`). Without a reason, and with that of a list, it is the run
    /// that tells: whether it has failed. Every name that is not of a limit, a failure or a stop is of an exit condition, so that a new
    /// condition needs no line here.
    pub fn by_reason(reason: Option<&str>, failed: bool) -> Self {
        match reason {
            Some("max_iterations") => Self::Cap,
            Some("timeout" | "budget_exceeded") => Self::Limit,
            Some("cancelled") => Self::Stopped,
            Some("error") => Self::Failed,
            None | Some("completed") if failed => Self::Failed,
            None | Some("completed") => Self::Stopped,
            Some(_) => Self::Exit,
        }
    }
}

impl RecordedLoop {
    /// The loop of a cell's run, without verdicts of conditions.
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
