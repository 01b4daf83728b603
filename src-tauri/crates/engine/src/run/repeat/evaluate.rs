//! The end of an iteration: the iteration is evaluated and recorded, and the loop ends or continues.

use std::sync::Arc;

use serde_json::Value;

use super::{
    ending::AfterEvaluation, measure::Measuring, progress::Signal, results::Evaluated, words,
};
use crate::{
    journal::Fact,
    outcome::NodeError,
    plan::Work,
    run::{
        Run,
        arena::{FrameId, ScopeId},
        impossible::Stepped,
        names::Reader,
        nodes::Nodes,
        tree::Tree,
    },
    status::RunStatus,
};

impl Run {
    /// Ends the first part of an iteration, in which the core and the leaves ran. The steps, in order: the iteration's result,
    /// the values of the extra outputs, the score, the exit condition, the progress, and then the end of the loop (condition
    /// met, cap reached, or no progress) or the tail. [`Run::next_iteration`] follows the tail.
    pub(in crate::run) fn evaluate_exit(&mut self, scope: ScopeId, frame: FrameId) -> Stepped {
        let mut evaluated = match self.nodes().evaluate(scope, frame)? {
            Ok(evaluated) => evaluated,
            Err(error) => return self.loop_failed(scope, error, None),
        };
        if let Some(most) = self.tree.looping(scope)?.config.no_progress {
            let signal = self.tree.signal(scope, frame, &evaluated.result)?;
            let looping = self.tree.looping_mut(scope)?;
            evaluated.stuck = looping.progress.add(signal, most);
        }
        let looping = self.tree.looping_mut(scope)?;
        evaluated.state = looping
            .resource
            .as_ref()
            .and_then(|resource| resource.state.clone());
        let (at, index) = (looping.place.at, looping.finished());
        let oscillates = looping.results.oscillates(&evaluated.result);
        let (node, path) = self.tree.locate(at)?;
        if let Some(result) = evaluated.condition {
            let checked = Fact::ConditionChecked { index, result };
            self.out.record(path, Some(node), checked);
        }
        if oscillates {
            let message = format!(
                "\"{}\" swings between two results: iteration {} gave the same as iteration {}.",
                self.tree.plan.nodes[node].title,
                index + 1,
                index - 1
            );
            self.out.warn(&self.tree.plan, "oscillating", node, message);
        }
        match self.tree.looping_mut(scope)?.evaluated(evaluated)? {
            AfterEvaluation::End(ending) => {
                self.nodes().skip_tail(frame)?;
                self.nodes().count_iteration(scope, frame)?;
                self.end_loop(scope, ending)
            }
            AfterEvaluation::Escalate(stuck) => {
                let message = words::escalated(&self.tree.plan.nodes[node].title, stuck);
                self.out.warn(&self.tree.plan, "escalated", node, message);
                self.run_tail(scope, frame)
            }
            AfterEvaluation::Tail => self.run_tail(scope, frame),
        }
    }

    /// Runs the tail of an evaluated iteration. Without a tail, begins the next iteration.
    fn run_tail(&mut self, scope: ScopeId, frame: FrameId) -> Stepped {
        match self.schedule.open_tail(&mut self.tree, frame)? {
            true => Ok(()),
            false => self.next_iteration(scope, frame),
        }
    }
}

impl Tree {
    /// Returns the signal of an iteration that has just run. Comparing signals shows whether the loop makes progress.
    fn signal(&self, scope: ScopeId, frame: FrameId, result: &Arc<Value>) -> Stepped<Signal> {
        let graph = &self.plan.graphs[self.looping(scope)?.place.graph];
        let failures = graph
            .members
            .iter()
            .enumerate()
            .filter_map(|(slot, &node)| {
                let Work::Execute(work) = &self.plan.nodes[node].work else {
                    return None;
                };
                work.failures(self.outcome(frame, slot)?)
            });
        let signal = Signal::new(Arc::clone(result), failures);
        let Some(of) = self.resource_of_scope(scope) else {
            return Ok(signal);
        };
        Ok(match &self.looping(of)?.resource {
            Some(resource) => signal.with_resource(resource.view(), resource.state_names()),
            None => signal,
        })
    }
}

impl Nodes<'_> {
    /// Evaluates an iteration that has just run.
    fn evaluate(
        &mut self,
        scope: ScopeId,
        frame: FrameId,
    ) -> Stepped<Result<Evaluated, NodeError>> {
        // The exit state is taken out of the loop, because the evaluation changes it while reading the loop.
        let mut exit = std::mem::take(&mut self.tree.looping_mut(scope)?.exit);
        let reader = Reader {
            tree: self.tree,
            clock: self.clock,
        };
        let measuring = Measuring {
            reader,
            out: self.out,
            scope,
            frame,
            looping: self.tree.looping(scope)?,
        };
        let evaluated = measuring.evaluate(&mut exit);
        self.tree.looping_mut(scope)?.exit = exit;
        Ok(evaluated)
    }

    /// Records every tail node as skipped, with the cause.
    fn skip_tail(&mut self, frame: FrameId) -> Stepped {
        for (node, cause) in self.tree.skipped_tail(frame)? {
            let path = self.tree.path(frame, node)?;
            let skipped = Fact::NodeSkipped {
                reason: cause.reason().to_owned(),
            };
            self.out.record(path, Some(node), skipped);
        }
        Ok(())
    }

    /// Records a finished iteration and closes its frame.
    pub(super) fn count_iteration(&mut self, scope: ScopeId, frame: FrameId) -> Stepped {
        let looping = self.tree.looping_mut(scope)?;
        let at = looping.place.at;
        let (evaluated, limit) = looping.count()?;
        self.out.cancel(limit);
        let (node, path) = self.tree.locate(at)?;
        let state = self.tree.frame(frame)?;
        let completed = Fact::IterationCompleted {
            index: state.index,
            result: evaluated.result,
            reached_exit: evaluated.reached_exit,
            similarity: evaluated.similarity,
            condition_result: evaluated.condition,
            score: evaluated.score,
            duration_ms: self.clock.elapsed(state.started_at),
            usage: Box::new(state.usage),
            status: RunStatus::Completed,
        };
        self.out.record(path, Some(node), completed);
        self.tree.frames.remove(frame);
        Ok(())
    }
}
