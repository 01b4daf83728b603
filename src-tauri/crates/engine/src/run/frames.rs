//! Opening, ending and dropping frames, and where nodes stand in them.

use std::sync::Arc;

use loopwright_model::regions::Role;
use serde_json::Value;

use super::{
    Effect, Pending, Run, RunInputs, Scope,
    arena::{FrameId, ScopeId},
    frame::{Frame, SlotState},
};
use crate::{
    exit::ExitReason,
    journal::{Fact, Failed, ScopeEnd},
    outcome::{NodeError, Usage},
    plan::{GraphIx, Slot, Source, Wire, Work},
    status::RunStatus,
};

impl Run {
    pub(super) fn open_frame(
        &mut self,
        graph: GraphIx,
        owner: Option<(FrameId, Slot, ScopeId)>,
        prefix: String,
        input: Arc<Value>,
        index: u32,
        given: Arc<RunInputs>,
    ) -> FrameId {
        let plan = Arc::clone(&self.plan);
        let members = &plan.graphs[graph].members;
        let slots = members
            .iter()
            .map(|&node| {
                let node = &plan.nodes[node];
                // A tail node also waits for the gate that opens once there is a next iteration.
                SlotState::Waiting(node.waits_for + u32::from(node.role == Role::Tail))
            })
            .collect();
        let frame = Frame {
            graph,
            parent: owner.map(|(frame, slot, _)| (frame, slot)),
            scope: owner.map(|(_, _, scope)| scope),
            prefix,
            slots,
            open: members
                .iter()
                .filter(|&&node| plan.nodes[node].role != Role::Tail)
                .count(),
            input,
            index,
            given,
            usage: Usage::default(),
            started_at: self.now,
            in_tail: false,
        };
        self.frames.insert(frame)
    }

    /// Gives every node that waits for nothing its turn.
    pub(super) fn begin_frame(&mut self, frame: FrameId) {
        let Some(state) = self.frames.get(frame) else {
            return self.impossible("a frame begins that is closed");
        };
        if state.open == 0 {
            self.closing.push_back(frame);
            return;
        }
        for (slot, slot_state) in state.slots.iter().enumerate() {
            if matches!(slot_state, SlotState::Waiting(0)) {
                self.turn.push_back((frame, slot));
            }
        }
    }

    /// Opens the gate of the tail. Returns whether there is one.
    pub(super) fn begin_tail(&mut self, frame: FrameId) -> bool {
        let plan = Arc::clone(&self.plan);
        let Some(state) = self.frames.get_mut(frame) else {
            self.impossible("a tail begins in a frame that is closed");
            return false;
        };
        state.in_tail = true;
        let mut open = 0;
        for (slot, &node) in plan.graphs[state.graph].members.iter().enumerate() {
            if plan.nodes[node].role != Role::Tail {
                continue;
            }
            open += 1;
            if let SlotState::Waiting(left) = &mut state.slots[slot] {
                *left = left.saturating_sub(1);
                if *left == 0 {
                    self.turn.push_back((frame, slot));
                }
            }
        }
        state.open = open;
        open > 0
    }

    /// Says of every tail node that it does not run, and why.
    pub(super) fn skip_tail(&mut self, frame: FrameId) {
        let plan = Arc::clone(&self.plan);
        let Some(state) = self.frames.get(frame) else {
            return;
        };
        let graph = &plan.graphs[state.graph];
        if !graph.has_tail || state.in_tail {
            return;
        }
        let mut records = Vec::new();
        // Tail nodes, in plan order, that would not have run either way: a branch before them was not taken.
        let mut dead = vec![false; graph.members.len()];
        for (slot, &node) in graph.members.iter().enumerate() {
            let planned = &plan.nodes[node];
            if planned.role != Role::Tail {
                continue;
            }
            let live = |wire: &Wire| match wire.source {
                Source::Local { slot, .. }
                    if plan.nodes[graph.members[slot]].role == Role::Tail =>
                {
                    !dead[slot]
                }
                _ => self.wire_value(frame, &wire.source).is_some(),
            };
            dead[slot] = match &planned.work {
                Work::End { start, .. } => dead[plan.nodes[*start].slot],
                _ if planned.wires.is_empty() => false,
                _ if planned.primary_wired => {
                    !planned.wires.iter().any(|wire| wire.primary && live(wire))
                }
                _ => !planned.wires.iter().any(live),
            };
            let reason = if dead[slot] {
                "branch not taken"
            } else {
                "not run: last iteration"
            };
            records.push((node, reason));
        }
        for (node, reason) in records {
            let path = self.path(frame, node);
            self.record(
                path,
                Some(node),
                Fact::NodeSkipped {
                    reason: reason.to_owned(),
                },
            );
        }
    }

