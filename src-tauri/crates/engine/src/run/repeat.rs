//! Loops: one iteration after the other, until the exit condition is met, the loop is exhausted, or something fails.

use std::sync::Arc;

use loopwright_model::{
    Shape,
    regions::Role,
    value::{describe, to_text},
};
use serde_json::{Map, Value};

use super::{
    Pending, Run, Scope, Ticket,
    frame::{FrameIx, SlotState},
};
use crate::{
    event::{ExitReason, RunStatus},
    jitter::spread,
    journal::{Entry, ScopeEnd},
    outcome::{NodeError, Outcome, Usage},
    plan::{
        GraphIx, LoopPlan, Repeat, Slot,
        repeat::{ExitCondition, FeedbackMode, Take},
    },
    similarity::similarity,
};

/// What a loop knows between iterations.
pub(super) struct LoopRun {
    /// Where the start stands.
    pub(super) at: (FrameIx, Slot),
    graph: GraphIx,
    /// The end's slot, in the start's graph.
    end: Slot,
    original: Arc<Value>,
    pub(super) started_at: i64,
    /// As `started_at`, by the clock.
    pub(super) began_at: i64,
    /// Iterations that finished.
    pub(super) finished: u32,
    /// The iteration under way.
    pub(super) frame: Option<FrameIx>,
    /// Of the pass just judged, until its tail is done.
    judged: Option<Judged>,
    /// The input of the iteration that waits for its delay.
    next_input: Option<Arc<Value>>,
    pub(super) last: Option<Arc<Value>>,
    before_last: Option<Arc<Value>>,
    pub(super) vars: Map<String, Value>,
    /// The iteration before's values by slot, where a template reads `previous`.
    pub(super) previous: Option<Vec<Option<Arc<Outcome>>>>,
    stable_for: u32,
    best: Option<Best>,
    /// Every result, where `iterations` is wired or read.
    results: Vec<Arc<Value>>,
    /// By extra output: the values to give.
    outputs: Vec<Vec<Value>>,
    /// It was said already that the results swing.
    oscillating: bool,
    pub(super) usage: Usage,
    timeout: Option<Ticket>,
    iteration_timeout: Option<Ticket>,
    delay: Option<Ticket>,
}

struct Best {
    score: f64,
    reached: bool,
    result: Arc<Value>,
}

/// An iteration's verdict.
#[derive(Clone)]
struct Judged {
    result: Arc<Value>,
    reached_exit: bool,
    similarity: Option<f64>,
    condition: Option<bool>,
    score: Option<f64>,
    outputs: Vec<Option<Value>>,
}

/// Why a loop ends.
enum Ending {
    Met(ExitReason),
    Exhausted(ExitReason),
}

impl LoopRun {
    pub(super) fn tickets(&self) -> Vec<Ticket> {
        [self.timeout, self.iteration_timeout, self.delay]
            .into_iter()
            .flatten()
            .collect()
    }
}

impl Run {
    pub(super) fn start_scope(
        &mut self,
        frame: FrameIx,
        slot: Slot,
        graph: GraphIx,
        end: usize,
        input: Arc<Value>,
        inputs: Vec<(String, Arc<Value>)>,
    ) {
        let plan = Arc::clone(&self.plan);
        let node = self.node_at(frame, slot);
        let path = self.path(frame, node);
        let end = plan.nodes[end].slot;
        let max_iterations = match &plan.graphs[graph].repeat {
            Some(Repeat::Loop(config)) => Some(config.max_iterations),
            _ => None,
        };
        self.record(
            path,
            Some(node),
            self.started(node, &inputs, max_iterations),
        );
        match &plan.graphs[graph].repeat {
            Some(Repeat::Loop(config)) => self.start_loop(frame, slot, graph, end, input, config),
            Some(Repeat::Each(_)) => self.start_each(frame, slot, graph, end, &input),
            None => {}
        }
    }

