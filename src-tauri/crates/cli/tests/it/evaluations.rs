//! An experiment is killed with SIGKILL at any instant, several times, and resumed until it completes. Its result is the same
//! as without kills. It repeats no finished run and no call with a recorded outcome, and it never exceeds its budget. A server
//! on loopback records its calls.
//!
//! By default, the test makes a few kills. With `LOOPWRIGHT_TORTURE=all`, which `npm run torture` sets, it makes 50 experiments
//! of 200 runs.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)]

use crate::program;
use crate::server;

use std::{
    collections::BTreeMap,
    env, fs,
    path::PathBuf,
    process::{Child, Output},
    thread,
    time::{Duration, Instant},
};

use program::program;
use rusqlite::{Connection, OpenFlags};
use serde_json::{Value, json};
use server::Server;

/// The time that a model takes to answer, long enough for most kills to cut off calls.
const PAUSE: Duration = Duration::from_millis(20);
/// The number of concurrent runs, and so the maximum number of calls that one kill can cut off.
const AT_ONCE: usize = 8;
/// The price of a call in micro-dollars: 100 input tokens at $10 a million, and 20 output tokens at $100 a million.
const PRICE_MICROUSD: usize = 3_000;
/// The time after which an experiment counts as hanging.
const PATIENCE: Duration = Duration::from_secs(180);

/// The number of calls by their purpose: the drafts of a case, or the judging of a draft.
type Counts = BTreeMap<String, usize>;

fn is_all() -> bool {
    env::var("LOOPWRIGHT_TORTURE").is_ok_and(|value| value == "all")
}

