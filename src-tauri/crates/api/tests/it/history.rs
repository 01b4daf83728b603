//! The history of past runs in the whole program: runs are found, counted, and read in pages.

#![allow(clippy::unwrap_used)]

use std::{path::Path, sync::Arc};

use loopwright_api::{App, ApprovalPolicy, EventBody, Focus, RunStatus};
use loopwright_engine::journal::{Journal, Select};
use loopwright_experiments as experiments;
use loopwright_journal::SqliteJournal;
use loopwright_records as records;
use loopwright_records::RunQuery;
use loopwright_runs as runs;
use loopwright_runs::{Code, RunOptions, RunOutcome};
use serde_json::{Map, Value, json};

fn open(folder: &Path) -> Arc<App> {
    App::open(folder, tokio::runtime::Handle::current()).unwrap()
}

/// Returns a flow with a loop of `passes` iterations over two nodes, and nodes before and after the loop.
fn repeats(name: &str, passes: u32) -> Value {
    let edge = |id: &str, source: &str, handle: &str, target: &str| json!({ "id": id, "source": source, "sourceHandle": handle, "target": target });
    json!({
        "schemaVersion": 1, "name": name, "settings": { "maxIterationsCeiling": 1000 },
        "nodes": [
            { "id": "in", "type": "input", "data": { "name": "text" } },
            { "id": "refine", "type": "loop", "data": { "maxIterations": passes } },
            { "id": "one", "type": "transform", "data": { "template": "{{ input }}" } },
            { "id": "two", "type": "transform", "data": { "template": "{{ input }} ({{ loopCount }})" } },
            { "id": "exit", "type": "exit", "data": {} },
            { "id": "out", "type": "output", "data": { "name": "result" } }
        ],
        "edges": [
            edge("1", "in", "value", "refine"), edge("2", "refine", "body", "one"), edge("3", "one", "output", "two"),
            edge("4", "two", "output", "exit"), edge("5", "exit", "output", "out")
        ]
    })
}

async fn run(app: &Arc<App>, document: Value, text: &str) -> String {
    let outcome = ended(app, document, text).await;
    assert_eq!(outcome.status, RunStatus::Completed);
    outcome.run_id
}

async fn ended(app: &Arc<App>, document: Value, text: &str) -> RunOutcome {
    let inputs = Map::from_iter([("text".to_owned(), json!(text))]);
    let started = runs::start_run(
        app.env(),
        RunOptions {
            document,
            flow_path: None,
            inputs,
            approve: ApprovalPolicy::Ask,
            focus: Focus::default(),
            events: Arc::new(|_| {}),
        },
    )
    .unwrap();
    started.finished.await.unwrap().unwrap()
}

#[tokio::test]
async fn a_run_has_the_name_and_the_star_that_it_was_given() {
    let folder = tempfile::tempdir().unwrap();
    let app = open(folder.path());
    let one = run(&app, repeats("Flow", 1), "x").await;
    let other = run(&app, repeats("Flow", 1), "y").await;
    records::rename_run(app.env(), &one, "  The best\n  so far ").unwrap();
    records::star_run(app.env(), &one, true).unwrap();
    let detail = records::run_detail(app.env(), &one).unwrap().summary;
    assert_eq!(
        (detail.name.as_deref(), detail.starred),
        (Some("The best so far"), true)
    );
    let found = |query: RunQuery| records::find_runs(app.env(), &query).unwrap().runs;
    let starred = found(RunQuery {
        starred: Some(true),
        ..all()
    });
    assert_eq!(starred, [detail]);
    let named = found(RunQuery {
        text: "best far".to_owned(),
        ..all()
    });
    assert_eq!(named.len(), 1);
    let error = records::rename_run(app.env(), &one, &"x".repeat(201)).unwrap_err();
    assert_eq!(error.code, Code::InvalidArgument);
    records::rename_run(app.env(), &one, " ").unwrap();
    records::star_run(app.env(), &one, false).unwrap();
    for run in found(all()) {
        assert_eq!((run.name, run.starred), (None, false));
    }
    records::rename_run(app.env(), &other, &"x".repeat(200)).unwrap();
    let error = records::star_run(app.env(), "none", true).unwrap_err();
    assert_eq!(error.code, Code::NotFound);
}

fn all() -> RunQuery {
    RunQuery {
        limit: 10,
        ..RunQuery::default()
    }
}

