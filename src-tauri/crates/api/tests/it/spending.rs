//! Budgets for a day, a week or a month with a server on a real socket: two programs that share a data folder, 64 simultaneous
//! calls in each, and runs that are interrupted in the middle.

#![allow(clippy::unwrap_used)]

use std::{sync::Arc, time::Duration};

use loopwright_api::{App, ApprovalPolicy, RunStatus};
use loopwright_records::{self as records, CostQuery};
use loopwright_runs::{
    self as runs, Code, Period, ResumeOptions, RunOutcome, SpendingLimit, set_spending_limit,
};
use loopwright_testing::chance::Chance;
use serde_json::{Value, json};
use server::{Server, edge, options};

use crate::server;

/// The cost of a call in micro-dollars: 10 tokens at $0.15 and 100 at $0.60 per million, rounded up.
const CALL: u64 = 62;

/// Returns a flow of `calls` simultaneous calls of at most 100 tokens each, without its own budget.
fn many(name: &str, calls: usize) -> Value {
    json!({
        "schemaVersion": 1, "name": name, "settings": { "concurrency": 64 },
        "nodes": [
            { "id": "in", "type": "input", "data": { "name": "list", "dataType": "json", "default": (0..calls).collect::<Vec<_>>() } },
            { "id": "each", "type": "iterator", "data": { "concurrency": 64 } },
            { "id": "ask", "type": "llm", "data": { "model": "gpt-4o-mini", "maxTokens": 100, "prompt": "{{ item }}" } },
            { "id": "all", "type": "aggregator", "data": {} },
            { "id": "out", "type": "output", "data": { "name": "result" } }
        ],
        "edges": [edge("1", "in", "value", "each"), edge("2", "each", "item", "ask"), edge("3", "ask", "response", "all"), edge("4", "all", "results", "out")]
    })
}

fn limit(app: &App, period: Period, flow: Option<&str>, calls: u64) {
    let usd = (calls * CALL) as f64 / 1e6;
    set_spending_limit(app.env(), period, flow, Some(usd)).unwrap();
}

async fn run(app: &Arc<App>, document: Value) -> RunOutcome {
    let started = runs::start_run(app.env(), options(document)).unwrap();
    started.finished.await.unwrap().unwrap()
}

fn resuming(run_id: &str) -> ResumeOptions {
    ResumeOptions {
        run_id: run_id.to_owned(),
        answer: None,
        budget: None,
        approve: ApprovalPolicy::Ask,
        events: Arc::new(|_| {}),
    }
}

fn spent(app: &App) -> f64 {
    let report = records::costs(app.env(), &CostQuery::default()).unwrap();
    report.total.sum.usd * 1e6
}

#[tokio::test(flavor = "multi_thread")]
async fn two_programs_keep_the_budget_of_a_day_together() {
    let server = Server::echoing(Duration::from_millis(50), 100).await;
    let folder = tempfile::tempdir().unwrap();
    let programs = [server.app(folder.path()), server.app(folder.path())];
    limit(&programs[0], Period::Day, None, 40);
    let (a, b) = tokio::join!(
        run(&programs[0], many("a", 64)),
        run(&programs[1], many("b", 64))
    );
    assert!((36..=40).contains(&server.calls()), "{}", server.calls());
    assert_eq!(spent(&programs[0]), (server.calls() as u64 * CALL) as f64);
    for outcome in [&a, &b] {
        assert_eq!(outcome.status, RunStatus::Failed);
        assert!(outcome.state.over_budget && outcome.state.over_spending_limit);
        let error = outcome.state.error.as_ref().unwrap();
        assert_eq!(error.code, "budget_exceeded");
        for words in ["$0.00248 a day", "resets on 20", "costs limit day"] {
            assert!(error.message.contains(words), "{}", error.message);
        }
    }
    // Nothing changed, so a resumed run stops again, without a call.
    let calls = server.calls();
    let started = runs::resume_run(programs[1].env(), resuming(&a.run_id)).unwrap();
    let again = started.finished.await.unwrap().unwrap();
    assert_eq!(again.state.error.unwrap().code, "budget_exceeded");
    assert_eq!(server.calls(), calls);
    // With a larger budget both runs continue, and no call is made twice.
    limit(&programs[1], Period::Day, None, 200);
    for outcome in [a, b] {
        let started = runs::resume_run(programs[0].env(), resuming(&outcome.run_id)).unwrap();
        let done = started.finished.await.unwrap().unwrap();
        assert_eq!(done.status, RunStatus::Completed, "{:?}", done.state.error);
        assert!(done.state.warnings.is_empty(), "{:?}", done.state.warnings);
        assert_eq!(done.state.usage.calls, 64);
    }
    assert_eq!(server.calls(), 128);
    assert_eq!(spent(&programs[0]), (128 * CALL) as f64);
}

