//! A run that never waits, or that computes for a long time, still obeys its limits and reacts to the user. The tests use
//! real time and do not sleep.

#![allow(clippy::unwrap_used)]

use std::{sync::Arc, time::Duration, time::Instant};

use loopwright_driver::{EventSink, Finished, Host, PauseSwitch, drive, resume};
use loopwright_engine::session::Resumption;
use loopwright_engine::{
    ApprovalPolicy, CancellationToken, EventBody, RunStatus,
    host::{Models, Services},
    journal::{Journal, RunHeader, RunSetup},
    plan::plan,
};
use loopwright_journal::MemoryJournal;
use loopwright_model::file;
use loopwright_testing::scripted::{FakeModels, Script};
use loopwright_tools::{ToolSet, ToolSettings};
use serde_json::{Map, Value, json};

/// Returns a flow that executes a million steps without effects, which takes more than a minute if nothing stops it.
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
    run_telling(document, cancel, Arc::new(|_| {})).await
}

async fn run_telling(document: Value, cancel: CancellationToken, events: EventSink) -> Finished {
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
    let host = host(journal, cancel, events);
    let finished = drive(Arc::clone(&plan), "run", Map::new(), &host)
        .await
        .unwrap();
    // When the run is resumed, the flow produces the records that were written.
    let again = resume(plan, "run", Map::new(), Resumption::default(), &host)
        .await
        .unwrap();
    assert_eq!(again.status, finished.status);
    finished
}

fn host(journal: Arc<dyn Journal>, cancel: CancellationToken, events: EventSink) -> Host {
    let models: Arc<dyn Models> = Arc::new(FakeModels::new(
        Script::default(),
        Arc::new(|duration| Box::pin(tokio::time::sleep(duration))),
    ));
    Host {
        services: Services {
            models,
            tools: Arc::new(ToolSet::new(&ToolSettings::default())),
            resources: loopwright_engine::resources::none(),
        },
        journal,
        clock: Arc::new(|| 0),
        events: Some(events),
        cancel,
        pause: PauseSwitch::default(),
        approve: ApprovalPolicy::All,
        time_to_allow: None,
        answers: None,
        lets_sleep: None,
        sleep: None,
        activity: None,
    }
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

/// Returns a flow with two branches: one ends soon, and the other has a template that uses all the steps that a template may use.
/// Without optimisation, that takes more than ten seconds.
fn computes(node: &Value, settings: &Value) -> Value {
    let edge = |id: &str, source: &str, handle: &str, target: &str| json!({ "id": id, "source": source, "sourceHandle": handle, "target": target });
    let mut heavy = json!({
        "template": "{% for a in range(end=99999) %}{% for b in range(end=99999) %}{{ a * b }}{% endfor %}{% endfor %}"
    });
    heavy
        .as_object_mut()
        .unwrap()
        .extend(node.as_object().unwrap().clone());
    json!({
        "schemaVersion": 1,
        "settings": settings,
        "nodes": [
            { "id": "in", "type": "input", "data": { "name": "text", "default": "x" } },
            { "id": "heavy", "type": "transform", "data": heavy },
            { "id": "light", "type": "transform", "data": { "template": "{{ input }}y" } },
            { "id": "next", "type": "transform", "data": { "template": "{{ input }}z" } },
            { "id": "out1", "type": "output", "data": { "name": "one" } },
            { "id": "out2", "type": "output", "data": { "name": "two" } }
        ],
        "edges": [
            edge("1", "in", "value", "heavy"), edge("2", "heavy", "output", "out1"),
            edge("3", "in", "value", "light"), edge("4", "light", "output", "next"),
            edge("5", "next", "output", "out2")
        ]
    })
}

#[tokio::test]
async fn other_nodes_run_and_are_told_of_while_one_computes() {
    let cancel = CancellationToken::new();
    let stop = cancel.clone();
    let began = Instant::now();
    // The user stops the run when the other branch has been reported as done.
    let events: EventSink = Arc::new(move |event| {
        if event.node_id.as_deref() == Some("out2")
            && matches!(event.body, EventBody::NodeCompleted { .. })
        {
            stop.cancel();
        }
    });
    let finished = run_telling(computes(&json!({}), &json!({})), cancel, events).await;
    assert_eq!(finished.status, RunStatus::Cancelled);
    assert!(
        began.elapsed() < Duration::from_secs(3),
        "{:?}",
        began.elapsed()
    );
}

#[tokio::test]
async fn a_computation_ends_at_its_nodes_timeout_and_at_that_of_the_run() {
    for (node, settings) in [
        (json!({ "timeout": "PT0.2S" }), json!({})),
        (json!({}), json!({ "timeout": "PT0.2S" })),
    ] {
        let began = Instant::now();
        let finished = run(computes(&node, &settings), CancellationToken::new()).await;
        assert_eq!(finished.status, RunStatus::Failed);
        let error = finished.state.error.unwrap();
        assert_eq!(error.code, "timeout", "{error:?}");
        assert!(
            began.elapsed() < Duration::from_secs(3),
            "{:?}",
            began.elapsed()
        );
    }
}

#[tokio::test]
async fn a_long_computation_gives_what_a_short_one_would() {
    let template =
        "{% for a in range(end=4000) %}{% if a == 3999 %}{{ a ~ input }}{% endif %}{% endfor %}";
    let document = computes(&json!({ "template": template }), &json!({}));
    let finished = run(document, CancellationToken::new()).await;
    assert_eq!(
        finished.state.outputs.map(Value::from),
        Some(json!({ "one": "3999x", "two": "xyz" }))
    );
}

/// A loop without nodes. Its conditions are evaluated on the thread that also receives the user's requests.
#[tokio::test]
async fn a_loop_that_only_computes_can_be_stopped_and_ends_like_any_other() {
    let edge = |id: &str, source: &str, handle: &str, target: &str| json!({ "id": id, "source": source, "sourceHandle": handle, "target": target });
    let document = |most: u32| {
        json!({
            "schemaVersion": 1,
            "settings": { "maxIterationsCeiling": 1000 },
            "nodes": [
                { "id": "in", "type": "input", "data": { "name": "text", "default": "x" } },
                { "id": "loop", "type": "loop", "data": {
                    "maxIterations": most, "exitCondition": "condition",
                    "condition": { "until": "([a for a in range(end=65000) if a == 7] | length) == 2" }
                } },
                { "id": "exit", "type": "exit", "data": {} },
                { "id": "out", "type": "output", "data": { "name": "result" } }
            ],
            "edges": [
                edge("1", "in", "value", "loop"), edge("2", "loop", "body", "exit"),
                edge("3", "exit", "output", "out")
            ]
        })
    };
    let finished = run(document(3), CancellationToken::new()).await;
    assert_eq!(finished.state.error, None);
    assert_eq!(finished.state.iterations, Some(3));
    let cancel = CancellationToken::new();
    let stop = async {
        tokio::time::timeout(Duration::from_millis(100), std::future::pending::<()>())
            .await
            .unwrap_err();
        cancel.cancel();
    };
    let (finished, ()) = tokio::join!(run(document(1000), cancel.clone()), stop);
    assert_eq!(finished.status, RunStatus::Cancelled);
    assert!(finished.state.iterations.unwrap_or_default() < 100);
}
