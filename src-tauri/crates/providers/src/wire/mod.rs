//! What the wire formats share: a call from its request to its end, bounded reading, failures in words.
//!
//! A format is a [`Wire`]: it writes a request and reads events. Everything else (sending, bounds, time limits, what is left
//! out after a refusal, the one repair, usage and its price) is here once, so that every provider fails alike.

mod call;
pub(crate) mod client;
mod counts;
pub(crate) mod failure;
pub mod offline;
mod read;

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use futures::{FutureExt, future::BoxFuture};
use reqwest::{Client, RequestBuilder, Url};
use serde_json::{Map, Value};

use loopwright_engine::{
    NodeError,
    host::{Image, ModelContext, ModelReply, ModelRequest, Quote},
    redact::Redactor,
};

use crate::{
    anthropic::Anthropic,
    azure::Azure,
    gemini::Gemini,
    openai::ChatCompletions,
    prices::PriceTable,
    provider::{ModelProvider, ModelSummary, ProviderState, ProviderSummary, Tested},
    secret::Secret,
    set::Rate,
    structured::AnswerFormat,
};
pub(crate) use counts::Count;
use failure::Server;

/// How a server is spoken to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Protocol {
    /// OpenAI's chat completions.
    ChatCompletions,
    /// The same behind Azure's addresses.
    Azure {
        /// `2024-10-21`
        api_version: String,
    },
    /// Anthropic's Messages API.
    Messages,
    /// Google's generateContent.
    GenerateContent,
}

/// The longest that is waited and the most that is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    pub connect: Duration,
    /// The longest time without a whole line from the server.
    pub idle: Duration,
    /// The longest time without a part of the answer, where the server shows by pings that it is still there.
    pub progress: Duration,
    /// The longest that one request may take, from its sending to the end of its answer.
    pub total: Duration,
    /// Bytes of one line of a stream.
    pub line: usize,
    /// Bytes of a whole answer.
    pub body: usize,
}

impl Limits {
    /// Those of a server on one's own computer: a model that has to be loaded first, and that works without a graphics card,
    /// is silent and slow for long.
    #[must_use]
    pub fn of_local_server(self) -> Self {
        Self {
            idle: self.idle * 5,
            progress: self.progress * 2,
            total: self.total * 6,
            ..self
        }
    }

    /// Those of a call whose node has a `timeout`: the person said how long it may take.
    #[must_use]
    fn with_node_timeout(self, timeout: Option<Duration>) -> Self {
        match timeout {
            Some(timeout) => Self {
                progress: self.progress.max(timeout),
                // The node itself is first to say that its time is over.
                total: timeout + Duration::from_secs(1),
                ..self
            },
            None => self,
        }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            idle: Duration::from_secs(120),
            progress: Duration::from_secs(300),
            total: Duration::from_secs(600),
            line: 8 << 20,
            body: 64 << 20,
        }
    }
}

/// A server to call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemoteConfig {
    /// What flows name: `openai`.
    pub id: String,
    pub name: String,
    /// Where the protocol's paths begin: `http://127.0.0.1:8080/v1`.
    pub base_url: String,
    pub key: Option<Secret>,
    pub protocol: Protocol,
    pub limits: Limits,
}

/// One message of a request.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Message {
    /// Whether the model said it.
    pub(crate) is_answer: bool,
    pub(crate) text: String,
    pub(crate) images: Vec<Image>,
}

/// What is asked of a server, before its format.
pub(crate) struct ChatRequest<'a> {
    pub(crate) model: &'a str,
    pub(crate) system: Option<&'a str>,
    pub(crate) messages: &'a [Message],
    pub(crate) temperature: Option<f64>,
    pub(crate) max_tokens: Option<u64>,
    pub(crate) wanted: &'a AnswerFormat,
}

/// How an answer ended, in the server's words where they say more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum End {
    Complete,
    /// At the most tokens allowed.
    Length,
    /// The model or its window had no more room.
    Overflow,
    Filtered(String),
    Refused,
    Other(String),
}

