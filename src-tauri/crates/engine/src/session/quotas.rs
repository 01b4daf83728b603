//! Waits for quotas. If a refusal means that a quota is used up but will reset, the execution is parked instead of failing.
//!
//! Each quota has a gate. While the gate is closed, no execution sends a call against the quota: an execution that would do
//! so is parked as well. When the wait is over, one execution continues. If its call is answered, the others follow one
//! after another. If it is refused again, all of them wait again.

use std::sync::Arc;

use futures::{
    channel::mpsc,
    future::{BoxFuture, FutureExt as _, ready},
};
use loopwright_model::EffectClass;

use super::{
    Command, Session, Timer,
    attempts::with_sentence,
    message::Message,
    quota_gates::{ClosedQuotas, Gate, GateState},
};
use crate::{
    calls::Calls,
    cancel::CancellationToken,
    duration::in_seconds,
    host::{ModelContext, ModelReply, ModelRequest, Models, Quote},
    jitter::spread,
    journal::{Parked, RunParked},
    outcome::{NodeError, QUOTA_CLOSED},
    plan::{Retry, WhenInterrupted},
    quota::{Quota, TRIAL_MS, gap, spread_wait, unnamed_wait},
    run::{Input, Ticket, recover::OpenExecution},
};

/// The maximum time, in milliseconds, between two checks of the clock during a wait. The timers of a host may stop while the
/// computer sleeps, but the clock does not.
const LOOK_EVERY_MS: u64 = 60_000;

/// The maximum time, in milliseconds, between two checks of whether another run's call against the quota has been answered.
const LOOK_AT_OTHERS_MS: u64 = 1_000;

/// Two ends of a wait that differ by less than this, in milliseconds, are treated as equal.
const SAME_MS: i64 = 1_000;

/// Returns the time `millis` milliseconds after `at`, which is in milliseconds since the Unix epoch.
fn after(at: i64, millis: u64) -> i64 {
    at.saturating_add(i64::try_from(millis).unwrap_or(i64::MAX))
}

/// Models that send no call against a closed quota, and add the quota to each refusal.
pub(super) struct Metered {
    pub(super) models: Arc<dyn Models>,
    pub(super) closed: ClosedQuotas,
    /// The key of the closed quota against which the execution may send calls; `None` if there is no such quota.
    pub(super) passes: Option<Arc<str>>,
    pub(super) ticket: Ticket,
    pub(super) messages: mpsc::UnboundedSender<Message>,
}

impl Models for Metered {
    fn quote(&self, request: &ModelRequest) -> Quote {
        self.models.quote(request)
    }

    fn quota(&self, request: &ModelRequest) -> Quota {
        self.models.quota(request)
    }

    fn call(
        &self,
        request: ModelRequest,
        cx: ModelContext,
    ) -> BoxFuture<'static, Result<ModelReply, NodeError>> {
        let quota = self.models.quota(&request);
        let passes = self.passes.as_deref();
        if let Err(error) = self.closed.check(&quota, passes) {
            return ready(Err(error)).boxed();
        }
        let tries = passes == Some(&quota.key);
        let called = self.models.call(request, cx);
        let (ticket, messages) = (self.ticket, self.messages.clone());
        async move {
            let reply = called.await.map_err(|error| error.against(quota))?;
            if tries {
                // Sending fails if the run has finished. A finished run waits for nothing.
                let _ = messages.unbounded_send(Message::QuotaAnswered { ticket });
            }
            Ok(reply)
        }
        .boxed()
    }
}

impl Session {
    /// Returns the time of the wall clock, in milliseconds since the Unix epoch.
    pub(super) fn wall(&self) -> i64 {
        self.now.saturating_add(self.suspended_ms)
    }

    /// Of the quotas that the run waits for, returns the one that resets first, or `None` if the run waits for no quota.
    pub fn parked(&self) -> Option<RunParked> {
        let gate = self.quotas.next()?;
        Some(RunParked {
            name: gate.quota.name.clone(),
            until: gate.until,
        })
    }

