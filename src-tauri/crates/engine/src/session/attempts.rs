//! Attempts at a node. An attempt finishes, times out or is cancelled. If the node's policy allows it, a failed attempt is
//! followed by a recorded pause and another attempt.

use std::sync::Arc;

use loopwright_model::{
    EffectClass,
    graph::NodeIx,
    value::{DEEPEST, is_within},
};
use serde_json::Value;

use super::{
    Asking, Command, Session, Timer,
    attempt::{Attempt, FailedAttempts},
    ended::{Ended, EndedWork, ExecutionEnd, How},
    execution::Execution,
    permit::UnboundedWork,
};
use crate::{
    answer::Answer,
    calls::Calls,
    cancel::CancellationToken,
    host::TokenSink,
    jitter::spread,
    journal::{self, Retried},
    kind::{NodeContext, NodeInput},
    outcome::{NodeError, Settled},
    resources::Resource,
    run::{Input, Ticket},
    transcript::TranscriptLog,
    trust::TrustLog,
};

/// The pause, in milliseconds, before a call is repeated because its connection broke while the computer slept. After waking,
/// the computer needs a few seconds to restore its network.
const PAUSE_AFTER_SLEEP_MS: u64 = 5_000;

impl Session {
    /// Begins an attempt. `around` is the resource around the node, and whether the node may change the resource.
    pub(super) fn begin(
        &mut self,
        ticket: Ticket,
        mut attempt: Attempt,
        input: NodeInput,
        answer: Option<Box<Answer>>,
        around: Option<(Box<Resource>, bool)>,
        commands: &mut Vec<Command>,
    ) {
        let planned = &self.plan.nodes[attempt.node];
        // A read can be repeated at a person's request, and a refused call waits for its quota, even without a retry policy.
        // The input and the answer are kept for these cases.
        if planned.effect != EffectClass::Pure {
            attempt.again = Some(Box::new((input.clone(), answer.clone())));
        }
        let timeout_ms = planned.timeout_ms;
        // A pure computation makes no calls and leaves no notes, so its context does not record any.
        let (services, trust_log, transcript, unbounded_work) =
            if planned.effect == EffectClass::Pure {
                (
                    Arc::clone(&self.services),
                    TrustLog::default(),
                    TranscriptLog::default(),
                    UnboundedWork::default(),
                )
            } else {
                let passes = attempt.passes.clone();
                (
                    Arc::new(self.services(ticket, &attempt.path, timeout_ms, passes.clone())),
                    self.trust_log(attempt.node, attempt.path.clone()),
                    self.transcript(attempt.node, attempt.path.clone()),
                    self.unbounded_work(ticket, &attempt.path, passes),
                )
            };
        let (resource, changes_resource) = around.unzip();
        let context = NodeContext {
            path: attempt.path.clone(),
            services,
            tokens: TokenSink::default(),
            cancel: attempt.cancel.clone(),
            trust_log,
            transcript,
            calls: attempt.calls.clone(),
            kept: attempt.kept.clone(),
            unbounded_work,
            approve: self.approve,
            answer,
            allowed_calls: self.allowed_calls.at(&attempt.path),
            resource: resource.map(Arc::from),
        };
        commands.push(Command::Execute(Box::new(Execution {
            node: attempt.node,
            context,
            ticket,
            attempt: attempt.number,
            input,
            plan: self.plan.clone(),
            changes_resource: changes_resource == Some(true),
        })));
        self.attempts.insert(ticket, attempt);
        if let Some(timeout_ms) = timeout_ms {
            self.start_timer(Timer::Attempt(ticket), timeout_ms, true, commands);
        }
    }

    /// Removes the attempt of a ticket and stops its timers. Returns the removed attempt; `None` if the ticket has no attempt.
    pub(super) fn close(&mut self, ticket: Ticket, commands: &mut Vec<Command>) -> Option<Attempt> {
        let attempt = self.attempts.remove(ticket)?;
        self.quotas.forget(ticket);
        self.stop_timer(Timer::Attempt(ticket), commands);
        self.stop_timer(Timer::Retry(ticket), commands);
        Some(attempt)
    }

