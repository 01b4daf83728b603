//! Exports flows as programs for other systems.

use loopwright_export::{Export, NotExported, langgraph, ralph};
use loopwright_model::{Flow, Kinds, file};
use loopwright_runs::{ApiError, Code, Env, subflows, write_over};
use serde_json::Value;

use crate::dto::{ExportedProgram, ImportEntry, ImportOutcome};

/// Exports a flow as a LangGraph program in Python. References to other flows are resolved against `path`.
///
/// # Errors
/// Returns an error if the flow has errors, or if it uses something that a LangGraph program cannot reproduce.
pub fn export_langgraph(
    env: &Env,
    document: Value,
    path: Option<&str>,
) -> Result<ExportedProgram, ApiError> {
    exported(env, document, path, langgraph::export)
}

/// Exports a flow as a `RALPH.md` of ralphify, like [`export_langgraph`].
///
/// # Errors
/// Returns an error if the flow has errors, or if parts of it cannot be expressed in that file. The error has a reason for
/// each part.
pub fn export_ralph(
    env: &Env,
    document: Value,
    path: Option<&str>,
) -> Result<ExportedProgram, ApiError> {
    exported(env, document, path, ralph::export)
}

fn exported(
    env: &Env,
    document: Value,
    path: Option<&str>,
    export: fn(&Flow, &Kinds) -> Result<Export, NotExported>,
) -> Result<ExportedProgram, ApiError> {
    let flow = file::read_value(document)?;
    let checked = subflows::checked(&flow, path, env.kinds().specs());
    let errors: Vec<String> = checked
        .problems
        .iter()
        .filter(|problem| problem.is_error())
        .map(|problem| problem.message.clone())
        .collect();
    if !errors.is_empty() {
        return Err(ApiError::new(
            Code::InvalidFlow,
            format!(
                "The flow has errors and cannot be exported: {}",
                errors.join(" ")
            ),
        ));
    }
    let export = export(&checked.flow, env.kinds().specs())
        .map_err(|refused| ApiError::new(Code::Unsupported, refused.to_string()))?;
    let entries = export
        .entries
        .into_iter()
        .map(|entry| ImportEntry {
            outcome: ImportOutcome::Approximated,
            place: entry.place,
            node: entry.node,
            message: entry.message,
        })
        .collect();
    Ok(ExportedProgram {
        program: export.program,
        entries,
    })
}

/// Writes the program of [`export_langgraph`] to the file `target`, whose name must end in `.py`. Returns how the program
/// differs from the flow, and what it lacks.
///
/// # Errors
/// Returns the errors of [`export_langgraph`]; [`Code::InvalidArgument`] if the name does not end in `.py`; [`Code::Io`] if
/// the file cannot be written.
pub fn export_langgraph_to(
    env: &Env,
    document: Value,
    path: Option<&str>,
    target: &str,
) -> Result<Vec<ImportEntry>, ApiError> {
    let exported = export_langgraph(env, document, path)?;
    write_program(target, &exported.program)?;
    Ok(exported.entries)
}

/// Writes a program to the file that the user chose. Replaces an existing file atomically.
fn write_program(path: &str, program: &str) -> Result<(), ApiError> {
    if !path.to_ascii_lowercase().ends_with(".py") {
        return Err(ApiError::new(
            Code::InvalidArgument,
            format!("{path} is not the name of a Python file. End it with .py."),
        )
        .at(path));
    }
    write_over(path, program)
}
