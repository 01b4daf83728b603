//! Budgets with a server on a real socket: 64 simultaneous calls to a server that counts them, a run that stops at its budget
//! and continues with a larger one, and a run that is paused.

#![allow(clippy::unwrap_used)]

use std::{sync::Arc, time::Duration};

use loopwright_api as api;
use loopwright_api::{App, ApprovalPolicy, EventBody, RunStatus};
use loopwright_records as records;
use loopwright_runs as runs;
use loopwright_runs::{Code, NewBudget, ResumeOptions, RunOptions, RunOutcome, Settings, Started};
use serde_json::{Value, json};
use server::{Server, edge, options};

use crate::server;

/// Returns a flow of 64 simultaneous calls of at most 100 tokens each. The maximum cost of a call is 60 micro-dollars plus the
/// input.
fn sixty_four(usd: f64) -> Value {
    json!({
        "schemaVersion": 1, "name": "many", "settings": { "concurrency": 64, "budget": { "usd": usd } },
        "nodes": [
            { "id": "in", "type": "input", "data": { "name": "list", "dataType": "json", "default": (0..64).collect::<Vec<_>>() } },
            { "id": "each", "type": "iterator", "data": { "concurrency": 64 } },
            { "id": "ask", "type": "llm", "data": { "model": "gpt-4o-mini", "maxTokens": 100, "prompt": "{{ item }}" } },
            { "id": "all", "type": "aggregator", "data": {} },
            { "id": "out", "type": "output", "data": { "name": "result" } }
        ],
        "edges": [edge("1", "in", "value", "each"), edge("2", "each", "item", "ask"), edge("3", "ask", "response", "all"), edge("4", "all", "results", "out")]
    })
}

/// Returns a flow of three consecutive calls.
fn three(usd: Option<f64>) -> Value {
    let ask = |id: &str| json!({ "id": id, "type": "llm", "data": { "model": "gpt-4o-mini", "maxTokens": 100 } });
    json!({
        "schemaVersion": 1, "name": "three", "settings": { "budget": { "usd": usd } },
        "nodes": [
            { "id": "in", "type": "input", "data": { "name": "text", "default": "go" } },
            ask("a"), ask("b"), ask("c"),
            { "id": "out", "type": "output", "data": { "name": "result" } }
        ],
        "edges": [edge("1", "in", "value", "a"), edge("2", "a", "response", "b"), edge("3", "b", "response", "c"), edge("4", "c", "response", "out")]
    })
}

/// Returns a loop of nine calls, each with the token limit `max_tokens`. The loop has its own budget.
fn loop_of_nine(limits: Value, max_tokens: Value) -> Value {
    json!({
        "schemaVersion": 1, "name": "nine",
        "nodes": [
            { "id": "in", "type": "input", "data": { "name": "text", "default": "go" } },
            { "id": "loop", "type": "loop", "data": { "maxIterations": 9, "limits": limits } },
            { "id": "ask", "type": "llm", "data": { "model": "gpt-4o-mini", "maxTokens": max_tokens } },
            { "id": "exit", "type": "exit", "data": {} },
            { "id": "out", "type": "output", "data": { "name": "result" } }
        ],
        "edges": [edge("1", "in", "value", "loop"), edge("2", "loop", "body", "ask"), edge("3", "ask", "response", "exit"), edge("4", "exit", "output", "out")]
    })
}

/// Starts the flow of three calls and waits until the second call is in progress.
async fn second_of_three(app: &Arc<App>) -> Started {
    let (began, mut begins) = tokio::sync::mpsc::unbounded_channel();
    let started = runs::start_run(
        app.env(),
        RunOptions {
            events: Arc::new(move |event| {
                if event.path == "b" && matches!(event.body, EventBody::NodeStarted { .. }) {
                    began.send(()).unwrap();
                }
            }),
            ..options(three(Some(1.0)))
        },
    )
    .unwrap();
    begins.recv().await.unwrap();
    started
}

