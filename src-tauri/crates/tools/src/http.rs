//! `http.request`: one careful request to a public address.
//!
//! A flow may come from a stranger, so a request reaches neither this computer nor its network unless a setting allows it: names are
//! resolved here, every address is checked, and the connection goes to the checked addresses and no others, anew for each redirect.

use std::{
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    time::Duration,
};

use futures::{FutureExt as _, future::BoxFuture};
use loopwright_engine::{
    host::{Tool, ToolInfo},
    outcome::NodeError,
};
use loopwright_model::EffectClass;
use reqwest::{
    Client, Method, Response, StatusCode, Url,
    header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, LOCATION},
    redirect::Policy,
};
use serde_json::{Map, Value, json};
use thiserror::Error;
use tokio_util::sync::CancellationToken;

/// Largest response body, in bytes.
const MAX_BODY: usize = 2 * 1024 * 1024;
const MAX_REDIRECTS: usize = 5;
/// For the whole call, redirects and body included.
const DEFAULT_TIMEOUT: u64 = 30;
const MAX_TIMEOUT: u64 = 120;

#[derive(Debug, Error)]
enum HttpError {
    #[error("`{name}` of http.request must be {expected}.")]
    BadArgument {
        name: &'static str,
        expected: &'static str,
    },
    #[error("http.request cannot open {url}: only http and https addresses can be requested.")]
    Scheme { url: String },
    #[error(
        "http.request refused {host}: {address} belongs to this computer or its network, where a flow's requests may not go. Use an \
         address of the public internet."
    )]
    Private { host: String, address: IpAddr },
    #[error("{host} was not found: {message}.")]
    NotFound { host: String, message: String },
    #[error("{url} redirects more than {MAX_REDIRECTS} times.")]
    Redirects { url: String },
    #[error("The answer of {host} is larger than {} MB.", MAX_BODY / 1024 / 1024)]
    TooLarge { host: String },
    #[error("{host} did not answer within {seconds} s.")]
    Timeout { host: String, seconds: u64 },
    #[error("The request to {host} failed: {message}.")]
    Network { host: String, message: String },
    #[error("The request was cancelled.")]
    Cancelled,
}

impl From<HttpError> for NodeError {
    fn from(error: HttpError) -> Self {
        let code = match &error {
            HttpError::BadArgument { .. } | HttpError::Scheme { .. } => "tool_bad_arguments",
            HttpError::Private { .. } => "address_refused",
            HttpError::NotFound { .. }
            | HttpError::Redirects { .. }
            | HttpError::Network { .. } => "network",
            HttpError::TooLarge { .. } => "response_too_large",
            HttpError::Timeout { .. } => "timeout",
            HttpError::Cancelled => "cancelled",
        };
        Self::new(code, error.to_string())
    }
}

/// The tool.
#[derive(Debug, Clone)]
pub(crate) struct HttpRequest {
    allow_private: bool,
}

/// Checked arguments.
#[derive(Debug, Clone)]
struct Request {
    method: Method,
    url: Url,
    headers: HeaderMap,
    body: Option<String>,
    timeout: u64,
}

impl Request {
    fn read(input: Option<&Value>, args: &Map<String, Value>) -> Result<Self, HttpError> {
        let bad = |name, expected| HttpError::BadArgument { name, expected };
        let given = |name: &str| args.get(name).filter(|value| !value.is_null());
        let url = given("url")
            .or(input)
            .and_then(Value::as_str)
            .ok_or_else(|| bad("url", "an address such as https://example.org/data"))?;
        let url = Url::parse(url.trim())
            .map_err(|_| bad("url", "a whole address such as https://example.org/data"))?;
        let method = match given("method").map(|value| value.as_str().map(str::to_uppercase)) {
            None => Method::GET,
            Some(Some(name)) if name == "GET" => Method::GET,
            Some(Some(name)) if name == "POST" => Method::POST,
            Some(_) => return Err(bad("method", "GET or POST")),
        };
        let mut headers = HeaderMap::new();
        match given("headers") {
            None => {}
            Some(Value::Object(fields)) => {
                for (name, value) in fields {
                    let name = HeaderName::try_from(name.as_str());
                    let value = value.as_str().map(HeaderValue::try_from);
                    let (Ok(name), Some(Ok(value))) = (name, value) else {
                        return Err(bad("headers", "an object of header names and texts"));
                    };
                    headers.insert(name, value);
                }
            }
            Some(_) => return Err(bad("headers", "an object of header names and texts")),
        }
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
        if body.is_some() && method == Method::GET {
            return Err(bad(
                "body",
                "left out of a GET request; set `method` to POST",
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
            method,
            url,
            headers,
            body,
            timeout,
        })
    }
}

impl HttpRequest {
    pub(crate) fn new(allow_private: bool) -> Self {
        Self { allow_private }
    }

