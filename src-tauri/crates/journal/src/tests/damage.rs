//! Damages a store with one change at a time: a flipped bit or a cut, in the store or in the log of a killed program. A
//! later read returns the written data or an error, or the loss is reported when the store is opened. It never returns wrong
//! data, and no run disappears silently.
//!
//! By default, the test tries some changes; with `LOOPWRIGHT_TORTURE=all`, it tries five hundred. `LOOPWRIGHT_SEED` sets the
//! seed.
#![allow(clippy::unwrap_used, unreachable_pub, dead_code)]

use std::{
    collections::BTreeMap,
    env, fs,
    path::{Path, PathBuf},
};

use loopwright_engine::{
    RunStatus,
    journal::{
        COMPAT, Entry, Input, Journal, JournalError, Record, RunFilter, RunHeader, RunState, Select,
    },
};
use serde_json::json;

use super::suite::{Random, completed, header, iteration_result, named, record};
use crate::SqliteJournal;

const RUNS: usize = 6;

fn state(status: RunStatus, number: usize) -> RunState {
    RunState {
        status,
        duration_ms: Some(1_000 + number as u64),
        usage: Default::default(),
        warnings: Vec::new(),
        iterations: Some(3),
        exit_reason: None,
        error: None,
        outputs: Some(named(
            json!({ "result": format!("the result of {number}") }),
        )),
        budget: None,
        over_budget: false,
        ..RunState::default()
    }
}

fn id(number: usize) -> String {
    format!("0190000{number}-0000-7000-8000-000000000000")
}

/// Writes one run with steps in three iterations and some long strings.
fn write(journal: &SqliteJournal, number: usize) {
    let run = id(number);
    let header = RunHeader {
        flow: format!("Flow {number}"),
        inputs: json!({ "text": format!("what run {number} was given") }),
        ..header(&run, 1_700_000_000_000 + number as i64)
    };
    journal.create(&header).unwrap();
    let begin = Entry::Input(Input::RunStarted {
        name: header.flow.clone(),
        inputs: named(header.inputs.clone()),
        compat: COMPAT,
    });
    let mut records = vec![record(0, "", begin)];
    for iteration in 1..=3 {
        for step in ["draft", "critique"] {
            let long = format!("{number} {iteration} {step} ").repeat(if step == "draft" {
                120
            } else {
                3
            });
            let path = format!("refine[{iteration}]/{step}");
            records.push(record(records.len() as u64, &path, completed(long)));
        }
        let result = iteration_result(iteration - 1, format!("result {iteration} of {number}"));
        records.push(record(records.len() as u64, "refine", result));
    }
    for batch in records.chunks(4) {
        journal.append(&run, batch).unwrap();
    }
    journal
        .set_state(&run, &state(RunStatus::Completed, number))
        .unwrap();
}

/// Creates a folder with a store: half of its runs in the file, the others in a log, as a killed program leaves them.
fn store(folder: &Path) -> PathBuf {
    let path = folder.join("whole").join("runs.db");
    let journal = SqliteJournal::open(&path).unwrap().journal;
    for number in 0..RUNS / 2 {
        write(&journal, number);
    }
    drop(journal);
    let journal = SqliteJournal::open(&path).unwrap().journal;
    for number in RUNS / 2..RUNS {
        write(&journal, number);
    }
    let kept = folder.join("killed");
    fs::create_dir(&kept).unwrap();
    for name in ["runs.db", "runs.db-wal", "runs.db-marks"] {
        fs::copy(path.with_file_name(name), kept.join(name)).unwrap();
    }
    kept
}

type Run = (RunHeader, RunState, BTreeMap<String, Vec<Record>>);

/// Returns everything that can be read of a run, by selection.
fn read(journal: &SqliteJournal, run: &str) -> Result<Run, JournalError> {
    let (header, state) = journal.run(run)?;
    let mut records = BTreeMap::new();
    let selections = [
        ("all", Select::All),
        ("outline", Select::Outline),
        ("results", Select::Results("refine")),
        ("step", Select::Path("refine[2]/draft")),
        (
            "iteration",
            Select::Iteration {
                scope: "refine",
                index: 2,
            },
        ),
    ];
    for (name, select) in selections {
        records.insert(name.to_owned(), journal.read(run, select)?);
    }
    Ok((header, state, records))
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
    }
}

#[derive(Debug, Default)]
struct Figures {
    untouched: usize,
    refused: usize,
    said: usize,
    set_aside: usize,
}