    /// Returns whether an execution that failed with `error` may be repeated. An execution that may have changed something
    /// is repeated only if the node allows it.
    fn may_repeat(&self, ticket: Ticket, error: &NodeError) -> bool {
        self.attempts.get(ticket).is_some_and(|attempt| {
            let planned = &self.plan.nodes[attempt.node];
            planned.effect != EffectClass::Writes
                || planned.when_interrupted == WhenInterrupted::Repeat
                || (!error.is_uncertain() && error.usage.is_none())
        })
    }

    /// Returns whether the call was refused because of a known quota, and its execution may be repeated when the quota resets.
    fn is_quota_refusal(&self, ticket: Ticket, error: &NodeError) -> bool {
        error.is_refusal() && error.quota().is_some() && self.may_repeat(ticket, error)
    }

    /// Returns how long an execution waits for its quota after `refusals` refusals in a row, in milliseconds. Returns `None` if
    /// it does not wait: the requested wait is short enough for an ordinary retry, or the error does not say that a quota is
    /// used up.
    fn quota_wait(&self, ticket: Ticket, error: &NodeError, refusals: u32) -> Option<u64> {
        let attempt = self.attempts.get(ticket)?;
        let retry = self.plan.nodes[attempt.node].retry.as_ref();
        let longest = retry.map_or(Retry::LONGEST_ASKED_MS, |retry| retry.max_asked_ms);
        let asked = error.retry_after_ms();
        if let Some(asked) = asked.filter(|asked| *asked > longest) {
            return Some(asked);
        }
        let is_retried =
            retry.is_some_and(|retry| attempt.failed < retry.count && retry.covers(error));
        if !error.is_used_up() || (asked.is_some() && is_retried) {
            return None;
        }
        // Some servers name a time that is too short for the quota that is used up, so the named time is used only for the
        // first refusal.
        let unnamed = unnamed_wait(refusals);
        Some(match asked {
            Some(asked) if refusals <= 1 => asked,
            Some(asked) => asked.max(unnamed),
            None => unnamed,
        })
    }

    /// Parks the execution of an attempt that failed with `error`, if the quota of its call is used up and resets in time.
    /// Returns whether it was parked.
    pub(super) fn parks(
        &mut self,
        ticket: Ticket,
        error: &NodeError,
        commands: &mut Vec<Command>,
    ) -> bool {
        let longest = self.plan.quota_wait_ms();
        let Some(quota) = error.quota().filter(|_| longest > 0) else {
            return false;
        };
        let wall = self.wall();
        let number = self.quotas.gate_of(quota);
        if error.code == QUOTA_CLOSED {
            let Some(gate) = self.quotas.gates.get_mut(number) else {
                return false;
            };
            if gate.state == GateState::Open {
                if let Some(left_ms) = self.quotas.closed.closed_elsewhere(&quota.key) {
                    // A call of another run was refused.
                    let refusals = gate.refusals;
                    self.close_gate(number, after(wall, left_ms), refusals, commands);
                } else {
                    // The gate was opened after the call was abandoned, so the execution continues immediately.
                    gate.state = GateState::Opening { is_due: true };
                    self.quotas.closed.set(&quota.key, true);
                }
            }
            let until = self
                .quotas
                .gates
                .get(number)
                .map_or(wall, |gate| gate.until)
                .max(wall);
            let parks = self.may_wait(ticket, until) && self.may_repeat(ticket, error);
            if parks {
                self.park(ticket, number, error, until, false, commands);
            }
            return parks;
        }
        if !self.is_quota_refusal(ticket, error) {
            return false;
        }
        let Some(gate) = self.quotas.gates.get(number) else {
            return false;
        };
        // Calls that were already in progress when the first one was refused are refused for the same reason, so the number of
        // refusals does not grow.
        let (is_closed, before) = (gate.state == GateState::Closed, gate.until);
        let refusals = match is_closed {
            true => gate.refusals,
            false => gate.refusals.saturating_add(1),
        };
        let Some(wait_ms) = self.quota_wait(ticket, error, refusals) else {
            return false;
        };
        let wait_ms = spread_wait(wait_ms, spread(&self.run_id, &quota.key, refusals));
        let ends = after(wall, wait_ms);
        let until = match is_closed {
            true if error.retry_after_ms().is_none() || ends <= before.saturating_add(SAME_MS) => {
                before
            }
            true => ends.max(before),
            false => ends,
        };
        if !self.may_wait(ticket, until) {
            return false;
        }
        if !is_closed || until > before {
            self.close_gate(number, until, refusals, commands);
            if let Some(shared) = &self.quotas.closed.shared {
                shared.refused(&quota.key, until);
            }
        }
        self.park(ticket, number, error, until, true, commands);
        if !is_closed || until > before {
            self.park_others(number, Some(ticket), error, commands);
        }
        true
    }

