//! Exported programs run against the real langgraph package, and give what the flows give here.
//!
//! The package comes from PyPI into a folder beside the build; where that cannot be reached the test says so and passes.

#![allow(clippy::unwrap_used)]

#[path = "../../providers/tests/registries/mod.rs"]
mod registries;
mod support;

use std::{
    collections::HashMap,
    fs,
    path::{Path, PathBuf},
    process::Command,
    sync::Arc,
};

use loopwright_api::FlowsOnDisk;
use loopwright_engine::{EventBody, RunStatus, host::Services, journal::Journal, plan::plan};
use loopwright_import::langgraph::export;
use loopwright_journal::MemoryJournal;
use loopwright_model::{Flow, file, validate::check};
use loopwright_providers::fake::{FakeModels, Reply, Script};
use serde_json::{Map, Value, json};

use support::{
    Stop,
    case::{Checked, read, root},
    execute_among,
    people::People,
    world::{Registry, ScriptedTools},
};

/// A Python with langgraph; `None` where it cannot be had here.
fn python() -> Option<PathBuf> {
    match registries::python("langgraph", &["langgraph==1.2.22", "jinja2==3.1.6"]) {
        Ok(programs) => Some(programs.join("python")),
        Err(why) => {
            registries::skipped("exported programs in the real langgraph", &why);
            None
        }
    }
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

/// Runs every program of a folder, each with the replies that its case has, and says of each what came of it.
const DRIVER_OF_ALL: &str = r#"
import importlib.util, json, os, sys

class Models:
    def __init__(self, script):
        self.replies, self.repeat, self.taken = script["replies"], script["repeat"], set()
    def fits(self, reply, call):
        return not reply.get("when") or reply["when"] in call.prompt or reply["when"] in (call.system or "")
    def __call__(self, call):
        fitting = [at for at, reply in enumerate(self.replies) if self.fits(reply, call)]
        left = [at for at in fitting if at not in self.taken]
        if not left and self.repeat:
            self.taken -= set(fitting)
            left = fitting
        if not left:
            raise RuntimeError("script_ended")
        self.taken.add(left[0])
        reply = self.replies[left[0]]
        if reply.get("error"):
            raise RuntimeError(reply["error"]["message"])
        if reply.get("text") is not None:
            return reply["text"]
        return json.dumps(reply.get("json"), separators=(",", ":"), ensure_ascii=False)

told = {}
for name in sorted(os.listdir(sys.argv[1])):
    folder = os.path.join(sys.argv[1], name)
    case = json.load(open(os.path.join(folder, "told.json")))
    try:
        spec = importlib.util.spec_from_file_location("program_" + name.replace("-", "_"), os.path.join(folder, "program.py"))
        program = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = program
        spec.loader.exec_module(program)
        program.MODEL = Models(case["script"])
        done = program.run_flow(case["inputs"])
        loops = {loop: [len(run["results"]), run["reason"], run["exhausted"]] for loop, run in done["loops"].items() if run}
        told[name] = {"outputs": done["outputs"], "loops": loops}
    except Exception as error:
        told[name] = {"failed": f"{type(error).__name__}: {error}"}
print(json.dumps(told))
"#;

/// The flows of this folder's cases that a program can express, run as a program: the same outputs, iterations and exit
/// reasons, and a failure where the flow fails.
#[test]
fn programs_of_all_cases_give_what_the_cases_give() {
    let kinds = loopwright_nodes::all();
    let Some(python) = python() else {
        return;
    };
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/flows");
    let programs = tempfile::tempdir().unwrap();
    let mut wanted: HashMap<String, Value> = HashMap::new();
    for entry in fs::read_dir(cases)
        .unwrap()
        .flatten()
        .filter(|entry| entry.path().is_dir())
    {
        let Some(case) = read(&entry.path()) else {
            continue;
        };
        let run = &case.run;
        // Ten thousand letters compared with ten thousand take Python half a minute.
        if case.name == "similarity-cut" {
            continue;
        }
        let own = run.flow.is_some()
            || run.built_in
            || !run.answers.is_empty()
            || run.cancel_at.is_some()
            || run.cancel_after_ms.is_some();
        let Checked::Planned(plan) = case.check(&kinds) else {
            continue;
        };
        let export = export(&case.flow, kinds.specs());
        if own || !export.entries.is_empty() {
            continue;
        }
        let folder = programs.path().join(&case.name);
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join("program.py"), &export.program).unwrap();
        fs::write(
            folder.join("told.json"),
            json!({ "inputs": run.inputs, "script": run.script }).to_string(),
        )
        .unwrap();
        let journal: Arc<dyn Journal> = Arc::new(MemoryJournal::new());
        let done = case.execute(&plan, &journal, None);
        let mut loops = Map::new();
        for event in &done.events {
            if let (
                Some(node),
                EventBody::NodeCompleted {
                    iterations_run: Some(ran),
                    exit_reason: Some(why),
                    exhausted: Some(exhausted),
                    ..
                },
            ) = (&event.node_id, &event.body)
            {
                loops.insert(node.clone(), json!([ran, why, exhausted]));
            }
        }
        let is_loop = |id: &String| case.flow.node(id).is_some_and(|node| node.kind == "loop");
        loops.retain(|id, _| is_loop(id));
        wanted.insert(case.name.clone(), json!({
            "completed": done.state.status == RunStatus::Completed, "outputs": done.state.outputs, "loops": loops,
            "error": done.state.error.as_ref().map(|error| &error.message)
        }));
    }
    let ran = Command::new(&python)
        .args(["-c", DRIVER_OF_ALL])
        .arg(programs.path())
        .output()
        .unwrap();
    assert!(
        ran.status.success(),
        "{}",
        String::from_utf8_lossy(&ran.stderr)
    );
    let there: HashMap<String, Value> = serde_json::from_slice(&ran.stdout).unwrap();
    let mut wrong = Vec::new();
    for (name, here) in &wanted {
        let there = &there[name];
        let same = if here["completed"] == true {
            here["outputs"] == there["outputs"]
                && here["loops"]
                    .as_object()
                    .unwrap()
                    .iter()
                    .all(|(id, end)| there["loops"].get(id) == Some(end))
        } else {
            there.get("failed").is_some()
        };
        if !same {
            wrong.push(format!("{name}\n  here  {here}\n  there {there}"));
        }
    }
    wrong.sort();
    println!("{} programs", wanted.len());
    assert!(
        wrong.is_empty(),
        "{} of {}:\n{}",
        wrong.len(),
        wanted.len(),
        wrong.join("\n")
    );
    assert!(wanted.len() > 60, "{} programs alone", wanted.len());
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
