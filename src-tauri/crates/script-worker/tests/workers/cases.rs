//! Tests scripts against their results in CPython and Node. The cases are read from the folder in `LOOPWRIGHT_SCRIPT_CASES`,
//! and skipped without it.

use std::path::PathBuf;

use loopwright_script::{Language, Outcome};
use serde_json::Value;

use crate::run;

pub(crate) const TESTS: &[(&str, fn())] = &[
    ("javascript_gives_what_node_gives", javascript),
    ("python_gives_what_cpython_gives", python),
];

#[derive(Default)]
struct Count {
    equal: usize,
    refused: Vec<String>,
    different: Vec<String>,
}

/// Cases that were recorded in another context: a template that removed braces, indentation inside a string, or the
/// variables instead of a result.
const RECORDED_OTHERWISE: &[&str] = &[
    "py_small/e028",
    "py_cases/string_mult_concat",
    "py_stmt/locals_noreturn",
];

/// Wraps the source in the state with which the case was recorded, if the state changes the result.
fn with_state(source: &str) -> String {
    format!(
        "def body(state):\n    {}\nr = body(state)\n{{**state, **(r if isinstance(r, dict) else {{'result': r}})}}",
        source.replace('\n', "\n    ")
    )
}

fn is_equal(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => {
            one == other || (one.as_f64() == other.as_f64() && (one.is_f64() || other.is_f64()))
        }
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len()
                && one
                    .iter()
                    .zip(other)
                    .all(|(one, other)| is_equal(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            one.len() == other.len()
                && one.iter().all(|(name, field)| {
                    other.get(name).is_some_and(|other| is_equal(field, other))
                })
        }
        _ => one == other,
    }
}

fn measure(language: Language) -> Option<Count> {
    let folder = PathBuf::from(std::env::var_os("LOOPWRIGHT_SCRIPT_CASES")?);
    let text = std::fs::read_to_string(folder.join("scripts.json")).ok()?;
    let cases: Vec<Value> = serde_json::from_str(&text).expect("a list of cases");
    let mut count = Count::default();
    for case in cases
        .iter()
        .filter(|case| case["language"] == language.name())
    {
        let source = case["source"].as_str().unwrap_or_default();
        let mut inputs = case["inputs"].clone();
        if language == Language::Python && source.contains("state") {
            inputs["state"] = case["inputs"].clone();
        }
        let has_state = language == Language::Python && source.contains("state");
        let Outcome { mut result, .. } = if has_state {
            run(language, &with_state(source), inputs)
        } else {
            run(language, source, inputs)
        };
        if let (Ok(value), Language::Python, Value::Object(state)) =
            (&mut result, language, &case["inputs"])
            && !has_state
        {
            // The recording merged the returned value into the state.
            let mut state = state.clone();
            match value.take() {
                Value::Object(returned) => state.extend(returned),
                other => {
                    state.insert("result".to_owned(), other);
                }
            }
            *value = Value::Object(state);
        }
        let id = &case["id"];
        if id
            .as_str()
            .is_some_and(|id| RECORDED_OTHERWISE.contains(&id))
        {
            continue;
        }
        match (result, case["ends"].as_str()) {
            (Ok(value), Some("value")) if is_equal(&value, &case["value"]) => count.equal += 1,
            (Err(_), Some("error")) => count.equal += 1,
            (Ok(value), _) => count.different.push(format!(
                "{id}: {value} instead of {}\n    {source}",
                case["value"]
            )),
            (Err(failure), _) => count
                .refused
                .push(format!("{id}: {} {failure}\n    {source}", failure.code)),
        }
    }
    let all = count.equal + count.refused.len() + count.different.len();
    println!(
        "{language}: {} of {all} equal, {} refused, {} different",
        count.equal,
        count.refused.len(),
        count.different.len()
    );
    for line in count.different.iter().chain(&count.refused) {
        println!("  {line}");
    }
    (all > 0).then_some(count)
}

fn javascript() {
    let Some(count) = measure(Language::JavaScript) else {
        return;
    };
    assert!(count.refused.is_empty() && count.different.is_empty());
}

fn python() {
    let Some(count) = measure(Language::Python) else {
        return;
    };
    let all = count.equal + count.refused.len() + count.different.len();
    assert!(count.equal * 100 >= all * 86, "too few are equal");
    assert!(
        count.different.len() * 1000 <= all * 15,
        "too many are different"
    );
}
