//! Exported programs run with the real langgraph package and produce the same results as their flows do in this program.
//!
//! The package is installed from PyPI into a folder next to the build. If PyPI cannot be reached, the test prints a message
//! and passes.

#![allow(clippy::unwrap_used)]

use std::{
    collections::HashMap,
    fs,
    path::{Path, PathBuf},
    process::Command,
    sync::Arc,
};

use loopwright_engine::{Event, EventBody, RunStatus, journal::Journal, plan::plan};
use loopwright_export::langgraph::export;
use loopwright_journal::MemoryJournal;
use loopwright_model::{Flow, file, validate::check};
use loopwright_runs::FlowsOnDisk;
use loopwright_template::{Expression, LANGUAGE, Scope as Names, Template, WordKind};
use loopwright_testing::scripted::{Reply, Script};
use serde_json::{Map, Value, json};
use support::{
    Stop, Tokio,
    case::{Checked, cases, read, root},
    execute_among,
    people::People,
};

use crate::{registries, support};

/// Returns the path of a Python interpreter with langgraph, or `None` if it cannot be installed on this computer.
fn python() -> Option<PathBuf> {
    match registries::python("langgraph", &["langgraph==1.2.22"]) {
        Ok(programs) => Some(programs.join("python")),
        Err(why) => {
            registries::skipped("exported programs in the real langgraph", &why);
            None
        }
    }
}

