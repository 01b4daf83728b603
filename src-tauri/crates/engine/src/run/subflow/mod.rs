//! Subflows: a flow that runs as one node, with as many attempts as the node's policy allows.
//!
//! [`machine`] contains the states of a subflow. This module executes its decisions.

pub(super) mod machine;

use std::sync::Arc;

use loopwright_model::{
    ValueType,
    graph::NodeIx,
    value::{describe, to_text},
};
use serde_json::Value;

use super::{
    Pending, Run, RunInputs,
    arena::{FrameId, ScopeId},
    impossible::{Impossible, ScopeKind, Stepped},
    in_effect,
    scope::Scope,
    tree::NewFrame,
};
use crate::{
    exit::ExitReason,
    jitter::spread,
    journal::{Completed, Fact, Retried},
    kind::Inputs,
    named::Named,
    outcome::{NodeError, Outcome},
    plan::{GraphIx, Repeat, Slot, SubflowPlan},
};
use machine::SubflowMachine;

impl Run {
    /// Starts a subflow: records the start of its node, converts the inputs, and begins the first attempt.
    pub(super) fn start_subflow(
        &mut self,
        frame: FrameId,
        slot: Slot,
        graph: GraphIx,
        inputs: Inputs,
    ) -> Stepped {
        let plan = Arc::clone(&self.tree.plan);
        let Some(Repeat::Subflow(config)) = &plan.graphs[graph].repeat else {
            return Err(Impossible::NoSettings(ScopeKind::Subflow));
        };
        let node = self.tree.node_at(frame, slot)?;
        self.nodes().begin_node(frame, node, &inputs)?;
        let given = match given(config, &plan.nodes[node].title, inputs) {
            Ok(given) => RunInputs::new(in_effect(&plan, graph, &given)),
            Err(error) => return self.fail_node(frame, slot, error),
        };
        let config = Arc::clone(config);
        let subflow = SubflowMachine::new((frame, slot), graph, config, given, self.clock.now);
        let scope = self.tree.open_scope(Scope::Subflow(subflow))?;
        self.begin_attempt(scope)
    }

    /// Begins an attempt, which runs the inner flow from its beginning.
    pub(super) fn begin_attempt(&mut self, scope: ScopeId) -> Stepped {
        let subflow = self.tree.subflow(scope)?;
        let at = subflow.at;
        let (node, path) = self.tree.locate(at)?;
        let limit = subflow.limit_ms(self.tree.plan.nodes[node].timeout_ms);
        let new = NewFrame {
            graph: subflow.graph,
            owner: Some((at, scope)),
            prefix: format!("{path}/"),
            input: Arc::default(),
            index: 0,
            given: Arc::clone(&subflow.given),
        };
        let frame = self.tree.open_frame(new, self.clock.now);
        let timer = limit.map(|after| self.out.timer(Pending::SubflowTimeout { scope }, after));
        self.tree.subflow_mut(scope)?.begin(frame, timer)?;
        if limit == Some(0) {
            // If the time limit is zero, the attempt ends before any node can run in it.
            self.out.cancel(timer);
            return self.subflow_timed_out(scope);
        }
        self.schedule.begin(&mut self.tree, frame)
    }

    /// Completes a subflow in which every node is settled.
    pub(super) fn subflow_done(&mut self, scope: ScopeId, frame: FrameId) -> Stepped {
        self.tree.frames.remove(frame);
        let mut subflow = self.tree.close_subflow(scope)?;
        let limit = subflow.end()?;
        self.out.cancel(limit);
        let outcome = subflow.outcome();
        let (at, slot) = subflow.at;
        let (node, path) = self.tree.locate((at, slot))?;
        let completed = Fact::NodeCompleted(Completed {
            outcome: Arc::new(Outcome {
                inside: Some(Box::new(subflow.usage)),
                ..outcome.clone()
            }),
            duration_ms: self.clock.elapsed(subflow.started_at),
            scope: None,
            state: None,
        });
        self.out.record(path, Some(node), completed);
        self.nodes()
            .settle((at, slot), node, Some(Arc::new(outcome)))
    }

    /// Ends an attempt whose time limit was reached.
    pub(super) fn subflow_timed_out(&mut self, scope: ScopeId) -> Stepped {
        let subflow = self.tree.subflow_mut(scope)?;
        subflow.time_out()?;
        let subflow = self.tree.subflow(scope)?;
        let node = self.tree.node_at(subflow.at.0, subflow.at.1)?;
        let planned = &self.tree.plan.nodes[node];
        let limit = subflow.limit_ms(planned.timeout_ms).unwrap_or(0);
        let error = NodeError::new(
            "timeout",
            format!(
                "\"{}\" took longer than its timeout of {} s. Raise `timeout`, or make the subflow do less.",
                planned.title,
                limit as f64 / 1000.0
            ),
        );
        self.attempt_failed(scope, error, None, ExitReason::Timeout)
    }

    /// Ends an attempt in which a node failed.
    pub(super) fn subflow_failed(
        &mut self,
        scope: ScopeId,
        error: NodeError,
        node: NodeIx,
    ) -> Stepped {
        let at = self.tree.subflow(scope)?.at;
        let start = self.tree.node_at(at.0, at.1)?;
        let nodes = &self.tree.plan.nodes;
        let named = NodeError {
            message: format!(
                "\"{}\" failed at \"{}\" inside it. {}",
                nodes[start].title, nodes[node].title, error.message
            ),
            ..error
        };
        self.attempt_failed(scope, named, Some(node), ExitReason::Error)
    }

    /// Ends an attempt without a result. If the node's retry policy allows it, another attempt follows.
    fn attempt_failed(
        &mut self,
        scope: ScopeId,
        error: NodeError,
        node: Option<NodeIx>,
        reason: ExitReason,
    ) -> Stepped {
        let plan = Arc::clone(&self.tree.plan);
        let subflow = self.tree.subflow_mut(scope)?;
        let (at, failed) = (subflow.at, subflow.failed());
        let (frame, limit) = subflow.fail()?;
        self.out.cancel(limit);
        let (start, path) = self.tree.locate(at)?;
        let words = match reason {
            ExitReason::Timeout => "Stopped by the subflow's time limit.",
            _ => "Stopped because another node of the subflow failed.",
        };
        self.teardown(reason, &NodeError::cancelled(words))
            .frame(frame)?;
        let again = plan.nodes[start]
            .retry
            .as_ref()
            .filter(|retry| failed < retry.count && retry.covers(&error));
        let Some(retry) = again else {
            self.tree.subflow_mut(scope)?.end()?;
            return self.fail_scope(scope, reason, false, error, node.unwrap_or(start));
        };
        let attempt = failed + 1;
        let began = self.clock.started_at.to_string();
        let after_ms = retry.pause_after(&error, attempt, spread(&began, &path, attempt));
        let retried = Fact::NodeRetried(Retried {
            attempt,
            error: Box::new(error),
            after_ms,
            attempts: None,
        });
        self.out.record(path, Some(start), retried);
        let timer = self.out.timer(Pending::SubflowPause { scope }, after_ms);
        self.tree.subflow_mut(scope)?.pause(timer)
    }
}

/// Returns the input values by name, converted to the types of the inner flow's inputs.
///
/// # Errors
/// `bad_input` if a value has a type that the input does not accept.
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
