//! `loopwright runs answer` while the run is in progress in another program.

use std::{
    fs,
    process::Stdio,
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::program::plain;

/// Returns a flow with a question that expires after `expires`, and a loop that takes about 10 seconds at the same time.
fn asks_during_a_loop(expires: &str) -> Value {
    json!({
        "schemaVersion": 1, "name": "asks during a loop",
        "nodes": [
            { "id": "in", "type": "input", "data": { "name": "text", "default": "go" } },
            { "id": "ask", "type": "approval", "data": { "message": "Publish?", "expires": expires } },
            { "id": "yes", "type": "output", "data": { "name": "yes" } },
            { "id": "no", "type": "output", "data": { "name": "no" } },
            { "id": "loop", "type": "loop", "data": {
                "maxIterations": 11, "delay": { "type": "fixed", "interval": "PT1S" },
            } },
            { "id": "step", "type": "transform", "data": { "template": "{{ input }}b" } },
            { "id": "exit", "type": "exit", "data": {} },
            { "id": "out", "type": "output", "data": { "name": "result" } },
        ],
        "edges": [
            { "id": "1", "source": "in", "target": "ask" },
            { "id": "2", "source": "ask", "sourceHandle": "approved", "target": "yes" },
            { "id": "3", "source": "ask", "sourceHandle": "rejected", "target": "no" },
            { "id": "4", "source": "in", "target": "loop" },
            { "id": "5", "source": "loop", "sourceHandle": "body", "target": "step" },
            { "id": "6", "source": "step", "target": "exit" },
            { "id": "7", "source": "exit", "target": "out" },
        ],
    })
}

#[test]
fn an_answer_counts_although_the_run_is_still_in_progress() {
    let root = tempfile::tempdir().unwrap();
    let (file, data) = (root.path().join("asks.json"), root.path().join("data"));
    fs::write(&file, asks_during_a_loop("PT8S").to_string()).unwrap();
    let command = |args: &[&str]| plain("http://127.0.0.1:9", &data, args);
    let run = command(&["run", file.to_str().unwrap(), "--json"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let began = Instant::now();
    let waiting = || command(&["waiting", "--json"]).output().unwrap().stdout;
    while serde_json::from_slice(&waiting()).unwrap_or(json!([])) == json!([]) {
        assert!(
            began.elapsed() < Duration::from_secs(30),
            "nothing was asked"
        );
        thread::sleep(Duration::from_millis(100));
    }
    let answer = |at: &str| {
        command(&[
            "runs",
            "answer",
            "last",
            "--at",
            at,
            "--approve",
            "--value",
            "\"edited\"",
        ])
        .output()
        .unwrap()
    };
    let wrong = answer("step");
    assert_eq!(wrong.status.code(), Some(2), "{wrong:?}");
    assert!(
        String::from_utf8_lossy(&wrong.stderr).contains("`ask`"),
        "{wrong:?}"
    );
    let answered = answer("ask");
    assert_eq!(answered.status.code(), Some(0), "{answered:?}");
    assert!(
        String::from_utf8_lossy(&answered.stderr).contains("runs watch"),
        "{answered:?}"
    );
    let again = answer("ask");
    assert_eq!(again.status.code(), Some(2), "{again:?}");

    let output = run.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let result: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(result["outputs"]["yes"], "edited", "{result}");
    assert_eq!(result["outputs"]["result"], "gobbbbbbbbbbb", "{result}");
}
