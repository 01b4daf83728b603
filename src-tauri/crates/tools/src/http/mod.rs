//! `http.request`: one request to a permitted address.

pub(crate) mod address;
mod body;
mod packed;
mod place;
pub(crate) mod policy;

use std::time::Duration;

use futures::{FutureExt as _, future::BoxFuture};
use loopwright_engine::{
    NodeError,
    host::{CallDetail, Names, Tool, ToolContext, ToolInfo},
    printed::Printed,
    redact::Redactor,
    trust::{ANY, Consent, Need, NeedKind, Secrets, is_computed},
};
use loopwright_model::EffectClass;
use loopwright_text::charset;
use reqwest::{
    Method, Url,
    header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue},
};
use serde_json::{Map, Value, json};

use policy::{Fetched, HttpError, Outgoing, Policy, host, need, origin};

/// The default time limit of the whole call in seconds, including redirects and the body.
const DEFAULT_TIMEOUT: u64 = 30;
/// The maximum time limit of the whole call in seconds, including redirects and the body.
const MAX_TIMEOUT: u64 = 120;
const METHODS: [&str; 6] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"];
/// Headers that control how a request is transmitted. A flow cannot set them.
const CARRIAGE: [&str; 7] = [
    "host",
    "connection",
    "content-length",
    "transfer-encoding",
    "upgrade",
    "te",
    "trailer",
];

/// The `http.request` tool.
#[derive(Debug, Clone)]
pub(crate) struct HttpRequest {
    policy: Policy,
    secrets: Secrets,
}

/// A request whose arguments have been checked.
#[derive(Debug, Clone)]
struct Request {
    outgoing: Outgoing,
    /// Headers with a secret value: the header name, the secret's name, and the text before the secret.
    keys: Vec<(HeaderName, String, String)>,
    timeout: u64,
}

fn bad(name: &'static str, expected: &'static str) -> HttpError {
    HttpError::BadArgument { name, expected }
}

impl Request {
    fn read(input: Option<&Value>, args: &Map<String, Value>) -> Result<Self, HttpError> {
        let given = |name: &str| args.get(name).filter(|value| !value.is_null());
        let url = given("url")
            .or(input)
            .and_then(Value::as_str)
            .ok_or_else(|| bad("url", "an address such as https://example.org/data"))?;
        let url = Url::parse(url.trim())
            .ok()
            .filter(|url| url.has_host() || !matches!(url.scheme(), "http" | "https"))
            .ok_or_else(|| bad("url", "a complete address such as https://example.org/data"))?;
        let expected = "GET, HEAD, POST, PUT, PATCH or DELETE";
        let method = match given("method") {
            None => Method::GET,
            Some(Value::String(name)) => METHODS
                .contains(&name.to_uppercase().as_str())
                .then(|| Method::from_bytes(name.to_uppercase().as_bytes()).ok())
                .flatten()
                .ok_or_else(|| bad("method", expected))?,
            Some(_) => return Err(bad("method", expected)),
        };
        let (mut headers, keys) = headers(given("headers"))?;
        let body = match given("body") {
            None => None,
            Some(Value::String(text)) => Some(text.clone()),
            Some(other) => {
                if !headers.contains_key(CONTENT_TYPE) {
                    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
                }
                Some(other.to_string())
            }
        };
        if body.is_some() && (method == Method::GET || method == Method::HEAD) {
            return Err(bad(
                "body",
                "left out of a GET or HEAD request. To send a body, set `method` to POST",
            ));
        }
        let timeout = match given("timeout") {
            None => DEFAULT_TIMEOUT,
            Some(value) => value
                .as_u64()
                .filter(|seconds| (1..=MAX_TIMEOUT).contains(seconds))
                .ok_or_else(|| bad("timeout", "a whole number of seconds from 1 to 120"))?,
        };
        Ok(Self {
            outgoing: Outgoing {
                method,
                url,
                headers,
                body,
            },
            keys,
            timeout,
        })
    }
}

