//! Placed here so that the rules' shared helpers are covered without kinds; whole flows are checked where the kinds are.

use serde_json::json;

use super::*;

#[test]
fn an_empty_flow_has_no_problems_and_unknown_kinds_are_named() {
    let kinds = Kinds::new(Vec::new());
    let empty: Flow = serde_json::from_value(json!({ "nodes": [], "edges": [] })).unwrap();
    assert!(validate(&empty, &kinds).is_empty());
    let unknown: Flow = serde_json::from_value(json!({
        "nodes": [
            { "id": "a", "type": "mystery", "data": { "label": "Riddle" } },
            { "id": "b", "type": "mystery", "data": { "disabled": true } },
            { "id": "c", "type": "mystery", "data": { "imported": { "from": "elsewhere" } } }
        ]
    }))
    .unwrap();
    let problems = validate(&unknown, &kinds);
    let found: Vec<_> = problems
        .iter()
        .map(|problem| (problem.code, problem.node.as_deref(), problem.is_error()))
        .collect();
    assert_eq!(
        found,
        [
            ("unknown_kind", Some("a"), true),
            ("unknown_kind", Some("b"), false),
            ("imported_placeholder", Some("c"), false),
        ]
    );
    assert!(
        problems[0]
            .message
            .starts_with("\"Riddle\" is of type \"mystery\"")
    );
}
