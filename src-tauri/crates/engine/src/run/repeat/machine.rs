//! A loop in progress: its data between iterations, and the steps from one state to the next.
//!
//! ```text
//! start ──▶ (Between) ──open──▶ Opening ──opened──▶ (Between)      only a loop with a resource
//!
//!               ┌────────────────────count──────────────────────┐
//!               ▼                                               │
//! start ──▶ Between ──begin──▶ Running ──evaluated──▶ Evaluated ─┘
//!            │   ▲ ▲              │
//!          pause │ └──give_up─────┘
//!            ▼   │
//!          Pausing ──awake──▶ (Between)       any state but Closing and Ended ──end──▶ Ended
//!
//! Ended ──close──▶ Closing ──closed──▶ (Ended)                     only a loop with a resource
//! ```
//!
//! The time limit of an iteration that is over is ignored ([`LoopMachine::is_timed_out`]). Every other step that is not in the
//! diagram fails with [`Impossible::Loop`].

use std::{collections::HashMap, sync::Arc};

use loopwright_model::graph::NodeIx;
use serde_json::{Map, Value};

use super::{
    appended::Appended,
    ending::{AfterClose, AfterEvaluation, AtLimit, Ending},
    progress::{Progress, Stuck},
    results::{Evaluated, Results},
};
use crate::{
    budget::BudgetLedger,
    exit::{ExitReason, ExitState},
    journal::ScopeEnd,
    outcome::{Outcome, Usage},
    plan::{GraphIx, LoopConfig, Slot},
    run::{
        arena::FrameId,
        impossible::{Impossible, LoopPhase, LoopStep, Stepped},
        loop_resource::LoopResource,
        ticket::Ticket,
    },
};

enum LoopState {
    /// The host is opening the resource of the loop. `input` is the input of the first iteration.
    Opening {
        input: Arc<Value>,
    },
    /// Between two iterations, during the step that ends one and begins the next.
    Between,
    /// The loop is in the pause before an iteration.
    Pausing {
        timer: Ticket,
        input: Arc<Value>,
    },
    /// The core and the leaves of an iteration are running.
    Running {
        frame: FrameId,
    },
    /// The iteration was evaluated. Its tail is running, if it has one.
    Evaluated {
        frame: FrameId,
        evaluated: Box<Evaluated>,
    },
    /// The host is closing the resource of the loop, which has ended.
    Closing {
        then: AfterClose,
    },
    Ended,
}

/// The position of a loop in the plan, which a fork does not change.
pub(in crate::run) struct LoopPlace {
    /// The frame and the slot of the loop's node.
    pub(in crate::run) at: (FrameId, Slot),
    pub(in crate::run) graph: GraphIx,
    /// The slot of the end node, in the graph of the start node.
    pub(super) end: Slot,
    /// Whether every result is kept. It is if `iterations` is wired or read.
    pub(super) keeps_results: bool,
    /// Whether the end's `exhausted` handle is wired.
    pub(super) exhausted_wired: bool,
}

/// A loop in progress: its settings, its results and its state.
pub(in crate::run) struct LoopMachine {
    pub(in crate::run) place: LoopPlace,
    /// The settings in the current plan.
    pub(in crate::run) config: Arc<LoopConfig>,
    /// The input of the loop.
    pub(super) original: Arc<Value>,
    pub(in crate::run) started_at: i64,
    /// The wall-clock time at which the loop started, in milliseconds since the Unix epoch.
    pub(in crate::run) began_at: i64,
    /// The number of finished iterations.
    finished: u32,
    state: LoopState,
    pub(super) results: Results,
    /// The variables, as the object that templates read.
    pub(in crate::run) vars: Arc<Value>,
    /// The parts of the input, if the loop appends its feedback and keeps only some of it.
    pub(super) appended: Appended,
    /// The outcomes of the previous iteration by slot, if a template reads `previous`.
    pub(in crate::run) previous: Option<Vec<Option<Arc<Outcome>>>>,
    /// The items that inner nodes left for their later executions, oldest first.
    pub(in crate::run) memory: HashMap<NodeIx, Vec<Arc<Value>>>,
    pub(super) exit: ExitState,
    pub(super) progress: Progress,
    /// Why the loop made no progress, if it ended for that reason; otherwise `None`.
    stuck: Option<Stuck>,
    /// Whether the loop has continued once after it made no progress.
    escalated: bool,
    pub(in crate::run) usage: Usage,
    pub(in crate::run) ledger: BudgetLedger,
    /// The resource of the loop, from the request to open it until the request to close it.
    pub(in crate::run) resource: Option<Box<LoopResource>>,
    /// The name and value of the loop's output that carries the host's answer to closing the resource; `None` before that
    /// answer.
    pub(in crate::run) closed: Option<(Arc<str>, Arc<Value>)>,
    /// The timer of the loop's time limit, if it has one.
    pub(in crate::run) timeout: Option<Ticket>,
    /// The timer of the time limit of the iteration in progress, if there is one.
    pub(in crate::run) iteration_timeout: Option<Ticket>,
}

