//! The door that calls of models go through where a budget is set: they ask before they are made, and say what they used.

use std::sync::Arc;

use futures::future::BoxFuture;
use loopwright_model::graph::NodeIx;
use tokio::sync::{mpsc, oneshot};

use crate::Driver;
use loopwright_engine::{
    budget::Asked,
    calls::Noted,
    host::{ModelContext, ModelReply, ModelRequest, Models, Quote, Services},
    journal::{self, JournalError},
    outcome::{NodeError, Usage},
    run::{Input, Ticket},
    trust::{Ledger, Note},
};

/// What calls tell the driver.
pub(crate) enum VisitMessage {
    /// May it be made? The answer is its number, or why not.
    Ask {
        ticket: Ticket,
        quote: Quote,
        answer: oneshot::Sender<Result<u64, NodeError>>,
    },
    Ended {
        call: u64,
        usage: Usage,
        known: bool,
    },
    /// A visit leaves a note about trust.
    Noted {
        node: NodeIx,
        path: String,
        note: Note,
    },
}

/// Models whose calls ask first.
struct Asking {
    models: Arc<dyn Models>,
    ticket: Ticket,
    door: mpsc::UnboundedSender<VisitMessage>,
}

impl Models for Asking {
    fn quote(&self, request: &ModelRequest) -> Quote {
        self.models.quote(request)
    }

    fn call(
        &self,
        mut request: ModelRequest,
        cx: ModelContext,
    ) -> BoxFuture<'static, Result<ModelReply, NodeError>> {
        request.capped = true;
        let quote = self.models.quote(&request);
        let (models, ticket, door) = (Arc::clone(&self.models), self.ticket, self.door.clone());
        Box::pin(async move {
            let priced = quote.priced;
            let (answer, answered) = oneshot::channel();
            // Where the driver is gone, so is the run; nobody hears what is said here.
            let gone = || NodeError::new("cancelled", "The run was stopped.");
            door.send(VisitMessage::Ask {
                ticket,
                quote,
                answer,
            })
            .map_err(|_| gone())?;
            let call = answered.await.map_err(|_| gone())??;
            let mut open = Open {
                call,
                door: Some(door),
            };
            let reply = models.call(request, cx).await;
            match &reply {
                Ok(reply) => open.ended(reply.usage, !priced || reply.usage.unpriced_calls == 0),
                Err(error) => open.ended(error.usage, all_is_known(&error.usage)),
            }
            reply
        })
    }
}

/// Whether a failed call used no more than it says: it was refused before it cost anything, or it was answered.
fn all_is_known(usage: &Usage) -> bool {
    usage.calls == 0 || (usage.unpriced_calls == 0 && usage.tokens() > 0)
}

/// A call under way. One that is dropped in the middle says that nobody knows what it used.
struct Open {
    call: u64,
    door: Option<mpsc::UnboundedSender<VisitMessage>>,
}

impl Open {
    fn ended(&mut self, usage: Usage, known: bool) {
        if let Some(door) = self.door.take() {
            // A run that is over counts no more.
            let _ = door.send(VisitMessage::Ended {
                call: self.call,
                usage,
                known,
            });
        }
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        self.ended(Usage::default(), false);
    }
}

impl Driver<'_> {
    /// The world as a visit may use it.
    pub(crate) fn services(&self, ticket: Ticket, timeout_ms: Option<u64>) -> Services {
        let mut services = self.host.services.clone();
        services.models = Arc::new(Noted {
            models: services.models,
            timeout_ms,
        });
        if !self.run.has_budgets() {
            return services;
        }
        Services {
            models: Arc::new(Asking {
                models: services.models,
                ticket,
                door: self.door.clone(),
            }),
            ..services
        }
    }

    /// Where a visit's notes go: to the journal, by way of the driver.
    pub(crate) fn ledger(&self, node: NodeIx, path: String) -> Ledger {
        let door = self.door.clone();
        Ledger::new(move |note| {
            // A run that is over notes nothing more.
            let _ = door.send(VisitMessage::Noted {
                node,
                path: path.clone(),
                note,
            });
        })
    }

    /// Takes what calls have said so far.
    pub(crate) fn hear(&mut self) -> Result<(), JournalError> {
        while let Ok(message) = self.messages.try_recv() {
            self.take_message(message)?;
        }
        Ok(())
    }

    pub(crate) fn take_message(&mut self, message: VisitMessage) -> Result<(), JournalError> {
        match message {
            VisitMessage::Noted { node, path, note } => {
                // Written with what else is gathered: it tells of what is under way by now.
                self.record(path, Some(node), journal::Input::Noted { note })
            }
            VisitMessage::Ended { call, usage, known } => {
                self.feed(Input::Settled { call, usage, known })
            }
            VisitMessage::Ask {
                ticket,
                quote,
                answer,
            } => {
                // A visit that is over gets no answer, and waits for none.
                let Some((node, wanted)) = self.run.wanted(ticket) else {
                    return Ok(());
                };
                let title = &self.plan.nodes[node].title;
                if let Some((code, why)) = wanted.lacks(title, &quote) {
                    let error = NodeError::new(code, format!("\"{title}\" was not called: {why}"));
                    // Only a visit that was given up meanwhile does not hear it.
                    let _ = answer.send(Err(error));
                    return Ok(());
                }
                let call = self.next_call;
                self.next_call += 1;
                self.answers.insert(call, answer);
                let asked = Asked {
                    call,
                    tokens: quote.tokens(),
                    microusd: quote.microusd,
                    model: quote.model,
                };
                self.feed(Input::Asks { ticket, asked })
            }
        }
    }

    /// Lets a call be made. Its reservation is on disk by then.
    pub(crate) fn let_in(&mut self, call: u64) -> Result<(), JournalError> {
        self.flush()?;
        if let Some(answer) = self.answers.remove(&call) {
            // A visit that was given up meanwhile makes no call; what was reserved for it is written off with it.
            let _ = answer.send(Ok(call));
        }
        Ok(())
    }
}
