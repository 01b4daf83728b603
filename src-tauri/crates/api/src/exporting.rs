//! Flows as programs of other systems.

use loopwright_export::langgraph;
use loopwright_model::file;
use loopwright_runs::{ApiError, Code, Env, subflows, write_over};
use serde_json::Value;

use crate::dto::{ExportedProgram, ImportEntry, ImportOutcome};

/// Writes a flow as a LangGraph program in Python; `path` is where the flow stands, for the flows that it refers to.
///
/// # Errors
/// When the flow has errors, or something in it that the program could not do as it is done here.
pub fn export_langgraph(
    env: &Env,
    document: Value,
    path: Option<&str>,
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
                "The flow has errors, so that no program can be made of it: {}",
                errors.join(" ")
            ),
        ));
    }
    let export = langgraph::export(&checked.flow, env.kinds().specs())
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

/// As [`export_langgraph`], written to the file `target`, which ends in `.py`; gives what of the flow is not there or
/// is otherwise.
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

/// Writes a program to the file that a person chose; what was there before is replaced whole or not at all.
fn write_program(path: &str, program: &str) -> Result<(), ApiError> {
    if !path.to_ascii_lowercase().ends_with(".py") {
        return Err(ApiError::new(
            Code::InvalidArgument,
            format!("{path} is no name for a Python program. End it with .py."),
        )
        .at(path));
    }
    write_over(path, program)
}