/// Returns the pseudorandom number with this index. It is the same in every run of the test (SplitMix64, Steele et al. 2014).
fn random(number: u64) -> u64 {
    let mut z = number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

fn node(id: &str, kind: &str, data: Value) -> Value {
    json!({ "id": id, "type": kind, "position": { "x": 0, "y": 0 }, "data": data })
}

/// Returns a flow that drafts text and then drafts it again.
fn flow() -> Value {
    json!({
        "schemaVersion": 1, "name": "Drafts",
        "nodes": [
            node("in", "input", json!({ "name": "topic" })),
            node("refine", "loop", json!({ "maxIterations": 2, "exitCondition": "max_iterations", "feedbackMode": "replace" })),
            node("draft", "llm", json!({
                "provider": "openai", "model": "test", "temperature": 0, "maxTokens": 32,
                "prompt": "Draft of {{ run.inputs.topic }}: {{ input }}"
            })),
            node("exit", "exit", json!({})),
            node("out", "output", json!({ "name": "text" }))
        ],
        "edges": [
            { "id": "a", "source": "in", "target": "refine" },
            { "id": "b", "source": "refine", "sourceHandle": "body", "target": "draft" },
            { "id": "c", "source": "draft", "target": "exit" },
            { "id": "d", "source": "exit", "target": "out" }
        ]
    })
}

fn evaluation(usd: Option<f64>) -> Value {
    let mut evaluation = json!({
        "schemaVersion": 1, "name": "Drafts", "flow": "drafts.flow.json",
        "data": { "file": "cases.jsonl" },
        "variants": [
            { "name": "cap 2", "set": { "refine.maxIterations": 2 } },
            { "name": "cap 3", "set": { "refine.maxIterations": 3 } }
        ],
        "repetitions": 2,
        "scorers": [
            { "name": "length", "type": "expression", "expression": "result | length" },
            { "name": "judge", "type": "llm", "provider": "openai", "model": "test", "rubric": "Is it about bread?" }
        ],
        "perIteration": "refine",
        "concurrency": AT_ONCE
    });
    if let Some(usd) = usd {
        evaluation["budget"] = json!({ "usd": usd });
    }
    evaluation
}

/// A folder with an evaluation, and the server of its models.
struct World {
    folder: tempfile::TempDir,
    server: Server,
}

impl World {
    fn new(cases: usize, usd: Option<f64>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: String| fs::write(folder.path().join(name), text).unwrap();
        fs::create_dir(folder.path().join("data")).unwrap();
        let price = json!({ "provider": "openai", "model": "test", "input": 10, "output": 100 });
        write("data/prices.json", json!({ "prices": [price] }).to_string());
        write("drafts.flow.json", flow().to_string());
        let rows = (0..cases).map(|number| {
            format!(
                "{}\n",
                json!({ "id": number.to_string(), "topic": format!("topic-{number:03}") })
            )
        });
        write("cases.jsonl", rows.collect());
        write("drafts.eval.json", evaluation(usd).to_string());
        Self {
            folder,
            server: Server::start(PAUSE),
        }
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    fn start(&self, args: &[&str]) -> Child {
        program(&self.server.url, &self.data(), args)
            .env("LOOPWRIGHT_KEYCHAIN", "off")
            .current_dir(self.folder.path())
            .spawn()
            .unwrap()
    }

    /// Waits until the child ends. Returns `None` if the child hangs.
    fn end(mut child: Child) -> Option<Output> {
        let began = Instant::now();
        // The output is a report that fits into the buffer of a pipe, so the child does not block.
        while child.try_wait().unwrap().is_none() {
            if began.elapsed() > PATIENCE {
                child.kill().unwrap();
                child.wait().unwrap();
                return None;
            }
            thread::sleep(Duration::from_millis(5));
        }
        Some(child.wait_with_output().unwrap())
    }

    fn eval(&self, more: &[&str]) -> Child {
        let args: Vec<&str> = ["eval", "drafts.eval.json"]
            .into_iter()
            .chain(more.iter().copied())
            .collect();
        self.start(&args)
    }

    /// Returns the report of the newest experiment.
    fn shown(&self) -> Value {
        let output = Self::end(self.start(&["evals", "show", "last"])).unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        serde_json::from_str(&said).unwrap_or_else(|error| {
            panic!("{error}: {said}{}", String::from_utf8_lossy(&output.stderr))
        })
    }

    fn store(&self) -> Option<Connection> {
        let path = self.data().join("runs.db");
        Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY).ok()
    }

    /// Returns the calls whose outcome is in the journal.
    fn recorded(&self) -> Counts {
        let mut counts = Counts::new();
        let Some(store) = self.store() else {
            return counts;
        };
        // The program was killed before it created the tables.
        let Ok(mut find) = store.prepare(
            "SELECT runs.flow, run_values.inputs FROM records
             JOIN runs ON runs.id = records.run JOIN run_values ON run_values.run = runs.id
             WHERE records.type = 'vc'",
        ) else {
            return counts;
        };
        let rows = find
            .query_map([], |row| {
                Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?))
            })
            .unwrap();
        for (flow, inputs) in rows.map(Result::unwrap) {
            *counts.entry(key(flow != "Drafts", &inputs)).or_default() += 1;
        }
        counts
    }

    /// Returns the stored results of completed and failed cells, as text, keyed by the number of the cell.
    fn finished(&self) -> BTreeMap<i64, String> {
        let Some(store) = self.store() else {
            return BTreeMap::new();
        };
        let Ok(mut find) = store.prepare(
            "SELECT number, summary || detail FROM experiment_cells
             WHERE json_extract(summary, '$.status') IN ('completed', 'failed')",
        ) else {
            return BTreeMap::new();
        };
        let rows = find
            .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))
            .unwrap();
        rows.map(Result::unwrap).collect()
    }

    fn has_begun(&self) -> bool {
        let count = |store: Connection| {
            store.query_row("SELECT count(*) FROM experiments", [], |row| {
                row.get::<_, i64>(0)
            })
        };
        self.store()
            .and_then(|store| count(store).ok())
            .is_some_and(|count| count > 0)
    }

    fn runs(&self) -> i64 {
        let store = self.store().unwrap();
        store
            .query_row("SELECT count(*) FROM runs", [], |row| row.get(0))
            .unwrap()
    }

    /// Returns the counts of the server's calls, starting at call number `first`.
    fn asked(&self, first: usize) -> Counts {
        let mut counts = Counts::new();
        for prompt in &self.server.prompts()[first..] {
            let is_judge = !prompt.starts_with("Draft of ");
            *counts.entry(key(is_judge, prompt)).or_default() += 1;
        }
        counts
    }
}

