//! The requests of the template editor: names in scope with their last values, and previews with a recorded run.

#![allow(clippy::unwrap_used)]

use std::{collections::BTreeMap, path::Path, sync::Arc};

use loopwright_api as api;
use loopwright_api::{App, ApprovalPolicy, Focus, RunStatus};
use loopwright_records as records;
use loopwright_records::{FieldPlace, FieldPreview, NameInScope, ValueKind};
use loopwright_runs as runs;
use loopwright_runs::RunOptions;
use serde_json::{Map, Value, json};

fn open(folder: &Path) -> Arc<App> {
    App::open(folder, tokio::runtime::Handle::current()).unwrap()
}

/// Returns a loop of three iterations that counts in a variable. One of its nodes has an id that is not an identifier.
fn flow() -> Value {
    let edge = |id: &str, source: &str, handle: &str, target: &str| json!({ "id": id, "source": source, "sourceHandle": handle, "target": target });
    json!({
        "schemaVersion": 1, "name": "counts",
        "nodes": [
            { "id": "in", "type": "input", "data": { "name": "text", "default": "a" } },
            { "id": "refine", "type": "loop", "data": {
                "maxIterations": 3, "inputName": "state",
                "variables": [{ "name": "tries", "initial": 1, "next": "{{ vars.tries * 2 }}" }],
                "exitCondition": "condition",
                "condition": { "until": "score.output > 90", "test": "after" }
            } },
            { "id": "score", "type": "transform", "data": { "template": "{{ loopCount * 10 }}" } },
            { "id": "my draft", "type": "transform", "data": {
                "label": "Draft",
                "template": "{\"text\": \"{{ score }} of {{ nodes[\"score\"] }} {{ nodes[\"score\"].output }}\", \"n\": {{ vars.tries }}}",
                "outputFormat": "json"
            } },
            { "id": "join", "type": "transform", "data": { "template": "{{ input.text }}" } },
            { "id": "exit", "type": "exit", "data": {} },
            { "id": "out", "type": "output", "data": { "name": "result" } }
        ],
        "edges": [
            edge("1", "in", "value", "refine"), edge("2", "refine", "body", "score"),
            edge("3", "score", "output", "my draft"), edge("4", "my draft", "output", "join"),
            edge("5", "join", "output", "exit"), edge("6", "exit", "output", "out")
        ]
    })
}

async fn run(app: &Arc<App>) -> String {
    let started = runs::start_run(
        app.env(),
        RunOptions {
            document: flow(),
            flow_path: None,
            inputs: Map::new(),
            approve: ApprovalPolicy::Ask,
            focus: Focus::default(),
            events: Arc::new(|_| {}),
        },
    )
    .unwrap();
    let outcome = started.finished.await.unwrap().unwrap();
    assert_eq!(outcome.status, RunStatus::Completed);
    outcome.run_id
}

fn at(node: &str, field: &str) -> FieldPlace {
    FieldPlace {
        node: node.to_owned(),
        field: field.to_owned(),
        ..FieldPlace::default()
    }
}

/// Returns the flow with `text` in the field `field` of the node `node`.
fn with(node: &str, field: &str, text: &str) -> Value {
    let mut flow = flow();
    let node = flow["nodes"]
        .as_array_mut()
        .unwrap()
        .iter_mut()
        .find(|found| found["id"] == node)
        .unwrap();
    let mut place = &mut node["data"];
    for step in field.split('.') {
        place = &mut place[step];
    }
    *place = json!(text);
    flow
}

fn names(app: &App, node: &str, field: &str) -> Vec<NameInScope> {
    records::names_in_scope(app.env(), flow(), None, &at(node, field))
        .unwrap()
        .names
}

fn written(names: &[NameInScope]) -> Vec<&str> {
    names.iter().map(|name| name.written.as_str()).collect()
}

fn preview(app: &App, node: &str, field: &str, text: &str) -> FieldPreview {
    records::preview_field(app.env(), with(node, field, text), None, &at(node, field))
        .unwrap()
        .unwrap()
}

#[tokio::test]
async fn names_are_those_that_validation_lets_pass() {
    let folder = tempfile::tempdir().unwrap();
    let app = open(folder.path());
    let found = names(&app, "join", "template");
    assert_eq!(
        written(&found),
        [
            "input",
            "state",
            "vars.tries",
            "loopCount",
            "loopIndex",
            "loopResult",
            "loopStartTime",
            "nodes.in",
            "score",
            "nodes[\"my draft\"]",
            "previous.score",
            "previous[\"my draft\"]",
            "previous.join",
            "run.inputs.text"
        ]
    );
    let previous = found
        .iter()
        .find(|name| name.written == "previous.score")
        .unwrap();
    assert!(previous.may_be_missing);
    // Outside the loop, none of the loop's names is in scope. Before the loop's first node, only the names of the run are.
    assert_eq!(written(&names(&app, "out", "template")), Vec::<&str>::new());
    let until = names(&app, "refine", "condition.until");
    let until = written(&until);
    assert!(
        until.starts_with(&["result", "input", "state"]),
        "{until:?}"
    );
    assert!(until.contains(&"nodes[\"my draft\"]"), "{until:?}");
    let first = names(&app, "refine", "variables[0].initial");
    assert!(!written(&first).contains(&"score"), "{first:?}");
    // Without a run, no values are known.
    assert!(found.iter().all(|name| name.last.is_none()));
}

