//! Control of runs that workers lead: pause, a larger budget, a fork, an evaluation, and a store by its name.

use std::{thread, time::Duration};

use loopwright_engine::journal::COMPAT;
use serde_json::{Value, json};

use super::{
    checks,
    world::{World, drafts},
};

fn of(world: &World, command: &[&str]) -> std::process::Output {
    let mut all = vec!["runs", "--store", &world.url];
    all.extend(command);
    world.loopwright(&all)
}

fn done(world: &World, command: &[&str]) {
    let said = of(world, command);
    assert!(said.status.success(), "{command:?}: {said:?}");
}

fn only_run(world: &World, batch: &str) -> String {
    checks::lines(world, batch)[0].run_id.clone()
}

fn status(world: &World, run: &str) -> Value {
    world.json(&["runs", "--store", &world.url, "show", run])["status"].clone()
}

#[test]
fn a_pause_before_a_run_begins_holds() {
    let mut world = world!();
    world.submit(&drafts(4), "paused", 1, &[]);
    let run = only_run(&world, "paused");
    done(&world, &["pause", &run]);
    world.start_worker("one", &[]);
    world.until("it is paused", |world| status(world, &run) == "paused");
    let before = world.server.calls();
    assert!(before <= 1, "{before} calls");
    thread::sleep(Duration::from_secs(1));
    assert_eq!(world.server.calls(), before);
    done(&world, &["resume", &run]);
    world.until_over("paused");
    checks::every_run_is_whole(&world, "paused", 1);
    checks::no_call_is_repeated(&world, 0);
}

/// A call costs 3,000 micro-dollars.
#[test]
fn a_run_stopped_at_its_budget_gets_a_larger_one_within_that_of_its_batch() {
    let mut world = world!();
    world.start_worker("one", &[]);
    let budgets = ["--budget-usd", "0.02", "--budget-usd-run", "0.0075"];
    world.submit(&drafts(5), "dear", 1, &budgets);
    world.until_over("dear");
    let run = only_run(&world, "dear");
    assert_eq!(status(&world, &run), "failed");
    let spent = world.server.calls();
    let without = of(&world, &["resume", &run]);
    assert!(!without.status.success(), "{without:?}");
    // The batch's budget has less than $0.05 left, so the run stays unchanged and spends nothing.
    done(&world, &["resume", &run, "--budget-usd", "0.05"]);
    thread::sleep(Duration::from_secs(2));
    assert_eq!(status(&world, &run), "failed");
    assert_eq!(world.server.calls(), spent);
    done(&world, &["resume", &run, "--budget-usd", "0.018"]);
    world.until("it completes", |world| status(world, &run) == "completed");
    assert_eq!(world.server.calls(), 5);
    world.until("it is accounted for", |world| {
        world.sql("SELECT allotted_microusd || ' ' || spent_microusd FROM loopwright.batches")
            == "0 15000"
    });
}

#[test]
fn a_larger_budget_is_kept_until_the_run_can_have_it() {
    let mut world = world!();
    // A call costs 3,000 micro-dollars. Five calls exceed the budget of a run, but the budget of the batch covers both runs.
    let budgets = ["--budget-usd", "0.04", "--budget-usd-run", "0.0075"];
    for batch in ["queued", "paused"] {
        world.submit(&drafts(5), batch, 1, &budgets);
    }
    let queued = only_run(&world, "queued");
    let paused = only_run(&world, "paused");
    done(&world, &["pause", &paused]);
    // No worker has started these runs.
    for run in [&queued, &paused] {
        done(&world, &["resume", run, "--budget-usd", "0.018"]);
    }
    done(&world, &["pause", &paused]);
    world.start_worker("one", &[]);
    for (run, batch) in [(&queued, "queued"), (&paused, "paused")] {
        if run == &paused {
            world.until("it is paused", |world| status(world, run) == "paused");
            thread::sleep(Duration::from_secs(1));
            assert_eq!(status(&world, run), "paused");
            done(&world, &["resume", run]);
        }
        world.until("it completes", |world| status(world, run) == "completed");
        checks::every_run_is_whole(&world, batch, 1);
    }
    assert_eq!(world.server.calls(), 10);
}

#[test]
fn a_fork_keeps_the_records_and_a_worker_continues_it() {
    let mut world = world!();
    world.start_worker("one", &[]);
    world.submit(&drafts(4), "forked", 1, &[]);
    world.until_over("forked");
    let run = only_run(&world, "forked");
    let before = world.server.calls();
    let forked = world.json(&[
        "runs",
        "--store",
        &world.url,
        "fork",
        &run,
        "--at",
        "refine[3]/draft",
        "--set",
        "draft.prompt=Again {{ loopIndex }}: {{ input }}",
    ]);
    let fork = forked["run"].as_str().unwrap().to_owned();
    world.until("the fork completes", |world| {
        status(world, &fork) == "completed"
    });
    assert_eq!(
        world.server.calls() - before,
        2,
        "the third and the fourth draft"
    );
    assert!(
        world.server.prompts()[before..]
            .iter()
            .all(|prompt| prompt.starts_with("Again"))
    );
    assert_eq!(status(&world, &run), "completed");
    let replayed = of(&world, &["replay", &fork]);
    assert!(replayed.status.success(), "{replayed:?}");
}

