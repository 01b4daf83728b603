//! Commands for the files of flows and pictures, the dialogs that choose them, and the open files of the window.

use std::{ffi::OsString, path::Path};

use loopwright_api as api;
use loopwright_api::{
    ImportEntry, ImportFormat, ImportOptions, ImportedFlow, RecentFile, SessionState,
};
use loopwright_runs as runs;
use loopwright_runs::{ApiError, Code, OpenedFlow, SavedFlow, save_picture as write_picture};
use tauri::AppHandle;

use super::{Document, Shared};
use crate::{
    dialogs::{self, DialogPurpose},
    links,
};

#[tauri::command(async)]
#[specta::specta]
pub(crate) fn open_flow(app: Shared<'_>, path: &str) -> Result<OpenedFlow, ApiError> {
    api::open_flow(app.env(), path)
}

#[tauri::command(async)]
#[specta::specta]
pub(crate) fn save_flow(
    app: Shared<'_>,
    path: &str,
    document: Document,
    expected_version: Option<&str>,
) -> Result<SavedFlow, ApiError> {
    api::save_flow(app.env(), path, &document.0, expected_version)
}

/// Converts another system's file to a flow. Nothing is saved or executed. Exactly one of `path` and `text` must be set. `name`
/// is used if the content contains no name. `from` is the id of a format and `dialect` one of its dialects; without them, they
/// are detected from the content.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn import_flow(
    app: Shared<'_>,
    path: Option<&str>,
    text: Option<&str>,
    name: Option<&str>,
    from: Option<String>,
    dialect: Option<String>,
) -> Result<ImportedFlow, ApiError> {
    let options = ImportOptions { from, dialect };
    match (path, text) {
        (Some(path), None) => api::import_flow(app.env(), path, options),
        (None, Some(text)) => {
            api::import_flow_text(app.env(), text, name.unwrap_or_default(), options)
        }
        _ => Err(ApiError::new(
            Code::InvalidArgument,
            "Give either the path of a file or its text.",
        )),
    }
}

#[tauri::command]
#[specta::specta]
pub(crate) fn import_formats() -> Result<Vec<ImportFormat>, ApiError> {
    Ok(loopwright_api::import_formats())
}

/// Writes a flow as a LangGraph program to the file that `pick_program` returned. Returns what is missing or different in the
/// program. If `target` is `null`, nothing is written.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn export_langgraph(
    app: Shared<'_>,
    document: Document,
    path: Option<&str>,
    target: Option<&str>,
) -> Result<Vec<ImportEntry>, ApiError> {
    match target {
        Some(target) => api::export_langgraph_to(app.env(), document.0, path, target),
        None => Ok(api::export_langgraph(app.env(), document.0, path)?.entries),
    }
}

/// Returns the flow to which a subflow's `reference` in the file `holder` refers. It can be shown, or edited as a separate
/// file. `path` and `version` of the result are then the arguments of `save_flow`.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn read_subflow(holder: &str, reference: &str) -> Result<OpenedFlow, ApiError> {
    runs::read_subflow(holder, reference)
}

/// Returns the same flow as `read_subflow`, but as a document that can be stored inline in `holder`: its own references are
/// relative to `holder`.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn inline_subflow(
    app: Shared<'_>,
    holder: &str,
    reference: &str,
) -> Result<OpenedFlow, ApiError> {
    runs::inline_subflow(app.env(), holder, reference)
}

/// Writes an inline flow of the file `holder` to a new file. `reference` is the path of the new file relative to `holder`, such
/// as `lib/polish.flow.json`. It becomes the value of `ref` in the node. An existing file is never overwritten.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn save_subflow(
    app: Shared<'_>,
    holder: &str,
    reference: &str,
    document: Document,
) -> Result<SavedFlow, ApiError> {
    runs::save_subflow(app.env(), holder, reference, &document.0)
}

/// Returns the value of `ref` by which a node in the file `holder` refers to the file at `path` (from `pick_open`). The file must
/// be in the folder of `holder` or below it.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn subflow_reference(holder: &str, path: &str) -> Result<String, ApiError> {
    runs::subflow_reference(holder, path)
}

async fn pick(handle: &AppHandle, ask: DialogPurpose) -> Result<Option<String>, ApiError> {
    let chosen = dialogs::ask(handle, ask).await.map_err(|error| {
        ApiError::new(
            Code::Io,
            format!("The file dialog could not be opened: {error}"),
        )
    })?;
    Ok(chosen.map(|path| path.to_string_lossy().into_owned()))
}

#[tauri::command]
#[specta::specta]
pub(crate) async fn pick_open(handle: AppHandle) -> Result<Option<String>, ApiError> {
    pick(&handle, DialogPurpose::Open).await
}

#[tauri::command]
#[specta::specta]
pub(crate) async fn pick_save(
    handle: AppHandle,
    suggested_name: String,
) -> Result<Option<String>, ApiError> {
    let suggested = suggested_name;
    pick(&handle, DialogPurpose::Save { suggested }).await
}

#[tauri::command]
#[specta::specta]
pub(crate) async fn pick_folder(handle: AppHandle) -> Result<Option<String>, ApiError> {
    pick(&handle, DialogPurpose::Folder).await
}

/// Asks the user for a file with an exported run. Returns its path, or `null` if the user cancels.
#[tauri::command]
#[specta::specta]
pub(crate) async fn pick_run(handle: AppHandle) -> Result<Option<String>, ApiError> {
    pick(&handle, DialogPurpose::OpenRun).await
}

