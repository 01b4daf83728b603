//! A subflow in progress: a flow that runs as one node, with as many attempts as the node's policy allows.
//!
//! ```text
//! start ──▶ Between ──begin──▶ Running ──fail──▶ Between ──pause──▶ Pausing ──awake──▶ Between
//!                                │
//!                                └──time_out──▶ Running, without its limit
//!
//! Between | Running ──end──▶ Ended
//! ```
//!
//! An output that gets a value while no attempt runs is ignored ([`SubflowMachine::put_out`]). Every other step that is not in
//! the diagram fails with [`Impossible::Subflow`].

use std::sync::Arc;

use serde_json::Value;

use crate::{
    named::Named,
    outcome::{Outcome, Usage},
    plan::{GraphIx, Slot, SubflowPlan},
    run::{
        arena::FrameId,
        impossible::{Impossible, Stepped, SubflowPhase, SubflowStep},
        run_inputs::RunInputs,
        ticket::Ticket,
    },
};

/// A subflow in progress: its settings, its outputs and its state.
pub(in crate::run) struct SubflowMachine {
    /// The frame and the slot of the subflow's node.
    pub(in crate::run) at: (FrameId, Slot),
    pub(in crate::run) graph: GraphIx,
    /// The settings in the current plan.
    pub(in crate::run) config: Arc<SubflowPlan>,
    /// The value of `run.inputs` inside the subflow.
    pub(in crate::run) given: Arc<RunInputs>,
    /// The values of the inner flow's outputs so far.
    outputs: Named,
    state: SubflowState,
    /// The number of failed attempts that were followed by another attempt.
    failed: u32,
    pub(in crate::run) started_at: i64,
    pub(in crate::run) usage: Usage,
}

enum SubflowState {
    /// Between two attempts, during the step that ends one and begins the next.
    Between,
    /// An attempt is in progress. `limit` is the timer of its time limit, if it has one.
    Running {
        frame: FrameId,
        limit: Option<Ticket>,
    },
    /// The subflow is in the pause before another attempt.
    Pausing {
        timer: Ticket,
    },
    Ended,
}

impl SubflowMachine {
    /// Creates a subflow before its first attempt.
    pub(super) fn new(
        at: (FrameId, Slot),
        graph: GraphIx,
        config: Arc<SubflowPlan>,
        given: Arc<RunInputs>,
        now: i64,
    ) -> Self {
        Self {
            at,
            graph,
            config,
            given,
            outputs: Named::default(),
            state: SubflowState::Between,
            failed: 0,
            started_at: now,
            usage: Usage::default(),
        }
    }

    /// Begins an attempt in this frame. `limit` is the timer of its time limit.
    pub(super) fn begin(&mut self, frame: FrameId, limit: Option<Ticket>) -> Stepped {
        match self.state {
            SubflowState::Between => self.state = SubflowState::Running { frame, limit },
            _ => return Err(self.refused(SubflowStep::Begin)),
        }
        self.outputs = Named::default();
        Ok(())
    }

    /// Removes the timer of the attempt's time limit after it has fired, so that it is not cancelled later.
    pub(super) fn time_out(&mut self) -> Stepped {
        match &mut self.state {
            SubflowState::Running { limit, .. } => *limit = None,
            _ => return Err(self.refused(SubflowStep::TimeOut)),
        }
        Ok(())
    }

    /// Ends the attempt in progress without a result. Returns its frame, which the caller must end, and the timer of its time
    /// limit, which the caller must cancel.
    pub(super) fn fail(&mut self) -> Stepped<(FrameId, Option<Ticket>)> {
        match self.state {
            SubflowState::Running { frame, limit } => {
                self.state = SubflowState::Between;
                Ok((frame, limit))
            }
            _ => Err(self.refused(SubflowStep::Fail)),
        }
    }

    /// Begins the pause before another attempt.
    pub(super) fn pause(&mut self, timer: Ticket) -> Stepped {
        match self.state {
            SubflowState::Between => self.state = SubflowState::Pausing { timer },
            _ => return Err(self.refused(SubflowStep::Pause)),
        }
        self.failed += 1;
        Ok(())
    }

    /// Ends the pause.
    pub(in crate::run) fn awake(&mut self) -> Stepped {
        match self.state {
            SubflowState::Pausing { .. } => self.state = SubflowState::Between,
            _ => return Err(self.refused(SubflowStep::Awake)),
        }
        Ok(())
    }

    /// Ends the subflow, because everything inside it is settled or its last attempt failed. Returns the timer of the time
    /// limit, if it is running. The caller must cancel that timer.
    pub(super) fn end(&mut self) -> Stepped<Option<Ticket>> {
        match std::mem::replace(&mut self.state, SubflowState::Ended) {
            SubflowState::Running { limit, .. } => Ok(limit),
            SubflowState::Between => Ok(None),
            other => {
                self.state = other;
                Err(self.refused(SubflowStep::End))
            }
        }
    }

    /// Sets the value of an output of the inner flow. The value is ignored while no attempt runs.
    pub(in crate::run) fn put_out(&mut self, name: &str, value: &Arc<Value>) {
        if self.frame().is_some() {
            self.outputs.insert(name, Arc::clone(value));
        }
    }

    /// Returns the values of the subflow's outputs. An output without a value has no handle here, like a branch that was not
    /// taken.
    pub(super) fn outcome(&self) -> Outcome {
        let mut outcome = Outcome::default();
        for (index, name) in self.config.outputs.iter().enumerate() {
            let Some(value) = self.outputs.get(name) else {
                continue;
            };
            if index == 0 {
                outcome.value = Arc::clone(value);
            }
            outcome.handles.push((name.clone(), Arc::clone(value)));
        }
        outcome
    }

