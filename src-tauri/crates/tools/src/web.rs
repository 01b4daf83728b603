//! `search.web`: queries the search service from Settings (SearXNG, Brave or Tavily), and returns titles, addresses and
//! excerpts.
//!
//! Formats: SearXNG `GET /search?q=…&format=json` → `results[] { title, url, content }`; Brave `GET
//! /res/v1/web/search?q=…&count=…` with `X-Subscription-Token` → `web.results[] { title, url, description }`; Tavily `POST
//! /search { query, max_results }` with a bearer key → `results[] { title, url, content, score }`.

use std::time::Duration;

use futures::future::BoxFuture;
use loopwright_engine::{
    NodeError,
    host::{Names, Tool, ToolContext, ToolInfo},
    trust::{Consent, Need, Secrets, TrustLog},
};
use loopwright_model::EffectClass;
use reqwest::{
    Method, Url,
    header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue},
};
use serde_json::{Map, Value, json};

use crate::http::policy::{Outgoing, Policy, need, origin};

/// The default number of results.
const RESULTS: u64 = 5;
/// The maximum number of results.
const MAX_RESULTS: u64 = 20;
/// The time limit of the whole call in seconds.
const TIMEOUT: u64 = 30;
/// The maximum number of characters of an excerpt.
const EXCERPT: usize = 2_000;

/// A search service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SearchEngine {
    Searxng,
    Brave,
    Tavily,
}

/// The selected service and its address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebSearch {
    pub engine: SearchEngine,
    /// An address that replaces the usual one of the service. It is required for SearXNG, which has no usual address.
    pub url: Option<String>,
}

impl SearchEngine {
    fn name(self) -> &'static str {
        match self {
            Self::Searxng => "SearXNG",
            Self::Brave => "Brave Search",
            Self::Tavily => "Tavily",
        }
    }

    fn address(self) -> &'static str {
        match self {
            Self::Searxng => "",
            Self::Brave => "https://api.search.brave.com/res/v1/web/search",
            Self::Tavily => "https://api.tavily.com/search",
        }
    }

    /// Returns the name of the key that the service requires, or `None` if it requires no key.
    pub fn key(self) -> Option<&'static str> {
        match self {
            Self::Searxng => None,
            Self::Brave => Some("BRAVE_API_KEY"),
            Self::Tavily => Some("TAVILY_API_KEY"),
        }
    }
}

#[derive(Debug, Clone)]
pub(crate) struct SearchWeb {
    search: WebSearch,
    url: Url,
    policy: Policy,
    secrets: Secrets,
}

fn error(code: &str, message: impl Into<String>) -> NodeError {
    NodeError::new(code, message)
}

impl SearchWeb {
    /// Creates the tool, or `None` if the settings contain no usable address.
    pub(crate) fn new(search: &WebSearch, policy: &Policy, secrets: &Secrets) -> Option<Self> {
        let address = search.url.as_deref().unwrap_or(search.engine.address());
        let mut url = Url::parse(address).ok().filter(Url::has_host)?;
        if search.engine == SearchEngine::Searxng && !url.path().ends_with("/search") {
            let path = format!("{}/search", url.path().trim_end_matches('/'));
            url.set_path(&path);
        }
        Some(Self {
            search: search.clone(),
            url,
            policy: policy.clone(),
            secrets: secrets.clone(),
        })
    }

    fn wants(&self) -> Vec<Need> {
        let name = self.search.engine.name();
        let mut needs =
            vec![need(&self.url).detail(format!("{name}, the search service in Settings"))];
        if let Some(key) = self.search.engine.key() {
            needs.push(Need::key(key, &origin(&self.url)).detail(format!("sent to {name}")));
        }
        needs
    }

    fn request(
        &self,
        query: &str,
        limit: u64,
        trust_log: &TrustLog,
    ) -> Result<Outgoing, NodeError> {
        let engine = self.search.engine;
        let mut headers = HeaderMap::new();
        headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
        if let Some(name) = engine.key() {
            let purpose = format!("Searching the web with {}", engine.name());
            let secret = self.secrets.get(name, &purpose, trust_log)?;
            let (field, value) = match engine {
                SearchEngine::Brave => (HeaderName::from_static("x-subscription-token"), secret),
                _ => (AUTHORIZATION, format!("Bearer {secret}")),
            };
            let mut value = HeaderValue::try_from(value).map_err(|_| {
                error(
                    "key_unusable",
                    format!(
                        "The key `{name}` contains characters that are not allowed in a header. Set the key again."
                    ),
                )
            })?;
            value.set_sensitive(true);
            headers.insert(field, value);
        }
        let mut url = self.url.clone();
        let (method, body) = match engine {
            SearchEngine::Searxng => {
                url.query_pairs_mut()
                    .append_pair("q", query)
                    .append_pair("format", "json");
                (Method::GET, None)
            }
            SearchEngine::Brave => {
                url.query_pairs_mut()
                    .append_pair("q", query)
                    .append_pair("count", &limit.to_string());
                (Method::GET, None)
            }
            SearchEngine::Tavily => {
                headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
                let body = json!({ "query": query, "max_results": limit });
                (Method::POST, Some(body.to_string()))
            }
        };
        Ok(Outgoing {
            method,
            url,
            headers,
            body,
        })
    }

