//! The store on disk passes the conformance suite, and handles what can happen only to a file: other programs, damage, other
//! versions.
#![allow(clippy::unwrap_used, unreachable_pub)]

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant},
};

use loopwright_engine::{
    Outcome, RunStatus, Trace,
    journal::{Completed, Entry, Fact, Input, Journal, JournalError, RunFilter, RunSetup, Select},
};
use rusqlite::{Connection, params};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::suite::{Random, completed, header, iteration_result, record};
use crate::{MemoryJournal, SqliteJournal};

conformance!({
    let folder = tempfile::tempdir().unwrap();
    let opened = SqliteJournal::open(&folder.path().join("runs.sqlite")).unwrap();
    assert_eq!(opened.notice, None);
    Some((opened.journal, folder))
});

/// A loop passes the same value to many nodes. The value is written once, and read once.
#[test]
fn a_large_value_is_stored_once_and_shared_when_it_is_read() {
    let (_folder, path) = place();
    let journal = SqliteJournal::open(&path).unwrap().journal;
    journal.create(&header("r", 1)).unwrap();
    let item =
        |index: u32| json!({ "id": index, "text": "x".repeat(200), "like": "blob:blake3:json:00" });
    let list = Arc::new(Value::Array((0..1_000).map(item).collect()));
    let text = Arc::new(json!("y".repeat(5_000)));
    let outcome = |value: &Arc<Value>| Outcome {
        // An optional value that is null.
        remember: Some(Arc::default()),
        trace: Some(Box::new(Trace {
            prompt: Some("z".repeat(2_000)),
            ..Trace::default()
        })),
        ..Outcome::single("blob:blake3:", Arc::clone(value))
    };
    let records: Vec<_> = (0..40)
        .map(|seq| {
            let value = if seq % 2 == 0 { &list } else { &text };
            let entry = Entry::Input(Input::ExecutionCompleted(Completed {
                outcome: outcome(value).into(),
                duration_ms: 1,
                scope: None,
                state: None,
            }));
            record(seq, "n", entry)
        })
        .collect();
    // The values of the second half are equal to those of the first, but separate in memory.
    journal.append("r", &records[..20]).unwrap();
    let copied: Vec<_> = (serde_json::to_string(&records[20..]).ok())
        .and_then(|text| serde_json::from_str(&text).ok())
        .unwrap();
    journal.append("r", &copied).unwrap();
    let used = journal.size().unwrap().used;
    assert!(used < 900_000, "{used} bytes for a list of some 250,000");

    let read = journal.read("r", Select::All).unwrap();
    let mut kept = records.clone();
    for record in &mut kept {
        // A remembered null is read as absent.
        if let Entry::Input(Input::ExecutionCompleted(Completed { outcome, .. }))
        | Entry::Fact(Fact::NodeCompleted(Completed { outcome, .. })) = &mut record.entry
        {
            Arc::make_mut(outcome).remember = None;
        }
    }
    assert_eq!(read, kept);
    let mut places = std::collections::BTreeSet::new();
    for record in &read {
        record.entry.values(&mut |value| {
            places.insert(Arc::as_ptr(value) as usize);
        });
    }
    assert_eq!(places.len(), 2);
}

fn place() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("new folder").join("runs.sqlite");
    (folder, path)
}

/// Creates a store with one run of `records` records, and closes it.
fn filled(path: &Path, records: u64) {
    let journal = SqliteJournal::open(path).unwrap().journal;
    journal.create(&header("kept", 1)).unwrap();
    let records: Vec<_> = (0..records)
        .map(|seq| record(seq, "n", completed(format!("{seq} {}", "x".repeat(900)))))
        .collect();
    journal.append("kept", &records).unwrap();
}

fn count(path: &Path, table: &str) -> i64 {
    let connection = Connection::open(path).unwrap();
    connection
        .query_row(&format!("SELECT count(*) FROM {table}"), [], |row| {
            row.get(0)
        })
        .unwrap()
}

