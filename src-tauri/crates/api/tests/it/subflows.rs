//! Subflows in files: which files may be read, what a run stores, and how a flow moves between a node and its own file.

#![allow(clippy::unwrap_used)]

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use loopwright_api as api;
use loopwright_api::{Answer, App, ApprovalPolicy, Focus, RunStatus};
use loopwright_records as records;
use loopwright_runs as runs;
use loopwright_runs::{Code, ResumeOptions, RunOptions};
use serde_json::{Map, Value, json};

fn open(folder: &Path) -> Arc<App> {
    App::open(folder, tokio::runtime::Handle::current()).unwrap()
}

/// Returns a flow that asks a person about its input, followed by `words`.
fn asks(words: &str) -> Value {
    json!({
        "name": "asks",
        "nodes": [
            { "id": "in", "type": "input", "data": { "name": "text", "required": true } },
            { "id": "add", "type": "transform", "data": { "template": format!("{{{{ input }}}}{words}") } },
            { "id": "check", "type": "approval", "data": { "message": "Good?" } },
            { "id": "yes", "type": "output", "data": { "name": "yes" } },
            { "id": "no", "type": "output", "data": { "name": "no" } }
        ],
        "edges": [
            { "id": "e1", "source": "in", "target": "add" },
            { "id": "e2", "source": "add", "target": "check" },
            { "id": "e3", "source": "check", "sourceHandle": "approved", "target": "yes" },
            { "id": "e4", "source": "check", "sourceHandle": "rejected", "target": "no" }
        ]
    })
}

fn uses(data: &Value) -> Value {
    json!({
        "schemaVersion": 1, "name": "uses",
        "nodes": [
            { "id": "in", "type": "input", "data": { "name": "text", "default": "Good." } },
            { "id": "sub", "type": "subflow", "data": data },
            { "id": "out", "type": "output", "data": { "name": "result" } }
        ],
        "edges": [
            { "id": "e1", "source": "in", "target": "sub" },
            { "id": "e2", "source": "sub", "target": "out" }
        ]
    })
}

fn write(folder: &Path, name: &str, document: &Value) -> String {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, document.to_string()).unwrap();
    path.display().to_string()
}

fn codes(app: &App, document: &Value, path: Option<&str>) -> Vec<String> {
    let analysis = api::analyze(app.env(), document.clone(), path).unwrap();
    analysis
        .problems
        .into_iter()
        .map(|problem| problem.code)
        .collect()
}

fn folders() -> (tempfile::TempDir, PathBuf, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let (data, flows) = (folder.path().join("data"), folder.path().join("flows"));
    fs::create_dir_all(&data).unwrap();
    fs::create_dir_all(&flows).unwrap();
    (folder, data, flows)
}

#[tokio::test]
async fn a_run_keeps_the_version_it_began_with() {
    let (_folder, data, flows) = folders();
    let app = open(&data);
    let document = uses(&json!({ "ref": "lib/asks.json" }));
    let path = write(&flows, "uses.json", &document);
    let inner = write(&flows, "lib/asks.json", &asks(" Old."));
    let started = runs::start_run(
        app.env(),
        RunOptions {
            document,
            flow_path: Some(path),
            inputs: Map::new(),
            approve: ApprovalPolicy::Ask,
            focus: Focus::default(),
            events: Arc::new(|_| {}),
        },
    )
    .unwrap();
    let waiting = started.finished.await.unwrap().unwrap();
    assert_eq!(waiting.status, RunStatus::Waiting);

    fs::remove_file(inner).unwrap();
    let kept = records::run_detail(app.env(), &waiting.run_id)
        .unwrap()
        .document;
    let sub = &kept["nodes"][1]["data"];
    assert_eq!(sub["from"], "lib/asks.json");
    assert_eq!(sub["flow"]["name"], "asks");
    assert!(sub.get("ref").is_none(), "{sub}");
    let (at, question) = records::waiting(app.env(), &waiting.run_id)
        .unwrap()
        .remove(0);
    assert_eq!(
        (at.as_str(), question.to_string().as_str()),
        ("sub/check", "Good?")
    );
    let answered = runs::resume_run(
        app.env(),
        ResumeOptions {
            run_id: waiting.run_id,
            answer: Some((
                at,
                Answer {
                    approved: true,
                    ..Default::default()
                },
            )),
            approve: ApprovalPolicy::Ask,
            budget: None,
            events: Arc::new(|_| {}),
        },
    )
    .unwrap();
    let done = answered.finished.await.unwrap().unwrap();
    assert_eq!(done.status, RunStatus::Completed);
    assert_eq!(
        done.state.outputs.clone().map(Value::from),
        Some(json!({ "result": "Good. Old." }))
    );
}