    pub(super) fn ended(&mut self, ended: Ended, commands: &mut Vec<Command>) {
        let ExecutionEnd {
            ticket,
            attempt: number,
            how,
        } = match ended.0 {
            EndedWork::Execution(end) => end,
            EndedWork::Operation(end) => return self.operated(end, commands),
        };
        // The attempt may have been cancelled at the same moment, or its timeout may have fired first.
        let attempt = self.attempts.get(ticket);
        let Some(attempt) = attempt.filter(|attempt| attempt.number == number) else {
            return;
        };
        let title = &self.plan.nodes[attempt.node].title;
        match how {
            How::Performed(result, state) => {
                let result = not_too_deep(title, result);
                self.performed(ticket, result, state, commands);
            }
            How::Computed(result) => {
                let result = not_too_deep(title, with_spent(result, attempt.before.as_deref()));
                self.close(ticket, commands);
                let finished = Input::NodeFinished {
                    ticket,
                    result,
                    state: None,
                };
                self.feed(finished, commands);
            }
            How::Waits {
                question,
                value,
                time,
                input,
            } => {
                self.quota_tried(ticket, commands);
                let attempt = self.close(ticket, commands);
                let expires = self.expiry(&question, time.map(|time| *time));
                let waiting = Input::NodeWaiting {
                    ticket,
                    question,
                    value,
                    expires: expires.clone().map(Box::new),
                };
                self.feed(waiting, commands);
                if let Some(attempt) = attempt {
                    let asking = Asking {
                        attempt,
                        input: *input,
                        expires,
                        is_repetition: false,
                        edited: None,
                        imported_question: None,
                    };
                    if let Some(input) = self.expect_answer(ticket, asking, commands) {
                        self.feed(input, commands);
                    }
                }
            }
            How::Stopped => {}
        }
    }

    /// Ends an attempt that may have read or changed something outside the run. Another attempt follows if the node's policy
    /// allows it; otherwise the core receives the result.
    fn performed(
        &mut self,
        ticket: Ticket,
        result: Settled,
        state: Option<Arc<Value>>,
        commands: &mut Vec<Command>,
    ) {
        let model = || self.attempts.get(ticket)?.calls.model();
        let result = match result {
            Err(error) if !error.usage.is_none() => Err(Box::new(error.of_model(model()))),
            result => result,
        };
        if let Err(error) = &result
            && (self.parks(ticket, error, commands) || self.retries(ticket, error, commands))
        {
            return;
        }
        self.quota_tried(ticket, commands);
        let why_not_parked = match &result {
            Err(error) => self.why_not_parked(ticket, error),
            Ok(_) => None,
        };
        let Some(attempt) = self.close(ticket, commands) else {
            return;
        };
        let retry = self.plan.nodes[attempt.node].retry.as_ref();
        let before = attempt.before.as_deref();
        let result = result.map_err(|mut error| {
            let why = why_not_parked.or_else(|| retry.and_then(|retry| retry.why_not(&error)));
            let before = before.and_then(FailedAttempts::words);
            for words in [why, before].into_iter().flatten() {
                error.message = with_sentence(&error.message, &words);
            }
            error
        });
        let result = with_spent(result, before);
        let finished = Input::NodeFinished {
            ticket,
            result,
            state,
        };
        self.feed(finished, commands);
    }