#[test]
fn is_there_after_a_restart() {
    let (_folder, path) = place();
    filled(&path, 3);
    let opened = SqliteJournal::open(&path).unwrap();
    assert_eq!(opened.notice, None);
    assert_eq!(opened.journal.run("kept").unwrap().0, header("kept", 1));
    assert_eq!(opened.journal.read("kept", Select::All).unwrap().len(), 3);
}

/// Appended records are in the file when `append` returns: a copy made at that moment, as a killed process would leave it,
/// contains them.
#[test]
fn is_there_after_a_kill() {
    let (folder, path) = place();
    let journal = SqliteJournal::open(&path).unwrap().journal;
    journal.create(&header("kept", 1)).unwrap();
    journal
        .append("kept", &[record(0, "n", completed("x"))])
        .unwrap();
    let copy = folder.path().join("copy.sqlite");
    fs::copy(&path, &copy).unwrap();
    fs::copy(
        path.with_file_name("runs.sqlite-wal"),
        folder.path().join("copy.sqlite-wal"),
    )
    .unwrap();
    let opened = SqliteJournal::open(&copy).unwrap();
    assert_eq!(opened.notice, None);
    assert_eq!(opened.journal.read("kept", Select::All).unwrap().len(), 1);
}

#[test]
fn stores_a_large_text_once_and_drops_it_with_its_last_run() {
    let (_folder, path) = place();
    let journal = SqliteJournal::open(&path).unwrap().journal;
    let text = "large ".repeat(10_000);
    for run in ["one", "two"] {
        journal.create(&header(run, 1)).unwrap();
        let records: Vec<_> = (0..50)
            .map(|seq| record(seq, "n", completed(text.clone())))
            .collect();
        journal.append(run, &records).unwrap();
    }
    // Two blobs are stored: the text, and the document of both runs.
    assert_eq!(count(&path, "blobs"), 2);
    journal.delete("one").unwrap();
    assert_eq!((count(&path, "blobs"), count(&path, "blob_uses")), (2, 2));
    journal.delete("two").unwrap();
    assert_eq!((count(&path, "blobs"), count(&path, "blob_uses")), (0, 0));
    assert_eq!((count(&path, "records"), count(&path, "runs")), (0, 0));
}

#[test]
fn gives_back_what_deleted_runs_took() {
    let (_folder, path) = place();
    let journal = SqliteJournal::open(&path).unwrap().journal;
    for run in 0..20 {
        let id = format!("r{run}");
        journal.create(&header(&id, run)).unwrap();
        let texts = (0..40).map(|seq| format!("{run} {seq} {}", "x".repeat(4_000)));
        let records: Vec<_> = (0..)
            .zip(texts)
            .map(|(seq, text)| record(seq, "n", completed(text)))
            .collect();
        journal.append(&id, &records).unwrap();
    }
    let full = journal.size().unwrap();
    for run in 0..19 {
        journal.delete(&format!("r{run}")).unwrap();
    }
    let emptied = journal.size().unwrap();
    assert!(emptied.used < full.used / 5, "{emptied:?} of {full:?}");
    assert_eq!(emptied.runs, 1);
    journal.compact().unwrap();
    let compact = journal.size().unwrap();
    assert_eq!(compact.used, compact.on_disk);
    assert_eq!(fs::metadata(&path).unwrap().len(), compact.on_disk);
    assert_eq!(journal.read("r19", Select::All).unwrap().len(), 40);
}

#[test]
fn says_when_a_reader_keeps_it_from_giving_space_back() {
    let (_folder, path) = place();
    let journal = SqliteJournal::open(&path).unwrap().journal;
    journal.create(&header("r", 1)).unwrap();
    let texts = (0..40).map(|seq| completed(format!("{seq} {}", "x".repeat(4_000))));
    let records: Vec<_> = (0..)
        .zip(texts)
        .map(|(seq, entry)| record(seq, "n", entry))
        .collect();
    journal.append("r", &records).unwrap();
    journal.compact().unwrap();
    let full = fs::metadata(&path).unwrap().len();

    let reader = Connection::open(&path).unwrap();
    reader.execute_batch("BEGIN").unwrap();
    let runs = reader.query_row("SELECT count(*) FROM runs", [], |row| row.get(0));
    assert_eq!(runs, Ok(1_i64));
    journal.delete("r").unwrap();
    let refused = journal.compact().unwrap_err();
    assert!(matches!(refused, JournalError::Busy(_)), "{refused}");
    assert_eq!(fs::metadata(&path).unwrap().len(), full);

    reader.execute_batch("COMMIT").unwrap();
    journal.compact().unwrap();
    assert!(fs::metadata(&path).unwrap().len() < full / 2);
}

