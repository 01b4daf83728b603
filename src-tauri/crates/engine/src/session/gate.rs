//! The budget gate: if a budget is set, each model call asks for permission before it is made, and reports its usage. The gate
//! also receives the notes that executions leave.

use std::sync::Arc;

use futures::{channel::mpsc, future::BoxFuture};
use loopwright_model::graph::NodeIx;

use super::{
    Command, Session,
    message::{CallPermit, CallWants, Message},
    permit::{UnboundedWork, ask},
};
use crate::{
    budget::CallRequest,
    host::{ModelContext, ModelReply, ModelRequest, Models, Quote, Services},
    journal,
    outcome::{NodeError, Usage},
    run::{Input, Ticket},
    transcript::TranscriptLog,
    trust::TrustLog,
};

/// Models whose calls are noted, each with the timeout of its execution.
struct Noted {
    models: Arc<dyn Models>,
    timeout_ms: Option<u64>,
}

impl Models for Noted {
    fn quote(&self, request: &ModelRequest) -> Quote {
        self.models.quote(request)
    }

    fn call(
        &self,
        mut request: ModelRequest,
        cx: ModelContext,
    ) -> BoxFuture<'static, Result<ModelReply, NodeError>> {
        request.timeout_ms = self.timeout_ms;
        let call = cx.call.clone();
        let called = self.models.call(request, cx);
        Box::pin(async move {
            call.begin();
            let reply = called.await;
            if let Ok(reply) = &reply {
                call.to_model(&reply.model);
            }
            call.ended(match &reply {
                Ok(reply) => &reply.usage,
                Err(error) => &error.usage,
            });
            reply
        })
    }
}

/// Models that ask the budgets for permission before each call.
struct Gated {
    models: Arc<dyn Models>,
    ticket: Ticket,
    messages: mpsc::UnboundedSender<Message>,
}

impl Models for Gated {
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
        let (models, ticket) = (Arc::clone(&self.models), self.ticket);
        let messages = self.messages.clone();
        Box::pin(async move {
            let priced = quote.priced;
            let mut open = ask(messages, ticket, CallWants::Quoted(quote)).await?;
            let reply = models.call(request, cx).await;
            match &reply {
                Ok(reply) => open.ended(reply.usage, !priced || reply.usage.unpriced_calls == 0),
                Err(error) => open.ended(error.usage, all_is_known(&error.usage)),
            }
            reply
        })
    }
}

/// Whether the whole usage of a failed call is known: the call was refused before it cost anything, or it was answered.
fn all_is_known(usage: &Usage) -> bool {
    usage.calls == 0 || (usage.unpriced_calls == 0 && usage.tokens() > 0)
}

impl Session {
    /// Returns the services for an execution. Its model calls are noted, and if a budget is set, ask for permission first.
    pub(super) fn services(&self, ticket: Ticket, timeout_ms: Option<u64>) -> Services {
        let tools = Arc::clone(&self.services.tools);
        let mut models: Arc<dyn Models> = Arc::new(Noted {
            models: Arc::clone(&self.services.models),
            timeout_ms,
        });
        if self.run.has_budgets() {
            models = Arc::new(Gated {
                models,
                ticket,
                messages: self.messages.clone(),
            });
        }
        Services {
            models,
            tools,
            resources: Arc::clone(&self.services.resources),
        }
    }

    /// Returns the handle with which an execution asks for permission for work of unbounded usage.
    pub(super) fn unbounded_work(&self, ticket: Ticket) -> UnboundedWork {
        let asks = self.run.has_budgets();
        UnboundedWork::new(asks.then(|| (ticket, self.messages.clone())))
    }

    /// Returns the log for an execution's notes. The session writes the notes to the journal.
    pub(super) fn trust_log(&self, node: NodeIx, path: String) -> TrustLog {
        let messages = self.messages.clone();
        TrustLog::new(move |note| {
            let path = path.clone();
            // A finished run accepts no more notes.
            let _ = messages.unbounded_send(Message::Noted { node, path, note });
        })
    }

    /// Returns the log for the transcript of an execution. The session writes its parts to the journal.
    pub(super) fn transcript(&self, node: NodeIx, path: String) -> TranscriptLog {
        let messages = self.messages.clone();
        TranscriptLog::new(move |part| {
            let path = path.clone();
            // A finished run accepts no more parts.
            let _ = messages.unbounded_send(Message::Worked { node, path, part });
        })
    }

    /// Handles the messages that executions have sent so far.
    pub(super) fn take_messages(&mut self, commands: &mut Vec<Command>) {
        while let Ok(message) = self.inbox.try_recv() {
            self.take(message, commands);
        }
    }

    pub(super) fn take(&mut self, message: Message, commands: &mut Vec<Command>) {
        match message {
            // The note is written with the other pending records and not at once, because it is about work that is already
            // in progress.
            Message::Noted { node, path, note } => {
                self.record(path, Some(node), journal::Input::Noted { note }, commands);
            }
            Message::Worked { node, path, part } => {
                self.record(
                    path,
                    Some(node),
                    journal::Input::AgentWorked(part),
                    commands,
                );
            }
            Message::CallEnded { call, usage, known } => {
                self.calls.remove(&call);
                self.feed(Input::CallSettled { call, usage, known }, commands);
            }
            Message::CallRequested {
                ticket,
                wants,
                answer,
            } => {
                // A finished execution gets no answer, and waits for none.
                let Some((node, wanted)) = self.run.wanted(ticket) else {
                    return;
                };
                let title = &self.plan.nodes[node].title;
                if let CallWants::Quoted(quote) = &wants
                    && let Some((code, why)) = wanted.lacks(title, quote)
                {
                    let error = NodeError::new(code, format!("\"{title}\" was not called: {why}"));
                    // Sending fails only if the call was abandoned meanwhile.
                    let _ = answer.send(Err(error));
                    return;
                }
                let call = self.next_call;
                self.next_call += 1;
                self.calls.insert(call, (ticket, Some(answer)));
                let asked = match wants {
                    CallWants::Quoted(quote) => CallRequest {
                        call,
                        tokens: quote.tokens(),
                        microusd: quote.microusd,
                        model: quote.model,
                        unbounded: false,
                    },
                    CallWants::Unbounded(name) => CallRequest::unbounded(call, name),
                };
                self.feed(Input::CallRequested { ticket, asked }, commands);
            }
        }
    }

    pub(super) fn grant(&mut self, call: u64, commands: &mut Vec<Command>) {
        let answer = self.calls.get_mut(&call);
        if let Some(answer) = answer.and_then(|(_, answer)| answer.take()) {
            commands.push(Command::PermitCall(CallPermit { call, answer }));
        }
    }

    /// Settles the calls of an attempt that was cut off. Their usage is unknown.
    pub(super) fn lose_calls(&mut self, ticket: Ticket, commands: &mut Vec<Command>) {
        let lost = self.calls.extract_if(.., |_, (of, _)| *of == ticket);
        let lost: Vec<u64> = lost.map(|(call, _)| call).collect();
        for call in lost {
            let input = Input::CallSettled {
                call,
                usage: Usage::default(),
                known: false,
            };
            self.feed(input, commands);
        }
    }
}
