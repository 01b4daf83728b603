//! The export and import of runs, and the disk space that past runs take.

#![allow(clippy::unwrap_used)]

use std::{path::Path, sync::Arc};

use loopwright_api as api;
use loopwright_api::{App, ApprovalPolicy, Focus, RunStatus};
use loopwright_records as records;
use loopwright_runs as runs;
use loopwright_runs::{Code, RunOptions};
use serde_json::{Map, Value, json};

fn open(folder: &Path) -> Arc<App> {
    App::open(folder, tokio::runtime::Handle::current()).unwrap()
}

/// Returns a flow whose output is its input. With `asks`, a person is asked first.
fn passes_on(asks: bool) -> Value {
    let check = if asks {
        json!({ "id": "step", "type": "approval", "data": { "message": "Good?" } })
    } else {
        json!({ "id": "step", "type": "transform", "data": { "template": "{{ input }}!" } })
    };
    let handle = if asks { "approved" } else { "output" };
    json!({
        "schemaVersion": 1, "name": "passes on",
        "nodes": [
            { "id": "in", "type": "input", "data": { "name": "text" } }, check,
            { "id": "out", "type": "output", "data": { "name": "result" } }
        ],
        "edges": [
            { "id": "1", "source": "in", "sourceHandle": "value", "target": "step", "targetHandle": "input" },
            { "id": "2", "source": "step", "sourceHandle": handle, "target": "out", "targetHandle": "value" }
        ]
    })
}

async fn run(app: &Arc<App>, asks: bool, text: &str) -> String {
    let started = runs::start_run(
        app.env(),
        RunOptions {
            document: passes_on(asks),
            flow_path: Some("/home/somebody/secret-project/flow.json".to_owned()),
            inputs: Map::from_iter([("text".to_owned(), json!(text))]),
            approve: ApprovalPolicy::Ask,
            focus: Focus::default(),
            events: Arc::new(|_| {}),
        },
    )
    .unwrap();
    started.finished.await.unwrap().unwrap().run_id
}

#[tokio::test]
async fn a_run_goes_to_another_computer_whole() {
    let (here, there) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (one, two) = (open(here.path()), open(there.path()));
    let text = "a text with a blob:blake3: in it ".repeat(100);
    let id = run(&one, false, &text).await;
    let file = here.path().join("run.json");
    let path = file.to_str().unwrap();
    records::export_run_to(one.env(), &id, path).unwrap();
    let exported = std::fs::read_to_string(&file).unwrap();
    assert!(
        !exported.contains("secret-project"),
        "the file's place stays here"
    );

    let imported = records::import_run_from(two.env(), path).unwrap();
    assert_eq!(
        (imported.run_id.as_str(), imported.renamed),
        (id.as_str(), false)
    );
    let (before, after) = (
        records::run_detail(one.env(), &id).unwrap(),
        records::run_detail(two.env(), &id).unwrap(),
    );
    assert_eq!(before.outputs, after.outputs);
    assert_eq!(before.document, after.document);
    assert_eq!(before.inputs, after.inputs);
    assert_eq!(
        records::run_events(one.env(), &id).unwrap(),
        records::run_events(two.env(), &id).unwrap()
    );
    assert_eq!(records::export_run(two.env(), &id).unwrap(), exported);

    // If the store already has a run with the same id, the imported run gets another id.
    let again = records::import_run_from(two.env(), path).unwrap();
    assert!(again.renamed && again.run_id != id);
    assert_eq!(
        records::run_detail(two.env(), &again.run_id)
            .unwrap()
            .outputs,
        before.outputs
    );
    assert_eq!(records::store_info(two.env()).unwrap().runs, 2);
}

#[tokio::test]
async fn an_imported_run_can_continue() {
    let (here, there) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (one, two) = (open(here.path()), open(there.path()));
    let id = run(&one, true, "Good.").await;
    let exported = records::export_run(one.env(), &id).unwrap();
    // The file has this status if the run was exported while it was running, or after its program was killed.
    let running = exported.replace("\"status\":\"waiting\"", "\"status\":\"running\"");
    let imported = records::import_run(two.env(), running.as_bytes()).unwrap();
    let status = |app: &App, id: &str| records::run_detail(app.env(), id).unwrap().summary.status;
    assert_eq!(status(&two, &imported.run_id), RunStatus::Interrupted);
    let started = runs::resume_run(
        two.env(),
        loopwright_runs::ResumeOptions {
            run_id: imported.run_id.clone(),
            budget: None,
            answer: None,
            approve: ApprovalPolicy::All,
            events: Arc::new(|_| {}),
        },
    )
    .unwrap();
    started.finished.await.unwrap().unwrap();
    assert_eq!(status(&one, &id), RunStatus::Waiting);
}

