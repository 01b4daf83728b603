//! What a provider of models is, and how it describes itself.

use std::time::Duration;

use futures::future::BoxFuture;

use loopwright_engine::{
    NodeError,
    host::{ModelContext, ModelReply, ModelRequest, Quote},
};

use crate::{keys::KeyFrom, prices::Price};

/// A model as lists and forms show it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelSummary {
    pub id: String,
    pub name: String,
    /// One sentence on what it can do; empty when nothing is known.
    pub does: String,
    /// One sentence on what it cannot; empty when nothing is known.
    pub cannot: String,
}

impl ModelSummary {
    /// A model of which no more is known than its name.
    pub fn named(id: &str) -> Self {
        Self {
            id: id.to_owned(),
            name: id.to_owned(),
            does: String::new(),
            cannot: String::new(),
        }
    }
}

/// How a provider stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProviderState {
    /// It is set up. Whether it works is seen when it is called or tested.
    Ready,
    /// It runs on this computer and was found there.
    Found,
    /// It asks for a key, and there is none.
    NeedsKey,
    /// It runs on this computer when it runs, and does not answer now.
    Offline,
    /// It has no address yet.
    NotSetUp,
}

impl ProviderState {
    /// Whether a call can be tried now.
    pub fn is_ready(self) -> bool {
        matches!(self, Self::Ready | Self::Found)
    }
}

/// A provider as settings and `models` show it. Holds no key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProviderSummary {
    pub id: String,
    pub name: String,
    pub state: ProviderState,
    /// `ready`, or what is missing.
    pub status: String,
    pub base_url: Option<String>,
    pub has_key: bool,
    /// Where the key comes from.
    pub key_from: Option<KeyFrom>,
    pub models: Vec<ModelSummary>,
    /// What it is, in a line.
    pub note: String,
    /// How what is missing is given; empty where nothing is.
    pub remedy: String,
}

/// What a test of the connection found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tested {
    /// In words.
    pub says: String,
    pub took: Duration,
    pub models: Vec<ModelSummary>,
}

/// Who answers a call, and at what price.
#[derive(Debug, Clone, PartialEq)]
pub struct Rate {
    /// `openai/gpt-4.1`
    pub model: String,
    /// `None`: not known.
    pub price: Option<Price>,
    /// The most tokens of one answer: what the request sets, or what is sent where it sets nothing. `None`: no bound.
    pub most_tokens: Option<u64>,
}

/// One source of models.
pub trait ModelProvider: Send + Sync {
    /// What `ModelRequest::provider` names: `openai`.
    fn id(&self) -> &str;

    fn summary(&self) -> ProviderSummary;

    /// The most that `request` can use.
    fn quote(&self, request: &ModelRequest) -> Quote;

    /// Which model would answer `request`, and at what price.
    fn rate(&self, request: &ModelRequest) -> Rate;

    /// Sends `request`, streams text to `cx.tokens`, and stops soon after `cx.cancel`.
    ///
    /// # Errors
    /// A stable code and words for a person; a partial answer is never given as a whole one.
    fn call(
        &self,
        request: ModelRequest,
        cx: ModelContext,
    ) -> BoxFuture<'static, Result<ModelReply, NodeError>>;

    /// The models that it has, asked of the server.
    ///
    /// # Errors
    /// As `call`.
    fn models(&self) -> BoxFuture<'static, Result<Vec<ModelSummary>, NodeError>>;

    /// Asks the provider whether it is reachable, without spending on an answer. Says what was found.
    ///
    /// # Errors
    /// As `call`.
    fn test(&self) -> BoxFuture<'static, Result<Tested, NodeError>>;
}