#[test]
fn refuses_a_value_that_is_nested_too_deep_and_keeps_nothing_of_its_batch() {
    let (_folder, path) = place();
    let journal = SqliteJournal::open(&path).unwrap().journal;
    journal.create(&header("r", 1)).unwrap();
    let mut deep = json!(0);
    for _ in 0..600 {
        deep = json!([deep]);
    }
    let batch = [
        record(0, "n", completed("good")),
        record(1, "n", completed(deep)),
    ];
    let error = journal.append("r", &batch).unwrap_err();
    assert!(error.to_string().contains("512 levels"), "{error}");
    assert!(journal.read("r", Select::All).unwrap().is_empty());
}

#[test]
fn refuses_a_newer_file_and_leaves_it_alone() {
    let (_folder, path) = place();
    filled(&path, 1);
    Connection::open(&path)
        .unwrap()
        .pragma_update(None, "user_version", 99)
        .unwrap();
    let bytes = fs::read(&path).unwrap();
    for error in [
        SqliteJournal::open(&path).unwrap_err(),
        SqliteJournal::open_read_only(&path).unwrap_err(),
    ] {
        assert!(
            matches!(
                error,
                JournalError::TooNew {
                    found: 99,
                    known: 14
                }
            ),
            "{error:?}"
        );
        assert!(error.to_string().contains("Update Loopwright"), "{error}");
        assert!(
            fs::read(&path).unwrap() == bytes,
            "not a byte of it changes"
        );
    }
    assert_eq!(count(&path, "runs"), 1);
}

#[test]
fn sets_a_damaged_file_aside_and_starts_empty() {
    type Damage = fn(&mut Vec<u8>);
    let cuts: [(&str, Damage); 4] = [
        ("overwritten", |bytes| bytes[..200].fill(b'?')),
        ("cut short", |bytes| bytes.truncate(bytes.len() / 2)),
        ("not SQLite", |bytes| {
            *bytes = b"these are notes of mine, long enough to have a header's length".repeat(20)
        }),
        ("torn inside", |bytes| {
            let middle = bytes.len() / 2 / 4096 * 4096;
            bytes[middle..middle + 4096].fill(0xff);
        }),
    ];
    for (name, damage) in cuts {
        let (_folder, path) = place();
        filled(&path, 200);
        let mut bytes = fs::read(&path).unwrap();
        damage(&mut bytes);
        fs::write(&path, &bytes).unwrap();

        let opened = SqliteJournal::open(&path).unwrap();
        let kept = path.with_file_name("runs.sqlite.damaged-1");
        let notice = opened.notice.unwrap_or_else(|| panic!("{name}: no notice"));
        assert!(notice.contains(kept.to_str().unwrap()), "{name}: {notice}");
        assert_eq!(fs::read(&kept).unwrap(), bytes, "{name}: kept as it was");
        assert!(opened.journal.list(10, 0).unwrap().is_empty(), "{name}");
        opened.journal.create(&header("new", 2)).unwrap();
        drop(opened.journal);

        // The next start finds no problem, and the next damage does not overwrite the kept file.
        assert_eq!(SqliteJournal::open(&path).unwrap().notice, None, "{name}");
        fs::write(&path, vec![b'?'; 9_000]).unwrap();
        let again = SqliteJournal::open(&path).unwrap().notice.unwrap();
        assert!(again.contains("damaged-2"), "{name}: {again}");
        assert_eq!(fs::read(&kept).unwrap(), bytes, "{name}");
    }
}

