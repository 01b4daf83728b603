//! The end of a loop: met, exhausted, failed or out of time; and the values of its two nodes.

use std::sync::Arc;

use serde_json::Value;

use super::loop_scope::Ending;
use crate::{
    exit::ExitReason,
    journal::{Completed, Fact, ScopeEnd},
    outcome::{NodeError, Outcome},
    plan::{Repeat, repeat::Take},
    run::{
        Effect, Run, Scope, Ticket,
        arena::{FrameId, ScopeId},
        frame::SlotState,
    },
};

impl Run {
    /// A limit of time passed.
    pub(in crate::run) fn loop_timed_out(&mut self, scope: ScopeId, index: Option<u32>) {
        let Some(looping) = self.running_loop(scope) else {
            return;
        };
        if index.is_some_and(|index| index != looping.finished) {
            return;
        }
        self.end_loop(scope, Ending::Exhausted(ExitReason::Timeout));
    }

    /// The loop's budget has no room for the next call in it.
    pub(in crate::run) fn loop_over_budget(&mut self, scope: ScopeId) {
        self.loops_over_budget.extend(self.scope_path(scope));
        self.end_loop(scope, Ending::Exhausted(ExitReason::BudgetExceeded));
    }

    /// A node of an iteration failed.
    pub(in crate::run) fn scope_frame_failed(
        &mut self,
        scope: ScopeId,
        frame: FrameId,
        error: NodeError,
        node: usize,
    ) {
        match self.scopes.get(scope) {
            Some(Scope::Loop(_)) => self.loop_failed(scope, error, Some(node)),
            Some(Scope::List(_)) => self.item_failed(scope, frame, error, node),
            Some(Scope::Subflow(_)) => self.subflow_failed(scope, error, node),
            _ => self.impossible("a node fails in a scope that is over"),
        }
    }

    /// The iteration under way failed: the loop ends.
    pub(super) fn loop_failed(&mut self, scope: ScopeId, error: NodeError, node: Option<usize>) {
        let plan = Arc::clone(&self.plan);
        let Some(looping) = self.running_loop(scope) else {
            return;
        };
        let (at, graph, started, finished, frame) = (
            looping.at,
            looping.graph,
            looping.started_at,
            looping.finished,
            looping.state.frame(),
        );
        let tickets = looping.tickets();
        looping.state.leave();
        let Some(Repeat::Loop(config)) = &plan.graphs[graph].repeat else {
            return self.impossible("a loop has no settings");
        };
        let start = self.node_at(at.0, at.1);
        let path = self.path(at.0, start);
        if let Some(frame) = frame {
            let cancelled =
                NodeError::cancelled("Stopped because another node of the iteration failed.");
            self.cut_iteration(frame, &path, start, ExitReason::Error, &cancelled);
        }
        self.cancel_tickets(tickets);
        if config.return_on_error && finished > 0 && !error.is_final() {
            self.warn(
                "iteration_failed",
                start,
                format!(
                    "Iteration {} of \"{}\" failed ({error}). The result of iteration {finished} is used.",
                    finished + 1,
                    plan.nodes[start].title
                ),
            );
            return self.close_loop(scope, ExitReason::Error, false);
        }
        let usage = self
            .loop_scope_mut(scope)
            .map(|looping| looping.usage)
            .unwrap_or_default();
        self.scopes.remove(scope);
        let end = ScopeEnd {
            iterations: finished,
            exit_reason: ExitReason::Error,
            exhausted: false,
        };
        self.fail_scope(at, started, end, &usage, error, node.unwrap_or(start));
    }

