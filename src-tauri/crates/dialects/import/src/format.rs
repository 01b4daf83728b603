//! The description of a format, and the input and output of an import.

use std::{fmt, sync::Arc};

use loopwright_model::{Flow, Kinds};
use serde_json::Value;

use crate::{error::ImportError, report::Report};

/// A flow that was converted from another system's file, and the report on its translation.
#[derive(Debug, Clone)]
pub struct Import {
    pub flow: Flow,
    pub report: Report,
}

/// The options of an import.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The file's name without its extension. It becomes the flow's name if the text contains none.
    pub name: Option<String>,
    /// The [`Format::id`] of the format to read. If it is `None`, the content determines the format.
    pub from: Option<String>,
    /// The dialect to read, if the format has several (`logic-apps`, `loom`). If it is `None`, the content determines the
    /// dialect.
    pub dialect: Option<String>,
    /// Loopwright's node kinds, used to check a flow in Loopwright's own format. If it is `None`, no kind or field is reported as
    /// unknown.
    pub kinds: Option<Kinds>,
    /// Reads the files to which the text refers; `None` if no other file may be read.
    pub files_near: Option<FilesNear>,
}

/// A reader for files that the imported text names. The import itself opens no files: the reader decides which paths may be read.
#[derive(Clone)]
pub struct FilesNear {
    pub read: Arc<Reader>,
    pub folders: Arc<Folders>,
}

/// A function that returns the text of the file at a path.
pub type Reader = dyn Fn(&str) -> Option<String> + Send + Sync;

/// A function that returns the names of the folders in the folder at a path, sorted.
pub type Folders = dyn Fn(&str) -> Vec<String> + Send + Sync;

impl fmt::Debug for FilesNear {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("FilesNear")
    }
}

/// A format that can be read.
pub struct Format {
    /// The value of `--from` that selects the format, such as `tea` or `loom`.
    pub id: &'static str,
    /// The format's name as users see it.
    pub title: &'static str,
    /// The dialects that `--dialect` can select. Empty if the format has no dialects.
    pub dialects: &'static [&'static str],
    /// The keys that the format defines. Each string contains one or more, separated by spaces. The list is empty if files are
    /// imported unchanged, or if the format reports unknown keys itself. The report lists all other keys of a file that the flow
    /// does not mention.
    pub reads: &'static [&'static str],
    /// A function that returns whether text has this format, judging only by its content.
    pub recognises: fn(&Source<'_>) -> bool,
    pub read: fn(&Source<'_>, &Options) -> Result<Import, ImportError>,
}

/// The imported text, parsed once as JSON or YAML for all formats that examine it.
pub struct Source<'a> {
    pub text: &'a str,
    /// The text parsed as JSON; `None` if it is not JSON.
    pub json: Option<Value>,
    /// The YAML documents, if the text is not JSON.
    pub yaml: Vec<Value>,
    /// The position and the message of the JSON error, if the text begins like JSON but is valid only as YAML.
    pub broken: Option<(String, String)>,
    /// Whether the text counts as prose, which has neither JSON nor YAML values.
    pub is_prose: bool,
}

impl Source<'_> {
    /// Returns the JSON value or, without one, the first YAML document. `None` if there is neither.
    pub fn value(&self) -> Option<&Value> {
        self.json.as_ref().or_else(|| self.yaml.first())
    }
}
