//! `run --detach`: a run in a separate process. Other processes follow, pause, stop and resume it.
#![cfg(unix)]

use std::{
    fs,
    path::PathBuf,
    process::{Command, Output},
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::{program::plain, server::Server, show::slow};

/// The time that a model takes to answer.
const PAUSE: Duration = Duration::from_millis(500);

struct World {
    server: Server,
    root: tempfile::TempDir,
}

impl World {
    fn new() -> Self {
        Self {
            server: Server::start(PAUSE),
            root: tempfile::tempdir().unwrap(),
        }
    }

    fn data(&self) -> PathBuf {
        self.root.path().join("data")
    }

    fn command(&self, args: &[&str]) -> Command {
        plain(&self.server.url, &self.data(), args)
    }

    fn run(&self, args: &[&str]) -> Output {
        self.command(args).output().unwrap()
    }

    /// Starts the flow in the background, and returns the run's id.
    fn detach(&self, flow: &Value) -> String {
        let file = self.root.path().join("flow.json");
        fs::write(&file, flow.to_string()).unwrap();
        let output = self.run(&["run", file.to_str().unwrap(), "--detach"]);
        assert!(output.status.success(), "{output:?}");
        let id = String::from_utf8(output.stdout).unwrap().trim().to_owned();
        assert_eq!(id.len(), 36, "{id}");
        id
    }

    fn status(&self, run: &str) -> String {
        let shown = self.run(&["runs", "show", run, "--json"]).stdout;
        let shown: Value = serde_json::from_slice(&shown).unwrap();
        shown["status"].as_str().unwrap().to_owned()
    }

    fn until(&self, run: &str, status: &str) {
        let ends = Instant::now() + Duration::from_secs(30);
        while self.status(run) != status {
            assert!(
                Instant::now() < ends,
                "{} instead of {status}",
                self.status(run)
            );
            thread::sleep(Duration::from_millis(50));
        }
    }
}

#[test]
fn a_run_in_the_background_is_followed_to_its_end() {
    let world = World::new();
    let run = world.detach(&slow());
    assert_eq!(world.status(&run), "running");
    let watched = world.run(&["runs", "watch", &run, "--events"]);
    assert!(watched.status.success(), "{watched:?}");
    let said = String::from_utf8(watched.stdout).unwrap();
    let events: Vec<Value> = said
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect();
    assert!(
        events
            .iter()
            .any(|event| event["type"] == "workflow.started"),
        "{said}"
    );
    assert_eq!(world.status(&run), "completed");
    // A run that is over can also be watched.
    let again = String::from_utf8(world.run(&["runs", "watch", &run, "--events"]).stdout).unwrap();
    assert_eq!(again, said);
}

#[test]
fn another_process_pauses_stops_and_resumes_it() {
    let world = World::new();
    let run = world.detach(&slow());
    let paused = world.run(&["runs", "pause", &run]);
    assert!(paused.status.success(), "{paused:?}");
    assert_eq!(world.status(&run), "paused");
    let resumed = world.run(&["runs", "resume", &run]);
    assert!(resumed.status.success(), "{resumed:?}");
    assert_eq!(world.status(&run), "completed");

    let other = world.detach(&slow());
    let stopped = world.run(&["runs", "stop", &other]);
    assert!(stopped.status.success(), "{stopped:?}");
    assert_eq!(world.status(&other), "cancelled");
    // Nothing is left of the requests.
    let requests = world.data().join("requests");
    assert_eq!(fs::read_dir(requests).unwrap().count(), 0);
}

/// Finds the process that leads a run. Its arguments include the data folder.
fn leader_of(world: &World) -> i32 {
    let data = world.data();
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let leads = processes.filter_map(|entry| {
        let pid: i32 = entry.file_name().to_str()?.parse().ok()?;
        let args = fs::read(entry.path().join("cmdline")).ok()?;
        let args = String::from_utf8_lossy(&args).into_owned();
        (args.contains("\0lead\0") && args.contains(data.to_str()?)).then_some(pid)
    });
    leads.min().expect("a process leads the run")
}

#[cfg(target_os = "linux")]
#[test]
fn a_process_that_ends_leaves_a_run_that_can_be_resumed() {
    for signal in ["TERM", "HUP", "KILL"] {
        let world = World::new();
        let run = world.detach(&slow());
        let pid = leader_of(&world).to_string();
        let killed = Command::new("kill")
            .args([&format!("-{signal}"), &pid])
            .status();
        assert!(killed.unwrap().success());
        world.until(&run, "interrupted");
        // A program that follows the run sees this.
        let watched = world.run(&["runs", "watch", &run]);
        assert!(!watched.status.success(), "{watched:?}");
        let resumed = world.run(&["runs", "resume", &run]);
        assert!(resumed.status.success(), "{signal}: {resumed:?}");
    }
}

#[test]
fn a_run_that_cannot_start_says_so_here() {
    let world = World::new();
    let flow = json!({
        "schemaVersion": 1, "name": "reads",
        "nodes": [
            { "id": "look", "type": "tool", "data": {
                "tool": "files.glob", "args": { "folder": "/usr", "pattern": "*" }, "approval": "auto",
            } },
            { "id": "out", "type": "output", "data": { "name": "found", "format": "json" } },
        ],
        "edges": [{ "id": "1", "source": "look", "target": "out" }],
    });
    let file = world.root.path().join("reads.json");
    fs::write(&file, flow.to_string()).unwrap();
    let refused = world.run(&["run", file.to_str().unwrap(), "--detach"]);
    assert_eq!(refused.status.code(), Some(2), "{refused:?}");
    let said = String::from_utf8(refused.stderr).unwrap();
    assert!(said.contains("read:/usr"), "{said}");
    let allowed = [
        "run",
        file.to_str().unwrap(),
        "--detach",
        "--allow",
        "read:/usr",
        "--json",
    ];
    let started = world.run(&allowed);
    let started: Value = serde_json::from_slice(&started.stdout).unwrap();
    world.until(started["runId"].as_str().unwrap(), "completed");
    let nothing = world.run(&["lead"]);
    assert_eq!(nothing.status.code(), Some(2), "{nothing:?}");
}
