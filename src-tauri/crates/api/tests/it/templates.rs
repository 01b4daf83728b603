//! Tests the result of each bundled template for valid, invalid and empty inputs, without a key or network.

#![allow(clippy::unwrap_used)]

use crate::support;

use std::{fs, sync::Arc};

use loopwright_engine::{
    ExitReason, RunStatus,
    host::Services,
    journal::{Completed, Entry, Fact, Input, Journal},
    plan::plan,
};
use loopwright_journal::MemoryJournal;
use loopwright_model::{file, validate::validate};
use loopwright_tools::{ToolSet, ToolSettings};
use serde_json::{Value, json};

use support::{Done, Stop, case::root, execute};

fn run(template: &str, inputs: &Value) -> Done {
    let text = fs::read_to_string(root().join(format!("templates/{template}.json"))).unwrap();
    let flow = file::read_value(serde_json::from_str(&text).unwrap()).unwrap();
    let kinds = loopwright_nodes::all();
    let problems = validate(&flow, kinds.specs());
    assert!(problems.is_empty(), "{template}: {problems:#?}");
    let plan = Arc::new(plan(&flow, &kinds).unwrap());
    let folder = tempfile::tempdir().unwrap();
    let services = Services {
        models: (support::BUILT_IN.models)(),
        tools: Arc::new(ToolSet::new(&ToolSettings {
            data_dir: folder.path().to_owned(),
            ..ToolSettings::default()
        })),
        resources: loopwright_engine::resources::none(),
    };
    let journal: Arc<dyn Journal> = Arc::new(MemoryJournal::new());
    execute(
        &plan,
        inputs.as_object().unwrap(),
        &services,
        &journal,
        &Stop::Never,
    )
}

/// Returns the number of iterations and the exit reason of the first loop.
fn exit(done: &Done) -> (u64, ExitReason) {
    (
        done.state.iterations.unwrap().into(),
        done.state.exit_reason.unwrap(),
    )
}

fn output(done: &Done, name: &str) -> Value {
    assert_eq!(
        done.state.status,
        RunStatus::Completed,
        "{:?}",
        done.state.error
    );
    done.state
        .outputs
        .as_ref()
        .map_or(Value::Null, |outputs| outputs[name].clone())
}

/// Returns the values of a node, one for each execution.
fn visits(done: &Done, node: &str) -> Vec<Value> {
    done.records
        .iter()
        .filter(|record| record.node_id.as_deref() == Some(node))
        .filter_map(|record| match &record.entry {
            Entry::Input(Input::ExecutionCompleted(Completed { outcome, .. }))
            | Entry::Fact(Fact::NodeCompleted(Completed { outcome, .. })) => {
                Some((*outcome.value).clone())
            }
            _ => None,
        })
        .collect()
}

#[test]
fn poll_until_done_asks_with_growing_pauses() {
    let done = run("poll-until-done", &json!({}));
    assert_eq!(
        output(&done, "result"),
        "Done: 1200 records exported, after asking 4 times."
    );
    assert_eq!(exit(&done), (4, ExitReason::ConditionMet));
    let percents: Vec<Value> = visits(&done, "ask")
        .iter()
        .map(|asked| asked["percent"].clone())
        .collect();
    assert_eq!(percents, [8, 25, 58, 100]);
    // The pauses are 0.2, 0.4 and 0.8 s, each up to a tenth longer or shorter.
    assert!((1260..=1540).contains(&done.took_ms), "{} ms", done.took_ms);

    for (records, says) in [
        (json!(0), "Done: 0 records exported, after asking 1 times."),
        (
            json!(50),
            "Done: 50 records exported, after asking 1 times.",
        ),
        (
            json!(-1),
            "Failed: A job needs a whole number of records, and was given -1.",
        ),
        (
            json!(2.5),
            "Failed: A job needs a whole number of records, and was given 2.5.",
        ),
    ] {
        let done = run("poll-until-done", &json!({ "records": records }));
        assert_eq!(output(&done, "result"), says);
    }
    let never = run("poll-until-done", &json!({ "records": 1_000_000 }));
    assert_eq!(exit(&never), (12, ExitReason::MaxIterations));
    assert!(
        output(&never, "result")
            .as_str()
            .unwrap()
            .starts_with("Not done yet: 40 %")
    );
    assert!(
        never
            .state
            .warnings
            .iter()
            .any(|warning| warning.code.contains("exhausted")),
        "{:?}",
        never.state.warnings
    );
}

#[test]
fn map_over_a_list_keeps_the_order_and_tells_what_failed() {
    let done = run("map-over-a-list", &json!({}));
    let corrected = output(&done, "corrected");
    let texts: Vec<&str> = corrected
        .as_array()
        .unwrap()
        .iter()
        .map(|text| text.as_str().unwrap())
        .collect();
    assert_eq!(texts.len(), 5);
    assert!(
        texts[0].contains("museum has opened") && texts[0].contains("Tuesday"),
        "{texts:?}"
    );
    assert!(texts[2].contains("at the door"), "{texts:?}");
    assert!(texts[3].contains("could have"), "{texts:?}");
    assert_eq!(texts[4], "The guide speaks four languages.");
    assert_eq!(output(&done, "errors"), json!([]));

    let empty = run("map-over-a-list", &json!({ "items": [] }));
    assert_eq!(output(&empty, "corrected"), json!([]));
    let mixed = run(
        "map-over-a-list",
        &json!({ "items": ["It work well.", "", 7] }),
    );
    let corrected = output(&mixed, "corrected");
    assert_eq!(corrected.as_array().unwrap().len(), 3);
    assert_eq!((&corrected[1], &corrected[2]), (&Value::Null, &json!("7")));
    assert_eq!(output(&mixed, "errors")[0]["index"], 1);
    let wrong = run("map-over-a-list", &json!({ "items": "no list" }));
    assert_eq!(wrong.state.status, RunStatus::Failed);
}