    /// Returns whether an execution may wait until `until`, given how long it has already waited.
    fn may_wait(&self, ticket: Ticket, until: i64) -> bool {
        let Some(attempt) = self.attempts.get(ticket) else {
            return false;
        };
        let since = attempt.parked_since.unwrap_or_else(|| self.wall());
        let wait_ms = u64::try_from(until.saturating_sub(since)).unwrap_or(0);
        wait_ms <= self.plan.quota_wait_ms()
    }

    /// Returns the message to add if the call was not parked only because its quota resets too late. Otherwise returns `None`.
    pub(super) fn why_not_parked(&self, ticket: Ticket, error: &NodeError) -> Option<String> {
        let longest = self.plan.quota_wait_ms();
        if longest == 0 {
            return None;
        }
        let wait_ms = match error.code == QUOTA_CLOSED {
            true => {
                let of_error = |gate: &&Gate| Some(&gate.quota) == error.quota();
                let gate = self.quotas.gates.iter().find(of_error)?;
                u64::try_from(gate.until.saturating_sub(self.wall())).unwrap_or(0)
            }
            false if self.is_quota_refusal(ticket, error) => self.quota_wait(ticket, error, 1)?,
            false => return None,
        };
        Some(format!(
            "The step did not wait for the quota, which resets in {}: `quotaWait` of the workflow allows a step to wait {} in all. \
             Run the flow again after the quota has reset, or raise `quotaWait`.",
            in_seconds(wait_ms),
            in_seconds(longest)
        ))
    }

    /// Closes a gate until `until`, in milliseconds since the Unix epoch. `refusals` is the number of consecutive refusals.
    fn close_gate(
        &mut self,
        number: usize,
        until: i64,
        refusals: u32,
        commands: &mut Vec<Command>,
    ) {
        let wall = self.wall();
        let Some(gate) = self.quotas.gates.get_mut(number) else {
            return;
        };
        gate.state = GateState::Closed;
        gate.closed_at = wall;
        gate.until = until;
        gate.refusals = refusals;
        self.quotas.closed.set(&gate.quota.key, true);
        self.start_wait(number, commands);
    }

    /// Starts the timer until the end of a wait, or until the next check of the clock and of what other runs know.
    fn start_wait(&mut self, number: usize, commands: &mut Vec<Command>) {
        let wall = self.wall();
        let Some(gate) = self.quotas.gates.get(number) else {
            return;
        };
        let left = u64::try_from(gate.until.saturating_sub(wall)).unwrap_or(0);
        let look = match self.quotas.closed.shared {
            // The call of another run that finds out whether the quota has been reset may be answered soon.
            Some(_) if left <= TRIAL_MS => LOOK_AT_OTHERS_MS,
            _ => LOOK_EVERY_MS,
        };
        // The run waits for the parked executions, not for the timer.
        self.start_timer(Timer::Quota(number), left.min(look), true, commands);
    }

