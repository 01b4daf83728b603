//! `loopwright mcp` with requests written line by line: a request that is too large gets an error at once, and a signal ends
//! the server and its runs.
#![cfg(unix)]
#![allow(clippy::unwrap_used)]

use crate::program;

use std::{
    fs,
    io::{BufRead as _, BufReader, Write as _},
    path::Path,
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    time::{Duration, Instant},
};

use serde_json::{Value, json};

struct Serving {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
}

impl Serving {
    fn start(folder: &Path) -> Self {
        let node = |id: &str, kind: &str, data: Value| json!({ "id": id, "type": kind, "position": { "x": 0, "y": 0 }, "data": data });
        let flow = json!({
            "schemaVersion": 1, "name": "Waits",
            "nodes": [
                node("in", "input", json!({ "name": "text" })),
                node("wait", "loop", json!({ "maxIterations": 2, "delay": { "type": "fixed", "interval": "PT5M" } })),
                node("pass", "transform", json!({ "template": "{{ input }}" })),
                node("exit", "exit", json!({})),
                node("out", "output", json!({ "name": "text" }))
            ],
            "edges": [
                { "id": "a", "source": "in", "target": "wait" },
                { "id": "b", "source": "wait", "sourceHandle": "body", "target": "pass" },
                { "id": "c", "source": "pass", "target": "exit" },
                { "id": "d", "source": "exit", "target": "out" }
            ]
        });
        fs::write(folder.join("waits.json"), flow.to_string()).unwrap();
        let file = folder.join("waits.json").display().to_string();
        let mut child = program::plain(
            "http://127.0.0.1:1/v1",
            &folder.join("data"),
            &["mcp", &file],
        )
        .stdin(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
        let stdin = child.stdin.take().unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let mut serving = Self {
            child,
            stdin,
            stdout,
        };
        serving.say(&json!({
            "jsonrpc": "2.0", "id": 0, "method": "initialize",
            "params": { "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "test", "version": "1" } }
        }));
        assert_eq!(serving.answer()["id"], 0);
        serving.say(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        serving
    }

    fn say(&mut self, message: &Value) {
        writeln!(self.stdin, "{message}").unwrap();
    }

    fn answer(&mut self) -> Value {
        let mut line = String::new();
        self.stdout.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap()
    }
}

fn call(id: u32, text: &str) -> Value {
    json!({
        "jsonrpc": "2.0", "id": id, "method": "tools/call",
        "params": { "name": "waits", "arguments": { "text": text } }
    })
}

#[test]
fn a_request_that_is_too_large_is_answered_and_a_signal_ends_it_with_its_runs() {
    let folder = tempfile::tempdir().unwrap();
    let mut serving = Serving::start(folder.path());
    serving.say(&call(7, &"x".repeat(17_000_000)));
    let answer = serving.answer();
    let words = answer["error"]["message"].as_str().unwrap();
    assert!(
        answer["id"] == 7 && words.contains("17000") && words.contains("(16 MB)"),
        "{answer}"
    );
    serving.say(&json!({ "jsonrpc": "2.0", "id": 8, "method": "tools/list" }));
    assert_eq!(serving.answer()["id"], 8);

    serving.say(&call(9, "x"));
    let runs = || -> Value {
        let output = program::program(
            "http://127.0.0.1:1/v1",
            &folder.path().join("data"),
            &["runs", "list"],
        )
        .output()
        .unwrap();
        serde_json::from_slice(&output.stdout).unwrap()
    };
    let began = Instant::now();
    while runs()[0]["status"] != "running" {
        assert!(began.elapsed() < Duration::from_secs(20), "{}", runs());
    }
    let pid = serving.child.id().to_string();
    Command::new("kill")
        .args(["-s", "TERM", &pid])
        .status()
        .unwrap();
    assert_eq!(serving.child.wait().unwrap().code(), Some(4));
    assert_eq!(runs()[0]["status"], "cancelled");
}
