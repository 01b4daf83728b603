//! Creates and shares HTTP clients. Creating a client reads this computer's trusted certificates, which takes longer than a
//! short run. Each kind of client is therefore created once. A client that needs no certificates reads none.

use std::{
    collections::HashMap,
    net::{Ipv4Addr, Ipv6Addr, SocketAddr},
    sync::{LazyLock, Mutex, PoisonError},
    time::Duration,
};

use reqwest::{Client, redirect};

/// The kind of server that a client connects to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum To {
    /// Any server, through the proxy if one is set.
    Any,
    /// A server on this computer, bypassing the proxy.
    Local,
    /// A server on this computer that is called without encryption.
    PlainLocal,
}

/// The properties that distinguish clients: the kind of server and the connect timeout.
type Kind = (To, Duration);

static CLIENTS: LazyLock<Mutex<HashMap<Kind, Client>>> = LazyLock::new(Mutex::default);

/// Returns the shared client for this kind of server, with this connect timeout.
///
/// # Errors
/// Returns an error if the client cannot be created, for example because the computer has no readable certificates.
pub(crate) fn client(to: To, connect: Duration) -> reqwest::Result<Client> {
    let mut clients = CLIENTS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(client) = clients.get(&(to, connect)) {
        return Ok(client.clone());
    }
    let mut builder = loopwright_http_client::builder()
        .connect_timeout(connect)
        // A redirect would send the key to another host.
        .redirect(redirect::Policy::none())
        // No request asks for compression, and no answer is decompressed: a small compressed body could expand to an enormous
        // one.
        .no_gzip()
        .no_brotli()
        .no_zstd()
        .no_deflate()
        .user_agent(concat!("loopwright/", env!("CARGO_PKG_VERSION")));
    if to != To::Any {
        builder = builder.no_proxy();
        // The system may resolve `localhost` to only one of these addresses, while a server may listen only on the other.
        // The port comes from the URL.
        let own = [
            SocketAddr::from((Ipv6Addr::LOCALHOST, 0)),
            SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
        ];
        builder = builder.resolve_to_addrs("localhost", &own);
    }
    if to == To::PlainLocal {
        // This client trusts no certificates, so it cannot reach an encrypted server.
        builder = builder.tls_certs_only([]);
    }
    let client = builder.build()?;
    clients.insert((to, connect), client.clone());
    Ok(client)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each client sets up its encryption when it is built, even the one that never encrypts.
    #[test]
    fn every_kind_of_client_can_be_built() {
        for to in [To::Any, To::Local, To::PlainLocal] {
            client(to, Duration::from_secs(1)).unwrap();
        }
    }
}
