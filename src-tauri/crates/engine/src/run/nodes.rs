//! The start and end of nodes: what is recorded, and which other nodes become ready to run.

use std::sync::Arc;

use loopwright_model::graph::NodeIx;
use serde_json::Value;

use super::{
    arena::FrameId, clock::Clock, impossible::Stepped, names::Reader, outbox::Outbox,
    schedule::Schedule, scope::Scope, tree::Tree,
};
use crate::{
    journal::{Completed, Fact},
    kind::Inputs,
    named::Named,
    outcome::Outcome,
    plan::{Slot, Work},
    skip_cause::SkipCause,
};

/// The parts of a run that change when a node begins or ends. Failures are handled elsewhere, because the scopes around a
/// failed node decide what happens next.
pub(super) struct Nodes<'r> {
    pub(super) tree: &'r mut Tree,
    pub(super) out: &'r mut Outbox,
    pub(super) schedule: &'r mut Schedule,
    pub(super) clock: &'r Clock,
    /// Whether the run is halted, so that no execution begins.
    pub(super) is_halted: bool,
    /// The run's outputs.
    pub(super) outputs: &'r mut Named,
    /// The value of the node at which the run ends, once that node is settled. The inner value is `None` if the node was
    /// skipped.
    pub(super) reached: &'r mut Option<Option<Arc<Value>>>,
}

impl Nodes<'_> {
    pub(super) fn reader(&self) -> Reader<'_> {
        Reader {
            tree: self.tree,
            clock: self.clock,
        }
    }

    /// Records the start of a node that is not executed, with its input values.
    pub(super) fn begin_node(
        &mut self,
        frame: FrameId,
        node: NodeIx,
        inputs: &[(Arc<str>, Arc<Value>)],
    ) -> Stepped {
        let path = self.tree.path(frame, node)?;
        let started = self.tree.started(node, inputs, None);
        self.out.record(path, Some(node), started);
        Ok(())
    }

    /// Settles the end node of a scope with the outcome of the scope.
    pub(super) fn settle_end(&mut self, frame: FrameId, end: NodeIx, outcome: Outcome) -> Stepped {
        let input = ("input".into(), Arc::clone(&outcome.value));
        self.begin_node(frame, end, &[input])?;
        self.done(frame, self.tree.plan.nodes[end].slot, outcome)
    }

    /// Settles a node with an outcome that a person fixed, without executing it.
    pub(super) fn stand_in(
        &mut self,
        frame: FrameId,
        slot: Slot,
        outcome: &Outcome,
        inputs: Inputs,
    ) -> Stepped {
        let plan = Arc::clone(&self.tree.plan);
        let node = self.tree.node_at(frame, slot)?;
        self.begin_node(frame, node, &inputs)?;
        let outcome = self.reader().as_if_executed(frame, node, outcome, &inputs);
        match &plan.nodes[node].work {
            Work::Input { name, .. } => self.tree.give(frame, name, &outcome.value)?,
            Work::Output { name } => self.put_out(frame, name, &outcome.value)?,
            Work::Scope { end, .. } => {
                let end_outcome = Outcome {
                    pinned: true,
                    ..self.tree.through(*end, Arc::clone(&outcome.value))
                };
                self.settle_end(frame, *end, end_outcome)?;
            }
            _ => {}
        }
        self.done(frame, slot, outcome)
    }

    /// Sets the value of an output of the run, or of the subflow that contains the output.
    pub(super) fn put_out(&mut self, frame: FrameId, name: &str, value: &Arc<Value>) -> Stepped {
        match self.tree.frame(frame)?.scope {
            None => self.outputs.insert(name, Arc::clone(value)),
            Some(scope) => {
                if let Some(Scope::Subflow(subflow)) = self.tree.scopes.get_mut(scope) {
                    subflow.put_out(name, value);
                }
            }
        }
        Ok(())
    }

    /// Settles a node that is not executed, and records its outcome.
    pub(super) fn done(
        &mut self,
        frame: FrameId,
        slot: Slot,
        outcome: impl Into<Arc<Outcome>>,
    ) -> Stepped {
        let (node, path) = self.tree.locate((frame, slot))?;
        let outcome = outcome.into();
        let done = Completed {
            outcome: Arc::clone(&outcome),
            duration_ms: 0,
            scope: None,
            state: None,
        };
        self.out.record(path, Some(node), Fact::NodeCompleted(done));
        self.take_outcome((frame, slot), node, outcome)
    }

    /// Settles a node with an outcome that is already recorded.
    pub(super) fn take_outcome(
        &mut self,
        at: (FrameId, Slot),
        node: NodeIx,
        outcome: Arc<Outcome>,
    ) -> Stepped {
        for (code, message) in &outcome.warnings {
            self.out.warn(&self.tree.plan, code, node, message.clone());
        }
        self.tree.spend(at.0, &outcome.usage);
        if let Some(item) = &outcome.remember {
            self.tree.remember(at.0, node, Arc::clone(item));
        }
        self.settle(at, node, Some(outcome))
    }

    pub(super) fn skip(&mut self, frame: FrameId, slot: Slot, cause: SkipCause) -> Stepped {
        let (node, path) = self.tree.locate((frame, slot))?;
        let skipped = Fact::NodeSkipped {
            reason: cause.reason().to_owned(),
        };
        self.out.record(path, Some(node), skipped);
        self.settle((frame, slot), node, None)
    }

    /// Settles a node with an outcome, or as skipped, and updates the nodes that wait for it.
    pub(super) fn settle(
        &mut self,
        at: (FrameId, Slot),
        node: NodeIx,
        outcome: Option<Arc<Outcome>>,
    ) -> Stepped {
        if self.tree.plan.until == Some(node) {
            let value = outcome.as_ref().map(|outcome| Arc::clone(&outcome.value));
            *self.reached = Some(value);
        }
        self.schedule.settle(self.tree, at, node, outcome)
    }
}
