//! Runs every case in `flows/`: a flow, how it is run, and the trace that must come of it.
//!
//! Each case runs on the journal in memory and on SQLite with one and the same trace, and again with the completions of
//! what goes on at once in other orders, with the same outputs. `LOOPWRIGHT_UPDATE=1` rewrites the traces; read the
//! difference before you keep it. `LOOPWRIGHT_CASE=one,two` runs these alone.

#![allow(clippy::unwrap_used)]

mod support;

use std::{fs, path::Path, sync::Arc};

use loopwright_engine::{
    Entry, RunStatus,
    event::ExitReason,
    journal::{Fact, Journal},
    plan::{Plan, Work},
    run::{
        Plans,
        fork::{Place, fork},
        replay::replay,
    },
};
use loopwright_journal::{MemoryJournal, SqliteJournal};
use serde_json::Value;

use support::{
    Done,
    case::{Case, Checked, Remembered, read},
    left,
    sound::{ended, sound, summary},
    taken_up::holds,
    trace::{ending, shape, trace},
};

const SEEDS: [u64; 3] = [1, 2, 3];

#[test]
fn every_case_gives_its_trace() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/flows");
    let mut folders: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_dir())
        .collect();
    folders.sort();
    let only = std::env::var("LOOPWRIGHT_CASE").ok();
    let mut failed = Vec::new();
    for folder in folders {
        let name = folder.file_name().unwrap().to_string_lossy().into_owned();
        if only
            .as_ref()
            .is_some_and(|only| only.split(',').all(|only| only != name))
        {
            continue;
        }
        let Some(case) = read(&folder) else {
            println!("{name}: its flow is not on this computer, passed over");
            continue;
        };
        let outcome = std::panic::catch_unwind(|| check(&case));
        match outcome {
            Ok(Ok(())) => {}
            Ok(Err(why)) => failed.push(format!("{name}: {why}")),
            Err(_) => failed.push(format!("{name}: panicked (see above)")),
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n\n"));
}

fn check(case: &Case) -> Result<(), String> {
    let plan = match case.check(&loopwright_nodes::all()) {
        Checked::Invalid(problems) => return expect(case, &problems),
        Checked::Planned(plan) => plan,
    };
    let memory: Arc<dyn Journal> = Arc::new(MemoryJournal::new());
    let done = case.execute(&plan, &memory, None);
    let text = if case.run.built_in {
        shape(&done)
    } else if case.run.ending_only {
        ending(&done)
    } else {
        trace(&done)
    };
    expect(case, &text)?;
    sound(&plan, &done)?;

    let folder = tempfile::tempdir().unwrap();
    let opened = SqliteJournal::open(&folder.path().join("runs.sqlite")).unwrap();
    let sqlite: Arc<dyn Journal> = Arc::new(opened.journal);
    let stored = case.execute(&plan, &sqlite, None);
    same("the trace on SQLite", &trace(&done), &trace(&stored))?;
    if stored.records != done.records {
        return Err("the records that SQLite gives back differ".to_owned());
    }

    replays(case, &plan, &stored)?;

    if case.run.order_matters {
        resumes_soundly(case, &plan)?;
    } else if !case.run.built_in {
        resumes(case, &plan)?;
    }
    if !case.run.order_matters
        && !case.run.built_in
        && !case.run.reads_clock
        && case.run.tools.is_empty()
    {
        forks(case, &plan)?;
    }
    if !case.run.order_matters {
        for seed in SEEDS {
            let memory: Arc<dyn Journal> = Arc::new(MemoryJournal::new());
            let permuted = case.execute(&plan, &memory, Some(seed));
            sound(&plan, &permuted)?;
            same(
                &format!("what comes out in the order of seed {seed}"),
                &summary(&done),
                &summary(&permuted),
            )?;
        }
    }
    Ok(())
}

/// Made again from its journal, it gives the same events with the same times.
fn replays(case: &Case, plan: &Arc<Plan>, stored: &Done) -> Result<(), String> {
    let mut events = Vec::new();
    replay(
        &Plans::from(Arc::clone(plan)),
        "run",
        case.run.inputs.clone(),
        &stored.records,
        |event| events.push(event.clone()),
    )
    .map_err(|error| format!("it does not replay: {error}"))?;
    if events != stored.events {
        return Err("its replay gives other events".to_owned());
    }
    Ok(())
}

/// Forked at any place without a change, it comes to the same, nothing that is kept is asked for again, and the fork replays
/// too.
fn forks(case: &Case, plan: &Arc<Plan>) -> Result<(), String> {
    let Remembered {
        whole, answered, ..
    } = case.remembered(plan);
    if whole.state.status == RunStatus::Waiting {
        return Ok(());
    }
    let ends_a_loop = |node: &Option<String>| {
        plan.nodes.iter().any(|planned| {
            Some(&*planned.id) == node.as_deref()
                && matches!(planned.work, Work::End { combine: None, .. })
        })
    };
    let mut places: Vec<String> = Vec::new();
    for record in &whole.records {
        match record.entry {
            Entry::Fact(Fact::NodeStarted { .. }) if !ends_a_loop(&record.node_id) => {
                places.push(record.path.clone());
            }
            Entry::Fact(Fact::IterationStarted { index, .. }) => {
                places.push(format!("{}[{}]", record.path, index + 1));
            }
            _ => {}
        }
    }
    let before = Plans::from(Arc::clone(plan));
    let after = before.clone().then(Arc::clone(plan));
    let last = whole.records.last().map_or(0, |record| record.at);
    for at in places.iter().step_by(places.len() / 40 + 1) {
        let place = Place {
            parent: "run".to_owned(),
            at: at.clone(),
            beyond: false,
            given: None,
            now: last + 60_000,
        };
        let begun = fork(&before, &after, &case.run.inputs, &whole.records, &place)
            .map_err(|error| format!("forked at {at}: {error}"))?;
        if begun.records.iter().any(|record| {
            record.path == *at && matches!(record.entry, Entry::Fact(Fact::NodeStarted { .. }))
        }) {
            return Err(format!("forked at {at}: the place has begun"));
        }
        let Some((done, (twice, unasked))) = case.fork(plan, &begun.records, &answered) else {
            continue;
        };
        if (twice, unasked) != (0, 0) {
            return Err(format!(
                "forked at {at}: {twice} calls made twice, {unasked} not made"
            ));
        }
        same(
            &format!("forked at {at}"),
            &summary(&whole),
            &summary(&done),
        )?;
        let replayed = replay(
            &after,
            "run",
            case.run.inputs.clone(),
            &done.records,
            |_| {},
        );
        replayed.map_err(|error| format!("forked at {at}, it does not replay: {error}"))?;
    }
    Ok(())
}

/// From every beginning of its journal the run comes to the same, and nothing recorded is asked for again.
fn resumes(case: &Case, plan: &Arc<Plan>) -> Result<(), String> {
    let Remembered {
        whole, answered, ..
    } = case.remembered(plan);
    let records = whole.records.len();
    // Every one of them, but of long journals.
    let step = if records <= 200 { 1 } else { records / 20 };
    for length in (1..records).step_by(step) {
        let beginning = &whole.records[..length];
        let (done, (twice, unasked)) = case.take_up(plan, beginning, &answered);
        let at = format!("taken up behind record {length} of {records}");
        if (twice, unasked) != (0, 0) {
            return Err(format!(
                "{at}: {twice} calls made twice, {unasked} not made"
            ));
        }
        if done.state.status != RunStatus::Waiting {
            ended(&done.records).map_err(|why| format!("{at}: {why}"))?;
        }
        same(&at, &summary(&whole), &summary(&done))?;
    }
    Ok(())
}

/// Where a deadline or a failure decides anew, it may come to another end; what holds of every run that is taken up holds.
fn resumes_soundly(case: &Case, plan: &Arc<Plan>) -> Result<(), String> {
    let Remembered { whole, asked, .. } = case.remembered(plan);
    let records = whole.records.len();
    for length in 1..records {
        let kept = &whole.records[..length];
        let journal = left(plan, kept);
        let (done, calls) = case.go_on_anew(plan, &journal, &asked);
        holds(plan, kept, done, calls)
            .map_err(|why| format!("taken up behind record {length} of {records}: {why}"))?;
    }
    Ok(())
}

fn expect(case: &Case, actual: &str) -> Result<(), String> {
    let path = case.folder.join("trace.txt");
    if std::env::var_os("LOOPWRIGHT_UPDATE").is_some() {
        fs::write(&path, actual).unwrap();
        return Ok(());
    }
    let expected = fs::read_to_string(&path).unwrap_or_default();
    same("the trace", &expected, actual)
}

fn same(what: &str, expected: &str, actual: &str) -> Result<(), String> {
    if expected == actual {
        return Ok(());
    }
    let line = expected
        .lines()
        .zip(actual.lines())
        .position(|(a, b)| a != b)
        .unwrap_or_else(|| expected.lines().count().min(actual.lines().count()));
    let at = |text: &str| text.lines().nth(line).unwrap_or("(end)").to_owned();
    Err(format!(
        "{what} differs in line {}:\n  expected {}\n  actual   {}",
        line + 1,
        at(expected),
        at(actual)
    ))
}

#[test]
fn the_cases_cover_every_reason_to_exit() {
    if std::env::var_os("LOOPWRIGHT_UPDATE").is_some() {
        return;
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/flows");
    let mut seen = String::new();
    for entry in fs::read_dir(folder).unwrap() {
        seen += &fs::read_to_string(entry.unwrap().path().join("trace.txt")).unwrap_or_default();
    }
    for reason in [
        ExitReason::MaxIterations,
        ExitReason::EvaluatorDone,
        ExitReason::StableOutput,
        ExitReason::ScorePlateau,
        ExitReason::ConditionMet,
        ExitReason::Timeout,
        ExitReason::Cancelled,
        ExitReason::Error,
        ExitReason::Completed,
    ] {
        let Ok(Value::String(name)) = serde_json::to_value(reason) else {
            panic!("{reason:?}");
        };
        assert!(
            seen.contains(&format!(", {name}")),
            "no case ends by {name}"
        );
    }
}

/// What stands between backticks in the second column of the README's tables.
fn named_in_the_readme(flows: &Path) -> Vec<String> {
    let text = fs::read_to_string(flows.join("README.md")).unwrap();
    text.lines()
        .filter_map(|line| {
            line.strip_prefix("| ")?
                .strip_suffix(" |")?
                .rsplit_once(" | ")
        })
        .flat_map(|(_, cases)| cases.split('`').skip(1).step_by(2))
        .map(str::to_owned)
        .collect()
}

#[test]
fn the_readme_names_every_case_and_nothing_that_is_not_there() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let flows = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/flows");
    let named = named_in_the_readme(&flows);
    assert!(named.len() > 200, "the tables cannot be read");
    for name in &named {
        let there = match name.split_once("::") {
            Some((file, test)) => fs::read_to_string(crates.join(file))
                .is_ok_and(|text| text.contains(&format!("fn {test}("))),
            None if name.contains('/') => crates.join(name).is_file(),
            None => flows.join(name).is_dir(),
        };
        assert!(there, "README.md names `{name}`, which is not there");
    }
    let mut missing: Vec<String> = fs::read_dir(&flows)
        .unwrap()
        .map(|entry| entry.unwrap())
        .filter(|entry| entry.path().is_dir())
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter(|name| !named.contains(name))
        .collect();
    missing.sort();
    assert!(
        missing.is_empty(),
        "README.md says nothing of {}",
        missing.join(", ")
    );
}
