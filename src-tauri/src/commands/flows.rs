//! Commands for node kinds, the flow being edited, and its templates.

use loopwright_api as api;
use loopwright_api::{Analysis, KindsReply, TemplateInfo, Word};
use loopwright_records as records;
use loopwright_records::{FieldPlace, FieldPreview, NamesInScope};
use loopwright_runs as runs;
use loopwright_runs::{ApiError, CostEstimate, RenamedData, new_flow as empty_flow};

use super::{Document, Inputs, Shared};

#[tauri::command]
#[specta::specta]
pub(crate) fn kinds(app: Shared<'_>) -> Result<KindsReply, ApiError> {
    Ok(api::kinds_reply(app.env()))
}

/// Returns messages for the user about problems, such as a file that was damaged when the program started. Each message is
/// returned once.
#[tauri::command]
#[specta::specta]
pub(crate) fn notices(app: Shared<'_>) -> Result<Vec<String>, ApiError> {
    Ok(app.env().notices())
}

/// Analyses a document. `path` is its file, against which references to subflows are resolved, or `null` if it was never saved.
/// For a flow that is inline in another one, pass the path of the outer flow.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn analyze(
    app: Shared<'_>,
    document: Document,
    path: Option<&str>,
) -> Result<Analysis, ApiError> {
    api::analyze(app.env(), document.0, path)
}

/// Returns the data of a document's nodes after some of them got new ids. `names` maps old ids to new ids. References to these
/// ids in templates, expressions and scripts are updated. The document may be a part of a flow.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn rename_nodes(
    app: Shared<'_>,
    document: Document,
    names: std::collections::BTreeMap<String, String>,
) -> Result<RenamedData, ApiError> {
    runs::rename_nodes(app.env(), document.0, &names)
}

/// Returns the maximum cost of a run before it starts. An input without a value uses its default.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn estimate(
    app: Shared<'_>,
    document: Document,
    path: Option<&str>,
    inputs: Inputs,
) -> Result<CostEstimate, ApiError> {
    runs::estimate(app.env(), document.0, path, &inputs.0)
}

/// Returns the elements of the template language, such as filters and tests, for completion and help.
#[tauri::command]
#[specta::specta]
pub(crate) fn template_language() -> Result<Vec<Word>, ApiError> {
    Ok(records::template_language().to_vec())
}

/// Returns the names that a template or expression at a field can read, with their values in a recorded run. `path` is as for
/// `analyze`.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn names_in_scope(
    app: Shared<'_>,
    document: Document,
    path: Option<&str>,
    at: FieldPlace,
) -> Result<NamesInScope, ApiError> {
    records::names_in_scope(app.env(), document.0, path, &at)
}

/// Evaluates a field's template with the values of a recorded run, without running anything. Returns `null` if the field has no
/// template or the flow has never run.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn preview_field(
    app: Shared<'_>,
    document: Document,
    path: Option<&str>,
    at: FieldPlace,
) -> Result<Option<FieldPreview>, ApiError> {
    records::preview_field(app.env(), document.0, path, &at)
}

#[tauri::command(async)]
#[specta::specta]
pub(crate) fn templates(app: Shared<'_>) -> Result<Vec<TemplateInfo>, ApiError> {
    api::templates(app.env())
}

/// Copies a template and its example project into a new folder inside `folder`. Returns the path of the flow.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn copy_template(id: &str, folder: &str) -> Result<String, ApiError> {
    api::copy_template_into(id, folder)
}

#[tauri::command]
#[specta::specta]
pub(crate) fn new_flow() -> Result<Document, ApiError> {
    Ok(Document(empty_flow()))
}