/// Damage that occurs or is found later is reported, and the next start checks the whole file.
#[test]
fn says_so_where_damage_is_met_later() {
    let (_folder, path) = place();
    filled(&path, 200);
    let opened = SqliteJournal::open(&path).unwrap();
    assert_eq!(opened.notice, None);
    let mut bytes = fs::read(&path).unwrap();
    for page in bytes[4096..].chunks_mut(4096) {
        page[..64].fill(0xff);
    }
    fs::write(&path, &bytes).unwrap();
    let error = opened.journal.read("kept", Select::All).unwrap_err();
    assert!(matches!(error, JournalError::Damaged(_)), "{error:?}");
    assert!(error.to_string().contains("start it again"), "{error}");
    let mark = path.with_file_name("runs.sqlite-suspect");
    assert!(mark.exists());
    drop(opened);
    let notice = SqliteJournal::open(&path).unwrap().notice.unwrap();
    assert!(notice.contains("damaged-1"), "{notice}");
    drop(SqliteJournal::open(&path).unwrap());
    assert!(!mark.exists());
}

#[test]
fn sets_an_empty_file_aside_with_the_log_that_is_left_of_it() {
    let (_folder, path) = place();
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, b"").unwrap();
    let opened = SqliteJournal::open(&path).unwrap();
    let notice = opened.notice.unwrap();
    assert!(notice.contains("the file is empty"), "{notice}");
    assert!(notice.contains("damaged-1"), "{notice}");
    opened.journal.create(&header("r", 1)).unwrap();
    let log = fs::read(path.with_file_name("runs.sqlite-wal")).unwrap();
    drop(opened.journal);
    assert_eq!(SqliteJournal::open(&path).unwrap().notice, None);

    fs::write(&path, b"").unwrap();
    fs::write(path.with_file_name("runs.sqlite-wal"), &log).unwrap();
    let notice = SqliteJournal::open(&path).unwrap().notice.unwrap();
    assert!(notice.contains("damaged-2"), "{notice}");
    assert_eq!(
        fs::read(path.with_file_name("runs.sqlite.damaged-2-wal")).unwrap(),
        log
    );
}

/// A store is empty for a moment while it is created. Programs that start at the same time must not set each other's store
/// aside.
#[test]
fn programs_that_start_at_once_make_one_store() {
    for _ in 0..5 {
        let (_folder, path) = place();
        let notices: Vec<_> = std::thread::scope(|scope| {
            let starts: Vec<_> = (0..6)
                .map(|number| {
                    let path = &path;
                    scope.spawn(move || {
                        let opened = SqliteJournal::open(path).unwrap();
                        let id = format!("r{number}");
                        opened.journal.create(&header(&id, number)).unwrap();
                        opened.notice
                    })
                })
                .collect();
            starts
                .into_iter()
                .map(|start| start.join().unwrap())
                .collect()
        });
        assert_eq!(notices, vec![None; 6]);
        let journal = SqliteJournal::open(&path).unwrap().journal;
        assert_eq!(journal.list(10, 0).unwrap().len(), 6);
    }
}