/// The result of a loop that ended.
pub(super) struct LoopResult {
    /// The outcome of the start node.
    pub(super) outcome: Outcome,
    /// The outcome of the end node.
    pub(super) end_outcome: Outcome,
    pub(super) end: ScopeEnd,
}

impl LoopMachine {
    /// Creates a loop before its first iteration. `now` is the run's own time, and `clock` is the wall-clock time.
    pub(super) fn new(
        place: LoopPlace,
        config: Arc<LoopConfig>,
        input: Arc<Value>,
        now: i64,
        clock: i64,
    ) -> Self {
        Self {
            original: input,
            started_at: now,
            began_at: clock,
            finished: 0,
            state: LoopState::Between,
            results: Results::new(place.keeps_results, config.outputs.len()),
            vars: Arc::new(Value::Object(Map::new())),
            appended: Appended::default(),
            previous: None,
            memory: HashMap::new(),
            exit: ExitState::default(),
            progress: Progress::default(),
            stuck: None,
            escalated: false,
            usage: Usage::default(),
            ledger: BudgetLedger::new(config.budget),
            place,
            config,
            resource: None,
            closed: None,
            timeout: None,
            iteration_timeout: None,
        }
    }

    /// Begins to open the resource. The first iteration, with the input `input`, begins after that.
    pub(in crate::run) fn open(&mut self, resource: LoopResource, input: Arc<Value>) -> Stepped {
        match self.state {
            LoopState::Between if self.resource.is_none() => {
                self.state = LoopState::Opening { input };
            }
            _ => return Err(self.refused(LoopStep::Open)),
        }
        self.resource = Some(Box::new(resource));
        Ok(())
    }

    /// Returns whether the resource is being opened.
    pub(in crate::run) fn is_opening(&self) -> bool {
        matches!(self.state, LoopState::Opening { .. })
    }

    /// Ends the opening of the resource. Returns the input of the first iteration.
    pub(in crate::run) fn opened(&mut self) -> Stepped<Arc<Value>> {
        match std::mem::replace(&mut self.state, LoopState::Between) {
            LoopState::Opening { input } => Ok(input),
            other => {
                self.state = other;
                Err(self.refused(LoopStep::Opened))
            }
        }
    }

    /// Begins to close the resource of a loop that has ended. `then` is the step that follows.
    pub(super) fn close(&mut self, then: AfterClose) -> Stepped {
        match self.state {
            LoopState::Ended => self.state = LoopState::Closing { then },
            _ => return Err(self.refused(LoopStep::Close)),
        }
        Ok(())
    }

    /// Ends the closing of the resource. Returns the step that follows.
    pub(in crate::run) fn closed(&mut self) -> Stepped<AfterClose> {
        match std::mem::replace(&mut self.state, LoopState::Ended) {
            LoopState::Closing { then } => Ok(then),
            other => {
                self.state = other;
                Err(self.refused(LoopStep::Closed))
            }
        }
    }

    /// Begins an iteration, which runs in this frame.
    pub(super) fn begin(&mut self, frame: FrameId) -> Stepped {
        match self.state {
            LoopState::Between => self.state = LoopState::Running { frame },
            _ => return Err(self.refused(LoopStep::Begin)),
        }
        Ok(())
    }

    /// Begins a pause, after which an iteration with the input `input` begins.
    pub(super) fn pause(&mut self, timer: Ticket, input: Arc<Value>) -> Stepped {
        match self.state {
            LoopState::Between => self.state = LoopState::Pausing { timer, input },
            _ => return Err(self.refused(LoopStep::Pause)),
        }
        Ok(())
    }

