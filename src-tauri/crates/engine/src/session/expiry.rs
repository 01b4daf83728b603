//! Questions that expire. The record of a question contains the time at which it expires and the answer that is used then.
//! While a program leads the run, a timer gives that answer. A suspended run gets the answer when it is resumed after that
//! time. If a person answers first, that answer counts, even after the time.

use loopwright_model::{EffectClass, graph::NodeIx};

use super::{Command, Session, Timer, asking::Asking};
use crate::{
    answer::{Answer, Expiry, TimeToAnswer},
    calls::Calls,
    cancel::CancellationToken,
    journal,
    question::Question,
    run::{Input, Ticket},
};

/// The maximum time, in milliseconds, between two checks of the clock while a question waits. The timers of a host may stop
/// while the computer sleeps, but the clock does not.
const LOOK_EVERY_MS: u64 = 60_000;

/// The comment of the answer to an expired question.
const NOBODY_ANSWERED: &str = "Nobody answered in time.";

impl Session {
    /// Returns the time that a person has to answer a question about a tool call. When the time is over, the call is refused.
    /// Returns `None` if the time is not limited, or if the question is about something else.
    pub(super) fn time_to_allow(&self, question: &Question) -> Option<TimeToAnswer> {
        if matches!(question, Question::Approve { .. }) {
            return None;
        }
        Some(TimeToAnswer {
            ms: self.time_to_allow_ms?,
            then: Answer {
                comment: Some(NOBODY_ANSWERED.to_owned()),
                ..Answer::default()
            },
        })
    }

    /// Returns when and how a question that is asked now expires, or `None` if it waits forever. `time` is the time limit that
    /// the node sets, if any.
    pub(super) fn expiry(&self, question: &Question, time: Option<TimeToAnswer>) -> Option<Expiry> {
        let time = time.or_else(|| self.time_to_allow(question))?;
        let mut expires = time.from(self.wall());
        let comment = &mut expires.answer.comment;
        comment.get_or_insert_with(|| NOBODY_ANSWERED.to_owned());
        Some(expires)
    }

    /// Keeps an execution until its question is answered or expires. If the question has expired already, the execution
    /// continues at once. Returns an input for the core if the execution ends instead, otherwise `None`.
    pub(super) fn expect_answer(
        &mut self,
        ticket: Ticket,
        asking: Asking,
        commands: &mut Vec<Command>,
    ) -> Option<Input> {
        let left_ms = self.time_left(&asking.expires);
        self.asking.insert(ticket, asking);
        if left_ms == 0 {
            return self.expire(ticket, commands);
        }
        let after_ms = left_ms.min(LOOK_EVERY_MS);
        // The run waits for the answer, not for the timer.
        self.start_timer(Timer::Question(ticket), after_ms, true, commands);
        None
    }

    /// Handles the timer of a question.
    pub(super) fn question_timer_fired(&mut self, ticket: Ticket, commands: &mut Vec<Command>) {
        let Some(asking) = self.asking.get(&ticket) else {
            return;
        };
        let left_ms = self.time_left(&asking.expires);
        if left_ms > 0 {
            let after_ms = left_ms.min(LOOK_EVERY_MS);
            self.start_timer(Timer::Question(ticket), after_ms, true, commands);
            return;
        }
        if let Some(input) = self.expire(ticket, commands) {
            self.feed(input, commands);
        }
    }

    /// Continues an execution whose question expires now, with the answer that was set for this case. Returns an input for
    /// the core if the execution does not continue.
    fn expire(&mut self, ticket: Ticket, commands: &mut Vec<Command>) -> Option<Input> {
        let Asking {
            mut attempt,
            input,
            expires,
            is_repetition,
        } = self.asking.remove(&ticket)?;
        let (node, path, answer) = (attempt.node, attempt.path.clone(), expires.answer);
        let entry = journal::Input::NodeAnswered {
            answer: Box::new(answer.clone()),
        };
        self.allowed_calls.answer(&path, &answer);
        self.record(path, Some(node), entry, commands);
        if is_repetition && !answer.approved {
            return Some(self.not_done_again(ticket, node));
        }
        // A late result of the attempt that asked must not be taken for the result of the next one.
        attempt.number += 1;
        attempt.cancel = CancellationToken::new();
        attempt.calls = self.calls_of(node);
        attempt.passes = None;
        self.begin_in_resource(ticket, attempt, input, Some(Box::new(answer)), commands);
        None
    }

    /// Forgets the question of an execution that ended.
    pub(super) fn forget_question(&mut self, ticket: Ticket, commands: &mut Vec<Command>) {
        if self.asking.remove(&ticket).is_some() {
            self.stop_timer(Timer::Question(ticket), commands);
        }
    }

    /// Returns the time at which the next open question expires, in milliseconds since the Unix epoch, or `None` if no open
    /// question expires.
    pub fn next_expiry(&self) -> Option<i64> {
        self.asking.values().map(|asking| asking.expires.at).min()
    }

    fn calls_of(&self, node: NodeIx) -> Calls {
        match self.plan.nodes[node].effect {
            EffectClass::Pure => Calls::none(),
            _ => Calls::default(),
        }
    }

    fn time_left(&self, expires: &Expiry) -> u64 {
        u64::try_from(expires.at.saturating_sub(self.wall())).unwrap_or(0)
    }
}
