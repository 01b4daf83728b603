//! The program is asked to end (SIGTERM, SIGHUP) or killed (SIGKILL) at any instant of a run with an agent and an MCP server.
//! The agent and the server have children that leave their process group and ignore signals.
//!
//! No process is left three seconds later. If the program was asked to end, its run is cancelled. If it was killed, its run is
//! resumed, and no call with a recorded outcome is repeated.
//!
//! The test tries a few instants by default, and 200 with `LOOPWRIGHT_TORTURE=all`, which `npm run torture` sets.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)]

use crate::program;
use crate::programs;

use std::{
    collections::BTreeMap,
    env, fs,
    io::{BufRead as _, BufReader},
    path::{Path, PathBuf},
    process::{Command, ExitStatus},
    sync::{
        Mutex,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

/// An agent that returns its prompt, and hangs once it receives SIGTERM. Two of its children ignore SIGTERM and end when the
/// agent ends; one of these is in a separate session. A third child, also in a separate session, does not end.
const AGENT: &str = r#"#!/bin/sh
trap '' HUP
trap 'hangs=1' TERM
read -r prompt
echo "$prompt" >> agent.log
echo $$ >> pids
stay="trap '' TERM HUP; echo \$\$ >> pids; while [ ! -e done.$$ ]; do sleep 0.02; done"
sh -c "$stay" &
setsid sh -c "$stay" &
(trap - TERM; exec setsid sh -c 'echo $$ >> pids; exec sleep 300') &
sleep 0.1
while [ -n "$hangs" ]; do sleep 1; done
: > done.$$
printf '{"result":"%s"}\n' "$prompt"
"#;

/// A server with one tool, which returns its text. It starts a child in a separate session and ignores SIGTERM.
const SERVER: &str = r#"#!/bin/sh
trap '' TERM HUP
echo $$ >> pids
(trap - TERM; exec setsid sh -c 'echo $$ >> pids; exec sleep 300') > /dev/null 2>&1 &
while read -r line; do
    id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
    answer() { printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$1"; }
    case "$line" in
    *'"initialize"'*) answer '{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}' ;;
    *'"tools/list"'*) answer '{"tools":[{"name":"echo","description":"Gives back its text.","inputSchema":{"type":"object","properties":{"text":{"type":"string"}}}}]}' ;;
    *'"tools/call"'*)
        text=$(printf '%s' "$line" | sed -n 's/.*"text":"\([x]*\)".*/\1/p')
        echo "$text" >> server.log
        sleep 0.05
        answer "{\"content\":[{\"type\":\"text\",\"text\":\"$text\"}]}" ;;
    *'"id"'*) printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no"}}\n' "$id" ;;
    esac
done
"#;

fn node(id: &str, kind: &str, data: Value) -> Value {
    json!({ "id": id, "type": kind, "position": { "x": 0, "y": 0 }, "data": data })
}

/// Returns a flow with a loop of three iterations. In each, an agent adds an `x` to its input, and a server's tool returns the
/// result.
fn flow(folder: &Path) -> Value {
    json!({
        "schemaVersion": 1, "name": "Endings",
        "nodes": [
            node("in", "input", json!({ "name": "text", "default": "x" })),
            node("work", "loop", json!({ "maxIterations": 3, "exitCondition": "max_iterations" })),
            node("code", "agent", json!({
                "runner": "mine", "cwd": folder, "session": "fresh", "prompt": "{{ input }}x", "whenInterrupted": "repeat"
            })),
            node("echo", "tool", json!({
                "tool": "mcp:mine/echo", "args": { "text": "{{ input }}" }, "approval": "auto", "whenInterrupted": "repeat"
            })),
            node("exit", "exit", json!({})),
            node("out", "output", json!({ "name": "text" }))
        ],
        "edges": [
            { "id": "a", "source": "in", "target": "work" },
            { "id": "b", "source": "work", "sourceHandle": "body", "target": "code" },
            { "id": "c", "source": "code", "target": "echo" },
            { "id": "d", "source": "echo", "target": "exit" },
            { "id": "e", "source": "exit", "target": "out" }
        ]
    })
}

/// A folder with the flow, its agent and its server.
struct World {
    folder: tempfile::TempDir,
}