impl Request {
    /// Returns the parts of the request to show when asking for approval. Transport headers are left out.
    fn details(&self) -> Vec<CallDetail> {
        let Outgoing {
            method,
            url,
            headers,
            body,
        } = &self.outgoing;
        let headers = headers
            .iter()
            .map(|(name, value)| format!("{name}: {}", String::from_utf8_lossy(value.as_bytes())));
        let keys = self
            .keys
            .iter()
            .map(|(name, key, before)| match before.as_str() {
                "" => format!("{key} in {name}"),
                before => format!("{key} in {name}, after \u{201c}{before}\u{201d}"),
            });
        let mut details = vec![
            CallDetail::one("Method", method.as_str()),
            CallDetail::one("Address", url.as_str()),
            CallDetail::new("Headers", headers),
            CallDetail::new("Keys", keys),
        ];
        if let Some(body) = body {
            details.push(CallDetail::one("Body", body.clone()));
        }
        details
    }
}

/// Splits headers into those with plain values and those that name a secret.
#[allow(clippy::type_complexity)]
fn headers(
    given: Option<&Value>,
) -> Result<(HeaderMap, Vec<(HeaderName, String, String)>), HttpError> {
    const EXPECTED: &str = "an object that maps header names to text (or `{ \"key\": NAME }` for a secret), except those that control \
                            the transfer, such as Host";
    let (mut headers, mut keys) = (HeaderMap::new(), Vec::new());
    let fields = match given {
        None => return Ok((headers, keys)),
        Some(Value::Object(fields)) => fields,
        Some(_) => return Err(bad("headers", EXPECTED)),
    };
    for (name, value) in fields {
        let name = HeaderName::try_from(name.as_str()).map_err(|_| bad("headers", EXPECTED))?;
        let carries = CARRIAGE.contains(&name.as_str()) || name.as_str().starts_with("proxy-");
        match (value, carries) {
            (Value::String(text), false) => {
                let value = HeaderValue::try_from(text).map_err(|_| bad("headers", EXPECTED))?;
                headers.insert(name, value);
            }
            (Value::Object(secret), false) => {
                let key = secret.get("key").and_then(Value::as_str);
                let key = key.ok_or_else(|| bad("headers", EXPECTED))?.to_owned();
                let before = secret.get("prefix").and_then(Value::as_str);
                keys.push((name, key, before.unwrap_or_default().to_owned()));
            }
            _ => return Err(bad("headers", EXPECTED)),
        }
    }
    Ok((headers, keys))
}

impl HttpRequest {
    pub(crate) fn new(policy: Policy, secrets: Secrets) -> Self {
        Self { policy, secrets }
    }

    async fn send(&self, request: Request, cx: &ToolContext) -> Result<Value, NodeError> {
        let Request {
            mut outgoing, keys, ..
        } = request;
        let mut used = Vec::new();
        for (field, name, before) in keys {
            let to = origin(&outgoing.url);
            let need = Need::key(&name, &to);
            if cx.consent != Consent::Call && !self.policy.grants.cover(&need) {
                return Err(cx.trust_log.refuse(
                    &need,
                    format!(
                        "The key `{name}` was not sent to {to}: this flow may not send it there. {}",
                        need.how_to_allow()
                    ),
                ));
            }
            let purpose = format!("http.request to {}", host(&outgoing.url));
            let secret = self.secrets.get(&name, &purpose, &cx.trust_log)?;
            let mut value = HeaderValue::try_from(format!("{before}{secret}")).map_err(|_| {
                NodeError::new(
                    "key_unusable",
                    format!(
                        "The key `{name}` contains characters that are not allowed in a header. Set the key again."
                    ),
                )
            })?;
            value.set_sensitive(true);
            outgoing.headers.insert(field, value);
            used.push(secret);
        }
        let (method, at) = (outgoing.method.clone(), host(&outgoing.url));
        let fetched = self.policy.fetch(outgoing, cx).await;
        fetched
            .and_then(|fetched| reply(&fetched, &used, &at, &cx.printed))
            .map_err(|error| error.of(&method))
    }
}

