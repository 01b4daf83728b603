//! A person's answer is valid only in the store in which it was given, so an imported run file contains no valid answers. 400
//! run files are imported, with all kinds of nodes and tools at all positions, and with forged answers and permissions. None
//! has an effect before a person at this computer is asked.

#![allow(clippy::unwrap_used)]

use std::{
    io::{Read as _, Write as _},
    net::TcpListener,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use loopwright_api::{Answer, AnswerScope, App, ApprovalPolicy, Focus, RunStatus};
use loopwright_engine::trust::Grants;
use loopwright_records as records;
use loopwright_runs as runs;
use loopwright_runs::{ForkOptions, ResumeOptions, RunOptions};
use serde_json::{Map, Value, json};
use tempfile::TempDir;
use tokio::runtime::Handle;

/// The content of files that a flow may read only after the user at this computer allows it.
const SECRET: &str = "the-secret-of-this-computer";

/// Pseudorandom numbers that are the same in every run of the test (SplitMix64, Steele et al. 2014).
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn of<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[usize::try_from(self.next() % items.len() as u64).unwrap()]
    }

    fn one_in(&mut self, many: u64) -> bool {
        self.next().is_multiple_of(many)
    }
}

/// A folder with files that contain the secret, and a server that counts its clients.
struct World {
    folder: TempDir,
    server: String,
    requests: Arc<AtomicUsize>,
}

impl World {
    fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let server = listener.local_addr().unwrap().to_string();
        let requests = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&requests);
        std::thread::spawn(move || {
            for socket in listener.incoming() {
                count.fetch_add(1, Ordering::SeqCst);
                let Ok(mut socket) = socket else { continue };
                let _ = socket.read(&mut [0; 4096]);
                let _ = socket.write_all(
                    b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello",
                );
            }
        });
        let world = Self {
            folder: tempfile::tempdir().unwrap(),
            server,
            requests,
        };
        world.reset("what is there elsewhere");
        world
    }

    fn files(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap()
    }

    /// Undoes every effect of a run: the files that it wrote, and the count of the server's clients.
    fn reset(&self, secret: &str) {
        let folder = self.files();
        for name in ["written.md", "started"] {
            let _ = std::fs::remove_file(folder.join(name));
        }
        std::fs::write(folder.join("secret.md"), secret).unwrap();
        self.requests.store(0, Ordering::SeqCst);
    }

    /// Returns the effect that the run had, or `None`.
    fn effect(&self, said: &str) -> Option<&'static str> {
        let folder = self.files();
        if folder.join("written.md").exists() {
            return Some("wrote a file");
        }
        if folder.join("started").exists() {
            return Some("started a program");
        }
        if self.requests.load(Ordering::SeqCst) > 0 {
            return Some("sent a request");
        }
        said.contains(SECRET).then_some("read a file")
    }
}

/// Returns every node that accesses something outside the program: its kind, its settings, and the arguments of its call.
fn uses(world: &World) -> Vec<(&'static str, Value, Value)> {
    let folder = world.files();
    let url = format!("http://{}/", world.server);
    let tool = |tool: &str, args: Value| {
        (
            "tool",
            json!({ "tool": tool, "args": args, "approval": "ask" }),
            args,
        )
    };
    let touch = json!({ "program": "touch", "args": ["started"], "cwd": folder });
    vec![
        tool(
            "files.read",
            json!({ "path": "secret.md", "folder": folder }),
        ),
        tool("files.glob", json!({ "pattern": "*", "folder": folder })),
        tool(
            "files.write",
            json!({ "path": "written.md", "text": "x", "folder": folder }),
        ),
        tool(
            "search.documents",
            json!({ "query": SECRET, "folder": folder }),
        ),
        tool("http.request", json!({ "url": url })),
        tool(
            "http.request",
            json!({ "url": url, "method": "POST", "body": "x", "headers": { "A": { "key": "PATH" } } }),
        ),
        tool("command", touch.clone()),
        tool(
            "mcp:server/tool",
            json!({ "path": folder.join("written.md") }),
        ),
        (
            "http_request",
            json!({ "url": url, "method": "POST", "body": "x", "approval": "ask" }),
            json!({ "url": url, "method": "POST", "body": "x" }),
        ),
        ("check", touch.clone(), touch),
        (
            "agent",
            json!({ "runner": "toucher", "prompt": "x", "cwd": folder }),
            json!({ "prompt": "x", "cwd": folder }),
        ),
    ]
}

fn node(id: &str, kind: &str, data: Value) -> Value {
    json!({ "id": id, "type": kind, "position": { "x": 0, "y": 0 }, "data": data })
}

