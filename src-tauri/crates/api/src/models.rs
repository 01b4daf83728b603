//! The models that this computer can reach.

use futures::future::BoxFuture;
use loopwright_engine::{
    NodeError,
    host::{ModelReply, ModelRequest, Models, TokenSink},
};
use loopwright_providers::{ProviderSummary, builtin};
use tokio_util::sync::CancellationToken;

pub(crate) struct ProviderSettings {
    pub(crate) default_provider: String,
    pub(crate) default_model: Option<String>,
    pub(crate) openai_base_url: Option<String>,
}

pub(crate) struct ProviderSet;

impl ProviderSet {
    pub(crate) fn new(settings: &ProviderSettings) -> Result<Self, NodeError> {
        let _ = (
            &settings.default_model,
            &settings.default_provider,
            &settings.openai_base_url,
        );
        Ok(Self)
    }
    pub(crate) fn summaries(&self) -> Vec<ProviderSummary> {
        Vec::new()
    }
    pub(crate) async fn test(&self, id: &str) -> Result<String, NodeError> {
        Err(NodeError::new(
            "provider_missing",
            format!("No provider {id}."),
        ))
    }
}

impl Models for ProviderSet {
    fn call(
        &self,
        request: ModelRequest,
        tokens: TokenSink,
        cancel: CancellationToken,
    ) -> BoxFuture<'static, Result<ModelReply, NodeError>> {
        let id = request.builtin.clone().unwrap_or_default();
        match builtin::builtin(&id) {
            Some(model) => builtin::run(model, request, tokens, cancel),
            None => Box::pin(async move {
                Err(NodeError::new("no_builtin", format!("No built-in `{id}`.")))
            }),
        }
    }
}
