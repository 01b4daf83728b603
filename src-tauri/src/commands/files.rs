//! Files of flows and pictures, the dialogs in which they are chosen, and what the window has open.

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

/// Reads another system's file as a flow, which is not saved; nothing of it is run. Exactly one of `path` and `text` is given; `name` is
/// what a text is called where it does not say so itself. `from` is a format's id and `dialect` one of its readings; without
/// them the content decides.
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

/// Writes a flow as a LangGraph program to the file that `pick_program` gave, and says what of it is not there or is otherwise.
/// Where `target` is null nothing is written: the same is said beforehand.
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

/// The flow that a subflow's `reference` names in the file `holder`: to look into it, and to edit it as the file it is
/// (`path` and `version` are for `save_flow`).
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn read_subflow(holder: &str, reference: &str) -> Result<OpenedFlow, ApiError> {
    runs::read_subflow(holder, reference)
}

/// As `read_subflow`, with a document to hold inline in `holder` instead: what it refers to itself is named from there.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn inline_subflow(
    app: Shared<'_>,
    holder: &str,
    reference: &str,
) -> Result<OpenedFlow, ApiError> {
    runs::inline_subflow(app.env(), holder, reference)
}

/// Writes a flow that stands inline in the file `holder` to a new file there, which the node then names by `reference`
/// (`lib/polish.flow.json`). A file that is there already is never overwritten.
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

/// What a node in the file `holder` writes in `ref` for the file at `path` (as `pick_open` gives it), which must lie in the
/// holder's folder or below.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn subflow_reference(holder: &str, path: &str) -> Result<String, ApiError> {
    runs::subflow_reference(holder, path)
}

async fn pick(handle: &AppHandle, ask: DialogPurpose) -> Result<Option<String>, ApiError> {
    let chosen = dialogs::ask(handle, ask)
        .await
        .map_err(|error| ApiError::new(Code::Io, format!("No file could be chosen: {error}")))?;
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

/// A file that holds an exported run.
#[tauri::command]
#[specta::specta]
pub(crate) async fn pick_run(handle: AppHandle) -> Result<Option<String>, ApiError> {
    pick(&handle, DialogPurpose::OpenRun).await
}

/// Where a run is to be exported to.
#[tauri::command]
#[specta::specta]
pub(crate) async fn pick_run_export(
    handle: AppHandle,
    suggested_name: String,
) -> Result<Option<String>, ApiError> {
    let suggested = suggested_name;
    pick(&handle, DialogPurpose::SaveRun { suggested }).await
}

/// A data set for an evaluation.
#[tauri::command]
#[specta::specta]
pub(crate) async fn pick_data(handle: AppHandle) -> Result<Option<String>, ApiError> {
    pick(&handle, DialogPurpose::OpenData).await
}

/// An evaluation file.
#[tauri::command]
#[specta::specta]
pub(crate) async fn pick_evaluation(handle: AppHandle) -> Result<Option<String>, ApiError> {
    pick(&handle, DialogPurpose::OpenEvaluation).await
}

/// Where an experiment or a test is to be written.
#[tauri::command]
#[specta::specta]
pub(crate) async fn pick_export(
    handle: AppHandle,
    suggested_name: String,
) -> Result<Option<String>, ApiError> {
    let suggested = suggested_name;
    pick(&handle, DialogPurpose::SaveExport { suggested }).await
}

/// Where a program that is made of a flow is to be written.
#[tauri::command]
#[specta::specta]
pub(crate) async fn pick_program(
    handle: AppHandle,
    suggested_name: String,
) -> Result<Option<String>, ApiError> {
    let suggested = suggested_name;
    pick(&handle, DialogPurpose::SaveProgram { suggested }).await
}

/// Opens a link of the web in the system's browser; called once the person has agreed. Other links are refused:
/// `invalid_argument`.
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

/// The files that were open last and those that the program was started with, and drafts of what was not saved.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn session(app: Shared<'_>) -> Result<SessionState, ApiError> {
    let mut session = api::session(&app)?;
    let folder = std::env::current_dir().unwrap_or_default();
    add_named(
        &mut session,
        &named_files(std::env::args_os().skip(1), &folder),
    );
    Ok(session)
}

/// The files that a command line names, as a file manager gives them. Options are for the window system.
fn named_files(args: impl Iterator<Item = OsString>, folder: &Path) -> Vec<String> {
    args.filter(|arg| !arg.as_encoded_bytes().starts_with(b"-"))
        .map(|arg| folder.join(arg).to_string_lossy().into_owned())
        .collect()
}

/// Opens files beside those of the session, the last one in front.
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

/// Remembers which files are open, in the order of their tabs.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn keep_tabs(
    app: Shared<'_>,
    files: Vec<String>,
    active: Option<String>,
) -> Result<(), ApiError> {
    api::keep_tabs(&app, files, active)
}

/// Keeps a document that is not saved, so that it outlives this program.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn keep_draft(
    app: Shared<'_>,
    id: &str,
    path: Option<String>,
    version: Option<String>,
    document: Document,
) -> Result<(), ApiError> {
    api::keep_draft(&app, id, path, version, document.0)
}

/// Forgets a draft: it was saved, or given up.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn drop_draft(app: Shared<'_>, id: &str) -> Result<(), ApiError> {
    api::drop_draft(&app, id)
}

/// The version of a file as it is on the disk now; `null` where it is gone.
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

/// Writes a picture of a flow, a PNG or an SVG, to the file that `pick_save` gave.
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