#[tokio::test]
async fn names_have_the_values_of_the_newest_run_and_the_chosen_iteration() {
    let folder = tempfile::tempdir().unwrap();
    let app = open(folder.path());
    let id = run(&app).await;
    let value = |names: &[NameInScope], name: &str| {
        names
            .iter()
            .find(|found| found.written == name)
            .and_then(|found| found.last.clone())
            .unwrap_or_default()
    };
    let newest = records::names_in_scope(app.env(), flow(), None, &at("join", "template")).unwrap();
    assert_eq!(newest.from.as_ref().unwrap().path, "refine[3]/join");
    assert_eq!(newest.from.as_ref().unwrap().run_id, id);
    for (name, wanted) in [
        ("score", "30"),
        ("previous.score", "20"),
        ("vars.tries", "4"),
        ("loopCount", "3"),
        ("loopResult", "20 of 20 20"),
        ("run.inputs.text", "a"),
        ("nodes.in", "a"),
    ] {
        assert_eq!(value(&newest.names, name), wanted, "{name}");
    }
    let input = newest
        .names
        .iter()
        .find(|name| name.written == "input")
        .unwrap();
    let fields: Vec<_> = input
        .fields
        .iter()
        .map(|field| (field.written.as_str(), field.last.as_str()))
        .collect();
    assert_eq!(fields, [("input.text", "30 of 30 30"), ("input.n", "4")]);
    let first = FieldPlace {
        chosen: BTreeMap::from([("refine".to_owned(), 1)]),
        run_id: Some(id),
        ..at("join", "template")
    };
    let first = records::names_in_scope(app.env(), flow(), None, &first)
        .unwrap()
        .names;
    assert_eq!(value(&first, "score"), "10");
    assert_eq!(value(&first, "previous.score"), "null");
    assert_eq!(value(&first, "vars.tries"), "1");
}

#[tokio::test]
async fn a_preview_has_the_text_and_what_the_run_lacks() {
    let folder = tempfile::tempdir().unwrap();
    let app = open(folder.path());
    assert_eq!(
        records::preview_field(app.env(), flow(), None, &at("join", "template")).unwrap(),
        None
    );
    run(&app).await;
    let text = preview(
        &app,
        "join",
        "template",
        "{{ nodes[\"my draft\"].text }} ({{ nodes[\"my draft\"].output.n }})",
    );
    assert_eq!(text.text.as_deref(), Some("30 of 30 30 (4)"));
    assert_eq!(text.value_kind, Some(ValueKind::Text));
    let number = preview(&app, "join", "template", "{{ score * 2 }}");
    assert_eq!(
        (number.text.as_deref(), number.value_kind),
        (Some("60"), Some(ValueKind::Number))
    );
    let missing = preview(&app, "join", "template", "é {{ input.titel }}");
    assert_eq!(missing.error.as_ref().unwrap().code, "undefined");
    let read = &missing.reads[0];
    assert_eq!(
        (read.name.as_str(), read.value.as_deref()),
        ("input.titel", None)
    );
    let span = read.span.unwrap();
    assert_eq!((span.from, span.to), (5, 16));
    let test = preview(
        &app,
        "refine",
        "condition.until",
        "score > 20 and result is matching(pat=\"^30\")",
    );
    assert_eq!(test.text.as_deref(), Some("true"));
    assert_eq!(test.reads.len(), 2);
    // The number of steps of an evaluation is limited, and its result is shortened.
    let long = preview(
        &app,
        "join",
        "template",
        "{% for i in range(end=9000) %}x{% endfor %}",
    );
    assert_eq!((long.text.unwrap().len(), long.cut), (4_000, true));
}

#[tokio::test]
async fn a_problem_of_a_text_says_where_in_it_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let app = open(folder.path());
    let spans = |text: &str| -> Vec<(String, String)> {
        let analysis = api::analyze(app.env(), with("join", "template", text), None).unwrap();
        let units: Vec<u16> = text.encode_utf16().collect();
        analysis
            .problems
            .into_iter()
            .filter(|problem| problem.node.as_deref() == Some("join"))
            .map(|problem| {
                let span = problem
                    .span
                    .unwrap_or_else(|| panic!("{} has no span: {}", problem.code, problem.message));
                let found = &units[span.from as usize..span.to as usize];
                (problem.code, String::from_utf16(found).unwrap())
            })
            .collect()
    };
    let one = |code: &str, text: &str| vec![(code.to_owned(), text.to_owned())];
    assert_eq!(
        spans("𝄞 Make {{ scroe }} plainer"),
        one("unknown_reference", "scroe")
    );
    assert_eq!(
        spans("{{ previous.score }}"),
        one("may_be_missing", "previous.score")
    );
    assert_eq!(spans("a {{ score"), one("template_syntax", "{{"));
    assert_eq!(spans("{{ score | uper }}"), one("template_syntax", "uper"));
}
