//! Flows as files, templates, imports and drafts.

use loopwright_engine::{ExitReason, RunStatus};
use serde::Serialize;
use serde_json::Value;
use specta::Type;
use specta_typescript::Any;

#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct TemplateInfo {
    pub id: String,
    pub name: String,
    pub description: String,
    /// The category of the template: `write`, `research`, `code` or `data`.
    pub category: String,
    #[specta(type = Any)]
    pub document: Value,
    /// How the first loop ends, as a phrase such as `exits on evaluator`.
    pub exits: String,
    /// The maximum numbers of model calls and agent turns, as a phrase such as `up to 15 calls`.
    pub max_calls: String,
    /// Whether the template works on an example project, which is copied together with the flow.
    pub has_project: bool,
}

/// The outcome of one item of an imported file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum ImportOutcome {
    /// The item has the same meaning in this program.
    Mapped,
    /// The item runs, but differs as the message describes.
    Approximated,
    /// The item is kept with its source, in a node that fails when it runs.
    Placeholder,
    /// The item has no effect in a flow and was left out.
    Ignored,
}

/// One line of the report of an import.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct ImportEntry {
    pub outcome: ImportOutcome,
    /// The path of the item in the imported file, such as `nodes[2].run`.
    pub place: String,
    /// The id of the node that was created from the item, or that contains it; null if no node was created.
    pub node: Option<String>,
    pub message: String,
}

/// The report of an import: first the items that prevent a run, then those that behave differently, those that were left
/// out, and those with the same meaning. Entries with the same message are adjacent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct ImportReport {
    /// The id of the format, which is also the value of `--from`.
    pub format: String,
    /// The usual name of the format.
    pub title: String,
    /// The dialect that was used, with the reason; null if the format has only one.
    pub dialect: Option<String>,
    /// Whether the format's usual dialect was assumed, because the file does not show which dialect it uses.
    pub assumed: bool,
    pub entries: Vec<ImportEntry>,
}

/// A flow that was converted from another system's file. It has not been saved, and nothing in it has been executed.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct ImportedFlow {
    #[specta(type = Any)]
    pub document: Value,
    pub report: ImportReport,
    /// A suggested name for the flow's file, such as `refine.flow.json`.
    pub file_name: String,
}

/// The options of an import: the format and the dialect, for content that does not identify them.
#[derive(Debug, Clone, Default)]
pub struct ImportOptions {
    /// The id of the format, such as `tea`; `None` to detect it.
    pub from: Option<String>,
    pub dialect: Option<String>,
}

/// A flow as a file for another system, with a report on what differs and what the user must complete.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ExportedProgram {
    /// The text of the exported file: a Python program, or a `RALPH.md`.
    pub program: String,
    pub entries: Vec<ImportEntry>,
}

/// A format that can be imported.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct ImportFormat {
    pub id: String,
    pub title: String,
    pub dialects: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct LastRun {
    pub status: RunStatus,
    pub exit_reason: Option<ExitReason>,
    pub iterations: Option<u32>,
    pub at: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct RecentFile {
    pub path: String,
    pub name: String,
    pub opened_at: String,
    pub last_run: Option<LastRun>,
    pub missing: bool,
}

/// A document with unsaved changes, as stored in the session.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct Draft {
    pub id: String,
    /// The path of the document's file; null if it was never saved.
    pub path: Option<String>,
    /// The version of the file when it was last read or saved; null if the document was never saved.
    pub version: Option<String>,
    pub kept_at: String,
    #[specta(type = Any)]
    pub document: Value,
    /// The document in the file on disk; null if the file does not exist or cannot be read.
    #[specta(type = Any)]
    pub saved: Option<Value>,
    pub saved_version: Option<String>,
}

/// The state with which a window starts: the files that were last open, and the drafts of earlier windows.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct SessionState {
    pub files: Vec<String>,
    /// The file in the active tab; null if that tab has no file.
    pub active: Option<String>,
    /// The drafts, newest first.
    pub drafts: Vec<Draft>,
    /// Messages for the user about session files that could not be read.
    pub notes: Vec<String>,
}
