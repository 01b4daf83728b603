//! Workflows of Loom and Logic Apps, and loop containers. Each is imported and run, and has the results that the
//! document of its format states.

#![allow(clippy::unwrap_used)]

#[path = "import_logic_apps/azure.rs"]
mod azure;
#[path = "import_logic_apps/beside.rs"]
mod beside;

use std::{collections::HashMap, fs};

use loopwright_engine::{ExitReason, RunStatus};
use loopwright_import::Outcome;
use loopwright_testing::scripted::Reply;
use serde_json::{Value, json};

use crate::imported::{
    World, answer, cases, fails, imported, node, outcomes, problems, replace, result, run,
    try_import,
};

// The examples in Loom's document.

/// Polls until a status is complete. The body of the loop waits between polls.
#[test]
fn a_while_polls_until_the_status_is_complete() {
    let document = json!({
        "type": "while",
        "condition": "@not(equals(variables('status'), 'complete'))",
        "actions": {
            "look": { "type": "http", "inputs": { "uri": "https://example.org/status" } },
            "note": { "type": "setVariable", "name": "status", "value": "@body('look').status" },
            "rest": { "type": "wait", "inputs": { "interval": { "count": 5, "unit": "second" } } }
        },
        "limit": { "count": 10, "timeout": "PT5M" }
    });
    let import = imported(&document.to_string(), None);
    assert!(
        import
            .report
            .dialect
            .as_deref()
            .unwrap()
            .starts_with("loom: ")
    );
    let data = node(&import.flow, "while");
    assert_eq!(data["condition"]["test"], "before");
    assert_eq!(data["maxIterations"], 10);
    assert_eq!(data["limits"]["timeout"], "PT5M");
    assert_eq!(data["onLimit"], "fail");
    let world = || World {
        http: vec![
            answer(200, json!({ "status": "new" })),
            answer(200, json!({ "status": "complete" })),
        ],
        ..World::default()
    };
    let done = run(&import.flow, world());
    assert_eq!(result(&done)["look"]["body"]["status"], "complete");
    assert_eq!(done.took_ms, 10_000);
    // If the status is complete from the start, the loop has no iteration.
    let done = run(&import.flow, World::with(json!({ "status": "complete" })));
    assert_eq!(done.state.iterations, Some(0));
    // A failing server fails the action.
    let done = run(
        &import.flow,
        World {
            http: vec![answer(500, json!("no"))],
            ..World::default()
        },
    );
    fails(&done, "the server answered 500");
}

/// Nothing in the loop shortens the queue. The loop ends at once if the queue is empty, and otherwise at the limit that the
/// source sets.
#[test]
fn an_until_that_nothing_ends_says_so() {
    let document = json!({
        "type": "until",
        "condition": "@empty(variables('queue'))",
        "actions": {
            "work": { "type": "actor", "inputs": { "actorType": "processor", "input": "@first(variables('queue'))" } },
            "rest": { "type": "compose", "inputs": "@skip(variables('queue'), 1)" }
        }
    });
    let mut import = imported(&document.to_string(), None);
    assert!(
        outcomes(&import, Outcome::Mapped)
            .iter()
            .any(|said| said.contains("“queue”, which nothing in the loop sets"))
    );
    assert_eq!(outcomes(&import, Outcome::Placeholder).len(), 1);
    let done = run(&import.flow, World::with(json!({ "queue": [] })));
    assert_eq!(done.state.iterations, Some(0));
    fails(
        &run(&import.flow, World::with(json!({ "queue": [1] }))),
        "could not be translated",
    );
    replace(&mut import.flow, "work", "return 'done'");
    let done = run(&import.flow, World::with(json!({ "queue": [1, 2] })));
    assert_eq!(done.state.status, RunStatus::Failed);
    assert_eq!(done.state.iterations, Some(60));
    assert_eq!(done.state.exit_reason, Some(ExitReason::MaxIterations));
}

/// The same queue, but in a variable that the loop sets. The loop ends when the queue is empty.
#[test]
fn a_queue_is_worked_off() {
    let document = json!({
        "actions": {
            "begin": { "type": "initializeVariable", "inputs": { "variables": [{ "name": "queue", "type": "array", "value": [3, 4] }, { "name": "total", "type": "integer", "value": 0 }] } },
            "loop": {
                "type": "until",
                "condition": "@empty(variables('queue'))",
                "actions": {
                    "count": { "type": "incrementVariable", "inputs": { "name": "total", "value": "@first(variables('queue'))" } },
                    "shorten": { "type": "setVariable", "name": "queue", "value": "@skip(variables('queue'), 1)" }
                }
            },
            "told": { "type": "compose", "inputs": "total: @{variables('total')}" }
        }
    });
    let import = imported(&document.to_string(), Some("loom"));
    let done = run(&import.flow, World::default());
    assert_eq!(result(&done)["told"], "total: 7");
    assert_eq!(done.state.iterations, Some(2));
}

