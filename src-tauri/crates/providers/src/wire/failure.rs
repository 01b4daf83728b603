//! The errors of servers, as codes and messages. No message contains the key.
//!
//! | code | meaning |
//! | --- | --- |
//! | `network` | no connection, or it broke before an answer |
//! | `tls` | no secure connection |
//! | `certificate` | the server's certificate is not trusted by this computer |
//! | `timeout` | no answer, only pings, or an answer that did not end in time |
//! | `http_<status>` | refused with that status, or an answer that reports an error with that status |
//! | `quota_spent` | the paid quota is used up, with any status |
//! | `context_overflow` | the prompt exceeds the model's context |
//! | `truncated` | the answer broke off before its end |
//! | `malformed_answer` | the answer does not follow the protocol |
//! | `answer_too_long` | the answer exceeds the size limit |
//! | `provider_error` | an error without a known status in the middle of an answer |
//! | `empty_answer` | an answer without any content |
//! | `content_filter`, `refused` | withheld by a filter, declined by the model |
//! | `answer_cut` | cut off at the token limit, where JSON was required |
//!
//! An error is marked as uncertain if the server may have answered the call.

use std::{error::Error as _, io, sync::Arc};

use reqwest::{Response, header::HeaderMap};
use serde_json::Value;

use loopwright_engine::{NodeError, duration::in_seconds, redact::Redactor};

use super::{
    body::{Broken, body_start},
    format::Wrong,
    heard::Heard,
    limits::Limits,
    loose::written,
    page::{is_page, without_tags},
    refusal::is_too_large,
    reported::Reported,
    said::Said,
    wait::wait,
};

/// The server of a call and the call's time limits, from which errors are created.
pub(crate) struct Server {
    pub(crate) id: String,
    pub(crate) host: String,
    pub(crate) is_local: bool,
    pub(crate) is_tls: bool,
    pub(crate) has_key: bool,
    /// The redactor that removes the call's key from the server's messages.
    pub(crate) redactor: Arc<Redactor>,
    pub(crate) limits: Limits,
    /// The time at which the request is aborted.
    pub(crate) until: tokio::time::Instant,
    /// The time of the answer's last progress.
    pub(crate) heard: Heard,
    pub(crate) protocol: &'static str,
}

/// An error in place of an answer, with the server's message.
pub(crate) struct Refusal {
    pub(super) status: Option<u16>,
    pub(super) said: Said,
    pub(super) error: NodeError,
}

/// The reason why there is no answer.
pub(crate) enum NoAnswer {
    /// The server reports a failure, or refuses a part of the request, before any part of an answer arrived.
    Refused(Box<Refusal>),
    Failed(NodeError),
}

impl From<NodeError> for NoAnswer {
    fn from(error: NodeError) -> Self {
        Self::Failed(error)
    }
}

impl NoAnswer {
    pub(crate) fn into_error(self) -> NodeError {
        match self {
            Self::Refused(refusal) => refusal.error,
            Self::Failed(error) => error,
        }
    }
}

/// The maximum number of characters of a partial answer or of a server's message that an error message quotes.
const QUOTED: usize = 300;

