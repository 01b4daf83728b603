//! A Check on the command line, with real programs: the output and the record of a run, the messages for bad input, and the end
//! of all processes when the run is cancelled or killed.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)]

use crate::program;
use crate::programs;

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{Command, Output},
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

/// A script that ignores requests to end. It starts a child in its process group and a child in a separate session, which starts
/// another child. All three ignore such requests.
const DEAF: &str = "trap '' TERM INT HUP
echo $$ >> pids
sh -c \"trap '' TERM INT HUP; echo \\$\\$ >> pids; while :; do sleep 1; done\" &
setsid sh -c \"trap '' TERM INT HUP; echo \\$\\$ >> pids; sleep 300 & echo \\$! >> pids; while :; do sleep 1; done\" &
while :; do sleep 1; done";

/// A script whose number of failing tests is the number of lines in the file `runs`. Each start removes two lines.
const SHRINKS: &str = "for at in 1 2 3 4; do
  if [ $at -gt $(wc -l < runs) ]; then echo \"ok $at - t$at\"; else echo \"not ok $at - t$at\"; fi
done
echo 1..4
left=$(wc -l < runs)
sed -i 1,2d runs
[ $left -eq 0 ]";

struct World(tempfile::TempDir);

impl World {
    /// Creates a folder with a script for `sh` and a flow with a loop around a Check that runs it.
    fn new(script: &str, check: &Value) -> Self {
        let world = Self(tempfile::tempdir().unwrap());
        programs::write_program(&world.path("tests.sh"), &format!("#!/bin/sh\n{script}\n"));
        fs::write(world.path("runs"), "1\n2\n3\n4\n").unwrap();
        let mut data = json!({ "label": "Tests", "program": "./tests.sh" });
        for (field, value) in check.as_object().unwrap() {
            data[field] = value.clone();
        }
        let flow = json!({
            "schemaVersion": 1, "name": "Checks",
            "nodes": [
                { "id": "in", "type": "input", "data": { "name": "code", "default": "v" } },
                { "id": "repair", "type": "loop", "data": { "maxIterations": 5, "exitCondition": "evaluator" } },
                { "id": "tests", "type": "check", "data": data },
                { "id": "fix", "type": "transform", "data": { "template": "{{ input }}{{ tests.counts.failed }}" } },
                { "id": "exit", "type": "exit", "data": {} },
                { "id": "out", "type": "output", "data": { "name": "code" } }
            ],
            "edges": [
                { "id": "a", "source": "in", "target": "repair" },
                { "id": "b", "source": "repair", "sourceHandle": "body", "target": "tests" },
                { "id": "c", "source": "tests", "sourceHandle": "passed", "target": "exit" },
                { "id": "d", "source": "tests", "sourceHandle": "failed", "target": "fix" },
                { "id": "e", "source": "fix", "target": "repair", "targetHandle": "feedback" },
                { "id": "f", "source": "exit", "target": "out" }
            ]
        });
        fs::write(world.path("flow.json"), flow.to_string()).unwrap();
        world
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = program::plain("http://127.0.0.1:1/v1", &self.path("data"), args);
        command
            .env("PATH", env::var_os("PATH").unwrap())
            .env("LOOPWRIGHT_KEYCHAIN", "off")
            .current_dir(self.0.path());
        command
    }

    fn output(&self, args: &[&str]) -> (i32, String, String) {
        let Output {
            status,
            stdout,
            stderr,
        } = self.command(args).output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (status.code().unwrap(), text(stdout), text(stderr))
    }

    fn json(&self, args: &[&str]) -> Value {
        let mut command = program::program("http://127.0.0.1:1/v1", &self.path("data"), args);
        let output = command.current_dir(self.0.path()).output().unwrap();
        serde_json::from_slice(&output.stdout).unwrap()
    }

