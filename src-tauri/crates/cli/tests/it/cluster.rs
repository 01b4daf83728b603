//! Several workers on one PostgreSQL server: workers that are killed or frozen, an interrupted server, budgets, and access to a
//! worker's computer that the worker does not allow. A model server on loopback records its calls.
//!
//! Each test runs a few rounds by default, and the full number with `LOOPWRIGHT_TORTURE=all`. Without a PostgreSQL server,
//! nothing is tested, and each test prints that.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)]

/// Creates the world of a test. If there is no PostgreSQL server, prints that and returns from the test.
macro_rules! world {
    () => {
        match crate::cluster::world::World::new() {
            Some(world) => world,
            None => return eprintln!("NOT TESTED: this machine has no PostgreSQL server."),
        }
    };
}

#[path = "cluster/checks.rs"]
mod checks;
#[path = "cluster/controls.rs"]
mod controls;
use crate::program;
use crate::server;
#[path = "cluster/world.rs"]
mod world;

use std::{env, thread, time::Duration};

use serde_json::json;
use world::{TAKEOVER, drafts, node, random};

fn times(few: u64, all: u64) -> u64 {
    match env::var("LOOPWRIGHT_TORTURE") {
        Ok(value) if value == "all" => all,
        _ => few,
    }
}

#[test]
fn a_killed_worker_loses_and_repeats_nothing() {
    let mut world = world!();
    world.start_worker("stays", &[]);
    let (mut orphans, rounds) = (0, times(2, 50));
    for round in 0..rounds {
        let name = format!("round-{round}");
        let victim = world.start_worker(&format!("victim-{round}"), &[]);
        let first = world.server.calls();
        world.submit(&drafts(12), &name, 24, &[]);
        world.until("calls are made", |world| world.server.calls() > first + 8);
        thread::sleep(Duration::from_millis(random(round) % 700));
        let killed_at = world::now();
        world.kill(victim);
        world.until_over(&name);
        checks::every_run_is_whole(&world, &name, 24);
        checks::repeated_calls_are_reported(&world, &name, first);
        let limit = TAKEOVER + Duration::from_secs(2);
        orphans += checks::orphans_continue_within(&world, &name, killed_at, limit);
    }
    // A kill tests nothing if the worker has no run at that moment.
    assert!(orphans as u64 >= rounds, "{orphans} runs were taken over");
    println!("{rounds} workers killed, {orphans} runs taken over");
}

#[test]
fn no_answered_call_is_made_again_when_the_store_goes_away() {
    let mut world = world!();
    world.start_worker("one", &[]);
    world.start_worker("two", &[]);
    for round in 0..times(1, 20) {
        let name = format!("round-{round}");
        let first = world.server.calls();
        world.submit(&drafts(8), &name, 24, &[]);
        world.until("calls are made", |world| world.server.calls() > first + 8);
        thread::sleep(Duration::from_millis(random(round) % 500));
        world.postgres.kill();
        thread::sleep(Duration::from_millis(200 + random(round + 100) % 4_000));
        world.postgres.up();
        world.until_over(&name);
        checks::every_run_is_whole(&world, &name, 24);
        checks::no_call_is_repeated(&world, first);
    }
}

/// Runs that started before the store was interrupted use no more of the worker's places than their own. Runs that are
/// submitted later do not wait for them.
#[test]
fn a_worker_serves_others_after_a_break_of_the_store() {
    let mut world = world!();
    let worker = world.start_worker("one", &[]);
    let first = world.server.calls();
    world.submit(&drafts(500), "long", 3, &[]);
    world.until("calls are made", |world| world.server.calls() > first + 8);
    world.postgres.kill();
    thread::sleep(Duration::from_secs(2));
    world.postgres.up();
    world.submit(&drafts(2), "short", 6, &[]);
    world.until("the short ones complete", |world| {
        world.batch("short")["completed"] == 6
    });
    assert_eq!(
        world.batch("long")["running"],
        3,
        "the long ones have ended before"
    );
    checks::no_call_is_repeated(&world, first);
    // The worker releases its runs when it ends, so that no other worker has to wait for the takeover time.
    world.end(worker);
    let held = "SELECT count(*) FROM loopwright.runs WHERE holder IS NOT NULL";
    assert_eq!(world.sql(held), "0");
}

#[test]
fn a_frozen_worker_writes_nothing_when_it_wakes() {
    let mut world = world!();
    let frozen = world.start_worker("frozen", &[]);
    let first = world.server.calls();
    world.submit(&drafts(8), "taken", 8, &[]);
    world.until("calls are made", |world| world.server.calls() > first + 4);
    world.freeze(frozen);
    let other = world.start_worker("other", &[]);
    world.until_over("taken");
    let at_the_end = checks::every_run_is_whole(&world, "taken", 8);
    world.wake(frozen);
    thread::sleep(Duration::from_secs(1));
    assert_eq!(checks::every_run_is_whole(&world, "taken", 8), at_the_end);
    checks::repeated_calls_are_reported(&world, "taken", first);
    // The worker that was frozen can still lead other runs.
    world.kill(other);
    world.submit(&drafts(2), "next", 4, &[]);
    world.until_over("next");
    checks::every_run_is_whole(&world, "next", 4);
}

