//! Reads answers from their first byte to their end, within bounds of size, of silence and of time.

use std::{fmt, io::Cursor, sync::Arc, time::Duration};

use futures::{Stream, StreamExt, stream};
use reqwest::Response;
use serde_json::Value;
use sse_stream::SseByteStream;
use tokio::time::Instant;

use loopwright_engine::{NodeError, host::TokenSink, redact::RedactedStream};

use super::{Completion, Limits, Wire, Wrong, failure::Server};

/// Why a body was not read on.
#[derive(Debug)]
pub(super) enum Broken {
    Transport(reqwest::Error),
    /// No whole line came for so long.
    Stalled,
    /// Nothing of the answer came for so long, though the server was there.
    Idle,
    /// The whole time is over.
    Overdue,
    /// So many bytes without an end.
    LongLine(usize),
    LongBody(usize),
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Transport(error) => error.fmt(f),
            Self::Stalled => f.write_str("it stalled"),
            Self::Idle => f.write_str("it did not go on"),
            Self::Overdue => f.write_str("it took too long"),
            Self::LongLine(most) => write!(f, "a line of it is longer than {}", megabytes(*most)),
            Self::LongBody(most) => write!(f, "it is longer than {}", megabytes(*most)),
        }
    }
}

impl std::error::Error for Broken {}

fn megabytes(bytes: usize) -> String {
    if bytes < 1 << 20 {
        format!("{} KB", bytes >> 10)
    } else {
        format!("{} MB", bytes >> 20)
    }
}

struct Bounded<S> {
    inner: S,
    limits: Limits,
    /// Since the last end of a line.
    line: usize,
    total: usize,
    /// Until when a line must have ended.
    line_until: Instant,
    /// Until when all of it must have come.
    until: Instant,
}

/// A body's bytes. It ends with an error where a line or the whole grows too long, no line ends for too long (a byte now and
/// then is no answer either), or its time is over.
fn bounded<S, B>(
    body: S,
    limits: Limits,
    until: Instant,
) -> impl Stream<Item = Result<Cursor<B>, Broken>>
where
    S: Stream<Item = reqwest::Result<B>> + Unpin,
    B: AsRef<[u8]>,
{
    let state = Bounded {
        inner: body,
        limits,
        line: 0,
        total: 0,
        line_until: Instant::now() + limits.idle,
        until,
    };
    stream::try_unfold(state, |mut state| async move {
        let deadline = state.line_until.min(state.until);
        let next = tokio::time::timeout_at(deadline, state.inner.next()).await;
        let piece = match next {
            Err(_) if deadline == state.until => return Err(Broken::Overdue),
            Err(_) => return Err(Broken::Stalled),
            Ok(None) => return Ok(None),
            Ok(Some(piece)) => piece.map_err(Broken::Transport)?,
        };
        // What always comes at once never waits.
        if Instant::now() >= state.until {
            return Err(Broken::Overdue);
        }
        let bytes = piece.as_ref();
        state.total += bytes.len();
        match bytes.iter().rposition(|byte| matches!(byte, b'\n' | b'\r')) {
            Some(at) => {
                state.line = bytes.len() - at - 1;
                state.line_until = Instant::now() + state.limits.idle;
            }
            None => state.line += bytes.len(),
        }
        if state.line > state.limits.line {
            return Err(Broken::LongLine(state.limits.line));
        }
        if state.total > state.limits.body {
            return Err(Broken::LongBody(state.limits.body));
        }
        Ok(Some((Cursor::new(piece), state)))
    })
}

/// Reads a stream of events to the one behind which nothing follows.
pub(super) async fn events(
    response: Response,
    wire: &dyn Wire,
    server: &Server,
    tokens: &TokenSink,
) -> Result<Completion, NodeError> {
    let mut said = RedactedStream::new(Arc::clone(&server.redactor));
    let show = |text: String| {
        if !text.is_empty() {
            tokens.send(&text);
        }
    };
    let whole = completion(response, wire, server, |added| show(said.push(added))).await;
    show(said.end());
    whole
}

async fn completion(
    response: Response,
    wire: &dyn Wire,
    server: &Server,
    mut show: impl FnMut(&str),
) -> Result<Completion, NodeError> {
    let bytes = bounded(
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
    let text = wire
        .take_whole(&mut whole, &body)
        .map_err(|wrong| server.wrong(wrong, &whole.text))?;
    if whole.end.is_none() {
        return Err(server.malformed("the answer does not say how it ended", &whole.text));
    }
    tokens.send(&server.redact(&text));
    Ok(whole)
}

/// The whole body, as text.
pub(super) async fn whole(response: Response, server: &Server) -> Result<String, NodeError> {
    let limits = Limits {
        line: server.limits.body,
        ..server.limits
    };
    let mut pieces = Box::pin(bounded(
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

/// The beginning of a body, for what a server says of a refusal. What cannot be read is left out: the status says enough.
pub(super) async fn beginning(response: Response, limits: Limits) -> String {
    let limits = Limits {
        idle: limits.idle.min(REFUSAL),
        line: SAID,
        body: SAID,
        ..limits
    };
    let until = Instant::now() + limits.idle;
    let mut pieces = Box::pin(bounded(Box::pin(response.bytes_stream()), limits, until));
    let mut bytes = Vec::new();
    while let Some(Ok(piece)) = pieces.next().await {
        bytes.extend_from_slice(piece.get_ref().as_ref());
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// How long is waited for the words of a refusal.
const REFUSAL: Duration = Duration::from_secs(10);
/// How much of them is read, in bytes.
const SAID: usize = 64 << 10;
