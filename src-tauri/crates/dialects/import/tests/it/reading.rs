//! Tests the parsing and rejection of text before any format examines it, malicious files, and random text.

#![allow(clippy::unwrap_used)]
// The tests measure how long a rejection takes.
#![allow(clippy::disallowed_methods)]

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use loopwright_import::{FORMATS, FilesNear, ImportError, Options, import};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

fn refused(text: &str) -> String {
    let began = Instant::now();
    let error = import(text, &Options::default()).unwrap_err().to_string();
    let took = began.elapsed();
    // Two seconds, or more in a debug build.
    let most = if cfg!(debug_assertions) { 15 } else { 2 };
    assert!(took < Duration::from_secs(most), "{took:?}: {error}");
    error
}

#[test]
fn an_unknown_format_and_one_that_does_not_fit_are_reported() {
    let error = refused("just words");
    assert!(error.contains("tea") && error.contains("--from"), "{error}");
    let from = |id: &str| Options {
        from: Some(id.to_owned()),
        ..Options::default()
    };
    let error = import("x: 1", &from("te")).unwrap_err();
    assert!(
        matches!(&error, ImportError::NoSuchFormat { hint, .. } if hint.contains("tea")),
        "{error}"
    );
    let error = import("x: 1", &from("tea")).unwrap_err();
    assert!(error.to_string().contains("nodes"), "{error}");
    assert!(FORMATS.iter().all(|format| !format.title.is_empty()));
}

/// The error names the place where the text stops matching a format, describes what is at that place, and says what to do.
#[test]
fn an_unknown_format_is_reported_with_place_and_remedy() {
    let long = format!("\n\n{}", "a".repeat(60));
    let shown = format!("“{}…”", "a".repeat(40));
    for (text, at, says) in [
        ("just words", "line 1", "“just words”"),
        (long.as_str(), "line 3", shown.as_str()),
        (
            "{\"items\": [], \"title\": 1}",
            "top level",
            "“items”, “title”",
        ),
        ("{}", "top level", "it is empty"),
        ("[1]", "top level", "it is a list"),
    ] {
        let error = import(text, &Options::default()).unwrap_err();
        let said = error.to_string();
        let ImportError::Unknown { place, found, .. } = error else {
            panic!("{text}: {said}");
        };
        assert_eq!(place, at, "{said}");
        assert!(found.contains(says), "{said}");
        assert!(said.starts_with(at) && said.contains("--from"), "{said}");
    }
}

/// A dialect that the text indicates is used. If the text indicates none, the report says that the dialect was assumed.
#[test]
fn a_reading_is_told_by_the_text_or_assumed() {
    let compose = json!({ "type": "Compose", "inputs": 1 });
    let until = json!({ "type": "Until", "expression": "@true", "actions": { "a": compose } });
    let limited = json!({ "type": "until", "condition": "true", "actions": { "a": compose } });
    for (text, reading, is_assumed) in [
        (
            json!({ "definition": { "actions": { "a": compose } } }),
            "logic-apps: ",
            false,
        ),
        (json!({ "actions": { "u": until } }), "logic-apps: ", false),
        (json!({ "actions": { "u": limited } }), "loom: ", false),
        (json!({ "actions": { "a": compose } }), "loom: ", true),
    ] {
        let report = import(&text.to_string(), &Options::default())
            .unwrap()
            .report;
        assert!(report.dialect.unwrap().starts_with(reading), "{text}");
        assert_eq!(report.is_assumed, is_assumed, "{text}");
    }
    let asked = Options {
        dialect: Some("loom".to_owned()),
        ..Options::default()
    };
    let bare = json!({ "actions": { "a": compose } }).to_string();
    assert!(!import(&bare, &asked).unwrap().report.is_assumed);
    let both = json!({ "actions": { "u": until, "w": limited } }).to_string();
    let error = import(&both, &Options::default()).unwrap_err();
    assert!(matches!(error, ImportError::Ambiguous { .. }), "{error}");
    assert!(import(&both, &asked).is_ok());
}

