//! Handles nodes that are ready: decides whether a node runs, runs the nodes that the engine itself implements, and handles
//! failures.

use std::sync::Arc;

use super::{
    Run,
    arena::{FrameId, ScopeId},
    breakpoints::{Stopped, TurnAt},
    impossible::{Impossible, Stepped},
    scope::Scope,
    tree::Tree,
};
use crate::{
    exit::ExitReason,
    journal::{Fact, Failed},
    kind::Inputs,
    outcome::{NodeError, Outcome},
    plan::{Slot, Work},
    skip_cause::SkipCause,
    status::RunStatus,
};
use loopwright_model::graph::NodeIx;

impl Run {
    /// Handles a node whose wires are all settled: runs it, skips it, or stops it at a breakpoint.
    pub(super) fn take_turn(&mut self, frame: FrameId, slot: Slot) -> Stepped {
        let Some(state) = self.tree.frames.get(frame) else {
            return Ok(());
        };
        // If this node is the end of a scope, the scope's start may already have settled it. A limit may also have ended this
        // node.
        if !state.nodes.has_its_turn(slot) {
            return Ok(());
        }
        match self.breakpoints.turn(&self.tree, frame, slot)? {
            TurnAt::Free => {}
            TurnAt::Reads => return Ok(()),
            TurnAt::Stops(_) if self.schedule.stops_later(&self.tree, frame, slot)? => {
                return self.tree.frame_mut(frame)?.nodes.queue(slot);
            }
            TurnAt::Stops(path) => return self.stop_at(&path, Stopped::Turn(frame, slot)),
        }
        let node = self.tree.node_at(frame, slot)?;
        let given = self.breakpoints.take_given(frame, slot);
        let planned = &self.tree.plan.nodes[node];
        if !planned.needed {
            return self.nodes().skip(frame, slot, SkipCause::NotNeeded);
        }
        if matches!(planned.work, Work::End { .. }) {
            // The start was skipped. Otherwise it would already have settled this node.
            return self.nodes().skip(frame, slot, SkipCause::ScopeSkipped);
        }
        let given = given.or_else(|| planned.pinned.clone());
        let (inputs, runs) = self.tree.gather(frame, node);
        if !runs && !(given.is_some() && self.tree.was_cut_off(node)) {
            return self.nodes().skip(frame, slot, SkipCause::BranchNotTaken);
        }
        match (given, &planned.work) {
            (Some(outcome), _) => self.nodes().stand_in(frame, slot, &outcome, inputs),
            (None, Work::Execute(_)) => self.nodes().execute(frame, slot, node, inputs),
            (None, _) => self.run_by_engine(frame, slot, inputs),
        }
    }

    /// Runs a node that the engine itself implements.
    fn run_by_engine(&mut self, frame: FrameId, slot: Slot, inputs: Inputs) -> Stepped {
        let plan = Arc::clone(&self.tree.plan);
        let node = self.tree.node_at(frame, slot)?;
        let planned = &plan.nodes[node];
        match &planned.work {
            Work::Input { name, required, .. } => {
                self.nodes().begin_node(frame, node, &inputs)?;
                match self.tree.input_value(frame, node, name, *required)? {
                    Ok(outcome) => self.nodes().done(frame, slot, outcome),
                    Err(error) => self.fail_node(frame, slot, error),
                }
            }
            Work::Output { name } => {
                self.nodes().begin_node(frame, node, &inputs)?;
                let value = self.tree.primary(frame, node).unwrap_or_default();
                self.nodes().put_out(frame, name, &value)?;
                let outcome = Outcome {
                    value,
                    ..Outcome::default()
                };
                self.nodes().done(frame, slot, outcome)
            }
            Work::Bypass => {
                let Some(value) = self.tree.passed_on(frame, node) else {
                    return self.nodes().skip(frame, slot, SkipCause::NothingToPassOn);
                };
                self.nodes().begin_node(frame, node, &inputs)?;
                let outcome = self.tree.through(node, value);
                self.nodes().done(frame, slot, outcome)
            }
            Work::Broken(error) => {
                self.nodes().begin_node(frame, node, &inputs)?;
                self.fail_node(frame, slot, error.clone())
            }
            Work::Scope { end, .. } if planned.disabled => {
                self.nodes().begin_node(frame, node, &inputs)?;
                let input = self.tree.primary(frame, node).unwrap_or_default();
                let end_outcome = self.tree.through(*end, Arc::clone(&input));
                self.nodes().settle_end(frame, *end, end_outcome)?;
                let outcome = self.tree.through(node, input);
                self.nodes().done(frame, slot, outcome)
            }
            Work::Scope { graph, end } => {
                let input = self.tree.primary(frame, node).unwrap_or_default();
                self.start_scope(frame, slot, *graph, *end, input, inputs)
            }
            Work::Subflow { graph } => self.start_subflow(frame, slot, *graph, inputs),
            Work::Execute(_) | Work::End { .. } | Work::Annotation => Err(Impossible::NeverRuns),
        }
    }

