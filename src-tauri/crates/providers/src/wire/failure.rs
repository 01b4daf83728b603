//! What went wrong with a server, in words and in codes. No message holds the key.
//!
//! | code | what it is |
//! | --- | --- |
//! | `network` | no connection, or it broke before an answer |
//! | `tls` | no secure connection |
//! | `certificate` | a server whose certificate is not trusted here |
//! | `timeout` | silence, pings alone, or an answer without an end in the time allowed |
//! | `http_<status>` | refused with that status |
//! | `context_overflow` | more than the model takes |
//! | `truncated` | the answer ended before its end |
//! | `malformed_answer` | what came is not the protocol |
//! | `answer_too_long` | more bytes than are read |
//! | `provider_error` | an error that was reported in the middle of an answer |
//! | `empty_answer` | an answer without any content |
//! | `content_filter`, `refused` | withheld by a filter, declined by the model |
//! | `answer_cut` | cut at the most tokens, where JSON was wanted |
//!
//! A failure behind which the call may have been answered is marked as uncertain.

use std::{error::Error as _, io, sync::Arc};

use reqwest::{
    Response,
    header::{DATE, HeaderMap, RETRY_AFTER},
};
use serde_json::Value;

use loopwright_engine::{NodeError, redact::Redactor};

use super::{
    body::{Broken, body_start},
    format::Wrong,
    limits::Limits,
    silence::Heard,
};

/// The server of a call, for messages.
pub(crate) struct Server {
    pub(crate) id: String,
    pub(crate) host: String,
    pub(crate) is_local: bool,
    pub(crate) is_tls: bool,
    pub(crate) has_key: bool,
    /// Takes the key out of what it says.
    pub(crate) redactor: Arc<Redactor>,
    pub(crate) limits: Limits,
    /// When the time of the request is over.
    pub(crate) until: tokio::time::Instant,
    /// When its answer moved last.
    pub(crate) heard: Heard,
    pub(crate) protocol: &'static str,
}

/// A status that is no success, with what the server said.
pub(crate) struct Refusal {
    pub(crate) status: u16,
    pub(crate) said: String,
    pub(crate) error: NodeError,
}

/// How much of a partial answer or of a server's words a message quotes.
const QUOTED: usize = 300;

/// Words by which servers say that a prompt is too long, where they have no code for it.
const OVERFLOWS: [&str; 9] = [
    "context_length_exceeded",
    "exceed_context_size",
    "maximum context length",
    "context window",
    "context length",
    "context size",
    "prompt is too long",
    "exceeds the maximum number of tokens",
    "input is too long",
];

impl Server {
    /// A request or a stream that broke; `partial` is the text so far.
    pub(crate) fn transport(&self, error: &reqwest::Error, partial: &str) -> NodeError {
        let host = &self.host;
        if error.is_builder() {
            return self.error(
                "key_unusable",
                "the request cannot be made. Does the key have characters that no key has?"
                    .to_owned(),
                partial,
            );
        }
        if error.is_timeout() && error.is_connect() {
            return self.error(
                "timeout",
                format!("{host} did not accept a connection in time. Is the address right?"),
                partial,
            );
        }
        if error.is_timeout() {
            return self.silent(partial);
        }
        if error.is_connect() && self.is_tls && !is_unreachable(error) {
            let cause = cause(error);
            // In the words of rustls, which reads the certificate on every system.
            if let Some(why) = cause.strip_prefix("invalid peer certificate: ") {
                return self.error(
                    "certificate",
                    format!(
                        "the certificate of {host} is not trusted by this computer ({why}), so nothing was sent. Check the address. If it is a server that you trust, add its certificate, or that of who signed it, to this computer's trusted certificates."
                    ),
                    partial,
                );
            }
            return self.error(
                "tls",
                format!(
                    "no secure connection to {host} can be made: {cause}. Is it an https address?"
                ),
                partial,
            );
        }
        if error.is_connect() {
            let remedy = if self.is_local {
                "Is the server running and the address right?"
            } else {
                "Is this computer online, the server running and the address right?"
            };
            return self.error(
                "network",
                format!("{host} cannot be reached: {}. {remedy}", cause(error)),
                partial,
            );
        }
        if !partial.is_empty() || error.is_body() || error.is_decode() {
            return self.uncertain(
                "truncated",
                format!("the answer of {host} broke off: {}", cause(error)),
                partial,
            );
        }
        self.uncertain(
            "network",
            format!("the request to {host} failed: {}", cause(error)),
            partial,
        )
    }

    /// A body that was not read on.
    pub(super) fn broken(&self, broken: Broken, partial: &str) -> NodeError {
        match broken {
            Broken::Transport(error) => self.transport(&error, partial),
            Broken::Stalled => self.silent(partial),
            Broken::Idle => self.uncertain(
                "timeout",
                format!(
                    "{} kept the connection open for {} s and sent nothing of the answer. It may be overloaded; try again later, \
                     or set a longer `timeout` of the node to wait for as long as that.",
                    self.host,
                    self.limits.progress.as_secs_f32()
                ),
                partial,
            ),
            Broken::Overdue => self.overdue(partial),
            long @ (Broken::LongLine(_) | Broken::LongBody(_)) => self.uncertain(
                "answer_too_long",
                format!("the answer of {} is not read on: {long}", self.host),
                partial,
            ),
        }
    }