/// A loop passes the same text from node to node, and an evaluator puts it into an object. The text is written once, and
/// each record can be read alone.
#[test]
fn a_text_that_goes_round_a_loop_is_written_once() {
    let (_folder, path) = place();
    let journal = SqliteJournal::open(&path).unwrap().journal;
    journal.create(&header("r", 1)).unwrap();
    let fixed = Arc::new(json!(["from the beginning to the end of the run", "=#0:0"]));
    let mut records = Vec::new();
    for round in 0..200 {
        let text = format!("round {round} {}", "of a text that changes ".repeat(40));
        let carried = Arc::new(json!(text.clone()));
        let decided = json!({ "branch": "continue", "value": [{ "text": text }] });
        let inputs = |value: &Arc<Value>| {
            Entry::Fact(Fact::NodeStarted {
                inputs: [("input", Arc::clone(value))].into(),
                primary: None,
                max_iterations: None,
            })
        };
        let done = |outcome: Outcome| {
            Entry::Input(Input::ExecutionCompleted(Completed {
                outcome: outcome.into(),
                duration_ms: 0,
                scope: None,
                state: None,
            }))
        };
        for (node, entry) in [
            ("draft", inputs(&fixed)),
            (
                "draft",
                done(Outcome::single("output", Arc::clone(&carried))),
            ),
            ("decide", inputs(&carried)),
            (
                "decide",
                done(Outcome::branch("continue", decided, Arc::clone(&carried))),
            ),
        ] {
            let seq = records.len() as u64;
            records.push(record(seq, &format!("loop[{}]/{node}", round + 1), entry));
        }
    }
    for batch in records.chunks(64) {
        journal.append("r", batch).unwrap();
    }
    assert_eq!(journal.read("r", Select::All).unwrap(), records);
    for at in (0..records.len()).step_by(37) {
        let path = records[at].path.as_str();
        let expected: Vec<_> = records
            .iter()
            .filter(|record| record.path == path)
            .cloned()
            .collect();
        assert_eq!(journal.read("r", Select::Path(path)).unwrap(), expected);
    }
    drop(journal);
    let store = Connection::open(&path).unwrap();
    let (all, contents): (i64, i64) = store
        .query_row("SELECT sum(length(payload)), (SELECT count(*) FROM blobs WHERE length(content) > 500) FROM records", [], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })
        .unwrap();
    assert_eq!(contents, 0);
    assert!(all < 200 * 1_500, "{all} bytes for 200 texts of 930");

    // A change of a record that other records refer to is noticed, too.
    store
        .execute(
            "UPDATE record_batches SET payloads = replace(payloads, 'round 7 ', 'round 8 ')",
            [],
        )
        .unwrap();
    drop(store);
    let journal = SqliteJournal::open(&path).unwrap().journal;
    let error = journal
        .read("r", Select::Path("loop[8]/decide"))
        .unwrap_err();
    assert!(
        error.to_string().contains("it refers to record 29"),
        "{error}"
    );
}

