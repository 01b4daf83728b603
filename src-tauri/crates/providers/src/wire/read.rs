//! Reads answers from their first byte to their end, within bounds of size and silence.

use std::{fmt, io::Cursor, time::Duration};

use futures::{Stream, StreamExt, stream};
use reqwest::Response;
use sse_stream::SseByteStream;
use tokio::time::Instant;

use loopwright_engine::{NodeError, host::TokenSink};

use super::{Completion, Limits, Wire, failure::Server};

/// Why a body was not read on.
#[derive(Debug)]
pub(super) enum Broken {
    Transport(reqwest::Error),
    /// No whole line came for so long.
    Stalled,
    /// So many bytes without an end.
    LongLine(usize),
    LongBody(usize),
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Transport(error) => error.fmt(f),
            Self::Stalled => f.write_str("it stalled"),
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
    deadline: Instant,
}

/// A body's bytes. It ends with an error where a line or the whole grows too long, or no line ends for too long: a byte
/// now and then is no answer either.
fn bounded<S, B>(body: S, limits: Limits) -> impl Stream<Item = Result<Cursor<B>, Broken>>
where
    S: Stream<Item = reqwest::Result<B>> + Unpin,
    B: AsRef<[u8]>,
{
    let state = Bounded {
        inner: body,
        limits,
        line: 0,
        total: 0,
        deadline: Instant::now() + limits.idle,
    };
    stream::try_unfold(state, |mut state| async move {
        let next = tokio::time::timeout_at(state.deadline, state.inner.next()).await;
        let piece = match next {
            Err(_) => return Err(Broken::Stalled),
            Ok(None) => return Ok(None),
            Ok(Some(piece)) => piece.map_err(Broken::Transport)?,
        };
        let bytes = piece.as_ref();
        state.total += bytes.len();
        match bytes.iter().rposition(|byte| matches!(byte, b'\n' | b'\r')) {
            Some(at) => {
                state.line = bytes.len() - at - 1;
                state.deadline = Instant::now() + state.limits.idle;
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
    let bytes = bounded(Box::pin(response.bytes_stream()), server.limits);
    let mut events = SseByteStream::new(Box::pin(bytes));
    let mut whole = Completion::default();
    while let Some(event) = events.next().await {
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
        let added = wire
            .take(&mut whole, &data)
            .map_err(|wrong| server.wrong(wrong, &whole.text))?;
        if !added.is_empty() {
            tokens.send(&server.redact(&added));
        }
        if whole.is_over {
            return Ok(whole);
        }
    }
    if !wire.is_complete(&whole) {
        return Err(server.truncated(&whole.text));
    }
    Ok(whole)
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
    let mut pieces = Box::pin(bounded(Box::pin(response.bytes_stream()), limits));
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
    let mut pieces = Box::pin(bounded(Box::pin(response.bytes_stream()), limits));
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
