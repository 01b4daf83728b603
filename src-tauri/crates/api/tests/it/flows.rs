//! Runs every case of the engine on the tokio driver, in memory and on SQLite. The engine's own tests resume, fork and
//! reorder the cases; these tests compare the traces of both journals, which must be equal. Further cases use built-in
//! models and tools.
//!
//! With `LOOPWRIGHT_UPDATE=1`, the traces of the further cases are written. With `LOOPWRIGHT_CASE=one,two`, only these cases
//! run.

#![allow(clippy::unwrap_used)]

use crate::support;

use std::sync::Arc;

use loopwright_engine::journal::Journal;
use loopwright_journal::SqliteJournal;
use loopwright_testing::check::{all, expect, replays, resumes, same};

use support::{
    BUILT_IN, Tokio,
    case::{Case, Checked, read_all},
    sound::{sound, summary},
    trace::{ending, shape, trace},
};

const SEEDS: [u64; 3] = [1, 2, 3];

#[test]
fn every_case_gives_its_trace() {
    all(&read_all(Some(BUILT_IN)), check);
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
        resumes(|| Box::new(Tokio::new()), case, &plan)?;
    }
    Ok(())
}