    /// Starts another attempt after one that failed with `error`, if the node's policy allows it. If a call that only reads
    /// lost its connection because the computer slept, the call is repeated even without a policy or remaining retries. Returns
    /// whether another attempt follows.
    fn retries(&mut self, ticket: Ticket, error: &NodeError, commands: &mut Vec<Command>) -> bool {
        let plan = self.plan.clone();
        let Some(attempt) = self.attempts.get_mut(ticket) else {
            return false;
        };
        let planned = &plan.nodes[attempt.node];
        let retry = planned.retry.as_ref();
        let covering = retry.filter(|retry| attempt.failed < retry.count && retry.covers(error));
        let Some(retry) = covering else {
            let died_asleep = attempt.has_slept
                && retry.is_none_or(|retry| retry.covers(error))
                && matches!(error.code.as_str(), "network" | "truncated")
                && planned.effect == EffectClass::Reads
                && attempt.again.is_some();
            if died_asleep {
                self.try_after(ticket, error, PAUSE_AFTER_SLEEP_MS, commands);
            }
            return died_asleep;
        };
        let failed = attempt.failed + 1;
        let spread = spread(&self.run_id, &attempt.path, failed);
        let after_ms = retry.pause_after(error, failed, spread);
        self.try_after(ticket, error, after_ms, commands);
        true
    }

    /// Schedules another attempt after an attempt that failed with `error`, and records the pause of `after_ms` milliseconds.
    fn try_after(
        &mut self,
        ticket: Ticket,
        error: &NodeError,
        after_ms: u64,
        commands: &mut Vec<Command>,
    ) {
        let plan = self.plan.clone();
        let Some(attempt) = self.attempts.get_mut(ticket) else {
            return;
        };
        let planned = &plan.nodes[attempt.node];
        attempt.number += 1;
        attempt.failed += 1;
        attempt.has_slept = false;
        let before = attempt.before.get_or_insert_default();
        before.used.add(&error.usage);
        before.codes.push(error.code.clone());
        attempt.cancel = CancellationToken::new();
        attempt.calls = Calls::default();
        let (node, failed, path) = (attempt.node, attempt.failed, attempt.path.clone());
        self.run.note_failed_attempt(ticket, &error.usage);
        self.stop_timer(Timer::Attempt(ticket), commands);
        self.warn_of_repetition(node, error, commands);
        let count = planned.retry.as_ref().map(|retry| retry.count);
        let entry = journal::Input::ExecutionRetried(Retried {
            attempt: failed,
            error: Box::new(error.clone()),
            after_ms,
            attempts: count.map(|count| count.max(failed).saturating_add(1)),
        });
        self.record(path, Some(node), entry, commands);
        self.start_timer(Timer::Retry(ticket), after_ms, false, commands);
    }

    /// Warns that a call is repeated although it may have been answered and charged.
    pub(super) fn warn_of_repetition(
        &mut self,
        node: NodeIx,
        error: &NodeError,
        commands: &mut Vec<Command>,
    ) {
        if error.is_uncertain() {
            let message = format!(
                "A call of \"{}\" failed after it was sent ({}), so it may have been answered and charged. The call was repeated.",
                self.plan.nodes[node].title, error.code
            );
            self.warn(node, "call_repeated", message, commands);
        }
    }

    /// Restarts the call at `path` for a person who does not want to wait any longer: its attempt ends, and another follows
    /// immediately. If the call is parked or between two attempts, skips the rest of the wait. Does nothing if no such call is
    /// in progress, or if the call may change something.
    pub(super) fn ask_once_more(&mut self, path: &str, commands: &mut Vec<Command>) {
        let is_there =
            |(ticket, attempt): (Ticket, &Attempt)| (attempt.path == path).then_some(ticket);
        let Some(ticket) = self.attempts.iter().find_map(is_there) else {
            return;
        };
        if self
            .attempts
            .get(ticket)
            .is_some_and(|it| it.parked.is_some())
        {
            self.try_now(ticket, commands);
            return;
        }
        if self.timers.contains_key(&Timer::Retry(ticket)) {
            self.stop_timer(Timer::Retry(ticket), commands);
            self.try_again(ticket, commands);
            return;
        }
        let Some(attempt) = self.attempts.get(ticket) else {
            return;
        };
        let effect = self.plan.nodes[attempt.node].effect;
        if effect != EffectClass::Reads || attempt.again.is_none() {
            return;
        }
        attempt.cancel.cancel();
        self.lose_calls(ticket, commands);
        let Some(attempt) = self.attempts.get(ticket) else {
            return;
        };
        let error = NodeError::new(
            "asked_again",
            format!(
                "\"{}\" was called again at a person's request, before its answer was complete.",
                self.plan.nodes[attempt.node].title
            ),
        )
        .having_spent(&attempt.calls.so_far())
        .of_model(attempt.calls.model());
        let error = match attempt.calls.is_waiting() {
            true => error.after_sending(),
            false => error,
        };
        self.try_after(ticket, &error, 0, commands);
    }

