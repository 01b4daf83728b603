//! Tests flows that are designed to be slow to check: small files with many or awkward nodes, wires or names. Each check must
//! finish within seconds, no matter how many problems it finds. For some of these flows, a rule that compares all nodes with
//! each other would need minutes.

#![allow(clippy::unwrap_used)]

use std::time::{Duration, Instant};

use loopwright_model::{Flow, Problem, file, validate::validate};
use serde_json::{Value, json};

/// The time limit for a check. It is far above the time that checking any of these flows takes in a debug build on a busy
/// computer.
const BOUND: Duration = Duration::from_secs(20);

fn node(id: impl Into<String>, kind: &str, data: &Value) -> Value {
    json!({ "id": id.into(), "type": kind, "data": data })
}

fn repeat(id: impl Into<String>) -> Value {
    let data =
        json!({ "maxIterations": 2, "exitCondition": "max_iterations", "feedbackMode": "replace" });
    node(id, "loop", &data)
}

fn passes_on(id: impl Into<String>) -> Value {
    node(id, "transform", &json!({ "template": "{{ input }}" }))
}

fn decides(id: impl Into<String>, names: &[String]) -> Value {
    let branch = |name: &String| json!({ "name": name, "when": "input == 1" });
    let branches: Vec<Value> = names.iter().map(branch).collect();
    node(id, "router", &json!({ "branches": branches }))
}

fn either() -> Vec<String> {
    vec!["a".to_owned(), "b".to_owned()]
}

/// Returns a wire from `from` to `to`, each given as `node.handle` or as `node` for the primary handle.
fn wire(from: &str, to: &str) -> (String, String) {
    (from.to_owned(), to.to_owned())
}

fn flow(nodes: Vec<Value>, wires: Vec<(String, String)>) -> Flow {
    let end = |place: &str| {
        let (id, handle) = place.split_once('.').unwrap_or((place, ""));
        (
            id.to_owned(),
            (!handle.is_empty()).then(|| handle.to_owned()),
        )
    };
    let edges: Vec<Value> = wires
        .iter()
        .enumerate()
        .map(|(index, (from, to))| {
            let ((source, leaves), (target, enters)) = (end(from), end(to));
            json!({
                "id": format!("e{index}"), "source": source, "sourceHandle": leaves, "target": target, "targetHandle": enters
            })
        })
        .collect();
    file::read_value(json!({
        "schemaVersion": 1, "name": "large", "settings": { "allowNestedLoops": true }, "nodes": nodes, "edges": edges
    }))
    .unwrap()
}

/// Returns these nodes, preceded by an input `in` and an output `out`.
fn framed(inner: impl IntoIterator<Item = Value>) -> Vec<Value> {
    let mut nodes = vec![
        node("in", "input", &json!({ "name": "x" })),
        node("out", "output", &json!({ "name": "y" })),
    ];
    nodes.extend(inner);
    nodes
}

fn within_one_another(count: usize, start: &str, end: &str, body: &str) -> Flow {
    let open = |index: usize| match start {
        "loop" => repeat(format!("l{index}")),
        _ => node(format!("l{index}"), start, &json!({})),
    };
    let mut nodes = framed([passes_on("b")]);
    let mut wires = vec![
        wire("in", "l0"),
        wire("b", &format!("x{}", count - 1)),
        wire("x0", "out"),
    ];
    for index in 0..count {
        nodes.push(open(index));
        nodes.push(node(format!("x{index}"), end, &json!({})));
        let next = index + 1;
        let into = if next == count {
            "b".to_owned()
        } else {
            format!("l{next}")
        };
        wires.push(wire(&format!("l{index}.{body}"), &into));
        if next < count {
            wires.push(wire(&format!("x{next}"), &format!("x{index}")));
        }
    }
    flow(nodes, wires)
}

fn chained(count: usize, template: impl Fn(usize) -> String) -> Flow {
    let nodes = (0..count).map(|index| {
        node(
            format!("t{index}"),
            "transform",
            &json!({ "template": template(index) }),
        )
    });
    let wires = (1..count).map(|index| wire(&format!("t{}", index - 1), &format!("t{index}")));
    let ends = [wire("in", "t0"), wire(&format!("t{}", count - 1), "out")];
    flow(framed(nodes), wires.chain(ends).collect())
}

