//! Tests of the helpers that the rules share, without real kinds. The crate that defines the kinds tests whole flows.

use serde_json::json;

use super::*;
use crate::{
    handles::{Handle, Handles, ValueType},
    kind::{Category, Data, KindSpec, Shape},
};

/// A kind with one input handle and one output handle.
struct Typed {
    name: &'static str,
    takes: ValueType,
    gives: ValueType,
}

impl KindSpec for Typed {
    fn type_name(&self) -> &'static str {
        self.name
    }
    fn title(&self) -> &'static str {
        self.name
    }
    fn category(&self) -> Category {
        Category::Logic
    }
    fn icon(&self) -> &'static str {
        "box"
    }
    fn summary(&self) -> &'static str {
        "for a test"
    }
    fn doc(&self) -> &'static str {
        "For a test."
    }
    fn shape(&self) -> Shape {
        Shape::Plain
    }
    fn handles(&self, _data: &Data) -> Handles {
        Handles {
            inputs: vec![Handle::primary("in", self.takes)],
            outputs: vec![Handle::primary("out", self.gives)],
        }
    }
    fn schema(&self) -> serde_json::Value {
        json!({ "type": "object" })
    }
    fn defaults(&self) -> Data {
        Data::new()
    }
}

#[test]
fn wires_between_types_that_do_not_convert_are_errors() {
    let kind = |name, takes, gives| {
        std::sync::Arc::new(Typed { name, takes, gives }) as std::sync::Arc<dyn KindSpec>
    };
    let kinds = Kinds::new(vec![
        kind("texts", ValueType::Any, ValueType::Text),
        kind("numbers", ValueType::Number, ValueType::Number),
        kind("booleans", ValueType::Boolean, ValueType::Boolean),
    ]);
    let flow: Flow = serde_json::from_value(json!({
        "nodes": [
            { "id": "t", "type": "texts" }, { "id": "n", "type": "numbers" }, { "id": "b", "type": "booleans" }
        ],
        "edges": [
            { "id": "e1", "source": "t", "target": "n" },
            { "id": "e2", "source": "n", "target": "b", "targetHandle": "in" }
        ]
    }))
    .unwrap();
    let problems = validate(&flow, &kinds);
    let wrong: Vec<_> = problems
        .iter()
        .filter(|problem| problem.code == "incompatible_types")
        .map(|problem| (problem.node.as_deref(), problem.place.as_deref()))
        .collect();
    assert_eq!(
        wrong,
        [(Some("n"), Some("edge:e1")), (Some("b"), Some("edge:e2"))]
    );
    assert!(
        problems[0].message.contains("`out` of \"t\" gives a text"),
        "{}",
        problems[0].message
    );
}

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
