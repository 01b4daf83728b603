//! The resources of loops: every case and random flows, with a folder for each loop. A folder is opened before the first
//! iteration and closed after the last one, even if the run is killed at any record, stopped, or forked. A replay touches no
//! folder.

#![allow(clippy::unwrap_used)]

use std::{
    collections::{BTreeSet, HashMap},
    sync::Arc,
};

use loopwright_engine::{
    RunStatus,
    host::Services,
    journal::{Completed, Entry, Fact, Failed, Input, Record},
    plan::{Plan, Repeat, Work},
    run::{
        Plans,
        fork::{Place, fork},
    },
};
use loopwright_model::EffectClass;
use loopwright_testing::{
    Begin, Done, Host as _, Stop,
    case::{Case, Checked, Remembered, cases as case_folders, read, read_all},
    check::{replays, same},
    folders::{Folders, Used, give_folders},
    generate::{Echo, config, flow},
    people::{ApprovalMode, People},
    simulation::Simulation,
    sound::{ended, sound, summary},
    world::Registry,
};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use crate::random_flows::planned;

/// The minimum number of cases with a loop.
const MIN_CASES: usize = 200;

/// Gives a folder to each loop of a case. Returns the case, its plan, and the simulation with these folders; `None` if the case
/// is invalid or has no loop.
fn with_folders(mut case: Case) -> Option<(Case, Arc<Plan>, Simulation, Arc<Folders>)> {
    let host = Simulation::new();
    let folders = Arc::new(Folders::new(host.sleep()));
    case.resources = Arc::clone(&folders) as _;
    let Checked::Planned(mut plan) = case.check(&loopwright_nodes::all()) else {
        return None;
    };
    give_folders(&mut plan);
    let has_loop = |plan: &Plan| {
        let mut graphs = plan.graphs.iter();
        graphs.any(|graph| matches!(graph.repeat, Some(Repeat::Loop(_))))
    };
    has_loop(&plan).then_some((case, plan, host, folders))
}

fn cases() -> Vec<Case> {
    let (_, cases): (Vec<_>, Vec<_>) = read_all(None).into_iter().partition(Case::needs_built_in);
    cases
}

/// Checks that the records of a finished run open and close each folder in turn, and that no folder is left.
fn closed(records: &[Record], folders: &Folders) -> Result<(), String> {
    ended(records)?;
    let mut open: HashMap<&str, i32> = HashMap::new();
    for record in records {
        let count = open.entry(&record.path).or_default();
        let fits = match &record.entry {
            Entry::Fact(Fact::ScopeOpening { .. }) => {
                *count += 1;
                *count == 1
            }
            Entry::Input(Input::ScopeOpened(answer)) => *count == 1 && answer.error.is_none(),
            Entry::Fact(Fact::ScopeClosing {}) => {
                *count -= 1;
                *count == 0
            }
            Entry::Input(Input::ScopeClosed(answer)) => *count == 0 && answer.error.is_none(),
            _ => true,
        };
        if !fits {
            return Err(format!("record {} opens or closes out of turn", record.seq));
        }
    }
    if let Some((path, _)) = open.iter().find(|(_, count)| **count != 0) {
        return Err(format!("the folder of {path} is not closed"));
    }
    match folders.count() {
        0 => Ok(()),
        left => Err(format!("{left} folders are left")),
    }
}

/// Checks that two steps that may change the same folder never run at the same time.
fn one_at_a_time(plan: &Plan, records: &[Record]) -> Result<(), String> {
    let loops: BTreeSet<&str> = records
        .iter()
        .filter(|record| matches!(record.entry, Entry::Fact(Fact::ScopeOpening { .. })))
        .map(|record| &*record.path)
        .collect();
    let mut under_way: HashMap<&str, &str> = HashMap::new();
    for record in records {
        let path = &*record.path;
        let around = |at: &&&str| path.starts_with(&format!("{at}["));
        let Some(folder) = loops.iter().filter(around).max_by_key(|at| at.len()) else {
            continue;
        };
        match &record.entry {
            Entry::Fact(Fact::NodeStarted { .. }) if changes(plan, path) => {
                if let Some(other) = under_way.insert(folder, path) {
                    return Err(format!("{other} and {path} use a folder at the same time"));
                }
            }
            Entry::Input(Input::ExecutionCompleted(_) | Input::ExecutionFailed(_))
            | Entry::Fact(Fact::NodeFailed(_) | Fact::NodeCompleted(_))
                if under_way.get(folder) == Some(&path) =>
            {
                under_way.remove(folder);
            }
            _ => {}
        }
    }
    Ok(())
}

