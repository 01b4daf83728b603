//! Evaluates the expressions in a folder of cases and compares the results. The test is skipped if the folder is absent.

use std::{fs, path::Path};

use serde_json::{Map, Value};

use crate::{Context, evaluate};

/// Returns whether two values are equal. Numbers are equal if they have the same value.
fn same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => one.as_f64() == other.as_f64(),
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| same(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            one.len() == other.len()
                && one
                    .iter()
                    .all(|(name, value)| other.get(name).is_some_and(|other| same(value, other)))
        }
        _ => one == other,
    }
}

#[test]
fn expressions_give_what_their_language_gives() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../../../shared/cases/scripts/logicapps-expressions.json");
    let Ok(text) = fs::read_to_string(file) else {
        return;
    };
    let cases: Vec<Value> = serde_json::from_str(&text).unwrap();
    let nothing = Map::new();
    let context = Context {
        values: Some(&nothing),
        ..Context::default()
    };
    let mut wrong = Vec::new();
    for case in &cases {
        let gives = evaluate(&case["expression"], context);
        let right = match (&gives, case["ends"].as_str()) {
            (Ok(value), Some("value")) => same(value, &case["value"]),
            (Err(_), Some("error")) => true,
            _ => false,
        };
        if !right {
            wrong.push(format!(
                "{}: {gives:?}, and not {}",
                case["expression"], case["value"]
            ));
        }
        let silent = case["ends"] == "error" && gives == Ok(Value::Null);
        assert!(!silent, "{} gives null, and must fail", case["expression"]);
    }
    let most = cases.len() * 3 / 100;
    assert!(
        wrong.len() <= most,
        "{} of {}:\n{}",
        wrong.len(),
        cases.len(),
        wrong.join("\n")
    );
}
