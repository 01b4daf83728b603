//! Tests of the policy that decides which hosts requests may reach.

use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpListener,
};

use super::*;

/// Answers one request with the response `words`.
fn answering(listener: TcpListener, words: &'static str) {
    tokio::spawn(async move {
        let (mut socket, _) = listener.accept().await.unwrap();
        let _ = socket.read(&mut [0; 1024]).await.unwrap();
        let length = words.len();
        let answer = format!(
            "HTTP/1.1 200 OK\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{words}"
        );
        socket.write_all(answer.as_bytes()).await.unwrap();
    });
}

fn get(url: &str) -> Outgoing {
    Outgoing {
        method: Method::GET,
        url: Url::parse(url).unwrap(),
        headers: HeaderMap::new(),
        body: None,
    }
}

/// In a DNS rebinding attack, a name resolves to a different address each time, so it must be resolved only once.
#[tokio::test]
async fn a_name_is_asked_once_and_the_address_that_was_checked_is_the_one_reached() {
    let checked = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = checked.local_addr().unwrap().port();
    let Ok(other) = TcpListener::bind(("127.0.0.2", port)).await else {
        // Some systems have only one loopback address. The test needs two.
        return;
    };
    answering(checked, "checked");
    answering(other, "another");
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    let names = Names(Some(Arc::new(move |_| {
        let last = 1 + count.fetch_add(1, Ordering::SeqCst).min(1) as u8;
        vec![SocketAddr::from(([127, 0, 0, last], port))]
    })));
    let authority = format!("rebind.invalid:{port}");
    let policy = Policy {
        grants: [format!("private:{authority}")].into_iter().collect(),
        names,
        ..Policy::default()
    };
    let asks = get(&format!("http://{authority}/"));
    let Ok(fetched) = policy.fetch(asks, &ToolContext::default()).await else {
        panic!("it was not reached");
    };
    assert_eq!(fetched.bytes, b"checked");
    assert_eq!(asked.load(Ordering::SeqCst), 1);
}

/// Servers send `deflate` with the zlib header and without it.
#[tokio::test]
async fn deflate_is_unpacked_in_both_of_its_forms() {
    let raw = &b"\xab\x56\x4a\x54\xb2\x52\x30\xac\x05\x00"[..];
    let zlib = b"\x78\x9c\xab\x56\x4a\x54\xb2\x52\x30\xac\x05\x00\x09\xe5\x02\x29";
    for packed in [raw, zlib] {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let authority = listener.local_addr().unwrap().to_string();
        tokio::spawn(async move {
            let (mut socket, _) = listener.accept().await.unwrap();
            let _ = socket.read(&mut [0; 1024]).await.unwrap();
            let head = format!(
                "HTTP/1.1 200 OK\r\nContent-Encoding: deflate\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
                packed.len()
            );
            let answer = [head.as_bytes(), packed].concat();
            socket.write_all(&answer).await.unwrap();
        });
        let policy = Policy {
            grants: [format!("private:{authority}")].into_iter().collect(),
            ..Policy::default()
        };
        let asks = get(&format!("http://{authority}/"));
        let Ok(fetched) = policy.fetch(asks, &ToolContext::default()).await else {
            panic!("it was not read");
        };
        assert_eq!(fetched.bytes, b"{\"a\": 1}");
        assert!(!fetched.headers.contains_key(CONTENT_ENCODING));
    }
}

#[tokio::test]
async fn a_public_name_that_leads_to_a_private_address_is_refused() {
    let leads = [
        "127.0.0.1:80",
        "169.254.169.254:80",
        "[::1]:80",
        "[fd00:ec2::254]:80",
        "[::ffff:10.0.0.1]:80",
    ];
    for address in leads {
        let at: SocketAddr = address.parse().unwrap();
        // A name is rejected unless all of its addresses are public.
        let public = SocketAddr::from(([93, 184, 216, 34], 80));
        let policy = Policy {
            grants: ["host:*".to_owned()].into_iter().collect(),
            names: Names(Some(Arc::new(move |_| vec![public, at]))),
            ..Policy::default()
        };
        let asks = get("http://public.invalid/");
        let fetched = policy.fetch(asks, &ToolContext::default()).await;
        let Err(HttpError::Refused(refused)) = fetched else {
            panic!("{address} was reached");
        };
        assert_eq!(refused.code, "address_refused", "{address}");
    }
}

#[test]
fn a_yes_covers_the_server_that_was_shown_and_no_other() {
    let cx = ToolContext {
        consent: Consent::Call,
        ..ToolContext::default()
    };
    let public = [SocketAddr::from(([93, 184, 216, 34], 80))];
    let check = |policy: &Policy, asked| {
        let url = Url::parse("http://b.example/x").unwrap();
        policy.check(&url, &public, asked, &cx)
    };
    let nothing = Policy::default();
    assert!(check(&nothing, true).is_ok());
    let Err(HttpError::Refused(refused)) = check(&nothing, false) else {
        panic!("it was followed");
    };
    assert_eq!(refused.code, "not_approved");
    let end = "--allow host:b.example";
    assert!(refused.message.ends_with(end), "{refused}");
    let granted = Policy {
        grants: ["host:b.example".to_owned()].into_iter().collect(),
        ..Policy::default()
    };
    assert!(check(&granted, false).is_ok());
}
