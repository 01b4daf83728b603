//! A server that is reached by HTTP: its address, its format and its list of models.

use std::{sync::Arc, time::Duration};

use reqwest::{Client, Url};
use serde_json::Value;

use loopwright_engine::{
    NodeError,
    redact::{Redactor, STARS},
};

use super::{
    client,
    failure::Server,
    format::{Protocol, Wire},
    heard::Heard,
    limits::Limits,
    models::{is_for_something_else, listed, summary},
    read,
    reported::is_error,
};
use crate::{
    anthropic::Anthropic, azure::Azure, catalog::provider_spec, gemini::Gemini,
    openai::ChatCompletions, prices::PriceTable, provider::ModelSummary, secret::Secret,
};

/// A server to call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemoteConfig {
    /// The id that flows use, such as `openai`.
    pub id: String,
    pub name: String,
    /// The base URL of the protocol's paths, such as `http://127.0.0.1:8080/v1`.
    pub base_url: String,
    pub key: Option<Secret>,
    pub protocol: Protocol,
    pub limits: Limits,
}

/// A server that is reached by HTTP.
#[derive(Clone)]
pub struct Remote {
    pub(super) config: Arc<RemoteConfig>,
    pub(super) wire: Arc<dyn Wire>,
    base: Url,
    pub(super) client: Client,
    pub(super) prices: Arc<PriceTable>,
    /// The redactor that removes the server's key from the server's messages.
    pub(super) redactor: Arc<Redactor>,
    /// Whether the server was found on this computer rather than configured by the user.
    pub(super) found: bool,
    pub(super) note: &'static str,
}

impl Remote {
    /// Creates a client of the server.
    ///
    /// # Errors
    /// `provider_address` if the address is not an http or https URL, if it contains a password or a key, or if the HTTP
    /// client cannot be created.
    pub fn new(config: RemoteConfig) -> Result<Self, NodeError> {
        let base = base(&config)?;
        let to = match (is_loopback(&base), base.scheme()) {
            (true, "http") => client::To::PlainLocal,
            (true, _) => client::To::Local,
            (false, _) => client::To::Any,
        };
        let client = client::client(to, config.limits.connect).map_err(|error| {
            NodeError::new(
                "provider_address",
                format!("The HTTP client for this provider could not be created: {error}"),
            )
        })?;
        let wire: Arc<dyn Wire> = match &config.protocol {
            Protocol::ChatCompletions => Arc::new(ChatCompletions),
            Protocol::Azure { api_version } => {
                // A version that the user set overrides one that was copied with the address.
                let named = base.query_pairs().find(|(name, _)| name == "api-version");
                let version = match (api_version.trim(), &named) {
                    ("", Some((_, version))) => version,
                    (version, _) => version,
                };
                Arc::new(Azure::new(&base, version))
            }
            Protocol::Messages => Arc::new(Anthropic),
            Protocol::GenerateContent => Arc::new(Gemini),
        };
        let redactor = config.key.as_ref().map(Secret::redactor);
        Ok(Self {
            redactor: Arc::new(redactor.unwrap_or_default()),
            config: Arc::new(config),
            wire,
            base,
            client,
            prices: Arc::default(),
            found: false,
            note: "",
        })
    }

    /// Sets the prices of the server's models.
    #[must_use]
    pub fn priced(mut self, prices: Arc<PriceTable>) -> Self {
        self.prices = prices;
        self
    }

    /// Sets the description that Settings shows.
    #[must_use]
    pub(crate) fn noted(mut self, note: &'static str) -> Self {
        self.note = note;
        self
    }

    /// Marks the server as found on this computer.
    #[must_use]
    pub(crate) fn found(mut self) -> Self {
        self.found = true;
        self
    }

    pub(super) fn url(&self, path: &str) -> Result<Url, NodeError> {
        let mut url = self.base.join(path).map_err(|error| {
            NodeError::new(
                "provider_address",
                format!("the path {path} cannot be appended to the provider's address: {error}"),
            )
        })?;
        let kept: Vec<_> = self
            .base
            .query()
            .into_iter()
            .flat_map(|query| query.split('&'))
            .filter(|part| !has_parameter(&url, name_of(part)))
            .collect();
        if !kept.is_empty() {
            let own = url
                .query()
                .map_or_else(String::new, |own| format!("{own}&"));
            let query = format!("{own}{}", kept.join("&"));
            url.set_query(Some(&query));
        }
        Ok(url)
    }

    pub(super) fn server(&self) -> Server {
        self.server_for(None)
    }

    /// Returns the server of one request. Its time limits start now.
    pub(super) fn server_for(&self, node_timeout: Option<Duration>) -> Server {
        let limits = self.config.limits.with_node_timeout(node_timeout);
        Server {
            id: self.config.id.clone(),
            host: authority(&self.base),
            is_local: is_loopback(&self.base),
            is_tls: self.base.scheme() == "https",
            has_key: self.config.key.is_some(),
            redactor: Arc::clone(&self.redactor),
            until: tokio::time::Instant::now() + limits.total,
            heard: Heard::now(),
            limits,
            protocol: self.wire.protocol(),
        }
    }

