//! Commands for stored runs: lists, events, comparison, replay, export and import.

use loopwright_api::Event;
use loopwright_records as records;
use loopwright_records::{
    FlowRuns, ImportedRun, IterationPage, OpenQuestion, RunComparison, RunDetail, RunPage,
    RunQuery, RunSummary, ScheduleView, StepComparison, StepDetail, StoreInfo, ToolRequest,
    TranscriptView,
};
use loopwright_runs as runs;
use loopwright_runs::{ApiError, Replayed};
use tauri::ipc::Channel;

use super::{Inputs, Shared, SharedStores};
use crate::{events, stores::Place};

/// The maximum number of runs in a list, more than users scroll through. Older runs are found by searching.
const RUNS_SHOWN: usize = 500;

/// Replays a recorded run from its journal alone, without network or keys. The events of the run arrive through `events`, with
/// their recorded times but without pauses between them. Fails with `diverged` if this program would produce other records for
/// the flow. The error names the first record that differs.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn replay_run(
    app: Shared<'_>,
    stores: SharedStores<'_>,
    run_id: &str,
    events: Channel<Vec<Event>>,
) -> Result<Replayed, ApiError> {
    let place = stores.place(&app, run_id)?;
    events::send_all(&events, |each| {
        let mut shown = |event: &Event| each(&place.event(event.clone()));
        runs::replay_run(place.app.env(), place.run_id, &mut shown)
    })
}

/// Compares two runs: their inputs and settings, their outputs by word or line, each iteration's similarity and score, and the
/// steps that differ. `compare_step` returns a step of both runs in full.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn compare_runs(
    app: Shared<'_>,
    stores: SharedStores<'_>,
    a: &str,
    b: &str,
) -> Result<RunComparison, ApiError> {
    let (place, b) = stores.place_of_both(&app, a, b)?;
    Ok(place.comparison(records::compare_runs(place.app.env(), place.run_id, b)?))
}

/// Returns one step of two runs, in full. The step is `null` for a run that does not have the step.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn compare_step(
    app: Shared<'_>,
    stores: SharedStores<'_>,
    a: &str,
    b: &str,
    path: &str,
) -> Result<StepComparison, ApiError> {
    let (place, b) = stores.place_of_both(&app, a, b)?;
    records::compare_step(place.app.env(), place.run_id, b, path)
}

#[tauri::command(async)]
#[specta::specta]
pub(crate) fn runs(app: Shared<'_>) -> Result<Vec<RunSummary>, ApiError> {
    records::runs(app.env(), RUNS_SHOWN, 0)
}

/// Returns the open questions of all runs that have not ended, oldest first. `store` is the name of a shared store, or `null`
/// for the runs of this computer.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn open_questions(
    app: Shared<'_>,
    stores: SharedStores<'_>,
    store: Option<&str>,
) -> Result<Vec<OpenQuestion>, ApiError> {
    let place = Place {
        store,
        app: stores.app(&app, store)?,
        run_id: "",
    };
    let questions = records::open_questions(place.app.env())?;
    Ok(questions
        .into_iter()
        .map(|question| place.question(question))
        .collect())
}

/// Returns a page of the matching runs, and totals of all matching runs. `store` is the name of a shared store, or `null` for
/// this computer.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn find_runs(
    app: Shared<'_>,
    stores: SharedStores<'_>,
    query: RunQuery,
    store: Option<&str>,
) -> Result<RunPage, ApiError> {
    let place = Place {
        store,
        app: stores.app(&app, store)?,
        run_id: "",
    };
    let page = records::find_runs(place.app.env(), &query)?;
    Ok(RunPage {
        runs: page
            .runs
            .into_iter()
            .map(|run| place.summary(run))
            .collect(),
        ..page
    })
}

/// Returns the schedules of this computer, each with its newest `firings` firings. Removed schedules that have a history follow
/// the others.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn schedules(app: Shared<'_>, firings: u32) -> Vec<ScheduleView> {
    let limit = usize::try_from(firings).unwrap_or(usize::MAX);
    records::schedule_views(app.env(), limit)
}

/// Returns the flows that have runs, sorted by name.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn run_flows(
    app: Shared<'_>,
    stores: SharedStores<'_>,
    store: Option<&str>,
) -> Result<Vec<FlowRuns>, ApiError> {
    records::run_flows(stores.app(&app, store)?.env())
}

/// Returns the number of stored runs and the size of the store.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn store_info(
    app: Shared<'_>,
    stores: SharedStores<'_>,
    store: Option<&str>,
) -> Result<StoreInfo, ApiError> {
    records::store_info(stores.app(&app, store)?.env())
}