    async fn send(&self, mut request: Request) -> Result<Value, HttpError> {
        let first = request.url.clone();
        for _ in 0..=MAX_REDIRECTS {
            let response = self.once(&request).await?;
            match redirect(&request, &response) {
                Some(next) => request = next,
                None => return read(response, &host(&request.url)).await,
            }
        }
        Err(HttpError::Redirects { url: first.into() })
    }

    /// One request, to addresses that were checked.
    async fn once(&self, request: &Request) -> Result<Response, HttpError> {
        let name = host(&request.url);
        let addresses = self.resolve(&request.url, &name).await?;
        let network = |error: reqwest::Error| HttpError::Network {
            host: name.clone(),
            message: causes(&error),
        };
        let client = Client::builder()
            .redirect(Policy::none())
            // A proxy would resolve the name again, and perhaps to something else.
            .no_proxy()
            .resolve_to_addrs(&name, &addresses)
            .user_agent(concat!("loopwright/", env!("CARGO_PKG_VERSION")))
            .build()
            .map_err(network)?;
        let mut call = client
            .request(request.method.clone(), request.url.clone())
            .headers(request.headers.clone());
        if let Some(body) = &request.body {
            call = call.body(body.clone());
        }
        call.send().await.map_err(network)
    }

    async fn resolve(&self, url: &Url, name: &str) -> Result<Vec<SocketAddr>, HttpError> {
        if !matches!(url.scheme(), "http" | "https") {
            return Err(HttpError::Scheme {
                url: url.to_string(),
            });
        }
        let port = url.port_or_known_default().unwrap_or(80);
        let bare = name.trim_start_matches('[').trim_end_matches(']');
        let found: Vec<SocketAddr> = match bare.parse::<IpAddr>() {
            Ok(address) => vec![SocketAddr::new(address, port)],
            Err(_) => tokio::net::lookup_host((bare, port))
                .await
                .map_err(|error| HttpError::NotFound {
                    host: name.to_owned(),
                    message: error.to_string(),
                })?
                .collect(),
        };
        match found
            .iter()
            .find(|address| !self.allow_private && !is_public(address.ip()))
        {
            Some(address) => Err(HttpError::Private {
                host: name.to_owned(),
                address: address.ip(),
            }),
            None => Ok(found),
        }
    }
}

fn host(url: &Url) -> String {
    url.host_str().unwrap_or_default().to_owned()
}

/// An error with its causes, and without the address, which may hold a key.
fn causes(error: &reqwest::Error) -> String {
    let mut text = Vec::new();
    let mut cause: Option<&dyn std::error::Error> = std::error::Error::source(error);
    while let Some(error) = cause {
        text.push(error.to_string());
        cause = error.source();
    }
    match text.last() {
        Some(last) => last.clone(),
        None if error.is_builder() => "the request is not valid".to_owned(),
        None => "the connection broke".to_owned(),
    }
}

/// The request that a redirect asks for. Headers may hold a key: they stay behind when the host changes.
fn redirect(request: &Request, response: &Response) -> Option<Request> {
    let status = response.status();
    let followed = [
        StatusCode::MOVED_PERMANENTLY,
        StatusCode::FOUND,
        StatusCode::SEE_OTHER,
        StatusCode::TEMPORARY_REDIRECT,
        StatusCode::PERMANENT_REDIRECT,
    ];
    if !followed.contains(&status) {
        return None;
    }
    let target = response.headers().get(LOCATION)?.to_str().ok()?;
    let mut next = request.clone();
    next.url = request.url.join(target).ok()?;
    if next.url.origin() != request.url.origin() {
        next.headers = HeaderMap::new();
    }
    let keeps_method = [
        StatusCode::TEMPORARY_REDIRECT,
        StatusCode::PERMANENT_REDIRECT,
    ]
    .contains(&status);
    if !keeps_method {
        next.method = Method::GET;
        next.body = None;
        next.headers.remove(CONTENT_TYPE);
    }
    Some(next)
}

async fn read(mut response: Response, host: &str) -> Result<Value, HttpError> {
    let too_large = || HttpError::TooLarge {
        host: host.to_owned(),
    };
    if response
        .content_length()
        .is_some_and(|length| length > MAX_BODY as u64)
    {
        return Err(too_large());
    }
    let mut bytes = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(|error| HttpError::Network {
        host: host.to_owned(),
        message: causes(&error),
    })? {
        if bytes.len() + chunk.len() > MAX_BODY {
            return Err(too_large());
        }
        bytes.extend_from_slice(&chunk);
    }
    let mut headers = Map::new();
    for (name, value) in response.headers() {
        headers.insert(
            name.as_str().to_owned(),
            String::from_utf8_lossy(value.as_bytes())
                .into_owned()
                .into(),
        );
    }
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let is_json = headers
        .get("content-type")
        .and_then(Value::as_str)
        .is_some_and(|kind| kind.contains("json"));
    let body = is_json
        .then(|| serde_json::from_str(&text).ok())
        .flatten()
        .unwrap_or(Value::String(text));
    Ok(json!({ "status": response.status().as_u16(), "headers": headers, "body": body }))
}

/// Whether an address is one of the public internet: not this computer, a private or link-local network (cloud metadata services
/// among them), or a range that is reserved.
fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => match embedded_v4(address) {
            Some(inner) => is_public_v4(inner),
            None => {
                let first = address.segments()[0];
                // Global unicast is 2000::/3; documentation (2001:db8::/32) and 2001::/23 (Teredo and others) are within it.
                first & 0xe000 == 0x2000
                    && !(first == 0x2001
                        && (address.segments()[1] == 0xdb8 || address.segments()[1] < 0x200))
            }
        },
    }
}

