//! Error messages about servers, for users. They contain no type names, and they say what to change.

use std::error::Error;

use rmcp::{
    ServiceError,
    service::ClientInitializeError,
    transport::streamable_http_client::{AuthRequiredError, HttpStatusError, StreamableHttpError},
};

/// The maximum number of characters of a server's message that an error message quotes.
const MAX_SAID: usize = 300;

/// Explains why the connection to a server could not be established, as a clause without a full stop.
pub(crate) fn of_start(error: &ClientInitializeError) -> String {
    match error {
        ClientInitializeError::ConnectionClosed(_) => "it stopped before it answered".to_owned(),
        ClientInitializeError::TransportError { error, .. } => of_transport(error.error.as_ref()),
        ClientInitializeError::JsonRpcError(error) => {
            format!("it answered with an error: {}", said(&error.message))
        }
        ClientInitializeError::NoCompatibleProtocolVersion {
            server_supported, ..
        } => {
            let versions: Vec<String> = server_supported.iter().map(ToString::to_string).collect();
            format!(
                "it supports only version {} of the MCP protocol, which Loopwright does not support",
                said(&versions.join(", "))
            )
        }
        ClientInitializeError::LegacyFallbackFailed { fallback, .. } => of_start(fallback),
        ClientInitializeError::Cancelled => "it was cancelled".to_owned(),
        _ => "it does not answer as an MCP server".to_owned(),
    }
}

/// Explains why a request failed, as a clause without a full stop.
pub(crate) fn of_request(error: &ServiceError) -> String {
    match error {
        // The callers shorten the message and add its original length.
        ServiceError::McpError(error) => error.message.trim_end_matches('.').to_owned(),
        ServiceError::TransportSend(error) => of_transport(error.error.as_ref()),
        ServiceError::TransportClosed => "it stopped before it answered".to_owned(),
        ServiceError::UnexpectedResponse => {
            "its answer does not follow the MCP protocol".to_owned()
        }
        ServiceError::Cancelled { .. } => "it was cancelled".to_owned(),
        ServiceError::InputRequiredRoundsExceeded { .. } => {
            "it repeatedly asks for more input, which a flow cannot provide".to_owned()
        }
        ServiceError::Timeout { .. } => "it did not answer in time".to_owned(),
        _ => "the connection was lost".to_owned(),
    }
}

/// Returns the innermost message in the chain of causes that is understandable without knowledge of the code.
fn of_transport(error: &(dyn Error + 'static)) -> String {
    let mut last = None;
    let mut cause = Some(error);
    while let Some(error) = cause {
        if let Some(words) = known(error) {
            return words;
        }
        let words = error.to_string();
        // Causes that name a type are skipped, because a type name means nothing to users.
        if !words.contains("::") && !words.is_empty() {
            last = Some(words);
        }
        cause = error.source();
    }
    last.map_or_else(
        || "the connection was lost".to_owned(),
        |words| said(&words),
    )
}

fn known(error: &(dyn Error + 'static)) -> Option<String> {
    if let Some(error) = error.downcast_ref::<HttpStatusError>() {
        return Some(status(error.status));
    }
    if error.is::<AuthRequiredError>() {
        return Some(status(401));
    }
    if let Some(error) = error.downcast_ref::<StreamableHttpError<reqwest::Error>>() {
        return match error {
            StreamableHttpError::UnexpectedContentType(kind) => Some(format!(
                "its address returned {} instead of JSON, so it may not be the address of an MCP server",
                kind.as_deref()
                    .map_or_else(|| "no content type".to_owned(), said)
            )),
            StreamableHttpError::UnexpectedServerResponse(words) => {
                Some(format!("its answer is not an MCP message: {}", said(words)))
            }
            StreamableHttpError::Deserialize(_) => {
                Some("its answer is not an MCP message".to_owned())
            }
            StreamableHttpError::AuthRequired(_) => Some(status(401)),
            StreamableHttpError::InsufficientScope(_) => Some(status(403)),
            StreamableHttpError::HttpStatus(error) => Some(status(error.status)),
            StreamableHttpError::SessionExpired => Some(status(404)),
            _ => None,
        };
    }
    let error = error.downcast_ref::<reqwest::Error>()?;
    if let Some(code) = error.status() {
        return Some(status(code.as_u16()));
    }
    // The innermost cause does not repeat the address.
    let mut last = None;
    let mut cause = error.source();
    while let Some(inner) = cause {
        last = Some(inner.to_string());
        cause = inner.source();
    }
    last.map(|words| said(&words))
}

fn status(code: u16) -> String {
    let remedy = match code {
        401 | 403 => ": it requires a valid key. Set one in the server's `headers`",
        404 | 405 => ": there may be no MCP server at this address",
        429 => ": it received too many requests",
        500..=599 => ": it has an internal error, or is not ready",
        _ => "",
    };
    format!("it answered with status {code}{remedy}")
}

/// Returns the first characters of another program's message, as one line.
fn said(words: &str) -> String {
    let line = words.split_whitespace().collect::<Vec<_>>().join(" ");
    let line = line.trim_end_matches('.');
    match line.char_indices().nth(MAX_SAID) {
        Some((end, _)) => format!("{} …", &line[..end]),
        None => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;

    #[test]
    fn a_name_of_a_type_is_no_word_for_a_person() {
        #[derive(Debug)]
        struct Outer(io::Error);
        impl std::fmt::Display for Outer {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("Transport [some::module::Type<dyn X>] error")
            }
        }
        impl Error for Outer {
            fn source(&self) -> Option<&(dyn Error + 'static)> {
                Some(&self.0)
            }
        }
        assert_eq!(
            of_transport(&Outer(io::Error::other("the pipe is closed."))),
            "the pipe is closed"
        );
        assert_eq!(
            of_transport(&Outer(io::Error::other("a::B"))),
            "the connection was lost"
        );
    }

    #[test]
    fn a_status_says_what_to_change() {
        let error =
            StreamableHttpError::<reqwest::Error>::HttpStatus(HttpStatusError::new(503, None));
        assert_eq!(
            of_transport(&error),
            "it answered with status 503: it has an internal error, or is not ready"
        );
        let error = StreamableHttpError::<reqwest::Error>::UnexpectedContentType(Some(
            "text/html".to_owned(),
        ));
        assert!(of_transport(&error).contains("text/html instead of JSON"));
        assert!(status(401).contains("key"));
    }
}
