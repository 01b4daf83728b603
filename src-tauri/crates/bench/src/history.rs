//! Measures the cost of viewing a long history: a list of ten thousand runs, and a run of a thousand iterations.

use std::{hint::black_box, path::Path, sync::Arc, time::SystemTime};

use loopwright_engine::{
    ExitReason, Outcome, RunStatus,
    event::project,
    journal::{
        Completed, Entry, Fact, Input, Journal, Record, RunFilter, RunHeader, RunSetup, RunState,
        Select,
    },
};
use loopwright_journal::SqliteJournal;
use serde_json::{Value, json};

use crate::{fastest, line, loop_document, loop_flow, micros, planned, run, run_at};

/// The number of runs in the generated store.
const RUNS: u32 = 10_000;

/// The target for the time to show the list of runs, in milliseconds. Users perceive such a response as instant.
const LIST: f64 = 200.0;
/// The target for the time to show one run, in milliseconds.
const OPEN: f64 = 300.0;

/// The time between the starts of two successive runs in the generated store, in milliseconds.
const APART: i64 = 600_000;

/// Writes a store with many runs, to be viewed in the window. Its newest run has 1,000 iterations, and the 10,000 runs before
/// it have five each.
///
/// # Panics
/// Panics if `file` cannot be written.
pub fn write(file: &Path) {
    let now = SystemTime::now()
        .duration_since(SystemTime::UNIX_EPOCH)
        .map_or(0, |since| since.as_millis());
    let now = i64::try_from(now).unwrap_or(i64::MAX);
    let journal = SqliteJournal::open(file).expect("a store").journal;
    for number in 0..RUNS {
        add(&journal, number, now - i64::from(RUNS - number) * APART);
    }
    let long = loop_document(1_000, 3, "llm");
    let id = "ffffffff-0000-7000-8000-000000000000";
    let plan = planned(&loop_flow(1_000, 3, "llm"));
    run_at(&plan, id, Arc::new(journal), &long, now);
}

pub fn measure() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let journal = SqliteJournal::open(&folder.path().join("runs.db"))
        .expect("a store")
        .journal;
    for number in 0..RUNS {
        add(&journal, number, i64::from(number) * 1_000);
    }
    let plan = planned(&loop_flow(1_000, 3, "llm"));
    let journal: Arc<dyn Journal> = Arc::new(journal);
    run(&plan, "long", Arc::clone(&journal));
    let size = journal.size().expect("a size");
    println!(
        "\n{} runs, {} MB; {} MB on disk",
        size.runs,
        size.used / 1_000_000,
        size.on_disk / 1_000_000
    );

    let page = |filter: &RunFilter, offset: usize| {
        let found = journal.find(filter, 50, offset).expect("a page");
        let tally = journal.tally(filter).expect("a tally");
        black_box((found, tally));
    };
    let all = RunFilter::default();
    let text = |text: &str| RunFilter {
        text: text.to_owned(),
        ..RunFilter::default()
    };
    let some = RunFilter {
        statuses: vec![RunStatus::Failed],
        flow: Some("Flow 3".to_owned()),
        since: Some(i64::from(RUNS) * 500),
        ..RunFilter::default()
    };
    let lists: [(&str, &RunFilter, usize); 6] = [
        ("the first 50 runs, with the totals of all runs", &all, 0),
        ("the last 50 runs", &all, 9_900),
        ("50 failed runs of one flow since a given time", &some, 0),
        (
            "50 runs with a word that occurs in one run",
            &text("topic4711x"),
            0,
        ),
        (
            "50 runs with a word that occurs in all runs",
            &text("seldom"),
            0,
        ),
        ("50 runs with two parts of words", &text("eldo opic99"), 0),
    ];
    for (what, filter, offset) in lists {
        show(what, LIST, || page(filter, offset));
    }
    show("the names of flows, and the size", LIST, || {
        black_box((journal.flows(), journal.size()))
            .0
            .expect("names");
    });
    show(
        "a run of 1,000 iterations: flow, outline, 100 results",
        OPEN,
        || {
            let header = journal.run("long").expect("a run");
            let outline = journal.read("long", Select::Outline).expect("an outline");
            let page = Select::ResultsPage {
                scope: "refine",
                offset: 900,
                limit: 100,
            };
            let results = journal.read("long", page).expect("results");
            assert_eq!(results.len(), 100);
            black_box((header, outline, results, journal.results("long", "refine")))
                .3
                .expect("a count");
        },
    );
    show("a whole iteration of that run", OPEN, || {
        let select = Select::Iteration {
            scope: "refine",
            index: 700,
        };
        black_box(journal.read("long", select).expect("an iteration"));
    });
    show("every event of that run", OPEN, || {
        let records = journal.read("long", Select::All).expect("records");
        let events: Vec<_> = records
            .iter()
            .filter_map(|record| project("long", record))
            .collect();
        black_box(events);
    });
}

