//! An HTTPS server with a self-signed certificate.

#![allow(clippy::unwrap_used)]

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use tokio::{io::AsyncReadExt as _, net::TcpListener};
use tokio_rustls::{
    TlsAcceptor,
    rustls::{
        ServerConfig,
        crypto::ring,
        pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject as _},
    },
};

/// A certificate for 127.0.0.1 and its key, valid for 100 years. They protect nothing: only a test's server uses them.
const CERTIFICATE: &[u8] = include_bytes!("untrusted.crt.pem");
const KEY: &[u8] = include_bytes!("untrusted.key.pem");

/// Starts the server. Returns its address, `127.0.0.1:port`, and a counter of the connections that it has accepted. The
/// server reads what a client that trusts it sends, and never answers.
pub(crate) async fn untrusted() -> (String, Arc<AtomicUsize>) {
    let certificate = CertificateDer::from_pem_slice(CERTIFICATE).unwrap();
    let key = PrivateKeyDer::from_pem_slice(KEY).unwrap();
    // The crypto provider is passed explicitly. As the process's default, it would also serve clients that set no provider.
    let provider = Arc::new(ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key)
        .unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let calls = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&calls);
    tokio::spawn(async move {
        while let Ok((socket, _)) = listener.accept().await {
            count.fetch_add(1, Ordering::SeqCst);
            let acceptor = acceptor.clone();
            tokio::spawn(async move {
                if let Ok(mut socket) = acceptor.accept(socket).await {
                    while socket.read(&mut [0; 4096]).await.is_ok_and(|read| read > 0) {}
                }
            });
        }
    });
    (address, calls)
}
