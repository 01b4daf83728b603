//! An agent as the body of a loop. The agent's session continues from iteration to iteration and ends with the loop. No
//! program is started before a person approves it. If a program cannot continue a session, a warning says so before the run.
#![cfg(unix)]

use std::{fs, path::Path, sync::Arc};

use loopwright_api as api;
use loopwright_api::{App, ApprovalPolicy, Focus, RunStatus};
use loopwright_engine::trust::Grants;
use loopwright_records as records;
use loopwright_runs as runs;
use loopwright_runs::{AgentRunner, Code, RunOptions, RunOutcome};
use serde_json::{Map, Value, json};
use tokio::runtime::Handle;

use crate::programs;

/// An agent that prints the id of the session that it continues, and counts the sessions that it starts.
const PROGRAM: &str = r#"#!/bin/sh
cat > /dev/null
if [ -n "$2" ]; then session=$2; else echo x >> begun; session=s$(wc -l < begun | tr -d ' '); fi
printf '{"result":"%s","session":"%s"}\n' "${2:-none}" "$session"
"#;

/// An agent that corrects code in two turns of one session. Its second answer passes the tests.
const PROGRAMMER: &str = r#"#!/bin/sh
grep -q "REVIEW:" || exit 1
sign="+"; if [ "$2" = s1 ]; then sign="*"; fi
cat <<END
{"result":"local function double(x)\n  return x $sign 2\nend","session":"s1"}
END
"#;

fn open(folder: &Path, resumes: bool) -> Arc<App> {
    open_with(folder, PROGRAM, resumes)
}

fn open_with(folder: &Path, content: &str, resumes: bool) -> Arc<App> {
    let program = folder.join("agent.sh");
    programs::write_program(&program, content);
    let app = App::open(&folder.join("data"), Handle::current()).unwrap();
    let mut settings = app.env().settings();
    settings.agents = vec![AgentRunner {
        name: "mine".to_owned(),
        command: program.display().to_string(),
        resume_args: if resumes {
            vec!["--resume".to_owned(), "{session}".to_owned()]
        } else {
            Vec::new()
        },
        response_field: Some("result".to_owned()),
        session_field: Some("session".to_owned()),
        ..AgentRunner::default()
    }];
    api::save_settings(app.env(), settings).unwrap();
    app
}

fn node(id: &str, kind: &str, data: Value) -> Value {
    json!({ "id": id, "type": kind, "position": { "x": 0, "y": 0 }, "data": data })
}

fn looping(session: &str) -> Value {
    json!({
        "schemaVersion": 1, "name": "Agent",
        "nodes": [
            node("in", "input", json!({ "name": "task", "default": "Go" })),
            node("work", "loop", json!({ "maxIterations": 3, "exitCondition": "max_iterations" })),
            node("code", "agent", json!({ "runner": "mine", "cwd": ".", "session": session, "prompt": "Do it." })),
            node("exit", "exit", json!({})),
            node("out", "output", json!({ "name": "result" }))
        ],
        "edges": [
            { "id": "a", "source": "in", "target": "work" },
            { "id": "b", "source": "work", "sourceHandle": "body", "target": "code" },
            { "id": "c", "source": "code", "target": "exit" },
            { "id": "d", "source": "exit", "target": "out" }
        ]
    })
}

fn options(document: &Value, folder: &Path) -> RunOptions {
    RunOptions {
        document: document.clone(),
        flow_path: Some(folder.join("flow.json").display().to_string()),
        inputs: Map::new(),
        approve: ApprovalPolicy::None,
        focus: Focus::default(),
        events: Arc::new(|_| {}),
    }
}

async fn run(app: &Arc<App>, document: &Value, folder: &Path) -> RunOutcome {
    let path = folder.join("flow.json").display().to_string();
    let list = runs::grants(app.env(), document.clone(), Some(&path)).unwrap();
    let items: Grants = list.needs.into_iter().map(|need| need.item).collect();
    let started = runs::start_run_with(app.env(), options(document, folder), items).unwrap();
    started.finished.await.unwrap().unwrap()
}

fn responses(app: &App, outcome: &RunOutcome) -> Vec<Value> {
    let step = |index: u32| {
        let path = format!("work[{index}]/code");
        records::step_detail(app.env(), &outcome.run_id, &path)
            .unwrap()
            .output
    };
    (1..=3).map(step).collect()
}

#[tokio::test]
async fn a_session_continues_within_its_loop_and_ends_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let folder = fs::canonicalize(folder.path()).unwrap();
    let app = open(&folder, true);
    let flow = looping("resume");
    let Err(error) = runs::start_run(app.env(), options(&flow, &folder)) else {
        panic!("it was started");
    };
    assert_eq!(error.code, Code::NotApproved);
    assert!(
        error
            .message
            .contains("agent.sh [resumed: --resume {session}] in "),
        "{error}"
    );
    assert!(!folder.join("begun").exists());

    let first = run(&app, &flow, &folder).await;
    assert_eq!(
        first.status,
        RunStatus::Completed,
        "{:?}",
        first.state.error
    );
    assert_eq!(
        responses(&app, &first),
        [json!("none"), json!("s1"), json!("s1")]
    );
    runs::replay_run(app.env(), &first.run_id, |_| {}).unwrap();
    // Another run has another session.
    let second = run(&app, &flow, &folder).await;
    assert_eq!(
        responses(&app, &second),
        [json!("none"), json!("s2"), json!("s2")]
    );
    let fresh = run(&app, &looping("fresh"), &folder).await;
    assert_eq!(
        responses(&app, &fresh),
        [json!("none"), json!("none"), json!("none")]
    );
    assert!(fresh.state.warnings.is_empty());
}