/// Writes a run to a file. The file's extension determines the format.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn export_run(
    app: Shared<'_>,
    stores: SharedStores<'_>,
    run_id: &str,
    path: &str,
) -> Result<(), ApiError> {
    let place = stores.place(&app, run_id)?;
    records::export_run_to(place.app.env(), place.run_id, path)
}

/// Imports a run from a file.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn import_run(app: Shared<'_>, path: &str) -> Result<ImportedRun, ApiError> {
    records::import_run_from(app.env(), path)
}

/// Returns the events of a run that are outside its iterations.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn run_outline(
    app: Shared<'_>,
    stores: SharedStores<'_>,
    run_id: &str,
) -> Result<Vec<Event>, ApiError> {
    let place = stores.place(&app, run_id)?;
    Ok(place.events(records::run_outline(place.app.env(), place.run_id)?))
}

/// Returns the finished iterations of the loop or list at `scope` from `offset` on, in order: `limit` iterations, but
/// at most 500.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn run_iterations(
    app: Shared<'_>,
    stores: SharedStores<'_>,
    run_id: &str,
    scope: &str,
    offset: u32,
    limit: u32,
) -> Result<IterationPage, ApiError> {
    let place = stores.place(&app, run_id)?;
    records::run_iterations(place.app.env(), place.run_id, scope, offset, limit)
}

/// Returns the events within iterations `first` to `first + count - 1` (from 0, at most 500) of the loop or list at `scope`.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn iteration_events(
    app: Shared<'_>,
    stores: SharedStores<'_>,
    run_id: &str,
    scope: &str,
    first: u32,
    count: u32,
) -> Result<Vec<Event>, ApiError> {
    let place = stores.place(&app, run_id)?;
    let events = records::iteration_events(place.app.env(), place.run_id, scope, first, count)?;
    Ok(place.events(events))
}

#[tauri::command(async)]
#[specta::specta]
pub(crate) fn run_detail(
    app: Shared<'_>,
    stores: SharedStores<'_>,
    run_id: &str,
) -> Result<RunDetail, ApiError> {
    let place = stores.place(&app, run_id)?;
    let detail = records::run_detail(place.app.env(), place.run_id)?;
    runs::mark_seen(place.app.env(), place.run_id, detail.summary.status);
    Ok(place.detail(detail))
}

#[tauri::command(async)]
#[specta::specta]
pub(crate) fn run_events(
    app: Shared<'_>,
    stores: SharedStores<'_>,
    run_id: &str,
) -> Result<Vec<Event>, ApiError> {
    let place = stores.place(&app, run_id)?;
    Ok(place.events(records::run_events(place.app.env(), place.run_id)?))
}

#[tauri::command(async)]
#[specta::specta]
pub(crate) fn step_detail(
    app: Shared<'_>,
    stores: SharedStores<'_>,
    run_id: &str,
    path: &str,
) -> Result<StepDetail, ApiError> {
    let place = stores.place(&app, run_id)?;
    records::step_detail(place.app.env(), place.run_id, path)
}

/// Returns what has been recorded so far of the transcript of an agent's step. Steps of other kinds have none.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn step_transcript(
    app: Shared<'_>,
    stores: SharedStores<'_>,
    run_id: &str,
    path: &str,
) -> Result<TranscriptView, ApiError> {
    let place = stores.place(&app, run_id)?;
    records::transcript(place.app.env(), place.run_id, path)
}

/// Describes what a call that waits for approval would do with these arguments.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn describe_call(
    app: Shared<'_>,
    stores: SharedStores<'_>,
    run_id: &str,
    path: &str,
    args: Inputs,
) -> Result<ToolRequest, ApiError> {
    let place = stores.place(&app, run_id)?;
    records::describe_call(place.app.env(), place.run_id, path, &args.0)
}

/// Sets the name of a run. An empty name removes it.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn rename_run(
    app: Shared<'_>,
    stores: SharedStores<'_>,
    run_id: &str,
    name: &str,
) -> Result<(), ApiError> {
    let place = stores.place(&app, run_id)?;
    records::rename_run(place.app.env(), place.run_id, name)
}

#[tauri::command(async)]
#[specta::specta]
pub(crate) fn star_run(
    app: Shared<'_>,
    stores: SharedStores<'_>,
    run_id: &str,
    starred: bool,
) -> Result<(), ApiError> {
    let place = stores.place(&app, run_id)?;
    records::star_run(place.app.env(), place.run_id, starred)
}

#[tauri::command(async)]
#[specta::specta]
pub(crate) fn delete_run(
    app: Shared<'_>,
    stores: SharedStores<'_>,
    run_id: &str,
) -> Result<(), ApiError> {
    let place = stores.place(&app, run_id)?;
    runs::delete_run(place.app.env(), place.run_id)
}
