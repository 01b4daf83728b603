//! Executions of nodes: begun where there is a place for them, settled by what came of them.

use std::sync::Arc;

use loopwright_model::EffectClass;
use serde_json::Value;

use super::{Effect, Pending, Run, Ticket, arena::FrameId, frame::SlotState, pending::Charged};
use crate::{
    journal::{self, Completed, Failed},
    kind::{Inputs, NodeInput},
    outcome::{Settled, Usage},
    plan::Slot,
    question::Question,
};

impl Run {
    /// Starts an execution, or lets it wait for a place.
    pub(super) fn execute(&mut self, frame: FrameId, slot: Slot, inputs: Inputs) {
        let has_effect = self.plan.nodes[self.node_at(frame, slot)].effect != EffectClass::Pure;
        let full = self.effects_running >= self.plan.settings.concurrency;
        // What waits already goes first.
        let must_wait = has_effect && (full || !self.effects_waiting.is_empty());
        if must_wait || self.halt.is_some() {
            self.set_slot(frame, slot, SlotState::Running(None));
            self.effects_waiting.insert((frame, slot));
            return;
        }
        self.execution(frame, slot, inputs);
    }

    /// Starts an execution.
    fn execution(&mut self, frame: FrameId, slot: Slot, inputs: Inputs) {
        let node = self.node_at(frame, slot);
        let memory = self.memory(frame, node);
        if self.plan.nodes[node].effect != EffectClass::Pure {
            self.effects_running += 1;
        }
        let primary = self.primary(frame, node);
        let scope = self.scope_of(frame, node, &inputs, primary.as_ref());
        let input = NodeInput {
            input: primary,
            inputs,
            scope,
            memory,
        };
        self.begin_execution(frame, slot, input);
    }

    /// Executes the end of a list with the items' values.
    pub(super) fn execute_end(
        &mut self,
        frame: FrameId,
        slot: Slot,
        inputs: Inputs,
        items: Arc<Value>,
    ) {
        let Some((inputs, items)) = self.stop_end(frame, slot, inputs, items) else {
            return;
        };
        let node = self.node_at(frame, slot);
        let primary = self.primary(frame, node);
        let input = NodeInput {
            input: Some(items),
            scope: self.scope_of(frame, node, &inputs, primary.as_ref()),
            memory: Vec::new(),
            inputs,
        };
        self.begin_execution(frame, slot, input);
    }

    /// The intent is recorded before the execution begins.
    fn begin_execution(&mut self, frame: FrameId, slot: Slot, input: NodeInput) {
        let node = self.node_at(frame, slot);
        let path = self.path(frame, node);
        let started = self.started(node, &input.inputs, None);
        self.record(path.clone(), Some(node), started);
        let ticket = self.ticket(Pending::Node {
            frame,
            slot,
            path: path.clone(),
            started: self.now,
            spent: None,
            sent: None,
            counted: false,
            charged: Charged::default(),
        });
        self.set_slot(frame, slot, SlotState::Running(Some(ticket)));
        self.out.push(Effect::Execute {
            ticket,
            node,
            path,
            input,
        });
    }

    pub(super) fn executed(&mut self, ticket: Ticket, result: Settled) {
        // What its calls are charged is noted with it.
        self.lose_calls(ticket);
        // A cancelled execution may still answer.
        let Some(Pending::Node {
            frame,
            slot,
            path,
            started,
            charged,
            ..
        }) = self.pending.remove(ticket)
        else {
            return;
        };
        let usage = match &result {
            Ok(outcome) => &outcome.usage,
            Err(error) => &error.usage,
        };
        self.charge_beyond_calls(frame, usage, charged);
        if !self.asking.remove(&ticket) {
            self.give_place_back(frame, slot);
        }
        let node = self.node_at(frame, slot);
        let duration_ms = self.elapsed(started);
        match result {
            Ok(outcome) => {
                let done = Completed {
                    outcome: Arc::clone(&outcome),
                    duration_ms,
                    scope: None,
                };
                self.record(path, Some(node), journal::Input::ExecutionCompleted(done));
                self.take_outcome(frame, slot, outcome);
            }
            Err(error) => {
                let failed = Failed {
                    error: error.clone(),
                    duration_ms,
                    scope: None,
                };
                self.record(path, Some(node), journal::Input::ExecutionFailed(failed));
                self.take_error(frame, slot, *error);
            }
        }
    }

    /// An attempt of an execution failed, and another follows.
    pub fn note_failed_attempt(&mut self, ticket: Ticket, usage: &Usage) {
        if let Some(Pending::Node { spent, sent, .. }) = self.pending.get_mut(ticket) {
            spent.get_or_insert_default().add(usage);
            *sent = None;
        }
    }

    /// What an execution has sent so far comes to this where it is cut off. Returns where it stands, unless that was known.
    pub fn note_sent(&mut self, ticket: Ticket, usage: &Usage) -> Option<(String, usize)> {
        let Some(Pending::Node {
            frame, slot, sent, ..
        }) = self.pending.get_mut(ticket)
        else {
            return None;
        };
        if sent.as_deref().copied().unwrap_or_default() == *usage {
            return None;
        }
        *sent = Some(Box::new(*usage));
        let (frame, slot) = (*frame, *slot);
        let node = self.node_at(frame, slot);
        Some((self.path(frame, node), node))
    }

    /// An execution asks a person; others may have its place meanwhile.
    pub(super) fn waits(&mut self, ticket: Ticket, question: Question, value: Arc<Value>) {
        let Some(&Pending::Node { frame, slot, .. }) = self.pending.get(ticket) else {
            return;
        };
        let node = self.node_at(frame, slot);
        let path = self.path(frame, node);
        self.record(
            path,
            Some(node),
            journal::Input::NodeWaiting { question, value },
        );
        if self.asking.insert(ticket) {
            self.give_place_back(frame, slot);
        }
    }

    fn give_place_back(&mut self, frame: FrameId, slot: Slot) {
        let node = &self.plan.nodes[self.node_at(frame, slot)];
        if node.effect != EffectClass::Pure && !Self::is_end(&node.work) {
            self.effects_running = self.effects_running.saturating_sub(1);
        }
    }

    /// Starts what waits for a place, in plan order.
    pub(super) fn fill_places(&mut self) {
        if self.halt.is_some() {
            return;
        }
        while self.effects_running < self.plan.settings.concurrency {
            let Some((frame, slot)) = self.effects_waiting.pop_first() else {
                return;
            };
            let node = self.node_at(frame, slot);
            let (inputs, _) = self.gather(frame, node);
            self.execution(frame, slot, inputs);
        }
    }
}
