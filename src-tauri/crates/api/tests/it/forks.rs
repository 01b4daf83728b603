//! Forks, pins and partial runs in the whole program, with a real server that counts calls. A fork does not repeat calls whose
//! results it keeps, but it repeats those that depend on a change.

#![allow(clippy::unwrap_used)]

use std::{sync::Arc, time::Duration};

use loopwright_api::{Answer, App, ApprovalPolicy, Focus, RunStatus};
use loopwright_records as records;
use loopwright_runs as runs;
use loopwright_runs::{
    Code, FieldEdit, ForkOptions, NewBudget, ResumeOptions, RunOptions, RunOutcome,
};
use serde_json::{Map, Value, json};
use server::{Server, edge, options};

use crate::server;

fn input(name: &str, default: Value) -> Value {
    json!({ "id": name, "type": "input", "data": { "name": name, "dataType": "json", "default": default } })
}

fn ask(id: &str, prompt: &str) -> Value {
    json!({ "id": id, "type": "llm", "data": { "model": "gpt-4o-mini", "maxTokens": 100, "prompt": prompt } })
}

fn output(id: &str) -> Value {
    json!({ "id": id, "type": "output", "data": { "name": id } })
}

fn flow(nodes: Vec<Value>, edges: Vec<Value>) -> Value {
    json!({ "schemaVersion": 1, "name": "forked", "nodes": nodes, "edges": edges })
}

/// Returns a flow in which `a` reads the text through a wire and the tone without one, and `b` reads only the text. Both
/// call the model.
fn reads_without_a_wire() -> Value {
    flow(
        vec![
            input("text", json!("go")),
            input("tone", json!("calm")),
            ask("a", "{{ input }} {{ run.inputs.tone }}"),
            ask("b", "plain {{ input }}"),
            output("one"),
            output("two"),
            output("used"),
        ],
        vec![
            edge("1", "text", "value", "a"),
            edge("2", "text", "value", "b"),
            edge("3", "a", "response", "one"),
            edge("4", "b", "response", "two"),
            edge("5", "tone", "value", "used"),
        ],
    )
}

/// Returns a flow with a loop whose body reads an input without a wire, and with a call outside the loop.
fn loop_reads_without_a_wire() -> Value {
    flow(
        vec![
            input("text", json!("go")),
            input("tone", json!("calm")),
            json!({ "id": "loop", "type": "loop", "data": { "maxIterations": 2 } }),
            ask("first", "{{ input }}"),
            ask("step", "{{ input }} {{ run.inputs.tone }}"),
            json!({ "id": "exit", "type": "exit", "data": {} }),
            output("result"),
            output("used"),
        ],
        vec![
            edge("1", "text", "value", "loop"),
            edge("2", "loop", "body", "first"),
            edge("3", "first", "response", "step"),
            edge("4", "step", "response", "exit"),
            edge("5", "exit", "output", "result"),
            edge("6", "tone", "value", "used"),
        ],
    )
}

async fn run(app: &Arc<App>, document: Value) -> RunOutcome {
    let started = runs::start_run(app.env(), options(document)).unwrap();
    started.finished.await.unwrap().unwrap()
}

fn forking(run_id: &str, at: &str) -> ForkOptions {
    ForkOptions {
        run_id: run_id.to_owned(),
        at: at.to_owned(),
        document: None,
        edits: Vec::new(),
        value: None,
        budget_usd: None,
        pins: None,
        until: None,
        approve: ApprovalPolicy::Ask,
        events: Arc::new(|_| {}),
    }
}

async fn fork(app: &Arc<App>, options: ForkOptions) -> RunOutcome {
    let started = runs::fork_run(app.env(), options).unwrap();
    started.finished.await.unwrap().unwrap()
}

/// Forks a run at an input, and gives that input a new value.
async fn given(app: &Arc<App>, run: &RunOutcome, at: &str, value: Value) -> RunOutcome {
    let value = Some(value);
    let options = forking(&run.run_id, at);
    fork(app, ForkOptions { value, ..options }).await
}

/// Opens a program on a new data folder and runs `document` to its end. Returns the folder, the program and the outcome.
async fn after(server: &Server, document: Value) -> (tempfile::TempDir, Arc<App>, RunOutcome) {
    let folder = tempfile::tempdir().unwrap();
    let app = server.app(folder.path());
    let first = run(&app, document).await;
    (folder, app, first)
}

fn outputs(outcome: &RunOutcome) -> Value {
    outcome
        .state
        .outputs
        .clone()
        .map_or(Value::Null, Value::from)
}

