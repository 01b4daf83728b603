//! The state of a translation.

use super::{
    super::expression::{Around, Dialect, Mistake, NameSet},
    survey::Survey,
};
use crate::{
    build::{Builder, Port},
    error::ImportError,
};

/// The ports that carry the state. During a run, at most one of them carries it.
pub(super) type Ends = Vec<Port>;

/// The result of translating an action: the ports that carry the state after it.
pub(super) type Step = Result<Ends, Trouble>;

pub(super) struct Translator {
    pub(super) build: Builder,
    pub(super) dialect: Dialect,
    pub(super) survey: Survey,
    /// Actions whose status something reads.
    pub(super) watched: NameSet,
    /// The nodes of the run's inputs.
    pub(super) inputs: Vec<String>,
    pub(super) around: Vec<Around>,
    /// The enclosing foreach actions, innermost last.
    pub(super) items: Vec<String>,
    /// The number of enclosing regions.
    pub(super) depth: usize,
    /// The highest iteration limit of all loops.
    pub(super) largest: u64,
    /// The ports at which the workflow ends before its last action.
    pub(super) ended: Ends,
}

/// The reason why an action becomes a placeholder, or why the whole document is rejected.
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