#[tokio::test]
async fn the_analysis_knows_what_a_file_takes_and_gives() {
    let (_folder, data, flows) = folders();
    let app = open(&data);
    let document = uses(&json!({ "ref": "asks.json" }));
    write(&flows, "asks.json", &asks(""));
    let path = flows.join("uses.json").display().to_string();
    let analysis = api::analyze(app.env(), document.clone(), Some(&path)).unwrap();
    assert!(analysis.runnable, "{:?}", analysis.problems);
    let names = |handles: &[loopwright_api::HandleInfo]| -> Vec<(String, bool)> {
        handles
            .iter()
            .map(|handle| (handle.name.clone(), handle.primary))
            .collect()
    };
    let sub = &analysis.nodes["sub"];
    assert_eq!(names(&sub.inputs), [("text".to_owned(), true)]);
    let yes_and_no = [("yes".to_owned(), true), ("no".to_owned(), false)];
    assert_eq!(names(&sub.outputs), yes_and_no);

    assert_eq!(codes(&app, &document, None), ["subflow_unsaved"]);
    let mut broken = asks("");
    broken["nodes"][1]["data"]["template"] = json!("{{ inptu }}");
    write(&flows, "asks.json", &broken);
    let analysis = api::analyze(app.env(), document, Some(&path)).unwrap();
    let problem = &analysis.problems[0];
    assert_eq!(problem.node.as_deref(), Some("sub/add"));
    assert!(
        problem.message.starts_with("In \"sub\" (asks.json): "),
        "{}",
        problem.message
    );
    assert_eq!(analysis.nodes["sub"].problems, 1);
}

#[cfg(unix)]
#[tokio::test]
async fn a_link_that_leaves_the_folder_is_refused() {
    let (folder, data, flows) = folders();
    let app = open(&data);
    write(folder.path(), "secret.json", &asks(""));
    std::os::unix::fs::symlink(folder.path().join("secret.json"), flows.join("a.json")).unwrap();
    std::os::unix::fs::symlink(folder.path(), flows.join("up")).unwrap();
    write(&flows, "real.json", &asks(""));
    std::os::unix::fs::symlink(flows.join("real.json"), flows.join("inside.json")).unwrap();
    let path = flows.join("uses.json").display().to_string();
    for (reference, expected) in [
        ("a.json", "subflow_outside"),
        ("up/secret.json", "subflow_outside"),
        ("../secret.json", "subflow_outside"),
        ("lib/../../secret.json", "subflow_outside"),
        ("nowhere.json", "subflow_missing"),
    ] {
        let document = uses(&json!({ "ref": reference }));
        assert_eq!(
            codes(&app, &document, Some(&path)),
            [expected],
            "{reference}"
        );
        assert!(runs::read_subflow(&path, reference).is_err(), "{reference}");
    }
    let document = uses(&json!({ "ref": "inside.json" }));
    assert!(codes(&app, &document, Some(&path)).is_empty());
    let outside = runs::save_subflow(app.env(), &path, "up/new.json", &asks(""));
    assert_eq!(outside.unwrap_err().code, Code::InvalidArgument);
    assert!(!folder.path().join("new.json").exists());
}

