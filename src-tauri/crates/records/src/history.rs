//! Reads past runs from the journal.

use loopwright_engine::{
    Event, RunStatus,
    event::{BudgetView, project, timestamp},
    journal::{Journal, RunFailure, RunHeaderBrief, RunState, Select},
    outcome::UsageView,
    question::Question,
};
use loopwright_runs::{ApiError, Env, RunFailureInfo, clip, running_ids};
use serde_json::{Value, json};

use crate::{
    dto::{ForkedFrom, ParkedView, RunDetail, RunOrigin, RunSummary, StepDetail, StepStatus},
    step::recorded_step,
    tool_requests::tool_request,
    tree::{RunTree, Scope, Values},
};

/// Returns the runs that this process leads, newest first.
///
/// # Errors
/// Returns an error if the store cannot be read.
pub fn unfinished_runs(env: &Env) -> Result<Vec<RunSummary>, ApiError> {
    let mut runs = Vec::new();
    for run_id in running_ids(env) {
        let (header, state) = env.journal().run(&run_id)?;
        runs.push(summary(&header.brief(), &state));
    }
    runs.sort_by(|a, b| b.started_at.cmp(&a.started_at));
    Ok(runs)
}

pub fn run_detail(env: &Env, run_id: &str) -> Result<RunDetail, ApiError> {
    let journal = env.journal();
    let (header, state) = journal.run(run_id)?;
    let brief = RunHeaderBrief {
        label: journal.label(run_id)?,
        ..header.brief()
    };
    Ok(RunDetail {
        summary: RunSummary {
            schedule: header.setup.schedule,
            ..summary(&brief, &state)
        },
        document: header.document,
        inputs: header.inputs,
        outputs: state.outputs.map_or(Value::Null, Value::from),
        error: state.error.map(failure),
        pins: header.setup.pins,
        until: header.setup.until,
        origin: header.setup.origin.map(|origin| RunOrigin {
            run_id: origin.parent,
            at: origin.at,
            kept_seq: u32::try_from(origin.kept_records).unwrap_or(u32::MAX),
            kept: UsageView::from(&origin.kept),
        }),
        budget: state.budget.as_ref().map(BudgetView::from),
        over_budget: state.over_budget,
        over_spending_limit: state.over_budget && state.over_spending_limit,
    })
}

pub fn run_events(env: &Env, run_id: &str) -> Result<Vec<Event>, ApiError> {
    let mut events = Vec::new();
    env.journal()
        .read_each(run_id, Select::All, &mut |record| {
            events.extend(project(run_id, &record));
        })?;
    Ok(events)
}

pub fn step_detail(env: &Env, run_id: &str, path: &str) -> Result<StepDetail, ApiError> {
    let mut step = recorded_step(env, run_id, path)?;
    if step.status == StepStatus::Waiting {
        step.request = tool_request(env, run_id, &step)?;
    }
    Ok(step)
}

/// Returns the open questions of a run, each with the path of its step.
///
/// # Errors
/// Returns an error if the run does not exist or cannot be read.
pub fn waiting(env: &Env, run_id: &str) -> Result<Vec<(String, Question)>, ApiError> {
    waiting_in(&*env.journal(), run_id)
}

/// Returns the loops and lists of a run by path, as `--json` prints them: counts, exit reasons, similarities, results and
/// usage. A loop or list that is still running shows its progress. Only the start of a long result is read, which limits the
/// memory for a run with many results.
///
/// # Errors
/// Returns an error if the run does not exist or cannot be read.
pub fn run_loops(env: &Env, run_id: &str) -> Result<Value, ApiError> {
    let values = Values::ShortResults(PRINTED);
    let tree = RunTree::read(&*env.journal(), run_id, Select::All, values)?;
    let loops = tree
        .loops()
        .map(|(path, scope)| (path.to_owned(), printed(scope)));
    Ok(Value::Object(loops.collect()))
}

/// The maximum number of characters of an iteration's result that is printed.
const PRINTED: usize = 100_000;

/// Formats a loop or list for printing.
fn printed(scope: &Scope) -> Value {
    let results: Vec<Value> = scope
        .completed()
        .map(|(_, end)| match end.is_shortened {
            false => (*end.result).clone(),
            true => json!({ "omitted": true, "preview": end.result }),
        })
        .collect();
    let similarities: Vec<f64> = scope
        .completed()
        .filter_map(|(_, end)| end.similarity)
        .collect();
    let usage: Vec<Value> = scope
        .completed()
        .map(|(_, end)| {
            let usage = UsageView::from(&end.usage);
            json!({
                "calls": usage.calls, "inputTokens": usage.input_tokens, "outputTokens": usage.output_tokens,
                "costUsd": usage.cost_usd,
            })
        })
        .collect();
    json!({
        "count": scope.count(),
        "exitReason": scope.end.map(|end| end.exit_reason),
        "exhausted": scope.end.is_some_and(|end| end.exhausted),
        "similarity": similarities,
        "iterations": results,
        "usage": usage,
    })
}

/// Returns the summary of a run, without its schedule, which the brief header does not contain.
pub(crate) fn summary(header: &RunHeaderBrief, state: &RunState) -> RunSummary {
    RunSummary {
        run_id: header.run_id.clone(),
        flow: header.flow.clone(),
        flow_path: header.flow_path.clone(),
        status: state.status,
        started_at: timestamp(header.started_at),
        duration_ms: state.duration_ms.map(clip),
        usage: UsageView::from(&state.usage),
        warnings: state.warnings.clone(),
        iterations: state.iterations,
        exit_reason: state.exit_reason,
        forked_from: header
            .forked_from
            .clone()
            .map(|(run_id, at)| ForkedFrom { run_id, at }),
        name: header.label.name.clone(),
        starred: header.label.starred,
        parked: state
            .parked
            .as_ref()
            .filter(|_| state.status == RunStatus::Running)
            .map(|parked| ParkedView {
                name: parked.name.clone(),
                until: timestamp(parked.until),
            }),
        expires_at: state
            .expires_at
            .filter(|_| state.status == RunStatus::Waiting)
            .map(timestamp),
        schedule: None,
    }
}

pub(crate) fn failure(error: RunFailure) -> RunFailureInfo {
    RunFailureInfo {
        code: error.code,
        node: error.node,
        message: error.message,
    }
}

/// Returns the path and the question of each step that waits for a person.
///
/// # Errors
/// Returns an error if the journal cannot be read.
pub fn waiting_in(
    journal: &dyn Journal,
    run_id: &str,
) -> Result<Vec<(String, Question)>, ApiError> {
    let tree = RunTree::read(journal, run_id, Select::All, Values::ShortResults(0))?;
    Ok(tree
        .waiting()
        .into_iter()
        .map(|(path, question)| (path.to_owned(), question.clone()))
        .collect())
}
