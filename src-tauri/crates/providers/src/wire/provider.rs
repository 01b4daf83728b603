//! Implements a model provider for a server: calls, model lists and tests that can be cancelled.

use std::time::Instant;

use futures::{FutureExt, future::BoxFuture};

use loopwright_engine::{
    NodeError,
    host::{ModelContext, ModelReply, ModelRequest, Quote},
};

use super::{call, remote::Remote};
use crate::provider::{ModelProvider, ModelSummary, ProviderState, ProviderSummary, Rate, Tested};

/// Returns a reply without the call's key in its warnings and model name, or an error without the key in its message. The
/// text of the reply was redacted earlier.
fn without_key(
    remote: &Remote,
    reply: Result<ModelReply, NodeError>,
) -> Result<ModelReply, NodeError> {
    let redactor = &remote.redactor;
    if redactor.is_empty() {
        return reply;
    }
    match reply {
        Ok(mut reply) => {
            for (_, words) in &mut reply.warnings {
                *words = redactor.redact(words);
            }
            reply.model = redactor.redact(&reply.model);
            Ok(reply)
        }
        Err(mut error) => {
            error.message = redactor.redact(&error.message);
            Err(error)
        }
    }
}

impl ModelProvider for Remote {
    fn id(&self) -> &str {
        &self.config.id
    }

    fn summary(&self) -> ProviderSummary {
        ProviderSummary {
            id: self.config.id.clone(),
            name: self.config.name.clone(),
            state: if self.found {
                ProviderState::Found
            } else {
                ProviderState::Ready
            },
            status: if self.found { "found" } else { "ready" }.to_owned(),
            base_url: Some(self.config.base_url.clone()),
            has_key: self.config.key.is_some(),
            key_from: None,
            models: Vec::new(),
            note: self.note.to_owned(),
            remedy: String::new(),
        }
    }

    fn quote(&self, request: &ModelRequest) -> Quote {
        call::quote(self, request)
    }

    fn rate(&self, request: &ModelRequest) -> Rate {
        call::rate(self, request)
    }

    fn call(
        &self,
        request: ModelRequest,
        cx: ModelContext,
    ) -> BoxFuture<'static, Result<ModelReply, NodeError>> {
        let this = self.clone();
        async move {
            tokio::select! {
                biased;
                // Dropping the call closes its socket.
                () = cx.cancel.cancelled() => Err(NodeError::new("cancelled", format!("The call to “{}” was stopped.", this.config.id))),
                reply = call::run(&this, &request, &cx) => without_key(&this, reply),
            }
        }
        .boxed()
    }

    fn models(&self) -> BoxFuture<'static, Result<Vec<ModelSummary>, NodeError>> {
        let this = self.clone();
        async move { this.listed_with_windows().await }.boxed()
    }

    fn test(&self) -> BoxFuture<'static, Result<Tested, NodeError>> {
        let this = self.clone();
        async move {
            let began = Instant::now();
            let models = this.listed_with_windows().await?;
            let took = began.elapsed();
            let name = &this.config.name;
            let says = match models.as_slice() {
                [] => format!("{name} answers."),
                [first] => format!("{name} answers; its model is {}.", first.id),
                [first, ..] => format!(
                    "{name} answers with {} models, such as {}.",
                    models.len(),
                    first.id
                ),
            };
            Ok(Tested { says, took, models })
        }
        .boxed()
    }
}