/// Returns the response without secrets, because a server may echo them.
fn reply(
    fetched: &Fetched,
    secrets: &[String],
    at: &str,
    printed: &Printed,
) -> Result<Value, HttpError> {
    let redactor = Redactor::new(secrets.iter().map(String::as_str));
    let mut headers = Map::new();
    for (name, value) in &fetched.headers {
        // Header values are bytes without a charset. Those outside ASCII were traditionally ISO-8859-1.
        let value = charset::decode(value.as_bytes(), None).text;
        headers.insert(name.as_str().to_owned(), redactor.redact(&value).into());
    }
    let body = body::read(&fetched.bytes, &fetched.headers, at)?;
    for (code, message) in body.warnings {
        printed.warn(&code, redactor.redact(&message));
    }
    let text = redactor.redact(&body.text);
    let body = match body.may_be_json.then(|| body::json(&text, at)).flatten() {
        Some((body, warning)) => {
            if let Some((code, message)) = warning {
                printed.warn(&code, message);
            }
            // JSON escapes may have hidden a secret in the text, so the parsed value is redacted as well.
            redactor.redact_value(body)
        }
        None => Value::String(text),
    };
    Ok(json!({ "status": fetched.status.as_u16(), "headers": headers, "body": body }))
}

/// Returns the destination if it is fixed in the flow, or `None` if it is computed during the run. A template is read only up
/// to its first `{{`, `{%` or `{#`. The host is known only if a delimiter follows the host before that point.
fn destination(url: Option<&Value>) -> Option<Url> {
    let text = url.and_then(Value::as_str)?;
    let literal = ["{{", "{%", "{#"]
        .iter()
        .filter_map(|mark| text.find(mark))
        .min()
        .map_or(text, |end| &text[..end]);
    let is_whole = literal.len() == text.len();
    let ends = literal
        .split_once("://")
        .is_some_and(|(_, behind)| behind.contains(['/', '?', '#', '\\']));
    let url = Url::parse(literal.trim()).ok()?;
    ((is_whole || ends) && url.has_host()).then_some(url)
}

/// Returns the approval for the destination that is fixed in the flow, or for any host if the destination is computed.
fn written(url: Option<&Value>) -> Need {
    destination(url).as_ref().map_or_else(
        || {
            Need::new(NeedKind::Host, ANY)
                .detail("any public address, because the address is not known until the flow runs")
        },
        need,
    )
}

/// Returns the names of the secrets in the flow's headers. [`ANY`] stands for a name that is computed during the run.
fn written_keys(headers: Option<&Value>) -> Vec<&str> {
    let name = |text| if is_computed(text) { ANY } else { text };
    match headers {
        Some(Value::String(text)) if is_computed(text) => vec![ANY],
        Some(Value::Object(fields)) => fields
            .values()
            .filter_map(|value| match value {
                // A single expression can evaluate to anything, even an object.
                Value::String(text) if is_expression(text) => Some(ANY),
                Value::Object(secret) => secret.get("key").and_then(Value::as_str).map(name),
                _ => None,
            })
            .collect(),
        _ => Vec::new(),
    }
}

/// Returns whether a template consists of a single expression, whose value keeps its type.
fn is_expression(text: &str) -> bool {
    let text = text.trim();
    text.starts_with("{{") && text.ends_with("}}")
}

impl Tool for HttpRequest {
    fn info(&self) -> ToolInfo {
        ToolInfo {
            name: "http.request".to_owned(),
            title: "HTTP request".to_owned(),
            summary: "Sends one request and returns `{ status, headers, body }`. A JSON body is parsed. The response may be up to 2 MB. \
                      The workflow can reach only hosts that you approve. Access to this computer and its network needs a \
                      separate approval."
                .to_owned(),
            args: json!({
                "type": "object",
                "properties": {
                    "url": { "type": "string", "description": "An http or https URL. Default: the node's input." },
                    "method": { "type": "string", "enum": METHODS, "default": "GET", "description": "The HTTP method." },
                    "headers": {
                        "type": "object",
                        "description": "Header fields by name. A value is text, or `{ \"key\": \"MY_TOKEN\", \"prefix\": \"Bearer \" }` for a \
                                        stored secret, which the workflow never sees. Headers are not sent to another host after a redirect.",
                        "additionalProperties": true
                    },
                    "body": { "description": "The request body. Text is sent unchanged, and other values are sent as JSON." },
                    "timeout": {
                        "type": "integer", "minimum": 1, "maximum": MAX_TIMEOUT, "default": DEFAULT_TIMEOUT,
                        "description": "The time limit for the whole call, in seconds."
                    }
                },
                "additionalProperties": false
            }),
            unavailable: None,
        }
    }