#[tokio::test]
async fn runs_are_found_by_what_came_in_and_out() {
    let folder = tempfile::tempdir().unwrap();
    let app = open(folder.path());
    let one = run(&app, repeats("First flow", 2), "herrings").await;
    let two = run(&app, repeats("Second flow", 3), "mackerel").await;
    let found = |query: RunQuery| -> Vec<String> {
        let page = records::find_runs(app.env(), &query).unwrap();
        assert_eq!(page.tally.runs as usize, page.runs.len());
        page.runs.into_iter().map(|run| run.run_id).collect()
    };
    let text = |text: &str| RunQuery {
        text: text.to_owned(),
        ..all()
    };
    assert_eq!(found(text("HERRING")), [one.as_str()]);
    assert_eq!(found(text("(1) (2) (3)")), [two.as_str()]);
    assert_eq!(found(text("flow")), [two.as_str(), one.as_str()]);
    let flow = Some("First flow".to_owned());
    assert_eq!(found(RunQuery { flow, ..all() }), [one.as_str()]);
    let flows = records::run_flows(app.env()).unwrap();
    assert_eq!(
        (flows.len(), flows[0].flow.as_str(), flows[0].runs),
        (2, "First flow", 1)
    );
    let info = records::store_info(app.env()).unwrap();
    assert_eq!(info.runs, 2);
    assert!(info.bytes > 0, "{info:?}");

    assert_eq!(records::run_id(app.env(), "last").unwrap(), two);
    assert_eq!(records::run_id(app.env(), &one).unwrap(), one);
    // Ids begin with the time of their creation, so the two runs have the same first characters.
    assert_eq!(
        records::run_id(app.env(), &one[..2]).unwrap_err().code,
        Code::InvalidArgument
    );
    assert_eq!(
        records::run_id(app.env(), "no-such").unwrap_err().code,
        Code::NotFound
    );
    // An empty string, which a script passes if a variable is not set, is a prefix of every id.
    for empty in ["", " "] {
        assert_eq!(
            records::run_id(app.env(), empty).unwrap_err().code,
            Code::InvalidArgument
        );
        let experiment = experiments::find_experiment(app.experiments(), empty).unwrap_err();
        assert_eq!(experiment.code, Code::InvalidArgument);
    }
}

#[tokio::test]
async fn a_run_that_was_lost_is_found_as_interrupted() {
    let folder = tempfile::tempdir().unwrap();
    let app = open(folder.path());
    let lost = run(&app, repeats("Lost", 3), "a").await;
    // The state that a program leaves if it is killed in the third iteration.
    let journal = SqliteJournal::open(&folder.path().join("runs.db"))
        .unwrap()
        .journal;
    let (header, _) = journal.run(&lost).unwrap();
    let records = journal.read(&lost, Select::All).unwrap();
    let third = records
        .iter()
        .position(|record| record.path == "refine[3]/one")
        .unwrap();
    journal.delete(&lost).unwrap();
    journal.create(&header).unwrap();
    journal.append(&lost, &records[..=third]).unwrap();
    let interrupted = RunQuery {
        statuses: vec![RunStatus::Interrupted],
        ..all()
    };
    let page = records::find_runs(app.env(), &interrupted).unwrap();
    assert_eq!(page.runs.len(), 1);
    assert_eq!(page.runs[0].run_id, lost);
    assert_eq!(page.runs[0].iterations, Some(2), "those that are finished");
}

/// Several pages query the runs at once when the window starts. Each query checks whether a program leads a run, and these
/// checks must not disturb each other.
#[tokio::test]
async fn lost_runs_are_found_by_all_who_ask_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let app = open(folder.path());
    let journal = SqliteJournal::open(&folder.path().join("runs.db"))
        .unwrap()
        .journal;
    let mut lost = Vec::new();
    for _ in 0..20 {
        let run_id = run(&app, repeats("Lost", 1), "a").await;
        let (header, mut state) = journal.run(&run_id).unwrap();
        state.status = RunStatus::Running;
        lost.push((header.run_id, state));
    }
    let interrupted = RunQuery {
        statuses: vec![RunStatus::Interrupted],
        ..all()
    };
    // Two programs on one folder, with two pages each.
    let apps = [&app, &app, &open(folder.path()), &app];
    for _ in 0..10 {
        for (run_id, state) in &lost {
            journal.set_state(run_id, state).unwrap();
        }
        let ready = std::sync::Barrier::new(apps.len());
        std::thread::scope(|scope| {
            let asked = apps.map(|app| {
                scope.spawn(|| {
                    ready.wait();
                    records::find_runs(app.env(), &interrupted)
                        .unwrap()
                        .tally
                        .runs
                })
            });
            for found in asked {
                assert_eq!(found.join().unwrap(), 20);
            }
        });
    }
}

/// A model call that was running when the program was killed is counted, although no record contains its usage.
#[tokio::test]
async fn a_call_that_a_kill_cut_off_is_counted() {
    let folder = tempfile::tempdir().unwrap();
    let app = open(folder.path());
    let calls = json!({
        "schemaVersion": 1, "name": "Calls",
        "nodes": [
            { "id": "in", "type": "input", "data": { "name": "text" } },
            { "id": "draft", "type": "llm", "data": { "provider": "builtin", "builtin": "reviser", "prompt": "{{ input }}" } },
            { "id": "out", "type": "output", "data": { "name": "result" } }
        ],
        "edges": [
            { "id": "1", "source": "in", "target": "draft" },
            { "id": "2", "source": "draft", "target": "out" }
        ]
    });
    let lost = run(&app, calls, "a").await;
    let journal = SqliteJournal::open(&folder.path().join("runs.db"))
        .unwrap()
        .journal;
    let (header, _) = journal.run(&lost).unwrap();
    let records = journal.read(&lost, Select::All).unwrap();
    for (last, counts) in [("in", (0, 0)), ("draft", (1, 1))] {
        // Two states that a kill can leave: after the model node has started, and before.
        let begun = records
            .iter()
            .position(|record| record.path == last)
            .unwrap();
        journal.delete(&lost).unwrap();
        journal.create(&header).unwrap();
        journal.append(&lost, &records[..=begun]).unwrap();
        let page = records::find_runs(app.env(), &all()).unwrap();
        let usage = page.runs[0].usage;
        assert_eq!(page.runs[0].status, RunStatus::Interrupted);
        assert_eq!((usage.calls, usage.cut_off_calls), counts, "{last}");
        assert_eq!(usage.cost_usd, Some(0.0), "built-in models are free");
    }
}

