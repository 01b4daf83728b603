//! The state of a rewrite: the output so far, and the names found.

use std::{
    borrow::Cow,
    collections::{HashMap, HashSet},
    ops::Range,
};

use super::cost::Cost;
use crate::{error::TemplateError, reference::Reference};

/// The maximum nesting depth of brackets and tags. Tera's parser and compiler are recursive.
pub(super) const MAX_NESTING: usize = 32;
/// The maximum number of fields in a path.
pub(crate) const MAX_PATH: usize = 64;

/// The prefix of names that are read as a whole.
pub(crate) const WHOLE: &str = "__whole_";

/// A name with its path: `draft.scores[0].value`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Chain {
    pub(crate) root: String,
    /// The steps up to the first one that is known only at run time.
    pub(crate) path: Vec<String>,
    /// Whether the root was bound by `for` or `set`.
    pub(crate) local: bool,
    /// Whether a missing value is allowed at this position.
    pub(crate) soft: bool,
    /// The position of the root in the source, in bytes.
    pub(crate) at: Range<usize>,
    /// The position of each step of the path, with its dot or brackets.
    pub(crate) steps: Vec<Range<usize>>,
}

/// The rewritten source, and the names found in it.
pub(crate) struct Rewritten {
    pub(crate) source: String,
    pub(crate) chains: Vec<Chain>,
    /// The names that are read as a whole. The next field has the names whose parts are read.
    pub(crate) whole: Vec<String>,
    pub(crate) parts: Vec<String>,
    pub(crate) references: Vec<Reference>,
    /// The nesting depth. Each `elif` counts as nested in the previous one.
    pub(crate) depth: usize,
}

/// An open block tag.
pub(super) struct Open<'s> {
    pub(super) name: &'s str,
    pub(super) at: usize,
    /// For `for`: the index of the piece that charges an iteration, and the length of the literal text per iteration.
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
    /// The names in `whole` (true) and in `parts` (false).
    pub(super) named: HashSet<(bool, &'s str)>,
    /// The index of each name in `references`, by root and path.
    pub(super) known: HashMap<(&'s str, Vec<String>), usize>,
    pub(super) open: Vec<Open<'s>>,
    /// The names bound by `set` and `for`, one list per block.
    pub(super) locals: Vec<Vec<&'s str>>,
    /// The names read by the conditions of the enclosing `if`s, which therefore are not missing inside.
    pub(super) guards: Vec<Vec<(String, Vec<String>)>>,
    pub(super) deepest: usize,
    /// The costs of the expression that is being rewritten.
    pub(super) cost: Option<Cost>,
    /// The position of the input list of the innermost open comprehension.
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