/// An agent that thinks, acts and observes. The loop's condition and the switch in it read the model's answer.
#[test]
fn an_agent_loop_ends_with_its_final_answer() {
    let document = json!({
        "type": "until",
        "name": "agentLoop",
        "condition": "@equals(body('think').action, 'FINAL_ANSWER')",
        "actions": {
            "think": { "type": "ai", "inputs": { "prompt": "Seen so far: @{variables('seen')}. What next?" } },
            "act": {
                "type": "switch",
                "on": "@body('think').action",
                "cases": {
                    "SEARCH": { "type": "activity", "inputs": { "activityType": "search", "query": "@body('think').input" } },
                    "CALCULATE": { "type": "activity", "inputs": { "activityType": "calculator", "expression": "@body('think').input" } }
                }
            },
            "observe": { "type": "compose", "inputs": "@concat(variables('seen'), '\n', body('act'))" },
            "keep": { "type": "setVariable", "name": "seen", "value": "@body('observe')" }
        },
        "limit": { "count": 10 }
    });
    let mut import = imported(&document.to_string(), None);
    let think = node(&import.flow, "think");
    assert_eq!(think["responseFormat"], "json");
    assert_eq!(node(&import.flow, "agentLoop")["limits"]["timeout"], "PT1H");
    replace(&mut import.flow, "SEARCH", "return 'a fox'");
    replace(&mut import.flow, "CALCULATE", "return 4");
    let step = |action: &str| Reply::json(json!({ "action": action, "input": "2+2" }));
    let world = World {
        inputs: json!({ "seen": "nothing" }),
        replies: vec![
            step("SEARCH").when("Seen so far: nothing."),
            step("CALCULATE").when("a fox"),
            step("FINAL_ANSWER").when("4"),
        ],
        ..World::default()
    };
    let done = run(&import.flow, world);
    assert_eq!(result(&done)["observe"], "nothing\na fox\n4\n4");
    assert_eq!(
        (done.state.iterations, done.state.exit_reason),
        (Some(3), Some(ExitReason::ConditionMet))
    );
}

/// Pages are fetched until there is no next one. A list inside the loop processes the items of each page.
#[test]
fn pages_are_fetched_and_their_items_processed() {
    let document = json!({
        "type": "until",
        "name": "allPages",
        "condition": "@equals(variables('token'), null)",
        "actions": {
            "fetch": { "type": "http", "inputs": { "uri": "https://example.org/data?page=@{variables('token')}" } },
            "items": {
                "type": "foreach",
                "foreach": "@body('fetch').items",
                "actions": { "each": { "type": "compose", "inputs": "<@{item()}>" } }
            },
            "turn": { "type": "setVariable", "name": "token", "value": "@body('fetch').next" }
        }
    });
    let import = imported(&document.to_string(), None);
    let page = |items: Value, next: Value| answer(200, json!({ "items": items, "next": next }));
    let world = World {
        inputs: json!({ "token": "p1" }),
        http: vec![
            page(json!(["a", "b"]), json!("p2")),
            page(json!([]), json!("p3")),
            page(json!(["c"]), Value::Null),
        ],
        ..World::default()
    };
    let done = run(&import.flow, world);
    assert_eq!(result(&done)["items"], json!([{ "each": "<c>" }]));
    assert_eq!(done.state.iterations, Some(3));
}

/// An imported `until` with a delay waits between its iterations.
#[test]
fn a_delay_stands_between_iterations() {
    let document = json!({
        "type": "until",
        "name": "waitForJob",
        "condition": "@equals(body('look').status, 'complete')",
        "actions": { "look": { "type": "http", "inputs": { "method": "GET", "uri": "https://example.org/jobs/@{variables('job')}" } } },
        "delay": { "interval": { "count": 10, "unit": "second" } },
        "limit": { "count": 60, "timeout": "PT10M" }
    });
    let import = imported(&document.to_string(), None);
    assert_eq!(
        node(&import.flow, "waitForJob")["delay"],
        json!({ "type": "fixed", "interval": "PT10S" })
    );
    let state = |status: &str| answer(200, json!({ "status": status }));
    let done = run(
        &import.flow,
        World {
            inputs: json!({ "job": 7 }),
            http: vec![state("new"), state("running"), state("complete")],
            ..World::default()
        },
    );
    assert_eq!((done.state.iterations, done.took_ms / 1000), (Some(3), 30));
    assert_eq!(result(&done)["look"]["body"]["status"], "complete");
}

