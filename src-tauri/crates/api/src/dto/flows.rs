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

/// What was done with one thing of an imported file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum ImportOutcome {
    /// Means the same here.
    Mapped,
    /// Runs, and differs in a way the message names.
    Approximated,
    /// Kept with its source in a node that fails when it is run.
    Placeholder,
    /// Had no effect that a flow could have, and was left out.
    Ignored,
}

/// One line of an import's report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct ImportEntry {
    pub outcome: ImportOutcome,
    /// Where it stands in the source.
    pub place: String,
    /// The node it became, or became part of.
    pub node: Option<String>,
    pub message: String,
}

/// The account of an import: what stops a run first, then what differs, what was left out, and what is the same. Entries with the
/// same message follow one another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct ImportReport {
    /// What `--from` takes for this format.
    pub format: String,
    /// What people call the format.
    pub title: String,
    /// The reading taken where the format has several, with the reason.
    pub dialect: Option<String>,
    /// Nothing in the text tells its reading; the usual one was taken.
    pub assumed: bool,
    pub entries: Vec<ImportEntry>,
}

/// A flow made from another system's file. It was not saved, and nothing of it was run.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct ImportedFlow {
    #[specta(type = Any)]
    pub document: Value,
    pub report: ImportReport,
    /// A file name for it: `refine.flow.json`.
    pub file_name: String,
}

/// What is said beside a file that is imported: the format and the reading that are meant, where they are not to be told by the content.
#[derive(Debug, Clone, Default)]
pub struct ImportOptions {
    /// A format's id, such as `tea`.
    pub from: Option<String>,
    pub dialect: Option<String>,
}

/// A flow as a program of another system, and what is left to the reader of the program.
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

/// A document that was not saved, as it was kept.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct Draft {
    pub id: String,
    /// Its file; null where it never had one.
    pub path: Option<String>,
    /// Of the file when it was read or saved last.
    pub version: Option<String>,
    pub kept_at: String,
    #[specta(type = Any)]
    pub document: Value,
    /// The file as it is on the disk now; null where there is none that can be read.
    #[specta(type = Any)]
    pub saved: Option<Value>,
    pub saved_version: Option<String>,
}

/// What a window finds when it begins: the files that were open last, and drafts that were left.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct SessionState {
    pub files: Vec<String>,
    /// The file that was in front.
    pub active: Option<String>,
    /// The newest first.
    pub drafts: Vec<Draft>,
    /// Things to tell the person about what could not be read.
    pub notes: Vec<String>,
}
