//! Checks this program against the documents that describe the loops of other systems. Each example in them is imported and
//! run, and each test that they name and each line of the table of imported loops is checked.

#![allow(clippy::unwrap_used)]

use loopwright_engine::{EventBody, ExitReason, RunStatus};
use loopwright_import::{Import, Options, Outcome, import};
use loopwright_model::{Flow, file};
use loopwright_testing::scripted::Reply;
use serde_json::{Value, json};

use crate::{
    imported::{
        World, answer, fails, fixture, imported, node, outcomes, replace, result, run, try_import,
    },
    support::Done,
};

fn agent(name: &str) -> Import {
    imported(&fixture(&format!("tea/{name}.yaml")), None)
}

fn workflow(name: &str) -> Import {
    imported(&fixture(&format!("loom/{name}.json")), None)
}

/// Runs an imported agent with an initial state.
fn on(import: &Import, state: Value, replies: Vec<Reply>) -> Done {
    run(
        &import.flow,
        World {
            inputs: json!({ "state": state }),
            replies,
            ..World::default()
        },
    )
}

#[track_caller]
fn state(done: &Done) -> Value {
    assert_eq!(
        done.state.status,
        RunStatus::Completed,
        "{:?}",
        done.state.error
    );
    done.state.outputs.as_ref().unwrap()["state"].clone()
}

fn refusal(text: &str) -> String {
    import(text, &Options::default()).unwrap_err().to_string()
}

/// Replaces the nodes that the example only names in its edges and does not define.
fn fill(import: &mut Import, names: &[&str]) {
    for name in names {
        replace(
            &mut import.flow,
            name,
            &format!("input.reached = \"{name}\"\nreturn input"),
        );
    }
}

// ---- the while-loop of TEA: its example, its test cases, its criteria

