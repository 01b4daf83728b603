//! Reads bodies within limits on size, silence and time.

use std::{fmt, io::Cursor, time::Duration};

use futures::{Stream, StreamExt, stream};
use reqwest::{
    Response,
    header::{CONTENT_ENCODING, HeaderMap},
};
use tokio::time::Instant;

use super::limits::Limits;

/// The maximum time to wait for the body of a refusal.
const REFUSAL_TIMEOUT: Duration = Duration::from_secs(10);
/// The maximum number of bytes that are read from the body of a refusal.
const MAX_REFUSAL_BYTES: usize = 64 << 10;

/// The reason that reading a body stopped.
#[derive(Debug)]
pub(super) enum Broken {
    Transport(reqwest::Error),
    /// No line ended within the idle time.
    Stalled,
    /// No part of the answer arrived within the progress time, although the server was alive.
    Idle,
    /// The total time limit of the call has passed.
    Overdue,
    /// A line exceeded this many bytes without a line break.
    LongLine(usize),
    LongBody(usize),
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Transport(error) => error.fmt(f),
            Self::Stalled => f.write_str("it stalled"),
            Self::Idle => f.write_str("it stopped sending"),
            Self::Overdue => f.write_str("it took too long"),
            Self::LongLine(most) => {
                write!(f, "one of its lines is longer than {}", megabytes(*most))
            }
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
    /// The number of bytes since the last line break.
    line: usize,
    total: usize,
    /// The deadline for the end of the current line.
    line_until: Instant,
    /// The deadline for the whole body.
    until: Instant,
}

/// Returns the bytes of a body as a stream. The stream ends with an error if a line or the whole body exceeds its size limit, if
/// no line ends within the idle time (single bytes do not count), or if the total time is over.
pub(super) fn bounded_body<S, B>(
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
        // A body that is always ready never polls the timer, so the time is checked here.
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

/// Returns the compression of a body; `None` if it has none. Compression is never requested, but a server may compress
/// anyway. Some servers put the charset into `Content-Encoding`. A charset does not count as compression.
pub(super) fn packed(headers: &HeaderMap) -> Option<String> {
    let coding = headers.get(CONTENT_ENCODING)?;
    let coding = String::from_utf8_lossy(coding.as_bytes())
        .trim()
        .to_lowercase();
    let is_plain = matches!(&*coding, "" | "identity" | "none" | "utf-8" | "utf8");
    (!is_plain).then_some(coding)
}

/// Returns the start of the body of a refusal, for the error message. Returns an empty string if the body is unreadable or
/// compressed, because the status suffices for the message.
pub(super) async fn body_start(response: Response, limits: Limits) -> String {
    if packed(response.headers()).is_some() {
        return String::new();
    }
    let limits = Limits {
        idle: limits.idle.min(REFUSAL_TIMEOUT),
        line: MAX_REFUSAL_BYTES,
        body: MAX_REFUSAL_BYTES,
        ..limits
    };
    let until = Instant::now() + limits.idle;
    let mut pieces = Box::pin(bounded_body(
        Box::pin(response.bytes_stream()),
        limits,
        until,
    ));
    let mut bytes = Vec::new();
    while let Some(Ok(piece)) = pieces.next().await {
        bytes.extend_from_slice(piece.get_ref().as_ref());
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