    /// Ends the pause. Returns the input of the next iteration.
    pub(in crate::run) fn awake(&mut self) -> Stepped<Arc<Value>> {
        match std::mem::replace(&mut self.state, LoopState::Between) {
            LoopState::Pausing { input, .. } => Ok(input),
            other => {
                self.state = other;
                Err(self.refused(LoopStep::Awake))
            }
        }
    }

    /// Drops an iteration that was opened but never begins. Returns its frame, which the caller must remove.
    pub(super) fn give_up(&mut self) -> Stepped<FrameId> {
        match self.state {
            LoopState::Running { frame } => {
                self.state = LoopState::Between;
                Ok(frame)
            }
            _ => Err(self.refused(LoopStep::GiveUp)),
        }
    }

    /// Stores the evaluation of the iteration in progress. Returns what follows.
    pub(super) fn evaluated(&mut self, evaluated: Evaluated) -> Stepped<AfterEvaluation> {
        let LoopState::Running { frame } = self.state else {
            return Err(self.refused(LoopStep::Evaluate));
        };
        let is_met = evaluated.condition == Some(true);
        let stuck = evaluated.stuck;
        self.state = LoopState::Evaluated {
            frame,
            evaluated: Box::new(evaluated),
        };
        let config = &self.config;
        Ok(if is_met {
            AfterEvaluation::End(Ending::Met(config.exit.reason()))
        // A condition that is tested before each iteration is evaluated once more after the last allowed iteration, on the
        // values that its tail produced.
        } else if self.finished + 1 >= config.max_iterations && config.condition_before().is_none()
        {
            AfterEvaluation::End(match config.exit.is_met_at_cap() {
                true => Ending::Met(ExitReason::MaxIterations),
                false => Ending::Exhausted(ExitReason::MaxIterations),
            })
        } else if let Some(stuck) = stuck {
            if config.escalates && !self.escalated {
                self.escalated = true;
                self.progress.begin_again();
                AfterEvaluation::Escalate(stuck)
            } else {
                self.stuck = Some(stuck);
                AfterEvaluation::End(Ending::Exhausted(ExitReason::NoProgress))
            }
        } else {
            AfterEvaluation::Tail
        })
    }

    /// Returns the result of the evaluated iteration, after which another iteration follows.
    pub(super) fn evaluated_result(&self) -> Stepped<Arc<Value>> {
        match &self.state {
            LoopState::Evaluated { evaluated, .. } => Ok(Arc::clone(&evaluated.result)),
            _ => Err(self.refused(LoopStep::Continue)),
        }
    }

    /// Counts the iteration in progress as finished. Returns its evaluation, and the timer of its limit, which the caller must
    /// cancel.
    pub(super) fn count(&mut self) -> Stepped<(Evaluated, Option<Ticket>)> {
        let mut evaluated = match std::mem::replace(&mut self.state, LoopState::Between) {
            LoopState::Evaluated { evaluated, .. } => *evaluated,
            other => {
                self.state = other;
                return Err(self.refused(LoopStep::Count));
            }
        };
        self.finished += 1;
        self.results.add(&mut evaluated, &self.config);
        Ok((evaluated, self.iteration_timeout.take()))
    }

    /// Ends the loop. Returns the frame in progress, which the caller must end, and all timers, which the caller must cancel.
    pub(super) fn end(&mut self) -> Stepped<(Option<FrameId>, Vec<Ticket>)> {
        if matches!(self.state, LoopState::Closing { .. } | LoopState::Ended) {
            return Err(self.refused(LoopStep::End));
        }
        let left = (self.frame(), self.tickets());
        self.state = LoopState::Ended;
        Ok(left)
    }

    /// If the settings of the resource require it, makes the resource end in its state before the iteration in progress.
    pub(super) fn undo_unfinished(&mut self) {
        if let Some(resource) = &mut self.resource {
            resource.end_unfinished();
        }
    }

    /// Returns the limit that prevents a further iteration, or `None` if no limit has been reached.
    pub(super) fn limit_before_iteration(&self) -> Option<ExitReason> {
        if self.finished >= self.config.max_iterations {
            Some(ExitReason::MaxIterations)
        } else if self.config.has_no_time() {
            Some(ExitReason::Timeout)
        } else {
            None
        }
    }

    /// Returns whether the loop has continued once after it made no progress.
    pub(in crate::run) fn has_escalated(&self) -> bool {
        self.escalated
    }

    /// Returns why the loop made no progress, if it ended for that reason; otherwise `None`.
    pub(super) fn stuck(&self) -> Option<Stuck> {
        self.stuck
    }

