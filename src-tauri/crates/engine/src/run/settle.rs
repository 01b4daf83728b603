//! A node's turn: whether it runs, what it reads, and which nodes wait for it to be settled.

use std::{collections::BTreeMap, sync::Arc};

use loopwright_model::regions::Role;
use serde_json::Value;

use super::{Run, Scope, arena::FrameId, frame::SlotState};
use crate::{
    exit::ExitReason,
    journal::{Completed, Fact, Failed},
    kind::Inputs,
    outcome::{NodeError, Outcome},
    plan::{Slot, Source, Work, focus::NOT_NEEDED},
    status::RunStatus,
};

impl Run {
    /// The value a wire carries, if it is live.
    pub(super) fn wire_value(&self, frame: FrameId, source: &Source) -> Option<Arc<Value>> {
        let out = |up: usize| {
            let mut at = frame;
            for _ in 0..up {
                at = self.frames.get(at)?.parent?.0;
            }
            Some(at)
        };
        match source {
            Source::Local { slot, handle } => self.outcome(frame, *slot)?.handle(handle).cloned(),
            Source::Outer { up, slot, handle } => {
                self.outcome(out(*up)?, *slot)?.handle(handle).cloned()
            }
            Source::ScopeInput { up, handle } => {
                let state = self.frames.get(out(*up)?)?;
                Some(match &**handle {
                    "index" => Arc::new(Value::from(state.index)),
                    _ => Arc::clone(&state.input),
                })
            }
        }
    }

    /// Values by input handle; *many* handles as lists. And whether the node runs on them.
    pub(super) fn gather(&self, frame: FrameId, node: usize) -> (Inputs, bool) {
        let node = &self.plan.nodes[node];
        let mut inputs: Inputs = Vec::with_capacity(node.wires.len());
        let mut lists: BTreeMap<&Arc<str>, Vec<Value>> = BTreeMap::new();
        let mut primary_live = false;
        for wire in &node.wires {
            let Some(value) = self.wire_value(frame, &wire.source) else {
                continue;
            };
            primary_live |= wire.primary;
            if wire.many {
                lists
                    .entry(&wire.handle)
                    .or_default()
                    .push((*value).clone());
            } else {
                inputs.push((Arc::clone(&wire.handle), value));
            }
        }
        for (handle, values) in lists {
            inputs.push((Arc::clone(handle), Arc::new(Value::Array(values))));
        }
        let runs = if node.wires.is_empty() {
            true
        } else if node.primary_wired {
            primary_live
        } else {
            !inputs.is_empty()
        };
        (inputs, runs)
    }

    pub(super) fn primary(&self, frame: FrameId, node: usize) -> Option<Arc<Value>> {
        let wires = self.plan.nodes[node]
            .wires
            .iter()
            .filter(|wire| wire.primary);
        let mut many = Vec::new();
        for wire in wires {
            let Some(value) = self.wire_value(frame, &wire.source) else {
                continue;
            };
            if !wire.many {
                return Some(value);
            }
            many.push((*value).clone());
        }
        (!many.is_empty()).then(|| Arc::new(Value::Array(many)))
    }

    /// What a bypassed node passes on: its primary input; of a handle that takes many, the one value where only one came.
    fn passed_on(&self, frame: FrameId, node: usize) -> Option<Arc<Value>> {
        let value = self.primary(frame, node)?;
        let wires = &self.plan.nodes[node].wires;
        let is_list = wires.iter().any(|wire| wire.primary && wire.many);
        match &*value {
            Value::Array(items) if is_list && items.len() == 1 => Some(Arc::new(items[0].clone())),
            _ => Some(value),
        }
    }

