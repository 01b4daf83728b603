//! Every case and many random flows, killed behind every record and taken up again: they come to the same end, and no
//! outcome that was recorded is asked for again.
//!
//! A kill is a journal that ends early. The clock goes on for a day in between, which no limit may notice.

mod support;

use std::{
    collections::{BTreeMap, HashMap},
    fs,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use futures::future::BoxFuture;
use loopwright_engine::{
    Answer, Approve, Entry, Event, NodeError, Record, RunStatus,
    driver::{Host, ResumeError, resume},
    event::project,
    host::{ModelReply, ModelRequest, Models, Services, TokenSink, Tools},
    journal::{Journal, RunHeader, Select},
    plan::{Plan, plan},
};
use loopwright_journal::MemoryJournal;
use loopwright_model::{EffectClass, file};
use proptest::prelude::*;
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;

use support::{
    Done, Stop,
    case::{Checked, read},
    execute,
    generate::{Echo, flow},
    sound::{sound, summary},
    world::{Registry, ScriptedTools},
};

const DAY: i64 = 24 * 3600 * 1000;

/// How many places of a long run are tried.
const PLACES: usize = 60;

/// Counts the calls that are made of the models behind it.
struct Counted {
    models: Arc<dyn Models>,
    calls: AtomicUsize,
}

impl Counted {
    fn new(models: Arc<dyn Models>) -> Arc<Self> {
        Arc::new(Self {
            models,
            calls: AtomicUsize::new(0),
        })
    }

    fn calls(&self) -> usize {
        self.calls.load(Ordering::Relaxed)
    }
}

impl Models for Counted {
    fn call(
        &self,
        request: ModelRequest,
        tokens: TokenSink,
        cancel: CancellationToken,
    ) -> BoxFuture<'static, Result<ModelReply, NodeError>> {
        self.calls.fetch_add(1, Ordering::Relaxed);
        self.models.call(request, tokens, cancel)
    }
}

fn no_tools() -> Arc<dyn Tools> {
    Arc::new(Registry(ScriptedTools::new(HashMap::new(), None)))
}

/// A journal that holds these records alone, as one that a killed run left.
fn left(plan: &Plan, inputs: &Map<String, Value>, records: &[Record]) -> Arc<dyn Journal> {
    let journal = MemoryJournal::new();
    journal
        .create(&RunHeader {
            run_id: "run".to_owned(),
            flow: plan.name.clone(),
            flow_path: None,
            document: Value::Null,
            inputs: Value::Object(inputs.clone()),
            started_at: records.first().map_or(0, |record| record.at),
        })
        .unwrap();
    journal.append("run", records).unwrap();
    Arc::new(journal)
}

/// Takes the run up a day after its last record, in virtual time.
fn take_up(
    plan: &Arc<Plan>,
    inputs: &Map<String, Value>,
    services: Services,
    journal: &Arc<dyn Journal>,
    answer: Option<(String, Answer)>,
    approve: Approve,
) -> Result<Done, ResumeError> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .unwrap();
    let before = journal.read("run", Select::All).unwrap();
    let began_at = before.last().map_or(0, |record| record.at) + DAY;
    let finished = runtime.block_on(async {
        let began = tokio::time::Instant::now();
        let host = Host {
            services,
            journal: Arc::clone(journal),
            clock: Arc::new(move || began_at + i64::try_from(began.elapsed().as_millis()).unwrap()),
            events: Arc::new(|_| {}),
            cancel: CancellationToken::new(),
            approve,
        };
        let run = resume(Arc::clone(plan), "run", inputs.clone(), answer, &host);
        tokio::time::timeout(Duration::from_secs(30 * 24 * 3600), run)
            .await
            .expect("the run hangs")
    })?;
    let records = journal.read("run", Select::All).unwrap();
    let events: Vec<Event> = records
        .iter()
        .filter_map(|record| project("run", record))
        .collect();
    Ok(Done {
        state: finished.state,
        records,
        events,
        took_ms: 0,
    })
}

/// What a run came to, without the warnings that being taken up adds.
fn came_to(done: &Done) -> String {
    let mut state = done.state.clone();
    state
        .warnings
        .retain(|warning| warning.code != "call_repeated");
    summary(&Done {
        state,
        records: done.records.clone(),
        events: Vec::new(),
        took_ms: 0,
    })
}