/// Records are grouped into rows at random. Each selection reads only the rows that may match, and returns the same as a store
/// that reads every record.
#[test]
fn every_selection_gives_what_the_store_in_memory_gives() {
    let (_folder, path) = place();
    let memory = MemoryJournal::default();
    let mut disk = SqliteJournal::open(&path).unwrap().journal;
    let mut random = Random(0x5eed);
    let place = |random: &mut Random| {
        let mut path = String::new();
        for _ in 0..=random.index(3) {
            let scope = ["loop", "list", "a[x]", "b\"c", "é"][random.index(5)];
            path.push_str(scope);
            if random.index(3) > 0 {
                path.push_str(&format!("[{}]", 1 + random.index(12)));
            }
            path.push('/');
        }
        path.pop();
        path
    };
    let mut paths: Vec<String> = (0..60).map(|_| place(&mut random)).collect();
    paths.extend(["loop", "list", ""].map(str::to_owned));
    for run in ["r", "s"] {
        memory.create(&header(run, 1)).unwrap();
        disk.create(&header(run, 1)).unwrap();
    }
    let mut next = [0, 0];
    for round in 0..40 {
        let which = random.index(2);
        let count = [1, 3, 20, 300][random.index(4)];
        let records: Vec<_> = (0..count)
            .map(|_| {
                let path = &paths[random.index(paths.len())];
                let index = u32::try_from(random.index(12)).unwrap();
                let input = Arc::new(json!(format!("a text that is shared by {}", index / 4)));
                let entry = match random.index(4) {
                    0 => iteration_result(index, format!("result {index}")),
                    1 => Entry::Fact(Fact::IterationStarted {
                        index,
                        total: None,
                        input,
                    }),
                    2 => Entry::Fact(Fact::ConditionChecked {
                        index,
                        result: true,
                    }),
                    _ => completed(format!("{index} {}", "long ".repeat(random.index(90)))),
                };
                next[which] += 1;
                record(next[which] - 1, path, entry)
            })
            .collect();
        let run = ["r", "s"][which];
        memory.append(run, &records).unwrap();
        disk.append(run, &records).unwrap();
        if round % 9 == 8 {
            drop(disk);
            disk = SqliteJournal::open(&path).unwrap().journal;
        }
        let stores: [&dyn Journal; 2] = [&memory, &disk];
        let agree = |select: Select<'_>| {
            let [expected, found] = stores.map(|store| store.read(run, select).unwrap());
            assert_eq!(found, expected, "{select:?}");
        };
        agree(Select::All);
        agree(Select::Outline);
        for path in paths.iter().skip(round % 5).step_by(5) {
            let (index, offset) = (random.index(13), random.index(9));
            let index = u32::try_from(index).unwrap();
            let scope = path.as_str();
            agree(Select::Path(scope));
            agree(Select::Iteration { scope, index });
            agree(Select::Results(scope));
            let limit = random.index(6);
            agree(Select::ResultsPage {
                scope,
                offset,
                limit,
            });
            let count = u32::try_from(random.index(4)).unwrap();
            agree(Select::Starts {
                scope,
                first: index,
                count,
            });
            let [expected, found] = stores.map(|store| store.results(run, scope).unwrap());
            assert_eq!(found, expected, "{scope}");
        }
    }
    assert!(next[0] > 300 && next[1] > 300, "{next:?}");
    // The new run reuses the key of a deleted run.
    disk.delete("s").unwrap();
    disk.create(&header("t", 1)).unwrap();
    let other = record(0, "loop", completed("other"));
    disk.append("t", std::slice::from_ref(&other)).unwrap();
    assert_eq!(disk.read("t", Select::Path("loop")).unwrap(), [other]);
    assert_eq!(disk.results("t", "loop").unwrap(), 0);

    // A person who inspects the file sees one row per record.
    let all = disk.read("r", Select::All).unwrap();
    drop(disk);
    let store = Connection::open(&path).unwrap();
    let mut rows = store
        .prepare("SELECT place, at, path, node_id, payload FROM records JOIN runs ON id = run WHERE run_id = 'r' ORDER BY place")
        .unwrap();
    let rows: Vec<(i64, i64, String, Option<String>, String)> = rows
        .query_map([], |row| {
            Ok((
                row.get(0)?,
                row.get(1)?,
                row.get(2)?,
                row.get(3)?,
                row.get(4)?,
            ))
        })
        .unwrap()
        .map(Result::unwrap)
        .collect();
    assert_eq!(rows.len(), all.len());
    for (row, record) in rows.iter().zip(&all) {
        let head = (row.0 & 0xffff_ffff, row.1, &row.2, row.3.as_deref());
        let seq = i64::try_from(record.seq).unwrap();
        assert_eq!(
            head,
            (seq, record.at, &record.path, record.node_id.as_deref())
        );
        assert!(serde_json::from_str::<Value>(&row.4).unwrap().is_object());
    }
}

