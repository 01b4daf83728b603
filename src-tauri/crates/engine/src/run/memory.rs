//! What a node remembers from one iteration to the next: items of its outcomes, kept by the loop around it.
//!
//! The items stand in the recorded outcomes, so that a run that is resumed, replayed or forked comes to the same memory.

use std::sync::Arc;

use loopwright_model::graph::NodeIx;
use serde_json::Value;

use super::{
    Run, Scope,
    arena::{FrameId, ScopeId},
};
use crate::{
    kind::NodeInput,
    outcome::Outcome,
    plan::{Slot, Work},
};

impl Run {
    /// The loop that keeps the memory of nodes in this frame: the nearest around it, through subflows. Items of a list run
    /// beside one another, so that what is inside them has none.
    fn mindful(&self, frame: FrameId) -> Option<ScopeId> {
        let mut at = frame;
        loop {
            let state = self.frames.get(at)?;
            let scope = state.scope?;
            match self.scopes.get(scope)? {
                Scope::Loop(_) => return Some(scope),
                Scope::List(_) => return None,
                Scope::Subflow(_) => at = state.parent?.0,
            }
        }
    }

    /// What earlier executions of the node left, oldest first.
    pub(super) fn memory(&self, frame: FrameId, node: NodeIx) -> Vec<Arc<Value>> {
        let scope = self.mindful(frame).and_then(|scope| self.scopes.get(scope));
        match scope {
            Some(Scope::Loop(looping)) => looping.memory.get(&node).cloned().unwrap_or_default(),
            _ => Vec::new(),
        }
    }

    pub(super) fn keep_in_mind(&mut self, frame: FrameId, node: NodeIx, item: Arc<Value>) {
        if let Some(scope) = self.mindful(frame)
            && let Some(looping) = self.loop_scope_mut(scope)
        {
            looping.memory.entry(node).or_default().push(item);
        }
    }

    /// An outcome that a person gave in an execution's place, with what the execution would have left behind.
    pub(super) fn as_if_executed(
        &self,
        frame: FrameId,
        slot: Slot,
        outcome: &Outcome,
        inputs: &[(Arc<str>, Arc<Value>)],
    ) -> Outcome {
        let node = self.node_at(frame, slot);
        let mut outcome = outcome.clone();
        if outcome.remember.is_none()
            && let Work::Execute(execute) = &self.plan.nodes[node].work
        {
            let primary = self.primary(frame, node);
            let input = NodeInput {
                scope: self.scope_of(frame, node, inputs, primary.as_ref()),
                input: primary,
                memory: Vec::new(),
                inputs: inputs.to_vec(),
            };
            outcome.remember = execute.remembers(&input, &outcome.value).map(Arc::new);
        }
        outcome
    }
}
