//! Whether an iteration meets the loop's exit condition: what the condition asks of it.

use std::sync::Arc;

use serde_json::Value;

use super::state::Evaluated;
use crate::{
    exit::{Condition, Measures},
    outcome::NodeError,
    plan::LoopConfig,
    run::{
        Run,
        arena::{FrameId, ScopeId},
    },
    similarity::{COMPARED, similarity},
};

/// An iteration that has just run, in its loop.
struct JustRun<'r> {
    run: &'r mut Run,
    scope: ScopeId,
    frame: FrameId,
    evaluated: &'r mut Evaluated,
}

impl Measures for JustRun<'_> {
    fn reached_exit(&self) -> bool {
        self.evaluated.reached_exit
    }

    fn score(&self) -> Option<f64> {
        self.evaluated.score
    }

    fn similarity(&mut self) -> Option<f64> {
        let measured = self.run.measured(self.scope, &self.evaluated.result);
        self.evaluated.similarity = measured;
        measured
    }

    fn holds(&self, condition: &Condition) -> Result<bool, NodeError> {
        let result = &self.evaluated.result;
        self.run
            .condition_holds(self.scope, self.frame, condition, result)
    }
}

impl Run {
    /// Whether the iteration that has just run meets the loop's exit condition; `None` where the condition is not evaluated after
    /// an iteration. What was measured is stored in `evaluated`.
    pub(super) fn is_exit_met(
        &mut self,
        scope: ScopeId,
        frame: FrameId,
        config: &LoopConfig,
        evaluated: &mut Evaluated,
    ) -> Result<Option<bool>, NodeError> {
        let Some(looping) = self.running_loop(scope) else {
            return Ok(None);
        };
        let count = looping.finished + 1;
        // `iteration` borrows the run, of which the state is a part.
        let mut state = std::mem::take(&mut looping.exit);
        let mut iteration = JustRun {
            run: self,
            scope,
            frame,
            evaluated,
        };
        let met = config.exit.is_met(&mut state, &mut iteration);
        if let Some(looping) = self.loop_scope_mut(scope) {
            looping.exit = state;
        }
        Ok(met?.map(|met| met && count >= config.min_iterations))
    }

    /// How similar a result is to the one before. A cut is a warning.
    fn measured(&mut self, scope: ScopeId, result: &Arc<Value>) -> Option<f64> {
        let looping = self.loop_scope_mut(scope)?;
        let (at, last) = (looping.at, looping.last.clone()?);
        let measured = similarity(&last, result);
        if measured.truncated {
            let node = self.node_at(at.0, at.1);
            let title = &self.plan.nodes[node].title;
            let says = format!(
                "Results of \"{title}\" are longer than {COMPARED} characters; only that much is compared."
            );
            self.warn("similarity_truncated", node, says);
        }
        Some(measured.value)
    }

    /// Whether a loop's condition ends it, read with these names and this result.
    pub(super) fn condition_holds(
        &self,
        scope: ScopeId,
        frame: FrameId,
        condition: &Condition,
        result: &Arc<Value>,
    ) -> Result<bool, NodeError> {
        let graph = self.frames.get(frame).map_or(0, |state| state.graph);
        let bindings = &self.plan.graphs[graph].condition_bindings;
        let value = self.test(frame, scope, &condition.expression, bindings, result)?;
        Ok(value == condition.met_when)
    }
}