/// Phrases that say that a prompt is too long, for servers that have no error code for it.
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
    /// Returns the error for a request or stream that broke. `partial` is the text that had arrived.
    pub(crate) fn transport(&self, error: &reqwest::Error, partial: &str) -> NodeError {
        let host = &self.host;
        if error.is_builder() {
            return self.error(
                "key_unusable",
                "the request cannot be sent. Check the key for invalid characters.".to_owned(),
                partial,
            );
        }
        if error.is_timeout() && error.is_connect() {
            return self.error(
                "timeout",
                format!("{host} did not accept a connection in time. Check the address."),
                partial,
            );
        }
        if error.is_timeout() {
            return self.silent(partial);
        }
        if error.is_connect() && self.is_tls && !is_unreachable(error) {
            let cause = cause(error);
            // rustls checks the certificates on every system, so this prefix is the same everywhere.
            if let Some(why) = cause.strip_prefix("invalid peer certificate: ") {
                return self.error(
                    "certificate",
                    format!(
                        "the certificate of {host} is not trusted by this computer ({why}), so nothing was sent. Check the address. If you trust the server, add its certificate or that of its issuer to this computer's trusted certificates."
                    ),
                    partial,
                );
            }
            return self.error(
                "tls",
                format!(
                    "no secure connection to {host} could be established: {cause}. Check that the server supports https."
                ),
                partial,
            );
        }
        if error.is_connect() {
            let remedy = if self.is_local {
                "Check that the server is running and the address is correct."
            } else {
                "Check that this computer is online, the server is running and the address is correct."
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
                format!("the answer from {host} was cut off: {}", cause(error)),
                partial,
            );
        }
        self.uncertain(
            "network",
            format!("the request to {host} failed: {}", cause(error)),
            partial,
        )
    }

    /// Returns the error of a body that could not be read to its end.
    pub(super) fn broken(&self, broken: Broken, partial: &str) -> NodeError {
        match broken {
            Broken::Transport(error) => self.transport(&error, partial),
            Broken::Stalled => self.silent(partial),
            Broken::Idle => self.uncertain(
                "timeout",
                format!(
                    "{} kept the connection open for {} s without sending any of the answer. It may be overloaded; try again \
                     later, or set a longer `timeout` on the node.",
                    self.host,
                    self.limits.progress.as_secs_f32()
                ),
                partial,
            ),
            Broken::Overdue => self.overdue(partial),
            long @ (Broken::LongLine(_) | Broken::LongBody(_)) => self.uncertain(
                "answer_too_long",
                format!("the answer from {} was not read completely: {long}", self.host),
                partial,
            ),
        }
    }

    /// Returns the error for an answer that did not start or continue in time.
    pub(crate) fn silent(&self, partial: &str) -> NodeError {
        self.uncertain(
            "timeout",
            format!(
                "{} sent nothing for {} s. It may be overloaded; try again later.",
                self.host,
                self.limits.idle.as_secs_f32()
            ),
            partial,
        )
    }

    /// Returns the error for a request that exceeded its total time.
    pub(crate) fn overdue(&self, partial: &str) -> NodeError {
        self.uncertain(
            "timeout",
            format!(
                "the answer from {} was not complete after {} s, the time limit of the call. Set a longer `timeout` \
                 on the node, such as PT30M, or limit the answer with `maxTokens`.",
                self.host,
                self.limits.total.as_secs_f32()
            ),
            partial,
        )
        // A repeated call would take just as long.
        .lasting()
    }

    pub(crate) fn truncated(&self, partial: &str) -> NodeError {
        self.uncertain(
            "truncated",
            format!(
                "the answer from {} ended before it was complete (the final event is missing).",
                self.host
            ),
            partial,
        )
    }

    pub(crate) fn malformed(&self, what: &str, partial: &str) -> NodeError {
        self.uncertain(
            "malformed_answer",
            format!("{} does not follow {}: {what}", self.host, self.protocol),
            partial,
        )
    }

    pub(super) fn wrong(&self, wrong: Wrong, partial: &str) -> NodeError {
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

    /// Returns the error that the server reports in the middle of an answer.
    fn reported(&self, error: &Value, partial: &str) -> NodeError {
        let reported = Reported::of(error, None);
        match reported.status {
            Some(status) => self
                .status(status, &reported, None, Some(partial))
                .after_sending(),
            None => self.uncertain("provider_error", self.reported_words(&reported), partial),
        }
    }

    fn reported_words(&self, reported: &Reported) -> String {
        let kind = reported.kind.as_ref().map_or_else(String::new, |kind| {
            format!(" ({})", shorten(&self.redact(kind)))
        });
        format!(
            "{} reported an error in its answer{kind}: {}",
            self.host,
            shorten(&self.redact(&reported.words))
        )
    }

    /// Returns the refusal for an error that came with a success status and without any part of an answer.
    pub(super) fn refusal_in_answer(&self, headers: &HeaderMap, error: &Value) -> Refusal {
        let reported = Reported::of(error, None);
        let wait = wait(headers, error);
        let error_of = match reported.status {
            // The answer is only an error, which names the status that the response should have had.
            Some(status) => self.status(status, &reported, wait, Some("")),
            None if reported.is_spent || reported.is_filtered => {
                self.status(400, &reported, wait, Some(""))
            }
            None => self.uncertain("provider_error", self.reported_words(&reported), ""),
        };
        let error_of = match reported.status {
            Some(status) if is_lasting(status, headers) => error_of.lasting(),
            _ => error_of,
        };
        Refusal {
            status: reported.status,
            said: Said::of(&written(error)),
            error: error_of.asking_to_wait(wait),
        }
    }

    /// Reads a response with an error status.
    pub(crate) async fn refusal(&self, response: Response) -> Refusal {
        let status = response.status().as_u16();
        let headers = response.headers().clone();
        let body = body_start(response, self.limits).await;
        let body = body.trim_start_matches('\u{feff}');
        let reported = Reported::of_text(body, Some(status));
        let parsed: Value = serde_json::from_str(body).unwrap_or_default();
        let wait = wait(&headers, &parsed);
        let mut error = self.status(status, &reported, wait, None);
        if (300..400).contains(&status)
            && let Some(to) = headers.get("location").and_then(|to| to.to_str().ok())
        {
            error
                .message
                .push_str(&format!(" It names {}.", shorten(&self.redact(to))));
        }
        if is_lasting(status, &headers) {
            error = error.lasting();
        }
        Refusal {
            status: Some(status),
            said: Said::of(body),
            error: error.asking_to_wait(wait),
        }
    }

    /// Returns the error for an HTTP status that the server sent or reported. `answered` is the text that has arrived, if
    /// the error came within an answer.
    fn status(
        &self,
        status: u16,
        reported: &Reported,
        wait: Option<u64>,
        answered: Option<&str>,
    ) -> NodeError {
        let (in_answer, partial) = (answered.is_some(), answered.unwrap_or_default());
        let Reported { words, is_page, .. } = reported;
        let said = match shorten(&self.redact(words)) {
            said if said.is_empty() => said,
            said if *is_page => format!(" The web page says: “{said}”."),
            said => format!(" It said: {said}"),
        };
        let host = &self.host;
        let said_status = if in_answer {
            format!("status {status}, in its answer")
        } else {
            format!("status {status}")
        };
        let lower = words.to_lowercase();
        if matches!(status, 400 | 413 | 422 | 500)
            && OVERFLOWS.iter().any(|words| lower.contains(words))
            && !is_too_large(&Said::of(words))
        {
            return self.error(
                "context_overflow",
                format!(
                    "the prompt is too long for {host} ({said_status}). Shorten the input, or choose a model with a larger context.{said}"
                ),
                partial,
            );
        }
        if reported.is_filtered {
            return self.error(
                "content_filter",
                format!("{host} withheld the answer (content filter, {said_status}).{said}"),
                partial,
            );
        }
        if reported.is_spent {
            return self.error(
                "quota_spent",
                format!(
                    "your credit at {host} is used up ({said_status}). Check your plan and balance there; waiting does not help.{said}"
                ),
                partial,
            );
        }
        let wait = wait.filter(|millis| *millis > 0);
        let wait = wait.map_or_else(String::new, |millis| {
            format!("; it asks you to wait {}", in_seconds(millis))
        });
        let message = match status {
            403 if *is_page && !in_answer => format!(
                "{host} refused the request with a web page ({said_status}{wait}). The page probably comes from a gateway or firewall in front of the server."
            ),
            400 => format!("{host} does not accept the request ({said_status})."),
            401 | 403 if !self.has_key => {
                format!("{host} requires a key ({said_status}), but none is set.")
            }
            401 => format!(
                "{host} does not accept the key ({said_status}). It may be wrong or revoked; set another."
            ),
            403 => format!(
                "{host} does not accept the key for this request ({said_status}). The key may lack permission to use this model."
            ),
            404 => {
                format!("{host} did not find this address or model ({said_status}). Check both.")
            }
            429 => format!(
                "{host} received too many requests, or your quota there is used up ({said_status}){wait}."
            ),
            300..=399 => format!(
                "{host} redirects the call ({said_status}), and redirects are not followed. Set the address to the target of the redirect."
            ),
            500..=599 => format!(
                "{host} failed ({said_status}){wait}. This is usually temporary; a retry may help."
            ),
            _ => format!("{host} refused the request ({said_status})."),
        };
        let error = self.error(
            &format!("http_{status}"),
            format!("{message}{said}"),
            partial,
        );
        match reported.is_used_up {
            true => error.used_up(),
            false => error,
        }
    }

    /// Returns the error for a response that is a web page, or other text, instead of an answer.
    pub(super) fn no_answer(&self, kind: &str, body: &str) -> NodeError {
        let reported = Reported::of_text(body, None);
        let words = shorten(&self.redact(&reported.words));
        let kind = match kind {
            "" => String::new(),
            kind => format!(" (“{}”)", shorten(kind)),
        };
        let what = match (reported.is_page, words.as_str()) {
            (true, "") => format!("it sent a web page{kind}. Check the address."),
            (true, title) => format!("it sent the web page “{title}”{kind}. Check the address."),
            (false, "") => format!("it sent no readable text{kind}"),
            (false, words) => format!("it sent{kind}: {words}"),
        };
        self.malformed(&what, "")
    }

    /// Returns an error that occurred after the request was sent, marked as uncertain: the server may have answered.
    fn uncertain(&self, code: &str, message: String, partial: &str) -> NodeError {
        self.error(code, message, partial).after_sending()
    }

    pub(crate) fn error(&self, code: &str, message: String, partial: &str) -> NodeError {
        let mut message = format!("Provider “{}”: {message}", self.id);
        // The text is redacted before it is truncated, because half a key would not be recognized.
        let partial = self.redact(partial);
        if !partial.is_empty() {
            let end: String = partial.chars().take(QUOTED).collect();
            message.push_str(&format!(
                " The answer until then: “{end}{}”",
                if end.len() < partial.len() { "…" } else { "" }
            ));
        }
        // Users should not see markup in a message.
        if is_page(&message) {
            message = without_tags(&message);
        }
        NodeError::new(code, self.redact(&message)).with_partial(&partial)
    }

    /// Returns the text without the key.
    pub(crate) fn redact(&self, text: &str) -> String {
        self.redactor.redact(text)
    }
}

/// Returns whether a server error is permanent: its status is 501 (not implemented) or 505 (unsupported version), or the
/// server says not to retry the call.
fn is_lasting(status: u16, headers: &HeaderMap) -> bool {
    let says = headers.get("x-should-retry");
    matches!(status, 501 | 505) || says.is_some_and(|says| says.as_bytes() == b"false")
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

/// Returns the message of the innermost cause, such as "connection refused", without the URL.
fn cause(error: &reqwest::Error) -> String {
    let mut inner: &dyn std::error::Error = error;
    while let Some(source) = inner.source() {
        inner = source;
    }
    inner.to_string()
}

/// Returns whether the server could not be reached. A server that does not speak TLS or is not trusted was reached.
fn is_unreachable(error: &reqwest::Error) -> bool {
    let mut next = error.source();
    while let Some(source) = next {
        if let Some(mut io) = source.downcast_ref::<io::Error>() {
            // Each layer wraps the error of the layer below it.
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
    // The remaining causes are not I/O errors: the host name was not found, the proxy refused, or the certificate is not
    // trusted.
    !cause(error).contains("certificate")
}
