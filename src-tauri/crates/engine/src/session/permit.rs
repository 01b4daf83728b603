//! Permits: before a call, or before work of unbounded usage, an execution asks the session for permission. Afterwards it
//! reports the usage.

use futures::channel::{mpsc, oneshot};

use super::message::{CallWants, Message};
use crate::{
    outcome::{NodeError, Usage},
    run::Ticket,
};

/// The handle with which an execution asks the budgets for permission before work of unbounded usage, such as a turn of an
/// agent.
#[derive(Debug, Clone, Default)]
pub struct UnboundedWork(Option<(Ticket, mpsc::UnboundedSender<Message>)>);

impl UnboundedWork {
    /// Creates the handle of an execution. `asks` contains the execution's ticket and the channel to its session; `None` if
    /// there is no budget.
    pub(super) fn new(asks: Option<(Ticket, mpsc::UnboundedSender<Message>)>) -> Self {
        Self(asks)
    }

    /// Waits until the budgets permit work by `name`. Without a budget, returns at once. Report the usage to the returned
    /// value. If that value is dropped without a report, the usage counts as unknown.
    ///
    /// # Errors
    /// `cancelled` if the run is over.
    pub async fn begin(self, name: String) -> Result<PermittedWork, NodeError> {
        Ok(PermittedWork(match self.0 {
            None => None,
            Some((ticket, messages)) => {
                Some(ask(messages, ticket, CallWants::Unbounded(name)).await?)
            }
        }))
    }
}

/// Work that the budgets permitted.
#[derive(Debug)]
pub struct PermittedWork(Option<OpenCall>);

impl PermittedWork {
    /// Reports that the work ended with this usage; `None` if the usage is unknown.
    pub fn ended(mut self, usage: Option<&Usage>) {
        if let Some(open) = &mut self.0 {
            open.ended(usage.copied().unwrap_or_default(), usage.is_some());
        }
    }
}

/// Waits until the budgets around an execution permit a call.
pub(super) async fn ask(
    messages: mpsc::UnboundedSender<Message>,
    ticket: Ticket,
    wants: CallWants,
) -> Result<OpenCall, NodeError> {
    let (answer, answered) = oneshot::channel();
    // If the session is gone, the run is gone too, and nothing receives this error.
    let gone = || NodeError::cancelled("The run was stopped.");
    let request = Message::CallRequested {
        ticket,
        wants,
        answer,
    };
    messages.unbounded_send(request).map_err(|_| gone())?;
    let call = answered.await.map_err(|_| gone())??;
    Ok(OpenCall {
        call,
        messages: Some(messages),
    })
}

/// A call in progress. Dropping it reports an unknown usage.
#[derive(Debug)]
pub(super) struct OpenCall {
    call: u64,
    messages: Option<mpsc::UnboundedSender<Message>>,
}

impl OpenCall {
    pub(super) fn ended(&mut self, usage: Usage, known: bool) {
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