/// Checks the store after a change. `change` is the name of the change in messages.
fn look(folder: &Path, whole: &BTreeMap<String, Run>, change: &str, figures: &mut Figures) {
    let opened = SqliteJournal::open(&folder.join("runs.db"))
        .unwrap_or_else(|error| panic!("{change}: {error}"));
    let notice = opened.notice.unwrap_or_default();
    let journal = opened.journal;
    if notice.contains("was kept as") && notice.contains("a new store was created") {
        figures.set_aside += 1;
        return;
    }
    let listed = journal.find(&RunFilter::default(), 99, 0).unwrap();
    let mut refused = false;
    for (run, written) in whole {
        match read(&journal, run) {
            Ok(found) => {
                if found == *written {
                    let entry = listed.iter().find(|(brief, _)| brief.run_id == *run);
                    let (brief, state) =
                        entry.unwrap_or_else(|| panic!("{change}: {run} is not listed"));
                    assert_eq!(*brief, written.0.brief(), "{change}");
                    assert_eq!(state.status, written.1.status, "{change}");
                    continue;
                }
                // A run whose end was lost with the log is shown without it, and the notice reports this.
                assert!(
                    notice.contains(run),
                    "{change}: {run} is shown otherwise than it was written. {notice}"
                );
                let (now, was) = (&found.2["all"], &written.2["all"]);
                assert_eq!(now[..], was[..now.len()], "{change}: {run}");
            }
            Err(JournalError::NoRun(_)) => {
                assert!(
                    notice.contains(run),
                    "{change}: {run} is gone without a word. {notice}"
                );
            }
            Err(JournalError::DamagedRun { run_id, what }) => {
                assert_eq!(run_id, *run);
                assert!(!what.is_empty());
                refused = true;
            }
            Err(JournalError::Damaged(_)) => refused = true,
            Err(error) => panic!("{change}: {run}: {error:?}"),
        }
        refused = refused || !notice.is_empty();
    }
    match (notice.is_empty(), refused) {
        (true, false) => figures.untouched += 1,
        (true, true) => figures.refused += 1,
        (false, _) => figures.said += 1,
    }
}

#[test]
fn no_change_of_a_bit_or_a_length_is_taken_for_what_was_written() {
    let folder = tempfile::tempdir().unwrap();
    let killed = store(folder.path());
    let scratch = folder.path().join("scratch");
    copy(&killed, &scratch);
    let opened = SqliteJournal::open(&scratch.join("runs.db")).unwrap();
    assert_eq!(opened.notice, None, "a kill is no damage");
    let whole: BTreeMap<String, Run> = (0..RUNS)
        .map(|number| (id(number), read(&opened.journal, &id(number)).unwrap()))
        .collect();
    drop(opened);
    // The same store after the program ended normally: the store is one file.
    let closed = folder.path().join("closed");
    copy(&scratch, &closed);

    let changes = match env::var("LOOPWRIGHT_TORTURE") {
        Ok(all) if all == "all" => 500,
        _ => 120,
    };
    let seed = env::var("LOOPWRIGHT_SEED")
        .ok()
        .and_then(|seed| seed.parse().ok());
    let mut random = Random(seed.unwrap_or(0x5eed_1e55_c0ff_ee11));
    let mut figures = Figures::default();
    for number in 0..changes {
        let (from, name) = match number % 5 {
            0 | 1 => (&closed, "runs.db"),
            2 => (&killed, "runs.db"),
            _ => (&killed, "runs.db-wal"),
        };
        fs::remove_dir_all(&scratch).unwrap();
        copy(from, &scratch);
        let file = scratch.join(name);
        let mut bytes = fs::read(&file).unwrap();
        let length = bytes.len() as u64;
        let change = if random.below(8) == 0 {
            let end = random.below(length);
            bytes.truncate(usize::try_from(end).unwrap());
            format!("change {number}: {name} cut to {end} of {length} bytes")
        } else {
            let bit = random.below(length * 8);
            bytes[usize::try_from(bit / 8).unwrap()] ^= 1 << (bit % 8);
            format!(
                "change {number}: bit {} of byte {} of {name} flipped",
                bit % 8,
                bit / 8
            )
        };
        fs::write(&file, &bytes).unwrap();
        look(&scratch, &whole, &change, &mut figures);
    }
    println!("{changes} changes: {figures:?}");
    assert!(figures.untouched < changes);
}

