//! Servers that speak OpenAI's chat completions: streaming, checked answers, clear failures.

mod call;
mod failure;
mod stream;

use std::{fmt, sync::Arc, time::Duration};

use futures::{FutureExt, future::BoxFuture};
use reqwest::{Client, Url};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use loopwright_engine::{
    NodeError,
    host::{ModelReply, ModelRequest, Quote, TokenSink},
};

use crate::{
    prices::PriceTable,
    provider::{ModelProvider, ProviderSummary},
    set::Rate,
};
use failure::Server;

/// A key. Its `Debug` form is stars, so that it cannot slip into a log.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    pub fn new(value: impl Into<String>) -> Self {
        Self(value.into())
    }

    fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}

/// A server to call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenAiConfig {
    /// What flows name: `openai`.
    pub id: String,
    pub name: String,
    /// Up to and with the version: `http://127.0.0.1:8080/v1`.
    pub base_url: String,
    pub key: Option<Secret>,
    pub connect_timeout: Duration,
    /// The longest silence of a server in the middle of a call.
    pub idle_timeout: Duration,
}

/// One OpenAI-compatible server.
#[derive(Debug, Clone)]
pub struct OpenAi {
    config: OpenAiConfig,
    base: Url,
    client: Client,
    prices: Arc<PriceTable>,
}

impl OpenAi {
    /// # Errors
    /// `provider_address` when the address is no http or https URL.
    pub fn new(config: OpenAiConfig) -> Result<Self, NodeError> {
        let wrong = |why: String| {
            NodeError::new(
                "provider_address",
                format!(
                    "The address “{}” of the provider “{}” cannot be used: {why}. It should look like https://host/v1.",
                    config.base_url, config.id
                ),
            )
        };
        let mut base = Url::parse(&config.base_url).map_err(|error| wrong(error.to_string()))?;
        if !matches!(base.scheme(), "http" | "https") || base.cannot_be_a_base() {
            return Err(wrong("it is neither http nor https".to_owned()));
        }
        if !base.username().is_empty() || base.password().is_some() {
            // Addresses are shown; keys are not.
            return Err(NodeError::new(
                "provider_address",
                format!(
                    "The address of the provider “{}” has a user name or password in it. Put the key into its own variable.",
                    config.id
                ),
            ));
        }
        if !base.path().ends_with('/') {
            base.set_path(&format!("{}/", base.path()));
        }
        let client = Client::builder()
            .connect_timeout(config.connect_timeout)
            .read_timeout(config.idle_timeout)
            // A redirect would take the key to another host.
            .redirect(reqwest::redirect::Policy::none())
            .user_agent(concat!("loopwright/", env!("CARGO_PKG_VERSION")))
            .build()
            .map_err(|error| {
                NodeError::new(
                    "provider_address",
                    format!("No connection can be prepared: {error}"),
                )
            })?;
        Ok(Self {
            config,
            base,
            client,
            prices: Arc::default(),
        })
    }

    /// With these prices.
    #[must_use]
    pub fn priced(mut self, prices: Arc<PriceTable>) -> Self {
        self.prices = prices;
        self
    }

    fn url(&self, path: &str) -> Result<Url, NodeError> {
        self.base.join(path).map_err(|error| {
            NodeError::new(
                "provider_address",
                format!("{} does not go together with the address: {error}", path),
            )
        })
    }

    fn server(&self) -> Server {
        Server {
            id: self.config.id.clone(),
            host: self.base.host_str().unwrap_or_default().to_owned(),
            key: self.config.key.clone(),
            idle: self.config.idle_timeout,
        }
    }

    pub(crate) async fn models(&self) -> Result<Vec<String>, NodeError> {
        let server = self.server();
        let mut request = self
            .client
            .get(self.url("models")?)
            .timeout(self.config.connect_timeout * 2);
        if let Some(key) = &self.config.key {
            request = request.bearer_auth(key.expose());
        }
        let response = request
            .send()
            .await
            .map_err(|error| server.transport(&error, ""))?;
        let status = response.status();
        let body = response
            .text()
            .await
            .map_err(|error| server.transport(&error, ""))?;
        if !status.is_success() {
            return Err(server.status(status.as_u16(), &body, None));
        }
        let list: Value = serde_json::from_str(&body)
            .map_err(|_| server.malformed("its list of models is not JSON", ""))?;
        let names = list["data"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|model| model["id"].as_str())
            .map(str::to_owned);
        Ok(names.collect())
    }
}

impl ModelProvider for OpenAi {
    fn id(&self) -> &str {
        &self.config.id
    }

    fn summary(&self) -> ProviderSummary {
        ProviderSummary {
            id: self.config.id.clone(),
            name: self.config.name.clone(),
            ready: true,
            status: "ready".to_owned(),
            base_url: Some(self.config.base_url.clone()),
            has_key: self.config.key.is_some(),
            models: Vec::new(),
            note: "Any model that the server has; name it in the node or in the settings. Where its price is not known, a call's cost is not either.".to_owned(),
        }
    }

    fn quote(&self, request: &ModelRequest) -> Quote {
        call::quote(self, request)
    }

    fn rate(&self, request: &ModelRequest) -> Rate {
        call::rate(self, request)
    }

    fn call(
        &self,
        request: ModelRequest,
        tokens: TokenSink,
        cancel: CancellationToken,
    ) -> BoxFuture<'static, Result<ModelReply, NodeError>> {
        let this = self.clone();
        async move {
            tokio::select! {
                biased;
                // Dropping the call closes its socket.
                () = cancel.cancelled() => Err(NodeError::new("cancelled", format!("The call of “{}” was stopped.", this.config.id))),
                reply = call::run(&this, &request, &tokens) => reply,
            }
        }
        .boxed()
    }

    fn test(&self) -> BoxFuture<'static, Result<String, NodeError>> {
        let this = self.clone();
        async move {
            let models = this.models().await?;
            Ok(match models.as_slice() {
                [] => format!("{} answers.", this.config.name),
                [first] => format!("{} answers; its model is {first}.", this.config.name),
                [first, ..] => format!(
                    "{} answers with {} models, such as {first}.",
                    this.config.name,
                    models.len()
                ),
            })
        }
        .boxed()
    }
}