    /// All wires into the node are settled.
    pub(super) fn take_turn(&mut self, frame: FrameId, slot: Slot) {
        let Some(state) = self.frames.get(frame) else {
            return;
        };
        match state.slots[slot] {
            SlotState::Waiting(0) => {}
            // An end that its start has settled already, or what a limit has ended.
            _ => return,
        }
        if self.stop_turn(frame, slot) {
            return;
        }
        let node = self.node_at(frame, slot);
        let given = self.given_at(frame, slot);
        let planned = &self.plan.nodes[node];
        if !planned.needed {
            self.skip(frame, slot, NOT_NEEDED);
            return;
        }
        if Self::is_end(&planned.work) {
            // Its start was skipped; had it run, it would have settled this node.
            self.skip(frame, slot, "its loop was skipped");
            return;
        }
        let given = given.or_else(|| planned.pinned.clone());
        let (inputs, runs) = self.gather(frame, node);
        if !runs && !(given.is_some() && self.was_cut_off(node)) {
            self.skip(frame, slot, "branch not taken");
            return;
        }
        if given.is_none()
            && let Work::Execute(_) = &planned.work
        {
            return self.execute(frame, slot, inputs);
        }
        self.run_by_engine(frame, slot, given, inputs);
    }

    /// The turn of a node that the engine runs itself, or whose value a person gave.
    fn run_by_engine(
        &mut self,
        frame: FrameId,
        slot: Slot,
        given: Option<Arc<Outcome>>,
        inputs: Inputs,
    ) {
        let plan = Arc::clone(&self.plan);
        let node = self.node_at(frame, slot);
        let planned = &plan.nodes[node];
        let path = self.path(frame, node);
        let started = || self.started(node, &inputs, None);
        if let Some(outcome) = given {
            self.record(path, Some(node), started());
            let outcome = self.as_if_executed(frame, slot, &outcome, &inputs);
            return self.stand_in(frame, slot, outcome);
        }
        match &planned.work {
            Work::Input { name, required, .. } => {
                self.record(path, Some(node), started());
                let given = self.given(frame);
                let value = given.get(name).cloned();
                match value {
                    Some(value) => self.done(frame, slot, self.now, self.through(node, value)),
                    None if *required => {
                        let remedy = match frame {
                            FrameId::ROOT => format!("Give it a value (on the command line: --input {name}=…), or set a default."),
                            _ => "Wire a value that is always there to the subflow, or set a default.".to_owned(),
                        };
                        let error = NodeError::new(
                            "input_missing",
                            format!("The input `{name}` is required and was not given. {remedy}"),
                        );
                        self.fail_node(frame, slot, self.now, error);
                    }
                    None => self.done(
                        frame,
                        slot,
                        self.now,
                        self.through(node, Arc::new(Value::Null)),
                    ),
                }
            }
            Work::Output { name } => {
                self.record(path, Some(node), started());
                let value = self.primary(frame, node).unwrap_or_default();
                self.put_out(frame, name, &value);
                self.done(
                    frame,
                    slot,
                    self.now,
                    Outcome {
                        value,
                        ..Outcome::default()
                    },
                );
            }
            Work::Bypass => {
                let Some(value) = self.passed_on(frame, node) else {
                    self.skip(frame, slot, "bypassed without an input");
                    return;
                };
                self.record(path, Some(node), started());
                self.done(frame, slot, self.now, self.through(node, value));
            }
            Work::Broken(error) => {
                self.record(path, Some(node), started());
                self.fail_node(frame, slot, self.now, error.clone());
            }
            Work::Scope { end, .. } if planned.disabled => {
                self.record(path, Some(node), started());
                let input = self.primary(frame, node).unwrap_or_default();
                let end_slot = plan.nodes[*end].slot;
                let end_outcome = self.through(*end, Arc::clone(&input));
                self.record(
                    self.path(frame, *end),
                    Some(*end),
                    self.started(*end, &[("input".into(), Arc::clone(&input))], None),
                );
                self.done(frame, end_slot, self.now, end_outcome);
                self.done(frame, slot, self.now, self.through(node, input));
            }
            Work::Scope { graph, end } => {
                let input = self.primary(frame, node).unwrap_or_default();
                self.start_scope(frame, slot, *graph, *end, input, inputs);
            }
            Work::Subflow { graph } => self.start_subflow(frame, slot, *graph, inputs),
            Work::Execute(_) | Work::End { .. } | Work::Annotation => {
                self.impossible("a node has its turn that never runs");
            }
        }
    }