fn named(count: usize, make: impl Fn(usize) -> Value) -> Vec<Value> {
    (0..count).map(make).collect()
}

/// Returns the flows to check, each with its name and the code of a problem that the check must find, if any.
fn families() -> Vec<(&'static str, Flow, Option<&'static str>)> {
    let deep = Some("nested_too_deep");
    let mut all = vec![
        (
            "loops within one another",
            within_one_another(3_000, "loop", "exit", "body"),
            deep,
        ),
        (
            "lists within one another",
            within_one_another(3_000, "iterator", "aggregator", "item"),
            deep,
        ),
        (
            "a chain that reads what is before",
            chained(8_000, |index| match index {
                0 => "{{ input }}".to_owned(),
                _ => format!("{{{{ t{} }}}}", index - 1),
            }),
            None,
        ),
        (
            "names that nothing has",
            chained(8_000, |index| format!("{{{{ qwrzk{index} }}}}")),
            Some("unknown_reference"),
        ),
        (
            "inputs of one name",
            flow(
                named(8_000, |index| {
                    node(format!("i{index}"), "input", &json!({ "name": "x" }))
                }),
                vec![],
            ),
            Some("duplicate_name"),
        ),
        (
            "nodes of one id",
            flow(named(8_000, |_| passes_on("a")), vec![]),
            Some("duplicate_id"),
        ),
        (
            "a wire many times",
            flow(framed([]), vec![wire("in", "out"); 8_000]),
            Some("duplicate_wire"),
        ),
    ];
    let starts = 0..3_000;
    all.push((
        "loops without a body",
        flow(
            framed(starts.clone().map(|index| repeat(format!("l{index}")))),
            starts
                .clone()
                .map(|index| wire("in", &format!("l{index}.input")))
                .collect(),
        ),
        Some("no_end"),
    ));
    all.push((
        "loops without an end",
        flow(
            framed(starts.clone().map(|index| repeat(format!("l{index}")))),
            starts
                .clone()
                .map(|index| wire(&format!("l{index}.body"), &format!("l{}.input", index + 1)))
                .collect(),
        ),
        deep,
    ));
    all.push((
        "loops that share a long body",
        shared_bodies(2_000),
        Some("tangled_regions"),
    ));
    all.push((
        "loops one after the other",
        one_after_the_other(2_500),
        None,
    ));
    all.push((
        "routers at one handle",
        routers_at_one_handle(3_000),
        Some("several_values"),
    ));
    all.push(("routers one after the other", router_chain(2_000), None));
    all.push(("one router with many branches", wide_router(2_500), None));
    all.push(("routers that feed back", feeding_routers(1_500), None));
    all
}

fn shared_bodies(count: usize) -> Flow {
    let loops = (0..count).map(|index| repeat(format!("l{index}")));
    let chain = (0..count).map(|index| passes_on(format!("t{index}")));
    let wires = (0..count)
        .map(|index| wire(&format!("l{index}.body"), "t0"))
        .chain((1..count).map(|index| wire(&format!("t{}", index - 1), &format!("t{index}"))))
        .chain([wire(&format!("t{}", count - 1), "x")]);
    flow(
        framed(loops.chain(chain).chain([node("x", "exit", &json!({}))])),
        wires.collect(),
    )
}

/// Returns a flow with `count` loops, one after the other. The body of each loop also reads the value at the end of the
/// previous loop.
fn one_after_the_other(count: usize) -> Flow {
    let mut nodes = framed([]);
    let mut wires = vec![
        wire("in", "l0.input"),
        wire(&format!("x{}", count - 1), "out"),
    ];
    for index in 0..count {
        let (start, body, end) = (
            format!("l{index}"),
            format!("b{index}"),
            format!("x{index}"),
        );
        nodes.extend([
            repeat(&start),
            node(
                &body,
                "transform",
                &json!({ "inputs": ["extra"], "template": "{{ input }}" }),
            ),
            node(&end, "exit", &json!({})),
        ]);
        wires.extend([wire(&format!("{start}.body"), &body), wire(&body, &end)]);
        if index > 0 {
            wires.push(wire(&format!("x{}", index - 1), &format!("{start}.input")));
            wires.push(wire(&format!("x{}", index - 1), &format!("{body}.extra")));
        }
    }
    flow(nodes, wires)
}

