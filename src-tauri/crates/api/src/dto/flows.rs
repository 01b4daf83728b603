//! Flows as files, templates, imports and drafts.

use loopwright_engine::event::{ExitReason, RunStatus};
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
    /// `write`, `research`, `code` or `data`.
    pub category: String,
    #[specta(type = Any)]
    pub document: Value,
    /// `exits on evaluator`
    pub exits: String,
    /// `up to 15 calls`
    pub max_calls: String,
}

/// How one item of an imported file was handled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum ImportOutcome {
    /// Means the same here.
    Mapped,
    /// Runs, but differs as the message describes.
    Approximated,
    /// Kept with its source in a node that fails when it runs.
    Placeholder,
    /// Has no effect in a flow and was left out.
    Ignored,
}

/// One line of an import's report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct ImportEntry {
    pub outcome: ImportOutcome,
    /// The place in the source.
    pub place: String,
    /// The node that it became, or became part of.
    pub node: Option<String>,
    pub message: String,
}

/// The report of an import: first what stops a run, then what differs, what was left out, and what is the same. Entries with
/// the same message are adjacent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct ImportReport {
    /// The format as the value of `--from`.
    pub format: String,
    /// The usual name of the format.
    pub title: String,
    /// The dialect that was assumed, with the reason, if the format has several.
    pub dialect: Option<String>,
    /// Whether nothing in the text tells the dialect, so that the usual one was assumed.
    pub assumed: bool,
    pub entries: Vec<ImportEntry>,
}

/// A flow made from another system's file. It was not saved, and nothing in it was executed.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct ImportedFlow {
    #[specta(type = Any)]
    pub document: Value,
    pub report: ImportReport,
    /// A file name for it: `refine.flow.json`.
    pub file_name: String,
}

/// Options for the import of a file: the format and the dialect, if the content does not tell them.
#[derive(Debug, Clone, Default)]
pub struct ImportOptions {
    /// A format's id, such as `tea`.
    pub from: Option<String>,
    pub dialect: Option<String>,
}

/// A flow as a program of another system, and what its reader must complete.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ExportedProgram {
    /// The text of a `.py` file.
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

/// A document that was not saved, as it was stored.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct Draft {
    pub id: String,
    /// Its file; null if it was never saved.
    pub path: Option<String>,
    /// The version of the file when it was last read or saved.
    pub version: Option<String>,
    pub kept_at: String,
    #[specta(type = Any)]
    pub document: Value,
    /// The file as it is on disk; null if there is none or it cannot be read.
    #[specta(type = Any)]
    pub saved: Option<Value>,
    pub saved_version: Option<String>,
}

/// The state that a window starts with: the files that were open last, and the drafts left behind.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct SessionState {
    pub files: Vec<String>,
    /// The file in the active tab.
    pub active: Option<String>,
    /// Newest first.
    pub drafts: Vec<Draft>,
    /// Messages for the person about what could not be read.
    pub notes: Vec<String>,
}
