//! The computer sleeps for six hours in the middle of a run. The tests try every case at several moments, and check the effect
//! on time limits, pauses and calls.

#![allow(clippy::unwrap_used)]

use std::{collections::BTreeSet, sync::Arc};

use loopwright_engine::{
    Event, EventBody, RunStatus,
    host::Services,
    journal::{Entry, Input, elapsed_ms},
    resources,
};
use loopwright_testing::{
    Begin, Done, Host as _, Stop,
    case::{Case, Checked, read_all},
    check::{all, replays, resumes, same},
    people::{ApprovalMode, People},
    scripted::{FakeModels, Script},
    simulation::Simulation,
    sound::{sound, summary},
    world::Registry,
};
use serde_json::{Map, Value, json};

use crate::{flows::forks, random_flows::planned};

const HOURS_6: u64 = 6 * 3_600_000;

/// The minimum number of sleeps in cases without pauses.
const MIN_COMPARED: usize = 250;

fn sleeps_of(done: &Done) -> Vec<u64> {
    let sleeps = done
        .records
        .iter()
        .filter_map(|record| match &record.entry {
            Entry::Input(Input::ComputerSlept { ms, .. }) => Some(*ms),
            _ => None,
        });
    sleeps.collect()
}

fn timeouts(done: &Done) -> usize {
    let failed = done.records.iter().filter_map(|record| {
        let error = match (record.entry.failed(), record.entry.retried()) {
            (Some(failed), _) => &failed.error,
            (_, Some(retried)) => &retried.error,
            _ => return None,
        };
        (error.code == "timeout").then_some(())
    });
    failed.count()
}

/// Returns whether a run has pauses, which a sleep shortens.
fn has_pauses(case: &Case, whole: &Done) -> bool {
    let flow = std::fs::read_to_string(case.folder.join("flow.json")).unwrap_or_default();
    let names = ["\"delay\"", "\"interval\"", "\"retry\""];
    let parked = whole
        .records
        .iter()
        .any(|record| record.entry.parked().is_some());
    names.iter().any(|name| flow.contains(name)) || retries(whole) > 0 || parked
}

/// Runs a case with a sleep at several moments. Returns the number of sleeps in a flow without pauses, where the run must
/// have the same end and duration as without the sleep.
fn check(case: &Case) -> Result<usize, String> {
    let Checked::Planned(plan) = case.check(&loopwright_nodes::all()) else {
        return Ok(0);
    };
    let whole = case.execute(&Simulation::new(), &plan, None);
    let took = whole.took_ms;
    let moments = BTreeSet::from([0, 1, took / 3, took / 2, took.saturating_sub(1)]);
    let mut compared = 0;
    for after in moments {
        let host = || Simulation::new().sleeping(after, HOURS_6);
        let slept = case.execute(&host(), &plan, None);
        if sleeps_of(&slept).is_empty() {
            continue;
        }
        let at = |why: String| format!("asleep after {after} of {took} ms: {why}");
        sound(&plan, &slept).map_err(at)?;
        replays(case, &plan, &slept).map_err(at)?;
        if timeouts(&slept) > timeouts(&whole) {
            return Err(at(format!("{} timeouts", timeouts(&slept))));
        }
        if has_pauses(case, &whole) || case.run.reads_clock {
            continue;
        }
        compared += 1;
        if slept.took_ms != took {
            return Err(at(format!("it took {} ms", slept.took_ms)));
        }
        same("what comes out", &summary(&whole), &summary(&slept)).map_err(at)?;
        if !case.run.order_matters && after == took / 2 {
            resumes(|| Box::new(host()), case, &plan).map_err(at)?;
            if case.run.tools.is_empty() {
                forks(case, &plan, &host()).map_err(at)?;
            }
        }
    }
    Ok(compared)
}

#[test]
fn no_case_notices_a_sleep() {
    let cases = read_all(None).into_iter();
    let cases: Vec<_> = cases.filter(|case| !case.needs_built_in()).collect();
    let compared = std::cell::Cell::new(0);
    all(&cases, |case| {
        compared.set(compared.get() + check(case)?);
        Ok(())
    });
    let is_all = std::env::var_os("LOOPWRIGHT_CASE").is_none();
    assert!(
        !is_all || compared.get() >= MIN_COMPARED,
        "only {} sleeps were compared",
        compared.get()
    );
}

