//! Subflows: a flow run as one node, once, or as often as the node's policy lets it be tried.

use std::sync::Arc;

use loopwright_model::{
    ValueType,
    value::{describe, to_text},
};
use serde_json::Value;

use super::{
    Pending, Run, RunInputs, Scope,
    arena::{FrameId, ScopeId},
    frame::SlotState,
    in_effect,
    scope_state::{SubflowScope, SubflowState},
};
use crate::{
    exit::ExitReason,
    jitter::spread,
    journal::{Completed, Fact, Failed, Retried},
    kind::Inputs,
    named::Named,
    outcome::{NodeError, Outcome, Usage},
    plan::{GraphIx, Repeat, Slot, SubflowPlan},
};

impl Run {
    pub(super) fn start_subflow(
        &mut self,
        frame: FrameId,
        slot: Slot,
        graph: GraphIx,
        inputs: Inputs,
    ) {
        let plan = Arc::clone(&self.plan);
        let Some(Repeat::Subflow(inner)) = &plan.graphs[graph].repeat else {
            return self.impossible("a subflow has no flow");
        };
        let node = self.node_at(frame, slot);
        let path = self.path(frame, node);
        self.record(path, Some(node), self.started(node, &inputs, None));
        let given = match given(inner, &plan.nodes[node].title, inputs) {
            Ok(given) => RunInputs::new(in_effect(&plan, graph, &given)),
            Err(error) => return self.fail_node(frame, slot, self.now, error),
        };
        let scope = self.scopes.insert(Scope::Subflow(SubflowScope {
            at: (frame, slot),
            graph,
            given,
            outputs: Named::default(),
            state: SubflowState::Between,
            failed: 0,
            started_at: self.now,
            usage: Usage::default(),
        }));
        self.set_slot(frame, slot, SlotState::Scope(scope));
        self.begin_attempt(scope);
    }

    /// The subflow that a step is about. A step is never about one that is over.
    fn subflow_at(&mut self, scope: ScopeId) -> Option<&mut SubflowScope> {
        if !matches!(self.scopes.get(scope), Some(Scope::Subflow(_))) {
            self.impossible("a subflow that is over continues");
        }
        self.inner(scope)
    }

    fn inner(&mut self, scope: ScopeId) -> Option<&mut SubflowScope> {
        match self.scopes.get_mut(scope)? {
            Scope::Subflow(subflow) => Some(subflow),
            Scope::Loop(_) | Scope::List(_) => None,
        }
    }

    /// Runs the inner flow from its beginning.
    pub(super) fn begin_attempt(&mut self, scope: ScopeId) {
        let plan = Arc::clone(&self.plan);
        let Some(subflow) = self.subflow_at(scope) else {
            return;
        };
        if subflow.state.frame().is_some() {
            return self.impossible("a subflow begins beside itself");
        }
        subflow.state = SubflowState::Between;
        subflow.outputs = Named::default();
        let (at, graph, given) = (subflow.at, subflow.graph, Arc::clone(&subflow.given));
        let Some(Repeat::Subflow(inner)) = &plan.graphs[graph].repeat else {
            return self.impossible("a subflow has no flow");
        };
        let node = self.node_at(at.0, at.1);
        let prefix = format!("{}/", self.path(at.0, node));
        let frame = self.open_frame(
            graph,
            Some((at.0, at.1, scope)),
            prefix,
            Arc::default(),
            0,
            given,
        );
        let limits = [plan.nodes[node].timeout_ms, inner.timeout_ms];
        let limit = limits.into_iter().flatten().min();
        let timeout = limit.map(|after| self.timer(Pending::SubflowTimeout { scope }, after));
        if let Some(subflow) = self.inner(scope) {
            subflow.state = SubflowState::Running {
                frame,
                limit: timeout,
            };
        }
        if limit == Some(0) {
            // Over before anything could run in it, however fast that is.
            self.cancel_tickets(timeout.into_iter().collect());
            return self.subflow_timed_out(scope);
        }
        self.begin_frame(frame);
    }

    /// An output inside has its value.
    pub(super) fn inner_output(&mut self, scope: ScopeId, name: &str, value: &Arc<Value>) {
        if let Some(subflow) = self.inner(scope) {
            subflow.outputs.insert(name, Arc::clone(value));
        }
    }

    /// Everything inside is settled.
    pub(super) fn subflow_done(&mut self, scope: ScopeId, frame: FrameId) {
        let plan = Arc::clone(&self.plan);
        self.free_frame(frame);
        let Some(Scope::Subflow(subflow)) = self.scopes.remove(scope) else {
            return self.impossible("a subflow ends twice");
        };
        self.cancel_tickets(subflow.tickets());
        let Some(Repeat::Subflow(inner)) = &plan.graphs[subflow.graph].repeat else {
            return self.impossible("a subflow has no flow");
        };
        // An output that got nothing carries nothing, as a branch that was not taken.
        let mut outcome = Outcome::default();
        for (index, name) in inner.outputs.iter().enumerate() {
            let Some(value) = subflow.outputs.get(name) else {
                continue;
            };
            if index == 0 {
                outcome.value = Arc::clone(value);
            }
            outcome.handles.push((name.clone(), Arc::clone(value)));
        }
        let (at, slot) = subflow.at;
        let node = self.node_at(at, slot);
        let path = self.path(at, node);
        let duration_ms = self.elapsed(subflow.started_at);
        self.record(
            path,
            Some(node),
            Fact::NodeCompleted(Completed {
                outcome: Arc::new(Outcome {
                    inside: Some(Box::new(subflow.usage)),
                    ..outcome.clone()
                }),
                duration_ms,
                scope: None,
            }),
        );
        self.settle(at, slot, SlotState::Done(Arc::new(outcome)));
    }