    /// Whether some of what feeds the node was left out because its value was fixed.
    fn was_cut_off(&self, node: usize) -> bool {
        let plan = &self.plan;
        let planned = &plan.nodes[node];
        planned.wires.iter().any(|wire| {
            plan.source_node(planned.graph, &wire.source)
                .is_some_and(|source| !plan.nodes[source].needed)
        })
    }

    /// Settles a node with a value that a person fixed. It has been said to start.
    pub(super) fn stand_in(&mut self, frame: FrameId, slot: Slot, outcome: Outcome) {
        let plan = Arc::clone(&self.plan);
        let node = self.node_at(frame, slot);
        match &plan.nodes[node].work {
            Work::Input { name, .. } => self.give(frame, name, &outcome.value),
            Work::Output { name } => self.put_out(frame, name, &outcome.value),
            Work::Scope { end, .. } => {
                let end_outcome = Outcome {
                    pinned: true,
                    ..self.through(*end, Arc::clone(&outcome.value))
                };
                let inputs = [("input".into(), Arc::clone(&outcome.value))];
                self.record(
                    self.path(frame, *end),
                    Some(*end),
                    self.started(*end, &inputs, None),
                );
                self.done(frame, plan.nodes[*end].slot, self.now, end_outcome);
            }
            _ => {}
        }
        self.done(frame, slot, self.now, outcome);
    }

    /// An output's value: of the run, or of the subflow that the output stands in.
    fn put_out(&mut self, frame: FrameId, name: &str, value: &Arc<Value>) {
        match self.frames.get(frame).and_then(|state| state.scope) {
            None => self.outputs.insert(name, Arc::clone(value)),
            Some(scope) => self.inner_output(scope, name, value),
        }
    }

    /// Puts another value in the place of an input's, for all in its flow who read it by `run.inputs`.
    fn give(&mut self, frame: FrameId, name: &str, value: &Arc<Value>) {
        let before = self.given(frame);
        let after = before.with(name, Arc::clone(value));
        for state in self.frames.values_mut() {
            if Arc::ptr_eq(&state.given, &before) {
                state.given = Arc::clone(&after);
            }
        }
        for scope in self.scopes.values_mut() {
            if let Scope::Subflow(subflow) = scope
                && Arc::ptr_eq(&subflow.given, &before)
            {
                subflow.given = Arc::clone(&after);
            }
        }
    }

    /// What is written down before `node` runs on these values.
    pub(super) fn started(
        &self,
        node: usize,
        inputs: &[(Arc<str>, Arc<Value>)],
        max_iterations: Option<u32>,
    ) -> Fact {
        let primary = self.plan.nodes[node]
            .wires
            .iter()
            .find(|wire| wire.primary)
            .map(|wire| Arc::clone(&wire.handle));
        Fact::NodeStarted {
            inputs: inputs.iter().cloned().collect(),
            primary,
            max_iterations,
        }
    }

    /// The outcome of a node that hands one value on.
    fn through(&self, node: usize, value: Arc<Value>) -> Outcome {
        let handle = self.plan.nodes[node]
            .primary_output
            .as_deref()
            .unwrap_or("output");
        Outcome::single(handle, value)
    }

    /// Settles a node that is not executed.
    pub(super) fn done(
        &mut self,
        frame: FrameId,
        slot: Slot,
        started: i64,
        outcome: impl Into<Arc<Outcome>>,
    ) {
        let node = self.node_at(frame, slot);
        let outcome = outcome.into();
        let done = Completed {
            outcome: Arc::clone(&outcome),
            duration_ms: self.elapsed(started),
            scope: None,
        };
        self.record(
            self.path(frame, node),
            Some(node),
            Fact::NodeCompleted(done),
        );
        self.take_outcome(frame, slot, outcome);
    }

