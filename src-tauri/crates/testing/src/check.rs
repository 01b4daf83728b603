//! Checks of cases, shared by the tests of all hosts.

use std::{
    fs,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
};

use loopwright_engine::{
    RunStatus,
    journal::{Entry, Fact, Failed, Retried},
    plan::Plan,
    run::{Plans, replay::replay},
};

use crate::{
    Done, Host, RUN,
    case::{Case, Remembered},
    sound::{ended, summary},
};

/// Checks every case.
///
/// # Panics
/// Panics if a check fails. The message contains all failures.
pub fn all(cases: &[Case], check: impl Fn(&Case) -> Result<(), String>) {
    let mut failed = Vec::new();
    for case in cases {
        match catch_unwind(AssertUnwindSafe(|| check(case))) {
            Ok(Ok(())) => {}
            Ok(Err(why)) => failed.push(format!("{}: {why}", case.name)),
            Err(_) => failed.push(format!("{}: panicked (see above)", case.name)),
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n\n"));
}

/// Compares `actual` with the case's expected trace. With `LOOPWRIGHT_UPDATE=1`, writes `actual` as the expected trace
/// instead.
///
/// # Errors
/// Returns the first differing line.
pub fn expect(case: &Case, actual: &str) -> Result<(), String> {
    let path = case.folder.join("trace.txt");
    if std::env::var_os("LOOPWRIGHT_UPDATE").is_some() {
        fs::write(&path, actual).unwrap();
        return Ok(());
    }
    let expected = fs::read_to_string(&path).unwrap_or_default();
    same("the trace", &expected, actual)
}

/// Compares two strings.
///
/// # Errors
/// Returns the first differing line.
pub fn same(what: &str, expected: &str, actual: &str) -> Result<(), String> {
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

/// Replays a run from its journal, and compares the events of the replay, with their times, with those of the run.
///
/// # Errors
/// Returns an error if the records cannot be replayed, or if the events differ.
pub fn replays(case: &Case, plan: &Arc<Plan>, stored: &Done) -> Result<(), String> {
    let mut events = Vec::new();
    replay(
        &Plans::from(Arc::clone(plan)),
        RUN,
        case.run.inputs.clone(),
        &stored.records,
        |event| events.push(event.clone()),
    )
    .map_err(|error| format!("the run cannot be replayed: {error}"))?;
    if events != stored.events {
        return Err("the events of the replay differ from those of the run".to_owned());
    }
    Ok(())
}

/// Replays a run in whose records every text for people has other words, as if another version of the program had written
/// them.
///
/// # Errors
/// Returns an error if the records cannot be replayed.
pub fn replays_other_words(case: &Case, plan: &Arc<Plan>, stored: &Done) -> Result<(), String> {
    let mut records = stored.records.clone();
    for record in &mut records {
        if let Entry::Fact(fact) = &mut record.entry {
            reword(fact);
        }
    }
    replay(
        &Plans::from(Arc::clone(plan)),
        RUN,
        case.run.inputs.clone(),
        &records,
        |_| {},
    )
    .map(drop)
    .map_err(|error| format!("a run with other texts cannot be replayed: {error}"))
}

/// Changes the texts of a fact that are for people.
fn reword(fact: &mut Fact) {
    let other = |text: &mut String| text.insert_str(0, "In other words: ");
    match fact {
        Fact::NodeFailed(Failed { error, .. }) | Fact::NodeRetried(Retried { error, .. }) => {
            other(&mut error.message);
        }
        Fact::NodeSkipped { reason } => other(reason),
        Fact::Warned { warning } => other(&mut warning.message),
        Fact::RunCompleted { warnings, .. } => {
            for warning in warnings {
                other(&mut warning.message);
            }
        }
        Fact::RunFailed {
            error, warnings, ..
        } => {
            other(&mut error.message);
            for warning in warnings {
                other(&mut warning.message);
            }
        }
        _ => {}
    }
}

/// Resumes a case on `host` after each of its records or, if there are many, after some of them. The run must end in the same
/// way, without repeating a recorded call.
///
/// # Errors
/// Returns an error about the first record after which the resumed run ends differently or repeats a recorded call.
pub fn resumes(
    host: impl Fn() -> Box<dyn Host>,
    case: &Case,
    plan: &Arc<Plan>,
) -> Result<(), String> {
    let Remembered {
        whole, answered, ..
    } = case.remembered(&*host(), plan);
    let records = whole.records.len();
    // In long journals, only some records are tried.
    let step = if records <= 200 { 1 } else { records / 20 };
    for length in (1..records).step_by(step) {
        let beginning = &whole.records[..length];
        let (done, (twice, unasked)) = case.resume(&*host(), plan, beginning, &answered);
        let at = format!("resumed after record {length} of {records}");
        if (twice, unasked) != (0, 0) {
            return Err(format!(
                "{at}: {twice} calls were made twice, {unasked} were not made"
            ));
        }
        if done.state.status != RunStatus::Waiting {
            ended(&done.records).map_err(|why| format!("{at}: {why}"))?;
        }
        same(&at, &summary(&whole), &summary(&done))?;
    }
    Ok(())
}
