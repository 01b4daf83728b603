//! What an import did with each thing it met: mapped, approximated, or kept as a placeholder.

use std::collections::HashMap;

use serde::Serialize;

/// The account of one import, the most serious first.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Report {
    /// The [`crate::Format::id`] that the text was read as.
    pub format: String,
    /// The reading taken where the format has several, with the reason it was taken.
    pub dialect: Option<String>,
    pub entries: Vec<Entry>,
}

impl Report {
    /// Puts what stops a run first, then what differs, what was left out, and what is the same; what is said in the same words
    /// stands together.
    pub(crate) fn sort(&mut self) {
        let mut first: HashMap<(Outcome, String), usize> = HashMap::new();
        for (at, entry) in self.entries.iter().enumerate() {
            first
                .entry((entry.outcome, entry.message.clone()))
                .or_insert(at);
        }
        self.entries.sort_by_cached_key(|entry| {
            let at = first.get(&(entry.outcome, entry.message.clone())).copied();
            (entry.outcome.rank(), at)
        });
    }
}

/// One thing of the source and what became of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Entry {
    pub outcome: Outcome,
    /// Where it stands in the source: `nodes[2].run`, `actions.Until_done.limit`.
    pub place: String,
    /// The node it became, or became part of.
    pub node: Option<String>,
    /// What was done; for anything but `Mapped` also how it differs and what to do.
    pub message: String,
}

/// How close what was made is to what was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Means the same here.
    Mapped,
    /// Runs, and differs in a way the message names.
    Approximated,
    /// Kept with its source in a node that fails when it is run and never passes a value through.
    Placeholder,
    /// Had no effect where it comes from, or none that a flow could have, and was left out; the message says why that is safe.
    Ignored,
}

impl Outcome {
    /// How soon a person must look at it: 0 is the first.
    fn rank(self) -> u8 {
        match self {
            Self::Placeholder => 0,
            Self::Approximated => 1,
            Self::Ignored => 2,
            Self::Mapped => 3,
        }
    }
}
