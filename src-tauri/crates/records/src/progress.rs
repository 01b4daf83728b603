//! The progress of an unfinished run: its running time, its iterations in progress, and the last check of each exit
//! condition.

use loopwright_engine::{
    RunStatus,
    event::{BudgetView, PREVIEW},
    journal::{Select, effective, elapsed_ms, used},
    outcome::UsageView,
};
use loopwright_runs::{ApiError, Env};
use serde::Serialize;

use crate::tree::{RunTree, Values};

/// The time, usage, budget and iterations of a run so far.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RunProgress {
    /// The running time in milliseconds, without pauses.
    pub elapsed_ms: u64,
    /// The usage of finished calls. For an interrupted run, it includes the calls that were cut off.
    #[serde(skip)]
    pub usage: UsageView,
    /// The state of the run's budget; `None` if the run has no budget or nothing has been reserved yet.
    #[serde(skip)]
    pub budget: Option<BudgetView>,
    /// Iterations and items that are in progress, outer ones first.
    pub iterations: Vec<OpenIteration>,
}

/// An iteration or item in progress.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct OpenIteration {
    /// The path of its loop or list: `refine`, `outer[2]/inner`.
    pub path: String,
    /// The number of the iteration, from 1.
    pub iteration: u32,
    /// The loop's maximum number of iterations, or the list's number of items; `None` if it is unknown.
    pub of: Option<u32>,
    /// Whether the exit condition was met at its last check; `None` before the first check.
    pub condition: Option<bool>,
    /// The start of the result of the iteration that finished last; `None` before one has finished.
    pub last_result: Option<String>,
}

/// Returns the progress of a run, even if another program leads it. Returns `None` if the run is over.
///
/// # Errors
/// Returns an error if the run does not exist or cannot be read.
pub fn run_progress(env: &Env, run_id: &str) -> Result<Option<RunProgress>, ApiError> {
    let (_, state) = env.journal().run(run_id)?;
    if state.status.is_over() {
        return Ok(None);
    }
    let records = env.journal().read(run_id, Select::All)?;
    let mut elapsed_ms = elapsed_ms(&records);
    if let (RunStatus::Running, Some(last)) = (state.status, records.last()) {
        let since = env.now().saturating_sub(last.at);
        elapsed_ms = elapsed_ms.saturating_add(u64::try_from(since).unwrap_or(0));
    }
    let usage = match state.status {
        // The stored usage also includes the calls that were interrupted.
        RunStatus::Interrupted => state.usage,
        _ => used(effective(&records, false)),
    };
    let tree = RunTree::of(records, Values::Results);
    Ok(Some(RunProgress {
        elapsed_ms,
        usage: UsageView::from(&usage),
        budget: tree.budget.as_ref().map(BudgetView::from),
        iterations: open_iterations(&tree),
    }))
}

fn open_iterations(tree: &RunTree) -> Vec<OpenIteration> {
    tree.open_iterations()
        .into_iter()
        .map(|(path, scope, index, iteration)| OpenIteration {
            path: path.to_owned(),
            iteration: index.saturating_add(1),
            of: iteration.total,
            condition: scope.condition,
            last_result: scope
                .completed()
                .max_by_key(|(_, end)| end.at)
                .map(|(_, end)| end.preview(PREVIEW)),
        })
        .collect()
}