/// The IPv4 address that an IPv6 one stands for: mapped, compatible, NAT64 or 6to4.
fn embedded_v4(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let parts = address.segments();
    let join = |high: u16, low: u16| Ipv4Addr::from((u32::from(high) << 16) | u32::from(low));
    match parts {
        [0, 0, 0, 0, 0, 0 | 0xffff, high, low] => Some(join(high, low)),
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] => Some(join(high, low)),
        [0x2002, high, low, ..] => Some(join(high, low)),
        _ => None,
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    !(address.is_unspecified()
        || address.is_loopback()
        || address.is_private()
        || address.is_link_local()
        || address.is_multicast()
        || address.is_broadcast()
        || address.is_documentation()
        || a == 0
        || a >= 240
        || a == 100 && (64..128).contains(&b)
        || a == 192 && b == 0 && c == 0
        || a == 198 && (18..20).contains(&b))
}

impl Tool for HttpRequest {
    fn info(&self) -> ToolInfo {
        ToolInfo {
            name: "http.request".to_owned(),
            title: "HTTP request".to_owned(),
            summary: "Sends one GET or POST request and gives `{ status, headers, body }`; a JSON body is parsed. Up to 2 MB; \
                      private addresses are refused."
                .to_owned(),
            args: json!({
                "type": "object",
                "properties": {
                    "url": { "type": "string", "description": "An http or https address. Default: the node's input." },
                    "method": { "type": "string", "enum": ["GET", "POST"], "default": "GET" },
                    "headers": { "type": "object", "additionalProperties": { "type": "string" } },
                    "body": { "description": "For POST: a text as it is; anything else is sent as JSON." },
                    "timeout": {
                        "type": "integer", "minimum": 1, "maximum": MAX_TIMEOUT, "default": DEFAULT_TIMEOUT,
                        "description": "Seconds for the whole call."
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

    fn call(
        &self,
        input: Option<Value>,
        args: Map<String, Value>,
        cancel: CancellationToken,
    ) -> BoxFuture<'static, Result<Value, NodeError>> {
        let tool = self.clone();
        async move {
            let request = Request::read(input.as_ref(), &args)?;
            let (host, seconds) = (host(&request.url), request.timeout);
            let sent = tokio::time::timeout(Duration::from_secs(seconds), tool.send(request));
            tokio::select! {
                sent = sent => Ok(sent.unwrap_or(Err(HttpError::Timeout { host, seconds }))?),
                () = cancel.cancelled() => Err(HttpError::Cancelled.into()),
            }
        }
        .boxed()
    }
}

#[cfg(test)]
mod tests {
    use tokio::{
        io::{AsyncReadExt as _, AsyncWriteExt as _},
        net::TcpListener,
    };

    use super::*;

    /// Answers each connection with the next of `answers`, over a real socket.
    async fn serve(answers: Vec<String>) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(async move {
            for answer in answers {
                let (mut socket, _) = listener.accept().await.unwrap();
                let mut request = [0; 4096];
                let _ = socket.read(&mut request).await.unwrap();
                // The client may hang up once it has read enough.
                let _ = socket.write_all(answer.as_bytes()).await;
            }
        });
        format!("http://{address}/")
    }

    async fn get(allow_private: bool, args: Value) -> Result<Value, String> {
        let args = args.as_object().unwrap().clone();
        let tool = HttpRequest::new(allow_private);
        let reply = tool.call(None, args, CancellationToken::new()).await;
        reply.map_err(|error| format!("{}: {}", error.code, error.message))
    }

    fn answer(status: &str, headers: &str, body: &str) -> String {
        format!(
            "HTTP/1.1 {status}\r\n{headers}Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
            body.len()
        )
    }

    #[tokio::test]
    async fn json_is_parsed_and_redirects_are_followed() {
        let url = serve(vec![
            answer("302 Found", "Location: /there\r\n", ""),
            answer("200 OK", "Content-Type: application/json\r\n", "{\"a\":1}"),
        ])
        .await;
        let reply = get(true, json!({ "url": url })).await.unwrap();
        assert_eq!(
            (&reply["status"], &reply["body"]),
            (&json!(200), &json!({ "a": 1 }))
        );
    }

    #[tokio::test]
    async fn private_addresses_are_refused_also_behind_a_redirect() {
        let url = serve(vec![answer("200 OK", "", "secret")]).await;
        let error = get(false, json!({ "url": url })).await.unwrap_err();
        assert!(
            error.starts_with("address_refused: http.request refused 127.0.0.1"),
            "{error}"
        );
        for url in [
            "http://localhost:1/",
            "http://[::1]/",
            "http://169.254.169.254/latest",
            "http://[::ffff:10.0.0.1]/",
        ] {
            let error = get(false, json!({ "url": url })).await.unwrap_err();
            assert!(error.starts_with("address_refused"), "{url}: {error}");
        }
        let loops = serve(vec![answer("302 Found", "Location: /\r\n", ""); 9]).await;
        assert!(
            get(true, json!({ "url": loops }))
                .await
                .unwrap_err()
                .contains("more than 5")
        );
    }

    #[tokio::test]
    async fn a_large_body_and_bad_arguments_are_refused() {
        let url = serve(vec![answer("200 OK", "", &"x".repeat(MAX_BODY + 1))]).await;
        assert!(
            get(true, json!({ "url": url }))
                .await
                .unwrap_err()
                .starts_with("response_too_large")
        );
        let chunked = format!(
            "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n{}",
            "x".repeat(MAX_BODY + 1)
        );
        let url = serve(vec![chunked]).await;
        assert!(
            get(true, json!({ "url": url }))
                .await
                .unwrap_err()
                .starts_with("response_too_large")
        );
        for args in [
            json!({}),
            json!({ "url": "file:///etc/passwd" }),
            json!({ "url": "http://a.example", "method": "DELETE" }),
            json!({ "url": "http://a.example", "body": "x" }),
            json!({ "url": "http://a.example", "timeout": 0 }),
        ] {
            let error = get(true, args).await.unwrap_err();
            assert!(error.starts_with("tool_bad_arguments"), "{error}");
        }
    }

    #[tokio::test]
    async fn silence_times_out_and_cancelling_stops() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/", listener.local_addr().unwrap());
        let error = get(true, json!({ "url": url, "timeout": 1 }))
            .await
            .unwrap_err();
        assert!(error.starts_with("timeout"), "{error}");
        let cancel = CancellationToken::new();
        let args = json!({ "url": url }).as_object().unwrap().clone();
        let call = HttpRequest::new(true).call(None, args, cancel.clone());
        cancel.cancel();
        assert_eq!(call.await.unwrap_err().code, "cancelled");
    }

    #[test]
    fn reserved_ranges_are_not_public() {
        for address in [
            "1.1.1.1",
            "93.184.216.34",
            "2606:4700::1111",
            "::ffff:1.1.1.1",
        ] {
            assert!(is_public(address.parse().unwrap()), "{address}");
        }
        for address in [
            "0.0.0.0",
            "100.64.0.1",
            "192.168.1.1",
            "172.16.0.1",
            "240.0.0.1",
            "fe80::1",
            "fd00::1",
            "64:ff9b::7f00:1",
            "2002:7f00:1::",
            "::127.0.0.1",
            "ff02::1",
        ] {
            assert!(!is_public(address.parse().unwrap()), "{address}");
        }
    }
}
