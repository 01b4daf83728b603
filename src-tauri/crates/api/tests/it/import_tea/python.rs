//! The Python code of `run:` blocks. It runs unchanged, and the same names are defined as in TEA.

use serde_json::{Value, json};

use super::{Outcome, RunStatus, final_state, read, run};

fn of(code: &str) -> String {
    let body = code.replace('\n', "\n    ");
    format!("variables: {{most: 3, list: [1]}}\nnodes:\n- name: a\n  run: |\n    {body}\n")
}

fn ends(code: &str, state: &Value) -> Value {
    final_state(&run(&read(&of(code)), state, vec![]).0)
}

fn fails(code: &str) -> String {
    let (done, _) = run(&read(&of(code)), &json!({}), vec![]);
    assert_eq!(done.state.status, RunStatus::Failed);
    done.state.error.unwrap().message
}

#[test]
fn what_a_block_returns_is_merged_into_the_state() {
    let state = json!({ "n": 1, "list": [1] });
    assert_eq!(
        ends("return {'n': state['n'] + 1}", &state),
        json!({ "n": 2, "list": [1] })
    );
    // As in TEA, changes of the state are kept, and a returned value that is not a dictionary is stored as `result`.
    assert_eq!(
        ends("state['list'].append(2)\nstate['m'] = 5\nreturn 7", &state),
        json!({ "n": 1, "list": [1, 2], "m": 5, "result": 7 })
    );
    // A whole float remains a float.
    assert_eq!(
        ends(
            "return {'text': f\"{4 / 2} {3 // 2} {None} {True} {[1, 'a']}\"}",
            &json!({})
        )["text"],
        "2.0 1 None True [1, 'a']"
    );
}

#[test]
fn the_names_of_a_block_without_return_are_what_changes() {
    let code =
        "x = state['n'] * 2\n_hidden = 1\nfor i in range(3):\n    y = i\nif x > 100:\n    z = 1\n";
    assert_eq!(
        ends(code, &json!({ "n": 1 })),
        json!({ "n": 1, "x": 2, "i": 2, "y": 2 })
    );
    // As in TEA, code that contains the word `return`, even in a comment, becomes the body of a function. This one returns
    // nothing.
    assert_eq!(
        ends("x = 1  # no return here", &json!({})),
        json!({ "result": null })
    );
}

#[test]
fn variables_are_read_and_a_change_of_them_is_never_lost() {
    assert_eq!(
        ends(
            "return {'m': variables['most'] + variables.get('no', 1)}",
            &json!({})
        )["m"],
        4
    );
    for code in [
        "variables['most'] = 4\nreturn {}",
        "variables.update(most=4)\nreturn {}",
    ] {
        assert!(
            fails(code).contains("changes `variables`"),
            "{code}: {}",
            fails(code)
        );
    }
    for code in [
        "variables['list'].append(2)\nreturn {}",
        "kept = variables\nkept['most'] = 4\nreturn {}",
    ] {
        let words = fails(code);
        assert!(words.contains("changed `variables`"), "{words}");
    }
}

#[test]
fn parallel_results_are_read_by_key_or_by_field() {
    let agent = |run: &str| {
        format!(
            "nodes:\n- name: each\n  type: dynamic_parallel\n  items: '{{{{ state.xs }}}}'\n  fan_in: all\n  steps:\n  - run: |\n      return {{'y': 10 / state['item']}}\n- name: all\n  fan_in: true\n  run: |\n    {run}\n"
        )
    };
    let ends = |run_: &str, xs: Value| {
        final_state(&run(&read(&agent(run_)), &json!({ "xs": xs }), vec![]).0)
    };
    let state = ends(
        "return {'ys': [r['y'] for r in parallel_results]}",
        json!([1, 2]),
    );
    assert_eq!(state["ys"], json!([10.0, 5.0]));
    assert_eq!(state["parallel_results"][1]["branch"], "each[1]");
    assert_eq!(
        state["parallel_results"][1]["state"],
        json!({ "xs": [1, 2], "item": 2, "index": 1, "y": 5.0 })
    );
    let state = ends(
        "return {'ok': [r.success for r in parallel_results], 'all': parallel_results}",
        json!([1, 0]),
    );
    assert_eq!(state["ok"], json!([true, false]));
    assert_eq!(state["all"], state["parallel_results"]);
    assert_eq!(state["all"][1]["state"], json!({ "item": 0, "index": 1 }));
    let error = state["all"][1]["error"].as_str().unwrap();
    assert!(error.contains("ZeroDivisionError"), "{error}");
    // Null counts as an empty list. A string is an error.
    assert_eq!(
        ends("return {}", Value::Null)["parallel_results"],
        json!([])
    );
    let (done, _) = run(&read(&agent("return {}")), &json!({ "xs": "ab" }), vec![]);
    assert!(
        done.state
            .error
            .unwrap()
            .message
            .contains("must return an iterable, got str")
    );
}

#[test]
fn what_a_script_cannot_do_is_reported_with_its_reason() {
    for (code, says) in [
        ("import requests\nreturn {}", "`requests`"),
        ("return {'x': requests.get('http://a')}", "reads `requests`"),
        ("import subprocess\nreturn {}", "`subprocess`"),
        ("import numpy as np\nreturn {}", "`numpy`"),
        ("return {'x': actions['llm.call']}", "reads `actions`"),
        (
            "return {'x': [y for y in open('a')]}",
            "cannot read or write files",
        ),
        ("x = 1\ny = {'a': 2\nreturn {}", "in line"),
        (
            "return {'x': '{{ state.a }}'}",
            "a template generates its code",
        ),
    ] {
        let entries = read(&of(code)).report.entries;
        let kept = entries
            .iter()
            .find(|entry| entry.outcome == Outcome::Placeholder)
            .unwrap_or_else(|| panic!("{code}: {entries:?}"));
        assert!(kept.message.contains(says), "{code}: {}", kept.message);
    }
    // Code that cannot be checked before the run fails while it runs.
    let words = fails("import random\nreturn {'x': random.random()}");
    assert!(words.contains("random"), "{words}");
}
