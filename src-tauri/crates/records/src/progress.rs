//! How far a run is that is not over: its open iterations, what was last read of their conditions, and for how long it has run.

use loopwright_engine::{
    RunStatus,
    event::{BudgetView, PREVIEW},
    journal::{Select, effective, elapsed_ms, used},
    outcome::UsageView,
};
use loopwright_runs::{ApiError, Env};
use serde::Serialize;

use crate::tree::{RunTree, Values};

/// How far a run is.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RunProgress {
    /// For how long it has run, in milliseconds, without the times in which nothing ran.
    pub elapsed_ms: u64,
    /// By calls that have ended.
    #[serde(skip)]
    pub usage: UsageView,
    /// How its budget stands; `None` where it has none, or nothing was reserved yet.
    #[serde(skip)]
    pub budget: Option<BudgetView>,
    /// Iterations and items that have begun and not ended, each after those around it.
    pub iterations: Vec<OpenIteration>,
}

/// An iteration, or an item, under way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct OpenIteration {
    /// Of its loop or list: `refine`, `outer[2]/inner`.
    pub path: String,
    /// From 1.
    pub iteration: u32,
    /// The loop's cap, or the number of items.
    pub of: Option<u32>,
    /// Whether the exit condition was met when it was last read; `None` where it was not read yet.
    pub condition: Option<bool>,
    /// The beginning of the last finished iteration's result.
    pub last_result: Option<String>,
}

/// How far a run is, also while another program continues it; `None` when it is over.
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
        // Its row has what was cut off as well.
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