#[test]
fn an_interrupted_call_is_asked_about_or_fails_where_its_node_says_so() {
    let mut world = world!();
    world.start_worker("stays", &[]);
    for (when, ends) in [("ask", "suspended"), ("fail", "failed")] {
        let victim = world.start_worker(when, &[]);
        let mut flow = drafts(30);
        flow["nodes"][2]["data"]["whenInterrupted"] = json!(when);
        let first = world.server.calls();
        world.submit(&flow, when, 12, &[]);
        world.until("calls are made", |world| world.server.calls() > first + 24);
        world.kill(victim);
        world.until("none goes on", |world| {
            let batch = world.batch(when);
            batch["queued"] == 0 && batch["running"] == 0
        });
        let batch = world.batch(when);
        let hit = batch[ends].as_u64().unwrap();
        assert!(
            hit > 0 && hit + batch["completed"].as_u64().unwrap() == 12,
            "{batch}"
        );
        checks::no_call_is_repeated(&world, first);
    }
}

#[test]
fn a_batch_spends_no_more_than_its_budget() {
    let mut world = world!();
    world.start_worker("one", &[]);
    for round in 0..times(1, 20) {
        let victim = world.start_worker(&format!("victim-{round}"), &[]);
        let name = format!("round-{round}");
        // A run may spend 30,000 micro-dollars and spends 9,000. The budget covers only some of the runs.
        let most = 40_000 + random(round) % 80_000;
        let usd = (most as f64 / 1e6).to_string();
        world.submit(
            &drafts(3),
            &name,
            24,
            &["--budget-usd", &usd, "--budget-usd-run", "0.03"],
        );
        thread::sleep(Duration::from_millis(300 + random(round + 7) % 900));
        world.kill(victim);
        world.until_over(&name);
        let batch = world.batch(&name);
        let cost = (batch["costUsd"].as_f64().unwrap() * 1e6).round() as u64;
        assert!(cost <= most, "{batch}");
        assert!(cost > 0 && batch["failed"].as_u64().unwrap() > 0, "{batch}");
        // A call that was cut off costs money, but its price is unknown.
        assert!(
            batch["completed"].as_u64().unwrap() * 9_000 <= cost,
            "{batch}"
        );
    }
}

#[test]
fn a_worker_that_is_ended_leaves_its_runs_to_others() {
    let mut world = world!();
    let ended = world.start_worker("ended", &[]);
    let first = world.server.calls();
    world.submit(&drafts(60), "left", 8, &[]);
    world.until("calls are made", |world| world.server.calls() > first + 8);
    world.start_worker("stays", &[]);
    world.end(ended);
    world.until_over("left");
    checks::every_run_is_whole(&world, "left", 8);
    checks::repeated_calls_are_reported(&world, "left", first);
}

#[test]
fn a_submission_that_breaks_off_is_repeated() {
    let world = world!();
    world.submit(&drafts(2), "many", 300, &[]);
    let again = world.submit(&drafts(2), "many", 500, &[]);
    assert_eq!(
        (again["runs"].clone(), again["added"].clone()),
        (json!(500), json!(200))
    );
    assert_eq!(world.batch("many")["queued"], 500);
    let stopped = world.loopwright(&["batches", "--store", &world.url, "stop", "many"]);
    assert!(stopped.status.success(), "{stopped:?}");
}

#[test]
fn people_stop_answer_and_list_runs_from_elsewhere() {
    let mut world = world!();
    let mut flow = drafts(40);
    flow["nodes"].as_array_mut().unwrap().push(node(
        "ok",
        "approval",
        json!({ "message": "Go on?" }),
    ));
    let edges = flow["edges"].as_array_mut().unwrap();
    let last = edges.len() - 1;
    edges[last] = json!({ "id": "d", "source": "exit", "target": "ok" });
    edges.push(json!({ "id": "e", "source": "ok", "sourceHandle": "approved", "target": "out" }));
    world.submit(&flow, "asked", 2, &["--set", "refine.maxIterations=1"]);
    world.submit(&drafts(40), "long", 1, &[]);
    let listed = world.json(&["runs", "--store", &world.url, "list"]);
    assert_eq!(listed[0]["status"], "queued", "{listed}");
    world.start_worker("one", &[]);
    world.until("both wait", |world| world.batch("asked")["suspended"] == 2);
    let run = |name: &str, line: usize| checks::lines(&world, name)[line].run_id.clone();
    let (yes, no, long) = (run("asked", 0), run("asked", 1), run("long", 0));
    let of = |command: &[&str]| {
        let mut all = vec!["runs", "--store", &world.url];
        all.extend(command);
        let said = world.loopwright(&all);
        assert!(said.status.success(), "{said:?}");
    };
    of(&["answer", &yes, "--at", "ok", "--approve"]);
    // Only the first answer counts, both before and after a worker acts on it.
    let again = [
        "runs", "--store", &world.url, "answer", &yes, "--at", "ok", "--reject",
    ];
    let said = world.loopwright(&again);
    assert!(!said.status.success(), "{said:?}");
    of(&["stop", &no]);
    world.until("the long one goes on", |world| {
        world.batch("long")["running"] == 1
    });
    of(&["stop", &long]);
    world.until_over("asked");
    world.until_over("long");
    let asked = world.batch("asked");
    assert_eq!(
        (&asked["completed"], &asked["cancelled"]),
        (&json!(1), &json!(1)),
        "{asked}"
    );
    assert_eq!(world.batch("long")["cancelled"], 1);
    let listed = world.json(&["runs", "--store", &world.url, "list", "--batch", "asked"]);
    let mut ids: Vec<&str> = (listed.as_array().unwrap().iter())
        .map(|run| run["runId"].as_str().unwrap())
        .collect();
    ids.sort_unstable();
    let mut both = [yes.as_str(), no.as_str()];
    both.sort_unstable();
    assert_eq!(ids, both);
    let said = world.loopwright(&["runs", "list", "--batch", "asked"]);
    let why = String::from_utf8_lossy(&said.stdout).into_owned();
    assert!(why.contains("--batch needs --store"), "{why}");
}

