//! Flows to measure, and what runs need: models that answer immediately, and a journal that stores nothing.
//!
//! Architecture Invariant: this crate links no provider, tool or window, so that it builds in a minute.

pub mod history;
pub mod scripts;
pub mod workspace;

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use futures::future::BoxFuture;
use loopwright_driver::{Host, PauseSwitch, drive};
use loopwright_engine::{
    ApprovalPolicy, CancellationToken, NodeError,
    host::{ModelContext, ModelReply, ModelRequest, Models, Services, Tool, ToolInfo, Tools},
    journal::{
        Journal, JournalError, Record, RunFilter, RunHeader, RunHeaderBrief, RunLabel, RunSetup,
        RunState, RunTally, Select, StoreSize,
    },
    plan::{Plan, plan},
};
use loopwright_model::{Flow, file};
use serde_json::{Map, Value, json};

/// A journal that discards everything, so that the engine is measured alone.
#[derive(Debug, Default)]
pub struct NoJournal;

impl Journal for NoJournal {
    fn create(&self, _: &RunHeader) -> Result<(), JournalError> {
        Ok(())
    }
    fn append(&self, _: &str, _: &[Record]) -> Result<(), JournalError> {
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
    fn results(&self, _: &str, _: &str) -> Result<u64, JournalError> {
        Ok(0)
    }
    fn run(&self, run_id: &str) -> Result<(RunHeader, RunState), JournalError> {
        Err(JournalError::NoRun(run_id.to_owned()))
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

struct AtOnce;

impl Models for AtOnce {
    fn call(
        &self,
        request: ModelRequest,
        _cx: ModelContext,
    ) -> BoxFuture<'static, Result<ModelReply, NodeError>> {
        Box::pin(std::future::ready(Ok(ModelReply {
            text: request.prompt,
            ..ModelReply::default()
        })))
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

fn edge(source: &str, handle: &str, target: &str) -> Value {
    json!({
        "id": format!("{source}-{target}"), "source": source, "sourceHandle": handle,
        "target": target, "targetHandle": "input"
    })
}

/// Returns a loop of `iterations` passes over a chain of `body` nodes of `kind`: `transform` (pure) or `llm` (with an
/// effect).
pub fn loop_flow(iterations: u32, body: usize, kind: &str) -> Flow {
    read(loop_document(iterations, body, kind))
}

/// Returns the document of the flow that [`loop_flow`] returns.
pub fn loop_document(iterations: u32, body: usize, kind: &str) -> Value {
    let at = |column: usize| json!({ "x": column * 240, "y": 0 });
    let mut nodes = vec![
        json!({ "id": "in", "type": "input", "position": at(0), "data": { "name": "text", "default": "a text of some words" } }),
        json!({ "id": "refine", "type": "loop", "position": at(1), "data": { "maxIterations": iterations } }),
        json!({ "id": "exit", "type": "exit", "position": at(body + 2), "data": {} }),
        json!({ "id": "out", "type": "output", "position": at(body + 3), "data": { "name": "result" } }),
    ];
    let mut edges = vec![edge("in", "value", "refine")];
    let mut last = ("refine".to_owned(), "body");
    for index in 0..body {
        let id = format!("step{index}");
        nodes.push(json!({ "id": id, "type": kind, "position": at(index + 2), "data": { "template": "{{ input }}", "prompt": "{{ input }}" } }));
        edges.push(edge(&last.0, last.1, &id));
        last = (id, "output");
    }
    edges.push(edge(&last.0, last.1, "exit"));
    edges.push(edge("exit", "output", "out"));
    json!({
        "schemaVersion": 1, "name": "loop", "settings": { "maxIterationsCeiling": 1000 }, "nodes": nodes, "edges": edges
    })
}

/// Returns a chain of `loops` loops, each with `body` nodes whose templates read one another.
pub fn long_flow(loops: usize, body: usize) -> Flow {
    let mut nodes =
        vec![json!({ "id": "in", "type": "input", "data": { "name": "text", "default": "a" } })];
    let mut edges = Vec::new();
    let mut last = ("in".to_owned(), "value");
    for number in 0..loops {
        let (start, exit) = (format!("loop{number}"), format!("exit{number}"));
        nodes.push(json!({ "id": start, "type": "loop", "data": { "maxIterations": 2 } }));
        edges.push(edge(&last.0, last.1, &start));
        last = (start, "body");
        for index in 0..body {
            let id = format!("step{number}x{index}");
            let template = format!("{{{{ input | length }}}} of {{{{ {}.output }}}}", last.0);
            nodes.push(json!({ "id": id, "type": "transform", "data": { "template": template } }));
            edges.push(edge(&last.0, last.1, &id));
            last = (id, "output");
        }
        nodes.push(json!({ "id": exit, "type": "exit", "data": {} }));
        edges.push(edge(&last.0, last.1, &exit));
        last = (exit, "output");
    }
    nodes.push(json!({ "id": "out", "type": "output", "data": { "name": "result" } }));
    edges.push(edge(&last.0, last.1, "out"));
    read(json!({ "schemaVersion": 1, "name": "long", "nodes": nodes, "edges": edges }))
}

fn read(document: Value) -> Flow {
    file::read_value(document).expect("the bench writes valid documents")
}

/// Returns the plan of a valid flow.
pub fn planned(flow: &Flow) -> Arc<Plan> {
    Arc::new(plan(flow, &loopwright_nodes::all()).expect("the bench's flows can be planned"))
}

/// Runs a plan once with this journal, on the current thread.
pub fn run(plan: &Arc<Plan>, run_id: &str, journal: Arc<dyn Journal>) {
    run_at(plan, run_id, journal, &Value::Null, 0);
}

/// Runs a plan of `document` once. `time` is the time in milliseconds since the Unix epoch at which the clock of the
/// run stays.
pub fn run_at(
    plan: &Arc<Plan>,
    run_id: &str,
    journal: Arc<dyn Journal>,
    document: &Value,
    time: i64,
) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .expect("a runtime");
    journal
        .create(&RunHeader {
            run_id: run_id.to_owned(),
            flow: plan.name.clone(),
            flow_path: None,
            document: document.clone(),
            inputs: json!({}),
            started_at: time,
            setup: RunSetup::default(),
        })
        .expect("the journal takes the run");
    let host = Host {
        services: Services {
            models: Arc::new(AtOnce),
            tools: Arc::new(NoTools),
            resources: loopwright_engine::resources::none(),
        },
        journal,
        clock: Arc::new(move || time),
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
    runtime
        .block_on(drive(Arc::clone(plan), run_id, Map::new(), &host))
        .expect("the journal keeps up");
}

/// Returns two strings of `length` characters. If `unlike` is true, they share little; otherwise they differ in a hundredth
/// of their characters.
pub fn texts(length: usize, unlike: bool) -> (Value, Value) {
    let letter = |seed: usize, index: usize| {
        let mixed = (index * 31 + seed * 17) ^ (index >> 3);
        char::from(b'a' + (mixed % 26) as u8)
    };
    let a: String = (0..length).map(|index| letter(1, index)).collect();
    let b = (0..length)
        .map(|index| match unlike {
            true => letter(index % 7 + 2, index * 5 + 3),
            false if index % 100 == 0 => '-',
            false => letter(1, index),
        })
        .collect();
    (Value::String(a), Value::String(b))
}

/// Returns the duration of the fastest of several calls, after a warm-up. The fastest call is the least affected by other
/// programs.
pub fn fastest(times: usize, mut work: impl FnMut()) -> Duration {
    work();
    (0..times)
        .map(|_| {
            let began = Instant::now();
            work();
            began.elapsed()
        })
        .min()
        .unwrap_or_default()
}

pub fn micros(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e6
}

/// Prints a line of the table of results.
pub fn line(what: &str, micros: f64, unit: &str, against: &str) {
    println!("{what:<58} {micros:>10.2} µs {unit:<14} {against}");
}
