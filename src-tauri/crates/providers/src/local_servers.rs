//! Discovers model servers on this computer by probing their usual addresses with short timeouts. A server that does not
//! answer is not an error.
//!
//! Only this computer is probed, no key is sent, and an answer counts only if it has the form of that server.

use std::{
    collections::HashMap,
    fmt,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use futures::{StreamExt, future::join_all};
use reqwest::Client;
use serde_json::Value;

use crate::{
    catalog::{CATALOG, provider_spec},
    provider::ModelSummary,
    spec::ProviderSpec,
    wire::client::{To, client},
};

/// The timeout for connecting. A running server accepts a connection within a millisecond.
const CONNECT_TIMEOUT: Duration = Duration::from_millis(250);
const ANSWER_TIMEOUT: Duration = Duration::from_millis(1_000);

/// How long a discovery result is cached.
const DISCOVERY_TTL: Duration = Duration::from_secs(10);

/// The maximum size of an answer that is read, in bytes.
const MAX_ANSWER_BYTES: usize = 4 << 20;

/// The model servers that discovery found at their usual addresses on this computer. Clones are cheap and share the results.
#[derive(Clone)]
pub struct LocalServers {
    /// The address that is probed for each provider, keyed by provider id.
    addresses: Arc<HashMap<String, String>>,
    seen: Arc<Mutex<Seen>>,
}

#[derive(Default)]
struct Seen {
    at: Option<Instant>,
    models: HashMap<String, Vec<ModelSummary>>,
}

impl fmt::Debug for LocalServers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LocalServers")
    }
}

impl LocalServers {
    /// Creates a value that probes the usual address of each local server. If the environment variable
    /// `LOOPWRIGHT_LOCAL_SERVERS` is `off`, it probes none.
    pub fn system() -> Self {
        let off = std::env::var("LOOPWRIGHT_LOCAL_SERVERS").is_ok_and(|value| value == "off");
        if off {
            return Self::none();
        }
        let usual = CATALOG
            .iter()
            .filter(|spec| spec.local.is_some())
            .filter_map(|spec| Some((spec.id.to_owned(), spec.default_address?.to_owned())));
        Self::at(usual)
    }

    /// Creates a value that probes these addresses, each with its provider id.
    pub fn at(addresses: impl IntoIterator<Item = (String, String)>) -> Self {
        Self {
            addresses: Arc::new(addresses.into_iter().collect()),
            seen: Arc::default(),
        }
    }

    /// Creates a value that probes no addresses.
    pub fn none() -> Self {
        Self::at([])
    }

    /// Returns the address that is probed for a provider; `None` for a provider that is not a local server.
    pub(crate) fn address(&self, id: &str) -> Option<&str> {
        self.addresses.get(id).map(String::as_str)
    }

    /// Returns the models of a server; `None` if the last discovery did not find the server.
    pub(crate) fn models(&self, id: &str) -> Option<Vec<ModelSummary>> {
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.models.get(id).cloned()
    }

    /// Probes all addresses, unless a recent result is cached.
    pub async fn discover(&self) {
        let is_fresh = {
            let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
            seen.at.is_some_and(|at| at.elapsed() < DISCOVERY_TTL)
        };
        if is_fresh || self.addresses.is_empty() {
            return;
        }
        let Ok(client) = client(To::PlainLocal, CONNECT_TIMEOUT) else {
            return;
        };
        let asked = self.addresses.iter().filter_map(|(id, address)| {
            let spec = provider_spec(id)?;
            Some(ask(spec, address, &client))
        });
        let models = join_all(asked).await.into_iter().flatten().collect();
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        *seen = Seen {
            at: Some(Instant::now()),
            models,
        };
    }
}

/// Returns the provider's id with the models of the server at `address`. Returns `None` if no server answers at this
/// address, or if a server of another kind does.
async fn ask(
    spec: &ProviderSpec,
    address: &str,
    client: &Client,
) -> Option<(String, Vec<ModelSummary>)> {
    let local = spec.local?;
    let url = format!("{}/{}", address.trim_end_matches('/'), local.path);
    let response = client.get(url).timeout(ANSWER_TIMEOUT).send().await.ok()?;
    if !response.status().is_success() {
        return None;
    }
    let mut bytes = Vec::new();
    let mut pieces = Box::pin(response.bytes_stream());
    while let Some(piece) = pieces.next().await {
        bytes.extend_from_slice(&piece.ok()?);
        if bytes.len() > MAX_ANSWER_BYTES {
            return None;
        }
    }
    let answer: Value = serde_json::from_slice(&bytes).ok()?;
    (local.is)(&answer).then(|| (spec.id.to_owned(), (local.models)(&answer)))
}
