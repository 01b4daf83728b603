//! Resumes runs. A run is rebuilt from its journal. Each open execution then continues, waits for a person's decision, or ends
//! without being repeated.

use std::sync::Arc;

use loopwright_model::{EffectClass, graph::NodeIx};
use serde_json::{Map, Value};

use super::{
    AllowedCalls, Asking, Attempt, Command, Session, Timer, UnboundedWork, World,
    answering::not_waiting, attempt::FailedAttempts,
};
use crate::{
    answer::Answer,
    budget::Limits,
    calls::Calls,
    cancel::CancellationToken,
    compute,
    host::TokenSink,
    journal::{self, Record, effective},
    kept::Kept,
    kind::{ApprovalPolicy, NodeContext, NodeInput, Step, ToolCall},
    outcome::NodeError,
    plan::{WhenInterrupted, Work},
    question::Question,
    run::{
        Input, Plans, Ticket,
        recover::{OpenExecution, OpenResource, Recovered, recover, recover_imported},
    },
    transcript::TranscriptLog,
    trust::{Note, TrustLog},
};

/// What changes when a run resumes.
#[derive(Debug, Default)]
pub struct Resumption {
    /// An answer for the node execution at this path, if the resume brings one.
    pub answer: Option<(String, Answer)>,
    /// A new budget, if the resume sets one. With it, a run that stopped at its own budget continues where it stopped.
    pub budget: Option<Limits>,
    /// Approvals since the run was last active.
    pub notes: Vec<Note>,
    /// Whether the run's time continued after its last record, because the program that led the run was lost or because the run
    /// slept until a timer.
    pub taken_over: bool,
    /// The number of leading records that were written in another store. Answers in these records allow nothing here, and
    /// questions in them are compared with those that the nodes ask now.
    pub imported_records: u64,
}

/// A run as its journal records it.
#[derive(Clone)]
pub struct Recorded<'a> {
    pub plans: &'a Plans,
    pub run_id: &'a str,
    pub inputs: Map<String, Value>,
    /// All records of the run, from the first on.
    pub records: &'a [Record],
}

impl Session {
    /// Returns the session of a run that is resumed at `wall` (milliseconds since the Unix epoch), from the end of its journal.
    /// Work with a recorded outcome is not repeated.
    ///
    /// # Errors
    /// `journal_diverged` if the flow no longer produces what is recorded; `not_waiting` if nothing waits at the answer's path.
    pub fn resume(
        run: Recorded<'_>,
        how: Resumption,
        world: World,
        wall: i64,
        commands: &mut Vec<Command>,
    ) -> Result<Self, NodeError> {
        let plan = Arc::clone(run.plans.last());
        if run.records.is_empty() && how.answer.is_none() && how.budget.is_none() {
            // The run was lost before anything was recorded, so it begins now.
            let session = Self::start(
                plan, run.run_id, run.inputs, world, how.notes, wall, commands,
            );
            return Ok(session);
        }
        let timeout = plan.timeout_ms();
        let mut session = Self::new(plan, run.run_id, Map::new(), world);
        let recovered = recover_imported(
            run.plans,
            run.inputs,
            run.records,
            how.budget.is_some(),
            how.imported_records,
        )?;
        if let Some((path, _)) = &how.answer {
            let waiting = recovered
                .executions
                .iter()
                .filter(|execution| execution.waits());
            let waiting: Vec<_> = waiting.map(|execution| execution.path.as_str()).collect();
            if !waiting.contains(&path.as_str()) {
                return Err(not_waiting(path, &waiting));
            }
        }
        session.restore_position(
            run.records,
            &recovered,
            how.budget.is_some(),
            (!how.taken_over).then_some(wall),
        );
        session.allowed_calls = AllowedCalls::read(run.records, how.imported_records);
        let gap = match how.taken_over {
            true => wall.saturating_sub(recovered.last_at),
            false => 0,
        };
        session.now = wall.saturating_sub(session.suspended_ms);
        let began = run.records.first().map_or(session.now, |record| record.at);
        let spent = u64::try_from(session.now.saturating_sub(began)).unwrap_or(0);
        // Time in which a step waited for a quota does not count.
        let spent = spent.saturating_sub(recovered.run.parked_ms(session.now));
        let left = timeout.map(|timeout| timeout.saturating_sub(spent));
        session.continue_open(
            recovered,
            how,
            left,
            u64::try_from(gap).unwrap_or(0),
            commands,
        );
        Ok(session)
    }

