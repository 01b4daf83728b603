//! JavaScript of function nodes beside its Luau: each program is run by node, where there is one, and by the script that it
//! becomes, on the same inputs. What lies outside of the part that is translated is kept, with the reason.

#![allow(clippy::unwrap_used)]

use std::{io::Write as _, process::Command, time::Duration};

use loopwright_import::{Import, Options, Outcome, import};
use loopwright_script::{Limits, Stop};
use serde_json::{Map, Value, json};

/// A container with one function node, each of whose inputs comes from a constant.
fn imported(code: &str, inputs: &Value) -> Import {
    let inputs = inputs.as_object().unwrap();
    let mut nodes: Vec<Value> = inputs
        .iter()
        .map(|(name, value)| {
            json!({ "id": format!("c_{name}"), "type": "constant",
                "data": { "nodeType": "constant", "value": value, "outputs": [{ "name": "value" }] } })
        })
        .collect();
    let declared: Vec<Value> = inputs.keys().map(|name| json!({ "name": name })).collect();
    nodes.push(json!({ "id": "f", "type": "function", "data": {
        "nodeType": "function", "label": "f", "code": code, "inputs": declared, "outputs": [{ "name": "r" }] } }));
    let edges: Vec<Value> = inputs
        .keys()
        .map(|name| {
            json!({ "source": format!("c_{name}"), "sourceHandle": "output:value", "target": "f",
                "targetHandle": format!("input:{name}") })
        })
        .collect();
    let document =
        json!({ "version": 2, "metadata": { "name": "t" }, "nodes": nodes, "edges": edges });
    let options = Options {
        from: Some("containers".to_owned()),
        ..Options::default()
    };
    import(&document.to_string(), &options).unwrap()
}

/// What the script gives, or its error; `Err` with the reason where the code is kept.
fn here(code: &str, inputs: &Value) -> Result<Result<Value, String>, String> {
    let imported = imported(code, inputs);
    let node = imported.flow.nodes.iter().find(|node| node.id == "f");
    let Some(source) = node.unwrap().data["args"]["source"].as_str() else {
        unreachable!()
    };
    let values: Map<String, Value> = inputs
        .as_object()
        .unwrap()
        .iter()
        .map(|(name, value)| (format!("in_{name}"), value.clone()))
        .collect();
    let limits = Limits {
        memory: 64 << 20,
        time: Duration::from_secs(10),
        result: 1 << 20,
    };
    Ok(
        loopwright_script::run(source, &values, limits, &Stop::default())
            .map_err(|failure| failure.message),
    )
}

fn kept(code: &str, inputs: &Value) -> Option<String> {
    let imported = imported(code, inputs);
    let mut entries = imported.report.entries.into_iter();
    entries
        .find(|entry| entry.outcome == Outcome::Placeholder)
        .map(|entry| entry.message)
}

/// `undefined` in a list is null in both, and an error is its words.
const DRIVER: &str = r#"
const fs = require("fs");
const cases = JSON.parse(fs.readFileSync(process.argv[2], "utf8"));
const silent = { ...console, log() {} };
const out = cases.map(([code, inputs]) => {
  try {
    const value = new Function("inputs", "console", code)(inputs, silent);
    return { value: value === undefined ? null : JSON.parse(JSON.stringify(value)) };
  } catch (error) {
    return { error: error instanceof Error ? `${error.name}: ${error.message}` : String(error) };
  }
});
process.stdout.write(JSON.stringify(out));
"#;

/// What node gives for each case; `None` where there is no node.
fn there(cases: &[(String, Value)]) -> Option<Vec<Value>> {
    let folder = std::env::temp_dir().join(format!("loopwright-js-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (driver, list) = (folder.join("driver.cjs"), folder.join("cases.json"));
    std::fs::write(&driver, DRIVER).unwrap();
    std::fs::write(&list, serde_json::to_string(cases).unwrap()).unwrap();
    let ran = Command::new("node").arg(&driver).arg(&list).output();
    let _ = std::fs::remove_dir_all(&folder);
    let Ok(ran) = ran else {
        let _ = writeln!(
            std::io::stdout(),
            "\nSKIPPED: JavaScript beside its Luau: there is no node"
        );
        return None;
    };
    assert!(
        ran.status.success(),
        "{}",
        String::from_utf8_lossy(&ran.stderr)
    );
    Some(serde_json::from_slice(&ran.stdout).unwrap())
}

/// Numbers that are whole are the same however they are written.
fn same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(a), Value::Number(b)) => a.as_f64() == b.as_f64(),
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len()
                && a.iter()
                    .all(|(name, a)| b.get(name).is_some_and(|b| same(a, b)))
        }
        (a, b) => a == b,
    }
}