    fn lines(&self, name: &str) -> Vec<String> {
        let text = fs::read_to_string(self.path(name)).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    fn wait_for(&self, name: &str, lines: usize) {
        let began = Instant::now();
        while self.lines(name).len() < lines {
            assert!(began.elapsed() < Duration::from_secs(20), "no {name}");
            thread::sleep(Duration::from_millis(10));
        }
    }

    /// Waits until all processes of the script have ended, and returns the time that this took.
    fn until_gone(&self) -> Duration {
        let began = Instant::now();
        let lives = |pid: &String| {
            let stat = fs::read_to_string(Path::new("/proc").join(pid).join("stat"));
            stat.is_ok_and(|stat| !stat.rsplit_once(')').unwrap().1.starts_with(" Z"))
        };
        while self.lines("pids").iter().any(lives) {
            assert!(
                began.elapsed() < Duration::from_secs(3),
                "something is left"
            );
            thread::sleep(Duration::from_millis(5));
        }
        began.elapsed()
    }
}

fn signal(name: &str, pid: u32) {
    let pid = pid.to_string();
    let status = Command::new("kill").args(["-s", name, &pid]).status();
    assert!(status.unwrap().success());
}

#[test]
fn the_failures_of_each_iteration_are_shown_until_the_check_passes() {
    let world = World::new(SHRINKS, &json!({}));
    // Nothing starts before a person allows it.
    let (status, _, words) = world.output(&["run", "flow.json"]);
    let item = format!(
        "command:./tests.sh in {}",
        world.path("").canonicalize().unwrap().display()
    );
    assert_eq!(status, 2, "{words}");
    assert!(words.contains(&item), "{words}");
    assert_eq!(world.lines("runs").len(), 4);
    // The suggested argument works unchanged.
    assert!(words.contains(&format!("--allow '{item}'")), "{words}");
    let (status, out, words) = world.output(&["run", "flow.json", "--allow", &item]);
    assert_eq!((status, out.trim()), (0, "v42"), "{words}");
    let (_, shown, _) = world.output(&["runs", "show", "last"]);
    let iterations: Vec<&str> = shown
        .lines()
        .filter(|line| line.starts_with("repair["))
        .collect();
    assert_eq!(iterations.len(), 3, "{shown}");
    for (line, says) in iterations.into_iter().zip([
        "tests failed: 4 of 4 tests, not met",
        "tests failed: 2 of 4 tests, not met",
        "tests passed: 4 tests, met",
    ]) {
        assert!(line.ends_with(says), "{line}");
    }
    let (_, step, _) = world.output(&["runs", "show", "last", "--iteration", "repair[2]/tests"]);
    assert!(step.contains("failed: 2 of 4 tests\n"), "{step}");
    let step = world.json(&["runs", "show", "last", "--iteration", "repair[3]/tests"]);
    assert_eq!(
        step["checked"],
        json!({ "ok": true, "passed": 4, "failed": 0 })
    );
}

#[test]
fn bad_input_is_told_before_anything_runs() {
    for (check, says) in [
        (
            json!({ "program": "" }),
            "has no program. Write one in `program`",
        ),
        (json!({ "program": "{{ input }}" }), "can't be a template"),
        (json!({ "report": "xml" }), "`report` of \"Tests\""),
        (json!({ "args": "test" }), "`args` of \"Tests\""),
        (json!({ "okExitCodes": ["zero"] }), "okExitCodes"),
        (json!({ "timeout": "PT7H" }), "Set PT6H or less"),
        (json!({ "args": ["{{ inptu }}"] }), "inptu"),
    ] {
        let world = World::new("echo ran > ran", &check);
        for command in [
            ["validate", "flow.json"].as_slice(),
            &["run", "flow.json", "--allow", "all"],
        ] {
            let (status, out, words) = world.output(command);
            assert_eq!(status, 2, "{check}: {out}{words}");
            assert!(
                [out.as_str(), &words].concat().contains(says),
                "{check}: {out}{words}"
            );
        }
        assert!(!world.path("ran").exists());
    }
    let world = World::new("exit 0", &json!({ "programme": "x" }));
    let (_, out, _) = world.output(&["validate", "flow.json"]);
    assert!(
        out.contains("programme") && out.contains("program"),
        "{out}"
    );
}

#[test]
fn a_program_that_is_not_there_or_takes_too_long_fails_the_node() {
    for (script, check, says) in [
        (
            "exit 0",
            json!({ "program": "no-such-program" }),
            "There is no program `no-such-program`",
        ),
        (
            "exit 0",
            json!({ "program": "npm test" }),
            "each of its arguments into `args`",
        ),
        ("exit 0", json!({ "cwd": "nowhere" }), "There is no folder"),
        ("sleep 60", json!({ "timeout": "PT1S" }), "1 s"),
    ] {
        let world = World::new(script, &check);
        let (status, _, words) = world.output(&["run", "flow.json", "--allow", "all"]);
        assert_eq!(status, 1, "{check}: {words}");
        assert!(words.contains(says), "{check}: {words}");
        let (_, shown, _) = world.output(&["runs", "show", "last"]);
        assert!(shown.contains("failed"), "{shown}");
    }
}

#[test]
fn nothing_of_a_deaf_program_is_left_when_its_run_is_cancelled() {
    let world = World::new(DEAF, &json!({}));
    let mut child = world
        .command(&["run", "flow.json", "--allow", "all"])
        .spawn()
        .unwrap();
    world.wait_for("pids", 4);
    let asked = Instant::now();
    signal("INT", child.id());
    assert_eq!(child.wait().unwrap().code(), Some(4));
    world.until_gone();
    let took = asked.elapsed();
    println!("gone {} ms after it was cancelled", took.as_millis());
    assert!(took < Duration::from_secs(3), "{took:?}");
}

#[test]
fn a_check_that_a_kill_cut_off_asks_unless_it_is_read_only() {
    // The script hangs the first time.
    let hangs =
        "echo $$ >> pids\nif [ ! -e once ]; then : > once; sleep 300; fi\necho again >> again";
    for (check, status, again) in [
        (json!({}), 5, 0),
        (json!({ "readOnly": true }), 0, 1),
        (json!({ "whenInterrupted": "repeat" }), 0, 1),
        (json!({ "readOnly": true, "whenInterrupted": "fail" }), 1, 0),
    ] {
        let world = World::new(hangs, &check);
        let mut child = world
            .command(&["run", "flow.json", "--allow", "all"])
            .spawn()
            .unwrap();
        world.wait_for("pids", 1);
        signal("KILL", child.id());
        child.wait().unwrap();
        let took = world.until_gone();
        println!("gone {} ms after a kill", took.as_millis());
        let (resumed, out, words) = world.output(&["runs", "resume", "last"]);
        assert_eq!(resumed, status, "{check}: {out}{words}");
        assert_eq!(world.lines("again").len(), again, "{check}");
        if status == 5 {
            let answer = [
                "runs",
                "answer",
                "last",
                "--at",
                "repair[1]/tests",
                "--approve",
            ];
            let (answered, out, words) = world.output(&answer);
            assert_eq!((answered, out.trim()), (0, "v"), "{words}");
            assert_eq!(world.lines("again").len(), 1);
        }
    }
}
