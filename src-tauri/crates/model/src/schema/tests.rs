//! Tests that no schema or value can exhaust time or memory in the validator, and that ordinary schemas and values are
//! judged correctly.

// These tests measure the time of a check.
#![allow(clippy::disallowed_methods)]

use std::time::{Duration, Instant};

use serde_json::json;

use super::*;

fn schema(schema: &Value) -> Schema {
    Schema::compile(schema).unwrap()
}

/// Builds a schema in which each of `levels` definitions refers to the next one twice.
fn doubling(levels: usize, last: &Value) -> Value {
    let mut definitions = serde_json::Map::new();
    for level in 0..levels {
        let next = json!({ "$ref": format!("#/$defs/d{}", level + 1) });
        definitions.insert(format!("d{level}"), json!({ "anyOf": [next, next] }));
    }
    definitions.insert(format!("d{levels}"), last.clone());
    json!({ "$defs": definitions, "$ref": "#/$defs/d0" })
}

#[test]
fn values_are_judged_as_the_library_judges_them() {
    let checked = json!({
        "type": "object",
        "required": ["a", "list"],
        "properties": {
            "a": { "type": "string", "minLength": 2, "pattern": "^[a-z]+$" },
            "list": { "type": "array", "items": { "enum": [1, "x", { "k": [1] }] }, "uniqueItems": true, "contains": { "const": 1 } },
            "n": { "oneOf": [{ "type": "integer" }, { "minimum": 10 }] },
            "tree": { "$ref": "#/$defs/tree" }
        },
        "propertyNames": { "maxLength": 6 },
        "additionalProperties": false,
        "$defs": { "tree": { "type": "array", "items": { "$ref": "#/$defs/tree" } } }
    });
    let plain = jsonschema::validator_for(&checked).unwrap();
    let ours = schema(&checked);
    for value in [
        json!({ "a": "ab", "list": [1, "x"] }),
        json!({ "a": "a", "list": [2, 2], "n": 11, "tree": [[], [[]], 1], "unknown": 0 }),
        json!({ "a": "A", "list": [1.0, { "k": [1] }], "n": 10.5, "tree": [[[[]]]] }),
        json!([1]),
        json!({ "list": [] }),
    ] {
        assert_eq!(ours.is_valid(&value), Ok(plain.is_valid(&value)), "{value}");
        let expected: Vec<Mistake> = plain
            .iter_errors(&value)
            .map(|error| Mistake {
                path: error.instance_path().to_string(),
                message: error.to_string(),
            })
            .collect();
        assert_eq!(ours.mistakes(&value, MAX_ERRORS), Ok(expected), "{value}");
    }
}

#[test]
fn what_unfolds_without_end_is_no_schema_for_use() {
    for last in [json!({ "type": "number" }), json!(false), json!({})] {
        let error = Schema::compile(&doubling(27, &last)).unwrap_err();
        assert_eq!(error.code, "schema_limit", "{error}");
        assert!(error.message.contains("unfold"), "{error}");
    }
    assert!(Schema::compile(&doubling(8, &json!({ "type": "number" }))).is_ok());
    let chain: Value = (0..2000)
        .map(|at| {
            (
                format!("d{at}"),
                json!({ "$ref": format!("#/$defs/d{}", at + 1) }),
            )
        })
        .collect::<serde_json::Map<_, _>>()
        .into();
    let error = Schema::compile(&json!({ "$defs": chain, "$ref": "#/$defs/d0" })).unwrap_err();
    assert_eq!(error.code, "schema_limit", "{error}");
    let large = json!({ "enum": vec!["x".repeat(1000); 300] });
    assert_eq!(Schema::compile(&large).unwrap_err().code, "schema_limit");
    assert_eq!(
        Schema::compile(&json!({ "type": 1 })).unwrap_err().code,
        "bad_schema"
    );
}

#[test]
fn a_schema_that_refers_to_itself_is_fine() {
    let tree = schema(&json!({ "type": "array", "items": { "$ref": "#" } }));
    let mut deep = json!([]);
    for _ in 0..200 {
        deep = json!([deep]);
    }
    assert_eq!(tree.is_valid(&deep), Ok(true));
    assert_eq!(tree.is_valid(&json!([[[1]]])), Ok(false));
    let to_itself = schema(&json!({ "anyOf": [{ "$ref": "#" }, { "type": "number" }] }));
    assert!(to_itself.is_valid(&json!(1)).is_ok());
}