    pub(super) fn try_again(&mut self, ticket: Ticket, commands: &mut Vec<Command>) {
        if let Some(mut attempt) = self.attempts.remove(ticket)
            && let Some(again) = attempt.again.take()
        {
            let (input, answer) = *again;
            self.begin_in_resource(ticket, attempt, input, answer, commands);
        }
    }

    /// Ends an attempt that exceeded its time limit. The requests that it sent may still have been executed, so they are
    /// counted.
    pub(super) fn timed_out(&mut self, ticket: Ticket, commands: &mut Vec<Command>) {
        let Some(attempt) = self.attempts.get(ticket) else {
            return;
        };
        attempt.cancel.cancel();
        self.lose_calls(ticket, commands);
        let Some(attempt) = self.attempts.get(ticket) else {
            return;
        };
        let planned = &self.plan.nodes[attempt.node];
        let error = NodeError::new(
            "timeout",
            format!(
                "\"{}\" took longer than its timeout of {} s. Raise `timeout`, or make the node do less.",
                planned.title,
                planned.timeout_ms.unwrap_or(0) as f64 / 1000.0
            ),
        )
        .having_spent(&attempt.calls.so_far());
        let changed = planned.effect == EffectClass::Writes && attempt.calls.world_began();
        let error = if changed || attempt.calls.is_waiting() {
            error.after_sending()
        } else {
            error
        };
        self.performed(ticket, Err(Box::new(error)), None, commands);
    }
}

/// Returns a message followed by a sentence. A full stop is added to the message if it has none, because messages from servers
/// may lack one.
pub(super) fn with_sentence(message: &str, more: &str) -> String {
    let message = message.trim_end();
    let ends = message.ends_with(['.', '!', '?', '…', '”']) || message.is_empty();
    format!("{message}{} {more}", if ends { "" } else { "." })
}

/// Returns the result of an execution with the usage of its failed attempts added.
fn with_spent(mut result: Settled, before: Option<&FailedAttempts>) -> Settled {
    let Some(FailedAttempts { used: spent, .. }) = before else {
        return result;
    };
    match &mut result {
        Ok(_) if spent.is_none() => {}
        Ok(outcome) => Arc::make_mut(outcome).usage.add(spent),
        Err(error) => error.usage.add(spent),
    }
    result
}

/// Returns `result`, or an error if one of its values is nested too deeply, so that the error is reported at the node that
/// produced the value, not later when the value is written or read.
fn not_too_deep(title: &str, result: Settled) -> Settled {
    let outcome = result?;
    let fits = |value: &Value| is_within(value, DEEPEST);
    if fits(&outcome.value) && outcome.handles.iter().all(|(_, value)| fits(value)) {
        return Ok(outcome);
    }
    let error = NodeError::new(
        "too_deep",
        format!(
            "The value of \"{title}\" is nested more than {DEEPEST} levels deep. A loop that wraps its own result in a list \
             or an object makes it deeper in every iteration. Pass a value with fewer levels."
        ),
    );
    Err(Box::new(error.having_spent(&outcome.usage)))
}
