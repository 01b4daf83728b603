//! Commands for evaluations: files, experiments, back-tests, ratings, and tests saved from runs.

use std::{path::Path, sync::Arc};

use loopwright_api::{
    ApprovalPolicy,
    evaluation::{file::Evaluation, result::Cell},
};
use loopwright_experiments as experiments;
use loopwright_experiments::{
    Agreement, BlindItem, CasesPreview, Cells, EvaluationEstimate, EvaluationFileInfo,
    EvaluationProblem, ExperimentOptions, ExperimentProgress, ExperimentRow, ExperimentSummary,
    ExperimentView, OpenedEvaluation, PolicyResult, ProgressSink, SavedEvaluation,
};
use loopwright_runs::ApiError;
use serde::Deserialize;
use specta::Type;
use tauri::ipc::Channel;

use super::{Document, Shared, SharedStores};

/// A group of cells, selected by their results.
#[derive(Debug, Clone, Copy, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub(crate) enum CellGroup {
    Empty,
    Failed,
    All,
}

/// The cells to run: a group, or a list.
#[derive(Debug, Deserialize, Type)]
#[serde(untagged)]
pub(crate) enum CellChoice {
    Group(CellGroup),
    These(Vec<Cell>),
}

fn folder(path: &str) -> std::path::PathBuf {
    Path::new(path)
        .parent()
        .map(Path::to_path_buf)
        .unwrap_or_default()
}

fn sink(channel: Channel<ExperimentProgress>) -> ProgressSink {
    // If the page is gone, sending fails. The experiment continues, and all of its results are in the store.
    Arc::new(move |progress| drop(channel.send(progress)))
}

/// Returns the evaluation files in the folder of a flow that refer to this flow.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn evaluations_beside(flow_path: &str) -> Result<Vec<EvaluationFileInfo>, ApiError> {
    experiments::evaluations_beside(flow_path)
}

/// Reads an evaluation file.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn open_evaluation(app: Shared<'_>, path: &str) -> Result<OpenedEvaluation, ApiError> {
    experiments::open_evaluation(app.env(), path)
}

/// Returns a new evaluation of a flow with a data set, for the user to edit. Nothing is written.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn new_evaluation(
    app: Shared<'_>,
    flow_path: &str,
    document: Document,
    data_path: &str,
) -> Result<OpenedEvaluation, ApiError> {
    experiments::new_evaluation(app.env(), flow_path, &document.0, data_path)
}

/// Writes an evaluation file. If `expected_version` is set, a file whose version differs is not overwritten.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn save_evaluation(
    app: Shared<'_>,
    path: &str,
    evaluation: Evaluation,
    expected_version: Option<&str>,
) -> Result<SavedEvaluation, ApiError> {
    experiments::save_evaluation(app.env(), path, &evaluation, expected_version)
}

/// Returns the problems with an evaluation, its flows and its data set.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn check_evaluation(
    app: Shared<'_>,
    path: &str,
    evaluation: Evaluation,
) -> Vec<EvaluationProblem> {
    experiments::check_evaluation(app.env(), path, &evaluation)
}

/// Returns the first cases of an evaluation, and the problems of rows that do not match the inputs of its flow.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn read_cases(
    app: Shared<'_>,
    path: &str,
    evaluation: Evaluation,
) -> Result<CasesPreview, ApiError> {
    experiments::read_cases(app.env(), path, &evaluation)
}

/// Returns the maximum number of runs and calls of an experiment, and its maximum cost.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn estimate_evaluation(
    app: Shared<'_>,
    path: &str,
    evaluation: Evaluation,
) -> Result<EvaluationEstimate, ApiError> {
    experiments::estimate_evaluation(app.env(), &folder(path), &evaluation)
}

/// Starts an experiment and returns its id. Its progress arrives through the channel.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn start_experiment(
    app: Shared<'_>,
    path: String,
    evaluation: Evaluation,
    progress: Channel<ExperimentProgress>,
) -> Result<String, ApiError> {
    let started = experiments::start_experiment(
        app.experiments(),
        ExperimentOptions {
            evaluation,
            folder: folder(&path),
            path: Some(path),
            approve: ApprovalPolicy::None,
            allow: Default::default(),
            progress: sink(progress),
        },
    )?;
    Ok(started.id)
}