/// Expressions can read the index, the count and the result of a loop, and those of the loop around it.
#[test]
fn loops_know_themselves() {
    let document = json!({
        "type": "until",
        "name": "outer",
        "condition": "@greaterOrEquals(variables('loopIndex'), 2)",
        "actions": {
            "inner": {
                "type": "doUntil",
                "condition": "@greaterOrEquals(variables('loopIndex'), add(variables('outer_loopIndex'), 1))",
                "actions": {
                    "see": { "type": "compose", "inputs": {
                        "index": "@variables('loopIndex')", "count": "@variables('loopCount')", "outer": "@variables('outer_loopIndex')",
                        "before": "@variables('loopResult')?['see']?['index']"
                    } }
                }
            }
        }
    });
    let import = imported(&document.to_string(), None);
    let done = run(&import.flow, World::default());
    assert_eq!(done.state.iterations, Some(2));
    assert_eq!(
        result(&done)["see"],
        json!({ "index": 1, "count": 2, "outer": 1, "before": 0 })
    );
}

/// Azure's Until, Foreach and If, and the same Until in both dialects.
#[test]
fn until_is_read_after_its_pass_in_logic_apps() {
    let document = json!({
        "definition": {
            "$schema": "https://schema.management.azure.com/providers/Microsoft.Logic/schemas/2016-06-01/workflowdefinition.json#",
            "triggers": { "manual": { "type": "Request" } },
            "actions": {
                "Init": { "type": "InitializeVariable", "inputs": { "variables": [{ "name": "done", "type": "boolean", "value": true }] } },
                "Until": {
                    "type": "Until",
                    "expression": "@equals(variables('done'), true)",
                    "actions": { "Look": { "type": "Compose", "inputs": "seen" } },
                    "limit": { "count": 60, "timeout": "PT1H" },
                    "runAfter": { "Init": ["Succeeded"] }
                }
            }
        }
    });
    let import = imported(&document.to_string(), None);
    assert!(
        import
            .report
            .dialect
            .as_deref()
            .unwrap()
            .starts_with("logic-apps: ")
    );
    assert_eq!(
        node(&import.flow, "Until")["condition"],
        json!({ "until": "result.tests[\"Until\"]", "test": "after" })
    );
    assert_eq!(
        run(&import.flow, World::default()).state.iterations,
        Some(1)
    );
    let import = imported(&document.to_string(), Some("loom"));
    assert_eq!(node(&import.flow, "Until")["condition"]["test"], "before");
    assert_eq!(
        run(&import.flow, World::default()).state.iterations,
        Some(0)
    );
    assert_eq!(import.flow.settings.unwrap()["maxIterationsCeiling"], 60);
    assert!(
        try_import(&document.to_string(), Some("azure"))
            .unwrap_err()
            .to_string()
            .contains("no dialect")
    );
}

#[test]
fn branches_variables_and_lists_of_logic_apps() {
    let document = json!({
        "definition": {
            "parameters": { "limit": { "type": "Int", "defaultValue": 2 } },
            "triggers": { "manual": { "type": "Request" } },
            "actions": {
                "Names": { "type": "InitializeVariable", "inputs": { "variables": [{ "name": "names", "type": "array", "value": [] }] } },
                "Each": {
                    "type": "Foreach", "foreach": "@triggerBody()?['items']", "runAfter": { "Names": ["Succeeded"] },
                    "actions": {
                        "Large": {
                            "type": "If", "expression": { "and": [{ "greater": ["@items('Each')?['n']", "@parameters('limit')"] }] },
                            "actions": { "Keep": { "type": "AppendToArrayVariable", "inputs": { "name": "names", "value": "@item()?['name']" } } },
                            "else": { "actions": {} }
                        }
                    }
                },
                "Pick": { "type": "Query", "inputs": { "from": "@triggerBody()['items']", "where": "@greater(item()['n'], 2)" }, "runAfter": { "Each": ["Succeeded"] } },
                "Make": { "type": "Select", "inputs": { "from": "@body('Pick')", "select": { "id": "@concat('x', item()?['n'])" } }, "runAfter": { "Pick": ["Succeeded"] } },
                "Count": { "type": "Switch", "expression": "@length(body('Make'))", "runAfter": { "Make": ["Succeeded"] },
                    "cases": { "Two": { "case": 2, "actions": { "Said": { "type": "Compose", "inputs": "two" } } } },
                    "default": { "actions": { "Other": { "type": "Compose", "inputs": "other" } } } },
                "Answer": { "type": "Response", "kind": "Http", "inputs": { "statusCode": 200, "body": { "names": "@variables('names')", "made": "@body('Make')", "sure": "@{equals(1, 1)}" } }, "runAfter": { "Count": ["Succeeded"] } }
            }
        }
    });
    let import = imported(&document.to_string(), Some("logic-apps"));
    let items = json!([{ "n": 1, "name": "a" }, { "n": 3, "name": "b" }, { "n": 5, "name": "c" }]);
    let done = run(
        &import.flow,
        World::with(json!({ "trigger": { "items": items } })),
    );
    let given = result(&done);
    assert_eq!(given["Said"], "two");
    assert_eq!(
        done.state.outputs.as_ref().unwrap()["response"]["body"],
        json!({ "names": ["b", "c"], "made": [{ "id": "x3" }, { "id": "x5" }], "sure": "True" })
    );
}

