//! Imported TEA agents produce the results that the documents of the format state. If an agent is rejected, the error
//! contains the reason.

#![allow(clippy::unwrap_used)]

use crate::support;

#[path = "import_tea/defects.rs"]
mod defects;
#[path = "import_tea/jinja.rs"]
mod jinja;
#[path = "import_tea/patterns.rs"]
mod patterns;
#[path = "import_tea/python.rs"]
mod python;
#[path = "import_tea/recorded.rs"]
mod recorded;

use std::{
    fs,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use loopwright_engine::{
    EventBody, ExitReason, RunStatus, host::Services, journal::Journal, plan::plan,
};
use loopwright_import::{Import, Options, Outcome, import};
use loopwright_journal::MemoryJournal;
use loopwright_model::validate::validate;
use loopwright_testing::scripted::{FakeModels, Reply, Script};
use loopwright_tools::{ToolSet, ToolSettings};
use serde_json::{Value, json};

use support::{Done, Stop, case::root, execute};

fn fixture(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/imports/tea");
    fs::read_to_string(folder.join(format!("{name}.yaml"))).unwrap()
}

fn read(text: &str) -> Import {
    import(text, &Options::default()).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// Only one run executes at a time. The scripts of all tests share their workers, and virtual time would pass while a run waits
/// for a worker.
static ALONE: Mutex<()> = Mutex::new(());

/// Runs an imported flow on `state`. Model calls are answered with `replies`, in order. Returns the result, and the
/// models with their calls.
fn run(imported: &Import, state: &Value, replies: Vec<Reply>) -> (Done, Arc<FakeModels>) {
    let kinds = loopwright_nodes::all();
    let problems = validate(&imported.flow, kinds.specs());
    let errors: Vec<_> = problems
        .iter()
        .filter(|problem| problem.is_error())
        .collect();
    let flow = serde_json::to_string_pretty(&imported.flow).unwrap();
    assert!(errors.is_empty(), "{errors:#?}\n{flow}");
    let plan = Arc::new(plan(&imported.flow, &kinds).unwrap());
    let folder = tempfile::tempdir().unwrap();
    let models = Arc::new(FakeModels::new(
        Script {
            replies,
            ..Script::default()
        },
        support::sleep(),
    ));
    let services = Services {
        models: models.clone(),
        tools: Arc::new(ToolSet::new(&ToolSettings {
            data_dir: folder.path().to_owned(),
            ..ToolSettings::default()
        })),
        resources: loopwright_engine::resources::none(),
    };
    let journal: Arc<dyn Journal> = Arc::new(MemoryJournal::new());
    let inputs = json!({ "state": state });
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let done = execute(
        &plan,
        inputs.as_object().unwrap(),
        &services,
        &journal,
        &Stop::Never,
    );
    (done, models)
}

fn final_state(done: &Done) -> Value {
    assert_eq!(
        done.state.status,
        RunStatus::Completed,
        "{:?}",
        done.state.error
    );
    done.state.outputs.as_ref().unwrap()["state"].clone()
}

fn ends(name: &str, state: &Value, replies: Vec<Reply>) -> Value {
    final_state(&run(&read(&fixture(name)), state, replies).0)
}

fn refused(text: &str) -> String {
    import(text, &Options::default()).unwrap_err().to_string()
}

// ---- the examples and tests in the document of the while-loop

#[test]
fn while_loop_basic() {
    let (done, _) = run(&read(&fixture("count")), &json!({ "count": 0 }), vec![]);
    assert_eq!(final_state(&done), json!({ "count": 3 }));
    assert_eq!(done.state.iterations, Some(3));
    assert_eq!(done.state.exit_reason, Some(ExitReason::ConditionMet));
    // A condition that is false from the start: no iteration, and the state is unchanged.
    let (done, _) = run(&read(&fixture("count")), &json!({ "count": 7 }), vec![]);
    assert_eq!(final_state(&done), json!({ "count": 7 }));
    assert_eq!(done.state.iterations, Some(0));
}

#[test]
fn while_loop_max_iterations() {
    let (done, _) = run(&read(&fixture("endless")), &json!({}), vec![]);
    assert_eq!(final_state(&done), json!({ "passes": 5 }));
    assert_eq!(done.state.exit_reason, Some(ExitReason::MaxIterations));
}

#[test]
fn while_loop_missing_max_iterations() {
    let text = fixture("unguarded");
    assert!(
        refused(&text).contains("max_iterations"),
        "{}",
        refused(&text)
    );
    let without_condition = text.replace("    condition: \"true\"\n", "    max_iterations: 3\n");
    assert!(refused(&without_condition).contains("condition"));
    for most in ["0", "-5", "1001", "2.5", "many"] {
        let words = refused(
            &fixture("endless").replace("max_iterations: 5", &format!("max_iterations: {most}")),
        );
        assert!(words.contains("1-1000"), "{words}");
    }
    let nested = fixture("endless").replace(
        "      - name: pass\n",
        "      - name: inner\n        type: while_loop\n      - name: pass\n",
    );
    let words = refused(&nested);
    assert!(
        words.contains("Nested while loops are not supported") && words.contains("inner"),
        "{words}"
    );
}

#[test]
fn while_loop_with_llm() {
    let replies = vec![
        Reply::text("Sorry, here it is:"),
        Reply::text("{city: Rome}"),
        Reply::text(r#"{"city": "Rome"}"#),
    ];
    let (done, models) = run(
        &read(&fixture("until_valid")),
        &json!({ "prompt": "a city" }),
        replies,
    );
    let state = final_state(&done);
    assert_eq!(state["used"], "Rome");
    assert_eq!(state["is_valid"], true);
    assert_eq!(done.state.iterations, Some(3));
    let calls = models.calls();
    assert_eq!(calls.len(), 3);
    assert_eq!(calls[0].prompt, "Write JSON for this: a city");
    assert_eq!(calls[0].model.as_deref(), Some("gpt-4o"));
}

#[test]
fn while_loop_events() {
    let (done, _) = run(&read(&fixture("count")), &json!({ "count": 1 }), vec![]);
    let conditions: Vec<bool> = done
        .events
        .iter()
        .filter_map(|event| match &event.body {
            EventBody::LoopCondition { result, .. } => Some(*result),
            _ => None,
        })
        .collect();
    assert_eq!(conditions.len(), 3, "{conditions:?}");
    let started = done
        .events
        .iter()
        .filter(|event| matches!(event.body, EventBody::Iteration { .. }))
        .count();
    assert_eq!(started, 2);
}

#[test]
fn a_body_that_fails_fails_the_run() {
    let text = fixture("count").replace(
        "return { count = state.count + 1 }",
        "-- lua\n          error('broken')",
    );
    let (done, _) = run(&read(&text), &json!({ "count": 0 }), vec![]);
    assert_eq!(done.state.status, RunStatus::Failed);
    assert!(done.state.error.unwrap().message.contains("broken"));
}

// ---- the seven scenarios in the document of the retry loop

const BAD: &str = r#"[{"name": "Ada"}]"#;
const GOOD: &str = r#"[{"name": "Ada", "type": "Person"}]"#;

fn retried(replies: &[&str]) -> (Value, Arc<FakeModels>) {
    let replies = replies.iter().map(|text| Reply::text(text)).collect();
    let (done, models) = run(
        &read(&fixture("retry")),
        &json!({ "text": "Ada wrote.", "mine": [1] }),
        replies,
    );
    (final_state(&done), models)
}

#[test]
fn immediate_success() {
    let (state, models) = retried(&[GOOD]);
    assert_eq!(models.calls().len(), 1);
    assert_eq!(
        (&state["_retry_count"], &state["_retry_exhausted"]),
        (&json!(0), &json!(false))
    );
    assert_eq!(state["_retry_errors"], json!([]));
    assert_eq!(state["outcome"], "1 found after 0");
}

#[test]
fn success_after_retry() {
    let (state, models) = retried(&[BAD, GOOD]);
    assert_eq!(
        (&state["_retry_count"], &state["_retry_exhausted"]),
        (&json!(1), &json!(false))
    );
    assert_eq!(state["_retry_result"]["valid"], true);
    assert_eq!(state["outcome"], "1 found after 1");
    // The prompt of the correction contains the errors and the text in which they were found.
    let prompt = models.calls()[1].prompt.clone();
    assert!(
        prompt.contains("Entity missing required field 'type'"),
        "{prompt}"
    );
    assert!(prompt.contains(r#"[{"name": "Ada"}]"#), "{prompt}");
}

#[test]
fn max_retries_exceeded() {
    let (state, models) = retried(&[BAD, BAD, BAD]);
    // Exactly two corrections and three checks.
    assert_eq!(models.calls().len(), 3);
    assert_eq!(
        (&state["_retry_count"], &state["_retry_exhausted"]),
        (&json!(2), &json!(true))
    );
    assert_eq!(state["_retry_result"]["valid"], false);
    assert_eq!(state["_retry_errors"].as_array().unwrap().len(), 1);
    assert_eq!(state["outcome"], "gave up");
    // Without corrections, there is one check.
    let text = fixture("retry").replace("tries: 2", "tries: 0");
    let (done, models) = run(
        &read(&text),
        &json!({ "text": "Ada wrote." }),
        vec![Reply::text(BAD)],
    );
    let state = final_state(&done);
    assert_eq!(models.calls().len(), 1);
    assert_eq!(
        (&state["_retry_count"], &state["_retry_exhausted"]),
        (&json!(0), &json!(true))
    );
}

#[test]
fn correction_node_failure() {
    let replies = vec![
        Reply::text(BAD),
        Reply::error("server_error", "The model is down."),
    ];
    let (done, _) = run(&read(&fixture("retry")), &json!({ "text": "x" }), replies);
    assert_eq!(done.state.status, RunStatus::Failed);
    assert!(done.state.error.unwrap().message.contains("down"));
}

#[test]
fn invalid_action_name() {
    let words = refused(&fixture("retry").replace(
        "validate: validate.extraction",
        "validate: validate.extracton",
    ));
    assert!(
        words.contains("unknown validation action") && words.contains("validate.extraction"),
        "{words}"
    );
    let words = refused(
        &fixture("retry").replace("correct: correct_extraction", "correct: corect_extraction"),
    );
    assert!(
        words.contains("did you mean “correct_extraction”"),
        "{words}"
    );
    for tries in ["-1", "1.5", "\"two\""] {
        let words = refused(&fixture("retry").replace("tries: 2", &format!("tries: {tries}")));
        assert!(words.contains("max_retries"), "{words}");
    }
}

#[test]
fn state_preservation() {
    let (state, _) = retried(&[BAD, GOOD]);
    assert_eq!(state["mine"], json!([1]));
    assert_eq!(state["text"], "Ada wrote.");
    let mut names: Vec<&String> = state.as_object().unwrap().keys().collect();
    names.sort();
    assert_eq!(
        names,
        [
            "_retry_count",
            "_retry_errors",
            "_retry_exhausted",
            "_retry_result",
            "entities",
            "errors",
            "extraction",
            "mine",
            "outcome",
            "text",
            "valid"
        ]
    );
}

#[test]
fn integration() {
    // With the default number of retries, there is one correction.
    let text = fixture("retry").replace("      max_retries: \"{{ variables.tries }}\"\n", "");
    let (done, models) = run(
        &read(&text),
        &json!({ "text": "x" }),
        vec![Reply::text(BAD), Reply::text(BAD)],
    );
    assert_eq!(models.calls().len(), 2);
    assert_eq!(final_state(&done)["outcome"], "gave up");
}

#[test]
fn a_retry_cycle_of_edges_is_a_loop() {
    let state =
        |names: [&str; 2]| json!({ "entities": [{ "name": names[0] }, { "name": names[1] }] });
    let done = ends("cycle", &state(["Ada", "Bo"]), vec![]);
    assert_eq!(
        (&done["outcome"], &done["_retry_count"]),
        (&json!("processed"), &json!(2))
    );
    let done = ends("cycle", &state(["Ada", "Cy"]), vec![]);
    assert_eq!(
        (&done["outcome"], &done["_retry_count"]),
        (&json!("failed"), &json!(2))
    );
    let two_entrances = fixture("cycle").replace(
        "    to: check\n  - from: check\n",
        "    to: check\n    when: state.a\n  - from: __start__\n    to: correct\n  - from: check\n",
    );
    let words = refused(&two_entrances);
    assert!(
        words.contains("check") && words.contains("correct") && words.contains("several nodes"),
        "{words}"
    );
}

#[test]
fn branches_at_once_join() {
    let state = ends("parallel", &json!({ "n": 2 }), vec![]);
    assert_eq!(state["all"], json!([6, 9]));
    assert_eq!(state["n"], 3);
}

#[test]
fn what_has_no_counterpart_is_kept_and_fails() {
    let text = fixture("count").replace(
        "return { count = state.count + 1 }",
        "import subprocess\n          return {\"count\": subprocess.run(\"date\")}",
    );
    let imported = read(&text);
    let kept: Vec<_> = imported
        .report
        .entries
        .iter()
        .filter(|entry| entry.outcome == Outcome::Placeholder)
        .collect();
    assert_eq!(kept.len(), 1, "{kept:?}");
    assert!(kept[0].message.contains("`subprocess`"), "{kept:?}");
    let id = kept[0].node.clone().unwrap();
    let node = imported.flow.node(&id).unwrap();
    assert!(
        node.data["imported"]["source"]["run"]
            .as_str()
            .unwrap()
            .contains("subprocess.run")
    );
    let (done, _) = run(&imported, &json!({ "count": 0 }), vec![]);
    assert_eq!(done.state.status, RunStatus::Failed);
    let error = done.state.error.unwrap();
    assert_eq!(
        (error.code.as_str(), error.node.as_deref()),
        ("not_translated", Some(id.as_str()))
    );
    assert!(error.message.contains("`subprocess`"), "{}", error.message);
}

/// Actions that compute with data return the results that their reference states.
#[test]
fn actions_over_data_are_computed() {
    let text = fixture("actions");
    let imported = read(&text);
    let kept: Vec<_> = imported
        .report
        .entries
        .iter()
        .filter(|entry| entry.outcome == Outcome::Placeholder)
        .collect();
    assert!(kept.is_empty(), "{kept:?}");
    let (done, _) = run(&imported, &json!({ "a": [1, 2.5] }), vec![]);
    let state = final_state(&done);
    assert_eq!(state["text"]["text"], "[1, 2.5]");
    assert_eq!(
        state["stored"],
        json!({ "stored": true, "key": "k", "namespace": "default" })
    );
    assert_eq!(
        state["found"],
        json!({ "value": [1, 2.5], "found": true, "key": "k" })
    );
    assert_eq!(
        state["lost"],
        json!({ "value": 7, "found": false, "key": "other" })
    );
    assert!(state.get("_memory").is_none(), "{state}");
    assert_eq!(state["broken"]["success"], false);
    assert_eq!(state["parsed"]["data"]["k"], 1);
    assert_eq!(state["greeting"]["text"], "\"hello world\"");
    assert_eq!(state["limit"], 3);
    // Actions that access anything outside the program, or that need a separate library, become placeholders.
    for action in [
        "web.search",
        "a2a.send",
        "reason.react",
        "reflection.loop",
        "agent.dispatch",
        "json.transform",
        "csv.parse",
    ] {
        let kept = read(&text.replace("uses: json.stringify", &format!("uses: {action}")));
        let says = format!("`{action}` has no counterpart");
        assert!(
            kept.report
                .entries
                .iter()
                .any(|entry| entry.outcome == Outcome::Placeholder && entry.message.contains(&says)),
            "{action}: {:?}",
            kept.report.entries
        );
    }
}

#[test]
fn retries_of_a_model_call_are_the_nodes_own() {
    let text = "nodes:\n- name: ask\n  uses: llm.retry\n  with: {prompt: hi, max_retries: 2, base_delay: 3, seed: 7}\n  output: said\n";
    let imported = read(text);
    let retry = &imported.flow.node("ask").unwrap().data["retry"];
    assert_eq!(
        (&retry["count"], &retry["interval"]),
        (&json!(2), &json!("PT3S"))
    );
    assert!(
        imported
            .report
            .entries
            .iter()
            .any(|entry| entry.message.contains("`seed`"))
    );
    let replies = vec![Reply::error("http_503", "busy"), Reply::text("hello")];
    assert_eq!(
        final_state(&run(&imported, &json!({}), replies).0)["said"]["content"],
        "hello"
    );
}

// ---- files from other projects

fn cases(folder: &str) -> Vec<PathBuf> {
    fn walk(folder: &Path, into: &mut Vec<PathBuf>) {
        let Ok(entries) = fs::read_dir(folder) else {
            return;
        };
        for entry in entries.flatten() {
            let path = entry.path();
            if path.is_dir() {
                walk(&path, into);
            } else if path
                .extension()
                .is_some_and(|kind| kind == "yaml" || kind == "json")
            {
                into.push(path);
            }
        }
    }
    let mut found = Vec::new();
    walk(&root().join("../shared/cases").join(folder), &mut found);
    found.sort();
    found
}

#[test]
fn files_of_others_import_without_a_crash() {
    for path in cases("tea/examples") {
        let text = fs::read_to_string(&path).unwrap();
        match import(&text, &Options::default()) {
            Ok(imported) => {
                let kinds = loopwright_nodes::all();
                let errors: Vec<String> = validate(&imported.flow, kinds.specs())
                    .into_iter()
                    .filter(loopwright_model::Problem::is_error)
                    .map(|problem| problem.message)
                    .collect();
                let count = |outcome| {
                    imported
                        .report
                        .entries
                        .iter()
                        .filter(|entry| entry.outcome == outcome)
                        .count()
                };
                println!(
                    "{}: {} nodes, {} mapped, {} approximated, {} placeholders, {} left out; {} problems {}",
                    path.file_name().unwrap().display(),
                    imported.flow.nodes.len(),
                    count(Outcome::Mapped),
                    count(Outcome::Approximated),
                    count(Outcome::Placeholder),
                    count(Outcome::Ignored),
                    errors.len(),
                    errors.join(" | ")
                );
                for entry in imported
                    .report
                    .entries
                    .iter()
                    .filter(|entry| entry.outcome == Outcome::Placeholder)
                {
                    println!(
                        "    {}: {}",
                        entry.place,
                        entry.message.chars().take(160).collect::<String>()
                    );
                }
                assert!(errors.is_empty(), "{}: {errors:#?}", path.display());
            }
            Err(error) => println!("{}: {error}", path.file_name().unwrap().display()),
        }
    }
}

/// The results that the authors of the cases expect, by the name of the case, and the deliberate differences from them.
#[test]
fn cases_with_expectations_give_what_their_authors_expect() {
    let mut wrong = Vec::new();
    for path in cases("tea/from_tests") {
        let text = fs::read_to_string(&path).unwrap();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let (expected, got, fits) = case(&name, &text);
        println!(
            "{name} | {expected} | {got} | {}",
            if fits { "as expected" } else { "DIFFERS" }
        );
        if !fits {
            wrong.push(format!("{name}: {expected}, got {got}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

fn case(name: &str, text: &str) -> (String, String, bool) {
    let imported = import(text, &Options::default());
    let wanted: &[(&str, Value)] = match name {
        "py_test_condition_boolean_not" => &[("is_valid", json!(true)), ("attempts", json!(2))],
        "py_test_condition_jinja2_with_braces" => &[("value", json!(8))],
        "py_test_loop_events_emitted" => &[("count", json!(2))],
        "py_test_loop_state_passed_downstream" => &[("result", json!("Count reached: 3"))],
        "py_test_refinement_loop_pattern" => &[("refinements", json!(3))],
        "py_test_uses_action_in_body" => &[("iteration", json!(2))],
        "rs_test_while_loop_with_lua_body" => &[("count", json!(3)), ("sum", json!(6))],
        "rs_test_while_loop_yaml_execution" => &[("count", json!(3))],
        "retry_test_retry_loop_with_validate_extraction_action" => &[
            ("valid", json!(true)),
            ("_retry_count", json!(1)),
            ("_retry_exhausted", json!(false)),
            ("done", json!(true)),
            ("entities", json!([{ "name": "John", "type": "Person" }])),
        ],
        _ => &[],
    };
    if !wanted.is_empty() {
        let imported = match imported {
            Ok(imported) => imported,
            Err(error) => return (format!("{wanted:?}"), error.to_string(), false),
        };
        // The input's default is the state that the case begins with.
        let begins: Value = imported.flow.nodes[0].data["default"].clone();
        let (done, _) = run(&imported, &begins, vec![]);
        let Some(state) = done
            .state
            .outputs
            .as_ref()
            .map(|outputs| outputs["state"].clone())
        else {
            return (
                format!("{wanted:?}"),
                format!("{:?}", done.state.error),
                false,
            );
        };
        let fits = wanted.iter().all(|(field, value)| state[field] == *value);
        return (format!("{wanted:?}"), state.to_string(), fits);
    }
    let needs = match name {
        "py_test_body_error_propagates_immediately" => {
            let (done, _) = run(&imported.unwrap(), &json!({}), vec![]);
            let message = done
                .state
                .error
                .map(|error| error.message)
                .unwrap_or_default();
            let fits = message.contains("Simulated error");
            return (
                "the run fails with “Simulated error”".to_owned(),
                message,
                fits,
            );
        }
        name if name.contains("missing_condition") => "condition",
        name if name.contains("nested") => "Nested",
        name if name.contains("rs_") || name.contains("missing_max") => "max_iterations",
        name if name.contains("max_iterations") => "1-1000",
        _ => {
            return (
                "nothing is stated".to_owned(),
                format!("{:?}", imported.is_ok()),
                true,
            );
        }
    };
    match imported {
        Ok(_) => (
            format!("refused, with “{needs}”"),
            "imported".to_owned(),
            false,
        ),
        Err(error) => {
            let words = error.to_string();
            let fits = words.contains(needs);
            (format!("refused, with “{needs}”"), words, fits)
        }
    }
}