    /// Ends a suspended run as stopped, at the end of its journal, and returns its session. No node is executed. If a resource
    /// must still be closed, the run is over only after that.
    ///
    /// # Errors
    /// `journal_diverged` if the flow no longer produces what is recorded.
    pub fn end(
        run: Recorded<'_>,
        world: World,
        wall: i64,
        commands: &mut Vec<Command>,
    ) -> Result<Self, NodeError> {
        let plan = Arc::clone(run.plans.last());
        let mut session = Self::new(plan, run.run_id, run.inputs.clone(), world);
        if run.records.is_empty() {
            // The run was lost before anything was recorded. It must start before it can end.
            session.now = wall;
            session.feed(Input::Start, commands);
        } else {
            let recovered = recover(run.plans, run.inputs, run.records, false)?;
            session.restore_position(run.records, &recovered, false, Some(wall));
            session.now = wall.saturating_sub(session.suspended_ms);
            session.take_over(recovered.run);
            if session.run.status().is_none() {
                session.record(String::new(), None, journal::Input::RunResumed, commands);
            }
            for (path, node, entry) in recovered.unwritten {
                session.record(path, node, entry, commands);
            }
            let closing = |open: &OpenResource| matches!(open, OpenResource::Closing(_));
            for resource in recovered.resources.into_iter().filter(closing) {
                session.continue_resource(resource, commands);
            }
        }
        if session.run.status().is_none() {
            session.feed(Input::Cancel, commands);
        }
        commands.retain(|command| matches!(command, Command::Write(_) | Command::UseResource(_)));
        Ok(session)
    }

    /// Restores the position at the end of the journal: the run's row, the number of the next record, and the suspended time.
    /// `suspended_until` is the end of a pause after the last record, if nothing ran in that pause.
    fn restore_position(
        &mut self,
        records: &[Record],
        recovered: &Recovered,
        reopened: bool,
        suspended_until: Option<i64>,
    ) {
        for record in effective(records, reopened) {
            self.state.apply(record);
        }
        let last = records.last();
        self.seq = last.map_or(0, |record| record.seq.saturating_add(1));
        let pause =
            suspended_until.map_or(0, |until| until.saturating_sub(recovered.last_at).max(0));
        self.suspended_ms = recovered.suspended_ms.saturating_add(pause);
    }

    fn take_over(&mut self, run: crate::run::Run) {
        self.run = run;
        self.run.set_suspended_ms(self.suspended_ms);
    }

    /// Continues open work. `left` is the remaining time of the run's timeout, in milliseconds; if it is 0, nothing begins.
    /// `gap_ms` is the time, in milliseconds, for which timers continued while no program led the run.
    fn continue_open(
        &mut self,
        recovered: Recovered,
        how: Resumption,
        left: Option<u64>,
        gap_ms: u64,
        commands: &mut Vec<Command>,
    ) {
        self.take_over(recovered.run);
        self.next_call = recovered.next_call;
        if self.run.status().is_some() && recovered.unwritten.is_empty() {
            // All records are written. Only the run's row had not been updated.
            return;
        }
        let entry = match how.taken_over {
            true => journal::Input::RunTakenOver,
            false => journal::Input::RunResumed,
        };
        self.record(String::new(), None, entry, commands);
        self.notes = how.notes;
        self.record_notes(commands);
        for (path, node, entry) in recovered.unwritten {
            self.record(path, node, entry, commands);
        }
        self.limit(left, commands);
        if self.run.status().is_some() {
            return;
        }
        let mut inputs: Vec<Input> = how.budget.map(Input::Budget).into_iter().collect();
        if self.run.is_paused() {
            inputs.push(Input::Continue);
        }
        // Executions inside a loop wait until its resource is open.
        for resource in recovered.resources {
            self.continue_resource(resource, commands);
        }
        self.restore_gates(&recovered.executions, commands);
        let mut answer = how.answer;
        for execution in recovered.executions {
            let given = match &answer {
                Some((path, _)) if *path == execution.path && execution.waits() => {
                    answer.take().map(|(_, answer)| answer)
                }
                _ => None,
            };
            inputs.extend(self.reopen(execution, given, commands));
        }
        for timer in recovered.timers {
            if timer.is_held {
                self.held.insert(timer.ticket, timer.left_ms);
                continue;
            }
            let name = Timer::Flow(timer.ticket);
            let left_ms = timer.left_ms.saturating_sub(gap_ms);
            self.start_timer(name, left_ms, timer.limit, commands);
        }
        self.hold_deadline(commands);
        for input in inputs {
            self.feed(input, commands);
        }
        self.serve_gates(commands);
    }