fn show(what: &str, aim: f64, work: impl FnMut()) {
    let millis = micros(fastest(5, work)) / 1000.0;
    let verdict = if millis < aim { "met" } else { "missed" };
    line(
        what,
        millis * 1000.0,
        "",
        &format!("{millis:.1} ms of {aim} ms: {verdict}"),
    );
}

/// Adds a typical run: some strings and a few steps.
fn add(journal: &SqliteJournal, number: u32, started_at: i64) {
    const WORDS: [&str; 8] = [
        "harbour", "seldom", "carries", "winter", "letters", "beyond", "quiet", "roofs",
    ];
    let words = |seed: u32, count: u32| -> String {
        (0..count)
            .map(|at| WORDS[(seed.wrapping_mul(31).wrapping_add(at * at + at) % 8) as usize])
            .collect::<Vec<_>>()
            .join(" ")
    };
    let run_id = format!("{number:08x}-0000-7000-8000-000000000000");
    let input = format!("topic{number}x {}", words(number, 60));
    let output = words(number + 1, 200);
    let header = RunHeader {
        run_id,
        flow: format!("Flow {}", number % 12),
        flow_path: None,
        document: json!({
            "schemaVersion": 1,
            "nodes": (0..20).map(|node| json!({
                "id": format!("node{node}"), "type": "llm", "position": { "x": node * 240, "y": 0 },
                "data": { "prompt": words(node + number % 12, 30) }
            })).collect::<Vec<_>>(),
            "edges": []
        }),
        inputs: json!({ "text": input }),
        started_at,
        setup: RunSetup::default(),
    };
    let step = |seq: u64, entry: Entry| Record {
        seq,
        at: header.started_at,
        path: format!("refine[{}]/draft", seq / 2 + 1),
        node_id: Some("draft".into()),
        entry,
    };
    let text = Arc::new(Value::String(input.clone()));
    let records: Vec<Record> = (0..10)
        .map(|seq| match seq % 2 {
            0 => step(
                seq,
                Entry::Fact(Fact::NodeStarted {
                    inputs: [("input", Arc::clone(&text))].into(),
                    primary: None,
                    max_iterations: None,
                }),
            ),
            _ => step(
                seq,
                Entry::Input(Input::ExecutionCompleted(Completed {
                    outcome: Arc::new(Outcome::single("output", Arc::clone(&text))),
                    duration_ms: 1,
                    scope: None,
                    state: None,
                })),
            ),
        })
        .collect();
    let state = RunState {
        status: match number % 10 {
            0 => RunStatus::Failed,
            _ => RunStatus::Completed,
        },
        duration_ms: Some(u64::from(number % 977)),
        iterations: Some(5),
        exit_reason: Some(ExitReason::EvaluatorDone),
        outputs: Some(
            [("result".to_owned(), Arc::new(json!(output)))]
                .into_iter()
                .collect(),
        ),
        ..RunState::default()
    };
    journal
        .add(&header, &records, &state)
        .expect("the run is kept");
}
