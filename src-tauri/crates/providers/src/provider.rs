//! What a provider of models is, and how it describes itself.

use futures::future::BoxFuture;
use tokio_util::sync::CancellationToken;

use loopwright_engine::{
    NodeError,
    host::{ModelReply, ModelRequest, Quote, TokenSink},
};

use crate::set::Rate;

/// A model as lists and forms show it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelSummary {
    pub id: String,
    pub name: String,
    /// One sentence on what it can do.
    pub does: String,
    /// One sentence on what it cannot; empty when nothing is known.
    pub cannot: String,
}

/// A provider as settings and `models` show it. Holds no key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProviderSummary {
    pub id: String,
    pub name: String,
    /// Whether a call can be made now.
    pub ready: bool,
    /// `ready`, or what is missing.
    pub status: String,
    pub base_url: Option<String>,
    pub has_key: bool,
    pub models: Vec<ModelSummary>,
    pub note: String,
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

    /// Sends `request`, streams text to `tokens`, and stops soon after `cancel`.
    ///
    /// # Errors
    /// A stable code and words for a person; a partial answer is never given as a whole one.
    fn call(
        &self,
        request: ModelRequest,
        tokens: TokenSink,
        cancel: CancellationToken,
    ) -> BoxFuture<'static, Result<ModelReply, NodeError>>;

    /// Asks the provider whether it is reachable, without spending on an answer. Says what was found.
    ///
    /// # Errors
    /// As `call`.
    fn test(&self) -> BoxFuture<'static, Result<String, NodeError>>;
}
