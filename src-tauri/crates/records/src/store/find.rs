//! Lists runs with totals, and reads long runs in parts.

use loopwright_engine::{
    Event, EventBody, RunStatus,
    event::project,
    journal::{RunFilter, RunHeaderBrief, RunState, Select},
};
use loopwright_runs::{
    ApiError, Code, Env, clip, mark_interrupted, paths, schedules::schedules_of_runs,
};

use super::dto::{FlowRuns, IterationInfo, IterationPage, RunPage, RunQuery, RunTally, StoreInfo};
use crate::{dto::RunSummary, history};

/// The maximum number of runs or iterations in one reply. A window shows fewer at once.
const PAGE: u32 = 500;

impl From<&RunQuery> for RunFilter {
    fn from(query: &RunQuery) -> Self {
        Self {
            statuses: query.statuses.clone(),
            exit_reasons: query.exit_reasons.clone(),
            flow: query.flow.clone(),
            since: query.since,
            until: query.until,
            text: query.text.clone(),
            seen: None,
            starred: query.starred,
            batch: query.batch.clone(),
        }
    }
}

fn size(number: u32) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

/// Returns runs, newest first. Runs that are stored as running but that no program leads are first marked as interrupted.
///
/// # Errors
/// Returns an error if the store cannot be read or written.
pub fn runs(env: &Env, limit: usize, offset: usize) -> Result<Vec<RunSummary>, ApiError> {
    mark_interrupted(env)?;
    summaries(env, &RunFilter::default(), limit, offset)
}

/// Returns a page of the runs that match `query`, with totals of all of them.
///
/// # Errors
/// Returns an error if the store cannot be read or written.
pub fn find_runs(env: &Env, query: &RunQuery) -> Result<RunPage, ApiError> {
    mark_interrupted(env)?;
    let filter = RunFilter::from(query);
    let runs = summaries(
        env,
        &filter,
        size(query.limit.min(PAGE)),
        size(query.offset),
    )?;
    let tally = env.journal().tally(&filter)?;
    Ok(RunPage {
        runs,
        tally: RunTally {
            runs: clip(tally.runs),
            spent_usd: (tally.cost_microusd > 0).then(|| tally.cost_microusd as f64 / 1e6),
            median_ms: tally.median_ms.map(clip),
        },
    })
}

/// Returns the names of the flows that have runs, sorted, with the number of each flow's runs.
///
/// # Errors
/// Returns an error if the store cannot be read.
pub fn run_flows(env: &Env) -> Result<Vec<FlowRuns>, ApiError> {
    let flows = env.journal().flows()?;
    Ok(flows
        .into_iter()
        .map(|(flow, runs)| FlowRuns {
            flow,
            runs: clip(runs),
        })
        .collect())
}

/// Returns the only run id with the prefix `given`, or the id of the newest run if `given` is `last`.
///
/// # Errors
/// Returns an error if no run or several runs match. An empty string is also an error, although it is a prefix of every id,
/// because scripts pass it if a variable is not set.
pub fn run_id(env: &Env, given: &str) -> Result<String, ApiError> {
    if given.trim().is_empty() {
        return Err(ApiError::new(
            Code::InvalidArgument,
            "The run id is empty. Give an id, an id prefix, or `last`; `loopwright runs list` shows the ids.",
        ));
    }
    let prefix = if given == "last" { "" } else { given };
    let mut found = env.journal().ids(prefix, 2)?;
    match found.len() {
        0 if given != "last"
            && let Some(run) = missing_run(env, given) =>
        {
            Ok(run)
        }
        0 if given == "last" => Err(ApiError::new(
            Code::NotFound,
            "There are no runs yet. Start one with `loopwright run`.",
        )),
        0 => Err(ApiError::new(
            Code::NotFound,
            format!("There is no run {given}. `loopwright runs list` shows the ids of all runs."),
        )),
        // The ids are sorted newest first.
        count if count == 1 || given == "last" => Ok(found.swap_remove(0)),
        // A complete id matches its own run, even if it is a prefix of another.
        _ if found.iter().any(|id| id == given) => Ok(given.to_owned()),
        _ => Err(ApiError::new(
            Code::InvalidArgument,
            format!("Several run ids begin with {given}. Give more characters of the id."),
        )),
    }
}

/// Returns the only id with the prefix `given` among the runs whose records the store has lost. Returns `None` if there is
/// no such id or more than one.
fn missing_run(env: &Env, given: &str) -> Option<String> {
    let mut missing = env.journal().missing();
    missing.retain(|run| run.run_id.starts_with(given));
    match missing.len() {
        1 => missing.pop().map(|run| run.run_id),
        _ => None,
    }
}

/// Removes the runs that the store has lost from the list of missing runs. Returns the number of removed runs.
///
/// # Errors
/// Returns an error if the store cannot be written.
pub fn forget_missing(env: &Env) -> Result<usize, ApiError> {
    Ok(env.journal().forget_missing()?)
}

