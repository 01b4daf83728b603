//! What a format is, what it reads, and what comes of it.

use std::{fmt, sync::Arc};

use loopwright_model::{Flow, Kinds};
use serde_json::Value;

use crate::{error::ImportError, report::Report};

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
    /// The node kinds of this program, against which a flow of our own family is held. Without them nothing is said to be
    /// unknown.
    pub kinds: Option<Kinds>,
    /// The texts of files that the text refers to.
    pub beside: Option<Beside>,
}

/// Gives the text of a file by the path that another file names it by, where it may be read; an import opens none itself.
#[derive(Clone)]
pub struct Beside(pub Arc<Reader>);

/// The text of the file that this path names.
pub type Reader = dyn Fn(&str) -> Option<String> + Send + Sync;

impl fmt::Debug for Beside {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Beside")
    }
}

/// One format that can be read.
pub struct Format {
    /// What `--from` takes: `tea`, `containers`, `loom`, `aistudio`.
    pub id: &'static str,
    /// What people call it.
    pub title: &'static str,
    /// The readings that `--dialect` chooses among; empty where there is one.
    pub dialects: &'static [&'static str],
    /// The words of the format, which are keys of its files, one or more in a text; empty where files are taken as they are, or the format says itself what
    /// it does not know. Anything else that is in a file and nowhere in its flow is said in the report.
    pub reads: &'static [&'static str],
    /// Whether this text is of the format, by its content alone.
    pub recognises: fn(&Source<'_>) -> bool,
    pub read: fn(&Source<'_>, &Options) -> Result<Import, ImportError>,
}

/// A text, and its values where it is JSON or YAML, parsed once for all formats that look at it.
pub struct Source<'a> {
    pub text: &'a str,
    /// The text as JSON.
    pub json: Option<Value>,
    /// The documents of the text as YAML, where it is no JSON.
    pub yaml: Vec<Value>,
    /// Where and why a text that begins as JSON is none, where it is YAML all the same.
    pub broken: Option<(String, String)>,
}

impl Source<'_> {
    /// The JSON, or the first document of the YAML.
    pub fn value(&self) -> Option<&Value> {
        self.json.as_ref().or_else(|| self.yaml.first())
    }
}
