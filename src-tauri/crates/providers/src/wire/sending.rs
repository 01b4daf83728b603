//! Sends a request, and repeats it without the parts that the server refuses.

use std::time::Duration;

use reqwest::{
    Response,
    header::{ACCEPT, CONTENT_TYPE},
};
use serde_json::{Map, Value};
use tokio::time::Instant;

use loopwright_engine::{
    NodeError,
    host::{ModelContext, ModelRequest},
};

use super::{
    body::packed,
    failure::{NoAnswer, Refusal, Server},
    format::{ChatRequest, Completion},
    memory::{remember, remembered},
    read,
    refusal::Request,
    remote::Remote,
    silence::telling_silence,
    without::{Change, MaxTokens, Without},
};

/// A request to be sent.
pub(super) struct Sending<'a> {
    pub(super) remote: &'a Remote,
    pub(super) request: &'a ModelRequest,
    /// Whether the model costs nothing.
    pub(super) is_free: bool,
    pub(super) cx: &'a ModelContext,
}

impl Sending<'_> {
    /// Sends the request and returns the answer. If the server refuses a part of the request, the request is repeated without
    /// that part. `warnings` receives a warning for each setting that was left out of the final request.
    pub(super) async fn send(
        &self,
        mut ask: ChatRequest<'_>,
        warnings: &mut Vec<(String, String)>,
    ) -> Result<Completion, NodeError> {
        let remote = self.remote;
        let address = remote.memory_key();
        ask.without = remembered(&address, ask.model, ask.wanted);
        let mut changes: Vec<Change> = Vec::new();
        loop {
            self.check(&ask)?;
            let body = remote.wire.body(&ask);
            match self.once(&ask, &body).await {
                Ok(completion) => {
                    remember(&address, ask.model, ask.wanted, &changes);
                    warn(&ask, warnings);
                    return Ok(completion);
                }
                Err(NoAnswer::Failed(error)) => return Err(error),
                Err(NoAnswer::Refused(refusal)) => {
                    if !refusal.error.is_uncertain() {
                        self.cx.call.refused();
                    }
                    let change = leave_out(*refusal, &ask, &body, &changes)?;
                    ask.without = ask.without.with(change);
                    changes.push(change);
                }
            }
        }
    }

    /// Returns an error if the call has a budget and the token limit would be left out.
    fn check(&self, ask: &ChatRequest<'_>) -> Result<(), NodeError> {
        if ask.without.max_tokens != MaxTokens::LeftOut || !self.request.capped {
            return Ok(());
        }
        Err(NodeError::new(
            "max_tokens_refused",
            format!(
                "The server of “{}” does not accept a token limit (`max_tokens`) for this model, but a budget needs one. Choose another model, or remove the budget.",
                self.remote.config.id
            ),
        ))
    }

    async fn once(
        &self,
        ask: &ChatRequest<'_>,
        body: &Map<String, Value>,
    ) -> Result<Completion, NoAnswer> {
        let node_timeout = self.request.timeout_ms.map(Duration::from_millis);
        let mut server = self.remote.server_for(node_timeout);
        if ask.without.stream {
            // An unstreamed answer is silent until it is complete.
            server.limits.idle = server.limits.total;
            server.limits.progress = server.limits.total;
        }
        let tokens = &self.cx.tokens;
        let began = self.begin(&server, ask, body);
        let response = telling_silence(&server, tokens, began).await?;
        if !response.status().is_success() {
            let refusal = server.refusal(response).await;
            return Err(NoAnswer::Refused(Box::new(refusal)));
        }
        if let Some(packed) = packed(response.headers()) {
            let what = format!("its answer is compressed ({packed}), which was not requested");
            return Err(server.malformed(&what, "").into());
        }
        let kind = response.headers().get(CONTENT_TYPE);
        let kind = kind.and_then(|kind| kind.to_str().ok());
        let kind = kind.unwrap_or_default().to_lowercase();
        // The head of an answer shows that the server is alive, so the timeout restarts.
        server.heard.note();
        let wire = &*self.remote.wire;
        let answer = read::answer(response, &kind, wire, &server, tokens);
        telling_silence(&server, tokens, answer).await
    }

    /// Sends the request and waits for the head of its answer. Fails if the head does not arrive within the idle time.
    async fn begin(
        &self,
        server: &Server,
        ask: &ChatRequest<'_>,
        body: &Map<String, Value>,
    ) -> Result<Response, NodeError> {
        let remote = self.remote;
        let url = remote.url(&remote.wire.path(ask.model, !ask.without.stream))?;
        if remote.config.key.is_some() {
            self.cx.trust_log.key_used(
                &remote.config.id,
                format!("a call to the model {}", ask.model),
            );
        }
        let accept = if ask.without.stream {
            "application/json"
        } else {
            "text/event-stream, application/json"
        };
        let request = remote
            .wire
            .authorize(remote.client.post(url), remote.config.key.as_ref())
            .header(ACCEPT, accept)
            .json(body);
        let call = &self.cx.call;
        call.to_model(&format!("{}/{}", remote.config.id, ask.model));
        call.sending(self.is_free);
        let silent_at = Instant::now() + server.limits.idle;
        let deadline = silent_at.min(server.until);
        match tokio::time::timeout_at(deadline, request.send()).await {
            Ok(response) => response.map_err(|error| server.transport(&error, "")),
            Err(_) if deadline == silent_at => Err(server.silent("")),
            Err(_) => Err(server.overdue("")),
        }
    }
}

/// Determines what to leave out, so that the call can be repeated.
///
/// # Errors
/// Returns the refusal if it is not about something that can be left out, or if that is already left out.
fn leave_out(
    refusal: Refusal,
    ask: &ChatRequest<'_>,
    body: &Map<String, Value>,
    before: &[Change],
) -> Result<Change, NodeError> {
    let Refusal {
        status,
        said,
        error,
    } = refusal;
    let is_final = matches!(
        error.code.as_str(),
        "context_overflow" | "quota_spent" | "content_filter"
    );
    let request = Request {
        body,
        without: ask.without,
        wanted: ask.wanted,
    };
    let change = request
        .refused(status, &said)
        .filter(|change| !is_final && !before.contains(change));
    change.ok_or(error)
}

/// Adds a warning for each setting that was left out. Other parts need no warning: the instructions are sent elsewhere, the
/// prompt also asks for JSON, and the answer is checked.
fn warn(ask: &ChatRequest<'_>, warnings: &mut Vec<(String, String)>) {
    let Without {
        temperature,
        max_tokens,
        ..
    } = ask.without;
    let left_out = [
        (temperature && ask.temperature.is_some(), "temperature"),
        (
            max_tokens == MaxTokens::LeftOut && ask.max_tokens.is_some(),
            "max_tokens",
        ),
    ];
    for (_, name) in left_out.into_iter().filter(|(is_left_out, _)| *is_left_out) {
        let warning = (
            "setting_ignored".to_owned(),
            format!(
                "The server does not accept “{name}” for this model, so the call was made without it."
            ),
        );
        if !warnings.contains(&warning) {
            warnings.push(warning);
        }
    }
}