impl World {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path();
        programs::write_program(&at.join("agent.sh"), AGENT);
        programs::write_program(&at.join("server.sh"), SERVER);
        fs::create_dir(at.join("data")).unwrap();
        let settings = json!({
            "agents": [{ "name": "mine", "command": at.join("agent.sh"), "responseField": "result" }],
            "mcpServers": [{ "name": "mine", "command": at.join("server.sh"), "cwd": at }]
        });
        fs::write(at.join("data/settings.json"), settings.to_string()).unwrap();
        fs::write(at.join("flow.json"), flow(at).to_string()).unwrap();
        Self { folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = program::program("http://127.0.0.1:1/v1", &self.path("data"), args);
        command
            .env("PATH", env::var_os("PATH").unwrap())
            .env("LOOPWRIGHT_KEYCHAIN", "off")
            .current_dir(self.folder.path());
        command
    }

    fn json(&self, args: &[&str]) -> Result<Value, String> {
        let output = self.command(args).output().unwrap();
        serde_json::from_slice(&output.stdout).map_err(|error| {
            let words = String::from_utf8_lossy(&output.stderr);
            format!("{args:?}: {error} ({}): {words}", output.status)
        })
    }

    /// Returns the started processes that are alive.
    fn living(&self) -> Vec<String> {
        let pids = fs::read_to_string(self.path("pids")).unwrap_or_default();
        pids.lines()
            .filter(|pid| {
                fs::read_to_string(format!("/proc/{pid}/stat"))
                    .is_ok_and(|stat| !stat.rsplit_once(')').unwrap().1.starts_with(" Z"))
            })
            .map(str::to_owned)
            .collect()
    }

    /// Returns how often each text occurs in a program's log, that is, how often the program was called with it.
    fn asked(&self, log: &str) -> BTreeMap<String, usize> {
        let mut counts = BTreeMap::new();
        for line in fs::read_to_string(self.path(log))
            .unwrap_or_default()
            .lines()
        {
            *counts.entry(line.to_owned()).or_default() += 1;
        }
        counts
    }

    /// Runs the program for the time `instant`, then sends the signal. Returns the exit status, the time until no process was
    /// left, and the steps that the program had reported as recorded.
    fn signalled(
        &self,
        instant: Duration,
        signal: &str,
    ) -> Result<(ExitStatus, Duration, Vec<String>), String> {
        let mut child = self
            .command(&["run", "flow.json", "--allow", "all", "--events"])
            .spawn()
            .unwrap();
        let out = BufReader::new(child.stdout.take().unwrap());
        let reader = thread::spawn(move || {
            let events = out.lines().map_while(Result::ok);
            let events = events.filter_map(|line| serde_json::from_str::<Value>(&line).ok());
            events
                .filter(|event| event["type"] == "workflow.node.completed")
                .filter_map(|event| event["path"].as_str().map(str::to_owned))
                .collect::<Vec<_>>()
        });
        thread::sleep(instant);
        let sent = Instant::now();
        let pid = child.id().to_string();
        // The process may have ended. Its id is not reused before the parent has waited for it, so the signal cannot reach
        // another process.
        Command::new("kill")
            .args(["-s", signal, &pid])
            .status()
            .unwrap();
        let status = child.wait().unwrap();
        while !self.living().is_empty() {
            if sent.elapsed() > Duration::from_secs(3) {
                return Err(format!("{:?} still live", self.living()));
            }
            thread::sleep(Duration::from_millis(10));
        }
        Ok((status, sent.elapsed(), reader.join().unwrap()))
    }
}

