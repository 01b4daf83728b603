//! The budget gate: if a budget is set, each model call requests permission before it is made and reports its usage afterwards.
//! The gate also receives the notes that executions leave.

use std::sync::Arc;

use futures::{channel::oneshot, future::BoxFuture};
use loopwright_model::graph::NodeIx;

use super::{
    Command, Session,
    message::{CallPermit, CallWants, Message},
    permit::{Asks, Outside, UnboundedWork},
    quotas::Metered,
};
use crate::{
    budget::CallRequest,
    host::{ModelContext, ModelReply, ModelRequest, Models, Quote, Services},
    journal,
    outcome::{NodeError, Usage},
    quota::Quota,
    run::{Input, Ticket},
    transcript::TranscriptLog,
    trust::TrustLog,
};

/// Models that note each call, and set the timeout of the execution in each request.
struct Noted {
    models: Arc<dyn Models>,
    timeout_ms: Option<u64>,
}

impl Models for Noted {
    fn quote(&self, request: &ModelRequest) -> Quote {
        self.models.quote(request)
    }

    fn quota(&self, request: &ModelRequest) -> Quota {
        self.models.quota(request)
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

/// Models that request permission from the budgets before each call.
struct Gated {
    models: Arc<dyn Models>,
    asks: Asks,
}

impl Models for Gated {
    fn quote(&self, request: &ModelRequest) -> Quote {
        self.models.quote(request)
    }

    fn quota(&self, request: &ModelRequest) -> Quota {
        self.models.quota(request)
    }

    fn call(
        &self,
        mut request: ModelRequest,
        cx: ModelContext,
    ) -> BoxFuture<'static, Result<ModelReply, NodeError>> {
        request.capped = true;
        let quote = self.models.quote(&request);
        let (models, asks) = (Arc::clone(&self.models), self.asks.clone());
        Box::pin(async move {
            let priced = quote.priced;
            // The session refuses a call whose cost is not known.
            let most = quote.microusd.unwrap_or(0);
            let mut open = asks.ask(CallWants::Quoted(quote), most).await?;
            let reply = models.call(request, cx).await;
            match &reply {
                Ok(reply) => open.ended(reply.usage, !priced || reply.usage.unpriced_calls == 0),
                Err(error) => open.ended(error.usage, all_is_known(&error.usage)),
            }
            reply
        })
    }
}

/// Returns whether the usage of a failed call is fully known: the call was refused before it cost anything, or it was
/// answered.
fn all_is_known(usage: &Usage) -> bool {
    usage.calls == 0 || (usage.unpriced_calls == 0 && usage.tokens() > 0)
}

impl Session {
    /// Returns the handle with which an execution requests permission from the budgets, or `None` if no budget is set in the
    /// run or outside it.
    fn way_to_budgets(&self, ticket: Ticket, path: &str) -> Option<Asks> {
        let is_limited = self.services.models.has_spending_limit();
        (is_limited || self.run.has_budgets()).then(|| Asks {
            ticket,
            messages: self.messages.clone(),
            outside: is_limited.then(|| Outside {
                models: Arc::clone(&self.services.models),
                path: path.to_owned(),
            }),
        })
    }

    /// Returns the services for an execution. Its model calls are noted and, if a budget is set, request permission first. A
    /// call is not sent if its quota is known to be used up, unless `passes` is the key of that quota.
    pub(super) fn services(
        &self,
        ticket: Ticket,
        path: &str,
        timeout_ms: Option<u64>,
        passes: Option<Arc<str>>,
    ) -> Services {
        let tools = Arc::clone(&self.services.tools);
        let mut models: Arc<dyn Models> = Arc::new(Noted {
            models: Arc::clone(&self.services.models),
            timeout_ms,
        });
        if let Some(asks) = self.way_to_budgets(ticket, path) {
            models = Arc::new(Gated { models, asks });
        }
        let models = Arc::new(Metered {
            models,
            closed: self.quotas.closed.clone(),
            passes,
            ticket,
            messages: self.messages.clone(),
        });
        Services {
            models,
            tools,
            resources: Arc::clone(&self.services.resources),
        }
    }

    /// Returns the handle with which an execution requests permission for work of unbounded usage.
    pub(super) fn unbounded_work(
        &self,
        ticket: Ticket,
        path: &str,
        passes: Option<Arc<str>>,
    ) -> UnboundedWork {
        let asks = self.way_to_budgets(ticket, path);
        UnboundedWork::new(asks, self.quotas.closed.clone(), passes)
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
            Message::QuotaAnswered { ticket } => self.quota_tried(ticket, commands),
            // The note is about work that is already in progress, so it is written together with the other pending records and
            // not immediately.
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
            Message::NoRoom {
                ticket,
                wants,
                no_room,
                answer,
            } => {
                let message = no_room.0;
                self.feed(Input::SpendingRefused { ticket, message }, commands);
                self.request_call(ticket, wants, answer, commands);
            }
            Message::CallRequested {
                ticket,
                wants,
                answer,
            } => self.request_call(ticket, wants, answer, commands),
        }
    }

    /// Asks the core whether a call fits into the budgets. If a needed amount of the quote is unknown, sends an error to
    /// `answer` instead.
    fn request_call(
        &mut self,
        ticket: Ticket,
        wants: CallWants,
        answer: oneshot::Sender<Result<u64, NodeError>>,
        commands: &mut Vec<Command>,
    ) {
        // A finished execution no longer waits for an answer.
        let Some((node, mut wanted)) = self.run.wanted(ticket) else {
            return;
        };
        wanted.money |= self.services.models.has_spending_limit();
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

    pub(super) fn grant(&mut self, call: u64, commands: &mut Vec<Command>) {
        let answer = self.calls.get_mut(&call);
        if let Some(answer) = answer.and_then(|(_, answer)| answer.take()) {
            commands.push(Command::PermitCall(CallPermit { call, answer }));
        }
    }

    /// Settles the calls of an attempt that was cut off, with an unknown usage.
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
