//! Exported programs run against the real langgraph package, and give what the flows give here.
//!
//! The package comes from PyPI into a folder beside the build; where that cannot be reached the test says so and passes.

#![allow(clippy::unwrap_used)]

mod support;

use std::{
    collections::HashMap,
    fs,
    path::{Path, PathBuf},
    process::Command,
    sync::Arc,
};

use loopwright_api::FlowsOnDisk;
use loopwright_engine::{RunStatus, host::Services, journal::Journal, plan::plan};
use loopwright_import::langgraph::export;
use loopwright_journal::MemoryJournal;
use loopwright_model::{Flow, file, validate::check};
use loopwright_providers::fake::{FakeModels, Reply, Script};
use serde_json::{Map, Value, json};

use support::{
    Stop,
    case::root,
    execute_among,
    people::People,
    world::{Registry, ScriptedTools},
};

/// A Python with langgraph; `None` with a message where there is none and none can be had.
fn python() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("langgraph");
    let python = folder.join("bin/python");
    let works = |python: &Path| {
        let imports = "import langgraph.graph, jinja2";
        Command::new(python)
            .args(["-c", imports])
            .output()
            .is_ok_and(|ran| ran.status.success())
    };
    if works(&python) {
        return Some(python);
    }
    let made = Command::new("python3")
        .args(["-m", "venv", "--clear"])
        .arg(&folder)
        .output();
    if !made.is_ok_and(|made| made.status.success()) {
        println!("There is no python3 with venv on this computer; exported programs were not run.");
        return None;
    }
    let install = [
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "--retries",
        "1",
        "--timeout",
        "20",
        "langgraph",
        "jinja2",
    ];
    let _ = Command::new(&python).args(install).output();
    if works(&python) {
        return Some(python);
    }
    println!(
        "langgraph could not be installed (is PyPI reachable?); exported programs were not run."
    );
    None
}

/// Runs the program with a model that gives `replies` one after another.
const DRIVER: &str = r#"
import json, sys
sys.path.insert(0, sys.argv[1])
import program
told = json.load(open(sys.argv[1] + "/told.json"))
replies = list(told["replies"])
program.MODEL = lambda call: replies.pop(0)
done = program.run_flow(told["inputs"])
loops = {name: [len(run["results"]), run["reason"], run["exhausted"], run["results"]] for name, run in done["loops"].items() if run}
print(json.dumps({"outputs": done["outputs"], "loops": loops, "left": len(replies)}))
"#;

struct Told {
    name: &'static str,
    flow: Flow,
    inputs: Value,
    replies: Vec<&'static str>,
}

fn template(name: &str) -> Flow {
    let text = fs::read_to_string(root().join("templates").join(name)).unwrap();
    file::read_value(serde_json::from_str(&text).unwrap()).unwrap()
}

fn flow(nodes: Value, edges: &[(&str, &str)]) -> Flow {
    let edges: Vec<Value> = edges
        .iter()
        .enumerate()
        .map(|(index, (from, to))| {
            let end = |written: &str| match written.split_once(':') {
                Some((node, handle)) => (json!(node), json!(handle)),
                None => (json!(written), Value::Null),
            };
            let ((source, out), (target, into)) = (end(from), end(to));
            let mut edge = json!({ "id": format!("e{index}"), "source": source, "target": target });
            if !out.is_null() {
                edge["sourceHandle"] = out;
            }
            if !into.is_null() {
                edge["targetHandle"] = into;
            }
            edge
        })
        .collect();
    file::read_value(json!({ "name": "told", "settings": { "allowNestedLoops": true }, "nodes": nodes, "edges": edges })).unwrap()
}

fn node(id: &str, kind: &str, data: Value) -> Value {
    json!({ "id": id, "type": kind, "data": data })
}