    /// Fails a node that is not executed, and records the error.
    pub(super) fn fail_node(&mut self, frame: FrameId, slot: Slot, error: NodeError) -> Stepped {
        let (node, path) = self.tree.locate((frame, slot))?;
        let failed = Failed {
            error: Box::new(error.clone()),
            duration_ms: 0,
            scope: None,
            state: None,
        };
        self.out.record(path, Some(node), Fact::NodeFailed(failed));
        self.take_error(frame, slot, error)
    }

    /// Ends the frame of a node whose error is already recorded. The scope around the frame decides what follows.
    pub(super) fn take_error(&mut self, frame: FrameId, slot: Slot, error: NodeError) -> Stepped {
        let node = self.tree.node_at(frame, slot)?;
        self.tree.spend(frame, &error.usage);
        self.tree.frame_mut(frame)?.nodes.fail(slot)?;
        self.fail_frame(frame, error.passed_on(), node)
    }

    /// Ends a frame in which `node` failed.
    fn fail_frame(&mut self, frame: FrameId, error: NodeError, node: NodeIx) -> Stepped {
        let Some(scope) = self.tree.frame(frame)?.scope else {
            let cancelled = NodeError::cancelled("Stopped because another node failed.");
            self.teardown(ExitReason::Cancelled, &cancelled)
                .frame(frame)?;
            self.fail_run(RunStatus::Failed, error, Some(node));
            return Ok(());
        };
        match self.tree.scopes.get(scope) {
            Some(Scope::List(_)) => self.item_failed(scope, frame, error, node),
            Some(Scope::Subflow(_)) => self.subflow_failed(scope, error, node),
            Some(Scope::Loop(_)) | None => self.loop_failed(scope, error, Some(node)),
        }
    }

    /// Fails a scope and the frame around it. `node` is the node that the error belongs to.
    pub(super) fn fail_scope(
        &mut self,
        scope: ScopeId,
        reason: ExitReason,
        exhausted: bool,
        error: NodeError,
        node: NodeIx,
    ) -> Stepped {
        let scope = self.tree.close_scope(scope)?;
        let (frame, slot) = scope.at();
        let (start, path) = self.tree.locate((frame, slot))?;
        let failed = scope.failed(&self.clock, error.clone(), reason, exhausted);
        self.out.record(path, Some(start), Fact::NodeFailed(failed));
        self.tree.frame_mut(frame)?.nodes.fail(slot)?;
        self.fail_frame(frame, error, node)
    }
}

impl Tree {
    /// Returns the outcome of an input node: the value of the run's or subflow's input `name`, `null` if an optional input has
    /// none. Returns `input_missing` as the node's error if a required input has no value.
    fn input_value(
        &self,
        frame: FrameId,
        node: NodeIx,
        name: &str,
        required: bool,
    ) -> Stepped<Result<Outcome, NodeError>> {
        let value = self.frame(frame)?.given.get(name).cloned();
        if value.is_some() || !required {
            return Ok(Ok(self.through(node, value.unwrap_or_default())));
        }
        let remedy = match frame {
            FrameId::ROOT => format!(
                "Give it a value (on the command line: --input {name}=…), or set a default."
            ),
            _ => "Wire a value that is always there to the subflow, or set a default.".to_owned(),
        };
        Ok(Err(NodeError::new(
            "input_missing",
            format!("The input `{name}` is required and was not given. {remedy}"),
        )))
    }
}