fn notice(folder: &Path) -> String {
    let path = folder.join("runs.db");
    SqliteJournal::open(&path)
        .unwrap()
        .notice
        .unwrap_or_default()
}

#[test]
fn a_missing_or_cut_log_is_reported_until_the_runs_are_deleted() {
    let folder = tempfile::tempdir().unwrap();
    let killed = store(folder.path());
    fs::remove_file(killed.join("runs.db-wal")).unwrap();
    for _ in 0..2 {
        let notice = notice(&killed);
        assert!(notice.starts_with("3 runs are missing"), "{notice}");
        for number in 3..6 {
            assert!(notice.contains(&id(number)), "{notice}");
        }
        assert!(
            notice.contains("\"Flow 5\", started 2023-11-14T"),
            "{notice}"
        );
    }
    let journal = SqliteJournal::open(&killed.join("runs.db"))
        .unwrap()
        .journal;
    assert_eq!(journal.missing().len(), 3);
    journal.delete(&id(3)).unwrap();
    assert_eq!(journal.forget_missing().unwrap(), 2);
    drop(journal);
    assert_eq!(notice(&killed), "");

    // In this store, only the beginning of a run is left.
    let short = folder.path().join("short");
    copy(&folder.path().join("whole"), &short);
    let journal = SqliteJournal::open(&short.join("runs.db")).unwrap().journal;
    journal
        .append(&id(5), &[record(10, "n", completed("x"))])
        .unwrap();
    let log = fs::read(short.join("runs.db-wal")).unwrap();
    let marks = fs::read(short.join("runs.db-marks")).unwrap();
    drop(journal);
    drop(log);
    let cut = folder.path().join("cut");
    copy(&folder.path().join("whole"), &cut);
    fs::write(cut.join("runs.db-marks"), marks).unwrap();
    let notice = notice(&cut);
    assert!(
        notice.contains("The last 1 of 11 records of run"),
        "{notice}"
    );
}

#[test]
fn a_log_without_its_file_is_kept_and_the_runs_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let killed = store(folder.path());
    let log = fs::read(killed.join("runs.db-wal")).unwrap();
    fs::remove_file(killed.join("runs.db")).unwrap();
    let first = notice(&killed);
    assert!(
        first.contains("its write-ahead log was still there"),
        "{first}"
    );
    assert!(first.contains("6 runs are missing"), "{first}");
    assert_eq!(fs::read(killed.join("runs.db.damaged-1-wal")).unwrap(), log);
    // The loss is reported again, and later data is stored next to the kept log.
    let journal = SqliteJournal::open(&killed.join("runs.db"))
        .unwrap()
        .journal;
    write(&journal, 7);
    drop(journal);
    let again = notice(&killed);
    assert!(again.starts_with("6 runs are missing"), "{again}");
}

#[test]
fn the_log_of_another_store_is_not_taken_in() {
    let folder = tempfile::tempdir().unwrap();
    let killed = store(folder.path());
    let other = folder.path().join("other");
    let journal = SqliteJournal::open(&other.join("runs.db")).unwrap().journal;
    for number in 0..3 {
        journal
            .create(&header(&format!("other{number}"), 5))
            .unwrap();
    }
    fs::copy(other.join("runs.db-wal"), killed.join("runs.db-wal")).unwrap();
    drop(journal);
    let notice = notice(&killed);
    assert!(notice.contains("does not belong to it"), "{notice}");
    assert!(notice.contains("3 runs are missing"), "{notice}");
    assert!(killed.join("runs.db-wal.damaged-1").exists());
    let journal = SqliteJournal::open(&killed.join("runs.db"))
        .unwrap()
        .journal;
    assert_eq!(journal.find(&RunFilter::default(), 99, 0).unwrap().len(), 3);
    assert!(read(&journal, &id(1)).is_ok());
}

#[test]
fn a_clean_end_leaves_one_file_that_is_a_whole_backup() {
    let folder = tempfile::tempdir().unwrap();
    store(folder.path());
    let whole = folder.path().join("whole");
    assert!(!whole.join("runs.db-wal").exists());
    let backup = folder.path().join("backup");
    fs::create_dir(&backup).unwrap();
    fs::copy(whole.join("runs.db"), backup.join("runs.db")).unwrap();
    let opened = SqliteJournal::open(&backup.join("runs.db")).unwrap();
    assert_eq!(opened.notice, None);
    assert_eq!(
        opened
            .journal
            .find(&RunFilter::default(), 99, 0)
            .unwrap()
            .len(),
        RUNS
    );
}

