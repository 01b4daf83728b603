//! From one iteration to the next: the feedback becomes the input, variables change, a pause is made.

use std::{borrow::Cow, sync::Arc};

use loopwright_model::value::describe;
use serde_json::Value;

use crate::{
    jitter::spread,
    outcome::NodeError,
    plan::{GraphIx, Repeat, Source, repeat::FeedbackMode},
    run::{
        Pending, Run,
        arena::{FrameId, ScopeId},
    },
};

impl Run {
    /// Ends an iteration after its tail: the feedback becomes the next input, variables change, and the next iteration begins.
    pub(super) fn next_iteration(&mut self, scope: ScopeId, frame: FrameId) {
        let plan = Arc::clone(&self.plan);
        let Some(looping) = self.running_loop(scope) else {
            return;
        };
        let graph = looping.graph;
        let original = Arc::clone(&looping.original);
        let result = looping
            .state
            .evaluated()
            .map(|evaluated| Arc::clone(&evaluated.result));
        let Some(result) = result else {
            return self.impossible("an iteration follows one that was not evaluated");
        };
        let Some(Repeat::Loop(config)) = &plan.graphs[graph].repeat else {
            return self.impossible("a loop has no settings");
        };
        let feedback = match self.feedback(frame, graph, &result) {
            Ok(feedback) => feedback,
            Err(error) => return self.loop_failed(scope, error, None),
        };
        let input = self
            .frames
            .get(frame)
            .map(|state| Arc::clone(&state.input))
            .unwrap_or_default();
        let next = match config.feedback_mode {
            FeedbackMode::Replace => feedback.0,
            FeedbackMode::Variables => original,
            FeedbackMode::Append => match (&*input, &*feedback.0) {
                (Value::String(before), Value::String(more)) => {
                    Arc::new(Value::String(format!("{before}\n---\n{more}")))
                }
                (before, more) => {
                    let (what, value) = if before.is_string() {
                        (feedback.1, more)
                    } else {
                        ("the loop's input".into(), before)
                    };
                    let node = plan.graphs[graph]
                        .owner
                        .map_or("", |owner| plan.nodes[owner].title.as_str());
                    let error = NodeError::new(
                        "feedback_not_text",
                        format!(
                            "\"{node}\" appends its feedback to its input, which takes texts only; {what} gave {}. Send a text, or choose `replace`.",
                            describe(value)
                        ),
                    );
                    return self.loop_failed(scope, error, None);
                }
            },
        };
        self.remember(scope, frame, graph);
        let vars = match self.next_vars(
            frame,
            scope,
            config,
            &plan.graphs[graph].next_bindings,
            &result,
        ) {
            Ok(vars) => vars,
            Err(error) => return self.loop_failed(scope, error, None),
        };
        self.count_iteration(scope, frame);
        self.free_frame(frame);
        let finished = self
            .loop_scope_mut(scope)
            .map_or(0, |looping| looping.finished);
        // After the last allowed iteration only the condition is read once more; there is no iteration to wait for.
        let pause = config
            .delay
            .as_ref()
            .filter(|_| finished < config.max_iterations)
            .map(|delay| {
                let looping = self.started_at.to_string();
                delay.after(
                    finished,
                    spread(
                        &looping,
                        &plan.nodes[plan.graphs[graph].owner.unwrap_or(0)].id,
                        finished,
                    ),
                )
            });
        let Some(looping) = self.running_loop(scope) else {
            return;
        };
        looping.set_vars(config, vars);
        match pause.filter(|&pause| pause > 0) {
            None => self.begin_iteration(scope, next),
            Some(pause) => {
                let timer = self.timer(Pending::Delay { scope }, pause);
                self.pause_loop(scope, timer, next);
            }
        }
    }

    pub(in crate::run) fn after_delay(&mut self, scope: ScopeId) {
        let Some(looping) = self.running_loop(scope) else {
            return;
        };
        match looping.state.awake() {
            Some(input) => self.begin_iteration(scope, input),
            None => self.impossible("a pause ends that was not begun"),
        }
    }

    /// The value at `feedback`; else the dangling tail's; else the result. With the name of who gave it.
    pub(super) fn feedback(
        &self,
        frame: FrameId,
        graph: GraphIx,
        result: &Arc<Value>,
    ) -> Result<(Arc<Value>, Cow<'static, str>), NodeError> {
        let planned = &self.plan.graphs[graph];
        let mut live: Vec<(Arc<Value>, Cow<'static, str>)> = Vec::new();
        if planned.feedback_wires.is_empty() {
            for &slot in &planned.dangling {
                if let Some(outcome) = self.outcome(frame, slot) {
                    let node = &self.plan.nodes[planned.members[slot]];
                    live.push((
                        Arc::clone(&outcome.value),
                        format!("\"{}\"", node.title).into(),
                    ));
                }
            }
        } else {
            for wire in &planned.feedback_wires {
                if let Some(value) = self.wire_value(frame, &wire.source) {
                    let name = match &wire.source {
                        Source::Local { slot, .. } => {
                            self.plan.nodes[planned.members[*slot]].title.clone()
                        }
                        _ => "a node outside".to_owned(),
                    };
                    live.push((value, format!("\"{name}\"").into()));
                }
            }
        }
        if live.len() > 1 {
            let names: Vec<_> = live.iter().map(|(_, name)| &**name).collect();
            let owner = planned
                .owner
                .map_or("", |owner| self.plan.nodes[owner].title.as_str());
            return Err(NodeError::new(
                "several_feedbacks",
                format!(
                    "\"{owner}\" got feedback from {} in one iteration. Only one may be live: join them in a Transform.",
                    names.join(" and ")
                ),
            ));
        }
        Ok(live
            .pop()
            .unwrap_or_else(|| (Arc::clone(result), "the result".into())))
    }
}
