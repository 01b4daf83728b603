//! A breakpoint at a place that a fork changes, and what timers depend on such a place.

use std::sync::Arc;

use loopwright_model::graph::NodeIx;
use serde_json::Value;

use super::arena::{FrameId, ScopeId};
use crate::{kind::Inputs, plan::Slot};

/// A place where the run stops, and what stopped there.
pub(super) struct Breakpoint {
    /// `refine[3]/draft`, `refine[3]`
    pub(super) path: String,
    /// It is an iteration behind the last one of a loop: the exit condition before it is not evaluated.
    pub(super) beyond: bool,
    pub(super) stopped: Option<Stopped>,
    /// Where the place is an input: who reads `run.inputs`, which no wire tells.
    pub(super) readers: Vec<NodeIx>,
    /// Their turns that came.
    pub(super) reads: Vec<(FrameId, Slot)>,
}

impl Breakpoint {
    /// Whether the node, whose turn at `path` came, reads what stops here.
    pub(super) fn is_read_by(&self, node: NodeIx, path: &str) -> bool {
        let flow = self.path.rfind('/').map_or(0, |at| at + 1);
        self.path != path && self.readers.contains(&node) && path.starts_with(&self.path[..flow])
    }
}

pub(super) enum Stopped {
    /// A node's turn.
    Turn(FrameId, Slot),
    /// A list's end, with what its items gave.
    End(FrameId, Slot, Inputs, Arc<Value>),
    /// A loop's iteration, with its input.
    Iteration(ScopeId, Arc<Value>),
    /// A list's item.
    Item(ScopeId, usize),
    /// The evaluation of an iteration after which the one of the breakpoint would come; with the frame's prefix.
    Evaluation(FrameId, String),
}

/// What a timer is for, whatever its ticket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum TimerName {
    /// The pause before an iteration of the scope at this path, counted from 0.
    Delay(String, u32),
    LoopLimit(String),
    IterationLimit(String, u32),
    /// Of an attempt at the subflow at this path, and the pause before another.
    SubflowLimit(String),
    SubflowPause(String),
}

impl TimerName {
    /// Whether the timer is about something that the place at `path` lies in, at or behind it: what it came to there is not
    /// known once the place has changed.
    pub(crate) fn depends_on(&self, path: &str) -> bool {
        let iteration_of = |scope: &str| -> Option<u32> {
            let rest = path.strip_prefix(scope)?.strip_prefix('[')?;
            rest[..rest.find(']')?].parse().ok()
        };
        match self {
            // Paths count from 1.
            Self::Delay(scope, index) => iteration_of(scope).is_some_and(|at| index + 1 > at),
            Self::IterationLimit(scope, index) => {
                iteration_of(scope).is_some_and(|at| index + 1 >= at)
            }
            Self::LoopLimit(scope) => iteration_of(scope).is_some(),
            Self::SubflowLimit(scope) => path
                .strip_prefix(scope.as_str())
                .is_some_and(|rest| rest.starts_with('/')),
            // It lies behind an attempt that failed: a place that is come to after it was not in that attempt.
            Self::SubflowPause(_) => false,
        }
    }
}
