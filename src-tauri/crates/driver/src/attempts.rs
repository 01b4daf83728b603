//! A visit that failed is tried again by its node's policy, after a pause that is on record.

use std::sync::Arc;

use loopwright_model::graph::NodeIx;

use crate::{Driver, Ended};
use loopwright_engine::{
    jitter::spread,
    journal::{self, JournalError, Retried},
    kind::{Answer, NodeInput},
    outcome::{NodeError, Outcome, Usage},
    run::{Input, Ticket},
};

/// A visit under way that may be tried again.
pub(crate) struct Attempts {
    pub(crate) node: NodeIx,
    pub(crate) path: String,
    pub(crate) input: NodeInput,
    pub(crate) answer: Option<Answer>,
    pub(crate) failed: u32,
    /// What the failed ones used.
    pub(crate) spent: Usage,
}

impl Driver<'_> {
    /// A visit ended: it is tried again where its policy says so, else the core is told.
    pub(crate) fn visited(
        &mut self,
        ticket: Ticket,
        result: Result<Outcome, NodeError>,
    ) -> Result<(), JournalError> {
        self.cancels.remove(&ticket);
        self.calls.remove(&ticket);
        if let Err(error) = &result
            && let Some(pause) = self.pause_before_retry(ticket, error)?
        {
            self.wait(ticket, pause, Ended::TryAgain(ticket));
            return Ok(());
        }
        let spent = self.attempts.remove(&ticket).map(|attempts| attempts.spent);
        let result = result.map_err(|error| self.with_why_not(ticket, error));
        let result = with_spent(result, &spent.unwrap_or_default());
        self.feed(Input::Visited { ticket, result })
    }

    /// The error of a visit that its policy does not try again, with the reason where that is how long the other side asks for.
    fn with_why_not(&self, ticket: Ticket, mut error: NodeError) -> NodeError {
        let node = self.run.node_of(ticket);
        let retry = node.and_then(|node| self.plan.nodes[node].retry.as_ref());
        if let Some(why) = retry.and_then(|retry| retry.why_not(&error)) {
            error.message = format!("{} {why}", error.message);
        }
        error
    }

    fn pause_before_retry(
        &mut self,
        ticket: Ticket,
        error: &NodeError,
    ) -> Result<Option<u64>, JournalError> {
        let plan = Arc::clone(&self.plan);
        let Some(attempts) = self.attempts.get_mut(&ticket) else {
            return Ok(None);
        };
        let Some(retry) = &plan.nodes[attempts.node].retry else {
            return Ok(None);
        };
        if attempts.failed >= retry.count || !retry.covers(error) {
            return Ok(None);
        }
        attempts.failed += 1;
        attempts.spent.add(&error.usage);
        self.run.note_failed_attempt(ticket, &error.usage);
        let (attempt, node, path) = (attempts.failed, attempts.node, attempts.path.clone());
        let spread = spread(&self.run_id, &path, attempt);
        let after_ms = retry.pause_after(error, attempt, spread);
        if error.is_uncertain() {
            let title = &plan.nodes[node].title;
            self.warn(
                node,
                "call_repeated",
                format!(
                    "A call of \"{title}\" failed after it was sent ({}), so that it may have been answered and charged; it was made again.",
                    error.code
                ),
            )?;
        }
        self.record(
            path,
            Some(node),
            journal::Input::VisitRetried(Retried {
                attempt,
                error: error.clone(),
                after_ms,
            }),
        )?;
        self.flush()?;
        Ok(Some(after_ms))
    }

    pub(crate) fn try_again(&mut self, ticket: Ticket) -> Result<(), JournalError> {
        self.cancels.remove(&ticket);
        let Some(attempts) = self.attempts.get(&ticket) else {
            return Ok(());
        };
        let (node, path) = (attempts.node, attempts.path.clone());
        let (input, answer) = (attempts.input.clone(), attempts.answer.clone());
        match self.visit(ticket, node, path, input, answer)? {
            Some(Input::Visited { ticket, result }) => self.visited(ticket, result),
            Some(input) => self.feed(input),
            None => Ok(()),
        }
    }
}

/// What a visit comes to, with what its failed attempts used.
pub(crate) fn with_spent(
    mut result: Result<Outcome, NodeError>,
    spent: &Usage,
) -> Result<Outcome, NodeError> {
    match &mut result {
        Ok(outcome) => outcome.usage.add(spent),
        Err(error) => error.usage.add(spent),
    }
    result
}