    fn start_loop(
        &mut self,
        frame: FrameIx,
        slot: Slot,
        graph: GraphIx,
        end: Slot,
        input: Arc<Value>,
        config: &LoopPlan,
    ) {
        let node = self.node_at(frame, slot);
        let run = LoopRun {
            at: (frame, slot),
            graph,
            end,
            original: Arc::clone(&input),
            started_at: self.now,
            began_at: self.now + self.stood_still,
            finished: 0,
            frame: None,
            judged: None,
            next_input: None,
            last: None,
            before_last: None,
            vars: Map::new(),
            previous: None,
            stable_for: 0,
            best: None,
            results: Vec::new(),
            outputs: vec![Vec::new(); config.outputs.len()],
            oscillating: false,
            usage: Usage::default(),
            timeout: None,
            iteration_timeout: None,
            delay: None,
        };
        let scope = self.add_scope(Scope::Loop(run));
        if let Some(after) = config.timeout_ms {
            let ticket = self.timer(Pending::LoopTimeout { scope }, after);
            if let Some(run) = self.looped(scope) {
                run.timeout = Some(ticket);
            }
        }
        if let Some(requested) = config.clamped_from {
            self.warn(
                "max_iterations_clamped",
                node,
                if requested == 0 {
                    format!("Max iterations of “{}” is 0; a loop runs at least once.", self.plan.nodes[node].title)
                } else {
                    format!(
                        "Max iterations of “{}” is {requested}; this workflow allows {}. Raise `maxIterationsCeiling` in Workflow settings.",
                        self.plan.nodes[node].title, config.max_iterations
                    )
                },
            );
        }
        self.set_slot(frame, slot, SlotState::Scope(scope));
        self.begin_iteration(scope, input);
    }

    fn looped(&mut self, scope: usize) -> Option<&mut LoopRun> {
        match self.scopes.get_mut(scope)?.as_mut()? {
            Scope::Loop(run) => Some(run),
            Scope::Each(_) => None,
        }
    }

    fn begin_iteration(&mut self, scope: usize, input: Arc<Value>) {
        let plan = Arc::clone(&self.plan);
        let Some(run) = self.looped(scope) else {
            return;
        };
        let (at, graph, index) = (run.at, run.graph, run.finished);
        let Some(Repeat::Loop(config)) = &plan.graphs[graph].repeat else {
            return;
        };
        let node = self.node_at(at.0, at.1);
        let path = self.path(at.0, node);
        let prefix = format!("{path}[{}]/", index + 1);
        let frame = self.open_frame(
            graph,
            Some((at.0, at.1, scope)),
            prefix,
            Arc::clone(&input),
            index,
        );
        if let Some(run) = self.looped(scope) {
            run.frame = Some(frame);
        }
        if index == 0 {
            match self.first_vars(frame, config) {
                Ok(vars) => {
                    if let Some(run) = self.looped(scope) {
                        run.vars = vars;
                    }
                }
                Err(error) => return self.not_begun(scope, frame, error),
            }
        }
        // What is tested before an iteration reads the coming input; the iteration does not count when it is met.
        if let Some(condition) = config
            .condition
            .as_ref()
            .filter(|condition| condition.before)
        {
            let met = match self.test(
                frame,
                scope,
                &condition.expression,
                &plan.graphs[graph].condition_bindings,
                &input,
            ) {
                Ok(value) => value == condition.met_when,
                Err(error) => return self.not_begun(scope, frame, error),
            };
            self.record(
                path.clone(),
                Some(node),
                Entry::ConditionChecked { index, result: met },
            );
            if met {
                return self.end_loop(scope, Ending::Met(ExitReason::ConditionMet));
            }
        }
        if index >= config.max_iterations {
            return self.end_loop(scope, Ending::Exhausted(ExitReason::MaxIterations));
        }
        self.record(
            path,
            Some(node),
            Entry::IterationStarted {
                index,
                total: Some(config.max_iterations),
                input,
            },
        );
        if let Some(after) = config.iteration_timeout_ms {
            let ticket = self.timer(Pending::IterationTimeout { scope, index }, after);
            if let Some(run) = self.looped(scope) {
                run.iteration_timeout = Some(ticket);
            }
        }
        self.begin_frame(frame);
    }

    /// Something before an iteration failed, so that it never began.
    fn not_begun(&mut self, scope: usize, frame: FrameIx, error: NodeError) {
        self.free_frame(frame);
        if let Some(run) = self.looped(scope) {
            run.frame = None;
        }
        self.loop_failed(scope, error, None);
    }

    /// Core and leaves, or the tail, are settled.
    pub(super) fn loop_frame_done(&mut self, scope: usize, frame: FrameIx) {
        let in_tail = self.frames[frame]
            .as_ref()
            .is_some_and(|state| state.in_tail);
        if in_tail {
            self.next_iteration(scope, frame);
        } else {
            self.judge(scope, frame);
        }
    }

