//! Reads bytes as if a server had sent them, for the fuzz tests of each wire format.

use std::convert::Infallible;

use futures::stream;
use reqwest::{Body, Response};

use loopwright_engine::{NodeError, host::TokenSink};

use super::{
    failure::NoAnswer,
    format::Protocol,
    limits::Limits,
    read,
    remote::{Remote, RemoteConfig},
};

/// The form of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// A stream of events (`text/event-stream`).
    Stream,
    /// A whole document (`application/json`).
    Whole,
}

/// The result of reading an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    pub text: String,
    /// Everything except the text, in debug format: the finish reason, the model and the token counts.
    pub rest: String,
}

/// A simulated server with prepared answers.
pub struct Offline(Remote);

impl Offline {
    /// Creates a server that speaks this protocol.
    ///
    /// # Errors
    /// Returns an error if the HTTP client cannot be created.
    pub fn new(protocol: Protocol) -> Result<Self, NodeError> {
        let remote = Remote::new(RemoteConfig {
            id: "offline".to_owned(),
            name: "Offline".to_owned(),
            base_url: "http://127.0.0.1:1/v1".to_owned(),
            key: None,
            protocol,
            limits: Limits::default(),
        })?;
        Ok(Self(remote))
    }

    /// Reads an answer that arrives from the network in these pieces. `tokens` receives its text.
    ///
    /// # Errors
    /// Returns the same errors as a call, if the bytes are not a complete answer.
    pub async fn read(
        &self,
        form: Form,
        pieces: Vec<Vec<u8>>,
        tokens: &TokenSink,
    ) -> Result<Answer, NodeError> {
        let body = Body::wrap_stream(stream::iter(pieces.into_iter().map(Ok::<_, Infallible>)));
        let response = Response::from(http::Response::new(body));
        let (wire, server) = (&*self.0.wire, self.0.server());
        let kind = match form {
            Form::Stream => "text/event-stream",
            Form::Whole => "application/json",
        };
        let mut whole = read::answer(response, kind, wire, &server, tokens)
            .await
            .map_err(NoAnswer::into_error)?;
        let text = std::mem::take(&mut whole.text);
        let rest = format!("{whole:?}");
        Ok(Answer { text, rest })
    }
}