/// Asks the user for the file to which a run is exported. Returns its path, or `null` if the user cancels.
#[tauri::command]
#[specta::specta]
pub(crate) async fn pick_run_export(
    handle: AppHandle,
    suggested_name: String,
) -> Result<Option<String>, ApiError> {
    let suggested = suggested_name;
    pick(&handle, DialogPurpose::SaveRun { suggested }).await
}

/// Asks the user for a data set for an evaluation. Returns its path, or `null` if the user cancels.
#[tauri::command]
#[specta::specta]
pub(crate) async fn pick_data(handle: AppHandle) -> Result<Option<String>, ApiError> {
    pick(&handle, DialogPurpose::OpenData).await
}

/// Asks the user for an evaluation file. Returns its path, or `null` if the user cancels.
#[tauri::command]
#[specta::specta]
pub(crate) async fn pick_evaluation(handle: AppHandle) -> Result<Option<String>, ApiError> {
    pick(&handle, DialogPurpose::OpenEvaluation).await
}

/// Asks the user for the file to which an experiment or a test is written. Returns its path, or `null` if the user cancels.
#[tauri::command]
#[specta::specta]
pub(crate) async fn pick_export(
    handle: AppHandle,
    suggested_name: String,
) -> Result<Option<String>, ApiError> {
    let suggested = suggested_name;
    pick(&handle, DialogPurpose::SaveExport { suggested }).await
}

/// Asks the user for the file to which an exported program is written. Returns its path, or `null` if the user cancels.
#[tauri::command]
#[specta::specta]
pub(crate) async fn pick_program(
    handle: AppHandle,
    suggested_name: String,
) -> Result<Option<String>, ApiError> {
    let suggested = suggested_name;
    pick(&handle, DialogPurpose::SaveProgram { suggested }).await
}

/// Opens a web link in the system's browser. The page asks the user before it calls this command. Other links are refused
/// with `invalid_argument`.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn open_link(url: &str) -> Result<(), ApiError> {
    links::open(url)
}

#[tauri::command(async)]
#[specta::specta]
pub(crate) fn recent_files(app: Shared<'_>) -> Result<Vec<RecentFile>, ApiError> {
    api::recent_files(app.env())
}

/// Returns the files that were open when the last window closed, the files with which the program was started, and the drafts of
/// unsaved changes.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn session(app: Shared<'_>) -> Result<SessionState, ApiError> {
    let mut session = app.session()?;
    let folder = std::env::current_dir().unwrap_or_default();
    add_named(
        &mut session,
        &named_files(std::env::args_os().skip(1), &folder),
    );
    Ok(session)
}

/// Returns the paths of the files that the arguments name, resolved against `folder`. Arguments that start with `-` are
/// ignored, because they are options of the window system.
fn named_files(args: impl Iterator<Item = OsString>, folder: &Path) -> Vec<String> {
    args.filter(|arg| !arg.as_encoded_bytes().starts_with(b"-"))
        .map(|arg| folder.join(arg).to_string_lossy().into_owned())
        .collect()
}

/// Adds the files in `named` to the open files of the session, and makes the last of them the active one.
fn add_named(session: &mut SessionState, named: &[String]) {
    for file in named {
        if !session.files.contains(file) {
            session.files.push(file.clone());
        }
    }
    if let Some(last) = named.last() {
        session.active = Some(last.clone());
    }
}

/// Saves the list of open files, in the order of their tabs.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn keep_tabs(
    app: Shared<'_>,
    files: Vec<String>,
    active: Option<String>,
) -> Result<(), ApiError> {
    app.keep_tabs(files, active)
}

/// Saves an unsaved document, so that it is not lost when the program exits.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn keep_draft(
    app: Shared<'_>,
    id: &str,
    path: Option<String>,
    version: Option<String>,
    document: Document,
) -> Result<(), ApiError> {
    app.keep_draft(id, path, version, document.0)
}

/// Removes the draft of a document that was saved or discarded.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn drop_draft(app: Shared<'_>, id: &str) -> Result<(), ApiError> {
    app.drop_draft(id)
}

/// Returns the version of a file on disk, or `null` if the file does not exist or cannot be read.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn file_version(path: &str) -> Result<Option<String>, ApiError> {
    Ok(api::file_version(path))
}

#[tauri::command(async)]
#[specta::specta]
pub(crate) fn forget_recent(app: Shared<'_>, path: &str) -> Result<(), ApiError> {
    api::forget_recent(app.env(), path)
}

/// Writes a picture of a flow, a PNG or an SVG, to the file at `path`.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn save_picture(path: &str, bytes: Vec<u8>) -> Result<(), ApiError> {
    write_picture(path, &bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_the_command_line_open_beside_those_of_the_session() {
        let args = [
            "--display=:1",
            "b.flow.json",
            "/else/c.flow.json",
            "a.flow.json",
        ];
        let named = named_files(args.iter().map(OsString::from), Path::new("/flows"));
        assert_eq!(
            named,
            [
                "/flows/b.flow.json",
                "/else/c.flow.json",
                "/flows/a.flow.json"
            ]
        );
        let mut session = SessionState {
            files: vec!["/flows/a.flow.json".to_owned()],
            active: Some("/flows/a.flow.json".to_owned()),
            drafts: Vec::new(),
            notes: Vec::new(),
        };
        add_named(&mut session, &[]);
        assert_eq!(session.files.len(), 1);
        add_named(&mut session, &named[..2]);
        assert_eq!(
            session.files,
            [
                "/flows/a.flow.json",
                "/flows/b.flow.json",
                "/else/c.flow.json"
            ]
        );
        assert_eq!(session.active.as_deref(), Some("/else/c.flow.json"));
        add_named(&mut session, &named[2..]);
        assert_eq!(session.files.len(), 3);
        assert_eq!(session.active.as_deref(), Some("/flows/a.flow.json"));
    }
}