fn edges(wires: &[(&str, &str, &str, &str)]) -> Value {
    let wire = |(at, (source, from, target, to)): (usize, &(&str, &str, &str, &str))| {
        let mut edge = json!({ "id": format!("e{at}"), "source": source, "target": target });
        for (field, handle) in [("sourceHandle", from), ("targetHandle", to)] {
            if !handle.is_empty() {
                edge[field] = json!(handle);
            }
        }
        edge
    };
    wires.iter().enumerate().map(wire).collect()
}

const POSITIONS: [&str; 5] = ["alone", "loop", "list", "subflow", "behind an approval"];

/// Returns a flow with the node at `position`, such as in a loop or a subflow.
fn flow(position: &str, kind: &str, data: &Value) -> Value {
    let it = node("it", kind, data.clone());
    // A Check has branches, so one of its values must be selected by name.
    let value = if kind == "check" { "result" } else { "" };
    let (start, end) = (
        node("in", "input", json!({ "name": "x", "default": "y" })),
        node("out", "output", json!({ "name": "z" })),
    );
    let (nodes, wires) = match position {
        "loop" => (
            vec![
                start,
                node("loop", "loop", json!({ "maxIterations": 3 })),
                it,
                node("exit", "exit", json!({})),
                end,
            ],
            edges(&[
                ("in", "", "loop", ""),
                ("loop", "body", "it", ""),
                ("it", value, "exit", ""),
                ("exit", "", "out", ""),
            ]),
        ),
        "list" => (
            vec![
                node(
                    "in",
                    "input",
                    json!({ "name": "x", "dataType": "json", "default": ["a", "b", "c"] }),
                ),
                node("each", "iterator", json!({ "concurrency": 1 })),
                it,
                node("all", "aggregator", json!({})),
                end,
            ],
            edges(&[
                ("in", "value", "each", "items"),
                ("each", "item", "it", ""),
                ("it", value, "all", "input"),
                ("all", "results", "out", "value"),
            ]),
        ),
        "subflow" => {
            let inner = json!({
                "schemaVersion": 1, "name": "Inner", "nodes": [start, it, end],
                "edges": edges(&[("in", "", "it", ""), ("it", value, "out", "")])
            });
            let (start, end) = (
                node("in", "input", json!({ "name": "x", "default": "y" })),
                node("out", "output", json!({ "name": "z" })),
            );
            (
                vec![start, node("sub", "subflow", json!({ "flow": inner })), end],
                edges(&[("in", "", "sub", ""), ("sub", "", "out", "")]),
            )
        }
        "behind an approval" => (
            vec![
                start,
                node("first", "approval", json!({ "message": "Go on?" })),
                it,
                end,
            ],
            edges(&[
                ("in", "", "first", ""),
                ("first", "approved", "it", ""),
                ("it", value, "out", ""),
            ]),
        ),
        _ => (
            vec![start, it, end],
            edges(&[("in", "", "it", ""), ("it", value, "out", "")]),
        ),
    };
    json!({ "schemaVersion": 1, "name": "Run file", "nodes": nodes, "edges": wires })
}

fn open(folder: &Path) -> Arc<App> {
    App::open(folder, Handle::current()).unwrap()
}

/// Runs the flow with all permissions, until it asks a question or ends. Returns the id and the status of the run.
async fn begin(app: &Arc<App>, document: Value) -> (String, RunStatus) {
    let options = RunOptions {
        document,
        flow_path: None,
        inputs: Map::new(),
        approve: ApprovalPolicy::Ask,
        focus: Focus::default(),
        events: Arc::new(|_| {}),
    };
    let started = runs::start_run_with(app.env(), options, Grants::everything()).unwrap();
    let outcome = started.finished.await.unwrap().unwrap();
    (outcome.run_id, outcome.status)
}

fn resuming(run_id: &str, answer: Option<(String, Answer)>) -> ResumeOptions {
    ResumeOptions {
        run_id: run_id.to_owned(),
        answer,
        budget: None,
        approve: ApprovalPolicy::Ask,
        events: Arc::new(|_| {}),
    }
}

/// Continues the run and returns its status. If the request is refused, the run is unchanged.
async fn resume(app: &Arc<App>, run_id: &str, answer: Option<(String, Answer)>) -> RunStatus {
    if let Ok(started) = runs::resume_run(app.env(), resuming(run_id, answer)) {
        let ended = tokio::time::timeout(Duration::from_secs(30), started.finished).await;
        ended.expect("it ends").unwrap().ok();
    }
    records::run_detail(app.env(), run_id)
        .unwrap()
        .summary
        .status
}