    /// Returns the time limit of an attempt in milliseconds: the lower of the node's own limit (`node`) and the inner flow's
    /// limit, or `None` if there is neither.
    pub(super) fn limit_ms(&self, node: Option<u64>) -> Option<u64> {
        [node, self.config.timeout_ms].into_iter().flatten().min()
    }

    /// Returns the number of failed attempts that were followed by another attempt.
    pub(super) fn failed(&self) -> u32 {
        self.failed
    }

    /// Returns the frame of the attempt in progress, or `None` if there is none.
    pub(in crate::run) fn frame(&self) -> Option<FrameId> {
        match self.state {
            SubflowState::Running { frame, .. } => Some(frame),
            SubflowState::Between | SubflowState::Pausing { .. } | SubflowState::Ended => None,
        }
    }

    /// Returns the timer of the attempt's time limit, or of the pause; `None` if there is neither.
    pub(in crate::run) fn ticket(&self) -> Option<Ticket> {
        match self.state {
            SubflowState::Running { limit, .. } => limit,
            SubflowState::Pausing { timer } => Some(timer),
            SubflowState::Between | SubflowState::Ended => None,
        }
    }

    fn refused(&self, step: SubflowStep) -> Impossible {
        let phase = match self.state {
            SubflowState::Between => SubflowPhase::Between,
            SubflowState::Running { .. } => SubflowPhase::Running,
            SubflowState::Pausing { .. } => SubflowPhase::Pausing,
            SubflowState::Ended => SubflowPhase::Ended,
        };
        Impossible::Subflow(phase, step)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::run::arena::ArenaId as _;

    fn subflow() -> SubflowMachine {
        let config = SubflowPlan {
            inputs: Vec::new(),
            outputs: vec!["text".to_owned(), "score".to_owned()],
            timeout_ms: None,
        };
        let given = Arc::default();
        SubflowMachine::new((FrameId::ROOT, 0), 1, Arc::new(config), given, 0)
    }

    fn frame() -> FrameId {
        FrameId::new(4)
    }

    #[test]
    fn an_attempt_gives_the_values_of_the_outputs() {
        let mut subflow = subflow();
        subflow.begin(frame(), Some(Ticket(1))).unwrap();
        assert_eq!(
            (subflow.frame(), subflow.ticket()),
            (Some(frame()), Some(Ticket(1)))
        );
        subflow.put_out("score", &Arc::new(json!(2)));
        assert_eq!(subflow.outcome().value, Arc::new(Value::Null));
        subflow.put_out("text", &Arc::new(json!("a")));
        let outcome = subflow.outcome();
        assert_eq!((&*outcome.value, outcome.handles.len()), (&json!("a"), 2));
        assert_eq!(subflow.end(), Ok(Some(Ticket(1))));
        assert_eq!((subflow.frame(), subflow.ticket()), (None, None));
    }

    #[test]
    fn another_attempt_follows_a_pause_and_begins_without_outputs() {
        let mut subflow = subflow();
        subflow.begin(frame(), Some(Ticket(1))).unwrap();
        subflow.put_out("text", &Arc::new(json!("a")));
        subflow.time_out().unwrap();
        assert_eq!(subflow.fail(), Ok((frame(), None)));
        subflow.pause(Ticket(2)).unwrap();
        assert_eq!((subflow.failed(), subflow.ticket()), (1, Some(Ticket(2))));
        subflow.awake().unwrap();
        subflow.begin(frame(), None).unwrap();
        assert!(subflow.outcome().handles.is_empty());
        assert_eq!(subflow.fail(), Ok((frame(), None)));
        assert_eq!(subflow.end(), Ok(None));
    }

    #[test]
    fn an_output_is_ignored_while_no_attempt_runs() {
        let mut subflow = subflow();
        subflow.put_out("text", &Arc::new(json!("a")));
        assert!(subflow.outcome().handles.is_empty());
    }

    /// Asserts that every step outside `allowed` is impossible in `phase`.
    fn refuses_all_but(subflow: &mut SubflowMachine, phase: SubflowPhase, allowed: &[SubflowStep]) {
        for step in [
            SubflowStep::Begin,
            SubflowStep::TimeOut,
            SubflowStep::Fail,
            SubflowStep::Pause,
            SubflowStep::Awake,
            SubflowStep::End,
        ] {
            if allowed.contains(&step) {
                continue;
            }
            let taken = match step {
                SubflowStep::Begin => subflow.begin(frame(), None),
                SubflowStep::TimeOut => subflow.time_out(),
                SubflowStep::Fail => subflow.fail().map(|_| ()),
                SubflowStep::Pause => subflow.pause(Ticket(9)),
                SubflowStep::Awake => subflow.awake(),
                SubflowStep::End => subflow.end().map(|_| ()),
            };
            assert_eq!(taken, Err(Impossible::Subflow(phase, step)));
        }
    }

    #[test]
    fn it_refuses_every_other_step() {
        use SubflowStep::{Awake, Begin, End, Fail, Pause, TimeOut};
        let mut subflow = subflow();
        refuses_all_but(&mut subflow, SubflowPhase::Between, &[Begin, Pause, End]);
        subflow.begin(frame(), None).unwrap();
        refuses_all_but(&mut subflow, SubflowPhase::Running, &[TimeOut, Fail, End]);
        subflow.fail().unwrap();
        subflow.pause(Ticket(1)).unwrap();
        refuses_all_but(&mut subflow, SubflowPhase::Pausing, &[Awake]);
        subflow.awake().unwrap();
        subflow.end().unwrap();
        refuses_all_but(&mut subflow, SubflowPhase::Ended, &[]);
    }
}
