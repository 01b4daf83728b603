//! What went wrong with a server, in words and in codes: `http_<status>`, `timeout`, `network`, `truncated`,
//! `malformed_answer`, `content_filter`, `provider_error`. No message holds the key.

use std::time::Duration;

use serde_json::Value;

use loopwright_engine::NodeError;

use super::Secret;

/// The server of a call, for messages.
pub(crate) struct Server {
    pub(crate) id: String,
    pub(crate) host: String,
    pub(crate) key: Option<Secret>,
    pub(crate) idle: Duration,
}

/// How much of a partial answer or of a server's words a message quotes.
const QUOTED: usize = 300;

impl Server {
    /// A request or a stream that broke; `partial` is the text so far.
    pub(crate) fn transport(&self, error: &reqwest::Error, partial: &str) -> NodeError {
        if error.is_timeout() && error.is_connect() {
            return self.error(
                "timeout",
                format!(
                    "{} did not accept a connection in time. Is the address right?",
                    self.host
                ),
                partial,
            );
        }
        if error.is_timeout() {
            return self.error("timeout", format!("{} was silent for {} s. It may be overloaded; try again, or raise the node's timeout.", self.host, self.idle.as_secs_f32()), partial);
        }
        if error.is_connect() {
            return self.error(
                "network",
                format!(
                    "{} cannot be reached: {}. Is the server running and the address right?",
                    self.host,
                    cause(error)
                ),
                partial,
            );
        }
        if !partial.is_empty() || error.is_body() || error.is_decode() {
            return self.error(
                "truncated",
                format!("the answer of {} broke off: {}", self.host, cause(error)),
                partial,
            );
        }
        self.error(
            "network",
            format!("the request to {} failed: {}", self.host, cause(error)),
            partial,
        )
    }

    pub(crate) fn truncated(&self, partial: &str) -> NodeError {
        self.error(
            "truncated",
            format!(
                "the answer of {} ended before it was complete (no finish_reason and no [DONE])",
                self.host
            ),
            partial,
        )
    }

    pub(crate) fn malformed(&self, what: &str, partial: &str) -> NodeError {
        self.error(
            "malformed_answer",
            format!(
                "{} does not speak the chat completions protocol: {what}",
                self.host
            ),
            partial,
        )
    }

    pub(crate) fn filtered(&self, partial: &str) -> NodeError {
        self.error(
            "content_filter",
            format!("{} withheld the answer (content filter)", self.host),
            partial,
        )
    }

    /// An error that the server reports in the middle of a stream.
    pub(crate) fn reported(&self, error: &Value, partial: &str) -> NodeError {
        let words = error["message"]
            .as_str()
            .map_or_else(|| error.to_string(), str::to_owned);
        self.error(
            "provider_error",
            format!("{} reported an error: {}", self.host, shorten(&words)),
            partial,
        )
    }

    /// A status that is no success. `wait` is `Retry-After`.
    pub(crate) fn status(&self, status: u16, body: &str, wait: Option<&str>) -> NodeError {
        let parsed: Option<Value> = serde_json::from_str(body).ok();
        let said = parsed
            .as_ref()
            .and_then(|body| {
                body["error"]["message"]
                    .as_str()
                    .or(body["error"].as_str())
                    .or(body["message"].as_str())
            })
            .unwrap_or(body)
            .trim();
        let said = if said.is_empty() {
            String::new()
        } else {
            format!(" It said: {}", shorten(said))
        };
        let host = &self.host;
        let message = match status {
            401 | 403 if self.key.is_none() => {
                format!("{host} asks for a key (status {status}), and none is set.")
            }
            401 | 403 => format!("{host} does not accept the key (status {status})."),
            404 => format!("{host} has no such address or model (status 404)."),
            429 => match wait {
                Some(seconds) => format!(
                    "{host} has had too many requests (status 429); it asks to wait {seconds} s."
                ),
                None => {
                    format!("{host} has had too many requests, or its quota is spent (status 429).")
                }
            },
            300..=399 => format!(
                "{host} sends the call elsewhere (status {status}), which is not followed. Set the address that it names."
            ),
            500..=599 => format!(
                "{host} failed (status {status}). This is usually passing; a retry may help."
            ),
            _ => format!("{host} refused the request (status {status})."),
        };
        self.error(&format!("http_{status}"), format!("{message}{said}"), "")
    }

    fn error(&self, code: &str, message: String, partial: &str) -> NodeError {
        let mut message = format!("Provider “{}”: {message}", self.id);
        if !partial.is_empty() {
            let end: String = partial.chars().take(QUOTED).collect();
            message.push_str(&format!(
                " Until then it had answered: “{end}{}”",
                if end.len() < partial.len() { "…" } else { "" }
            ));
        }
        if let Some(key) = self
            .key
            .as_ref()
            .map(Secret::expose)
            .filter(|key| !key.is_empty())
        {
            message = message.replace(key, "***");
        }
        NodeError::new(code, message)
    }
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