fn key(is_judge: bool, text: &str) -> String {
    let what = if is_judge { "judge" } else { "draft" };
    let at = text.find("topic-").unwrap();
    format!("{what} {}", &text[at..at + "topic-000".len()])
}

fn sum(counts: &Counts) -> usize {
    counts.values().sum()
}

/// Removes the values that differ between equal experiments: ids, times, and the cost of calls that were cut off.
fn plain(value: &Value) -> Value {
    const LEFT_OUT: [&str; 9] = [
        "experiment",
        "latencyP50",
        "latencyP95",
        "costUsd",
        "meanCostUsd",
        "meanTokens",
        "tokens",
        "costDifferenceUsd",
        "savedUsd",
    ];
    match value {
        Value::Object(fields) => fields
            .iter()
            .filter(|(name, _)| !LEFT_OUT.contains(&name.as_str()))
            .map(|(name, value)| (name.clone(), plain(value)))
            .collect(),
        Value::Array(items) => items.iter().map(plain).collect(),
        other => other.clone(),
    }
}

/// The measurements of an experiment that is not killed.
struct Straight {
    took: Duration,
    asked: Counts,
    report: Value,
    runs: i64,
}

fn straight(cases: usize) -> Straight {
    let world = World::new(cases, None);
    let began = Instant::now();
    let output = World::end(world.eval(&["--yes"])).expect("it hangs");
    let took = began.elapsed();
    let words = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{words}");
    let asked = world.asked(0);
    // Each case has 2 and 3 drafts, twice. Each of the three different drafts is judged once, although it occurs several times.
    assert_eq!(sum(&asked), cases * (10 + 3), "{asked:?}");
    assert_eq!(asked, world.recorded());
    Straight {
        took,
        asked,
        report: plain(&world.shown()["report"]),
        runs: world.runs(),
    }
}

/// Kills an experiment up to `kills` times, and then lets it complete. Returns the number of kills and the exit status.
fn disturbed(
    world: &World,
    straight: &Straight,
    number: u64,
    kills: u64,
    usd: Option<f64>,
) -> Result<(u64, Option<i32>), String> {
    let budget = usd.map(|usd| (usd * 1e6) as usize);
    let mut finished = BTreeMap::new();
    let (mut before, mut first) = (world.recorded(), world.server.calls());
    let mut killed = 0;
    loop {
        let mut child = match world.has_begun() {
            true => world.eval(&["--resume"]),
            false => world.eval(&["--yes"]),
        };
        let share = random(number * 100 + killed) % 10_000;
        let output = if killed < kills {
            thread::sleep(straight.took.mul_f64(share as f64 / 10_000.0 * 0.7));
            match child.try_wait().unwrap() {
                Some(_) => World::end(child),
                None => {
                    child.kill().unwrap();
                    child.wait().unwrap();
                    killed += 1;
                    // The server may still have to read a call that was sent.
                    thread::sleep(PAUSE * 2);
                    None
                }
            }
        } else {
            Some(World::end(child).ok_or("it hangs")?)
        };
        let (asked, recorded) = (world.asked(first), world.recorded());
        for (key, count) in &asked {
            let known = before.get(key).copied().unwrap_or(0);
            let most = straight.asked.get(key).copied().unwrap_or(0);
            if known + count > most {
                return Err(format!(
                    "after kill {killed}, {count} calls for {key} were made, and {known} of {most} were recorded"
                ));
            }
        }
        let cut_off = (sum(&asked) + sum(&before)).checked_sub(sum(&recorded));
        if cut_off.is_none_or(|count| count > if output.is_none() { AT_ONCE } else { 0 }) {
            return Err(format!("kill {killed} cut off {cut_off:?} calls"));
        }
        let now = world.finished();
        for (cell, result) in &finished {
            if now.get(cell) != Some(result) {
                return Err(format!(
                    "result {cell} was {result} and is {:?}",
                    now.get(cell)
                ));
            }
        }
        let spent = world.server.calls() * PRICE_MICROUSD;
        if budget.is_some_and(|budget| spent > budget) {
            return Err(format!("{spent} of {budget:?} are spent"));
        }
        (before, first, finished) = (recorded, world.server.calls(), now);
        if let Some(output) = output {
            let words = String::from_utf8_lossy(&output.stderr);
            return match output.status.code() {
                code @ Some(0 | 3) => Ok((killed, code)),
                other => Err(format!("it ended with {other:?}: {words}")),
            };
        }
    }
}

