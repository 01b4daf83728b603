//! Recorded results stay until a person has received them, and every command reports missing or damaged runs.

#![allow(clippy::unwrap_used)]

#[allow(dead_code)]
use crate::program;

use std::{fs, path::Path, process::Output};

use program::plain;
use serde_json::{Value, json};

/// Writes a flow whose output is its input. Returns the path of the file.
fn flow(folder: &Path) -> String {
    let path = folder.join("x.flow.json");
    let flow = json!({
        "schemaVersion": 1, "name": "passes on",
        "nodes": [
            { "id": "in", "type": "input", "data": { "name": "text" } },
            { "id": "out", "type": "output", "data": { "name": "result" } }
        ],
        "edges": [{ "id": "1", "source": "in", "sourceHandle": "value", "target": "out", "targetHandle": "value" }]
    });
    fs::write(&path, flow.to_string()).unwrap();
    path.display().to_string()
}

fn call(data: &Path, args: &[&str]) -> Output {
    plain("http://127.0.0.1:9", data, args).output().unwrap()
}

fn err(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn list(data: &Path) -> Vec<Value> {
    let output = call(data, &["runs", "list", "--json"]);
    assert!(output.status.success(), "{}", err(&output));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Writes a file with several megabytes of text. Returns the value `text=PATH` for `--input-file`. The text shares no part with
/// other text in the store, so the store cannot save space.
fn large(folder: &Path, name: &str, megabytes: usize) -> String {
    let path = folder.join(name);
    let text: String = (0..megabytes * 100_000)
        .map(|n| format!("{name}{n:09} ")[..10].to_owned())
        .collect();
    fs::write(&path, text).unwrap();
    format!("text={}", path.display())
}

#[test]
fn a_run_larger_than_the_limit_is_printed_and_nothing_is_removed_for_it() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    fs::create_dir(&data).unwrap();
    fs::write(data.join("settings.json"), "{\"historyLimitMb\": 10}").unwrap();
    let flow = flow(folder.path());
    for number in 0..3 {
        let given = format!("text=small {number}");
        assert!(
            call(&data, &["run", &flow, "--input", &given])
                .status
                .success()
        );
    }
    let given = large(folder.path(), "a", 12);
    let output = call(&data, &["run", &flow, "--json", "--input-file", &given]);
    assert!(output.status.success(), "{}", err(&output));
    let printed: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(printed["status"], "completed");
    assert!(
        err(&output).contains("Nothing was removed"),
        "{}",
        err(&output)
    );
    assert_eq!(list(&data).len(), 4);

    // The result was printed, so the run may be removed. The next run that ends removes the oldest runs and says so.
    let output = call(&data, &["run", &flow, "--input", "text=next"]);
    assert!(
        err(&output).contains("To keep past runs within"),
        "{}",
        err(&output)
    );
    let left = list(&data);
    assert_eq!(left.len(), 1, "{left:?}");
}

#[test]
fn a_run_that_nobody_got_stays_until_it_is_looked_at() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    fs::create_dir(&data).unwrap();
    fs::write(data.join("settings.json"), "{\"historyLimitMb\": 10}").unwrap();
    let flow = flow(folder.path());
    // Standard output is closed before anything is printed, as if its reader had exited.
    let given = large(folder.path(), "b", 4);
    let args = ["run", &flow, "--json", "--input-file", &given];
    let mut child = plain("http://127.0.0.1:9", &data, &args).spawn().unwrap();
    drop(child.stdout.take());
    child.wait().unwrap();
    let unseen = list(&data)[0]["runId"].as_str().unwrap().to_owned();
    let is_kept = || list(&data).iter().any(|run| run["runId"] == *unseen);
    for number in 0..2 {
        let given = large(folder.path(), &format!("c{number}"), 4);
        assert!(
            call(&data, &["run", &flow, "--input-file", &given])
                .status
                .success()
        );
    }
    assert!(is_kept());
    assert!(call(&data, &["runs", "show", &unseen]).status.success());
    let given = large(folder.path(), "d", 4);
    assert!(
        call(&data, &["run", &flow, "--input-file", &given])
            .status
            .success()
    );
    assert!(!is_kept());
}

#[test]
fn the_output_of_a_run_is_whole_in_one_file_and_its_loss_reported() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let flow = flow(folder.path());
    for number in 0..2 {
        let given = format!("text=small {number}");
        assert!(
            call(&data, &["run", &flow, "--input", &given])
                .status
                .success()
        );
    }
    let log = fs::metadata(data.join("runs.db-wal")).map_or(0, |log| log.len());
    assert_eq!(log, 0, "the log is carried over at the end");
    fs::remove_file(data.join("runs.db")).unwrap();
    let output = call(&data, &["runs", "list"]);
    assert!(
        err(&output).contains("2 runs are missing"),
        "{}",
        err(&output)
    );
    assert!(call(&data, &["runs", "delete", "missing"]).status.success());
    assert_eq!(err(&call(&data, &["runs", "list"])), "");
}

#[test]
fn a_run_is_found_by_the_name_and_the_star_that_it_was_given() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let flow = flow(folder.path());
    for text in ["text=one", "text=two"] {
        let run = call(&data, &["run", &flow, "--input", text]);
        assert!(run.status.success(), "{}", err(&run));
    }
    let done = |args: &[&str]| {
        let output = call(&data, args);
        assert!(output.status.success(), "{args:?}: {}", err(&output));
        String::from_utf8(output.stdout).unwrap()
    };
    done(&["runs", "rename", "last", "The  best so far"]);
    done(&["runs", "star", "last", "last"]);
    let found = done(&["runs", "list", "--starred", "--search", "best"]);
    let line = found.lines().next().unwrap();
    assert!(line.ends_with("★  “The best so far”"), "{found}");
    assert!(found.contains("1 of 1 runs shown; 2 stored"), "{found}");
    assert!(done(&["runs", "show", "last"]).contains("name     The best so far\nstarred  yes"));
    let all = list(&data);
    assert_eq!(
        (&all[0]["name"], &all[0]["starred"], &all[1]["starred"]),
        (&json!("The best so far"), &json!(true), &json!(false))
    );
    done(&["runs", "rename", "last", ""]);
    done(&["runs", "star", "--remove", "last"]);
    assert_eq!(
        (&list(&data)[0]["name"], &list(&data)[0]["starred"]),
        (&json!(null), &json!(false))
    );
    let long = call(&data, &["runs", "rename", "last", &"x".repeat(201)]);
    assert!(!long.status.success());
    assert!(
        err(&long).contains("at most 200 characters"),
        "{}",
        err(&long)
    );
    let none = call(&data, &["runs", "star", "last", "no-such-run"]);
    // Nothing changes if one of the runs does not exist.
    assert_eq!(list(&data)[0]["starred"], json!(false));
    assert!(
        err(&none).contains("There is no run no-such-run"),
        "{}",
        err(&none)
    );
}