/// An action's `runAfter` can name the states after which it runs. A failure is caught if another action runs after it, and
/// an action whose condition for running cannot be met is skipped.
#[test]
fn failures_are_caught_where_something_waits_for_them() {
    let document = json!({
        "definition": {
            "actions": {
                "Try": { "type": "Scope", "actions": { "Break": { "type": "Compose", "inputs": "@int('no number')" } } },
                "After": { "type": "Compose", "inputs": "went well", "runAfter": { "Try": ["Succeeded"] } },
                "Catch": { "type": "Compose", "inputs": "@result('Try')[0]['status']", "runAfter": { "Try": ["Failed", "TimedOut"] } },
                "Always": { "type": "Compose", "inputs": "@{actions('After')?['status']}", "runAfter": { "After": ["Succeeded", "Skipped"], "Catch": ["Succeeded"] } }
            }
        }
    });
    let import = imported(&document.to_string(), Some("logic-apps"));
    let given = result(&run(&import.flow, World::default()));
    assert_eq!(given["Catch"], "Failed");
    assert_eq!(given.get("After"), None);
    assert_eq!(given.get("Always"), Some(&json!("Skipped")));
    // If no action runs after the failure, the run fails.
    let alone = json!({ "definition": { "actions": { "Break": { "type": "Compose", "inputs": "@int('no number')" } } } });
    let import = imported(&alone.to_string(), Some("logic-apps"));
    fails(
        &run(&import.flow, World::default()),
        "int(): 'no number' is not an integer",
    );
    // Actions that wait for each other, and an action that waits for an unknown one, are refused.
    let circle = json!({ "actions": { "a": { "type": "Compose", "inputs": 1, "runAfter": { "b": ["Succeeded"] } }, "b": { "type": "Compose", "inputs": 1, "runAfter": { "a": ["Succeeded"] } } } });
    assert!(
        try_import(&circle.to_string(), None)
            .unwrap_err()
            .to_string()
            .contains("Circular dependency")
    );
}

#[test]
fn terminate_ends_a_workflow() {
    let document = |status: &str| {
        json!({ "definition": { "actions": {
            "If": { "type": "If", "expression": "@equals(triggerBody(), 1)", "actions": {
                "End": { "type": "Terminate", "inputs": { "runStatus": status, "runError": { "code": "17", "message": "stopped at @{triggerBody()}" } } } } },
            "Rest": { "type": "Compose", "inputs": "ran", "runAfter": { "If": ["Succeeded"] } }
        } } }).to_string()
    };
    let import = imported(&document("Succeeded"), Some("logic-apps"));
    assert_eq!(
        result(&run(&import.flow, World::with(json!({ "trigger": 1 })))),
        json!({})
    );
    assert_eq!(
        result(&run(&import.flow, World::with(json!({ "trigger": 2 })))),
        json!({ "Rest": "ran" })
    );
    let import = imported(&document("Failed"), Some("logic-apps"));
    fails(
        &run(&import.flow, World::with(json!({ "trigger": 1 }))),
        "Error 17: stopped at 1",
    );
}