    /// Continues a node execution that a crash or a question left open. Returns the next input for the core, or `None` if
    /// the core receives none yet.
    fn reopen(
        &mut self,
        execution: OpenExecution,
        given: Option<Answer>,
        commands: &mut Vec<Command>,
    ) -> Option<Input> {
        let plan = Arc::clone(&self.plan);
        let planned = &plan.nodes[execution.node];
        let begun = execution.begun && !execution.is_unspent();
        let OpenExecution {
            ticket,
            node,
            path,
            input,
            asked,
            answer,
            edited,
            cut_off,
            failed,
            spent,
            codes,
            again_at,
            parked,
            is_parked,
            answered_elsewhere,
            imported_question,
            expires,
            ..
        } = execution;
        let mut attempt = Attempt::new(node, path.clone(), planned.effect == EffectClass::Pure);
        // Attempts that a person ended count, even without a retry policy.
        if failed > 0 {
            attempt.failed = failed;
        }
        let before = FailedAttempts { used: spent, codes };
        attempt.before = (failed > 0 || parked.is_some()).then(|| Box::new(before));
        attempt.parked_since = parked.as_ref().map(|parked| parked.since);
        let asked_here = cut_off
            && planned.effect != EffectClass::Pure
            && planned.when_interrupted == WhenInterrupted::Ask;
        let not_again = |answer: &Answer| asked_here && !answer.approved;
        if asked && answer.is_none() {
            let asking = Asking {
                attempt,
                input,
                expires,
                is_repetition: asked_here,
                edited,
                imported_question,
            };
            return match given {
                Some(given) => self.answer_question(ticket, asking, given, commands),
                // The question is still open. So the core receives no input, unless the question has expired.
                None => self.expect_answer(ticket, asking, commands),
            };
        }
        // An answer from another store is ignored, so the person who continues the run here is asked.
        let answer = answer.filter(|_| !answered_elsewhere).map(Box::new);
        if answer.as_deref().is_some_and(not_again) {
            return Some(self.not_done_again(ticket, node));
        }
        if is_parked && let Some(parked) = &parked {
            attempt.parked = Some(self.gate_of(parked));
            attempt.again = Some(Box::new((input, answer)));
            self.attempts.insert(ticket, attempt);
            return None;
        }
        if planned.effect == EffectClass::Pure || !begun {
            self.begin_in_resource(ticket, attempt, input, answer, commands);
            return None;
        }
        if let Some(left_ms) = again_at.and_then(|at| self.left_of_pause(at))
            && planned.retry.is_some()
        {
            // The run was interrupted between two attempts. The rest of the pause is kept, because a server may have
            // requested it.
            attempt.again = Some(Box::new((input, answer)));
            self.attempts.insert(ticket, attempt);
            self.start_timer(Timer::Retry(ticket), left_ms, false, commands);
            return None;
        }
        let then = match (planned.when_interrupted, self.approve) {
            (WhenInterrupted::Ask, ApprovalPolicy::All) => WhenInterrupted::Repeat,
            (WhenInterrupted::Ask, ApprovalPolicy::None) => WhenInterrupted::Fail,
            (then, _) => then,
        };
        match then {
            WhenInterrupted::Repeat => {
                let message = format!(
                    "\"{}\" was interrupted during a call ({path}). The call was repeated.",
                    planned.title
                );
                self.warn(node, "call_repeated", message, commands);
                self.begin_in_resource(ticket, attempt, input, answer, commands);
                None
            }
            WhenInterrupted::Ask => {
                Some(self.ask_to_repeat(ticket, attempt, input, edited, commands))
            }
            WhenInterrupted::Fail => Some(self.not_done_again(ticket, node)),
        }
    }

