//! Measures how fast a shared store appends the records of a step, compared with plain inserts of the same records into the
//! same table.
//!
//! Run `npm run bench -- cluster append`, or `cargo run --release -p loopwright-cluster --example append_speed -- URL` with
//! the address of a PostgreSQL database, which is changed.
#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

use std::{sync::Arc, time::Duration, time::Instant};

use loopwright_cluster::{Connection, PgStore};
use loopwright_engine::{
    Outcome,
    journal::{Completed, Entry, Fact, Input, Journal as _, Record, RunHeader, RunSetup},
};
use serde_json::json;
use tokio_postgres::{NoTls, Statement, types::ToSql};

/// The same allocator as in the released programs.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The number of steps in one round, over all runs.
const STEPS: u64 = 6_400;
/// The number of rounds. Each round measures every variant in turn and compares them within the round, because the load of the
/// machine varies between rounds.
const ROUNDS: usize = 11;
/// The number of connections. A worker has the same number.
const CONNECTIONS: usize = 16;
/// The number of records of a step: one for its start and one for its end, written together.
const RECORDS: u64 = 2;

/// Inserts two records as rows, which is the fastest plain statement.
const ROWS: &str = "INSERT INTO loopwright.records (run, seq, at, path, node_id, kind, payload)
    VALUES ($1, $2, $3, $4, $5, $6, $7), ($1, $8, $9, $10, $11, $12, $13)";
/// Inserts records that are passed as lists. This form is needed if the number of records is not known in advance.
const LISTS: &str = "INSERT INTO loopwright.records (run, seq, at, path, node_id, kind, payload)
    SELECT $1, r.* FROM unnest($2::bigint[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::text[]) AS r";

fn main() {
    let url = std::env::args().nth(1).expect("the address of a database");
    let connection = Connection {
        patience: Duration::ZERO,
        connections: CONNECTIONS,
        url: url.clone(),
    };
    let store = PgStore::init(&connection).unwrap();
    println!(
        "| steps a second | store | plain, as lists | plain, as rows | store ÷ lists | store ÷ rows |\n| --- | --- | --- | --- | --- | --- |"
    );
    for (size, runs) in [(900, 1), (900, 64), (4_000, 1), (4_000, 64)] {
        let mut rates = [const { Vec::new() }; 3];
        for round in 0..ROUNDS {
            for turn in 0..3 {
                // The order rotates, so that each variant runs first equally often.
                let who = (round + turn) % 3;
                let name = format!("{size}-{runs}-{round}-{who}");
                rates[who].push(rate(|| match who {
                    0 => appended(&store, &name, size, runs),
                    1 => inserted(&store, &url, &name, (size, runs), LISTS),
                    _ => inserted(&store, &url, &name, (size, runs), ROWS),
                }));
            }
        }
        let [ours, lists, rows] = &rates;
        let ratio = |plain: &[f64]| {
            let ratios = ours.iter().zip(plain).map(|(ours, plain)| ours / plain);
            median(&ratios.collect::<Vec<f64>>())
        };
        println!(
            "| {runs} runs, texts of {size} characters | {:.0} | {:.0} | {:.0} | {:.2} | {:.2} |",
            median(ours),
            median(lists),
            median(rows),
            ratio(lists),
            ratio(rows)
        );
    }
}

fn median(rates: &[f64]) -> f64 {
    let mut rates = rates.to_vec();
    rates.sort_by(f64::total_cmp);
    rates[rates.len() / 2]
}

/// Returns the number of steps per second. `work` performs the steps and returns how long the measured part took.
fn rate(work: impl FnOnce() -> Duration) -> f64 {
    STEPS as f64 / work().as_secs_f64()
}

/// Appends the steps of all runs: the runs in parallel, the steps of each run in sequence. Returns how long this took.
fn appended(store: &PgStore, name: &str, size: usize, runs: u64) -> Duration {
    let all: Vec<(String, Vec<Record>)> = (0..runs)
        .map(|run| (format!("{name}-{run}"), records(run, size, STEPS / runs)))
        .collect();
    for (run_id, _) in &all {
        store.create(&header(run_id)).unwrap();
    }
    let begun = Instant::now();
    std::thread::scope(|scope| {
        for (run_id, records) in &all {
            scope.spawn(move || {
                for step in records.chunks(RECORDS as usize) {
                    store.append(run_id, step).unwrap();
                }
            });
        }
    });
    begun.elapsed()
}

/// The records of a step, as one list for each column.
struct Rows {
    seqs: Vec<i64>,
    ats: Vec<i64>,
    paths: Vec<String>,
    nodes: Vec<Option<String>>,
    kinds: Vec<String>,
    payloads: Vec<String>,
}

/// Inserts the same records with one plain statement for each step, without epochs and without separate storage of large
/// strings. Returns how long this took. As with the store, the measured time includes encoding the records as JSON.
fn inserted(
    store: &PgStore,
    url: &str,
    name: &str,
    (size, runs): (usize, u64),
    statement: &'static str,
) -> Duration {
    let ids: Vec<String> = (0..runs).map(|run| format!("{name}-{run}")).collect();
    for run_id in &ids {
        store.create(&header(run_id)).unwrap();
    }
    let mut threads: Vec<Thread> = (0..CONNECTIONS.min(ids.len()))
        .map(|_| Thread::new(url, statement))
        .collect();
    for (at, run_id) in ids.iter().enumerate() {
        let share = at % threads.len();
        threads[share].take(run_id, records(at as u64, size, STEPS / runs));
    }
    let begun = Instant::now();
    std::thread::scope(|scope| {
        for thread in &threads {
            scope.spawn(|| thread.work());
        }
    });
    begun.elapsed()
}

/// A thread with its own connection, and the records that it inserts. The thread waits for each answer before it sends more,
/// as the store's threads do.
struct Thread {
    runtime: tokio::runtime::Runtime,
    client: tokio_postgres::Client,
    insert: Statement,
    as_rows: bool,
    share: Vec<(i64, Vec<Record>)>,
}

impl Thread {
    fn new(url: &str, statement: &'static str) -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        let (client, insert) = runtime.block_on(async {
            let (client, link) = tokio_postgres::connect(url, NoTls).await.unwrap();
            tokio::spawn(link);
            let insert = client.prepare(statement).await.unwrap();
            (client, insert)
        });
        Self {
            runtime,
            client,
            insert,
            as_rows: statement == ROWS,
            share: Vec::new(),
        }
    }

    fn take(&mut self, run_id: &str, records: Vec<Record>) {
        let find = "SELECT id FROM loopwright.runs WHERE run_id = $1";
        let row = self
            .runtime
            .block_on(self.client.query_one(find, &[&run_id]));
        self.share.push((row.unwrap().get(0), records));
    }

    fn work(&self) {
        self.runtime.block_on(async {
            for (key, records) in &self.share {
                for step in records.chunks(RECORDS as usize) {
                    self.insert(*key, &rows(step)).await;
                }
            }
        });
    }

    async fn insert(&self, run: i64, step: &Rows) {
        let mut values: Vec<&(dyn ToSql + Sync)> = vec![&run];
        if self.as_rows {
            for at in 0..step.seqs.len() {
                values.extend([
                    &step.seqs[at] as &(dyn ToSql + Sync),
                    &step.ats[at],
                    &step.paths[at],
                    &step.nodes[at],
                    &step.kinds[at],
                    &step.payloads[at],
                ]);
            }
        } else {
            values.extend([
                &step.seqs as &(dyn ToSql + Sync),
                &step.ats,
                &step.paths,
                &step.nodes,
                &step.kinds,
                &step.payloads,
            ]);
        }
        self.client.execute(&self.insert, &values).await.unwrap();
    }
}

