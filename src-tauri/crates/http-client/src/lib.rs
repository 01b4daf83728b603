//! HTTP clients and their crypto provider.
//!
//! reqwest is built without its own crypto provider, because the PostgreSQL connections already need one: ring. A client that
//! is built before a provider is installed panics, so every client must be built with [`builder`]. `clippy.toml` forbids every
//! other way to build a client.
//!
//! Architecture Invariant: this crate knows no provider, tool or protocol, and sets nothing but the crypto provider.

use std::sync::Once;

use reqwest::ClientBuilder;
use rustls::crypto::ring;

/// Returns a builder for a client with reqwest's default settings: TLS 1.2 and 1.3, and the certificates that this computer
/// trusts.
pub fn builder() -> ClientBuilder {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        // The call fails if the process already has a provider. That provider is then used.
        drop(ring::default_provider().install_default());
    });
    #[expect(clippy::disallowed_methods, reason = "the one place for it")]
    ClientBuilder::new()
}
