//! Runs that the window prepares and shows before it starts them.

use std::sync::Arc;

use loopwright_api::{App, ApprovalPolicy, RunStatus, prepare_for_window, start_prepared_by_id};
use loopwright_engine::trust::Grants;
use loopwright_runs::{Code, RunRequest, StartOptions};
use serde_json::json;

fn options() -> StartOptions {
    StartOptions {
        allow: Grants::default(),
        approve: ApprovalPolicy::None,
        events: Arc::new(|_| {}),
    }
}

#[tokio::test]
async fn a_prepared_run_has_its_id_before_it_starts_and_starts_once() {
    let folder = tempfile::tempdir().unwrap();
    let app = App::open(folder.path(), tokio::runtime::Handle::current()).unwrap();
    let document = json!({
        "schemaVersion": 1, "name": "Prepared",
        "nodes": [
            { "id": "in", "type": "input", "position": { "x": 0, "y": 0 }, "data": { "name": "x", "default": "a" } },
            { "id": "out", "type": "output", "position": { "x": 1, "y": 0 }, "data": { "name": "y" } }
        ],
        "edges": [{ "id": "e", "source": "in", "sourceHandle": "value", "target": "out", "targetHandle": "value" }]
    });
    let request = RunRequest {
        document,
        ..RunRequest::default()
    };
    let preparation = prepare_for_window(&app, request).unwrap();
    assert!(preparation.runnable, "{:?}", preparation.problems);
    assert_eq!(preparation.most_it_can_cost.max_calls, Some(0));
    assert_eq!(preparation.needs.unwrap().missing, 0);
    let started = start_prepared_by_id(&app, &preparation.id, options()).unwrap();
    assert_eq!(started.run_id, preparation.id);
    let outcome = started.finished.await.unwrap().unwrap();
    assert_eq!(outcome.status, RunStatus::Completed);
    let again = start_prepared_by_id(&app, &preparation.id, options());
    assert_eq!(again.err().unwrap().code, Code::NotFound);
}