#[test]
fn branches_of_a_parallel_run_at_once_and_are_joined() {
    let document = json!({ "actions": {
        "both": { "type": "parallel", "actions": {
            "one": { "type": "ai", "inputs": { "prompt": "one" } },
            "two": { "type": "ai", "inputs": { "prompt": "two" } }
        } },
        "told": { "type": "compose", "inputs": "@{body('one')} @{body('two')} @{body('both')['one']}" }
    } });
    let import = imported(&document.to_string(), None);
    let reply = |text: &str| Reply {
        delay_ms: 1000,
        ..Reply::text(text).when(text)
    };
    let done = run(
        &import.flow,
        World {
            replies: vec![reply("one"), reply("two")],
            ..World::default()
        },
    );
    assert_eq!(result(&done)["told"], "one two one");
    assert_eq!(done.took_ms, 1000);
}

#[test]
fn retry_policies_are_the_nodes_own() {
    let document = json!({ "type": "retry", "name": "call", "action": { "type": "ai", "inputs": { "prompt": "hello" } },
        "retryPolicy": { "type": "exponential", "count": 5, "interval": "PT5S", "maxInterval": "PT1M", "minimumInterval": "PT1S" } });
    let import = imported(&document.to_string(), None);
    assert_eq!(
        node(&import.flow, "call")["retry"],
        json!({ "type": "exponential", "count": 5, "interval": "PT5S", "maxInterval": "PT1M", "minInterval": "PT1S",
        "jitter": 0.1, "on": ["timeout", "network", "408", "429", "5xx"] })
    );
    let done = run(
        &import.flow,
        World {
            replies: vec![Reply::error("http_503", "busy"), Reply::text("hi")],
            ..World::default()
        },
    );
    assert_eq!(result(&done)["call"], "hi");
    assert!((4_000..=6_000).contains(&done.took_ms), "{}", done.took_ms);
    for (policy, retry) in [
        (json!({ "type": "none" }), json!({ "type": "none" })),
        (
            json!({ "type": "fixed", "count": 2, "interval": "PT10S", "on": [500, "timeout"] }),
            json!({ "type": "fixed", "count": 2, "interval": "PT10S", "on": ["500", "timeout"] }),
        ),
    ] {
        let document = json!({ "actions": { "call": { "type": "http", "inputs": { "uri": "https://example.org" }, "retry": policy } } });
        assert_eq!(
            node(&imported(&document.to_string(), Some("loom")).flow, "call")["retry"],
            retry
        );
    }
}

/// The defaults that the table of dialects lists are applied, and the values that it excludes are rejected.
#[test]
fn limits_are_taken_over_or_refused_never_clamped() {
    let until = |limit: Value| {
        json!({ "type": "until", "name": "u", "condition": "false", "limit": limit, "actions": { "a": { "type": "compose", "inputs": 1 } } }).to_string()
    };
    let import = imported(&until(Value::Null), None);
    assert_eq!(node(&import.flow, "u")["maxIterations"], 60);
    assert_eq!(node(&import.flow, "u")["limits"]["timeout"], "PT1H");
    assert!(
        outcomes(&import, Outcome::Mapped)
            .iter()
            .any(|said| said.contains("60 iterations and a timeout of PT1H"))
    );
    assert_eq!(
        import.flow.settings.as_ref().unwrap()["maxIterationsCeiling"],
        60
    );
    assert_eq!(
        import.flow.settings.as_ref().unwrap()["allowNestedLoops"],
        true
    );
    assert_eq!(
        node(
            &imported(&until(json!({ "count": 1000, "timeout": "PT24H" })), None).flow,
            "u"
        )["maxIterations"],
        1000
    );
    for (limit, says) in [
        (json!({ "count": 1001 }), "more than the 1,000 iterations"),
        (json!({ "timeout": "PT25H" }), "more than the 24 hours"),
        (json!({ "timeout": "P1DT1S" }), "more than the 24 hours"),
        (json!({ "count": 0 }), "from 1 to 1000"),
        (json!({ "count": 2.5 }), "from 1 to 1000"),
        (json!({ "timeout": "soon" }), "not an ISO 8601 duration"),
    ] {
        let error = try_import(&until(limit.clone()), None)
            .unwrap_err()
            .to_string();
        assert!(error.contains(says), "{limit}: {error}");
    }
    let done = run(
        &imported(&until(json!({ "count": 3 })), None).flow,
        World::default(),
    );
    assert_eq!(
        (done.state.status, done.state.iterations),
        (RunStatus::Failed, Some(3))
    );
}

// Loop containers.

