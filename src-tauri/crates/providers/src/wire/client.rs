//! HTTP clients. Creating one reads this computer's trusted certificates, which takes longer than a short run. Clients are
//! therefore created once and shared, and the client that needs no certificates reads none.

use std::{
    collections::HashMap,
    net::{Ipv4Addr, Ipv6Addr, SocketAddr},
    sync::{LazyLock, Mutex, PoisonError},
    time::Duration,
};

use reqwest::{Client, redirect};

/// The destination of a client.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum To {
    /// Any server, through the proxy if there is one.
    Any,
    /// A server on this computer, bypassing the proxy.
    Local,
    /// An unencrypted server on this computer.
    PlainLocal,
}

/// The properties in which clients differ: destination and connect timeout.
type Kind = (To, Duration);

static CLIENTS: LazyLock<Mutex<HashMap<Kind, Client>>> = LazyLock::new(Mutex::default);

/// Returns the client with this connect timeout.
///
/// # Errors An error if it cannot be created: the computer has no readable certificates.
pub(crate) fn client(to: To, connect: Duration) -> reqwest::Result<Client> {
    let mut clients = CLIENTS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(client) = clients.get(&(to, connect)) {
        return Ok(client.clone());
    }
    let mut builder = loopwright_http_client::builder()
        .connect_timeout(connect)
        // A redirect would send the key to another host.
        .redirect(redirect::Policy::none())
        // Compression was not requested, so nothing is decompressed: a small body stays small.
        .no_gzip()
        .no_brotli()
        .no_zstd()
        .no_deflate()
        .user_agent(concat!("loopwright/", env!("CARGO_PKG_VERSION")));
    if to != To::Any {
        builder = builder.no_proxy();
        // The system may know only one of them, while a server may listen only on the other. The port is that of the address.
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
