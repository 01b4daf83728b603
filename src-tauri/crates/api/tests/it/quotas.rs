//! Steps wait for used-up quotas: real servers refuse calls in every form, and the calls that they receive are counted.

#![allow(clippy::unwrap_used)]

use std::{
    collections::BTreeMap,
    path::Path,
    sync::{Arc, Mutex},
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use futures::future::join_all;
use loopwright_api::{App, ApprovalPolicy, Event, EventBody, RunStatus};
use loopwright_engine::event::parse_time;
use loopwright_records as records;
use loopwright_runs as runs;
use loopwright_runs::{ResumeOptions, RunOptions, Started};
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

fn refusal(headers: &str) -> String {
    response(
        "429 Too Many Requests",
        headers,
        r#"{"error":{"message":"Come back later."}}"#,
    )
}

/// A retry policy under which every pause that a server requests is too long for a retry.
fn no_patience() -> Value {
    json!({ "maxInterval": "PT0.1S" })
}

/// Returns a flow of one call.
fn one() -> Value {
    json!({
        "schemaVersion": 1, "name": "one",
        "nodes": [
            { "id": "in", "type": "input", "data": { "name": "text", "default": "go" } },
            { "id": "ask", "type": "llm", "data": { "model": "m", "retry": no_patience() } },
            { "id": "out", "type": "output", "data": { "name": "result" } }
        ],
        "edges": [edge("1", "in", "value", "ask"), edge("2", "ask", "response", "out")]
    })
}

/// Returns a flow that calls the model once for each of `count` items, all at the same time.
fn many(count: usize) -> Value {
    let items: Vec<String> = (0..count).map(|number| format!("item {number}")).collect();
    json!({
        "schemaVersion": 1, "name": "many", "settings": { "concurrency": count },
        "nodes": [
            { "id": "in", "type": "input", "data": { "name": "items", "dataType": "json", "default": items } },
            { "id": "each", "type": "iterator", "data": { "concurrency": count } },
            { "id": "ask", "type": "llm", "data": { "model": "m", "retry": no_patience() } },
            { "id": "join", "type": "aggregator", "data": {} },
            { "id": "out", "type": "output", "data": { "name": "result" } }
        ],
        "edges": [
            edge("1", "in", "value", "each"), edge("2", "each", "item", "ask"), edge("3", "ask", "response", "join"),
            edge("4", "join", "output", "out")
        ]
    })
}

type Events = Arc<Mutex<Vec<Event>>>;

fn start(app: &Arc<App>, document: Value) -> (Started, Events) {
    let events: Events = Arc::default();
    let seen = Arc::clone(&events);
    let options = RunOptions {
        events: Arc::new(move |event| seen.lock().unwrap().push(event.clone())),
        ..options(document)
    };
    (runs::start_run(app.env(), options).unwrap(), events)
}

fn resume(app: &Arc<App>, run_id: &str) -> Started {
    runs::resume_run(
        app.env(),
        ResumeOptions {
            run_id: run_id.to_owned(),
            answer: None,
            budget: None,
            approve: ApprovalPolicy::All,
            events: Arc::new(|_| {}),
        },
    )
    .unwrap()
}

/// Returns the ends of the waits in the events, in milliseconds since the Unix epoch.
fn ends(events: &Events) -> Vec<i64> {
    let events = events.lock().unwrap();
    let end = |event: &Event| match &event.body {
        EventBody::NodeParked { until, .. } => parse_time(until),
        _ => None,
    };
    events.iter().filter_map(end).collect()
}

fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    i64::try_from(since.as_millis()).unwrap()
}

