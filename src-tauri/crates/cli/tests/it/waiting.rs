//! `loopwright waiting`: the open questions of several runs, with the commands that answer them.

use std::{fs, process::Output};

use serde_json::{Value, json};

use crate::program::plain;

/// Returns a flow that asks for approval of its input and for permission to read a folder.
fn asks(folder: &str) -> Value {
    json!({
        "schemaVersion": 1, "name": "asks",
        "nodes": [
            { "id": "in", "type": "input", "data": { "name": "text", "default": "go" } },
            { "id": "publish", "type": "approval", "data": { "message": "Publish this?" } },
            { "id": "look", "type": "tool", "data": {
                "tool": "files.glob", "args": { "folder": folder, "pattern": "*" }, "approval": "ask",
            } },
            { "id": "out", "type": "output", "data": { "name": "result", "format": "json" } },
            { "id": "found", "type": "output", "data": { "name": "found", "format": "json" } },
        ],
        "edges": [
            { "id": "1", "source": "in", "target": "publish" },
            { "id": "2", "source": "publish", "sourceHandle": "approved", "target": "out" },
            { "id": "3", "source": "look", "target": "found" },
        ],
    })
}

#[test]
fn open_questions_of_all_runs_are_listed_oldest_first() {
    let root = tempfile::tempdir().unwrap();
    let (file, data) = (root.path().join("asks.json"), root.path().join("data"));
    fs::write(&file, asks(root.path().to_str().unwrap()).to_string()).unwrap();
    let file = file.to_str().unwrap();
    let run =
        |args: &[&str]| -> Output { plain("http://127.0.0.1:9", &data, args).output().unwrap() };
    let said = |args: &[&str]| String::from_utf8(run(args).stdout).unwrap();
    let questions =
        || -> Vec<Value> { serde_json::from_str(&said(&["waiting", "--json"])).unwrap() };
    assert_eq!(said(&["waiting"]), "No run is waiting for an answer.\n");

    let allow = format!("read:{}", root.path().display());
    let mut ids = Vec::new();
    for input in ["text=first", "text=second"] {
        let output = run(&["run", file, "--input", input, "--allow", &allow, "--json"]);
        assert_eq!(output.status.code(), Some(5), "{output:?}");
        let value: Value = serde_json::from_slice(&output.stdout).unwrap();
        ids.push(value["runId"].as_str().unwrap().to_owned());
    }
    let open = questions();
    let runs: Vec<&str> = open
        .iter()
        .map(|one| one["runId"].as_str().unwrap())
        .collect();
    assert_eq!(runs, [&ids[0], &ids[0], &ids[1], &ids[1]], "{open:?}");
    let times: Vec<&str> = open
        .iter()
        .map(|one| one["askedAt"].as_str().unwrap())
        .collect();
    assert!(times.is_sorted(), "{times:?}");
    let of = |path: &str| open.iter().find(|one| one["path"] == path).unwrap();
    assert_eq!(of("publish")["value"], "first");
    assert_eq!(of("publish")["request"], Value::Null);
    assert_eq!(of("look")["request"]["tool"], "files.glob");
    assert_eq!(of("look")["value"], Value::Null);

    let text = said(&["waiting"]);
    assert!(
        text.contains("publish: Publish this?\n    first\n"),
        "{text}"
    );
    let answer = format!("runs answer {} --at look --approve", ids[1]);
    assert!(text.contains(&answer), "{text}");
    assert!(
        text.ends_with("\n4 questions are waiting for an answer.\n"),
        "{text}"
    );

    run(&["runs", "answer", &ids[0], "--at", "publish", "--approve"]);
    assert_eq!(questions().len(), 3);
    run(&["runs", "stop", &ids[1]]);
    assert_eq!(questions().len(), 1);
    run(&["runs", "answer", &ids[0], "--at", "look", "--approve"]);
    assert_eq!(questions().len(), 0);
}