/// A file of the first version is migrated with everything in it, and the search finds it.
#[test]
fn brings_an_older_file_up_to_date() {
    let (_folder, path) = place();
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let old = Connection::open(&path).unwrap();
    old.execute_batch(include_str!("../../tests/version-1.sql"))
        .unwrap();
    let long = "long ".repeat(300);
    let hash = blake3::hash(long.as_bytes());
    let header = header("old", 5);
    old.execute(
        "INSERT INTO blobs (hash, content) VALUES (?1, ?2)",
        params![hash.as_bytes(), long],
    )
    .unwrap();
    old.execute(
        "INSERT INTO blob_uses (run, hash) VALUES (7, ?1)",
        [hash.as_bytes()],
    )
    .unwrap();
    let state = json!({
        "status": "completed", "duration_ms": 12, "warnings": [], "iterations": 1, "exit_reason": "stable_output", "error": null,
        "usage": { "calls": 1, "input_tokens": 2, "output_tokens": 3, "cost_microusd": 4, "unpriced_calls": 0 },
        "outputs": { "result": format!("blob:blake3:{}", hash.to_hex()) }
    });
    old.execute(
        "INSERT INTO runs VALUES (7, 'old', ?1, ?2, 5, ?3, ?4, ?5)",
        params![
            header.flow,
            header.flow_path,
            header.document.to_string(),
            header.inputs.to_string(),
            state.to_string()
        ],
    )
    .unwrap();
    let record = record(0, "n", completed("x"));
    old.execute(
        "INSERT INTO records VALUES (7, 0, ?1, 'n', 'n', 'node_completed', ?2)",
        params![record.at, serde_json::to_string(&record.entry).unwrap()],
    )
    .unwrap();
    drop(old);
    let error = SqliteJournal::open_read_only(&path).unwrap_err();
    assert!(error.to_string().contains("older Loopwright"), "{error}");
    for _ in 0..2 {
        let opened = SqliteJournal::open(&path).unwrap();
        assert_eq!(opened.notice, None);
        let journal = opened.journal;
        let (kept, state) = journal.run("old").unwrap();
        assert_eq!(kept, header);
        assert_eq!(kept.setup, RunSetup::default());
        assert_eq!(journal.list(9, 0).unwrap()[0].0, header.brief());
        assert_eq!(state.status, RunStatus::Completed);
        assert_eq!(
            state.outputs.clone().map(Value::from),
            Some(json!({ "result": long }))
        );
        assert_eq!(
            journal.read("old", Select::All).unwrap(),
            std::slice::from_ref(&record)
        );
        let found = |text: &str| {
            let filter = RunFilter {
                statuses: vec![RunStatus::Completed],
                text: text.into(),
                ..RunFilter::default()
            };
            journal.find(&filter, 9, 0).unwrap().len()
        };
        assert_eq!(
            (found("sample"), found("long long"), found("short")),
            (1, 1, 0)
        );
    }
    // A run of an older version keeps its form when it continues, and a search finds its results by one word.
    let journal = SqliteJournal::open(&path).unwrap().journal;
    let result = |index: u32| {
        let entry = Entry::Fact(Fact::IterationCompleted {
            index,
            result: Arc::new(json!(["=#0:0", "a text that is long enough to be shared"])),
            reached_exit: true,
            similarity: None,
            condition_result: None,
            score: None,
            duration_ms: 0,
            usage: Box::default(),
            status: RunStatus::Completed,
        });
        self::record(u64::from(index) + 1, "loop", entry)
    };
    journal.append("old", &[result(0), result(1)]).unwrap();
    drop(journal);
    let journal = SqliteJournal::open(&path).unwrap().journal;
    journal.append("old", &[result(2)]).unwrap();
    let results = vec![result(0), result(1), result(2)];
    assert_eq!(
        journal.read("old", Select::Results("loop")).unwrap(),
        results
    );
    assert_eq!(journal.results("old", "loop").unwrap(), 3);
    assert_eq!(journal.read("old", Select::All).unwrap()[1..], results);
}

#[test]
fn says_so_when_another_program_holds_the_file() {
    let (_folder, path) = place();
    let journal = SqliteJournal::open(&path).unwrap().journal;
    journal.create(&header("r", 1)).unwrap();
    let other = Connection::open(&path).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();

    let begun = Instant::now();
    let error = journal
        .append("r", &[record(0, "n", completed("x"))])
        .unwrap_err();
    assert!(matches!(error, JournalError::Busy(_)), "{error:?}");
    assert!(
        begun.elapsed() >= Duration::from_secs(4),
        "it waits before it gives up"
    );
    // Reading continues, and writing too, once the other program releases the lock.
    assert_eq!(journal.list(10, 0).unwrap().len(), 1);
    other.execute_batch("COMMIT").unwrap();
    journal
        .append("r", &[record(0, "n", completed("x"))])
        .unwrap();
}

