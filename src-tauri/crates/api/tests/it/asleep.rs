//! Tests in virtual time that the driver notices when the computer sleeps for six hours during a run.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use loopwright_driver::{Finished, Host, PauseSwitch, SleepMeter, drive};
use loopwright_engine::{
    ApprovalPolicy, CancellationToken, RunStatus,
    host::Services,
    journal::{Entry, Input, Journal, Record, RunHeader, RunSetup, Select},
    plan::plan,
    session::Slept,
};
use loopwright_journal::MemoryJournal;
use loopwright_model::file;
use loopwright_testing::scripted::{FakeModels, Script};
use loopwright_tools::{ToolSet, ToolSettings};
use serde_json::{Map, Value, json};
use tokio::time::Instant;

use crate::support::virtual_time;

const HOURS_6: u64 = 6 * 3_600_000;

/// A computer that sleeps once, five seconds after the run began.
struct SleepsOnce {
    began: Instant,
    has_slept: AtomicBool,
}

impl SleepMeter for SleepsOnce {
    fn slept(&self) -> Option<Slept> {
        let is_time = self.began.elapsed() >= Duration::from_secs(5);
        let sleeps = is_time && !self.has_slept.swap(true, Ordering::SeqCst);
        sleeps.then(|| Slept {
            ms: HOURS_6,
            message: "The computer slept.".to_owned(),
        })
    }
}

/// The outcome of a run.
struct Ran {
    finished: Finished,
    records: Vec<Record>,
    /// The changes that the driver reported, in order: whether the run became active or inactive.
    activity: Vec<bool>,
    /// The duration of the run, in virtual milliseconds.
    took_ms: u128,
}

/// Runs a flow with one model call.
fn run(settings: &Value, node: &Value, replies: &Value) -> Ran {
    let edge = |id: &str, source: &str, target: &str| json!({ "id": id, "source": source, "target": target });
    let document = json!({
        "schemaVersion": 1,
        "settings": settings,
        "nodes": [
            { "id": "in", "type": "input", "data": { "name": "text", "default": "x" } },
            { "id": "ask", "type": "llm", "data": node },
            { "id": "out", "type": "output", "data": { "name": "result" } },
        ],
        "edges": [edge("1", "in", "ask"), edge("2", "ask", "out")],
    });
    let flow = file::read_value(document).unwrap();
    let plan = Arc::new(plan(&flow, &loopwright_nodes::all()).unwrap());
    let journal: Arc<dyn Journal> = Arc::new(MemoryJournal::new());
    journal
        .create(&RunHeader {
            run_id: "run".to_owned(),
            flow: "asleep".to_owned(),
            flow_path: None,
            document: Value::Null,
            inputs: json!({}),
            started_at: 0,
            setup: RunSetup::default(),
        })
        .unwrap();
    let script: Script = serde_json::from_value(json!({ "replies": replies })).unwrap();
    let activity = Arc::<Mutex<Vec<bool>>>::default();
    let (kept, heard) = (Arc::clone(&journal), Arc::clone(&activity));
    let (finished, took_ms) = virtual_time::run(async move {
        let began = Instant::now();
        let host = Host {
            services: Services {
                models: Arc::new(FakeModels::new(
                    script,
                    Arc::new(|duration| Box::pin(tokio::time::sleep(duration))),
                )),
                tools: Arc::new(ToolSet::new(&ToolSettings::default())),
                resources: loopwright_engine::resources::none(),
            },
            journal: kept,
            clock: Arc::new(move || i64::try_from(began.elapsed().as_millis()).unwrap()),
            events: None,
            cancel: CancellationToken::new(),
            pause: PauseSwitch::default(),
            approve: ApprovalPolicy::All,
            time_to_allow: None,
            answers: None,
            lets_sleep: None,
            sleep: Some(Arc::new(SleepsOnce {
                began,
                has_slept: AtomicBool::new(false),
            })),
            activity: Some(Arc::new(move |active| heard.lock().unwrap().push(active))),
        };
        let finished = drive(plan, "run", Map::new(), &host).await.unwrap();
        (finished, began.elapsed().as_millis())
    });
    let activity = activity.lock().unwrap().clone();
    Ran {
        finished,
        records: journal.read("run", Select::All).unwrap(),
        activity,
        took_ms,
    }
}

#[test]
fn a_call_and_its_limits_survive_a_sleep() {
    let replies = json!([{ "text": "done", "delayMs": 9_000 }]);
    let ran = run(
        &json!({ "timeout": "PT20S" }),
        &json!({ "timeout": "PT10S" }),
        &replies,
    );
    assert_eq!(ran.finished.status, RunStatus::Completed);
    assert_eq!((ran.took_ms, ran.activity), (9_000, vec![true]));
    let slept = |record: &Record| matches!(record.entry, Entry::Input(Input::ComputerSlept { ms, .. }) if ms == HOURS_6);
    let at = ran.records.iter().position(slept).unwrap();
    let awoke = i64::try_from(HOURS_6).unwrap() + 5_000;
    assert_eq!(ran.records[at].at, awoke);
    assert!(ran.records[..at].iter().all(|record| record.at <= 5_000));
    assert_eq!(ran.records.last().unwrap().at, awoke + 4_000);
}

#[test]
fn a_long_pause_is_no_activity_and_ends_after_a_sleep_that_was_longer() {
    let replies =
        json!([{ "error": { "code": "network", "message": "Unreachable." } }, { "text": "done" }]);
    let retry = json!({ "type": "fixed", "count": 1, "interval": "PT2H", "maxInterval": "PT3H", "jitter": 0 });
    let ran = run(&json!({}), &json!({ "retry": retry }), &replies);
    assert_eq!(ran.finished.status, RunStatus::Completed);
    assert_eq!(ran.activity, [true, false, true]);
    assert!((5_000..6_000).contains(&ran.took_ms), "{}", ran.took_ms);
}
