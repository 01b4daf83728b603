//! An attempt at a node.

use loopwright_model::graph::NodeIx;

use crate::{
    answer::Answer, calls::Calls, cancel::CancellationToken, kind::NodeInput, outcome::Usage,
};

/// An attempt under way, or the pause before the next one.
pub(super) struct Attempt {
    pub(super) node: NodeIx,
    pub(super) path: String,
    /// Which one it is in this session: another may have ended late.
    pub(super) number: u32,
    /// How many failed before it, in all sessions.
    pub(super) failed: u32,
    /// What is known of those.
    pub(super) before: Option<Box<FailedAttempts>>,
    pub(super) cancel: CancellationToken,
    pub(super) calls: Calls,
    /// With what it begins again, where the node's policy has more attempts.
    pub(super) again: Option<Box<(NodeInput, Option<Box<Answer>>)>>,
}

/// Attempts that failed before the one under way.
#[derive(Debug, Default)]
pub(super) struct FailedAttempts {
    pub(super) used: Usage,
    /// What each failed with.
    pub(super) codes: Vec<String>,
}

impl FailedAttempts {
    /// What is said of them behind the words of the last failure: `It was tried 3 times; the tries before failed with http_429 and
    /// network.`
    pub(super) fn words(&self) -> Option<String> {
        let (last, rest) = self.codes.split_last()?;
        let (tries, before) = match rest {
            [] => ("twice".to_owned(), "try"),
            rest => (format!("{} times", rest.len() + 2), "tries"),
        };
        let all = match rest {
            [] => last.clone(),
            rest => format!("{} and {last}", rest.join(", ")),
        };
        Some(format!(
            "It was tried {tries}; the {before} before failed with {all}."
        ))
    }
}

impl Attempt {
    /// `computes`: it makes no call.
    pub(super) fn new(node: NodeIx, path: String, computes: bool) -> Self {
        Self {
            node,
            path,
            number: 0,
            failed: 0,
            before: None,
            cancel: CancellationToken::new(),
            calls: if computes {
                Calls::none()
            } else {
                Calls::default()
            },
            again: None,
        }
    }
}
