//! Tests of validation: invalid flows and their expected problems, valid flows, and random flows, which must not panic.
//!
//! `UPDATE_PROBLEMS=1 cargo test -p loopwright-nodes` updates the expected problems.

#![allow(clippy::unwrap_used)]

use std::{fs, path::Path};

use loopwright_model::{Flow, Problem, file, validate::validate};
use serde_json::{Value, json};

fn problems(flow: &Flow) -> Vec<Problem> {
    validate(flow, loopwright_nodes::all().specs())
}

/// Returns the problems of a flow as text. Each problem is followed by its message and, if it has one, its fix.
fn listed(flow: &Flow) -> String {
    let mut lines = String::new();
    for problem in problems(flow) {
        let severity = if problem.is_error() {
            "error"
        } else {
            "warning"
        };
        let node = problem.node.as_deref().unwrap_or("-");
        let place = problem.place.as_deref().unwrap_or("-");
        lines.push_str(&format!(
            "{severity} {} {node} {place}\n    {}\n",
            problem.code, problem.message
        ));
        if let Some(fix) = &problem.fix {
            lines.push_str(&format!("    fix: {}", fix.title));
            for edit in &fix.edits {
                lines.push_str(&format!(
                    "\n        {}",
                    serde_json::to_string(edit).unwrap()
                ));
            }
            lines.push('\n');
        }
    }
    lines
}

#[test]
fn every_invalid_flow_gives_the_problems_beside_it() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/invalid");
    let mut flows: Vec<_> = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "json")
        })
        .collect();
    flows.sort();
    assert!(flows.len() >= 10);
    let mut differing = Vec::new();
    for path in flows {
        let (flow, _) = file::read(&path).unwrap();
        let found = listed(&flow);
        let beside = path.with_extension("problems.txt");
        if std::env::var_os("UPDATE_PROBLEMS").is_some() {
            fs::write(&beside, &found).unwrap();
        }
        let expected = fs::read_to_string(&beside).unwrap_or_default();
        if found != expected {
            differing.push(format!(
                "{}\n--- expected\n{expected}--- found\n{found}",
                path.display()
            ));
        }
    }
    assert!(differing.is_empty(), "{}", differing.join("\n"));
}

#[test]
fn flows_that_are_right_raise_nothing() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let bundled = here.join("../../../templates");
    for folder in [here.join("tests/right"), bundled] {
        let mut count = 0;
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_none_or(|extension| extension != "json") {
                continue;
            }
            let (flow, _) = file::read(&path).unwrap();
            assert_eq!(listed(&flow), "", "{}", path.display());
            count += 1;
        }
        assert!(count >= 2, "{}", folder.display());
    }
}

/// Returns every problem of the flows in `tests/invalid`, each with its flow.
fn said() -> Vec<(Flow, Problem)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/invalid");
    let paths = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    paths
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "json")
        })
        .flat_map(|path| {
            let (flow, _) = file::read(&path).unwrap();
            let found = problems(&flow);
            found
                .into_iter()
                .map(move |problem| (flow.clone(), problem))
        })
        .collect()
}

/// The words at the start of a sentence that states a remedy.
const REMEDIES: [&str; 31] = [
    "Add", "Allow", "Bound", "Change", "Choose", "Correct", "Create", "Did", "Enable", "Enter",
    "Fill", "For", "Give", "It has", "Keep", "Lower", "Make", "Move", "Name", "Put", "Raise",
    "Read", "Remove", "Rename", "Replace", "Send", "Set", "Use", "Wire", "Write", "it must",
];

