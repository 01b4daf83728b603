//! Tests of checks by schema, and of template filters.

use loopwright_testing::scripted::Reply;
use serde_json::{Value, json};

use super::{final_state, read, run};

fn replies(texts: &[&str]) -> Vec<Reply> {
    texts.iter().map(|text| Reply::text(text)).collect()
}

fn ends(text: &str, state: &Value, texts: &[&str]) -> Value {
    final_state(&run(&read(text), state, replies(texts)).0)
}

#[test]
fn a_schema_checks_alone_and_in_a_retry() {
    let text = "nodes:\n- name: check\n  uses: data.validate\n  with: {data: \"{{ state.user }}\", schema: {type: object, required: [name]}}\n  output: made\n";
    let made = ends(text, &json!({ "user": { "name": "Ada" } }), &[])["made"].clone();
    assert_eq!(
        made,
        json!({ "valid": true, "errors": [], "success": true })
    );
    let made = ends(text, &json!({ "user": {} }), &[])["made"].clone();
    assert_eq!(made["valid"], false);
    assert!(
        made["errors"][0]["message"]
            .as_str()
            .unwrap()
            .contains("name"),
        "{made}"
    );
    let text = "nodes:\n- name: check\n  uses: retry.loop\n  with:\n    validate: data.validate\n    validate_args: {data: \"{{ state.user }}\", schema: {type: object, required: [name]}}\n    correct: mend\n    max_retries: 2\n- name: mend\n  run: |\n    return {\"user\": {\"name\": state[\"_retry_errors\"][0][\"message\"]}}\nedges:\n- {from: __start__, to: check}\n- {from: check, to: __end__}\n";
    let state = ends(text, &json!({ "user": {} }), &[]);
    assert_eq!(
        (&state["_retry_count"], &state["_retry_exhausted"]),
        (&json!(1), &json!(false))
    );
    assert!(
        state["user"]["name"].as_str().unwrap().contains("required"),
        "{state}"
    );
}

#[test]
fn filters_of_templates_give_what_jinjas_do() {
    let state = json!({ "l": [3, 1, 2], "o": [{ "n": "b", "k": 2 }, { "n": "a", "k": 1 }], "s": "hello world", "empty": "" });
    for (expression, expected) in [
        ("state.empty | default('x', true)", json!("x")),
        ("state.empty | default('x')", json!("")),
        ("state.l | sort(reverse=true)", json!([3, 2, 1])),
        (
            "state.o | sort(attribute='n') | map(attribute='k') | list",
            json!([1, 2]),
        ),
        (
            "state.o | selectattr('k', 'gt', 1) | map(attribute='n') | join(',')",
            json!("b"),
        ),
        (
            "state.o | rejectattr('n', 'equalto', 'b') | list",
            json!([{ "n": "a", "k": 1 }]),
        ),
        ("state.o | join('-', attribute='n')", json!("b-a")),
        ("['a', 'b'] | map('upper') | join", json!("AB")),
        ("state.s | truncate(5, true, '')", json!("hello")),
        ("state.s | split(' ') | last", json!("world")),
        ("state.l | tojson(indent=2)", json!("[\n  3,\n  1,\n  2\n]")),
        ("2.345 | round(1, 'floor')", json!(2.3)),
    ] {
        let text = json!({ "nodes": [{ "name": "a", "uses": "json.stringify", "output": { "x": format!("{{{{ {expression} }}}}") }, "with": { "data": 1 } }] });
        assert_eq!(
            ends(&text.to_string(), &state, &[])["x"],
            expected,
            "{expression}"
        );
    }
    // Constants are inlined, whatever quotes and backslashes they contain.
    let text = json!({ "variables": { "v": "a\"b'c`d\\e" }, "nodes": [{ "name": "a", "uses": "json.stringify", "output": { "x": "{{ variables.v }}" }, "with": { "data": 1 } }] });
    assert_eq!(ends(&text.to_string(), &state, &[])["x"], "a\"b'c`d\\e");
    for expression in [
        "state.l | sum",
        "state.l | sort(case_sensitive=true)",
        "state.s | replace('l', 'x', 1)",
    ] {
        let text = json!({ "nodes": [{ "name": "a", "uses": "json.stringify", "output": { "x": format!("{{{{ {expression} }}}}") }, "with": { "data": 1 } }] });
        let entries = read(&text.to_string()).report.entries;
        assert!(
            entries
                .iter()
                .any(|entry| entry.message.contains("the filter")),
            "{expression}: {entries:?}"
        );
    }
}
