//! The end of an iteration: its result, whether the exit condition is met, and the record of it.

use std::sync::Arc;

use loopwright_model::regions::Role;
use serde_json::Value;

use super::{
    loop_scope::{Best, Ending},
    state::Evaluated,
};
use crate::{
    exit::ExitReason,
    journal::Fact,
    outcome::NodeError,
    plan::{GraphIx, Repeat, repeat::Take},
    run::{
        Effect, Run,
        arena::{FrameId, ScopeId},
        frame::SlotState,
    },
    status::RunStatus,
};

impl Run {
    /// Ends the first part of an iteration, in which core and leaves ran. In this order: the iteration's result, the values of the
    /// extra outputs, the score, the exit condition, then the end of the loop (condition met, or cap reached) or the tail.
    /// [`Run::next_iteration`] follows the tail.
    pub(super) fn evaluate_exit(&mut self, scope: ScopeId, frame: FrameId) {
        let plan = Arc::clone(&self.plan);
        let Some(looping) = self.running_loop(scope) else {
            return;
        };
        let (at, graph) = (looping.at, looping.graph);
        let (last, before_last, finished) = (
            looping.last.clone(),
            looping.before_last.clone(),
            looping.finished,
        );
        let Some(Repeat::Loop(config)) = &plan.graphs[graph].repeat else {
            return self.impossible("a loop has no settings");
        };
        let node = self.node_at(at.0, at.1);
        let path = self.path(at.0, node);
        let (result, reached_exit) = match self.result(frame, graph) {
            Ok(result) => result,
            Err(error) => return self.loop_failed(scope, error, None),
        };
        let mut evaluated = Evaluated {
            result: Arc::clone(&result),
            reached_exit,
            similarity: None,
            condition: None,
            score: None,
            outputs: Vec::with_capacity(config.outputs.len()),
        };
        for (output, bindings) in config
            .outputs
            .iter()
            .zip(&plan.graphs[graph].output_bindings)
        {
            match self.output_value(frame, scope, &output.from, bindings, &result) {
                Ok(value) => evaluated.outputs.push(value),
                Err(error) => return self.loop_failed(scope, error, None),
            }
        }
        if let Some(expression) = &config.score {
            match self.evaluate(
                frame,
                scope,
                expression,
                &plan.graphs[graph].score_bindings,
                &result,
            ) {
                Ok(score) => evaluated.score = Some(score),
                Err(error) => return self.loop_failed(scope, error, None),
            }
        }
        let count = finished + 1;
        match self.is_exit_met(scope, frame, config, &mut evaluated) {
            Ok(met) => evaluated.condition = met,
            Err(error) => return self.loop_failed(scope, error, None),
        }
        if let Some(result) = evaluated.condition {
            self.record(
                path,
                Some(node),
                Fact::ConditionChecked {
                    index: finished,
                    result,
                },
            );
        }
        if let (Some(last), Some(before_last)) = (&last, &before_last) {
            let swings = result == *before_last && result != *last;
            let first = swings
                && self
                    .loop_scope_mut(scope)
                    .is_some_and(|looping| !std::mem::replace(&mut looping.oscillating, true));
            if first {
                self.warn(
                    "oscillating",
                    node,
                    format!(
                        "\"{}\" swings between two results: iteration {count} gave the same as iteration {}.",
                        plan.nodes[node].title,
                        count - 2
                    ),
                );
            }
        }
        let is_met = evaluated.condition == Some(true);
        if self
            .running_loop(scope)
            .is_some_and(|looping| !looping.state.evaluate(evaluated))
        {
            return self.impossible("an iteration is evaluated twice");
        }
        if is_met {
            self.skip_tail(frame);
            self.count_iteration(scope, frame);
            self.free_frame(frame);
            return self.end_loop(scope, Ending::Met(config.exit.reason()));
        }
        // A condition tested before is read once more after the last allowed iteration, on what its tail made.
        if count >= config.max_iterations && config.condition_before().is_none() {
            self.skip_tail(frame);
            self.count_iteration(scope, frame);
            self.free_frame(frame);
            let ending = match config.exit.is_met_at_cap() {
                true => Ending::Met(ExitReason::MaxIterations),
                false => Ending::Exhausted(ExitReason::MaxIterations),
            };
            return self.end_loop(scope, ending);
        }
        if !self.begin_tail(frame) {
            self.next_iteration(scope, frame);
        }
    }