    /// Returns whether the loop must end because a time limit was reached: that of iteration `index` or, if it is `None`, that
    /// of the whole loop. A time limit of an iteration that has already ended is ignored.
    pub(super) fn is_timed_out(&self, index: Option<u32>) -> bool {
        index.is_none_or(|index| index == self.finished)
    }

    /// Returns what the loop does at a limit.
    pub(super) fn at_limit(&self) -> AtLimit {
        if self.finished == 0 {
            AtLimit::NothingFinished
        } else if self.config.fail_on_limit {
            AtLimit::Fails
        } else {
            AtLimit::Returns
        }
    }

    /// Returns the pause before the next iteration in milliseconds, or `None` for no pause. `spread` returns the position
    /// within the jitter, in 0..1.
    pub(super) fn pause_before_next(&self, spread: impl FnOnce(u32) -> f64) -> Option<u64> {
        // After the last allowed iteration, only the condition is evaluated once more, without a pause.
        let delay = self.config.delay.as_ref();
        delay
            .filter(|_| self.finished < self.config.max_iterations)
            .map(|delay| delay.after(self.finished, spread(self.finished)))
            .filter(|&pause| pause > 0)
    }

    /// Sets the loop's variables. `values` is in the order of the variables.
    pub(super) fn set_vars(&mut self, values: Vec<Value>) {
        let names = || self.config.variables.iter().map(|variable| &variable.name);
        // Usually only the loop refers to the object of its variables, and the names are unchanged. The object is then reused.
        if let Some(Value::Object(vars)) = Arc::get_mut(&mut self.vars)
            && vars.keys().eq(names())
        {
            for (var, value) in vars.values_mut().zip(values) {
                *var = value;
            }
            return;
        }
        let vars = names().cloned().zip(values).collect();
        self.vars = Arc::new(Value::Object(vars));
    }

    /// Returns the values of the loop and of its outputs, as the outcomes of its start and end nodes.
    pub(super) fn into_result(mut self, reason: ExitReason, exhausted: bool) -> LoopResult {
        if self.finished == 0 {
            self.results.set_last(self.original);
        }
        let (value, mut outcome) = self
            .results
            .into_outcome(&self.config, self.finished, reason);
        let mut end_outcome = if exhausted && self.place.exhausted_wired {
            Outcome::branch("exhausted", Arc::clone(&value), value)
        } else {
            Outcome::single("output", value)
        };
        if let Some((handle, closed)) = self.closed {
            outcome = outcome.with(&handle, Arc::clone(&closed));
            end_outcome = end_outcome.with(&handle, closed);
        }
        LoopResult {
            outcome,
            end_outcome,
            end: ScopeEnd {
                iterations: self.finished,
                exit_reason: reason,
                exhausted,
            },
        }
    }

    /// Returns the result of the last iteration, or `None` if no iteration has finished.
    pub(in crate::run) fn last(&self) -> Option<&Arc<Value>> {
        self.results.last()
    }

    /// Returns the number of finished iterations, which is the index of the one in progress.
    pub(in crate::run) fn finished(&self) -> u32 {
        self.finished
    }

    /// Returns the frame of the iteration in progress, or `None` if there is none.
    pub(in crate::run) fn frame(&self) -> Option<FrameId> {
        match self.state {
            LoopState::Running { frame } | LoopState::Evaluated { frame, .. } => Some(frame),
            LoopState::Opening { .. }
            | LoopState::Between
            | LoopState::Pausing { .. }
            | LoopState::Closing { .. }
            | LoopState::Ended => None,
        }
    }

    /// Returns the timers of the loop.
    pub(in crate::run) fn tickets(&self) -> Vec<Ticket> {
        let pause = match self.state {
            LoopState::Pausing { timer, .. } => Some(timer),
            _ => None,
        };
        [self.timeout, self.iteration_timeout, pause]
            .into_iter()
            .flatten()
            .collect()
    }

    fn refused(&self, step: LoopStep) -> Impossible {
        let phase = match self.state {
            LoopState::Opening { .. } => LoopPhase::Opening,
            LoopState::Closing { .. } => LoopPhase::Closing,
            LoopState::Between => LoopPhase::Between,
            LoopState::Pausing { .. } => LoopPhase::Pausing,
            LoopState::Running { .. } => LoopPhase::Running,
            LoopState::Evaluated { .. } => LoopPhase::Evaluated,
            LoopState::Ended => LoopPhase::Ended,
        };
        Impossible::Loop(phase, step)
    }
}

