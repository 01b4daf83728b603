//! How a loop ends: its exit condition is met, it reaches a limit, or it fails. This module sets the values of the loop's start
//! and end nodes.

use std::sync::Arc;

use loopwright_model::graph::NodeIx;

use super::{
    ending::{AfterClose, Ending, LoopFailure},
    machine::LoopResult,
    words,
};
use crate::{
    exit::ExitReason,
    journal::{Completed, Fact},
    outcome::{NodeError, Outcome},
    run::{Run, arena::ScopeId, impossible::Stepped},
};

impl Run {
    /// Ends the loop because a time limit was reached: that of iteration `index`, or of the whole loop if `index` is `None`.
    pub(in crate::run) fn loop_timed_out(&mut self, scope: ScopeId, index: Option<u32>) -> Stepped {
        if !self.tree.looping(scope)?.is_timed_out(index) {
            return Ok(());
        }
        self.end_loop(scope, Ending::Exhausted(ExitReason::Timeout))
    }

    /// Ends the loop because its remaining budget is too small for the next call.
    pub(in crate::run) fn loop_over_budget(&mut self, scope: ScopeId) -> Stepped {
        self.budgets.loops_over.extend(self.tree.scope_path(scope));
        self.end_loop(scope, Ending::Exhausted(ExitReason::BudgetExceeded))
    }

    /// Ends the loop after an error. The loop fails, or returns its last result with a warning.
    pub(in crate::run) fn loop_failed(
        &mut self,
        scope: ScopeId,
        error: NodeError,
        node: Option<NodeIx>,
    ) -> Stepped {
        let looping = self.tree.looping_mut(scope)?;
        let (at, finished) = (looping.place.at, looping.finished());
        let returns = looping.config.return_on_error && finished > 0 && !error.is_final();
        let (frame, tickets) = looping.end()?;
        let (start, path) = self.tree.locate(at)?;
        if let Some(frame) = frame {
            self.tree.looping_mut(scope)?.undo_unfinished();
            let cancelled =
                NodeError::cancelled("Stopped because another node of the iteration failed.");
            self.teardown(ExitReason::Error, &cancelled)
                .iteration(frame, &path, start)?;
        }
        self.out.cancel(tickets);
        if !returns {
            let node = node.unwrap_or(start);
            return self.close_resource(scope, failed(ExitReason::Error, false, error, node));
        }
        let message = format!(
            "Iteration {} of \"{}\" failed ({error}). The result of iteration {finished} is used.",
            finished + 1,
            self.tree.plan.nodes[start].title
        );
        self.out
            .warn(&self.tree.plan, "iteration_failed", start, message);
        self.close_resource(scope, AfterClose::Return(ExitReason::Error, false))
    }

    /// Ends the loop because its exit condition is met or a limit is reached.
    pub(super) fn end_loop(&mut self, scope: ScopeId, ending: Ending) -> Stepped {
        let looping = self.tree.looping_mut(scope)?;
        let at = looping.place.at;
        let (frame, tickets) = looping.end()?;
        let (start, path) = self.tree.locate(at)?;
        if let (Some(frame), Some(limit)) = (frame, ending.cuts_off()) {
            self.tree.looping_mut(scope)?.undo_unfinished();
            let cancelled = NodeError::cancelled(format!("Stopped by {limit} of the loop."));
            self.teardown(ending.reason(), &cancelled)
                .iteration(frame, &path, start)?;
        }
        self.out.cancel(tickets);
        match ending {
            Ending::Met(reason) => self.close_resource(scope, AfterClose::Return(reason, false)),
            Ending::Exhausted(reason) => self.loop_exhausted(scope, reason, start),
        }
    }

    /// Fails a loop that reached a limit, or ends it with its current result, as its settings require.
    fn loop_exhausted(&mut self, scope: ScopeId, reason: ExitReason, start: NodeIx) -> Stepped {
        let looping = self.tree.looping(scope)?;
        let (finished, stuck) = (looping.finished(), looping.stuck());
        let title = &self.tree.plan.nodes[start].title;
        if let Some(error) = words::limit_error(&looping.at_limit(), title, reason, finished, stuck)
        {
            return self.close_resource(scope, failed(reason, true, error, start));
        }
        let returns_best = looping.config.returns_best;
        let message = words::exhausted(title, reason, finished, returns_best, stuck);
        self.out
            .warn(&self.tree.plan, "loop_exhausted", start, message);
        self.close_resource(scope, AfterClose::Return(reason, true))
    }

    /// Closes the resource of a loop that has ended, if it has one, and then performs the step `then`.
    fn close_resource(&mut self, scope: ScopeId, then: AfterClose) -> Stepped {
        let looping = self.tree.looping_mut(scope)?;
        let Some(mut resource) = looping.resource.take() else {
            return self.finish_loop(scope, then);
        };
        if let (AfterClose::Return(..), Some(best)) = (&then, looping.results.best_state()) {
            resource.end_in(best);
        }
        looping.close(then)?;
        let at = looping.place.at;
        let (node, path) = self.tree.locate(at)?;
        self.closings
            .begin(&mut self.out, path, node, *resource, Some(scope));
        Ok(())
    }

    /// Ends a loop whose resource is closed: the loop returns its result, or fails.
    pub(in crate::run) fn finish_loop(&mut self, scope: ScopeId, then: AfterClose) -> Stepped {
        match then {
            AfterClose::Return(reason, exhausted) => self.close_loop(scope, reason, exhausted),
            AfterClose::Fail(failure) => {
                let LoopFailure {
                    reason,
                    exhausted,
                    error,
                    node,
                } = *failure;
                self.fail_scope(scope, reason, exhausted, error, node)
            }
        }
    }

    /// Settles the start and end nodes with the loop's result.
    fn close_loop(&mut self, scope: ScopeId, reason: ExitReason, exhausted: bool) -> Stepped {
        let looping = self.tree.close_loop(scope)?;
        let (frame, slot) = looping.place.at;
        let end = looping.place.end;
        let (usage, started_at) = (looping.usage, looping.started_at);
        let LoopResult {
            outcome,
            end_outcome,
            end: scope,
        } = looping.into_result(reason, exhausted);
        let (start, path) = self.tree.locate((frame, slot))?;
        let completed = Fact::NodeCompleted(Completed {
            outcome: Arc::new(Outcome {
                usage,
                ..outcome.clone()
            }),
            duration_ms: self.clock.elapsed(started_at),
            scope: Some(scope),
            state: None,
        });
        self.out.record(path, Some(start), completed);
        let end_node = self.tree.node_at(frame, end)?;
        self.nodes().settle_end(frame, end_node, end_outcome)?;
        self.nodes()
            .settle((frame, slot), start, Some(Arc::new(outcome)))
    }
}

fn failed(reason: ExitReason, exhausted: bool, error: NodeError, node: NodeIx) -> AfterClose {
    AfterClose::Fail(Box::new(LoopFailure {
        reason,
        exhausted,
        error,
        node,
    }))
}
