//! Executions of nodes. They begin when the concurrency limit allows it. Their results settle the nodes.

use std::sync::Arc;

use loopwright_model::{EffectClass, graph::NodeIx};
use serde_json::Value;

use super::{
    Effect, Pending, Run, Ticket, arena::FrameId, breakpoints::Stopped, impossible::Stepped,
    nodes::Nodes, pending::Charged,
};
use crate::{
    answer::Expiry,
    journal::{self, Completed, Failed},
    kind::{Inputs, NodeInput},
    outcome::{Settled, Usage},
    plan::{PlanNode, Slot, Work},
    question::Question,
};

impl PlanNode {
    /// Returns whether the concurrency limit counts executions of the node.
    pub(super) fn takes_place(&self) -> bool {
        self.effect != EffectClass::Pure && !matches!(self.work, Work::End { .. })
    }
}

impl Nodes<'_> {
    /// Starts an execution. Queues the execution instead if the concurrency limit is reached, if it must wait for a loop's
    /// resource, or if the run is halted.
    pub(super) fn execute(
        &mut self,
        frame: FrameId,
        slot: Slot,
        node: NodeIx,
        inputs: Inputs,
    ) -> Stepped {
        let plan = &self.tree.plan;
        let has_effect = plan.nodes[node].takes_place();
        let must_wait = has_effect
            && (self.schedule.is_full(plan.settings.concurrency)
                || self.schedule.is_blocked(self.tree, frame, slot)?);
        if must_wait || self.is_halted {
            self.tree.frame_mut(frame)?.nodes.queue(slot)?;
            self.schedule.wait(frame, slot);
            return Ok(());
        }
        self.execution(frame, slot, node, inputs)
    }

    /// Starts an execution now: counts it against the concurrency limit, and collects its input.
    fn execution(&mut self, frame: FrameId, slot: Slot, node: NodeIx, inputs: Inputs) -> Stepped {
        let memory = self.tree.memory(frame, node);
        if self.tree.plan.nodes[node].takes_place() {
            self.schedule.take_place();
        }
        let primary = self.tree.primary(frame, node);
        let scope = self
            .reader()
            .names_of(frame, node, &inputs, primary.as_ref());
        let input = NodeInput {
            input: primary,
            inputs,
            scope,
            memory,
        };
        self.begin_execution(frame, slot, node, input)
    }

    /// Executes the end node of a list on the items' values.
    fn execute_on(
        &mut self,
        frame: FrameId,
        slot: Slot,
        inputs: Inputs,
        items: Arc<Value>,
    ) -> Stepped {
        let node = self.tree.node_at(frame, slot)?;
        let primary = self.tree.primary(frame, node);
        let scope = self
            .reader()
            .names_of(frame, node, &inputs, primary.as_ref());
        let input = NodeInput {
            input: Some(items),
            scope,
            memory: Vec::new(),
            inputs,
        };
        self.begin_execution(frame, slot, node, input)
    }

    /// Records the intent of an execution and then begins it.
    fn begin_execution(
        &mut self,
        frame: FrameId,
        slot: Slot,
        node: NodeIx,
        input: NodeInput,
    ) -> Stepped {
        let path = self.tree.path(frame, node)?;
        let started = self.tree.started(node, &input.inputs, None);
        self.out.record(path.clone(), Some(node), started);
        let ticket = self.out.ticket(Pending::Node {
            frame,
            slot,
            path: path.clone(),
            started: self.clock.now,
            spent: None,
            sent: None,
            counted: false,
            charged: Charged::default(),
        });
        self.tree.frame_mut(frame)?.nodes.run(slot, ticket)?;
        if let Some(scope) = self.tree.changed_resource(frame, node) {
            self.schedule.occupy(scope, ticket);
        }
        self.out.push(Effect::Execute {
            ticket,
            node,
            path,
            input,
        });
        Ok(())
    }

    /// Records that an execution waits for a person's answer. Until the answer arrives, the concurrency limit does not count
    /// the execution.
    pub(super) fn waits(
        &mut self,
        ticket: Ticket,
        question: Question,
        value: Arc<Value>,
        expires: Option<Box<Expiry>>,
    ) -> Stepped {
        let Some(&Pending::Node { frame, slot, .. }) = self.out.pending.get(ticket) else {
            return Ok(());
        };
        let (node, path) = self.tree.locate((frame, slot))?;
        let waiting = journal::Input::NodeWaiting {
            question,
            value,
            expires,
        };
        self.out.record(path, Some(node), waiting);
        self.schedule
            .ask(ticket, self.tree.plan.nodes[node].takes_place());
        Ok(())
    }

    /// Makes waiting executions ready to run again if the run's halt was lifted.
    pub(super) fn release(&mut self, lifted: bool) -> Stepped {
        match lifted {
            true => self.schedule.release(self.tree),
            false => Ok(()),
        }
    }

    /// Starts waiting executions, ordered by frame and slot, until the concurrency limit is reached. Returns true if one of
    /// them is at the place of a fork: its node becomes ready again instead of starting, and the caller must handle that node
    /// first.
    pub(super) fn fill_places(&mut self) -> Stepped<bool> {
        if self.is_halted {
            return Ok(false);
        }
        while let Some((frame, slot)) = self.schedule.next_waiting(self.tree)? {
            if self.schedule.stop(self.tree, frame, slot)? {
                return Ok(true);
            }
            let node = self.tree.node_at(frame, slot)?;
            let (inputs, _) = self.tree.gather(frame, node);
            self.execution(frame, slot, node, inputs)?;
        }
        Ok(false)
    }
}

