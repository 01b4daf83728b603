//! What a walk of a script's syntax tree has found so far.

use std::ops::Range;

use crate::{Mistake, Name, Place, Reads};

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
