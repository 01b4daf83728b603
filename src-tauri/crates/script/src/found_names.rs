//! The names that were found in a script, and where: what the readers of all languages make.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::{Language, Mistake, Outline};

/// A name that a script reads and does not declare: `draft.response` is root `draft`, path `["response"]`;
/// `nodes["id"].x` is root `nodes`, path `["id", "x"]`. The path ends before a call and before a step that is only known
/// when it runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Name {
    pub root: String,
    pub path: Vec<String>,
    /// It stands where a missing value is looked at: before `or`, in a condition, beside `==` or `~=`.
    pub may_be_missing: bool,
}

/// One place at which a script reads a name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    pub name: Name,
    /// Where its root stands in the source, in bytes.
    pub at: Range<usize>,
    /// Where each step of its path stands, with its dot or its brackets.
    pub steps: Vec<Range<usize>>,
}

/// What a script reads.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reads {
    /// Its free names, each once, in the order of first use; names of the language and its libraries left out.
    pub names: Vec<Name>,
    /// Every place at which one of them is read, in the order of the source.
    pub places: Vec<Place>,
}

/// What a script reads, and its mistakes; else the first mistake of its syntax.
pub type Reading = Result<(Reads, Vec<Mistake>), Mistake>;

/// Reads scripts in the calling process.
pub trait Reader: Send + Sync {
    /// What a script reads, and its mistakes.
    fn read(&self, language: Language, source: &str) -> Reading;
    /// What a source in Python mentions.
    ///
    /// # Errors
    /// The first mistake of its syntax, in the words of the parser.
    fn outline(&self, source: &str) -> Result<Outline, Mistake>;
}
