//! Tests which drafts and files remain after a window was killed, and what the next window finds.

#![allow(clippy::unwrap_used)]

use std::{fs, path::Path, sync::Arc};

use loopwright_api as api;
use loopwright_api::App;
use loopwright_runs::Code;
use serde_json::{Value, json};

fn open(folder: &Path) -> Arc<App> {
    App::open(folder, tokio::runtime::Handle::current()).unwrap()
}

fn flow(name: &str) -> Value {
    json!({ "schemaVersion": 1, "name": name, "nodes": [], "edges": [] })
}

fn keep(app: &App, id: &str, name: &str) {
    app.keep_draft(id, None, None, flow(name)).unwrap();
}

fn names(app: &App) -> Vec<String> {
    let drafts = app.session().unwrap().drafts;
    let mut names: Vec<String> = drafts
        .iter()
        .map(|draft| draft.document["name"].as_str().unwrap().to_owned())
        .collect();
    names.sort();
    names
}

#[tokio::test]
async fn a_draft_outlives_its_window_and_is_forgotten_when_it_is_dropped() {
    let folder = tempfile::tempdir().unwrap();
    let first = open(folder.path());
    keep(&first, "a", "A");
    keep(&first, "a", "A again");
    keep(&first, "b", "B");
    first
        .keep_tabs(vec!["/x".into(), "/y".into()], Some("/y".into()))
        .unwrap();
    drop(first);

    let second = open(folder.path());
    let found = second.session().unwrap();
    assert_eq!(found.files, ["/x", "/y"]);
    assert_eq!(found.active.as_deref(), Some("/y"));
    assert_eq!(names(&second), ["A again", "B"]);
    second.drop_draft("a").unwrap();
    second.drop_draft("a").unwrap();
    assert_eq!(names(&second), ["B"]);
    drop(second);

    assert_eq!(names(&open(folder.path())), ["B"]);
    assert_eq!(
        fs::read_dir(folder.path().join("sessions"))
            .unwrap()
            .count(),
        1
    );
}

#[tokio::test]
async fn a_living_window_keeps_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let first = open(folder.path());
    keep(&first, "a", "A");
    let second = open(folder.path());
    assert_eq!(names(&second), Vec::<String>::new());
    keep(&second, "a", "other");
    assert_eq!(names(&first), ["A"]);
    drop(first);
    drop(second);
    // Both sessions had a draft with the same id. The later one does not overwrite the earlier one.
    assert_eq!(names(&open(folder.path())), ["A", "other"]);
}

#[tokio::test]
async fn a_draft_comes_with_its_file_as_it_is_now() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("f.flow.json").display().to_string();
    let app = open(folder.path());
    let saved = api::save_flow(app.env(), &path, &flow("saved"), None).unwrap();
    let version = Some(saved.version.clone());
    app.keep_draft(
        "a",
        Some(saved.path.clone()),
        version.clone(),
        flow("draft"),
    )
    .unwrap();
    let draft = app.session().unwrap().drafts.remove(0);
    assert_eq!(draft.saved, Some(flow("saved")));
    assert_eq!(draft.saved_version, version);
    assert_eq!(api::file_version(&path), version);
    api::save_flow(app.env(), &path, &flow("theirs"), None).unwrap();
    let draft = app.session().unwrap().drafts.remove(0);
    assert_ne!(draft.saved_version, version);
    fs::remove_file(&path).unwrap();
    assert_eq!(app.session().unwrap().drafts.remove(0).saved, None);
    assert_eq!(api::file_version(&path), None);
}

#[tokio::test]
async fn a_damaged_draft_is_set_aside_and_the_others_are_found() {
    let folder = tempfile::tempdir().unwrap();
    let app = open(folder.path());
    keep(&app, "good", "good");
    keep(&app, "bad", "bad");
    drop(app);
    let sessions = folder.path().join("sessions");
    let session = fs::read_dir(&sessions)
        .unwrap()
        .next()
        .unwrap()
        .unwrap()
        .path();
    fs::write(session.join("draft-bad.json"), "{ \"path\":").unwrap();
    let app = open(folder.path());
    let found = app.session().unwrap();
    assert_eq!(found.drafts.len(), 1);
    assert!(found.notes[0].contains("damaged"), "{:?}", found.notes);
    assert_eq!(app.session().unwrap().notes, Vec::<String>::new());
}

#[tokio::test]
async fn what_an_earlier_version_left_is_taken_over() {
    let folder = tempfile::tempdir().unwrap();
    let app = open(folder.path());
    keep(&app, "left", "left");
    drop(app);
    let earlier = folder.path().join("desks");
    fs::rename(folder.path().join("sessions"), &earlier).unwrap();
    let app = open(folder.path());
    let drafts = app.session().unwrap().drafts;
    assert_eq!(drafts.len(), 1);
    assert_eq!(drafts[0].id, "left");
    assert!(!earlier.exists());

    // The session of a window that is still open is not taken over.
    let open_one = earlier.join("one");
    fs::create_dir_all(&open_one).unwrap();
    let lock = fs::File::create(open_one.join("lock")).unwrap();
    lock.lock().unwrap();
    fs::write(open_one.join("tabs.json"), "{}").unwrap();
    drop(app);
    open(folder.path());
    assert!(open_one.join("tabs.json").exists());
}

#[tokio::test]
async fn an_id_names_no_other_file() {
    let folder = tempfile::tempdir().unwrap();
    let app = open(folder.path());
    for id in ["", "../x", "a/b", "a.b", &"x".repeat(65)] {
        let refused = app.keep_draft(id, None, None, flow("x")).unwrap_err();
        assert_eq!(refused.code, Code::InvalidArgument, "{id}");
    }
}
