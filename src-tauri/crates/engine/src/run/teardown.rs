//! Ends frames and scopes early: cancels what is in progress, and records each cancelled node and scope with the reason.

use std::sync::Arc;

use loopwright_model::graph::NodeIx;
use serde_json::Value;

use super::{
    arena::{FrameId, ScopeId},
    budgets::Budgets,
    clock::Clock,
    core_io::Effect,
    frame::{Frame, SlotState},
    impossible::Stepped,
    loop_resource::Closings,
    outbox::Outbox,
    pending::Pending,
    schedule::Schedule,
    scope::Scope,
    ticket::Ticket,
    tree::Tree,
};
use crate::{
    exit::ExitReason,
    journal::{Fact, Failed},
    outcome::{NodeError, Usage},
    plan::Plan,
    status::RunStatus,
};

pub(super) struct Teardown<'r> {
    pub(super) tree: &'r mut Tree,
    pub(super) out: &'r mut Outbox,
    pub(super) schedule: &'r mut Schedule,
    pub(super) budgets: &'r mut Budgets,
    pub(super) closings: &'r mut Closings,
    pub(super) clock: &'r Clock,
    /// The reason with which inner scopes end.
    pub(super) reason: ExitReason,
    /// The error with which nodes in progress fail.
    pub(super) error: &'r NodeError,
}

impl Teardown<'_> {
    /// Ends a frame early: cancels its executions in progress and ends its inner scopes.
    pub(super) fn frame(&mut self, frame: FrameId) -> Stepped {
        self.tree.spend_cut_off(frame, self.out);
        let Some(state) = self.tree.frames.take(frame) else {
            return Ok(());
        };
        self.schedule.forget(frame);
        let plan = Arc::clone(&self.tree.plan);
        for (slot, slot_state) in state.nodes.slots().iter().enumerate() {
            let node = plan.graphs[state.graph].members[slot];
            match slot_state {
                SlotState::Running(ticket) => self.execution(*ticket, node, &state, &plan),
                SlotState::Scope(scope) => {
                    let path = state.path(&plan.nodes[node].id);
                    self.scope(*scope, node, path)?;
                }
                // A queued node was not recorded as started.
                SlotState::Waiting(_)
                | SlotState::Queued
                | SlotState::Done(_)
                | SlotState::Skipped => {}
            }
        }
        self.tree.frames.release(frame);
        Ok(())
    }

    fn execution(&mut self, ticket: Ticket, node: NodeIx, frame: &Frame, plan: &Plan) {
        let planned = &plan.nodes[node];
        let mut started = self.clock.now;
        let mut spent = Usage::default();
        self.budgets.lose_calls(ticket, self.tree, self.out);
        if let Some(Pending::Node {
            started: at,
            spent: before,
            sent,
            ..
        }) = self.out.pending.remove(ticket)
        {
            started = at;
            for usage in before.iter().chain(&sent) {
                spent.add(usage);
            }
        }
        self.schedule.end(ticket, planned.takes_place());
        self.out.push(Effect::Cancel { ticket });
        let failed = Failed {
            error: Box::new(self.error.clone().having_spent(&spent)),
            duration_ms: self.clock.elapsed(started),
            scope: None,
            state: None,
        };
        let path = frame.path(&planned.id);
        self.out.record(path, Some(node), Fact::NodeFailed(failed));
    }

    fn scope(&mut self, id: ScopeId, node: NodeIx, path: String) -> Stepped {
        let mut scope = self.tree.close_scope(id)?;
        self.closings.detach(id);
        self.out.cancel(scope.tickets());
        let frames: Vec<FrameId> = scope.frames().collect();
        for frame in frames {
            match scope {
                Scope::Subflow(_) => self.frame(frame)?,
                Scope::Loop(_) | Scope::List(_) => self.iteration(frame, &path, node)?,
            }
        }
        if let Scope::Loop(looping) = &mut scope
            && let Some(resource) = looping.resource.take()
        {
            self.closings
                .begin(self.out, path.clone(), node, *resource, None);
        }
        let exhausted = matches!(
            self.reason,
            ExitReason::Timeout | ExitReason::BudgetExceeded
        );
        let failed = scope.failed(self.clock, self.error.clone(), self.reason, exhausted);
        self.out.record(path, Some(node), Fact::NodeFailed(failed));
        Ok(())
    }

    /// Ends an iteration early: first everything in progress in it, then the iteration itself.
    pub(super) fn iteration(&mut self, frame: FrameId, path: &str, node: NodeIx) -> Stepped {
        self.tree.spend_cut_off(frame, self.out);
        let state = self.tree.frame(frame)?;
        let entry = Fact::IterationCompleted {
            index: state.index,
            result: Arc::new(Value::Null),
            reached_exit: false,
            similarity: None,
            condition_result: None,
            score: None,
            duration_ms: self.clock.elapsed(state.started_at),
            usage: Box::new(state.usage),
            status: if self.reason == ExitReason::Error {
                RunStatus::Failed
            } else {
                RunStatus::Cancelled
            },
        };
        self.frame(frame)?;
        self.out.record(path.to_owned(), Some(node), entry);
        Ok(())
    }
}
