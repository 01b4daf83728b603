//! Reads bodies within bounds of size, of silence and of time.

use std::{fmt, io::Cursor, time::Duration};

use futures::{Stream, StreamExt, stream};
use reqwest::{
    Response,
    header::{CONTENT_ENCODING, HeaderMap},
};
use tokio::time::Instant;

use super::limits::Limits;

/// How long is waited for the words of a refusal.
const REFUSAL_TIMEOUT: Duration = Duration::from_secs(10);
/// How much of them is read, in bytes.
const MAX_REFUSAL_BYTES: usize = 64 << 10;

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
            Self::Idle => f.write_str("it stopped sending"),
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

/// How a body is packed, which was not asked for; `None` where it is not. Some servers write the charset here.
pub(super) fn packed(headers: &HeaderMap) -> Option<String> {
    let coding = headers.get(CONTENT_ENCODING)?;
    let coding = String::from_utf8_lossy(coding.as_bytes())
        .trim()
        .to_lowercase();
    let is_plain = matches!(&*coding, "" | "identity" | "none" | "utf-8" | "utf8");
    (!is_plain).then_some(coding)
}

/// The beginning of a body, for what a server says of a refusal. What cannot be read is left out, and so is what is packed: the
/// status says enough.
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