#[test]
fn looks_on_while_another_writes() {
    let (_folder, path) = place();
    let error = SqliteJournal::open_read_only(&path).unwrap_err();
    assert!(error.to_string().contains("runs.sqlite"), "{error}");

    let writer = SqliteJournal::open(&path).unwrap().journal;
    writer.create(&header("r", 1)).unwrap();
    let onlooker = SqliteJournal::open_read_only(&path).unwrap();
    for seq in 0..5 {
        writer
            .append("r", &[record(seq, "n", completed(seq))])
            .unwrap();
        assert_eq!(
            onlooker.read("r", Select::All).unwrap().len() as u64,
            seq + 1
        );
    }
    let error = onlooker.delete("r").unwrap_err();
    assert!(matches!(error, JournalError::ReadOnly(_)), "{error:?}");
    assert_eq!(writer.list(10, 0).unwrap().len(), 1);
}

/// A program's knowledge of a run is valid until another program writes.
#[test]
fn two_programs_write_one_run_in_turns() {
    let (_folder, path) = place();
    let [one, other] = [0, 1].map(|_| SqliteJournal::open(&path).unwrap().journal);
    let append =
        |journal: &SqliteJournal, seq| journal.append("r", &[record(seq, "n", completed(seq))]);
    one.create(&header("r", 1)).unwrap();
    for seq in 0..6 {
        let (writer, late) = if seq % 2 == 0 {
            (&one, &other)
        } else {
            (&other, &one)
        };
        append(writer, seq).unwrap();
        let error = append(late, seq).unwrap_err();
        assert!(matches!(error, JournalError::Write(_)), "{error:?}");
    }
    assert_eq!(one.read("r", Select::All).unwrap().len(), 6);
    other.delete("r").unwrap();
    let error = append(&one, 6).unwrap_err();
    assert!(matches!(error, JournalError::NoRun(_)), "{error:?}");
    one.create(&header("r", 1)).unwrap();
    let error = append(&one, 6).unwrap_err();
    assert!(matches!(error, JournalError::Write(_)), "{error:?}");
    append(&other, 0).unwrap();
}

#[test]
fn two_programs_make_one_store() {
    let (_folder, path) = place();
    std::thread::scope(|scope| {
        for run in ["a", "b", "c", "d"] {
            let path = &path;
            scope.spawn(move || {
                let opened = SqliteJournal::open(path).unwrap();
                assert_eq!(opened.notice, None);
                opened.journal.create(&header(run, 1)).unwrap();
            });
        }
    });
    assert_eq!(
        SqliteJournal::open(&path)
            .unwrap()
            .journal
            .list(10, 0)
            .unwrap()
            .len(),
        4
    );
}

/// In a read-only folder, or on a full disk, the files that writing needs cannot be created.
#[test]
fn what_cannot_be_written_can_be_read() {
    let (_folder, path) = place();
    filled(&path, 3);
    for ending in ["-opening", "-open", "-shm"] {
        let name = format!("runs.sqlite{ending}");
        let _ = fs::remove_file(path.with_file_name(&name));
        fs::create_dir(path.with_file_name(&name)).unwrap();
    }
    let opened = SqliteJournal::open(&path).unwrap();
    let notice = opened.notice.unwrap();
    assert!(notice.contains("Past runs can be read"), "{notice}");
    let journal = opened.journal;
    assert_eq!(journal.list(10, 0).unwrap().len(), 1);
    assert_eq!(journal.read("kept", Select::All).unwrap().len(), 3);
    let error = journal.create(&header("new", 2)).unwrap_err();
    assert!(matches!(error, JournalError::ReadOnly(_)), "{error:?}");
}

#[test]
fn names_a_place_that_cannot_be_used() {
    let folder = tempfile::tempdir().unwrap();
    let error = SqliteJournal::open(folder.path()).unwrap_err();
    assert!(error.to_string().contains("is a folder"), "{error}");
    let file = folder.path().join("file");
    fs::write(&file, b"x").unwrap();
    let error = SqliteJournal::open(&file.join("runs.sqlite")).unwrap_err();
    assert!(
        error.to_string().contains(file.to_str().unwrap()),
        "{error}"
    );
}