    /// No answer, or no more of it, in the time allowed.
    pub(crate) fn silent(&self, partial: &str) -> NodeError {
        self.uncertain(
            "timeout",
            format!(
                "{} was silent for {} s. It may be overloaded; try again later.",
                self.host,
                self.limits.idle.as_secs_f32()
            ),
            partial,
        )
    }

    /// The whole time of the request is over.
    pub(crate) fn overdue(&self, partial: &str) -> NodeError {
        self.uncertain(
            "timeout",
            format!(
                "the answer of {} was not complete after {} s, which is the longest that a call may take. Set a longer `timeout` \
                 of the node, such as PT30M, or let the answer be shorter by `maxTokens`.",
                self.host,
                self.limits.total.as_secs_f32()
            ),
            partial,
        )
        // The same answer would take as long again.
        .lasting()
    }

    pub(crate) fn truncated(&self, partial: &str) -> NodeError {
        self.uncertain(
            "truncated",
            format!(
                "the answer of {} ended before it was complete (the event that ends it is missing).",
                self.host
            ),
            partial,
        )
    }

    pub(crate) fn malformed(&self, what: &str, partial: &str) -> NodeError {
        self.uncertain(
            "malformed_answer",
            format!("{} does not speak {}: {what}", self.host, self.protocol),
            partial,
        )
    }

    pub(crate) fn wrong(&self, wrong: Wrong, partial: &str) -> NodeError {
        match wrong {
            Wrong::Malformed(what) => self.malformed(&what, partial),
            Wrong::Reported(error) => self.reported(&error, partial),
        }
    }

    pub(crate) fn filtered(&self, why: &str, partial: &str) -> NodeError {
        self.error(
            "content_filter",
            format!("{} withheld the answer (content filter: {why}).", self.host),
            partial,
        )
    }

    /// An error that the server reports in the middle of a stream.
    fn reported(&self, error: &Value, partial: &str) -> NodeError {
        let words = words(error).unwrap_or_else(|| error.to_string());
        let kind = ["type", "status", "code"]
            .iter()
            .find_map(|field| error[*field].as_str())
            .map_or_else(String::new, |kind| format!(" ({kind})"));
        self.uncertain(
            "provider_error",
            format!(
                "{} reported an error in its answer{kind}: {}",
                self.host,
                shorten(&self.redact(&words))
            ),
            partial,
        )
    }

    /// Reads a response whose status is no success.
    pub(crate) async fn refusal(&self, response: Response) -> Refusal {
        let status = response.status().as_u16();
        let headers = response.headers().clone();
        let said = body_start(response, self.limits).await;
        let wait = Wait::of(&headers, &said);
        let mut error = self
            .status(status, &said, &wait)
            .asking_to_wait(wait.millis());
        if is_lasting(status, &headers) {
            error = error.lasting();
        }
        Refusal {
            status,
            said,
            error,
        }
    }

    fn status(&self, status: u16, body: &str, wait: &Wait) -> NodeError {
        let parsed: Option<Value> = serde_json::from_str(body).ok();
        // Some answer with a list of one.
        let parsed = parsed.map(|body| match body {
            Value::Array(mut items) if !items.is_empty() => items.swap_remove(0),
            other => other,
        });
        let words = parsed
            .as_ref()
            .and_then(|body| words(&body["error"]).or_else(|| words(body)))
            .unwrap_or_else(|| body.to_owned());
        let said = match shorten(&self.redact(&words)) {
            said if said.is_empty() => said,
            said => format!(" It said: {said}"),
        };
        let host = &self.host;
        let lower = body.to_lowercase();
        if matches!(status, 400 | 413 | 422) && OVERFLOWS.iter().any(|words| lower.contains(words))
        {
            return self.error(
                "context_overflow",
                format!(
                    "{host} cannot take so long a prompt (status {status}). Shorten what goes in, or choose a model with a larger context.{said}"
                ),
                "",
            );
        }
        let message = match status {
            400 => format!("{host} does not accept the request (status 400)."),
            401 | 403 if !self.has_key => {
                format!("{host} asks for a key (status {status}), and none is set.")
            }
            401 => format!(
                "{host} does not accept the key (status 401). It may be wrong or revoked; set another."
            ),
            403 => format!(
                "{host} does not accept the key for this (status 403). It may lack the right to use this model."
            ),
            404 => format!("{host} has no such address or model (status 404)."),
            429 => format!(
                "{host} has had too many requests, or its quota is spent (status 429){}.",
                wait.words()
            ),
            300..=399 => format!(
                "{host} sends the call elsewhere (status {status}), which is not followed. Set the address that it names."
            ),
            500..=599 => format!(
                "{host} failed (status {status}){}. This is usually passing; a retry may help.",
                wait.words()
            ),
            _ => format!("{host} refused the request (status {status})."),
        };
        self.error(&format!("http_{status}"), format!("{message}{said}"), "")
    }