/// Runs the chosen cells of an experiment. Cells that already have results get new ones.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn rerun_cells(
    app: Shared<'_>,
    id: &str,
    cells: CellChoice,
    progress: Channel<ExperimentProgress>,
) -> Result<(), ApiError> {
    let cells = match cells {
        CellChoice::Group(CellGroup::Empty) => Cells::Empty,
        CellChoice::Group(CellGroup::Failed) => Cells::Failed,
        CellChoice::Group(CellGroup::All) => Cells::All,
        CellChoice::These(cells) => Cells::These(cells),
    };
    experiments::resume_experiment(
        app.experiments(),
        id,
        cells,
        ApprovalPolicy::None,
        &Default::default(),
        sink(progress),
    )?;
    Ok(())
}

/// Stops an experiment. Its runs in progress are suspended and can be resumed.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn stop_experiment(app: Shared<'_>, id: &str) -> Result<(), ApiError> {
    experiments::stop_experiment(app.experiments(), id)
}

/// Returns the experiments of an evaluation file, newest first; those of all files if `path` is `null`.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn experiments(
    app: Shared<'_>,
    path: Option<&str>,
) -> Result<Vec<ExperimentSummary>, ApiError> {
    experiments::list_experiments(app.experiments(), path)
}

/// Returns an experiment with its results.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn experiment(app: Shared<'_>, id: &str) -> Result<ExperimentView, ApiError> {
    experiments::experiment(app.experiments(), id)
}

/// Returns the cases of an experiment from `offset` on with their results: `limit` cases, but at most 1,000.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn experiment_rows(
    app: Shared<'_>,
    id: &str,
    offset: u32,
    limit: u32,
) -> Result<Vec<ExperimentRow>, ApiError> {
    experiments::experiment_rows(app.experiments(), id, offset, limit)
}

/// Deletes an experiment. Its runs are kept.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn delete_experiment(app: Shared<'_>, id: &str) -> Result<(), ApiError> {
    experiments::delete_experiment(app.experiments(), id)
}

/// Returns, for each policy, the results that the runs of an experiment would have had under that policy. Nothing is run.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn backtest(
    app: Shared<'_>,
    id: &str,
    policies: Vec<String>,
) -> Result<Vec<PolicyResult>, ApiError> {
    experiments::backtest_experiment(app.experiments(), id, None, &policies)
}

/// Writes an experiment to a file. The file's extension determines the format: `.html`, `.csv`, `.jsonl`, `.json` (Inspect) or
/// `.xml` (JUnit).
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn export_experiment(app: Shared<'_>, id: &str, path: &str) -> Result<(), ApiError> {
    experiments::export_experiment(app.experiments(), id, path)
}

/// Stores a person's rating of a result, from 1 to 5.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn rate_result(
    app: Shared<'_>,
    id: &str,
    cell: Cell,
    iteration: Option<u32>,
    rating: f64,
    scorer: &str,
) -> Result<(), ApiError> {
    experiments::rate_result(app.experiments(), id, cell, iteration, rating, scorer)
}

/// Returns how well each judge agrees with the ratings by people.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn ratings(app: Shared<'_>, id: &str) -> Result<Vec<Agreement>, ApiError> {
    experiments::agreement(app.experiments(), id)
}

/// Returns the next unrated result, but not its variant, because ratings are blind; `null` if all results are rated.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn blind_item(
    app: Shared<'_>,
    id: &str,
    scorer: &str,
) -> Result<Option<BlindItem>, ApiError> {
    experiments::blind_item(app.experiments(), id, scorer)
}

/// Creates a test from a run and writes it to the file `path`.
#[tauri::command(async)]
#[specta::specta]
pub(crate) async fn keep_test(
    app: Shared<'_>,
    stores: SharedStores<'_>,
    run_id: String,
    path: String,
) -> Result<(), ApiError> {
    let place = stores.place(&app, &run_id)?;
    experiments::keep_test(place.app.env(), place.run_id, &path).await
}
