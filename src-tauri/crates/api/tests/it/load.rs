//! Large runs. Records of simultaneous events are written together, a value is stored once even if many nodes receive it,
//! and only a limited part of a run is printed.

#![allow(clippy::unwrap_used)]

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex},
    time::Duration,
};

use futures::future::BoxFuture;
use loopwright_api::{App, ApprovalPolicy, Focus};
use loopwright_driver::{Host, PauseSwitch, drive};
use loopwright_engine::{
    CancellationToken, NodeError, RunStatus,
    host::{ModelContext, ModelReply, ModelRequest, Models, Services, Tool, ToolInfo, Tools},
    journal::{
        Entry, Fact, Input, Journal, JournalError, Record, RunFilter, RunHeader, RunHeaderBrief,
        RunLabel, RunState, RunTally, Select, StoreSize,
    },
    plan::plan,
};
use loopwright_model::file;
use loopwright_records as records;
use loopwright_runs as runs;
use loopwright_runs::RunOptions;
use serde_json::{Map, Value, json};

use crate::support::virtual_time;

/// A journal that only stores the records of each append.
#[derive(Default)]
struct Appends(Mutex<Vec<Vec<Record>>>);

impl Journal for Appends {
    fn create(&self, _: &RunHeader) -> Result<(), JournalError> {
        Ok(())
    }
    fn append(&self, _: &str, records: &[Record]) -> Result<(), JournalError> {
        self.0.lock().unwrap().push(records.to_vec());
        Ok(())
    }
    fn set_state(&self, _: &str, _: &RunState) -> Result<(), JournalError> {
        Ok(())
    }
    fn find(
        &self,
        _: &RunFilter,
        _: usize,
        _: usize,
    ) -> Result<Vec<(RunHeaderBrief, RunState)>, JournalError> {
        Ok(Vec::new())
    }
    fn tally(&self, _: &RunFilter) -> Result<RunTally, JournalError> {
        Ok(RunTally::default())
    }
    fn flows(&self) -> Result<Vec<(String, u64)>, JournalError> {
        Ok(Vec::new())
    }
    fn ids(&self, _: &str, _: usize) -> Result<Vec<String>, JournalError> {
        Ok(Vec::new())
    }
    fn size(&self) -> Result<StoreSize, JournalError> {
        Ok(StoreSize::default())
    }
    fn run(&self, run_id: &str) -> Result<(RunHeader, RunState), JournalError> {
        Err(JournalError::NoRun(run_id.to_owned()))
    }
    fn results(&self, _: &str, _: &str) -> Result<u64, JournalError> {
        Ok(0)
    }
    fn read(&self, _: &str, _: Select<'_>) -> Result<Vec<Record>, JournalError> {
        Ok(Vec::new())
    }
    fn delete(&self, _: &str) -> Result<(), JournalError> {
        Ok(())
    }
    fn add(&self, _: &RunHeader, _: &[Record], _: &RunState) -> Result<(), JournalError> {
        Ok(())
    }
    fn compact(&self) -> Result<(), JournalError> {
        Ok(())
    }
    fn mark_seen(&self, _: &str) -> Result<(), JournalError> {
        Ok(())
    }
    fn label(&self, _: &str) -> Result<RunLabel, JournalError> {
        Ok(RunLabel::default())
    }
    fn set_name(&self, _: &str, _: Option<&str>) -> Result<(), JournalError> {
        Ok(())
    }
    fn set_starred(&self, _: &str, _: bool) -> Result<(), JournalError> {
        Ok(())
    }
    fn run_size(&self, _: &str) -> Result<u64, JournalError> {
        Ok(0)
    }
}

/// A model that answers after 50 virtual milliseconds.
struct Slow;

impl Models for Slow {
    fn call(
        &self,
        request: ModelRequest,
        _cx: ModelContext,
    ) -> BoxFuture<'static, Result<ModelReply, NodeError>> {
        Box::pin(async move {
            tokio::time::sleep(Duration::from_millis(50)).await;
            Ok(ModelReply {
                text: request.prompt,
                ..ModelReply::default()
            })
        })
    }
}

struct NoTools;

impl Tools for NoTools {
    fn find(&self, _: &str) -> Option<Arc<dyn Tool>> {
        None
    }
    fn list(&self) -> Vec<ToolInfo> {
        Vec::new()
    }
}

fn node(id: &str, kind: &str, data: Value) -> Value {
    json!({ "id": id, "type": kind, "data": data })
}

fn edge(source: &str, from: &str, target: &str, to: &str) -> Value {
    json!({ "id": format!("{source}-{target}-{to}"), "source": source, "sourceHandle": from, "target": target, "targetHandle": to })
}