#[test]
fn every_problem_names_its_node_and_says_what_to_do() {
    for (flow, problem) in said() {
        let message = &problem.message;
        // The problem of a dangling wire names the wire instead of a node.
        if let Some(id) = problem
            .node
            .as_ref()
            .filter(|_| problem.code != "dangling_edge")
        {
            let inside = id.split('/').next_back().unwrap();
            let label = match (flow.node(id), id.contains('/')) {
                (Some(node), _) => node.title().to_owned(),
                (None, true) => flow
                    .node(id.split('/').next().unwrap())
                    .unwrap()
                    .title()
                    .to_owned(),
                (None, false) => inside.to_owned(),
            };
            assert!(
                message.contains(&label),
                "{}: {message} ({label})",
                problem.code
            );
        }
        let starts: Vec<&str> = message
            .match_indices([' ', '\n'])
            .map(|(at, _)| message[at + 1..].trim_start())
            .collect();
        let said = problem.fix.is_some()
            || starts.iter().any(|rest| {
                REMEDIES.iter().any(|word| {
                    let after_stop = message[..message.len() - rest.len()]
                        .trim_end()
                        .ends_with(['.', '?', ':', ',', ';', ')']);
                    let lower = word.to_lowercase();
                    rest.starts_with(word) || (after_stop && rest.starts_with(&lower))
                })
            });
        assert!(said, "{} says no remedy: {message}", problem.code);
    }
}

fn flow(document: Value) -> Flow {
    file::read_value(document).unwrap()
}

fn codes(document: Value) -> Vec<(&'static str, Option<String>)> {
    problems(&flow(document))
        .into_iter()
        .map(|problem| (problem.code, problem.node))
        .collect()
}

/// Returns the loop of the README that refines a draft.
fn refine() -> Value {
    json!({
        "schemaVersion": 1,
        "name": "Refine",
        "settings": { "maxIterationsCeiling": 50, "timeout": "PT30M", "concurrency": 8, "budget": { "usd": null, "tokens": null } },
        "nodes": [
            { "id": "topic", "type": "input", "data": { "name": "topic", "dataType": "text", "default": "bees" } },
            { "id": "loop", "type": "loop", "data": { "label": "Refine", "maxIterations": 3, "exitCondition": "evaluator", "timeout": "PT5M" } },
            { "id": "draft", "type": "llm", "data": { "prompt": "Revise: {{ input }} ({{ run.inputs.topic }}, try {{ loopCount }})" } },
            { "id": "critique", "type": "llm", "data": { "responseFormat": {
                "type": "object", "properties": { "score": { "type": "integer" }, "text": { "type": "string" } }, "required": ["score", "text"] } } },
            { "id": "good", "type": "router", "data": { "branches": [
                { "name": "done", "when": "critique.score >= 8 or loopCount > 2" }, { "name": "again", "when": "true" }] } },
            { "id": "merge", "type": "transform", "data": { "template": "{{ draft }}\n---\n{{ critique.text }}{{ previous.draft | default(value=\"\") }}" } },
            { "id": "exit", "type": "exit", "data": {} },
            { "id": "result", "type": "output", "data": { "name": "result", "format": "markdown" } },
            { "id": "hint", "type": "note", "data": { "text": "words" } }
        ],
        "edges": [
            { "id": "e1", "source": "topic", "target": "loop" },
            { "id": "e2", "source": "loop", "sourceHandle": "body", "target": "draft" },
            { "id": "e3", "source": "draft", "target": "critique" },
            { "id": "e4", "source": "draft", "target": "good" },
            { "id": "e5", "source": "critique", "target": "good", "targetHandle": "input" },
            { "id": "e6", "source": "good", "sourceHandle": "done", "target": "exit" },
            { "id": "e7", "source": "good", "sourceHandle": "again", "target": "merge" },
            { "id": "e8", "source": "merge", "target": "loop", "targetHandle": "feedback" },
            { "id": "e9", "source": "exit", "target": "result" }
        ]
    })
}

#[test]
fn a_flow_that_is_right_has_no_problems() {
    let mut right = refine();
    // The only problem is that two wires lead to the single input of the Router.
    assert_eq!(
        codes(right.clone()),
        [("several_values", Some("good".to_owned()))]
    );
    right["edges"]
        .as_array_mut()
        .unwrap()
        .retain(|edge| edge["id"] != "e4");
    assert_eq!(listed(&flow(right)), "");
}

