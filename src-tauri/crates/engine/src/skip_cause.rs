//! The reason why a node was skipped. The core records it as fixed text. Readers receive it as a code and need not know the
//! text.

use serde::{Deserialize, Serialize};

/// The reason why a node was skipped, as a code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(specta::Type))]
#[serde(rename_all = "snake_case")]
pub enum SkipCause {
    /// The run was limited to other nodes.
    NotNeeded,
    /// The node is the end of a loop or list that was skipped.
    ScopeSkipped,
    /// No value reached the node.
    BranchNotTaken,
    /// The node is disabled and had no input to pass on.
    NothingToPassOn,
    /// The node only prepares the next iteration, and no further iteration followed.
    LastIteration,
}

impl SkipCause {
    const ALL: [Self; 5] = [
        Self::NotNeeded,
        Self::ScopeSkipped,
        Self::BranchNotTaken,
        Self::NothingToPassOn,
        Self::LastIteration,
    ];

    /// Returns the text that is recorded. A replay compares it, so it never changes.
    pub(crate) fn reason(self) -> &'static str {
        match self {
            Self::NotNeeded => "not needed in this run",
            Self::ScopeSkipped => "its loop was skipped",
            Self::BranchNotTaken => "branch not taken",
            Self::NothingToPassOn => "bypassed without an input",
            Self::LastIteration => "not run: last iteration",
        }
    }

    /// Returns the cause for recorded text, or `None` if another version recorded different text.
    pub fn of(reason: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|cause| cause.reason() == reason)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recorded_words_lead_back_to_their_cause() {
        for cause in SkipCause::ALL {
            // [`SkipCause::of`] would not recognize a variant that is missing in `ALL`.
            let next = match cause {
                SkipCause::NotNeeded => SkipCause::ScopeSkipped,
                SkipCause::ScopeSkipped => SkipCause::BranchNotTaken,
                SkipCause::BranchNotTaken => SkipCause::NothingToPassOn,
                SkipCause::NothingToPassOn => SkipCause::LastIteration,
                SkipCause::LastIteration => SkipCause::NotNeeded,
            };
            assert_eq!(SkipCause::of(next.reason()), Some(next));
        }
        assert_eq!(SkipCause::of("skipped"), None);
    }

    /// This text must stay readable, because journals of every version contain it.
    #[test]
    fn the_words_of_old_records_are_read() {
        let read = [
            "not needed in this run",
            "its loop was skipped",
            "branch not taken",
            "bypassed without an input",
            "not run: last iteration",
        ]
        .map(SkipCause::of);
        assert_eq!(read, SkipCause::ALL.map(Some));
    }
}
