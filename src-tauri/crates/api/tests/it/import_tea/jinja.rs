//! Templates and conditions have the same results as in Jinja2, or become placeholders.
//!
//! `imports/tea/jinja_cases.json` has the results of Jinja2 3.1.6 under CPython 3.11, written by `pip install jinja2==3.1.6
//! && python jinja_cases.py > jinja_cases.json` in that folder.

use std::{fs, path::Path};

use loopwright_engine::RunStatus;
use loopwright_import::{Outcome, import};
use serde_json::{Value, json};

use super::{Reply, run};

/// Templates that Jinja2 can compute but an import cannot translate. The import report contains the reason.
const KEPT: [&str; 8] = [
    "V: {{ range(3) }}",
    "V: {{ 'tab\\t\\\\ \\u00e9' }}",
    "V: {{ unknown is defined }}",
    "{% if state.users | selectattr('nope') %}a{% endif %}",
    "V: {{ (1,) }}",
    "{% macro m() %}x{% endmacro %}{{ m() }}",
    "{% with a = 1 %}{{ a }}{% endwith %}",
    "state.users[0].age >= 2 or unknown",
];

/// Templates that Jinja2 can render but that make a run fail: sums with truth values, which the script's interpreter cannot
/// compute, and undefined values.
const FAILS: [&str; 3] = [
    "V: {{ 1 + true }}",
    "V: {{ 'a' if state.no }}",
    "V: {{ state.users | map(attribute='tags') | list }}",
];

fn cases() -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/imports/tea/jinja_cases.json");
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

/// Returns the value of `x` in an agent's final state, or `None` if the run fails. If a part became a placeholder, returns the
/// reason as an error.
fn ends(agent: &Value, state: &Value) -> Result<Option<Value>, String> {
    let imported = import(&agent.to_string(), &Default::default()).unwrap();
    let entries = &imported.report.entries;
    if let Some(kept) = entries
        .iter()
        .find(|entry| entry.outcome == Outcome::Placeholder)
    {
        return Err(kept.message.clone());
    }
    let (done, _) = run(&imported, state, Vec::new());
    if done.state.status != RunStatus::Completed {
        return Ok(None);
    }
    Ok(Some(done.state.outputs.unwrap()["state"]["x"].clone()))
}

/// For each row, compares the result of Jinja2 with that of the agent that `agent` creates from the row's text. `written`
/// converts a result of Jinja2 to the form in which the agent returns it.
fn compare(rows: &str, agent: impl Fn(&str) -> Value, written: impl Fn(&Value) -> Value) {
    let cases = cases();
    let (mut differ, mut kept) = (Vec::new(), Vec::new());
    for row in cases[rows].as_array().unwrap() {
        let text = row["text"].as_str().unwrap();
        let expected = row.get("gives").map(&written);
        match ends(&agent(text), &cases["state"]) {
            Ok(found) if found == expected => {}
            Ok(None) if FAILS.contains(&text) => {}
            Ok(found) => differ.push(format!("{text}: {found:?}, where Jinja gives {row}")),
            Err(why) if expected.is_some() => kept.push((text.to_owned(), why)),
            Err(_) => {}
        }
    }
    assert!(differ.is_empty(), "{}", differ.join("\n"));
    kept.retain(|(text, _)| !KEPT.contains(&text.as_str()));
    assert!(kept.is_empty(), "{kept:#?}");
}

#[test]
fn texts_give_what_jinja_gives() {
    let agent = |text: &str| json!({ "nodes": [{ "name": "a", "uses": "json.stringify", "with": { "data": 1 }, "output": { "x": text } }] });
    // As in TEA, an output that is null becomes an empty string.
    let written = |value: &Value| {
        if value.is_null() {
            json!("")
        } else {
            value.clone()
        }
    };
    compare("texts", agent, written);
}

#[test]
fn conditions_hold_where_jinjas_do() {
    let step = |name: &str, value: bool| {
        let word = if value { "True" } else { "False" };
        json!({ "name": name, "run": format!("return {{'x': {word}}}"), "goto": "__end__" })
    };
    let agent = |text: &str| {
        json!({
            "nodes": [{ "name": "a", "run": "return {}" }, step("yes", true), step("no", false)],
            "edges": [{ "from": "a", "to": "yes", "when": text }, { "from": "a", "to": "no" }]
        })
    };
    compare("conditions", agent, Value::clone);
}

#[test]
fn what_would_never_end_is_ended() {
    for text in [
        "{{ 'a' * 10000000000 }}b",
        "{% for a in range(100000) %}{% for b in range(100000) %}{% endfor %}{% endfor %}",
        "{{ range(10000000000) | list }}b",
        "{{ 9 ** (9 ** (9 ** 9)) }}b",
    ] {
        let agent = json!({ "nodes": [{ "name": "a", "uses": "json.stringify", "with": { "data": text } }] });
        assert_eq!(ends(&agent, &json!({})), Ok(None), "{text}");
    }
}

/// The scripts of an import call Python functions. A node may have the same name as such a function.
#[test]
fn a_node_may_have_the_name_of_a_function() {
    let agent = json!({ "nodes": [
        { "name": "str", "run": "return {'n': 1}" }, { "name": "list", "run": "return {}" },
        { "name": "a", "uses": "json.stringify", "with": { "data": 1 }, "output": { "x": "n={{ [state.n] | list }}" } }
    ] });
    assert_eq!(ends(&agent, &json!({})), Ok(Some(json!("n=[1]"))));
}

#[test]
fn a_loop_asks_before_each_round() {
    let agent = json!({ "nodes": [{
        "name": "a", "type": "while_loop", "condition": "state.list | length < 3 and not state.x", "max_iterations": 10,
        "body": [{ "name": "b", "run": "return {'list': state['list'] + [1], 'x': len(state['list'])}" }]
    }] });
    assert_eq!(ends(&agent, &json!({ "list": [] })), Ok(Some(json!(1))));
    assert_eq!(
        ends(&agent, &json!({ "list": [1, 2, 3], "x": 9 })),
        Ok(Some(json!(9)))
    );
}

/// The plain text of a prompt remains in the model's node. Expressions in the prompt are computed by a script and printed as
/// Python prints them.
#[test]
fn a_prompt_keeps_its_words() {
    let agent = json!({ "nodes": [{
        "name": "ask", "uses": "llm.call", "output": "reply",
        "with": {
            "system": "Be brief, {{ 'sir' }}.",
            "messages": [{ "role": "user", "content": "Flag: {{ state.flag }}, {{ state.tags | length }} of {{ state.tags }}; {{ state.flag }}" }]
        }
    }] });
    let imported = import(&agent.to_string(), &Default::default()).unwrap();
    let node = imported.flow.nodes.iter().find(|node| node.kind == "llm");
    assert_eq!(
        node.unwrap().data["prompt"],
        "Flag: {{ state.flag }}, {{ state.text_2 }} of {{ state.tags }}; {{ state.flag }}"
    );
    let state = json!({ "flag": null, "tags": ["a", true, 1.0] });
    let (done, models) = run(&imported, &state, vec![Reply::text("yes")]);
    assert_eq!(
        done.state.status,
        RunStatus::Completed,
        "{:?}",
        done.state.error
    );
    let asked = &models.calls()[0];
    assert_eq!(asked.prompt, "Flag: None, 3 of ['a', True, 1.0]; None");
    assert_eq!(asked.system.as_deref(), Some("Be brief, sir."));
}