#[test]
fn the_flows_of_others_open_and_what_cannot_run_is_named() {
    let folder =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../../shared/cases/aistudio/templates");
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for path in entries.map(|entry| entry.unwrap().path()) {
        if path.extension().is_none_or(|extension| extension != "json") {
            continue;
        }
        let (flow, _) = file::read(&path).unwrap();
        let errors: Vec<_> = problems(&flow)
            .into_iter()
            .filter(Problem::is_error)
            .collect();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        println!("{name}\n{}", listed(&flow));
        if [
            "agentic-search",
            "self-refine",
            "code-review",
            "research",
            "data-pipeline",
            "email-classifier",
        ]
        .contains(&name.as_str())
        {
            assert!(errors.is_empty(), "{name}: {errors:?}");
        }
        let unknown = flow
            .nodes
            .iter()
            .any(|node| loopwright_nodes::all().get(&node.kind).is_none());
        assert_eq!(
            unknown,
            errors.iter().any(|problem| problem.code == "unknown_kind"),
            "{name}"
        );
    }
}

#[test]
fn large_flows_are_checked_in_reasonable_time() {
    let count = 2000;
    let nodes: Vec<_> = (0..count)
        .map(|index| {
            let template = if index == 0 { "x".to_owned() } else { format!("{{{{ n{} }}}} {{{{ n0 }}}}", index - 1) };
            json!({ "id": format!("n{index}"), "type": "transform", "data": { "template": template } })
        })
        .collect();
    let edges: Vec<_> = (1..count)
        .map(|index| json!({ "id": format!("e{index}"), "source": format!("n{}", index - 1), "target": format!("n{index}") }))
        .collect();
    let document = flow(json!({ "nodes": nodes, "edges": edges }));
    let started = std::time::Instant::now();
    let found = problems(&document);
    assert_eq!(
        found.iter().map(|problem| problem.code).collect::<Vec<_>>(),
        ["no_output"]
    );
    assert!(started.elapsed().as_secs() < 20, "{:?}", started.elapsed());
}

#[test]
fn deep_nesting_is_checked_on_a_small_stack() {
    let depth = 100;
    let mut nodes = Vec::new();
    let mut edges = Vec::new();
    for index in 0..depth {
        nodes.push(json!({ "id": format!("l{index}"), "type": "loop" }));
        nodes.push(json!({ "id": format!("x{index}"), "type": "exit" }));
        if index > 0 {
            let (out, into) = (index - 1, index);
            edges.push(json!({ "id": format!("a{index}"), "source": format!("l{out}"), "sourceHandle": "body", "target": format!("l{into}") }));
            edges.push(json!({ "id": format!("b{index}"), "source": format!("x{into}"), "target": format!("x{out}") }));
        }
    }
    let document =
        flow(json!({ "nodes": nodes, "edges": edges, "settings": { "allowNestedLoops": true } }));
    let started = std::time::Instant::now();
    let found = std::thread::Builder::new()
        .stack_size(1024 * 1024)
        .spawn(move || problems(&document).len())
        .unwrap()
        .join()
        .unwrap();
    assert!(found > 0);
    assert!(started.elapsed().as_secs() < 20, "{:?}", started.elapsed());
}

mod random {
    use proptest::prelude::*;
    use serde_json::{Map, Value, json};

    use super::{flow, problems};