/// A Python program that runs the exported program with a model that returns `replies` one after another.
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
    let containing = |exit: Value, when: &str| {
        flow(
            json!([
                node("topic", "input", json!({ "name": "topic" })),
                node("loop", "loop", exit),
                node(
                    "draft",
                    "llm",
                    json!({ "prompt": "W: {{ input }} after {{ loopResult | default(value=\"nothing\") }}" })
                ),
                node(
                    "judge",
                    "router",
                    json!({ "branches": [{ "name": "done", "when": when }, { "name": "again" }], "fallback": "again" })
                ),
                node(
                    "fix",
                    "transform",
                    json!({ "template": "{{ judge.selectedBranch }} ({{ judge.reason }}): {{ judge.value }}, was {{ previous.draft | default(value=\"-\") }} of {{ loop }} {{ loopResult }}" })
                ),
                node("exit", "exit", json!({})),
                node("out", "output", json!({ "name": "out" }))
            ]),
            &[
                ("topic", "loop"),
                ("loop:body", "draft"),
                ("draft", "judge"),
                ("judge:done", "exit"),
                ("judge:again", "fix"),
                ("fix", "loop:feedback"),
                ("exit", "out"),
            ],
        )
    };
    vec![
        Told {
            name: "an evaluator that looks for a word",
            flow: containing(
                json!({ "maxIterations": 5, "exitCondition": "evaluator" }),
                "input is containing(pat=\"GOOD\")",
            ),
            inputs: json!({}),
            replies: vec!["bad", "worse", "GOOD one"],
        },
        Told {
            name: "a condition that looks for a word",
            flow: containing(
                json!({ "maxIterations": 5, "exitCondition": "condition", "condition": { "until": "result is containing(pat=\"DONE\")", "test": "after" } }),
                "false",
            ),
            inputs: json!({ "topic": "a cat" }),
            replies: vec!["one", "two DONE"],
        },
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
    let services = support::scripted_services(Script {
        replies: told.replies.iter().map(|text| Reply::text(text)).collect(),
        ..Script::default()
    });
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
        let export = export(&told.flow, kinds.specs()).unwrap();
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

/// A Python program that runs every program of a folder, each with the replies of its case, and prints the result of each.
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

/// Exports the flows of the cases that can be exported, and runs the programs. Their outputs, iterations and exit reasons
/// must equal those of the flows, and a program must fail if its flow fails.
#[test]
fn programs_of_all_cases_give_what_the_cases_give() {
    let kinds = loopwright_nodes::all();
    let Some(python) = python() else {
        return;
    };
    let programs = tempfile::tempdir().unwrap();
    let mut wanted: HashMap<String, Value> = HashMap::new();
    for entry in fs::read_dir(cases())
        .unwrap()
        .flatten()
        .filter(|entry| entry.path().is_dir())
    {
        let Some(case) = read(&entry.path(), Some(support::BUILT_IN)) else {
            continue;
        };
        let run = &case.run;
        // Computing the similarity of two texts of ten thousand letters takes Python half a minute.
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
        if own {
            continue;
        }
        let Ok(export) = export(&case.flow, kinds.specs()) else {
            continue;
        };
        let folder = programs.path().join(&case.name);
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join("program.py"), &export.program).unwrap();
        fs::write(
            folder.join("told.json"),
            json!({ "inputs": run.inputs, "script": run.script }).to_string(),
        )
        .unwrap();
        let done = case.execute(&Tokio::new(), &plan, None);
        // Exported programs do not wait for quotas.
        let parked = |event: &Event| matches!(event.body, EventBody::NodeParked { .. });
        if done.events.iter().any(parked) {
            fs::remove_dir_all(&folder).unwrap();
            continue;
        }
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

/// A Python program that evaluates every template and condition of an exported program, each separately and with every value.
const DRIVER_OF_TEMPLATES: &str = r#"
import json, sys
sys.path.insert(0, sys.argv[1])
import program
told = json.load(open(sys.argv[1] + "/told.json"))
state = {"inputs": {}, "values": {}, "loops": {}, "outputs": {}}
rows = []
for name, node in program.NODES.items():
    row = []
    for given in told["values"]:
        names = program.Names(state, node, {} if given is None else {"input": given[0]})
        try:
            if node["kind"] == "router":
                row.append({"value": program.test(node["data"]["branches"][0]["when"], names)})
            else:
                row.append({"value": program.render(node["data"]["template"], names)})
        except (program.Failed, program.NoValue, program.Stopped, ValueError) as error:
            row.append({"failed": str(error)})
        except Exception as error:
            row.append({"crashed": f"{type(error).__name__}: {error}"})
    rows.append(row)
print(json.dumps(rows))
"#;

/// Returns the values with which templates and conditions are evaluated. `None` means that there is no input.
fn values() -> Vec<Option<Value>> {
    let of = |values: Value| values.as_array().cloned().unwrap();
    let mut all: Vec<Option<Value>> = of(json!([
        null,
        true,
        false,
        0,
        1,
        -1,
        2,
        7,
        -7,
        3.0,
        2.5,
        -2.5,
        0.1,
        1e-7,
        0.00001,
        1e16,
        1.5e300,
        9007199254740993i64,
        18446744073709551615u64,
        i64::MIN,
        "",
        " ",
        "DONE",
        "all DONE now",
        "a,b,,c",
        "  two words \n",
        "12",
        "-3",
        "+4.50",
        "1e3",
        "0x1f",
        "nan",
        "ß Straße ΣΑΣ éñ",
        "it's a \"test\" <b>&amp;</b>\r\nline two\n\n  three",
        "\u{1c}x\u{a0}",
        "{\"a\": 1}",
        [],
        [1, 2, 3],
        [3, 1, 2, 1],
        ["b", "a", "DONE"],
        ["b", 1, null, true, 1.0, "1"],
        [[2, 1], [1]],
        [null, 2, 1],
        [{ "n": 2, "name": "x" }, { "n": 1, "name": "y" }, { "n": 1.0, "name": "z" }],
        [{ "n": null }, { "n": "a" }],
        {},
        { "a": 1, "b": "two", "DONE": true },
        { "z": 1.0, "a": { "b": [10, { "c": null }] }, "score": 8, "name": "Ann", "done": false, "list": [1, 2, 3] },
        { "score": 8.5, "text": "ok", "n": 0 }
    ]))
    .into_iter()
    .map(Some)
    .collect();
    all.push(None);
    all
}

/// Every construct of the template language that a program supports.
const TEMPLATES: &[&str] = &[
    "plain words { } %",
    "{{ input }}",
    "{{ input }}!",
    "<{{ input }}|{{ input }}>",
    "{{ input.a }}",
    "{{ input.a.b }}",
    "{{ input.a.b[1].c }}",
    "{{ input[\"a\"] }}",
    "{{ input[0] }}",
    "{{ input[-1] }}",
    "{{ input[99] }}",
    "{{ input[1 + 1] }}",
    "{{ input?.a?.b }}",
    "{{ (input)[0] }}",
    "{{ \"abc\"[1] }}",
    "{{ inputs.input }}",
    "{{ inputs }}",
    "{{ run.inputs }}",
    "{{ input | default(value=\"none\") }}",
    "{{ input.a | default(value=\"none\") }}",
    "{{ input | default(value=\"none\", boolean=true) }}",
    "{{ input.score | default(value=0) + 1 }}",
    "{{ input | json }}",
    "{{ input | json(pretty=true) }}",
    "{{ input | length }}",
    "{{ input | join }}",
    "{{ input | join(sep=\", \") }}",
    "{{ input | trim }}",
    "{{ input | trim(pat=\"a\") }}",
    "{{ input | trim_start }}|",
    "{{ input | trim_start(pat=\" \") }}|",
    "{{ input | trim_end }}|",
    "{{ input | trim_end(pat=\"\") }}|",
    "{{ input | upper }}",
    "{{ input | lower }}",
    "{{ input | capitalize }}",
    "{{ input | title }}",
    "{{ input | truncate(length=4) }}",
    "{{ input | truncate(length=4, end=\"\") }}",
    "{{ input | truncate(length=-1) }}",
    "{{ input | replace(from=\"a\", to=\"-\") }}",
    "{{ input | replace(from=\"\", to=\"-\") }}",
    "{{ input | split(pat=\",\") }}",
    "{{ input | split(pat=\"\") }}",
    "{{ input | indent }}",
    "{{ input | indent(width=2, first=true) }}",
    "{{ input | indent(width=1, blank=true) }}",
    "{{ input | wordcount }}",
    "{{ input | first }}",
    "{{ input | last }}",
    "{{ input | nth(n=1) }}",
    "{{ input | nth(n=9) }}",
    "{{ input | reverse }}",
    "{{ input | sort }}",
    "{{ input | sort(attribute=\"n\") }}",
    "{{ input | unique }}",
    "{{ input | get(key=\"a\") }}",
    "{{ input | get(key=\"x\", default=\"none\") }}",
    "{{ input | keys }}",
    "{{ input | values }}",
    "{{ input | pairs }}",
    "{{ input | int }}",
    "{{ input | int(base=16) }}",
    "{{ input | int(base=2) }}",
    "{{ input | int(base=99) }}",
    "{{ input | float }}",
    "{{ input | str }}",
    "{{ input | round }}",
    "{{ input | round(precision=1) }}",
    "{{ input | round(precision=-1) }}",
    "{{ input | round(method=\"ceil\") }}",
    "{{ input | round(method=\"floor\", precision=1) }}",
    "{{ input | round(method=\"odd\") }}",
    "{{ input | abs }}",
    "word{{ input | pluralize }}",
    "{{ input | pluralize(singular=\"y\", plural=\"ies\") }}",
    "{{ input | escape }}",
    "{{ input | escape_html }}",
    "{{ input | escape_xml }}",
    "{{ input | newlines_to_br }}",
    "{{ input | lower | trim | replace(from=\"done\", to=\"\") | length }}",
    "{{ range(end=3) }}",
    "{{ range(start=1, end=10, step_by=4) }}",
    "{{ range(start=3, end=0, step_by=-1) }}",
    "{{ range(end=input) }}",
    "{{ throw(message=\"no\") }}",
    "{{ input + 1 }}",
    "{{ input - 2.5 }}",
    "{{ input * 2 }}",
    "{{ 1 / input }}",
    "{{ input / 2 }}",
    "{{ input // 2 }}",
    "{{ input // -2 }}",
    "{{ input // 0.5 }}",
    "{{ input % 3 }}",
    "{{ input % -3 }}",
    "{{ input % 0.3 }}",
    "{{ input ** 2 }}",
    "{{ 2 ** input }}",
    "{{ input ** 0.5 }}",
    "{{ input ** -1 }}",
    "{{ 2 ** 3 ** 2 }}",
    "{{ -input }}",
    "{{ -input | abs }}",
    "{{ 1 + 2 * 3 - 4 / 2 }}",
    "{{ (1 + 2) * 3 }}",
    "{{ 7 // 2 }}/{{ -7 // 2 }}/{{ 7 % -2 }}/{{ 10 / 4 }}/{{ 8 / 2 }}",
    "{{ 0.1 + 0.2 }}",
    "{{ 9223372036854775807 + 1 }}",
    "{{ input ~ \"/\" ~ input }}",
    "{{ \"a\" ~ input }}",
    "{{ \"n\" ~ (input | str) ~ \"!\" }}",
    "{{ input == 1 }}",
    "{{ input == \"DONE\" }}",
    "{{ input == [1, 2, 3] }}",
    "{{ input == {\"a\": 1, \"b\": \"two\", \"DONE\": true} }}",
    "{{ input != true }}",
    "{{ input == none }}",
    "{{ input < 2 }}",
    "{{ input <= 1 }}",
    "{{ input > \"B\" }}",
    "{{ input >= [1, 2] }}",
    "{{ input < none }}",
    "{{ input in [1, \"DONE\", none] }}",
    "{{ \"a\" in input }}",
    "{{ 1 in input }}",
    "{{ 1 not in input }}",
    "{{ input and 1 }}",
    "{{ input or \"else\" }}",
    "{{ not input }}",
    "{{ not input or input == 1 and true }}",
    "{{ \"yes\" if input else \"no\" }}",
    "{{ \"yes\" if input.done else \"no\" if input.score else \"neither\" }}",
    "{{ [1, input, \"x\"] }}",
    "{{ [0, ...input, 9] }}",
    "{{ {\"k\": input, \"l\": [1]} }}",
    "{{ {...input, \"score\": 1, \"new\": 2} }}",
    "{{ {\"score\": 1, ...input} }}",
    "{{ [x * 2 for x in input] }}",
    "{{ [x for x in input if x] }}",
    "{{ [[k, v] for k, v in input] }}",
    "{{ [x.name for x in input if x.n == 1] | join(sep=\"+\") }}",
    "{% if input %}yes{% else %}no{% endif %}",
    "{% if input == 1 %}one{% elif input == 2 %}two{% elif input %}many{% endif %}",
    "{% if input.a.b %}deep{% endif %}",
    "{% for x in input %}{{ loop.index }}/{{ loop.length }}:{{ x }}{% if not loop.last %}; {% endif %}{% endfor %}",
    "{% for x in input -%}\n  {{ loop.index0 }}{{ loop.first }} {{- x }}\n{%- endfor %}",
    "{% for k, v in input %}{{ k }}={{ v }},{% endfor %}",
    "{% for x in input %}{{ x }}{% else %}empty{% endfor %}",
    "{% for x in input %}{% if x == 2 %}{% continue %}{% endif %}{% if x == 3 %}{% break %}{% endif %}{{ x }}{% endfor %}",
    "{% for x in [1, 2] %}{% for y in input %}{{ loop.index }}{{ x }}{{ y }} {% endfor %}{{ loop.index }}{% endfor %}",
    "{% set n = 0 %}{% for x in input %}{% set_global n = n + 1 %}{% set m = n * 2 %}{{ m }}{% endfor %}={{ n }}",
    "{% set n = 0 %}{% for x in [1, 2, 3] %}{% set n = n + 1 %}{{ n }}{% endfor %}={{ n }}",
    "{% if input %}{% set s = 1 %}{% else %}{% set s = 2 %}{% endif %}{{ s }}",
    "{% set t | upper | trim %} a {{ input }} b {% endset %}[{{ t }}]",
    "{% filter lower | replace(from=\"d\", to=\"*\") %}X {{ input }}{% endfilter %}",
    "{% filter upper %}{% for x in [\"a\", \"b\"] %}{{ x }}{% endfor %}{% endfilter %}",
    "a {#- gone -#} b {# x #} {{- input -}} c",
    "a {%- raw -%} {{ kept }} {%- endraw -%} b",
    "{% raw %}{{ kept }} {% if %}{% endraw %} {{ input }}",
    "  {%- if true -%}  x  {%- endif -%}  ",
    "{{ input is defined }}",
    "{{ input.a is undefined }}",
    "{{ 'single' }}{{ `back` }}{{ \"es\\\"caped\\n\" }}",
    "{{ true }} {{ False }} {{ none }} {{ 1.50 }} {{ 100000000000000000000.5 }}",
];

/// Conditions with every test and operator. In a condition, a missing name is not an error.
const CONDITIONS: &[&str] = &[
    "input",
    "input.done",
    "input.a.b",
    "not input.done",
    "input is defined",
    "input is not defined",
    "input.a is undefined",
    "input is none",
    "input is containing(pat=\"DONE\")",
    "input is not containing(pat=\"DONE\")",
    "input is containing(pat=1)",
    "input.text is containing(pat=\"ok\")",
    "input.list is containing(pat=2)",
    "input is starting_with(pat=\"a\")",
    "input is ending_with(pat=\"E\")",
    "input is matching(pat=\"^[A-Z]+$\")",
    "input is matching(pat='(two|DONE)\\\\s*$')",
    "input is matching(pat=\"[0-9]{1,2}\")",
    "input is matching(pat='^[A-Z]+-\\\\d{2,3}$')",
    "input is matching(pat=\"a.*?c\")",
    "input is string",
    "input is number",
    "input is integer",
    "input is float",
    "input is bool",
    "input is array",
    "input is map",
    "input is iterable",
    "input is odd",
    "input is even",
    "input is divisible_by(divisor=7)",
    "input is divisible_by(divisor=0)",
    "input >= 2",
    "input.score >= 8",
    "input.score >= 8 and input.done",
    "input.score >= 8 or input == 7",
    "input.missing >= 8 or true",
    "true or input.missing >= 8",
    "input.missing == none",
    "input.missing != 1",
    "input | length > 2",
    "input | length",
    "input | int == 12",
    "(input | default(value=\"\")) == \"\"",
    "\"DONE\" in input",
    "input.name in [\"Ann\", \"Bo\"]",
    "input.a.b[0] == 10",
    "input[0] == 1",
    "(input | upper) is containing(pat=\"DONE\")",
    "true if input else false",
    "[x for x in input if x == 1] | length == 1",
    "throw(message=\"no\")",
    "input == \"a\" and throw(message=\"no\")",
];

/// Each template and condition is evaluated with every value. It has the same result in this program and in an exported one,
/// or fails in both.
#[test]
fn templates_mean_in_a_program_what_they_mean_here() {
    let kinds = loopwright_nodes::all();
    let Some(python) = python() else {
        return;
    };
    let template = |(index, source): (usize, &&str)| {
        node(
            &format!("t{index}"),
            "transform",
            json!({ "template": source }),
        )
    };
    let condition = |(index, source): (usize, &&str)| {
        let branches = json!([{ "name": "yes", "when": source }]);
        node(
            &format!("c{index}"),
            "router",
            json!({ "mode": "rules", "branches": branches }),
        )
    };
    let nodes: Vec<Value> = TEMPLATES
        .iter()
        .enumerate()
        .map(template)
        .chain(CONDITIONS.iter().enumerate().map(condition))
        .collect();
    let export = export(&flow(Value::Array(nodes), &[]), kinds.specs()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("program.py"), &export.program).unwrap();
    let values = values();
    let told: Vec<Value> = values
        .iter()
        .map(|value| value.as_ref().map_or(Value::Null, |value| json!([value])))
        .collect();
    fs::write(
        folder.path().join("told.json"),
        json!({ "values": told }).to_string(),
    )
    .unwrap();
    let ran = Command::new(&python)
        .args(["-c", DRIVER_OF_TEMPLATES])
        .arg(folder.path())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success(), "{said}");
    let there: Vec<Vec<Value>> = serde_json::from_slice(&ran.stdout).unwrap();
    let scope_of = |value: &Option<Value>| {
        let mut scope = Names::new();
        scope.insert("run", json!({ "inputs": {} }));
        let inputs: Map<String, Value> = value
            .iter()
            .map(|value| ("input".to_owned(), value.clone()))
            .collect();
        scope.insert("inputs", Value::Object(inputs));
        if let Some(value) = value {
            scope.insert("input", value.clone());
        }
        scope
    };
    let mut wrong = Vec::new();
    let mut compared = 0;
    let mut compare =
        |source: &str, row: &[Value], here: &dyn Fn(&Names) -> Result<Value, String>| {
            for (value, there) in values.iter().zip(row) {
                let here = here(&scope_of(value));
                let same = match &here {
                    Ok(here) => there.get("value") == Some(here),
                    Err(_) => there.get("failed").is_some(),
                };
                compared += 1;
                if !same {
                    wrong.push(format!(
                        "{source}  with {value:?}\n  here  {here:?}\n  there {there}"
                    ));
                }
            }
        };
    for (source, row) in TEMPLATES.iter().zip(&there) {
        let parsed = Template::parse(source).unwrap();
        compare(source, row, &|scope| {
            parsed.render(scope).map_err(|error| error.to_string())
        });
    }
    for (source, row) in CONDITIONS.iter().zip(&there[TEMPLATES.len()..]) {
        let parsed = Expression::parse(source).unwrap();
        compare(source, row, &|scope| {
            let tested = parsed.test(scope).map(Value::Bool);
            tested.map_err(|error| error.to_string())
        });
    }
    assert!(compared > 8_000, "{compared}");
    assert!(
        wrong.is_empty(),
        "{} of {compared}:\n{}",
        wrong.len(),
        wrong[..wrong.len().min(60)].join("\n")
    );
}

/// Constructs that a program does not support, each with the text of the error.
const REFUSED: &[(&str, &str)] = &[
    ("{{ input | safe }}", "the filter `safe`"),
    (
        "{{ input | group_by(attribute=\"n\") }}",
        "the filter `group_by`",
    ),
    ("{{ input[1:3] }}", "a slice such as"),
    ("{{ input[:-1] }}", "a slice such as"),
    ("{{ (input + 1) ~ \"x\" }}", "`~` with a value"),
    ("{{ {1: 2} }}", "whose field name"),
    (
        "{{ input | upper(loud=true) }}",
        "the unknown argument `loud`",
    ),
    (
        "{{ input | truncate }}",
        "without its required argument `length`",
    ),
    (
        "{% if input is matching(pat=input) %}{% endif %}",
        "known only during the run",
    ),
    (
        "{% if input is matching(pat=\"(?i)yes\") %}{% endif %}",
        "a group with flags",
    ),
    (
        "{% if input is matching(pat='\\\\bword') %}{% endif %}",
        "`\\b`",
    ),
    ("{{ loops }}", "`loops` without a fixed name"),
    ("{{ nodes[input] }}", "`nodes` without a fixed name"),
    (
        "{% for x in [1] %}{{ x }}{% endfor %}{{ x | default(value=1) }}",
        "itself sets elsewhere",
    ),
];

#[test]
fn a_construct_that_means_something_else_there_is_refused_by_name() {
    let kinds = loopwright_nodes::all();
    for (source, says) in REFUSED {
        let flow = flow(
            json!([node(
                "made",
                "transform",
                json!({ "label": "Made", "template": source })
            )]),
            &[],
        );
        assert!(Template::parse(source).is_ok(), "{source}");
        let refused = export(&flow, kinds.specs()).unwrap_err();
        let [reason] = refused.reasons.as_slice() else {
            panic!("{source}: {refused}");
        };
        assert_eq!(reason.place, "Made.template", "{source}");
        assert!(
            reason.message.contains(says),
            "{source}: {}",
            reason.message
        );
    }
}

/// The patterns that Python's `re` reads differently from `matching`.
const PATTERNS: [&str; 9] = [
    "\\\\bword",
    "(?i)yes",
    "\\\\w+",
    "a++",
    "[[:alpha:]]",
    "\\\\p{L}",
    "[a&&b]",
    "(?P<n>a)",
    "a{,3}",
];

#[test]
fn a_pattern_that_python_reads_differently_is_refused() {
    for pattern in PATTERNS {
        let source = format!("{{% if input is matching(pat='{pattern}') %}}{{% endif %}}");
        let made = node(
            "made",
            "transform",
            json!({ "label": "Made", "template": source }),
        );
        let reasons = refused(json!([made]), json!({}));
        assert_eq!(reasons.len(), 1, "{pattern}: {reasons:?}");
        assert_eq!(reasons[0].0, "Made.template", "{pattern}");
    }
}

/// Every word of the language must occur in a supported template or in a construct that is refused with the word's name.
#[test]
fn every_word_of_the_language_is_exported_or_refused() {
    for word in LANGUAGE {
        let name = word.name;
        let written = |source: &str| match word.kind {
            WordKind::Filter => source.contains(&format!("| {name}")),
            WordKind::Test => {
                source.contains(&format!("is {name}")) || source.contains(&format!("is not {name}"))
            }
            WordKind::Function => source.contains(&format!("{name}(")),
            WordKind::Tag => {
                source.contains(&format!("{{% {name}")) || source.contains(&format!("{{%- {name}"))
            }
            WordKind::Operator => source
                .split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
                .any(|part| part == name),
        };
        let tried = TEMPLATES
            .iter()
            .chain(CONDITIONS)
            .any(|source| written(source));
        let refused = REFUSED
            .iter()
            .any(|(source, says)| written(source) && says.contains(name));
        assert!(tried || refused, "{name}");
    }
}

/// Returns the reasons why a flow is refused: for each, the node and field, and the message.
fn refused(nodes: Value, settings: Value) -> Vec<(String, String)> {
    let kinds = loopwright_nodes::all();
    let document = json!({ "name": "refused", "settings": settings, "nodes": nodes, "edges": [] });
    let flow = file::read_value(document).unwrap();
    let refused = export(&flow, kinds.specs()).unwrap_err();
    let reasons = refused.reasons.into_iter();
    reasons
        .map(|reason| (reason.place, reason.message))
        .collect()
}

/// The kinds that can be exported. A node of another kind is refused, and the reason names the title of its kind.
const EXPORTED: [&str; 8] = [
    "input",
    "output",
    "llm",
    "router",
    "transform",
    "loop",
    "exit",
    "note",
];

#[test]
fn every_kind_is_exported_or_refused_by_name() {
    let kinds = loopwright_nodes::all();
    for kind in kinds.specs().iter() {
        let name = kind.type_name();
        if EXPORTED.contains(&name) {
            continue;
        }
        let reasons = refused(json!([node("a", name, json!({ "label": "A" }))]), json!({}));
        assert_eq!(reasons.len(), 1, "{name}: {reasons:?}");
        assert_eq!(reasons[0].0, "A", "{reasons:?}");
        assert!(reasons[0].1.contains(kind.title()), "{reasons:?}");
    }
    for tool in [
        "script.python",
        "script.lua",
        "script.javascript",
        "command",
        "expression.azure",
    ] {
        let reasons = refused(
            json!([node("a", "tool", json!({ "label": "A", "tool": tool }))]),
            json!({}),
        );
        assert!(reasons[0].1.contains(&format!("`{tool}`")), "{reasons:?}");
    }
    let imported =
        json!({ "label": "A", "template": "x", "imported": { "reason": "no counterpart" } });
    let reasons = refused(json!([node("a", "transform", imported)]), json!({}));
    assert!(reasons[0].1.contains("placeholder"), "{reasons:?}");
}

#[test]
fn a_field_that_the_program_cannot_keep_to_is_refused_with_its_place() {
    let schema = |schema: Value| json!({ "prompt": "x", "responseFormat": schema });
    for (kind, data, place, says) in [
        (
            "llm",
            json!({ "prompt": "x", "retry": { "type": "fixed", "count": 2 } }),
            "A.retry",
            "does not retry calls",
        ),
        (
            "transform",
            json!({ "template": "x", "timeout": "PT5S" }),
            "A.timeout",
            "no time limits",
        ),
        (
            "transform",
            json!({ "template": "x", "disabled": true }),
            "A.disabled",
            "cannot bypass nodes",
        ),
        (
            "llm",
            json!({ "prompt": "x", "session": "loop" }),
            "A.session",
            "separate conversation",
        ),
        (
            "llm",
            schema(json!({ "type": "string", "pattern": "^a" })),
            "A.responseFormat",
            "`pattern`",
        ),
        (
            "llm",
            schema(json!({ "anyOf": [] })),
            "A.responseFormat",
            "`anyOf`",
        ),
        (
            "llm",
            json!({ "prompt": "{{ input | safe }}" }),
            "A.prompt",
            "`safe`",
        ),
        (
            "llm",
            json!({ "prompt": "x", "systemPrompt": "{{ input[1:] }}" }),
            "A.systemPrompt",
            "a slice",
        ),
        (
            "router",
            json!({ "branches": [{ "name": "a", "when": "input is matching(pat=input)" }] }),
            "A.branches[0].when",
            "`matching`",
        ),
    ] {
        let mut data = data;
        data["label"] = json!("A");
        let reasons = refused(json!([node("a", kind, data)]), json!({}));
        assert_eq!(reasons.len(), 1, "{reasons:?}");
        assert_eq!(reasons[0].0, place, "{reasons:?}");
        assert!(reasons[0].1.contains(says), "{reasons:?}");
    }
    let looped = |extra: Value| {
        let mut data = json!({ "label": "A", "maxIterations": 2 });
        for (name, value) in extra.as_object().unwrap() {
            data[name] = value.clone();
        }
        let flow = flow(
            json!([
                node("a", "loop", data),
                node("b", "transform", json!({ "template": "{{ input }}" })),
                node("e", "exit", json!({}))
            ]),
            &[("a:body", "b"), ("b", "e")],
        );
        let kinds = loopwright_nodes::all();
        let reasons = export(&flow, kinds.specs()).unwrap_err().reasons;
        assert_eq!(reasons.len(), 1, "{reasons:?}");
        reasons[0].place.clone()
    };
    for (extra, place) in [
        (
            json!({ "limits": { "timeout": "PT1M" } }),
            "A.limits.timeout",
        ),
        (
            json!({ "limits": { "budgetUsd": 1.0 } }),
            "A.limits.budgetUsd",
        ),
        (json!({ "onError": "return" }), "A.onError"),
        (
            json!({ "exitCondition": "score_plateau", "score": "result | length" }),
            "A.exitCondition",
        ),
        (
            json!({ "delay": { "interval": "PT1S", "jitter": 0.5 } }),
            "A.delay.jitter",
        ),
        (
            json!({ "result": "best", "score": "result | group_by(attribute=\"a\")" }),
            "A.score",
        ),
        (
            json!({ "outputs": [{ "name": "x", "from": "loopStartTime" }] }),
            "A.outputs[0].from",
        ),
        (
            json!({ "exitCondition": "condition", "condition": { "until": "result[1:] == []" } }),
            "A.condition.until",
        ),
        (
            json!({ "variables": [{ "name": "x", "initial": 1, "next": "{{ loops }}" }] }),
            "A.variables[0].next",
        ),
    ] {
        assert_eq!(looped(extra), place);
    }
    let nothing = json!([node("a", "input", json!({}))]);
    let budget = refused(nothing.clone(), json!({ "budget": { "usd": 1 } }));
    assert_eq!(budget[0].0, "settings.budget");
    assert_eq!(
        refused(nothing, json!({ "timeout": "PT1M" }))[0].0,
        "settings.timeout"
    );
}

/// Imported flows are exported to programs that Python compiles and that produce the same results, or are refused with a
/// reason.
#[test]
fn flows_of_imports_are_exported_or_refused() {
    let kinds = loopwright_nodes::all();
    let Some(python) = python() else {
        return;
    };
    let programs = tempfile::tempdir().unwrap();
    let mut wanted: HashMap<String, Value> = HashMap::new();
    let (mut imported, mut refused) = (0, 0);
    let mut folders: Vec<PathBuf> = [
        "loom",
        "logicapps",
        "aistudio",
        "tea",
        "shodan",
        "import-defects",
    ]
    .iter()
    .map(|name| root().join("../shared/cases").join(name))
    .collect();
    folders.push(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/imports"));
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let Ok(text) = fs::read_to_string(&path) else {
                continue;
            };
            let options = loopwright_import::Options {
                kinds: Some(kinds.specs().clone()),
                ..Default::default()
            };
            let Ok(made) = loopwright_import::import(&text, &options) else {
                continue;
            };
            let linked = check(&made.flow, kinds.specs(), None, &FlowsOnDisk);
            if linked.problems.iter().any(|problem| problem.is_error()) {
                continue;
            }
            imported += 1;
            let export = match export(&linked.flow, kinds.specs()) {
                Ok(export) => export,
                Err(why) => {
                    refused += 1;
                    assert!(!why.reasons.is_empty());
                    for reason in &why.reasons {
                        assert!(
                            reason.message.len() > 20 && !reason.place.is_empty(),
                            "{reason:?}"
                        );
                    }
                    continue;
                }
            };
            assert!(!export.program.contains(concat!("TO", "DO")));
            let name = format!("p{}", wanted.len());
            let folder = programs.path().join(&name);
            fs::create_dir(&folder).unwrap();
            fs::write(folder.join("program.py"), &export.program).unwrap();
            let script = json!({ "replies": [{ "text": "done" }], "repeat": true });
            fs::write(
                folder.join("told.json"),
                json!({ "inputs": {}, "script": script }).to_string(),
            )
            .unwrap();
            let plan = Arc::new(plan(&linked.flow, &kinds).unwrap());
            let services = support::scripted_services(Script {
                replies: vec![Reply::text("done")],
                repeat: true,
                ..Script::default()
            });
            let journal: Arc<dyn Journal> = Arc::new(MemoryJournal::new());
            let done = execute_among(
                &plan,
                &Map::new(),
                &services,
                &journal,
                &Stop::Never,
                &People::default(),
            );
            wanted.insert(name, json!({
                "file": path.display().to_string(),
                "completed": done.state.status == RunStatus::Completed, "outputs": done.state.outputs,
                "error": done.state.error.as_ref().map(|error| &error.message)
            }));
        }
    }
    assert!(imported > 5, "{imported}");
    let ran = Command::new(&python)
        .args(["-m", "compileall", "-q"])
        .arg(programs.path())
        .output()
        .unwrap();
    assert!(
        ran.status.success(),
        "{}",
        String::from_utf8_lossy(&ran.stdout)
    );
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
    for (name, here) in &wanted {
        let there = &there[name];
        let same = match here["completed"] == true {
            true => here["outputs"] == there["outputs"],
            false => there.get("failed").is_some(),
        };
        assert!(same, "here {here}\nthere {there}");
    }
    println!(
        "{imported} imported, {} run as programs, {refused} refused",
        wanted.len()
    );
}