async fn run(app: &Arc<App>, document: Value) -> RunOutcome {
    let started = runs::start_run(app.env(), options(document)).unwrap();
    started.finished.await.unwrap().unwrap()
}

fn resuming(run_id: &str, usd: Option<f64>) -> ResumeOptions {
    ResumeOptions {
        run_id: run_id.to_owned(),
        answer: None,
        budget: usd.map(|usd| NewBudget {
            usd: Some(usd),
            tokens: None,
        }),
        approve: ApprovalPolicy::Ask,
        events: Arc::new(|_| {}),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn of_sixty_four_calls_at_once_one_is_made_where_there_is_room_for_one() {
    let server = Server::echoing(Duration::from_millis(200), 100).await;
    let folder = tempfile::tempdir().unwrap();
    let app = server.app(folder.path());
    let outcome = run(&app, sixty_four(0.000_12)).await;
    assert_eq!(server.calls(), 1);
    assert_eq!(outcome.status, RunStatus::Failed);
    assert_eq!(outcome.state.error.unwrap().code, "budget_exceeded");
    let budget = outcome.state.budget.unwrap();
    // The cost of the call: 10 tokens at $0.15 and 100 at $0.60 per million, rounded up.
    assert_eq!((budget.spent_microusd, budget.reserved_microusd), (62, 0));
    assert!(outcome.state.over_budget);

    // The new budget is large enough for all calls. Each of them is made once.
    let started = runs::resume_run(app.env(), resuming(&outcome.run_id, Some(1.0))).unwrap();
    let outcome = started.finished.await.unwrap().unwrap();
    assert_eq!(outcome.status, RunStatus::Completed);
    assert_eq!(server.calls(), 64);
    assert_eq!(outcome.state.usage.calls, 64);
    assert_eq!(outcome.state.usage.cost_microusd, 64 * 62);
    assert_eq!(outcome.state.budget.unwrap().spent_microusd, 64 * 62);
    let mut prompts = server.prompts();
    prompts.sort();
    prompts.dedup();
    assert_eq!(prompts.len(), 64);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_stopped_at_its_budget_continues_there() {
    let server = Server::echoing(Duration::ZERO, 50).await;
    let folder = tempfile::tempdir().unwrap();
    let app = server.app(folder.path());
    let outcome = run(&app, three(Some(0.000_15))).await;
    assert_eq!((outcome.status, server.calls()), (RunStatus::Failed, 2));
    let detail = records::run_detail(app.env(), &outcome.run_id).unwrap();
    assert!(detail.over_budget);
    assert_eq!(detail.budget.unwrap().budget_usd, Some(0.000_15));

    // Without a larger budget, or with one that is already spent, the run does not change.
    for usd in [None, Some(0.000_01)] {
        let refused = runs::resume_run(app.env(), resuming(&outcome.run_id, usd))
            .err()
            .unwrap();
        assert_eq!(refused.code, Code::InvalidArgument);
    }
    // A budget that is still too small stops the run at the same place.
    let started = runs::resume_run(app.env(), resuming(&outcome.run_id, Some(0.000_151))).unwrap();
    let again = started.finished.await.unwrap().unwrap();
    assert_eq!((again.status, server.calls()), (RunStatus::Failed, 2));

    // A restarted program also continues the run.
    let app = server.app(folder.path());
    let started = runs::resume_run(app.env(), resuming(&outcome.run_id, Some(0.01))).unwrap();
    let done = started.finished.await.unwrap().unwrap();
    assert_eq!(done.status, RunStatus::Completed);
    assert_eq!(server.calls(), 3);
    assert_eq!(
        done.state.outputs.clone().map(Value::from),
        Some(json!({ "result": "re: re: re: go" }))
    );
    assert!(done.state.error.is_none() && !done.state.over_budget);
    assert!(runs::resume_run(app.env(), resuming(&outcome.run_id, Some(1.0))).is_err());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_budget_of_the_settings_holds_where_a_flow_names_none() {
    let server = Server::echoing(Duration::ZERO, 50).await;
    let folder = tempfile::tempdir().unwrap();
    let app = server.app(folder.path());
    api::save_settings(
        app.env(),
        Settings {
            budget_usd: Some(0.000_15),
            ..app.env().settings()
        },
    )
    .unwrap();
    let mut document = three(None);
    document["settings"]["budget"] = Value::Null;
    let outcome = run(&app, document).await;
    assert_eq!((outcome.status, server.calls()), (RunStatus::Failed, 2));
    let outcome = run(&app, three(Some(1.0))).await;
    assert_eq!((outcome.status, server.calls()), (RunStatus::Completed, 5));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_paused_run_ends_its_step_and_continues_after_a_restart() {
    let server = Server::echoing(Duration::from_millis(300), 50).await;
    let folder = tempfile::tempdir().unwrap();
    let app = server.app(folder.path());
    let started = second_of_three(&app).await;
    runs::pause_run(app.env(), &started.run_id).unwrap();
    let rests = started.finished.await.unwrap().unwrap();
    assert_eq!((rests.status, server.calls()), (RunStatus::Paused, 2));
    assert_eq!(
        records::runs(app.env(), 10, 0).unwrap()[0].status,
        RunStatus::Paused
    );
    assert!(runs::pause_run(app.env(), &rests.run_id).is_ok());

    let app = server.app(folder.path());
    assert_eq!(
        records::runs(app.env(), 10, 0).unwrap()[0].status,
        RunStatus::Paused
    );
    let started = runs::resume_run(app.env(), resuming(&rests.run_id, None)).unwrap();
    let done = started.finished.await.unwrap().unwrap();
    assert_eq!((done.status, server.calls()), (RunStatus::Completed, 3));
    assert!(done.state.warnings.is_empty(), "{:?}", done.state.warnings);
    assert!(runs::pause_run(app.env(), &done.run_id).is_err());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_paused_run_can_be_stopped() {
    let server = Server::echoing(Duration::from_millis(300), 50).await;
    let folder = tempfile::tempdir().unwrap();
    let app = server.app(folder.path());
    let started = runs::start_run(app.env(), options(three(None))).unwrap();
    runs::pause_run(app.env(), &started.run_id).unwrap();
    let rests = started.finished.await.unwrap().unwrap();
    assert_eq!(rests.status, RunStatus::Paused);
    runs::stop_run(app.env(), &rests.run_id).unwrap();
    assert_eq!(
        records::runs(app.env(), 10, 0).unwrap()[0].status,
        RunStatus::Cancelled
    );
}

#[tokio::test]
async fn the_most_that_a_run_can_cost_heeds_the_budget_of_a_loop() {
    let server = Server::echoing(Duration::ZERO, 5).await;
    let folder = tempfile::tempdir().unwrap();
    let app = server.app(folder.path());
    let most = |document: &Value| {
        runs::estimate(app.env(), document.clone(), None, &serde_json::Map::new()).unwrap()
    };
    let free = most(&loop_of_nine(json!({}), json!(100)));
    let (usd, tokens) = (free.max_usd.unwrap(), free.max_tokens.unwrap());
    let half = usd / 2.0;
    let bounded = loop_of_nine(json!({ "budgetUsd": half }), json!(100));
    let estimate = most(&bounded);
    assert!(half - estimate.max_usd.unwrap() < 0.000_001 && estimate.max_usd.unwrap() <= half);
    assert_eq!(estimate.max_tokens, Some(tokens));
    let ample = most(&loop_of_nine(json!({ "budgetUsd": usd * 2.0 }), json!(100)));
    assert_eq!(ample.max_usd, Some(usd));
    let few = most(&loop_of_nine(json!({ "budgetTokens": 50 }), json!(100)));
    assert_eq!((few.max_usd, few.max_tokens), (Some(usd), Some(50)));

    // A call without a limit for its answer is refused at the budget and costs nothing.
    let unbounded = loop_of_nine(json!({ "budgetUsd": 0.5 }), Value::Null);
    let estimate = most(&unbounded);
    assert_eq!(
        (estimate.max_usd, estimate.unknown.as_slice()),
        (Some(0.5), &[][..])
    );
    assert_eq!(most(&loop_of_nine(json!({}), Value::Null)).max_usd, None);
    for document in [bounded, unbounded] {
        let limit = document["nodes"][1]["data"]["limits"]["budgetUsd"]
            .as_f64()
            .unwrap();
        let outcome = run(&app, document).await;
        assert!(
            outcome.state.usage.cost_microusd as f64 <= limit * 1e6 + 1.0,
            "{:?}",
            outcome.state.usage
        );
    }
}

#[tokio::test]
async fn what_a_template_can_cost_is_known_before_its_run() {
    let folder = tempfile::tempdir().unwrap();
    let app = App::open(folder.path(), tokio::runtime::Handle::current()).unwrap();
    let most = |provider: &str, model: &str, document: Value| {
        let nowhere = "http://127.0.0.1:9";
        api::save_settings(
            app.env(),
            Settings {
                provider: provider.to_owned(),
                model: Some(model.to_owned()),
                openai_base_url: Some(format!("{nowhere}/v1")),
                addresses: [("anthropic".to_owned(), nowhere.to_owned())].into(),
                ..Settings::default()
            },
        )
        .unwrap();
        runs::estimate(app.env(), document, None, &serde_json::Map::new()).unwrap()
    };
    for template in ["self-refine", "summarise-until-stable"] {
        let document = api::template(app.env(), template).unwrap().document;
        let estimate = most("openai", "gpt-4.1-mini", document);
        let usd = estimate.max_usd.unwrap_or_default();
        assert!(usd > 0.001 && usd < 0.2, "{template}: {estimate:?}");
    }
    // A call to Anthropic always has a token limit, so the cost of a node without `maxTokens` is bounded as well.
    let unlimited = loop_of_nine(json!({}), Value::Null);
    let mut document = unlimited.clone();
    document["nodes"][2]["data"]["model"] = json!("claude-opus-4-1");
    let estimate = most("anthropic", "claude-opus-4-1", document);
    let usd = estimate.max_usd.unwrap_or_default();
    assert!(usd > 9.0 * 4_096.0 * 75e-6, "{estimate:?}");
    let estimate = most("openai", "gpt-4o-mini", unlimited);
    assert_eq!(
        (estimate.max_usd, estimate.unknown.len()),
        (None, 1),
        "{estimate:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_is_left_breaks_off_its_call_and_is_resumed_behind_a_restart() {
    let server = Server::echoing(Duration::from_millis(400), 50).await;
    let folder = tempfile::tempdir().unwrap();
    let app = server.app(folder.path());
    let started = second_of_three(&app).await;
    let going = records::unfinished_runs(app.env()).unwrap();
    assert_eq!(going[0].run_id, started.run_id);
    runs::detach_all(app.env(), Duration::from_secs(3)).await;
    assert!(records::unfinished_runs(app.env()).unwrap().is_empty());
    assert_eq!(
        started.finished.await.unwrap().unwrap_err().code,
        Code::Busy
    );
    assert_eq!(
        records::runs(app.env(), 10, 0).unwrap()[0].status,
        RunStatus::Interrupted
    );

    let app = server.app(folder.path());
    let started = runs::resume_run(app.env(), resuming(&started.run_id, None)).unwrap();
    let done = started.finished.await.unwrap().unwrap();
    assert_eq!(done.status, RunStatus::Completed);
    // The first call is not repeated. The second one is repeated, because it was cut off.
    let steps = records::run_events(app.env(), &done.run_id).unwrap();
    let first = |event: &&loopwright_api::Event| {
        event.path == "a" && matches!(event.body, EventBody::NodeStarted { .. })
    };
    assert_eq!(steps.iter().filter(first).count(), 1);
    assert!(server.calls() <= 4, "{}", server.calls());
}