/// How many calls of models these records have outcomes of.
fn answered(plan: &Plan, records: &[Record]) -> usize {
    let calls = |node: &Option<String>| {
        plan.nodes
            .iter()
            .any(|planned| Some(&*planned.id) == node.as_deref() && planned.effect == EffectClass::Reads)
    };
    let mut started: BTreeMap<&str, i64> = BTreeMap::new();
    let mut count = 0;
    for record in records.iter().filter(|record| calls(&record.node_id)) {
        match &record.entry {
            Entry::NodeStarted { .. } => *started.entry(&record.path).or_default() += 1,
            Entry::NodeCompleted { .. } | Entry::NodeRetried { .. } => count += 1,
            Entry::NodeFailed { error, .. } if error.code != "cancelled" => count += 1,
            _ => {}
        }
    }
    count
}

/// The numbers of records after which the run is killed.
fn places(length: usize) -> impl Iterator<Item = usize> {
    (0..=length).step_by(length / PLACES + 1).chain([length])
}

/// Kills `whole` everywhere and takes it up; `world` gives models of which so many calls were answered before.
fn killed_everywhere(
    plan: &Arc<Plan>,
    inputs: &Map<String, Value>,
    whole: &Done,
    all_calls: usize,
    world: &dyn Fn(usize) -> (Arc<Counted>, Arc<dyn Tools>),
) -> Result<(), String> {
    let expected = came_to(whole);
    for place in places(whole.records.len()) {
        let mut kept = whole.records[..place].to_vec();
        // Killed once, and again half way through what was left.
        for time in ["once", "twice"] {
            let before = answered(plan, &kept);
            let (models, tools) = world(before);
            let services = Services {
                models: Arc::clone(&models) as Arc<dyn Models>,
                tools,
            };
            let journal = left(plan, inputs, &kept);
            let at = format!("killed {time} at record {place} of {}", whole.records.len());
            let done = take_up(plan, inputs, services, &journal, None, Approve::All)
                .map_err(|error| format!("{at}: {error}"))?;
            sound(plan, &done).map_err(|why| format!("{at}: {why}"))?;
            let actual = came_to(&done);
            if actual != expected {
                return Err(format!("{at}: came to\n{actual}\ninstead of\n{expected}"));
            }
            if before + models.calls() != all_calls {
                return Err(format!(
                    "{at}: {before} calls were answered and {} made again, of {all_calls} in all",
                    models.calls()
                ));
            }
            let more = done.records.len() - kept.len();
            kept = done.records[..kept.len() + more / 2].to_vec();
        }
    }
    Ok(())
}

#[test]
fn every_case_goes_on_where_it_was_killed() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/flows");
    let only = std::env::var("LOOPWRIGHT_CASE").ok();
    let (mut failed, mut tried) = (Vec::new(), 0);
    for entry in fs::read_dir(folder).unwrap() {
        let folder = entry.unwrap().path();
        let name = folder.file_name().unwrap().to_string_lossy().into_owned();
        if only.as_ref().is_some_and(|only| *only != name) {
            continue;
        }
        let Some(case) = read(&folder) else { continue };
        // What comes out where the order matters, a person stops the run, or real tools are asked is not fixed by the script.
        let fixed = !case.run.order_matters
            && case.stop() == Stop::Never
            && !case.run.built_in
            && case.run.tools.is_empty();
        let Checked::Planned(plan) = case.check(&loopwright_nodes::all()) else {
            continue;
        };
        if !fixed {
            continue;
        }
        tried += 1;
        let models = |taken: usize| {
            let log = Counted::new(case.models());
            // The replies that were taken before are taken from the script, in its order.
            let script = case.models_after(taken);
            (log, script)
        };
        let (whole_models, _) = models(0);
        let journal: Arc<dyn Journal> = Arc::new(MemoryJournal::new());
        let services = Services {
            models: Arc::clone(&whole_models) as Arc<dyn Models>,
            tools: no_tools(),
        };
        let whole = execute(&plan, &case.run.inputs, &services, &journal, &Stop::Never);
        let all = whole_models.calls();
        let world = |taken: usize| (Counted::new(case.models_after(taken)), no_tools());
        if let Err(why) = killed_everywhere(&plan, &case.run.inputs, &whole, all, &world) {
            failed.push(format!("{name}: {why}"));
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n\n"));
    assert!(tried > 40 || only.is_some(), "only {tried} cases were tried");
}
