//! The input of commands: numbers and keys that could silently be changed by parsing, and paths that are not regular files.

#![allow(clippy::unwrap_used)]

use crate::program;

use std::{
    fs,
    io::Write as _,
    path::Path,
    process::{Command, Output, Stdio},
};

use program::{plain, program};
use serde_json::{Value, json};

/// An address without a server. The tests never ask a model.
const NOBODY: &str = "http://127.0.0.1:9";

fn passing(folder: &Path, data_type: &str) -> String {
    let file = folder.join(format!("{data_type}.flow.json"));
    let flow = json!({
        "schemaVersion": 1,
        "name": "passing",
        "nodes": [
            { "id": "in", "type": "input", "data": { "name": "x", "dataType": data_type } },
            { "id": "same", "type": "transform", "data": { "template": "{{ input }}" } },
            { "id": "out", "type": "output", "data": { "name": "y", "format": "json" } },
        ],
        "edges": [{ "id": "1", "source": "in", "target": "same" }, { "id": "2", "source": "same", "target": "out" }],
    });
    fs::write(&file, flow.to_string()).unwrap();
    file.to_str().unwrap().to_owned()
}

fn refused(done: &Output, says: &str) {
    let said = String::from_utf8_lossy(&done.stderr);
    assert_eq!(done.status.code(), Some(2), "{says}: {said}");
    assert!(said.contains(says), "{says}: {said}");
}

fn given(mut command: Command, input: &str) -> Output {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(input.as_bytes())
        .unwrap();
    child.wait_with_output().unwrap()
}

#[test]
fn no_number_is_rounded_and_no_key_is_dropped() {
    let folder = tempfile::tempdir().unwrap();
    let (flow, data) = (passing(folder.path(), "json"), folder.path().join("data"));
    let file = folder.path().join("x.json");
    fs::write(&file, "{\"a\": 1,\n \"a\": 2}").unwrap();
    let from_file = format!("x={}", file.display());
    for (args, says) in [
        (
            ["--input", "x=18446744073709551616"],
            "The input `x` cannot be stored exactly as written: the number 18446744073709551616",
        ),
        (
            ["--input", "x=[1, -9223372036854775809]"],
            "(line 1, column 5). ",
        ),
        (["--input", r#"x={"a":1,"a":2}"#], "`a` appears twice"),
        (["--input-file", &from_file], "line 2, column"),
        (
            ["--set", "same.template=18446744073709551616"],
            "--set same.template cannot be stored exactly",
        ),
        (
            ["--set", r#"same.retry={"count":1,"count":2}"#],
            "`count` appears twice",
        ),
        (
            ["--pin", "same=12345678901234567890.5"],
            "--pin same cannot be stored exactly",
        ),
    ] {
        let args = [&["run", &flow][..], &args].concat();
        refused(
            &plain(NOBODY, &data, &args).output().unwrap(),
            says.trim_end(),
        );
    }
    let exact = [
        "run",
        &flow,
        "--input",
        "x=[18446744073709551615, 9007199254740993, 0.1]",
    ];
    let done = program(NOBODY, &data, &exact).output().unwrap();
    let run: Value = serde_json::from_slice(&done.stdout).unwrap();
    assert_eq!(
        run["outputs"]["y"],
        json!([
            18_446_744_073_709_551_615_u64,
            9_007_199_254_740_993_u64,
            0.1
        ])
    );

    fs::write(
        &file,
        r#"{"nodes": [{"id": "a", "type": "note", "data": {"n": 18446744073709551616}}]}"#,
    )
    .unwrap();
    let flow = file.to_str().unwrap();
    for args in [["validate", flow], ["import", flow]] {
        let done = plain(NOBODY, &data, &args).output().unwrap();
        refused(&done, "cannot be kept exactly");
    }
}

#[test]
fn an_empty_text_before_a_model_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let flow = |model: &str| {
        let file = folder.path().join(format!("{model}.flow.json"));
        let flow = json!({
            "schemaVersion": 1,
            "name": "asks",
            "nodes": [
                { "id": "in", "type": "input", "data": { "name": "x", "dataType": "text" } },
                { "id": "ask", "type": model, "data": { "prompt": "Say: {{ input }}", "template": "{{ input }}", "provider": "openai", "model": "m" } },
                { "id": "out", "type": "output", "data": { "name": "y" } },
            ],
            "edges": [{ "id": "1", "source": "in", "target": "ask" }, { "id": "2", "source": "ask", "target": "out" }],
        });
        fs::write(&file, flow.to_string()).unwrap();
        file.to_str().unwrap().to_owned()
    };
    let says = |args: &[&str]| {
        let done = plain(NOBODY, &data, args).output().unwrap();
        String::from_utf8_lossy(&done.stderr).contains("The input `x` is empty.")
    };
    let (asks, changes) = (flow("llm"), flow("transform"));
    assert!(says(&["run", &asks]));
    assert!(says(&["run", &asks, "--input", "x= "]));
    assert!(!says(&["run", &asks, "--input", "x=a"]));
    // An empty input is not reported if the flow calls no model.
    assert!(!says(&["run", &changes]));
}

#[test]
fn standard_input_gives_a_value_once() {
    let folder = tempfile::tempdir().unwrap();
    let (flow, data) = (passing(folder.path(), "text"), folder.path().join("data"));
    for name in ["x=-", "x=/dev/stdin"] {
        if cfg!(not(unix)) && name != "x=-" {
            continue;
        }
        let done = given(
            program(NOBODY, &data, &["run", &flow, "--input-file", name]),
            "Ada",
        );
        let run: Value = serde_json::from_slice(&done.stdout).unwrap();
        assert_eq!(run["outputs"]["y"], "Ada", "{name}");
    }
    let twice = ["run", "-", "--input-file", "x=-"];
    let text = fs::read_to_string(&flow).unwrap();
    refused(
        &given(plain(NOBODY, &data, &twice), &text),
        "standard input can be read only once",
    );
}

#[cfg(unix)]
#[test]
fn what_has_no_end_is_refused_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let (flow, data) = (passing(folder.path(), "text"), folder.path().join("data"));
    let pipe = folder.path().join("pipe");
    let made = Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    let pipe = pipe.to_str().unwrap();
    for (path, what) in [
        (pipe, "a named pipe"),
        ("/dev/zero", "a device"),
        ("/dev", "a folder"),
    ] {
        let value = format!("x={path}");
        for args in [
            &["validate", path][..],
            &["run", path],
            &["run", &flow, "--input-file", &value],
            &["import", path],
            &["export", "langgraph", path],
            &["trust", path],
        ] {
            let done = plain(NOBODY, &data, args).output().unwrap();
            let said = String::from_utf8_lossy(&done.stderr);
            assert!(
                matches!(done.status.code(), Some(1 | 2)),
                "{args:?}: {said}"
            );
            assert!(said.contains(what), "{args:?}: {said}");
        }
        let done = plain(NOBODY, &data, &["runs", "import", path])
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&done.stderr);
        assert!(said.contains(what), "{said}");
    }
}

#[cfg(unix)]
#[test]
fn a_stream_without_end_is_read_up_to_the_limit() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let mut endless = plain(NOBODY, &data, &["validate", "-"]);
    endless.stdin(fs::File::open("/dev/zero").unwrap());
    refused(
        &endless.output().unwrap(),
        "it is larger than the limit of 8 MB",
    );
}
