//! Imports and exports in a build without the feature `dialects`: each returns an error.

use loopwright_runs::{ApiError, Code, Env};
use serde_json::Value;

use crate::dto::{ExportedProgram, ImportEntry, ImportFormat, ImportOptions, ImportedFlow};

fn missing(what: &str) -> ApiError {
    ApiError::new(
        Code::Unsupported,
        format!(
            "This build of Loopwright does not include the feature `dialects`, so it cannot {what}. Use a build that has it."
        ),
    )
}

fn no_import() -> ApiError {
    missing("import files from other systems")
}

fn no_export() -> ApiError {
    missing("export a flow to another system")
}

/// Returns no formats: this build cannot import any.
pub fn import_formats() -> Vec<ImportFormat> {
    Vec::new()
}

/// Rejects the import of a file.
///
/// # Errors
/// Always returns an error, because this build imports no files.
pub fn import_flow(
    _env: &Env,
    path: &str,
    _options: ImportOptions,
) -> Result<ImportedFlow, ApiError> {
    Err(no_import().at(path))
}

/// Rejects an import from text.
///
/// # Errors
/// Always returns an error, because this build imports nothing.
pub fn import_flow_text(
    _env: &Env,
    _text: &str,
    _name: &str,
    _options: ImportOptions,
) -> Result<ImportedFlow, ApiError> {
    Err(no_import())
}

/// Rejects the export of a flow.
///
/// # Errors
/// Always returns an error, because this build writes no programs.
pub fn export_langgraph(
    _env: &Env,
    _document: Value,
    _path: Option<&str>,
) -> Result<ExportedProgram, ApiError> {
    Err(no_export())
}

/// Rejects the export of a flow.
///
/// # Errors
/// Always returns an error, because this build writes no files of other systems.
pub fn export_ralph(
    _env: &Env,
    _document: Value,
    _path: Option<&str>,
) -> Result<ExportedProgram, ApiError> {
    Err(no_export())
}

/// Rejects the export of a flow to a file.
///
/// # Errors
/// Always returns an error, because this build writes no programs.
pub fn export_langgraph_to(
    _env: &Env,
    _document: Value,
    _path: Option<&str>,
    _target: &str,
) -> Result<Vec<ImportEntry>, ApiError> {
    Err(no_export())
}