fn rows(step: &[Record]) -> Rows {
    let kind = |entry: &Entry| match entry {
        Entry::Input(_) => "visit_completed".to_owned(),
        _ => "node_started".to_owned(),
    };
    Rows {
        seqs: step.iter().map(|record| record.seq as i64).collect(),
        ats: step.iter().map(|record| record.at).collect(),
        paths: step.iter().map(|record| record.path.clone()).collect(),
        nodes: step
            .iter()
            .map(|record| record.node_id.as_deref().map(str::to_owned))
            .collect(),
        kinds: step.iter().map(|record| kind(&record.entry)).collect(),
        payloads: step
            .iter()
            .map(|record| serde_json::to_string(&record.entry).unwrap())
            .collect(),
    }
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

/// Returns the records of a run's steps. The input of each step is the text that the previous step produced.
fn records(run: u64, size: usize, steps: u64) -> Vec<Record> {
    let text = |step: u64| Arc::new(json!(words(run, step, size)));
    let mut given = text(0);
    (0..steps)
        .flat_map(|step| {
            let gives = text(step + 1);
            let taken = std::mem::replace(&mut given, Arc::clone(&gives));
            let started = Entry::Fact(Fact::NodeStarted {
                inputs: [("input", taken)].into(),
                primary: None,
                max_iterations: None,
            });
            let completed = Entry::Input(Input::ExecutionCompleted(Completed {
                outcome: Outcome::single("output", gives).into(),
                duration_ms: 1,
                scope: None,
                state: None,
            }));
            [started, completed]
                .into_iter()
                .zip(0..)
                .map(move |(entry, at)| Record {
                    seq: step * RECORDS + at,
                    at: 0,
                    path: format!("refine[{}]/draft", step + 1),
                    node_id: Some("draft".into()),
                    entry,
                })
        })
        .collect()
}

/// Returns `size` characters of text that no other step of any run produces.
fn words(run: u64, step: u64, size: usize) -> String {
    let mut state = run.wrapping_mul(0x9E37_79B9_7F4A_7C15)
        ^ step.wrapping_add(1).wrapping_mul(0xD1B5_4A32_D192_ED03);
    let mut text = String::with_capacity(size + 8);
    while text.len() < size {
        // xorshift64, Marsaglia 2003.
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        text.push_str(
            [
                "a ", "loop ", "draft ", "judges ", "and ", "revises ", "until ", "enough ",
            ][(state % 8) as usize],
        );
    }
    text.truncate(size);
    text
}
