//! A run that waits for a quota is shown as waiting. If its program ends, the run still waits until the same time.

#![allow(clippy::unwrap_used)]

use crate::program;
use crate::server;

use std::{
    fs,
    path::Path,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use program::{plain, program};
use serde_json::{Value, json};
use server::Server;

fn millis() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    i64::try_from(since.as_millis()).unwrap()
}

/// Returns a loop of three calls. The second one is refused.
fn flow() -> Value {
    let node = |id: &str, kind: &str, data: Value| json!({ "id": id, "type": kind, "data": data });
    json!({
        "schemaVersion": 1,
        "name": "parked",
        "settings": { "timeout": "PT1M" },
        "nodes": [
            node("in", "input", json!({ "name": "text", "default": "go" })),
            node("refine", "loop", json!({ "maxIterations": 3, "exitCondition": "max_iterations", "limits": { "timeout": "PT3S" } })),
            node("draft", "llm", json!({
                "provider": "openai", "model": "m", "retry": { "maxInterval": "PT0.1S" }
            })),
            node("exit", "exit", json!({})),
            node("out", "output", json!({ "name": "result" })),
        ],
        "edges": [
            { "id": "1", "source": "in", "target": "refine" },
            { "id": "2", "source": "refine", "sourceHandle": "body", "target": "draft" },
            { "id": "3", "source": "draft", "target": "exit" },
            { "id": "4", "source": "exit", "sourceHandle": "output", "target": "out" },
        ],
    })
}

fn json_of(server: &Server, data: &Path, args: &[&str]) -> Value {
    let output = program(&server.url, data, args).output().unwrap();
    serde_json::from_slice(&output.stdout).unwrap_or_default()
}

/// Returns the response to a call. The second call gets a 429 error that asks the caller to wait for `seconds`.
fn refusing_the_second(count: &AtomicUsize, request: &Value, seconds: u32) -> Value {
    if count.fetch_add(1, Ordering::SeqCst) == 1 {
        return json!({ "error": { "code": 429, "message": "Used up.", "retry_after": seconds } });
    }
    json!({
        "id": "c", "object": "chat.completion", "model": request["model"],
        "choices": [{ "index": 0, "message": { "role": "assistant", "content": "text" }, "finish_reason": "stop" }],
        "usage": { "prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2 }
    })
}

/// Waits until the last run waits for a quota, and returns what `runs show` prints about it.
fn parked(server: &Server, data: &Path) -> Value {
    let began = Instant::now();
    loop {
        let shown = json_of(server, data, &["runs", "show", "last"]);
        if shown["parked"].is_object() {
            return shown;
        }
        assert!(began.elapsed() < Duration::from_secs(20), "{shown}");
        thread::sleep(Duration::from_millis(30));
    }
}

#[test]
fn try_now_reaches_the_program_that_leads_the_run() {
    let count = AtomicUsize::new(0);
    let server = Server::answering(move |request| refusing_the_second(&count, request, 600));
    let folder = tempfile::tempdir().unwrap();
    let (file, data) = (
        folder.path().join("parked.json"),
        folder.path().join("data"),
    );
    fs::write(&file, flow().to_string()).unwrap();
    let mut child = program(&server.url, &data, &["run", file.to_str().unwrap()])
        .spawn()
        .unwrap();
    parked(&server, &data);
    let tried = plain(&server.url, &data, &["runs", "try-now", "last"])
        .output()
        .unwrap();
    assert!(tried.status.success(), "{tried:?}");
    let began = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if began.elapsed() > Duration::from_secs(30) {
            child.kill().unwrap();
            panic!("the run still waits");
        }
        thread::sleep(Duration::from_millis(30));
    }
    let shown = json_of(&server, &data, &["runs", "show", "last"]);
    assert_eq!(shown["status"], "completed", "{shown}");
    let again = plain(&server.url, &data, &["runs", "try-now", "last"])
        .output()
        .unwrap();
    let words = String::from_utf8(again.stderr).unwrap();
    assert!(
        !again.status.success() && words.contains("is not waiting for a quota"),
        "{words}"
    );
}

#[test]
fn a_wait_survives_that_its_program_is_killed() {
    let (count, times) = (AtomicUsize::new(0), Arc::<Mutex<Vec<i64>>>::default());
    let seen = Arc::clone(&times);
    let server = Server::answering(move |request| {
        seen.lock().unwrap().push(millis());
        refusing_the_second(&count, request, 5)
    });
    let folder = tempfile::tempdir().unwrap();
    let (file, data) = (
        folder.path().join("parked.json"),
        folder.path().join("data"),
    );
    fs::write(&file, flow().to_string()).unwrap();
    let mut child = program(&server.url, &data, &["run", file.to_str().unwrap()])
        .spawn()
        .unwrap();
    let shown = parked(&server, &data);
    assert_eq!(shown["parked"]["name"], "OpenAI", "{shown}");
    let listed = json_of(&server, &data, &["runs", "list"]);
    assert_eq!(listed[0]["parked"], shown["parked"], "{listed}");
    let words = plain(&server.url, &data, &["runs", "list"])
        .output()
        .unwrap();
    let words = String::from_utf8(words.stdout).unwrap();
    assert!(words.contains("waits for OpenAI's quota until "), "{words}");
    child.kill().unwrap();
    child.wait().unwrap();
    let resumed = json_of(&server, &data, &["runs", "resume", "last"]);
    assert_eq!(resumed["status"], "completed", "{resumed}");
    assert_eq!(resumed["loops"]["refine"]["count"], 3, "{resumed}");
    assert_eq!(resumed["parked"], Value::Null);
    // The refused call was made again at the named time, and no other call was repeated.
    let times = times.lock().unwrap().clone();
    let [_, refused, again, _] = times[..] else {
        panic!("calls at {times:?}");
    };
    assert!((5_000..7_000).contains(&(again - refused)), "{times:?}");
}