const REVIEW: &str = r#"
- id: review-loop
  type: loop
  data:
    label: Review until approved
    nodeType: loop
    continueWhile: { output: review.approved, operator: "==", value: false }
    maxIterations: 5
    inputs: [{ name: task, type: string }, { name: guidelines, type: string }]
    outputs: [{ name: approved, type: boolean }, { name: final_code, type: string }, { name: iterations, type: number }]
    inputMappings:
      - { source: { type: outer, name: task }, target: { node: coder, input: task }, iterations: all }
      - { source: { type: outer, name: guidelines }, target: { node: coder, input: context }, iterations: first }
      - { source: { type: previous, node: review, output: feedback }, target: { node: coder, input: context }, iterations: subsequent }
    outputMappings:
      - { source: { node: review, output: approved }, target: approved, take: last }
      - { source: { node: coder, output: code }, target: final_code, take: last }
      - { source: { node: coder, output: code }, target: first_code, take: first }
      - { source: { node: coder, output: code }, target: drafts, take: all }
      - { source: { type: builtin, name: iteration_count }, target: iterations }
    inlineWorkflow:
      nodes:
        - id: coder
          type: agent
          data:
            nodeType: agent
            runner: claude-code
            prompt: "Task: {{ task }}\nContext: {{ context }}"
            inputs: [{ name: task, type: string }, { name: context, type: string }]
            outputs: [{ name: code, type: string }]
        - id: review
          type: agent
          data:
            nodeType: agent
            runner: claude-code
            prompt: "Judge this: {{ coder.code }}"
            inputs: [{ name: code, type: string }]
            outputs: [{ name: approved, type: boolean }, { name: feedback, type: string }]
      edges:
        - { source: coder, target: review, sourceHandle: "output:code", targetHandle: "input:code" }
"#;

#[test]
fn a_container_reviews_until_it_is_approved() {
    let import = imported(REVIEW, None);
    assert_eq!(import.report.format, "containers");
    let data = node(&import.flow, "review_loop");
    assert_eq!(data["condition"]["test"], "after");
    assert!(
        data["condition"]["while"]
            .as_str()
            .unwrap()
            .ends_with("review_approved == false")
    );
    assert_eq!(data["feedbackMode"], "variables");
    let variables: HashMap<&str, &Value> = data["variables"]
        .as_array()
        .unwrap()
        .iter()
        .map(|variable| (variable["name"].as_str().unwrap(), variable))
        .collect();
    assert_eq!(variables["coder_task"].get("next"), None);
    assert!(
        variables["coder_context"]["next"]
            .as_str()
            .unwrap()
            .contains("previous.")
    );
    let verdict = |approved: bool, feedback: &str| {
        Reply::json(json!({ "approved": approved, "feedback": feedback }))
    };
    let world = || World {
        inputs: json!({ "task": "sort", "guidelines": "be brief" }),
        replies: vec![
            Reply::text("draft one").when("Context: be brief"),
            verdict(false, "add tests").when("Judge this: draft one"),
            Reply::text("draft two").when("Context: add tests"),
            verdict(true, "fine").when("Judge this: draft two"),
        ],
        ..World::default()
    };
    let done = run(&import.flow, world());
    assert_eq!(
        done.state.status,
        RunStatus::Completed,
        "{:?}",
        done.state.error
    );
    assert_eq!(
        done.state.outputs.clone().map(Value::from),
        Some(
            json!({ "approved": true, "drafts": ["draft one", "draft two"], "final_code": "draft two", "first_code": "draft one", "iterations": 2 })
        )
    );
    assert_eq!(done.state.exit_reason, Some(ExitReason::ConditionMet));
    // If the maximum number of iterations is reached, there is a warning, and the outputs are those of the last iteration.
    let short = REVIEW.replace("maxIterations: 5", "maxIterations: 1");
    let done = run(&imported(&short, None).flow, world());
    assert_eq!(done.state.outputs.as_ref().unwrap()["approved"], false);
    assert_eq!(done.state.exit_reason, Some(ExitReason::MaxIterations));
    assert!(!done.state.warnings.is_empty());
}

#[test]
fn what_a_container_may_not_have() {
    let unset = REVIEW.replace("    maxIterations: 5\n", "");
    let import = imported(&unset, None);
    assert_eq!(node(&import.flow, "review_loop")["maxIterations"], 10);
    for (from, to, says) in [
        (
            "maxIterations: 5",
            "maxIterations: 1001",
            "more than the 1,000",
        ),
        ("maxIterations: 5", "maxIterations: 0", "from 1 to 1000"),
        (
            "operator: \"==\"",
            "operator: \"~\"",
            "the operator must be one of",
        ),
        (
            "output: review.approved",
            "output: review.missing_node.x",
            "",
        ),
        (
            "node: coder, input: task",
            "node: nobody, input: task",
            "not a node inside",
        ),
        ("take: all", "take: some", "last, first or all"),
        (
            "iterations: first",
            "iterations: odd",
            "`first`, `subsequent` or `all`",
        ),
    ] {
        let error = try_import(&REVIEW.replacen(from, to, 1), None).map(|_| ());
        if says.is_empty() {
            continue;
        }
        let error = error.unwrap_err().to_string();
        assert!(error.contains(says), "{to}: {error}");
    }
}