fn told() -> Vec<Told> {
    let judged = |exit: Value, fallback: &str| {
        flow(
            json!([
                node("in", "input", json!({ "name": "text", "default": "go" })),
                node("again", "loop", exit),
                node(
                    "write",
                    "llm",
                    json!({ "prompt": "{{ input }} {{ loopCount }}" })
                ),
                node(
                    "good",
                    "router",
                    json!({ "mode": "rules", "branches": [{ "name": "done", "when": "input == \"good\"" }, { "name": "more" }], "fallback": fallback })
                ),
                node(
                    "mend",
                    "transform",
                    json!({ "template": "mend {{ input }} ({{ loopIndex }})" })
                ),
                node("exit", "exit", json!({})),
                node("out", "output", json!({ "name": "result" })),
                node("count", "output", json!({ "name": "count" })),
                node("why", "output", json!({ "name": "why" }))
            ]),
            &[
                ("in", "again"),
                ("again:body", "write"),
                ("write", "good"),
                ("good:done", "exit"),
                ("good:more", "mend"),
                ("mend", "again:feedback"),
                ("exit", "out"),
                ("again:count", "count"),
                ("again:exitReason", "why"),
            ],
        )
    };
    let counted = |test: &str, most: u64| {
        flow(
            json!([
                node(
                    "in",
                    "input",
                    json!({ "name": "n", "dataType": "number", "default": 0 })
                ),
                node(
                    "outer",
                    "loop",
                    json!({ "maxIterations": 2, "exitCondition": "max_iterations" })
                ),
                node(
                    "up",
                    "loop",
                    json!({ "maxIterations": most, "exitCondition": "condition", "condition": { "until": "input >= 3 and vars.seen > 0", "test": test },
                    "variables": [{ "name": "seen", "initial": 0, "next": "{{ vars.seen + 1 }}" }], "outputs": [{ "name": "all", "from": "one.output", "take": "all" }] })
                ),
                node("one", "transform", json!({ "template": "{{ input + 1 }}" })),
                node("exit", "exit", json!({})),
                node(
                    "half",
                    "transform",
                    json!({ "template": "{{ input - 2 }}" })
                ),
                node("end", "exit", json!({})),
                node("out", "output", json!({ "name": "result" }))
            ]),
            &[
                ("in", "outer"),
                ("outer:body", "up"),
                ("up:body", "one"),
                ("one", "exit"),
                ("exit", "half"),
                ("half", "end"),
                ("end", "out"),
            ],
        )
    };
    vec![
        Told {
            name: "self-refine",
            flow: template("self-refine.json"),
            inputs: json!({ "topic": "A cat" }),
            replies: vec![
                "draft one",
                "weak",
                "draft \"two\"\nlonger",
                "better",
                "draft three",
            ],
        },
        Told {
            name: "summarise-until-stable",
            flow: template("summarise-until-stable.json"),
            inputs: json!({ "text": "Long words" }),
            replies: vec!["long", "short", "short"],
        },
        Told {
            name: "evaluator met",
            flow: judged(
                json!({ "maxIterations": 5, "exitCondition": "evaluator" }),
                "more",
            ),
            inputs: json!({}),
            replies: vec!["bad", "worse", "good"],
        },
        Told {
            name: "evaluator exhausted",
            flow: judged(
                json!({ "maxIterations": 2, "exitCondition": "evaluator", "feedbackMode": "append" }),
                "more",
            ),
            inputs: json!({ "text": "x" }),
            replies: vec!["bad", "worse"],
        },
        Told {
            name: "condition before, nested",
            flow: counted("before", 5),
            inputs: json!({ "n": 1 }),
            replies: vec![],
        },
        Told {
            name: "condition after, nested",
            flow: counted("after", 5),
            inputs: json!({ "n": 1 }),
            replies: vec![],
        },
        Told {
            name: "condition before, exhausted",
            flow: counted("before", 1),
            inputs: json!({ "n": 0 }),
            replies: vec![],
        },
    ]
}

fn here(told: &Told) -> Value {
    let kinds = loopwright_nodes::all();
    let linked = check(&told.flow, kinds.specs(), None, &FlowsOnDisk);
    let errors: Vec<_> = linked
        .problems
        .iter()
        .filter(|problem| problem.is_error())
        .collect();
    assert!(errors.is_empty(), "{}: {errors:?}", told.name);
    let plan = Arc::new(plan(&linked.flow, &kinds).unwrap());
    let services = Services {
        models: Arc::new(FakeModels::new(Script {
            replies: told.replies.iter().map(|text| Reply::text(text)).collect(),
            ..Script::default()
        })),
        tools: Arc::new(Registry(ScriptedTools::new(HashMap::new(), None))),
    };
    let journal: Arc<dyn Journal> = Arc::new(MemoryJournal::new());
    let inputs: Map<String, Value> = told.inputs.as_object().cloned().unwrap();
    let done = execute_among(
        &plan,
        &inputs,
        &services,
        &journal,
        &Stop::Never,
        &People::default(),
    );
    assert_eq!(
        done.state.status,
        RunStatus::Completed,
        "{}: {:?}",
        told.name,
        done.state.error
    );
    json!({ "outputs": done.state.outputs, "iterations": done.state.iterations, "reason": done.state.exit_reason })
}

#[test]
fn exported_programs_give_what_flows_give_here() {
    let kinds = loopwright_nodes::all();
    let Some(python) = python() else {
        return;
    };
    for told in told() {
        let export = export(&told.flow, kinds.specs());
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("program.py"), &export.program).unwrap();
        fs::write(
            folder.path().join("told.json"),
            json!({ "inputs": told.inputs, "replies": told.replies }).to_string(),
        )
        .unwrap();
        let ran = Command::new(&python)
            .args(["-c", DRIVER])
            .arg(folder.path())
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&ran.stderr);
        assert!(ran.status.success(), "{}: {said}", told.name);
        let there: Value = serde_json::from_slice(&ran.stdout).unwrap();
        let here = here(&told);
        assert_eq!(there["outputs"], here["outputs"], "{}", told.name);
        let first = told
            .flow
            .nodes
            .iter()
            .find(|node| node.kind == "loop")
            .unwrap();
        let run = &there["loops"][&first.id];
        assert_eq!(run[0], here["iterations"], "{}: {there}", told.name);
        assert_eq!(run[1], here["reason"], "{}: {there}", told.name);
        assert_eq!(there["left"], 0, "{}", told.name);
    }
}

/// What a program cannot do is said in its head and in the entries.
#[test]
fn what_cannot_be_expressed_is_said() {
    let kinds = loopwright_nodes::all();
    let export = export(&template("poll-until-done.json"), kinds.specs());
    let said: Vec<&str> = export
        .entries
        .iter()
        .map(|entry| entry.message.as_str())
        .collect();
    assert!(
        said.iter()
            .any(|said| said.contains("nodes of the kind tool are not written")),
        "{said:?}"
    );
    assert!(
        said.iter()
            .any(|said| said.contains("no pause between iterations")),
        "{said:?}"
    );
    for message in said {
        assert!(export.program.contains(message), "{message}");
    }
}