    /// Parks an execution until `until`, in milliseconds since the Unix epoch. `sent` is true if its call was sent and refused.
    fn park(
        &mut self,
        ticket: Ticket,
        number: usize,
        error: &NodeError,
        until: i64,
        sent: bool,
        commands: &mut Vec<Command>,
    ) {
        let wall = self.wall();
        let (Some(attempt), Some(gate)) = (
            self.attempts.get_mut(ticket),
            self.quotas.gates.get_mut(number),
        ) else {
            return;
        };
        // A late result of this attempt must not be taken for the result of the next one.
        attempt.number += 1;
        attempt.cancel = CancellationToken::new();
        attempt.calls = Calls::default();
        attempt.passes = None;
        attempt.parked = Some(number);
        let since = *attempt.parked_since.get_or_insert(wall);
        if !error.usage.is_none() {
            let before = attempt.before.get_or_insert_default();
            before.used.add(&error.usage);
        }
        gate.waiting.insert(ticket);
        let node = attempt.node;
        let parked = Parked {
            error: Box::new(error.clone()),
            quota: gate.quota.clone(),
            until,
            since,
            refusals: gate.refusals,
            sent,
        };
        self.stop_timer(Timer::Attempt(ticket), commands);
        self.stop_timer(Timer::Retry(ticket), commands);
        if sent {
            self.warn_of_repetition(node, error, commands);
        }
        let parked = Box::new(parked);
        self.feed(Input::NodeParked { ticket, parked }, commands);
    }

    /// Records the new end of the wait for all executions at a gate except `refused`. Executions that may not wait that long
    /// fail.
    fn park_others(
        &mut self,
        number: usize,
        refused: Option<Ticket>,
        error: &NodeError,
        commands: &mut Vec<Command>,
    ) {
        let Some(gate) = self.quotas.gates.get(number) else {
            return;
        };
        let until = gate.until;
        let others: Vec<Ticket> = gate.waiting.iter().copied().collect();
        let error = error.clone().passed_on();
        for ticket in others.into_iter().filter(|&ticket| Some(ticket) != refused) {
            // The failure of one execution may have ended others.
            if self.attempts.get(ticket).is_none() {
                continue;
            }
            if self.may_wait(ticket, until) {
                self.park(ticket, number, &error, until, false, commands);
            } else {
                self.fail_parked(ticket, &error, commands);
            }
        }
    }

    /// Fails a parked execution whose quota resets too late.
    fn fail_parked(&mut self, ticket: Ticket, error: &NodeError, commands: &mut Vec<Command>) {
        let why = self.why_not_parked(ticket, error);
        let Some(attempt) = self.close(ticket, commands) else {
            return;
        };
        let mut error = error.clone();
        if let Some(words) = why {
            error.message = with_sentence(&error.message, &words);
        }
        if let Some(before) = &attempt.before {
            error.usage.add(&before.used);
        }
        let finished = Input::NodeFinished {
            ticket,
            result: Err(Box::new(error)),
            state: None,
        };
        self.feed(finished, commands);
    }

    /// Handles the end of a wait, or of the time between two executions that continue after it.
    pub(super) fn quota_timer_fired(&mut self, number: usize, commands: &mut Vec<Command>) {
        let wall = self.wall();
        let Some(gate) = self.quotas.gates.get_mut(number) else {
            return;
        };
        let shared = self.quotas.closed.shared.as_ref();
        match gate.state {
            GateState::Closed if gate.until > wall => {
                let answered_at = shared.and_then(|shared| shared.answered_at(&gate.quota.key));
                if answered_at.is_some_and(|at| at > gate.closed_at) {
                    // The quota was reset early, as a call of another run found out.
                    gate.state = GateState::Due;
                    return;
                }
                self.start_wait(number, commands);
            }
            GateState::Closed => {
                let waits = !gate.waiting.is_empty();
                let trial = shared
                    .filter(|_| waits)
                    .map(|shared| shared.begin_trial(&gate.quota.key));
                match trial {
                    Some(Err(left_ms)) => self.wait_for_others(number, left_ms, commands),
                    Some(Ok(())) | None => gate.state = GateState::Due,
                }
            }
            GateState::Opening { .. } => gate.state = GateState::Opening { is_due: true },
            GateState::Open | GateState::Due | GateState::Trying(_) => {}
        }
    }