    /// Forgets a frame whose nodes are settled.
    pub(super) fn free_frame(&mut self, frame: FrameId) -> Option<Frame> {
        self.frames.remove(frame)
    }

    /// Ends a frame early: what is in flight is cancelled, inner scopes end with `reason`.
    pub(super) fn drop_frame(&mut self, frame: FrameId, reason: ExitReason, error: &NodeError) {
        self.spend_what_is_cut_off(frame);
        let Some(state) = self.frames.take(frame) else {
            return;
        };
        self.turn.retain(|&(other, _)| other != frame);
        self.closing.retain(|&other| other != frame);
        self.effects_waiting.retain(|&(other, _)| other != frame);
        let plan = Arc::clone(&self.plan);
        for (slot, slot_state) in state.slots.iter().enumerate() {
            let node = plan.graphs[state.graph].members[slot];
            match slot_state {
                // It was still waiting for a place, and has not been said to start.
                SlotState::Running(None) => {}
                SlotState::Running(ticket) => {
                    let path = state.path(&plan.nodes[node].id);
                    let mut started = self.now;
                    let mut spent = Usage::default();
                    if let Some(ticket) = ticket {
                        self.lose_calls(*ticket);
                        if let Some(Pending::Node {
                            started: at,
                            spent: before,
                            sent,
                            ..
                        }) = self.pending.remove(*ticket)
                        {
                            started = at;
                            for usage in before.iter().chain(&sent) {
                                spent.add(usage);
                            }
                        }
                        if !self.asking.remove(ticket)
                            && plan.nodes[node].effect != loopwright_model::EffectClass::Pure
                        {
                            self.effects_running = self.effects_running.saturating_sub(1);
                        }
                        self.out.push(Effect::Cancel { ticket: *ticket });
                    }
                    let duration_ms = self.elapsed(started);
                    self.record(
                        path,
                        Some(node),
                        Fact::NodeFailed(Failed {
                            error: Box::new(error.clone().having_spent(&spent)),
                            duration_ms,
                            scope: None,
                        }),
                    );
                }
                SlotState::Scope(scope) => {
                    let path = state.path(&plan.nodes[node].id);
                    self.drop_scope(*scope, node, path, reason, error);
                }
                _ => {}
            }
        }
        self.frames.release(frame);
    }

    fn drop_scope(
        &mut self,
        scope: ScopeId,
        node: usize,
        path: String,
        reason: ExitReason,
        error: &NodeError,
    ) {
        let Some(state) = self.scopes.remove(scope) else {
            return self.impossible("a scope ends twice");
        };
        let (frames, started, iterations, tickets, usage) = match state {
            Scope::Loop(looping) => {
                let tickets = looping.tickets();
                (
                    looping.state.frame().into_iter().collect::<Vec<_>>(),
                    looping.started_at,
                    Some(looping.finished),
                    tickets,
                    looping.usage,
                )
            }
            Scope::List(mut listing) => (
                listing.take_frames(),
                listing.started_at,
                Some(listing.finished),
                Vec::new(),
                listing.usage,
            ),
            // A subflow has no iterations to end.
            Scope::Subflow(subflow) => {
                let tickets = subflow.tickets();
                (
                    subflow.state.frame().into_iter().collect(),
                    subflow.started_at,
                    None,
                    tickets,
                    subflow.usage,
                )
            }
        };
        for ticket in tickets {
            self.pending.remove(ticket);
            self.out.push(Effect::Cancel { ticket });
        }
        let duration_ms = self.elapsed(started);
        let Some(iterations) = iterations else {
            for frame in frames {
                self.drop_frame(frame, reason, error);
            }
            self.record(
                path,
                Some(node),
                Fact::NodeFailed(Failed {
                    error: Box::new(error.clone()),
                    duration_ms,
                    scope: None,
                }),
            );
            return;
        };
        for frame in frames {
            self.cut_iteration(frame, &path, node, reason, error);
        }
        self.record(
            path,
            Some(node),
            Fact::NodeFailed(Failed {
                error: Box::new(error.clone().having_spent(&usage)),
                duration_ms,
                scope: Some(ScopeEnd {
                    iterations,
                    exit_reason: reason,
                    exhausted: matches!(reason, ExitReason::Timeout | ExitReason::BudgetExceeded),
                }),
            }),
        );
    }