    async fn search(&self, query: &str, limit: u64, cx: &ToolContext) -> Result<Value, NodeError> {
        let name = self.search.engine.name();
        let mut policy = self.policy.clone();
        if cx.consent != Consent::None {
            // Consent to the search also covers the address of the service, whatever it is in Settings.
            policy
                .grants
                .items
                .extend(self.wants().iter().map(Need::item));
        }
        if let Some(key) = self.search.engine.key() {
            let need = Need::key(key, &origin(&self.url));
            if !policy.grants.cover(&need) {
                return Err(cx.trust_log.refuse(
                    &need,
                    format!(
                        "The key `{key}` was not sent to {name}: this flow may not send it there. {}",
                        need.how_to_allow()
                    ),
                ));
            }
        }
        let fetched = policy
            .fetch(self.request(query, limit, &cx.trust_log)?, cx)
            .await?;
        let status = fetched.status.as_u16();
        if !fetched.status.is_success() {
            let (code, why) = match status {
                401 | 403 if self.search.engine == SearchEngine::Searxng => (
                    "search_refused",
                    "JSON output may be turned off. Add `json` to `search.formats` in its settings.yml."
                        .to_owned(),
                ),
                401 | 403 => (
                    "key_refused",
                    "It rejected the key. Check the key in Settings.".to_owned(),
                ),
                429 => (
                    "rate_limited",
                    "It received too many requests. Wait, or give the node a retry policy."
                        .to_owned(),
                ),
                _ => ("search_failed", "Try again later.".to_owned()),
            };
            return Err(error(
                code,
                format!("{name} answered with status {status}. {why}"),
            ));
        }
        let value: Value = serde_json::from_slice(&fetched.bytes).map_err(|_| {
            error(
                "search_failed",
                format!("The answer from {name} is not JSON. Check its address in Settings."),
            )
        })?;
        let results = match self.search.engine {
            SearchEngine::Brave => value.pointer("/web/results"),
            _ => value.get("results"),
        };
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        let found: Vec<Value> = results
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .take(limit)
            .map(|result| {
                let part = |field: &str| {
                    plain(
                        result
                            .get(field)
                            .and_then(Value::as_str)
                            .unwrap_or_default(),
                    )
                };
                let excerpt = if self.search.engine == SearchEngine::Brave {
                    "description"
                } else {
                    "content"
                };
                json!({ "title": part("title"), "url": result["url"], "text": part(excerpt) })
            })
            .collect();
        Ok(Value::Array(found))
    }
}

/// Removes the HTML tags that services put around matches.
fn plain(text: &str) -> String {
    let mut shown = String::new();
    let mut rest = text;
    while let Some(start) = rest.find('<') {
        let tag = rest[start..].find('>').filter(|end| {
            rest[start + 1..start + end]
                .chars()
                .all(|char| char.is_ascii_alphanumeric() || " /=\"-".contains(char))
        });
        match tag {
            Some(end) => {
                shown.push_str(&rest[..start]);
                rest = &rest[start + end + 1..];
            }
            None => {
                shown.push_str(&rest[..=start]);
                rest = &rest[start + 1..];
            }
        }
    }
    shown.push_str(rest);
    let decoded = htmlescape::decode_html(&shown).unwrap_or(shown);
    decoded.chars().take(EXCERPT).collect()
}

impl Tool for SearchWeb {
    fn info(&self) -> ToolInfo {
        ToolInfo {
            name: "search.web".to_owned(),
            title: "Search the web".to_owned(),
            summary: format!(
                "Searches with {} and returns `[{{ title, url, text }}]`, best match first.",
                self.search.engine.name()
            ),
            args: schema(),
            unavailable: None,
        }
    }

    fn effect(&self) -> EffectClass {
        EffectClass::Reads
    }

    fn names(&self) -> Vec<(&'static str, Names)> {
        vec![("query", Names::Nothing), ("limit", Names::Nothing)]
    }

    fn needs(&self, _args: &Map<String, Value>) -> Vec<Need> {
        self.wants()
    }

    fn place(&self, _args: &Map<String, Value>) -> Option<Value> {
        // All calls have the same destination: the service from Settings.
        Some(Value::Null)
    }

    fn call(
        &self,
        input: Option<Value>,
        args: Map<String, Value>,
        cx: ToolContext,
    ) -> BoxFuture<'static, Result<Value, NodeError>> {
        let tool = self.clone();
        Box::pin(async move {
            let query = args
                .get("query")
                .filter(|query| !query.is_null())
                .or(input.as_ref());
            let query = query
                .and_then(Value::as_str)
                .map(str::trim)
                .filter(|query| !query.is_empty())
                .ok_or_else(|| {
                    error(
                        "tool_bad_arguments",
                        "`query` is missing. Set it, or wire the node's input.",
                    )
                })?;
            let limit = match args.get("limit").filter(|limit| !limit.is_null()) {
                None => RESULTS,
                Some(limit) => limit
                    .as_u64()
                    .filter(|limit| (1..=MAX_RESULTS).contains(limit))
                    .ok_or_else(|| {
                        error(
                            "tool_bad_arguments",
                            format!("`limit` must be a number from 1 to {MAX_RESULTS}."),
                        )
                    })?,
            };
            let name = tool.search.engine.name();
            tokio::select! {
                found = tokio::time::timeout(Duration::from_secs(TIMEOUT), tool.search(query, limit, &cx)) => found.unwrap_or_else(|_| {
                    Err(error("timeout", format!("{name} did not answer within {TIMEOUT} s. Try again later.")))
                }),
                () = cx.cancel.cancelled() => Err(error("cancelled", "The search was cancelled.")),
            }
        })
    }
}

pub(crate) fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "query": { "type": "string", "description": "What to search for. Default: the node's input." },
            "limit": { "type": "integer", "minimum": 1, "maximum": MAX_RESULTS, "default": RESULTS, "description": "The maximum number of results." }
        },
        "additionalProperties": false
    })
}