    /// Keeps a gate closed for `left_ms` more milliseconds after its wait has ended: the quota has refused another run until
    /// then, or another run is still testing the quota with a trial call.
    fn wait_for_others(&mut self, number: usize, left_ms: u64, commands: &mut Vec<Command>) {
        let until = after(self.wall(), left_ms);
        let Some(gate) = self.quotas.gates.get(number) else {
            return;
        };
        if left_ms > TRIAL_MS {
            // A call of another run was refused again.
            let (refusals, error) = (gate.refusals, NodeError::quota_closed(&gate.quota));
            self.close_gate(number, until, refusals, commands);
            self.park_others(number, None, &error, commands);
        } else {
            let pause = left_ms.min(LOOK_AT_OTHERS_MS);
            self.start_timer(Timer::Quota(number), pause, true, commands);
        }
    }

    /// Notes that the call of an execution was answered, or that the execution ended in another way. If other executions at its
    /// gate waited for that, they now continue one after another.
    pub(super) fn quota_tried(&mut self, ticket: Ticket, commands: &mut Vec<Command>) {
        let tried = |gate: &Gate| gate.state == GateState::Trying(ticket);
        let Some(number) = self.quotas.gates.iter().position(tried) else {
            return;
        };
        if let Some(gate) = self.quotas.gates.get_mut(number) {
            gate.refusals = 0;
            gate.state = GateState::Opening { is_due: false };
            if let Some(shared) = &self.quotas.closed.shared {
                shared.answered(&gate.quota.key);
            }
        }
        self.start_gap(number, ticket, commands);
    }

    /// Starts the timer until the next execution continues, after the execution `ticket` has continued.
    fn start_gap(&mut self, number: usize, ticket: Ticket, commands: &mut Vec<Command>) {
        let path = self.attempts.get(ticket);
        let spread = path.map_or(0.0, |attempt| spread(&self.run_id, &attempt.path, 0));
        self.start_timer(Timer::Quota(number), gap(spread), true, commands);
    }

    /// Lets executions continue at the gates whose wait is over, and opens the gates at which no execution waits any longer.
    pub(super) fn serve_gates(&mut self, commands: &mut Vec<Command>) {
        for number in 0..self.quotas.gates.len() {
            let has_room = self.run.has_room();
            let Some(gate) = self.quotas.gates.get_mut(number) else {
                continue;
            };
            let first = gate.waiting.first().copied();
            match (gate.state, first) {
                (GateState::Due | GateState::Opening { .. }, None) => {
                    gate.state = GateState::Open;
                    self.quotas.closed.set(&gate.quota.key, false);
                    self.stop_timer(Timer::Quota(number), commands);
                }
                (GateState::Due, Some(first)) if has_room => {
                    gate.state = GateState::Trying(first);
                    self.leave(number, first, commands);
                }
                (GateState::Opening { is_due: true }, Some(first)) if has_room => {
                    gate.state = GateState::Opening { is_due: false };
                    self.start_gap(number, first, commands);
                    self.leave(number, first, commands);
                }
                _ => {}
            }
        }
    }

