//! Tests of extreme numbers and durations in a flow. Each is either handled as documented or rejected with a message. None
//! causes a panic or an overflow, or is silently ignored.

#![allow(clippy::unwrap_used)]

use loopwright_engine::plan::{Repeat, plan};
use loopwright_model::{Flow, file, validate::validate};
use serde_json::{Value, json};

fn flow() -> Value {
    json!({
        "schemaVersion": 1, "name": "numbers", "settings": { "budget": {} },
        "nodes": [
            { "id": "in", "type": "input", "position": { "x": 0, "y": 0 }, "data": { "name": "x" } },
            { "id": "loop", "type": "loop", "data": { "exitCondition": "max_iterations", "feedbackMode": "replace", "limits": {} } },
            { "id": "list", "type": "iterator", "data": {} },
            { "id": "ask", "type": "llm", "data": { "prompt": "{{ input }}", "model": "builtin/critic", "retry": { "type": "exponential" } } },
            { "id": "all", "type": "aggregator", "data": {} },
            { "id": "exit", "type": "exit", "data": {} },
            { "id": "out", "type": "output", "data": { "name": "y" } }
        ],
        "edges": [
            { "id": "1", "source": "in", "target": "loop" },
            { "id": "2", "source": "loop", "sourceHandle": "body", "target": "list" },
            { "id": "3", "source": "list", "target": "ask" },
            { "id": "4", "source": "ask", "target": "all" },
            { "id": "5", "source": "all", "target": "exit" },
            { "id": "6", "source": "exit", "target": "out" }
        ]
    })
}

fn with(place: &str, value: &Value) -> Flow {
    let mut document = flow();
    let (parent, field) = place.rsplit_once('/').unwrap();
    document.pointer_mut(parent).unwrap()[field] = value.clone();
    file::read_value(document).unwrap()
}

const WHOLE: [&str; 9] = [
    "/settings/maxIterationsCeiling",
    "/settings/concurrency",
    "/settings/budget/tokens",
    "/nodes/1/data/maxIterations",
    "/nodes/1/data/patience",
    "/nodes/1/data/limits/budgetTokens",
    "/nodes/2/data/concurrency",
    "/nodes/3/data/maxTokens",
    "/nodes/3/data/retry/count",
];
const DURATIONS: [&str; 7] = [
    "/settings/timeout",
    "/nodes/1/data/limits/timeout",
    "/nodes/1/data/limits/iterationTimeout",
    "/nodes/3/data/timeout",
    "/nodes/3/data/retry/interval",
    "/nodes/3/data/retry/minInterval",
    "/nodes/3/data/retry/maxInterval",
];

fn extremes() -> Vec<Value> {
    vec![
        json!(0),
        json!(-1),
        json!(i64::MIN),
        json!(u64::from(u32::MAX) + 1),
        json!(i64::MAX as u64 + 1),
        json!(u64::MAX),
        json!(1e308),
        json!(-1e308),
        json!(5e-324),
        json!(0.5),
    ]
}

/// Validates a flow with this value at `place`, and plans the flow if it has no errors. Returns the messages of its problems.
fn tried(place: &str, value: &Value) -> Vec<String> {
    let flow = with(place, value);
    let kinds = loopwright_nodes::all();
    let problems = validate(&flow, kinds.specs());
    let is_wrong = problems.iter().any(loopwright_model::Problem::is_error);
    if let (false, Err(error)) = (is_wrong, plan(&flow, &kinds)) {
        // A value that only the kind itself reads is also rejected before the run. The message names the node.
        assert!(
            error.message.contains("ask"),
            "{place} = {value}: {error:?}"
        );
    }
    problems
        .into_iter()
        .map(|problem| problem.message)
        .collect()
}

#[test]
fn extreme_numbers_are_taken_or_refused_with_words() {
    for place in WHOLE.into_iter().chain(DURATIONS) {
        for value in extremes() {
            let messages = tried(place, &value);
            let number = value.as_f64().unwrap();
            let must_be_said = number < 0.0 || number.fract() != 0.0 || DURATIONS.contains(&place);
            let field = place.rsplit('/').next().unwrap();
            let is_reported = messages.iter().any(|message| message.contains(field));
            assert!(
                is_reported || !must_be_said,
                "{place} = {value}: {messages:?}"
            );
        }
    }
    for axis in ["x", "y"] {
        for value in extremes() {
            tried(&format!("/nodes/0/position/{axis}"), &value);
        }
    }
}

#[test]
fn extreme_durations_are_refused_with_words() {
    for place in DURATIONS {
        let longest = tried(place, &json!("P36500D"));
        assert!(
            !longest.iter().any(|message| message.contains("P36500D")),
            "{place}: {longest:?}"
        );
        for long in [
            "P36501D",
            "PT9223372036854775807S",
            "P99999999999999999999W",
            "PT1E400S",
        ] {
            let messages = tried(place, &json!(long));
            assert!(
                messages.iter().any(|message| message.contains(long)),
                "{place} = {long}: {messages:?}"
            );
        }
    }
}

#[test]
fn a_whole_number_counts_however_it_is_written() {
    let kinds = loopwright_nodes::all();
    let settings = with("/settings/budget", &json!({ "tokens": 1e6 })).settings();
    assert_eq!(settings.budget_tokens, Some(1_000_000));
    let settings = with("/settings/concurrency", &json!(2.0)).settings();
    assert_eq!(settings.concurrency, 2);
    let planned = plan(
        &with("/nodes/1/data/limits/budgetTokens", &json!(5e3)),
        &kinds,
    )
    .unwrap();
    let bounded = planned.graphs.iter().any(|graph| match &graph.repeat {
        Some(Repeat::Loop(config)) => config.budget.tokens == Some(5_000),
        _ => false,
    });
    assert!(bounded);
    let planned = plan(&with("/nodes/3/data/retry/count", &json!(7.0)), &kinds).unwrap();
    assert!(
        planned
            .nodes
            .iter()
            .any(|node| node.retry.as_ref().is_some_and(|retry| retry.count == 7))
    );
}