/// Runs a flow with an input, `node` and an output, with these replies of the model, and a sleep after `after_ms` milliseconds.
fn run(settings: Value, node: Value, replies: Value, after_ms: u64) -> Done {
    let plan = planned(&json!({
        "schemaVersion": 1,
        "settings": settings,
        "nodes": [
            { "id": "in", "type": "input", "position": { "x": 0, "y": 0 }, "data": { "name": "text", "default": "start" } },
            { "id": "ask", "type": "llm", "position": { "x": 0, "y": 0 }, "data": node },
            { "id": "out", "type": "output", "position": { "x": 0, "y": 0 }, "data": { "name": "result" } },
        ],
        "edges": [
            { "id": "e1", "source": "in", "target": "ask" },
            { "id": "e2", "source": "ask", "target": "out" },
        ],
    }));
    let host = Simulation::new().sleeping(after_ms, HOURS_6);
    let script: Script = serde_json::from_value(json!({ "replies": replies })).unwrap();
    let services = Services {
        models: Arc::new(FakeModels::new(script, host.sleep())),
        tools: Arc::new(Registry::empty(host.sleep())),
        resources: resources::none(),
    };
    host.run(Begin {
        plan: &plan,
        inputs: &Map::new(),
        services: &services,
        stop: &Stop::Never,
        people: &People {
            approve: ApprovalMode::All,
            answers: Vec::new(),
        },
        records: None,
    })
}

fn retries(done: &Done) -> usize {
    let retried = |event: &&Event| matches!(event.body, EventBody::NodeRetried { .. });
    done.events.iter().filter(retried).count()
}

#[test]
fn time_limits_stand_still_and_records_have_the_time_of_day() {
    let node = json!({ "timeout": "PT10S" });
    let replies = json!([{ "text": "done", "delayMs": 9_000 }]);
    let done = run(json!({ "timeout": "PT20S" }), node, replies, 5_000);
    assert_eq!(done.state.status, RunStatus::Completed);
    assert_eq!((done.took_ms, elapsed_ms(&done.records)), (9_000, 9_000));
    assert_eq!(sleeps_of(&done), [HOURS_6]);
    let spans = done.records.last().unwrap().at - done.records[0].at;
    assert_eq!(spans, 9_000 + i64::try_from(HOURS_6).unwrap());
    let [warning] = &done.state.warnings[..] else {
        panic!("{:?}", done.state.warnings);
    };
    assert_eq!(warning.code, "computer_slept");
    let told = done.events.iter().find_map(|event| match &event.body {
        EventBody::Slept { slept_ms, message } => Some((*slept_ms, message.as_str())),
        _ => None,
    });
    assert_eq!(told, Some((21_600_000, "The computer slept.")));
}

#[test]
fn a_limit_that_is_reached_after_a_sleep_still_ends_the_call() {
    let replies = json!([{ "text": "late", "delayMs": 60_000 }]);
    let done = run(json!({}), json!({ "timeout": "PT10S" }), replies, 5_000);
    assert_eq!(done.state.status, RunStatus::Failed);
    assert_eq!((done.took_ms, timeouts(&done)), (10_000, 1));
}

#[test]
fn a_call_that_died_in_a_sleep_is_made_again_once() {
    let dies = json!({ "delayMs": 9_000, "error": { "code": "network", "message": "The connection broke." } });
    let never = json!({ "retry": { "type": "none" } });
    let replies = json!([dies, { "text": "done" }]);
    let awake = run(json!({}), never.clone(), replies.clone(), 900_000);
    assert_eq!(
        (awake.state.status, retries(&awake)),
        (RunStatus::Failed, 0)
    );
    let slept = run(json!({}), never.clone(), replies, 5_000);
    assert_eq!(
        (slept.state.status, retries(&slept)),
        (RunStatus::Completed, 1)
    );
    let twice = run(json!({}), never.clone(), json!([dies, dies]), 5_000);
    assert_eq!(
        (twice.state.status, retries(&twice)),
        (RunStatus::Failed, 1)
    );
    let refused = json!([{ "delayMs": 9_000, "error": { "code": "http_401", "message": "No." } }]);
    let refused = run(json!({}), never, refused, 5_000);
    assert_eq!(
        (refused.state.status, retries(&refused)),
        (RunStatus::Failed, 0)
    );
}

#[test]
fn a_pause_ends_at_the_time_of_day_that_was_planned() {
    let replies = || json!([{ "error": { "code": "network", "message": "Unreachable." } }, { "text": "done" }]);
    for (interval, took_ms) in [("PT1H", 5_000), ("PT7H", 3_600_000)] {
        let retry = json!({ "type": "fixed", "count": 1, "interval": interval, "maxInterval": "PT8H", "jitter": 0 });
        let done = run(json!({}), json!({ "retry": retry }), replies(), 5_000);
        assert_eq!(
            (done.state.status, done.took_ms),
            (RunStatus::Completed, took_ms)
        );
    }
}
