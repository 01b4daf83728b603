//! Reads answers from their first byte to their end.

use std::sync::Arc;

use futures::StreamExt;
use reqwest::Response;
use serde_json::Value;
use sse_stream::SseByteStream;
use tokio::time::Instant;

use loopwright_answers::{Splitter, thoughts::Part};
use loopwright_engine::{NodeError, host::TokenSink, redact::RedactedStream};

use super::{
    body::{Broken, bounded_body},
    failure::Server,
    format::{Completion, Wire, Wrong},
    limits::Limits,
};

/// Reads a stream of events to the one behind which nothing follows.
pub(super) async fn events(
    response: Response,
    wire: &dyn Wire,
    server: &Server,
    tokens: &TokenSink,
) -> Result<Completion, NodeError> {
    let mut said = RedactedStream::new(Arc::clone(&server.redactor));
    let mut splitter = Splitter::default();
    // Thoughts are not shown as the answer.
    let show = |part: Part, text: &str| {
        if part == Part::Text && !text.is_empty() {
            tokens.send(text);
        }
    };
    let read = completion(response, wire, server, |added| {
        splitter.push(&said.push(added), show);
    });
    let mut whole = read.await;
    splitter.push(&said.end(), show);
    splitter.end(show);
    if let Ok(whole) = &mut whole {
        whole.part_thoughts();
    }
    whole
}

async fn completion(
    response: Response,
    wire: &dyn Wire,
    server: &Server,
    mut show: impl FnMut(&str),
) -> Result<Completion, NodeError> {
    let bytes = bounded_body(
        Box::pin(response.bytes_stream()),
        server.limits,
        server.until,
    );
    let mut events = SseByteStream::new(Box::pin(bytes));
    let mut whole = Completion::default();
    let mut progress_until = Instant::now() + server.limits.progress;
    loop {
        let Ok(event) = tokio::time::timeout_at(progress_until, events.next()).await else {
            return Err(server.broken(Broken::Idle, &whole.text));
        };
        let Some(event) = event else { break };
        let event = event.map_err(|error| match error {
            sse_stream::Error::Body(cause) => match cause.downcast::<Broken>() {
                Ok(broken) => server.broken(*broken, &whole.text),
                Err(error) => server.malformed(&error.to_string(), &whole.text),
            },
            other => server.malformed(&other.to_string(), &whole.text),
        })?;
        let Some(data) = event.data.filter(|data| !data.trim().is_empty()) else {
            continue;
        };
        let added = match event.event.as_deref() {
            Some("error") => Err(reported(&data)),
            _ => wire.take(&mut whole, &data),
        };
        let added = added.map_err(|wrong| server.wrong(wrong, &whole.text))?;
        show(&added);
        if whole.is_over {
            return Ok(whole);
        }
        if std::mem::take(&mut whole.has_moved) {
            progress_until = Instant::now() + server.limits.progress;
            server.heard.note();
        } else if Instant::now() >= progress_until {
            return Err(server.broken(Broken::Idle, &whole.text));
        }
    }
    if !wire.is_complete(&whole) {
        return Err(server.truncated(&whole.text));
    }
    Ok(whole)
}

/// What an event with the name `error` says, in whatever shape.
fn reported(data: &str) -> Wrong {
    let value: Value = serde_json::from_str(data).unwrap_or_else(|_| Value::from(data));
    Wrong::Reported(match value {
        Value::Object(mut fields) if fields.get("error").is_some_and(Value::is_object) => {
            fields.remove("error").unwrap_or_default()
        }
        other => other,
    })
}

/// Reads an answer that comes in one piece, from a server that does not stream.
pub(super) async fn in_one_piece(
    response: Response,
    wire: &dyn Wire,
    server: &Server,
    tokens: &TokenSink,
) -> Result<Completion, NodeError> {
    let body = whole(response, server).await?;
    let mut whole = Completion::default();
    wire.take_whole(&mut whole, &body)
        .map_err(|wrong| server.wrong(wrong, &whole.text))?;
    if whole.end.is_none() {
        return Err(server.malformed("the answer does not say how it ended", &whole.text));
    }
    whole.part_thoughts();
    tokens.send(&server.redact(&whole.text));
    Ok(whole)
}

/// The whole body, as text.
pub(super) async fn whole(response: Response, server: &Server) -> Result<String, NodeError> {
    let limits = Limits {
        line: server.limits.body,
        ..server.limits
    };
    let mut pieces = Box::pin(bounded_body(
        Box::pin(response.bytes_stream()),
        limits,
        server.until,
    ));
    let mut bytes = Vec::new();
    while let Some(piece) = pieces.next().await {
        let piece = piece.map_err(|broken| server.broken(broken, ""))?;
        bytes.extend_from_slice(piece.get_ref().as_ref());
    }
    String::from_utf8(bytes).map_err(|_| server.malformed("its answer is not UTF-8", ""))
}