/// An input that is mapped for the first iteration only is null afterwards.
#[test]
fn first_is_null_afterwards() {
    let once = REVIEW.replace("      - { source: { type: previous, node: review, output: feedback }, target: { node: coder, input: context }, iterations: subsequent }\n", "");
    let import = imported(&once, None);
    let verdict = |approved: bool| {
        Reply::json(json!({ "approved": approved, "feedback": "again" })).when("Judge")
    };
    let done = run(
        &import.flow,
        World {
            inputs: json!({ "task": "sort", "guidelines": "be brief" }),
            replies: vec![
                Reply::text("a").when("Context: be brief"),
                verdict(false),
                Reply::text("b").when("Task: sort"),
                verdict(true),
            ],
            ..World::default()
        },
    );
    assert_eq!(done.state.outputs.as_ref().unwrap()["final_code"], "b");
    assert_eq!(
        node(&import.flow, "review_loop")["variables"]
            .as_array()
            .unwrap()
            .iter()
            .find(|variable| variable["name"] == "coder_context")
            .unwrap()["next"],
        "{{ null }}"
    );
}

/// An agent with tools becomes an Agent node, and an agent without tools becomes a model call.
#[test]
fn an_agent_with_tools_is_a_coding_agent() {
    let document = |more: Value| {
        let mut data = json!({ "nodeType": "agent", "runner": "gemini-cli", "prompt": "Fix {{ inputs.what }}",
            "inputs": [{ "name": "what" }], "outputs": [{ "name": "output" }, { "name": "sessionId" }] });
        data.as_object_mut()
            .unwrap()
            .extend(more.as_object().cloned().unwrap());
        json!({ "nodes": [
            { "id": "what", "type": "constant", "data": { "nodeType": "constant", "value": "it", "outputs": [{ "name": "value" }] } },
            { "id": "fixer", "type": "agent", "data": data }
        ], "edges": [{ "source": "what", "target": "fixer", "sourceHandle": "output:value", "targetHandle": "input:what" }] })
        .to_string()
    };
    let import = imported(
        &document(json!({ "tools": ["Bash", "Edit"], "cwd": "src" })),
        None,
    );
    let data = node(&import.flow, "fixer");
    assert_eq!(import.flow.node("fixer").unwrap().kind, "agent");
    assert_eq!(
        (&data["runner"], &data["cwd"], &data["session"]),
        (&json!("gemini"), &json!("src"), &json!("fresh"))
    );
    assert!(problems(&import.flow, &loopwright_nodes::all()).is_empty());
    let said = outcomes(&import, Outcome::Approximated).join(" ");
    assert!(
        said.contains("approve the program") && said.contains("`tools`"),
        "{said}"
    );
    let import = imported(&document(json!({})), None);
    assert_eq!(import.flow.node("fixer").unwrap().kind, "llm");
}