/// An answer as far as it was read.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Completion {
    pub(crate) id: Option<String>,
    pub(crate) model: Option<String>,
    pub(crate) text: String,
    pub(crate) refusal: String,
    pub(crate) end: Option<End>,
    /// The server's word for the end.
    pub(crate) ended_as: Option<String>,
    /// The event came behind which nothing follows.
    pub(crate) is_over: bool,
    /// Something of an answer came, be it empty.
    pub(crate) has_begun: bool,
    /// Something of the answer, or of the work on it, came since this was last looked at: not a ping.
    pub(crate) has_moved: bool,
    /// Answers besides the one that was asked for came, and were left out.
    pub(crate) has_others: bool,
    /// What the server gave as a count of tokens, and is none.
    pub(crate) unreadable: Option<String>,
    pub(crate) input_tokens: Option<u64>,
    pub(crate) output_tokens: Option<u64>,
    /// Those of the input that the server had cached.
    pub(crate) cached_tokens: u64,
    /// Those of the output that the model thought with.
    pub(crate) reasoning_tokens: u64,
    /// Blocks of the answer that have begun and ended, for formats that number them.
    pub(crate) blocks: Vec<bool>,
}

/// What is wrong with an event.
#[derive(Debug)]
pub(crate) enum Wrong {
    Malformed(String),
    /// The server says that it failed.
    Reported(Value),
}

impl Completion {
    /// The server says how the answer ended. It may say so again, but not otherwise.
    pub(crate) fn end_with(&mut self, end: End, word: String) -> Result<(), Wrong> {
        if let (Some(before), Some(said)) = (&self.end, &self.ended_as)
            && *before != end
        {
            return Err(Wrong::Malformed(format!(
                "the answer ends twice, as “{said}” and as “{word}”"
            )));
        }
        self.end = Some(end);
        self.ended_as = Some(word);
        Ok(())
    }
}

impl From<serde_json::Error> for Wrong {
    fn from(error: serde_json::Error) -> Self {
        Self::Malformed(format!("an event is not what was expected ({error})"))
    }
}

/// A wire format.
pub(crate) trait Wire: Send + Sync {
    /// For messages: `the chat completions protocol`.
    fn protocol(&self) -> &'static str;

    /// Where an answer of `model` is asked for, relative to the base address, with its query.
    fn path(&self, model: &str) -> String;

    fn authorize(&self, request: RequestBuilder, key: Option<&Secret>) -> RequestBuilder;

    fn body(&self, ask: &ChatRequest<'_>) -> Map<String, Value>;

    /// Fields of the body that some servers refuse (`generationConfig.temperature`). Each is left out after a refusal that
    /// names its last part.
    fn optional(&self) -> &'static [&'static str];

    /// The most tokens of an answer where a request does not say; `None` is no bound.
    fn most_tokens(&self) -> Option<u64> {
        None
    }

    /// Takes in one event of a stream and gives the text that it adds.
    fn take(&self, whole: &mut Completion, data: &str) -> Result<String, Wrong>;

    /// Takes in an answer that came in one piece.
    fn take_whole(&self, whole: &mut Completion, body: &str) -> Result<String, Wrong>;

    /// Whether a stream that ends here is complete. A connection that closes early looks just like one that is done.
    fn is_complete(&self, whole: &Completion) -> bool;

    /// Where models are listed, relative to the base address.
    fn models_path(&self) -> String;

    /// The models of such a list that answer prompts.
    fn models(&self, list: &Value) -> Vec<ModelSummary>;

    /// The model to use where none is named may be the first of the list.
    fn chooses(&self) -> bool {
        true
    }
}

/// A server that is reached by HTTP.
#[derive(Clone)]
pub struct Remote {
    config: Arc<RemoteConfig>,
    wire: Arc<dyn Wire>,
    base: Url,
    client: Client,
    prices: Arc<PriceTable>,
    /// Takes the key out of what the server says.
    redactor: Arc<Redactor>,
    /// Beyond what is in `config`: whether a person set it up or it was found.
    found: bool,
    note: &'static str,
}

