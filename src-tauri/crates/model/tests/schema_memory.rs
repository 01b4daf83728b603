//! Measures the memory and time for checking hostile schemas: 300 generated schemas and values, each of a form that once took
//! gigabytes of memory or could take them. This is a separate test program because it measures the memory of the whole process.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

use std::{
    fs,
    time::{Duration, Instant},
};

use loopwright_model::schema::{MAX_ERRORS, Schema};
use serde_json::{Map, Value, json};

const CASES: u64 = 300;
const MOST_MEMORY_MB: u64 = 200;
/// The time limit for a check in a development build on a busy machine.
const MOST_TIME: Duration = Duration::from_secs(30);

/// A SplitMix64 generator of random numbers (Steele, Lea and Flood 2014).
struct Chance(u64);

impl Chance {
    fn below(&mut self, count: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % count.max(1)
    }

    fn between(&mut self, from: u64, to: u64) -> u64 {
        from + self.below(to - from + 1)
    }
}

fn list(count: u64, item: impl FnMut(u64) -> Value) -> Value {
    Value::Array((0..count).map(item).collect())
}

fn object(count: u64, name: impl Fn(u64) -> String, field: impl Fn(u64) -> Value) -> Value {
    let fields: Map<String, Value> = (0..count).map(|n| (name(n), field(n))).collect();
    Value::Object(fields)
}

fn value(chance: &mut Chance) -> Value {
    let count = chance.between(200, 20_000);
    match chance.below(8) {
        0 | 1 => object(count, |n| format!("p{n}"), |n| json!(n)),
        2 => list(count, |n| json!(n)),
        3 => list(count / 10, |n| object(9, |m| format!("k{m}"), |_| json!(n))),
        4 => json!("x".repeat(count as usize * 20)),
        5 => {
            // A value with long names and deep nesting.
            let long = "n".repeat(count as usize / 4);
            (0..20).fold(json!(1), |inner, n| json!({ format!("{long}{n}"): inner }))
        }
        6 => list(count, |n| json!([n, [n]])),
        _ => list(count, |n| json!(format!("item {}", n % 7))),
    }
}

/// Returns a short schema that no value fits.
fn leaf(chance: &mut Chance, n: u64) -> Value {
    match chance.below(9) {
        0 => json!({ "const": n }),
        1 => json!({ "enum": [n, "x"] }),
        2 => json!({ "required": [format!("q{n}")], "type": "object" }),
        3 => json!({ "not": {} }),
        4 => json!({ "type": "null" }),
        5 => json!({ "contains": { "const": "no" }, "type": "array" }),
        6 => json!({ "additionalProperties": false, "minProperties": 1, "type": "object" }),
        7 => {
            json!({ "unevaluatedProperties": false, "unevaluatedItems": false, "minLength": 99_999_999 })
        }
        _ => {
            json!({ "propertyNames": { "maxLength": 0 }, "pattern": "^no$", "minItems": 99_999_999 })
        }
    }
}

