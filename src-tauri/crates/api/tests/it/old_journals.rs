//! Journals of earlier versions are read, replayed and resumed. `journals/N/NAME.jsonl` has the records that a program with
//! compatibility number N wrote for the case `flows/NAME`.

#![allow(clippy::unwrap_used)]

use crate::support;

use std::{fs, path::Path, sync::Arc};

use loopwright_engine::{
    RunStatus,
    journal::{COMPAT, Entry, Input, Journal, Record, Select},
    plan::Plan,
    run::{Plans, replay::replay},
};
use loopwright_journal::SqliteJournal;

use support::{
    BUILT_IN, Tokio,
    case::{Case, Checked, cases, read},
    leave,
    resumed::holds,
    sound::{ended, summary},
};

/// The maximum number of records in a journal after which a run is resumed. In a short journal, the run is resumed
/// after every record.
const PREFIXES: usize = 40;

/// Returns the cases of one compatibility number with their plans and records.
fn journals(compat: u32) -> Vec<(String, Case, Arc<Plan>, Vec<Record>)> {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let mut files: Vec<_> = fs::read_dir(tests.join(format!("journals/{compat}")))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    files
        .into_iter()
        .map(|file| {
            let name = file.file_stem().unwrap().to_string_lossy().into_owned();
            let case = read(&cases().join(&name), Some(BUILT_IN)).unwrap();
            let Checked::Planned(plan) = case.check(&loopwright_nodes::all()) else {
                panic!("{name} has no plan");
            };
            let text = fs::read_to_string(&file).unwrap();
            let records = text
                .lines()
                .map(|line| {
                    serde_json::from_str(line).unwrap_or_else(|error| panic!("{name}: {error}"))
                })
                .collect();
            (name, case, plan, records)
        })
        .collect()
}

/// Writes the journals of the current compatibility number. This must be done before the number is raised.
fn write_journals() {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let folder = tests.join(format!("journals/{COMPAT}"));
    fs::create_dir_all(&folder).unwrap();
    for (name, case, plan, _) in journals(1) {
        let remembered = case.remembered(&Tokio::new(), &plan);
        let lines: Vec<String> = (remembered.whole.records.iter())
            .map(|record| serde_json::to_string(record).unwrap() + "\n")
            .collect();
        fs::write(folder.join(format!("{name}.jsonl")), lines.concat()).unwrap();
    }
}

/// The folder contains journals for every compatibility number so far. If `LOOPWRIGHT_UPDATE` is set, the journals of the
/// current number are written first.
#[test]
fn there_are_journals_of_every_earlier_compatibility() {
    if std::env::var_os("LOOPWRIGHT_UPDATE").is_some() {
        write_journals();
    }
    for compat in 1..COMPAT {
        let journals = journals(compat);
        assert!(journals.len() >= 50, "{} of {compat}", journals.len());
        for (name, _, _, records) in journals {
            let Entry::Input(Input::RunStarted { compat: found, .. }) = records[0].entry else {
                panic!("{name} does not begin with its start");
            };
            assert_eq!(found, compat, "{name}");
        }
    }
}

#[test]
fn an_old_journal_is_kept_by_the_store_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    for compat in 1..COMPAT {
        for (name, _, plan, records) in journals(compat) {
            let file = folder.path().join(format!("{name}-{compat}.db"));
            let store = SqliteJournal::open(&file).unwrap().journal;
            leave(&store, &plan, &records);
            assert_eq!(store.read("run", Select::All).unwrap(), records, "{name}");
        }
    }
}

#[test]
fn an_old_journal_replays_to_the_last_value() {
    for (name, case, plan, records) in (1..COMPAT).flat_map(journals) {
        let mut events = 0;
        replay(
            &Plans::from(plan),
            "run",
            case.run.inputs.clone(),
            &records,
            |_| events += 1,
        )
        .unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(events > 1, "{name}");
    }
}

/// Returns a summary without the failed attempts before the last one, because earlier programs did not record them.
fn without_tries(summary: &str) -> String {
    let lines = summary.lines();
    let shortened = lines.map(|line| line.split(" It was tried ").next().unwrap_or_default());
    shortened.collect::<Vec<_>>().join("\n")
}

/// A run continues from an old journal that was cut off after any record. It has the result that the current program
/// produces, and no recorded call is repeated.
#[test]
fn an_old_journal_resumes_wherever_it_ends() {
    for (name, case, plan, records) in (1..COMPAT).flat_map(journals) {
        let remembered = case.remembered(&Tokio::new(), &plan);
        for length in (1..records.len()).step_by(records.len() / PREFIXES + 1) {
            let beginning = &records[..length];
            let at = format!("{name} behind record {length} of {}", records.len());
            if case.run.order_matters {
                let host = Tokio::new();
                let (done, calls) =
                    case.resume_otherwise(&host, &plan, beginning, &remembered.asked);
                holds(&plan, beginning, done, calls).unwrap_or_else(|why| panic!("{at}: {why}"));
                continue;
            }
            let host = Tokio::new();
            let (done, counts) = case.resume(&host, &plan, beginning, &remembered.answered);
            assert_eq!(counts, (0, 0), "{at}: calls made twice, and not made");
            if done.state.status != RunStatus::Waiting {
                ended(&done.records).unwrap_or_else(|why| panic!("{at}: {why}"));
            }
            let of = |run| without_tries(&summary(run));
            assert_eq!(of(&remembered.whole), of(&done), "{at}");
        }
    }
}

#[test]
fn a_journal_of_a_later_program_is_refused_in_words() {
    let (_, case, plan, mut records) = journals(1).swap_remove(0);
    if let Entry::Input(Input::RunStarted { compat, .. }) = &mut records[0].entry {
        *compat = COMPAT + 1;
    }
    let inputs = case.run.inputs.clone();
    let error = replay(&Plans::from(plan), "run", inputs, &records, |_| {}).unwrap_err();
    assert_eq!(error.code, "journal_newer");
    assert!(error.message.contains("update Loopwright"), "{error}");
}