    /// Steps 3 to 7 of an iteration: result, condition, exit or the tail.
    fn judge(&mut self, scope: usize, frame: FrameIx) {
        let plan = Arc::clone(&self.plan);
        let Some(run) = self.looped(scope) else {
            return;
        };
        let (at, graph) = (run.at, run.graph);
        let (last, before_last, finished) =
            (run.last.clone(), run.before_last.clone(), run.finished);
        let Some(Repeat::Loop(config)) = &plan.graphs[graph].repeat else {
            return;
        };
        let node = self.node_at(at.0, at.1);
        let path = self.path(at.0, node);
        let (result, reached_exit) = match self.result(frame, graph) {
            Ok(result) => result,
            Err(error) => return self.loop_failed(scope, error, None),
        };
        let mut judged = Judged {
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
                Ok(value) => judged.outputs.push(value),
                Err(error) => return self.loop_failed(scope, error, None),
            }
        }
        if let Some(expression) = &config.best_score {
            match self.evaluate(
                frame,
                scope,
                expression,
                &plan.graphs[graph].score_bindings,
                &result,
            ) {
                Ok(score) => judged.score = Some(score),
                Err(error) => return self.loop_failed(scope, error, None),
            }
        }
        let count = finished + 1;
        let mut met = None;
        match config.exit_condition {
            ExitCondition::MaxIterations => {}
            ExitCondition::Evaluator => {
                judged.condition = Some(reached_exit && count >= config.min_iterations);
                met = Some(ExitReason::EvaluatorDone);
            }
            ExitCondition::StableOutput => {
                let mut stable = false;
                if let Some(last) = &last {
                    let measured = similarity(last, &result);
                    judged.similarity = Some(measured.value);
                    stable = measured.value >= config.threshold;
                    if measured.truncated {
                        self.warn(
                            "similarity_truncated",
                            node,
                            format!(
                                "Results of “{}” are longer than {} characters; only that much is compared.",
                                plan.nodes[node].title,
                                crate::similarity::COMPARED
                            ),
                        );
                    }
                }
                let stable_for = self.looped(scope).map_or(0, |run| {
                    run.stable_for = if stable { run.stable_for + 1 } else { 0 };
                    run.stable_for
                });
                judged.condition =
                    Some(stable_for >= config.patience && count >= config.min_iterations);
                met = Some(ExitReason::StableOutput);
            }
            ExitCondition::Condition => {
                met = Some(ExitReason::ConditionMet);
                if let Some(condition) = config
                    .condition
                    .as_ref()
                    .filter(|condition| !condition.before)
                {
                    match self.test(
                        frame,
                        scope,
                        &condition.expression,
                        &plan.graphs[graph].condition_bindings,
                        &result,
                    ) {
                        Ok(value) => {
                            judged.condition =
                                Some(value == condition.met_when && count >= config.min_iterations);
                        }
                        Err(error) => return self.loop_failed(scope, error, None),
                    }
                }
            }
        }
        if let Some(result) = judged.condition {
            self.record(
                path,
                Some(node),
                Entry::ConditionChecked {
                    index: finished,
                    result,
                },
            );
        }
        if let (Some(last), Some(before_last)) = (&last, &before_last) {
            let swings = result == *before_last && result != *last;
            let first = swings
                && self
                    .looped(scope)
                    .is_some_and(|run| !std::mem::replace(&mut run.oscillating, true));
            if first {
                self.warn(
                    "oscillating",
                    node,
                    format!(
                        "“{}” swings between two results: iteration {count} gave the same as iteration {}.",
                        plan.nodes[node].title,
                        count - 2
                    ),
                );
            }
        }
        let is_met = judged.condition == Some(true);
        let tested_before = config
            .condition
            .as_ref()
            .is_some_and(|condition| condition.before);
        if let Some(run) = self.looped(scope) {
            run.judged = Some(judged);
        }
        if let (true, Some(reason)) = (is_met, met) {
            self.skip_tail(frame);
            self.count_iteration(scope, frame);
            return self.end_loop(scope, Ending::Met(reason));
        }
        // A condition tested before is read once more after the last allowed pass, on what its tail made.
        if count >= config.max_iterations && !tested_before {
            self.skip_tail(frame);
            self.count_iteration(scope, frame);
            let ending = match config.exit_condition {
                ExitCondition::MaxIterations => Ending::Met(ExitReason::MaxIterations),
                _ => Ending::Exhausted(ExitReason::MaxIterations),
            };
            return self.end_loop(scope, ending);
        }
        if !self.begin_tail(frame) {
            self.next_iteration(scope, frame);
        }
    }

    /// The iteration's value: at the end, else what the last deciding node held.
    fn result(&self, frame: FrameIx, graph: GraphIx) -> Result<(Arc<Value>, bool), NodeError> {
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
                if planned.shape != Shape::Branching || planned.role != Role::Core {
                    return None;
                }
                let outcome = self.outcome(frame, slot)?;
                let branch = outcome.branch.as_deref()?;
                let turned_away = !self.plan.nodes[node]
                    .leads_on
                    .iter()
                    .any(|handle| **handle == *branch);
                turned_away.then(|| outcome.handle(branch).cloned())?
            });
        deciding.map(|value| (value, false)).ok_or_else(|| {
            let owner = planned.owner.map_or("the loop", |owner| self.plan.nodes[owner].title.as_str());
            NodeError::new(
                "no_result",
                format!("No value reached the Exit of “{owner}” in this iteration, and no Router, Validator or Approval turned it away. Wire a node that always runs to the Exit."),
            )
        })
    }

    /// Writes down a finished iteration.
    fn count_iteration(&mut self, scope: usize, frame: FrameIx) {
        let plan = Arc::clone(&self.plan);
        let Some(run) = self.looped(scope) else {
            return;
        };
        let Some(judged) = run.judged.take() else {
            return;
        };
        let at = run.at;
        let keeps = plan.graphs[run.graph].keeps_results;
        run.before_last = run.last.replace(Arc::clone(&judged.result));
        run.finished += 1;
        if keeps {
            run.results.push(Arc::clone(&judged.result));
        }
        if let Some(Repeat::Loop(config)) = &plan.graphs[run.graph].repeat {
            let values = run.outputs.iter_mut().zip(judged.outputs);
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
        if let Some(score) = judged.score {
            let better = run
                .best
                .as_ref()
                .is_none_or(|best| (judged.reached_exit, score) > (best.reached, best.score));
            if better {
                run.best = Some(Best {
                    score,
                    reached: judged.reached_exit,
                    result: Arc::clone(&judged.result),
                });
            }
        }
        let ticket = run.iteration_timeout.take();
        if let Some(ticket) = ticket {
            self.pending.remove(&ticket);
            self.out.push(super::Effect::Cancel { ticket });
        }
        let node = self.node_at(at.0, at.1);
        let path = self.path(at.0, node);
        let Some(state) = self.frames[frame].as_ref() else {
            return;
        };
        let entry = Entry::IterationCompleted {
            index: state.index,
            result: judged.result,
            reached_exit: judged.reached_exit,
            similarity: judged.similarity,
            condition_result: judged.condition,
            score: judged.score,
            duration_ms: self.elapsed(state.started_at),
            usage: state.usage,
            status: RunStatus::Completed,
        };
        self.record(path, Some(node), entry);
    }

    /// Keeps a pass's values for templates that read `previous`.
    fn remember(&mut self, scope: usize, frame: FrameIx, graph: GraphIx) {
        if !self.plan.graphs[graph].reads_previous {
            return;
        }
        let Some(state) = self.frames[frame].as_ref() else {
            return;
        };
        let outcomes = state
            .slots
            .iter()
            .map(|slot| match slot {
                SlotState::Done(outcome) => Some(Arc::clone(outcome)),
                _ => None,
            })
            .collect();
        if let Some(run) = self.looped(scope) {
            run.previous = Some(outcomes);
        }
    }

    /// Step 8: the feedback becomes the next input.
    fn next_iteration(&mut self, scope: usize, frame: FrameIx) {
        let plan = Arc::clone(&self.plan);
        let Some(run) = self.looped(scope) else {
            return;
        };
        let graph = run.graph;
        let original = Arc::clone(&run.original);
        let result = run
            .judged
            .as_ref()
            .map(|judged| Arc::clone(&judged.result))
            .unwrap_or_default();
        let Some(Repeat::Loop(config)) = &plan.graphs[graph].repeat else {
            return;
        };
        let feedback = match self.feedback(frame, graph, &result) {
            Ok(feedback) => feedback,
            Err(error) => return self.loop_failed(scope, error, None),
        };
        let input = self.frames[frame]
            .as_ref()
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
                        ("the loop's input".to_owned(), before)
                    };
                    let node = plan.graphs[graph]
                        .owner
                        .map_or("", |owner| plan.nodes[owner].title.as_str());
                    let error = NodeError::new(
                        "feedback_not_text",
                        format!(
                            "“{node}” appends its feedback to its input, which takes texts only; {what} gave {}. Send a text, or choose `replace`.",
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
        let finished = self.looped(scope).map_or(0, |run| run.finished);
        // Behind the last allowed pass only the condition is read once more; there is no iteration to wait for.
        let pause = config
            .delay
            .as_ref()
            .filter(|_| finished < config.max_iterations)
            .map(|delay| {
                let run = self.started_at.to_string();
                delay.after(
                    finished,
                    spread(
                        &run,
                        &plan.nodes[plan.graphs[graph].owner.unwrap_or(0)].id,
                        finished,
                    ),
                )
            });
        let Some(run) = self.looped(scope) else {
            return;
        };
        run.frame = None;
        run.vars = vars;
        match pause.filter(|&pause| pause > 0) {
            None => self.begin_iteration(scope, next),
            Some(pause) => {
                run.next_input = Some(next);
                let ticket = self.timer(Pending::Delay { scope }, pause);
                if let Some(run) = self.looped(scope) {
                    run.delay = Some(ticket);
                }
            }
        }
    }

    pub(super) fn after_delay(&mut self, scope: usize) {
        let Some(run) = self.looped(scope) else {
            return;
        };
        run.delay = None;
        if let Some(input) = run.next_input.take() {
            self.begin_iteration(scope, input);
        }
    }

    /// The value at `feedback`; else the dangling tail's; else the result. With the name of who gave it.
    fn feedback(
        &self,
        frame: FrameIx,
        graph: GraphIx,
        result: &Arc<Value>,
    ) -> Result<(Arc<Value>, String), NodeError> {
        let planned = &self.plan.graphs[graph];
        let mut live: Vec<(Arc<Value>, String)> = Vec::new();
        if planned.feedback_wires.is_empty() {
            for &slot in &planned.dangling {
                if let Some(outcome) = self.outcome(frame, slot) {
                    let node = &self.plan.nodes[planned.members[slot]];
                    live.push((Arc::clone(&outcome.value), format!("“{}”", node.title)));
                }
            }
        } else {
            for wire in &planned.feedback_wires {
                if let Some(value) = self.wire_value(frame, &wire.source) {
                    let name = match &wire.source {
                        crate::plan::Source::Local { slot, .. } => {
                            self.plan.nodes[planned.members[*slot]].title.clone()
                        }
                        _ => "a node outside".to_owned(),
                    };
                    live.push((value, format!("“{name}”")));
                }
            }
        }
        if live.len() > 1 {
            let names: Vec<_> = live.iter().map(|(_, name)| name.as_str()).collect();
            let owner = planned
                .owner
                .map_or("", |owner| self.plan.nodes[owner].title.as_str());
            return Err(NodeError::new(
                "several_feedbacks",
                format!(
                    "“{owner}” got feedback from {} in one iteration. Only one may be live: join them in a Transform.",
                    names.join(" and ")
                ),
            ));
        }
        Ok(live
            .pop()
            .unwrap_or_else(|| (Arc::clone(result), "the result".to_owned())))
    }

    /// A limit of time passed.
    pub(super) fn loop_timed_out(&mut self, scope: usize, index: Option<u32>) {
        let Some(run) = self.looped(scope) else {
            return;
        };
        if index.is_some_and(|index| index != run.finished) {
            return;
        }
        self.end_loop(scope, Ending::Exhausted(ExitReason::Timeout));
    }

    /// A node of an iteration failed.
    pub(super) fn scope_frame_failed(
        &mut self,
        scope: usize,
        frame: FrameIx,
        error: NodeError,
        node: usize,
    ) {
        match self.scopes.get(scope) {
            Some(Some(Scope::Loop(_))) => self.loop_failed(scope, error, Some(node)),
            Some(Some(Scope::Each(_))) => self.item_failed(scope, frame, error, node),
            _ => {}
        }
    }

    /// The iteration under way failed: the loop ends.
    fn loop_failed(&mut self, scope: usize, error: NodeError, node: Option<usize>) {
        let plan = Arc::clone(&self.plan);
        let Some(run) = self.looped(scope) else {
            return;
        };
        let (at, graph, started, finished, frame) = (
            run.at,
            run.graph,
            run.started_at,
            run.finished,
            run.frame.take(),
        );
        let tickets = run.tickets();
        let Some(Repeat::Loop(config)) = &plan.graphs[graph].repeat else {
            return;
        };
        let start = self.node_at(at.0, at.1);
        let path = self.path(at.0, start);
        if let Some(frame) = frame {
            let cancelled = NodeError::new(
                "cancelled",
                "Stopped because another node of the iteration failed.",
            );
            self.cut_iteration(frame, &path, start, ExitReason::Error, &cancelled);
        }
        self.cancel_tickets(tickets);
        if config.return_on_error && finished > 0 {
            self.warn(
                "iteration_failed",
                start,
                format!(
                    "Iteration {} of “{}” failed ({error}). The result of iteration {finished} is used.",
                    finished + 1,
                    plan.nodes[start].title
                ),
            );
            return self.close_loop(scope, ExitReason::Error, false);
        }
        self.scopes[scope] = None;
        let duration_ms = self.elapsed(started);
        self.record(
            path,
            Some(start),
            Entry::NodeFailed {
                error: error.clone(),
                duration_ms,
                scope: Some(ScopeEnd {
                    iterations: finished,
                    exit_reason: ExitReason::Error,
                    exhausted: false,
                }),
            },
        );
        self.set_slot(at.0, at.1, SlotState::Skipped);
        self.fail_frame(at.0, error, node.unwrap_or(start));
    }

    /// The loop is over, met or exhausted.
    fn end_loop(&mut self, scope: usize, ending: Ending) {
        let plan = Arc::clone(&self.plan);
        let Some(run) = self.looped(scope) else {
            return;
        };
        let (at, graph, frame, finished) = (run.at, run.graph, run.frame.take(), run.finished);
        let tickets = run.tickets();
        let original = Arc::clone(&run.original);
        let Some(Repeat::Loop(config)) = &plan.graphs[graph].repeat else {
            return;
        };
        let start = self.node_at(at.0, at.1);
        let path = self.path(at.0, start);
        if let Some(frame) = frame {
            let index = self.frames[frame].as_ref().map_or(0, |state| state.index);
            let (reason, started) = match &ending {
                Ending::Met(reason) | Ending::Exhausted(reason) => (*reason, index >= finished),
            };
            if started && reason == ExitReason::Timeout {
                // Cut off in mid-iteration.
                let cancelled = NodeError::new("cancelled", "Stopped by a time limit of the loop.");
                self.cut_iteration(frame, &path, start, reason, &cancelled);
            } else {
                self.free_frame(frame);
            }
        }
        self.cancel_tickets(tickets);
        let (reason, exhausted) = match ending {
            Ending::Met(reason) => (reason, false),
            Ending::Exhausted(reason) => (reason, true),
        };
        if exhausted {
            let why = match reason {
                ExitReason::Timeout => "its time limit",
                ExitReason::BudgetExceeded => "its budget",
                _ => "its cap",
            };
            let title = &plan.nodes[start].title;
            if finished == 0 {
                let code = match reason {
                    ExitReason::Timeout => "timeout",
                    ExitReason::BudgetExceeded => "budget_exceeded",
                    _ => "no_result",
                };
                let error = NodeError::new(
                    code,
                    format!("“{title}” reached {why} before one iteration was finished."),
                );
                return self.loop_over_with_error(scope, error, reason);
            }
            if config.fail_on_limit {
                let code = match reason {
                    ExitReason::MaxIterations => "max_iterations",
                    ExitReason::Timeout => "timeout",
                    _ => "budget_exceeded",
                };
                let error = NodeError::new(
                    code,
                    format!(
                        "“{title}” reached {why} after {} without its exit condition being met.",
                        iterations(finished)
                    ),
                );
                return self.loop_over_with_error(scope, error, reason);
            }
            self.warn(
                "loop_exhausted",
                start,
                format!(
                    "“{title}” reached {why} after {} without its exit condition being met. Its result is the {} one.",
                    iterations(finished),
                    if config.best_score.is_some() { "best" } else { "last" }
                ),
            );
        }
        if finished == 0
            && let Some(run) = self.looped(scope)
        {
            run.last = Some(original);
        }
        self.close_loop(scope, reason, exhausted);
    }

    fn loop_over_with_error(&mut self, scope: usize, error: NodeError, reason: ExitReason) {
        let Some(run) = self.looped(scope) else {
            return;
        };
        let (at, started, finished) = (run.at, run.started_at, run.finished);
        self.scopes[scope] = None;
        let start = self.node_at(at.0, at.1);
        let path = self.path(at.0, start);
        let duration_ms = self.elapsed(started);
        self.record(
            path,
            Some(start),
            Entry::NodeFailed {
                error: error.clone(),
                duration_ms,
                scope: Some(ScopeEnd {
                    iterations: finished,
                    exit_reason: reason,
                    exhausted: true,
                }),
            },
        );
        self.set_slot(at.0, at.1, SlotState::Skipped);
        self.fail_frame(at.0, error, start);
    }

    /// Settles the start and the end with the loop's result.
    fn close_loop(&mut self, scope: usize, reason: ExitReason, exhausted: bool) {
        let plan = Arc::clone(&self.plan);
        let Some(Scope::Loop(run)) = self.scopes[scope].take() else {
            return;
        };
        let (frame, slot) = run.at;
        let start = self.node_at(frame, slot);
        let value = match run.best {
            Some(best) => best.result,
            None => run.last.unwrap_or_default(),
        };
        let graph = &plan.graphs[run.graph];
        let mut outcome = Outcome::single("output", Arc::clone(&value))
            .with("count", Value::from(run.finished))
            .with(
                "exitReason",
                serde_json::to_value(reason).unwrap_or_default(),
            );
        if graph.keeps_results {
            let list: Vec<Value> = run.results.iter().map(|value| (**value).clone()).collect();
            outcome = outcome.with("iterations", Value::Array(list));
        }
        if let Some(Repeat::Loop(config)) = &graph.repeat {
            for (output, mut values) in config.outputs.iter().zip(run.outputs) {
                let value = match output.take {
                    Take::All => Value::Array(values),
                    Take::First | Take::Last => values.pop().unwrap_or_default(),
                };
                outcome = outcome.with(&output.name, value);
            }
        }
        let path = self.path(frame, start);
        let duration_ms = self.elapsed(run.started_at);
        self.record(
            path,
            Some(start),
            Entry::NodeCompleted {
                outcome: Outcome {
                    usage: run.usage,
                    ..outcome.clone()
                },
                duration_ms,
                scope: Some(ScopeEnd {
                    iterations: run.finished,
                    exit_reason: reason,
                    exhausted,
                }),
            },
        );
        let end_outcome = if exhausted && graph.exhausted_wired {
            Outcome::branch("exhausted", Arc::clone(&value), value)
        } else {
            Outcome::single("output", value)
        };
        let end_node = self.node_at(frame, run.end);
        let end_path = self.path(frame, end_node);
        self.record(
            end_path,
            Some(end_node),
            self.started(
                end_node,
                &[("input".to_owned(), Arc::clone(&end_outcome.value))],
                None,
            ),
        );
        self.done(frame, run.end, self.now, end_outcome);
        self.settle(frame, slot, SlotState::Done(Arc::new(outcome)));
    }

    fn cancel_tickets(&mut self, tickets: Vec<Ticket>) {
        for ticket in tickets {
            self.pending.remove(&ticket);
            self.out.push(super::Effect::Cancel { ticket });
        }
    }
}

fn iterations(count: u32) -> String {
    if count == 1 {
        "1 iteration".to_owned()
    } else {
        format!("{count} iterations")
    }
}

/// A number out of an expression's value.
pub(super) fn as_score(value: &Value) -> Result<f64, NodeError> {
    value
        .as_f64()
        .or_else(|| to_text(value).trim().parse().ok())
        .filter(|score: &f64| score.is_finite())
        .ok_or_else(|| {
            NodeError::new(
                "score_not_a_number",
                format!("The score must be a number and is {}.", describe(value)),
            )
        })
}