/// Checks that each folder was opened once and closed once, in a run that was not interrupted.
fn used_once(records: &[Record], folders: &Folders) -> Result<(), String> {
    let count = |wanted: fn(&Entry) -> bool| {
        records
            .iter()
            .filter(|record| wanted(&record.entry))
            .count()
    };
    let opened = count(|entry| matches!(entry, Entry::Input(Input::ScopeOpened(_))));
    let closed = count(|entry| matches!(entry, Entry::Input(Input::ScopeClosed(_))));
    let used = folders.used();
    let of = |wanted: fn(&Used) -> bool| used.iter().filter(|used| wanted(used)).count();
    let (opens, closes) = (
        of(|used| matches!(used, Used::Opened(_))),
        of(|used| matches!(used, Used::Closed(_))),
    );
    // An opening that was abandoned has no answer, and its folder is still closed.
    if opens < opened || closes != closed || opens > closes {
        return Err(format!(
            "{opens} folders were opened and {closes} closed; recorded are {opened} and {closed}"
        ));
    }
    Ok(())
}

#[test]
fn every_case_opens_and_closes_its_folders() {
    let cases: Vec<_> = cases().into_iter().filter_map(with_folders).collect();
    assert!(cases.len() >= MIN_CASES, "only {} cases", cases.len());
    let mut failed = Vec::new();
    for (case, plan, host, folders) in &cases {
        let done = case.execute(host, plan, None);
        let checked = sound(plan, &done).and_then(|()| {
            if done.state.status == RunStatus::Waiting {
                return Ok(());
            }
            closed(&done.records, folders)?;
            one_at_a_time(plan, &done.records)?;
            if case.run.answers.is_empty() {
                used_once(&done.records, folders)?;
            }
            let used = folders.used();
            replays(case, plan, &done)?;
            match folders.used() == used {
                true => Ok(()),
                false => Err("a replay touched a folder".to_owned()),
            }
        });
        if let Err(why) = checked {
            failed.push(format!("{}: {why}", case.name));
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// Runs a case with a loop. Returns its plan, its records, and the files to which each folder was restored before it was
/// closed.
fn restored(name: &str) -> (Arc<Plan>, Vec<Record>, Vec<Value>) {
    let case = read(&case_folders().join(name), None).unwrap();
    let (case, plan, host, folders) = with_folders(case).unwrap();
    let done = case.execute(&host, &plan, None);
    let used = folders.used().into_iter();
    let files = used.filter_map(|used| match used {
        Used::Restored(_, files) => Some(files),
        _ => None,
    });
    (plan, done.records, files.collect())
}

#[test]
fn a_loop_that_returns_its_best_result_ends_with_the_files_of_that_iteration() {
    let mut earlier = 0;
    for name in [
        "best",
        "best-among-those-that-reached",
        "score-plateau-best",
    ] {
        let (plan, records, files) = restored(name);
        let mut best: Option<(bool, f64, Value)> = None;
        let mut last = Value::Null;
        for (index, record) in records.iter().enumerate() {
            if let Entry::Fact(Fact::IterationCompleted {
                score: Some(score),
                reached_exit,
                ..
            }) = &record.entry
            {
                last = states(&plan, &records[..index])[&record.path].clone();
                if best.as_ref().is_none_or(|(reached, highest, _)| {
                    (*reached_exit, *score) > (*reached, *highest)
                }) {
                    best = Some((*reached_exit, *score, last.clone()));
                }
            }
        }
        let (.., best) = best.unwrap();
        earlier += u32::from(best != last);
        assert_eq!(files, [best], "{name}");
    }
    assert!(earlier > 0, "the best iteration was always the last one");
}

#[test]
fn an_iteration_that_does_not_finish_is_undone_where_that_is_asked_for() {
    for name in [
        "failed-is-not-counted",
        "core-fails-return",
        "iteration-timeout",
    ] {
        let (plan, records, files) = restored(name);
        let begins =
            |record: &Record| matches!(record.entry, Entry::Fact(Fact::IterationStarted { .. }));
        let index = records.iter().rposition(begins).unwrap();
        let before = states(&plan, &records[..index])[&records[index].path].clone();
        assert_eq!(files, [before], "{name}");
    }
}

#[test]
fn a_run_killed_at_any_record_closes_its_folders() {
    let mut cases = cases();
    cases.retain(|case| !case.run.order_matters);
    let mut failed = Vec::new();
    for case in cases {
        let name = case.name.clone();
        if let Some((case, plan, ..)) = with_folders(case)
            && let Err(why) = killed_anywhere(case, &plan)
        {
            failed.push(format!("{name}: {why}"));
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

fn killed_anywhere(mut case: Case, plan: &Arc<Plan>) -> Result<(), String> {
    let (host, _) = fresh(&mut case);
    let Remembered {
        whole, answered, ..
    } = case.remembered(&host, plan);
    let records = whole.records.len();
    // In long journals, only some records are tried.
    let step = if records <= 200 { 1 } else { records / 20 };
    for length in (1..records).step_by(step) {
        let at = format!("killed behind record {length} of {records}");
        let (host, folders) = fresh(&mut case);
        let killed = case.execute(&host.revived().killed_after(length), plan, None);
        let (done, (twice, unasked)) =
            case.resume(&host.revived(), plan, &killed.records, &answered);
        if (twice, unasked) != (0, 0) {
            return Err(format!(
                "{at}: {twice} calls made twice, {unasked} not made"
            ));
        }
        if done.state.status != RunStatus::Waiting {
            closed(&done.records, &folders).map_err(|why| format!("{at}: {why}"))?;
        }
        same(&at, &summary(&whole), &summary(&done))?;
    }
    Ok(())
}

/// Gives the case new folders in a new simulation. Returns the simulation and the folders.
fn fresh(case: &mut Case) -> (Simulation, Arc<Folders>) {
    let host = Simulation::new();
    let folders = Arc::new(Folders::new(host.sleep()));
    case.resources = Arc::clone(&folders) as _;
    (host, folders)
}

#[test]
fn a_fork_has_folders_of_its_own_as_they_were_at_the_place() {
    let mut cases = cases();
    cases.retain(|case| {
        !case.run.order_matters && !case.run.reads_clock && case.run.tools.is_empty()
    });
    let mut failed = Vec::new();
    for case in cases {
        let name = case.name.clone();
        if let Some((case, plan, ..)) = with_folders(case)
            && let Err(why) = forks(case, &plan)
        {
            failed.push(format!("{name}: {why}"));
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

fn forks(mut case: Case, plan: &Arc<Plan>) -> Result<(), String> {
    let (host, _) = fresh(&mut case);
    let Remembered {
        whole, answered, ..
    } = case.remembered(&host, plan);
    if whole.state.status == RunStatus::Waiting {
        return Ok(());
    }
    let ends_a_loop = |node: &Option<Arc<str>>| {
        plan.nodes.iter().any(|planned| {
            Some(&*planned.id) == node.as_deref()
                && matches!(planned.work, Work::End { combine: None, .. })
        })
    };
    let places: Vec<(usize, String)> = whole
        .records
        .iter()
        .enumerate()
        .filter_map(|(index, record)| match record.entry {
            Entry::Fact(Fact::NodeStarted { .. }) if !ends_a_loop(&record.node_id) => {
                Some((index, record.path.clone()))
            }
            Entry::Fact(Fact::IterationStarted { index: at, .. }) => {
                Some((index, format!("{}[{}]", record.path, at + 1)))
            }
            _ => None,
        })
        .collect();
    let before = Plans::from(Arc::clone(plan));
    let after = before.clone().then(Arc::clone(plan));
    let last = whole.records.last().map_or(0, |record| record.at);
    for (index, at) in places.iter().step_by(places.len() / 40 + 1) {
        let place = Place {
            parent: "parent".to_owned(),
            at: at.clone(),
            beyond: false,
            given: None,
            now: last + 60_000,
        };
        let begun = fork(&before, &after, &case.run.inputs, &whole.records, &place)
            .map_err(|error| format!("forked at {at}: {error}"))?;
        let (host, folders) = fresh(&mut case);
        let Some((done, (twice, unasked))) = case.fork(&host, plan, &begun.records, &answered)
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
        closed(&done.records, &folders).map_err(|why| format!("forked at {at}: {why}"))?;
        // The state at the place of the fork is only certain if no other step is changing the folder.
        let then = states(plan, &whole.records[..*index]);
        for used in folders.used() {
            if let Used::Reopened(path, files) = used {
                let expected = then.get(&path);
                if let Some(expected) = expected
                    && files != *expected
                {
                    return Err(format!(
                        "forked at {at}, the folder of {path} has {files} and had {expected}"
                    ));
                }
            }
        }
    }
    Ok(())
}

/// Returns the state of each folder that is open after the last record, keyed by the path of its loop. Folders that a step is
/// changing are left out.
fn states(plan: &Plan, records: &[Record]) -> HashMap<String, Value> {
    let mut states: HashMap<String, (Value, usize)> = HashMap::new();
    for record in records {
        let around = |states: &HashMap<String, (Value, usize)>| {
            let paths = states
                .keys()
                .filter(|path| record.path.starts_with(&format!("{path}[")));
            paths.max_by_key(|path| path.len()).cloned()
        };
        match &record.entry {
            Entry::Fact(Fact::ScopeOpening { .. }) => {
                states.insert(record.path.clone(), (json!({}), 0));
            }
            Entry::Fact(Fact::ScopeClosing {}) => {
                states.remove(&record.path);
            }
            Entry::Fact(Fact::NodeStarted { .. }) if changes(plan, &record.path) => {
                if let Some(folder) = around(&states) {
                    states.get_mut(&folder).unwrap().1 += 1;
                }
            }
            Entry::Input(
                Input::ExecutionCompleted(Completed { state, .. })
                | Input::ExecutionFailed(Failed { state, .. }),
            ) if changes(plan, &record.path) => {
                if let Some(folder) = around(&states) {
                    let folder = states.get_mut(&folder).unwrap();
                    folder.1 -= 1;
                    if let Some(state) = state {
                        folder.0 = (**state).clone();
                    }
                }
            }
            _ => {}
        }
    }
    let still = states
        .into_iter()
        .filter(|(_, (_, under_way))| *under_way == 0);
    still.map(|(path, (state, _))| (path, state)).collect()
}

/// Returns whether the node at `path` may change a folder.
fn changes(plan: &Plan, path: &str) -> bool {
    plan.find(path).is_some_and(|node| {
        let node = &plan.nodes[node];
        node.effect != EffectClass::Pure && matches!(node.work, Work::Execute(_))
    })
}

/// Runs a random flow whose loops have folders.
fn run(
    host: &Simulation,
    folders: &Arc<Folders>,
    plan: &Arc<Plan>,
    fails: bool,
    stop: &Stop,
    records: Option<&[Record]>,
) -> Done {
    let services = Services {
        models: Echo::models(fails, 1, host.sleep()),
        tools: Arc::new(Registry::empty(host.sleep())),
        resources: Arc::clone(folders) as _,
    };
    host.run(Begin {
        plan,
        inputs: &Map::new(),
        services: &services,
        stop,
        people: &People {
            approve: ApprovalMode::All,
            answers: Vec::new(),
        },
        records,
    })
}

fn bytes() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(any::<u8>(), 0..160)
}

proptest! {
    #![proptest_config(config(96))]

    #[test]
    fn random_flows_close_their_folders(
        bytes in bytes(), fails: bool, seed: u64, after in prop::option::of(0_u64..4000),
        kill in prop::option::of(any::<prop::sample::Index>()),
    ) {
        let mut plan = planned(&flow(&bytes, fails));
        give_folders(&mut plan);
        let stop = after.map_or(Stop::Never, Stop::After);
        let host = Simulation::with_seed(seed);
        let folders = Arc::new(Folders::new(host.sleep()));
        let whole = run(&host, &folders, &plan, fails, &stop, None);
        sound(&plan, &whole).map_err(TestCaseError::fail)?;
        closed(&whole.records, &folders).map_err(TestCaseError::fail)?;
        one_at_a_time(&plan, &whole.records).map_err(TestCaseError::fail)?;
        used_once(&whole.records, &folders).map_err(TestCaseError::fail)?;
        let Some(kill) = kill else { return Ok(()) };
        let length = 1 + kill.index(whole.records.len() - 1);
        let host = Simulation::with_seed(seed);
        let folders = Arc::new(Folders::new(host.sleep()));
        let killed = run(&host.revived().killed_after(length), &folders, &plan, fails, &stop, None);
        let done = run(&host.revived(), &folders, &plan, fails, &Stop::Never, Some(&killed.records));
        closed(&done.records, &folders).map_err(TestCaseError::fail)?;
    }
}
