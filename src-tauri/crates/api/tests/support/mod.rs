//! Runs flows in tests: scripted models and tools, a virtual clock, completions in any order.

#![allow(dead_code, reason = "each test file uses its own part of this")]

pub(crate) mod case;
pub(crate) mod generate;
pub(crate) mod imported;
pub(crate) mod people;
pub(crate) mod remember;
pub(crate) mod sound;
pub(crate) mod sums;
pub(crate) mod taken_up;
pub(crate) mod trace;
pub(crate) mod virtual_time;
pub(crate) mod world;

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use loopwright_driver::{Host, PauseSwitch, drive, resume};
use loopwright_engine::{
    CancellationToken, Entry, Event, EventBody, Record, RunStatus,
    host::Services,
    journal::{Input, Journal, RunHeader, RunSetup, RunState, Select},
    plan::Plan,
    run::Plans,
};
use loopwright_journal::MemoryJournal;
use serde_json::{Map, Value, json};

use people::People;

/// When the person stops the run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Stop {
    Never,
    /// After so many virtual milliseconds.
    After(u64),
    /// When the node of this path starts.
    At(String),
}

/// What a run left behind.
pub(crate) struct Done {
    pub(crate) state: RunState,
    pub(crate) records: Vec<Record>,
    pub(crate) events: Vec<Event>,
    /// Virtual milliseconds from the start to the end.
    pub(crate) took_ms: u64,
}

/// The virtual clock's start: 2026-01-01T00:00:00Z.
const BEGAN: i64 = 1_767_225_600_000;

/// Runs `plan` to its end in virtual time: nothing sleeps, and a run that hangs ends the test.
pub(crate) fn execute(
    plan: &Arc<Plan>,
    inputs: &Map<String, Value>,
    services: &Services,
    journal: &Arc<dyn Journal>,
    stop: &Stop,
) -> Done {
    execute_among(plan, inputs, services, journal, stop, &People::default())
}

/// As [`execute`], with people who answer what is asked; a question that nobody answers leaves the run waiting.
pub(crate) fn execute_among(
    plan: &Arc<Plan>,
    inputs: &Map<String, Value>,
    services: &Services,
    journal: &Arc<dyn Journal>,
    stop: &Stop,
    people: &People,
) -> Done {
    begin(plan, inputs, services, journal, stop, people, From::Nothing)
}

/// Takes a run up from its first records, an hour after the last of them.
pub(crate) fn take_up(
    plan: &Arc<Plan>,
    inputs: &Map<String, Value>,
    services: &Services,
    journal: &Arc<dyn Journal>,
    records: &[Record],
) -> Done {
    take_up_among(plan, inputs, services, journal, &People::default(), records)
}

/// As [`take_up`], with people who answer what is asked and not yet answered.
pub(crate) fn take_up_among(
    plan: &Arc<Plan>,
    inputs: &Map<String, Value>,
    services: &Services,
    journal: &Arc<dyn Journal>,
    people: &People,
    records: &[Record],
) -> Done {
    begin(
        plan,
        inputs,
        services,
        journal,
        &Stop::Never,
        people,
        From::Records(records),
    )
}

/// Goes on with the run that is in `journal`, an hour after its last record.
pub(crate) fn go_on(
    plan: &Arc<Plan>,
    inputs: &Map<String, Value>,
    services: &Services,
    journal: &Arc<dyn Journal>,
    people: &People,
) -> Done {
    begin(
        plan,
        inputs,
        services,
        journal,
        &Stop::Never,
        people,
        From::Journal,
    )
}

/// A journal that holds these records alone, as one that a killed run left.
pub(crate) fn left(plan: &Plan, records: &[Record]) -> Arc<dyn Journal> {
    let journal = MemoryJournal::new();
    leave(&journal, plan, records);
    Arc::new(journal)
}

/// Puts these records, as those of one run, into a journal.
pub(crate) fn leave(journal: &dyn Journal, plan: &Plan, records: &[Record]) {
    journal
        .create(&RunHeader {
            run_id: "run".to_owned(),
            flow: plan.name.clone(),
            flow_path: None,
            document: Value::Null,
            inputs: json!({}),
            started_at: records.first().map_or(0, |record| record.at),
            setup: RunSetup::default(),
        })
        .unwrap();
    journal.append("run", records).unwrap();
}

