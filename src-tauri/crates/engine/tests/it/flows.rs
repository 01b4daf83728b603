//! Runs every case in `flows/` on the simulated driver and compares its trace with the expected one. Then it replays the
//! case from its journal, resumes it after every record, forks it at every place, and reorders answers and simultaneous events.
//! The README says which promise each case proves.
//!
//! `LOOPWRIGHT_UPDATE=1 cargo test --workspace --test it -- flows` writes the actual traces: read the difference before you
//! keep it. `LOOPWRIGHT_CASE=one,two` runs only these cases.

#![allow(clippy::unwrap_used)]

use std::{fs, sync::Arc};

use loopwright_engine::{
    ExitReason, RunStatus,
    journal::{Entry, Fact},
    plan::{Plan, Work},
    run::{
        Plans,
        fork::{Place, fork},
        replay::replay,
    },
};
use loopwright_testing::{
    case::{Case, Checked, Remembered, cases, read_all, root},
    check::{all, expect, replays, replays_other_words, resumes, same},
    resumed::holds,
    simulation::Simulation,
    sound::{sound, summary},
    trace::{ending, trace},
};
use serde_json::Value;

const SEEDS: [u64; 3] = [1, 2, 3];

/// The minimum number of cases that need no built-in models or tools.
const MIN_CASES: usize = 280;

#[test]
fn every_case_gives_its_trace() {
    let (left, cases): (Vec<_>, Vec<_>) =
        read_all(None).into_iter().partition(Case::needs_built_in);
    let left: Vec<_> = left.iter().map(|case| case.name.as_str()).collect();
    println!(
        "{} cases; these need built-in models or tools: {}",
        cases.len(),
        left.join(", ")
    );
    let is_all = std::env::var_os("LOOPWRIGHT_CASE").is_none();
    assert!(
        !is_all || cases.len() >= MIN_CASES,
        "only {} cases",
        cases.len()
    );
    all(&cases, check);
}

fn check(case: &Case) -> Result<(), String> {
    let plan = match case.check(&loopwright_nodes::all()) {
        Checked::Invalid(problems) => return expect(case, &problems),
        Checked::Planned(plan) => plan,
    };
    let done = case.execute(&Simulation::new(), &plan, None);
    let text = if case.run.ending_only {
        ending(&done)
    } else {
        trace(&done)
    };
    expect(case, &text)?;
    sound(&plan, &done)?;
    replays(case, &plan, &done)?;
    replays_other_words(case, &plan, &done)?;
    if case.run.order_matters {
        return resumes_soundly(case, &plan);
    }
    resumes(|| Box::new(Simulation::new()), case, &plan)?;
    if !case.run.reads_clock && case.run.tools.is_empty() {
        forks(case, &plan, &Simulation::new())?;
    }
    for seed in SEEDS {
        for (what, host, pauses) in [
            ("what happens together", Simulation::with_seed(seed), None),
            ("the world's answers", Simulation::new(), Some(seed)),
        ] {
            let permuted = case.execute(&host, &plan, pauses);
            sound(&plan, &permuted)?;
            let what = format!("with {what} in the order of seed {seed}, what comes out");
            same(&what, &summary(&done), &summary(&permuted))?;
        }
    }
    Ok(())
}

/// Forks a run on `host` at every place, without a change. Checks that each fork gives the same result, repeats no call whose
/// answer it kept, and can be replayed.
pub(crate) fn forks(case: &Case, plan: &Arc<Plan>, host: &Simulation) -> Result<(), String> {
    let Remembered {
        whole, answered, ..
    } = case.remembered(host, plan);
    if whole.state.status == RunStatus::Waiting {
        return Ok(());
    }
    let ends_a_loop = |node: &Option<Arc<str>>| {
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
        let Some((done, (twice, unasked))) =
            case.fork(&Simulation::new(), plan, &begun.records, &answered)
        else {
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

/// Checks the properties of every resumed run. If a deadline or a failure decides how it ends, it may end differently than
/// without the interruption, but it still has these properties.
fn resumes_soundly(case: &Case, plan: &Arc<Plan>) -> Result<(), String> {
    let Remembered { whole, asked, .. } = case.remembered(&Simulation::new(), plan);
    let records = whole.records.len();
    for length in 1..records {
        let kept = &whole.records[..length];
        let (done, calls) = case.resume_otherwise(&Simulation::new(), plan, kept, &asked);
        holds(plan, kept, done, calls)
            .map_err(|why| format!("resumed behind record {length} of {records}: {why}"))?;
    }
    Ok(())
}

#[test]
fn the_cases_cover_every_reason_to_exit() {
    if std::env::var_os("LOOPWRIGHT_UPDATE").is_some() {
        return;
    }
    let folder = cases();
    let mut seen = String::new();
    for entry in fs::read_dir(folder).unwrap() {
        seen += &fs::read_to_string(entry.unwrap().path().join("trace.txt")).unwrap_or_default();
    }
    for reason in ExitReason::ALL {
        let Ok(Value::String(name)) = serde_json::to_value(reason) else {
            panic!("{reason:?}");
        };
        assert!(
            seen.contains(&format!(", {name}")),
            "no case ends by {name}"
        );
    }
}

/// Returns the names in backticks in the second column of the README's tables.
fn named_in_the_readme(flows: &std::path::Path) -> Vec<String> {
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
    let crates = root().join("src-tauri/crates");
    let flows = cases();
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