fn list_flow(kind: &str, data: Value) -> Value {
    json!({
        "schemaVersion": 1, "name": "list", "settings": { "concurrency": 64 },
        "nodes": [
            node("in", "input", json!({ "name": "x", "dataType": "json" })),
            node("each", "iterator", json!({ "concurrency": 64 })),
            node("body", kind, data),
            node("gather", "aggregator", json!({ "mode": "array" })),
            node("out", "output", json!({ "name": "y" })),
        ],
        "edges": [
            edge("in", "value", "each", "items"), edge("each", "item", "body", "input"),
            edge("body", "output", "gather", "input"), edge("gather", "results", "out", "value"),
        ],
    })
}

/// Returns a flow with a loop of 20 iterations. A value passes through the loop in three ways: in a template, in a variable
/// of the loop, and as an input of the run.
fn loop_flow() -> Value {
    json!({
        "schemaVersion": 1, "name": "loop",
        "nodes": [
            node("in", "input", json!({ "name": "x", "dataType": "json" })),
            node("loop", "loop", json!({ "maxIterations": 20, "exitCondition": "max_iterations" })),
            node("step", "transform", json!({ "template": "{{ input }}" })),
            node("again", "transform", json!({ "template": "{% if loopIndex > 3 %}{% endif %}{{ step | length }}" })),
            node("exit", "exit", json!({})),
            node("out", "output", json!({ "name": "y" })),
        ],
        "edges": [
            edge("in", "value", "loop", "input"), edge("loop", "body", "step", "input"),
            edge("step", "output", "again", "input"), edge("step", "output", "exit", "input"),
            edge("step", "output", "loop", "feedback"), edge("exit", "output", "out", "value"),
        ],
    })
}

fn run_on(
    journal: &Arc<Appends>,
    models: Arc<dyn Models>,
    document: Value,
    input: Value,
) -> RunState {
    let flow = file::read_value(document).unwrap();
    let plan = Arc::new(plan(&flow, &loopwright_nodes::all()).unwrap());
    let host = Host {
        services: Services {
            models,
            tools: Arc::new(NoTools),
            resources: loopwright_engine::resources::none(),
        },
        journal: Arc::clone(journal) as Arc<dyn Journal>,
        clock: Arc::new(|| 0),
        events: None,
        cancel: CancellationToken::new(),
        pause: PauseSwitch::default(),
        approve: ApprovalPolicy::All,
        time_to_allow: None,
        answers: None,
        lets_sleep: None,
        sleep: None,
        activity: None,
    };
    let inputs = Map::from_iter([("x".to_owned(), input)]);
    virtual_time::run(drive(plan, "r", inputs, &host))
        .unwrap()
        .state
}

/// Executes a run and returns the groups of records that it appended together, with its final state.
fn appends(document: Value, input: Value) -> (Vec<Vec<Record>>, RunState) {
    let journal = Arc::new(Appends::default());
    let state = run_on(&journal, Arc::new(Slow), document, input);
    let appends = std::mem::take(&mut *journal.0.lock().unwrap());
    (appends, state)
}

/// A commit waits for the store and sometimes for the disk. The records of 64 calls that start together are therefore written in
/// as few commits as possible, and so are those of calls that end together.
#[test]
fn concurrent_runs_are_written_together() {
    let items: Value = (0..640).collect();
    let (appends, state) = appends(list_flow("llm", json!({ "prompt": "{{ item }}" })), items);
    assert_eq!(state.status, RunStatus::Completed, "{:?}", state.error);
    let records = appends.iter().flatten().count();
    assert!(records > 640 * 4);
    // One append per batch of 64 records, and a partial one for each of the ten times that 64 calls begin.
    assert!(
        appends.len() < records / 64 + 2 * 10 + 10,
        "{} appends",
        appends.len()
    );
}

/// The start of a model call is recorded before the call is made.
#[test]
fn an_intent_is_written_before_the_call() {
    struct Asks(Arc<Appends>, Mutex<usize>);

    impl Models for Asks {
        fn call(
            &self,
            _: ModelRequest,
            _cx: ModelContext,
        ) -> BoxFuture<'static, Result<ModelReply, NodeError>> {
            let journal = Arc::clone(&self.0);
            let called = {
                let mut called = self.1.lock().unwrap();
                *called += 1;
                *called
            };
            Box::pin(async move {
                let appends = journal.0.lock().unwrap();
                let is_intent = |record: &&Record| {
                    record.path.ends_with("body")
                        && matches!(record.entry, Entry::Fact(Fact::NodeStarted { .. }))
                };
                let intents = appends.iter().flatten().filter(is_intent).count();
                assert!(intents >= called, "{intents} of {called}");
                Ok(ModelReply::default())
            })
        }
    }

    let journal = Arc::new(Appends::default());
    let models = Arc::new(Asks(Arc::clone(&journal), Mutex::default()));
    let items: Value = (0..100).collect();
    let state = run_on(
        &journal,
        models,
        list_flow("llm", json!({ "prompt": "{{ item }}" })),
        items,
    );
    assert_eq!(state.status, RunStatus::Completed, "{:?}", state.error);
}