    fn effect(&self) -> EffectClass {
        EffectClass::Writes
    }

    fn names(&self) -> Vec<(&'static str, Names)> {
        vec![
            ("url", Names::Host),
            ("method", Names::Nothing),
            ("headers", Names::Key),
            ("body", Names::Nothing),
            ("timeout", Names::Nothing),
        ]
    }

    fn needs(&self, args: &Map<String, Value>) -> Vec<Need> {
        let destination = destination(args.get("url"));
        let to = destination.as_ref().map_or_else(|| ANY.to_owned(), origin);
        let keys = written_keys(args.get("headers")).into_iter().map(|name| {
            let need = Need::key(name, &to);
            if need.can_be_granted() {
                return need.detail(format!("sent to {to}"));
            }
            let what = match (name, to.as_str()) {
                (ANY, ANY) => "which key is sent, and where,",
                (ANY, _) => "which key is sent there",
                _ => "where it is sent",
            };
            need.detail(format!(
                "{what} is not known until the flow runs, so only what is approved by name can be used"
            ))
        });
        std::iter::once(written(args.get("url")))
            .chain(keys)
            .collect()
    }

    fn describe_call(
        &self,
        input: Option<&Value>,
        args: &Map<String, Value>,
    ) -> Result<Vec<CallDetail>, NodeError> {
        Ok(Request::read(input, args)?.details())
    }

    fn place(&self, args: &Map<String, Value>) -> Option<Value> {
        place::place(args)
    }

    fn call(
        &self,
        input: Option<Value>,
        args: Map<String, Value>,
        cx: ToolContext,
    ) -> BoxFuture<'static, Result<Value, NodeError>> {
        let tool = self.clone();
        async move {
            let request = Request::read(input.as_ref(), &args)?;
            let (host, seconds) = (host(&request.outgoing.url), request.timeout);
            let method = request.outgoing.method.clone();
            let sent = tokio::time::timeout(Duration::from_secs(seconds), tool.send(request, &cx));
            tokio::select! {
                sent = sent => sent.unwrap_or_else(|_| Err(HttpError::Timeout { host, seconds }.of(&method))),
                () = cx.cancel.cancelled() => Err(HttpError::Cancelled.into()),
            }
        }
        .boxed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_host_of_a_template_is_known_only_where_something_ends_it() {
        for (url, item) in [
            ("https://api.example.org/v1?x=1", "host:api.example.org"),
            (
                "https://API.example.org:8443/v1",
                "host:api.example.org:8443",
            ),
            (
                "https://api.example.org/{{ input }}",
                "host:api.example.org",
            ),
            (
                "https://api.example.org?q={{ input }}",
                "host:api.example.org",
            ),
            ("https://api.example.org{{ input }}", "host:*"),
            ("https://api.example.org:{{ port }}/", "host:*"),
            ("https://{{ host }}/", "host:*"),
            ("{{ url }}", "host:*"),
            ("", "host:*"),
            ("http://localhost:8080/", "private:localhost:8080"),
            ("http://127.0.0.1/", "private:127.0.0.1"),
            ("http://2130706433/", "private:127.0.0.1"),
            ("http://[::1]:9/", "private:[::1]:9"),
            ("http://169.254.169.254/latest", "private:169.254.169.254"),
        ] {
            assert_eq!(written(Some(&json!(url))).item(), item, "{url}");
        }
        assert_eq!(written(None).item(), "host:*");
    }
}