#[test]
fn an_evaluation_runs_its_cases_on_workers() {
    let mut world = world!();
    let victim = world.start_worker("victim", &[]);
    world.start_worker("stays", &[]);
    let (flow, data) = (world.file("judged.flow.json"), world.file("cases.jsonl"));
    std::fs::write(&flow, drafts(12).to_string()).unwrap();
    let lines: String = (0..12)
        .map(|line| format!("{}\n", json!({ "topic": format!("case {line}") })))
        .collect();
    std::fs::write(&data, lines).unwrap();
    let person = thread::scope(|scope| {
        let eval = scope.spawn(|| {
            world.json(&[
                "eval",
                &flow,
                "--data",
                &data,
                "--score",
                "long=output | length > 3",
                "--store",
                &world.url,
                "--concurrency",
                "12",
                "--yes",
            ])
        });
        world.until("calls are made", |world| world.server.calls() > 20);
        world.signal_kill(victim);
        eval.join().unwrap()
    });
    assert_eq!(person["summary"]["done"], 12, "{person}");
    assert_eq!(person["summary"]["failed"], 0, "{person}");
    let runs = world.json(&["runs", "--store", &world.url, "list"]);
    let runs = runs.as_array().unwrap();
    assert_eq!(runs.len(), 12);
    assert!(
        runs.iter().all(|run| run["status"] == "completed"),
        "{runs:?}"
    );
    // None of the runs ran on this machine.
    let local = world.json(&["runs", "list"]);
    assert_eq!(local, json!([]));
}

#[test]
fn a_store_is_known_by_its_name() {
    let world = world!();
    let unknown = world.loopwright(&["runs", "--store", "work", "list"]);
    assert!(
        String::from_utf8_lossy(&unknown.stdout).contains("store add"),
        "{unknown:?}"
    );
    world.json(&["store", "add", "work", &world.url]);
    assert_eq!(world.json(&["store", "list"])[0]["name"], "work");
    assert_eq!(world.json(&["runs", "--store", "work", "list"]), json!([]));
    assert_eq!(world.json(&["store", "check", "work"])["runs"], 0);
    // Without a keychain, neither a password nor the name is stored.
    let secret = world.loopwright(&["store", "add", "other", "postgres://me:secret@127.0.0.1/db"]);
    let said = String::from_utf8_lossy(&secret.stdout).into_owned();
    assert!(
        !secret.status.success()
            && said.contains("STORE_OTHER_PASSWORD")
            && !said.contains("secret@"),
        "{said}"
    );
    assert_eq!(world.json(&["store", "list"]).as_array().unwrap().len(), 1);
    assert!(
        world
            .loopwright(&["store", "remove", "work"])
            .status
            .success()
    );
    assert!(
        !world
            .loopwright(&["runs", "--store", "work", "list"])
            .status
            .success()
    );
}

#[test]
fn a_run_that_waits_for_a_timer_holds_no_place() {
    let mut world = world!();
    world.start_worker("one", &["--places", "1"]);
    let mut hourly = drafts(2);
    hourly["nodes"][1]["data"]["delay"] = json!({ "type": "fixed", "interval": "PT70S" });
    world.submit(&hourly, "sleeps", 1, &[]);
    let wakes = "SELECT count(*) FROM loopwright.runs WHERE holder IS NULL AND status = 'running'
         AND wake_at BETWEEN now() + interval '60 s' AND now() + interval '70 s'";
    world.until("it sleeps", |world| world.sql(wakes) == "1");
    world.submit(&drafts(2), "next", 1, &[]);
    world.until_over("next");
    assert_eq!(world.batch("sleeps")["running"], 1);
    let run = only_run(&world, "sleeps");
    if std::env::var("LOOPWRIGHT_TORTURE").is_ok_and(|value| value == "all") {
        thread::sleep(Duration::from_secs(45));
        world.until_over("sleeps");
        assert_eq!(status(&world, &run), "completed");
        let records = checks::records(&world, &run);
        let (first, last) = (records.first().unwrap().at, records.last().unwrap().at);
        assert!(
            (70_000..75_000).contains(&(last - first)),
            "{} ms",
            last - first
        );
        return;
    }
    done(&world, &["stop", &run]);
    world.until_over("sleeps");
    assert_eq!(status(&world, &run), "cancelled");
}

#[test]
fn what_is_asked_of_a_run_that_is_over_is_no_reason_to_hand_it_out() {
    let mut world = world!();
    world.start_worker("one", &[]);
    world.submit(&drafts(2), "over", 1, &[]);
    world.until_over("over");
    let late = "INSERT INTO loopwright.controls (run, at, body)
         SELECT id, now() - interval '1 hour', '{\"type\":\"pause\"}' FROM loopwright.runs";
    world.sql(late);
    let store = world.store();
    let orphans = || store.orphans(COMPAT, Duration::ZERO).unwrap();
    assert_eq!(orphans(), []);
    // A suspended run with a control needs a worker, so it is an orphan.
    world.sql("UPDATE loopwright.runs SET status = 'paused'");
    assert_eq!(orphans().len(), 1);
}
