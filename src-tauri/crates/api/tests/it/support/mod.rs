//! Runs flows in tests on the tokio driver, with scripted models and tools, a virtual clock, and completions in any order.

#![allow(dead_code, reason = "each test file uses its own part of this")]

pub(crate) mod virtual_time;
pub(crate) mod watched;

use std::{
    collections::HashMap,
    path::Path,
    sync::{Arc, Mutex},
    time::Duration,
};

use futures::FutureExt as _;
use loopwright_builtin_models::Builtins;
use loopwright_driver::{Host, PauseSwitch, drive, resume};
use loopwright_engine::session::Resumption;
use loopwright_engine::{
    Answer, CancellationToken, Event, EventBody, RunStatus,
    host::{Services, Tools},
    journal::{Journal, Record, RunHeader, RunSetup, Select},
    plan::Plan,
};
use loopwright_journal::MemoryJournal;
use loopwright_providers::{ProviderSet, ProviderSettings};
use loopwright_testing::{BEGAN, Begin, PAUSE, Sleep, case::BuiltIn};
#[allow(unused_imports, reason = "each test file uses its own part of this")]
pub(crate) use loopwright_testing::{
    Done, Stop, case, generate, people, remember, resumed, scripted, sound, sums, trace, world,
};
use loopwright_tools::{ToolSet, ToolSettings};
use serde_json::{Map, Value, json};

use people::People;

/// The models and tools of the program, without any configured provider.
pub(crate) const BUILT_IN: BuiltIn = BuiltIn {
    models: || {
        let settings = ProviderSettings::default();
        let set = ProviderSet::with_environment(&settings, &|_| None).unwrap();
        Arc::new(set.with_builtin(&Builtins))
    },
    tools: |data_dir| Arc::new(tools(data_dir)),
};

fn tools(data_dir: &Path) -> ToolSet {
    ToolSet::new(&ToolSettings {
        data_dir: data_dir.to_owned(),
        ..ToolSettings::default()
    })
}

/// Returns tools that return these answers, together with the tools that have no external effect.
pub(crate) fn scripted_tools(answers: HashMap<String, Vec<Value>>) -> Arc<dyn Tools> {
    Arc::new(world::Registry {
        scripted: world::ScriptedTools::new(answers, None, sleep()),
        others: Arc::new(ToolSet::new(&ToolSettings::default())),
    })
}

/// Returns the tools that have no external effect.
pub(crate) fn pure_tools() -> Arc<dyn Tools> {
    scripted_tools(HashMap::new())
}

/// Returns the models of a script, and the tools that have no external effect.
pub(crate) fn scripted_services(script: scripted::Script) -> Services {
    Services {
        models: Arc::new(scripted::FakeModels::new(script, sleep())),
        tools: pure_tools(),
        resources: loopwright_engine::resources::none(),
    }
}

/// Returns a function that sleeps in tokio's time, which tests can advance.
pub(crate) fn sleep() -> Sleep {
    Arc::new(|duration| tokio::time::sleep(duration).boxed())
}

/// The tokio driver in virtual time.
pub(crate) struct Tokio {
    journal: Arc<dyn Journal>,
    /// Whether the journal already has the records of the run.
    is_kept: bool,
}

impl Tokio {
    /// Creates a driver with a new journal in memory.
    pub(crate) fn new() -> Self {
        Self::on(Arc::new(MemoryJournal::new()))
    }

    /// Creates a driver with a journal that does not contain the run yet.
    pub(crate) fn on(journal: Arc<dyn Journal>) -> Self {
        Self {
            journal,
            is_kept: false,
        }
    }

    /// Creates a driver with a journal that already contains the run.
    pub(crate) fn with_run_in(journal: Arc<dyn Journal>) -> Self {
        Self {
            journal,
            is_kept: true,
        }
    }
}

impl loopwright_testing::Host for Tokio {
    fn sleep(&self) -> Sleep {
        sleep()
    }

    fn run(&self, run: Begin<'_>) -> Done {
        let from = match run.records {
            None => From::Nothing,
            Some(_) if self.is_kept => From::Journal,
            Some(records) => From::Records(records),
        };
        begin(
            run.plan,
            run.inputs,
            run.services,
            &self.journal,
            run.stop,
            run.people,
            from,
        )
    }
}