/// Every value with every operator: the rules of conversion, each cell of their tables.
fn operators() -> Vec<(String, Value)> {
    let values = [
        "0",
        "1",
        "-1.5",
        "NaN",
        "Infinity",
        "''",
        "'0'",
        "'1'",
        "' 12 '",
        "'a'",
        "'B'",
        "true",
        "false",
        "null",
        "undefined",
        "[]",
        "[1]",
        "[1, 2]",
        "[null]",
        "({})",
        "({ a: 1 })",
        "'1e3'",
        "'0x1f'",
        "'.5'",
        "'5.'",
        "'-'",
        "1e21",
        "-0",
    ];
    let binary = [
        "+", "-", "*", "/", "%", "==", "!=", "===", "!==", "<", ">", "<=", ">=", "&&", "||", "??",
        "|", "&", "^", "<<", ">>", ">>>",
    ];
    let made: Vec<String> = values
        .iter()
        .map(|value| format!("() => ({value})"))
        .collect();
    let asked: Vec<String> = binary
        .iter()
        .map(|operator| format!("String(a {operator} b)"))
        .collect();
    let pairs = format!(
        "const all = [{}], r = {{}}; for (let x = 0; x < all.length; x++) for (let y = 0; y < all.length; y++) {{ \
         const a = all[x](), b = all[y](); r[`${{x}} ${{y}}`] = [{}]; }} return r",
        made.join(", "),
        asked.join(", ")
    );
    let alone = format!(
        "const all = [{}], r = []; for (const make of all) {{ const v = make(); r.push([!v, +v, -v, ~v, typeof v, v ? 1 : 2, \
         `${{v}}`, Number(v), Boolean(v), isNaN(v), parseInt(v), parseFloat(v), v?.x === undefined].map(String)); }} return {{ r }}",
        made.join(", ")
    );
    vec![(pairs, json!({})), (alone, json!({}))]
}

fn programs() -> Vec<(String, Value)> {
    let data = json!({ "a": 3, "b": 4.5, "s": "Hello, World", "u": "naïve café", "list": [3, 1, 2, 10], "words": ["b", "a", "C"],
        "rows": [{ "id": 1, "name": "x", "tags": ["p", "q"] }, { "id": 2, "name": "y", "tags": [] }, { "id": 3, "name": null }],
        "o": { "k": 1, "deep": { "er": [1, { "z": true }] } }, "flags": [true, false], "n": null, "t": "{\"a\": [1, 2]}" });
    include_str!("javascript/programs.js")
        .split("\n//----\n")
        .map(|code| (code.trim().to_owned(), data.clone()))
        .filter(|(code, _)| !code.is_empty())
        .collect()
}

#[test]
fn translated_programs_give_what_node_gives() {
    let mut cases = operators();
    cases.extend(programs());
    let Some(expected) = there(&cases) else {
        return;
    };
    let mut wrong = Vec::new();
    for ((code, inputs), expected) in cases.iter().zip(expected) {
        if let Some(why) = kept(code, inputs) {
            wrong.push(format!("{code}\n  is kept: {why}"));
            continue;
        }
        let got = here(code, inputs).unwrap();
        let fine = match (&got, expected.get("value"), expected.get("error")) {
            (Ok(got), Some(value), _) => same(got, value),
            (Err(got), _, Some(error)) => {
                let error = error.as_str().unwrap();
                got.contains(error) || (error.starts_with("TypeError") && got.contains("TypeError"))
            }
            _ => false,
        };
        if !fine {
            wrong.push(format!("{code}\n  here:  {got:?}\n  there: {expected}"));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {} differ:\n{}",
        wrong.len(),
        cases.len(),
        wrong.join("\n")
    );
}

#[test]
fn what_is_not_translated_is_kept_with_the_reason() {
    for (code, reason) in [
        (
            "return { r: inputs.s.replace(/a/g, 'b') }",
            "regular expression",
        ),
        ("const r = await fetch(inputs.url); return { r }", "`await`"),
        ("return { r: Math.random() }", "Math.random"),
        ("return { r: Date.now() }", "Date.now"),
        ("return { r: new Date().toISOString() }", "new `Date`"),
        ("return { r: require('fs') }", "`require`"),
        ("return { r: process.env.HOME }", "`process`"),
        ("class A {} return {}", "`class`"),
        ("return { r: this }", "`this`"),
        ("function* g() { yield 1 } return {}", "generator"),
        ("return { r: inputs.s.match('x') }", "`match`"),
        ("try { return {} } finally { }", "try"),
        ("x = 1; return { x }", "`x`"),
        ("const x = 1; x = 2; return { x }", "constant"),
        ("return { r: (", "value is expected"),
        ("return { r: `${inputs.s }", "without"),
        ("return { r: 'abc", "without an end"),
        (
            "switch (1) { case 1: let a = 1; case 2: return {} }",
            "`case`",
        ),
        ("a: for (;;) { break a }", "label"),
        ("return { r: 1n }", "no number"),
        ("", ""),
    ] {
        match (kept(code, &json!({ "s": "x", "url": "u" })), reason) {
            (None, "") => {}
            (Some(why), reason) if !reason.is_empty() => {
                assert!(why.contains(reason), "{code}: {why}");
            }
            (other, _) => panic!("{code}: {other:?}"),
        }
    }
    let deep = format!(
        "return {{ r: {}1{} }}",
        "(".repeat(5_000),
        ")".repeat(5_000)
    );
    assert!(kept(&deep, &json!({})).unwrap().contains("deep"));
    let long = format!("return {{ r: {} }}", vec!["1"; 5_000].join(" + "));
    assert!(kept(&long, &json!({})).unwrap().contains("long"));
}