/// If a text resembles a format, the error says what is missing and where. If a text is invalid JSON, the error says where
/// parsing fails.
#[test]
fn what_is_almost_a_format_is_told_what_is_wrong() {
    for (text, says) in [
        ("{\"actions\": null}", "it contains no workflow"),
        (
            "{\"actions\": {\"c\": {\"type\": \"Compose\"}},}",
            "line 1, column",
        ),
        (
            "{\"nodes\": [{\"id\": \"a\", \"type\": NaN}]}",
            "line 1, column",
        ),
        ("{\"nodes\": null, \"edges\": []}", "`nodes` is null"),
        (
            "{\"nodes\": [{\"id\": 3, \"type\": \"llm\"}]}",
            "`nodes[0]` has no string `id`",
        ),
        (
            "{\"nodes\": [{\"id\": \"a\", \"type\": \"llm\"}], \"edges\": [{\"id\": \"e\", \"source\": \"a\", \"target\": \"a\", \"sourceHandle\": 3}]}",
            "`edges[0].sourceHandle`",
        ),
        ("nodes:\n- name: 3\n  run: x\n", "`name`"),
        (
            "nodes:\n- name: a\n  x: .nan\n",
            "line 3, column 6: a value is infinite",
        ),
        ("nodes: &n\n- name: a\n  run: *n\n", "an alias is inside"),
        ("nodes:\n- name: a\n\trun: x\n", "Indent with spaces"),
        ("nodes:\n- name: a\n  run: *b\n", "no anchor (`&name`)"),
        ("// mine\n{\"nodes\": []}", "no comments"),
        ("{\"nodes\": [], /* x */ \"edges\": []}", "no comments"),
        ("{\"nodes\": []} {}", "after the end"),
        ("{\"nodes\": [", "no part of the file is missing"),
        ("{\"nodes\": [1e400]}", "Write a smaller number"),
        ("{\"nodes\": [\"\u{1}\"]}", "Write it as an escape"),
        ("nodes:\n- name: a\n  run: \"\u{0}\"\n", "null character"),
        ("nodes:\n- name: a\n  x: 1e400\n", "finite"),
        ("{\"nodes\": [\"\\ud800\"]}", "escape is incomplete"),
    ] {
        let error = refused(text);
        assert!(error.contains(says), "{text}: {error}");
    }
}

/// A workflow in another file is inlined if the file can be read. A file that contains itself ends in a placeholder.
#[test]
fn workflows_beside_a_file_are_put_inline() {
    let component = |path: &str| {
        json!({ "version": 2, "metadata": { "name": "t" }, "edges": [], "nodes": [
            { "id": "c", "type": "component", "data": { "nodeType": "component", "workflowPath": path } },
            { "id": "s", "type": "shell", "data": { "nodeType": "shell", "script": "echo hi" } }] })
        .to_string()
    };
    let files = move |path: &str| match path {
        "leaf.yaml" => Some(component("none.yaml")),
        "round.yaml" => Some(component("round.yaml")),
        "broken.yaml" => Some("{".to_owned()),
        _ => None,
    };
    let options = Options {
        files_near: Some(FilesNear {
            read: Arc::new(files),
            folders: Arc::new(|_| Vec::new()),
        }),
        ..Options::default()
    };
    let about = |path: &str| {
        let text = json!({ "version": 2, "metadata": { "name": "t" }, "edges": [], "nodes": [
            { "id": "c", "type": "component", "data": { "nodeType": "component", "workflowPath": path } }] });
        let imported = import(&text.to_string(), &options).unwrap();
        let kind = imported
            .flow
            .nodes
            .iter()
            .find(|node| node.id == "c")
            .unwrap()
            .kind
            .clone();
        let said: Vec<String> = imported
            .report
            .entries
            .iter()
            .map(|entry| format!("{}: {}", entry.place, entry.message))
            .collect();
        (kind, said.join("\n"))
    };
    let (kind, said) = about("leaf.yaml");
    assert!(
        kind == "subflow" && said.contains("leaf.yaml: This file was imported too"),
        "{said}"
    );
    assert!(
        said.contains("none.yaml, which is not in this file's folder"),
        "{said}"
    );
    let (kind, said) = about("round.yaml");
    assert!(
        kind == "subflow" && said.contains("it contains itself"),
        "{said}"
    );
    let (kind, said) = about("broken.yaml");
    assert!(
        kind == "placeholder" && said.contains("broken.yaml: The file was not read: line 1"),
        "{said}"
    );
    let (kind, said) = about("../elsewhere.yaml");
    assert!(
        kind == "placeholder" && said.contains("not in this file's folder"),
        "{said}"
    );
}

