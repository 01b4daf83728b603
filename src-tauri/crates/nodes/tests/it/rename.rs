//! Tests that renaming nodes updates every reference and changes nothing else.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;

use loopwright_model::{
    file,
    validate::{RenameError, Renamed, rename},
};
use serde_json::{Value, json};

fn renamed(flow: Value, names: &[(&str, &str)]) -> Result<Renamed, RenameError> {
    let flow = file::read_value(flow).unwrap();
    let names: BTreeMap<_, _> = names
        .iter()
        .map(|(old, new)| ((*old).to_owned(), (*new).to_owned()))
        .collect();
    rename(&flow, loopwright_nodes::all().specs(), &names)
}

/// Renames the node `draft`. Returns the new template of a transform that reads this node, or `None` if the template did not
/// change.
fn template(source: &str, new: &str) -> Option<String> {
    let flow = json!({
        "nodes": [
            { "id": "draft", "type": "llm", "data": { "prompt": "x" } },
            { "id": "merge", "type": "transform", "data": { "template": source, "inputs": ["note"] } }
        ],
        "edges": [{ "id": "e", "source": "draft", "target": "merge" }]
    });
    let mut after = renamed(flow, &[("draft", new)]).unwrap();
    assert!(after.unread.is_empty(), "{source}: {:?}", after.unread);
    let data = after.data.remove("merge")?;
    Some(data["template"].as_str().unwrap().to_owned())
}

#[test]
fn names_in_templates_follow() {
    for (source, expected) in [
        ("{{ draft }}", "{{ text }}"),
        ("{{draft.response}} draft", "{{text.response}} draft"),
        (
            "{{- draft[\"response\"] | upper -}}",
            "{{- text[\"response\"] | upper -}}",
        ),
        (
            "{% if draft.score > 3 %}{{ draft }}{% endif %}",
            "{% if text.score > 3 %}{{ text }}{% endif %}",
        ),
        (
            "{{ nodes[\"draft\"].response }}",
            "{{ nodes[\"text\"].response }}",
        ),
        ("{{ nodes.draft }}", "{{ nodes[\"text\"] }}"),
        (
            "é {{ input[draft.index] ~ 'draft' }}",
            "é {{ input[text.index] ~ 'draft' }}",
        ),
        (
            "{{ previous.draft.response }}",
            "{{ previous.text.response }}",
        ),
    ] {
        assert_eq!(
            template(source, "text").as_deref(),
            Some(expected),
            "{source}"
        );
    }
}

#[test]
fn what_only_looks_like_the_name_stays() {
    for source in [
        "draft",
        "{# draft #}{{ input }}",
        "{% raw %}{{ draft }}{% endraw %}",
        "{{ input.draft }}",
        "{{ \"draft\" }}",
        "{{ drafts }}{{ my_draft }}",
        "{% for draft in input %}{{ draft.x }}{% endfor %}",
        "{% set draft = 1 %}{{ draft }}",
    ] {
        assert_eq!(template(source, "text"), None, "{source}");
    }
}

#[test]
fn a_name_that_is_hidden_or_no_identifier_is_written_in_full() {
    for (source, new, expected) in [
        (
            "{{ draft.response }}",
            "my draft",
            "{{ nodes[\"my draft\"].response }}",
        ),
        (
            "{{ previous.draft.x }}",
            "my draft",
            "{{ previous[\"my draft\"].x }}",
        ),
        // These names have another meaning in a template: one is an input of the node itself, the others are a keyword and a
        // reserved name.
        ("{{ draft }}", "note", "{{ nodes[\"note\"] }}"),
        ("{{ draft }}", "not", "{{ nodes[\"not\"] }}"),
        ("{{ draft }}", "input", "{{ nodes[\"input\"] }}"),
        // The template defines this name itself.
        (
            "{% for text in input %}{{ draft }}{{ text }}{% endfor %}",
            "text",
            "{% for text in input %}{{ nodes[\"text\"] }}{{ text }}{% endfor %}",
        ),
    ] {
        assert_eq!(template(source, new).as_deref(), Some(expected), "{source}");
    }
}