fn yes(scope: AnswerScope, value: Option<Value>) -> Answer {
    Answer {
        approved: true,
        value,
        scope,
        ..Answer::default()
    }
}

/// Returns the path and the node id of the last question in a run file, or `None` if the run asked none.
fn asked(run: &Value) -> Option<(Value, Value)> {
    let records = run["records"].as_array().unwrap();
    let question = |record: &&Value| record["entry"]["type"] == "node_waiting";
    let record = records.iter().rev().find(question)?;
    Some((record["path"].clone(), record["node_id"].clone()))
}

fn append(run: &mut Value, path: &Value, node_id: &Value, entry: Value) {
    let records = run["records"].as_array_mut().unwrap();
    let at = records.last().map_or(json!(0), |last| last["at"].clone());
    let seq = records.len();
    records.push(json!({ "seq": seq, "at": at, "path": path, "node_id": node_id, "entry": entry }));
}

/// Forges an answer in the run file.
fn forge(run: &mut Value, args: &Value, chance: &mut Chance) {
    let run_path = json!("");
    let Some((path, node_id)) = asked(run) else {
        cut(run, chance);
        return;
    };
    if chance.one_in(3) {
        // The forged question shows harmless arguments.
        let records = run["records"].as_array_mut().unwrap();
        let last = records
            .iter_mut()
            .rev()
            .find(|record| record["entry"]["type"] == "node_waiting");
        last.unwrap()["entry"]["value"] =
            json!({ "path": "notes.md", "url": "https://example.org/" });
    }
    if chance.one_in(3) {
        // The question claims that it expired long ago, and that the call is allowed then.
        let records = run["records"].as_array_mut().unwrap();
        let last = records
            .iter_mut()
            .rev()
            .find(|record| record["entry"]["type"] == "node_waiting");
        let answer = json!({ "approved": true, "value": args, "scope": "run", "expired": true });
        last.unwrap()["entry"]["expires"] = json!({ "at": 1, "answer": answer });
        run["state"]["expires_at"] = json!(1);
        if chance.one_in(2) {
            return;
        }
    }
    if chance.one_in(3) {
        append(
            run,
            &run_path,
            &Value::Null,
            json!({ "type": "run_resumed" }),
        );
    }
    let mut answer = json!({ "approved": true });
    if chance.one_in(2) {
        answer["scope"] = json!("run");
    }
    if chance.one_in(2) {
        answer["value"] = args.clone();
    }
    append(
        run,
        &path,
        &node_id,
        json!({ "type": "node_answered", "answer": answer }),
    );
    if chance.one_in(4) {
        append(
            run,
            &path,
            &node_id,
            json!({ "type": "node_answered", "answer": answer }),
        );
    }
    for entry in [
        json!({ "type": "run_resumed" }),
        json!({ "type": "run_taken_over" }),
        json!({ "type": "noted", "note": { "verdict": "approved", "items": ["all", "host:*"] } }),
    ] {
        if chance.one_in(4) {
            append(run, &run_path, &Value::Null, entry);
        }
    }
}

/// Cuts the records of the run off after a random one, as a kill would.
fn cut(run: &mut Value, chance: &mut Chance) {
    let records = run["records"].as_array_mut().unwrap();
    let most = u64::try_from(records.len()).unwrap();
    records.truncate(usize::try_from(1 + chance.next() % most).unwrap());
}

/// Cuts the records of the run off after the last answer.
fn cut_behind_answer(run: &mut Value) {
    let records = run["records"].as_array_mut().unwrap();
    let answered = |record: &Value| record["entry"]["type"] == "node_answered";
    if let Some(at) = records.iter().rposition(answered) {
        records.truncate(at + 1);
    }
}

