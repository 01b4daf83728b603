//! `--keep-awake` and `--notify` on a private bus on which the test stands in for the desktop.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)]

use std::{
    fs,
    path::PathBuf,
    process::{Command, Output},
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::{
    mock_desktop::{Manner, MockDesktop},
    program,
    server::Server,
};

const HELD: &str = "inhibit idle by Loopwright because Runs are active, block";

/// The address of a bus that does not exist.
const NO_BUS: &str = "unix:path=/nonexistent/bus";

fn node(id: &str, kind: &str, data: Value) -> Value {
    json!({ "id": id, "type": kind, "position": { "x": 0, "y": 0 }, "data": data })
}

/// Returns a flow that asks a model once.
fn asking(data: Value) -> Value {
    json!({
        "schemaVersion": 1, "name": "Essay",
        "nodes": [
            node("in", "input", json!({ "name": "text", "default": "a secret topic" })),
            node("ask", "llm", data),
            node("out", "output", json!({ "name": "text" })),
        ],
        "edges": [
            { "id": "a", "source": "in", "target": "ask" },
            { "id": "b", "source": "ask", "target": "out" },
        ],
    })
}

struct World {
    folder: tempfile::TempDir,
    server: Server,
}

impl World {
    /// Creates a folder with a flow, for a server that answers after `pause`.
    fn new(flow: &Value, pause: Duration) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("data")).unwrap();
        fs::write(folder.path().join("flow.json"), flow.to_string()).unwrap();
        Self {
            folder,
            server: Server::start(pause),
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn settings(&self, settings: &Value) {
        fs::write(self.path("data/settings.json"), settings.to_string()).unwrap();
    }

    /// Returns `loopwright run flow.json OPTIONS`, with the bus at `address` as both the session bus and the system bus.
    fn run(&self, address: &str, options: &[&str]) -> Command {
        let args = [&["run", "flow.json"], options].concat();
        self.command(address, &args)
    }

    fn command(&self, address: &str, args: &[&str]) -> Command {
        let mut command = program::plain(&self.server.url, &self.path("data"), args);
        command
            .env("LOOPWRIGHT_KEYCHAIN", "off")
            .env("DBUS_SESSION_BUS_ADDRESS", address)
            .env("DBUS_SYSTEM_BUS_ADDRESS", address)
            .current_dir(self.folder.path());
        command
    }
}

fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn the_computer_is_kept_awake_during_a_run_and_released_at_its_end() {
    let world = World::new(&asking(json!({})), Duration::from_millis(600));
    let desktop = MockDesktop::start(Manner::Answers);
    let output = world.run(&desktop.address, &[]).output().unwrap();
    assert!(output.status.success(), "{}", errors(&output));
    assert!(desktop.log().is_empty(), "{:?}", desktop.log());
    let mut child = world
        .run(&desktop.address, &["--keep-awake"])
        .spawn()
        .unwrap();
    desktop.wait_for(HELD);
    assert!(child.wait().unwrap().success());
    assert_eq!(desktop.wait_for("released"), [HELD, "released"]);
}

#[test]
fn a_program_that_is_killed_releases_the_computer() {
    let world = World::new(&asking(json!({})), Duration::from_secs(600));
    let desktop = MockDesktop::start(Manner::Answers);
    let mut child = world
        .run(&desktop.address, &["--keep-awake"])
        .spawn()
        .unwrap();
    desktop.wait_for(HELD);
    thread::sleep(Duration::from_millis(200));
    assert_eq!(desktop.log(), [HELD]);
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(desktop.wait_for("released"), [HELD, "released"]);
}

#[test]
fn a_run_that_only_waits_for_a_long_pause_lets_the_computer_sleep() {
    let mut flow = asking(json!({}));
    flow["nodes"][1] = node(
        "ask",
        "loop",
        json!({ "maxIterations": 2, "exitCondition": "max_iterations", "delay": { "type": "fixed", "interval": "PT5M" } }),
    );
    let nodes = flow["nodes"].as_array_mut().unwrap();
    nodes.push(node("draft", "llm", json!({})));
    nodes.push(node("exit", "exit", json!({})));
    flow["edges"] = json!([
        { "id": "a", "source": "in", "target": "ask" },
        { "id": "b", "source": "ask", "sourceHandle": "body", "target": "draft" },
        { "id": "c", "source": "draft", "target": "exit" },
        { "id": "d", "source": "exit", "target": "out" },
    ]);
    let world = World::new(&flow, Duration::from_millis(300));
    let desktop = MockDesktop::start(Manner::Answers);
    let mut child = world
        .run(&desktop.address, &["--keep-awake"])
        .spawn()
        .unwrap();
    assert_eq!(desktop.wait_for("released"), [HELD, "released"]);
    assert!(child.try_wait().unwrap().is_none(), "the run has ended");
    assert_eq!(world.server.calls(), 1);
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn a_computer_that_cannot_be_kept_awake_is_one_warning_and_no_delay() {
    let mut flow = asking(json!({}));
    // The run is active twice, and idle in between.
    flow["nodes"][1]["data"] = json!({ "retry": { "type": "none" } });
    let world = World::new(&flow, Duration::from_millis(300));
    let absent = MockDesktop::start(Manner::Absent);
    for address in [NO_BUS, &absent.address] {
        let output = world.run(address, &["--keep-awake"]).output().unwrap();
        let errors = errors(&output);
        assert!(output.status.success(), "{errors}");
        let warnings = errors.matches("can't be kept awake").count();
        assert_eq!(warnings, 1, "{errors}");
    }
    // A desktop that never answers delays neither the run nor the end of the program.
    let silent = MockDesktop::start(Manner::Silent);
    let began = Instant::now();
    let output = world
        .run(&silent.address, &["--keep-awake", "--notify"])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", errors(&output));
    assert!(
        began.elapsed() < Duration::from_secs(15),
        "{:?}",
        began.elapsed()
    );
}

#[test]
fn a_person_is_notified_of_an_end_a_failure_and_a_question_without_texts_of_the_run() {
    let desktop = MockDesktop::start(Manner::Answers);
    let address = &desktop.address;
    let done = World::new(&asking(json!({})), Duration::ZERO);
    assert!(done.run(address, &[]).output().unwrap().status.success());
    assert!(desktop.log().is_empty(), "{:?}", desktop.log());
    assert!(
        done.run(address, &["--notify"])
            .output()
            .unwrap()
            .status
            .success()
    );
    let failing = asking(
        json!({ "provider": "openai", "model": "x", "retry": { "type": "none" }, "timeout": "PT0.2S" }),
    );
    let failing = World::new(&failing, Duration::from_secs(600));
    let output = failing.run(address, &["--notify"]).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", errors(&output));
    let mut flow = asking(json!({}));
    flow["nodes"][1] = node(
        "ask",
        "approval",
        json!({ "message": "Publish the secret?" }),
    );
    flow["edges"][1]["sourceHandle"] = json!("approved");
    let waiting = World::new(&flow, Duration::ZERO);
    let output = waiting.run(address, &["--notify"]).output().unwrap();
    assert_eq!(output.status.code(), Some(5), "{}", errors(&output));
    // The run is answered in another program, which knows the name of the run's flow.
    let answer = [
        "runs",
        "answer",
        "last",
        "--at",
        "ask",
        "--approve",
        "--notify",
    ];
    assert!(
        waiting
            .command(address, &answer)
            .output()
            .unwrap()
            .status
            .success()
    );
    let log = desktop.log();
    let texts: Vec<&str> = log
        .iter()
        .map(|line| line.split_once(": ").unwrap().1)
        .collect();
    assert_eq!(
        texts,
        [
            "“Essay” is done | It ran for 0 s. |  | 1",
            "“Essay” failed | It failed after 0 s, at the step ask. |  | 1",
            "“Essay” waits for you | The step ask needs an answer. |  | 2",
            "“Essay” is done | It ran for 0 s. |  | 1",
        ]
    );
}

#[test]
fn the_persons_own_command_gets_the_news_as_json() {
    let world = World::new(&asking(json!({})), Duration::ZERO);
    let news = world.path("news.jsonl");
    let program =
        |script: &str| json!({ "program": "/bin/sh", "args": ["-c", script, "sh", news] });
    let append = program("cat >> \"$1\"");
    let notify = |notifications: Value| {
        world.settings(&json!({ "notifications": notifications }));
        let output = world.run(NO_BUS, &["--notify", "--json"]).output().unwrap();
        assert!(output.status.success(), "{}", errors(&output));
        let result: Value = serde_json::from_slice(&output.stdout).unwrap();
        (result, errors(&output))
    };
    let (run, _) = notify(json!({ "command": append }));
    notify(json!({ "command": append, "texts": true }));
    let lines = fs::read_to_string(&news).unwrap();
    let lines: Vec<Value> = lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let [quiet, texts] = &lines[..] else {
        panic!("{lines:?}");
    };
    assert_eq!(
        *quiet,
        json!({
            "version": 1, "kind": "completed", "run": run["runId"], "flow": "Essay", "step": null,
            "title": "“Essay” is done", "text": "It ran for 0 s.", "seconds": 0, "detail": null,
        })
    );
    assert!(texts["detail"].as_str().unwrap().contains(' '), "{texts}");
    let (_, told) = notify(json!({ "command": program("echo no such host >&2; exit 3") }));
    assert!(
        told.contains("The notify command `/bin/sh` failed (exit status: 3): no such host"),
        "{told}"
    );
    let (_, told) = notify(json!({ "command": { "program": "/nonexistent/notify", "args": [] } }));
    assert!(told.contains("could not be started"), "{told}");
}