/// What a run begins with.
enum From<'a> {
    Nothing,
    Records(&'a [Record]),
    /// What is in the journal already.
    Journal,
}

fn begin(
    plan: &Arc<Plan>,
    inputs: &Map<String, Value>,
    services: &Services,
    journal: &Arc<dyn Journal>,
    stop: &Stop,
    people: &People,
    from: From<'_>,
) -> Done {
    let run_id = "run";
    let header = RunHeader {
        run_id: run_id.to_owned(),
        flow: plan.name.clone(),
        flow_path: None,
        document: Value::Null,
        inputs: Value::Object(inputs.clone()),
        started_at: BEGAN,
        setup: RunSetup::default(),
    };
    if !matches!(from, From::Journal) {
        journal.create(&header).unwrap();
    }
    if let From::Records(records) = from {
        journal.append(run_id, records).unwrap();
    }
    let fresh = matches!(from, From::Nothing);
    let clock_from = match journal.read(run_id, Select::All).unwrap().last() {
        Some(last) => last.at + 3_600_000,
        None => BEGAN,
    };
    let (state, took_ms, events) = virtual_time::run(async {
        let began = tokio::time::Instant::now();
        let events: Arc<Mutex<Vec<Event>>> = Arc::default();
        let cancel = CancellationToken::new();
        if let Stop::After(millis) = stop {
            let (cancel, millis) = (cancel.clone(), *millis);
            tokio::spawn(async move {
                tokio::time::sleep(Duration::from_millis(millis)).await;
                cancel.cancel();
            });
        }
        let (seen, at, cancel_at) = (Arc::clone(&events), stop.clone(), cancel.clone());
        let host = Host {
            services: services.clone(),
            journal: Arc::clone(journal),
            clock: Arc::new(move || {
                clock_from + i64::try_from(began.elapsed().as_millis()).unwrap()
            }),
            events: Arc::new(move |event: &Event| {
                if matches!(&at, Stop::At(path) if *path == event.path)
                    && matches!(event.body, EventBody::NodeStarted { .. })
                {
                    cancel_at.cancel();
                }
                if !matches!(event.body, EventBody::NodeStreaming { .. }) {
                    seen.lock().unwrap().push(event.clone());
                }
            }),
            cancel,
            pause: PauseSwitch::default(),
            approve: people.approve.into(),
        };
        let run = async {
            let plans = || {
                // A fork of the same flow goes on with the same plan.
                let records = journal.read(run_id, Select::All).unwrap();
                let forks = records
                    .iter()
                    .filter(|record| matches!(record.entry, Entry::Input(Input::Forked { .. })));
                forks.fold(Plans::from(Arc::clone(plan)), |plans, _| {
                    plans.then(Arc::clone(plan))
                })
            };
            let goes_on = |answer| resume(plans(), run_id, inputs.clone(), answer, &host);
            let mut finished = if fresh {
                drive(Arc::clone(plan), run_id, inputs.clone(), &host)
                    .await
                    .map_err(|error| error.to_string())?
            } else {
                goes_on(None).await.map_err(|error| error.to_string())?
            };
            // Each answer takes the run up anew: what it knew is in the journal alone.
            while finished.status == RunStatus::Waiting {
                let records = journal.read(run_id, Select::All).unwrap();
                let Some((answer, after)) = people.next(&records) else {
                    break;
                };
                tokio::time::sleep(after).await;
                finished = goes_on(Some(answer))
                    .await
                    .map_err(|error| error.to_string())?;
            }
            Ok::<_, String>(finished)
        };
        let finished = tokio::time::timeout(Duration::from_secs(30 * 24 * 3600), run)
            .await
            .expect("the run hangs")
            .unwrap();
        let took = u64::try_from(began.elapsed().as_millis()).unwrap();
        let events = events.lock().unwrap().clone();
        (finished.state, took, events)
    });
    let records = journal.read(run_id, Select::All).unwrap();
    Done {
        state,
        records,
        events,
        took_ms,
    }
}