    /// The iteration's value: at the end, else what the last deciding node held.
    pub(super) fn result(
        &self,
        frame: FrameId,
        graph: GraphIx,
    ) -> Result<(Arc<Value>, bool), NodeError> {
        let planned = &self.plan.graphs[graph];
        if let Some(value) = planned
            .end_wires
            .iter()
            .find_map(|wire| self.wire_value(frame, &wire.source))
        {
            return Ok((value, true));
        }
        let deciding = planned
            .members
            .iter()
            .enumerate()
            .rev()
            .find_map(|(slot, &node)| {
                // A branching leaf decides nothing about the iteration.
                let planned = &self.plan.nodes[node];
                if !planned.branching || planned.role != Role::Core {
                    return None;
                }
                let outcome = self.outcome(frame, slot)?;
                // An inner loop's end that names no branch left by its main output.
                let branch = outcome
                    .branch
                    .as_deref()
                    .or(planned.primary_output.as_deref())?;
                let turned_away = !planned.leads_on.iter().any(|handle| **handle == *branch);
                turned_away.then(|| outcome.handle(branch).cloned())?
            });
        deciding.map(|value| (value, false)).ok_or_else(|| {
            let owner = planned.owner.map_or("the loop", |owner| self.plan.nodes[owner].title.as_str());
            NodeError::new(
                "no_result",
                format!("No value reached the Exit of \"{owner}\" in this iteration, and no Router, Validator, Check or Approval turned it away. Wire a node that always runs to the Exit."),
            )
        })
    }

    /// Writes down a finished iteration.
    pub(super) fn count_iteration(&mut self, scope: ScopeId, frame: FrameId) {
        let plan = Arc::clone(&self.plan);
        let Some(looping) = self.running_loop(scope) else {
            return;
        };
        let Some(evaluated) = looping.state.count() else {
            return self.impossible("an iteration is counted that was not evaluated");
        };
        let at = looping.at;
        let keeps = plan.graphs[looping.graph].keeps_results;
        let returns_best = matches!(&plan.graphs[looping.graph].repeat, Some(Repeat::Loop(config)) if config.returns_best);
        looping.before_last = looping.last.replace(Arc::clone(&evaluated.result));
        looping.finished += 1;
        if keeps {
            looping.results.push(Arc::clone(&evaluated.result));
        }
        if let Some(Repeat::Loop(config)) = &plan.graphs[looping.graph].repeat {
            let values = looping.outputs.iter_mut().zip(evaluated.outputs);
            for ((kept, value), output) in values.zip(&config.outputs) {
                let Some(value) = value else { continue };
                match output.take {
                    Take::All => kept.push(value),
                    Take::First if kept.is_empty() => kept.push(value),
                    Take::First => {}
                    Take::Last => *kept = vec![value],
                }
            }
        }
        let compared = evaluated.score.filter(|_| returns_best);
        if let Some(score) = compared {
            let better = looping
                .best
                .as_ref()
                .is_none_or(|best| (evaluated.reached_exit, score) > (best.reached, best.score));
            if better {
                looping.best = Some(Best {
                    score,
                    reached: evaluated.reached_exit,
                    result: Arc::clone(&evaluated.result),
                });
            }
        }
        let ticket = looping.iteration_timeout.take();
        if let Some(ticket) = ticket {
            self.pending.remove(ticket);
            self.out.push(Effect::Cancel { ticket });
        }
        let node = self.node_at(at.0, at.1);
        let path = self.path(at.0, node);
        let Some(state) = self.frames.get(frame) else {
            return self.impossible("an iteration that is over continues");
        };
        let entry = Fact::IterationCompleted {
            index: state.index,
            result: evaluated.result,
            reached_exit: evaluated.reached_exit,
            similarity: evaluated.similarity,
            condition_result: evaluated.condition,
            score: evaluated.score,
            duration_ms: self.elapsed(state.started_at),
            usage: Box::new(state.usage),
            status: RunStatus::Completed,
        };
        self.record(path, Some(node), entry);
    }

    /// Keeps an iteration's values for templates that read `previous`.
    pub(super) fn remember(&mut self, scope: ScopeId, frame: FrameId, graph: GraphIx) {
        if !self.plan.graphs[graph].reads_previous {
            return;
        }
        let Some(state) = self.frames.get(frame) else {
            return self.impossible("an iteration that is over continues");
        };
        let outcomes = state
            .slots
            .iter()
            .map(|slot| match slot {
                SlotState::Done(outcome) => Some(Arc::clone(outcome)),
                _ => None,
            })
            .collect();
        if let Some(looping) = self.loop_scope_mut(scope) {
            looping.previous = Some(outcomes);
        }
    }
}
