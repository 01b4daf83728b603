//! The executions and timers that the core waits for.

use super::arena::{FrameId, ScopeId};
use crate::{outcome::Usage, plan::Slot};

/// Micro-dollars and tokens that were charged to budgets.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Charged {
    pub(super) microusd: u64,
    pub(super) tokens: u64,
}

/// What a ticket is for.
#[derive(Debug)]
pub(super) enum Pending {
    Node {
        frame: FrameId,
        slot: Slot,
        path: String,
        started: i64,
        /// The usage of the failed attempts, if any attempt failed.
        spent: Option<Box<Usage>>,
        /// The usage of the calls of the attempt in progress, which is counted if the attempt is cut off.
        sent: Option<Box<Usage>>,
        /// Whether the totals already include `spent` and `sent`.
        counted: bool,
        /// The amounts that the execution's calls have charged to the budgets around the node.
        charged: Charged,
    },
    /// The pause before the next iteration.
    Delay {
        scope: ScopeId,
    },
    LoopTimeout {
        scope: ScopeId,
    },
    IterationTimeout {
        scope: ScopeId,
        index: u32,
    },
    /// The time limit of an attempt at a subflow.
    SubflowTimeout {
        scope: ScopeId,
    },
    /// The pause before another attempt at a subflow.
    SubflowPause {
        scope: ScopeId,
    },
}