#[cfg(test)]
mod tests {
    use loopwright_model::EffectClass;
    use loopwright_template::Expression;
    use serde_json::json;

    use super::*;
    use crate::run::repeat::progress::Unchanged;
    use crate::{
        exit::{Condition, ExitCondition},
        plan::repeat::{Delay, ResourceConfig},
        run::{arena::ArenaId as _, repeat::results::tests::config},
    };

    fn looping(change: impl FnOnce(&mut LoopConfig)) -> LoopMachine {
        let mut config = config();
        change(&mut config);
        let place = LoopPlace {
            at: (FrameId::ROOT, 0),
            graph: 1,
            end: 1,
            keeps_results: true,
            exhausted_wired: true,
        };
        LoopMachine::new(place, Arc::new(config), Arc::new(json!("input")), 5, 7)
    }

    fn evaluated(result: &str, met: bool) -> Evaluated {
        Evaluated {
            result: Arc::new(json!(result)),
            condition: Some(met),
            ..Evaluated::default()
        }
    }

    fn frame() -> FrameId {
        FrameId::new(3)
    }

    fn resource() -> LoopResource {
        let config = ResourceConfig {
            kind: "folder".into(),
            request: Arc::default(),
            changed_by: EffectClass::Writes,
            undoes_unfinished: false,
            of_iteration: Map::new(),
        };
        LoopResource::new(&config, &Arc::default())
    }

    fn after_close() -> AfterClose {
        AfterClose::Return(ExitReason::MaxIterations, false)
    }

    #[test]
    fn its_resource_is_opened_first_and_closed_last() {
        let mut looping = looping(|_| {});
        looping.open(resource(), Arc::new(json!("input"))).unwrap();
        assert!(looping.is_opening() && looping.frame().is_none());
        assert_eq!(*looping.opened().unwrap(), json!("input"));
        iterate(&mut looping, evaluated("a", true));
        looping.end().unwrap();
        looping.close(after_close()).unwrap();
        assert_eq!(looping.frame(), None);
        looping.closed().unwrap();
        looping.closed = Some(("folder".into(), Arc::new(json!("gone"))));
        let left = looping.into_result(ExitReason::MaxIterations, false);
        let handle = |outcome: &Outcome| outcome.handle("folder").map(|value| (**value).clone());
        assert_eq!(handle(&left.outcome), Some(json!("gone")));
        assert_eq!(handle(&left.end_outcome), Some(json!("gone")));
    }

    /// Runs a whole iteration with this evaluation. Returns the step that follows.
    fn iterate(looping: &mut LoopMachine, evaluated: Evaluated) -> AfterEvaluation {
        looping.begin(frame()).unwrap();
        let next = looping.evaluated(evaluated).unwrap();
        looping.count().unwrap();
        next
    }

    #[test]
    fn without_progress_it_escalates_once_and_then_ends() {
        let stuck = Stuck::Unchanged {
            what: Unchanged::Result,
            from: 1,
            to: 2,
        };
        let stays = |looping: &mut LoopMachine| {
            let evaluated = Evaluated {
                stuck: Some(stuck),
                ..evaluated("a", false)
            };
            iterate(looping, evaluated)
        };
        let mut looping = looping(|config| {
            config.max_iterations = 9;
            config.no_progress = Some(1);
            config.escalates = true;
        });
        assert!(!looping.has_escalated());
        assert_eq!(stays(&mut looping), AfterEvaluation::Escalate(stuck));
        assert!(looping.has_escalated() && looping.stuck().is_none());
        let ends = Ending::Exhausted(ExitReason::NoProgress);
        assert_eq!(stays(&mut looping), AfterEvaluation::End(ends));
        assert_eq!(looping.stuck(), Some(stuck));
    }

