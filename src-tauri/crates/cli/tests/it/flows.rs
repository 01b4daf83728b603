//! Commands that only read flows: what a flow needs, and problems that prevent a run.

#![allow(clippy::unwrap_used)]

use crate::program;

use std::{fs, path::Path};

use program::{plain, program};
use serde_json::{Value, json};

/// An address without a server. The tests never ask a model.
const NOBODY: &str = "http://127.0.0.1:9";

fn written(folder: &Path, flow: &Value) -> String {
    let file = folder.join("flow.json");
    fs::write(&file, flow.to_string()).unwrap();
    file.to_str().unwrap().to_owned()
}

fn asking() -> Value {
    json!({
        "schemaVersion": 1,
        "name": "asking",
        "nodes": [
            { "id": "in", "type": "input", "data": { "name": "text", "required": true } },
            { "id": "n", "type": "input", "data": { "name": "count", "dataType": "number", "default": 1 } },
            { "id": "out", "type": "output", "data": { "name": "result" } },
        ],
        "edges": [{ "id": "1", "source": "in", "target": "out" }],
    })
}

#[test]
fn a_run_without_a_required_input_does_not_start() {
    let folder = tempfile::tempdir().unwrap();
    let file = written(folder.path(), &asking());
    let data = folder.path().join("data");
    for (given, says) in [
        (&[][..], "The input `text` is required and was not given"),
        (
            &["--input", "text= "],
            "The input `text` is required and is blank",
        ),
        (
            &["--input", "text=a", "--input", "count=\"7\""],
            "The input `count` must be a number, but is \"7\".",
        ),
        (
            &["--input", "text=a", "--input", "count=seven"],
            "The input `count` must be JSON",
        ),
    ] {
        let args = [&["run", &file][..], given].concat();
        let done = plain(NOBODY, &data, &args).output().unwrap();
        assert_eq!(done.status.code(), Some(2), "{args:?}");
        let said = String::from_utf8_lossy(&done.stderr);
        assert!(said.contains(says), "{args:?}: {said}");
    }
    let list = program(NOBODY, &data, &["runs", "list"]).output().unwrap();
    assert_eq!(
        serde_json::from_slice::<Value>(&list.stdout).unwrap(),
        json!([])
    );
}

#[test]
fn the_mark_that_an_editor_puts_before_a_text_is_no_part_of_it() {
    let folder = tempfile::tempdir().unwrap();
    let file = written(folder.path(), &asking());
    let given = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, format!("\u{feff}{text}")).unwrap();
        format!("{name}={}", path.display())
    };
    let (text, count) = (given("text", "Dear \u{feff}Ada"), given("count", "7"));
    let args = ["run", &file, "--input-file", &text, "--input-file", &count];
    let done = program(NOBODY, &folder.path().join("data"), &args)
        .output()
        .unwrap();
    assert!(done.status.success(), "{done:?}");
    let run: Value = serde_json::from_slice(&done.stdout).unwrap();
    assert_eq!(run["outputs"]["result"], "Dear \u{feff}Ada");
}

#[test]
fn work_on_flows_alone_needs_no_place_for_runs() {
    let folder = tempfile::tempdir().unwrap();
    let file = written(folder.path(), &asking());
    // A folder with the name of the run store's file makes it impossible to open the store.
    let blocked = folder.path().join("blocked");
    fs::create_dir_all(blocked.join("runs.db")).unwrap();
    let unused = folder.path().join("unused");
    for args in [
        &["validate", &file][..],
        &["templates"],
        &["templates", "show", "self-refine"],
        &["models"],
        &["tools"],
    ] {
        for data in [&blocked, &unused] {
            let done = plain(NOBODY, data, args).output().unwrap();
            let said = String::from_utf8_lossy(&done.stderr);
            assert_eq!(done.status.code(), Some(0), "{args:?}: {said}");
        }
    }
    assert!(!unused.exists(), "nothing is made that is not needed");
    let done = plain(NOBODY, &blocked, &["run", &file, "--input", "text=a"])
        .output()
        .unwrap();
    assert_eq!(done.status.code(), Some(1), "a run cannot be kept there");
}

#[test]
fn a_folder_is_no_flow() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().to_str().unwrap();
    for command in ["run", "validate"] {
        let done = plain(NOBODY, &folder.path().join("data"), &[command, place])
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&done.stderr);
        assert_eq!(done.status.code(), Some(2), "{said}");
        assert!(
            said.contains("is a folder. Give the path of a flow file"),
            "{said}"
        );
    }
}

#[test]
fn a_malformed_call_is_refused_in_the_requested_format() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    for args in [
        &["run"][..],
        &["runs", "compare", "a"],
        &["run", "x.json", "--bogus"],
    ] {
        let done = program(NOBODY, &data, args).output().unwrap();
        assert_eq!(done.status.code(), Some(2), "{args:?}");
        let said: Value = serde_json::from_slice(&done.stdout).unwrap();
        assert_eq!(said["error"]["code"], "invalid_argument", "{args:?}");
        let words = plain(NOBODY, &data, args).output().unwrap();
        assert_eq!(words.status.code(), Some(2), "{args:?}");
        assert!(
            words.stdout.is_empty() && !words.stderr.is_empty(),
            "{args:?}"
        );
    }
    let help = program(NOBODY, &data, &["run", "--help"]).output().unwrap();
    assert_eq!(help.status.code(), Some(0));
    assert!(String::from_utf8_lossy(&help.stdout).contains("Usage: loopwright run"));
}
