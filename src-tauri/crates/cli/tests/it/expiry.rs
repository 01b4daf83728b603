//! Questions that expire, tested with the built program. When a question expires, the program that started the run continues
//! the run, or another program does.

use std::{
    fs,
    path::PathBuf,
    process::{Command, Output, Stdio},
    thread::sleep,
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::program::plain;

const NO_SERVER: &str = "http://127.0.0.1:9";

/// The longest time for which a test waits.
const PATIENCE: Duration = Duration::from_secs(60);

struct World {
    root: TempDir,
    flow: PathBuf,
}

impl World {
    /// Creates a folder with a flow that asks for an approval. `ask` contains the settings of the Approval node.
    fn new(ask: &Value) -> Self {
        let root = tempfile::tempdir().unwrap();
        let flow = root.path().join("asks.json");
        let mut data = json!({ "message": "Publish this?" });
        data.as_object_mut()
            .unwrap()
            .extend(ask.as_object().unwrap().clone());
        let document = json!({
            "schemaVersion": 1, "name": "asks",
            "nodes": [
                { "id": "in", "type": "input", "data": { "name": "text", "default": "draft" } },
                { "id": "publish", "type": "approval", "data": data },
                { "id": "yes", "type": "output", "data": { "name": "published" } },
                { "id": "no", "type": "output", "data": { "name": "kept" } },
            ],
            "edges": [
                { "id": "1", "source": "in", "target": "publish" },
                { "id": "2", "source": "publish", "sourceHandle": "approved", "target": "yes" },
                { "id": "3", "source": "publish", "sourceHandle": "rejected", "target": "no" },
            ],
        });
        fs::write(&flow, document.to_string()).unwrap();
        Self { root, flow }
    }

    fn command(&self, args: &[&str]) -> Command {
        plain(NO_SERVER, &self.root.path().join("data"), args)
    }

    fn run(&self, args: &[&str]) -> Command {
        let flow = self.flow.to_str().unwrap();
        self.command(&[&["run", flow], args].concat())
    }

    fn said(&self, args: &[&str]) -> String {
        String::from_utf8(self.command(args).output().unwrap().stdout).unwrap()
    }

    /// Waits until the newest run has this status. Returns the run as `runs list --json` prints it.
    fn until(&self, status: &str) -> Value {
        let ends = Instant::now() + PATIENCE;
        loop {
            let runs: Value = serde_json::from_str(&self.said(&["runs", "list", "--json"]))
                .unwrap_or(Value::Null);
            if runs[0]["status"] == status {
                return runs[0].clone();
            }
            assert!(Instant::now() < ends, "the run is not {status}: {runs}");
            sleep(Duration::from_millis(100));
        }
    }
}

fn result(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"))
}

fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn a_run_without_a_terminal_continues_when_its_question_expires() {
    let world = World::new(&json!({ "expires": "PT1S" }));
    let output = world.run(&["--json"]).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert_eq!(result(&output)["outputs"], json!({ "kept": "draft" }));
    let said = errors(&output);
    assert!(said.contains("publish waits: Publish this?"), "{said}");
    assert!(said.contains("The question expires at "), "{said}");

    let value = json!({ "expires": "PT1S", "onExpiry": "value", "expiryValue": "unseen" });
    let output = World::new(&value).run(&["--json"]).output().unwrap();
    assert_eq!(result(&output)["outputs"], json!({ "published": "unseen" }));
}

#[test]
fn an_answer_of_another_program_counts_and_is_followed() {
    let world = World::new(&json!({ "expires": "PT1H", "onExpiry": "approve" }));
    let waiting = world
        .run(&["--json"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let listed = world.until("waiting");
    assert!(listed["expiresAt"].is_string(), "{listed}");
    assert!(
        world
            .said(&["waiting"])
            .contains("and then counts as approved.")
    );
    assert!(
        world
            .said(&["runs", "list"])
            .contains("the question expires at")
    );
    let answer = ["runs", "answer", "last", "--at", "publish", "--reject"];
    let answered = world.command(&answer).output().unwrap();
    assert_eq!(answered.status.code(), Some(0), "{answered:?}");
    let output = waiting.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert_eq!(result(&output)["outputs"], json!({ "kept": "draft" }));
}

#[test]
fn a_run_whose_program_was_killed_continues_with_the_next_resume() {
    let world = World::new(&json!({ "expires": "PT2S", "onExpiry": "approve" }));
    let mut killed = world.run(&[]).stdout(Stdio::null()).spawn().unwrap();
    world.until("waiting");
    killed.kill().unwrap();
    killed.wait().unwrap();
    sleep(Duration::from_secs(3));
    assert_eq!(world.until("waiting")["status"], "waiting");
    let output = world
        .command(&["runs", "resume", "last", "--json"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert_eq!(result(&output)["outputs"], json!({ "published": "draft" }));
}

#[test]
fn a_run_in_the_background_continues_when_its_question_expires() {
    let world = World::new(&json!({ "expires": "PT2S" }));
    let begun = world.run(&["--detach"]).output().unwrap();
    assert_eq!(begun.status.code(), Some(0), "{begun:?}");
    world.until("completed");
    let shown = world.said(&["runs", "show", "last", "--json"]);
    assert!(shown.contains("\"kept\""), "{shown}");
}

#[test]
fn a_tool_call_that_nobody_allows_is_refused_in_time() {
    let world = World::new(&json!({}));
    let document = json!({
        "schemaVersion": 1, "name": "looks",
        "nodes": [
            { "id": "look", "type": "tool", "data": {
                "tool": "files.glob", "args": { "folder": "/usr", "pattern": "*" }, "approval": "ask",
            } },
            { "id": "out", "type": "output", "data": { "name": "found", "format": "json" } },
        ],
        "edges": [{ "id": "1", "source": "look", "target": "out" }],
    });
    fs::write(&world.flow, document.to_string()).unwrap();
    let data = world.root.path().join("data");
    fs::create_dir_all(&data).unwrap();
    let settings = json!({ "refuseCallsAfterHours": 1.0 / 3600.0 });
    fs::write(data.join("settings.json"), settings.to_string()).unwrap();
    let output = world
        .run(&["--allow", "read:/usr", "--json"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let error = &result(&output)["error"];
    assert_eq!(error["code"], "approval_rejected", "{output:?}");
    let message = error["message"].as_str().unwrap();
    assert!(message.contains("Nobody answered in time."), "{message}");
}
