//! Model calls are retried by default, and a run keeps the policy that it began with.

#![allow(clippy::unwrap_used)]

use std::{
    path::Path,
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use loopwright_api as api;
use loopwright_api::{App, ApprovalPolicy, Event, EventBody, RunStatus};
use loopwright_model::retry::usual_retry;
use loopwright_records as records;
use loopwright_runs as runs;
use loopwright_runs::{ForkOptions, ResumeOptions, RunOptions, RunOutcome, Settings};
use serde_json::{Value, json};
use server::{Server, edge, options, response};

use crate::server;

fn answer(text: &str) -> String {
    let body = json!({
        "id": "c", "model": "m", "choices": [{ "message": { "content": text }, "finish_reason": "stop" }],
        "usage": { "prompt_tokens": 10, "completion_tokens": 5 }
    });
    response("200 OK", "", &body.to_string())
}

fn refusal(status: &str, headers: &str) -> String {
    response(
        status,
        headers,
        r#"{"error":{"message":"Come back later."}}"#,
    )
}

/// Returns a flow of one call with these workflow settings.
fn one(settings: &Value) -> Value {
    json!({
        "schemaVersion": 1, "name": "one", "settings": settings,
        "nodes": [
            { "id": "in", "type": "input", "data": { "name": "text", "default": "go" } },
            { "id": "ask", "type": "llm", "data": { "model": "m" } },
            { "id": "out", "type": "output", "data": { "name": "result" } }
        ],
        "edges": [edge("1", "in", "value", "ask"), edge("2", "ask", "response", "out")]
    })
}

/// Returns the default retry policy, with pauses that are short enough for a test.
fn soon() -> Value {
    json!({ "retry": { "interval": "PT0.01S" } })
}

fn app(server: &Server, folder: &Path, retry_calls: bool) -> Arc<App> {
    let app = server.app(folder);
    api::save_settings(
        app.env(),
        Settings {
            retry_calls,
            ..app.env().settings()
        },
    )
    .unwrap();
    app
}

type Events = Arc<Mutex<Vec<Event>>>;

fn listening(document: Value) -> (RunOptions, Events) {
    let events: Events = Arc::default();
    let seen = Arc::clone(&events);
    let options = RunOptions {
        events: Arc::new(move |event| seen.lock().unwrap().push(event.clone())),
        ..options(document)
    };
    (options, events)
}

async fn run(app: &Arc<App>, document: Value) -> (RunOutcome, Vec<Event>) {
    let (options, events) = listening(document);
    let started = runs::start_run(app.env(), options).unwrap();
    let outcome = started.finished.await.unwrap().unwrap();
    let events = events.lock().unwrap().clone();
    (outcome, events)
}

/// Returns the failed attempts of a call: for each, the error code, the number of the attempt, and the maximum number
/// of attempts (`None` without a maximum).
fn tries(events: &[Event]) -> Vec<(String, u32, Option<u32>)> {
    let tried = |event: &Event| match &event.body {
        EventBody::NodeRetried {
            attempt,
            attempts,
            code,
            ..
        } => Some((code.clone(), *attempt, *attempts)),
        _ => None,
    };
    events.iter().filter_map(tried).collect()
}

fn error(outcome: &RunOutcome) -> String {
    outcome.state.error.as_ref().unwrap().message.clone()
}

async fn until(mut holds: impl FnMut() -> bool) {
    let began = Instant::now();
    while !holds() {
        assert!(began.elapsed() < Duration::from_secs(20), "it never held");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_survives_what_passes_and_keeps_its_policy_in_its_flow() {
    let server = Server::start(|_, number| match number {
        0 => refusal("429 Too Many Requests", "retry-after-ms: 20\r\n"),
        1 => refusal("500 Internal Server Error", ""),
        2 => refusal("529 Overloaded", ""),
        _ => answer("whole"),
    })
    .await;
    let folder = tempfile::tempdir().unwrap();
    let app = app(&server, folder.path(), true);
    let (outcome, events) = run(&app, one(&soon())).await;
    assert_eq!(outcome.status, RunStatus::Completed);
    let codes = ["http_429", "http_500", "http_529"];
    let expected: Vec<_> = (1..)
        .zip(codes)
        .map(|(number, code)| (code.to_owned(), number, Some(4)))
        .collect();
    assert_eq!(tries(&events), expected);
    // An attempt that the server refuses costs nothing, so only the last one is counted.
    assert_eq!(outcome.state.usage.calls, 1);
    let header = records::run_detail(app.env(), &outcome.run_id).unwrap();
    let mut policy = usual_retry();
    policy["interval"] = json!("PT0.01S");
    assert_eq!(header.document["settings"]["retry"], policy);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_last_failure_names_the_tries_before_it() {
    let server = Server::start(|_, number| match number {
        0 => refusal("429 Too Many Requests", ""),
        1 => refusal("502 Bad Gateway", ""),
        _ => refusal("503 Service Unavailable", ""),
    })
    .await;
    let folder = tempfile::tempdir().unwrap();
    let app = app(&server, folder.path(), true);
    let (outcome, _) = run(&app, one(&soon())).await;
    assert_eq!((outcome.status, server.calls()), (RunStatus::Failed, 4));
    let message = error(&outcome);
    assert!(message.contains("Come back later."), "{message}");
    assert!(
        message.contains(
            "It was tried 4 times; the earlier attempts failed with http_429, http_502 and http_503."
        ),
        "{message}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_long_wait_that_is_asked_for_ends_the_call_without_waits_for_quotas() {
    let server =
        Server::start(|_, _| refusal("429 Too Many Requests", "retry-after: 3600\r\n")).await;
    let folder = tempfile::tempdir().unwrap();
    let app = app(&server, folder.path(), true);
    let (outcome, _) = run(&app, one(&json!({ "quotaWait": "PT0S" }))).await;
    assert_eq!((outcome.status, server.calls()), (RunStatus::Failed, 1));
    let message = error(&outcome);
    assert!(message.contains("Come back later."), "{message}");
    assert!(message.contains("3600 s (1 h 0 min)"), "{message}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_lasts_is_asked_once() {
    for (status, headers) in [
        ("400 Bad Request", ""),
        ("401 Unauthorized", ""),
        ("403 Forbidden", ""),
        ("404 Not Found", ""),
        ("501 Not Implemented", ""),
        ("500 Internal Server Error", "x-should-retry: false\r\n"),
    ] {
        let server = Server::start(move |_, _| refusal(status, headers)).await;
        let folder = tempfile::tempdir().unwrap();
        let app = app(&server, folder.path(), true);
        let (outcome, events) = run(&app, one(&soon())).await;
        assert_eq!(outcome.status, RunStatus::Failed, "{status}");
        assert_eq!(
            (server.calls(), tries(&events)),
            (1, Vec::new()),
            "{status}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn settings_turn_it_off_for_flows_that_do_not_say() {
    let server = Server::start(|_, _| refusal("429 Too Many Requests", "")).await;
    let folder = tempfile::tempdir().unwrap();
    let app = app(&server, folder.path(), false);
    let (outcome, _) = run(&app, one(&Value::Null)).await;
    assert_eq!((outcome.status, server.calls()), (RunStatus::Failed, 1));
    let header = records::run_detail(app.env(), &outcome.run_id).unwrap();
    assert_eq!(header.document["settings"]["retry"], Value::Null);
    // If a flow sets its own policy, that policy applies.
    run(&app, one(&soon())).await;
    assert_eq!(server.calls(), 1 + 4);
}

/// The flow of a run has no retry policy if the run is from an earlier version, or if it began while retries were turned off in
/// the settings.
#[tokio::test(flavor = "multi_thread")]
async fn a_run_without_a_policy_forks_without_one() {
    let server = Server::start(|_, _| refusal("429 Too Many Requests", "")).await;
    let folder = tempfile::tempdir().unwrap();
    let before = app(&server, folder.path(), false);
    let (outcome, _) = run(&before, one(&Value::Null)).await;
    let now = app(&server, folder.path(), true);
    for (document, calls) in [
        (None, 1),
        (Some(one(&Value::Null)), 1),
        (Some(one(&soon())), 4),
    ] {
        let before = server.calls();
        let started = runs::fork_run(
            now.env(),
            ForkOptions {
                run_id: outcome.run_id.clone(),
                at: "ask".to_owned(),
                document,
                edits: Vec::new(),
                value: None,
                budget_usd: None,
                pins: None,
                until: None,
                approve: ApprovalPolicy::All,
                events: Arc::new(|_| {}),
            },
        )
        .unwrap();
        let forked = started.finished.await.unwrap().unwrap();
        assert_eq!(forked.status, RunStatus::Failed);
        assert_eq!(server.calls() - before, calls);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pause_outlives_its_program_and_a_person_may_cut_it_short() {
    let server = Server::start(|_, number| match number {
        0 => refusal("429 Too Many Requests", "retry-after: 50\r\n"),
        _ => answer("whole"),
    })
    .await;
    let folder = tempfile::tempdir().unwrap();
    let first = app(&server, folder.path(), true);
    let (options, events) = listening(one(&Value::Null));
    let started = runs::start_run(first.env(), options).unwrap();
    until(|| !tries(&events.lock().unwrap()).is_empty()).await;
    runs::detach_all(first.env(), Duration::from_secs(3)).await;
    let _ = started.finished.await;
    drop(first);
    let second = app(&server, folder.path(), true);
    let resumed = runs::resume_run(
        second.env(),
        ResumeOptions {
            run_id: started.run_id.clone(),
            answer: None,
            budget: None,
            approve: ApprovalPolicy::All,
            events: Arc::new(|_| {}),
        },
    )
    .unwrap();
    tokio::time::sleep(Duration::from_millis(400)).await;
    // The server asked for a pause of 50 s, and the call is not repeated before that.
    assert_eq!(server.calls(), 1);
    runs::ask_again(second.env(), &started.run_id, "ask").unwrap();
    let outcome = resumed.finished.await.unwrap().unwrap();
    assert_eq!((outcome.status, server.calls()), (RunStatus::Completed, 2));
    // When the program ended, it was waiting for the next attempt. No call was in progress, so there is no warning.
    assert_eq!(outcome.state.warnings, []);
    assert!(runs::ask_again(second.env(), &started.run_id, "ask").is_err());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_hangs_is_asked_again_by_a_person() {
    let server = Server::start_slow(Duration::from_secs(30), |_, _| answer("never")).await;
    let folder = tempfile::tempdir().unwrap();
    let app = app(&server, folder.path(), true);
    let (options, events) = listening(one(&soon()));
    let started = runs::start_run(app.env(), options).unwrap();
    until(|| server.calls() == 1).await;
    // Nothing happens for a node that is not running, or for a path that does not exist.
    runs::ask_again(app.env(), &started.run_id, "out").unwrap();
    runs::ask_again(app.env(), &started.run_id, "nowhere").unwrap();
    runs::ask_again(app.env(), &started.run_id, "ask").unwrap();
    until(|| server.calls() == 2).await;
    let failed = tries(&events.lock().unwrap());
    assert_eq!(failed, [("asked_again".to_owned(), 1, Some(4))]);
    started.cancel.cancel();
    let outcome = started.finished.await.unwrap().unwrap();
    let codes: Vec<_> = outcome
        .state
        .warnings
        .iter()
        .map(|warning| warning.code.as_str())
        .collect();
    assert!(codes.contains(&"call_repeated"), "{codes:?}");
}