fn schema(chance: &mut Chance) -> Value {
    let many = chance.between(100, 9_000);
    let word = ["anyOf", "oneOf", "allOf"][chance.below(3) as usize];
    let branches = |chance: &mut Chance, many: u64| list(many, |n| leaf(chance, n));
    match chance.below(20) {
        0 => json!({ word: list(many, |n| json!({ "const": n })) }),
        1 => json!({ word: branches(chance, many / 4) }),
        2 => json!({ "items": { word: branches(chance, many / 20) } }),
        3 => json!({ "additionalProperties": { word: branches(chance, many / 20) } }),
        4 => {
            json!({ word: list(many / 4, |n| json!({ "required": [format!("q{n}"), format!("r{n}")] })) })
        }
        5 => {
            json!({ word: list(many / 8, |_| json!({ "additionalProperties": false, "minProperties": 99_999_999 })) })
        }
        6 => {
            let inner = branches(chance, many / 8);
            (0..chance.between(2, 40)).fold(
                json!({ "anyOf": inner }),
                |inner, _| json!({ "allOf": [inner, { "not": {} }] }),
            )
        }
        7 => {
            let definitions = object(
                90,
                |n| format!("d{n}"),
                |n| json!({ "$ref": format!("#/$defs/d{}", n + 1) }),
            );
            json!({ "$defs": definitions, "$ref": "#/$defs/d0", "items": { "$ref": "#/$defs/d0" } })
        }
        8 => {
            let next = |n: u64| json!({ "$ref": format!("#/$defs/d{}", n + 1) });
            let definitions = object(
                27,
                |n| format!("d{n}"),
                |n| json!({ "properties": { "p1": next(n), "p2": next(n) }, "items": next(n), "contains": next(n) }),
            );
            json!({ "$defs": definitions, "$ref": "#/$defs/d0" })
        }
        9 => {
            json!({ "patternProperties": object(400, |n| format!("^(p|n)+{n}?"), |n| json!({ "const": n })) })
        }
        10 => {
            json!({ "uniqueItems": true, "contains": { word: branches(chance, 50) }, "minContains": 99_999_999 })
        }
        11 => {
            json!({ "dependentSchemas": object(many / 8, |n| format!("p{n}"), |n| json!({ "required": [format!("z{n}")] })) })
        }
        12 => {
            let large = object(many, |n| format!("x{n}"), |n| json!([n]));
            json!({ word: list(10, |_| json!({ "not": { "not": { "properties": {}, "x": large } } })) })
        }
        13 => {
            let long = "l".repeat(2_000);
            let inner = json!({ "anyOf": list(4_000, |n| json!({ "const": n })) });
            (0..60).fold(inner, |inner, _| json!({ "properties": { &long: inner } }))
        }
        14 => {
            json!({ "$id": format!("http://x.org/{}", "i".repeat(100_000)), "anyOf": list(6_000, |n| json!({ "const": n })) })
        }
        15 => {
            json!({ "propertyNames": { word: list(many / 8, |n| json!({ "const": format!("q{n}") })) } })
        }
        16 => {
            json!({ word: list(many / 8, |_| json!({ "unevaluatedProperties": false, "unevaluatedItems": false, "not": {} })) })
        }
        17 => {
            json!({ "const": list(many, |n| json!([[n]])), "enum": [list(many, |n| json!({ "a": n }))] })
        }
        18 => {
            let inner = json!({ "not": {} });
            (0..chance.between(10, 60)).fold(inner, |inner, n| {
                json!({ "if": { "minProperties": n }, "then": inner, "else": { "anyOf": [{ "const": n }, { "not": {} }] } })
            })
        }
        _ => {
            json!({ "items": { word: list(300, |n| json!({ "pattern": format!("^(a|x|item)*[0-9]{{1,9}}{n}$") })) } })
        }
    }
}

fn status_kb(field: &str) -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with(field)).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

/// Runs `go`. Returns its result, the peak memory that it used in MB beyond the memory in use before, and the time that it
/// took.
fn measured<T>(go: impl FnOnce() -> T) -> (T, u64, Duration) {
    // Writing 5 resets the peak memory counter.
    fs::write("/proc/self/clear_refs", "5").unwrap();
    let before = status_kb("VmRSS");
    let began = Instant::now();
    let result = go();
    let took = began.elapsed();
    (
        result,
        status_kb("VmHWM").saturating_sub(before) / 1024,
        took,
    )
}

/// Checks a value against a schema and returns a summary of the result.
fn check(schema: &Value, value: &Value) -> String {
    let compiled = match Schema::compile(schema) {
        Ok(compiled) => compiled,
        Err(error) => return error.code.to_owned(),
    };
    match compiled.mistakes(value, MAX_ERRORS) {
        Ok(mistakes) => {
            for mistake in &mistakes {
                assert!(mistake.message.chars().count() <= 501, "{mistake:?}");
            }
            format!("{} mistakes", mistakes.len())
        }
        Err(error) => error.code.to_owned(),
    }
}

#[test]
fn hostile_schemas_take_little_memory_and_time() {
    let mut listed = 0;
    for seed in 0..CASES {
        let mut chance = Chance(seed);
        let (schema, value) = (schema(&mut chance), value(&mut chance));
        let (found, memory, took) = measured(|| check(&schema, &value));
        let head: String = schema.to_string().chars().take(150).collect();
        assert!(
            memory < MOST_MEMORY_MB && took < MOST_TIME,
            "seed {seed}: {memory} MB, {took:?}, {found}: {head}"
        );
        listed += u64::from(found.ends_with("mistakes"));
    }
    assert!(listed > CASES / 3, "{listed} were listed");
}

/// A schema of 149 KB and a value of 115 KB once took more than 6 GB.
#[test]
fn branches_keep_no_copies_of_the_value() {
    let schema = json!({ "anyOf": list(9_000, |n| json!({ "const": n })) });
    let value = object(8_000, |n| format!("p{n}"), |n| json!(n));
    let (found, memory, took) = measured(|| check(&schema, &value));
    assert_eq!(found, "1 mistakes");
    assert!(memory < 100 && took < MOST_TIME, "{memory} MB, {took:?}");
}