/// The code of an action becomes a script, unchanged. The script reads the results of other actions and of the trigger, and
/// other actions can read its result.
#[test]
fn inline_code_runs_as_it_is() {
    let workflow = |code: &str| {
        json!({ "definition": {
            "$schema": "https://schema.management.azure.com/providers/Microsoft.Logic/schemas/2016-06-01/workflowdefinition.json#",
            "triggers": { "manual": { "type": "Request", "kind": "Http" } },
            "actions": {
                "List": { "type": "Compose", "inputs": [3, 1, 2], "runAfter": {} },
                "Code": { "type": "JavaScriptCode", "inputs": { "code": code }, "runAfter": { "List": ["Succeeded"] } },
                "Again": { "type": "JavaScriptCode", "inputs": { "code": "return workflowContext.actions.Code.outputs.body.length" }, "runAfter": { "Code": ["Succeeded"] } }
            }
        } })
        .to_string()
    };
    let code = "const { body } = workflowContext.trigger.outputs;\nclass Sum { add(a, b) { return a + b; } }\nconst list = workflowContext.actions.List.outputs;\nreturn [...list.sort(), body.more.replace(/o+/g, '0'), new Sum().add(1, 1)];";
    let import = imported(&workflow(code), None);
    assert!(
        outcomes(&import, Outcome::Placeholder).is_empty(),
        "{:?}",
        outcomes(&import, Outcome::Placeholder)
    );
    let source = node(&import.flow, "Code_code")["args"]["source"]
        .as_str()
        .unwrap()
        .to_owned();
    assert!(source.contains(code), "{source}");
    let trigger = import
        .flow
        .nodes
        .iter()
        .find(|node| node.kind == "input")
        .unwrap();
    let name = trigger.data["name"].as_str().unwrap();
    let done = run(
        &import.flow,
        World::with(json!({ name: { "more": "foo" } })),
    );
    assert_eq!(result(&done)["Code"], json!([1, 2, 3, "f0", 2]));
    assert_eq!(result(&done)["Again"], 5);
    for (code, says) in [
        ("return new Date().toISOString()", "uses the clock"),
        ("return Math.random()", "uses random numbers"),
        ("return fetch('x')", "no network"),
        (
            "return workflowContext.workflow.name",
            "`workflowContext.workflow`",
        ),
        (
            "const all = workflowContext.actions; return all.List",
            "known only during the run",
        ),
        (
            "return workflowContext.actions.Nothing.outputs",
            "the unknown action “Nothing”",
        ),
        ("return other", "uses the name `other`"),
        ("return 1 +", "is not a valid script"),
    ] {
        let kept = outcomes(&imported(&workflow(code), None), Outcome::Placeholder);
        assert!(
            kept.iter().any(|kept| kept.contains(says)),
            "{code}: {kept:?}"
        );
    }
}

// Collections of workflows, if they are present next to the repository.

/// Every file of the collections is imported as a flow without errors, or refused for a reason that its own system also has.
#[test]
fn every_case_is_imported() {
    let kinds = loopwright_nodes::all();
    let mut failed = Vec::new();
    for folder in ["loom", "logicapps", "shodan"] {
        for path in cases(folder) {
            let name = path.display().to_string();
            let text = fs::read_to_string(&path).unwrap();
            match try_import(&text, None) {
                Ok(import) => {
                    let found = problems(&import.flow, &kinds);
                    if !found.is_empty() {
                        failed.push(format!("{name}: {found:#?}"));
                    }
                }
                Err(error) => {
                    let expected = [
                        "at least one action",
                        "Circular dependency",
                        "more than the 1,000 iterations",
                    ];
                    if !expected.iter().any(|says| error.to_string().contains(says)) {
                        failed.push(format!("{name}: {error}"));
                    }
                }
            }
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// Cases whose authors state the result. The test prints a table: the case, the expected result, the actual result, and the
/// reason if they differ.
#[test]
fn cases_give_what_their_authors_expect() {
    let mut table = Vec::new();
    for path in cases("loom") {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let text = fs::read_to_string(&path).unwrap();
        let expected: Option<(Option<u32>, &str)> = match name.as_str() {
            "loops_should_continue_looping_until_condition_met"
            | "loops_should_evaluate_equals_function"
            | "loops_should_loop_while_condition_is_true" => Some((Some(3), "")),
            "loops_should_execute_at_least_once" => Some((
                Some(1),
                "its authors count 2; its document says once, then the condition",
            )),
            "loops_should_provide_loop_context_variables" => Some((Some(2), "")),
            "loops_should_timeout_if_condition_never_met" => Some((None, "timeout")),
            "loops_should_succeed_on_first_attempt"
            | "loops_should_implement_retry_with_exponential_backoff"
            | "resilience_should_execute_scope_actions"
            | "workflow_executes_simple_workflow" => Some((None, "")),
            _ => None,
        };
        let Some((iterations, says)) = expected else {
            continue;
        };
        let done = run(&imported(&text, None).flow, World::default());
        match says {
            "timeout" => assert_eq!(done.state.exit_reason, Some(ExitReason::Timeout), "{name}"),
            _ => {
                assert_eq!(
                    done.state.status,
                    RunStatus::Completed,
                    "{name}: {:?}",
                    done.state.error
                );
                assert_eq!(done.state.iterations, iterations, "{name}");
            }
        }
        if name.contains("context_variables") {
            assert_eq!(
                result(&done)["captureContext"],
                json!({ "index": 1, "count": 2 })
            );
        }
        if name.contains("scope_actions") {
            assert_eq!(
                result(&done),
                json!({ "step1": "first", "step2": "second" })
            );
        }
        table.push(format!(
            "{name}: {:?} iterations, {:?}; {says}",
            done.state.iterations, done.state.exit_reason
        ));
    }
    println!("{}", table.join("\n"));
}