fn replays(app: &Arc<App>, outcome: &RunOutcome) {
    let replayed = runs::replay_run(app.env(), &outcome.run_id, |_| {}).unwrap();
    assert_eq!(replayed.status, outcome.status);
    assert_eq!(replayed.outputs, outputs(outcome));
}

#[tokio::test(flavor = "multi_thread")]
async fn another_input_reaches_who_reads_it_without_a_wire() {
    let server = Server::echoing(Duration::ZERO, 5).await;
    let (_folder, app, first) = after(&server, reads_without_a_wire()).await;
    assert_eq!(server.calls(), 2);
    let forked = given(&app, &first, "tone", json!("loud")).await;
    assert_eq!(
        outputs(&forked),
        json!({ "one": "re: go loud", "two": "re: plain go", "used": "loud" })
    );
    // `b` does not depend on the tone, so its call is not repeated.
    assert_eq!(server.calls(), 3);
    replays(&app, &forked);

    // A fork of the fork, at the other input, repeats both calls and keeps the new tone.
    let again = given(&app, &forked, "text", json!("stop")).await;
    assert_eq!(
        outputs(&again),
        json!({ "one": "re: stop loud", "two": "re: plain stop", "used": "loud" })
    );
    assert_eq!(server.calls(), 5);
    replays(&app, &again);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_loop_that_reads_another_input_keeps_what_came_before_the_reading() {
    let server = Server::echoing(Duration::ZERO, 5).await;
    let (_folder, app, first) = after(&server, loop_reads_without_a_wire()).await;
    assert_eq!(server.calls(), 4);
    let forked = given(&app, &first, "tone", json!("loud")).await;
    assert_eq!(
        outputs(&forked),
        json!({ "result": "re: re: re: re: go loud loud", "used": "loud" })
    );
    // The call of `first` in iteration 1 is kept. All later calls are made again.
    assert_eq!(server.calls(), 7);
    replays(&app, &forked);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edited_prompt_behind_a_kept_call_asks_for_the_rest_alone() {
    let server = Server::echoing(Duration::ZERO, 5).await;
    let (_folder, app, first) = after(&server, loop_reads_without_a_wire()).await;
    let place = runs::fork_place(app.env(), &first.run_id, "loop[2]/step").unwrap();
    assert_eq!((place.kept.calls, place.rest.calls), (3, 1));
    let forked = fork(
        &app,
        ForkOptions {
            edits: vec![FieldEdit {
                node: "step".to_owned(),
                field: "prompt".to_owned(),
                value: json!("{{ input }}!"),
            }],
            ..forking(&first.run_id, "loop[2]/step")
        },
    )
    .await;
    assert_eq!(
        outputs(&forked)["result"],
        json!("re: re: re: re: go calm!")
    );
    assert_eq!(server.calls(), 5);
    // The original run is unchanged.
    assert_eq!(
        records::run_detail(app.env(), &first.run_id)
            .unwrap()
            .outputs,
        outputs(&first)
    );
    replays(&app, &first);
    replays(&app, &forked);

    let compared = records::compare_runs(app.env(), &first.run_id, &forked.run_id).unwrap();
    assert_eq!(compared.forked_at.as_deref(), Some("loop[2]/step"));
    assert_eq!(compared.settings.len(), 1);
    assert!(compared.structure.is_empty());
    let step =
        records::compare_step(app.env(), &first.run_id, &forked.run_id, "loop[2]/step").unwrap();
    assert_ne!(step.a, step.b);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_with_a_changed_prompt_is_repeated_though_its_wires_are_the_same() {
    let server = Server::echoing(Duration::ZERO, 5).await;
    let folder = tempfile::tempdir().unwrap();
    let app = server.app(folder.path());
    let before = flow(
        vec![
            input("text", json!("go")),
            ask("a", "{{ input }}"),
            ask("b", "{{ input }}"),
            output("result"),
        ],
        vec![
            edge("1", "text", "value", "a"),
            edge("2", "a", "response", "b"),
            edge("3", "b", "response", "result"),
        ],
    );
    let first = run(&app, before.clone()).await;
    assert_eq!(server.calls(), 2);
    // A node that is added at the end changes the structure of the flow, and `a` reads one more name.
    let mut after = before;
    after["nodes"][1]["data"]["prompt"] = json!("{{ input }} {{ run.inputs.text }}");
    after["nodes"].as_array_mut().unwrap().push(output("more"));
    after["edges"]
        .as_array_mut()
        .unwrap()
        .push(edge("4", "text", "value", "more"));
    let options = |at: &str| ForkOptions {
        document: Some(after.clone()),
        ..forking(&first.run_id, at)
    };
    // If the fork starts at `b`, the result of `a` would have to be kept, but it was the answer to another prompt.
    let refused = runs::fork_run(app.env(), options("b")).err().unwrap();
    assert_eq!(refused.code, Code::InvalidArgument);
    assert_eq!(server.calls(), 2);
    let forked = fork(&app, options("a")).await;
    assert_eq!(outputs(&forked)["result"], json!("re: re: go go"));
    assert_eq!(server.calls(), 4);
    replays(&app, &forked);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_was_given_is_kept_and_one_behind_the_place_is_asked_for_again() {
    let server = Server::echoing(Duration::ZERO, 5).await;
    let folder = tempfile::tempdir().unwrap();
    let app = server.app(folder.path());
    let document = flow(
        vec![
            input("text", json!("go")),
            json!({ "id": "check", "type": "approval", "data": { "message": "Good?" } }),
            ask("a", "{{ input }}"),
            output("result"),
        ],
        vec![
            edge("1", "text", "value", "check"),
            edge("2", "check", "approved", "a"),
            edge("3", "a", "response", "result"),
        ],
    );
    let waits = run(&app, document).await;
    assert_eq!(waits.status, RunStatus::Waiting);
    let answer = |run_id: &str| ResumeOptions {
        run_id: run_id.to_owned(),
        answer: Some((
            "check".to_owned(),
            Answer {
                approved: true,
                value: Some(json!("edited")),
                ..Default::default()
            },
        )),
        budget: None,
        approve: ApprovalPolicy::Ask,
        events: Arc::new(|_| {}),
    };
    let started = runs::resume_run(app.env(), answer(&waits.run_id)).unwrap();
    let done = started.finished.await.unwrap().unwrap();
    assert_eq!(outputs(&done), json!({ "result": "re: edited" }));

    let behind = fork(&app, forking(&done.run_id, "a")).await;
    assert_eq!(behind.status, RunStatus::Completed);
    assert_eq!((outputs(&behind), server.calls()), (outputs(&done), 2));
    replays(&app, &behind);

    let before = fork(&app, forking(&done.run_id, "text")).await;
    assert_eq!(before.status, RunStatus::Waiting);
    let started = runs::resume_run(app.env(), answer(&before.run_id)).unwrap();
    let before = started.finished.await.unwrap().unwrap();
    assert_eq!(outputs(&before), outputs(&done));
    replays(&app, &before);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_fork_keeps_counts_as_spent_of_its_budget_and_is_not_paid_again() {
    let server = Server::echoing(Duration::ZERO, 50).await;
    let (_folder, app, first) = after(&server, loop_reads_without_a_wire()).await;
    // The kept part cost 64 micro-dollars. The budget allows one more call of at most 93 micro-dollars, but not two.
    let stopped = fork(
        &app,
        ForkOptions {
            budget_usd: Some(0.000_16),
            ..forking(&first.run_id, "loop[2]")
        },
    )
    .await;
    assert_eq!(stopped.status, RunStatus::Failed);
    assert_eq!(
        stopped.state.error.as_ref().unwrap().code,
        "budget_exceeded"
    );
    assert_eq!(server.calls(), 5);
    replays(&app, &stopped);
    let fits = fork(
        &app,
        ForkOptions {
            budget_usd: Some(0.01),
            ..forking(&first.run_id, "loop[2]")
        },
    )
    .await;
    assert_eq!((fits.status, server.calls()), (RunStatus::Completed, 7));
    assert_eq!(outputs(&fits), outputs(&first));
    replays(&app, &fits);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pinned_value_stands_for_its_node_in_lists_and_subflows_and_costs_nothing() {
    let server = Server::echoing(Duration::ZERO, 5).await;
    let folder = tempfile::tempdir().unwrap();
    let app = server.app(folder.path());
    let inner = flow(
        vec![
            input("text", json!("inner")),
            ask("deep", "{{ input }}"),
            output("said"),
        ],
        vec![
            edge("1", "text", "value", "deep"),
            edge("2", "deep", "response", "said"),
        ],
    );
    let document = flow(
        vec![
            input("list", json!(["a", "b"])),
            json!({ "id": "each", "type": "iterator", "data": {} }),
            ask("one", "{{ item }}"),
            json!({ "id": "all", "type": "aggregator", "data": {} }),
            json!({ "id": "sub", "type": "subflow", "data": { "flow": inner } }),
            output("result"),
            output("said"),
        ],
        vec![
            edge("1", "list", "value", "each"),
            edge("2", "each", "item", "one"),
            edge("3", "one", "response", "all"),
            edge("4", "all", "results", "result"),
            edge("5", "list", "value", "sub"),
            edge("6", "sub", "said", "said"),
        ],
    );
    let pinned = |pins: Value, until: Option<&str>| RunOptions {
        focus: Focus {
            pins: pins.as_object().cloned().unwrap(),
            until: until.map(str::to_owned),
        },
        ..options(document.clone())
    };
    let started = runs::start_run(
        app.env(),
        pinned(json!({ "one": "P", "sub": { "said": "S" } }), None),
    )
    .unwrap();
    let done = started.finished.await.unwrap().unwrap();
    assert_eq!(done.status, RunStatus::Completed, "{:?}", done.state.error);
    assert_eq!(outputs(&done)["result"], json!(["P", "P"]));
    assert_eq!(server.calls(), 0);
    replays(&app, &done);

    // The run ends at the Aggregator, before the subflow.
    let started = runs::start_run(app.env(), pinned(json!({}), Some("all"))).unwrap();
    let done = started.finished.await.unwrap().unwrap();
    assert_eq!((done.status, server.calls()), (RunStatus::Completed, 2));
    replays(&app, &done);

    let refused = runs::start_run(app.env(), pinned(json!({}), Some("nowhere"))).err();
    assert_eq!(refused.unwrap().code, Code::InvalidArgument);
}

#[tokio::test]
async fn one_item_after_the_other_is_forked_and_the_rest_of_the_list_is_kept() {
    let server = Server::echoing(Duration::ZERO, 5).await;
    let document = flow(
        vec![
            input("list", json!(["a", "b", "c", "d"])),
            json!({ "id": "each", "type": "iterator", "data": { "concurrency": 2 } }),
            ask("one", "{{ item }}"),
            json!({ "id": "all", "type": "aggregator", "data": {} }),
            output("result"),
        ],
        vec![
            edge("1", "list", "value", "each"),
            edge("2", "each", "item", "one"),
            edge("3", "one", "response", "all"),
            edge("4", "all", "results", "result"),
        ],
    );
    let (_folder, app, mut last) = after(&server, document).await;
    let mut wanted = outputs(&last)["result"].clone();
    // Forks after, before and at the places of earlier forks.
    for (calls, item) in [(5, 1), (6, 3), (7, 2), (8, 3)] {
        let value = json!(format!("another {item}"));
        last = given(&app, &last, &format!("each[{item}]"), value.clone()).await;
        assert_eq!(last.status, RunStatus::Completed, "{:?}", last.state.error);
        assert_eq!(server.calls(), calls);
        let result = outputs(&last)["result"].clone();
        let answer = result[item - 1].as_str().unwrap();
        assert!(answer.contains(value.as_str().unwrap()), "{answer}");
        wanted[item - 1] = json!(answer);
        assert_eq!(result, wanted);
        replays(&app, &last);
    }
}

/// Returns a flow with a subflow that has a loop. The nodes in the subflow have the same ids as nodes of other kinds outside
/// it.
fn subflow_of_the_same_ids() -> Value {
    let inner = flow(
        vec![
            input("text", json!("inner")),
            json!({ "id": "both", "type": "loop", "data": { "maxIterations": 2 } }),
            ask("step", "{{ input }}"),
            json!({ "id": "exit", "type": "exit", "data": {} }),
            output("said"),
        ],
        vec![
            edge("1", "text", "value", "both"),
            edge("2", "both", "body", "step"),
            edge("3", "step", "response", "exit"),
            edge("4", "exit", "output", "said"),
        ],
    );
    flow(
        vec![
            input("text", json!("go")),
            json!({ "id": "sub", "type": "subflow", "data": { "flow": inner } }),
            json!({ "id": "step", "type": "router", "data": { "mode": "rules", "branches": [{ "name": "on", "when": "true" }] } }),
            json!({ "id": "both", "type": "transform", "data": { "template": "[{{ input }}] {{ run.inputs.text }}" } }),
            output("said"),
        ],
        vec![
            edge("1", "text", "value", "sub"),
            edge("2", "sub", "said", "step"),
            edge("3", "step", "on", "both"),
            edge("4", "both", "output", "said"),
        ],
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn a_place_in_a_subflow_is_found_by_its_path_and_not_by_its_id() {
    let server = Server::echoing(Duration::ZERO, 5).await;
    let (_folder, app, first) = after(&server, subflow_of_the_same_ids()).await;
    assert_eq!(outputs(&first), json!({ "said": "[re: re: go] go" }));
    for (at, value, calls, said) in [
        ("sub/both[2]/step", "V", 0, "[V] go"),
        ("sub/both[2]", "V", 1, "[re: V] go"),
        ("sub/both[1]/step", "V", 1, "[re: V] go"),
        ("sub/said", "V", 0, "[V] go"),
        // A fork at the input of the subflow, which has the same name as an input of the run.
        ("sub/text", "V", 2, "[re: re: V] go"),
        ("text", "V", 2, "[re: re: V] V"),
    ] {
        let before = server.calls();
        let forked = given(&app, &first, at, json!(value)).await;
        assert_eq!(outputs(&forked), json!({ "said": said }), "{at}");
        assert_eq!(server.calls() - before, calls, "{at}");
        replays(&app, &forked);
    }

    let edit = FieldEdit {
        node: "sub/both".to_owned(),
        field: "maxIterations".to_owned(),
        value: json!(3),
    };
    let edits = vec![edit];
    let options = forking(&first.run_id, "sub/both[3]");
    let forked = fork(&app, ForkOptions { edits, ..options }).await;
    assert_eq!(outputs(&forked), json!({ "said": "[re: re: re: go] go" }));
    replays(&app, &forked);

    // A changed setting inside a subflow applies from the fork point on. Everything before that point is kept.
    let edit = FieldEdit {
        node: "sub/step".to_owned(),
        field: "prompt".to_owned(),
        value: json!("new {{ input }}"),
    };
    let edits = vec![edit];
    let options = forking(&first.run_id, "sub/both[2]/step");
    let before = server.calls();
    let changed = fork(&app, ForkOptions { edits, ..options }).await;
    assert_eq!(outputs(&changed), json!({ "said": "[re: new re: go] go" }));
    assert_eq!(server.calls() - before, 1);
    replays(&app, &changed);
    let compared = records::compare_runs(app.env(), &first.run_id, &changed.run_id).unwrap();
    let changed: Vec<_> = compared
        .settings
        .iter()
        .map(|field| (field.node.as_deref(), field.field.as_str()))
        .collect();
    assert_eq!(changed, [(Some("sub/step"), "prompt")]);

    // A fork of that fork, at a place that exists only in that fork.
    let again = given(&app, &forked, "sub/both[3]/step", json!("W")).await;
    assert_eq!(outputs(&again), json!({ "said": "[W] go" }));
    replays(&app, &again);
}

#[tokio::test]
async fn what_a_subflow_can_cost_is_added_up_with_its_attempts() {
    let server = Server::echoing(Duration::ZERO, 5).await;
    let folder = tempfile::tempdir().unwrap();
    let app = server.app(folder.path());
    let inner = flow(
        vec![
            input("text", json!(null)),
            json!({ "id": "loop", "type": "loop", "data": { "maxIterations": 3 } }),
            ask("deep", "{{ input }}"),
            json!({ "id": "exit", "type": "exit", "data": {} }),
            output("said"),
        ],
        vec![
            edge("1", "text", "value", "loop"),
            edge("2", "loop", "body", "deep"),
            edge("3", "deep", "response", "exit"),
            edge("4", "exit", "output", "said"),
        ],
    );
    let around = |inner: Value, retries: u32| {
        flow(
            vec![
                input("text", json!("four")),
                json!({ "id": "sub", "type": "subflow", "data": { "flow": inner, "retry": { "type": "fixed", "count": retries, "interval": "PT0S" } } }),
                ask("more", "{{ input }}"),
                output("said"),
            ],
            vec![
                json!({ "id": "1", "source": "text", "sourceHandle": "value", "target": "sub", "targetHandle": "text" }),
                edge("2", "sub", "said", "more"),
                edge("3", "more", "response", "said"),
            ],
        )
    };
    let estimate =
        |document: Value| runs::estimate(app.env(), document, None, &Map::new()).unwrap();
    let once = estimate(around(inner.clone(), 0));
    assert_eq!(once.max_calls, Some(4), "{:?}", once.unknown);
    assert_eq!(estimate(around(inner.clone(), 2)).max_calls, Some(10));
    assert!(once.max_usd.unwrap() > 0.0 && once.max_tokens.unwrap() > 400);
    // The call in a subflow of a subflow is also counted.
    assert_eq!(estimate(around(around(inner, 0), 0)).max_calls, Some(5));
}

/// Returns a loop that calls the built-in critic and ends when its own budget is exhausted. With `outer`, that loop is within
/// another one.
fn ends_by_budget(outer: bool) -> Value {
    let mut nodes = vec![
        input("text", json!("go")),
        json!({ "id": "lo", "type": "loop", "data": { "maxIterations": 9, "limits": { "budgetTokens": 80 } } }),
        json!({ "id": "d", "type": "llm", "data": { "builtin": "critic", "prompt": "x", "maxTokens": 40 } }),
        json!({ "id": "ex", "type": "exit", "data": {} }),
        json!({ "id": "after", "type": "transform", "data": { "template": "A {{ input }}" } }),
        output("out"),
    ];
    let mut edges = vec![
        edge("2", "lo", "body", "d"),
        edge("3", "d", "response", "ex"),
        edge("4", "ex", "output", "after"),
    ];
    if outer {
        nodes.push(json!({ "id": "ol", "type": "loop", "data": { "maxIterations": 2 } }));
        nodes.push(json!({ "id": "oex", "type": "exit", "data": {} }));
        edges.extend([
            edge("1", "text", "value", "ol"),
            edge("1b", "ol", "body", "lo"),
            edge("5", "after", "output", "oex"),
            edge("6", "oex", "output", "out"),
        ]);
    } else {
        edges.extend([
            edge("1", "text", "value", "lo"),
            edge("5", "after", "output", "out"),
        ]);
    }
    let mut document = flow(nodes, edges);
    document["settings"] = json!({ "allowNestedLoops": true });
    document
}

#[tokio::test]
async fn a_run_is_forked_behind_a_loop_that_its_budget_ended() {
    for (outer, places) in [
        (false, vec!["after", "lo[2]/d", "out"]),
        (
            true,
            vec![
                "ol[1]/after",
                "ol[2]",
                "ol[2]/lo[1]/d",
                "ol[2]/after",
                "out",
            ],
        ),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let app = App::open(folder.path(), tokio::runtime::Handle::current()).unwrap();
        let document = ends_by_budget(outer);
        let first = run(&app, document).await;
        assert_eq!(
            first.status,
            RunStatus::Completed,
            "{:?}",
            first.state.error
        );
        let loops = records::run_loops(app.env(), &first.run_id)
            .unwrap()
            .to_string();
        assert!(loops.contains("budget_exceeded"), "{loops}");
        for at in places {
            let forked = fork(&app, forking(&first.run_id, at)).await;
            assert_eq!(
                forked.status,
                RunStatus::Completed,
                "{at}: {:?}",
                forked.state.error
            );
            assert_eq!(forked.state.outputs, first.state.outputs, "{at}");
            replays(&app, &forked);
            // A fork of the fork reads the end of the loop from the new journal.
            let again = fork(&app, forking(&forked.run_id, at)).await;
            assert_eq!(again.state.outputs, first.state.outputs, "{at}, again");
        }
    }
}

#[tokio::test]
async fn a_fork_keeps_the_budget_that_its_run_was_given_last() {
    let folder = tempfile::tempdir().unwrap();
    let app = App::open(folder.path(), tokio::runtime::Handle::current()).unwrap();
    let mut document = ends_by_budget(false);
    document["nodes"][1]["data"] = json!({ "maxIterations": 5 });
    document["settings"] = json!({ "budget": { "tokens": 80 } });
    let stopped = run(&app, document).await;
    assert_eq!(stopped.status, RunStatus::Failed);
    let resumed = runs::resume_run(
        app.env(),
        ResumeOptions {
            run_id: stopped.run_id,
            answer: None,
            budget: Some(NewBudget {
                usd: None,
                tokens: Some(5_000),
            }),
            approve: ApprovalPolicy::Ask,
            events: Arc::new(|_| {}),
        },
    )
    .unwrap();
    let whole = resumed.finished.await.unwrap().unwrap();
    assert_eq!(
        whole.status,
        RunStatus::Completed,
        "{:?}",
        whole.state.error
    );
    let forked = fork(&app, forking(&whole.run_id, "lo[4]/d")).await;
    assert_eq!(
        forked.status,
        RunStatus::Completed,
        "{:?}",
        forked.state.error
    );
    assert_eq!(outputs(&forked), outputs(&whole));
    replays(&app, &forked);
}