#[tokio::test]
async fn a_program_without_sessions_is_reported_before_the_run() {
    let folder = tempfile::tempdir().unwrap();
    let folder = fs::canonicalize(folder.path()).unwrap();
    let app = open(&folder, false);
    let codes = |document: &Value| -> Vec<String> {
        let problems = runs::validate(app.env(), document, None).unwrap();
        problems.into_iter().map(|problem| problem.code).collect()
    };
    assert_eq!(codes(&looping("resume")), ["session_not_kept"]);
    assert!(codes(&looping("fresh")).is_empty());
    let outcome = run(&app, &looping("resume"), &folder).await;
    assert_eq!(
        outcome.status,
        RunStatus::Completed,
        "{:?}",
        outcome.state.error
    );
    assert_eq!(outcome.state.warnings[0].code, "session_not_kept");
    assert_eq!(
        responses(&app, &outcome),
        [json!("none"), json!("none"), json!("none")]
    );
}

/// Runs the bundled template `code-review-loop`, with its model replaced by an agent that corrects the code.
#[tokio::test]
async fn the_code_review_loop_can_correct_by_an_agent() {
    let folder = tempfile::tempdir().unwrap();
    let folder = fs::canonicalize(folder.path()).unwrap();
    let app = open_with(&folder, PROGRAMMER, true);
    let mut document = api::template(app.env(), "code-review-loop")
        .unwrap()
        .document;
    let fix = document["nodes"]
        .as_array_mut()
        .unwrap()
        .iter_mut()
        .find(|node| node["id"] == "fix")
        .unwrap();
    let prompt = fix["data"]["prompt"].clone();
    fix["type"] = json!("agent");
    fix["data"] = json!({ "runner": "mine", "cwd": ".", "session": "resume", "prompt": prompt });
    let given = json!({
        "code": "local function double(x)\n  return x ** 2\nend",
        "tests": "assert(double(5) == 10, \"twice five is ten\")\nreturn \"1 test passed\""
    });
    let mut options = options(&document, &folder);
    options.inputs = given.as_object().unwrap().clone();
    let list = runs::grants(app.env(), document.clone(), options.flow_path.as_deref()).unwrap();
    let items: Grants = list.needs.into_iter().map(|need| need.item).collect();
    let started = runs::start_run_with(app.env(), options, items).unwrap();
    let outcome = started.finished.await.unwrap().unwrap();
    assert_eq!(
        outcome.status,
        RunStatus::Completed,
        "{:?}",
        outcome.state.error
    );
    assert_eq!(outcome.state.iterations, Some(3));
    assert_eq!(
        outcome.state.outputs.unwrap()["code"],
        "local function double(x)\n  return x * 2\nend"
    );
}

/// An agent that reports what it does, and is slow enough that its transcript has several parts.
const TALKER: &str = r#"#!/bin/sh
prompt=$(cat)
echo "I look at $prompt"
sleep 0.7
echo "Something is odd." >&2
printf '{"result":"done %s"}\n' "$prompt"
"#;

/// Returns a flow with a loop of agents, and a person who decides after the loop.
fn talking() -> Value {
    let mut flow = looping("fresh");
    let nodes = flow["nodes"].as_array_mut().unwrap();
    nodes[1]["data"]["maxIterations"] = json!(2);
    nodes[2]["data"]["prompt"] = json!("part {{ loops.work.loopCount }}");
    nodes.push(node("ask", "approval", json!({ "message": "Good?" })));
    let edges = flow["edges"].as_array_mut().unwrap();
    edges[3] = json!({ "id": "d", "source": "exit", "target": "ask" });
    edges.push(json!({ "id": "e", "source": "ask", "sourceHandle": "approved", "target": "out" }));
    flow
}

/// Returns the text of each entry in a step's transcript.
fn said(app: &App, run_id: &str, path: &str) -> Vec<String> {
    let transcript = records::transcript(app.env(), run_id, path).unwrap();
    assert!(transcript.turns.len() <= 1, "{transcript:?}");
    let entries = transcript.turns.into_iter().flat_map(|turn| turn.entries);
    entries
        .map(|entry| entry.output.unwrap_or(entry.text))
        .collect()
}

