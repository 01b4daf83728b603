//! Permits: before a call, or before work of unbounded usage, an execution requests a reservation from the budgets outside the
//! run and permission from the session. Afterwards it reports the usage.

use std::{fmt, sync::Arc};

use futures::channel::{mpsc, oneshot};

use super::{
    message::{CallWants, Message},
    quota_gates::ClosedQuotas,
};
use crate::{
    host::Models,
    outcome::{NodeError, Usage},
    quota::Quota,
    run::Ticket,
    spending::{NoRoom, Reservation},
};

/// The budgets outside a run, with the data for the requests of one execution.
#[derive(Clone)]
pub(super) struct Outside {
    pub(super) models: Arc<dyn Models>,
    /// The path of the execution.
    pub(super) path: String,
}

impl fmt::Debug for Outside {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Outside").field(&self.path).finish()
    }
}

/// The handle with which an execution requests permission from the budgets.
#[derive(Debug, Clone)]
pub(super) struct Asks {
    pub(super) ticket: Ticket,
    pub(super) messages: mpsc::UnboundedSender<Message>,
    /// The budgets outside the run; `None` if no such budget limits its calls.
    pub(super) outside: Option<Outside>,
}

/// The handle with which an execution requests permission from the budgets before work of unbounded usage, such as a turn of an
/// agent.
// Nodes that only compute get no handle, which would otherwise be allocated and copied for each of their executions.
#[derive(Debug, Clone, Default)]
pub struct UnboundedWork(Option<Box<Limits>>);

/// The limits on an execution's work of unbounded usage.
#[derive(Debug, Clone)]
struct Limits {
    /// The handle to the budgets; `None` if there is no budget.
    asks: Option<Asks>,
    closed: ClosedQuotas,
    passes: Option<Arc<str>>,
}

impl UnboundedWork {
    /// Creates the handle of an execution. `asks` is `None` if there is no budget. `passes` is the key of the quota that this
    /// execution may use even if `closed` contains it.
    pub(super) fn new(asks: Option<Asks>, closed: ClosedQuotas, passes: Option<Arc<str>>) -> Self {
        Self(Some(Box::new(Limits {
            asks,
            closed,
            passes,
        })))
    }

    /// Waits until the budgets permit work by `name` that counts against `quota`. Without a budget, returns immediately. Report
    /// the usage to the returned value. If that value is dropped without a report, the usage counts as unknown.
    ///
    /// # Errors
    /// `cancelled` if the run is over; `quota_closed` if the quota is known to be used up.
    pub async fn begin(self, name: String, quota: &Quota) -> Result<PermittedWork, NodeError> {
        let Some(limits) = self.0 else {
            return Ok(PermittedWork(None));
        };
        limits.closed.check(quota, limits.passes.as_deref())?;
        Ok(PermittedWork(match limits.asks {
            None => None,
            // Such work may begin while any budget is left, so one micro-dollar is requested.
            Some(asks) => Some(asks.ask(CallWants::Unbounded(name), 1).await?),
        }))
    }
}

/// Work that the budgets permitted.
#[derive(Debug)]
pub struct PermittedWork(Option<OpenCall>);

impl PermittedWork {
    /// Reports that the work has ended. `usage` is `None` if the usage is unknown.
    pub fn ended(mut self, usage: Option<&Usage>) {
        if let Some(open) = &mut self.0 {
            open.ended(usage.copied().unwrap_or_default(), usage.is_some());
        }
    }
}

impl Asks {
    /// Waits until the budgets outside the run can cover `microusd` and the budgets around the execution permit a call.
    ///
    /// # Errors
    /// Returns an error if the run is over, or if the call is refused.
    pub(super) async fn ask(self, wants: CallWants, microusd: u64) -> Result<OpenCall, NodeError> {
        let room = match &self.outside {
            Some(outside) if microusd > 0 => {
                match outside.models.reserve(&outside.path, microusd).await {
                    Ok(room) => room,
                    Err(no_room) => return Err(self.wait_forever(wants, no_room).await),
                }
            }
            _ => None,
        };
        let (answer, answered) = oneshot::channel();
        let request = Message::CallRequested {
            ticket: self.ticket,
            wants,
            answer,
        };
        self.messages.unbounded_send(request).map_err(|_| gone())?;
        let call = answered.await.map_err(|_| gone())??;
        let mut open = OpenCall {
            call,
            messages: Some(self.messages),
            room,
        };
        if let Some(room) = &mut open.room {
            room.begin();
        }
        Ok(open)
    }

    /// Reports that a budget outside the run is too small. The run halts. Waits until the run ends, and returns the error for
    /// the call.
    async fn wait_forever(self, wants: CallWants, no_room: NoRoom) -> NodeError {
        let (answer, answered) = oneshot::channel();
        let message = Message::NoRoom {
            ticket: self.ticket,
            wants,
            no_room,
            answer,
        };
        if self.messages.unbounded_send(message).is_err() {
            return gone();
        }
        match answered.await {
            Ok(Err(error)) => error,
            Ok(Ok(_)) | Err(_) => gone(),
        }
    }
}

/// Returns the error for a session that no longer exists. The run no longer exists either, so nothing receives this error.
fn gone() -> NodeError {
    NodeError::cancelled("The run was stopped.")
}

/// A call in progress. Dropping it reports an unknown usage.
#[derive(Debug)]
pub(super) struct OpenCall {
    call: u64,
    messages: Option<mpsc::UnboundedSender<Message>>,
    /// The reservation in the budgets outside the run; `None` if no such budget limits the call.
    room: Option<Box<dyn Reservation>>,
}

impl OpenCall {
    /// Reports the usage. `known` is true if `usage` is everything that the call used.
    pub(super) fn ended(&mut self, usage: Usage, known: bool) {
        // The reservation outside the run is settled before the result of the execution can be recorded.
        if let Some(mut room) = self.room.take() {
            let is_priced = known && usage.unpriced_calls == 0;
            room.settle(is_priced.then_some(usage.cost_microusd));
        }
        if let Some(messages) = self.messages.take() {
            // Sending fails if the run has finished. A finished run no longer counts usage.
            let _ = messages.unbounded_send(Message::CallEnded {
                call: self.call,
                usage,
                known,
            });
        }
    }
}

impl Drop for OpenCall {
    fn drop(&mut self) {
        self.ended(Usage::default(), false);
    }
}
