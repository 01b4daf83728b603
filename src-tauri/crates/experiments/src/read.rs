//! Reads and deletes stored experiments: lists, results and reports.

use loopwright_engine::event::timestamp;
use loopwright_evaluation::{
    report,
    result::{Case, CellResult, Report},
};
use loopwright_journal::ExperimentRow as StoredRow;
use loopwright_runs::{ApiError, Code, RunLock};

use super::{
    content::{Content, State},
    dto::{ExperimentRow, ExperimentStatus, ExperimentSummary, ExperimentView},
    stored::{cases_of, from_json_text, result_of, results_of},
};
use crate::{
    running_experiments::Experiments,
    stored::{experiment_store, lock_experiment, stored},
};

/// The maximum number of experiments in a list.
const LISTED: usize = 500;

/// The maximum number of cases on one page of the grid of results.
const MAX_PAGE: u32 = 1_000;

/// Returns the newest experiments of an evaluation file, or of all files, newest first. There are at most 500.
///
/// # Errors
/// Returns the store's error if the experiments cannot be read.
pub fn list_experiments(
    experiments: &Experiments,
    path: Option<&str>,
) -> Result<Vec<ExperimentSummary>, ApiError> {
    experiment_store(experiments)?
        .list(path, LISTED)?
        .iter()
        .map(|row| summary(experiments, row, &from_json_text(&row.state)?))
        .collect()
}

/// Returns the id of the experiment that `given` selects: an id, an id prefix, or `last` for the newest.
///
/// # Errors
/// [`Code::NotFound`] if no experiment or several match; [`Code::InvalidArgument`] if `given` is empty.
pub fn find_experiment(experiments: &Experiments, given: &str) -> Result<String, ApiError> {
    let rows = experiment_store(experiments)?.list(None, usize::MAX)?;
    let refused = |why: String| ApiError::new(Code::NotFound, why);
    if given.trim().is_empty() {
        return Err(ApiError::new(
            Code::InvalidArgument,
            "The id of the experiment is empty. Give an id, an id prefix, or `last`; `loopwright evals list` shows the ids.",
        ));
    }
    if given == "last" {
        return rows.first().map(|row| row.id.clone()).ok_or_else(|| {
            refused("There are no experiments yet. `loopwright eval` creates one.".to_owned())
        });
    }
    let mut found = rows.iter().filter(|row| row.id.starts_with(given));
    match (found.next(), found.next()) {
        (Some(row), None) => Ok(row.id.clone()),
        (Some(_), Some(_)) => Err(refused(format!(
            "Several experiments begin with {given}. Give more characters of the id."
        ))),
        _ => Err(refused(format!(
            "There is no experiment {given}. `loopwright evals list` shows the experiments."
        ))),
    }
}

/// Returns an experiment with its report.
///
/// # Errors
/// [`Code::NotFound`] if the experiment does not exist, or the store's error if it cannot be read.
pub fn experiment(experiments: &Experiments, id: &str) -> Result<ExperimentView, ApiError> {
    let (row, content, state) = stored(experiments, id)?;
    let found = match &state.report {
        Some(report) => report.clone(),
        None => {
            let store = experiment_store(experiments)?;
            let cases = cases_of(&store, id, 0, usize::MAX)?;
            let mut results: Vec<CellResult> = results_of(&store, id)?.into_values().collect();
            results.sort_by_key(|result| content.number(result.cell));
            report_of(id, &content, &cases, &results, &state)
        }
    };
    Ok(ExperimentView {
        summary: summary(experiments, &row, &state)?,
        case_count: content.case_count,
        rejected: content.rejected,
        evaluation: content.evaluation,
        report: found,
    })
}

