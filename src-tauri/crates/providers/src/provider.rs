//! The interface of a model provider, and its description.

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
    /// One sentence on what the model can do; empty if unknown.
    pub does: String,
    /// One sentence on what the model cannot do; empty if unknown.
    pub cannot: String,
    /// The context window in tokens that the server reports: the longest prompt that it accepts. `None` if unknown.
    pub context: Option<u32>,
}

impl ModelSummary {
    /// Returns the summary of a model of which only the id is known.
    pub fn named(id: &str) -> Self {
        Self {
            id: id.to_owned(),
            name: id.to_owned(),
            does: String::new(),
            cannot: String::new(),
            context: None,
        }
    }
}

/// Whether a provider can be used, and if not, what is missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProviderState {
    /// The provider is configured. Only a call or a test shows whether it works.
    Ready,
    /// A server of this provider was found running on this computer.
    Found,
    /// The provider needs a key and has no key.
    NeedsKey,
    /// The provider is a server on this computer that does not respond at the moment.
    Offline,
    /// The provider has no address yet.
    NotSetUp,
}

impl ProviderState {
    /// Returns whether the provider can be called now: it is configured, or was found running.
    pub fn is_ready(self) -> bool {
        matches!(self, Self::Ready | Self::Found)
    }
}

/// A provider as Settings and `models` show it. It contains no key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProviderSummary {
    pub id: String,
    pub name: String,
    pub state: ProviderState,
    /// The state as text: `ready`, or what is missing.
    pub status: String,
    pub base_url: Option<String>,
    pub has_key: bool,
    /// The source of the key; `None` if the provider has no key.
    pub key_from: Option<KeyFrom>,
    pub models: Vec<ModelSummary>,
    /// A one-line description of the provider.
    pub note: String,
    /// What the user can do about the missing part; empty if nothing is missing.
    pub remedy: String,
}

/// The result of a connection test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tested {
    /// The result of the test, as a sentence for the user.
    pub says: String,
    pub took: Duration,
    pub models: Vec<ModelSummary>,
}

/// The model that answers a call, and its price.
#[derive(Debug, Clone, PartialEq)]
pub struct Rate {
    /// The provider and the model, such as `openai/gpt-4.1`.
    pub model: String,
    /// The price of the model; `None` if the price is unknown.
    pub price: Option<Price>,
    /// The maximum number of tokens of one answer: the limit of the request, or the limit that the provider sends if the request
    /// has none. `None` means no limit.
    pub most_tokens: Option<u64>,
}

/// A source of models.
pub trait ModelProvider: Send + Sync {
    /// Returns the id that `ModelRequest::provider` names, such as `openai`.
    fn id(&self) -> &str;

    fn summary(&self) -> ProviderSummary;

    /// Returns an upper bound of the usage of `request`.
    fn quote(&self, request: &ModelRequest) -> Quote;

    /// Returns the model that would answer `request`, and its price.
    fn rate(&self, request: &ModelRequest) -> Rate;

    /// Sends `request`, streams the text to `cx.tokens`, and stops soon after `cx.cancel` is triggered.
    ///
    /// # Errors
    /// Returns a stable code and a message for the user if the call fails or is cancelled. A partial answer is never
    /// returned as a complete one.
    fn call(
        &self,
        request: ModelRequest,
        cx: ModelContext,
    ) -> BoxFuture<'static, Result<ModelReply, NodeError>>;

    /// Lists the provider's models, as its server reports them.
    ///
    /// # Errors
    /// Returns the same errors as [`call`](Self::call), if the list cannot be read.
    fn models(&self) -> BoxFuture<'static, Result<Vec<ModelSummary>, NodeError>>;

    /// Checks that the provider can be reached, without paying for an answer. Returns a description of the result.
    ///
    /// # Errors
    /// Returns the same errors as [`call`](Self::call), if the provider cannot be reached.
    fn test(&self) -> BoxFuture<'static, Result<Tested, NodeError>>;
}
