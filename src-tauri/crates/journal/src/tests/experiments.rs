//! An experiment is read as it was written, and damage is reported.

use loopwright_engine::journal::JournalError;
use rusqlite::Connection;

use crate::{CellRow, ExperimentRow, ExperimentStore, SqliteJournal};

fn row(id: &str, path: Option<&str>, started_at: i64) -> ExperimentRow {
    ExperimentRow {
        id: id.to_owned(),
        name: "Refine".to_owned(),
        path: path.map(str::to_owned),
        started_at,
        state: "{}".to_owned(),
    }
}

fn cell(number: u64, summary: &str) -> CellRow {
    CellRow {
        number,
        summary: summary.to_owned(),
        detail: "[1,2]".to_owned(),
    }
}

#[test]
fn an_experiment_is_read_as_it_was_written() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("runs.db");
    let _journal = SqliteJournal::open(&file).unwrap();
    let store = ExperimentStore::open(&file).unwrap();
    let cases: Vec<String> = (0..5)
        .map(|number| format!("{{\"case\":{number}}}"))
        .collect();
    store
        .create(&row("a", Some("/x.eval.json"), 1), "content", &cases)
        .unwrap();
    store.create(&row("b", None, 2), "other", &[]).unwrap();
    assert!(store.create(&row("a", None, 3), "again", &[]).is_err());

    let ids = |path| -> Vec<String> {
        let rows = store.list(path, 10).unwrap();
        rows.into_iter().map(|row| row.id).collect()
    };
    assert_eq!(ids(None), ["b", "a"]);
    assert_eq!(ids(Some("/x.eval.json")), ["a"]);
    assert_eq!(store.get("a").unwrap().1, "content");
    assert_eq!(store.cases("a", 1, 2).unwrap(), cases[1..3]);

    store
        .put_cell("a", &cell(3, "{\"status\":\"running\"}"))
        .unwrap();
    store.put_cell("a", &cell(0, "zero")).unwrap();
    store.put_cell("a", &cell(3, "three")).unwrap();
    store.put_cell("b", &cell(1, "of b")).unwrap();
    let all = store.cells("a", 0, 100, true).unwrap();
    assert_eq!(all, [cell(0, "zero"), cell(3, "three")]);
    assert_eq!(store.cells("a", 1, 100, false).unwrap()[0].detail, "");

    store.put_note("a", "judge:2", "two").unwrap();
    store.put_note("a", "judge:1", "one").unwrap();
    store.put_note("a", "rating:1", "5").unwrap();
    assert_eq!(store.note("a", "judge:1").unwrap().as_deref(), Some("one"));
    assert_eq!(store.note("a", "judge").unwrap(), None);
    let names: Vec<String> = store
        .notes_of("a", "judge:")
        .unwrap()
        .into_iter()
        .map(|(name, _)| name)
        .collect();
    assert_eq!(names, ["judge:1", "judge:2"]);

    store.delete("a").unwrap();
    assert_eq!(ids(None), ["b"]);
    assert!(matches!(
        store.cells("a", 0, 9, true),
        Err(JournalError::Read(_))
    ));
    assert_eq!(store.cells("b", 0, 9, true).unwrap().len(), 1);
}

#[test]
fn a_changed_row_is_an_error_and_never_another_result() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("runs.db");
    let _journal = SqliteJournal::open(&file).unwrap();
    let store = ExperimentStore::open(&file).unwrap();
    store
        .create(&row("a", None, 1), "content", &["{}".to_owned()])
        .unwrap();
    store.put_cell("a", &cell(0, "{\"score\":1}")).unwrap();
    let other = Connection::open(&file).unwrap();
    other
        .execute_batch(
            "UPDATE experiment_cells SET summary = '{\"score\":9}';
             UPDATE experiment_cases SET content = '[]';
             UPDATE experiments SET content = 'contest';",
        )
        .unwrap();
    assert!(matches!(
        store.cells("a", 0, 9, false),
        Err(JournalError::DamagedRun { .. })
    ));
    assert!(matches!(
        store.cases("a", 0, 9),
        Err(JournalError::DamagedRun { .. })
    ));
    assert!(matches!(
        store.get("a"),
        Err(JournalError::DamagedRun { .. })
    ));
}
