//! Questions that expire. The record of a question contains the time at which it expires and the answer that is used then.
//! While a program leads the run, a timer gives that answer. A suspended run gets the answer when it is resumed after that
//! time. If a person answers first, that answer counts, even after the time.

use super::{Command, Session, Timer, asking::Asking};
use crate::{
    answer::{Answer, Expiry, TimeToAnswer},
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
        let left_ms = self.time_left(&asking);
        self.asking.insert(ticket, asking);
        let left_ms = left_ms?;
        if left_ms == 0 {
            return self.expire(ticket, commands);
        }
        self.look_later(ticket, left_ms, commands);
        None
    }

    /// Starts the timer that checks whether a question has expired. `left_ms` is the time until the question expires, in
    /// milliseconds.
    fn look_later(&mut self, ticket: Ticket, left_ms: u64, commands: &mut Vec<Command>) {
        let after_ms = left_ms.min(LOOK_EVERY_MS);
        // The run waits for the answer, not for the timer.
        self.start_timer(Timer::Question(ticket), after_ms, true, commands);
    }

    /// Handles the timer of a question.
    pub(super) fn question_timer_fired(&mut self, ticket: Ticket, commands: &mut Vec<Command>) {
        let asking = self.asking.get(&ticket);
        let Some(left_ms) = asking.and_then(|asking| self.time_left(asking)) else {
            return;
        };
        if left_ms > 0 {
            self.look_later(ticket, left_ms, commands);
            return;
        }
        if let Some(input) = self.expire(ticket, commands) {
            self.feed(input, commands);
        }
    }

    /// Continues an execution whose question expires now, with the answer that was set for this case. Returns an input for
    /// the core if the execution does not continue.
    fn expire(&mut self, ticket: Ticket, commands: &mut Vec<Command>) -> Option<Input> {
        let asking = self.forget_question(ticket, commands)?;
        let answer = asking.expires.as_ref()?.answer.clone();
        self.answer_question(ticket, asking, answer, commands)
    }

    /// Returns the time at which the next open question expires, in milliseconds since the Unix epoch, or `None` if no open
    /// question expires.
    pub fn next_expiry(&self) -> Option<i64> {
        let expiries = self.asking.values().filter_map(|it| it.expires.as_ref());
        expiries.map(|expires| expires.at).min()
    }

    /// Returns the time until a question expires, in milliseconds, or `None` if it waits forever.
    fn time_left(&self, asking: &Asking) -> Option<u64> {
        let at = asking.expires.as_ref()?.at;
        Some(u64::try_from(at.saturating_sub(self.wall())).unwrap_or(0))
    }
}
