//! The report of an import: what was mapped, approximated, ignored, or kept as a placeholder.

use std::collections::HashMap;

use serde::Serialize;

/// The report of one import, with the most serious entries first.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Report {
    /// The [`crate::Format::id`] of the format that was read.
    pub format: String,
    /// The dialect that was read and the reason, if the format has several.
    pub dialect: Option<String>,
    /// Whether the usual dialect was assumed because the text does not name one.
    pub is_assumed: bool,
    pub entries: Vec<Entry>,
}

impl Report {
    /// Sorts by severity: first what stops a run, then what differs, what was left out, and what is the same. Entries with the
    /// same message are adjacent.
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

/// One part of the source, and its translation.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Entry {
    pub outcome: Outcome,
    /// The place in the source, such as `nodes[2].run` or `actions.Until_done.limit`.
    pub place: String,
    /// The id of the node that the part became or became part of; `None` if there is no such node.
    pub node: Option<String>,
    /// A message that says what was done with the part. For any outcome except `Mapped`, it also contains the difference and the
    /// remedy.
    pub message: String,
}

/// How closely a translation matches its source. The variants are in the order in which a person should review them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The part is stored unchanged in a node that fails when it runs and passes no value on.
    Placeholder,
    /// The part runs, but with the difference that the message names.
    Approximated,
    /// The part was left out, because it had no effect in its source or an effect that a flow cannot have. The message says why
    /// that is safe.
    Ignored,
    /// The part means the same in the flow.
    Mapped,
}