#[tokio::test]
async fn a_flow_moves_into_a_file_and_back_with_what_it_refers_to() {
    let (_folder, data, flows) = folders();
    let app = open(&data);
    let path = write(&flows, "uses.json", &uses(&json!({})));
    write(&flows, "lib/deep/asks.json", &asks(""));
    let inline = uses(&json!({ "ref": "lib/deep/asks.json" }));
    let saved = runs::save_subflow(app.env(), &path, "lib/half.json", &inline).unwrap();
    let written: Value = serde_json::from_str(&fs::read_to_string(&saved.path).unwrap()).unwrap();
    assert_eq!(written["nodes"][1]["data"]["ref"], "deep/asks.json");
    assert!(codes(&app, &uses(&json!({ "ref": "lib/half.json" })), Some(&path)).is_empty());

    let again = runs::save_subflow(app.env(), &path, "lib/half.json", &inline);
    assert!(again.unwrap_err().message.contains("already exists"));
    let elsewhere = runs::save_subflow(app.env(), &path, "other/half.json", &inline);
    assert!(
        elsewhere
            .unwrap_err()
            .message
            .contains("is not in the folder of")
    );
    assert!(!flows.join("other").exists());

    let back = runs::inline_subflow(app.env(), &path, "lib/half.json").unwrap();
    assert_eq!(back.document, inline);
    let opened = runs::read_subflow(&path, "lib/half.json").unwrap();
    assert_eq!(opened.document, written);
    assert_eq!(opened.version, saved.version);

    let file = flows.join("lib/half.json").display().to_string();
    assert_eq!(
        runs::subflow_reference(&path, &file).unwrap(),
        "lib/half.json"
    );
    let outside = runs::subflow_reference(&saved.path, &path).unwrap_err();
    assert!(outside.message.contains("is not in"), "{}", outside.message);
}

#[tokio::test]
async fn what_lies_in_a_file_can_be_set_for_a_run() {
    let (_folder, data, flows) = folders();
    let app = open(&data);
    let path = write(&flows, "uses.json", &uses(&json!({ "ref": "asks.json" })));
    write(&flows, "asks.json", &asks(""));
    let document = uses(&json!({ "ref": "asks.json" }));
    let mut linked = runs::link(app.env(), document, Some(&path)).unwrap();
    let inner = &mut linked["nodes"][1]["data"]["flow"]["nodes"][1];
    assert_eq!(inner["id"], "add");
    inner["data"]["template"] = json!("set");
    assert!(codes(&app, &linked, None).is_empty());
}

/// Returns a flow of `count` nodes that each refer to `reference`.
fn refers(count: usize, reference: &str) -> Value {
    let node = |index| json!({ "id": format!("s{index}"), "type": "subflow", "data": { "ref": reference } });
    json!({ "name": reference, "nodes": (0..count).map(node).collect::<Vec<_>>() })
}

#[tokio::test]
async fn references_that_multiply_are_counted_and_not_followed() {
    let (_folder, data, flows) = folders();
    let app = open(&data);
    let leaf =
        json!({ "nodes": [{ "id": "t", "type": "transform", "data": { "template": "x" } }] });
    write(&flows, "leaf.json", &leaf);
    // The number of flows after resolving all references: 2^14 from 15 files with two references each, and 500³ from three
    // files with 500 each.
    for index in 0..14 {
        let next = if index == 13 {
            "leaf.json".to_owned()
        } else {
            format!("twice{}.json", index + 1)
        };
        write(&flows, &format!("twice{index}.json"), &refers(2, &next));
    }
    for (index, next) in ["many1.json", "many2.json", "leaf.json"]
        .into_iter()
        .enumerate()
    {
        write(&flows, &format!("many{index}.json"), &refers(500, next));
    }
    // A 2 MB string that is inlined nine times exceeds the limit for the size of a flow of ten nodes.
    let large = json!({ "nodes": [{ "id": "t", "type": "transform", "data": { "template": "x".repeat(2 << 20) } }] });
    write(&flows, "large.json", &large);
    for (first, problems) in [("twice0.json", 1), ("many0.json", 1), ("twice8.json", 0)] {
        let document = uses(&json!({ "ref": first }));
        let path = flows.join("uses.json").display().to_string();
        let begun = std::time::Instant::now();
        let codes = codes(&app, &document, Some(&path));
        let too_large = codes
            .iter()
            .filter(|code| *code == "subflow_too_large")
            .count();
        assert_eq!(too_large, problems, "{first}: {codes:?}");
        // The limit is far above the time that a busy computer needs. If all references were resolved, it would take many times
        // as long.
        assert!(
            begun.elapsed().as_secs() < 10,
            "{first}: {:?}",
            begun.elapsed()
        );
    }
    let path = write(&flows, "nine.json", &refers(9, "large.json"));
    let codes = codes(&app, &refers(9, "large.json"), Some(&path));
    assert_eq!(
        codes
            .iter()
            .filter(|code| *code == "subflow_too_large")
            .count(),
        2
    );
}
