//! The parts of `cargo run -p loopwright-bench`, one by one, for work on one of them.

use std::sync::Arc;

use divan::{Bencher, black_box};
use loopwright_bench::{NoJournal, long_flow, loop_flow, planned, run, texts};
use loopwright_engine::similarity::{at_least, similarity};

fn main() {
    divan::main();
}

#[divan::bench(args = ["transform", "llm"])]
fn thousand_visits(bencher: Bencher<'_, '_>, kind: &str) {
    let plan = planned(&loop_flow(50, 20, kind));
    bencher.bench(|| run(&plan, "run", Arc::new(NoJournal)));
}

#[divan::bench(args = [50, 1000])]
fn iterations(bencher: Bencher<'_, '_>, count: u32) {
    let plan = planned(&loop_flow(count, 3, "transform"));
    bencher.bench(|| run(&plan, "run", Arc::new(NoJournal)));
}

#[divan::bench(args = [true, false])]
fn exact_similarity(bencher: Bencher<'_, '_>, unlike: bool) {
    let (a, b) = texts(10_000, unlike);
    bencher.bench(|| similarity(black_box(&a), black_box(&b)));
}

#[divan::bench(args = [true, false])]
fn similarity_with_cutoff(bencher: Bencher<'_, '_>, unlike: bool) {
    let (a, b) = texts(10_000, unlike);
    bencher.bench(|| at_least(black_box(&a), black_box(&b), 0.95));
}

#[divan::bench]
fn plan_a_thousand_nodes(bencher: Bencher<'_, '_>) {
    let flow = long_flow(100, 8);
    bencher.bench(|| planned(&flow));
}