    #[test]
    fn it_iterates_pauses_and_ends() {
        let mut looping = looping(|_| {});
        looping.begin(frame()).unwrap();
        assert_eq!(looping.frame(), Some(frame()));
        let next = looping.evaluated(evaluated("a", false));
        assert_eq!(next, Ok(AfterEvaluation::Tail));
        assert_eq!(looping.frame(), Some(frame()));
        assert_eq!(*looping.evaluated_result().unwrap(), json!("a"));
        looping.iteration_timeout = Some(Ticket(4));
        let (counted, limit) = looping.count().unwrap();
        assert_eq!((&*counted.result, limit), (&json!("a"), Some(Ticket(4))));
        assert_eq!((looping.finished(), looping.frame()), (1, None));
        looping.pause(Ticket(5), Arc::new(json!("next"))).unwrap();
        assert_eq!(looping.tickets(), [Ticket(5)]);
        assert_eq!(*looping.awake().unwrap(), json!("next"));
        looping.begin(frame()).unwrap();
        let next = looping.evaluated(evaluated("b", true)).unwrap();
        let met = Ending::Met(ExitReason::EvaluatorDone);
        assert_eq!(next, AfterEvaluation::End(met));
        looping.count().unwrap();
        looping.timeout = Some(Ticket(6));
        assert_eq!(looping.end(), Ok((None, vec![Ticket(6)])));
        let left = looping.into_result(met.reason(), false);
        assert_eq!(left.end.iterations, 2);
        assert_eq!(
            left.outcome.handle("iterations").map(|v| (**v).clone()),
            Some(json!(["a", "b"]))
        );
        assert_eq!(*left.end_outcome.value, json!("b"));
    }

    #[test]
    fn an_iteration_is_given_up_before_it_begins() {
        let mut looping = looping(|_| {});
        looping.begin(frame()).unwrap();
        assert_eq!(looping.give_up(), Ok(frame()));
        assert_eq!((looping.frame(), looping.finished()), (None, 0));
        assert_eq!(looping.end(), Ok((None, vec![])));
    }

    #[test]
    fn it_ends_in_every_state() {
        let in_state = |state: LoopPhase| {
            let mut looping = looping(|_| {});
            match state {
                LoopPhase::Pausing => looping.pause(Ticket(1), Arc::default()).unwrap(),
                LoopPhase::Running => looping.begin(frame()).unwrap(),
                LoopPhase::Evaluated => {
                    looping.begin(frame()).unwrap();
                    looping.evaluated(evaluated("a", false)).unwrap();
                }
                LoopPhase::Opening => looping.open(resource(), Arc::default()).unwrap(),
                LoopPhase::Between | LoopPhase::Closing | LoopPhase::Ended => {}
            }
            looping.end().unwrap()
        };
        assert_eq!(in_state(LoopPhase::Opening), (None, vec![]));
        assert_eq!(in_state(LoopPhase::Between), (None, vec![]));
        assert_eq!(in_state(LoopPhase::Pausing), (None, vec![Ticket(1)]));
        assert_eq!(in_state(LoopPhase::Running), (Some(frame()), vec![]));
        assert_eq!(in_state(LoopPhase::Evaluated), (Some(frame()), vec![]));
    }

    /// Asserts that every step outside `allowed` is impossible in `phase`.
    fn refuses_all_but(looping: &mut LoopMachine, phase: LoopPhase, allowed: &[LoopStep]) {
        for step in [
            LoopStep::Open,
            LoopStep::Opened,
            LoopStep::Close,
            LoopStep::Closed,
            LoopStep::Begin,
            LoopStep::Pause,
            LoopStep::Awake,
            LoopStep::GiveUp,
            LoopStep::Evaluate,
            LoopStep::Continue,
            LoopStep::Count,
            LoopStep::End,
        ] {
            if allowed.contains(&step) {
                continue;
            }
            let taken = match step {
                LoopStep::Open => looping.open(resource(), Arc::default()),
                LoopStep::Opened => looping.opened().map(|_| ()),
                LoopStep::Close => looping.close(after_close()),
                LoopStep::Closed => looping.closed().map(|_| ()),
                LoopStep::Begin => looping.begin(frame()),
                LoopStep::Pause => looping.pause(Ticket(9), Arc::default()),
                LoopStep::Awake => looping.awake().map(|_| ()),
                LoopStep::GiveUp => looping.give_up().map(|_| ()),
                LoopStep::Evaluate => looping.evaluated(evaluated("x", true)).map(|_| ()),
                LoopStep::Continue => looping.evaluated_result().map(|_| ()),
                LoopStep::Count => looping.count().map(|_| ()),
                LoopStep::End => looping.end().map(|_| ()),
            };
            assert_eq!(taken, Err(Impossible::Loop(phase, step)));
        }
    }