impl Remote {
    /// # Errors
    /// `provider_address` when the address is no http or https URL.
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
                format!("No connection can be prepared: {error}"),
            )
        })?;
        let wire: Arc<dyn Wire> = match &config.protocol {
            Protocol::ChatCompletions => Arc::new(ChatCompletions),
            Protocol::Azure { api_version } => Arc::new(Azure::new(&base, api_version)),
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

    /// With these prices.
    #[must_use]
    pub fn priced(mut self, prices: Arc<PriceTable>) -> Self {
        self.prices = prices;
        self
    }

    /// With what settings say of it.
    #[must_use]
    pub(crate) fn noted(mut self, note: &'static str) -> Self {
        self.note = note;
        self
    }

    /// It was found on this computer.
    #[must_use]
    pub(crate) fn found(mut self) -> Self {
        self.found = true;
        self
    }

    fn url(&self, path: &str) -> Result<Url, NodeError> {
        self.base.join(path).map_err(|error| {
            NodeError::new(
                "provider_address",
                format!("{path} does not go together with the address: {error}"),
            )
        })
    }

    fn server(&self) -> Server {
        self.server_for(None)
    }

    /// The server of one request, whose time begins now.
    fn server_for(&self, node_timeout: Option<Duration>) -> Server {
        let limits = self.config.limits.with_node_timeout(node_timeout);
        Server {
            id: self.config.id.clone(),
            host: authority(&self.base),
            is_local: is_loopback(&self.base),
            is_tls: self.base.scheme() == "https",
            has_key: self.config.key.is_some(),
            redactor: Arc::clone(&self.redactor),
            until: tokio::time::Instant::now() + limits.total,
            limits,
            protocol: self.wire.protocol(),
        }
    }

    async fn listed(&self) -> Result<Vec<ModelSummary>, NodeError> {
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
        let body = read::whole(response, &server).await?;
        let list: Value = serde_json::from_str(&body)
            .map_err(|_| server.malformed("its list of models is not JSON", ""))?;
        Ok(self.wire.models(&list))
    }
}

/// The address with a slash at its end, so that paths go behind it.
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
    // Looked for before anything is said of the address: addresses are shown, keys are not.
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
                "The address of the provider “{}” has a user name or password in it. Set the key for itself.",
                config.id
            ),
        ));
    }
    let mut base = Url::parse(&config.base_url).map_err(|error| wrong(error.to_string()))?;
    if !matches!(base.scheme(), "http" | "https") || base.cannot_be_a_base() {
        return Err(wrong("it is neither http nor https".to_owned()));
    }
    base.set_query(None);
    base.set_fragment(None);
    if !base.path().ends_with('/') {
        base.set_path(&format!("{}/", base.path()));
    }
    Ok(base)
}

/// The host, with its port where that is not the usual one: servers on one computer differ by nothing else.
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

impl ModelProvider for Remote {
    fn id(&self) -> &str {
        &self.config.id
    }

    fn summary(&self) -> ProviderSummary {
        ProviderSummary {
            id: self.config.id.clone(),
            name: self.config.name.clone(),
            state: if self.found {
                ProviderState::Found
            } else {
                ProviderState::Ready
            },
            status: if self.found { "found" } else { "ready" }.to_owned(),
            base_url: Some(self.config.base_url.clone()),
            has_key: self.config.key.is_some(),
            key_from: None,
            models: Vec::new(),
            note: self.note.to_owned(),
            remedy: String::new(),
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
        cx: ModelContext,
    ) -> BoxFuture<'static, Result<ModelReply, NodeError>> {
        let this = self.clone();
        async move {
            tokio::select! {
                biased;
                // Dropping the call closes its socket.
                () = cx.cancel.cancelled() => Err(NodeError::new("cancelled", format!("The call of “{}” was stopped.", this.config.id))),
                reply = call::run(&this, &request, &cx) => reply,
            }
        }
        .boxed()
    }

    fn models(&self) -> BoxFuture<'static, Result<Vec<ModelSummary>, NodeError>> {
        let this = self.clone();
        async move { this.listed().await }.boxed()
    }

    fn test(&self) -> BoxFuture<'static, Result<Tested, NodeError>> {
        let this = self.clone();
        async move {
            let began = Instant::now();
            let models = this.listed().await?;
            let took = began.elapsed();
            let name = &this.config.name;
            let says = match models.as_slice() {
                [] => format!("{name} answers."),
                [first] => format!("{name} answers; its model is {}.", first.id),
                [first, ..] => format!(
                    "{name} answers with {} models, such as {}.",
                    models.len(),
                    first.id
                ),
            };
            Ok(Tested { says, took, models })
        }
        .boxed()
    }
}