/// Returns the pseudorandom number with this index, for an instant. It is the same in every run of the test (SplitMix64, Steele
/// et al. 2014).
fn random(number: u64) -> u64 {
    let mut z = number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Tests one signal at one instant. Returns the final status of the run, and the time until its processes ended.
fn one(instant: Duration, signal: &str) -> Result<(String, Duration), String> {
    let world = World::new();
    let (status, took, recorded) = world.signalled(instant, signal)?;
    let listed = world.json(&["runs", "list"])?;
    let before = listed[0]["status"].as_str().unwrap_or("no run").to_owned();
    let expected = matches!(
        (before.as_str(), signal, status.code()),
        ("no run" | "completed", _, _)
            | ("interrupted", "KILL", None)
            | ("cancelled", "TERM" | "HUP", Some(4))
    );
    if !expected {
        return Err(format!(
            "the run is {before}, and the program ended with {status}"
        ));
    }
    if before != "interrupted" {
        return Ok((before, took));
    }
    let result = world.json(&["runs", "resume", "last"])?;
    if result["status"] != "completed" || result["outputs"]["text"] != "xxxx" {
        return Err(format!("it came to {result:#}"));
    }
    for (log, step) in [("agent.log", "code"), ("server.log", "echo")] {
        let asked = world.asked(log);
        for iteration in 1..=3 {
            let count = asked.get(&"x".repeat(iteration + 1)).copied().unwrap_or(0);
            let path = format!("work[{iteration}]/{step}");
            let most = if recorded.contains(&path) { 1 } else { 2 };
            if !(1..=most).contains(&count) {
                return Err(format!(
                    "{path} was called {count} times; recorded: {recorded:?}"
                ));
            }
        }
    }
    match world.living() {
        left if left.is_empty() => Ok((before, took)),
        left => Err(format!("after it was resumed {left:?} live")),
    }
}

#[test]
fn nothing_is_left_whenever_and_however_it_ends() {
    let all = env::var("LOOPWRIGHT_TORTURE").is_ok_and(|value| value == "all");
    let instants: u64 = if all { 200 } else { 9 };
    let world = World::new();
    let began = Instant::now();
    let straight = world.json(&["run", "flow.json", "--allow", "all"]).unwrap();
    let took = began.elapsed();
    assert_eq!(straight["outputs"]["text"], "xxxx", "{straight:#}");
    assert!(world.living().is_empty());

    let next = AtomicU64::new(0);
    let longest = AtomicUsize::new(0);
    let counts: Mutex<BTreeMap<String, usize>> = Mutex::default();
    let failed: Mutex<Vec<String>> = Mutex::default();
    thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::SeqCst);
                    if number >= instants {
                        return;
                    }
                    let signal = ["TERM", "HUP", "KILL"][(number % 3) as usize];
                    let instant = took.mul_f64((random(number) % 10_000) as f64 / 10_000.0 * 1.1);
                    match one(instant, signal) {
                        Ok((became, took)) => {
                            let kind = format!("SIG{signal}, {became}");
                            *counts.lock().unwrap().entry(kind).or_default() += 1;
                            longest.fetch_max(took.as_millis() as usize, Ordering::SeqCst);
                        }
                        Err(why) => {
                            failed
                                .lock()
                                .unwrap()
                                .push(format!("SIG{signal} after {instant:?}: {why}"));
                        }
                    }
                }
            });
        }
    });
    println!(
        "{instants} endings of a run of {took:?}: {:?}; nothing was left after {} ms at most",
        counts.into_inner().unwrap(),
        longest.into_inner()
    );
    let failed = failed.into_inner().unwrap();
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// A run that was started with `nohup` must not end when its terminal closes.
#[test]
fn an_ignored_hangup_stays_ignored() {
    let world = World::new();
    let command = world.command(&["run", "flow.json", "--allow", "all"]);
    let args = command
        .get_args()
        .map(|arg| arg.to_str().unwrap().to_owned());
    let mut nohup = world.command(&[]);
    let mut nohup = Command::new("nohup")
        .arg(command.get_program())
        .args(args)
        .env_clear()
        .envs(
            nohup
                .env("NO", "")
                .get_envs()
                .filter_map(|(name, value)| Some((name, value?))),
        )
        .current_dir(world.folder.path())
        .stdin(std::process::Stdio::null())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let began = Instant::now();
    while world.asked("agent.log").is_empty() {
        assert!(
            began.elapsed() < Duration::from_secs(20),
            "no agent was started"
        );
        thread::sleep(Duration::from_millis(5));
    }
    Command::new("kill")
        .args(["-s", "HUP", &nohup.id().to_string()])
        .status()
        .unwrap();
    let mut out = String::new();
    std::io::Read::read_to_string(nohup.stdout.as_mut().unwrap(), &mut out).unwrap();
    assert!(nohup.wait().unwrap().success(), "{out}");
}

/// The second signal ends the program immediately, even if the first has not taken effect yet.
#[test]
fn asked_twice_it_ends_at_once_and_its_programs_all_the_same() {
    let world = World::new();
    // The agent hangs, so the run does not end unless it is stopped.
    programs::write_program(
        &world.path("agent.sh"),
        &AGENT.replace("sleep 0.1", "sleep 300"),
    );
    let mut child = world
        .command(&["run", "flow.json", "--allow", "all"])
        .spawn()
        .unwrap();
    let began = Instant::now();
    while world.living().len() < 4 {
        assert!(
            began.elapsed() < Duration::from_secs(20),
            "no agent was started"
        );
        thread::sleep(Duration::from_millis(5));
    }
    let pid = child.id().to_string();
    let began = Instant::now();
    for _ in 0..2 {
        Command::new("kill")
            .args(["-s", "TERM", &pid])
            .status()
            .unwrap();
        thread::sleep(Duration::from_millis(30));
    }
    assert_eq!(child.wait().unwrap().code(), Some(4));
    while !world.living().is_empty() {
        assert!(
            began.elapsed() < Duration::from_secs(3),
            "{:?} live",
            world.living()
        );
        thread::sleep(Duration::from_millis(10));
    }
}