#[tokio::test]
async fn a_long_run_is_read_piece_by_piece() {
    let folder = tempfile::tempdir().unwrap();
    let app = open(folder.path());
    let id = run(&app, repeats("Long", 120), "a").await;
    let outline = records::run_outline(app.env(), &id).unwrap();
    let mut paths: Vec<&str> = outline.iter().map(|event| event.path.as_str()).collect();
    paths.dedup();
    assert_eq!(paths, ["", "in", "refine", "exit", "out", ""]);

    let page = records::run_iterations(app.env(), &id, "refine", 100, 10).unwrap();
    assert_eq!(page.total, 120);
    let indices: Vec<u32> = page.iterations.iter().map(|one| one.index).collect();
    assert_eq!(indices, (100..110).collect::<Vec<_>>());
    assert!(page.iterations[0].result_preview.starts_with("a (1) (2)"));

    let events = records::iteration_events(app.env(), &id, "refine", 99, 2).unwrap();
    let came_in: Vec<String> = events
        .iter()
        .filter_map(|event| match &event.body {
            EventBody::Iteration { input_preview, .. } => Some(input_preview.text()),
            _ => None,
        })
        .collect();
    let before = records::run_iterations(app.env(), &id, "refine", 98, 2).unwrap();
    let went_out: Vec<&str> = before
        .iterations
        .iter()
        .map(|one| one.result_preview.as_str())
        .collect();
    assert_eq!(came_in, went_out);
    assert!(matches!(events[0].body, EventBody::Iteration { .. }));
    assert!(events.is_sorted_by_key(|event| event.seq));
    let completed: Vec<&str> = events
        .iter()
        .filter(|event| matches!(event.body, EventBody::NodeCompleted { .. }))
        .map(|event| event.path.as_str())
        .collect();
    let expected = [
        "refine[100]/one",
        "refine[100]/two",
        "refine[101]/one",
        "refine[101]/two",
    ];
    assert_eq!(completed, expected);
    assert!(
        records::iteration_events(app.env(), &id, "refine", 120, 5)
            .unwrap()
            .is_empty()
    );
    assert_eq!(
        records::run_iterations(app.env(), "none", "refine", 0, 1)
            .unwrap_err()
            .code,
        Code::NotFound
    );
}

#[tokio::test]
async fn the_loops_of_a_subflow_that_is_tried_again_are_those_of_the_last_attempt() {
    let folder = tempfile::tempdir().unwrap();
    let app = open(folder.path());
    let mut inner = repeats("Inner", 2);
    // The node after the loop has a time limit of zero, so each attempt fails once the loop is done.
    let nodes = inner["nodes"].as_array_mut().unwrap();
    nodes.push(json!({ "id": "late", "type": "subflow", "data": {
        "timeout": "PT0S", "flow": repeats("Late", 1)
    } }));
    inner["edges"][4] = json!({ "id": "5", "source": "exit", "target": "late" });
    let last = json!({ "id": "6", "source": "late", "target": "out" });
    inner["edges"].as_array_mut().unwrap().push(last);
    let document = json!({
        "nodes": [
            { "id": "in", "type": "input", "data": { "name": "text" } },
            { "id": "sub", "type": "subflow", "data": {
                "flow": inner, "retry": { "type": "fixed", "count": 2, "interval": "PT0S" }
            } },
            { "id": "out", "type": "output", "data": { "name": "result" } }
        ],
        "edges": [{ "id": "1", "source": "in", "target": "sub" }, { "id": "2", "source": "sub", "target": "out" }]
    });
    let outcome = ended(&app, document, "a").await;
    assert_eq!(outcome.status, RunStatus::Failed);
    assert_eq!(outcome.state.error.unwrap().code, "timeout");
    let loops = records::run_loops(app.env(), &outcome.run_id).unwrap();
    let none = json!({ "calls": 0, "inputTokens": 0, "outputTokens": 0, "costUsd": 0.0 });
    let once = json!({
        "count": 2, "exitReason": "max_iterations", "exhausted": false, "similarity": [],
        "iterations": ["a (1)", "a (1) (2)"],
        "usage": [none, none]
    });
    assert_eq!(loops, json!({ "sub/refine": once }));
}