/// The value of a case may be written before, between or after the case's actions.
#[test]
fn the_actions_of_a_case_keep_their_order() {
    let compose = |value: &str| json!({ "type": "Compose", "inputs": value });
    let case =
        json!({ "case": 1, "first": compose("a"), "second": compose("b"), "third": compose("c") });
    let switch =
        json!({ "type": "Switch", "expression": "@variables('x')", "cases": { "one": case } });
    let workflow = json!({ "actions": { "s": switch } }).to_string();
    let imported = import(&workflow, &Options::default()).unwrap();
    let ids = imported.flow.nodes.iter().map(|node| node.id.as_str());
    let ids: Vec<&str> = ids
        .filter(|id| ["first", "second", "third"].contains(id))
        .collect();
    assert_eq!(ids, ["first", "second", "third"]);
    let said = imported.report.entries.iter();
    let said: Vec<&str> = said.map(|entry| entry.message.as_str()).collect();
    let starts = |words: &&str| words.starts_with("no action in the file initializes");
    assert!(said.iter().any(starts), "{said:?}");
}

#[test]
fn hostile_files_are_refused_quickly() {
    let node = "nodes:\n- name: a\n  run: return {}\n";
    let large = format!("{node}x: \"{}\"\n", "y".repeat(10 * 1024 * 1024));
    assert!(refused(&large).contains("MB"));
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        let deep = format!("{}1{}", open.repeat(10_000), close.repeat(10_000));
        assert!(refused(&deep).contains("deep"), "{}", refused(&deep));
        let deep = format!("x: {}", open.repeat(10_000));
        refused(&deep);
    }
    let mut indented = String::new();
    for depth in 0..3_000 {
        indented.push_str(&" ".repeat(depth));
        indented.push_str("a:\n");
    }
    refused(&indented);
    // Each anchor contains the previous one ten times: ten lines yield a billion values.
    let mut doubling = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..10 {
        let before = format!("*a{}", level - 1);
        doubling.push_str(&format!(
            "a{level}: &a{level} [{}]\n",
            vec![before; 10].join(", ")
        ));
    }
    refused(&format!("{doubling}{node}"));
    for twice in [
        "{\"a\": 1, \"a\": 2}",
        "a: 1\nb: 2\na: 3\n",
        "nodes:\n- name: x\n  name: y\n",
    ] {
        let error = refused(twice);
        assert!(error.contains("appears twice"), "{error}");
    }
    let edges = format!("{node}edges: [{}]", "{f: a},".repeat(1_000_000));
    refused(&edges);
    let edges = format!(
        "{{\"nodes\": [{{\"id\": \"a\", \"type\": \"note\"}}], \"edges\": [{}0]}}",
        "{},".repeat(1_000_000)
    );
    refused(&edges);
    refused("");
    refused("{\"nodes\": [");
    for empty in ["# nothing\n", "---\n---\n", "~\n", "3", "[1, 2]"] {
        assert!(refused(empty).contains("--from"), "{empty}");
    }
    let many = format!("---\n{node}").repeat(100);
    assert!(refused(&many).contains("documents"), "{}", refused(&many));
    refused("nodes: &n\n- name: a\n  <<: *n\n");
    refused("? {a: 1}\n: b\nnodes:\n- name: a\n  run: x\n");
}