    /// Ends an iteration early: what is in flight, then the iteration itself.
    pub(super) fn cut_iteration(
        &mut self,
        frame: FrameId,
        path: &str,
        node: usize,
        reason: ExitReason,
        error: &NodeError,
    ) {
        self.spend_what_is_cut_off(frame);
        let Some(state) = self.frames.get(frame) else {
            return self.impossible("an iteration is cut off that is over");
        };
        let entry = Fact::IterationCompleted {
            index: state.index,
            result: Arc::new(Value::Null),
            reached_exit: false,
            similarity: None,
            condition_result: None,
            score: None,
            duration_ms: self.elapsed(state.started_at),
            usage: Box::new(state.usage),
            status: if reason == ExitReason::Error {
                RunStatus::Failed
            } else {
                RunStatus::Cancelled
            },
        };
        self.drop_frame(frame, reason, error);
        self.record(path.to_owned(), Some(node), entry);
    }

    /// What `run.inputs` is in a frame, and in those of the regions that stand in it.
    pub(super) fn given(&self, frame: FrameId) -> Arc<RunInputs> {
        self.frames
            .get(frame)
            .map_or_else(Arc::default, |state| Arc::clone(&state.given))
    }

    /// `refine[2]/draft`
    pub(super) fn path(&self, frame: FrameId, node: usize) -> String {
        let Some(state) = self.frames.get(frame) else {
            self.impossible("a node has a place in a frame that is closed");
            return String::new();
        };
        state.path(&self.plan.nodes[node].id)
    }

    pub(super) fn node_at(&self, frame: FrameId, slot: Slot) -> usize {
        let Some(state) = self.frames.get(frame) else {
            self.impossible("a node is in a frame that is closed");
            return 0;
        };
        self.plan.graphs[state.graph].members[slot]
    }

    /// A scope that stands at `at` is over with an error, which `node` is named for: so is the frame around it.
    pub(super) fn fail_scope(
        &mut self,
        at: (FrameId, Slot),
        started: i64,
        end: ScopeEnd,
        usage: &Usage,
        error: NodeError,
        node: usize,
    ) {
        let start = self.node_at(at.0, at.1);
        let path = self.path(at.0, start);
        let duration_ms = self.elapsed(started);
        self.record(
            path,
            Some(start),
            Fact::NodeFailed(Failed {
                error: Box::new(error.clone().having_spent(usage)),
                duration_ms,
                scope: Some(end),
            }),
        );
        self.set_slot(at.0, at.1, SlotState::Skipped);
        self.fail_frame(at.0, error, node);
    }

    /// Counts what executions under way used and sent, in failed attempts and in the present one, in this frame and those inside it: the executions will not end.
    pub(super) fn spend_what_is_cut_off(&mut self, frame: FrameId) {
        let Some(state) = self.frames.get(frame) else {
            return;
        };
        let (mut tickets, mut inner) = (Vec::new(), Vec::new());
        for slot in &state.slots {
            match slot {
                SlotState::Running(Some(ticket)) => tickets.push(*ticket),
                SlotState::Scope(scope) => match self.scopes.get(*scope) {
                    Some(Scope::Loop(looping)) => inner.extend(looping.state.frame()),
                    Some(Scope::List(listing)) => inner.extend(listing.frames()),
                    Some(Scope::Subflow(subflow)) => inner.extend(subflow.state.frame()),
                    None => {}
                },
                _ => {}
            }
        }
        for ticket in tickets {
            if let Some(Pending::Node {
                spent,
                sent,
                counted,
                ..
            }) = self.pending.get_mut(ticket)
                && !std::mem::replace(counted, true)
            {
                let mut usage = Usage::default();
                for part in spent.iter().chain(&*sent) {
                    usage.add(part);
                }
                self.spend(frame, &usage);
            }
        }
        for frame in inner {
            self.spend_what_is_cut_off(frame);
        }
    }

    /// Adds to a frame and all around it, and to the run.
    pub(super) fn spend(&mut self, frame: FrameId, usage: &Usage) {
        if usage.is_none() {
            return;
        }
        self.usage.add(usage);
        let mut at = Some(frame);
        while let Some(frame) = at {
            let Some(state) = self.frames.get_mut(frame) else {
                break;
            };
            state.usage.add(usage);
            match state.scope.and_then(|scope| self.scopes.get_mut(scope)) {
                Some(Scope::Loop(looping)) => looping.usage.add(usage),
                Some(Scope::List(listing)) => listing.usage.add(usage),
                Some(Scope::Subflow(subflow)) => subflow.usage.add(usage),
                None => {}
            }
            at = state.parent.map(|(frame, _)| frame);
        }
    }

    pub(super) fn is_end(work: &Work) -> bool {
        matches!(work, Work::End { .. })
    }
}
