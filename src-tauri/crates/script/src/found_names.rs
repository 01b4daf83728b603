//! The names that were found in a script, and where: what the readers of all languages make.

use std::ops::Range;

use crate::Mistake;

/// A name that a script reads and does not declare: `draft.response` is root `draft`, path `["response"]`;
/// `nodes["id"].x` is root `nodes`, path `["id", "x"]`. The path ends before a call and before a step that is only known
/// when it runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Name {
    pub root: String,
    pub path: Vec<String>,
    /// It stands where a missing value is looked at: before `or`, in a condition, beside `==` or `~=`.
    pub may_be_missing: bool,
}

/// One place at which a script reads a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    pub name: Name,
    /// Where its root stands in the source, in bytes.
    pub at: Range<usize>,
    /// Where each step of its path stands, with its dot or its brackets.
    pub steps: Vec<Range<usize>>,
}

/// What a script reads.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reads {
    /// Its free names, each once, in the order of first use; names of the language and its libraries left out.
    pub names: Vec<Name>,
    /// Every place at which one of them is read, in the order of the source.
    pub places: Vec<Place>,
}

/// What a script reads, and its mistakes; else the first mistake of its syntax.
pub(crate) type Reading = Result<(Reads, Vec<Mistake>), Mistake>;

/// What was found in a script so far, in whatever order its syntax tree is walked.
#[derive(Debug, Default)]
pub(crate) struct Found {
    pub(crate) names: Vec<Name>,
    places: Vec<Place>,
    pub(crate) mistakes: Vec<Mistake>,
}

impl Found {
    /// The name is read at a place: where its root and each of its steps are in the source, in bytes.
    pub(crate) fn read(&mut self, name: Name, at: Range<usize>, steps: Vec<Range<usize>>) {
        self.places.push(Place {
            name: name.clone(),
            at,
            steps,
        });
        if !self.names.contains(&name) {
            self.names.push(name);
        }
    }

    pub(crate) fn in_order(mut self) -> (Reads, Vec<Mistake>) {
        self.mistakes
            .sort_by_key(|mistake| (mistake.line, mistake.column));
        self.places.sort_by_key(|place| place.at.start);
        let reads = Reads {
            names: extend_may_be_missing(self.names),
            places: self.places,
        };
        (reads, self.mistakes)
    }
}

/// What a script looks at before it uses it may be missing wherever it is used.
fn extend_may_be_missing(mut names: Vec<Name>) -> Vec<Name> {
    let looked: Vec<Name> = names
        .iter()
        .filter(|name| name.may_be_missing)
        .cloned()
        .collect();
    for name in &mut names {
        name.may_be_missing |= looked
            .iter()
            .any(|look| look.root == name.root && name.path.starts_with(&look.path));
    }
    let mut once: Vec<Name> = Vec::new();
    for name in names {
        if !once.contains(&name) {
            once.push(name);
        }
    }
    once
}
