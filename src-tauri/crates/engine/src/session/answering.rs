//! Continues executions whose questions are answered.

use loopwright_model::{EffectClass, graph::NodeIx};

use super::{
    Command, Session, Timer,
    asking::{AcceptedAnswer, AnswerRequest, Asking},
};
use crate::{
    answer::Answer,
    calls::Calls,
    cancel::CancellationToken,
    journal,
    outcome::NodeError,
    run::{Input, Ticket},
};

impl Session {
    /// Continues the execution that an answer is for. Other executions are not affected.
    pub(super) fn answered(&mut self, request: AnswerRequest, commands: &mut Vec<Command>) {
        let AnswerRequest {
            path,
            answer,
            receipt,
        } = request;
        let mut waiting = self.asking.iter();
        let ticket = waiting.find_map(|(ticket, it)| (it.attempt.path == path).then_some(*ticket));
        let Some((ticket, asking)) =
            ticket.and_then(|ticket| Some((ticket, self.forget_question(ticket, commands)?)))
        else {
            let paths: Vec<_> = self.asking.values().map(|it| &*it.attempt.path).collect();
            let _ = receipt.send(Err(not_waiting(&path, &paths)));
            return;
        };
        let input = self.answer_question(ticket, asking, answer, commands);
        commands.push(Command::ConfirmAnswer(AcceptedAnswer(receipt)));
        if let Some(input) = input {
            self.feed(input, commands);
        }
    }

    /// Records the answer to a question, and continues the execution that asked it. Returns an input for the core if the
    /// execution does not continue.
    pub(super) fn answer_question(
        &mut self,
        ticket: Ticket,
        asking: Asking,
        mut answer: Answer,
        commands: &mut Vec<Command>,
    ) -> Option<Input> {
        let Asking {
            mut attempt,
            input,
            is_repetition,
            edited,
            imported_question,
            ..
        } = asking;
        let (node, path) = (attempt.node, attempt.path.clone());
        // A late result of the attempt that asked must not be taken for the result of the next one.
        attempt.number += 1;
        attempt.cancel = CancellationToken::new();
        attempt.calls = self.calls_of(node);
        attempt.passes = None;
        if let Some(shown) = imported_question
            && !self.asks(node, &input, is_repetition, &shown)
        {
            // This run does not ask that question, so the answer is ignored.
            if is_repetition {
                return Some(self.ask_to_repeat(ticket, attempt, input, None, commands));
            }
            self.begin_in_resource(ticket, attempt, input, None, commands);
            return None;
        }
        if is_repetition && answer.approved {
            // The repeated call is the one that a person allowed, with that person's edits.
            answer.value = answer.value.or(edited);
        }
        let entry = journal::Input::NodeAnswered {
            answer: Box::new(answer.clone()),
        };
        self.allowed_calls.answer(&path, &answer);
        self.record(path, Some(node), entry, commands);
        if is_repetition && !answer.approved {
            return Some(self.not_done_again(ticket, node));
        }
        self.begin_in_resource(ticket, attempt, input, Some(Box::new(answer)), commands);
        None
    }

    /// Removes and returns the question of an execution, and stops its timer, because the execution ended or the question is
    /// answered. Returns `None` if the execution asks nothing.
    pub(super) fn forget_question(
        &mut self,
        ticket: Ticket,
        commands: &mut Vec<Command>,
    ) -> Option<Asking> {
        let asking = self.asking.remove(&ticket)?;
        self.stop_timer(Timer::Question(ticket), commands);
        Some(asking)
    }

    fn calls_of(&self, node: NodeIx) -> Calls {
        match self.plan.nodes[node].effect {
            EffectClass::Pure => Calls::none(),
            _ => Calls::default(),
        }
    }
}

/// Returns the error for an answer at `path`, where nothing waits for an answer. The message lists the paths that do wait.
pub(super) fn not_waiting(path: &str, waiting: &[&str]) -> NodeError {
    let others = if waiting.is_empty() {
        "No step of this run is waiting for an answer. See the run with `loopwright runs show`."
            .to_owned()
    } else {
        format!(
            "The steps that are waiting for an answer: `{}`.",
            waiting.join("`, `")
        )
    };
    NodeError::new(
        "not_waiting",
        format!("Nothing at `{path}` is waiting for an answer. {others}"),
    )
}
