//! The specification of a provider that can be set up: its names, address, protocol and discovery.

use std::net::{IpAddr, Ipv6Addr};

use crate::{provider::ModelSummary, wire::format::Protocol};

/// A provider that can be set up.
pub(crate) struct ProviderSpec {
    /// The id that flows use.
    pub(crate) id: &'static str,
    pub(crate) name: &'static str,
    /// The environment variable that contains the provider's key; `None` if the provider takes no key.
    pub(crate) key: Option<&'static str>,
    /// The environment variable that contains the provider's address.
    pub(crate) address: &'static str,
    /// The default address; `None` if the user must set one. A local server is probed at this address.
    pub(crate) default_address: Option<&'static str>,
    pub(crate) needs: Needs,
    /// Converts an address, as the user wrote it, to the base URL of the protocol's paths.
    pub(crate) base: fn(&str) -> String,
    /// Returns the protocol, with the API version that the user set, if the protocol has versions.
    pub(crate) protocol: fn(Option<&str>) -> Protocol,
    /// How discovery recognizes the provider's server; `None` for a provider that does not run on this computer.
    pub(crate) local: Option<Local>,
    pub(crate) remedy: &'static str,
    pub(crate) note: &'static str,
}

/// What a provider needs before it can be called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Needs {
    /// A key, or a configured address whose server may work without a key.
    KeyOrAddress,
    KeyAndAddress,
    Address,
}

/// A server on this computer that can be discovered.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Local {
    /// The path of the probe, relative to the root of the server.
    pub(crate) path: &'static str,
    /// Returns whether an answer comes from this kind of server.
    pub(crate) is: fn(&serde_json::Value) -> bool,
    /// Returns the models that the answer to the probe lists. If it lists none, the models are requested through the
    /// protocol.
    pub(crate) models: fn(&serde_json::Value) -> Vec<ModelSummary>,
    pub(crate) window: Window,
}

/// How to ask a local server for the context window of a model that it is running.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Window {
    /// The path of the request, relative to the root of the server.
    pub(crate) path: &'static str,
    /// Returns the context window of the model with this id, in tokens; `None` if the server does not run the model now.
    pub(crate) of: fn(&serde_json::Value, &str) -> Option<u32>,
}

/// Returns the chat completions protocol, for any version.
pub(crate) fn chat_completions(_version: Option<&str>) -> Protocol {
    Protocol::ChatCompletions
}

/// Protocol paths that users often copy together with the address.
const ENDPOINTS: [&str; 10] = [
    "/chat/completions",
    "/completions",
    "/messages/count_tokens",
    "/messages",
    "/responses",
    "/embeddings",
    "/models",
    "/api/v0",
    "/openapi.json",
    "/docs",
];

/// Paths of Ollama's native API, which are removed from an address that the user pasted. Ollama serves chat completions
/// under `/v1`.
const OLLAMA: [&str; 5] = [
    "/api/chat",
    "/api/generate",
    "/api/tags",
    "/api/show",
    "/api/embed",
];

/// Returns the address without surrounding white space and quotes, and without its query and a trailing protocol path.
fn trimmed(address: &str) -> &str {
    let mut address = unquoted(address);
    if let Some(end) = address.find(['?', '#']) {
        address = &address[..end];
    }
    address = address.trim_end_matches('/');
    // The search starts after the scheme, so that nothing within the host name is removed.
    let from = address.find("://").map_or(0, |at| at + 3);
    let path = address[from..]
        .find('/')
        .map_or(address.len(), |at| from + at);
    // The path of a call contains the name of a model or a deployment.
    let call = ["/openai/deployments/", "/models/"]
        .into_iter()
        .find_map(|list| {
            let at = address[path..].find(list)? + path;
            (list != "/models/" || address[at..].contains(':')).then_some(at)
        });
    if let Some(at) = call {
        return address[..at].trim_end_matches('/');
    }
    let end = ENDPOINTS.iter().chain(&OLLAMA).find_map(|endpoint| {
        let rest = address[path..].strip_suffix(endpoint)?;
        Some(path + rest.len())
    });
    let address = end.map_or(address, |end| address[..end].trim_end_matches('/'));
    // A path such as `/v1/chat` is a prefix of the endpoint `/v1/chat/completions`.
    let address = match address.strip_suffix("/chat") {
        Some(base) if ends_in_version(base) => base,
        _ => address,
    };
    // If a path of LM Studio's native API, such as `/api/v0/models`, was shortened, `/api/v0` remains.
    address.strip_suffix("/api/v0").unwrap_or(address)
}

