//! The schedules and their firings as the window lists them.

#![allow(clippy::unwrap_used)]

use std::{fs, path::Path, sync::Arc};

use loopwright_api::{App, ApprovalPolicy, Focus, RunStatus};
use loopwright_records::{self as records, FiringResultView, RunQuery, ScheduleView};
use loopwright_runs::{
    self as runs, RunOptions,
    schedules::{self, FiringEvent, MissedCause},
};
use serde_json::{Map, json};

fn open(folder: &Path) -> Arc<App> {
    App::open(folder, tokio::runtime::Handle::current()).unwrap()
}

/// Runs a flow to its end and returns the id of the run.
async fn run(app: &Arc<App>) -> String {
    let document = json!({
        "schemaVersion": 1, "name": "Echo",
        "nodes": [
            { "id": "in", "type": "input", "data": { "name": "text", "default": "hello" } },
            { "id": "out", "type": "output", "data": { "name": "text" } }
        ],
        "edges": [{ "id": "a", "source": "in", "target": "out" }]
    });
    let options = RunOptions {
        document,
        flow_path: None,
        inputs: Map::new(),
        approve: ApprovalPolicy::Ask,
        focus: Focus::default(),
        events: Arc::new(|_| {}),
    };
    let started = runs::start_run(app.env(), options).unwrap();
    started.finished.await.unwrap().unwrap().run_id
}

fn add(folder: &Path, name: &str, event: &FiringEvent) {
    schedules::add_event(folder, name, event).unwrap();
}

fn started(at: i64, run_id: &str) -> FiringEvent {
    FiringEvent::Started {
        at,
        planned: Some(at),
        run_id: run_id.to_owned(),
    }
}

fn names(views: &[ScheduleView]) -> Vec<&str> {
    views.iter().map(|view| view.name.as_str()).collect()
}

#[tokio::test]
async fn each_schedule_is_listed_with_its_newest_firings() {
    let folder = tempfile::tempdir().unwrap();
    let app = open(folder.path());
    let views = |limit| records::schedule_views(app.env(), limit);
    assert!(views(9).is_empty());

    let kept = run(&app).await;
    let deleted = run(&app).await;
    add(folder.path(), "nightly", &started(1, &deleted));
    let ended = FiringEvent::Ended {
        at: 2,
        run_id: deleted.clone(),
        status: RunStatus::Failed,
    };
    add(folder.path(), "nightly", &ended);
    add(folder.path(), "nightly", &started(3, &kept));
    let cause = MissedCause::Active { since: 3 };
    let missed = FiringEvent::Missed {
        at: 9,
        first: 4,
        last: 8,
        count: 5,
        cause,
    };
    add(folder.path(), "nightly", &missed);
    let reason = "The file is missing.".to_owned();
    let failed = FiringEvent::FailedToStart {
        at: 10,
        planned: None,
        reason: reason.clone(),
    };
    add(folder.path(), "nightly", &failed);
    runs::delete_run(app.env(), &deleted).unwrap();
    let schedule = json!({
        "version": 1, "name": "nightly", "createdAt": 0, "flow": "/flows/echo.flow.json", "folder": "/flows",
        "times": { "at": "02:00" }, "budgetUsd": 5.0, "approve": "ask", "content": "", "approvedAt": 0
    });
    let file = |name: &str| folder.path().join(format!("schedules/{name}.json"));
    fs::write(file("nightly"), schedule.to_string()).unwrap();
    fs::write(file("torn"), "{").unwrap();
    add(folder.path(), "gone", &failed);

    let found = views(9);
    assert_eq!(names(&found), ["nightly", "torn", "gone"]);
    let [nightly, torn, gone] = &found[..] else {
        unreachable!()
    };
    assert_eq!(nightly.flow.as_deref(), Some("/flows/echo.flow.json"));
    assert!(nightly.next.is_some() && nightly.error.is_none() && !nightly.removed);
    assert_eq!((nightly.budget_usd, nightly.firings_kept), (Some(5.0), 4));
    let results: Vec<&FiringResultView> = nightly.firings.iter().map(|one| &one.result).collect();
    let time = |at: i64| format!("1970-01-01T00:00:00.{at:03}Z");
    assert_eq!(
        results,
        [
            &FiringResultView::FailedToStart { reason },
            &FiringResultView::Missed {
                first: time(4),
                last: time(8),
                count: 5,
                active_since: Some(time(3)),
            },
            &FiringResultView::Started {
                run_id: kept.clone(),
                status: Some(RunStatus::Completed),
                ended_at: None,
                deleted: false,
            },
            &FiringResultView::Started {
                run_id: deleted,
                status: Some(RunStatus::Failed),
                ended_at: Some(time(2)),
                deleted: true,
            },
        ]
    );
    assert!(
        torn.error.as_ref().unwrap().contains("torn.json"),
        "{torn:?}"
    );
    assert!(gone.removed && gone.flow.is_none() && gone.next.is_none());

    // A limit leaves out the oldest firings, and counts them.
    let newest = views(1);
    assert_eq!(newest[0].firings.len(), 1);
    assert_eq!(newest[0].firings[0], nightly.firings[0]);
    assert_eq!(newest[0].firings_kept, 4);

    // A row of the history names the schedule of its run.
    let query = RunQuery {
        limit: 9,
        ..RunQuery::default()
    };
    let rows = records::find_runs(app.env(), &query).unwrap().runs;
    let schedules: Vec<Option<&str>> = rows.iter().map(|row| row.schedule.as_deref()).collect();
    assert_eq!(schedules, [Some("nightly")]);
}
