//! A frame: one running instance of a graph, the flow itself or one iteration of a region.

use std::sync::Arc;

use serde_json::Value;

use super::{
    arena::{FrameId, ScopeId},
    run_inputs::RunInputs,
    ticket::Ticket,
};
use crate::{
    outcome::{Outcome, Usage},
    plan::{GraphIx, Slot},
};

pub(super) enum SlotState {
    /// So many wires, and the tail's gate, are still unsettled.
    Waiting(u32),
    /// In flight; `None` while it waits for a place.
    Running(Option<Ticket>),
    /// A scope that runs its body.
    Scope(ScopeId),
    Done(Arc<Outcome>),
    Skipped,
}

pub(super) struct Frame {
    pub(super) graph: GraphIx,
    /// Where the scope start stands that this frame is an iteration of.
    pub(super) parent: Option<(FrameId, Slot)>,
    pub(super) scope: Option<ScopeId>,
    /// `refine[2]/`
    pub(super) prefix: String,
    pub(super) slots: Vec<SlotState>,
    /// Nodes of the present phase that are not settled.
    pub(super) open: usize,
    /// The iteration's input, or the item.
    pub(super) input: Arc<Value>,
    /// The iteration's or item's index, from 0.
    pub(super) index: u32,
    /// What `run.inputs` is: the run's inputs, or those of the subflow around.
    pub(super) given: Arc<RunInputs>,
    pub(super) usage: Usage,
    pub(super) started_at: i64,
    pub(super) in_tail: bool,
}

impl Frame {
    /// Where the node with this id stands: `refine[2]/draft`.
    pub(super) fn path(&self, id: &str) -> String {
        [&*self.prefix, id].concat()
    }
}