/// Runs `plan` to its end in virtual time, so no test has to wait. If the run hangs, the test fails.
pub(crate) fn execute(
    plan: &Arc<Plan>,
    inputs: &Map<String, Value>,
    services: &Services,
    journal: &Arc<dyn Journal>,
    stop: &Stop,
) -> Done {
    execute_among(plan, inputs, services, journal, stop, &People::default())
}

/// Executes a run like [`execute`], with simulated people who answer questions. If none of them answers a question, the run
/// keeps waiting.
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

/// Resumes a run like [`resume`], with simulated people who answer open questions.
pub(crate) fn resume_among(
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

/// Continues the run in `journal`, an hour after its last record.
pub(crate) fn continue_run(
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

/// Returns a journal that contains only these records of a run, as if the run had been killed after them.
pub(crate) fn left(plan: &Plan, records: &[Record]) -> Arc<dyn Journal> {
    let journal = MemoryJournal::new();
    leave(&journal, plan, records);
    Arc::new(journal)
}

/// Writes a run with these records to a journal.
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

/// The records with which a run starts.
enum From<'a> {
    Nothing,
    Records(&'a [Record]),
    /// The records that are already in the journal.
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
        Some(last) => last.at + PAUSE,
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
        let pause = PauseSwitch::default();
        let answers_later = {
            let pause = pause.clone();
            move |path: String, answer: Answer, after_ms: u64| {
                let pause = pause.clone();
                tokio::spawn(async move {
                    tokio::time::sleep(Duration::from_millis(after_ms)).await;
                    // The run may have used the same answer already, after it was suspended.
                    let _ = pause.answer(path, answer).await;
                });
            }
        };
        let recorded = journal.read(run_id, Select::All).unwrap();
        if let Some(((path, answer), left)) = people.next_while_active(&recorded, clock_from) {
            answers_later(path, answer, left);
        }
        let answering = people.clone();
        let host = Host {
            services: services.clone(),
            journal: Arc::clone(journal),
            clock: Arc::new(move || {
                clock_from + i64::try_from(began.elapsed().as_millis()).unwrap()
            }),
            events: Some(Arc::new(move |event: &Event| {
                if matches!(&at, Stop::At(path) if *path == event.path)
                    && matches!(event.body, EventBody::NodeStarted { .. })
                {
                    cancel_at.cancel();
                }
                if matches!(event.body, EventBody::NodeWaiting { .. })
                    && let Some((answer, after_ms)) = answering.while_active(&event.path)
                {
                    answers_later(event.path.clone(), answer, after_ms);
                }
                if !matches!(event.body, EventBody::NodeStreaming { .. }) {
                    seen.lock().unwrap().push(event.clone());
                }
            })),
            cancel,
            pause,
            approve: people.approve.into(),
            time_to_allow: None,
            answers: None,
            lets_sleep: None,
            sleep: None,
            activity: None,
        };
        let run = async {
            let plans =
                || loopwright_testing::plans(plan, &journal.read(run_id, Select::All).unwrap());
            let continues = |answer| {
                let how = Resumption {
                    answer,
                    ..Resumption::default()
                };
                resume(plans(), run_id, inputs.clone(), how, &host)
            };
            let mut finished = if fresh {
                drive(Arc::clone(plan), run_id, inputs.clone(), &host)
                    .await
                    .map_err(|error| error.to_string())?
            } else {
                continues(None).await.map_err(|error| error.to_string())?
            };
            // Each answer resumes the run from its journal alone.
            while finished.status == RunStatus::Waiting {
                let records = journal.read(run_id, Select::All).unwrap();
                let left = |at: i64| u64::try_from(at - (host.clock)()).unwrap_or(0);
                let expires = finished.state.expires_at;
                let expires = expires.map(|at| Duration::from_millis(left(at)));
                let Some((answer, after)) = people.continues(&records, (host.clock)(), expires)
                else {
                    break;
                };
                tokio::time::sleep(after).await;
                finished = continues(answer).await.map_err(|error| error.to_string())?;
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
