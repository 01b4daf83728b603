//! Flows as programs of other systems.

use loopwright_engine::KindSet;
use loopwright_export::langgraph;
use serde::Serialize;
use serde_json::Value;

use crate::{
    dto::{ImportEntry, ImportOutcome},
    error::{ApiError, Code},
    files::write_over,
    subflows,
};

/// A flow as a program, and what is left to the reader of the program.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ExportedProgram {
    /// The text of a `.py` file.
    pub program: String,
    pub entries: Vec<ImportEntry>,
}

/// Writes a program to the file that a person chose; what was there before is replaced whole or not at all.
pub(crate) fn write_to(path: &str, program: &str) -> Result<(), ApiError> {
    if !path.to_ascii_lowercase().ends_with(".py") {
        return Err(ApiError::new(
            Code::InvalidArgument,
            format!("{path} is no name for a Python program. End it with .py."),
        )
        .at(path));
    }
    write_over(path, program)
}

/// Makes a LangGraph program of a flow.
pub(crate) fn as_langgraph(
    document: Value,
    path: Option<&str>,
    kinds: &KindSet,
) -> Result<ExportedProgram, ApiError> {
    let flow = loopwright_model::file::read_value(document)?;
    let checked = subflows::checked(&flow, path, kinds.specs());
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
    let export = langgraph::export(&checked.flow, kinds.specs())
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