    pub(super) async fn listed(&self) -> Result<Vec<ModelSummary>, NodeError> {
        let server = self.server();
        let url = self.url(&self.wire.models_path())?;
        let request = self
            .wire
            .authorize(self.client.get(url), self.config.key.as_ref())
            .timeout(self.config.limits.connect * 2);
        let response = request
            .send()
            .await
            .map_err(|error| server.transport(&error, ""))?;
        if !response.status().is_success() {
            return Err(server.refusal(response).await.error);
        }
        let headers = response.headers().clone();
        let body = read::whole(response, &server).await?;
        let list: Value = serde_json::from_str(&body)
            .map_err(|_| server.malformed("its list of models is not JSON", ""))?;
        if is_error(&list) {
            return Err(server.refusal_in_answer(&headers, &list).error);
        }
        // A server may echo the key that it was sent.
        let list = self.redactor.redact_value(list);
        let models = listed(&list)
            .into_iter()
            .filter(|model| !is_for_something_else(model) && self.wire.can_be_called(model));
        Ok(models
            .filter_map(summary)
            .filter(|model| !model.id.contains(STARS))
            .collect())
    }

    /// Lists the models as [`Self::listed`] does. A local server is also asked for the context windows of the models that it runs.
    pub(super) async fn listed_with_windows(&self) -> Result<Vec<ModelSummary>, NodeError> {
        let mut models = self.listed().await?;
        if let Some(local) = provider_spec(&self.config.id).and_then(|spec| spec.local)
            && let Some(answer) = self.running_windows(local.window.path).await
        {
            for model in &mut models {
                model.context = (local.window.of)(&answer, &model.id).or(model.context);
            }
        }
        Ok(models)
    }

    /// Asks a local server for the context windows of its running models, and returns the JSON; `None` if the request fails.
    /// `path` is relative to the root of the server.
    async fn running_windows(&self, path: &str) -> Option<Value> {
        // The base ends in the version of the chat completions, `/v1/`.
        let url = self.url(&format!("../{path}")).ok()?;
        let request = self
            .wire
            .authorize(self.client.get(url), self.config.key.as_ref())
            .timeout(self.config.limits.connect);
        let response = request.send().await.ok()?;
        if !response.status().is_success() {
            return None;
        }
        let body = read::whole(response, &self.server()).await.ok()?;
        serde_json::from_str(&body).ok()
    }

    /// Returns the key under which this server's refusals are remembered.
    pub(super) fn memory_key(&self) -> String {
        format!("{} {}", self.config.id, self.base)
    }
}

fn name_of(parameter: &str) -> &str {
    parameter.split('=').next().unwrap_or_default()
}

/// Returns whether a URL contains a query parameter of this name.
fn has_parameter(url: &Url, name: &str) -> bool {
    let mut parameters = url.query().into_iter().flat_map(|query| query.split('&'));
    parameters.any(|parameter| name_of(parameter) == name)
}

/// Query parameters whose value is a key.
const KEYS: [&str; 11] = [
    "key",
    "api_key",
    "api-key",
    "apikey",
    "token",
    "access_token",
    "sig",
    "signature",
    "code",
    "password",
    "subscription-key",
];

/// Returns the base URL. Fails if the address is invalid, or contains a password or a key. The URL ends with a slash, so
/// that paths can be appended, and keeps its query, which is part of every request.
fn base(config: &RemoteConfig) -> Result<Url, NodeError> {
    let wrong = |why: String| {
        NodeError::new(
            "provider_address",
            format!(
                "The address “{}” of the provider “{}” cannot be used: {why}. It should look like https://host/v1.",
                config.base_url, config.id
            ),
        )
    };
    // This check comes first, because error messages show the address, and an address may contain a key.
    let has_user = |rest: &str| {
        rest.split(['/', '?', '#'])
            .next()
            .is_some_and(|host| host.contains('@'))
    };
    if config
        .base_url
        .split_once("://")
        .is_some_and(|(_, rest)| has_user(rest))
    {
        return Err(NodeError::new(
            "provider_address",
            format!(
                "The address of the provider “{}” contains a user name or password. Set the key separately.",
                config.id
            ),
        ));
    }
    let query = config
        .base_url
        .split_once('?')
        .map_or("", |(_, query)| query);
    let key = query.split('&').map(name_of).find(|name| {
        let name = name.to_ascii_lowercase();
        KEYS.contains(&name.as_str())
    });
    if let Some(name) = key {
        return Err(NodeError::new(
            "provider_address",
            format!(
                "The address of the provider “{}” contains a key (`{name}`). Remove it from the address, and set the key separately.",
                config.id
            ),
        ));
    }
    let mut base = Url::parse(&config.base_url).map_err(|error| wrong(error.to_string()))?;
    if !matches!(base.scheme(), "http" | "https") || base.cannot_be_a_base() {
        return Err(wrong("it is neither http nor https".to_owned()));
    }
    base.set_fragment(None);
    if base.query() == Some("") {
        base.set_query(None);
    }
    if !base.path().ends_with('/') {
        base.set_path(&format!("{}/", base.path()));
    }
    Ok(base)
}

/// Returns the host, and the port unless it is the default one. Servers on one computer differ only in the port.
fn authority(base: &Url) -> String {
    let host = base.host_str().unwrap_or_default();
    match base.port() {
        Some(port) => format!("{host}:{port}"),
        None => host.to_owned(),
    }
}

fn is_loopback(base: &Url) -> bool {
    match base.host_str() {
        Some(host) => {
            host == "localhost"
                || host
                    .trim_matches(['[', ']'])
                    .parse::<std::net::IpAddr>()
                    .is_ok_and(|address| address.is_loopback())
        }
        None => false,
    }
}
