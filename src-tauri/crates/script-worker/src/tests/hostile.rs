//! Tests scripts that fail: the line in the error, scripts that are stopped from outside, and values that are too large.
//! `fuzzing/escapes/luau` contains attempts to escape the sandbox or to exhaust the computer, one per file.

#![allow(clippy::unwrap_used)]

use std::time::{Duration, Instant};

use loopwright_script::{Failure, Limits};
use serde_json::{Map, Value, json};

use crate::{Stop, run};

fn limits() -> Limits {
    Limits {
        memory: 16 * 1024 * 1024,
        time: Duration::from_millis(400),
        result: 256 * 1024,
    }
}

fn on_a_small_stack<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        std::thread::Builder::new()
            .stack_size(2 * 1024 * 1024)
            .spawn_scoped(scope, work)
            .unwrap()
            .join()
            .unwrap()
    })
}

fn given(source: &str, values: Value) -> Result<Value, Failure> {
    let Value::Object(values) = values else {
        panic!("values are an object")
    };
    on_a_small_stack(|| run(source, &values, limits(), &Stop::default()))
}

fn script(source: &str) -> Result<Value, Failure> {
    given(source, json!({}))
}

#[test]
fn errors_name_their_line() {
    for (source, line) in [
        ("\n\nerror('x')", Some(3)),
        ("local t\nlocal u = 1\nreturn t.x", Some(3)),
        (
            "local function f()\n  error({ code = 1 })\nend\n\nf()",
            Some(2),
        ),
        ("local function f()\n  return #nil\nend\n\nf()", Some(2)),
        ("\nreturn json.decode('x')", Some(2)),
        ("local s = 1\n\nreturn ('x'):rep(1e9)", Some(3)),
        ("\nwhile true do end", Some(2)),
        ("\n\nlocal x = = 1", Some(3)),
    ] {
        let failure = script(source).unwrap_err();
        assert_eq!(failure.line, line, "{source}: {failure:?}");
    }
}

#[test]
fn a_script_can_be_stopped() {
    let stop = Stop::default();
    let other = stop.clone();
    let thread = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(50));
        other.stop();
    });
    let began = Instant::now();
    let failure = run(
        "while true do pcall(function() while true do end end) end",
        &Map::new(),
        Limits::default(),
        &stop,
    )
    .unwrap_err();
    assert_eq!(failure.code, "cancelled");
    assert!(began.elapsed() < Duration::from_secs(5));
    thread.join().unwrap();
}

#[test]
fn values_that_do_not_fit_are_reported() {
    let failure = given("return #input", json!({ "input": "x".repeat(20_000_000) })).unwrap_err();
    assert_eq!(failure.code, "script_limit");
    let mut deep = json!(1);
    for _ in 0..120 {
        deep = json!([deep]);
    }
    let failure = given("return 1", json!({ "input": deep })).unwrap_err();
    assert!(failure.message.contains("100 levels deep"), "{failure}");
}

/// The memory and the time that `json` uses count against the script's limits, and stopping the script also stops `json`.
#[test]
fn json_counts_against_its_script() {
    let large = Limits {
        memory: 16 * 1024 * 1024,
        time: Duration::from_secs(20),
        result: 8 * 1024 * 1024,
    };
    let run_with = |source: &str, limits: Limits, stop: &Stop| {
        on_a_small_stack(|| run(source, &Map::new(), limits, stop))
    };
    // A million small values are 2 MB of text, but need much more memory.
    for source in [
        "return #json.decode('[' .. string.rep('[],', 1000000) .. '1]')",
        "local t = {} local e = array() for i = 1, 600000 do t[i] = e end return #json.encode(t)",
    ] {
        let failure = run_with(source, large, &Stop::default()).unwrap_err();
        assert_eq!(failure.code, "script_limit", "{source}: {failure}");
        assert!(failure.message.contains("memory"), "{source}: {failure}");
    }
    let busy = "local t = table.create(100000, 1) while true do json.decode(json.encode(t)) end";
    let began = Instant::now();
    let failure = run_with(busy, limits(), &Stop::default()).unwrap_err();
    assert_eq!(failure.code, "script_limit", "{failure}");
    assert!(failure.message.contains("0.4 s"), "{failure}");
    assert!(began.elapsed() < Duration::from_secs(3));
    let stop = Stop::default();
    stop.stop();
    let failure = run_with(busy, large, &stop).unwrap_err();
    assert_eq!(failure.code, "cancelled", "{failure}");
}

#[test]
fn decoded_json_is_as_before() {
    let decoded = script(
        "local v = json.decode('{\"a\": [1, 2.5, null, true, \"x\"], \"n\": 9223372036854775807, \"e\": {}, \"l\": []}') return v",
    );
    assert_eq!(
        decoded,
        Ok(
            json!({ "a": [1, 2.5, null, true, "x"], "n": 9223372036854775807u64, "e": {}, "l": [] })
        )
    );
    for wrong in ["'1 2'", "'{\"a\":}'", "''"] {
        let failure = script(&format!("return json.decode({wrong})")).unwrap_err();
        assert_eq!(failure.code, "script_failed", "{failure}");
        assert!(failure.message.contains("not JSON"), "{failure}");
    }
}
