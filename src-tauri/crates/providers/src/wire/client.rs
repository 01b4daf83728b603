//! Clients of HTTP. Making one reads the certificates that this computer trusts, which takes longer than a short run, so that
//! they are made once and shared, and the one that needs none reads none.

use std::{
    collections::HashMap,
    net::{Ipv4Addr, Ipv6Addr, SocketAddr},
    sync::{LazyLock, Mutex, PoisonError},
    time::Duration,
};

use reqwest::{Client, redirect};

/// Whom a client speaks to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum To {
    /// Any server, by way of the proxy where there is one.
    Any,
    /// One on this computer, past the proxy.
    Local,
    /// One on this computer that is not encrypted.
    PlainLocal,
}

/// What clients differ in: whom they speak to, and how long they wait for a connection.
type Kind = (To, Duration);

static CLIENTS: LazyLock<Mutex<HashMap<Kind, Client>>> = LazyLock::new(Mutex::default);

/// The client that waits so long for a connection.
///
/// # Errors
/// When none can be made: the computer has no certificates that can be read.
pub(crate) fn client(to: To, connect: Duration) -> reqwest::Result<Client> {
    let mut clients = CLIENTS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(client) = clients.get(&(to, connect)) {
        return Ok(client.clone());
    }
    let mut builder = loopwright_http_client::builder()
        .connect_timeout(connect)
        // A redirect would take the key to another host.
        .redirect(redirect::Policy::none())
        // What was not asked for packed is not unpacked: a small body stays a small body.
        .no_gzip()
        .no_brotli()
        .no_zstd()
        .no_deflate()
        .user_agent(concat!("loopwright/", env!("CARGO_PKG_VERSION")));
    if to != To::Any {
        builder = builder.no_proxy();
        // The system may know only one of them, and a server listen only at the other. The port is that of the address.
        let own = [
            SocketAddr::from((Ipv6Addr::LOCALHOST, 0)),
            SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
        ];
        builder = builder.resolve_to_addrs("localhost", &own);
    }
    if to == To::PlainLocal {
        // It trusts nobody: what is encrypted could not be reached with it.
        builder = builder.tls_certs_only([]);
    }
    let client = builder.build()?;
    clients.insert((to, connect), client.clone());
    Ok(client)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each settles how it encrypts when it is built, also the one that never does.
    #[test]
    fn every_kind_of_client_can_be_built() {
        for to in [To::Any, To::Local, To::PlainLocal] {
            client(to, Duration::from_secs(1)).unwrap();
        }
    }
}