/// A model that records a note during each call, takes `millis` virtual milliseconds, and then counts the notes in the journal.
struct Noting {
    journal: Arc<Appends>,
    millis: u64,
    seen: Arc<Mutex<Vec<usize>>>,
}

impl Models for Noting {
    fn call(
        &self,
        _: ModelRequest,
        cx: ModelContext,
    ) -> BoxFuture<'static, Result<ModelReply, NodeError>> {
        let (journal, seen, millis) = (
            Arc::clone(&self.journal),
            Arc::clone(&self.seen),
            self.millis,
        );
        Box::pin(async move {
            cx.trust_log.key_used("model", "a call");
            tokio::time::sleep(Duration::from_millis(millis)).await;
            let is_note =
                |record: &&Record| matches!(record.entry, Entry::Input(Input::Noted { .. }));
            let appends = journal.0.lock().unwrap();
            let notes = appends.iter().flatten().filter(is_note).count();
            seen.lock().unwrap().push(notes);
            Ok(ModelReply::default())
        })
    }
}

/// A note is written together with the next record. If no record follows soon, the note is written alone, so even the
/// note of a long call is written soon.
#[test]
fn a_note_is_written_with_what_follows_or_soon() {
    let noted = |millis| {
        let journal = Arc::new(Appends::default());
        let models = Noting {
            journal: Arc::clone(&journal),
            millis,
            seen: Arc::default(),
        };
        let seen = Arc::clone(&models.seen);
        let mut flow = list_flow("llm", json!({ "prompt": "{{ item }}" }));
        flow["nodes"][1]["data"]["concurrency"] = json!(1);
        let items: Value = (0..10).collect();
        let state = run_on(&journal, Arc::new(models), flow, items);
        assert_eq!(state.status, RunStatus::Completed, "{:?}", state.error);
        let appends = journal.0.lock().unwrap().len();
        let seen = seen.lock().unwrap().clone();
        (appends, seen)
    };
    let (appends, seen) = noted(1_000);
    assert_eq!(seen, Vec::from_iter(1..=10));
    assert!(appends >= 20, "{appends}");
    // The calls are so short that each note is written with the end of its own call.
    let (appends, seen) = noted(2);
    assert_eq!(seen, Vec::from_iter(0..10));
    assert!(appends < 15, "{appends} appends");
}

/// A value passes through every part of a loop in 20 iterations, and the journal stores it once.
#[test]
fn a_value_is_held_once_however_often_it_is_handed_on() {
    let large: Value = (0..2_000).map(|index| json!({ "id": index })).collect();
    let (appends, state) = appends(loop_flow(), large.clone());
    assert_eq!(state.status, RunStatus::Completed, "{:?}", state.error);
    assert_eq!(state.outputs.as_ref().unwrap()["y"], large);
    let mut places = BTreeSet::new();
    let mut uses = 0;
    for record in appends.iter().flatten() {
        record.entry.values(&mut |value| {
            if value.is_array() {
                uses += 1;
                places.insert(Arc::as_ptr(value) as usize);
            }
        });
    }
    assert!(uses > 20 * 6);
    assert_eq!(places.len(), 1);
}

/// `run_loops`, whose result is printed for other programs, omits long results. The outputs of the run are complete.
#[tokio::test]
async fn long_results_are_left_out_of_the_loops_that_are_printed() {
    let folder = tempfile::tempdir().unwrap();
    let app = App::open(folder.path(), tokio::runtime::Handle::current()).unwrap();
    let text = "é".repeat(150_000);
    let options = RunOptions {
        document: loop_flow(),
        flow_path: None,
        inputs: Map::from_iter([("x".to_owned(), json!(text))]),
        approve: ApprovalPolicy::All,
        focus: Focus::default(),
        events: Arc::new(|_| {}),
    };
    let done = runs::start_run(app.env(), options)
        .unwrap()
        .finished
        .await
        .unwrap()
        .unwrap();
    assert_eq!(done.state.outputs.as_ref().unwrap()["y"], json!(text));
    let loops = records::run_loops(app.env(), &done.run_id).unwrap();
    let results = loops["loop"]["iterations"].as_array().unwrap();
    assert_eq!(results.len(), 20);
    assert_eq!(results[19]["omitted"], true);
    let preview = results[19]["preview"].as_str().unwrap();
    assert_eq!(preview.chars().count(), 401);
}
