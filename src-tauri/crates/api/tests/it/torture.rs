//! Runs every case in `flows/` in a separate process, on a store on disk. SIGKILL ends the process before or after one of
//! the writes to its journal, and another process continues the run. The run must have the same result, all records must
//! remain, no recorded call of a model or tool may be repeated, and no budget may be exceeded. If a limit, a failure or a
//! person's stop ends the run, the result may differ, but everything else must hold.
//!
//! By default, only some cases are killed, and only at some of these boundaries. `LOOPWRIGHT_TORTURE=all`, which `npm run
//! torture` sets, tries all. `LOOPWRIGHT_CASE=one,two` runs only these cases.

#![allow(clippy::unwrap_used)]

use crate::support;

use std::{
    collections::BTreeMap,
    env, fs,
    io::{BufRead as _, BufReader, Write as _},
    path::Path,
    process::{Command, Stdio},
    sync::{
        Arc, Mutex,
        atomic::{AtomicI64, AtomicUsize, Ordering},
    },
};

use loopwright_engine::{
    RunStatus,
    journal::{Journal, Select},
};
use loopwright_journal::{MemoryJournal, SqliteJournal};
use support::{
    BUILT_IN, Tokio,
    case::{Case, Checked, Remembered, cases, read},
    resumed::holds,
    sound::{ended, summary},
    watched::Watched,
};

/// The line that a process prints when it stops at a boundary, where it is then killed.
const AT_BOUNDARY: &str = "@boundary";

/// The line that a process prints if the result of its run differs from that of the uninterrupted run.
const OTHERWISE: &str = "@otherwise";

/// The maximum number of concurrent processes.
const AT_ONCE: usize = 4;

/// The number of boundaries tried in each case by default.
const SOME: i64 = 6;

/// The cases that are tried by default. They cover each way in which a run continues, waits and ends.
const SAMPLE: [&str; 10] = [
    "append",
    "budget-retry",
    "loop-timeout",
    "parallel-in-body",
    "retry",
    "tool-in-loop",
    "iterator-collect",
    "delay-fixed",
    "core-fails-return",
    "template-self-refine",
];

/// Returns a journal that blocks forever at a boundary: before a write, or after the write is on disk. `left` is the number of
/// boundaries to pass before that.
fn stands_still(journal: Arc<dyn Journal>, left: Arc<AtomicI64>) -> Arc<dyn Journal> {
    Arc::new(Watched {
        journal,
        watch: Box::new(move |_| {
            if left.fetch_sub(1, Ordering::SeqCst) == 0 {
                println!("{AT_BOUNDARY}");
                std::io::stdout().flush().unwrap();
                loop {
                    std::thread::park();
                }
            }
        }),
    })
}

fn planned(case: &Case) -> Option<Arc<loopwright_engine::plan::Plan>> {
    match case.check(&loopwright_nodes::all()) {
        Checked::Planned(plan) => Some(plan),
        Checked::Invalid(_) => None,
    }
}

fn open(path: &Path) -> Arc<dyn Journal> {
    let opened = SqliteJournal::open(path).unwrap();
    assert_eq!(opened.notice, None, "a kill damages no store");
    Arc::new(opened.journal)
}

/// The code of the processes that are started: the one that is killed and the one that continues. Environment variables name
/// the case and the store.
#[test]
#[ignore = "what `continues_after_a_kill_at_any_boundary` starts"]
fn victim() {
    let setting = |name: &str| env::var(format!("LOOPWRIGHT_VICTIM_{name}")).unwrap();
    let case = read(&cases().join(setting("CASE")), Some(BUILT_IN)).unwrap();
    let plan = planned(&case).unwrap();
    let journal = open(Path::new(&setting("STORE")));
    match setting("BOUNDARY").parse() {
        Ok(boundary) => {
            let journal = stands_still(journal, Arc::new(AtomicI64::new(boundary)));
            case.execute(&Tokio::on(journal), &plan, None);
        }
        Err(_) => continue_run(&case, &plan, &journal),
    }
}

fn continue_run(
    case: &Case,
    plan: &Arc<loopwright_engine::plan::Plan>,
    journal: &Arc<dyn Journal>,
) {
    if journal.run("run").is_err() {
        // The process was killed before it wrote anything. It had therefore made no call.
        case.execute(&Tokio::on(Arc::clone(journal)), plan, None);
        return;
    }
    let kept = journal.read("run", Select::All).unwrap();
    let Remembered {
        whole,
        answered,
        asked,
    } = case.remembered(&Tokio::new(), plan);
    let host = Tokio::with_run_in(Arc::clone(journal));
    if case.run.order_matters {
        let (done, calls) = case.resume_otherwise(&host, plan, &kept, &asked);
        let done = holds(plan, &kept, done, calls).unwrap();
        if summary(&done) != summary(&whole) {
            println!("{OTHERWISE}");
        }
        return;
    }
    let (done, (twice, unasked)) = case.resume(&host, plan, &kept, &answered);
    assert_eq!(done.records[..kept.len()], kept, "what was recorded stays");
    assert_eq!((twice, unasked), (0, 0), "calls made twice, and not made");
    if done.state.status != RunStatus::Waiting {
        ended(&done.records).unwrap();
    }
    assert_eq!(summary(&done), summary(&whole));
    if let Some(usd) = case.flow.settings().budget_usd {
        let spent = done.state.usage.cost_microusd;
        assert!(
            spent as f64 <= usd * 1e6,
            "{spent} micro-dollars of {usd} dollars"
        );
    }
}

