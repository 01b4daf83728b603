//! Clients of HTTP. Making one reads the certificates that this computer trusts, so that they are made once and shared.

use std::{
    collections::HashMap,
    sync::{LazyLock, Mutex, PoisonError},
    time::Duration,
};

use reqwest::{Client, redirect};

/// What clients differ in: whether they go past a proxy, and how long they wait for a connection.
type Kind = (bool, Duration);

static CLIENTS: LazyLock<Mutex<HashMap<Kind, Client>>> = LazyLock::new(Mutex::default);

/// The client that waits so long for a connection; `direct`: without a proxy, for servers on this computer.
///
/// # Errors
/// When none can be made: the computer has no certificates that can be read.
pub(crate) fn client(direct: bool, connect: Duration) -> reqwest::Result<Client> {
    let mut clients = CLIENTS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(client) = clients.get(&(direct, connect)) {
        return Ok(client.clone());
    }
    let mut builder = Client::builder()
        .connect_timeout(connect)
        // A redirect would take the key to another host.
        .redirect(redirect::Policy::none())
        // What was not asked for packed is not unpacked: a small body stays a small body.
        .no_gzip()
        .no_brotli()
        .no_zstd()
        .no_deflate()
        .user_agent(concat!("loopwright/", env!("CARGO_PKG_VERSION")));
    if direct {
        builder = builder.no_proxy();
    }
    let client = builder.build()?;
    clients.insert((direct, connect), client.clone());
    Ok(client)
}
