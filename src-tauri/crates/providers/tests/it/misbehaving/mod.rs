//! A scripted server on loopback that answers byte for byte, late, or not at all.

#![allow(dead_code)] // Each test program uses only a part of this module.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    sync::Notify,
};

/// A step of an answer.
#[derive(Clone)]
pub(crate) enum Do {
    Send(Vec<u8>),
    Sleep(u64),
    /// The server sends the bytes one by one, with a pause of this many milliseconds before each.
    Drip(Vec<u8>, u64),
    /// The server repeats the piece until this many bytes are sent or the client disconnects.
    Flood(Vec<u8>, u64),
    /// The server closes the socket.
    Close,
    /// The server is silent until the client disconnects, and then reports the disconnection.
    Hang,
}

pub(crate) struct Server {
    pub(crate) url: String,
    pub(crate) requests: Arc<Mutex<Vec<String>>>,
    pub(crate) left: Arc<Notify>,
    /// The number of bytes that floods have sent.
    pub(crate) flooded: Arc<AtomicU64>,
}

impl Server {
    /// Returns the address of the server's root, without the protocol's version.
    pub(crate) fn root(&self) -> &str {
        self.url.trim_end_matches("/v1")
    }
}

/// Answers the first connection with the first script, the second with the second, and so on.
pub(crate) async fn serve(scripts: Vec<Vec<Do>>) -> Server {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    let requests = Arc::new(Mutex::new(Vec::new()));
    let left = Arc::new(Notify::new());
    let flooded = Arc::new(AtomicU64::new(0));
    let (seen, gone, sent) = (
        Arc::clone(&requests),
        Arc::clone(&left),
        Arc::clone(&flooded),
    );
    tokio::spawn(async move {
        for script in scripts {
            let Ok((mut socket, _)) = listener.accept().await else {
                return;
            };
            socket.set_nodelay(true).unwrap();
            let request = read_request(&mut socket).await;
            seen.lock().unwrap().push(request);
            let (gone, sent) = (Arc::clone(&gone), Arc::clone(&sent));
            tokio::spawn(async move { play(socket, script, &gone, &sent).await });
        }
    });
    Server {
        url,
        requests,
        left,
        flooded,
    }
}

async fn play(mut socket: TcpStream, script: Vec<Do>, gone: &Notify, sent: &AtomicU64) {
    for step in script {
        match step {
            Do::Send(bytes) => {
                if socket.write_all(&bytes).await.is_err() || socket.flush().await.is_err() {
                    return;
                }
            }
            Do::Sleep(ms) => tokio::time::sleep(Duration::from_millis(ms)).await,
            Do::Drip(bytes, ms) => {
                for byte in bytes {
                    // Without a pause, only multi-byte characters are split.
                    if ms > 0 || byte >= 0x80 {
                        tokio::time::sleep(Duration::from_millis(ms.max(1))).await;
                    }
                    if socket.write_all(&[byte]).await.is_err() || socket.flush().await.is_err() {
                        return;
                    }
                }
            }
            Do::Flood(piece, most) => {
                while sent.load(Ordering::SeqCst) < most {
                    if socket.write_all(&piece).await.is_err() {
                        return;
                    }
                    sent.fetch_add(piece.len() as u64, Ordering::SeqCst);
                }
            }
            Do::Close => return,
            Do::Hang => {
                let mut byte = [0];
                while !matches!(socket.read(&mut byte).await, Ok(0) | Err(_)) {}
                gone.notify_one();
                return;
            }
        }
    }
}

async fn read_request(socket: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    let mut buffer = [0; 4096];
    loop {
        let read = socket.read(&mut buffer).await.unwrap_or(0);
        bytes.extend_from_slice(&buffer[..read]);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head
                .lines()
                .find_map(|line| {
                    line.to_lowercase()
                        .strip_prefix("content-length:")
                        .and_then(|n| n.trim().parse::<usize>().ok())
                })
                .unwrap_or(0);
            if body.len() >= length {
                return text;
            }
        }
        if read == 0 {
            return text;
        }
    }
}

/// Returns the head of an event stream that ends when the socket closes.
pub(crate) fn head() -> Do {
    Do::Send(
        b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n".to_vec(),
    )
}

pub(crate) fn text(content: &str) -> Do {
    event(&serde_json::json!({ "id": "c1", "model": "m-1", "choices": [{ "delta": { "content": content } }] }).to_string())
}

pub(crate) fn finish(reason: &str) -> Do {
    event(&serde_json::json!({ "choices": [{ "delta": {}, "finish_reason": reason }] }).to_string())
}

pub(crate) fn usage(input: u64, output: u64) -> Do {
    event(&serde_json::json!({ "choices": [], "usage": { "prompt_tokens": input, "completion_tokens": output } }).to_string())
}

pub(crate) fn event(data: &str) -> Do {
    Do::Send(format!("data: {data}\n\n").into_bytes())
}

pub(crate) fn done() -> Do {
    event("[DONE]")
}

/// Returns a complete plain response.
pub(crate) fn plain(status: &str, headers: &str, body: &str) -> Vec<Do> {
    vec![Do::Send(
        format!("HTTP/1.1 {status}\r\ncontent-type: application/json\r\n{headers}content-length: {}\r\nconnection: close\r\n\r\n{body}", body.len()).into_bytes(),
    )]
}

/// Returns a good answer.
pub(crate) fn good(content: &str) -> Vec<Do> {
    vec![head(), text(content), finish("stop"), usage(7, 3), done()]
}

/// Returns the address of a port that answers in plain text before the client has sent anything.
pub(crate) async fn no_tls() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("https://{}/v1", listener.local_addr().unwrap());
    tokio::spawn(async move {
        if let Ok((mut socket, _)) = listener.accept().await {
            let _ = socket.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").await;
            let _ = socket.read(&mut [0; 4096]).await;
        }
    });
    url
}
