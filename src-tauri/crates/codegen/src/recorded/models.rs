//! A local model server whose answers are part of the prompts, so that recorded runs can make real calls.

use std::{
    collections::HashSet,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
};

use super::trouble::Trouble;

/// The text before the answer in a prompt. A prompt without this text is answered with the prompt itself.
const SAY: &str = "Say: ";

/// The server refuses the first call with a prompt that contains this text.
const BUSY: &str = "Busy at first.";

/// The answer to a prompt that contains this text never ends.
const ENDLESS: &str = "Without end.";

/// The server refuses a prompt that contains this text with the status 400.
const REFUSED: &str = "Never answered.";

/// The text before the result in the prompt of a judge.
const JUDGED: &str = "Result:\n<<<\n";

/// The models that the server lists. The first has a price.
const MODELS: [&str; 2] = ["gpt-4.1-mini", "llama3.2:3b"];

/// Starts the server as a task of the runtime, and returns its address: `http://127.0.0.1:PORT`.
///
/// # Errors
/// Returns an error if no port is free.
pub(crate) async fn serve_models() -> Result<String, Trouble> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = format!("http://{}", listener.local_addr()?);
    let refused = Arc::new(Mutex::new(HashSet::new()));
    tokio::spawn(async move {
        while let Ok((socket, _)) = listener.accept().await {
            let refused = Arc::clone(&refused);
            // If the client has disconnected, no answer is needed.
            tokio::spawn(async move { drop(answer(socket, &refused).await) });
        }
    });
    Ok(address)
}

async fn answer(mut socket: TcpStream, refused: &Mutex<HashSet<String>>) -> Result<(), Trouble> {
    let request = read(&mut socket).await?;
    if request.starts_with("GET ") {
        let listed = MODELS.map(|id| json!({ "id": id, "object": "model" }));
        let body = json!({ "object": "list", "data": listed });
        return send(&mut socket, "200 OK", "application/json", &body.to_string()).await;
    }
    let body: Value = serde_json::from_str(request.split_once("\r\n\r\n").unwrap_or_default().1)?;
    let prompt = body["messages"]
        .as_array()
        .and_then(|messages| messages.last()?["content"].as_str())
        .unwrap_or_default();
    let is_first = refused
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .insert(prompt.to_owned());
    if prompt.contains(BUSY) && is_first {
        let error = json!({ "error": { "message": "Too many requests." } }).to_string();
        return send(
            &mut socket,
            "429 Too Many Requests",
            "application/json",
            &error,
        )
        .await;
    }
    if prompt.contains(REFUSED) {
        let error = json!({ "error": { "message": "This prompt is not answered." } }).to_string();
        return send(&mut socket, "400 Bad Request", "application/json", &error).await;
    }
    let judged = prompt
        .rsplit_once(JUDGED)
        .map(|(_, result)| judgement(result));
    let prompt = judged.as_deref().unwrap_or(prompt);
    let text = prompt.rsplit_once(SAY).map_or(prompt, |(_, text)| text);
    let words: Vec<&str> = text.split_inclusive(' ').collect();
    let usage = json!({
        "prompt_tokens": prompt.split_whitespace().count(),
        "completion_tokens": words.len(),
    });
    if body["stream"] == true {
        let head =
            "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
        socket.write_all(head.as_bytes()).await?;
        for word in words {
            let piece =
                json!({ "model": body["model"], "choices": [{ "delta": { "content": word } }] });
            socket
                .write_all(format!("data: {piece}\n\n").as_bytes())
                .await?;
        }
        if prompt.contains(ENDLESS) {
            socket.flush().await?;
            tokio::time::sleep(Duration::from_secs(600)).await;
        }
        let last = json!({ "model": body["model"], "choices": [{ "delta": {}, "finish_reason": "stop" }], "usage": usage });
        let end = format!("data: {last}\n\ndata: [DONE]\n\n");
        socket.write_all(end.as_bytes()).await?;
        return Ok(());
    }
    let whole = json!({
        "model": body["model"],
        "choices": [{ "message": { "content": text }, "finish_reason": "stop" }],
        "usage": usage,
    });
    send(
        &mut socket,
        "200 OK",
        "application/json",
        &whole.to_string(),
    )
    .await
}

/// How much higher each draft scores than the first, in tenths of a point. Each increase is smaller than the one before it, so
/// that the curve of the scores has a knee.
const GAINS: [usize; 6] = [0, 12, 20, 24, 26, 27];

/// Returns a judge's answer, which depends on the number of the draft and on the length of the result. The fourth draft of some
/// results is worse than the third, so that a comparison has losses.
fn judgement(result: &str) -> String {
    let draft = result
        .split_whitespace()
        .filter_map(|word| word.parse::<usize>().ok())
        .next_back()
        .unwrap_or(1);
    let result = result.trim_end_matches(['\n', '>']);
    let gain = GAINS.get(draft.saturating_sub(1)).copied().unwrap_or(27);
    let lost = if draft > 3 && result.len().is_multiple_of(3) {
        8
    } else {
        0
    };
    let tenths = 50 + gain + 2 * (result.len() % 4) - lost;
    json!({ "reason": "It is clear. The example could be shorter.", "score": tenths as f64 / 10.0 })
        .to_string()
}

async fn send(socket: &mut TcpStream, status: &str, of: &str, body: &str) -> Result<(), Trouble> {
    let length = body.len();
    let response = format!(
        "HTTP/1.1 {status}\r\ncontent-type: {of}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}"
    );
    Ok(socket.write_all(response.as_bytes()).await?)
}

/// Reads a request with its body.
async fn read(socket: &mut TcpStream) -> Result<String, Trouble> {
    let mut bytes = Vec::new();
    loop {
        let mut piece = [0; 4096];
        let length = socket.read(&mut piece).await?;
        bytes.extend_from_slice(&piece[..length]);
        let text = String::from_utf8_lossy(&bytes);
        let whole = text.split_once("\r\n\r\n").map(|(head, body)| {
            let length = head.lines().find_map(|line| {
                let (name, value) = line.split_once(':')?;
                name.eq_ignore_ascii_case("content-length")
                    .then(|| value.trim().parse::<usize>().ok())?
            });
            body.len() >= length.unwrap_or(0)
        });
        if length == 0 || whole == Some(true) {
            return Ok(text.into_owned());
        }
    }
}
