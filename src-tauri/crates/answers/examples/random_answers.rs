//! Reads made-up answers and checks what the reader promises: `cargo run --release -p loopwright-answers --example random_answers
//! 10000000`. Prints what they were read as, and how long the slowest large ones took.

// How long it takes is what is printed.
#![allow(clippy::disallowed_methods, clippy::print_stdout)]

#[path = "../tests/it/promises/mod.rs"]
mod promises;

use std::time::{Duration, Instant};

use loopwright_answers::{choice::choice, json::values, rating::rating, split};
use promises::{Counts, Dice, SCALE, check, names, shown};

fn times(text: &str) -> [Duration; 5] {
    let time = |work: &dyn Fn()| {
        let began = Instant::now();
        work();
        began.elapsed()
    };
    [
        time(&|| drop(split(text))),
        time(&|| drop(values(text))),
        time(&|| drop(choice(text, &names(), "branch"))),
        time(&|| drop(rating(text, SCALE, "score"))),
        time(&|| drop(shown(text, 16))),
    ]
}

fn main() {
    let wanted = std::env::args().nth(1).and_then(|count| count.parse().ok());
    let (mut dice, mut counts) = (Dice(7), Counts::default());
    let began = Instant::now();
    for _ in 0..wanted.unwrap_or(1_000_000_u64) {
        let text = dice.answer(24);
        check(&text, &mut counts);
    }
    println!("{counts:?} in {:?}", began.elapsed());

    // A megabyte of a few pieces, again and again: what takes more than linear time shows there.
    let mut slowest: [(Duration, String); 5] = Default::default();
    for _ in 0..400 {
        let head = dice.answer(3);
        let part = dice.answer(4);
        let mut text = head.clone();
        while text.len() < 1 << 20 {
            text.push_str(&part);
        }
        for (slowest, took) in slowest.iter_mut().zip(times(&text)) {
            if took > slowest.0 {
                *slowest = (took, format!("{head:?} and then {part:?}"));
            }
        }
    }
    let names = ["split", "values", "choice", "rating", "stream"];
    for (name, (took, what)) in names.iter().zip(slowest) {
        println!("{name}: at most {took:?} for a megabyte of {what}");
    }
}
