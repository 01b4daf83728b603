//! Node kinds, the flow that is being edited, and the words of its templates.

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

/// What a person should be told about how the program started.
#[tauri::command]
#[specta::specta]
pub(crate) fn notices(app: Shared<'_>) -> Result<Vec<String>, ApiError> {
    Ok(app.env().notices())
}

/// `path`: the document's file, from which its references to subflows start; `null` where it was never saved. A flow that
/// stands inline in another is analysed with the path of that one.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn analyze(
    app: Shared<'_>,
    document: Document,
    path: Option<&str>,
) -> Result<Analysis, ApiError> {
    api::analyze(app.env(), document.0, path)
}

/// What the data of a document's nodes becomes when nodes get other ids (`names`, from old to new): templates, expressions
/// and scripts that refer to them follow. The document may be a part of a flow.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn rename_nodes(
    app: Shared<'_>,
    document: Document,
    names: std::collections::BTreeMap<String, String>,
) -> Result<RenamedData, ApiError> {
    runs::rename_nodes(app.env(), document.0, &names)
}

/// The most that a run can cost, before it starts. Inputs that are not given count with their defaults.
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

/// The words of the template language, for completion and help.
#[tauri::command]
#[specta::specta]
pub(crate) fn template_language() -> Result<Vec<Word>, ApiError> {
    Ok(records::template_language().to_vec())
}

/// The names that a template or expression at a field can read, with what they held in a recorded run. `path`: as for `analyze`.
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

/// What a field's template gives with the values of a recorded run. Nothing is run. `null` where no template stands there, or
/// the flow was never run.
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

#[tauri::command]
#[specta::specta]
pub(crate) fn new_flow() -> Result<Document, ApiError> {
    Ok(Document(empty_flow()))
}
