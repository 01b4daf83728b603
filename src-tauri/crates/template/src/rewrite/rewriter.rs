//! What is rewritten so far, and what was found on the way.

use std::{
    borrow::Cow,
    collections::{HashMap, HashSet},
    ops::Range,
};

use super::cost::Cost;
use crate::{error::TemplateError, reference::Reference};

/// How deeply brackets and tags may be nested. Tera's parser and compiler recurse.
pub(super) const MAX_NESTING: usize = 32;
/// How many fields deep a name may read.
pub(crate) const MAX_PATH: usize = 64;

/// What stands before a name that is read whole.
pub(crate) const WHOLE: &str = "__whole_";

/// What a chain of names reads: `draft.scores[0].value`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Chain {
    pub(crate) root: String,
    /// The steps up to the first that is only known when it runs.
    pub(crate) path: Vec<String>,
    /// The root was bound by `for` or `set`.
    pub(crate) local: bool,
    /// A missing value is no error here.
    pub(crate) soft: bool,
    /// Where the root stands in the source, in bytes.
    pub(crate) at: Range<usize>,
    /// Where each step of the path stands, with its dot or its brackets.
    pub(crate) steps: Vec<Range<usize>>,
}

/// The rewritten source and what was found on the way.
pub(crate) struct Rewritten {
    pub(crate) source: String,
    pub(crate) chains: Vec<Chain>,
    /// Names that are read whole, and names of which something is read.
    pub(crate) whole: Vec<String>,
    pub(crate) parts: Vec<String>,
    pub(crate) references: Vec<Reference>,
    /// How deeply it is nested, each `elif` counted as nested in the one before.
    pub(crate) depth: usize,
}

/// An open block tag.
pub(super) struct Open<'s> {
    pub(super) name: &'s str,
    pub(super) at: usize,
    /// For `for`: where the piece that counts a pass stands, and how much text a pass writes.
    pub(super) tick: Option<(usize, usize)>,
    pub(super) elifs: usize,
}

pub(super) struct Rewriter<'s> {
    pub(super) source: &'s str,
    pub(super) out: Vec<Cow<'s, str>>,
    pub(super) chains: Vec<Chain>,
    pub(super) whole: Vec<String>,
    pub(super) parts: Vec<String>,
    pub(super) references: Vec<Reference>,
    /// The names of `whole` (true) and of `parts`.
    pub(super) named: HashSet<(bool, &'s str)>,
    /// By root and path: the place in `references`.
    pub(super) known: HashMap<(&'s str, Vec<String>), usize>,
    pub(super) open: Vec<Open<'s>>,
    /// Names bound by `set` and `for`, one list a block.
    pub(super) locals: Vec<Vec<&'s str>>,
    /// What the conditions of the `if`s around read, so that it is not missing inside.
    pub(super) guards: Vec<Vec<(String, Vec<String>)>>,
    pub(super) deepest: usize,
    /// Of the expression that is being rewritten.
    pub(super) cost: Option<Cost>,
    /// Where the list of the comprehension that was opened last stands in the source.
    pub(super) source_at: Option<usize>,
}

impl<'s> Rewriter<'s> {
    pub(super) fn new(source: &'s str) -> Self {
        Self {
            source,
            out: Vec::new(),
            chains: Vec::new(),
            whole: Vec::new(),
            parts: Vec::new(),
            references: Vec::new(),
            named: HashSet::new(),
            known: HashMap::new(),
            open: Vec::new(),
            locals: vec![Vec::new()],
            guards: Vec::new(),
            deepest: 0,
            cost: None,
            source_at: None,
        }
    }

    pub(super) fn finish(self) -> Rewritten {
        Rewritten {
            source: self.out.concat(),
            chains: self.chains,
            whole: self.whole,
            parts: self.parts,
            references: self.references,
            depth: self.deepest,
        }
    }

    pub(super) fn push(&mut self, piece: impl Into<Cow<'s, str>>) {
        self.out.push(piece.into());
    }

    pub(super) fn word(&mut self, text: &'s str) {
        self.push(text);
        self.push(" ");
    }

    pub(super) fn error(&self, at: usize, message: impl Into<String>) -> TemplateError {
        TemplateError::syntax(self.source, at, message)
    }
}