    #[test]
    fn it_refuses_every_other_step() {
        use LoopStep::{
            Awake, Begin, Close, Closed, Continue, Count, End, Evaluate, GiveUp, Open, Opened,
            Pause,
        };
        let mut looping = looping(|_| {});
        refuses_all_but(&mut looping, LoopPhase::Between, &[Open, Begin, Pause, End]);
        looping.open(resource(), Arc::default()).unwrap();
        refuses_all_but(&mut looping, LoopPhase::Opening, &[Opened, End]);
        looping.opened().unwrap();
        // A loop has at most one resource, so a second one cannot be opened.
        refuses_all_but(&mut looping, LoopPhase::Between, &[Begin, Pause, End]);
        looping.pause(Ticket(1), Arc::default()).unwrap();
        refuses_all_but(&mut looping, LoopPhase::Pausing, &[Awake, End]);
        looping.awake().unwrap();
        looping.begin(frame()).unwrap();
        refuses_all_but(&mut looping, LoopPhase::Running, &[GiveUp, Evaluate, End]);
        looping.evaluated(evaluated("a", false)).unwrap();
        refuses_all_but(&mut looping, LoopPhase::Evaluated, &[Continue, Count, End]);
        looping.end().unwrap();
        refuses_all_but(&mut looping, LoopPhase::Ended, &[Close]);
        looping.close(after_close()).unwrap();
        refuses_all_but(&mut looping, LoopPhase::Closing, &[Closed]);
        assert_eq!(looping.closed(), Ok(after_close()));
        assert_eq!(looping.finished(), 0);
    }

    #[test]
    fn the_time_limit_of_an_iteration_that_is_over_is_ignored() {
        let mut looping = looping(|_| {});
        iterate(&mut looping, evaluated("a", false));
        assert!(!looping.is_timed_out(Some(0)));
        assert!(looping.is_timed_out(Some(1)) && looping.is_timed_out(None));
    }

    #[test]
    fn the_cap_ends_it() {
        let cap = |exit| {
            let mut looping = looping(|config| {
                config.max_iterations = 1;
                config.exit = exit;
            });
            iterate(&mut looping, evaluated("a", false))
        };
        let reason = ExitReason::MaxIterations;
        let exhausted = AfterEvaluation::End(Ending::Exhausted(reason));
        assert_eq!(cap(ExitCondition::Evaluator), exhausted);
        let met = AfterEvaluation::End(Ending::Met(reason));
        assert_eq!(cap(ExitCondition::MaxIterations), met);
        // The condition is evaluated once more, on the values that the tail produced.
        let before = Condition {
            expression: Expression::parse("true").unwrap(),
            met_when: true,
            before: true,
        };
        assert_eq!(cap(ExitCondition::Condition(before)), AfterEvaluation::Tail);
    }

    #[test]
    fn a_limit_that_is_reached_lets_no_iteration_begin() {
        let mut looping = looping(|config| config.max_iterations = 1);
        assert_eq!(looping.limit_before_iteration(), None);
        iterate(&mut looping, evaluated("a", false));
        assert_eq!(
            looping.limit_before_iteration(),
            Some(ExitReason::MaxIterations)
        );
        let no_time = self::looping(|config| config.timeout_ms = Some(0));
        assert_eq!(no_time.limit_before_iteration(), Some(ExitReason::Timeout));
    }

    #[test]
    fn at_a_limit_it_returns_a_result_or_fails() {
        let mut returns = looping(|_| {});
        assert_eq!(returns.at_limit(), AtLimit::NothingFinished);
        iterate(&mut returns, evaluated("a", false));
        assert_eq!(returns.at_limit(), AtLimit::Returns);
        let left = returns.into_result(ExitReason::Timeout, true);
        assert_eq!(left.end_outcome.branch.as_deref(), Some("exhausted"));
        let mut fails = looping(|config| config.fail_on_limit = true);
        iterate(&mut fails, evaluated("a", false));
        assert_eq!(fails.at_limit(), AtLimit::Fails);
    }

    #[test]
    fn no_pause_follows_the_last_iteration() {
        let mut looping = looping(|config| {
            config.max_iterations = 2;
            config.delay = Some(Delay {
                exponential: false,
                interval_ms: 10,
                max_ms: None,
                jitter: 0.0,
            });
        });
        let mut pauses = Vec::new();
        for _ in 0..2 {
            iterate(&mut looping, evaluated("a", false));
            pauses.push(looping.pause_before_next(|_| 0.5));
        }
        assert_eq!(pauses, [Some(10), None]);
    }
}