/// Another program starts and ends, reads and deletes, while this one writes. None of this counts as a loss.
#[test]
fn two_programs_at_once_raise_no_false_alarm() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("runs.db");
    let journal = SqliteJournal::open(&path).unwrap().journal;
    std::thread::scope(|scope| {
        let path = &path;
        let writer = scope.spawn(|| {
            for number in 0..9 {
                write(&journal, number);
                if number % 3 == 2 {
                    journal.delete(&id(number - 1)).unwrap();
                }
            }
        });
        scope.spawn(move || {
            while !writer.is_finished() {
                let opened = SqliteJournal::open(path).unwrap();
                assert_eq!(opened.notice, None);
            }
        });
    });
    drop(journal);
    let opened = SqliteJournal::open(&path).unwrap();
    assert_eq!(opened.notice, None);
    assert_eq!(
        opened
            .journal
            .find(&RunFilter::default(), 99, 0)
            .unwrap()
            .len(),
        6
    );
}

#[test]
fn a_damaged_run_is_listed_as_such_and_can_be_deleted() {
    let folder = tempfile::tempdir().unwrap();
    store(folder.path());
    let path = folder.path().join("whole").join("runs.db");
    let bytes = fs::read(&path).unwrap();
    let changed = |from: &str, to: &str| {
        let mut bytes = bytes.clone();
        let places: Vec<usize> = bytes
            .windows(from.len())
            .enumerate()
            .filter(|(_, found)| *found == from.as_bytes())
            .map(|(at, _)| at)
            .collect();
        assert!(!places.is_empty(), "{from}");
        for at in places {
            bytes[at..at + from.len()].copy_from_slice(to.as_bytes());
        }
        fs::write(&path, bytes).unwrap();
        SqliteJournal::open(&path).unwrap()
    };
    // The changes are in a stored string, in a record, in the flow's inputs, and in the row that lists the run.
    for (from, to) in [
        ("2 2 draft 2 2 draft", "9 2 draft 2 2 draft"),
        ("2 2 critique 2 2", "9 2 critique 2 2"),
        ("what run 2 was given", "what run 9 was given"),
        ("\"duration_ms\":1002", "\"duration_ms\":9002"),
    ] {
        let opened = changed(from, to);
        let journal = opened.journal;
        let error = read(&journal, &id(2)).unwrap_err();
        let JournalError::DamagedRun { run_id, what } = error else {
            panic!("{from}: {error:?}");
        };
        assert_eq!(run_id, id(2));
        assert!(what.contains("not match"), "{what}");
        assert!(
            !from.contains("critique") || what.contains("record 5 of `refine[2]/critique`"),
            "{what}"
        );
        assert!(read(&journal, &id(1)).is_ok(), "{from}");
        let listed = journal.find(&RunFilter::default(), 99, 0).unwrap();
        assert_eq!(listed.len(), RUNS, "{from}");
        let in_list = from.starts_with('"');
        let damaged = listed
            .iter()
            .filter(|(brief, _)| brief.damage.is_some())
            .count();
        assert_eq!(damaged, usize::from(in_list), "{from}");
        assert_eq!(
            opened
                .notice
                .is_some_and(|notice| notice.contains("is damaged")),
            in_list
        );
        journal.delete(&id(2)).unwrap();
        assert_eq!(
            journal.find(&RunFilter::default(), 99, 0).unwrap().len(),
            RUNS - 1
        );
    }
}

#[cfg(unix)]
/// SQLite reads such a table with a renamed column, and rejects every statement that names the column.
#[test]
fn a_damaged_description_of_a_table_sets_the_store_aside() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("runs.db");
    let journal = SqliteJournal::open(&path).unwrap().journal;
    write(&journal, 0);
    journal.finish().unwrap();
    drop(journal);
    let mut bytes = fs::read(&path).unwrap();
    let name = b"duration_ms";
    let places = bytes.windows(name.len()).enumerate();
    let places: Vec<usize> = places
        .filter_map(|(at, found)| (found == name).then_some(at))
        .collect();
    assert!(!places.is_empty());
    for at in places {
        bytes[at] ^= 1;
    }
    fs::write(&path, bytes).unwrap();
    let opened = SqliteJournal::open(&path).unwrap();
    let notice = opened.notice.unwrap();
    assert!(notice.contains("was kept as"), "{notice}");
    assert!(notice.contains("a new store was created"), "{notice}");
    assert!(
        opened
            .journal
            .find(&RunFilter::default(), 9, 0)
            .unwrap()
            .is_empty()
    );
}

