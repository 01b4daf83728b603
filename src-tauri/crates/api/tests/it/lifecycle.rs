//! Runs of a whole program on a data folder: runs that are started, stopped and answered twice, and two programs on one folder.

#![allow(clippy::unwrap_used)]

use std::{path::Path, sync::Arc, time::Duration};

use loopwright_api as api;
use loopwright_api::{Answer, App, ApprovalPolicy, EventBody, Focus, RunStatus};
use loopwright_engine::journal::Journal;
use loopwright_journal::SqliteJournal;
use loopwright_records as records;
use loopwright_runs as runs;
use loopwright_runs::{Code, ResumeOptions, RunOptions, Started};
use serde_json::{Map, Value, json};

fn open(folder: &Path) -> Arc<App> {
    App::open(folder, tokio::runtime::Handle::current()).unwrap()
}

/// Returns a flow that asks a person.
fn asks() -> Value {
    json!({
        "schemaVersion": 1, "name": "asks",
        "nodes": [
            { "id": "in", "type": "input", "data": { "name": "text", "default": "Good." } },
            { "id": "check", "type": "approval", "data": { "message": "Good?" } },
            { "id": "yes", "type": "output", "data": { "name": "yes" } },
            { "id": "no", "type": "output", "data": { "name": "no" } }
        ],
        "edges": [
            { "id": "e1", "source": "in", "sourceHandle": "value", "target": "check", "targetHandle": "input" },
            { "id": "e2", "source": "check", "sourceHandle": "approved", "target": "yes", "targetHandle": "value" },
            { "id": "e3", "source": "check", "sourceHandle": "rejected", "target": "no", "targetHandle": "value" }
        ]
    })
}

/// Returns a flow that takes some time to run.
fn lasts() -> Value {
    json!({
        "schemaVersion": 1, "name": "lasts",
        "nodes": [
            { "id": "in", "type": "input", "data": { "name": "text", "default": "a" } },
            { "id": "loop", "type": "loop", "data": { "maxIterations": 2, "delay": { "type": "fixed", "interval": "PT1H" } } },
            { "id": "step", "type": "transform", "data": { "template": "{{ input }}b" } },
            { "id": "exit", "type": "exit", "data": {} },
            { "id": "out", "type": "output", "data": { "name": "result" } }
        ],
        "edges": [
            { "id": "e1", "source": "in", "sourceHandle": "value", "target": "loop", "targetHandle": "input" },
            { "id": "e2", "source": "loop", "sourceHandle": "body", "target": "step", "targetHandle": "input" },
            { "id": "e3", "source": "step", "sourceHandle": "output", "target": "exit", "targetHandle": "input" },
            { "id": "e4", "source": "exit", "sourceHandle": "output", "target": "out", "targetHandle": "value" }
        ]
    })
}

fn start(app: &Arc<App>, document: Value) -> Started {
    runs::start_run(app.env(), options(document)).unwrap()
}

fn options(document: Value) -> RunOptions {
    RunOptions {
        document,
        flow_path: None,
        inputs: Map::new(),
        approve: ApprovalPolicy::Ask,
        focus: Focus::default(),
        events: Arc::new(|_| {}),
    }
}

fn resume(run_id: &str, approved: Option<bool>) -> ResumeOptions {
    let answer = |approved| Answer {
        approved,
        ..Default::default()
    };
    ResumeOptions {
        run_id: run_id.to_owned(),
        answer: approved.map(|approved| ("check".to_owned(), answer(approved))),
        budget: None,
        approve: ApprovalPolicy::Ask,
        events: Arc::new(|_| {}),
    }
}

async fn waiting(app: &Arc<App>) -> String {
    let started = start(app, asks());
    let outcome = started.finished.await.unwrap().unwrap();
    assert_eq!(outcome.status, RunStatus::Waiting);
    outcome.run_id
}

