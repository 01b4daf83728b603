//! The names and mistakes found in a walk through a script's syntax tree.

use std::ops::Range;

use crate::{Mistake, Name, Place, Reads};

/// The names and mistakes that the walk has found, in its order.
#[derive(Debug, Default)]
pub(crate) struct Found {
    pub(crate) names: Vec<Name>,
    places: Vec<Place>,
    pub(crate) mistakes: Vec<Mistake>,
}

impl Found {
    /// Adds a place at which a name is read. `at` is the byte range of the name's root, and `steps` are the byte ranges of
    /// the steps of its path.
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

/// Marks every use of a name and of its fields as possibly missing if the script tests the name for a missing value
/// anywhere.
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