/// Returns whether the last part of a path is a version, such as `v1` or `v1beta`.
fn ends_in_version(address: &str) -> bool {
    let last = address.rsplit('/').next().unwrap_or_default();
    let number = last.strip_prefix('v').unwrap_or_default();
    number.starts_with(|digit: char| digit.is_ascii_digit())
        && number.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// Adds the query of the original address to the base URL: some gateways need its parameters in every request. `alt` is
/// dropped, because it selects the form of a single answer.
pub(crate) fn with_query(base: String, address: &str) -> String {
    let address = unquoted(address);
    let address = address.split('#').next().unwrap_or_default();
    let query = address.split_once('?').map_or("", |(_, query)| query);
    let kept: Vec<_> = query
        .split('&')
        .filter(|part| !part.is_empty() && part.split('=').next() != Some("alt"))
        .collect();
    if kept.is_empty() {
        return base;
    }
    format!("{base}?{}", kept.join("&"))
}

fn unquoted(address: &str) -> &str {
    address
        .trim()
        .trim_matches(['"', '\'', '`', '“', '”'])
        .trim()
}

/// Adds a missing scheme: `http` for an address on the local network, which rarely uses TLS, and `https` for any other.
fn with_scheme(address: &str) -> String {
    if address.is_empty() || address.contains("://") {
        return address.to_owned();
    }
    let host = address.split(['/', '?', '#']).next().unwrap_or_default();
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    };
    let is_own = name == "localhost"
        || name.ends_with(".local")
        || name.ends_with(".lan")
        || name.ends_with(".internal")
        || (!name.contains('.') && !name.is_empty())
        || name.trim_matches(['[', ']']).parse::<IpAddr>().is_ok();
    let scheme = if is_own { "http" } else { "https" };
    format!("{scheme}://{address}")
}

/// Replaces a listening address with one that can be called. `[::]`, which means all addresses of this computer, becomes
/// `localhost`, for which IPv6 and then IPv4 are tried.
fn callable(address: &str) -> String {
    let Some((scheme, rest)) = address.split_once("://") else {
        return address.to_owned();
    };
    for (all, own) in [("0.0.0.0", "127.0.0.1"), ("[::]", "localhost")] {
        if let Some(behind) = rest.strip_prefix(all)
            && (behind.is_empty() || behind.starts_with([':', '/']))
        {
            return format!("{scheme}://{own}{behind}");
        }
    }
    address.to_owned()
}

/// Returns the base address of a chat completions server. `/v1` is appended to the root of OpenAI and to an address with a
/// path of Ollama's native API. Any other address must contain the version, if its server needs one.
pub(crate) fn with_version(address: &str) -> String {
    let own = unquoted(address);
    let base = callable(&with_scheme(trimmed(own)));
    // Ollama's native API starts at the root of the address.
    let path = own.split(['?', '#']).next().unwrap_or_default();
    let path = path.trim_end_matches('/');
    let is_ollama = OLLAMA.iter().any(|endpoint| path.ends_with(endpoint));
    let is_openai = base.ends_with("://api.openai.com");
    if is_ollama || is_openai {
        return format!("{}/v1", base.trim_end_matches("/v1"));
    }
    base
}