    /// A failure after the request was sent, so that it may have been answered.
    fn uncertain(&self, code: &str, message: String, partial: &str) -> NodeError {
        self.error(code, message, partial).after_sending()
    }

    pub(crate) fn error(&self, code: &str, message: String, partial: &str) -> NodeError {
        let mut message = format!("Provider “{}”: {message}", self.id);
        // Before it is cut: of a key that is cut in two no half would be found.
        let partial = self.redact(partial);
        if !partial.is_empty() {
            let end: String = partial.chars().take(QUOTED).collect();
            message.push_str(&format!(
                " Until then it had answered: “{end}{}”",
                if end.len() < partial.len() { "…" } else { "" }
            ));
        }
        NodeError::new(code, self.redact(&message)).with_partial(&partial)
    }

    /// The text without the key.
    pub(crate) fn redact(&self, text: &str) -> String {
        self.redactor.redact(text)
    }
}

/// Whether a status of a server that failed is one that does not pass (not implemented, a version that it does not speak), or the
/// server says of the call that it is not to be made again.
fn is_lasting(status: u16, headers: &HeaderMap) -> bool {
    let says = headers.get("x-should-retry");
    matches!(status, 501 | 505) || says.is_some_and(|says| says.as_bytes() == b"false")
}

/// How long a server asks to be left alone.
enum Wait {
    /// It does not say, or what it says cannot be read.
    Unsaid,
    Millis(u64),
}

impl Wait {
    /// From `retry-after-ms`, `Retry-After` (RFC 9110, 10.2.3: seconds or a date), or Google's `RetryInfo` in the body.
    fn of(headers: &HeaderMap, body: &str) -> Self {
        let text = |name: &str| {
            headers
                .get(name)
                .and_then(|value| value.to_str().ok())
                .map(str::trim)
        };
        let fraction = |text: &str, scale: f64| {
            let number = text.parse::<f64>().ok()?;
            // Beyond what counts hold it is cut; nobody waits so long.
            (number.is_finite() && number >= 0.0).then(|| (number * scale).ceil() as u64)
        };
        let after = text(RETRY_AFTER.as_str());
        text("retry-after-ms")
            .and_then(|millis| fraction(millis, 1.0))
            .or_else(|| after.and_then(|after| fraction(after, 1000.0)))
            .or_else(|| {
                let until = httpdate::parse_http_date(after?).ok()?;
                // By the server's own clock where it shows it: this computer's may be wrong.
                let now = text(DATE.as_str())
                    .and_then(|date| httpdate::parse_http_date(date).ok())
                    .unwrap_or_else(std::time::SystemTime::now);
                let wait = until.duration_since(now).unwrap_or_default();
                u64::try_from(wait.as_millis()).ok()
            })
            .or_else(|| {
                let body: Value = serde_json::from_str(body).ok()?;
                let body = body.get(0).unwrap_or(&body);
                let details = body["error"]["details"].as_array()?;
                let delay = details
                    .iter()
                    .find_map(|detail| detail["retryDelay"].as_str())?;
                fraction(delay.strip_suffix('s')?, 1000.0)
            })
            .map_or(Self::Unsaid, Self::Millis)
    }

    fn millis(&self) -> Option<u64> {
        match self {
            Self::Unsaid => None,
            Self::Millis(millis) => Some(*millis),
        }
    }

    fn words(&self) -> String {
        match self {
            Self::Unsaid => String::new(),
            Self::Millis(millis) => {
                format!("; it asks to wait {} s", millis.div_ceil(1000))
            }
        }
    }
}

/// The words of an error in one of the shapes that servers give it.
fn words(error: &Value) -> Option<String> {
    let said = error["message"]
        .as_str()
        .or_else(|| error["error"]["message"].as_str())
        .or_else(|| error["error"].as_str())
        .or_else(|| error.as_str())
        .or_else(|| error["detail"].as_str())?;
    Some(said.to_owned())
}

fn shorten(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let short: String = line.chars().take(QUOTED).collect();
    if short.len() < line.len() {
        format!("{short}…")
    } else {
        short
    }
}

/// The innermost cause: "connection refused", without the URL.
fn cause(error: &reqwest::Error) -> String {
    let mut inner: &dyn std::error::Error = error;
    while let Some(source) = inner.source() {
        inner = source;
    }
    inner.to_string()
}

/// Whether nobody was there, rather than somebody who does not speak TLS or is not trusted.
fn is_unreachable(error: &reqwest::Error) -> bool {
    let mut next = error.source();
    while let Some(source) = next {
        if let Some(mut io) = source.downcast_ref::<io::Error>() {
            // Each layer wraps the one below in an error of its own.
            while let Some(inner) = io
                .get_ref()
                .and_then(|inner| inner.downcast_ref::<io::Error>())
            {
                io = inner;
            }
            return !matches!(
                io.kind(),
                io::ErrorKind::InvalidData
                    | io::ErrorKind::UnexpectedEof
                    | io::ErrorKind::ConnectionReset
                    | io::ErrorKind::BrokenPipe
            );
        }
        next = source.source();
    }
    // The name was not found, or the proxy refused.
    !cause(error).contains("certificate")
}
