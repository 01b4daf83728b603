//! A run that never waits for anything still hears its limits and the person. Real time, without sleeping.

#![allow(clippy::unwrap_used)]

use std::{sync::Arc, time::Duration, time::Instant};

use loopwright_engine::{
    Approve, RunStatus,
    driver::{Finished, Host, PauseSwitch, drive},
    host::{Models, Services},
    journal::{Journal, RunHeader, RunSetup},
    plan::plan,
};
use loopwright_journal::MemoryJournal;
use loopwright_model::file;
use loopwright_providers::fake::{FakeModels, Script};
use loopwright_tools::{ToolSet, ToolSettings};
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;

/// A million pure visits: a minute and more of work, if nothing ends it.
fn busy(timeout: Option<&str>) -> Value {
    let edge = |id: &str, source: &str, handle: &str, target: &str| json!({ "id": id, "source": source, "sourceHandle": handle, "target": target });
    json!({
        "schemaVersion": 1,
        "settings": { "allowNestedLoops": true, "maxIterationsCeiling": 1000, "timeout": timeout },
        "nodes": [
            { "id": "in", "type": "input", "data": { "name": "text", "default": "x" } },
            { "id": "outer", "type": "loop", "data": { "maxIterations": 1000 } },
            { "id": "inner", "type": "loop", "data": { "maxIterations": 1000 } },
            { "id": "same", "type": "transform", "data": { "template": "{{ input }}" } },
            { "id": "exit1", "type": "exit", "data": {} },
            { "id": "exit2", "type": "exit", "data": {} },
            { "id": "out", "type": "output", "data": { "name": "result" } }
        ],
        "edges": [
            edge("1", "in", "value", "outer"), edge("2", "outer", "body", "inner"),
            edge("3", "inner", "body", "same"), edge("4", "same", "output", "exit1"),
            edge("5", "exit1", "output", "exit2"), edge("6", "exit2", "output", "out")
        ]
    })
}

async fn run(document: Value, cancel: CancellationToken) -> Finished {
    let flow = file::read_value(document).unwrap();
    let plan = Arc::new(plan(&flow, &loopwright_nodes::all()).unwrap());
    let journal: Arc<dyn Journal> = Arc::new(MemoryJournal::new());
    journal
        .create(&RunHeader {
            run_id: "run".to_owned(),
            flow: "busy".to_owned(),
            flow_path: None,
            document: Value::Null,
            inputs: json!({}),
            started_at: 0,
            setup: RunSetup::default(),
        })
        .unwrap();
    let models: Arc<dyn Models> = Arc::new(FakeModels::new(Script::default()));
    let host = Host {
        services: Services {
            models,
            tools: Arc::new(ToolSet::new(&ToolSettings::default())),
        },
        journal,
        clock: Arc::new(|| 0),
        events: Arc::new(|_| {}),
        cancel,
        pause: PauseSwitch::default(),
        approve: Approve::All,
    };
    drive(plan, "run", Map::new(), &host).await.unwrap()
}

#[tokio::test]
async fn a_busy_run_ends_at_its_timeout() {
    let began = Instant::now();
    let finished = run(busy(Some("PT0.2S")), CancellationToken::new()).await;
    assert_eq!(finished.status, RunStatus::Failed);
    assert_eq!(finished.state.error.unwrap().code, "timeout");
    assert!(
        began.elapsed() < Duration::from_secs(10),
        "{:?}",
        began.elapsed()
    );
}

#[tokio::test]
async fn a_busy_run_can_be_stopped() {
    let cancel = CancellationToken::new();
    let stop = async {
        tokio::time::timeout(Duration::from_millis(200), std::future::pending::<()>())
            .await
            .unwrap_err();
        cancel.cancel();
    };
    let (finished, ()) = tokio::join!(run(busy(None), cancel.clone()), stop);
    assert_eq!(finished.status, RunStatus::Cancelled);
}
