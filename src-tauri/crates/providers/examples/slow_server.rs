//! An OpenAI-compatible server on loopback that streams a fixed answer slowly. It is used to try out streaming, stopping and
//! time limits, by hand and in tests of the window.
//!
//! `slow_server [MILLISECONDS_PER_WORD] [PORT]` prints its address, then serves until it is killed. If a call offers choices
//! (a JSON Schema with a `branch`), the answer is the first choice. Otherwise, the answer is a sentence that repeats the
//! start of the prompt.

use std::{env, io, time::Duration};

use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
};

#[tokio::main]
async fn main() -> io::Result<()> {
    let mut args = env::args().skip(1);
    let number =
        |arg: Option<String>, default: u64| arg.and_then(|arg| arg.parse().ok()).unwrap_or(default);
    let delay = Duration::from_millis(number(args.next(), 100));
    let port = number(args.next(), 0);
    let listener = TcpListener::bind(format!("127.0.0.1:{port}")).await?;
    println!("http://{}/v1", listener.local_addr()?);
    loop {
        let (socket, _) = listener.accept().await?;
        tokio::spawn(async move {
            if let Err(error) = answer(socket, delay).await {
                eprintln!("a client left: {error}");
            }
        });
    }
}

async fn answer(mut socket: TcpStream, delay: Duration) -> io::Result<()> {
    let (head, body) = read(&mut socket).await?;
    if head.starts_with("GET ") {
        let models =
            json!({ "object": "list", "data": [{ "id": "slow", "object": "model" }] }).to_string();
        let reply = format!(
            "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{models}",
            models.len()
        );
        return socket.write_all(reply.as_bytes()).await;
    }
    let asked: Value = serde_json::from_str(&body).unwrap_or_default();
    let text = reply(&asked);
    socket
        .write_all(
            b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n",
        )
        .await?;
    for word in text.split_inclusive(' ') {
        send(
            &mut socket,
            &json!({ "model": "slow", "choices": [{ "delta": { "content": word } }] }),
        )
        .await?;
        tokio::time::sleep(delay).await;
    }
    send(
        &mut socket,
        &json!({ "choices": [{ "delta": {}, "finish_reason": "stop" }] }),
    )
    .await?;
    let counts = json!({ "prompt_tokens": body.split_whitespace().count(), "completion_tokens": text.split_whitespace().count() });
    send(&mut socket, &json!({ "choices": [], "usage": counts })).await?;
    socket.write_all(b"data: [DONE]\n\n").await
}

fn reply(asked: &Value) -> String {
    let branches =
        &asked["response_format"]["json_schema"]["schema"]["properties"]["branch"]["enum"];
    if let Some(branch) = branches[0].as_str() {
        return json!({ "branch": branch, "reason": "It is the first of the choices." })
            .to_string();
    }
    let prompt = asked["messages"]
        .as_array()
        .and_then(|messages| messages.last())
        .and_then(|message| message["content"].as_str());
    let start: Vec<_> = prompt
        .unwrap_or_default()
        .split_whitespace()
        .take(8)
        .collect();
    format!(
        "This is a slow answer to “{}”, given word by word so that a run can be watched, paused and stopped.",
        start.join(" ")
    )
}

async fn send(socket: &mut TcpStream, event: &Value) -> io::Result<()> {
    socket
        .write_all(format!("data: {event}\n\n").as_bytes())
        .await?;
    socket.flush().await
}

async fn read(socket: &mut TcpStream) -> io::Result<(String, String)> {
    let mut bytes = Vec::new();
    let mut buffer = [0; 8192];
    loop {
        let read = socket.read(&mut buffer).await?;
        bytes.extend_from_slice(&buffer[..read]);
        if let Some(at) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            let head = String::from_utf8_lossy(&bytes[..at]).into_owned();
            let length = head
                .lines()
                .find_map(|line| {
                    line.to_lowercase()
                        .strip_prefix("content-length:")
                        .and_then(|length| length.trim().parse::<usize>().ok())
                })
                .unwrap_or(0);
            if bytes.len() >= at + 4 + length {
                return Ok((head, String::from_utf8_lossy(&bytes[at + 4..]).into_owned()));
            }
        }
        if read == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
    }
}