#[tokio::test]
async fn a_waiting_run_that_is_stopped_says_so_everywhere() {
    let folder = tempfile::tempdir().unwrap();
    let app = open(folder.path());
    let run = waiting(&app).await;
    runs::stop_run(app.env(), &run).unwrap();
    let detail = records::run_detail(app.env(), &run).unwrap();
    assert_eq!(detail.summary.status, RunStatus::Cancelled);
    assert_eq!(detail.error.unwrap().code, "cancelled");
    let last = records::run_events(app.env(), &run).unwrap().pop().unwrap();
    assert!(matches!(
        last.body,
        EventBody::Failed {
            status: RunStatus::Cancelled,
            ..
        }
    ));
    assert!(records::waiting(app.env(), &run).unwrap().is_empty());
    assert!(runs::resume_run(app.env(), resume(&run, Some(true))).is_err());
    // If a stopped run is stopped again, nothing changes.
    let events = records::run_events(app.env(), &run).unwrap().len();
    runs::stop_run(app.env(), &run).unwrap();
    assert_eq!(records::run_events(app.env(), &run).unwrap().len(), events);
    // The records are those that the engine itself would produce, so the run replays.
    let replayed = runs::replay_run(app.env(), &run, |_| {}).unwrap();
    assert_eq!(replayed.status, RunStatus::Cancelled);
    assert_eq!(replayed.duration_ms, detail.summary.duration_ms);
}

#[tokio::test]
async fn a_run_lost_before_it_wrote_anything_can_be_ended_and_replays() {
    let folder = tempfile::tempdir().unwrap();
    let app = open(folder.path());
    let run = waiting(&app).await;
    // The state that a program leaves if it is killed right after the run is created.
    let journal = SqliteJournal::open(&folder.path().join("runs.db"))
        .unwrap()
        .journal;
    let (header, _) = journal.run(&run).unwrap();
    journal.delete(&run).unwrap();
    journal.create(&header).unwrap();
    runs::stop_run(app.env(), &run).unwrap();
    let replayed = runs::replay_run(app.env(), &run, |_| {}).unwrap();
    assert_eq!(replayed.status, RunStatus::Cancelled);
}