/// Files that are small enough to be read, but constructed to take very long: many nodes, steps, cases and loops, and nodes that
/// are their own parents.
#[test]
fn documents_that_mean_harm_are_refused_quickly() {
    let count =
        |most: usize, item: &dyn Fn(usize) -> Value| (0..most).map(item).collect::<Vec<_>>();
    let named = count(60_000, &|at| json!({ "name": format!("n{at}") }));
    refused(&json!({ "nodes": named }).to_string());
    let steps = count(40_000, &|_| json!({ "run": "return {}" }));
    refused(&json!({ "nodes": [{ "name": "a", "steps": steps }] }).to_string());
    let ways = count(
        30_000,
        &|at| json!({ "from": "a", "to": format!("b{at}"), "when": "state.x" }),
    );
    refused(&json!({ "nodes": [{ "name": "a" }], "edges": ways }).to_string());
    let cases: Map<String, Value> = (0..3_000)
        .map(|at| (format!("c{at}"), json!({ "case": at, "actions": { format!("a{at}"): { "type": "Compose", "inputs": 1 } } })))
        .collect();
    let switch = json!({ "actions": { "s": { "type": "Switch", "expression": "@variables('x')", "cases": cases } } });
    let began = Instant::now();
    let kept = import(&switch.to_string(), &Options::default()).unwrap();
    assert!(
        kept.report
            .entries
            .iter()
            .any(|entry| entry.message.contains("3000 cases"))
    );
    assert!(began.elapsed() < Duration::from_secs(15));
    let scopes: Map<String, Value> = (0..20)
        .map(|at| {
            let inner: Map<String, Value> = (0..900)
                .map(|n| {
                    (
                        format!("a{at}_{n}"),
                        json!({ "type": "Compose", "inputs": n }),
                    )
                })
                .collect();
            (
                format!("s{at}"),
                json!({ "type": "Scope", "actions": inner }),
            )
        })
        .collect();
    assert!(refused(&json!({ "actions": scopes }).to_string()).contains("Split the file"));
    let cases: Map<String, Value> = (0..250)
        .map(|at| (format!("c{at}"), json!({ "actions": {} })))
        .collect();
    let switches: Map<String, Value> = (0..45)
        .map(|at| {
            (
                format!("s{at}"),
                json!({ "type": "Switch", "expression": at, "cases": cases }),
            )
        })
        .collect();
    assert!(refused(&json!({ "actions": switches }).to_string()).contains("wires"));
    let loops = count(1_500, &|at| {
        json!({ "id": format!("n{at}"), "type": "loop", "parentId": format!("n{}", (at + 1) % 1_500),
            "data": { "nodeType": "loop", "dockSlots": [{ "name": "c", "type": "continue" }] } })
    });
    assert!(
        refused(&json!({ "nodes": loops, "edges": [] }).to_string()).contains("contain each other")
    );
    let loops = count(
        1_500,
        &|at| json!({ "name": format!("n{at}"), "type": "while_loop", "condition": "state.x", "max_iterations": 2, "body": [{ "run": "return {}" }] }),
    );
    refused(&json!({ "nodes": loops }).to_string());
    let own = count(
        2_500,
        &|at| json!({ "id": format!("n{at}"), "type": "llm", "data": {} }),
    );
    assert!(refused(&json!({ "nodes": own, "edges": [] }).to_string()).contains("Split the file"));
    // Scanning to the end of the text at each template would take most of a minute.
    let prompt = "{{ state.x }}".repeat(50_000);
    let began = Instant::now();
    let text = json!({ "nodes": [{ "name": "a", "uses": "llm.call", "with": { "model": "m", "prompt": prompt } }] });
    import(&text.to_string(), &Options::default()).unwrap();
    assert!(began.elapsed() < Duration::from_secs(15));
}

