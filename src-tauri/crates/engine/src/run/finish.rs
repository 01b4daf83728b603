//! The end of a run: completed, failed, stopped, or in an impossible state.

use std::sync::Arc;

use loopwright_model::graph::NodeIx;
use serde_json::Value;

use super::{
    Effect, Run, arena::FrameId, budgets::Halt, end::End, impossible::Impossible,
    impossible::Stepped, loop_resource::Closings, scope::Scope, teardown::Teardown,
};
use crate::{
    exit::ExitReason,
    journal::{self, Fact, StopReason},
    named::Named,
    outcome::NodeError,
    plan::Work,
    status::RunStatus,
};

impl Run {
    /// Handles a frame in which all nodes of a part are settled: completes the run, the item or the subflow, evaluates the
    /// iteration, or begins the next iteration.
    pub(super) fn close_frame(&mut self, frame: FrameId) -> Stepped {
        if self.stop_evaluation(frame)? {
            return Ok(());
        }
        let Some(state) = self.tree.frames.get(frame) else {
            return Ok(());
        };
        let Some(scope) = state.scope else {
            self.complete_run();
            return Ok(());
        };
        match self.tree.scopes.get(scope) {
            Some(Scope::List(_)) => self.item_done(scope, frame),
            Some(Scope::Subflow(_)) => self.subflow_done(scope, frame),
            Some(Scope::Loop(_)) if state.nodes.is_in_tail() => self.next_iteration(scope, frame),
            Some(Scope::Loop(_)) | None => self.evaluate_exit(scope, frame),
        }
    }

    /// Completes the run once the node at which it ends is settled. Everything else in progress is cancelled, and the node's
    /// value becomes the run's output. If the node was skipped, the run completes with a warning.
    pub(super) fn complete_until(&mut self, value: Option<Arc<Value>>) -> Stepped {
        let plan = Arc::clone(&self.tree.plan);
        let Some(node) = plan.until else {
            return Ok(());
        };
        let reason = NodeError::cancelled(format!(
            "The run was to go as far as \"{}\".",
            plan.nodes[node].title
        ));
        self.teardown(ExitReason::Cancelled, &reason)
            .frame(FrameId::ROOT)?;
        match value {
            Some(value) => {
                let name = match &plan.nodes[node].work {
                    Work::Output { name } => name.clone(),
                    _ => plan.nodes[node].id.to_string(),
                };
                self.outputs = Named::default();
                let outputs = [(name, value)].into_iter().collect();
                self.finish(Some(End::Completed(outputs)));
            }
            None => self.complete_run(),
        }
        Ok(())
    }

    fn complete_run(&mut self) {
        let plan = Arc::clone(&self.tree.plan);
        if let Some(node) = plan.until {
            let message = format!(
                "The run was to end at \"{}\", which did not run: a branch before it was not taken, or its loop ended before.",
                plan.nodes[node].title
            );
            self.out.warn(&plan, "not_reached", node, message);
        }
        // The outputs are in document order, not in the order in which they received their values.
        let mut outputs = Named::default();
        for node in plan.nodes.iter() {
            if node.graph == 0
                && let Work::Output { name } = &node.work
                && let Some(value) = self.outputs.get(name)
            {
                outputs.insert(name, Arc::clone(value));
            }
        }
        self.finish(Some(End::Completed(outputs)));
    }

    /// Ends the run from outside. Everything in progress is cancelled and recorded as cancelled.
    pub(super) fn stop(&mut self, reason: StopReason) -> Stepped {
        let (status, exit, code, message, node) = match (reason, &self.budgets.halt) {
            (StopReason::Cancelled, _) => (
                RunStatus::Cancelled,
                ExitReason::Cancelled,
                "cancelled",
                "The run was stopped.".to_owned(),
                None,
            ),
            (StopReason::Timeout, _) => (
                RunStatus::Failed,
                ExitReason::Timeout,
                "timeout",
                "The run took longer than its timeout. Raise `timeout` in Workflow settings."
                    .to_owned(),
                None,
            ),
            (StopReason::BudgetExceeded, Some(Halt::OverBudget { node, message })) => (
                RunStatus::Failed,
                ExitReason::BudgetExceeded,
                "budget_exceeded",
                message.clone(),
                Some(*node),
            ),
            // The run is not halted at its budget, so it is not stopped.
            (StopReason::BudgetExceeded, _) => return Ok(()),
        };
        self.out
            .record_run(journal::Input::StopRequested { reason });
        let cancelled = NodeError::cancelled(message.clone());
        self.teardown(exit, &cancelled).frame(FrameId::ROOT)?;
        self.fail_run(status, NodeError::new(code, message), node);
        Ok(())
    }

    /// Fails a run that has reached an impossible state. This is a defect of this program, and there is no defined way to
    /// continue.
    pub(super) fn end_broken(&mut self, impossible: Impossible) {
        self.out.cancel_all();
        self.schedule.clear_all();
        // The host has already been asked to close the resources, and nothing waits for its answers.
        self.closings = Closings::default();
        self.ending = None;
        let message = format!(
            "The run reached an impossible state: {impossible}. This is a bug in Loopwright. Please report it with an export of \
             the run. Finished steps are kept."
        );
        self.fail_run(RunStatus::Failed, NodeError::new("internal", message), None);
    }

    pub(super) fn fail_run(&mut self, status: RunStatus, error: NodeError, node: Option<NodeIx>) {
        let error = Box::new(error);
        self.finish(Some(End::Failed {
            status,
            error,
            node,
        }));
    }

    /// Ends the run with `end` or, if it is `None`, with the stored end, once all resources are closed.
    pub(super) fn finish(&mut self, end: Option<End>) {
        let Some(end) = end.or_else(|| self.ending.take()) else {
            return;
        };
        if !self.closings.is_empty() {
            self.ending = Some(end);
            return;
        }
        let duration_ms = self.clock.elapsed(self.clock.started_at);
        let usage = Box::new(self.tree.usage);
        let warnings = self.out.warnings().to_vec();
        let (status, node, fact) = match end {
            End::Completed(outputs) => {
                let completed = Fact::RunCompleted {
                    outputs,
                    duration_ms,
                    usage,
                    warnings,
                };
                (RunStatus::Completed, None, completed)
            }
            End::Failed {
                status,
                error,
                node,
            } => {
                let failed = Fact::RunFailed {
                    status,
                    error,
                    duration_ms,
                    usage,
                    warnings,
                };
                (status, node, failed)
            }
        };
        self.out.record(String::new(), node, fact);
        self.status = Some(status);
        self.out.push(Effect::Finished { status });
    }

    /// Returns a teardown that ends frames and scopes early. Nodes in progress fail with `error`, and inner scopes end with
    /// `reason`.
    pub(super) fn teardown<'r>(
        &'r mut self,
        reason: ExitReason,
        error: &'r NodeError,
    ) -> Teardown<'r> {
        Teardown {
            tree: &mut self.tree,
            out: &mut self.out,
            schedule: &mut self.schedule,
            budgets: &mut self.budgets,
            closings: &mut self.closings,
            clock: &self.clock,
            reason,
            error,
        }
    }
}