    /// Returns the remaining time of a pause that ends at `until`, in milliseconds, or `None` if the pause is over.
    fn left_of_pause(&self, until: i64) -> Option<u64> {
        let wall = self.now.saturating_add(self.suspended_ms);
        let left = u64::try_from(until.saturating_sub(wall)).ok()?;
        (left > 0).then_some(left)
    }

    /// Returns whether the execution asks the question `shown`, which was written in another store. `again` is true if the
    /// question is about repeating an interrupted call.
    pub(super) fn asks(
        &self,
        node: NodeIx,
        input: &NodeInput,
        again: bool,
        shown: &(Question, Arc<Value>),
    ) -> bool {
        if again {
            let asked = self.ask_again(Ticket(0), node, input.clone(), None);
            return matches!(asked, Input::NodeWaiting { question, value, .. } if (&question, &value) == (&shown.0, &shown.1));
        }
        let Work::Execute(execute) = &self.plan.nodes[node].work else {
            return false;
        };
        let context = NodeContext {
            path: String::new(),
            services: Arc::clone(&self.services),
            tokens: TokenSink::default(),
            cancel: CancellationToken::new(),
            trust_log: TrustLog::default(),
            transcript: TranscriptLog::default(),
            calls: Calls::default(),
            kept: Kept::default(),
            unbounded_work: UnboundedWork::default(),
            approve: ApprovalPolicy::Ask,
            answer: None,
            allowed_calls: Vec::new(),
            resource: None,
        };
        // The execution has no side effects, because no future is polled.
        let asked = compute::in_place(|| execute.run(input, &context));
        matches!(asked, Some(Step::Waiting { question, value, .. }) if (&question, &value) == (&shown.0, &shown.1))
    }

    /// Returns the core's input for an execution that waits for a person to decide whether its interrupted call is repeated.
    /// The question names the call if the node can identify it.
    fn ask_again(
        &self,
        ticket: Ticket,
        node: NodeIx,
        input: NodeInput,
        edited: Option<Value>,
    ) -> Input {
        let planned = &self.plan.nodes[node];
        let call = match &planned.work {
            Work::Execute(execute) => compute::in_place(|| execute.tool_call(&input)).flatten(),
            _ => None,
        };
        let (tool, value) = match call {
            Some(ToolCall { tool, args }) => {
                (Some(tool), Arc::new(edited.unwrap_or(Value::Object(args))))
            }
            None => (None, input.input.unwrap_or_default()),
        };
        let title = planned.title.to_string();
        let question = Question::Repeat { title, tool };
        Input::NodeWaiting {
            ticket,
            expires: self.expiry(&question, None).map(Box::new),
            question,
            value,
        }
    }

    /// Returns the input of [`Self::ask_again`], and keeps the attempt until the question is answered or expires.
    pub(super) fn ask_to_repeat(
        &mut self,
        ticket: Ticket,
        attempt: Attempt,
        input: NodeInput,
        edited: Option<Value>,
        commands: &mut Vec<Command>,
    ) -> Input {
        let asked = self.ask_again(ticket, attempt.node, input.clone(), edited.clone());
        if let Input::NodeWaiting { expires, .. } = &asked {
            let asking = Asking {
                attempt,
                input,
                expires: expires.as_deref().cloned(),
                is_repetition: true,
                edited,
                imported_question: None,
            };
            // The question has just been asked, so it has not expired.
            self.expect_answer(ticket, asking, commands);
        }
        asked
    }

    /// Returns the core's input that fails an interrupted execution, because its call is not repeated.
    pub(super) fn not_done_again(&self, ticket: Ticket, node: NodeIx) -> Input {
        Input::NodeFinished {
            ticket,
            result: Err(Box::new(NodeError::new(
                "interrupted",
                format!(
                    "\"{}\" was interrupted during a call. The call was not repeated.",
                    self.plan.nodes[node].title
                ),
            ))),
            state: None,
        }
    }
}
