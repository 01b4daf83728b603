//! Times the run store: `cargo run --release -p loopwright-journal --example append_speed`.
#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

use std::{collections::BTreeMap, sync::Arc, time::Instant};

use loopwright_engine::{
    Outcome,
    journal::{Completed, Entry, Fact, Input, Journal, Record, RunHeader, RunSetup, Select},
};
use loopwright_journal::SqliteJournal;
use serde_json::json;

const ITERATIONS: u32 = 2_000;

fn main() {
    let folder = tempfile::tempdir().unwrap();
    let journal = SqliteJournal::open(&folder.path().join("runs.sqlite"))
        .unwrap()
        .journal;
    println!("{:>9} {:>12} {:>12}", "text", "rows a batch", "µs a row");
    for (size, batch) in [(200, 1), (200, 10), (200, 100), (900, 10), (10_000, 10)] {
        let run_id = format!("{size}-{batch}");
        journal.create(&header(&run_id)).unwrap();
        let records: Vec<Record> = (0..ITERATIONS).map(|n| record(n, size)).collect();
        let begun = Instant::now();
        for rows in records.chunks(batch) {
            journal.append(&run_id, rows).unwrap();
        }
        let micros = begun.elapsed().as_secs_f64() * 1e6 / f64::from(ITERATIONS);
        println!("{size:>9} {batch:>12} {micros:>12.1}");
    }
    let begun = Instant::now();
    for index in (0..ITERATIONS).step_by(20) {
        let select = Select::Iteration {
            scope: "refine",
            index,
        };
        assert_eq!(journal.read("900-10", select).unwrap().len(), 1);
    }
    let micros = begun.elapsed().as_secs_f64() * 1e6 / f64::from(ITERATIONS / 20);
    println!("one iteration of {ITERATIONS} read back: {micros:.1} µs");
}

fn header(run_id: &str) -> RunHeader {
    RunHeader {
        run_id: run_id.into(),
        flow: "timing".into(),
        flow_path: None,
        document: json!({}),
        inputs: json!({}),
        started_at: 0,
        setup: RunSetup::default(),
    }
}

/// Alternates intents and outcomes, as a run does; every text is a new one.
fn record(n: u32, size: usize) -> Record {
    let text = Arc::new(json!(format!("{n:>size$}")));
    let entry = if n.is_multiple_of(2) {
        Entry::Fact(Fact::NodeStarted {
            inputs: BTreeMap::from([("input".to_owned(), text)]),
            primary: None,
            max_iterations: None,
        })
    } else {
        Entry::Input(Input::VisitCompleted(Completed {
            outcome: Outcome::single("output", text),
            duration_ms: 1,
            scope: None,
        }))
    };
    Record {
        seq: u64::from(n),
        at: 0,
        path: format!("refine[{}]/draft", n + 1),
        node_id: Some("draft".into()),
        entry,
    }
}