/// Returns the address of an Azure resource: its root, or the newer form that ends in `/openai/v1`.
pub(crate) fn azure(address: &str) -> String {
    let base = with_scheme(trimmed(address));
    base.strip_suffix("/openai").unwrap_or(&base).to_owned()
}

/// Returns the address of a server whose API starts at the root. A trailing version is removed.
pub(crate) fn at_root(address: &str) -> String {
    let base = callable(&with_scheme(trimmed(address)));
    let base = base.strip_suffix("/openai").unwrap_or(&base);
    let root = ["/v1beta", "/v1alpha", "/v1"]
        .iter()
        .find_map(|version| base.strip_suffix(version));
    root.unwrap_or(base).trim_end_matches('/').to_owned()
}

/// Returns the address of a server on this computer, with the protocol's version: `localhost:1234` → `http://localhost:1234/v1`.
/// `port` is the server's default, for an address with neither a port nor a scheme.
pub(crate) fn local_v1(address: &str, port: u16) -> String {
    let address = trimmed(address);
    let (scheme, rest, port) = match address.split_once("://") {
        Some((scheme, rest)) => (scheme, rest, None),
        None => ("http", address, Some(port)),
    };
    let (host, path) = match rest.find('/') {
        Some(at) => rest.split_at(at),
        None => (rest, ""),
    };
    let host = host_and_port(host, port);
    let base = callable(&format!("{scheme}://{host}{path}"));
    let base = base.trim_end_matches('/');
    format!("{}/v1", base.strip_suffix("/v1").unwrap_or(base))
}

