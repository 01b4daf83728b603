//! Reads other systems' loops as flows, with a report of every difference, and writes flows as programs.
//!
//! Architecture Invariant: knows no runs, no network and no files. Text comes in; a document and a report go out. An import never runs anything.
//!
//! Each format is a module and a line in [`FORMATS`]; [`import`] recognises the format by its content unless it is told.

mod report;

use loopwright_model::Flow;
use thiserror::Error;

pub use report::{Entry, Outcome, Report};

/// A flow made from another system's file, and what was done to get it.
#[derive(Debug, Clone)]
pub struct Import {
    pub flow: Flow,
    pub report: Report,
}

/// What may be said beside the text.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The file's name without its extension: the flow's name where the text has none.
    pub name: Option<String>,
    /// The format's [`Format::id`]; recognised by content when absent.
    pub from: Option<String>,
    /// Which reading of an ambiguous format is meant, by the name the format gives it (`logic-apps`, `loom`).
    pub dialect: Option<String>,
}

/// One format that can be read.
pub struct Format {
    /// What `--from` takes: `tea`, `containers`, `loom`, `aistudio`.
    pub id: &'static str,
    /// What people call it.
    pub title: &'static str,
    /// The readings that `--dialect` chooses among; empty where there is one.
    pub dialects: &'static [&'static str],
    /// Whether this text is of the format, by its content alone.
    pub recognises: fn(&Source<'_>) -> bool,
    pub read: fn(&Source<'_>, &Options) -> Result<Import, ImportError>,
}

/// A text, and its JSON where it is JSON, parsed once for all formats that look at it.
pub struct Source<'a> {
    pub text: &'a str,
    pub json: Option<serde_json::Value>,
}

/// Why nothing was imported.
#[derive(Debug, Error)]
pub enum ImportError {
    #[error(
        "this file is of none of the formats that can be imported ({known}). Say which it is with --from"
    )]
    Unknown { known: String },
    #[error("there is no format “{asked}”{hint}; the formats are {known}")]
    NoSuchFormat {
        asked: String,
        hint: String,
        known: String,
    },
    /// The text cannot be read as what it says it is; `place` is a line or a path in it.
    #[error("{place}: {message}")]
    Unreadable { place: String, message: String },
    /// The format itself does not allow what stands at `place`.
    #[error("{place}: {message}")]
    Refused { place: String, message: String },
}

/// The formats, in the order in which they are asked whether they recognise a text.
pub const FORMATS: &[Format] = &[];