#[test]
fn loops_scripts_and_nested_fields_follow_and_own_names_stay() {
    let flow = json!({
        "nodes": [
            { "id": "refine", "type": "loop", "data": {
                "inputName": "state",
                "condition": { "until": "draft.score >= 8", "test": "after" },
                "variables": [{ "name": "n", "initial": "{{ input }}", "next": "{{ draft.score }}" }],
                "outputs": [{ "name": "best", "from": "draft.score" }]
            } },
            { "id": "draft", "type": "llm", "data": { "prompt": "{{ refine_loopIndex }} {{ loops[\"refine\"].loopCount }} {{ state }}" } },
            { "id": "state", "type": "transform", "data": { "template": "{{ state }}", "inputs": ["draft"] } },
            { "id": "code", "type": "tool", "data": { "tool": "script.lua", "args": {
                "source": "local x = draft.response\nreturn { draft = x, y = nodes[\"draft\"].usage, z = `é{draft}` } -- draft"
            } } },
            { "id": "web", "type": "tool", "data": { "tool": "http.request", "args": {
                "url": "https://x/{{ draft }}", "headers": { "a.b": ["{{ draft.usage }}"] }
            } } },
            { "id": "exit", "type": "exit", "data": {} }
        ],
        "edges": [
            { "id": "e1", "source": "refine", "sourceHandle": "body", "target": "draft" },
            { "id": "e2", "source": "draft", "target": "state" },
            { "id": "e3", "source": "state", "target": "code" },
            { "id": "e4", "source": "code", "target": "web" },
            { "id": "e5", "source": "web", "target": "exit" }
        ]
    });
    let after = renamed(
        flow,
        &[("draft", "text"), ("refine", "improve"), ("state", "kept")],
    )
    .unwrap();
    assert_eq!(
        json!(after.data),
        json!({
            "refine": {
                "inputName": "state",
                "condition": { "until": "text.score >= 8", "test": "after" },
                "variables": [{ "name": "n", "initial": "{{ input }}", "next": "{{ text.score }}" }],
                "outputs": [{ "name": "best", "from": "text.score" }]
            },
            "draft": { "prompt": "{{ improve_loopIndex }} {{ loops[\"improve\"].loopCount }} {{ state }}" },
            "code": { "tool": "script.lua", "args": {
                "source": "local x = text.response\nreturn { draft = x, y = nodes[\"text\"].usage, z = `é{text}` } -- draft"
            } },
            "web": { "tool": "http.request", "args": {
                "url": "https://x/{{ text }}", "headers": { "a.b": ["{{ text.usage }}"] }
            } }
        })
    );
    assert_eq!(after.places, 10);
}

#[test]
fn two_nodes_can_change_names_and_a_mistake_is_told() {
    let flow = json!({
        "nodes": [
            { "id": "a", "type": "llm", "data": { "prompt": "x" } },
            { "id": "b", "type": "llm", "data": { "prompt": "{{ a }}" } },
            { "id": "c", "type": "transform", "data": { "template": "{{ a }}{{ b }}" } },
            { "id": "d", "type": "transform", "data": { "template": "{{ a" } }
        ],
        "edges": []
    });
    let after = renamed(flow.clone(), &[("a", "b"), ("b", "a")]).unwrap();
    assert_eq!(after.data["c"]["template"], "{{ b }}{{ a }}");
    assert_eq!(after.data["b"]["prompt"], "{{ b }}");
    assert_eq!(after.unread.len(), 1);
    assert_eq!(after.unread[0].node, "d");

    let refused = |names: &[(&str, &str)]| renamed(flow.clone(), names).unwrap_err();
    assert_eq!(refused(&[("a", "b")]), RenameError::Taken("b".to_owned()));
    assert_eq!(refused(&[("x", "y")]), RenameError::Unknown("x".to_owned()));
    assert_eq!(refused(&[("a", "")]), RenameError::Invalid(String::new()));
    assert_eq!(
        refused(&[("a", "x/y")]),
        RenameError::Invalid("x/y".to_owned())
    );
}
