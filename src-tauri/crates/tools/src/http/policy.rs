//! The policy for the network access of tools: which hosts they may reach, and how. Tools have no other network access.
//!
//! This module resolves names and checks every address. The connection uses only the checked addresses, and each redirect
//! repeats the check. A custom resolver would not suffice: `reqwest` does not call it for a host that is already an address.

use std::{
    fmt, io,
    net::{IpAddr, SocketAddr},
    sync::Arc,
};

use loopwright_engine::{
    NodeError,
    host::ToolContext,
    redact::STARS,
    trust::{Consent, Grants, Need, NeedKind},
};
use reqwest::{
    Method, Proxy, Response, StatusCode, Url,
    header::{CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, HeaderMap, LOCATION},
    redirect::Policy as Redirects,
};
use thiserror::Error;

use super::{
    address::{is_private_by_name, is_public},
    packed,
};

/// The maximum size of a response body, in bytes.
pub(crate) const MAX_BODY: usize = 2 * 1024 * 1024;
const MAX_REDIRECTS: usize = 5;

#[derive(Debug, Error)]
pub(crate) enum HttpError {
    #[error("`{name}` of http.request must be {expected}.")]
    BadArgument {
        name: &'static str,
        expected: &'static str,
    },
    #[error("{url} cannot be opened: only http and https addresses can be requested.")]
    Scheme { url: String },
    #[error("{0}")]
    Refused(NodeError),
    #[error("{host} was not found: {message}. Check the address.")]
    NotFound { host: String, message: String },
    #[error("{url} redirects more than {MAX_REDIRECTS} times. Check the address.")]
    Redirects { url: String },
    #[error("The response from {host} is larger than {} MB. Request less data.", MAX_BODY / 1024 / 1024)]
    TooLarge { host: String },
    #[error(
        "The answer from {host} is compressed with {coding}, which is not supported. Set the header `Accept-Encoding` to \
         `identity`."
    )]
    Packed { host: String, coding: String },
    #[error("{host} did not answer within {seconds} s. Try again later, or raise `timeout`.")]
    Timeout { host: String, seconds: u64 },
    #[error(
        "The certificate of {host} is not trusted by this computer ({why}), so nothing was sent. Check the address. If you trust the server, add its certificate or that of its issuer to this computer's trusted certificates."
    )]
    Certificate { host: String, why: String },
    #[error("The request to {host} failed: {message}.")]
    Network {
        host: String,
        message: String,
        /// Whether the server may have received the request.
        sent: bool,
    },
    #[error(
        "The proxy in Settings, {proxy}, cannot be used: {message}. Correct it in Settings, or remove it."
    )]
    Proxy { proxy: String, message: String },
    #[error("The request was cancelled.")]
    Cancelled,
}

impl HttpError {
    /// Converts this error to the error of a call with this method. The result is marked as uncertain if the request may have
    /// changed something on the server.
    pub(crate) fn of(self, method: &Method) -> NodeError {
        let sent = match &self {
            Self::Network { sent, .. } => *sent,
            Self::Timeout { .. }
            | Self::TooLarge { .. }
            | Self::Packed { .. }
            | Self::Redirects { .. } => true,
            _ => false,
        };
        let error = NodeError::from(self);
        if sent && !method.is_safe() {
            error.after_sending()
        } else {
            error
        }
    }
}

impl From<HttpError> for NodeError {
    fn from(error: HttpError) -> Self {
        let code = match &error {
            HttpError::Refused(_) => "",
            HttpError::BadArgument { .. } | HttpError::Scheme { .. } => "tool_bad_arguments",
            HttpError::NotFound { .. }
            | HttpError::Redirects { .. }
            | HttpError::Proxy { .. }
            | HttpError::Network { .. } => "network",
            HttpError::Certificate { .. } => "certificate",
            HttpError::TooLarge { .. } => "response_too_large",
            HttpError::Packed { .. } => "body_packed",
            HttpError::Timeout { .. } => "timeout",
            HttpError::Cancelled => "cancelled",
        };
        match error {
            HttpError::Refused(refused) => refused,
            error => Self::new(code, error.to_string()),
        }
    }
}

/// Returns a proxy's address for a message, without its user name and password. The address may not be a valid URL, so
/// everything between the scheme and the last `@` is replaced.
fn without_password(proxy: &str) -> String {
    match (proxy.split_once("://"), proxy.rsplit_once('@')) {
        (Some((scheme, _)), Some((_, host))) => format!("{scheme}://{STARS}@{host}"),
        (None, Some((_, host))) => format!("{STARS}@{host}"),
        (_, None) => proxy.to_owned(),
    }
}

/// Returns `words`, the reason why a proxy cannot be used. The part of the proxy's address that may contain a password is
/// removed.
fn cause_of(proxy: &str, words: &str) -> String {
    match proxy.rsplit_once('@') {
        Some((secret, _)) => words.replace(secret, STARS),
        None => words.to_owned(),
    }
}

