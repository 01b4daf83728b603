//! Evaluations: files, experiments, back-tests, ratings, and tests from runs.

use std::{path::Path, sync::Arc};

use loopwright_api::{
    Agreement, ApiError, ApprovalPolicy, BlindItem, CasesPreview, Cells, EvaluationEstimate,
    EvaluationFileInfo, EvaluationProblem, ExperimentOptions, ExperimentProgress, ExperimentRow,
    ExperimentSummary, ExperimentView, OpenedEvaluation, PolicyResult, ProgressSink,
    SavedEvaluation,
    evaluate::{file::Evaluation, result::Cell},
};
use serde::Deserialize;
use specta::Type;
use tauri::ipc::Channel;

use super::{Document, Shared, SharedStores};

/// Cells by what is known of them.
#[derive(Debug, Clone, Copy, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub(crate) enum CellGroup {
    Empty,
    Failed,
    All,
}

/// Which cells are made: a group, or these.
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
    // A page that is gone hears nothing. The experiment continues, and the store has it all.
    Arc::new(move |progress| drop(channel.send(progress)))
}

/// The evaluation files beside a flow that are about it.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn evaluations_beside(
    app: Shared<'_>,
    flow_path: &str,
) -> Result<Vec<EvaluationFileInfo>, ApiError> {
    app.evaluations_beside(flow_path)
}

/// Reads an evaluation file.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn open_evaluation(app: Shared<'_>, path: &str) -> Result<OpenedEvaluation, ApiError> {
    app.open_evaluation(path)
}

/// A first evaluation of a flow over a data set. It is not written yet.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn new_evaluation(
    app: Shared<'_>,
    flow_path: &str,
    document: Document,
    data_path: &str,
) -> Result<OpenedEvaluation, ApiError> {
    app.new_evaluation(flow_path, &document.0, data_path)
}

/// Writes an evaluation file. With a version, one that was changed since it was read is left alone.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn save_evaluation(
    app: Shared<'_>,
    path: &str,
    evaluation: Evaluation,
    expected_version: Option<&str>,
) -> Result<SavedEvaluation, ApiError> {
    app.save_evaluation(path, &evaluation, expected_version)
}

/// What is wrong with an evaluation, its flows and its data set.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn check_evaluation(
    app: Shared<'_>,
    path: &str,
    evaluation: Evaluation,
) -> Vec<EvaluationProblem> {
    app.check_evaluation(path, &evaluation)
}

/// The first cases of an evaluation, and the rows that do not fit.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn read_cases(
    app: Shared<'_>,
    path: &str,
    evaluation: Evaluation,
) -> Result<CasesPreview, ApiError> {
    app.read_cases(path, &evaluation)
}

/// The most that an experiment can use.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn estimate_evaluation(
    app: Shared<'_>,
    path: &str,
    evaluation: Evaluation,
) -> Result<EvaluationEstimate, ApiError> {
    app.estimate_evaluation(&folder(path), &evaluation)
}

/// Starts an experiment and gives its id.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn start_experiment(
    app: Shared<'_>,
    path: String,
    evaluation: Evaluation,
    progress: Channel<ExperimentProgress>,
) -> Result<String, ApiError> {
    let started = app.start_experiment(ExperimentOptions {
        evaluation,
        folder: folder(&path),
        path: Some(path),
        approve: ApprovalPolicy::None,
        allow: Default::default(),
        progress: sink(progress),
    })?;
    Ok(started.id)
}

/// Makes some cells of an experiment, those that have no result or others once more.
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
    app.resume_experiment(
        id,
        cells,
        ApprovalPolicy::None,
        &Default::default(),
        sink(progress),
    )?;
    Ok(())
}

/// Stops an experiment. What is under way is suspended and can be resumed.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn stop_experiment(app: Shared<'_>, id: &str) -> Result<(), ApiError> {
    app.stop_experiment(id)
}

/// The newest experiments first: those of an evaluation file, or all.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn experiments(
    app: Shared<'_>,
    path: Option<&str>,
) -> Result<Vec<ExperimentSummary>, ApiError> {
    app.experiments(path)
}

/// An experiment with what it found.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn experiment(app: Shared<'_>, id: &str) -> Result<ExperimentView, ApiError> {
    app.experiment(id)
}

/// Some cases of an experiment with their results, at most 1,000.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn experiment_rows(
    app: Shared<'_>,
    id: &str,
    offset: u32,
    limit: u32,
) -> Result<Vec<ExperimentRow>, ApiError> {
    app.experiment_rows(id, offset, limit)
}

/// Removes an experiment. Its runs stay.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn delete_experiment(app: Shared<'_>, id: &str) -> Result<(), ApiError> {
    app.delete_experiment(id)
}

/// What each policy would have given of an experiment's runs.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn backtest(
    app: Shared<'_>,
    id: &str,
    policies: Vec<String>,
) -> Result<Vec<PolicyResult>, ApiError> {
    app.backtest_experiment(id, None, &policies)
}

/// Writes an experiment to a file, in the format that its name says: `.html`, `.csv`, `.jsonl`, `.json` (Inspect) or `.xml` (JUnit).
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn export_experiment(app: Shared<'_>, id: &str, path: &str) -> Result<(), ApiError> {
    app.export_experiment(id, path)
}

/// Keeps a person's rating of a result, from 1 to 5.
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
    app.rate_result(id, cell, iteration, rating, scorer)
}

/// How far judges agree with people.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn ratings(app: Shared<'_>, id: &str) -> Result<Vec<Agreement>, ApiError> {
    app.agreement(id)
}

/// The next result that nobody has rated.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn blind_item(
    app: Shared<'_>,
    id: &str,
    scorer: &str,
) -> Result<Option<BlindItem>, ApiError> {
    app.blind_item(id, scorer)
}

/// Writes a run as a test.
#[tauri::command(async)]
#[specta::specta]
pub(crate) async fn keep_test(
    app: Shared<'_>,
    stores: SharedStores<'_>,
    run_id: String,
    path: String,
) -> Result<(), ApiError> {
    let place = stores.place(&app, &run_id)?;
    place.app.keep_test(place.run_id, &path).await
}
