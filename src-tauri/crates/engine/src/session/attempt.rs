//! One attempt at a node.

use std::sync::Arc;

use loopwright_model::graph::NodeIx;

use crate::{
    answer::Answer, calls::Calls, cancel::CancellationToken, kept::Kept, kind::NodeInput,
    outcome::Usage,
};

/// An attempt in progress, or the pause before the next one.
pub(super) struct Attempt {
    pub(super) node: NodeIx,
    pub(super) path: String,
    /// The number of the attempt in this session. It distinguishes the attempt from an earlier one whose result arrives late.
    pub(super) number: u32,
    /// The number of failed attempts before this attempt, in all sessions.
    pub(super) failed: u32,
    /// The details of the failed attempts, if there are any.
    pub(super) before: Option<Box<FailedAttempts>>,
    pub(super) cancel: CancellationToken,
    pub(super) calls: Calls,
    /// What the attempts of the execution keep for one another.
    pub(super) kept: Kept,
    /// Whether the computer slept during the attempt.
    pub(super) has_slept: bool,
    /// The input and the answer for another attempt, if one may follow.
    pub(super) again: Option<Box<(NodeInput, Option<Box<Answer>>)>>,
    /// The number of the gate at which the execution is parked; `None` if it is not parked.
    pub(super) parked: Option<usize>,
    /// The time at which the execution was first parked, in milliseconds since the Unix epoch; `None` if it has never been
    /// parked.
    pub(super) parked_since: Option<i64>,
    /// The key of the closed quota against which the attempt may still make calls. It is set when the attempt ends its wait for
    /// that quota.
    pub(super) passes: Option<Arc<str>>,
}

/// The attempts that failed before the current one.
#[derive(Debug, Default)]
pub(super) struct FailedAttempts {
    pub(super) used: Usage,
    /// The error code of each failed attempt.
    pub(super) codes: Vec<String>,
}

impl FailedAttempts {
    /// Returns the sentence to append to the message of the last failure, or `None` if no earlier attempt failed: `It was tried
    /// 3 times; the earlier attempts failed with http_429 and network.`
    pub(super) fn words(&self) -> Option<String> {
        let (last, rest) = self.codes.split_last()?;
        let (tries, earlier) = match rest {
            [] => ("twice".to_owned(), "first attempt"),
            rest => (format!("{} times", rest.len() + 2), "earlier attempts"),
        };
        let all = match rest {
            [] => last.clone(),
            rest => format!("{} and {last}", rest.join(", ")),
        };
        Some(format!(
            "It was tried {tries}; the {earlier} failed with {all}."
        ))
    }
}

impl Attempt {
    /// Creates an attempt that is in progress. `computes` is true if the attempt makes no calls.
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
            kept: if computes {
                Kept::default()
            } else {
                Kept::new()
            },
            has_slept: false,
            again: None,
            parked: None,
            parked_since: None,
            passes: None,
        }
    }
}
