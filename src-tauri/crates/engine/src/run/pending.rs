//! What the core waits for.

use super::arena::{FrameId, ScopeId};
use crate::{outcome::Usage, plan::Slot};

/// Micro-dollars and tokens that budgets counted.
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
        /// By attempts that failed.
        spent: Option<Box<Usage>>,
        /// By the calls of the attempt under way, where it is cut off now.
        sent: Option<Box<Usage>>,
        /// That is in the sums already.
        counted: bool,
        /// What its calls were charged to the budgets around it.
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
    /// Of an attempt at a subflow.
    SubflowTimeout {
        scope: ScopeId,
    },
    /// The pause before another attempt at a subflow.
    SubflowPause {
        scope: ScopeId,
    },
}