/// Parses a host with its port, as Ollama does: `:11435` is a port on this computer, an invalid port is replaced by the
/// default, and an IPv6 address may lack brackets. `port` is the default. If it is `None`, the scheme determines the port.
fn host_and_port(host: &str, port: Option<u16>) -> String {
    let bare = host.trim_matches(['[', ']']);
    let (name, given) = match host.rsplit_once(':') {
        _ if bare.parse::<Ipv6Addr>().is_ok() => (format!("[{bare}]"), None),
        Some((name, given)) if !name.contains(':') || name.ends_with(']') => {
            (name.to_owned(), Some(given.trim()))
        }
        _ => (host.to_owned(), None),
    };
    let name = if name.is_empty() { "127.0.0.1" } else { &name };
    let port = match given {
        Some(given) => given.parse::<u16>().ok().or(port),
        None => port,
    };
    match port {
        Some(port) => format!("{name}:{port}"),
        None => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_local_address_means_what_it_means_to_its_server() {
        for (written, base) in [
            ("127.0.0.1:11434", "http://127.0.0.1:11434/v1"),
            ("http://0.0.0.0:11434/", "http://127.0.0.1:11434/v1"),
            ("http://host:1234/v1", "http://host:1234/v1"),
            ("0.0.0.0", "http://127.0.0.1:11434/v1"),
            (" \" 0.0.0.0 \" ", "http://127.0.0.1:11434/v1"),
            ("'1.2.3.4'", "http://1.2.3.4:11434/v1"),
            (":11435", "http://127.0.0.1:11435/v1"),
            ("http://:11435", "http://127.0.0.1:11435/v1"),
            ("example.com", "http://example.com:11434/v1"),
            ("example.com:1234/", "http://example.com:1234/v1"),
            ("http://1.2.3.4", "http://1.2.3.4/v1"),
            ("https://1.2.3.4", "https://1.2.3.4/v1"),
            (
                "https://example.com/ollama",
                "https://example.com/ollama/v1",
            ),
            (
                "http://localhost:11434/api/chat",
                "http://localhost:11434/v1",
            ),
            (
                "http://localhost:11434/v1/chat/completions",
                "http://localhost:11434/v1",
            ),
            ("[::1]", "http://[::1]:11434/v1"),
            ("::1", "http://[::1]:11434/v1"),
            ("[::]", "http://localhost:11434/v1"),
            ("http://[::]:1337", "http://localhost:1337/v1"),
            ("[::1]:1337", "http://[::1]:1337/v1"),
            (":66000", "http://127.0.0.1:11434/v1"),
            ("localhost", "http://localhost:11434/v1"),
        ] {
            assert_eq!(local_v1(written, 11434), base, "{written}");
        }
        assert_eq!(
            local_v1("http://localhost:1234/api/v0/models", 1234),
            "http://localhost:1234/v1"
        );
    }

    #[test]
    fn a_query_stays_with_its_address() {
        for (address, kept) in [
            ("https://h/v1?api-version=1", "B?api-version=1"),
            (
                " 'https://h/v1/chat/completions?a=1&b=%20#x' ",
                "B?a=1&b=%20",
            ),
            ("https://h/m:streamGenerateContent?alt=sse", "B"),
            ("https://h/v1?", "B"),
            ("https://h/v1#?x=1", "B"),
            ("https://h/v1", "B"),
        ] {
            assert_eq!(with_query("B".to_owned(), address), kept, "{address}");
        }
    }

    #[test]
    fn a_whole_endpoint_is_the_address_that_it_begins_with() {
        for (written, base) in [
            ("http://h:8000/v1/chat/completions", "http://h:8000/v1"),
            ("http://h:8000/v1/chat/completions/", "http://h:8000/v1"),
            (" 'https://h.example/v1/' ", "https://h.example/v1"),
            (
                "https://h.example/v1/completions?x=1",
                "https://h.example/v1",
            ),
            ("https://h.example/v1/models", "https://h.example/v1"),
            ("https://h.example/v1/chat", "https://h.example/v1"),
            ("https://h.example/api/v3/chat/", "https://h.example/api/v3"),
            // `/chat` may be a path on the user's own server, so it is kept.
            ("https://h.example/chat", "https://h.example/chat"),
            ("https://v1.example/chat", "https://v1.example/chat"),
            (
                "https://openrouter.ai/api/v1",
                "https://openrouter.ai/api/v1",
            ),
            (
                "https://api.groq.com/openai/v1/chat/completions",
                "https://api.groq.com/openai/v1",
            ),
            (
                "http://localhost:11434/api/chat",
                "http://localhost:11434/v1",
            ),
            ("localhost:8000/v1", "http://localhost:8000/v1"),
            ("0.0.0.0:8000/v1", "http://127.0.0.1:8000/v1"),
            ("api.example.com/v1", "https://api.example.com/v1"),
            ("https://api.openai.com/", "https://api.openai.com/v1"),
            (
                "https://models.example/models/v1",
                "https://models.example/models/v1",
            ),
            (
                "http://host:3000/api/chat/completions",
                "http://host:3000/api",
            ),
            ("http://[", "http://["),
        ] {
            assert_eq!(with_version(written), base, "{written}");
        }
        for (written, base) in [
            ("https://api.anthropic.com/v1/", "https://api.anthropic.com"),
            (
                "https://api.anthropic.com/v1/messages",
                "https://api.anthropic.com",
            ),
            ("http://127.0.0.1:1/proxy", "http://127.0.0.1:1/proxy"),
            (
                "https://api.deepseek.com/anthropic",
                "https://api.deepseek.com/anthropic",
            ),
            (
                "https://g.example/v1beta/models/gemini-2.5-flash:generateContent?key=x",
                "https://g.example",
            ),
            ("https://g.example/v1beta/openai/", "https://g.example"),
        ] {
            assert_eq!(at_root(written), base, "{written}");
        }
        for (written, base) in [
            ("https://n.openai.azure.com/", "https://n.openai.azure.com"),
            (
                "https://n.openai.azure.com/openai/deployments/d/chat/completions?api-version=2024-10-21",
                "https://n.openai.azure.com",
            ),
            (
                "https://n.openai.azure.com/openai/v1/",
                "https://n.openai.azure.com/openai/v1",
            ),
            ("n.openai.azure.com", "https://n.openai.azure.com"),
        ] {
            assert_eq!(azure(written), base, "{written}");
        }
    }
}