#[test]
fn a_worker_allows_what_its_own_file_allows() {
    let mut world = world!();
    let flow = json!({
        "schemaVersion": 1, "name": "Command",
        "nodes": [
            node("in", "input", json!({ "name": "topic" })),
            node("run", "tool", json!({ "tool": "http.request", "args": { "url": world.server.url }, "approval": "auto" })),
            node("out", "output", json!({ "name": "text" }))
        ],
        "edges": [
            { "id": "a", "source": "in", "target": "run" },
            { "id": "b", "source": "run", "target": "out" }
        ]
    });
    world.start_worker("careful", &[]);
    world.submit(&flow, "refused", 1, &[]);
    world.until_over("refused");
    let line = &checks::lines(&world, "refused")[0];
    let error = line.state.error.as_ref().unwrap();
    assert_eq!(error.code, "not_approved", "{error:?}");
    assert!(!std::path::Path::new(&world.file("touched")).exists());
    // The worker's secrets are not in the store.
    let dump = world.postgres.dump(&world.url);
    assert!(dump.contains("Command") && !dump.contains(world::CANARY));
}

/// Returns the message of a worker that refuses to start.
fn worker_refused(world: &world::World, file: &str) -> String {
    let said = world.loopwright(&["worker", "--store", &world.url, "--config", file]);
    assert!(!said.status.success(), "{said:?}");
    String::from_utf8_lossy(&said.stdout).into_owned() + &String::from_utf8_lossy(&said.stderr)
}

#[test]
fn a_workers_file_has_the_bounds_of_the_options() {
    let world = world!();
    for places in ["0", "1025", "100000000"] {
        let file = world.file("worker.toml");
        std::fs::write(&file, format!("places = {places}\n")).unwrap();
        let words = worker_refused(&world, &file);
        assert!(words.contains("from 1 to 1024"), "{words}");
    }
    let words = worker_refused(&world, "/dev/zero");
    assert!(words.contains("cannot be read"), "{words}");
    let large = world.file("large.toml");
    std::fs::write(&large, "#".repeat((1 << 20) + 1)).unwrap();
    let words = worker_refused(&world, &large);
    assert!(words.contains("cannot be read"), "{words}");
}

#[test]
fn a_stores_password_does_not_stay_on_the_command_line() {
    let data = tempfile::tempdir().unwrap();
    let url = "postgres://me:hunter2pw@127.0.0.1:1/runs";
    let args = ["worker", "--store", url, "--patience", "20s"];
    let mut worker = program::program("http://127.0.0.1:1", data.path(), &args)
        .env("LOOPWRIGHT_KEYCHAIN", "off")
        .spawn()
        .unwrap();
    let line = || std::fs::read(format!("/proc/{}/cmdline", worker.id())).unwrap();
    let shown = || String::from_utf8_lossy(&line()).into_owned();
    let began = std::time::Instant::now();
    // A process that is just starting has no command line yet.
    let is_hidden = |shown: &str| !shown.is_empty() && !shown.contains("hunter2pw");
    while !is_hidden(&shown()) && began.elapsed() < Duration::from_secs(10) {
        thread::sleep(Duration::from_millis(20));
    }
    let shown = shown();
    worker.kill().unwrap();
    worker.wait().unwrap();
    assert!(
        shown.contains("postgres://me@127.0.0.1:1/runs") && !shown.contains("hunter2pw"),
        "{shown}"
    );
}

#[test]
fn a_password_is_taken_from_a_file() {
    let world = world!();
    let file = world.file("password");
    std::fs::write(&file, "s3cret\n").unwrap();
    let said = world.loopwright(&[
        "store",
        "add",
        "work",
        "postgres://me:twice@127.0.0.1:1/runs",
        "--password-file",
        &file,
    ]);
    let words = String::from_utf8_lossy(&said.stdout).into_owned();
    assert!(words.contains("given twice"), "{said:?}");
}