#[tokio::test(flavor = "multi_thread")]
async fn runs_that_are_left_at_any_instant_never_exceed_the_budget() {
    let server = Server::echoing(Duration::from_millis(5), 100).await;
    let folder = tempfile::tempdir().unwrap();
    let mut chance = Chance::new(7);
    let first = server.app(folder.path());
    limit(&first, Period::Month, None, 300);
    let mut ids: Vec<String> = Vec::new();
    for round in 0..25 {
        let programs = [server.app(folder.path()), server.app(folder.path())];
        let before = server.calls();
        let mut started = Vec::new();
        for (number, program) in programs.iter().enumerate() {
            // An interrupted run is continued. Otherwise a new one is started.
            let begun = ids
                .pop()
                .and_then(|id| runs::resume_run(program.env(), resuming(&id)).ok());
            let name = format!("{round}-{number}");
            let begun = begun.unwrap_or_else(|| {
                runs::start_run(program.env(), options(many(&name, 24))).unwrap()
            });
            started.push(begun);
        }
        // On a busy computer the first call takes a while.
        while server.calls() == before && started.iter().any(|run| !run.finished.is_finished()) {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
        tokio::time::sleep(Duration::from_millis(chance.below(60))).await;
        for (program, started) in programs.iter().zip(started) {
            runs::detach_all(program.env(), Duration::from_secs(3)).await;
            // An interrupted run ends with an error, and any other run has ended by itself.
            if started.finished.await.unwrap().is_err() {
                ids.push(started.run_id);
            }
        }
        let calls = server.calls() as u64;
        assert!(calls <= 300, "{calls} calls after round {round}");
    }
    assert!(server.calls() > 20, "only {} calls", server.calls());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_budget_of_a_flow_limits_no_other_flow() {
    let server = Server::echoing(Duration::ZERO, 100).await;
    let folder = tempfile::tempdir().unwrap();
    let app = server.app(folder.path());
    // The budget is large enough for two calls, but not for the maximum cost of a third.
    set_spending_limit(app.env(), Period::Week, Some("small"), Some(0.000_185)).unwrap();
    limit(&app, Period::Day, None, 100);
    let small = run(&app, many("small", 5)).await;
    assert_eq!((small.status, server.calls()), (RunStatus::Failed, 2));
    let message = small.state.error.unwrap().message;
    assert!(message.contains("a week for \"small\""), "{message}");
    let other = run(&app, many("other", 5)).await;
    assert_eq!((other.status, server.calls()), (RunStatus::Completed, 7));
    assert_eq!(
        runs::spending_limits(app.env()).unwrap(),
        [
            SpendingLimit {
                period: Period::Day,
                flow: None,
                flow_path: None,
                usd: 0.006_2,
            },
            SpendingLimit {
                period: Period::Week,
                flow: Some("small".to_owned()),
                flow_path: None,
                usd: 0.000_185,
            },
        ]
    );
    set_spending_limit(app.env(), Period::Week, Some("small"), None).unwrap();
    let started = runs::resume_run(app.env(), resuming(&small.run_id)).unwrap();
    let done = started.finished.await.unwrap().unwrap();
    assert_eq!((done.status, server.calls()), (RunStatus::Completed, 10));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_without_a_bound_is_refused_under_a_budget_of_a_day() {
    let server = Server::echoing(Duration::ZERO, 100).await;
    let folder = tempfile::tempdir().unwrap();
    let app = server.app(folder.path());
    limit(&app, Period::Day, None, 100);
    let mut document = many("unbounded", 1);
    document["nodes"][2]["data"]["maxTokens"] = Value::Null;
    let outcome = run(&app, document).await;
    assert_eq!((outcome.status, server.calls()), (RunStatus::Failed, 0));
    let message = outcome.state.error.unwrap().message;
    assert!(message.contains("Max tokens"), "{message}");
    for usd in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let error = set_spending_limit(app.env(), Period::Day, None, Some(usd)).unwrap_err();
        assert_eq!(error.code, Code::InvalidArgument);
    }
}