/// The hosts and addresses that requests may reach.
#[derive(Debug, Clone, Default)]
pub(crate) struct Policy {
    pub(crate) grants: Grants,
    /// The proxy from Settings. A proxy from the environment is ignored: it would resolve host names again, possibly to an
    /// address that the policy forbids.
    pub(crate) proxy: Option<String>,
    pub(crate) names: Names,
}

/// A function that resolves host names in tests.
type FixedAddresses = Arc<dyn Fn(&str) -> Vec<SocketAddr> + Send + Sync>;

/// The name resolver: that of the system, unless a test sets another.
#[derive(Clone, Default)]
pub(crate) struct Names(Option<FixedAddresses>);

impl fmt::Debug for Names {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Names")
    }
}

impl Names {
    async fn find(&self, name: &str, port: u16) -> io::Result<Vec<SocketAddr>> {
        match &self.0 {
            Some(given) => Ok(given(name)),
            None => Ok(tokio::net::lookup_host((name, port)).await?.collect()),
        }
    }
}

/// A request to be sent.
#[derive(Debug, Clone)]
pub(crate) struct Outgoing {
    pub(crate) method: Method,
    pub(crate) url: Url,
    /// The headers. They may contain keys, so they are dropped when a redirect leads to another origin.
    pub(crate) headers: HeaderMap,
    pub(crate) body: Option<String>,
}

/// A response with its complete body.
pub(crate) struct Fetched {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) bytes: Vec<u8>,
}

/// Returns the approval that a request to `url` needs, as far as the URL alone determines it.
pub(crate) fn need(url: &Url) -> Need {
    let authority = authority(url);
    let kind = if is_private_by_name(url) {
        NeedKind::Private
    } else {
        NeedKind::Host
    };
    Need::new(kind, authority)
}

/// Returns the host, with the port if it is not the scheme's default.
fn authority(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default().trim_end_matches('.');
    match url.port() {
        Some(port) => format!("{host}:{port}"),
        None => host.to_owned(),
    }
}

/// Returns the origin to which a key is sent: scheme, host, and port if it is not the default. The key is never sent to
/// another origin, because a redirect to one drops the headers.
pub(crate) fn origin(url: &Url) -> String {
    url.origin().ascii_serialization()
}

pub(crate) fn host(url: &Url) -> String {
    url.host_str().unwrap_or_default().to_owned()
}

impl Policy {
    /// Sends a request and reads its response, following redirects.
    ///
    /// # Errors
    /// Returns an error if the policy refuses a host, if the request fails or times out, if there are too many redirects, or
    /// if the body is too large.
    pub(crate) async fn fetch(
        &self,
        mut request: Outgoing,
        cx: &ToolContext,
    ) -> Result<Fetched, HttpError> {
        let first = request.url.clone();
        for _ in 0..=MAX_REDIRECTS {
            // The user approves the server that the question shows, with any path, but not the servers to which it
            // redirects.
            let asked = request.url.origin() == first.origin();
            let response = self.once(&request, asked, cx).await?;
            match redirect(&request, &response) {
                Some(next) => request = next,
                None => return read(response, &host(&request.url)).await,
            }
        }
        let mut shown = first;
        shown.set_query(None);
        Err(HttpError::Redirects { url: shown.into() })
    }

    /// Sends one request to checked addresses. `asked` is true if the request goes to the server that the user was asked
    /// about, and false if a redirect led to another server.
    async fn once(
        &self,
        request: &Outgoing,
        asked: bool,
        cx: &ToolContext,
    ) -> Result<Response, HttpError> {
        let name = host(&request.url);
        if !matches!(request.url.scheme(), "http" | "https") {
            return Err(HttpError::Scheme {
                url: format!("{}:", request.url.scheme()),
            });
        }
        let addresses = self.resolve(&request.url, &name).await?;
        self.check(&request.url, &addresses, asked, cx)?;
        let network = |error: reqwest::Error| {
            let message = causes(&error);
            // This is rustls's message. It is the same on every system, because rustls verifies the certificate everywhere.
            match message.strip_prefix("invalid peer certificate: ") {
                Some(why) if error.is_connect() => HttpError::Certificate {
                    host: authority(&request.url),
                    why: why.to_owned(),
                },
                _ => HttpError::Network {
                    host: name.clone(),
                    message,
                    sent: !error.is_connect() && !error.is_builder(),
                },
            }
        };
        let builder = loopwright_http_client::builder()
            .redirect(Redirects::none())
            // The client supports only one of the two forms of deflate.
            .no_deflate()
            .user_agent(concat!("loopwright/", env!("CARGO_PKG_VERSION")));
        let builder = match &self.proxy {
            Some(proxy) => builder.proxy(Proxy::all(proxy).map_err(|error| HttpError::Proxy {
                proxy: without_password(proxy),
                message: cause_of(proxy, &error.to_string()),
            })?),
            // A proxy from the environment would resolve the name again, possibly to another address.
            None => builder.no_proxy().resolve_to_addrs(&name, &addresses),
        };
        let client = builder.build().map_err(network)?;
        let mut call = client
            .request(request.method.clone(), request.url.clone())
            .headers(request.headers.clone());
        if let Some(body) = &request.body {
            call = call.body(body.clone());
        }
        call.send().await.map_err(network)
    }