    fn value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            (-3i64..2000).prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            prop::sample::select(vec![
                "",
                "a",
                "b",
                "loop",
                "done",
                "{{ a }}",
                "{{ b.x }}",
                "{{ previous.a }}",
                "{{ vars.v }}",
                "{{ input",
                "a > 1",
                "PT5M",
                "rules",
                "llm",
                "pattern",
                "evaluator",
                "condition",
                "variables",
                "{{ nodes[\"c\"].response }}",
                "{{ item }}",
                "search.documents",
                "{{ inputs.q }}",
                "{{ a_loopIndex }}",
                "{{ loops[\"a\"].loopIndex }}",
                "{{ run.inputs.a }}",
                "result",
                "ö",
            ])
            .prop_map(Value::from),
        ];
        leaf.prop_recursive(3, 12, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::vec((field(), inner), 0..4)
                    .prop_map(|fields| Value::Object(fields.into_iter().collect::<Map<_, _>>())),
            ]
        })
    }

    fn field() -> impl Strategy<Value = String> {
        prop::sample::select(vec![
            "label",
            "disabled",
            "imported",
            "timeout",
            "retry",
            "name",
            "default",
            "dataType",
            "prompt",
            "systemPrompt",
            "responseFormat",
            "properties",
            "inputs",
            "mode",
            "branches",
            "when",
            "fallback",
            "template",
            "outputFormat",
            "schema",
            "rules",
            "message",
            "tool",
            "args",
            "approval",
            "maxIterations",
            "exitCondition",
            "condition",
            "until",
            "while",
            "test",
            "feedbackMode",
            "variables",
            "initial",
            "next",
            "outputs",
            "from",
            "take",
            "result",
            "score",
            "limits",
            "delay",
            "inputName",
            "concurrency",
            "separator",
            "type",
            "typo",
        ])
        .prop_map(str::to_owned)
    }

    fn node() -> impl Strategy<Value = Value> {
        let kind = prop::sample::select(vec![
            "input",
            "output",
            "llm",
            "router",
            "transform",
            "validator",
            "tool",
            "loop",
            "exit",
            "iterator",
            "aggregator",
            "note",
            "http_request",
            "lop",
        ]);
        let id = prop::sample::select(vec!["a", "b", "c", "d", "e", "f", "loop", "input", ""]);
        (id, kind, prop::collection::vec((field(), value()), 0..6)).prop_map(|(id, kind, data)| {
            json!({ "id": id, "type": kind, "data": data.into_iter().collect::<Map<_, _>>() })
        })
    }

    fn edge() -> impl Strategy<Value = Value> {
        let end = || prop::sample::select(vec!["a", "b", "c", "d", "e", "f", "loop", "nowhere"]);
        let handle = || {
            prop::option::of(prop::sample::select(vec![
                "input",
                "output",
                "body",
                "feedback",
                "done",
                "branch-0",
                "branch-9",
                "prompt",
                "items",
                "item",
                "exhausted",
                "promt",
            ]))
        };
        (end(), handle(), end(), handle(), 0..30u32).prop_map(|(source, out, target, into, id)| {
            json!({ "id": format!("e{id}"), "source": source, "sourceHandle": out, "target": target, "targetHandle": into })
        })
    }

    /// Returns a random node, mostly of a kind that opens or closes a region. Wires between such nodes create regions that
    /// overlap, contain each other or have no end.
    fn scope() -> impl Strategy<Value = Value> {
        let kind = prop::sample::select(vec![
            "loop",
            "exit",
            "iterator",
            "aggregator",
            "router",
            "transform",
        ]);
        let id = prop::sample::select(vec!["a", "b", "c", "d", "e", "f", "loop"]);
        (id, kind).prop_map(|(id, kind)| json!({ "id": id, "type": kind, "data": {} }))
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn any_draft_is_checked_without_panicking(
            nodes in prop::collection::vec(node(), 0..8),
            edges in prop::collection::vec(edge(), 0..12),
            settings in prop::option::of(prop::collection::vec((field(), value()), 0..3)),
        ) {
            let mut document = json!({ "nodes": nodes, "edges": edges });
            if let Some(settings) = settings {
                document["settings"] = Value::Object(settings.into_iter().collect());
            }
            let document = flow(document);
            let found = problems(&document);
            let errors = found.iter().take_while(|problem| problem.is_error()).count();
            prop_assert!(found[errors..].iter().all(|problem| !problem.is_error()), "errors stand first");
            prop_assert!(found.iter().all(|problem| !problem.message.is_empty()));
        }

        #[test]
        fn scopes_in_any_arrangement_are_checked_and_have_an_end(
            nodes in prop::collection::vec(scope(), 0..7),
            edges in prop::collection::vec(edge(), 0..16),
        ) {
            let found = problems(&flow(json!({ "nodes": nodes, "edges": edges })));
            prop_assert!(found.iter().all(|problem| !problem.message.is_empty()));
        }
    }
}