#[test]
fn the_example_of_the_while_loop() {
    let mut import = agent("refine_until_valid");
    // The node after the loop is named only by an edge. It is a placeholder, so the run fails when it reaches that node.
    assert_eq!(outcomes(&import, Outcome::Placeholder).len(), 1);
    let replies = || {
        vec![
            Reply::text("Here you are:"),
            Reply::text("{'a': 1}"),
            Reply::text(r#"{"a": 1}"#),
        ]
    };
    let done = on(&import, json!({ "prompt": "an a" }), replies());
    assert_eq!(done.state.iterations, Some(3));
    fails(&done, "use_result");
    fill(&mut import, &["use_result"]);
    let done = on(&import, json!({ "prompt": "an a" }), replies());
    assert_eq!(state(&done)["parsed_result"], json!({ "a": 1 }));
    assert_eq!(state(&done)["is_valid"], true);
    assert_eq!(state(&done)["reached"], "use_result");
    assert_eq!(done.state.exit_reason, Some(ExitReason::ConditionMet));
}

#[test]
fn test_while_loop_basic() {
    let done = on(&agent("basic"), json!({ "count": 0 }), vec![]);
    assert_eq!(state(&done)["count"], 3);
}

#[test]
fn test_while_loop_max_iterations() {
    let done = on(&agent("infinite_guard"), json!({}), vec![]);
    assert_eq!(state(&done)["iterations"], 5);
    // The loop returns its last state without an error, and a warning says that the limit was reached.
    assert_eq!(done.state.exit_reason, Some(ExitReason::MaxIterations));
    assert!(!done.state.warnings.is_empty());
}

#[test]
fn test_while_loop_missing_max_iterations() {
    let words = refusal(&fixture("tea/no_guard.yaml"));
    assert!(words.contains("max_iterations"), "{words}");
}

#[test]
fn test_while_loop_with_llm() {
    let mut import = agent("refine_until_valid");
    fill(&mut import, &["use_result"]);
    let replies = ["no", "neither", r#"{"third": true}"#];
    let done = on(
        &import,
        json!({ "prompt": "x" }),
        replies.map(Reply::text).to_vec(),
    );
    assert_eq!(done.state.iterations, Some(3));
    assert_eq!(state(&done)["parsed_result"], json!({ "third": true }));
}

#[test]
fn test_while_loop_events() {
    let done = on(&agent("basic"), json!({ "count": 0 }), vec![]);
    let mut begun = None;
    let mut checks = Vec::new();
    let mut iterations = 0;
    let mut ended = None;
    for event in &done.events {
        match &event.body {
            EventBody::NodeStarted {
                max_iterations: Some(most),
                ..
            } => begun = Some(*most),
            EventBody::LoopCondition { result, .. } => checks.push(*result),
            EventBody::Iteration { .. } => iterations += 1,
            EventBody::NodeCompleted {
                iterations_run: Some(ran),
                exit_reason: Some(why),
                ..
            } => ended = Some((*ran, *why)),
            _ => {}
        }
    }
    assert_eq!(begun, Some(5));
    // The events of the checks show that the loop ends at the fourth check.
    assert_eq!(checks.len(), 4, "{checks:?}");
    assert_eq!(iterations, 3);
    assert_eq!(ended, Some((3, ExitReason::ConditionMet)));
}

#[test]
fn the_criteria_of_the_while_loop() {
    let basic = fixture("tea/basic.yaml");
    // AC-8, AC-9: a missing required field is named, and the range is 1 to 1000.
    for (field, line) in [
        ("max_iterations", "    max_iterations: 5\n"),
        ("condition", "    condition: \"state.count < 3\"\n"),
        (
            "body",
            "    body:\n      - name: increment\n        run: |\n          return { count = state.count + 1 }\n",
        ),
    ] {
        let words = refusal(&basic.replace(line, ""));
        assert!(words.contains(&format!("requires `{field}`")), "{words}");
    }
    for most in ["0", "-1", "1001", "1.5", "true", "\"5\"", "[5]"] {
        let words =
            refusal(&basic.replace("max_iterations: 5", &format!("max_iterations: {most}")));
        assert!(words.contains("1-1000"), "{most}: {words}");
    }
    for most in [1, 1000] {
        let text = basic.replace("max_iterations: 5", &format!("max_iterations: {most}"));
        let import = imported(&text, None);
        assert_eq!(node(&import.flow, "count_loop")["maxIterations"], most);
    }
    // AC-10: a failing body ends the loop immediately.
    let text = basic.replace(
        "return { count = state.count + 1 }",
        "-- lua\n          error('not today')",
    );
    let done = on(&imported(&text, None), json!({ "count": 0 }), vec![]);
    fails(&done, "not today");
    // AC-11: nested loops are refused at any depth.
    let inner = "      - name: inner\n        type: while_loop\n        max_iterations: 2\n        condition: \"true\"\n        body: [{name: deep, run: 'return {}'}]\n";
    let words = refusal(&basic.replace("    body:\n", &format!("    body:\n{inner}")));
    assert!(
        words.contains("Nested while loops are not supported"),
        "{words}"
    );
    let steps = "      - name: holder\n        steps:\n          - name: inner\n            type: while_loop\n            max_iterations: 2\n            condition: \"true\"\n            body: [{name: deep, run: 'return {}'}]\n";
    let words = refusal(&basic.replace("    body:\n", &format!("    body:\n{steps}")));
    assert!(
        words.contains("Nested while loops are not supported"),
        "{words}"
    );
}

// ---- retry.loop: its example, its seven scenarios, its edge-written form

const SCHEMA: &str = "extraction_schema:\n  entities:\n    required_fields: [name, type]\n";

/// Returns the example with a schema, and with a step that parses the model's answer into the state.
fn extraction() -> Import {
    let text = format!("{SCHEMA}{}", fixture("tea/validate_with_retry.yaml"));
    let mut import = imported(&text, None);
    fill(&mut import, &["process_result", "handle_failure"]);
    // The example does not say how an answer gets into `entities`.
    for node in &mut import.flow.nodes {
        if node.id.starts_with("Take_") {
            let source = node.data["args"]["source"].as_str().unwrap().replace(
                "return state",
                "try:\n    state[\"entities\"] = json.loads(state[\"extraction\"][\"content\"])\nexcept ValueError:\n    pass\nreturn state",
            );
            node.data["args"]["source"] = source.into();
        }
    }
    import
}

const BAD: &str = r#"[{"name": "Ada"}]"#;
const GOOD: &str = r#"[{"name": "Ada", "type": "Person"}]"#;

fn extracted(replies: &[&str]) -> Done {
    let replies = replies.iter().map(|text| Reply::text(text)).collect();
    on(
        &extraction(),
        json!({ "text": "Ada wrote.", "mine": 7 }),
        replies,
    )
}

#[track_caller]
fn retry(state: &Value, count: u64, exhausted: bool, valid: bool, reached: &str) {
    assert_eq!(state["_retry_count"], count, "{state}");
    assert_eq!(state["_retry_exhausted"], exhausted, "{state}");
    assert_eq!(state["_retry_result"]["valid"], valid, "{state}");
    assert_eq!(state["reached"], reached, "{state}");
}

#[test]
fn scenario_1_immediate_success() {
    let done = extracted(&[GOOD]);
    retry(&state(&done), 0, false, true, "process_result");
    assert_eq!(state(&done)["_retry_errors"], json!([]));
}

#[test]
fn scenario_2_success_after_retry() {
    let done = extracted(&[BAD, GOOD]);
    retry(&state(&done), 1, false, true, "process_result");
}

#[test]
fn scenario_3_max_retries_exceeded() {
    let done = extracted(&[BAD, BAD, BAD]);
    retry(&state(&done), 2, true, false, "handle_failure");
    assert_eq!(
        state(&done)["_retry_errors"][0]["message"],
        "Entity missing required field 'type'"
    );
}

#[test]
fn scenario_4_correction_node_failure() {
    let import = extraction();
    let replies = vec![
        Reply::text(BAD),
        Reply::error("server_error", "It is down."),
    ];
    fails(&on(&import, json!({ "text": "x" }), replies), "It is down.");
}

#[test]
fn scenario_5_invalid_action_name() {
    let text = fixture("tea/validate_with_retry.yaml");
    let words = refusal(&text.replace("validate.extraction", "validate.extractions"));
    assert!(
        words.contains("validate.extractions") && words.contains("did you mean"),
        "{words}"
    );
    for retries in ["-1", "0.5", "two", "[1]", "null"] {
        let text = text.replace("max_retries: 2", &format!("max_retries: {retries}"));
        match import(&text, &Options::default()) {
            Err(error) => assert!(error.to_string().contains("max_retries"), "{error}"),
            // A null value is replaced by the default, one.
            Ok(import) => {
                assert_eq!(retries, "null");
                let data = node(&import.flow, "validate_with_retry");
                assert_eq!(data["maxIterations"], 2);
            }
        }
    }
}

#[test]
fn scenario_6_state_preservation() {
    let done = extracted(&[BAD, GOOD]);
    let state = state(&done);
    assert_eq!(
        (&state["mine"], &state["text"]),
        (&json!(7), &json!("Ada wrote."))
    );
    let new: Vec<&str> = state
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .filter(|name| name.starts_with('_'))
        .collect();
    assert_eq!(
        new,
        [
            "_retry_count",
            "_retry_errors",
            "_retry_exhausted",
            "_retry_result"
        ]
    );
}

#[test]
fn scenario_7_integration() {
    // The example in the document has no schema, so every value is valid. The nodes at its end are not defined.
    let mut import = agent("validate_with_retry");
    assert_eq!(outcomes(&import, Outcome::Placeholder).len(), 2);
    let replies = || vec![Reply::text("Ada")];
    fails(
        &on(&import, json!({ "text": "Ada wrote." }), replies()),
        "process_result",
    );
    fill(&mut import, &["process_result", "handle_failure"]);
    let done = on(&import, json!({ "text": "Ada wrote." }), replies());
    retry(&state(&done), 0, false, true, "process_result");
    // The arguments of the check are rendered in every iteration, so the corrected entities are checked.
    let done = extracted(&[BAD, BAD, GOOD]);
    retry(&state(&done), 2, false, true, "process_result");
}

#[test]
fn the_edge_written_retry() {
    let mut import = agent("retry_by_edges");
    let said = outcomes(&import, Outcome::Approximated).join("\n");
    assert!(said.contains("lead back to “validate”"), "{said}");
    // The correction has both an action (`uses`) and code. Only the code is executed.
    assert!(said.contains("`uses`"), "{said}");
    fill(&mut import, &["process", "fail"]);
    let done = on(&import, json!({}), vec![]);
    // No node writes `validation_result`, so the loop makes two corrections and then gives up.
    let state = state(&done);
    assert_eq!(
        (&state["_retry_count"], &state["reached"]),
        (&json!(2), &json!("fail"))
    );
    assert_eq!(done.state.iterations, Some(3));
    let given = json!({ "validation_result": { "valid": true } });
    assert_eq!(
        self::state(&on(&import, given, vec![]))["reached"],
        "process"
    );
}

// ---- the loop container

#[test]
fn the_example_of_the_loop_container() {
    let import = imported(&fixture("containers/review_loop.yaml"), None);
    assert!(outcomes(&import, Outcome::Placeholder).is_empty());
    let verdict = |approved: bool, feedback: &str| {
        Reply::json(json!({ "approved": approved, "feedback": feedback }))
    };
    let world = World {
        inputs: json!({ "task": "sort a list", "guidelines": "be brief" }),
        replies: vec![
            Reply::text("draft one").when("Context: be brief"),
            verdict(false, "add tests").when("draft one"),
            Reply::text("draft two").when("Context: add tests"),
            verdict(true, "").when("draft two"),
        ],
        ..World::default()
    };
    let done = run(&import.flow, world);
    assert_eq!(
        done.state.outputs.clone().map(Value::from),
        Some(json!({ "approved": true, "final_code": "draft two", "iterations": 2 })),
        "{:?}",
        done.state.error
    );
    assert_eq!(done.state.exit_reason, Some(ExitReason::ConditionMet));
}

// ---- the examples of Loom's document, in its order

fn pages(bodies: &[Value]) -> Vec<Value> {
    bodies
        .iter()
        .map(|body| answer(200, body.clone()))
        .collect()
}

#[test]
fn use_case_1_retry_until_success() {
    let import = workflow("retry_until_success");
    let done = run(&import.flow, World::with(json!({ "status": "complete" })));
    assert_eq!(done.state.iterations, Some(0));
    // Nothing in the example sets the variable, so the loop polls ten times at intervals of five seconds, and then fails.
    let world = World {
        inputs: json!({ "status": "new" }),
        http: pages(&vec![json!({ "status": "complete" }); 10]),
        ..World::default()
    };
    let done = run(&import.flow, world);
    assert_eq!(done.state.status, RunStatus::Failed);
    assert_eq!(
        (done.state.iterations, done.state.exit_reason),
        (Some(10), Some(ExitReason::MaxIterations))
    );
    assert_eq!(done.took_ms, 50_000);
}

#[test]
fn use_case_2_process_queue_until_empty() {
    let mut import = workflow("queue_until_empty");
    assert_eq!(
        run(&import.flow, World::with(json!({ "queue": [] })))
            .state
            .iterations,
        Some(0)
    );
    replace(&mut import.flow, "processItem", "return 'done'");
    let done = run(&import.flow, World::with(json!({ "queue": [1, 2] })));
    // The example computes a shorter queue but does not assign it, so the loop runs up to the default limit of 60.
    assert_eq!(
        (done.state.status, done.state.iterations),
        (RunStatus::Failed, Some(60))
    );
}

#[test]
fn use_case_3_paginated_calls() {
    let import = workflow("paginated_calls");
    let done = run(&import.flow, World::with(json!({ "nextPage": null })));
    assert_eq!(done.state.iterations, Some(0));
    let world = World {
        inputs: json!({ "nextPage": "https://example.org/1" }),
        http: pages(&vec![json!({ "nextPageUrl": null }); 60]),
        ..World::default()
    };
    assert_eq!(run(&import.flow, world).state.iterations, Some(60));
}

#[test]
fn use_case_4_react_pattern() {
    let mut import = workflow("react_pattern");
    replace(&mut import.flow, "act", "return 'acted'");
    let think = || Reply::json(json!({ "action": "SEARCH", "actionInput": "foxes" }));
    let world = World {
        inputs: json!({ "agentStatus": "working" }),
        replies: vec![think(); 5],
        ..World::default()
    };
    let done = run(&import.flow, world);
    assert_eq!(
        (done.state.status, done.state.iterations),
        (RunStatus::Failed, Some(5))
    );
    let done = run(
        &import.flow,
        World::with(json!({ "agentStatus": "FINAL_ANSWER" })),
    );
    assert_eq!(done.state.iterations, Some(0));
}

#[test]
fn azure_until() {
    let import = workflow("azure_until");
    assert!(
        import
            .report
            .dialect
            .as_deref()
            .unwrap()
            .starts_with("logic-apps: ")
    );
    assert_eq!(node(&import.flow, "Until")["condition"]["test"], "after");
    let world = World {
        inputs: json!({ "done": true }),
        http: pages(&[json!("ok")]),
        ..World::default()
    };
    assert_eq!(run(&import.flow, world).state.iterations, Some(1));
}

#[test]
fn azure_foreach() {
    let import = imported(&fixture("loom/azure_foreach.json"), Some("logic-apps"));
    let done = run(
        &import.flow,
        World::with(json!({ "trigger": { "items": [3, 4] } })),
    );
    assert_eq!(
        done.state.status,
        RunStatus::Completed,
        "{:?}",
        done.state.error
    );
    assert_eq!(
        run(
            &import.flow,
            World::with(json!({ "trigger": { "items": [] } }))
        )
        .state
        .status,
        RunStatus::Completed
    );
}

#[test]
fn loop_type_1_until() {
    let import = workflow("until_primary");
    let data = node(&import.flow, "until");
    assert_eq!(data["maxIterations"], 100);
    assert_eq!(data["limits"]["timeout"], "PT1H");
    let world = World {
        http: pages(&[json!({ "status": "new" }), json!({ "status": "complete" })]),
        ..World::default()
    };
    let done = run(&import.flow, world);
    assert_eq!(done.state.iterations, Some(2), "{:?}", done.state.error);
    assert_eq!(done.took_ms, 10_000);
}

#[test]
fn loop_type_2_while() {
    let import = workflow("while_sugar");
    let done = run(&import.flow, World::with(json!({ "done": true })));
    assert_eq!(done.state.iterations, Some(0));
    let done = run(&import.flow, World::with(json!({ "done": false })));
    assert_eq!(
        (done.state.status, done.state.iterations),
        (RunStatus::Failed, Some(3))
    );
}

#[test]
fn loop_type_3_retry() {
    let import = workflow("retry_loop");
    let data = node(&import.flow, "retry");
    let policy = json!({ "type": "exponential", "count": 5, "interval": "PT5S", "maxInterval": "PT1M", "minInterval": "PT1S" });
    for (field, value) in policy.as_object().unwrap() {
        assert_eq!(&data["retry"][field], value, "{field}");
    }
    let world = World {
        http: vec![
            json!({ "$error": { "code": "http_503", "message": "busy" } }),
            answer(200, json!("fine")),
        ],
        ..World::default()
    };
    let done = run(&import.flow, world);
    assert_eq!(result(&done)["retry"]["body"], "fine");
}

#[test]
fn loop_type_4_do_until() {
    let import = workflow("do_until");
    let done = run(&import.flow, World::with(json!({ "result": "success" })));
    assert_eq!(done.state.iterations, Some(1), "at least once");
    let done = run(&import.flow, World::with(json!({ "result": "other" })));
    assert_eq!(
        (done.state.status, done.state.iterations),
        (RunStatus::Failed, Some(3))
    );
}

#[test]
fn loop_context_variables() {
    let import = workflow("loop_variables");
    let done = run(&import.flow, World::with(json!({ "data": "d" })));
    assert_eq!(done.state.iterations, Some(10), "{:?}", done.state.error);
    let last = result(&done)["process"].clone();
    assert_eq!((&last["index"], &last["item"]), (&json!(9), &json!("d")));
    assert_eq!(last["previousResult"]["process"]["index"], 8);
}

#[test]
fn nested_loops() {
    let import = workflow("nested_loops");
    assert_eq!(
        import.flow.settings.as_ref().unwrap()["allowNestedLoops"],
        true
    );
    let world = World {
        inputs: json!({ "page": "https://example.org/1" }),
        http: pages(&vec![json!({ "items": ["a", "b"] }); 60]),
        ..World::default()
    };
    // The inner loop refers to the outer one by name. The example never advances to the next page.
    let done = run(&import.flow, world);
    assert_eq!(
        (done.state.iterations, done.state.exit_reason),
        (Some(60), Some(ExitReason::MaxIterations)),
        "{:?}",
        done.state.error
    );
}

#[test]
fn declarative_retry() {
    let import = workflow("declarative_retry");
    assert_eq!(
        node(&import.flow, "callAPI")["retry"],
        json!({ "type": "exponential", "count": 5, "interval": "PT5S", "maxInterval": "PT1M", "minInterval": "PT1S", "jitter": 0.1,
            "on": ["timeout", "500", "502", "503"] })
    );
    let world = World {
        http: vec![
            json!({ "$error": { "code": "http_502", "message": "bad gateway" } }),
            answer(200, json!({ "x": 1 })),
        ],
        ..World::default()
    };
    assert_eq!(
        result(&run(&import.flow, world))["callAPI"]["body"],
        json!({ "x": 1 })
    );
}

#[test]
fn example_1_polling() {
    let import = workflow("polling");
    let status = |text: &str| json!({ "status": text });
    let world = World {
        inputs: json!({ "jobId": 7 }),
        http: pages(&[status("queued"), status("running"), status("complete")]),
        ..World::default()
    };
    let done = run(&import.flow, world);
    assert_eq!(done.state.iterations, Some(3), "{:?}", done.state.error);
    assert_eq!(result(&done)["checkStatus"]["body"]["status"], "complete");
    assert_eq!(done.took_ms, 30_000);
}

#[test]
fn example_2_react_agent() {
    let mut import = workflow("react_agent");
    replace(&mut import.flow, "SEARCH", "return 'foxes are red'");
    replace(&mut import.flow, "CALCULATE", "return 4");
    let think = |action: &str| Reply::json(json!({ "action": action, "input": "2+2" }));
    let world = World {
        inputs: json!({ "observations": "none" }),
        replies: vec![think("SEARCH"), think("CALCULATE"), think("FINAL_ANSWER")],
        ..World::default()
    };
    let done = run(&import.flow, world);
    assert_eq!(
        (done.state.iterations, done.state.exit_reason),
        (Some(3), Some(ExitReason::ConditionMet)),
        "{:?}",
        done.state.error
    );
}

#[test]
fn example_3_batch_pages() {
    let mut import = workflow("batch_pages");
    replace(&mut import.flow, "processItem", "return 'processed'");
    let page = |next: Value| json!({ "items": ["a", "b"], "nextPageToken": next });
    let world = World {
        inputs: json!({ "nextPageToken": "t1" }),
        http: pages(&[page(json!("t2")), page(Value::Null)]),
        ..World::default()
    };
    let done = run(&import.flow, world);
    assert_eq!(
        (done.state.iterations, done.state.exit_reason),
        (Some(2), Some(ExitReason::ConditionMet)),
        "{:?}",
        done.state.error
    );
}

// ---- the patterns that AI Studio's document draws

fn studio(name: &str) -> Flow {
    let text = fixture(&format!("aistudio/{name}.json"));
    let import = imported(&text, None);
    assert_eq!(import.report.format, "aistudio");
    // The flow is imported unchanged: writing it results in the document that was read.
    let same: Value = serde_json::from_str(&text).unwrap();
    let mut written = serde_json::to_value(&import.flow).unwrap();
    written.as_object_mut().unwrap().remove("name");
    assert_eq!(written, same);
    file::read_value(same).unwrap()
}

#[test]
fn pattern_self_refinement() {
    let world = World {
        inputs: json!({ "topic": "a cat" }),
        replies: ["d1", "c1", "d2", "c2", "d3", "c3"]
            .map(Reply::text)
            .to_vec(),
        ..World::default()
    };
    let done = run(&studio("self_refinement"), world);
    assert_eq!(result(&done), "d3\nCritique: c3");
    assert_eq!(
        (done.state.iterations, done.state.exit_reason),
        (Some(3), Some(ExitReason::MaxIterations))
    );
}

#[test]
fn pattern_evaluator() {
    let said = |branch: &str| Reply::json(json!({ "branch": branch, "reason": "so" }));
    let world = World {
        inputs: json!({ "topic": "a cat" }),
        replies: vec![
            Reply::text("d1"),
            said("continue"),
            Reply::text("d2").when("Draft: Improve this: d1"),
            said("done"),
        ],
        ..World::default()
    };
    let done = run(&studio("evaluator"), world);
    assert_eq!(result(&done), "d2");
    assert_eq!(
        (done.state.iterations, done.state.exit_reason),
        (Some(2), Some(ExitReason::EvaluatorDone))
    );
}

#[test]
fn pattern_agentic_tool() {
    let said = |branch: &str| Reply::json(json!({ "branch": branch, "reason": "so" }));
    let world = World {
        inputs: json!({ "question": "who?" }),
        replies: vec![
            Reply::text("q1"),
            said("continue"),
            Reply::text("q2").when("What is missing in: Found: r1"),
            said("done"),
        ],
        found: vec![json!("r1"), json!("r2")],
        ..World::default()
    };
    let done = run(&studio("agentic_tool"), world);
    assert_eq!(result(&done), "Found: r2");
    assert_eq!(done.state.iterations, Some(2));
}

// ---- what each imported loop becomes, line by line

/// The source's own defaults are reported. Values above the limits of a loop are refused.
#[test]
fn defaults_are_the_sources_own() {
    let loom = json!({ "type": "until", "name": "u", "condition": "@equals(1, 1)", "actions": { "a": { "type": "compose", "inputs": 1 } } });
    let import = imported(&loom.to_string(), None);
    assert_eq!(node(&import.flow, "u")["maxIterations"], 60);
    assert_eq!(node(&import.flow, "u")["limits"]["timeout"], "PT1H");
    assert!(
        outcomes(&import, Outcome::Mapped)
            .iter()
            .any(|said| said.contains("60 iterations and a timeout of PT1H"))
    );

    let container = fixture("containers/review_loop.yaml").replace("    maxIterations: 5\n", "");
    let import = imported(&container, None);
    assert_eq!(node(&import.flow, "review_loop")["maxIterations"], 10);
    assert!(
        outcomes(&import, Outcome::Mapped)
            .iter()
            .any(|said| said.contains("10: the source's default"))
    );

    let tea = fixture("tea/validate_with_retry.yaml").replace("      max_retries: 2\n", "");
    let import = imported(&tea, None);
    assert_eq!(
        node(&import.flow, "validate_with_retry")["maxIterations"],
        2
    );

    for (text, says) in [
        (
            json!({ "type": "until", "condition": "true", "limit": { "count": 1001 }, "actions": { "a": { "type": "compose", "inputs": 1 } } }).to_string(),
            "more than the 1,000 iterations",
        ),
        (
            json!({ "type": "until", "condition": "true", "limit": { "timeout": "PT24H1S" }, "actions": { "a": { "type": "compose", "inputs": 1 } } }).to_string(),
            "more than the 24 hours",
        ),
        (
            fixture("containers/review_loop.yaml").replace("maxIterations: 5", "maxIterations: 1001"),
            "more than the 1,000 iterations",
        ),
        (
            fixture("tea/validate_with_retry.yaml").replace("max_retries: 2", "max_retries: 1000"),
            "at most 1000",
        ),
        (
            fixture("tea/basic.yaml").replace("max_iterations: 5", "max_iterations: 1001"),
            "1-1000",
        ),
    ] {
        let error = try_import(&text, None).unwrap_err().to_string();
        assert!(error.contains(says), "{says}: {error}");
    }
}

#[test]
fn ceilings_are_raised_and_nesting_is_allowed_where_the_source_permits() {
    let settings = |import: &Import| import.flow.settings.clone().unwrap();
    let tea = imported(
        &fixture("tea/basic.yaml").replace("max_iterations: 5", "max_iterations: 700"),
        None,
    );
    assert_eq!(settings(&tea)["maxIterationsCeiling"], 700);
    let loom = settings(&workflow("until_primary"));
    assert_eq!(loom["maxIterationsCeiling"], 100);
    assert_eq!(loom["allowNestedLoops"], true);
    let container = settings(&imported(&fixture("containers/review_loop.yaml"), None));
    assert_eq!(container["allowNestedLoops"], true);
    let small = agent("basic").flow.settings;
    assert!(small.is_none_or(|settings| settings.get("maxIterationsCeiling").is_none()));
}

#[test]
fn line_while_loop() {
    let text = fixture("tea/basic.yaml").replace(
        "          return { count = state.count + 1 }\n",
        "          return { count = state.count + 1 }\n      - name: twice\n        run: 'return {\"doubled\": state[\"count\"] * 2}'\n",
    );
    let import = imported(&text, None);
    let data = node(&import.flow, "count_loop");
    assert_eq!(data["exitCondition"], "condition");
    assert_eq!(
        data["condition"],
        // The condition is Python, so a script evaluates it before each iteration.
        json!({ "while": "state.test", "test": "before" })
    );
    assert_eq!(data["feedbackMode"], "replace");
    assert_eq!(data["inputName"], "state");
    // The nodes run one after another, and the result of each is merged into the state.
    let done = on(&import, json!({ "count": 0, "kept": "k" }), vec![]);
    assert_eq!(
        state(&done),
        json!({ "count": 3, "doubled": 6, "kept": "k" })
    );
}

#[test]
fn line_until_while_do_until() {
    let loop_of = |kind: &str| {
        let document = json!({ "type": kind, "name": "l", "condition": "@equals(variables('n'), 3)", "limit": { "count": 7, "timeout": "PT2M" },
            "delay": { "interval": { "count": 2, "unit": "minute" } },
            "actions": { "a": { "type": "incrementVariable", "name": "n" } } });
        let import = imported(&document.to_string(), Some("loom"));
        node(&import.flow, "l").clone()
    };
    for (kind, how, test) in [
        ("until", "until", "before"),
        ("while", "while", "before"),
        ("doUntil", "until", "after"),
    ] {
        let data = loop_of(kind);
        assert_eq!(data["exitCondition"], "condition", "{kind}");
        assert!(data["condition"].get(how).is_some(), "{kind}: {data:?}");
        assert_eq!(data["condition"]["test"], test, "{kind}");
        assert_eq!(data["limits"]["timeout"], "PT2M");
        assert_eq!(data["maxIterations"], 7);
        assert_eq!(
            data["delay"],
            json!({ "type": "fixed", "interval": "PT2M" })
        );
        assert_eq!(data["onLimit"], "fail");
    }
}

#[test]
fn line_retry_loop() {
    let import = agent("validate_with_retry");
    let data = node(&import.flow, "validate_with_retry");
    assert_eq!(data["exitCondition"], "evaluator");
    assert_eq!(data["maxIterations"], 3);
    let flow = &import.flow;
    let end_of = |from: &str, handle: &str| {
        let edge = flow
            .edges
            .iter()
            .find(|edge| edge.source == from && edge.source_handle.as_deref() == Some(handle));
        flow.node(&edge.unwrap().target).unwrap()
    };
    let judge = flow
        .nodes
        .iter()
        .find(|node| {
            node.data
                .get("branches")
                .is_some_and(|branches| branches.to_string().contains("invalid"))
        })
        .unwrap();
    assert_eq!(end_of(&judge.id, "valid").kind, "exit");
    assert_ne!(end_of(&judge.id, "invalid").kind, "exit");
    assert!(flow.edges.iter().any(|edge| {
        edge.target == "validate_with_retry" && edge.target_handle.as_deref() == Some("feedback")
    }));
}

#[test]
fn line_manual_cycle_that_cannot_be_told() {
    let text = "nodes:\n- {name: a, run: 'return {}'}\n- {name: b, run: 'return {}'}\nedges:\n- {from: __start__, to: a, when: state.x}\n- {from: __start__, to: b}\n- {from: a, to: b}\n- {from: b, to: a, when: state.y}\n- {from: b, to: __end__}\n";
    let words = refusal(text);
    assert!(words.contains("cycle of “a”, “b”"), "{words}");
}

#[test]
fn line_loop_container() {
    let import = imported(&fixture("containers/review_loop.yaml"), None);
    let data = node(&import.flow, "review_loop");
    assert_eq!(data["condition"]["test"], "after");
    assert!(data["condition"].get("while").is_some());
    assert_eq!(data["feedbackMode"], "variables");
    let variable = |name: &str| {
        data["variables"]
            .as_array()
            .unwrap()
            .iter()
            .find(|variable| variable["name"] == name)
            .unwrap()
            .clone()
    };
    // The three kinds of mapping: `all` has no `next`, `first` sets the initial value, `subsequent` sets `next`.
    assert!(variable("coder_task").get("next").is_none());
    assert!(
        variable("coder_context")["initial"]
            .as_str()
            .unwrap()
            .contains("guidelines")
    );
    assert!(
        variable("coder_context")["next"]
            .as_str()
            .unwrap()
            .contains("previous.")
    );
    let outputs = data["outputs"].to_string();
    assert!(outputs.contains("\"take\":\"last\""), "{outputs}");
    assert!(import.flow.nodes.iter().any(|node| node.kind == "subflow"));
    assert!(import.flow.edges.iter().any(|edge| {
        edge.source == "review_loop" && edge.source_handle.as_deref() == Some("count")
    }));
    // A variable with a mapping for the first iteration and none for later ones becomes null afterwards.
    let once = fixture("containers/review_loop.yaml")
        .replace("iterations: subsequent", "iterations: first");
    let error = try_import(&once, None)
        .map(|import| node(&import.flow, "review_loop")["variables"].to_string());
    assert!(error.unwrap().contains("{{ null }}"));
}
