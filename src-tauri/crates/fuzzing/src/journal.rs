//! Checks records of runs: they are decoded, stored in both stores, displayed, and replayed into the core.

use std::sync::{Arc, LazyLock};

use loopwright_engine::{
    event::project,
    journal::{Input, Journal, Record, RunHeader, RunSetup, Select, effective, used},
    plan::{Plan, plan},
    run::{
        Plans,
        fork::{Place, fork},
        recover::recover,
        replay::replay,
    },
};
use loopwright_journal::{MemoryJournal, SqliteJournal};
use loopwright_model::file::read_str;
use serde_json::{Map, Value, json};

use crate::flows::KINDS;

const RUN: &str = "01900000-0000-7000-8000-000000000000";

/// The flows whose recorded runs are the seeds.
const FLOWS: &[&str] = &[
    include_str!("../flows/loop.json"),
    include_str!("../flows/list.json"),
    include_str!("../flows/approval.json"),
    include_str!("../flows/subflow.json"),
    include_str!("../flows/delay.json"),
    include_str!("../flows/budget.json"),
];

static PLANS: LazyLock<Vec<Arc<Plan>>> = LazyLock::new(|| {
    let planned = |text: &&str| {
        let flow = read_str(text).expect("a flow of ours can be read");
        Arc::new(plan(&flow, &KINDS).expect("a flow of ours can be planned"))
    };
    FLOWS.iter().map(planned).collect()
});

/// A store on disk for the whole process. The records of each case are deleted after use.
struct Disk {
    journal: SqliteJournal,
    _folder: tempfile::TempDir,
}

static DISK: LazyLock<Disk> = LazyLock::new(|| {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let opened = SqliteJournal::open(&folder.path().join("runs.db")).expect("a store can be made");
    Disk {
        journal: opened.journal,
        _folder: folder,
    }
});

/// Checks `data`, which has one record per line, as in the store.
pub(crate) fn records(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    let mut records: Vec<Record> = text.lines().filter_map(decoded).collect();
    for record in &records {
        let _ = project(RUN, record);
    }
    let _ = used(effective(&records, false));
    let _ = used(effective(&records, true));
    rebuilt(&records);
    for (seq, record) in (0..).zip(&mut records) {
        record.seq = seq;
    }
    rebuilt(&records);
    if !records.is_empty() {
        kept(&records);
    }
}

/// Decodes a record, and checks that it encodes to the same text each time. Returns `None` for a line that is not a record.
fn decoded(line: &str) -> Option<Record> {
    let record: Record = serde_json::from_str(line).ok()?;
    let encoded = serde_json::to_string(&record).expect("a record can be encoded");
    let again: Record =
        serde_json::from_str(&encoded).unwrap_or_else(|error| panic!("{error}: {encoded}"));
    assert_eq!(
        record, again,
        "a record changed when it was encoded and decoded: {encoded}"
    );
    let twice = serde_json::to_string(&again).expect("a record can be encoded");
    assert_eq!(encoded, twice);
    Some(record)
}

/// Replays the records into the core with each of the flows. A journal that does not match a flow must be rejected.
fn rebuilt(records: &[Record]) {
    for plan in PLANS.iter() {
        let plans = Plans::from(Arc::clone(plan));
        let inputs = inputs(records);
        for reopened in [false, true] {
            if let Ok(recovered) = recover(&plans, inputs.clone(), records, reopened) {
                assert!(recovered.executions.len() <= records.len() + plan.nodes.len());
            }
        }
        let mut events = 0_usize;
        let done = replay(&plans, RUN, inputs.clone(), records, |_| events += 1);
        assert!(events <= records.len());
        if let Err(error) = done {
            assert!(!error.message.is_empty());
        }
        let after = plans.clone().then(Arc::clone(plan));
        for record in records.iter().rev().take(3) {
            let place = Place {
                parent: RUN.to_owned(),
                at: record.path.clone(),
                beyond: false,
                given: None,
                now: record.at,
            };
            let _ = fork(&plans, &after, &inputs, records, &place);
        }
    }
}

/// Returns the inputs that the run recorded at its start.
fn inputs(records: &[Record]) -> Map<String, Value> {
    let first = records.first().map(|record| &record.entry);
    match first {
        Some(loopwright_engine::journal::Entry::Input(Input::RunStarted { inputs, .. })) => {
            let shared = |(name, value): (&str, &Arc<Value>)| (name.to_owned(), (**value).clone());
            inputs.iter().map(shared).collect()
        }
        _ => Map::new(),
    }
}

/// Checks that both stores return what was stored, for every query.
fn kept(records: &[Record]) {
    let memory = MemoryJournal::new();
    let disk = &DISK.journal;
    let header = RunHeader {
        run_id: RUN.to_owned(),
        flow: "fuzzed".to_owned(),
        flow_path: None,
        document: json!({ "nodes": [], "edges": [] }),
        inputs: json!({}),
        started_at: 0,
        setup: RunSetup::default(),
    };
    memory.create(&header).expect("memory keeps a run");
    memory.append(RUN, records).expect("memory keeps records");
    disk.create(&header).expect("the disk keeps a run");
    let kept = disk.append(RUN, records);
    if kept.is_ok() {
        let all = disk.read(RUN, Select::All).expect("what was kept is read");
        assert_eq!(all, records, "the disk gives back others");
        for select in selects(records) {
            let of_memory = memory.read(RUN, select).expect("memory reads");
            let of_disk = disk.read(RUN, select).expect("the disk reads");
            assert_eq!(of_memory, of_disk, "{select:?}");
        }
    }
    disk.delete(RUN).expect("a run can be deleted");
    if let Err(error) = kept {
        panic!("the disk does not keep what memory keeps: {error}");
    }
}

fn selects(records: &[Record]) -> Vec<Select<'_>> {
    let mut selects = vec![Select::Outline];
    for record in records.iter().rev().take(4) {
        let path = record.path.as_str();
        let (scope, index) = match path.rsplit_once('[') {
            Some((scope, index)) => (
                scope,
                index
                    .trim_end_matches(']')
                    .parse::<u32>()
                    .unwrap_or(1)
                    .saturating_sub(1),
            ),
            None => (path, 0),
        };
        selects.extend([
            Select::Path(path),
            Select::Iteration { scope, index },
            Select::Results(scope),
            Select::ResultsPage {
                scope,
                offset: 1,
                limit: 2,
            },
            Select::Starts {
                scope,
                first: index,
                count: 2,
            },
        ]);
    }
    selects
}
