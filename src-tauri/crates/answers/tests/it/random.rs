//! Tests that the reader keeps its guarantees for random answers. The example `random_answers` reads millions of them.

use crate::promises;

use promises::{Counts, Dice, check};

#[test]
fn made_up_answers_break_no_promise() {
    let (mut dice, mut counts) = (Dice(11), Counts::default());
    for _ in 0..4_000 {
        let text = dice.answer(24);
        check(&text, &mut counts);
    }
    // The random answers must reach every kind of result.
    let reached = [
        counts.with_thoughts,
        counts.open,
        counts.json,
        counts.branches,
        counts.ratings,
    ];
    assert!(reached.iter().all(|count| *count > 200), "{counts:?}");
}