/// A thousand `contains` over 3,000 items once caused three million stored errors.
#[test]
fn many_errors_take_little_memory_and_time() {
    let contains: Vec<Value> = (0..1000)
        .map(|n| json!({ "contains": { "const": format!("no {n}") } }))
        .collect();
    let checked = schema(&json!({ "allOf": contains }));
    let value = json!((0..3000).collect::<Vec<_>>());
    let began = Instant::now();
    let found = checked.mistakes(&value, 5);
    assert!(began.elapsed() < Duration::from_secs(20));
    match found {
        Ok(found) => assert!((1..=5).contains(&found.len())),
        Err(error) => assert_eq!(error.code, "schema_limit"),
    }
    let items =
        schema(&json!({ "items": { "anyOf": [{ "type": "string" }, { "type": "null" }] } }));
    let value = json!((0..100_000).collect::<Vec<_>>());
    let found = items.mistakes(&value, MAX_ERRORS).unwrap();
    assert!(!found.is_empty() && found.len() <= MAX_ERRORS);
}

#[test]
fn a_check_without_end_stops_and_says_so() {
    // For each item, 256 choices fail before one fits.
    let choices = json!({ "anyOf": [doubling_in_place(8), { "type": "number" }] });
    let checked = schema(&json!({ "items": { "items": choices } }));
    let row: Vec<u32> = (0..1000).collect();
    let value = json!(vec![row; 100]);
    let error = checked.is_valid(&value).unwrap_err();
    assert_eq!(error.code, "schema_limit", "{error}");
    let given_up = meter::attempt(
        Limit {
            work: 10_000,
            ..LIMIT
        },
        || checked.is_valid(&value),
    );
    assert_eq!(given_up, None);
}

fn doubling_in_place(levels: usize) -> Value {
    match levels {
        0 => json!({ "type": "string" }),
        levels => {
            let next = doubling_in_place(levels - 1);
            json!({ "anyOf": [next, next] })
        }
    }
}

#[test]
fn patterns_are_bounded() {
    let ahead = schema(&json!({ "pattern": "^(?=.*[A-Z])(?=.*[0-9]).{4,}$" }));
    assert_eq!(ahead.is_valid(&json!("aA34")), Ok(true));
    assert_eq!(ahead.is_valid(&json!("aaaa")), Ok(false));
    let huge = json!({ "pattern": "(a{1,1000}){1,1000}" });
    assert_eq!(Schema::compile(&huge).unwrap_err().code, "bad_schema");
    let back = schema(&json!({ "pattern": "^(?=a)(a|aa|aaa)+\\1$" }));
    let began = Instant::now();
    let _ = back.is_valid(&json!("a".repeat(5000) + "b"));
    assert!(began.elapsed() < Duration::from_secs(5));
}

#[test]
fn a_message_ends_where_it_gets_long() {
    let checked = schema(&json!({ "type": "number" }));
    let found = checked.mistakes(&json!("x".repeat(100_000)), 5).unwrap();
    assert!(found[0].message.chars().count() <= MAX_MESSAGE + 1);
}

#[test]
fn an_error_shows_the_beginning_of_a_large_value() {
    let value: Value = (0..8_000)
        .map(|n| (format!("p{n}"), json!(n)))
        .collect::<serde_json::Map<_, _>>()
        .into();
    let checked = schema(&json!({ "anyOf": [{ "type": "string" }, { "const": 1 }] }));
    let found = checked.mistakes(&value, 5).unwrap();
    let message = &found[0].message;
    assert!(message.starts_with("{\"p0\":0,\"p"), "{message}");
    assert!(message.contains("…"), "{message}");
    assert!(
        message.ends_with("is not valid under any of the schemas listed in the 'anyOf' keyword"),
        "{message}"
    );
    // There are so many branches that not even the excerpts in their errors can be stored.
    let many: Vec<Value> = (0..9_000).map(|n| json!({ "const": n })).collect();
    let found = schema(&json!({ "anyOf": many }))
        .mistakes(&value, 5)
        .unwrap();
    assert!(found[0].message.ends_with("'anyOf' keyword"), "{found:?}");
}

#[test]
fn places_of_parts_are_bounded() {
    let long = "l".repeat(2_000);
    let inner = json!({ "anyOf": (0..4_000).map(|n| json!({ "const": n })).collect::<Vec<_>>() });
    let nested = (0..60).fold(inner, |inner, _| json!({ "properties": { &long: inner } }));
    let error = Schema::compile(&nested).unwrap_err();
    assert_eq!(error.code, "schema_limit");
    assert!(error.message.contains("names are too long"), "{error}");
}
