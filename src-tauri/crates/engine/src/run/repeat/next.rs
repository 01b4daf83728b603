//! The step from one iteration to the next: the feedback becomes the input, variables change, and a pause may follow.

use std::sync::Arc;

use loopwright_model::value::describe;
use serde_json::Value;

use super::appended::SEPARATOR;
use crate::{
    jitter::spread,
    outcome::NodeError,
    plan::{GraphIx, LoopConfig, repeat::FeedbackMode},
    run::{
        Run,
        arena::{FrameId, ScopeId},
        impossible::Stepped,
        nodes::Nodes,
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
        let next = match self.nodes().next_input(scope, frame, &config, &result)? {
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
            Some(pause) => self.nodes().pause_loop(scope, pause, next),
        }
    }
}

impl Nodes<'_> {
    /// Returns the input of the next iteration, according to the loop's feedback mode.
    fn next_input(
        &mut self,
        scope: ScopeId,
        frame: FrameId,
        config: &LoopConfig,
        result: &Arc<Value>,
    ) -> Stepped<Result<Arc<Value>, NodeError>> {
        let looping = self.tree.looping(scope)?;
        let graph = looping.place.graph;
        let (feedback, name) = match self.tree.feedback(frame, graph, result) {
            Ok(feedback) => feedback,
            Err(error) => return Ok(Err(error)),
        };
        match config.feedback_mode {
            FeedbackMode::Replace => return Ok(Ok(feedback)),
            FeedbackMode::Variables => return Ok(Ok(Arc::clone(&looping.original))),
            FeedbackMode::Append => {}
        }
        let input = Arc::clone(&self.tree.frame(frame)?.input);
        let (Value::String(before), Value::String(more)) = (&*input, &*feedback) else {
            let (what, value) = match input.is_string() {
                true => (&*name, &feedback),
                false => ("the loop's input", &input),
            };
            return Ok(Err(self.not_text(graph, what, value)));
        };
        let Some(keep) = &config.keep else {
            return Ok(Ok(Arc::new(format!("{before}{SEPARATOR}{more}").into())));
        };
        let bindings = &self.tree.plan.graphs[graph].summary_bindings;
        let summary = keep.summary.as_ref().map(|summary| {
            self.reader()
                .loop_value("summary", frame, scope, summary, bindings, result)
        });
        let summary = match summary.transpose() {
            Ok(summary) => summary.flatten(),
            Err(error) => return Ok(Err(error)),
        };
        let summary = match &summary {
            None => None,
            Some(Value::String(summary)) => Some(summary.as_str()),
            Some(other) => return Ok(Err(self.not_text(graph, "the summary", other))),
        };
        let appended = &mut self.tree.looping_mut(scope)?.appended;
        Ok(Ok(Arc::new(
            appended.add(before, more, keep, summary).into(),
        )))
    }

    /// Returns the error of a loop that appends, for a value that is not text.
    fn not_text(&self, graph: GraphIx, what: &str, value: &Value) -> NodeError {
        let owner = self.tree.plan.graphs[graph].owner;
        let title = owner.map_or("", |owner| self.tree.plan.nodes[owner].title.as_str());
        NodeError::new(
            "feedback_not_text",
            format!(
                "\"{title}\" appends its feedback to its input, which takes texts only; {what} gave {}. Send a text, or choose `replace`.",
                describe(value)
            ),
        )
    }
}