    /// The loop is over, met or exhausted.
    pub(super) fn end_loop(&mut self, scope: ScopeId, ending: Ending) {
        let plan = Arc::clone(&self.plan);
        let Some(looping) = self.running_loop(scope) else {
            return;
        };
        let (at, graph, finished) = (looping.at, looping.graph, looping.finished);
        let tickets = looping.tickets();
        let frame = looping.state.leave();
        let original = Arc::clone(&looping.original);
        let Some(Repeat::Loop(config)) = &plan.graphs[graph].repeat else {
            return self.impossible("a loop has no settings");
        };
        let start = self.node_at(at.0, at.1);
        let path = self.path(at.0, start);
        if let Some(frame) = frame {
            let (Ending::Met(reason) | Ending::Exhausted(reason)) = ending;
            let limit = match reason {
                ExitReason::Timeout => Some("a time limit"),
                ExitReason::BudgetExceeded => Some("the budget"),
                _ => None,
            };
            if let Some(limit) = limit {
                // Cut off in mid-iteration.
                let message = format!("Stopped by {limit} of the loop.");
                let cancelled = NodeError::cancelled(message);
                self.cut_iteration(frame, &path, start, reason, &cancelled);
            } else {
                self.free_frame(frame);
            }
        }
        self.cancel_tickets(tickets);
        let (reason, exhausted) = match ending {
            Ending::Met(reason) => (reason, false),
            Ending::Exhausted(reason) => (reason, true),
        };
        if exhausted {
            let (why, limit) = match reason {
                ExitReason::Timeout => ("its time limit", "its time in `limits`"),
                ExitReason::BudgetExceeded => ("its budget", "its budget in `limits`"),
                _ => ("its cap", "`maxIterations`"),
            };
            let title = &plan.nodes[start].title;
            if finished == 0 {
                let code = match reason {
                    ExitReason::Timeout => "timeout",
                    ExitReason::BudgetExceeded => "budget_exceeded",
                    _ => "no_result",
                };
                let error = NodeError::new(
                    code,
                    format!(
                        "\"{title}\" reached {why} before one iteration was finished. Raise {limit}."
                    ),
                );
                return self.loop_over_with_error(scope, error, reason);
            }
            if config.fail_on_limit {
                let code = match reason {
                    ExitReason::MaxIterations => "max_iterations",
                    ExitReason::Timeout => "timeout",
                    _ => "budget_exceeded",
                };
                let error = NodeError::new(
                    code,
                    format!(
                        "\"{title}\" reached {why} after {} without its exit condition being met. Raise {limit}, or choose `return` in `onLimit` to keep the result.",
                        iterations(finished)
                    ),
                );
                return self.loop_over_with_error(scope, error, reason);
            }
            self.warn(
                "loop_exhausted",
                start,
                format!(
                    "\"{title}\" reached {why} after {} without its exit condition being met. Its result is the {} one.",
                    iterations(finished),
                    if config.returns_best { "best" } else { "last" }
                ),
            );
        }
        if finished == 0
            && let Some(looping) = self.loop_scope_mut(scope)
        {
            looping.last = Some(original);
        }
        self.close_loop(scope, reason, exhausted);
    }

    pub(super) fn loop_over_with_error(
        &mut self,
        scope: ScopeId,
        error: NodeError,
        reason: ExitReason,
    ) {
        let Some(looping) = self.running_loop(scope) else {
            return;
        };
        let (at, started, finished, usage) = (
            looping.at,
            looping.started_at,
            looping.finished,
            looping.usage,
        );
        self.scopes.remove(scope);
        let start = self.node_at(at.0, at.1);
        let end = ScopeEnd {
            iterations: finished,
            exit_reason: reason,
            exhausted: true,
        };
        self.fail_scope(at, started, end, &usage, error, start);
    }

    /// Settles the start and the end with the loop's result.
    pub(super) fn close_loop(&mut self, scope: ScopeId, reason: ExitReason, exhausted: bool) {
        let plan = Arc::clone(&self.plan);
        let Some(Scope::Loop(looping)) = self.scopes.remove(scope) else {
            return self.impossible("a loop ends twice");
        };
        let (frame, slot) = looping.at;
        let start = self.node_at(frame, slot);
        let value = match looping.best {
            Some(best) => best.result,
            None => looping.last.unwrap_or_default(),
        };
        let graph = &plan.graphs[looping.graph];
        let mut outcome = Outcome::single("output", Arc::clone(&value))
            .with("count", Value::from(looping.finished))
            .with(
                "exitReason",
                serde_json::to_value(reason).unwrap_or_default(),
            );
        if graph.keeps_results {
            let list: Vec<Value> = looping
                .results
                .iter()
                .map(|value| (**value).clone())
                .collect();
            outcome = outcome.with("iterations", Value::Array(list));
        }
        if let Some(Repeat::Loop(config)) = &graph.repeat {
            for (output, mut values) in config.outputs.iter().zip(looping.outputs) {
                let value = match output.take {
                    Take::All => Value::Array(values),
                    Take::First | Take::Last => values.pop().unwrap_or_default(),
                };
                outcome = outcome.with(&output.name, value);
            }
        }
        let path = self.path(frame, start);
        let duration_ms = self.elapsed(looping.started_at);
        self.record(
            path,
            Some(start),
            Fact::NodeCompleted(Completed {
                outcome: Arc::new(Outcome {
                    usage: looping.usage,
                    ..outcome.clone()
                }),
                duration_ms,
                scope: Some(ScopeEnd {
                    iterations: looping.finished,
                    exit_reason: reason,
                    exhausted,
                }),
            }),
        );
        let end_outcome = if exhausted && graph.exhausted_wired {
            Outcome::branch("exhausted", Arc::clone(&value), value)
        } else {
            Outcome::single("output", value)
        };
        let end_node = self.node_at(frame, looping.end);
        let end_path = self.path(frame, end_node);
        self.record(
            end_path,
            Some(end_node),
            self.started(
                end_node,
                &[("input".into(), Arc::clone(&end_outcome.value))],
                None,
            ),
        );
        self.done(frame, looping.end, self.now, end_outcome);
        self.settle(frame, slot, SlotState::Done(Arc::new(outcome)));
    }

    pub(in crate::run) fn cancel_tickets(&mut self, tickets: Vec<Ticket>) {
        for ticket in tickets {
            self.pending.remove(ticket);
            self.out.push(Effect::Cancel { ticket });
        }
    }
}

fn iterations(count: u32) -> String {
    if count == 1 {
        "1 iteration".to_owned()
    } else {
        format!("{count} iterations")
    }
}
