//! A model server on loopback that stores its requests, and the small flows that call it.

#![allow(clippy::unwrap_used, dead_code, unreachable_pub)]

use std::{
    path::Path,
    sync::{Arc, Mutex},
    time::Duration,
};

use loopwright_api as api;
use loopwright_api::{App, ApprovalPolicy, Focus};
use loopwright_providers::Keys;
use loopwright_runs::{RunOptions, Settings};
use serde_json::{Map, Value, json};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
};

/// A function that returns the complete response to a request. Its arguments are the text of the request and the request's
/// number, from 0.
type Answer = dyn Fn(&str, usize) -> String + Send + Sync;

#[derive(Clone)]
pub struct Server {
    /// The address of the server: `http://127.0.0.1:PORT`.
    pub address: String,
    /// The complete requests, in order of arrival.
    pub requests: Arc<Mutex<Vec<String>>>,
}

impl Server {
    /// Starts a server that answers each request immediately.
    pub async fn start(answer: impl Fn(&str, usize) -> String + Send + Sync + 'static) -> Self {
        Self::start_slow(Duration::ZERO, answer).await
    }

    /// Starts a server that answers each call with the call's own prompt after the time `slow`, and reports `tokens` as the
    /// usage of the answer.
    pub async fn echoing(slow: Duration, tokens: u64) -> Self {
        Self::start_slow(slow, move |request, _| {
            let asked = body_of(request);
            let said = format!("re: {}", asked["messages"][0]["content"].as_str().unwrap());
            let body = json!({
                "model": asked["model"],
                "choices": [{ "message": { "content": said }, "finish_reason": "stop" }],
                "usage": { "prompt_tokens": 10, "completion_tokens": tokens }
            });
            response("200 OK", "", &body.to_string())
        })
        .await
    }

    pub async fn start_slow(
        slow: Duration,
        answer: impl Fn(&str, usize) -> String + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let server = Self {
            address: format!("http://{}", listener.local_addr().unwrap()),
            requests: Arc::default(),
        };
        let (serving, answer): (_, Arc<Answer>) = (server.clone(), Arc::new(answer));
        tokio::spawn(async move {
            while let Ok((mut socket, _)) = listener.accept().await {
                let (serving, answer) = (serving.clone(), Arc::clone(&answer));
                tokio::spawn(async move {
                    let Some(request) = read(&mut socket).await else {
                        return;
                    };
                    let number = {
                        let mut requests = serving.requests.lock().unwrap();
                        requests.push(request.clone());
                        requests.len() - 1
                    };
                    tokio::time::sleep(slow).await;
                    // The client may have closed the connection, so an error is ignored.
                    let _ = socket.write_all(answer(&request, number).as_bytes()).await;
                });
            }
        });
        server
    }

    pub fn calls(&self) -> usize {
        self.requests.lock().unwrap().len()
    }

    /// Returns the contents of the messages in request `number`, counted from 0.
    pub fn said(&self, number: usize) -> Vec<String> {
        let body = body_of(&self.requests.lock().unwrap()[number]);
        let messages = body["messages"].as_array().unwrap().iter();
        messages
            .map(|message| message["content"].as_str().unwrap().to_owned())
            .collect()
    }

    /// Returns the content of the first message of each request.
    pub fn prompts(&self) -> Vec<String> {
        (0..self.calls())
            .map(|number| self.said(number).swap_remove(0))
            .collect()
    }

    /// Opens a program that calls this server.
    pub fn app(&self, folder: &Path) -> Arc<App> {
        self.set_up(App::open(folder, tokio::runtime::Handle::current()).unwrap())
    }

    /// Opens the same program, but with `keys` instead of the system's keychain.
    pub fn app_with(&self, folder: &Path, keys: Keys) -> Arc<App> {
        self.set_up(App::open_with(folder, tokio::runtime::Handle::current(), keys).unwrap())
    }

    fn set_up(&self, app: Arc<App>) -> Arc<App> {
        api::save_settings(
            app.env(),
            Settings {
                provider: "openai".to_owned(),
                openai_base_url: Some(format!("{}/v1", self.address)),
                // With retries, each test of a failure would wait for seconds.
                retry_calls: false,
                ..Settings::default()
            },
        )
        .unwrap();
        app
    }
}

pub fn body_of(request: &str) -> Value {
    serde_json::from_str(request.split_once("\r\n\r\n").unwrap().1).unwrap()
}

/// Reads a complete request. Returns `None` if the client closed the connection.
pub async fn read(socket: &mut TcpStream) -> Option<String> {
    let mut bytes = Vec::new();
    loop {
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
                return Some(text);
            }
        }
        if read == 0 {
            return None;
        }
    }
}

pub fn response(status: &str, headers: &str, body: &str) -> String {
    response_of(status, "application/json", headers, body)
}

/// Returns an HTTP response with the content type `kind`.
pub fn response_of(status: &str, kind: &str, headers: &str, body: &str) -> String {
    format!(
        "HTTP/1.1 {status}\r\ncontent-type: {kind}\r\n{headers}content-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    )
}

pub fn edge(id: &str, source: &str, handle: &str, target: &str) -> Value {
    json!({ "id": id, "source": source, "sourceHandle": handle, "target": target })
}

/// Returns the options for a run of a document that is not in a file.
pub fn options(document: Value) -> RunOptions {
    RunOptions {
        document,
        flow_path: None,
        inputs: Map::new(),
        focus: Focus::default(),
        approve: ApprovalPolicy::Ask,
        events: Arc::new(|_| {}),
    }
}
