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
    /// Nothing in the text tells its reading; the usual one was taken.
    pub is_assumed: bool,
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
            (entry.outcome, at)
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

/// How close what was made is to what was written; the first is what a person must look at first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Kept with its source in a node that fails when it is run and never passes a value through.
    Placeholder,
    /// Runs, and differs in a way the message names.
    Approximated,
    /// Had no effect where it comes from, or none that a flow could have, and was left out; the message says why that is safe.
    Ignored,
    /// Means the same here.
    Mapped,
}
