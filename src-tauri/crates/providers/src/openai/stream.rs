//! Reads one streamed completion, from its first byte to its end.

use futures::StreamExt;
use reqwest::Response;
use serde::Deserialize;
use serde_json::Value;
use sse_stream::SseByteStream;

use loopwright_engine::{NodeError, host::TokenSink};

use super::failure::Server;

/// A whole answer.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Completion {
    pub(crate) id: Option<String>,
    pub(crate) model: Option<String>,
    pub(crate) text: String,
    pub(crate) refusal: String,
    pub(crate) finish_reason: Option<String>,
    pub(crate) input_tokens: Option<u64>,
    pub(crate) output_tokens: Option<u64>,
    /// Those of the input that the server had cached.
    pub(crate) cached_tokens: u64,
}

#[derive(Deserialize)]
struct Chunk {
    id: Option<String>,
    model: Option<String>,
    #[serde(default)]
    choices: Vec<Choice>,
    usage: Option<Counts>,
    error: Option<Value>,
}

#[derive(Deserialize)]
struct Choice {
    #[serde(alias = "message")]
    delta: Option<Delta>,
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct Delta {
    content: Option<String>,
    refusal: Option<String>,
}

#[derive(Deserialize)]
struct Counts {
    prompt_tokens: Option<u64>,
    completion_tokens: Option<u64>,
    prompt_tokens_details: Option<Details>,
}

#[derive(Deserialize)]
struct Details {
    cached_tokens: Option<u64>,
}

impl Completion {
    /// Takes one event in and gives the text that it adds.
    fn take(&mut self, data: &str, server: &Server) -> Result<String, NodeError> {
        let chunk: Chunk = serde_json::from_str(data).map_err(|error| {
            server.malformed(
                &format!("an event is not what was expected ({error})"),
                &self.text,
            )
        })?;
        if let Some(error) = chunk.error.filter(|error| !error.is_null()) {
            return Err(server.reported(&error, &self.text));
        }
        self.id = self.id.take().or(chunk.id);
        self.model = self.model.take().or(chunk.model);
        if let Some(counts) = chunk.usage {
            self.input_tokens = counts.prompt_tokens.or(self.input_tokens);
            self.output_tokens = counts.completion_tokens.or(self.output_tokens);
            let cached = counts
                .prompt_tokens_details
                .and_then(|details| details.cached_tokens);
            self.cached_tokens = cached.unwrap_or(self.cached_tokens);
        }
        let mut added = String::new();
        if let Some(choice) = chunk.choices.into_iter().next() {
            if let Some(delta) = choice.delta {
                added = delta.content.unwrap_or_default();
                self.refusal.push_str(&delta.refusal.unwrap_or_default());
            }
            self.finish_reason = choice.finish_reason.or(self.finish_reason.take());
        }
        self.text.push_str(&added);
        Ok(added)
    }
}

/// Reads a stream of events to its `[DONE]`, or to its end after a `finish_reason`. An end without either is an error: a
/// connection that closes early looks just like one that is done.
pub(crate) async fn read(
    response: Response,
    server: &Server,
    tokens: &TokenSink,
) -> Result<Completion, NodeError> {
    let mut events = SseByteStream::new(Box::pin(response.bytes_stream()));
    let mut whole = Completion::default();
    while let Some(event) = events.next().await {
        let event = event.map_err(|error| match error {
            sse_stream::Error::Body(cause) => match cause.downcast::<reqwest::Error>() {
                Ok(error) => server.transport(&error, &whole.text),
                Err(error) => server.malformed(&error.to_string(), &whole.text),
            },
            other => server.malformed(&other.to_string(), &whole.text),
        })?;
        let Some(data) = event.data.filter(|data| !data.is_empty()) else {
            continue;
        };
        if data.trim() == "[DONE]" {
            return Ok(whole);
        }
        let added = whole.take(&data, server)?;
        if !added.is_empty() {
            tokens.send(&added);
        }
    }
    if whole.finish_reason.is_none() {
        return Err(server.truncated(&whole.text));
    }
    Ok(whole)
}

/// Reads an answer that came in one piece, from a server that does not stream.
pub(crate) fn read_whole(
    body: &str,
    server: &Server,
    tokens: &TokenSink,
) -> Result<Completion, NodeError> {
    let mut whole = Completion::default();
    let text = whole.take(body, server)?;
    if whole.finish_reason.is_none() {
        return Err(server.malformed("the answer has no finish_reason", &whole.text));
    }
    tokens.send(&text);
    Ok(whole)
}