impl Run {
    /// Executes the end node of a list on the items' values, unless a breakpoint stops it.
    pub(super) fn execute_end(
        &mut self,
        frame: FrameId,
        slot: Slot,
        inputs: Inputs,
        items: Arc<Value>,
    ) -> Stepped {
        if let Some(path) = self.breakpoints.end(&self.tree, frame, slot)? {
            // A waiting node would become ready again when a later wire settles, and would then be skipped. Queued nodes ignore
            // such wires, so this node is queued.
            self.tree.frame_mut(frame)?.nodes.queue(slot)?;
            return self.stop_at(&path, Stopped::End(frame, slot, inputs, items));
        }
        self.nodes().execute_on(frame, slot, inputs, items)
    }

    /// Records the result of an execution, and settles or fails its node.
    pub(super) fn executed(
        &mut self,
        ticket: Ticket,
        result: Settled,
        state: Option<Arc<Value>>,
    ) -> Stepped {
        // The calls are dropped before the execution is removed, because the pending execution stores the charges of its calls.
        self.budgets
            .lose_calls(ticket, &mut self.tree, &mut self.out);
        // A cancelled execution may still send its result.
        let Some(Pending::Node {
            frame,
            slot,
            path,
            started,
            charged,
            ..
        }) = self.out.pending.remove(ticket)
        else {
            return Ok(());
        };
        let usage = match &result {
            Ok(outcome) => &outcome.usage,
            Err(error) => &error.usage,
        };
        self.budgets
            .charge_beyond_calls(&mut self.tree, frame, usage, charged);
        let node = self.tree.node_at(frame, slot)?;
        self.schedule
            .end(ticket, self.tree.plan.nodes[node].takes_place());
        let duration_ms = self.clock.elapsed(started);
        if let Some(state) = &state {
            self.tree.set_resource_state(frame, state);
        }
        match result {
            Ok(outcome) => {
                let done = Completed {
                    outcome: Arc::clone(&outcome),
                    duration_ms,
                    scope: None,
                    state,
                };
                let done = journal::Input::ExecutionCompleted(done);
                self.out.record(path, Some(node), done);
                self.nodes().take_outcome((frame, slot), node, outcome)
            }
            Err(error) => {
                let failed = Failed {
                    error: error.clone(),
                    duration_ms,
                    scope: None,
                    state,
                };
                let failed = journal::Input::ExecutionFailed(failed);
                self.out.record(path, Some(node), failed);
                self.take_error(frame, slot, *error)
            }
        }
    }

    /// Notes that an attempt of an execution failed and is retried. `usage` is the usage of that attempt.
    pub fn note_failed_attempt(&mut self, ticket: Ticket, usage: &Usage) {
        if let Some(Pending::Node { spent, sent, .. }) = self.out.pending.get_mut(ticket) {
            spent.get_or_insert_default().add(usage);
            *sent = None;
        }
    }

    /// Sets the usage of an execution so far, which is counted if the execution is cut off. Returns the path and the node of
    /// the execution, or `None` if nothing changed or the execution is over.
    pub fn note_sent(&mut self, ticket: Ticket, usage: &Usage) -> Option<(String, NodeIx)> {
        let Some(Pending::Node {
            frame, slot, sent, ..
        }) = self.out.pending.get_mut(ticket)
        else {
            return None;
        };
        if sent.as_deref().copied().unwrap_or_default() == *usage {
            return None;
        }
        *sent = Some(Box::new(*usage));
        let (node, path) = self.tree.locate((*frame, *slot)).ok()?;
        Some((path, node))
    }
}
