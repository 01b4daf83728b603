//! Measures everything once and prints a table of the results with their targets. With the argument `visits`, `history` or
//! `scripts`, measures only that part. `scripts validate` measures the validation of a flow with many scripts, and `workspace`
//! measures private copies of repositories. `store FILE` writes a store for viewing in the window, and `flow FILE` measures a
//! flow that needs no inputs and makes no calls.

use std::{
    hint::black_box,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
};

use loopwright_bench::{
    NoJournal, fastest, history, line, long_flow, loop_flow, micros, planned, run, scripts, texts,
    workspace,
};
use loopwright_engine::{
    journal::Journal,
    similarity::{at_least, similarity},
};
use loopwright_journal::{MemoryJournal, SqliteJournal};
use loopwright_model::{file, validate::validate};

/// The allocator that the released programs use.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn aim(value: f64, aim: f64) -> String {
    let verdict = if value <= aim { "met" } else { "missed" };
    format!("{:.2} × the aim of {aim} µs: {verdict}", value / aim)
}

fn main() {
    let mut args = std::env::args().skip(1);
    match (args.next().as_deref(), args.next()) {
        (Some("history"), _) => return history::measure(),
        (Some("scripts"), Some(part)) if part == "validate" => {
            return scripts::measure_validation();
        }
        (Some("scripts"), _) => return scripts::measure(),
        (Some("workspace"), _) => return workspace::measure(),
        (Some("store"), Some(file)) => return history::write(Path::new(&file)),
        (Some("flow"), Some(file)) => return one_flow(Path::new(&file)),
        _ => {}
    }
    let only_visits = std::env::args().nth(1).as_deref() == Some("visits");
    let next = AtomicU32::new(0);
    let id = || format!("run{}", next.fetch_add(1, Ordering::Relaxed));
    let folder = tempfile::tempdir().expect("a temporary folder");
    let sqlite: Arc<dyn Journal> = Arc::new(
        SqliteJournal::open(&folder.path().join("runs.sqlite"))
            .expect("a store")
            .journal,
    );
    let none: Arc<dyn Journal> = Arc::new(NoJournal);

    visits(&id, &none, &sqlite);
    if only_visits {
        return;
    }
    for (journal, what) in [(&none, "no journal"), (&sqlite, "SQLite")] {
        // Both cases run a thousand iterations, in one run or in twenty, so that the store spends the same time on checkpoints
        // of its log.
        let per_iteration = |count: u32| {
            let plan = planned(&loop_flow(count, 3, "transform"));
            let work = || (0..1000 / count).for_each(|_| run(&plan, &id(), Arc::clone(journal)));
            micros(fastest(9, work)) / 1000.0
        };
        let few = per_iteration(50);
        let many = per_iteration(1000);
        line(
            &format!("iteration of 3 nodes, 50 in a run, {what}"),
            few,
            "an iteration",
            "",
        );
        let verdict = if many <= few * 1.1 {
            "flat"
        } else {
            "not flat"
        };
        line(
            &format!("iteration of 3 nodes, 1,000 in a run, {what}"),
            many,
            "an iteration",
            &format!("{:.2} × that of 50: {verdict}", many / few),
        );
    }

    for unlike in [true, false] {
        let (a, b) = texts(10_000, unlike);
        let what = if unlike { "unlike" } else { "nearly alike" };
        let exact = micros(fastest(9, || {
            black_box(similarity(&a, &b));
        }));
        line(
            &format!("similarity of 10,000 characters, {what}, exact"),
            exact,
            "a pair",
            "",
        );
        let cut = micros(fastest(9, || {
            black_box(at_least(&a, &b, 0.95));
        }));
        line(
            &format!("similarity of 10,000 characters, {what}, at least 0.95"),
            cut,
            "a pair",
            &format!("{:.3} × exact", cut / exact),
        );
    }

    let flow = long_flow(100, 8);
    let kinds = loopwright_nodes::all();
    let nodes = flow.nodes.len();
    let checked = micros(fastest(5, || {
        black_box(validate(&flow, kinds.specs()));
    }));
    line(
        &format!("validating {nodes} nodes in 100 loops"),
        checked,
        "a flow",
        "",
    );
    let plan = micros(fastest(5, || {
        black_box(planned(&flow));
    }));
    line(
        &format!("planning {nodes} nodes in 100 loops"),
        plan,
        "a flow",
        &format!("{:.2} × validating", plan / checked),
    );
    history::measure();
}

/// Measures a run of a flow with each kind of journal.
fn one_flow(path: &Path) {
    let (flow, _) = file::read(path).expect("the file has a flow");
    let plan = planned(&flow);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let next = AtomicU32::new(0);
    let id = || format!("run{}", next.fetch_add(1, Ordering::Relaxed));
    let sqlite = SqliteJournal::open(&folder.path().join("runs.sqlite")).expect("a store");
    let sqlite: Arc<dyn Journal> = Arc::new(sqlite.journal);
    let none: Arc<dyn Journal> = Arc::new(NoJournal);
    for (journal, what) in [
        (Some(none), "no journal"),
        (None, "journal in memory"),
        (Some(sqlite), "SQLite"),
    ] {
        let took = fastest(9, || {
            let journal = journal
                .clone()
                .unwrap_or_else(|| Arc::new(MemoryJournal::new()));
            run(&plan, &id(), journal);
        });
        line(what, micros(took), "a run", "");
    }
}

/// Measures the overhead of a node: 50 iterations of 20 nodes execute a thousand nodes, so the loop itself adds little to the
/// time per node.
fn visits(id: &dyn Fn() -> String, none: &Arc<dyn Journal>, sqlite: &Arc<dyn Journal>) {
    for (kind, what) in [("transform", "pure node"), ("llm", "node with an effect")] {
        let plan = planned(&loop_flow(50, 20, kind));
        let per_visit = |journal: &Arc<dyn Journal>| {
            micros(fastest(9, || run(&plan, &id(), Arc::clone(journal)))) / 1000.0
        };
        let alone = per_visit(none);
        line(
            &format!("visit of a {what}, no journal"),
            alone,
            "a visit",
            &aim(alone, 5.0),
        );
        let memory = micros(fastest(9, || {
            run(&plan, "run", Arc::new(MemoryJournal::new()))
        })) / 1000.0;
        line(
            &format!("visit of a {what}, journal in memory"),
            memory,
            "a visit",
            &format!("{:.2} × no journal", memory / alone),
        );
        let stored = per_visit(sqlite);
        line(
            &format!("visit of a {what}, SQLite"),
            stored,
            "a visit",
            &aim(stored, 60.0),
        );
    }
}