fn is_same(world: &World, straight: &Straight) -> Result<(), String> {
    let report = plain(&world.shown()["report"]);
    if report != straight.report {
        return Err(format!(
            "it found {report:#}\ninstead of {:#}",
            straight.report
        ));
    }
    match world.runs() {
        runs if runs == straight.runs => Ok(()),
        runs => Err(format!(
            "{runs} runs were made instead of {}",
            straight.runs
        )),
    }
}

#[test]
fn an_experiment_continues_after_kills_at_any_instant() {
    let (cases, experiments) = if is_all() { (50, 50) } else { (10, 3) };
    let straight = straight(cases);
    let need = (sum(&straight.asked) * PRICE_MICROUSD) as f64 / 1e6;
    let mut failed = Vec::new();
    let mut kills = 0;
    for number in 0..experiments {
        // The budget is absent, far above what the experiment needs, or just below that.
        let usd = [None, Some(need * 30.0), Some(need * 0.97)][(number % 3) as usize];
        let world = World::new(cases, usd);
        let most = 2 + random(number) % 4;
        let one = disturbed(&world, &straight, number, most, usd).and_then(|(killed, code)| {
            kills += killed;
            let cost = world.shown()["summary"]["costUsd"].as_f64().unwrap_or(-1.0);
            if usd.is_some_and(|usd| cost > usd + 1e-9) {
                return Err(format!("${cost} are spent"));
            }
            if code == Some(0) {
                return is_same(&world, &straight);
            }
            if usd != Some(need * 0.97) {
                return Err("the budget was enough".to_owned());
            }
            // With a larger budget the experiment continues, and it pays for nothing twice.
            let more = (need * 30.0).to_string();
            let child = world.eval(&["--resume", "--budget-usd", &more]);
            let output = World::end(child).ok_or("it hangs")?;
            match output.status.success() {
                true => is_same(&world, &straight),
                false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
            }
        });
        if let Err(why) = one {
            failed.push(format!("experiment {number}, budget {usd:?}: {why}"));
        }
    }
    println!(
        "{experiments} experiments of {} calls and {:?} each, killed {kills} times",
        sum(&straight.asked),
        straight.took
    );
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// If a budget is too small, the experiment ends with its own exit status and keeps the verdicts that it already has.
#[test]
fn a_budget_that_is_too_small_says_so_and_a_larger_one_completes_it() {
    let straight = straight(6);
    let need = (sum(&straight.asked) * PRICE_MICROUSD) as f64 / 1e6;
    let world = World::new(6, Some(need * 0.6));
    let output = World::end(world.eval(&["--yes"])).expect("it hangs");
    let words = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{words}");
    assert!(world.server.calls() * PRICE_MICROUSD <= (need * 0.6 * 1e6) as usize);
    let finished = world.finished();
    let made = world.recorded();
    let more = (need * 30.0).to_string();
    let child = world.eval(&["--resume", "--budget-usd", &more]);
    let output = World::end(child).expect("it hangs");
    let words = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{words}");
    let now = world.finished();
    assert!(
        finished
            .iter()
            .all(|(cell, result)| now.get(cell) == Some(result))
    );
    assert!(
        made.iter()
            .all(|(key, count)| world.recorded()[key] >= *count)
    );
    assert_eq!(world.asked(0), straight.asked, "a call was made twice");
    is_same(&world, &straight).unwrap();
}
