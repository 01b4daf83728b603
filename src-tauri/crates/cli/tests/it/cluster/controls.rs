//! Control of runs that workers lead: pause, a larger budget, a fork, an evaluation, and a store by its name.

use std::{path::Path, thread, time::Duration};

use loopwright_engine::journal::COMPAT;
use serde_json::{Value, json};

use super::{
    checks,
    program::plain,
    world::{World, drafts, node},
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

/// Returns a flow that asks a question in each of the two iterations of a loop.
fn asks_twice() -> Value {
    json!({
        "schemaVersion": 1, "name": "Asks twice",
        "nodes": [
            node("in", "input", json!({ "name": "topic" })),
            node("refine", "loop", json!({ "maxIterations": 2 })),
            node("ask", "approval", json!({ "message": "Go on?" })),
            node("exit", "exit", json!({})),
            node("out", "output", json!({ "name": "text" }))
        ],
        "edges": [
            { "id": "a", "source": "in", "target": "refine" },
            { "id": "b", "source": "refine", "sourceHandle": "body", "target": "ask" },
            { "id": "c", "source": "ask", "sourceHandle": "approved", "target": "exit" },
            { "id": "d", "source": "exit", "target": "out" }
        ]
    })
}

#[test]
fn open_questions_of_stores_are_listed_with_those_of_this_computer() {
    let mut world = world!();
    let said = |world: &World, args: &[&str]| {
        let data = world.file("person");
        let output = plain(&world.server.url, Path::new(&data), args)
            .env("LOOPWRIGHT_KEYCHAIN", "off")
            .output()
            .unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        assert!(output.status.success(), "{args:?}: {output:?}");
        (text(&output.stdout), text(&output.stderr))
    };
    let places = |questions: &Value| -> Vec<(Value, Value, Value)> {
        let list = questions.as_array().unwrap().iter();
        list.map(|one| {
            (
                one["store"].clone(),
                one["path"].clone(),
                one["value"].clone(),
            )
        })
        .collect()
    };
    world.json(&["store", "add", "work", &world.url]);
    world.submit(&asks_twice(), "asked", 2, &[]);
    let local = ["run", &world.file("a.flow.json"), "--input", "topic=local"];
    let local = world.loopwright(&local);
    assert_eq!(local.status.code(), Some(5), "{local:?}");
    assert_eq!(world.json(&["waiting", "--store", "work"]), json!([]));
    world.start_worker("one", &[]);
    let asked_of = |world: &World| world.json(&["waiting", "--store", "work"]);
    world.until("both wait", |world| {
        asked_of(world).as_array().unwrap().len() == 2
    });

    // A store that cannot be reached hides nothing.
    world.json(&["store", "add", "gone", "postgres://me@127.0.0.1:1/runs"]);
    let (listed, warned) = said(&world, &["waiting"]);
    assert!(
        warned.contains("The questions of the store gone could not be read."),
        "{warned}"
    );
    let all = world.json(&["waiting"]);
    let mut found = places(&all);
    let ask = json!("refine[1]/ask");
    assert_eq!(found.remove(0), (Value::Null, ask.clone(), json!("local")));
    found.sort_by_key(|(_, _, value)| value.to_string());
    let expected =
        ["asked.000.", "asked.001."].map(|text| (json!("work"), ask.clone(), json!(text)));
    assert_eq!(found, expected);
    let times: Vec<&str> = (all.as_array().unwrap().iter())
        .map(|one| one["askedAt"].as_str().unwrap())
        .collect();
    assert!(times.is_sorted(), "{times:?}");
    let run = run_asking_about(&all, "asked.000.");
    let answer = format!("loopwright runs --store work answer {run} --at 'refine[1]/ask'");
    assert!(listed.contains(&answer), "{listed}");
    assert!(listed.contains("  in work\n"), "{listed}");
    let gone = world.loopwright(&["waiting", "--store", "gone"]);
    assert!(!gone.status.success(), "{gone:?}");

    // After an answer, only the question of the next iteration is open.
    let by_name = [
        "runs",
        "--store",
        "work",
        "answer",
        &run,
        "--approve",
        "--at",
    ];
    said(&world, &[&by_name[..], &["refine[1]/ask"]].concat());
    world.until("the second iteration asks", |world| {
        let asked = asked_of(world);
        let mut paths: Vec<&str> = (asked.as_array().unwrap().iter())
            .map(|one| one["path"].as_str().unwrap())
            .collect();
        paths.sort_unstable();
        paths == ["refine[1]/ask", "refine[2]/ask"]
    });
    said(&world, &[&by_name[..], &["refine[2]/ask"]].concat());
    world.until("the run completes", |world| {
        world.batch("asked")["completed"] == 1
    });
    assert_eq!(asked_of(&world).as_array().unwrap().len(), 1);
}

/// Returns the id of the run that asks about this value.
fn run_asking_about(questions: &Value, value: &str) -> String {
    let mut list = questions.as_array().unwrap().iter();
    let found = list.find(|one| one["value"] == value).unwrap();
    found["runId"].as_str().unwrap().to_owned()
}
