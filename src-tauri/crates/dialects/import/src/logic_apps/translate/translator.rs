//! A workflow that is being translated.

use super::{
    super::expression::{Around, Dialect, Mistake, NameSet},
    survey::Survey,
};
use crate::{
    build::{Builder, Port},
    error::ImportError,
};

/// Where the state comes from: ports of which at most one carries it in a run.
pub(super) type Ends = Vec<Port>;

/// Where the state continues behind an action.
pub(super) type Step = Result<Ends, Trouble>;

pub(super) struct Translator {
    pub(super) build: Builder,
    pub(super) dialect: Dialect,
    pub(super) survey: Survey,
    /// Actions whose status something asks for.
    pub(super) watched: NameSet,
    /// The nodes of the run's inputs.
    pub(super) inputs: Vec<String>,
    pub(super) around: Vec<Around>,
    /// The foreach actions around, innermost last.
    pub(super) items: Vec<String>,
    /// Regions around.
    pub(super) depth: usize,
    /// The most iterations that any loop is allowed.
    pub(super) largest: u64,
    /// Where the workflow ends before its last action.
    pub(super) ended: Ends,
}

/// Why an action stays as it came, or why the whole document is refused.
pub(super) enum Trouble {
    Kept(String),
    Refused(ImportError),
}

impl From<&str> for Trouble {
    fn from(why: &str) -> Self {
        Self::Kept(why.to_owned())
    }
}

impl From<String> for Trouble {
    fn from(why: String) -> Self {
        Self::Kept(why)
    }
}

impl From<Mistake> for Trouble {
    fn from(mistake: Mistake) -> Self {
        Self::Kept(mistake.message)
    }
}

impl From<ImportError> for Trouble {
    fn from(error: ImportError) -> Self {
        Self::Refused(error)
    }
}
