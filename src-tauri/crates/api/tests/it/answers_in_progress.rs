//! People answer questions while other steps of the run are in progress, in the same program or another one.

#![allow(clippy::unwrap_used)]

use std::{
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use loopwright_api::{Answer, App, ApprovalPolicy, Event, EventBody, RunStatus};
use loopwright_engine::journal::{Entry, Input, Select};
use loopwright_runs as runs;
use loopwright_runs::{Answered, ApiError, Code, ResumeOptions, RunOptions, Started, parse_allow};
use serde_json::{Value, json};
use server::{Server, edge, options};

use crate::server;

/// Returns a flow with a question and a call at the same time. `expires` is the time to answer.
fn asks_during_a_call(expires: &str) -> Value {
    json!({
        "schemaVersion": 1, "name": "asks during a call",
        "nodes": [
            { "id": "in", "type": "input", "data": { "name": "text", "default": "go" } },
            { "id": "ask", "type": "approval", "data": { "message": "Good?", "expires": expires } },
            { "id": "after", "type": "transform", "data": { "template": "{{ input }} is approved" } },
            { "id": "slow", "type": "llm", "data": { "model": "m", "prompt": "{{ input }}" } },
            { "id": "yes", "type": "output", "data": { "name": "yes" } },
            { "id": "said", "type": "output", "data": { "name": "said" } }
        ],
        "edges": [
            edge("1", "in", "value", "ask"), edge("2", "ask", "approved", "after"), edge("3", "after", "output", "yes"),
            edge("4", "in", "value", "slow"), edge("5", "slow", "response", "said")
        ]
    })
}

type Events = Arc<Mutex<Vec<Event>>>;

/// Starts a run and waits until its question is asked and its call is sent. Returns the run and its events.
async fn asked(app: &Arc<App>, server: &Server, document: Value) -> (Started, Events) {
    let events: Events = Arc::default();
    let seen = Arc::clone(&events);
    let calls = server.calls();
    let options = RunOptions {
        approve: ApprovalPolicy::Ask,
        events: Arc::new(move |event| seen.lock().unwrap().push(event.clone())),
        ..options(document)
    };
    let started = runs::start_run(app.env(), options).unwrap();
    let began = Instant::now();
    let is_asked = |event: &Event| matches!(event.body, EventBody::NodeWaiting { .. });
    while server.calls() == calls || !events.lock().unwrap().iter().any(is_asked) {
        assert!(
            began.elapsed() < Duration::from_secs(30),
            "nothing was asked"
        );
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    (started, events)
}

/// Answers the question at `path` of a run.
async fn answer(
    app: &Arc<App>,
    run_id: &str,
    path: &str,
    answer: Answer,
) -> Result<Answered, ApiError> {
    let (app, path) = (Arc::clone(app), path.to_owned());
    let options = ResumeOptions {
        run_id: run_id.to_owned(),
        answer: None,
        budget: None,
        approve: ApprovalPolicy::Ask,
        events: Arc::new(|_| {}),
    };
    let answers = move || runs::answer_run(app.env(), path, answer, options);
    tokio::task::spawn_blocking(answers).await.unwrap()
}

fn yes(value: &str) -> Answer {
    Answer {
        approved: true,
        value: Some(json!(value)),
        ..Answer::default()
    }
}

/// Returns the recorded answers of a run.
fn recorded(app: &App, run_id: &str) -> Vec<Answer> {
    let records = app.env().journal().read(run_id, Select::All).unwrap();
    let answers = records.into_iter().filter_map(|record| match record.entry {
        Entry::Input(Input::NodeAnswered { answer }) => Some(*answer),
        _ => None,
    });
    answers.collect()
}

/// Returns the position of the event of a completed node.
fn completed(events: &Events, path: &str) -> usize {
    let is_it =
        |event: &Event| event.path == path && matches!(event.body, EventBody::NodeCompleted { .. });
    events.lock().unwrap().iter().position(is_it).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_counts_while_a_call_is_in_progress() {
    for other_program in [false, true] {
        let server = Server::echoing(Duration::from_secs(3), 5).await;
        let folder = tempfile::tempdir().unwrap();
        let app = server.app(folder.path());
        let other = match other_program {
            true => server.app(folder.path()),
            false => Arc::clone(&app),
        };
        // The question would expire before the call ends, and then be rejected.
        let (started, events) = asked(&app, &server, asks_during_a_call("PT2S")).await;
        let run_id = started.run_id.clone();
        let wrong = answer(&other, &run_id, "slow", yes("x"))
            .await
            .err()
            .unwrap();
        assert_eq!(wrong.code, Code::InvalidArgument);
        assert!(wrong.message.contains("`ask`"), "{}", wrong.message);

        let answered = answer(&other, &run_id, "ask", yes("edited")).await.unwrap();
        assert!(matches!(answered, Answered::Accepted));
        assert_eq!(recorded(&other, &run_id), [yes("edited")]);
        let again = answer(&other, &run_id, "ask", yes("late"))
            .await
            .err()
            .unwrap();
        assert_eq!(again.code, Code::InvalidArgument);

        let outcome = started.finished.await.unwrap().unwrap();
        assert_eq!(outcome.status, RunStatus::Completed);
        let outputs = outcome.state.outputs.unwrap();
        assert_eq!(outputs["yes"], "edited is approved");
        assert_eq!(outputs["said"], "re: go");
        assert!(completed(&events, "after") < completed(&events, "slow"));
        assert_eq!((recorded(&app, &run_id).len(), server.calls()), (1, 1));
        let requests = std::fs::read_dir(folder.path().join("requests"));
        assert_eq!(requests.map_or(0, Iterator::count), 0);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_answer_is_lost_or_used_twice_when_the_run_is_suspended_at_that_moment() {
    let server = Server::echoing(Duration::from_millis(60), 5).await;
    let folder = tempfile::tempdir().unwrap();
    let (app, other) = (server.app(folder.path()), server.app(folder.path()));
    let (mut accepted, mut resumed) = (0, 0);
    for round in 0..40_u64 {
        let by = if round % 2 == 0 { &app } else { &other };
        let (started, _) = asked(&app, &server, asks_during_a_call("PT1H")).await;
        let run_id = started.run_id.clone();
        tokio::time::sleep(Duration::from_millis(40 + round)).await;
        let outcome = match answer(by, &run_id, "ask", yes("edited")).await.unwrap() {
            Answered::Accepted => {
                accepted += 1;
                started.finished.await.unwrap().unwrap()
            }
            Answered::Resumed(continued) => {
                resumed += 1;
                let before = started.finished.await.unwrap().unwrap();
                assert_eq!(before.status, RunStatus::Waiting);
                continued.finished.await.unwrap().unwrap()
            }
        };
        assert_eq!(outcome.status, RunStatus::Completed, "round {round}");
        assert_eq!(outcome.state.outputs.unwrap()["yes"], "edited is approved");
        assert_eq!(recorded(&app, &run_id), [yes("edited")], "round {round}");
    }
    assert!(accepted > 0 && resumed > 0, "{accepted} and {resumed}");
}

#[tokio::test(flavor = "multi_thread")]
async fn several_answers_to_one_run_are_all_used() {
    let server = Server::echoing(Duration::from_secs(1), 5).await;
    let folder = tempfile::tempdir().unwrap();
    let app = server.app(folder.path());
    let document = json!({
        "schemaVersion": 1, "name": "asks for each", "settings": { "concurrency": 4 },
        "nodes": [
            { "id": "in", "type": "input", "data": { "name": "items", "dataType": "json", "default": [1, 2, 3] } },
            { "id": "each", "type": "iterator", "data": { "concurrency": 3 } },
            { "id": "ask", "type": "approval", "data": { "message": "Good?" } },
            { "id": "join", "type": "aggregator", "data": {} },
            { "id": "out", "type": "output", "data": { "name": "result" } }
        ],
        "edges": [
            edge("1", "in", "value", "each"), edge("2", "each", "item", "ask"), edge("3", "ask", "approved", "join"),
            edge("4", "join", "results", "out")
        ]
    });
    let options = RunOptions {
        approve: ApprovalPolicy::Ask,
        ..options(document)
    };
    let started = runs::start_run(app.env(), options).unwrap();
    let run_id = started.run_id.clone();
    let waits = started.finished.await.unwrap().unwrap();
    assert_eq!(waits.status, RunStatus::Waiting);
    // The first answer resumes the run. The others arrive while it replays, while it waits for them, or after that.
    for number in 1..=3 {
        let path = format!("each[{number}]/ask");
        answer(&app, &run_id, &path, yes(&path)).await.unwrap();
    }
    let began = Instant::now();
    loop {
        let (_, state) = app.env().journal().run(&run_id).unwrap();
        if state.status == RunStatus::Completed {
            let all = ["each[1]/ask", "each[2]/ask", "each[3]/ask"];
            assert_eq!(state.outputs.unwrap()["result"], json!(all));
            break;
        }
        assert!(began.elapsed() < Duration::from_secs(30), "{state:?}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert_eq!(recorded(&app, &run_id).len(), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pause_does_not_cut_off_a_call_that_somebody_has_just_allowed() {
    let server = Server::start_slow(Duration::from_millis(500), |_, _| {
        server::response_of("200 OK", "text/plain", "", "hello")
    })
    .await;
    let folder = tempfile::tempdir().unwrap();
    let app = server.app(folder.path());
    let document = json!({
        "schemaVersion": 1, "name": "asks to fetch",
        "nodes": [
            { "id": "fetch", "type": "tool", "data": { "tool": "http.request", "args": { "url": server.address }, "approval": "ask" } },
            { "id": "out", "type": "output", "data": { "name": "body" } }
        ],
        "edges": [{ "id": "1", "source": "fetch", "target": "out" }]
    });
    let allow = parse_allow(&["all".to_owned()], folder.path()).unwrap();
    let started = runs::start_run_with(app.env(), options(document), allow).unwrap();
    let waits = started.finished.await.unwrap().unwrap();
    assert_eq!(waits.status, RunStatus::Waiting);
    let approved = Answer {
        approved: true,
        ..Answer::default()
    };
    let answered = answer(&app, &waits.run_id, "fetch", approved)
        .await
        .unwrap();
    let Answered::Resumed(continued) = answered else {
        panic!("a suspended run is resumed");
    };
    while server.calls() == 0 {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    runs::pause_run(app.env(), &waits.run_id).unwrap();
    let paused = continued.finished.await.unwrap().unwrap();
    let resumed = match paused.status {
        RunStatus::Completed => paused,
        _ => {
            assert_eq!(paused.status, RunStatus::Paused);
            let options = ResumeOptions {
                run_id: waits.run_id.clone(),
                answer: None,
                budget: None,
                approve: ApprovalPolicy::Ask,
                events: Arc::new(|_| {}),
            };
            let resumed = runs::resume_run(app.env(), options).unwrap();
            resumed.finished.await.unwrap().unwrap()
        }
    };
    assert_eq!(resumed.status, RunStatus::Completed);
    assert_eq!(resumed.state.outputs.unwrap()["body"]["body"], "hello");
    assert_eq!(server.calls(), 1);
}
