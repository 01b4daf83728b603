//! Measures the cost of scripts: the first call, which starts a worker, further calls, and the validation of a flow with many
//! scripts.

use std::time::{Duration, Instant};

use loopwright_model::{Flow, validate::validate};
use loopwright_script::{Call, Language, Limits, Pool};
use serde_json::{Value, json};

use crate::{line, micros};

const CALLS: u64 = 1_000;

/// Returns 1 KB of text that differs in every call, like a value in a loop.
fn values(number: u64) -> Value {
    let words = "The draft says the same thing twice and the judge noticed. ".repeat(17);
    json!({ "text": format!("{number}: {words}") })
}

/// The number of scripts in the validated flow.
const SCRIPTS: usize = 50;

/// Measures the first call and the mean of [`CALLS`] calls in a row, in each language.
///
/// # Panics
/// Panics if a script returns a wrong result.
pub fn measure() {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let pool = Pool::shared();
    let began = Instant::now();
    let first = pool.run(Call {
        language: Language::Luau,
        source: "return 1".to_owned(),
        values: serde_json::Map::new(),
        limits: Limits::default(),
    });
    assert_eq!(runtime.block_on(first).result, Ok(json!(1)));
    line(
        "the first call of a process, which starts a worker",
        micros(began.elapsed()),
        "a call",
        "",
    );
    for language in Language::ALL {
        let source = match language {
            Language::Luau => "return { words = #string.split(text, \" \") }",
            Language::Python => "return {'words': len(text.split(' '))}",
            Language::JavaScript => "return { words: text.split(' ').length }",
        };
        let call = |number: u64| {
            let Value::Object(values) = values(number) else {
                unreachable!("values are an object");
            };
            Call {
                language,
                source: source.to_owned(),
                values,
                limits: Limits::default(),
            }
        };
        let taken: Duration = runtime.block_on(async {
            let mut began = Instant::now();
            for number in 0..=CALLS {
                if number == 1 {
                    began = Instant::now();
                }
                let result = pool.run(call(number)).await.result.expect("a result");
                assert!(result["words"].as_u64() > Some(100), "{result}");
            }
            began.elapsed()
        });
        let each = micros(taken) / CALLS as f64;
        let verdict = if each < 1_000.0 { "met" } else { "missed" };
        line(
            &format!("a call of {}, 1 KB in, worker warm", language.name()),
            each,
            "a call",
            &format!("{:.3} × the aim of 1,000 µs: {verdict}", each / 1_000.0),
        );
    }
}

/// Returns a flow of [`SCRIPTS`] Tool nodes in a row, each with a script of 1 KB. `changed` is written into the last script.
fn scripted_flow(changed: &str) -> Flow {
    let source = |number: usize| match number % 3 {
        0 => format!(
            "local n = {number}\n{}return n",
            "n = n + #tostring(input)\n".repeat(40)
        ),
        1 => format!("n = {number}\n{}n", "n = n + len(str(input))\n".repeat(42)),
        _ => format!(
            "let n = {number};\n{}n",
            "n = n + String(input).length;\n".repeat(34)
        ),
    };
    let tools = ["script.lua", "script.python", "script.javascript"];
    let mut nodes = vec![json!({ "id": "in", "type": "input", "data": { "name": "text" } })];
    let mut edges = Vec::new();
    let mut last = "in".to_owned();
    for number in 0..SCRIPTS {
        let id = format!("step{number}");
        let mut source = source(number);
        if number + 1 == SCRIPTS {
            source.push_str(changed);
        }
        let data = json!({ "tool": tools[number % 3], "args": { "source": source } });
        nodes.push(json!({ "id": id, "type": "tool", "data": data }));
        edges.push(json!({ "id": format!("e{number}"), "source": last, "target": id }));
        last = id;
    }
    nodes.push(json!({ "id": "out", "type": "output", "data": { "name": "text" } }));
    edges.push(json!({ "id": "last", "source": last, "target": "out" }));
    let document = json!({
        "schemaVersion": 1, "name": "Scripts", "nodes": nodes, "edges": edges
    });
    loopwright_model::file::read_value(document).expect("a flow")
}

/// Measures the validation of a flow with [`SCRIPTS`] scripts: when all scripts are new, when one is new, and when none is new.
///
/// # Panics
/// Panics if the flow has problems.
pub fn measure_validation() {
    let kinds = loopwright_nodes::all();
    let timed = |changed: &str| {
        let flow = scripted_flow(changed);
        let began = Instant::now();
        let problems = validate(&flow, kinds.specs());
        let taken = began.elapsed();
        assert!(
            problems.iter().all(|problem| !problem.is_error()),
            "{problems:?}"
        );
        micros(taken)
    };
    for (what, changed) in [
        ("all new in this process", ""),
        ("one new", " + 1"),
        ("none new", " + 1"),
    ] {
        line(
            &format!("validating a flow with {SCRIPTS} scripts of 1 KB, {what}"),
            timed(changed),
            "a flow",
            "",
        );
    }
}