/// Each node of a long chain waits for the next one in the file. Checking all nodes repeatedly would take minutes.
#[test]
fn a_long_chain_of_nodes_is_imported_soon() {
    let nodes: Vec<Value> = (0..1_200)
        .map(|at| json!({ "id": format!("n{at}"), "data": { "nodeType": "wire" } }))
        .collect();
    let edges: Vec<Value> = (1..1_200)
        .map(|at| json!({ "source": format!("n{at}"), "target": format!("n{}", at - 1) }))
        .collect();
    let text = json!({ "nodes": nodes, "edges": edges }).to_string();
    let began = Instant::now();
    import(&text, &Options::default()).unwrap();
    assert!(began.elapsed() < Duration::from_secs(15));
}

fn value() -> impl Strategy<Value = serde_json::Value> {
    let word = prop_oneof![
        Just("a".to_owned()),
        Just("b".to_owned()),
        Just("__start__".to_owned()),
        Just("__end__".to_owned()),
        Just("while_loop".to_owned()),
        Just("state.x < 3".to_owned()),
        Just("{{ state.x }}".to_owned()),
        Just("return {\"x\": state[\"x\"] + 1}".to_owned()),
        Just("retry.loop".to_owned()),
        Just("llm.call".to_owned()),
        ".{0,12}"
    ];
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(Into::into),
        (-2_i64..1200).prop_map(Into::into),
        word.clone().prop_map(Into::into),
    ];
    let name = prop_oneof![
        Just("name".to_owned()),
        Just("nodes".to_owned()),
        Just("edges".to_owned()),
        Just("from".to_owned()),
        Just("to".to_owned()),
        Just("type".to_owned()),
        Just("condition".to_owned()),
        Just("body".to_owned()),
        Just("run".to_owned()),
        Just("uses".to_owned()),
        Just("with".to_owned()),
        Just("goto".to_owned()),
        Just("max_iterations".to_owned()),
        Just("id".to_owned()),
        Just("data".to_owned()),
        word
    ];
    leaf.prop_recursive(5, 60, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Into::into),
            prop::collection::vec((name.clone(), inner), 0..6)
                .prop_map(|fields| fields.into_iter().collect::<serde_json::Map<_, _>>().into()),
        ]
    })
}

/// Returns random documents with the outer form of an agent.
fn agent() -> impl Strategy<Value = serde_json::Value> {
    let node = (value(), "[abc]").prop_map(|(value, name)| {
        let mut node = value.as_object().cloned().unwrap_or_default();
        node.remove("id");
        node.insert("name".to_owned(), name.into());
        serde_json::Value::Object(node)
    });
    let end = prop_oneof![
        "[abc]",
        Just("__start__".to_owned()),
        Just("__end__".to_owned())
    ];
    let edge = (end.clone(), end, prop::option::of("state\\.[ab]|true|x y")).prop_map(
        |(from, to, when)| {
            let mut edge = serde_json::json!({ "from": from, "to": to });
            if let Some(when) = when {
                edge["condition"] = when.into();
            }
            edge
        },
    );
    (
        prop::collection::vec(node, 1..4),
        prop::collection::vec(edge, 0..6),
    )
        .prop_map(|(nodes, edges)| serde_json::json!({ "nodes": nodes, "edges": edges }))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn random_documents_never_panic(document in prop_oneof![value(), agent()], from in prop::option::of("tea|aistudio")) {
        let options = Options { from, ..Options::default() };
        if let Ok(imported) = import(&document.to_string(), &options) {
            let mut ids: Vec<_> = imported.flow.nodes.iter().map(|node| &node.id).collect();
            let count = ids.len();
            ids.sort();
            ids.dedup();
            prop_assert!(imported.report.format == "aistudio" || ids.len() == count);
            prop_assert!(imported.flow.nodes.iter().all(|node| node.position.is_some()));
        }
    }

    #[test]
    fn random_texts_never_panic(text in "(?s).{0,200}") {
        let _ = import(&text, &Options::default());
        let _ = import(&format!("nodes:\n- name: a\n  run: |\n    {}\n", text.replace('\n', "\n    ")), &Options::default());
    }
}