#[tokio::test]
async fn what_is_no_sound_run_is_refused_and_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let app = open(folder.path());
    let id = run(&app, false, "x").await;
    let good = records::export_run(app.env(), &id).unwrap();
    runs::delete_run(app.env(), &id).unwrap();
    let parsed: Value = serde_json::from_str(&good).unwrap();
    let last = parsed["records"].as_array().unwrap().len() - 1;
    let changed = |pointer: &str, value: Value| {
        let mut run = parsed.clone();
        *run.pointer_mut(pointer).unwrap() = value;
        run.to_string()
    };
    let without = |field: &str| {
        let mut run = parsed.clone();
        run.as_object_mut().unwrap().remove(field);
        run.to_string()
    };
    let mut gap = parsed.clone();
    gap["records"].as_array_mut().unwrap().remove(1);
    let mut open_end = parsed.clone();
    open_end["records"].as_array_mut().unwrap().pop();
    let hostile = [
        (String::new(), "EOF"),
        ("[]".to_owned(), ""),
        ("\u{feff}{".to_owned(), ""),
        (good[..good.len() / 2].to_owned(), "EOF"),
        (format!("{good}{good}"), "trailing"),
        ("[".repeat(1_000_000), "levels deep"),
        (
            format!("{{\"format\":{}", "{\"a\":".repeat(100_000)),
            "levels deep",
        ),
        (passes_on(false).to_string(), "runs export"),
        (changed("/version", json!(4)), "Update Loopwright"),
        (changed("/version", json!(0)), "runs export"),
        (changed("/format", json!("other")), "runs export"),
        (without("records"), "records"),
        (without("state"), "state"),
        (
            changed("/header/run_id", json!("../../settings.json")),
            "UUID",
        ),
        (changed("/header/run_id", json!("")), "UUID"),
        (changed("/header/run_id", json!(id.to_uppercase())), "UUID"),
        (changed("/header/document", json!("no flow")), "flow"),
        (changed("/header/inputs", json!([1])), "not a JSON object"),
        (changed("/records/0/seq", json!(7)), "record 7"),
        (changed("/records/1/seq", json!(-1)), "-1"),
        (
            changed("/records/0/path", json!("x".repeat(5_000))),
            "too long",
        ),
        (
            changed("/records/0/entry/type", json!("format_disk")),
            "format_disk",
        ),
        (gap.to_string(), "where record"),
        (open_end.to_string(), "ended"),
        (changed("/state/status", json!("failed")), "ended"),
        (changed("/state/status", json!("on fire")), "on fire"),
        // Numbers that no run can have and with which any sum would overflow.
        (
            changed("/header/started_at", json!(i64::MAX)),
            "its header has the time",
        ),
        (
            changed("/records/2/at", json!(i64::MIN)),
            "record 2 (`in`) has the time",
        ),
        (
            changed("/records/2/at", json!(253_402_300_800_000_i64)),
            "years 1 and 9999",
        ),
        (
            changed("/state/usage/cost_microusd", json!(i64::MAX)),
            "its state has",
        ),
        (
            changed("/state/usage/input_tokens", json!(u64::MAX)),
            "input tokens",
        ),
        (changed("/state/duration_ms", json!(u64::MAX)), "a duration"),
        (
            changed(
                &format!("/records/{last}/entry/usage/calls"),
                json!(1e15 as u64 + 1),
            ),
            "calls",
        ),
        (
            changed(
                &format!("/records/{last}/entry/duration_ms"),
                json!(u64::MAX),
            ),
            "a duration",
        ),
    ];
    for (text, says) in hostile {
        let start: String = text.chars().take(80).collect();
        let Err(error) = records::import_run(app.env(), text.as_bytes()) else {
            panic!("{start} was taken");
        };
        assert_eq!(error.code, Code::InvalidArgument, "{start}: {error}");
        assert!(error.message.contains(says), "{start}: {error}");
        assert!(error.message.ends_with("Nothing was stored."), "{error}");
        assert_eq!(records::store_info(app.env()).unwrap().runs, 0, "{start}");
    }
    assert!(records::import_run(app.env(), b"\xff\xfe").is_err());
    let missing = records::import_run_from(app.env(), "/nowhere/run.json").unwrap_err();
    assert_eq!(missing.code, Code::NotFound);
    // A file of version 1 has fields that version 2 leaves out.
    let old =
        changed("/version", json!(1)).replacen("\"index\":0", "\"index\":0,\"similarity\":null", 1);
    let old = records::import_run(app.env(), old.as_bytes()).unwrap();
    runs::delete_run(app.env(), &old.run_id).unwrap();
    records::import_run(app.env(), good.as_bytes()).unwrap();
}

