//! The state of a rewrite: the output and the names found so far.

use std::{
    borrow::Cow,
    collections::{HashMap, HashSet},
    ops::Range,
};

use super::cost::Cost;
use crate::{error::TemplateError, reference::Reference};

/// The maximum nesting depth of brackets and tags, limited because Tera's parser and compiler are recursive.
pub(super) const MAX_NESTING: usize = 32;
/// The maximum number of fields in a path.
pub(crate) const MAX_PATH: usize = 64;

/// The prefix of the names of variables that contain the whole value of a name.
pub(crate) const WHOLE: &str = "__whole_";

/// A name with its path, such as `draft.scores[0].value`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Chain {
    pub(crate) root: String,
    /// The steps of the path, up to the first step that is known only at run time.
    pub(crate) path: Vec<String>,
    /// Whether the root is a name that a `for` or `set` of the template defines.
    pub(crate) local: bool,
    /// Whether the template accepts a missing value at this position.
    pub(crate) soft: bool,
    /// The byte range of the root in the source.
    pub(crate) at: Range<usize>,
    /// The byte range of each step of the path, including its dot or brackets.
    pub(crate) steps: Vec<Range<usize>>,
}

/// A rewritten template or expression, and the names that it reads.
pub(crate) struct Rewritten {
    pub(crate) source: String,
    pub(crate) chains: Vec<Chain>,
    /// The names that are read without a path. `parts` contains the names that are read with a path.
    pub(crate) whole: Vec<String>,
    pub(crate) parts: Vec<String>,
    pub(crate) references: Vec<Reference>,
    /// The maximum nesting depth. Each `elif` counts as nested in the previous one.
    pub(crate) depth: usize,
}

/// A block tag that has not been closed yet.
pub(super) struct Open<'s> {
    pub(super) name: &'s str,
    pub(super) at: usize,
    /// For a `for`: the index of the output piece that charges for an iteration, and the length in bytes of the literal text
    /// that an iteration writes. `None` for other tags.
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
    /// The names that were already added to `whole` (true) or to `parts` (false).
    pub(super) named: HashSet<(bool, &'s str)>,
    /// The index in `references` of each reference, by root and path.
    pub(super) known: HashMap<(&'s str, Vec<String>), usize>,
    pub(super) open: Vec<Open<'s>>,
    /// The names that `set` and `for` define, in one list for each open block.
    pub(super) locals: Vec<Vec<&'s str>>,
    /// The references that the conditions of the enclosing `if`s read. Inside these `if`s, their values count as present.
    pub(super) guards: Vec<Vec<(String, Vec<String>)>>,
    pub(super) deepest: usize,
    /// The costly operators of the expression that is being rewritten, if there is one.
    pub(super) cost: Option<Cost>,
    /// The byte offset, in the source, of the list over which the last comprehension so far iterates; `None` before the first
    /// comprehension.
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
