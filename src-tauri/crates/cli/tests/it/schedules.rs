//! `schedule`: what it writes, when it runs and when it refuses to. A script stands in for `systemctl` and notes its arguments.
#![cfg(target_os = "linux")]

use std::{
    fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::{program::plain, server::Server, show::slow};

fn node(id: &str, kind: &str, data: Value) -> Value {
    json!({ "id": id, "type": kind, "position": { "x": 0, "y": 0 }, "data": data })
}

/// Returns a flow that answers with its input.
fn echo() -> Value {
    json!({
        "schemaVersion": 1, "name": "Echo",
        "nodes": [
            node("in", "input", json!({ "name": "text", "default": "hello" })),
            node("out", "output", json!({ "name": "text" })),
        ],
        "edges": [{ "id": "a", "source": "in", "target": "out" }],
    })
}

struct World {
    root: tempfile::TempDir,
    server: Server,
}

impl World {
    fn new(flow: &Value) -> Self {
        let root = tempfile::tempdir().unwrap();
        for folder in ["bin", "my data"] {
            fs::create_dir(root.path().join(folder)).unwrap();
        }
        let world = Self {
            root,
            server: Server::start(Duration::from_millis(500)),
        };
        world.write_flow(flow);
        world.systemctl("exit 0");
        world
    }

    fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    fn write_flow(&self, flow: &Value) {
        fs::write(self.path("flow.json"), flow.to_string()).unwrap();
    }

    /// Writes the program that stands in for `systemctl`.
    fn systemctl(&self, ending: &str) {
        let path = self.path("bin/systemctl");
        let log = self.path("systemctl.log");
        let script = format!("#!/bin/sh\necho \"$@\" >> '{}'\n{ending}\n", log.display());
        fs::write(&path, script).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut all = vec!["schedule"];
        all.extend(args);
        let mut command = plain(&self.server.url, &self.path("my data"), &all);
        let search = format!("{}:/usr/bin:/bin", self.path("bin").display());
        command
            .env("PATH", search)
            .env("XDG_CONFIG_HOME", self.path("config"))
            .current_dir(self.root.path());
        command
    }

    fn run(&self, args: &[&str]) -> Output {
        self.command(args).output().unwrap()
    }

    fn json(&self, args: &[&str]) -> Value {
        let output = self.command(args).arg("--json").output().unwrap();
        serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"))
    }

    fn add(&self, name: &str, more: &[&str]) {
        let output = self.run(&[&["add", name, "flow.json"], more].concat());
        assert_eq!(output.status.code(), Some(0), "{output:?}");
    }

    fn unit(&self, name: &str) -> String {
        fs::read_to_string(self.path("config/systemd/user").join(name)).unwrap()
    }

    /// Changes the stored schedule.
    fn change(&self, name: &str, change: impl FnOnce(&mut Value)) {
        let path = self.path("my data/schedules").join(format!("{name}.json"));
        let mut schedule: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        change(&mut schedule);
        fs::write(path, schedule.to_string()).unwrap();
    }

    fn firings(&self, name: &str) -> Vec<Value> {
        let shown = self.json(&["show", name]);
        shown["firings"].as_array().unwrap().clone()
    }
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn of_programs_that_add_one_name_at_once_one_succeeds() {
    let world = World::new(&echo());
    let programs: Vec<_> = ["01:00", "02:00", "03:00", "04:00"]
        .map(|at| {
            let mut command = world.command(&["add", "nightly", "flow.json", "--at", at]);
            command.stdout(Stdio::piped()).stderr(Stdio::piped());
            command.spawn().unwrap()
        })
        .into_iter()
        .collect();
    let outputs: Vec<Output> = programs
        .into_iter()
        .map(|program| program.wait_with_output().unwrap())
        .collect();
    let (added, refused): (Vec<&Output>, Vec<&Output>) =
        outputs.iter().partition(|output| output.status.success());
    assert_eq!(added.len(), 1, "{outputs:?}");
    for output in refused {
        assert_eq!(output.status.code(), Some(2));
        assert!(said(output).contains("already exists"), "{output:?}");
    }
}

#[test]
fn a_schedule_is_added_listed_and_removed() {
    let world = World::new(&echo());
    world.add(
        "nightly",
        &[
            "--at",
            "02:00",
            "--input",
            "text=good night",
            "--budget-usd",
            "5",
        ],
    );
    let data = world.path("my data");
    let service = world.unit("loopwright-schedule-nightly.service");
    let program = env!("CARGO_BIN_EXE_loopwright");
    assert!(
        service.contains(&format!(
            "ExecStart=:\"{program}\" --data-dir \"{}\" schedule fire nightly\n",
            data.display()
        )),
        "{service}"
    );
    let timer = world.unit("loopwright-schedule-nightly.timer");
    assert!(
        timer.contains("OnCalendar=*-*-* 02:00:00\nPersistent=true\n"),
        "{timer}"
    );
    let log = || fs::read_to_string(world.path("systemctl.log")).unwrap();
    assert_eq!(
        log().lines().collect::<Vec<_>>(),
        [
            "--user daemon-reload",
            "--user clean --what=state loopwright-schedule-nightly.timer",
            "--user enable --now loopwright-schedule-nightly.timer",
        ]
    );
    let file = data.join("schedules/nightly.json");
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o077, 0);
    let rows = world.json(&["list"]);
    assert_eq!(rows[0]["name"], "nightly");
    assert_eq!(rows[0]["budgetUsd"], 5.0);
    assert_eq!(rows[0]["last"], Value::Null);
    assert!(rows[0]["next"].is_string(), "{rows}");
    let again = world.run(&["add", "nightly", "flow.json", "--every", "PT1H"]);
    assert_eq!(again.status.code(), Some(2));
    assert!(said(&again).contains("schedule remove nightly"));

    let ran = world.json(&["run-now", "nightly"]);
    assert_eq!(ran["outputs"]["text"], "good night");
    let run = ran["runId"].as_str().unwrap();
    let args = ["runs", "show", run, "--json"];
    let shown = plain(&world.server.url, &data, &args).output().unwrap();
    let shown: Value = serde_json::from_slice(&shown.stdout).unwrap();
    assert_eq!(shown["schedule"], "nightly");
    let listed = plain(&world.server.url, &data, &["runs", "list", "--json"]);
    let listed: Value = serde_json::from_slice(&{ listed }.output().unwrap().stdout).unwrap();
    assert_eq!(listed[0]["schedule"], "nightly");

    fs::remove_file(world.path("systemctl.log")).unwrap();
    let removed = world.run(&["remove", "nightly"]);
    assert_eq!(removed.status.code(), Some(0), "{removed:?}");
    assert!(log().starts_with("--user disable --now loopwright-schedule-nightly.timer\n"));
    assert_eq!(
        fs::read_dir(world.path("config/systemd/user"))
            .unwrap()
            .count(),
        0
    );
    assert_eq!(world.json(&["list"]), json!([]));
    // The history stays.
    let firings = world.firings("nightly");
    assert_eq!(firings[0]["status"], "completed");
    assert_eq!(firings[0]["runId"], run);
    let gone = world.run(&["run-now", "nightly"]);
    assert_eq!(gone.status.code(), Some(2));
}

#[test]
fn without_a_user_manager_the_files_are_written_and_a_note_says_how_to_start() {
    let world = World::new(&echo());
    world.systemctl("echo 'Failed to connect to bus: No medium found' >&2; exit 1");
    let output = world.run(&["add", "n", "flow.json", "--cron", "0 2 13 * 5"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let words = said(&output);
    assert!(
        words.contains("Failed to connect to bus: No medium found"),
        "{words}"
    );
    assert!(
        words.contains("systemctl --user enable --now loopwright-schedule-n.timer"),
        "{words}"
    );
    assert!(words.contains("loginctl enable-linger"), "{words}");
    let timer = world.unit("loopwright-schedule-n.timer");
    assert!(timer.contains("OnCalendar=*-*-13 02:00:00\nOnCalendar=Fri *-*-* 02:00:00\n"));
}

#[test]
fn times_that_were_missed_run_once() {
    let world = World::new(&echo());
    world.add("n", &["--every", "PT1H"]);
    // The schedule was added four hours ago, and the computer has been off since.
    let hour = 3_600_000;
    world.change("n", |schedule| {
        let added = schedule["createdAt"].as_i64().unwrap();
        schedule["createdAt"] = json!(added - 4 * hour);
    });
    let fired = world.run(&["fire", "n"]);
    assert_eq!(fired.status.code(), Some(0), "{fired:?}");
    let firings = world.firings("n");
    assert_eq!(firings.len(), 2, "{firings:?}");
    assert_eq!(
        (&firings[0]["result"], &firings[0]["status"]),
        (&json!("started"), &json!("completed"))
    );
    assert!(firings[0]["planned"].is_string());
    assert_eq!(
        (&firings[1]["result"], &firings[1]["count"]),
        (&json!("missed"), &json!(3))
    );
    // A missed time is reported only once.
    world.run(&["fire", "n"]);
    let firings = world.firings("n");
    assert!(
        firings.len() <= 4 && firings[0]["result"] == "started",
        "{firings:?}"
    );
    let missed: Vec<&Value> = firings
        .iter()
        .filter(|firing| firing["result"] == "missed")
        .collect();
    assert_eq!(missed.len(), 1, "{firings:?}");
}

#[test]
fn a_changed_flow_does_not_run_until_it_is_approved() {
    let world = World::new(&echo());
    world.add("n", &["--every", "PT1H"]);
    let mut changed = echo();
    changed["nodes"][0]["position"] = json!({ "x": 70, "y": 1 });
    world.write_flow(&changed);
    assert_eq!(world.run(&["fire", "n"]).status.code(), Some(0));
    changed["nodes"][0]["data"]["default"] = json!("something else");
    world.write_flow(&changed);
    let refused = world.run(&["fire", "n"]);
    assert_eq!(refused.status.code(), Some(2), "{refused:?}");
    assert!(said(&refused).contains("schedule approve n"));
    let firing = &world.firings("n")[0];
    assert_eq!(firing["result"], "failed_to_start");
    assert!(
        firing["reason"].as_str().unwrap().contains("has changed"),
        "{firing}"
    );
    let approved = world.run(&["approve", "n"]);
    assert_eq!(approved.status.code(), Some(0), "{approved:?}");
    assert_eq!(world.run(&["fire", "n"]).status.code(), Some(0));
    // A subflow in a separate file is part of the flow.
    let outer = json!({
        "schemaVersion": 1, "name": "Outer",
        "nodes": [
            node("in", "input", json!({ "name": "text", "default": "x" })),
            node("sub", "subflow", json!({ "ref": "inner.json" })),
            node("out", "output", json!({ "name": "text" })),
        ],
        "edges": [
            { "id": "a", "source": "in", "target": "sub", "targetHandle": "text" },
            { "id": "b", "source": "sub", "sourceHandle": "text", "target": "out" },
        ],
    });
    fs::write(world.path("inner.json"), echo().to_string()).unwrap();
    world.write_flow(&outer);
    let approved = world.run(&["approve", "n"]);
    assert_eq!(approved.status.code(), Some(0), "{approved:?}");
    assert_eq!(world.run(&["fire", "n"]).status.code(), Some(0));
    let mut inner = echo();
    inner["nodes"][0]["data"]["default"] = json!("changed");
    fs::write(world.path("inner.json"), inner.to_string()).unwrap();
    assert_eq!(world.run(&["fire", "n"]).status.code(), Some(2));
}

#[test]
fn every_firing_that_cannot_start_is_in_the_history_with_its_reason() {
    let world = World::new(&echo());
    fs::write(world.path("text.txt"), "from a file").unwrap();
    world.add("n", &["--at", "02:00", "--input-file", "text=text.txt"]);
    let ran = world.json(&["run-now", "n"]);
    assert_eq!(ran["outputs"]["text"], "from a file");
    fs::remove_file(world.path("text.txt")).unwrap();
    assert_ne!(world.run(&["fire", "n"]).status.code(), Some(0));
    fs::write(world.path("text.txt"), "again").unwrap();
    fs::remove_file(world.path("flow.json")).unwrap();
    assert_eq!(world.run(&["fire", "n"]).status.code(), Some(2));
    let firings = world.firings("n");
    for (firing, words) in firings.iter().zip(["flow.json", "text.txt"]) {
        assert_eq!(firing["result"], "failed_to_start");
        assert!(
            firing["reason"].as_str().unwrap().contains(words),
            "{firing}"
        );
    }
}

#[test]
fn what_cannot_be_a_schedule_is_refused_and_nothing_is_written() {
    let world = World::new(&echo());
    for (args, words) in [
        (vec!["add", "a/b", "flow.json", "--at", "02:00"], "letters"),
        (vec!["add", "n", "flow.json"], "--at"),
        (vec!["add", "n", "flow.json", "--at", "25:00"], "17:30"),
        (vec!["add", "n", "flow.json", "--every", "PT7H"], "--cron"),
        (
            vec!["add", "n", "flow.json", "--cron", "0 2 */2 * 1"],
            "differently",
        ),
        (vec!["add", "n", "-", "--at", "02:00"], "standard input"),
        (vec!["add", "n", "none.json", "--at", "02:00"], "none.json"),
        (
            vec![
                "add",
                "n",
                "flow.json",
                "--at",
                "02:00",
                "--input",
                "other=1",
            ],
            "other",
        ),
        (
            vec![
                "add",
                "n",
                "flow.json",
                "--at",
                "02:00",
                "--budget-usd",
                "-1",
            ],
            "from 0.000001",
        ),
        (vec!["show", "n"], "no schedule"),
        (vec!["budget", "n", "5"], "no schedule"),
        (vec!["remove", "n"], "no schedule"),
    ] {
        let output = world.run(&args);
        assert_eq!(output.status.code(), Some(2), "{args:?} {output:?}");
        assert!(said(&output).contains(words), "{args:?} {}", said(&output));
    }
    assert!(!world.path("config").exists());
    assert_eq!(world.json(&["list"]), json!([]));
}

#[test]
fn a_budget_of_a_day_that_is_used_up_is_a_reason_not_to_start() {
    let world = World::new(&slow());
    world.add("n", &["--every", "PT1H", "--budget-usd", "0.5"]);
    assert_eq!(world.run(&["fire", "n"]).status.code(), Some(0));
    assert_eq!(
        world.run(&["budget", "n", "0.000001"]).status.code(),
        Some(0)
    );
    let refused = world.run(&["fire", "n"]);
    assert_eq!(refused.status.code(), Some(3), "{refused:?}");
    let words = "for the schedule \"n\" has too little left";
    assert!(said(&refused).contains(words), "{refused:?}");
    let firing = &world.firings("n")[0];
    assert_eq!(firing["result"], "failed_to_start");
    assert!(
        firing["reason"].as_str().unwrap().contains(words),
        "{firing}"
    );
    let listed = plain(
        &world.server.url,
        &world.path("my data"),
        &["costs", "limit"],
    );
    let listed = { listed }.output().unwrap();
    assert!(
        String::from_utf8_lossy(&listed.stdout).contains("No budgets"),
        "{listed:?}"
    );
    assert_eq!(world.run(&["budget", "n", "none"]).status.code(), Some(0));
    assert_eq!(world.run(&["fire", "n"]).status.code(), Some(0));
    let costs = plain(
        &world.server.url,
        &world.path("my data"),
        &["costs", "--by", "schedule", "--json"],
    );
    let costs: Value = serde_json::from_slice(&{ costs }.output().unwrap().stdout).unwrap();
    assert_eq!(costs["lines"][0]["title"], "n", "{costs}");
}

#[test]
fn a_firing_during_a_run_is_missed() {
    let world = World::new(&slow());
    world.add("n", &["--every", "PT1H"]);
    let mut first = world.command(&["fire", "n"]).spawn().unwrap();
    let ends = Instant::now() + Duration::from_secs(30);
    while world.firings("n").is_empty() {
        assert!(Instant::now() < ends, "The first run did not start.");
        thread::sleep(Duration::from_millis(30));
    }
    let second = world.run(&["fire", "n"]);
    assert_eq!(second.status.code(), Some(0), "{second:?}");
    assert!(said(&second).contains("is still active"), "{second:?}");
    let by_hand = world.run(&["run-now", "n"]);
    assert_eq!(by_hand.status.code(), Some(1), "{by_hand:?}");
    assert!(first.wait().unwrap().success());
    let results: Vec<Value> = world
        .firings("n")
        .iter()
        .map(|firing| firing["result"].clone())
        .collect();
    assert_eq!(results, ["missed", "started"]);
}

#[test]
fn a_firing_during_a_run_that_was_resumed_elsewhere_is_missed() {
    let world = World::new(&slow());
    world.add("n", &["--every", "PT1H"]);
    let begun = || {
        let ends = Instant::now() + Duration::from_secs(30);
        while world.firings("n").is_empty() {
            assert!(Instant::now() < ends, "The run did not start.");
            thread::sleep(Duration::from_millis(30));
        }
        world.firings("n")[0].clone()
    };
    let mut first = world.command(&["fire", "n"]).spawn().unwrap();
    let run = begun()["runId"].as_str().unwrap().to_owned();
    first.kill().unwrap();
    first.wait().unwrap();
    // Nothing has noted the kill yet, but the run is not shown as running.
    assert_eq!(begun()["status"], "interrupted");
    let mut resumed = plain(
        &world.server.url,
        &world.path("my data"),
        &["runs", "resume", &run],
    )
    .spawn()
    .unwrap();
    let ends = Instant::now() + Duration::from_secs(30);
    while begun()["status"] != "running" {
        assert!(Instant::now() < ends, "The run was not resumed.");
        thread::sleep(Duration::from_millis(30));
    }
    let second = world.run(&["fire", "n"]);
    assert!(said(&second).contains("is still active"), "{second:?}");
    let by_hand = world.run(&["run-now", "n"]);
    assert!(said(&by_hand).contains(&run), "{by_hand:?}");
    resumed.wait().unwrap();
    let stopped = plain(
        &world.server.url,
        &world.path("my data"),
        &["runs", "stop", &run],
    )
    .output()
    .unwrap();
    assert!(said(&stopped).contains("has already ended"), "{stopped:?}");
}

/// Returns whether a private user manager of systemd can be started here.
fn can_start_systemd() -> bool {
    let inside = "mount --make-rprivate / && mkdir -p /run/systemd && mount -t tmpfs tmpfs /run/systemd && \
                  mount -t tmpfs tmpfs /sys/fs/cgroup && mount -t cgroup2 cgroup2 /sys/fs/cgroup && \
                  mkdir -p /sys/fs/cgroup/loopwright-probe && rmdir /sys/fs/cgroup/loopwright-probe";
    Path::new("/lib/systemd/systemd").exists()
        && Command::new("unshare")
            .args(["-m", "-C", "-p", "-f", "--mount-proc", "sh", "-c", inside])
            .output()
            .is_ok_and(|output| output.status.success())
}

/// A real user manager starts the program: at its time, and once if times passed while the computer was off.
#[test]
fn systemd_starts_the_run_and_catches_up_once() {
    if !can_start_systemd() {
        println!("SKIPPED: no user manager of systemd can be started here");
        return;
    }
    let world = World::new(&echo());
    fs::remove_file(world.path("bin/systemctl")).unwrap();
    fs::create_dir(world.path("run")).unwrap();
    let program = env!("CARGO_BIN_EXE_loopwright");
    let group = format!("loopwright-test-{}", std::process::id());
    // Two successive managers simulate a computer that is turned off and on.
    let script = format!(
        r#"
set -e
mount --make-rprivate /
mkdir -p /run/systemd; mount -t tmpfs tmpfs /run/systemd; mkdir /run/systemd/system
mount -t tmpfs tmpfs /sys/fs/cgroup; mount -t cgroup2 cgroup2 /sys/fs/cgroup
mkdir -p /sys/fs/cgroup/{group}; echo $$ > /sys/fs/cgroup/{group}/cgroup.procs
cd '{root}'
start() {{
    rm -rf run; mkdir -m 700 run
    /lib/systemd/systemd --user > manager.log 2>&1 &
    manager=$!
    for i in $(seq 100); do systemctl --user is-system-running > /dev/null 2>&1 && return; sleep 0.1; done
    cat manager.log; exit 1
}}
stop() {{ systemctl --user exit || kill $manager; wait $manager || true; }}
lw() {{ '{program}' --data-dir '{root}/my data' "$@"; }}
start
lw schedule add n flow.json --every PT1H --json > added.json
systemctl --user list-timers --all > timers.txt
systemctl --user start loopwright-schedule-n.service
for i in $(seq 100); do lw schedule show n --json | grep -q '"completed"' && break; sleep 0.1; done
lw schedule show n --json > first.json
stop
# Four hours ago: the stamp of systemd, and what the schedule knows.
touch -d '4 hours ago' data/systemd/timers/stamp-loopwright-schedule-n.timer
sed -i -E "s/\"createdAt\": [0-9]+/\"createdAt\": $(( ($(date +%s) - 14400) * 1000 ))/" 'my data/schedules/n.json'
rm 'my data/schedules/n.firings.jsonl'
start
for i in $(seq 200); do lw schedule show n --json | grep -q '"completed"' && break; sleep 0.1; done
sleep 2
lw schedule show n --json > second.json
lw schedule remove n --json > removed.json
stop
"#,
        root = world.root.path().display()
    );
    let output = Command::new("unshare")
        .args(["-m", "-C", "-p", "-f", "--mount-proc", "sh", "-c", &script])
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .env("HOME", world.root.path())
        .env("XDG_RUNTIME_DIR", world.path("run"))
        .env("XDG_CONFIG_HOME", world.path("config"))
        .env("XDG_DATA_HOME", world.path("data"))
        .output()
        .unwrap();
    // The manager's groups are empty now.
    for folder in ["/sys/fs/cgroup", "/sys/fs/cgroup/unified"] {
        let group = Path::new(folder).join(&group);
        let _ = fs::remove_dir(group.join("init.scope"));
        let _ = fs::remove_dir(group);
    }
    assert!(output.status.success(), "{output:?}");
    let read = |name: &str| -> Value {
        let text = fs::read(world.path(name)).unwrap();
        serde_json::from_slice(&text).unwrap_or_else(|_| panic!("{name}"))
    };
    assert_eq!(read("added.json")["active"], true);
    let timers = fs::read_to_string(world.path("timers.txt")).unwrap();
    assert!(timers.contains("loopwright-schedule-n.timer"), "{timers}");
    assert_eq!(read("first.json")["firings"][0]["status"], "completed");
    let second = read("second.json");
    let results: Vec<(&Value, &Value)> = second["firings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|firing| (&firing["result"], &firing["count"]))
        .collect();
    assert_eq!(
        results,
        [
            (&json!("started"), &Value::Null),
            (&json!("missed"), &json!(3))
        ],
        "{second}"
    );
    assert_eq!(read("removed.json")["notes"], json!([]));
    assert!(
        !world
            .path("config/systemd/user/loopwright-schedule-n.timer")
            .exists()
    );
}
