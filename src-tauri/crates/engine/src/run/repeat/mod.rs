//! Loops: one iteration after the other, until the exit condition is met, the loop is exhausted, or something fails.

mod end;
mod evaluate;
pub(super) mod loop_scope;
mod measure;
mod next;
mod state;

use std::{collections::HashMap, sync::Arc};

use serde_json::{Map, Value};

use super::{
    Pending, Run, Scope, Ticket,
    arena::{FrameId, ScopeId},
    frame::SlotState,
};
use crate::{
    budget::BudgetLedger,
    exit::{ExitReason, ExitState},
    journal::Fact,
    kind::Inputs,
    outcome::{NodeError, Usage},
    plan::{GraphIx, LoopConfig, Repeat, Slot},
};

use loop_scope::{Ending, LoopScope};
use state::LoopState;

impl Run {
    pub(super) fn start_scope(
        &mut self,
        frame: FrameId,
        slot: Slot,
        graph: GraphIx,
        end: usize,
        input: Arc<Value>,
        inputs: Inputs,
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
            Some(Repeat::List(_)) => self.start_list(frame, slot, graph, end, input),
            Some(Repeat::Subflow(_)) | None => self.impossible("a loop or a list has no settings"),
        }
    }

    fn start_loop(
        &mut self,
        frame: FrameId,
        slot: Slot,
        graph: GraphIx,
        end: Slot,
        input: Arc<Value>,
        config: &LoopConfig,
    ) {
        let node = self.node_at(frame, slot);
        let looping = LoopScope {
            at: (frame, slot),
            graph,
            end,
            original: Arc::clone(&input),
            started_at: self.now,
            began_at: self.now.saturating_add(self.suspended_ms),
            finished: 0,
            state: LoopState::Between,
            last: None,
            before_last: None,
            vars: Arc::new(Value::Object(Map::new())),
            previous: None,
            memory: HashMap::new(),
            exit: ExitState::default(),
            best: None,
            results: Vec::new(),
            outputs: vec![Vec::new(); config.outputs.len()],
            oscillating: false,
            usage: Usage::default(),
            ledger: BudgetLedger::new(config.budget),
            timeout: None,
            iteration_timeout: None,
        };
        let scope = self.scopes.insert(Scope::Loop(looping));
        if let Some(after) = config.timeout_ms {
            let ticket = self.timer(Pending::LoopTimeout { scope }, after);
            if let Some(looping) = self.loop_scope_mut(scope) {
                looping.timeout = Some(ticket);
            }
        }
        if let Some(requested) = &config.requested {
            self.warn(
                "max_iterations_clamped",
                node,
                if requested.as_f64().is_some_and(|requested| requested < 1.0) {
                    format!("Max iterations of \"{}\" is {requested}; a loop runs at least once.", self.plan.nodes[node].title)
                } else {
                    format!(
                        "Max iterations of \"{}\" is {requested}; this workflow allows {}. Raise `maxIterationsCeiling` in Workflow settings.",
                        self.plan.nodes[node].title, config.max_iterations
                    )
                },
            );
        }
        self.set_slot(frame, slot, SlotState::Scope(scope));
        self.begin_iteration(scope, input);
    }

    /// The plan was changed: limits of what continues are those of the new one.
    pub(super) fn change_limits(&mut self) {
        let plan = Arc::clone(&self.plan);
        for scope in self.scopes.ids() {
            let Some(looping) = self.loop_scope_mut(scope) else {
                continue;
            };
            let Some(Repeat::Loop(config)) = &plan.graphs[looping.graph].repeat else {
                continue;
            };
            let (started, frame, finished) =
                (looping.started_at, looping.state.frame(), looping.finished);
            let old = [looping.timeout.take(), looping.iteration_timeout.take()];
            self.cancel_tickets(old.into_iter().flatten().collect());
            let left = |limit: Option<u64>, since: i64, now: i64| {
                limit.map(|limit| {
                    limit.saturating_sub(u64::try_from(now.saturating_sub(since)).unwrap_or(0))
                })
            };
            if let Some(after) = left(config.timeout_ms, started, self.now) {
                let ticket = self.timer(Pending::LoopTimeout { scope }, after);
                if let Some(looping) = self.loop_scope_mut(scope) {
                    looping.timeout = Some(ticket);
                }
            }
            let Some(begun) = frame.and_then(|frame| Some(self.frames.get(frame)?.started_at))
            else {
                continue;
            };
            if let Some(after) = left(config.iteration_timeout_ms, begun, self.now) {
                let pending = Pending::IterationTimeout {
                    scope,
                    index: finished,
                };
                let ticket = self.timer(pending, after);
                if let Some(looping) = self.loop_scope_mut(scope) {
                    looping.iteration_timeout = Some(ticket);
                }
            }
        }
    }

    /// The loop of a scope, which must not be over: no step belongs to a loop that is.
    pub(super) fn running_loop(&mut self, scope: ScopeId) -> Option<&mut LoopScope> {
        if !matches!(self.scopes.get(scope), Some(Scope::Loop(_))) {
            self.impossible("a loop that is over continues");
        }
        self.loop_scope_mut(scope)
    }

    /// The loop of a scope; `None` where it is over, or the scope is no loop.
    pub(super) fn loop_scope_mut(&mut self, scope: ScopeId) -> Option<&mut LoopScope> {
        match self.scopes.get_mut(scope)? {
            Scope::Loop(looping) => Some(looping),
            Scope::List(_) | Scope::Subflow(_) => None,
        }
    }

    pub(super) fn begin_iteration(&mut self, scope: ScopeId, input: Arc<Value>) {
        let plan = Arc::clone(&self.plan);
        let Some(looping) = self.running_loop(scope) else {
            return;
        };
        let (at, graph, index) = (looping.at, looping.graph, looping.finished);
        let Some(Repeat::Loop(config)) = &plan.graphs[graph].repeat else {
            return self.impossible("a loop has no settings");
        };
        if self.has_computed_much() {
            return self.begin_later(scope, input);
        }
        let node = self.node_at(at.0, at.1);
        let path = self.path(at.0, node);
        let Some(input) = self.stop_iteration(scope, &path, index, input) else {
            return;
        };
        let prefix = [&path, "[", &(index + 1).to_string(), "]/"].concat();
        let given = self.given(at.0);
        let frame = self.open_frame(
            graph,
            Some((at.0, at.1, scope)),
            prefix,
            Arc::clone(&input),
            index,
            given,
        );
        if self
            .running_loop(scope)
            .is_some_and(|looping| !looping.state.begin(frame))
        {
            return self.impossible("an iteration begins beside another");
        }
        if index == 0 {
            match self.first_vars(frame, config) {
                Ok(vars) => {
                    if let Some(looping) = self.loop_scope_mut(scope) {
                        looping.set_vars(config, vars);
                    }
                }
                Err(error) => return self.not_begun(scope, frame, error),
            }
        }
        // What is tested before an iteration reads the coming input; the iteration does not count when it is met.
        if let Some(condition) = config.condition_before() {
            let met = match self.condition_holds(scope, frame, condition, &input) {
                Ok(holds) => holds && index + 1 >= config.min_iterations,
                Err(error) => return self.not_begun(scope, frame, error),
            };
            self.record(
                path.clone(),
                Some(node),
                Fact::ConditionChecked { index, result: met },
            );
            if met {
                return self.end_loop(scope, Ending::Met(config.exit.reason()));
            }
        }
        if index >= config.max_iterations {
            return self.end_loop(scope, Ending::Exhausted(ExitReason::MaxIterations));
        }
        if config.has_no_time() {
            self.give_up_frame(scope, frame);
            return self.end_loop(scope, Ending::Exhausted(ExitReason::Timeout));
        }
        self.record(
            path,
            Some(node),
            Fact::IterationStarted {
                index,
                total: Some(config.max_iterations),
                input,
            },
        );
        if let Some(after) = config.iteration_timeout_ms {
            let ticket = self.timer(Pending::IterationTimeout { scope, index }, after);
            if let Some(looping) = self.loop_scope_mut(scope) {
                looping.iteration_timeout = Some(ticket);
            }
        }
        self.begin_frame(frame);
    }

    /// Lets others have their turn before the iteration: a pause of no time.
    fn begin_later(&mut self, scope: ScopeId, input: Arc<Value>) {
        let ticket = self.timer(Pending::Delay { scope }, 0);
        self.pause_loop(scope, ticket, input);
    }

    pub(super) fn pause_loop(&mut self, scope: ScopeId, timer: Ticket, input: Arc<Value>) {
        if (self.running_loop(scope)).is_some_and(|looping| !looping.state.pause(timer, input)) {
            self.impossible("a loop pauses in the middle of an iteration");
        }
    }

    /// Something before an iteration failed, so that it never began.
    fn not_begun(&mut self, scope: ScopeId, frame: FrameId, error: NodeError) {
        self.give_up_frame(scope, frame);
        self.loop_failed(scope, error, None);
    }

    /// The iteration whose frame this is never begins.
    fn give_up_frame(&mut self, scope: ScopeId, frame: FrameId) {
        self.free_frame(frame);
        if let Some(looping) = self.running_loop(scope) {
            looping.state.leave();
        }
    }

    /// Core and leaves, or the tail, are settled.
    pub(super) fn loop_frame_done(&mut self, scope: ScopeId, frame: FrameId) {
        let in_tail = self.frames.get(frame).is_some_and(|state| state.in_tail);
        if in_tail {
            self.next_iteration(scope, frame);
        } else {
            self.evaluate_exit(scope, frame);
        }
    }
}