async fn until(mut holds: impl FnMut() -> bool) {
    let began = Instant::now();
    while !holds() {
        assert!(began.elapsed() < Duration::from_secs(30), "it never held");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

/// The name of a form of refusal, and a function that returns a response in this form.
type Form = (&'static str, fn() -> String);

/// Returns every form in which a server can refuse a call and name a time, with the name of the form. The times are 2 to 4
/// seconds from now.
fn forms() -> Vec<Form> {
    fn later(seconds: u64) -> Duration {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
        since + Duration::from_secs(seconds)
    }
    fn date() -> String {
        httpdate::fmt_http_date(SystemTime::now() + Duration::from_secs(3))
    }
    fn rfc_3339(seconds: u64) -> String {
        let at = i64::try_from(later(seconds).as_millis()).unwrap();
        loopwright_engine::event::timestamp(at)
    }
    fn of(status: &str, headers: &str, body: &Value) -> String {
        response(status, headers, &body.to_string())
    }
    fn says(words: &str) -> String {
        of(
            "429 Too Many Requests",
            "",
            &json!({ "error": { "message": words } }),
        )
    }
    fn has(error: Value) -> String {
        of("429 Too Many Requests", "", &json!({ "error": error }))
    }
    let form = |name: &'static str, form: fn() -> String| (name, form);
    vec![
        form("Retry-After in seconds", || refusal("retry-after: 3\r\n")),
        form("Retry-After as a date", || {
            refusal(&format!("retry-after: {}\r\n", date()))
        }),
        form("Retry-After as a time in seconds", || {
            refusal(&format!("retry-after: {}\r\n", later(3).as_secs()))
        }),
        form("Retry-After as a time in milliseconds", || {
            refusal(&format!("retry-after: {}\r\n", later(3).as_millis()))
        }),
        form("retry-after-ms", || refusal("retry-after-ms: 2500\r\n")),
        form("a used-up limit of requests", || {
            refusal(
                "x-ratelimit-remaining-requests: 0\r\nx-ratelimit-reset-requests: 2.5s\r\nx-ratelimit-reset-tokens: 9h\r\n\
                 x-ratelimit-remaining-tokens: 5\r\n",
            )
        }),
        form("a limit of tokens in milliseconds", || {
            refusal("x-ratelimit-remaining-tokens: 0\r\nx-ratelimit-reset-tokens: 2500ms\r\n")
        }),
        form("x-ratelimit-reset as a time", || {
            refusal(&format!("x-ratelimit-reset: {}\r\n", later(3).as_millis()))
        }),
        form("a limit of Anthropic", || {
            refusal(&format!(
                "anthropic-ratelimit-tokens-remaining: 0\r\nanthropic-ratelimit-tokens-reset: {}\r\n",
                rfc_3339(3)
            ))
        }),
        form("a unified limit of Anthropic", || {
            refusal(&format!(
                "anthropic-ratelimit-unified-status: rejected\r\nanthropic-ratelimit-unified-reset: {}\r\n",
                later(3).as_secs()
            ))
        }),
        form("Google's RetryInfo", || {
            has(
                json!({ "code": 429, "status": "RESOURCE_EXHAUSTED", "message": "x", "details": [{ "retryDelay": "2.5s" }] }),
            )
        }),
        form("a field of the error", || {
            has(json!({ "message": "x", "retry_after": 2.5 }))
        }),
        form("seconds until a usage limit returns", || {
            has(json!({ "type": "usage_limit_reached", "message": "x", "resets_in_seconds": 3 }))
        }),
        form("words with a pause", || {
            says("Rate limit reached. Please try again in 2.5s.")
        }),
        form("words with a reset", || {
            says("You have exhausted your capacity. Your quota will reset after 3s.")
        }),
        form("an unavailable server", || {
            of(
                "503 Service Unavailable",
                "retry-after: 3\r\n",
                &json!({ "error": { "message": "x" } }),
            )
        }),
        form("an overloaded server", || {
            of(
                "529 Overloaded",
                "retry-after: 3\r\n",
                &json!({ "error": { "message": "x" } }),
            )
        }),
        form("an error inside an answer", || {
            of(
                "200 OK",
                "",
                &json!({ "error": { "code": 429, "message": "x", "retry_after": 3 } }),
            )
        }),
    ]
}

/// Runs one call that is refused in the form `form`. Checks that the call is made again at the named time, and no earlier.
async fn waits_for(name: &'static str, form: fn() -> String) {
    let times: Arc<Mutex<Vec<i64>>> = Arc::default();
    let seen = Arc::clone(&times);
    let server = Server::start(move |_, number| {
        seen.lock().unwrap().push(now());
        match number {
            0 => form(),
            _ => answer("whole"),
        }
    })
    .await;
    let folder = tempfile::tempdir().unwrap();
    let app = server.app(folder.path());
    let (started, events) = start(&app, one());
    let outcome = started.finished.await.unwrap().unwrap();
    assert_eq!(outcome.status, RunStatus::Completed, "{name}: {outcome:?}");
    let (times, ends) = (times.lock().unwrap().clone(), ends(&events));
    let ([refused, again], [end]) = (&times[..], &ends[..]) else {
        panic!("{name}: requests at {times:?}, waits until {ends:?}");
    };
    // A time in whole seconds may be almost a second less.
    assert!(
        (1_900..=4_000).contains(&(end - refused)),
        "{name}: {}",
        end - refused
    );
    assert!(
        (0..2_000).contains(&(again - end)),
        "{name}: {}",
        again - end
    );
    assert_eq!(outcome.state.warnings, [], "{name}");
    let retried = |event: &Event| matches!(event.body, EventBody::NodeRetried { .. });
    assert!(!events.lock().unwrap().iter().any(retried), "{name}");
}

#[tokio::test(flavor = "multi_thread")]
async fn every_form_of_a_time_is_waited_for_to_the_second() {
    join_all(
        forms()
            .into_iter()
            .map(|(name, form)| waits_for(name, form)),
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_that_are_refused_together_are_no_second_storm() {
    const CALLS: usize = 64;
    const PAUSE: Duration = Duration::from_millis(60);
    let times: Arc<Mutex<Vec<Instant>>> = Arc::default();
    let seen = Arc::clone(&times);
    let server = Server::start_slow(PAUSE, move |_, number| {
        seen.lock().unwrap().push(Instant::now());
        match number {
            0..CALLS => refusal("retry-after-ms: 3000\r\n"),
            _ => answer("whole"),
        }
    })
    .await;
    let folder = tempfile::tempdir().unwrap();
    let app = server.app(folder.path());
    let (started, _) = start(&app, many(CALLS));
    let outcome = started.finished.await.unwrap().unwrap();
    assert_eq!(outcome.status, RunStatus::Completed, "{outcome:?}");
    // Each call was refused once and answered once.
    let mut by_prompt: BTreeMap<String, usize> = BTreeMap::new();
    for prompt in server.prompts() {
        *by_prompt.entry(prompt).or_default() += 1;
    }
    assert_eq!(by_prompt.len(), CALLS);
    assert!(by_prompt.values().all(|count| *count == 2), "{by_prompt:?}");
    // The times are those at which calls were answered. One call was answered before any other was made again.
    let times = times.lock().unwrap().clone();
    let (first, second) = (times[CALLS], times[CALLS + 1]);
    assert!(first.duration_since(times[0]) >= Duration::from_millis(2_900));
    assert!(
        second.duration_since(first) >= PAUSE,
        "{:?}",
        second.duration_since(first)
    );
    // The other calls were made one after another.
    let last = times[2 * CALLS - 1];
    assert!(last.duration_since(second) >= Duration::from_millis(20) * 62);
}

/// Runs of two programs on one data folder call the same model. The first call and the first call after the wait are
/// refused.
#[tokio::test(flavor = "multi_thread")]
async fn a_refused_call_of_one_run_closes_the_quota_for_the_runs_of_all_programs() {
    let times: Arc<Mutex<Vec<i64>>> = Arc::default();
    let seen = Arc::clone(&times);
    let server = Server::start(move |_, number| {
        seen.lock().unwrap().push(now());
        match number {
            0 | 1 => refusal("retry-after: 2\r\n"),
            _ => answer("text"),
        }
    })
    .await;
    let folder = tempfile::tempdir().unwrap();
    let apps = [server.app(folder.path()), server.app(folder.path())];
    let (first, events) = start(&apps[0], one());
    until(|| !ends(&events).is_empty()).await;
    let others: Vec<_> = (0..16)
        .map(|number| start(&apps[number % 2], one()))
        .collect();
    until(|| others.iter().all(|(_, events)| !ends(events).is_empty())).await;
    // None of the others sent a call.
    assert_eq!(server.calls(), 1);
    let mut finished = vec![first.finished];
    finished.extend(others.into_iter().map(|(started, _)| started.finished));
    for outcome in join_all(finished).await {
        assert_eq!(outcome.unwrap().unwrap().status, RunStatus::Completed);
    }
    // Two refusals, and one answer per run.
    let times = times.lock().unwrap().clone();
    assert_eq!(times.len(), 2 + 17);
    assert!(times[1] - times[0] >= 2_000, "{times:?}");
    assert!(times[2] - times[1] >= 2_000, "{times:?}");
}

/// A person ends the wait of one run. The other runs that wait for the same quota then continue too, although their
/// wait is not over.
#[tokio::test(flavor = "multi_thread")]
async fn an_answer_after_a_person_tried_opens_the_quota_for_the_other_runs() {
    let server = Server::start(|_, number| match number {
        0 => refusal("retry-after: 20\r\n"),
        _ => answer("text"),
    })
    .await;
    let folder = tempfile::tempdir().unwrap();
    let app = server.app(folder.path());
    let (first, events) = start(&app, one());
    until(|| !ends(&events).is_empty()).await;
    let (second, events) = start(&app, one());
    until(|| !ends(&events).is_empty()).await;
    assert_eq!(server.calls(), 1);
    let began = Instant::now();
    runs::try_now(app.env(), &first.run_id).unwrap();
    for started in [first, second] {
        let outcome = started.finished.await.unwrap().unwrap();
        assert_eq!(outcome.status, RunStatus::Completed);
        let again = runs::try_now(app.env(), &outcome.run_id).unwrap_err();
        assert!(
            again.message.contains("is not waiting for a quota"),
            "{again}"
        );
    }
    assert_eq!(server.calls(), 3);
    assert!(began.elapsed() < Duration::from_secs(10));
}

/// A run that must not wait for a quota sends its call even if other runs know that the quota is used up.
#[tokio::test(flavor = "multi_thread")]
async fn a_run_without_waits_does_not_ask_what_other_runs_know() {
    let server = Server::start(|_, _| refusal("retry-after: 600\r\n")).await;
    let folder = tempfile::tempdir().unwrap();
    let app = server.app(folder.path());
    let (first, events) = start(&app, one());
    until(|| !ends(&events).is_empty()).await;
    for (wait, calls) in [("PT0S", 2), ("PT1M", 3)] {
        let mut document = one();
        document["settings"] = json!({ "quotaWait": wait });
        let (started, _) = start(&app, document);
        let outcome = started.finished.await.unwrap().unwrap();
        assert_eq!(outcome.state.error.unwrap().code, "http_429");
        assert_eq!(server.calls(), calls);
    }
    first.cancel.cancel();
    first.finished.await.unwrap().unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wait_is_shown_and_a_person_may_end_it() {
    let server = Server::start(|_, number| match number {
        0 => refusal("retry-after: 3600\r\n"),
        _ => answer("whole"),
    })
    .await;
    let folder = tempfile::tempdir().unwrap();
    let app = server.app(folder.path());
    let (started, events) = start(&app, one());
    let parked = || {
        records::run_detail(app.env(), &started.run_id)
            .unwrap()
            .summary
            .parked
    };
    until(|| parked().is_some()).await;
    let shown = parked().unwrap();
    assert_eq!(shown.name, "OpenAI");
    assert_eq!(parse_time(&shown.until), ends(&events).last().copied());
    runs::ask_again(app.env(), &started.run_id, "ask").unwrap();
    let run_id = started.run_id.clone();
    let outcome = started.finished.await.unwrap().unwrap();
    assert_eq!((outcome.status, server.calls()), (RunStatus::Completed, 2));
    let over = records::run_detail(app.env(), &run_id).unwrap();
    assert_eq!(over.summary.parked, None);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wait_outlives_its_program() {
    let server = Server::start(|_, number| match number {
        0 => refusal("retry-after-ms: 3500\r\n"),
        _ => answer("whole"),
    })
    .await;
    let folder = tempfile::tempdir().unwrap();
    let open = |folder: &Path| server.app(folder);
    let first = open(folder.path());
    let (started, events) = start(&first, one());
    until(|| !ends(&events).is_empty()).await;
    runs::detach_all(first.env(), Duration::from_secs(3)).await;
    let _ = started.finished.await;
    drop(first);
    let second = open(folder.path());
    let resumed = resume(&second, &started.run_id);
    let outcome = resumed.finished.await.unwrap().unwrap();
    let end = ends(&events)[0];
    assert!((0..2_000).contains(&(now() - end)), "{}", now() - end);
    assert_eq!((outcome.status, server.calls()), (RunStatus::Completed, 2));
    assert_eq!(outcome.state.warnings, []);
}

/// Simulates a logout and the next login, with and without the setting that continues interrupted runs.
#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_its_program_left_continues_only_if_the_person_wants_that() {
    for continues in [true, false] {
        let server = Server::start(|_, number| match number {
            0 => refusal("retry-after-ms: 3000\r\n"),
            _ => answer("whole"),
        })
        .await;
        let folder = tempfile::tempdir().unwrap();
        let first = server.app(folder.path());
        let (started, events) = start(&first, one());
        until(|| !ends(&events).is_empty()).await;
        runs::note_left_runs(first.env());
        runs::detach_all(first.env(), Duration::from_secs(3)).await;
        let _ = started.finished.await;
        drop(first);
        let second = server.app(folder.path());
        let status = || {
            let detail = records::run_detail(second.env(), &started.run_id).unwrap();
            detail.summary.status
        };
        let flows: Mutex<Vec<String>> = Mutex::default();
        let receiver = |flow: &str| -> loopwright_driver::EventSink {
            flows.lock().unwrap().push(flow.to_owned());
            Arc::new(|_| {})
        };
        runs::resume_left_runs(second.env(), continues, &receiver).unwrap();
        if continues {
            until(|| status() == RunStatus::Completed).await;
            assert_eq!(
                (server.calls(), &**flows.lock().unwrap()),
                (2, &["one".to_owned()][..])
            );
        } else {
            // The notes are gone, so a later change of the setting does not continue old runs.
            runs::resume_left_runs(second.env(), true, &receiver).unwrap();
            assert!(runs::running_ids(second.env()).is_empty());
            assert_eq!(server.calls(), 1);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_parked_run_is_stopped_at_once() {
    let server = Server::start(|_, _| refusal("retry-after: 3600\r\n")).await;
    let folder = tempfile::tempdir().unwrap();
    let app = server.app(folder.path());
    let (started, events) = start(&app, one());
    until(|| !ends(&events).is_empty()).await;
    let began = Instant::now();
    started.cancel.cancel();
    let outcome = started.finished.await.unwrap().unwrap();
    assert_eq!((outcome.status, server.calls()), (RunStatus::Cancelled, 1));
    assert!(began.elapsed() < Duration::from_secs(2));
}

#[tokio::test(flavor = "multi_thread")]
async fn unpaid_credit_and_plain_refusals_fail_as_before() {
    for (headers, body, code) in [
        (
            "",
            r#"{"error":{"code":"insufficient_quota","message":"You exceeded your current quota."}}"#,
            "quota_spent",
        ),
        (
            "",
            r#"{"error":{"message":"Too many requests."}}"#,
            "http_429",
        ),
    ] {
        let server =
            Server::start(move |_, _| response("429 Too Many Requests", headers, body)).await;
        let folder = tempfile::tempdir().unwrap();
        let app = server.app(folder.path());
        let mut document = one();
        document["nodes"][1]["data"]["retry"] = json!({ "type": "none" });
        let (started, events) = start(&app, document);
        let outcome = started.finished.await.unwrap().unwrap();
        assert_eq!(outcome.state.error.unwrap().code, code);
        assert_eq!((ends(&events), server.calls()), (Vec::new(), 1));
    }
}
