//! Runs with providers on real sockets: retries that are shown, a conversation that continues, verdicts that cannot be read,
//! and keys that must not appear in any output.

#![allow(clippy::unwrap_used)]

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicUsize, Ordering},
};

use canary::{files_in, forms, holds};
use loopwright_api as api;
use loopwright_api::{App, ApprovalPolicy, Event, EventBody, RunStatus};
use loopwright_providers::{
    KeyError, KeyStore, Keys, Secret,
    keys::{MemoryKeys, NoKeychain},
};
use loopwright_records as records;
use loopwright_runs as runs;
use loopwright_runs::{ForkOptions, RunOptions, RunOutcome, Settings};
use serde_json::{Value, json};
use server::{Server, edge, options, response};

use crate::{canary, server};

fn answer(text: &str) -> String {
    let body = json!({
        "id": "c", "model": "m", "choices": [{ "message": { "content": text }, "finish_reason": "stop" }],
        "usage": { "prompt_tokens": 10, "completion_tokens": 5 }
    });
    response("200 OK", "", &body.to_string())
}

/// Returns a response whose stream ends after its first event, in the middle of the answer.
fn half(text: &str) -> String {
    let event = json!({ "choices": [{ "delta": { "content": text } }] });
    format!(
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\ndata: {event}\n\n"
    )
}

/// Returns a flow with one model call that has these fields.
fn one(data: &Value) -> Value {
    json!({
        "schemaVersion": 1, "name": "one",
        "nodes": [
            { "id": "in", "type": "input", "data": { "name": "text", "default": "go" } },
            { "id": "ask", "type": "llm", "data": data },
            { "id": "out", "type": "output", "data": { "name": "result" } }
        ],
        "edges": [edge("1", "in", "value", "ask"), edge("2", "ask", "response", "out")]
    })
}

type Events = Arc<Mutex<Vec<Event>>>;

async fn run(app: &Arc<App>, document: Value) -> (RunOutcome, Vec<Event>) {
    let events: Events = Arc::default();
    let seen = Arc::clone(&events);
    let started = runs::start_run(
        app.env(),
        RunOptions {
            approve: ApprovalPolicy::All,
            events: Arc::new(move |event| seen.lock().unwrap().push(event.clone())),
            ..options(document)
        },
    )
    .unwrap();
    let outcome = started.finished.await.unwrap().unwrap();
    let events = events.lock().unwrap().clone();
    (outcome, events)
}