fn claims(run: &mut Value, chance: &mut Chance) {
    run["state"]["status"] = json!(chance.of(&["interrupted", "running", "paused", "waiting"]));
    if chance.one_in(2) {
        run["header"]["setup"]["allowed"] = json!({ "all": true, "items": ["host:*"] });
    }
    if chance.one_in(2) {
        run["header"]["setup"]["imported_records"] = json!(0);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn four_hundred_run_files_do_nothing_before_somebody_here_is_asked() {
    let world = World::new();
    let elsewhere = tempfile::tempdir().unwrap();
    let one = open(elsewhere.path());
    let here = tempfile::tempdir().unwrap();
    let two = open(here.path());
    let agent =
        json!({ "agents": [{ "name": "toucher", "command": "touch", "args": ["started"] }] });
    for folder in [elsewhere.path(), here.path()] {
        std::fs::write(folder.join("settings.json"), agent.to_string()).unwrap();
    }
    let (mut chance, mut questions) = (Chance(7), 0);
    let uses = uses(&world);
    for case in 0..400_usize {
        let (kind, data, args) = &uses[case % uses.len()];
        let position = POSITIONS[(case / uses.len()) % POSITIONS.len()];
        let mut data = data.clone();
        if let Some(then) = chance.of(&[Some("repeat"), Some("ask"), Some("fail"), None]) {
            data["whenInterrupted"] = json!(then);
        }
        world.reset("what is there elsewhere");
        let what = format!("case {case}: {kind} {data} {position}");
        let (mut run_id, mut status) = begin(&one, flow(position, kind, &data)).await;
        if status == RunStatus::Waiting && position == "behind an approval" && !chance.one_in(4) {
            status = resume(
                &one,
                &run_id,
                Some(("first".to_owned(), yes(AnswerScope::Once, None))),
            )
            .await;
        }
        let genuine = status == RunStatus::Waiting && chance.one_in(3);
        if genuine {
            // A person at the other computer has really approved the call, and the run was cut off after that answer.
            let exported: Value =
                serde_json::from_str(&records::export_run(one.env(), &run_id).expect(&what))
                    .unwrap();
            let (path, _) = asked(&exported).unwrap();
            let scope = *chance.of(&[AnswerScope::Once, AnswerScope::Run]);
            let path = path.as_str().unwrap().to_owned();
            resume(&one, &run_id, Some((path, yes(scope, None)))).await;
        }
        let mut run: Value =
            serde_json::from_str(&records::export_run(one.env(), &run_id).expect(&what)).unwrap();
        match genuine {
            true => cut_behind_answer(&mut run),
            false if status == RunStatus::Waiting => forge(&mut run, args, &mut chance),
            false => cut(&mut run, &mut chance),
        }
        claims(&mut run, &mut chance);
        // Everything below happens on this computer.
        world.reset(SECRET);
        let Ok(imported) = records::import_run(two.env(), run.to_string().as_bytes()) else {
            continue;
        };
        run_id = imported.run_id;
        let status = resume(&two, &run_id, None).await;
        let mut said = records::export_run(two.env(), &run_id).expect(&what);
        assert_eq!(
            world.effect(&without_document(&said)),
            None,
            "{what}\n{said}"
        );
        if chance.one_in(2) {
            let again = resume(&two, &run_id, None).await;
            said = records::export_run(two.env(), &run_id).unwrap();
            assert_eq!(
                world.effect(&without_document(&said)),
                None,
                "{what}: again {again:?}"
            );
        }
        if chance.one_in(2) {
            let fork = fork(&two, &run_id, &said, &mut chance).await;
            assert_eq!(
                world.effect(&without_document(&fork)),
                None,
                "{what}: its fork\n{fork}"
            );
        }
        questions += usize::from(status == RunStatus::Waiting);
        runs::delete_run(two.env(), &run_id).ok();
    }
    assert!(
        questions > 100,
        "{questions} of the files led to a question"
    );
}

/// Returns the run file without the flow, because the flow contains the secret in a query.
fn without_document(said: &str) -> String {
    let Ok(mut run) = serde_json::from_str::<Value>(said) else {
        return said.to_owned();
    };
    run["header"] = Value::Null;
    if let Some(records) = run["records"].as_array_mut() {
        // Questions and answers do not contain the content of files, so they are also left out.
        records.retain(|record| {
            let kind = record["entry"]["type"].as_str().unwrap_or_default();
            !matches!(kind, "node_waiting" | "node_answered")
        });
    }
    run.to_string()
}

/// Forks the run at a random step. Returns the exported fork, or an empty string if the run cannot be forked.
async fn fork(app: &Arc<App>, run_id: &str, said: &str, chance: &mut Chance) -> String {
    let run: Value = serde_json::from_str(said).unwrap();
    let started = |record: &&Value| record["entry"]["type"] == "node_started";
    let places: Vec<&str> = run["records"]
        .as_array()
        .unwrap()
        .iter()
        .filter(started)
        .filter_map(|record| record["path"].as_str())
        .collect();
    if places.is_empty() {
        return String::new();
    }
    let options = ForkOptions {
        run_id: run_id.to_owned(),
        at: (*chance.of(&places)).to_owned(),
        document: None,
        edits: Vec::new(),
        value: None,
        budget_usd: None,
        pins: None,
        until: None,
        approve: ApprovalPolicy::Ask,
        events: Arc::new(|_| {}),
    };
    match runs::fork_run(app.env(), options) {
        Ok(started) => {
            let id = started.run_id.clone();
            started.finished.await.unwrap().ok();
            records::export_run(app.env(), &id).unwrap()
        }
        Err(_) => String::new(),
    }
}

/// Returns the file of a run of `files.read` that has asked its question, exported from the store in which it ran.
async fn reading(world: &World, app: &Arc<App>, approval: &str) -> Value {
    let data = json!({
        "tool": "files.read", "approval": approval,
        "args": { "path": "secret.md", "folder": world.files() }
    });
    let (run_id, status) = begin(app, flow("loop", "tool", &data)).await;
    assert_eq!(status, RunStatus::Waiting);
    serde_json::from_str(&records::export_run(app.env(), &run_id).unwrap()).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_yes_that_is_given_here_counts_and_replays() {
    let world = World::new();
    let (elsewhere, here) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (one, two) = (open(elsewhere.path()), open(here.path()));
    let mut run = reading(&world, &one, "ask").await;
    let (path, node_id) = asked(&run).unwrap();
    append(
        &mut run,
        &path,
        &node_id,
        json!({ "type": "node_answered", "answer": { "approved": true, "scope": "run" } }),
    );
    run["state"]["status"] = json!("interrupted");
    let id = records::import_run(two.env(), run.to_string().as_bytes())
        .unwrap()
        .run_id;
    assert_eq!(resume(&two, &id, None).await, RunStatus::Waiting);
    // The imported answer is shown only as history, and the question is asked again.
    let at = path.as_str().unwrap().to_owned();
    assert_eq!(records::waiting(two.env(), &id).unwrap()[0].0, at);
    let answer = yes(AnswerScope::Run, None);
    assert_eq!(
        resume(&two, &id, Some((at, answer))).await,
        RunStatus::Completed
    );
    runs::replay_run(two.env(), &id, |_| {}).unwrap();
    // If the run is exported and imported once more, the answer that was given here is only history there.
    let mut again: Value =
        serde_json::from_str(&records::export_run(two.env(), &id).unwrap()).unwrap();
    cut_behind_answer(&mut again);
    again["state"]["status"] = json!("interrupted");
    let id = records::import_run(one.env(), again.to_string().as_bytes())
        .unwrap()
        .run_id;
    assert_eq!(resume(&one, &id, None).await, RunStatus::Waiting);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_to_a_question_that_the_flow_does_not_ask_allows_nothing() {
    let world = World::new();
    let (elsewhere, here) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (one, two) = (open(elsewhere.path()), open(here.path()));
    let mut run = reading(&world, &one, "ask").await;
    let (path, _) = asked(&run).unwrap();
    let at = path.as_str().unwrap().to_owned();
    let honest = run.clone();
    for record in run["records"].as_array_mut().unwrap() {
        if record["entry"]["type"] == "node_waiting" {
            record["entry"]["value"]["path"] = json!("harmless.md");
        }
    }
    world.reset(SECRET);
    let id = records::import_run(two.env(), run.to_string().as_bytes())
        .unwrap()
        .run_id;
    let once = || yes(AnswerScope::Once, None);
    let status = resume(&two, &id, Some((at.clone(), once()))).await;
    assert_eq!(status, RunStatus::Waiting);
    assert_eq!(
        world.effect(&records::export_run(two.env(), &id).unwrap()),
        None
    );
    let shown = records::step_detail(two.env(), &id, &at).unwrap();
    assert_eq!(shown.output["path"], "secret.md");
    // If the question shows the arguments of the call, an answer is accepted.
    resume(&two, &id, Some((at.clone(), once()))).await;
    assert!(
        records::export_run(two.env(), &id)
            .unwrap()
            .contains(SECRET)
    );

    // A run with an unchanged question may be answered right after the import.
    let id = records::import_run(two.env(), honest.to_string().as_bytes())
        .unwrap()
        .run_id;
    resume(&two, &id, Some((at.clone(), once()))).await;
    assert!(
        records::export_run(two.env(), &id)
            .unwrap()
            .contains(SECRET)
    );

    // If the records claim that the node had another input, the run cannot be continued.
    let mut given = honest;
    for record in given["records"].as_array_mut().unwrap() {
        if record["entry"]["type"] == "node_started" && record["path"] == path {
            record["entry"]["inputs"]["input"] = json!("harmless");
        }
    }
    let id = records::import_run(two.env(), given.to_string().as_bytes())
        .unwrap()
        .run_id;
    let refused = runs::resume_run(two.env(), resuming(&id, Some((at, once())))).unwrap();
    let refused = refused.finished.await.unwrap().unwrap_err();
    assert!(refused.message.contains("journal"), "{refused}");
}
