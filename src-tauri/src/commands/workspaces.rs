//! Commands for the private copies of folders in which loops work: showing what iterations changed, applying their results, and
//! cleaning up.

use loopwright_records as records;
use loopwright_records::{
    AppliedResult, ApplyAs, FileChanges, FileTexts, FileVersion, LoopWorkspace, WorkspaceRow,
    WorkspaceStates,
};
use loopwright_runs::ApiError;

use super::{Shared, SharedStores};
use crate::links;

/// Returns the workspace of the loop at `path`, with the changes of its iterations from iteration `first` on; `null` if the
/// loop has none.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn loop_workspace(
    app: Shared<'_>,
    stores: SharedStores<'_>,
    run_id: &str,
    path: &str,
    first: u32,
) -> Result<Option<LoopWorkspace>, ApiError> {
    let place = stores.place(&app, run_id)?;
    records::loop_workspace(place.app.env(), place.run_id, path, first)
}

/// Returns the files that differ between two iterations of the loop at `path`. Iteration 0 means the start of the loop, and
/// `null` its result.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn workspace_changes(
    app: Shared<'_>,
    stores: SharedStores<'_>,
    run_id: &str,
    path: &str,
    from: u32,
    to: Option<u32>,
) -> Result<FileChanges, ApiError> {
    let place = stores.place(&app, run_id)?;
    WorkspaceStates::find(place.app.env(), place.run_id, Some(path))?.changes(from, to)
}

/// Returns both versions of a file that `workspace_changes` listed.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn workspace_texts(
    app: Shared<'_>,
    stores: SharedStores<'_>,
    run_id: &str,
    path: &str,
    before: Option<FileVersion>,
    after: Option<FileVersion>,
) -> Result<FileTexts, ApiError> {
    let place = stores.place(&app, run_id)?;
    let states = WorkspaceStates::find(place.app.env(), place.run_id, Some(path))?;
    states.texts(before.as_ref(), after.as_ref())
}

/// Returns the changes that applying an iteration would make to the files of the source. An iteration of `null` means the
/// loop's result. Writes nothing.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn plan_apply(
    app: Shared<'_>,
    stores: SharedStores<'_>,
    run_id: &str,
    path: &str,
    iteration: Option<u32>,
) -> Result<FileChanges, ApiError> {
    let place = stores.place(&app, run_id)?;
    records::plan_apply(place.app.env(), place.run_id, path, iteration)
}

/// Applies the files of an iteration to the source, either as a branch or directly to its files. An iteration of `null` means
/// the loop's result.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn apply_iteration(
    app: Shared<'_>,
    stores: SharedStores<'_>,
    run_id: &str,
    path: &str,
    iteration: Option<u32>,
    apply_as: ApplyAs,
) -> Result<AppliedResult, ApiError> {
    let place = stores.place(&app, run_id)?;
    records::apply_iteration(place.app.env(), place.run_id, path, iteration, &apply_as)
}

/// Lists the workspaces on this computer, the oldest first.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn workspaces(app: Shared<'_>) -> Result<Vec<WorkspaceRow>, ApiError> {
    records::workspace_rows(app.env())
}

/// Opens the folder of a workspace in the system's file manager.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn open_workspace_folder(app: Shared<'_>, id: &str) -> Result<(), ApiError> {
    links::open_folder(&records::workspace_of_row(app.env(), id)?.path)
}

/// Removes a workspace. If `unapplied` is true, removes it even if it has changes that were not applied; these are then lost.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn remove_workspace(app: Shared<'_>, id: &str, unapplied: bool) -> Result<(), ApiError> {
    records::remove_row(app.env(), id, unapplied)
}
