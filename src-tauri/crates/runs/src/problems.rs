//! Problems in a flow, in the form that the window and the command line receive.

use loopwright_model::{Problem, Severity, Span};
use serde::Serialize;
use serde_json::Value;
use specta::Type;
use specta_typescript::Any;

#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(rename = "Problem")]
pub struct ProblemInfo {
    pub code: String,
    pub severity: Severity,
    pub node: Option<String>,
    pub place: Option<String>,
    /// The range of the problem within the text of the field `place` if that is a template, an expression or a script;
    /// otherwise null.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[specta(optional)]
    pub span: Option<Span>,
    pub message: String,
    pub fix: Option<FixInfo>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(rename = "Fix")]
pub struct FixInfo {
    pub title: String,
    /// Edits of the document; see the `Edit` type of the window.
    #[specta(type = Vec<Any>)]
    pub edits: Vec<Value>,
}

/// Converts a problem to the form that the window and the command line receive.
pub fn problem_info(problem: &Problem) -> ProblemInfo {
    ProblemInfo {
        code: problem.code.to_owned(),
        severity: problem.severity,
        node: problem.node.clone(),
        place: problem.place.clone(),
        span: problem.span,
        message: problem.message.clone(),
        fix: problem.fix.as_ref().map(|fix| FixInfo {
            title: fix.title.clone(),
            edits: fix
                .edits
                .iter()
                .filter_map(|edit| serde_json::to_value(edit).ok())
                .collect(),
        }),
    }
}
