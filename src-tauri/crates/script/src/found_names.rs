//! The names in a script and their positions, in the form that the readers of all languages return.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::{Language, Mistake, Outline};

/// A name that a script reads and does not declare. `draft.response` has the root `draft` and the path `["response"]`;
/// `nodes["id"].x` has the root `nodes` and the path `["id", "x"]`. The path ends before a call, and before a step that is
/// known only at run time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Name {
    pub root: String,
    pub path: Vec<String>,
    /// Whether the script handles a missing value: the name is used before `or`, in a condition, or next to `==` or
    /// `~=`.
    pub may_be_missing: bool,
}

/// A place at which a script reads a name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    pub name: Name,
    /// The byte range of the root of the name in the source.
    pub at: Range<usize>,
    /// The byte ranges of the steps of the name's path, each with its dot or brackets.
    pub steps: Vec<Range<usize>>,
}

/// The names that a script reads.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reads {
    /// The free names, without duplicates, in the order of first use. Names of the language and of its libraries are left
    /// out.
    pub names: Vec<Name>,
    /// Every place at which one of the names is read, in the order of the source.
    pub places: Vec<Place>,
}

/// The names that a script reads and its mistakes, or the first syntax error.
pub type Reading = Result<(Reads, Vec<Mistake>), Mistake>;

/// A reader of scripts that runs in the calling process.
pub trait Reader: Send + Sync {
    /// Finds the names that a script reads, and its mistakes.
    fn read(&self, language: Language, source: &str) -> Reading;
    /// Lists the names that a Python source mentions.
    ///
    /// # Errors
    /// Returns the first syntax error, with the parser's message.
    fn outline(&self, source: &str) -> Result<Outline, Mistake>;
}