    /// Checks that `url`, which resolves to `addresses`, may be reached.
    fn check(
        &self,
        url: &Url,
        addresses: &[SocketAddr],
        asked: bool,
        cx: &ToolContext,
    ) -> Result<(), HttpError> {
        let hidden = addresses.iter().find(|address| !is_public(address.ip()));
        let is_private = hidden.is_some() || is_private_by_name(url);
        let kind = if is_private {
            NeedKind::Private
        } else {
            NeedKind::Host
        };
        let need = Need::new(kind, authority(url));
        let seen = asked && is_private_by_name(url);
        let consented = match cx.consent {
            Consent::None => false,
            Consent::General => !is_private,
            // A URL with a host name does not show that the name resolves to a private address, so consent does not cover
            // this.
            Consent::Call => asked && (!is_private || seen),
        };
        if consented || self.grants.cover(&need) {
            return Ok(());
        }
        let how = need.how_to_allow();
        // Consent covers only the server that the question showed.
        let led = match (cx.consent, asked) {
            (Consent::Call, false) => " The requested server redirected to it.",
            _ => "",
        };
        let why = if is_private {
            let at = hidden.map_or_else(String::new, |address| format!(" ({})", address.ip()));
            format!(
                "A request to {}{at} was refused: the address belongs to this computer or its network, and requests to them need \
                 approval.{led} {how}",
                need.what
            )
        } else {
            format!(
                "A request to {} was refused: this flow may not send requests to it.{led} {how}",
                need.what
            )
        };
        let mut refused = cx.trust_log.refuse(&need, why);
        if is_private {
            "address_refused".clone_into(&mut refused.code);
        }
        Err(HttpError::Refused(refused))
    }

    async fn resolve(&self, url: &Url, name: &str) -> Result<Vec<SocketAddr>, HttpError> {
        let port = url.port_or_known_default().unwrap_or(80);
        let bare = name.trim_start_matches('[').trim_end_matches(']');
        if let Ok(address) = bare.parse::<IpAddr>() {
            return Ok(vec![SocketAddr::new(address, port)]);
        }
        match self.names.find(bare, port).await {
            Ok(found) => Ok(found),
            // If only the proxy can resolve a name, the proxy must check it.
            Err(_) if self.proxy.is_some() => Ok(Vec::new()),
            Err(error) => Err(HttpError::NotFound {
                host: name.to_owned(),
                message: error.to_string(),
            }),
        }
    }
}

/// Returns the message of the innermost cause of an error. The URL is left out, because it may contain a key.
fn causes(error: &reqwest::Error) -> String {
    let mut last = None;
    let mut cause: Option<&dyn std::error::Error> = std::error::Error::source(error);
    while let Some(error) = cause {
        last = Some(error.to_string());
        cause = error.source();
    }
    match last {
        Some(last) => last,
        None if error.is_builder() => "the request is not valid".to_owned(),
        None => "the connection was lost".to_owned(),
    }
}

/// Returns the request that follows a redirect, or `None` if the response is not a redirect that can be followed. Headers
/// may contain keys, so they are dropped when the origin changes.
fn redirect(request: &Outgoing, response: &Response) -> Option<Outgoing> {
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
    if !keeps_method && next.method != Method::HEAD {
        next.method = Method::GET;
        next.body = None;
        next.headers.remove(CONTENT_TYPE);
    }
    Some(next)
}

async fn read(mut response: Response, host: &str) -> Result<Fetched, HttpError> {
    let too_large = || HttpError::TooLarge {
        host: host.to_owned(),
    };
    if response
        .content_length()
        .is_some_and(|length| length > MAX_BODY as u64)
    {
        return Err(too_large());
    }
    let (status, mut headers) = (response.status(), response.headers().clone());
    let mut bytes = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(|error| HttpError::Network {
        host: host.to_owned(),
        message: causes(&error),
        sent: true,
    })? {
        if bytes.len() + chunk.len() > MAX_BODY {
            return Err(too_large());
        }
        bytes.extend_from_slice(&chunk);
    }
    if let Some(coding) = packed::coding(&headers)
        && !bytes.is_empty()
    {
        bytes = packed::unpack(coding, &bytes, MAX_BODY).map_err(|unread| match unread {
            packed::Unread::TooLarge => too_large(),
            packed::Unread::Broken(error) => HttpError::Network {
                host: host.to_owned(),
                message: format!("its response cannot be decompressed ({error})"),
                sent: true,
            },
        })?;
        headers.remove(CONTENT_ENCODING);
        headers.remove(CONTENT_LENGTH);
    }
    Ok(Fetched {
        status,
        headers,
        bytes,
    })
}

#[cfg(test)]
mod tests;