#[tokio::test]
async fn a_stored_run_that_was_ended_before_it_began_replays() {
    let folder = tempfile::tempdir().unwrap();
    let app = open(folder.path());
    let run = waiting(&app).await;
    let journal = app.env().journal();
    let (header, _) = journal.run(&run).unwrap();
    for status in [RunStatus::Cancelled, RunStatus::Failed] {
        journal.delete(&run).unwrap();
        journal.create(&header).unwrap();
        match status {
            RunStatus::Cancelled => runs::end_stored(app.env(), &run).unwrap(),
            _ => runs::fail_stored(app.env(), &run, "io", "No worker.".to_owned()).unwrap(),
        }
        let mut events = Vec::new();
        let replayed =
            runs::replay_run(app.env(), &run, |event| events.push(event.clone())).unwrap();
        assert_eq!((replayed.status, replayed.records), (status, 3));
        assert_eq!(events, records::run_events(app.env(), &run).unwrap());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_two_answers_at_once_one_counts() {
    let folder = tempfile::tempdir().unwrap();
    let (one, two) = (open(folder.path()), open(folder.path()));
    for _ in 0..10 {
        let run = waiting(&one).await;
        let barrier = Arc::new(std::sync::Barrier::new(2));
        let answers = [(&one, true), (&two, false)].map(|(app, approved)| {
            let (app, run, barrier) = (Arc::clone(app), run.clone(), Arc::clone(&barrier));
            let runtime = tokio::runtime::Handle::current();
            std::thread::spawn(move || {
                barrier.wait();
                match runs::resume_run(app.env(), resume(&run, Some(approved))) {
                    Ok(started) => runtime.block_on(started.finished).unwrap().is_ok(),
                    Err(_) => false,
                }
            })
        });
        let counted = tokio::task::spawn_blocking(|| answers.map(|answer| answer.join().unwrap()))
            .await
            .unwrap();
        assert_eq!(counted.iter().filter(|counted| **counted).count(), 1);
        let detail = records::run_detail(one.env(), &run).unwrap();
        assert_eq!(detail.summary.status, RunStatus::Completed);
        let given = if counted[0] { "yes" } else { "no" };
        assert_eq!(detail.outputs, json!({ given: "Good." }));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_living_run_is_left_alone_by_others() {
    let folder = tempfile::tempdir().unwrap();
    let (one, two) = (open(folder.path()), open(folder.path()));
    let started = start(&one, lasts());
    let run = &started.run_id;
    for app in [&one, &two] {
        let refused = runs::resume_run(app.env(), resume(run, None))
            .err()
            .unwrap();
        assert_eq!(refused.code, Code::Busy, "{refused}");
        assert_eq!(
            runs::delete_run(app.env(), run).unwrap_err().code,
            Code::Busy
        );
        assert_eq!(
            records::runs(app.env(), 9, 0).unwrap()[0].status,
            RunStatus::Running
        );
    }
    // A program that does not lead the run asks the leader to stop it.
    runs::stop_run(two.env(), run).unwrap();
    let finished = tokio::time::timeout(Duration::from_secs(20), started.finished).await;
    let outcome = finished.unwrap().unwrap().unwrap();
    assert_eq!(outcome.status, RunStatus::Cancelled);
    runs::delete_run(two.env(), run).unwrap();
    assert!(records::runs(one.env(), 9, 0).unwrap().is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_run_that_is_released_while_it_is_listed_is_not_interrupted() {
    let folder = tempfile::tempdir().unwrap();
    let (one, two) = (open(folder.path()), open(folder.path()));
    for _ in 0..100 {
        let started = start(&one, asks());
        let two = Arc::clone(&two);
        let listing = tokio::task::spawn_blocking(move || {
            loop {
                let status = records::runs(two.env(), 1, 0).unwrap()[0].status;
                if status != RunStatus::Running {
                    return status;
                }
            }
        });
        assert_eq!(listing.await.unwrap(), RunStatus::Waiting);
        started.finished.await.unwrap().unwrap();
    }
}

/// A run is interrupted by a logout and then resumed by hand. If the program that resumed it is lost, the run must not
/// continue by itself.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_left_run_that_was_resumed_does_not_continue_by_itself() {
    let folder = tempfile::tempdir().unwrap();
    let patience = Duration::from_secs(20);
    let one = open(folder.path());
    let run = start(&one, lasts()).run_id;
    runs::note_left_runs(one.env());
    runs::detach_all(one.env(), patience).await;
    let two = open(folder.path());
    runs::resume_run(two.env(), resume(&run, None)).unwrap();
    runs::detach_all(two.env(), patience).await;
    let three = open(folder.path());
    runs::resume_left_runs(three.env(), true, &|_| Arc::new(|_| {})).unwrap();
    assert!(runs::running_ids(three.env()).is_empty());
    assert_eq!(
        records::runs(three.env(), 9, 0).unwrap()[0].status,
        RunStatus::Interrupted
    );
}

#[tokio::test]
async fn a_run_by_the_name_of_a_file_touches_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let app = open(folder.path());
    let settings = folder.path().join("settings.json");
    std::fs::write(&settings, "{}\n").unwrap();
    std::fs::create_dir_all(folder.path().join("running")).unwrap();
    for run in ["../settings.json", settings.to_str().unwrap()] {
        assert_eq!(
            runs::resume_run(app.env(), resume(run, None))
                .err()
                .unwrap()
                .code,
            Code::NotFound
        );
        assert_eq!(
            runs::delete_run(app.env(), run).unwrap_err().code,
            Code::NotFound
        );
        assert_eq!(
            runs::stop_run(app.env(), run).unwrap_err().code,
            Code::NotFound
        );
    }
    assert_eq!(std::fs::read_to_string(&settings).unwrap(), "{}\n");
}

#[tokio::test]
async fn a_flow_opens_and_is_saved_where_the_list_of_recent_files_cannot_be_kept() {
    let folder = tempfile::tempdir().unwrap();
    let app = open(folder.path());
    std::fs::create_dir_all(folder.path().join("recent.json/in-the-way")).unwrap();
    let path = folder.path().join("flow.json");
    let path = path.to_str().unwrap();
    api::save_flow(app.env(), path, &asks(), None).unwrap();
    let opened = api::open_flow(app.env(), path).unwrap();
    assert!(
        opened.notes.iter().any(|note| note.contains("recent.json")),
        "{:?}",
        opened.notes
    );
}

#[tokio::test]
async fn what_another_program_wrote_is_not_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let app = open(folder.path());
    let path = folder.path().join("flow.json");
    let shown = path.to_str().unwrap();
    let saved = api::save_flow(app.env(), shown, &asks(), None).unwrap();
    let version = Some(saved.version.as_str());
    for other in [b"{}".as_slice(), b"\xff\xfe is no UTF-8"] {
        std::fs::write(&path, other).unwrap();
        let refused = api::save_flow(app.env(), shown, &asks(), version).unwrap_err();
        assert_eq!(refused.code, Code::ChangedOnDisk);
        assert_eq!(std::fs::read(&path).unwrap(), other);
    }
    std::fs::remove_file(&path).unwrap();
    api::save_flow(app.env(), shown, &asks(), version).unwrap();
    api::save_flow(app.env(), shown, &asks(), version).unwrap();
}

#[tokio::test]
async fn of_two_windows_that_save_at_once_one_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let windows = [open(folder.path()), open(folder.path())];
    let path = folder.path().join("flow.json");
    let shown = path.to_str().unwrap();
    let mut version = api::save_flow(windows[0].env(), shown, &asks(), None)
        .unwrap()
        .version;
    for round in 0..40 {
        let barrier = std::sync::Barrier::new(2);
        let save = |window: &App, name: &str| {
            let mut document = asks();
            document["name"] = json!(format!("{name} {round}"));
            barrier.wait();
            (
                document.clone(),
                api::save_flow(window.env(), shown, &document, Some(&version)),
            )
        };
        let saves = std::thread::scope(|scope| {
            [(&windows[0], "left"), (&windows[1], "right")]
                .map(|(window, name)| scope.spawn(|| save(window, name)))
                .map(|save| save.join().unwrap())
        });
        let (won, lost): (Vec<_>, Vec<_>) = saves.into_iter().partition(|(_, saved)| saved.is_ok());
        assert_eq!((won.len(), lost.len()), (1, 1), "round {round}");
        assert_eq!(lost[0].1.as_ref().unwrap_err().code, Code::ChangedOnDisk);
        assert_eq!(runs::read_flow(shown).unwrap().document, won[0].0);
        version = won[0].1.as_ref().unwrap().version.clone();
    }
}

#[tokio::test]
async fn a_run_keeps_the_flow_that_it_began_with() {
    let folder = tempfile::tempdir().unwrap();
    let app = open(folder.path());
    let path = folder.path().join("flow.json");
    let shown = path.to_str().unwrap();
    api::save_flow(app.env(), shown, &asks(), None).unwrap();
    let started = runs::start_run(
        app.env(),
        RunOptions {
            flow_path: Some(shown.to_owned()),
            ..options(api::open_flow(app.env(), shown).unwrap().document)
        },
    )
    .unwrap();
    let run = started.finished.await.unwrap().unwrap().run_id;
    // In the edited file, the same answer takes another branch.
    let edited = asks()
        .to_string()
        .replace("rejected", "approved")
        .replace("\"yes\"", "\"changed\"");
    std::fs::write(&path, edited).unwrap();
    let finished = runs::resume_run(app.env(), resume(&run, Some(true)))
        .unwrap()
        .finished;
    assert_eq!(
        finished.await.unwrap().unwrap().status,
        RunStatus::Completed
    );
    let detail = records::run_detail(app.env(), &run).unwrap();
    assert_eq!(detail.outputs, json!({ "yes": "Good." }));
    assert_eq!(detail.document, asks());
}

#[tokio::test]
async fn a_damaged_list_of_recent_files_is_set_aside_and_said() {
    let folder = tempfile::tempdir().unwrap();
    let kept = |name: &str| std::fs::read(folder.path().join(name));
    for (number, damage) in [b"[{\"path\": ".as_slice(), b"\xff\xfe", b""]
        .into_iter()
        .enumerate()
    {
        std::fs::write(folder.path().join("recent.json"), damage).unwrap();
        let app = open(folder.path());
        let name = format!("recent.damaged-{}.json", number + 1);
        let said = app
            .env()
            .notices()
            .iter()
            .any(|notice| notice.contains(&name));
        assert!(said, "{:?}", app.env().notices());
        assert_eq!(kept(&name).unwrap(), damage);
        assert!(api::recent_files(app.env()).unwrap().is_empty());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn files_opened_at_once_are_all_recent() {
    let folder = tempfile::tempdir().unwrap();
    let app = open(&folder.path().join("data"));
    let files: Vec<_> = (0..12)
        .map(|number| {
            let file = folder.path().join(format!("{number}.flow.json"));
            std::fs::write(&file, asks().to_string()).unwrap();
            file.display().to_string()
        })
        .collect();
    std::thread::scope(|scope| {
        for file in &files {
            scope.spawn(|| {
                let opened = api::open_flow(app.env(), file).unwrap();
                assert!(opened.notes.is_empty(), "{:?}", opened.notes);
            });
        }
    });
    assert_eq!(api::recent_files(app.env()).unwrap().len(), files.len());
}