/// Returns the number of runs in the store, its size on disk and its limit.
///
/// # Errors
/// Returns an error if the store cannot be read.
pub fn store_info(env: &Env) -> Result<StoreInfo, ApiError> {
    let size = env.journal().size()?;
    let path = paths::store(env.data_dir());
    Ok(StoreInfo {
        runs: clip(size.runs),
        bytes: paths::store_files(env.data_dir())
            .iter()
            .filter_map(|file| std::fs::metadata(file).ok())
            .map(|file| file.len())
            .sum(),
        limit_bytes: env
            .settings()
            .history_limit_mb
            .map(|limit| u64::from(limit) * 1_000_000),
        path: path.display().to_string(),
    })
}

/// Returns the events of a run outside its iterations, so that a long run opens as fast as a short one.
///
/// # Errors
/// Returns an error if the run does not exist or cannot be read.
pub fn run_outline(env: &Env, run_id: &str) -> Result<Vec<Event>, ApiError> {
    events(env, run_id, Select::Outline)
}

/// Returns a page of the finished iterations of the loop or list at `scope`, such as `refine` or `outer[2]/inner`, in order.
/// A page has at most 500 iterations.
///
/// # Errors
/// Returns an error if the run does not exist or cannot be read.
pub fn run_iterations(
    env: &Env,
    run_id: &str,
    scope: &str,
    offset: u32,
    limit: u32,
) -> Result<IterationPage, ApiError> {
    let total = env.journal().results(run_id, scope)?;
    let select = Select::ResultsPage {
        scope,
        offset: size(offset),
        limit: size(limit.min(PAGE)),
    };
    let iterations = events(env, run_id, select)?;
    Ok(IterationPage {
        total: clip(total),
        iterations: iterations.into_iter().filter_map(iteration).collect(),
    })
}

/// Returns the events of iterations `first` to `first + count - 1` (from 0, at most 500) of the loop or list at `scope`: the
/// start of each, and everything inside it, in the order of the run.
///
/// # Errors
/// Returns an error if the run does not exist or cannot be read.
pub fn iteration_events(
    env: &Env,
    run_id: &str,
    scope: &str,
    first: u32,
    count: u32,
) -> Result<Vec<Event>, ApiError> {
    let count = count.min(PAGE);
    let mut found = events(
        env,
        run_id,
        Select::Starts {
            scope,
            first,
            count,
        },
    )?;
    for index in first..first.saturating_add(count) {
        found.append(&mut events(
            env,
            run_id,
            Select::Iteration { scope, index },
        )?);
    }
    found.sort_by_key(|event| event.seq);
    Ok(found)
}

fn events(env: &Env, run_id: &str, select: Select<'_>) -> Result<Vec<Event>, ApiError> {
    let records = env.journal().read(run_id, select)?;
    Ok(records
        .iter()
        .filter_map(|record| project(run_id, record))
        .collect())
}

/// Returns the runs that match `filter`, newest first.
///
/// # Errors
/// Returns an error if the store cannot be read.
pub(crate) fn summaries(
    env: &Env,
    filter: &RunFilter,
    limit: usize,
    offset: usize,
) -> Result<Vec<RunSummary>, ApiError> {
    let found = env.journal().find(filter, limit, offset)?;
    let mut schedules = schedules_of_runs(env.data_dir());
    Ok(found
        .iter()
        .map(|(header, state)| RunSummary {
            schedule: schedules.remove(&header.run_id),
            ..summary_now(env, header, state)
        })
        .collect())
}

/// Returns the summary of a listed run. A run that is stored as running although no program leads it is interrupted.
fn summary_now(env: &Env, header: &RunHeaderBrief, listed: &RunState) -> RunSummary {
    let summary = history::summary(header, listed);
    if summary.status != RunStatus::Running || env.is_led(&header.run_id) {
        return summary;
    }
    // Its leader may have ended the run since it was listed. A leader writes the last state before it releases the run.
    let ended = env.journal().run(&header.run_id);
    match ended {
        Ok((_, state)) if state.status != RunStatus::Running => history::summary(header, &state),
        // In a read-only store, the run could not be marked as interrupted.
        _ => RunSummary {
            status: RunStatus::Interrupted,
            ..summary
        },
    }
}

fn iteration(event: Event) -> Option<IterationInfo> {
    match event.body {
        EventBody::IterationCompleted {
            index,
            similarity,
            condition_result,
            score,
            duration_ms,
            usage,
            result_preview,
            reached_exit,
            status,
        } => Some(IterationInfo {
            index,
            status,
            similarity,
            condition_result,
            score,
            duration_ms,
            usage,
            result_preview: result_preview.text(),
            reached_exit,
        }),
        _ => None,
    }
}