#[tokio::test]
async fn a_transcript_is_recorded_and_kept_by_resume_replay_and_fork() {
    let folder = tempfile::tempdir().unwrap();
    let folder = fs::canonicalize(folder.path()).unwrap();
    let app = open_with(&folder, TALKER, false);
    let flow = talking();
    let path = folder.join("flow.json").display().to_string();
    let list = runs::grants(app.env(), flow.clone(), Some(&path)).unwrap();
    let digest = list.digest.clone();
    let items: Vec<String> = list.needs.into_iter().map(|need| need.item).collect();
    runs::approve(app.env(), flow.clone(), Some(&path), &digest, &items).unwrap();
    let heard = Arc::new(std::sync::Mutex::new(Vec::new()));
    let into = Arc::clone(&heard);
    let options = RunOptions {
        approve: ApprovalPolicy::Ask,
        events: Arc::new(move |event: &api::Event| into.lock().unwrap().push(event.clone())),
        ..options(&flow, &folder)
    };
    let started = runs::start_run(app.env(), options).unwrap();
    let waiting = started.finished.await.unwrap().unwrap();
    assert_eq!(
        waiting.status,
        RunStatus::Waiting,
        "{:?}",
        waiting.state.error
    );
    let run_id = waiting.run_id;
    let expected = |part: &str| vec![format!("I look at {part}"), "Something is odd.".to_owned()];
    let check = |run_id: &str| {
        assert_eq!(said(&app, run_id, "work[1]/code"), expected("part 1"));
        assert_eq!(said(&app, run_id, "work[2]/code"), expected("part 2"));
        assert!(said(&app, run_id, "work").is_empty());
    };
    check(&run_id);
    // The line was shown while the agent worked, before it ended.
    let events = heard.lock().unwrap().clone();
    let at = |found: &dyn Fn(&api::EventBody) -> bool| {
        events
            .iter()
            .position(|event| event.path == "work[1]/code" && found(&event.body))
            .unwrap()
    };
    let line = at(
        &|body| matches!(body, api::EventBody::NodeActivity { line, entries: 1, .. } if line == "said I look at part 1"),
    );
    let end = at(&|body| matches!(body, api::EventBody::NodeCompleted { .. }));
    assert!(line < end);

    let answered = runs::resume_run(
        app.env(),
        runs::ResumeOptions {
            run_id: run_id.clone(),
            answer: Some((
                "ask".to_owned(),
                loopwright_engine::Answer {
                    approved: true,
                    ..Default::default()
                },
            )),
            budget: None,
            approve: ApprovalPolicy::Ask,
            events: Arc::new(|_| {}),
        },
    )
    .unwrap();
    let outcome = answered.finished.await.unwrap().unwrap();
    assert_eq!(
        outcome.status,
        RunStatus::Completed,
        "{:?}",
        outcome.state.error
    );
    check(&run_id);
    runs::replay_run(app.env(), &run_id, |_| {}).unwrap();
    check(&run_id);

    let forked = runs::fork_run(
        app.env(),
        runs::ForkOptions {
            run_id: run_id.clone(),
            at: "work[2]/code".to_owned(),
            document: None,
            edits: Vec::new(),
            value: None,
            budget_usd: None,
            pins: None,
            until: None,
            approve: ApprovalPolicy::Ask,
            events: Arc::new(|_| {}),
        },
    )
    .unwrap();
    let outcome = forked.finished.await.unwrap().unwrap();
    assert_eq!(
        outcome.status,
        RunStatus::Waiting,
        "{:?}",
        outcome.state.error
    );
    assert_ne!(outcome.run_id, run_id);
    check(&outcome.run_id);
}

/// An agent whose usage limit is reached in its first turn.
const LIMITED: &str = r#"#!/bin/sh
cat > /dev/null
echo x >> begun
if [ "$(wc -l < begun | tr -d ' ')" = 1 ]; then echo "You've hit your usage limit. Try again in 2 seconds." >&2; exit 1; fi
printf '{"result":"done","session":"s1"}\n'
"#;

#[tokio::test]
async fn an_agent_waits_for_its_usage_limit_if_its_work_may_be_repeated() {
    for (interrupted, status, turns) in [
        ("repeat", RunStatus::Completed, 2),
        ("ask", RunStatus::Failed, 1),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let folder = fs::canonicalize(folder.path()).unwrap();
        let app = open_with(&folder, LIMITED, true);
        let document = json!({
            "schemaVersion": 1, "name": "Limited",
            "nodes": [
                node("in", "input", json!({ "name": "task", "default": "Go" })),
                node("code", "agent", json!({
                    "runner": "mine", "cwd": ".", "prompt": "Do it.", "session": "fresh", "whenInterrupted": interrupted
                })),
                node("out", "output", json!({ "name": "result" }))
            ],
            "edges": [
                { "id": "a", "source": "in", "target": "code" },
                { "id": "b", "source": "code", "target": "out" }
            ]
        });
        let outcome = run(&app, &document, &folder).await;
        assert_eq!(outcome.status, status, "{interrupted}: {outcome:?}");
        let begun = fs::read_to_string(folder.join("begun")).unwrap();
        assert_eq!(begun.lines().count(), turns, "{interrupted}");
        let events = records::run_events(app.env(), &outcome.run_id).unwrap();
        let waits = events.iter().filter_map(|event| match &event.body {
            loopwright_api::EventBody::NodeParked { name, .. } => Some(name.as_str()),
            _ => None,
        });
        assert_eq!(waits.count(), turns - 1, "{interrupted}");
    }
}
