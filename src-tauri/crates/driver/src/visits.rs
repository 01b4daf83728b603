//! Visits that take longer than an attempt in place: calls of the world, and computations on a thread. Both end with the
//! node's timeout, the run's, and a cancel.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use futures::future::{BoxFuture, FutureExt as _};
use loopwright_model::{
    EffectClass,
    graph::NodeIx,
    value::{DEEPEST, is_within},
};
use serde_json::Value;

use crate::{Driver, Ended, executable, with_spent};
use loopwright_engine::{
    CancellationToken,
    calls::Calls,
    compute,
    kind::{NodeContext, NodeInput, Step},
    outcome::{NodeError, Outcome},
    run::{Input, Ticket},
};

/// A visit under way.
pub(crate) enum Running {
    World(BoxFuture<'static, Result<Outcome, NodeError>>),
    /// What it computes before it touches the world, or in all, is more than an attempt may take.
    Computation(NodeInput, NodeContext),
}

impl Driver<'_> {
    /// What the core is told of a visit that was settled without the world.
    pub(crate) fn decided(&mut self, ticket: Ticket, title: &str, step: Step) -> Option<Input> {
        match step {
            Step::Done(result) => {
                // What is decided without the world is not tried again.
                let spent = self.attempts.remove(&ticket).map(|attempts| attempts.spent);
                let result = with_spent(result, &spent.unwrap_or_default());
                let result = not_too_deep(title, result);
                Some(Input::Visited { ticket, result })
            }
            Step::Waiting { message, value } => Some(Input::Waits {
                ticket,
                message,
                value,
            }),
            // It was waited for where it was begun.
            Step::Pending(_) => None,
        }
    }

    pub(crate) fn go_on_with(
        &mut self,
        ticket: Ticket,
        node: NodeIx,
        running: Running,
        cancel: CancellationToken,
        calls: Calls,
    ) {
        self.cancels.insert(ticket, cancel.clone());
        self.calls.insert(ticket, calls.clone());
        let plan = Arc::clone(&self.plan);
        let began = Arc::new(AtomicBool::new(false));
        let limit = Limit {
            millis: plan.nodes[node].timeout_ms,
            changes: plan.nodes[node].effect == EffectClass::Writes,
            began: Arc::clone(&began),
            calls,
        };
        let title = plan.nodes[node].title.clone();
        let step = async move {
            let future = match running {
                Running::World(future) => future,
                Running::Computation(input, context) => {
                    let visit = move || match executable(&plan.nodes[node].work) {
                        Some(execute) => execute.run(&input, &context),
                        None => Step::Done(Err(NodeError::new("not_executable", ""))),
                    };
                    match compute::on_a_thread(visit).await {
                        Ok(Step::Pending(future)) => future,
                        Ok(step) => return Ended::Computed(ticket, node, step),
                        Err(error) => return Ended::Visited(ticket, Err(error)),
                    }
                }
            };
            began.store(true, Ordering::Relaxed);
            Ended::Visited(ticket, future.await)
        }
        .boxed();
        self.started().push(
            async move {
                tokio::select! {
                    biased;
                    () = cancel.cancelled() => Ended::Gone,
                    ended = within(&limit, &title, step) => match ended {
                        Ok(Ended::Visited(ticket, result)) => Ended::Visited(ticket, not_too_deep(&title, result)),
                        Ok(ended) => ended,
                        Err(error) => Ended::Visited(ticket, Err(error)),
                    },
                }
            }
            .boxed(),
        );
    }
}

/// A value that is nested too deep ends here, at the node that made it, and not where it would be written or read.
fn not_too_deep(title: &str, result: Result<Outcome, NodeError>) -> Result<Outcome, NodeError> {
    let outcome = result?;
    let fits = |value: &Value| is_within(value, DEEPEST);
    if fits(&outcome.value) && outcome.handles.iter().all(|(_, value)| fits(value)) {
        return Ok(outcome);
    }
    let error = NodeError::new(
        "too_deep",
        format!(
            "The value of \"{title}\" is nested more than {DEEPEST} levels deep. A loop that wraps its own result in a list \
             or an object makes it deeper in every iteration; let the flow carry something flatter."
        ),
    );
    Err(error.having_spent(&outcome.usage))
}

/// How long an attempt may take, and what is to be known of one that took longer.
struct Limit {
    millis: Option<u64>,
    /// It may change something in the world.
    changes: bool,
    /// The world was touched, or was about to be.
    began: Arc<AtomicBool>,
    calls: Calls,
}

/// Cuts an attempt off at its limit. What it had sent may have been done all the same, and is counted.
async fn within(
    limit: &Limit,
    title: &str,
    visit: BoxFuture<'static, Ended>,
) -> Result<Ended, NodeError> {
    let Some(millis) = limit.millis else {
        return Ok(visit.await);
    };
    if let Ok(ended) = tokio::time::timeout(Duration::from_millis(millis), visit).await {
        return Ok(ended);
    }
    let error = NodeError::new(
        "timeout",
        format!(
            "\"{title}\" took longer than its timeout of {} s.",
            millis as f64 / 1000.0
        ),
    )
    .having_spent(&limit.calls.so_far());
    let changed = limit.changes && limit.began.load(Ordering::Relaxed);
    Err(if changed || limit.calls.is_waiting() {
        error.after_sending()
    } else {
        error
    })
}
