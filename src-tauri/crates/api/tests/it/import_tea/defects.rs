//! Files that were once imported incorrectly, with the correct results.

use std::fs;

use loopwright_engine::RunStatus;
use loopwright_import::{Options, Outcome, import};
use serde_json::{Value, json};

use super::{final_state, read, refused, root, run};

fn ends(text: &str, state: &Value) -> Value {
    final_state(&run(&read(text), state, vec![]).0)
}

/// Returns the reason why the first placeholder was not translated.
fn kept(text: &str) -> String {
    let entries = read(text).report.entries;
    let found = entries
        .iter()
        .find(|entry| entry.outcome == Outcome::Placeholder)
        .unwrap_or_else(|| panic!("nothing is kept: {entries:?}"));
    found.message.clone()
}

#[test]
fn bare_words_of_yaml_are_what_pyyaml_makes_of_them() {
    let text = "
variables:
  answer: y
  flag: no
  quoted: 'no'
  on_: On
  oct: 010
  not_oct: 089
  hexa: 0x1F
  ver: 1.10
  time: 12:30
  text_time: \"12:30\"
  date: 2024-01-15
  tilde: ~
  und: 1_000
  letters: [x, y, n, N, Y]
  m: {y: 1, n: 2, yes: 3}
nodes:
- name: a
  run: |
    return {'v': {**variables, 'keys': sorted(variables['m'])}}
";
    let found = ends(text, &json!({}))["v"].clone();
    for (name, expected) in [
        ("answer", json!("y")),
        ("flag", json!(false)),
        ("quoted", json!("no")),
        ("on_", json!(true)),
        ("oct", json!(8)),
        ("not_oct", json!("089")),
        ("hexa", json!(31)),
        ("ver", json!(1.1)),
        ("time", json!(750)),
        ("text_time", json!("12:30")),
        ("date", json!("2024-01-15")),
        ("tilde", Value::Null),
        ("und", json!(1000)),
        ("letters", json!(["x", "y", "n", "N", "Y"])),
        ("keys", json!(["n", "true", "y"])),
    ] {
        assert_eq!(found[name], expected, "{name}");
    }
}

#[test]
fn nodes_behind_next_with_conditions_are_reached() {
    let text = "
nodes:
- name: start
  run: |
    return {'n': state['n']}
  next:
  - condition: \"{{ state.n > 1 }}\"
    to: many
  - to: few
- name: many
  run: |
    return {'said': 'many'}
  next: __end__
- name: few
  run: |
    return {'said': 'few'}
  next: __end__
";
    assert_eq!(ends(text, &json!({ "n": 2 }))["said"], "many");
    assert_eq!(ends(text, &json!({ "n": 1 }))["said"], "few");
}

#[test]
fn what_runs_several_times_there_never_runs_once_here() {
    let join = "- name: all\n  run: |\n    return {}\n";
    let each = format!(
        "nodes:\n- name: a\n  parallel_each: '{{{{ state.xs }}}}'\n  fan_in: all\n  run: |\n    return {{}}\n{join}"
    );
    assert!(kept(&each).contains("`parallel_each`"));
    let matrix = format!(
        "nodes:\n- name: a\n  strategy: {{matrix: {{x: [1, 2]}}}}\n  fan_in: all\n  run: |\n    return {{}}\n{join}"
    );
    assert!(kept(&matrix).contains("`strategy`"));
    let of = |fields: &str| format!("nodes:\n- name: a\n  type: dynamic_parallel\n{fields}{join}");
    let steps = "  steps:\n  - run: |\n      return {}\n";
    for (fields, says) in [
        (format!("  fan_in: all\n{steps}"), "requires `items`"),
        (
            "  fan_in: all\n  items: '{{ state.xs }}'\n".to_owned(),
            "requires one of `action`, `steps` and `subgraph`",
        ),
        (
            format!(
                "  fan_in: all\n  items: '{{{{ state.xs }}}}'\n  action: {{uses: file.read}}\n{steps}"
            ),
            "`action` and `steps`",
        ),
        (
            format!("  items: '{{{{ state.xs }}}}'\n{steps}"),
            "requires `fan_in`",
        ),
        (
            format!("  fan_in: al\n  items: '{{{{ state.xs }}}}'\n{steps}"),
            "did you mean “all”",
        ),
    ] {
        let words = refused(&of(&fields));
        assert!(words.contains(says), "{says}: {words}");
    }
}

#[test]
fn names_that_no_lua_declares_are_nil() {
    let text = "
variables: {x: 5}
nodes:
- name: a
  run: |
    -- lua
    return { seen = variables ~= nil, sum = (state.n or 0) + 1 }
";
    assert_eq!(
        ends(text, &json!({ "n": 1 })),
        json!({ "n": 1, "seen": false, "sum": 2 })
    );
}

#[test]
fn nodes_that_edges_alone_name_are_kept() {
    let text = "nodes:\n- name: a\n  run: |\n    return {}\nedges:\n- {from: a, to: b}\n";
    assert!(kept(text).contains("edges lead to “b”"), "{}", kept(text));
    assert_eq!(
        run(&read(text), &json!({}), vec![]).0.state.status,
        RunStatus::Failed
    );
}

/// Checks the original files, if they are present next to the repository.
#[test]
fn files_with_defects_give_what_their_source_gives() {
    let folder = root().join("../shared/cases/import-defects");
    let text = |name: &str| fs::read_to_string(folder.join(name)).ok();
    let Some(diffs) = text("py-diffs.yaml") else {
        return;
    };
    let expected: Value = serde_json::from_str(&text("py-diffs.expected.json").unwrap()).unwrap();
    let found = ends(&diffs, &json!({}));
    let expected = expected.get("out").unwrap_or(&expected).clone();
    for (name, value) in expected.as_object().unwrap() {
        assert_eq!(&found["out"][name], value, "{name}");
    }
    for name in [
        "tea-placeholder-in-parallel.yaml",
        "tea-parallel-each.yaml",
        "tea-variables-write.yaml",
    ] {
        let imported = import(&text(name).unwrap(), &Options::default()).unwrap();
        let state = json!({ "urls": ["a"], "items": [1] });
        let (done, _) = run(&imported, &state, vec![]);
        assert_eq!(done.state.status, RunStatus::Failed, "{name}");
    }
    let state = ends(
        &text("tea-parallel-result-branch.yaml").unwrap(),
        &json!({ "initial_value": 1 }),
    );
    assert_eq!(state["results"][1]["branch"], "branch_b");
    assert_eq!(state["results"][1]["modified"], 201);
    let state = ends(
        &text("tea-dynamic-parallel-none.yaml").unwrap(),
        &json!({ "my_items": null }),
    );
    assert_eq!(state["parallel_results"], json!([]));
    let state = ends(&text("yaml_y_n.yaml").unwrap(), &json!({}));
    assert_eq!(
        state,
        json!({ "keys": ["n", "x", "y"], "answer": "y", "letters": ["x", "y", "n", "N", "Y"] })
    );
    assert!(refused(&text("tea-two-modes.yaml").unwrap()).contains("`action` and `steps`"));
}