    /// Settles a node with its outcome, which is on record.
    pub(super) fn take_outcome(&mut self, frame: FrameId, slot: Slot, outcome: Arc<Outcome>) {
        let node = self.node_at(frame, slot);
        for (code, message) in &outcome.warnings {
            self.warn(code, node, message.clone());
        }
        self.spend(frame, &outcome.usage);
        if let Some(item) = &outcome.remember {
            self.keep_in_mind(frame, node, Arc::clone(item));
        }
        self.settle(frame, slot, SlotState::Done(outcome));
    }

    pub(super) fn skip(&mut self, frame: FrameId, slot: Slot, reason: &str) {
        let node = self.node_at(frame, slot);
        let path = self.path(frame, node);
        self.record(
            path,
            Some(node),
            Fact::NodeSkipped {
                reason: reason.to_owned(),
            },
        );
        self.settle(frame, slot, SlotState::Skipped);
    }

    pub(super) fn set_slot(&mut self, frame: FrameId, slot: Slot, state: SlotState) {
        if let Some(frame) = self.frames.get_mut(frame) {
            frame.slots[slot] = state;
        }
    }

    /// Tells everyone who waits for the node.
    pub(super) fn settle(&mut self, frame: FrameId, slot: Slot, state: SlotState) {
        let node = self.node_at(frame, slot);
        let plan = &self.plan;
        let Some(running) = self.frames.get_mut(frame) else {
            return self.impossible("a node is settled in a frame that is closed");
        };
        if plan.until == Some(node) {
            self.reached = Some(match &state {
                SlotState::Done(outcome) => Some(Arc::clone(&outcome.value)),
                _ => None,
            });
        }
        running.slots[slot] = state;
        let in_phase = running.in_tail == (plan.nodes[node].role == Role::Tail);
        if in_phase {
            running.open = running.open.saturating_sub(1);
            if running.open == 0 {
                self.closing.push_back(frame);
            }
        }
        for &consumer in &plan.nodes[node].consumers {
            if let SlotState::Waiting(left) = &mut running.slots[consumer] {
                *left = left.saturating_sub(1);
                if *left == 0 {
                    self.turn.push_back((frame, consumer));
                }
            }
        }
    }

    /// A node that is not executed failed.
    pub(super) fn fail_node(&mut self, frame: FrameId, slot: Slot, started: i64, error: NodeError) {
        let node = self.node_at(frame, slot);
        let failed = Failed {
            error: Box::new(error.clone()),
            duration_ms: self.elapsed(started),
            scope: None,
        };
        self.record(self.path(frame, node), Some(node), Fact::NodeFailed(failed));
        self.take_error(frame, slot, error);
    }

    /// Ends the frame of a node whose error is on record, and the scope around it says what that means.
    pub(super) fn take_error(&mut self, frame: FrameId, slot: Slot, error: NodeError) {
        let node = self.node_at(frame, slot);
        self.spend(frame, &error.usage);
        self.set_slot(frame, slot, SlotState::Skipped);
        self.fail_frame(frame, error.passed_on(), node);
    }

    /// Ends a frame in which `node` failed.
    pub(super) fn fail_frame(&mut self, frame: FrameId, error: NodeError, node: usize) {
        let Some(state) = self.frames.get(frame) else {
            return self.impossible("a node fails in a frame that is closed");
        };
        match state.scope {
            None => {
                let cancelled = NodeError::cancelled("Stopped because another node failed.");
                self.drop_frame(frame, ExitReason::Cancelled, &cancelled);
                self.fail_run(RunStatus::Failed, error, Some(node));
            }
            Some(scope) => self.scope_frame_failed(scope, frame, error, node),
        }
    }
}
