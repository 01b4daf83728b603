//! The evaluation of an iteration: its result, the extra outputs, the score, and whether the exit condition is met.

use std::sync::Arc;

use serde_json::Value;

use super::{machine::LoopMachine, results::Evaluated};
use crate::{
    exit::{Condition, ExitState, Measures},
    outcome::NodeError,
    run::{
        arena::{FrameId, ScopeId},
        names::Reader,
        outbox::Outbox,
    },
    similarity::{COMPARED, similarity},
};

/// An iteration that has just run, with its loop.
pub(super) struct Measuring<'r> {
    pub(super) reader: Reader<'r>,
    pub(super) out: &'r mut Outbox,
    pub(super) scope: ScopeId,
    pub(super) frame: FrameId,
    pub(super) looping: &'r LoopMachine,
}

impl Measuring<'_> {
    /// Evaluates the iteration, and returns its result with everything that was computed from it. `exit` is the state of the
    /// exit condition after the earlier iterations. Fails if the result, an extra output, the score or the exit condition
    /// cannot be evaluated.
    pub(super) fn evaluate(self, exit: &mut ExitState) -> Result<Evaluated, NodeError> {
        let Self {
            reader,
            scope,
            frame,
            looping,
            ..
        } = self;
        let config = &looping.config;
        let graph = &reader.tree.plan.graphs[looping.place.graph];
        let (result, reached_exit) = reader.tree.result(frame, looping.place.graph)?;
        let mut evaluated = Evaluated {
            outputs: Vec::with_capacity(config.outputs.len()),
            reached_exit,
            ..Evaluated::default()
        };
        for (output, bindings) in config.outputs.iter().zip(&graph.output_bindings) {
            let value =
                reader.loop_value("output", frame, scope, &output.from, bindings, &result)?;
            evaluated.outputs.push(value);
        }
        if let Some(score) = &config.score {
            let bindings = &graph.score_bindings;
            evaluated.score = Some(reader.score(frame, scope, score, bindings, &result)?);
        }
        evaluated.result = result;
        let mut iteration = JustRun {
            measuring: self,
            evaluated,
        };
        let met = config.exit.is_met(exit, &mut iteration)?;
        let mut evaluated = iteration.evaluated;
        evaluated.condition = met.map(|met| met && looping.finished() + 1 >= config.min_iterations);
        Ok(evaluated)
    }
}

struct JustRun<'r> {
    measuring: Measuring<'r>,
    evaluated: Evaluated,
}

impl Measures for JustRun<'_> {
    fn reached_exit(&self) -> bool {
        self.evaluated.reached_exit
    }

    fn score(&self) -> Option<f64> {
        self.evaluated.score
    }

    /// Returns the similarity of this iteration's result to the previous result, or `None` after the first iteration. Adds a
    /// warning if the results are too long to be compared completely.
    fn similarity(&mut self) -> Option<f64> {
        let Measuring {
            reader,
            out,
            looping,
            ..
        } = &mut self.measuring;
        let last: &Arc<Value> = looping.last()?;
        let measured = similarity(last, &self.evaluated.result);
        if measured.truncated {
            let (frame, slot) = looping.place.at;
            let node = reader.tree.node_at(frame, slot).ok()?;
            let plan = &reader.tree.plan;
            let title = &plan.nodes[node].title;
            let says = format!(
                "Results of \"{title}\" are longer than {COMPARED} characters; only that much is compared."
            );
            out.warn(plan, "similarity_truncated", node, says);
        }
        self.evaluated.similarity = Some(measured.value);
        self.evaluated.similarity
    }

    fn holds(&self, condition: &Condition) -> Result<bool, NodeError> {
        let Measuring {
            reader,
            scope,
            frame,
            ..
        } = &self.measuring;
        let result = &self.evaluated.result;
        reader.condition_holds(*scope, *frame, condition, result)
    }
}
