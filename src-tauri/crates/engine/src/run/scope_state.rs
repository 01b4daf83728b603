//! Loops, lists and subflows under way: what a run knows of each.

use std::{collections::BTreeMap, sync::Arc};

use serde_json::Value;

use super::{arena::FrameId, repeat::loop_scope::LoopScope, run_inputs::RunInputs, ticket::Ticket};
use crate::{
    named::Named,
    outcome::Usage,
    plan::{GraphIx, Slot},
};

pub(super) enum Scope {
    Loop(LoopScope),
    List(ListScope),
    Subflow(SubflowScope),
}

/// A list under way.
pub(super) struct ListScope {
    pub(super) at: (FrameId, Slot),
    pub(super) graph: GraphIx,
    pub(super) end: Slot,
    /// The list as it came: an item is copied out of it when its turn comes.
    pub(super) list: Arc<Value>,
    /// Items that a fork put another value in the place of.
    pub(super) replaced: BTreeMap<usize, Arc<Value>>,
    pub(super) next: usize,
    /// An item that a fork holds; it goes before the others once it may.
    pub(super) stopped: Vec<usize>,
    pub(super) running: Vec<FrameId>,
    /// What each item gave.
    pub(super) results: Vec<ItemResult>,
    pub(super) finished: u32,
    pub(super) started_at: i64,
    pub(super) usage: Usage,
}

#[derive(Clone)]
pub(super) enum ItemResult {
    /// Not finished.
    Open,
    /// No value reached the end.
    Nothing,
    One(Arc<Value>),
    Many(Arc<Value>),
    Failed(String),
}

impl ItemResult {
    pub(super) fn of(mut values: Vec<Arc<Value>>) -> Self {
        match (values.len(), values.pop()) {
            (_, None) => Self::Nothing,
            (1, Some(one)) => Self::One(one),
            (_, Some(last)) => {
                values.push(last);
                let copy = |value: &Arc<Value>| (**value).clone();
                Self::Many(Arc::new(values.iter().map(copy).collect()))
            }
        }
    }
}

impl ListScope {
    pub(super) fn frames(&self) -> impl Iterator<Item = FrameId> + '_ {
        self.running.iter().copied()
    }

    pub(super) fn take_frames(&mut self) -> Vec<FrameId> {
        std::mem::take(&mut self.running)
    }

    pub(super) fn count(&self) -> usize {
        self.list.as_array().map_or(0, Vec::len)
    }

    pub(super) fn item(&self, index: usize) -> Arc<Value> {
        match self.replaced.get(&index) {
            Some(value) => Arc::clone(value),
            None => Arc::new(self.list.get(index).cloned().unwrap_or_default()),
        }
    }

    /// Puts another value in the place of an item.
    pub(super) fn replace(&mut self, index: usize, own: impl FnOnce(Arc<Value>) -> Arc<Value>) {
        if index < self.count() {
            let value = own(self.item(index));
            self.replaced.insert(index, value);
        }
    }
}

/// A subflow under way.
pub(super) struct SubflowScope {
    /// Where its node stands.
    pub(super) at: (FrameId, Slot),
    pub(super) graph: GraphIx,
    /// What `run.inputs` is inside.
    pub(super) given: Arc<RunInputs>,
    /// What its outputs have got so far.
    pub(super) outputs: Named,
    pub(super) state: SubflowState,
    /// Attempts that failed.
    pub(super) failed: u32,
    pub(super) started_at: i64,
    pub(super) usage: Usage,
}

/// Where a subflow is.
pub(super) enum SubflowState {
    /// Between two attempts, in the step that leads from one to the other.
    Between,
    /// An attempt is under way, with the timer of its limit.
    Running {
        frame: FrameId,
        limit: Option<Ticket>,
    },
    /// In the pause before another attempt.
    Pausing { timer: Ticket },
}

impl SubflowState {
    pub(super) fn frame(&self) -> Option<FrameId> {
        match self {
            Self::Running { frame, .. } => Some(*frame),
            Self::Between | Self::Pausing { .. } => None,
        }
    }
}

impl SubflowScope {
    pub(super) fn tickets(&self) -> Vec<Ticket> {
        let ticket = match self.state {
            SubflowState::Running { limit, .. } => limit,
            SubflowState::Pausing { timer } => Some(timer),
            SubflowState::Between => None,
        };
        ticket.into_iter().collect()
    }
}
