//! The sums of costs in a file: migration of older files, programs that only read, and damaged runs.

use std::sync::Arc;

use loopwright_engine::{
    Outcome, Usage,
    costs::{CostRow, SLOT_MS},
    journal::{Completed, Entry, Input, Journal, Record},
};
use rusqlite::Connection;
use tempfile::TempDir;

use super::suite::{header, record};
use crate::SqliteJournal;

/// Makes the file look like one of the version before costs.
const BEFORE_COSTS: &str =
    "DROP TABLE costs; DROP TABLE open_costs; DROP TABLE uncounted_runs; DROP TABLE cost_limits;
    DROP TABLE cost_reservations; PRAGMA user_version = 11";

fn cost(cost_microusd: u64) -> Entry {
    Entry::Input(Input::ExecutionCompleted(Completed {
        outcome: Arc::new(Outcome {
            usage: Usage {
                calls: 1,
                cost_microusd,
                ..Usage::default()
            },
            ..Outcome::default()
        }),
        duration_ms: 0,
        scope: None,
        state: None,
    }))
}

fn filled(path: &std::path::Path, runs: u64) -> SqliteJournal {
    let journal = SqliteJournal::open(path).unwrap().journal;
    for run in 0..runs {
        let id = format!("r{run}");
        journal.create(&header(&id, 0)).unwrap();
        let records = [record(0, "a", cost(run)), record(1, "loop[1]/b", cost(100))];
        journal.append(&id, &records).unwrap();
    }
    journal
}

fn all(journal: &SqliteJournal) -> Vec<CostRow> {
    let costs = journal.costs(i64::MIN, i64::MAX).unwrap().unwrap();
    assert_eq!(costs.uncounted_runs, 0);
    costs.rows
}

fn total(journal: &SqliteJournal) -> u64 {
    let rows = all(journal);
    rows.iter().map(|row| row.charge.usage.cost_microusd).sum()
}

fn store() -> (TempDir, std::path::PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("runs.db");
    (folder, path)
}

#[test]
fn an_older_file_is_counted_from_its_records() {
    let (_folder, path) = store();
    let journal = filled(&path, 50);
    let expected = all(&journal);
    assert_eq!(expected.len(), 100);
    drop(journal);
    Connection::open(&path)
        .unwrap()
        .execute_batch(BEFORE_COSTS)
        .unwrap();
    let journal = SqliteJournal::open(&path).unwrap().journal;
    // A run that continues and a run that is deleted are counted before the others.
    journal
        .append("r1", &[record(2, "a", cost(1_000))])
        .unwrap();
    journal.delete("r2").unwrap();
    assert_eq!(total(&journal), 1_000 + 50 * 100 + (0..50).sum::<u64>());
    let rows = all(&journal);
    for row in &expected {
        let is_changed = ["r1", "r2"].contains(&row.run_id.as_deref().unwrap());
        assert!(is_changed || rows.contains(row), "{row:?}");
    }
    let deleted: Vec<u64> = rows
        .iter()
        .filter(|row| row.run_id.is_none())
        .map(|row| row.charge.usage.cost_microusd)
        .collect();
    assert_eq!(deleted, [2, 100]);
}

#[test]
fn a_program_that_only_reads_says_what_is_missing() {
    let (_folder, path) = store();
    drop(filled(&path, 3));
    let file = Connection::open(&path).unwrap();
    file.execute_batch("DELETE FROM costs; INSERT INTO uncounted_runs SELECT id FROM runs")
        .unwrap();
    drop(file);
    let journal = SqliteJournal::open_read_only(&path).unwrap();
    let costs = journal.costs(0, i64::MAX).unwrap().unwrap();
    assert_eq!((costs.rows.len(), costs.uncounted_runs), (0, 3));
}

#[test]
fn a_slot_of_time_is_found_by_its_beginning() {
    let (_folder, path) = store();
    let journal = SqliteJournal::open(&path).unwrap().journal;
    journal.create(&header("r", 0)).unwrap();
    let records: Vec<Record> = (0..4)
        .map(|seq| Record {
            at: i64::try_from(seq).unwrap() * SLOT_MS + 5,
            ..record(seq, "a", cost(1))
        })
        .collect();
    journal.append("r", &records).unwrap();
    let found = |since, until| {
        let rows = journal.costs(since, until).unwrap().unwrap().rows;
        rows.iter()
            .map(|row| row.charge.slot / SLOT_MS)
            .collect::<Vec<_>>()
    };
    assert_eq!(found(SLOT_MS, 3 * SLOT_MS), [1, 2]);
    assert_eq!(found(SLOT_MS + 1, 3 * SLOT_MS + 1), [2, 3]);
}

#[test]
fn sums_stay_at_the_largest_count_that_a_file_holds() {
    let (_folder, path) = store();
    let journal = SqliteJournal::open(&path).unwrap().journal;
    journal.create(&header("r", 0)).unwrap();
    let most = [record(0, "a", cost(u64::MAX)), record(1, "a", cost(5))];
    journal.append("r", &most[..1]).unwrap();
    journal.append("r", &most[1..]).unwrap();
    assert_eq!(total(&journal), i64::MAX.unsigned_abs());
}

#[test]
fn a_refused_append_costs_nothing() {
    let (_folder, path) = store();
    let journal = filled(&path, 1);
    let before = total(&journal);
    let gap = [record(2, "a", cost(7)), record(9, "a", cost(7))];
    journal.append("r0", &gap).unwrap_err();
    assert_eq!(total(&journal), before);
    journal.append("r0", &gap[..1]).unwrap();
    assert_eq!(total(&journal), before + 7);
}

#[test]
fn a_run_with_damaged_records_counts_the_others_and_can_be_deleted() {
    let (_folder, path) = store();
    drop(filled(&path, 2));
    let file = Connection::open(&path).unwrap();
    file.execute_batch(BEFORE_COSTS).unwrap();
    file.execute(
        "UPDATE record_batches SET payloads = replace(payloads, '100', '999') WHERE place >> 32 = 1",
        [],
    )
    .unwrap();
    drop(file);
    let journal = SqliteJournal::open(&path).unwrap().journal;
    assert_eq!(total(&journal), 1 + 100);
    journal.delete("r0").unwrap();
    assert_eq!(total(&journal), 1 + 100);
}