#[tokio::test]
async fn the_oldest_runs_that_are_over_make_room() {
    let folder = tempfile::tempdir().unwrap();
    let app = open(folder.path());
    let waits = run(&app, true, &format!("waits {}", "w".repeat(100_000))).await;
    let mut ids = Vec::new();
    // The texts have nothing in common. Each run takes about 2 MB, including the node's output.
    for number in 0..12 {
        let text: String = (0..100_000)
            .map(|n| format!("{} ", n * 7 + number))
            .collect();
        ids.push(run(&app, false, &text).await);
    }
    let before = records::store_info(app.env()).unwrap();
    assert_eq!(before.runs, 13);
    let mut settings = app.env().settings();
    settings.history_limit_mb = Some(5);
    assert_eq!(
        api::save_settings(app.env(), settings.clone())
            .unwrap_err()
            .code,
        Code::InvalidArgument
    );
    settings.history_limit_mb = Some(10);
    api::save_settings(app.env(), settings).unwrap();
    assert_eq!(
        records::store_info(app.env()).unwrap().runs,
        13,
        "nothing goes while a number is typed"
    );
    // No person has seen any of the runs yet, so none is deleted.
    assert_eq!(runs::apply_history_limit(app.env()).unwrap(), 0);
    assert!(app.env().notices()[0].contains("Nothing was removed"));
    for id in &ids {
        runs::mark_seen(app.env(), id, RunStatus::Completed);
    }
    records::star_run(app.env(), &ids[0], true).unwrap();
    // Runs that this program led are not deleted, because it may still be showing them.
    assert_eq!(runs::apply_history_limit(app.env()).unwrap(), 0);
    drop(app);
    let app = open(folder.path());
    let gone = runs::apply_history_limit(app.env()).unwrap();
    let words = app.env().notices().join("\n");
    assert!(
        words.contains(&format!("{gone} runs were deleted")),
        "{words}"
    );

    let kept: Vec<String> = records::runs(app.env(), 99, 0)
        .unwrap()
        .into_iter()
        .map(|run| run.run_id)
        .collect();
    assert!(kept.contains(&waits), "one that waits is never deleted");
    let starred = ids.remove(0);
    assert!(kept.contains(&starred), "one that is starred is kept");
    let left = kept.len() - 2;
    assert!((1..11).contains(&left), "{left} are left");
    assert_eq!(gone as usize + left, 11);
    ids.reverse();
    assert_eq!(kept[..left], ids[..left], "the newest stay");
    let after = records::store_info(app.env()).unwrap();
    assert_eq!(after.limit_bytes, Some(10_000_000));
    let size = std::fs::metadata(folder.path().join("runs.db"))
        .unwrap()
        .len();
    assert!(size <= 10_000_000, "{size} bytes on disk");

    // From now on, when a run ends, older runs are deleted to free the space that it needs.
    let text: String = (0..100_000).map(|n| format!("{} ", n * 7 + 99)).collect();
    let newest = run(&app, false, &text).await;
    let kept = records::runs(app.env(), 99, 0).unwrap();
    assert_eq!(kept[0].run_id, newest);
    assert!(kept.len() <= left + 3);
    assert!(kept.iter().any(|run| run.run_id == starred));
    assert!(!folder.path().join("running").join(&newest).exists());
}

/// Imported numbers may be as large as the import allows, and sums of them must not overflow.
#[tokio::test]
async fn sums_over_runs_have_room_for_the_largest_that_can_be_imported() {
    let folder = tempfile::tempdir().unwrap();
    let app = open(folder.path());
    let id = run(&app, false, "x").await;
    let mut file: Value =
        serde_json::from_str(&records::export_run(app.env(), &id).unwrap()).unwrap();
    for (pointer, number) in [
        (
            "/state/usage/cost_microusd",
            json!(1_000_000_000_000_000_u64),
        ),
        ("/header/started_at", json!(-62_135_596_800_000_i64)),
        ("/records/0/at", json!(-62_135_596_800_000_i64)),
        ("/records/3/at", json!(253_402_300_799_999_i64)),
    ] {
        *file.pointer_mut(pointer).unwrap() = number;
    }
    for _ in 0..3 {
        records::import_run(app.env(), file.to_string().as_bytes()).unwrap();
    }
    let page = records::find_runs(
        app.env(),
        &loopwright_records::RunQuery {
            limit: 9,
            ..Default::default()
        },
    )
    .unwrap();
    assert_eq!(page.runs.len(), 4);
    assert_eq!(page.tally.spent_usd, Some(3e9));
    let newest = records::runs(app.env(), 9, 0).unwrap();
    for run in newest {
        records::run_events(app.env(), &run.run_id).unwrap();
        records::run_progress(app.env(), &run.run_id).unwrap();
        runs::replay_run(app.env(), &run.run_id, |_| {})
            .map(drop)
            .unwrap_or_default();
    }
}