#[test]
fn summarise_until_stable_shortens_to_sentences_of_the_text() {
    let done = run("summarise-until-stable", &json!({}));
    let summary = output(&done, "summary");
    let summary = summary.as_str().unwrap();
    let (passes, reason) = exit(&done);
    assert_eq!(reason, ExitReason::StableOutput);
    assert!((3..8).contains(&passes), "{passes}");
    let words = |text: &str| text.split_whitespace().count();
    let lengths: Vec<usize> = visits(&done, "summarise")
        .iter()
        .map(|text| words(text.as_str().unwrap()))
        .collect();
    assert!(
        lengths.is_sorted_by(|one, other| one >= other),
        "{lengths:?}"
    );
    assert!((15..=60).contains(&words(summary)), "{summary}");
    assert!(
        summary.contains("light")
            && !summary.contains("Tea is served")
            && !summary.contains("My grandfather"),
        "{summary}"
    );

    for short in ["One sentence.", "Two. Sentences."] {
        let done = run("summarise-until-stable", &json!({ "text": short }));
        assert_eq!(output(&done, "summary"), short);
        assert_eq!(exit(&done), (2, ExitReason::StableOutput));
    }
    let nothing = run("summarise-until-stable", &json!({ "text": " " }));
    assert_eq!(nothing.state.status, RunStatus::Failed);
}

#[test]
fn retry_with_correction_mends_one_kind_at_a_time() {
    let done = run("retry-with-correction", &json!({}));
    assert_eq!(
        output(&done, "booking"),
        json!({ "guest": "Ana Pereira", "nights": 3, "room": "double", "breakfast": true, "extras": ["towels", "crib"], "currency": "EUR" })
    );
    assert_eq!(exit(&done), (7, ExitReason::EvaluatorDone));
    let valid = visits(&done, "check")
        .iter()
        .filter(|checked| checked["valid"] == true)
        .count();
    assert_eq!(valid, 1);

    let right = json!({ "guest": "Bo", "nights": 1, "room": "suite", "breakfast": false, "currency": "SEK" });
    let done = run(
        "retry-with-correction",
        &json!({ "answer": right.to_string() }),
    );
    assert_eq!(
        (output(&done, "booking"), exit(&done)),
        (right, (1, ExitReason::EvaluatorDone))
    );

    // The guest is missing in the answer and cannot be guessed, so the result is not a valid booking.
    let done = run(
        "retry-with-correction",
        &json!({ "answer": "{nights: 2, room: 'single', breakfast: true}" }),
    );
    assert_eq!(exit(&done), (8, ExitReason::MaxIterations));
    assert_eq!(output(&done, "booking"), Value::Null);
    assert_eq!(output(&done, "unmended")["nights"], 2);

    for none in ["", "Sorry, I cannot help with that."] {
        let done = run("retry-with-correction", &json!({ "answer": none }));
        assert_eq!(done.state.status, RunStatus::Failed, "{none}");
    }
}

#[test]
fn code_review_loop_mends_code_until_its_tests_pass() {
    let done = run("code-review-loop", &json!({}));
    assert_eq!(
        output(&done, "code"),
        "-- Sums up the paid orders of a shop.
local function summary(orders)
  local total = 0
  local count = 0
  for i = 1, #orders do
    if orders[i].paid and orders[i].amount ~= 0 then
      total = total + orders[i].amount
      count += 1
    end
  end
  return { total = total, count = count }
end"
    );
    assert!(
        output(&done, "review")
            .as_str()
            .unwrap()
            .ends_with("APPROVED")
    );
    assert_eq!(exit(&done), (4, ExitReason::EvaluatorDone));
    let passed: Vec<Value> = visits(&done, "run_tests")
        .iter()
        .map(|tested| tested["ok"].clone())
        .collect();
    assert_eq!(passed, [false, false, false, true]);

    let good = "local function one() return 1 end";
    let done = run(
        "code-review-loop",
        &json!({ "code": good, "tests": "assert(one() == 1)" }),
    );
    assert_eq!(
        (output(&done, "code"), exit(&done)),
        (json!(good), (1, ExitReason::EvaluatorDone))
    );

    // Code that no rule can repair is not approved: the loop reaches its maximum number of iterations.
    for (code, tests) in [
        (good, "assert(one() == 2, 'one is two')"),
        ("local function one( return 1 end", "assert(one() == 1)"),
    ] {
        let done = run("code-review-loop", &json!({ "code": code, "tests": tests }));
        assert_eq!(exit(&done), (6, ExitReason::MaxIterations), "{code}");
        assert!(
            output(&done, "review")
                .as_str()
                .unwrap()
                .ends_with("CHANGES")
        );
        assert!(
            done.state
                .warnings
                .iter()
                .any(|warning| warning.code.contains("exhausted")),
            "{:?}",
            done.state.warnings
        );
    }
    let empty = run("code-review-loop", &json!({ "code": "", "tests": "" }));
    assert_eq!(empty.state.status, RunStatus::Failed);
}
