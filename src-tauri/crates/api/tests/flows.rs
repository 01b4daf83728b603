//! Runs every case of the engine on the driver for tokio and on SQLite. The engine's own tests resume, fork and reorder them;
//! here the trace must be the same one, on both journals, and the cases with built-in models and tools are added.
//!
//! `LOOPWRIGHT_UPDATE=1` writes the traces of those. `LOOPWRIGHT_CASE=one,two` runs these alone.

#![allow(clippy::unwrap_used)]

mod support;

use std::{fs, sync::Arc};

use loopwright_engine::{
    journal::Journal,
    plan::Plan,
    run::{Plans, replay::replay},
};
use loopwright_journal::SqliteJournal;

use support::{
    BUILT_IN, Done, Tokio,
    case::{Case, Checked, Remembered, read_all},
    sound::{ended, sound, summary},
    trace::{ending, shape, trace},
};

const SEEDS: [u64; 3] = [1, 2, 3];

#[test]
fn every_case_gives_its_trace() {
    let mut failed = Vec::new();
    for case in read_all(Some(BUILT_IN)) {
        match std::panic::catch_unwind(|| check(&case)) {
            Ok(Ok(())) => {}
            Ok(Err(why)) => failed.push(format!("{}: {why}", case.name)),
            Err(_) => failed.push(format!("{}: panicked (see above)", case.name)),
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n\n"));
}

fn check(case: &Case) -> Result<(), String> {
    let plan = match case.check(&loopwright_nodes::all()) {
        Checked::Invalid(problems) => return expect(case, &problems),
        Checked::Planned(plan) => plan,
    };
    let done = case.execute(&Tokio::new(), &plan, None);
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
    let stored = case.execute(&Tokio::on(sqlite), &plan, None);
    same("the trace on SQLite", &trace(&done), &trace(&stored))?;
    if stored.records != done.records {
        return Err("the records that SQLite gives back differ".to_owned());
    }
    replays(case, &plan, &stored)?;

    if case.run.order_matters {
        return Ok(());
    }
    for seed in SEEDS {
        let permuted = case.execute(&Tokio::new(), &plan, Some(seed));
        sound(&plan, &permuted)?;
        let what = format!("what comes out in the order of seed {seed}");
        same(&what, &summary(&done), &summary(&permuted))?;
    }
    if case.needs_built_in() && !case.run.built_in {
        resumes(case, &plan)?;
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

/// Resumed behind every record it comes to the same, and nothing recorded is asked for again.
fn resumes(case: &Case, plan: &Arc<Plan>) -> Result<(), String> {
    let Remembered {
        whole, answered, ..
    } = case.remembered(&Tokio::new(), plan);
    let records = whole.records.len();
    // Every one of them, but of long journals.
    let step = if records <= 200 { 1 } else { records / 20 };
    for length in (1..records).step_by(step) {
        let beginning = &whole.records[..length];
        let (done, counts) = case.resume(&Tokio::new(), plan, beginning, &answered);
        let at = format!("resumed behind record {length} of {records}");
        if counts != (0, 0) {
            let (twice, unasked) = counts;
            return Err(format!(
                "{at}: {twice} calls made twice, {unasked} not made"
            ));
        }
        ended(&done.records).map_err(|why| format!("{at}: {why}"))?;
        same(&at, &summary(&whole), &summary(&done))?;
    }
    Ok(())
}

fn expect(case: &Case, actual: &str) -> Result<(), String> {
    let path = case.folder.join("trace.txt");
    if std::env::var_os("LOOPWRIGHT_UPDATE").is_some() && case.needs_built_in() {
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
