//! Experiments in the store: rows, documents and notes.

use std::{collections::HashMap, sync::Arc};

use loopwright_engine::journal::JournalError;
use loopwright_evaluation::result::{Case, CellResult, IterationResult};
use loopwright_journal::{CellRow, ExperimentRow as StoredRow, ExperimentStore};
use loopwright_runs::{ApiError, Code, Env, RunLock, paths};

use super::content::{Content, State};
use crate::running_experiments::Experiments;

/// The prefix of the names of notes about replaced runs. The notes record what those runs spent.
pub(super) const REPLACED: &str = "replaced:";
/// The name of the note with the budget of the experiment, in dollars. It replaces the budget of the evaluation.
pub(super) const BUDGET: &str = "budget";

pub(super) fn experiment_store(
    experiments: &Experiments,
) -> Result<Arc<ExperimentStore>, ApiError> {
    experiments.store(&paths::store(experiments.env().data_dir()))
}

/// Returns the stored experiment: its row, its immutable content and its state.
///
/// # Errors
/// [`Code::NotFound`] if the experiment does not exist; another error if it cannot be read.
pub(super) fn stored(
    experiments: &Experiments,
    id: &str,
) -> Result<(StoredRow, Content, State), ApiError> {
    let (row, content) = experiment_store(experiments)?
        .get(id)
        .map_err(|error| match error {
            JournalError::Read(_) => ApiError::new(
                Code::NotFound,
                format!(
                    "There is no experiment {id}. `loopwright evals list` shows the experiments."
                ),
            ),
            other => other.into(),
        })?;
    let state = from_json_text(&row.state)?;
    let content = from_json_text(&content)?;
    Ok((row, content, state))
}

/// Locks an experiment for this process.
///
/// # Errors
/// [`Code::Busy`] if the experiment is running, here or in another program.
pub(super) fn lock_experiment(env: &Env, id: &str) -> Result<RunLock, ApiError> {
    RunLock::take(env.data_dir(), id).map_err(|error| match error.code {
        Code::Busy => ApiError::new(
            Code::Busy,
            format!(
                "Experiment {id} is running in this program or in another one. Wait until it ends, or stop it in the program that runs it."
            ),
        ),
        _ => error,
    })
}

pub(super) fn to_json_text<T: serde::Serialize>(value: &T) -> Result<String, ApiError> {
    serde_json::to_string(value).map_err(|error| ApiError::new(Code::Internal, error.to_string()))
}

pub(super) fn from_json_text<T: serde::de::DeserializeOwned>(text: &str) -> Result<T, ApiError> {
    serde_json::from_str(text).map_err(|error| {
        ApiError::new(
            Code::Internal,
            format!("The experiment cannot be read: {error}. It is damaged, or another version of Loopwright wrote it."),
        )
    })
}

pub(super) fn cases_of(
    store: &ExperimentStore,
    id: &str,
    offset: usize,
    limit: usize,
) -> Result<Vec<Case>, ApiError> {
    store
        .cases(id, offset, limit)?
        .iter()
        .map(|text| from_json_text(text))
        .collect()
}

/// Returns every result with its iterations, keyed by cell number. Fails if a result cannot be read.
pub(super) fn results_of(
    store: &ExperimentStore,
    id: &str,
) -> Result<HashMap<u64, CellResult>, ApiError> {
    store
        .cells(id, 0, u64::MAX, true)?
        .iter()
        .map(|row| Ok((row.number, result_of(row)?)))
        .collect()
}

/// Parses the result in a row. Fails if the row is damaged or was written by another version.
pub(super) fn result_of(row: &CellRow) -> Result<CellResult, ApiError> {
    let mut result: CellResult = from_json_text(&row.summary)?;
    if !row.detail.is_empty() {
        let iterations: Vec<IterationResult> = from_json_text(&row.detail)?;
        result.iterations = iterations;
    }
    Ok(result)
}

/// Returns the row that stores a result.
pub(super) fn row_of(number: u64, result: &CellResult) -> CellRow {
    let mut short = result.clone();
    let iterations = std::mem::take(&mut short.iterations);
    CellRow {
        number,
        summary: serde_json::to_string(&short).unwrap_or_default(),
        detail: match iterations.is_empty() {
            true => String::new(),
            false => serde_json::to_string(&iterations).unwrap_or_default(),
        },
    }
}