    pub(super) fn subflow_timed_out(&mut self, scope: ScopeId) {
        let Some(subflow) = self.subflow_at(scope) else {
            return;
        };
        let SubflowState::Running { limit, .. } = &mut subflow.state else {
            return self.impossible("a limit ends a subflow that does not run");
        };
        *limit = None;
        let (at, graph) = (subflow.at, subflow.graph);
        let node = self.node_at(at.0, at.1);
        let limit = match &self.plan.graphs[graph].repeat {
            Some(Repeat::Subflow(inner)) => [self.plan.nodes[node].timeout_ms, inner.timeout_ms]
                .into_iter()
                .flatten()
                .min()
                .unwrap_or(0),
            _ => 0,
        };
        let error = NodeError::new(
            "timeout",
            format!(
                "\"{}\" took longer than its timeout of {} s. Raise `timeout`, or make the subflow do less.",
                self.plan.nodes[node].title,
                limit as f64 / 1000.0
            ),
        );
        self.attempt_failed(scope, error, None, ExitReason::Timeout);
    }

    /// A node inside failed.
    pub(super) fn subflow_failed(&mut self, scope: ScopeId, error: NodeError, node: usize) {
        let Some(subflow) = self.subflow_at(scope) else {
            return;
        };
        let at = subflow.at;
        let start = self.node_at(at.0, at.1);
        let named = NodeError {
            message: format!(
                "\"{}\" failed at \"{}\" inside it. {}",
                self.plan.nodes[start].title, self.plan.nodes[node].title, error.message
            ),
            ..error
        };
        self.attempt_failed(scope, named, Some(node), ExitReason::Error);
    }

    /// An attempt is over without a result: another follows where the node's policy says so.
    fn attempt_failed(
        &mut self,
        scope: ScopeId,
        error: NodeError,
        node: Option<usize>,
        reason: ExitReason,
    ) {
        let plan = Arc::clone(&self.plan);
        let Some(subflow) = self.subflow_at(scope) else {
            return;
        };
        let (at, frame, failed) = (subflow.at, subflow.state.frame(), subflow.failed);
        let tickets = subflow.tickets();
        subflow.state = SubflowState::Between;
        self.cancel_tickets(tickets);
        let start = self.node_at(at.0, at.1);
        let path = self.path(at.0, start);
        if let Some(frame) = frame {
            let words = match reason {
                ExitReason::Timeout => "Stopped by the subflow's time limit.",
                _ => "Stopped because another node of the subflow failed.",
            };
            self.drop_frame(frame, reason, &NodeError::cancelled(words));
        }
        let again = plan.nodes[start]
            .retry
            .as_ref()
            .filter(|retry| failed < retry.count && retry.covers(&error));
        if let Some(retry) = again {
            let attempt = failed + 1;
            let began = self.started_at.to_string();
            let after_ms = retry.pause_after(&error, attempt, spread(&began, &path, attempt));
            self.record(
                path,
                Some(start),
                Fact::NodeRetried(Retried {
                    attempt,
                    error: Box::new(error),
                    after_ms,
                    attempts: None,
                }),
            );
            let ticket = self.timer(Pending::SubflowPause { scope }, after_ms);
            if let Some(subflow) = self.inner(scope) {
                subflow.failed = attempt;
                subflow.state = SubflowState::Pausing { timer: ticket };
            }
            return;
        }
        let Some(Scope::Subflow(subflow)) = self.scopes.remove(scope) else {
            return self.impossible("a subflow ends twice");
        };
        let duration_ms = self.elapsed(subflow.started_at);
        self.record(
            path,
            Some(start),
            Fact::NodeFailed(Failed {
                error: Box::new(error.clone()),
                duration_ms,
                scope: None,
            }),
        );
        self.set_slot(at.0, at.1, SlotState::Skipped);
        self.fail_frame(at.0, error, node.unwrap_or(start));
    }
}

/// The values that came in, by the inner flow's inputs, as those take them.
fn given(inner: &SubflowPlan, title: &str, inputs: Inputs) -> Result<Named, NodeError> {
    inputs
        .into_iter()
        .map(|(name, value)| {
            let name = name.to_string();
            let wanted = inner
                .inputs
                .iter()
                .find(|(input, _)| *input == name)
                .map_or(ValueType::Any, |(_, wanted)| *wanted);
            let words = match (wanted, &*value) {
                (_, Value::Null) | (ValueType::Any | ValueType::Json, _) => None,
                (ValueType::Text, Value::String(_)) => None,
                (ValueType::Text, other) => {
                    let text = Value::String(to_text(other));
                    return Ok((name, Arc::new(text)));
                }
                (ValueType::Number, other) => (!other.is_number()).then_some("a number"),
                (ValueType::Boolean, other) => (!other.is_boolean()).then_some("true or false"),
            };
            match words {
                None => Ok((name, value)),
                Some(words) => Err(NodeError::new(
                    "bad_input",
                    format!(
                        "`{name}` of \"{title}\" takes {words} and got {}. Put a Transform before it that makes one.",
                        describe(&value)
                    ),
                )),
            }
        })
        .collect()
}
