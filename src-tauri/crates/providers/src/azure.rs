//! Azure OpenAI: chat completions of a deployment, with the key in its own header.
//!
//! <https://learn.microsoft.com/azure/ai-services/openai/reference>: the model is the name of a deployment and is part of
//! the path. Filtered prompts are rejected with the code `content_filter`. Newer resources have an address that ends in
//! `/openai/v1` and take the model in the body, as OpenAI does.

use loopwright_engine::redact::percent;
use reqwest::{RequestBuilder, Url};
use serde_json::{Map, Value};

use crate::{
    openai::ChatCompletions,
    secret::Secret,
    spec::{Needs, ProviderSpec, azure},
    wire::format::{ChatRequest, Completion, Protocol, Wire, Wrong},
};

pub(crate) const SPEC: ProviderSpec = ProviderSpec {
    id: "azure",
    name: "Azure OpenAI",
    key: Some("AZURE_OPENAI_API_KEY"),
    address: "AZURE_OPENAI_ENDPOINT",
    default_address: None,
    needs: Needs::KeyAndAddress,
    base: azure,
    protocol: |version| Protocol::Azure {
        api_version: version.unwrap_or_default().to_owned(),
    },
    local: None,
    remedy: "Enter the endpoint in Settings or set AZURE_OPENAI_ENDPOINT (https://NAME.openai.azure.com), and a key: in Settings, with `loopwright keys set azure` or in AZURE_OPENAI_API_KEY. The model is the name of a deployment. To use another API version, set AZURE_OPENAI_API_VERSION.",
    note: "OpenAI's models on Azure; the model is the name of a deployment.",
};

/// The latest generally available API version that takes deployments in the path.
pub(crate) const API_VERSION: &str = "2024-10-21";

pub(crate) struct Azure {
    /// The API version; `None` for an address of the newer kind, which needs no version.
    api_version: Option<String>,
}

impl Azure {
    pub(crate) fn new(base: &Url, api_version: &str) -> Self {
        let is_newer = base.path().trim_end_matches('/').ends_with("/openai/v1");
        let version = match api_version.trim() {
            "" => API_VERSION,
            given => given,
        };
        Self {
            api_version: (!is_newer).then(|| percent(version)),
        }
    }
}

impl Wire for Azure {
    fn protocol(&self) -> &'static str {
        "Azure's chat completions protocol"
    }

    fn path(&self, model: &str, is_streamed: bool) -> String {
        match &self.api_version {
            Some(version) => format!(
                "openai/deployments/{}/chat/completions?api-version={version}",
                percent(model)
            ),
            None => ChatCompletions.path(model, is_streamed),
        }
    }

    fn authorize(&self, request: RequestBuilder, key: Option<&Secret>) -> RequestBuilder {
        match key {
            Some(key) => request.header("api-key", key.expose()),
            None => request,
        }
    }

    fn body(&self, ask: &ChatRequest<'_>) -> Map<String, Value> {
        ChatCompletions.body(ask)
    }

    fn take(&self, whole: &mut Completion, name: &str, event: Value) -> Result<String, Wrong> {
        ChatCompletions.take(whole, name, event)
    }

    fn take_whole(&self, whole: &mut Completion, body: Value) -> Result<String, Wrong> {
        ChatCompletions.take_whole(whole, body)
    }

    fn is_complete(&self, whole: &Completion) -> bool {
        ChatCompletions.is_complete(whole)
    }

    fn models_path(&self) -> String {
        match &self.api_version {
            Some(version) => format!("openai/models?api-version={version}"),
            None => ChatCompletions.models_path(),
        }
    }

    /// Always returns `false`: the list contains models that could be deployed, but only deployments can be called.
    fn can_be_called(&self, _model: &Value) -> bool {
        false
    }

    fn chooses(&self) -> bool {
        false
    }
}