#[test]
fn what_is_made_is_the_owners_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let journal = SqliteJournal::open(&data.join("runs.db")).unwrap().journal;
    write(&journal, 1);
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&data), 0o700);
    for entry in fs::read_dir(&data).unwrap() {
        let path = entry.unwrap().path();
        assert_eq!(mode(&path), 0o600, "{}", path.display());
    }
}

/// Damage to the text index loses no run: the index is rebuilt from the runs, and this is reported.
#[test]
fn a_damaged_index_of_the_search_is_rebuilt() {
    let folder = tempfile::tempdir().unwrap();
    store(folder.path());
    let whole = folder.path().join("whole");
    let scratch = folder.path().join("scratch");
    let changes = [
        "UPDATE run_texts_data SET block = X'00112233' WHERE id = (SELECT max(id) FROM run_texts_data)",
        "UPDATE run_texts_data SET block = X'00112233' WHERE id = (SELECT min(id) FROM run_texts_data)",
        "UPDATE run_texts_data SET block = X''",
        "UPDATE run_texts_data SET block = zeroblob(length(block))",
        "UPDATE run_texts_data SET block = zeroblob(200000) WHERE id = 10",
        "UPDATE run_texts_data SET block = X'FFFFFFFFFFFFFFFFFF' WHERE id = 1",
        "UPDATE run_texts_data SET block = 'text', id = id + 7 WHERE id > 100",
        "DELETE FROM run_texts_data WHERE id > 100",
        "DELETE FROM run_texts_data",
        "DELETE FROM run_texts_idx",
        "DELETE FROM run_texts_docsize",
        "UPDATE run_texts_docsize SET sz = X'FF'",
        "UPDATE run_texts_config SET v = 99",
        "DELETE FROM run_texts_config",
    ];
    let pages =
        "SELECT rootpage FROM sqlite_master WHERE tbl_name LIKE 'run_texts%' AND rootpage > 0";
    let roots: Vec<usize> = {
        let connection = rusqlite::Connection::open(whole.join("runs.db")).unwrap();
        let mut statement = connection.prepare(pages).unwrap();
        let roots = statement.query_map([], |row| row.get::<_, u32>(0)).unwrap();
        roots.map(|root| root.unwrap() as usize).collect()
    };
    let mut random = Random(0x0bad_5eed);
    let flips = (0..60).map(|_| {
        let root = roots[random.index(roots.len())];
        (
            (root - 1) * 4096 + random.index(4096),
            1_u8 << random.below(8),
        )
    });
    let cases = changes
        .map(|sql| (sql.to_owned(), None))
        .into_iter()
        .chain(flips.map(|flip| (format!("{flip:?}"), Some(flip))));
    let mut rebuilt = 0;
    for (change, flip) in cases {
        let _ = fs::remove_dir_all(&scratch);
        copy(&whole, &scratch);
        let path = scratch.join("runs.db");
        match flip {
            None => {
                let connection = rusqlite::Connection::open(&path).unwrap();
                connection.execute_batch(&change).unwrap();
                connection
                    .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
                    .unwrap();
            }
            Some((at, bit)) => {
                let mut bytes = fs::read(&path).unwrap();
                bytes[at] ^= bit;
                fs::write(&path, bytes).unwrap();
            }
        }
        let mut was_rebuilt = false;
        for attempt in 0..2 {
            let opened = SqliteJournal::open(&path).unwrap();
            let notice = opened.notice.unwrap_or_default();
            assert!(!notice.contains("was kept as"), "{change}: {notice}");
            if attempt == 0 {
                was_rebuilt = notice.contains("has been rebuilt from the runs");
                rebuilt += usize::from(was_rebuilt);
            } else {
                assert_eq!(notice, "", "{change}");
            }
            for number in 0..RUNS {
                assert!(read(&opened.journal, &id(number)).is_ok(), "{change}");
                let text = format!("run {number} was given");
                let found = opened.journal.find(
                    &RunFilter {
                        text,
                        ..RunFilter::default()
                    },
                    9,
                    0,
                );
                // Undetected damage changes nothing, or the search finds fewer runs.
                if was_rebuilt {
                    assert_eq!(found.unwrap().len(), 1, "{change}");
                }
            }
            if was_rebuilt && attempt == 0 {
                write(&opened.journal, 7);
            }
        }
    }
    assert!(rebuilt >= 4, "{rebuilt}");
}
