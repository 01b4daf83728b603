//! The output of `import`: the most serious entries come first, equal entries are printed once, and nothing advises the user to
//! run a flow that cannot run.

#![allow(clippy::unwrap_used)]

use crate::program;

use std::{fs, path::Path, process::Output};

use program::{plain, program};
use serde_json::{Value, json};

/// An address without a server. The tests never ask a model.
const NOBODY: &str = "http://127.0.0.1:9";

fn import(folder: &Path, document: &Value, as_json: bool) -> Output {
    let file = folder.join("flow.src.json");
    fs::write(&file, document.to_string()).unwrap();
    let to = folder.join("out.flow.json");
    let args = [
        "import",
        file.to_str().unwrap(),
        "-o",
        to.to_str().unwrap(),
        "--force",
    ];
    let data = folder.join("data");
    let command = if as_json { program } else { plain };
    command(NOBODY, &data, &args).output().unwrap()
}

fn printed(done: &Output) -> String {
    String::from_utf8_lossy(&done.stdout).into_owned() + &String::from_utf8_lossy(&done.stderr)
}

/// Returns a native flow whose template refers to a name that does not exist. Its import leaves it unchanged.
fn broken() -> Value {
    json!({
        "nodes": [
            { "id": "a", "type": "input", "data": { "name": "x" } },
            { "id": "b", "type": "transform", "data": { "template": "{{ nowhere.y }}" } },
            { "id": "c", "type": "output", "data": { "name": "y" } }
        ],
        "edges": [{ "id": "1", "source": "a", "target": "b" }, { "id": "2", "source": "b", "target": "c" }]
    })
}

#[test]
fn a_flow_with_errors_is_written_and_is_no_success() {
    let folder = tempfile::tempdir().unwrap();
    let done = import(folder.path(), &broken(), false);
    let said = printed(&done);
    assert_eq!(done.status.code(), Some(1), "{said}");
    assert!(
        said.contains("The flow has errors") && said.contains("nowhere"),
        "{said}"
    );
    assert!(!said.contains("Run it with"), "{said}");
    assert!(folder.path().join("out.flow.json").exists());
    let done = import(folder.path(), &broken(), true);
    assert_eq!(done.status.code(), Some(1));
    let told: Value = serde_json::from_slice(&done.stdout).unwrap();
    assert_eq!(told["runnable"], false);

    let mut sound = broken();
    sound["nodes"][1]["data"]["template"] = json!("{{ input }}");
    let done = import(folder.path(), &sound, false);
    let said = printed(&done);
    assert_eq!(done.status.code(), Some(0), "{said}");
    assert!(said.contains("Run it with: loopwright run"), "{said}");
}

#[test]
fn alike_entries_are_reported_once_and_the_most_serious_first() {
    let folder = tempfile::tempdir().unwrap();
    let shell = |at: usize| json!({ "id": format!("s{at}"), "type": "shell", "data": { "nodeType": "shell", "script": "echo hi" } });
    let mut nodes: Vec<Value> = (0..14).map(shell).collect();
    nodes.push(json!({ "id": "odd", "type": "container", "data": { "nodeType": "container" } }));
    let document =
        json!({ "version": 2, "metadata": { "name": "many" }, "nodes": nodes, "edges": [] });
    let said = printed(&import(folder.path(), &document, false));
    let places: Vec<usize> = [
        "Not translated: a run fails at these nodes (1):",
        "Works differently (14):",
        "Works the same (14):",
    ]
    .iter()
    .map(|heading| {
        said.find(heading)
            .unwrap_or_else(|| panic!("{heading}: {said}"))
    })
    .collect();
    assert!(places.is_sorted(), "{said}");
    assert_eq!(said.matches("environment variables").count(), 1, "{said}");
    assert!(
        said.contains("s0, s1, s2") && said.contains("and 4 more"),
        "{said}"
    );
    let told: Value =
        serde_json::from_slice(&import(folder.path(), &document, true).stdout).unwrap();
    let entries = told["report"]["entries"].as_array().unwrap();
    assert_eq!(entries.len(), 29);
    assert_eq!(entries[0]["outcome"], "placeholder");
    assert_eq!(entries[1]["place"], "s0");
}