fn routers_at_one_handle(count: usize) -> Flow {
    let routers = (0..count).map(|index| decides(format!("r{index}"), &either()));
    let wires = (0..count).flat_map(|index| {
        [
            wire("in", &format!("r{index}")),
            wire(&format!("r{index}.a"), "out"),
            wire(&format!("r{index}.b"), "out"),
        ]
    });
    flow(framed(routers), wires.collect())
}

fn router_chain(count: usize) -> Flow {
    let pairs = (0..count).flat_map(|index| {
        [
            decides(format!("r{index}"), &either()),
            passes_on(format!("t{index}")),
        ]
    });
    let wires = (0..count).flat_map(|index| {
        let next = if index + 1 == count {
            "out".to_owned()
        } else {
            format!("r{}", index + 1)
        };
        [
            wire(&format!("r{index}.a"), &format!("t{index}")),
            wire(&format!("r{index}.b"), &format!("t{index}")),
            wire(&format!("t{index}"), &next),
        ]
    });
    flow(framed(pairs), wires.chain([wire("in", "r0")]).collect())
}

fn wide_router(count: usize) -> Flow {
    let names: Vec<String> = (0..count).map(|index| format!("b{index}")).collect();
    let behind = (0..count).map(|index| passes_on(format!("t{index}")));
    let wires = (0..count).flat_map(|index| {
        [
            wire(&format!("r.b{index}"), &format!("t{index}")),
            wire(&format!("t{index}"), "out"),
        ]
    });
    flow(
        framed([decides("r", &names)].into_iter().chain(behind)),
        wires.chain([wire("in", "r")]).collect(),
    )
}

fn feeding_routers(count: usize) -> Flow {
    let start =
        json!({ "maxIterations": 2, "exitCondition": "evaluator", "feedbackMode": "replace" });
    let routers = (0..count).map(|index| decides(format!("r{index}"), &either()));
    let ends = [node("l", "loop", &start), node("x", "exit", &json!({}))];
    let wires = (0..count).flat_map(|index| {
        let next = if index + 1 == count {
            "x".to_owned()
        } else {
            format!("r{}", index + 1)
        };
        [
            wire(&format!("r{index}.a"), &next),
            wire(&format!("r{index}.b"), "l.feedback"),
        ]
    });
    let outer = [
        wire("in", "l.input"),
        wire("l.body", "r0"),
        wire("x", "out"),
    ];
    flow(
        framed(ends.into_iter().chain(routers)),
        wires.chain(outer).collect(),
    )
}

#[test]
fn every_awkward_flow_is_checked_in_seconds() {
    for (name, flow, code) in families() {
        let begun = Instant::now();
        let problems = validate(&flow, loopwright_nodes::all().specs());
        let took = begun.elapsed();
        assert!(took < BOUND, "{name}: {took:?}");
        eprintln!("{name}: {took:?}");
        let has = |code| problems.iter().any(|problem| problem.code == code);
        match code {
            Some(code) => assert!(has(code), "{name}: {:?}", problems.first()),
            None => assert!(
                !problems.iter().any(Problem::is_error),
                "{name}: {:?}",
                problems.first()
            ),
        }
    }
}

#[test]
fn loops_may_be_nested_to_the_limit_and_no_further() {
    let limit = loopwright_model::regions::MAX_DEPTH;
    let kinds = loopwright_nodes::all();
    let fits = validate(
        &within_one_another(limit, "loop", "exit", "body"),
        kinds.specs(),
    );
    assert!(fits.is_empty(), "{fits:?}");
    let deeper = validate(
        &within_one_another(limit + 1, "loop", "exit", "body"),
        kinds.specs(),
    );
    let [problem] = deeper.as_slice() else {
        panic!("{deeper:?}");
    };
    assert_eq!(
        (problem.code, problem.node.as_deref()),
        ("nested_too_deep", Some("l0"))
    );
    assert!(
        problem.message.contains("more than 32 levels deep"),
        "{}",
        problem.message
    );
}