    /// Begins another attempt of a parked execution, whose wait is over.
    fn leave(&mut self, number: usize, ticket: Ticket, commands: &mut Vec<Command>) {
        let (Some(gate), Some(attempt)) = (
            self.quotas.gates.get_mut(number),
            self.attempts.get_mut(ticket),
        ) else {
            return;
        };
        gate.waiting.remove(&ticket);
        attempt.parked = None;
        attempt.has_slept = false;
        attempt.passes = Some(Arc::from(&*gate.quota.key));
        self.feed(Input::NodeUnparked { ticket }, commands);
        self.try_again(ticket, commands);
    }

    /// Begins another attempt of a parked execution immediately, for a person who does not want to wait any longer.
    pub(super) fn try_now(&mut self, ticket: Ticket, commands: &mut Vec<Command>) {
        let Some(number) = self.attempts.get(ticket).and_then(|attempt| attempt.parked) else {
            return;
        };
        if let Some(gate) = self.quotas.gates.get_mut(number)
            && matches!(gate.state, GateState::Closed | GateState::Due)
        {
            gate.state = GateState::Trying(ticket);
            self.stop_timer(Timer::Quota(number), commands);
        }
        self.leave(number, ticket, commands);
    }

    /// Begins another attempt of one parked execution for each quota that the run waits for.
    pub(super) fn try_quotas(&mut self, commands: &mut Vec<Command>) {
        let first = |gate: &Gate| gate.waiting.first().copied();
        let firsts: Vec<Ticket> = self.quotas.gates.iter().filter_map(first).collect();
        for ticket in firsts {
            self.try_now(ticket, commands);
        }
    }

    /// Restores the waits of executions when a run is resumed. Executions that a fork keeps begin again, so only their gates
    /// are closed.
    pub(super) fn restore_gates(
        &mut self,
        executions: &[OpenExecution],
        commands: &mut Vec<Command>,
    ) {
        let wall = self.wall();
        for execution in executions {
            let Some(parked) = &execution.parked else {
                continue;
            };
            let number = self.quotas.gate_of(&parked.quota);
            let Some(gate) = self.quotas.gates.get_mut(number) else {
                continue;
            };
            if !execution.is_parked && parked.until <= wall {
                gate.refusals = gate.refusals.max(parked.refusals);
                continue;
            }
            if execution.is_parked {
                gate.waiting.insert(execution.ticket);
            }
            let (until, refusals) = (
                gate.until.max(parked.until),
                gate.refusals.max(parked.refusals),
            );
            self.close_gate(number, until, refusals, commands);
        }
    }

    /// Returns the number of the gate at which an execution of a resumed run is parked.
    pub(super) fn gate_of(&mut self, parked: &Parked) -> usize {
        self.quotas.gate_of(&parked.quota)
    }

    /// Returns the time until a quota that the run waits for resets, in milliseconds from `wall`. Of several quotas, the first
    /// to reset counts. Returns `None` if the run waits for no quota.
    pub fn quota_left(&self, wall: i64) -> Option<u64> {
        let gate = self.quotas.next()?;
        Some(u64::try_from(gate.until.saturating_sub(wall)).unwrap_or(0))
    }

    /// Holds the time limit of the run while an execution is parked, and continues it afterwards.
    pub(super) fn hold_deadline(&mut self, commands: &mut Vec<Command>) {
        match (self.run.is_parked(), self.held_deadline) {
            (true, None) => {
                self.held_deadline = self.stop_limit(Timer::Deadline, commands);
            }
            (false, Some(left_ms)) => {
                self.held_deadline = None;
                self.start_timer(Timer::Deadline, left_ms, true, commands);
            }
            _ => {}
        }
    }

    /// Stops a timer and returns its remaining time in milliseconds, or `None` if it was not running.
    pub(super) fn stop_limit(&mut self, timer: Timer, commands: &mut Vec<Command>) -> Option<u64> {
        let due = self.timers.get(&timer)?.due;
        self.stop_timer(timer, commands);
        Some(u64::try_from(due.saturating_sub(self.now)).unwrap_or(0))
    }
}