/// Returns a range of at most 1,000 of an experiment's cases with their results, in the order of the data set.
///
/// # Errors
/// Returns the errors of [`experiment`].
pub fn experiment_rows(
    experiments: &Experiments,
    id: &str,
    offset: u32,
    limit: u32,
) -> Result<Vec<ExperimentRow>, ApiError> {
    let store = experiment_store(experiments)?;
    let limit = limit.min(MAX_PAGE);
    let cases = cases_of(&store, id, offset as usize, limit as usize)?;
    // The cells of a case are adjacent in the store, in the order in which a row shows them.
    let (_, content, _) = stored(experiments, id)?;
    let width = content.width();
    let first = u64::from(offset) * width;
    let mut rows: Vec<ExperimentRow> = cases
        .into_iter()
        .map(|case| ExperimentRow {
            case,
            cells: vec![None; usize::try_from(width).unwrap_or(0)],
        })
        .collect();
    for cell in store.cells(id, first, u64::from(limit) * width, false)? {
        let place = cell.number - first;
        let row = usize::try_from(place / width).unwrap_or(usize::MAX);
        let column = usize::try_from(place % width).unwrap_or(usize::MAX);
        if let Some(slot) = rows.get_mut(row).and_then(|row| row.cells.get_mut(column)) {
            *slot = Some(result_of(&cell)?);
        }
    }
    Ok(rows)
}

/// Returns every case and every result of an experiment, including the iterations of each result.
///
/// # Errors
/// Returns the errors of [`experiment`].
pub fn experiment_results(
    experiments: &Experiments,
    id: &str,
) -> Result<(Vec<Case>, Vec<CellResult>), ApiError> {
    let (_, content, _) = stored(experiments, id)?;
    let store = experiment_store(experiments)?;
    let cases = cases_of(&store, id, 0, usize::MAX)?;
    let mut results: Vec<CellResult> = results_of(&store, id)?.into_values().collect();
    results.sort_by_key(|result| content.number(result.cell));
    Ok((cases, results))
}

/// Deletes an experiment. Its runs are kept.
///
/// # Errors
/// [`Code::NotFound`] if the experiment does not exist; [`Code::Busy`] if it is running; the store's error if it cannot be
/// deleted.
pub fn delete_experiment(experiments: &Experiments, id: &str) -> Result<(), ApiError> {
    let (row, _, _) = stored(experiments, id)?;
    let _lock = lock_experiment(experiments.env(), &row.id)?;
    Ok(experiment_store(experiments)?.delete(id)?)
}

fn summary(
    experiments: &Experiments,
    row: &StoredRow,
    state: &State,
) -> Result<ExperimentSummary, ApiError> {
    // A running experiment holds its lock. If the lock is free, the program exited before the experiment ended.
    let lost = state.status == ExperimentStatus::Running
        && !RunLock::is_held(experiments.env().data_dir(), &row.id);
    let (done, micro_usd) = match lost {
        true => {
            let cells = experiment_store(experiments)?.cells(&row.id, 0, u64::MAX, false)?;
            let results: Result<Vec<CellResult>, ApiError> = cells.iter().map(result_of).collect();
            let results = results?;
            let over = results
                .iter()
                .filter(|result| {
                    use loopwright_evaluation::result::CellStatus::{Completed, Failed};
                    matches!(result.status, Completed | Failed)
                })
                .count();
            // The program ended before it could store the sum.
            let cells: u64 = results.iter().map(|result| result.spent.micro_usd).sum();
            let cost = cells.max(state.micro_usd);
            (u32::try_from(over).unwrap_or(u32::MAX), cost)
        }
        false => (state.done, state.micro_usd),
    };
    Ok(ExperimentSummary {
        id: row.id.clone(),
        name: row.name.clone(),
        path: row.path.clone(),
        flow: state.flow.clone(),
        started_at: timestamp(row.started_at),
        status: match lost {
            true => ExperimentStatus::Interrupted,
            false => state.status,
        },
        total: state.total,
        done,
        failed: state.failed,
        cost_usd: micro_usd as f64 / 1e6,
        error: state.error.clone(),
    })
}

/// Computes an experiment's report, including notes that explain the figures.
pub(super) fn report_of(
    id: &str,
    content: &Content,
    cases: &[Case],
    results: &[CellResult],
    state: &State,
) -> Report {
    let mut notes = content.notes.clone();
    match content.rejected.len() {
        0 => {}
        1 => notes.push(format!(
            "1 row of the data set does not match the flow's inputs and was not run. Line {}: {}",
            content.rejected[0].line, content.rejected[0].message
        )),
        count => notes.push(format!(
            "{count} rows of the data set do not match the flow's inputs and were not run. The first, line {}: {}",
            content.rejected[0].line, content.rejected[0].message
        )),
    }
    let mut report = report::report(id, &content.evaluation, cases, results, notes);
    report.stopped_early = state.stopped_early.clone();
    report
}