fn retries(events: &[Event]) -> Vec<(u32, String, u32)> {
    events
        .iter()
        .filter_map(|event| match &event.body {
            EventBody::NodeRetried {
                attempt,
                code,
                after_ms,
                ..
            } => Some((*attempt, code.clone(), *after_ms)),
            _ => None,
        })
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_tried_again_is_seen_and_waits_as_long_as_it_was_asked() {
    let server = Server::start(|_, number| match number {
        0 => response("429 Too Many Requests", "retry-after-ms: 120\r\n", "{}"),
        1 => half("Half an ans"),
        _ => answer("whole"),
    })
    .await;
    let folder = tempfile::tempdir().unwrap();
    let app = server.app_with(folder.path(), Keys::of(MemoryKeys::default()));
    let retry =
        json!({ "type": "fixed", "count": 3, "interval": "PT0.01S", "on": ["429", "truncated"] });
    let (outcome, events) = run(&app, one(&json!({ "model": "m", "retry": retry }))).await;
    assert_eq!(outcome.status, RunStatus::Completed);
    let retried = retries(&events);
    assert_eq!(retried.len(), 2, "{retried:?}");
    assert_eq!(retried[0].1, "http_429");
    assert!((120..=132).contains(&retried[0].2), "{retried:?}");
    assert_eq!(retried[1].1, "truncated");
    // Each retry is recorded with its own time, not with that of its step's start.
    let times: Vec<&str> = events
        .iter()
        .filter(|event| matches!(event.body, EventBody::NodeRetried { .. }))
        .map(|event| event.at.as_str())
        .collect();
    assert!(times[0] < times[1], "{times:?}");
    // The first attempt was refused by the server. It is unknown whether the server processed the second one.
    let codes: Vec<_> = outcome
        .state
        .warnings
        .iter()
        .map(|warning| warning.code.as_str())
        .collect();
    assert_eq!(codes, ["call_repeated"]);
    assert_eq!(
        (
            outcome.state.usage.calls,
            outcome.state.usage.unpriced_calls
        ),
        (2, 2)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_policy_nothing_is_sent_twice_and_the_partial_text_is_kept() {
    let server = Server::start(|_, _| half("Half an ans")).await;
    let folder = tempfile::tempdir().unwrap();
    let app = server.app_with(folder.path(), Keys::of(MemoryKeys::default()));
    let (outcome, events) = run(&app, one(&json!({ "model": "m" }))).await;
    assert_eq!((outcome.status, server.calls()), (RunStatus::Failed, 1));
    assert!(retries(&events).is_empty());
    let error = records::step_detail(app.env(), &outcome.run_id, "ask")
        .unwrap()
        .error
        .unwrap();
    assert_eq!(
        (error.code.as_str(), error.partial.as_deref()),
        ("truncated", Some("Half an ans"))
    );
    // Neither an unknown path nor the empty path of the run itself is a step.
    for nowhere in ["", "nobody"] {
        let refused = records::step_detail(app.env(), &outcome.run_id, nowhere).unwrap_err();
        assert_eq!(refused.code, loopwright_runs::Code::NotFound);
    }
    // If the server asks for a very long wait, the call fails under any retry policy.
    let server =
        Server::start(|_, _| response("429 Too Many Requests", "retry-after: 864000\r\n", "{}"))
            .await;
    let app = server.app_with(folder.path(), Keys::of(MemoryKeys::default()));
    let (outcome, _) = run(
        &app,
        one(&json!({ "model": "m", "retry": { "type": "fixed", "count": 3 } })),
    )
    .await;
    assert_eq!((outcome.status, server.calls()), (RunStatus::Failed, 1));
    assert!(outcome.state.error.unwrap().message.contains("864000 s"));
}

/// Returns a loop whose model receives the same prompt in each of three iterations.
fn talk() -> Value {
    json!({
        "schemaVersion": 1, "name": "talk",
        "nodes": [
            { "id": "in", "type": "input", "data": { "name": "text", "default": "Go on." } },
            { "id": "talk", "type": "loop", "data": { "maxIterations": 3, "feedbackMode": "variables" } },
            { "id": "ask", "type": "llm", "data": { "session": "loop", "model": "m" } },
            { "id": "end", "type": "exit", "data": {} },
            { "id": "out", "type": "output", "data": { "name": "result" } }
        ],
        "edges": [
            edge("1", "in", "value", "talk"), edge("2", "talk", "body", "ask"),
            edge("3", "ask", "response", "end"), edge("4", "end", "output", "out")
        ]
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn a_conversation_survives_resume_replay_and_fork() {
    let server = Server::start(|_, number| answer(&format!("answer {number}"))).await;
    let folder = tempfile::tempdir().unwrap();
    let app = server.app_with(folder.path(), Keys::of(MemoryKeys::default()));
    let (outcome, _) = run(&app, talk()).await;
    assert_eq!((outcome.status, server.calls()), (RunStatus::Completed, 3));
    assert_eq!(server.said(0), ["Go on."]);
    assert_eq!(
        server.said(2),
        ["Go on.", "answer 0", "Go on.", "answer 1", "Go on."]
    );

    // The replay makes no call and has the same result.
    runs::replay_run(app.env(), &outcome.run_id, |_| {}).unwrap();
    assert_eq!(server.calls(), 3);

    // A fork keeps the part of the conversation before the fork point.
    let fork = |value: Option<Value>, at: &str| ForkOptions {
        run_id: outcome.run_id.clone(),
        at: at.to_owned(),
        document: None,
        edits: Vec::new(),
        value,
        budget_usd: None,
        pins: None,
        until: None,
        approve: ApprovalPolicy::All,
        events: Arc::new(|_| {}),
    };
    let started = runs::fork_run(app.env(), fork(None, "talk[3]/ask")).unwrap();
    started.finished.await.unwrap().unwrap();
    assert_eq!(server.calls(), 4);
    assert_eq!(server.said(3), server.said(2));

    // An answer that a person entered becomes a part of the conversation.
    let given = fork(Some(json!("as edited")), "talk[2]/ask");
    let started = runs::fork_run(app.env(), given).unwrap();
    started.finished.await.unwrap().unwrap();
    assert_eq!(
        server.said(4),
        ["Go on.", "answer 0", "Go on.", "as edited", "Go on."]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_verdict_that_cannot_be_read_is_an_error_or_the_fallback() {
    let route = |fallback: Value| {
        json!({
            "schemaVersion": 1, "name": "route",
            "nodes": [
                { "id": "in", "type": "input", "data": { "name": "text", "default": "go" } },
                { "id": "pick", "type": "router", "data": { "mode": "llm", "model": "m", "branches": ["continue", "done"], "fallback": fallback } },
                { "id": "out", "type": "output", "data": { "name": "result" } }
            ],
            "edges": [edge("1", "in", "value", "pick"), edge("2", "pick", "done", "out")]
        })
    };
    let server = Server::start(|_, number| match number {
        // The first verdict is invalid, and the second one is valid.
        0 => answer("Perhaps."),
        1 => answer(r#"{"branch": "done", "reason": "It is."}"#),
        _ => answer(r#"{"branch": "maybe", "reason": ""}"#),
    })
    .await;
    let folder = tempfile::tempdir().unwrap();
    let app = server.app_with(folder.path(), Keys::of(MemoryKeys::default()));
    let (outcome, _) = run(&app, route(Value::Null)).await;
    assert_eq!(outcome.status, RunStatus::Completed);
    let codes = |outcome: &RunOutcome| -> Vec<String> {
        let codes = outcome
            .state
            .warnings
            .iter()
            .map(|warning| warning.code.clone());
        codes.filter(|code| code != "unused_branch").collect()
    };
    assert_eq!(codes(&outcome), ["answer_repaired"]);

    let (outcome, _) = run(&app, route(Value::Null)).await;
    assert_eq!(outcome.status, RunStatus::Failed);
    assert_eq!(
        outcome.state.error.as_ref().unwrap().code,
        "router_undecided"
    );
    assert_eq!(outcome.state.usage.calls, 2);

    let (outcome, _) = run(&app, route(json!("done"))).await;
    assert_eq!(outcome.status, RunStatus::Completed);
    assert_eq!(codes(&outcome), ["verdict_unreadable"]);
    assert_eq!(outcome.state.usage.calls, 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_planted_key_is_found_nowhere() {
    const KEY: &str = "sk-canary/7hQ+4Qz8=planted";
    // The server returns everything that it receives, in each encoding, in answers, errors and names.
    let server = Server::start(|request, number| {
        let sent = request
            .lines()
            .find(|line| line.to_lowercase().starts_with("authorization:"));
        let said = forms(
            sent.unwrap_or_default()
                .rsplit(' ')
                .next()
                .unwrap_or_default(),
        )
        .join(" | ");
        if request.starts_with("GET ") {
            return response(
                "403 Forbidden",
                "",
                &json!({ "error": { "message": said } }).to_string(),
            );
        }
        match number % 3 {
            0 => answer(&said),
            1 => response(
                "401 Unauthorized",
                "",
                &json!({ "error": { "message": said } }).to_string(),
            ),
            _ => half(&said),
        }
    })
    .await;
    let folder = tempfile::tempdir().unwrap();
    let app = server.app_with(folder.path(), Keys::of(MemoryKeys::default()));
    api::set_key(app.env(), "openai", KEY).unwrap();

    let mut shown = String::new();
    for _ in 0..3 {
        let (outcome, events) = run(&app, one(&json!({ "model": "m" }))).await;
        shown += &serde_json::to_string(&events).unwrap();
        shown += &format!("{outcome:?}");
        shown += &records::export_run(app.env(), &outcome.run_id).unwrap();
        shown += &format!(
            "{:?}",
            records::step_detail(app.env(), &outcome.run_id, "ask").unwrap()
        );
        shown += &format!(
            "{:?}",
            records::run_detail(app.env(), &outcome.run_id).unwrap()
        );
    }
    shown += &format!(
        "{:?}",
        api::test_provider(app.env(), "openai").await.unwrap_err()
    );
    shown += &format!(
        "{:?}",
        api::refresh_models(app.env(), "openai").await.unwrap_err()
    );
    shown += &serde_json::to_string(&api::providers(app.env()).await.unwrap()).unwrap();
    shown += &format!(
        "{:?} {:?}",
        app.env().settings(),
        api::set_key(app.env(), "nobody", KEY).unwrap_err()
    );

    // If the key had not been sent, the search below would prove nothing.
    assert!(
        server
            .requests
            .lock()
            .unwrap()
            .iter()
            .all(|request| request.contains(KEY))
    );
    let files = files_in(folder.path());
    assert!(files.len() >= 2, "the journal and the settings are there");
    for form in forms(KEY) {
        assert!(!holds(shown.as_bytes(), &form), "`{form}` is shown");
        for (path, bytes) in &files {
            assert!(!holds(bytes, &form), "`{form}` is in {path}");
        }
    }
    // The text around the key is shown, and a note says that the key was used.
    assert!(shown.contains("***"));
    assert!(shown.contains("key:openai"));
    assert!(api::remove_key(app.env(), "openai").unwrap());
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_keychain_the_variable_is_named() {
    let server = Server::start(|_, _| answer("x")).await;
    let folder = tempfile::tempdir().unwrap();
    let app = server.app_with(folder.path(), Keys::of(NoKeychain));
    let error = api::set_key(app.env(), "anthropic", "sk-something").unwrap_err();
    assert!(
        error.message.contains("No working keychain")
            && error.message.contains("ANTHROPIC_API_KEY"),
        "{}",
        error.message
    );
    assert!(!error.message.contains("sk-something"));
}

/// An empty keychain that counts its accesses.
#[derive(Clone, Default)]
struct CountedKeychain(Arc<AtomicUsize>);

impl KeyStore for CountedKeychain {
    fn get(&self, _: &str) -> Result<Option<Secret>, KeyError> {
        self.0.fetch_add(1, Ordering::Relaxed);
        Ok(None)
    }

    fn set(&self, _: &str, _: &Secret) -> Result<(), KeyError> {
        unreachable!("nothing is set")
    }

    fn remove(&self, _: &str) -> Result<bool, KeyError> {
        unreachable!("nothing is removed")
    }
}

#[tokio::test]
async fn only_a_flow_with_a_model_asks_the_keychain() {
    let server = Server::start(|_, _| answer("done")).await;
    let (folder, keychain) = (tempfile::tempdir().unwrap(), CountedKeychain::default());
    let app = server.app_with(folder.path(), Keys::of(keychain.clone()));

    let without = json!({
        "schemaVersion": 1, "name": "without",
        "nodes": [
            { "id": "in", "type": "input", "data": { "name": "text", "default": "go" } },
            { "id": "double", "type": "transform", "data": { "template": "{{ input }}{{ input }}" } },
            { "id": "out", "type": "output", "data": { "name": "result" } }
        ],
        "edges": [edge("1", "in", "value", "double"), edge("2", "double", "output", "out")]
    });
    let (outcome, _) = run(&app, without).await;
    assert_eq!(outcome.status, RunStatus::Completed, "{outcome:?}");
    assert_eq!(keychain.0.load(Ordering::Relaxed), 0);

    let (outcome, _) = run(&app, one(&json!({ "model": "m", "prompt": "{{ input }}" }))).await;
    assert_eq!(outcome.status, RunStatus::Completed, "{outcome:?}");
    assert!(keychain.0.load(Ordering::Relaxed) > 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_is_asked_once_for_the_windows_of_its_models() {
    let server = Server::start(|_, _| {
        let list = json!({ "object": "list", "data": [{ "id": "qwen", "object": "model", "owned_by": "vllm", "max_model_len": 32_768 }] });
        response("200 OK", "", &list.to_string())
    })
    .await;
    let folder = tempfile::tempdir().unwrap();
    let app = server.app_with(folder.path(), Keys::of(MemoryKeys::default()));
    let window = |model: &'static str| runs::context_window(app.env(), model);
    // The table has this one, so no server is asked.
    assert_eq!(window("openai/gpt-4o").await.unwrap(), Some(128_000));
    assert_eq!(server.calls(), 0);
    assert_eq!(window("openai/qwen").await.unwrap(), Some(32_768));
    for _ in 0..2 {
        assert_eq!(window("openai/other").await.unwrap(), None);
        assert_eq!(window("openai/qwen").await.unwrap(), Some(32_768));
    }
    assert_eq!(server.calls(), 1);
    // The list is stored, so commands that ask no server know the window too.
    let known = runs::ContextWindows::known(app.env());
    assert_eq!(known.of("openai/qwen"), Some(32_768));
    for model in ["builtin/reviser", "claude-code", "anthropic/unknown"] {
        assert_eq!(window(model).await.unwrap(), None, "{model}");
    }
}

#[tokio::test]
async fn a_malformed_address_is_reported_only_where_it_is_used() {
    let folder = tempfile::tempdir().unwrap();
    let app = App::open_with(
        folder.path(),
        tokio::runtime::Handle::current(),
        Keys::of(NoKeychain),
    )
    .unwrap();
    api::save_settings(
        app.env(),
        Settings {
            openai_base_url: Some("http://[half".to_owned()),
            ..Settings::default()
        },
    )
    .unwrap();
    let inner = one(&json!({ "model": "m", "prompt": "{{ input }}" }));
    let around = json!({
        "schemaVersion": 1, "name": "around",
        "nodes": [
            { "id": "in", "type": "input", "data": { "name": "text", "default": "go" } },
            { "id": "sub", "type": "subflow", "data": { "flow": inner } },
            { "id": "out", "type": "output", "data": { "name": "result" } }
        ],
        "edges": [edge("1", "in", "value", "sub"), edge("2", "sub", "result", "out")]
    });
    for document in [inner.clone(), around] {
        let (outcome, _) = run(&app, document).await;
        assert_eq!(outcome.status, RunStatus::Failed, "{outcome:?}");
        let error = outcome.state.error.unwrap();
        assert!(error.message.contains("http://[half"), "{error:?}");
    }
    let without = json!({
        "schemaVersion": 1, "name": "without",
        "nodes": [
            { "id": "in", "type": "input", "data": { "name": "text", "default": "go" } },
            { "id": "out", "type": "output", "data": { "name": "result" } }
        ],
        "edges": [edge("1", "in", "value", "out")]
    });
    let (outcome, _) = run(&app, without).await;
    assert_eq!(outcome.status, RunStatus::Completed, "{outcome:?}");
}
