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
    /// What those used.
    pub(super) spent: Option<Box<Usage>>,
    pub(super) cancel: CancellationToken,
    pub(super) calls: Calls,
    /// With what it begins again, where the node's policy has more attempts.
    pub(super) again: Option<Box<(NodeInput, Option<Box<Answer>>)>>,
}

impl Attempt {
    /// `computes`: it makes no call.
    pub(super) fn new(node: NodeIx, path: String, computes: bool) -> Self {
        Self {
            node,
            path,
            number: 0,
            failed: 0,
            spent: None,
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
