//! The step from one iteration to the next: the feedback becomes the input, variables change, and a pause may follow.

use std::sync::Arc;

use loopwright_model::value::describe;
use serde_json::Value;

use crate::{
    jitter::spread,
    outcome::NodeError,
    plan::repeat::FeedbackMode,
    run::{
        Run,
        arena::{FrameId, ScopeId},
        impossible::Stepped,
        tree::Tree,
    },
};

impl Run {
    /// Ends an iteration after its tail: the feedback becomes the next input, variables change, and the next iteration begins.
    pub(in crate::run) fn next_iteration(&mut self, scope: ScopeId, frame: FrameId) -> Stepped {
        let plan = Arc::clone(&self.tree.plan);
        let looping = self.tree.looping(scope)?;
        let graph = &plan.graphs[looping.place.graph];
        let config = Arc::clone(&looping.config);
        let result = looping.evaluated_result()?;
        let next = match self
            .tree
            .next_input(scope, frame, config.feedback_mode, &result)?
        {
            Ok(next) => next,
            Err(error) => return self.loop_failed(scope, error, None),
        };
        if graph.reads_previous {
            let outcomes = self.tree.frame(frame)?.nodes.outcomes();
            self.tree.looping_mut(scope)?.previous = Some(outcomes);
        }
        let bindings = &graph.next_bindings;
        let vars = self
            .reader()
            .next_vars(frame, scope, &config, bindings, &result);
        let vars = match vars {
            Ok(vars) => vars,
            Err(error) => return self.loop_failed(scope, error, None),
        };
        self.nodes().count_iteration(scope, frame)?;
        let started_at = self.clock.started_at;
        let looping = self.tree.looping_mut(scope)?;
        looping.set_vars(vars);
        let pause = looping.pause_before_next(|finished| {
            let owner = &plan.nodes[graph.owner.unwrap_or(0)];
            spread(&started_at.to_string(), &owner.id, finished)
        });
        match pause {
            None => self.begin_iteration(scope, next),
            Some(pause) => self.pause_loop(scope, pause, next),
        }
    }
}

impl Tree {
    /// Returns the input of the next iteration, according to the loop's feedback mode.
    fn next_input(
        &self,
        scope: ScopeId,
        frame: FrameId,
        mode: FeedbackMode,
        result: &Arc<Value>,
    ) -> Stepped<Result<Arc<Value>, NodeError>> {
        let looping = self.looping(scope)?;
        let graph = looping.place.graph;
        let (feedback, name) = match self.feedback(frame, graph, result) {
            Ok(feedback) => feedback,
            Err(error) => return Ok(Err(error)),
        };
        let input = &self.frame(frame)?.input;
        Ok(match (mode, &**input, &*feedback) {
            (FeedbackMode::Replace, ..) => Ok(feedback),
            (FeedbackMode::Variables, ..) => Ok(Arc::clone(&looping.original)),
            (FeedbackMode::Append, Value::String(before), Value::String(more)) => {
                Ok(Arc::new(Value::String(format!("{before}\n---\n{more}"))))
            }
            (FeedbackMode::Append, before, more) => {
                let (what, value) = if before.is_string() {
                    (&*name, more)
                } else {
                    ("the loop's input", before)
                };
                let owner = self.plan.graphs[graph].owner;
                let title = owner.map_or("", |owner| self.plan.nodes[owner].title.as_str());
                Err(NodeError::new(
                    "feedback_not_text",
                    format!(
                        "\"{title}\" appends its feedback to its input, which takes texts only; {what} gave {}. Send a text, or choose `replace`.",
                        describe(value)
                    ),
                ))
            }
        })
    }
}
