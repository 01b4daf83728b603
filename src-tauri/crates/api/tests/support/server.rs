//! A model server on loopback that counts what it is asked and answers with what it was asked.

#![allow(clippy::unwrap_used, dead_code, unreachable_pub)]

use std::{
    path::Path,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use loopwright_api::{App, Settings};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
};

/// What the server does.
#[derive(Clone)]
pub struct Server {
    calls: Arc<AtomicUsize>,
    /// Prompts of the calls, in the order in which they came.
    pub prompts: Arc<Mutex<Vec<String>>>,
    slow: Duration,
    /// Output tokens that it says it used.
    tokens: u64,
    address: String,
}

impl Server {
    pub async fn start(slow: Duration, tokens: u64) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let server = Self {
            calls: Arc::default(),
            prompts: Arc::default(),
            slow,
            tokens,
            address: format!("http://{}/v1", listener.local_addr().unwrap()),
        };
        let serving = server.clone();
        tokio::spawn(async move {
            while let Ok((socket, _)) = listener.accept().await {
                let server = serving.clone();
                tokio::spawn(async move { server.answer(socket).await });
            }
        });
        server
    }

    async fn answer(&self, mut socket: TcpStream) {
        let mut bytes = Vec::new();
        let body = loop {
            let mut buffer = [0; 4096];
            let read = socket.read(&mut buffer).await.unwrap_or(0);
            bytes.extend_from_slice(&buffer[..read]);
            let text = String::from_utf8_lossy(&bytes).into_owned();
            if let Some((head, body)) = text.split_once("\r\n\r\n") {
                let length = head.lines().find_map(|line| {
                    let (name, value) = line.split_once(':')?;
                    name.eq_ignore_ascii_case("content-length")
                        .then(|| value.trim().parse::<usize>().unwrap())
                });
                if body.len() >= length.unwrap_or(0) {
                    break body.to_owned();
                }
            }
            if read == 0 {
                return;
            }
        };
        let asked: Value = serde_json::from_str(&body).unwrap();
        self.calls.fetch_add(1, Ordering::SeqCst);
        let prompt = asked["messages"][0]["content"].as_str().unwrap().to_owned();
        self.prompts.lock().unwrap().push(prompt.clone());
        tokio::time::sleep(self.slow).await;
        let reply = json!({
            "model": asked["model"],
            "choices": [{ "message": { "content": format!("re: {prompt}") }, "finish_reason": "stop" }],
            "usage": { "prompt_tokens": 10, "completion_tokens": self.tokens }
        })
        .to_string();
        let head = format!(
            "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
            reply.len()
        );
        // A client that went away has its reasons.
        let _ = socket.write_all((head + &reply).as_bytes()).await;
    }

    pub fn calls(&self) -> usize {
        self.calls.load(Ordering::SeqCst)
    }

    pub fn app(&self, folder: &Path) -> Arc<App> {
        let app = App::open(folder, tokio::runtime::Handle::current()).unwrap();
        app.save_settings(Settings {
            provider: "openai".to_owned(),
            openai_base_url: Some(self.address.clone()),
            ..Settings::default()
        })
        .unwrap();
        app
    }
}