/// How a process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Became {
    /// The process stopped at a boundary and was killed.
    Killed,
    /// The process finished the run with the result of the uninterrupted run.
    Same,
    /// The process finished the run with a different result. The case allows this.
    Otherwise,
}

/// Starts a process on the case and reads its output until it stops at a boundary or exits.
fn process(case: &str, store: &Path, boundary: &str) -> Result<Became, String> {
    let mut child = Command::new(env::current_exe().unwrap())
        .args(["--exact", "torture::victim", "--ignored", "--nocapture"])
        .env("LOOPWRIGHT_VICTIM_CASE", case)
        .env("LOOPWRIGHT_VICTIM_STORE", store)
        .env("LOOPWRIGHT_VICTIM_BOUNDARY", boundary)
        .env_remove("RUST_BACKTRACE")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut said = String::new();
    for line in BufReader::new(child.stdout.take().unwrap()).lines() {
        let line = line.unwrap();
        if line.ends_with(AT_BOUNDARY) {
            // On Unix, this sends SIGKILL.
            child.kill().unwrap();
            child.wait().unwrap();
            return Ok(Became::Killed);
        }
        said += &line;
        said.push('\n');
    }
    let output = child.wait_with_output().unwrap();
    if output.status.success() {
        let otherwise = said.lines().any(|line| line.ends_with(OTHERWISE));
        return Ok(if otherwise {
            Became::Otherwise
        } else {
            Became::Same
        });
    }
    let words = String::from_utf8_lossy(&output.stderr).into_owned();
    Err(format!("{said}{words}"))
}

/// Returns the number of boundaries in a run of the case; `None` if the flow of the case is invalid.
fn boundaries(case: &Case) -> Option<i64> {
    let plan = planned(case)?;
    let left = Arc::new(AtomicI64::new(i64::MAX));
    let journal = stands_still(Arc::new(MemoryJournal::new()), Arc::clone(&left));
    case.execute(&Tokio::on(journal), &plan, None);
    Some(i64::MAX - left.load(Ordering::SeqCst))
}

#[test]
fn continues_after_a_kill_at_any_boundary() {
    let all = env::var("LOOPWRIGHT_TORTURE").is_ok_and(|value| value == "all");
    let only = env::var("LOOPWRIGHT_CASE").ok();
    let mut names: Vec<String> = fs::read_dir(cases())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .filter(|name| match &only {
            Some(only) => only.split(',').any(|one| one == name),
            None => all || SAMPLE.contains(&name.as_str()),
        })
        .collect();
    names.sort();
    let mut work: Vec<(String, i64)> = Vec::new();
    let mut tried = 0;
    for name in names {
        let folder = cases().join(&name);
        let Some(case) = folder
            .is_dir()
            .then(|| read(&folder, Some(BUILT_IN)))
            .flatten()
        else {
            continue;
        };
        let Some(count) = boundaries(&case) else {
            continue;
        };
        tried += 1;
        let most = if all { i64::MAX } else { SOME };
        let step = usize::try_from((count - 1) / most + 1).unwrap();
        work.extend(
            (0..count)
                .step_by(step)
                .map(|boundary| (name.clone(), boundary)),
        );
    }
    let kills = AtomicUsize::new(0);
    let otherwise: Mutex<BTreeMap<&str, usize>> = Mutex::default();
    let next = AtomicUsize::new(0);
    let failed: Mutex<Vec<String>> = Mutex::default();
    std::thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                while let Some((name, boundary)) = work.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let folder = tempfile::tempdir().unwrap();
                    let store = folder.path().join("runs.db");
                    let killed = process(name, &store, &boundary.to_string());
                    kills.fetch_add(usize::from(killed == Ok(Became::Killed)), Ordering::Relaxed);
                    match killed.and_then(|_| process(name, &store, "none")) {
                        Ok(Became::Otherwise) => {
                            *otherwise.lock().unwrap().entry(name).or_default() += 1;
                        }
                        Ok(_) => {}
                        Err(why) => {
                            let words = format!("{name}, killed at boundary {boundary}:\n{why}");
                            failed.lock().unwrap().push(words);
                        }
                    }
                }
            });
        }
    });
    let failed = failed.into_inner().unwrap();
    let otherwise = otherwise.into_inner().unwrap();
    println!(
        "{tried} cases, {} kills at boundaries of the journal, {} failed; {} went on to another end, as a limit, a failure or \
         a stop decided:",
        kills.load(Ordering::Relaxed),
        failed.len(),
        otherwise.values().sum::<usize>()
    );
    for (name, times) in otherwise {
        println!("  {name}: {times}");
    }
    assert!(failed.is_empty(), "{}", failed.join("\n\n"));
    assert_eq!(kills.into_inner(), work.len(), "each process was killed");
}
