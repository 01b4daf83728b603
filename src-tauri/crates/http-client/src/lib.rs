//! Clients of HTTP, and the library that encrypts for them.
//!
//! reqwest is built without a library of its own, because the connections to PostgreSQL bring one: ring. A client that is built before
//! one is installed panics, so [`builder`] is the only way to build one. `clippy.toml` refuses the others.
//!
//! Architecture Invariant: knows no provider, tool or protocol, and no setting of a client.

use std::sync::Once;

use reqwest::ClientBuilder;
use rustls::crypto::ring;

/// The start of every client. It has reqwest's own settings: TLS 1.2 and 1.3, and the certificates that this computer trusts.
pub fn builder() -> ClientBuilder {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        // Refused where the process has a library already. That one is then used.
        drop(ring::default_provider().install_default());
    });
    #[expect(clippy::disallowed_methods, reason = "the one place for it")]
    ClientBuilder::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_can_be_built_more_than_once() {
        for _ in 0..2 {
            builder().build().unwrap();
        }
    }
}
