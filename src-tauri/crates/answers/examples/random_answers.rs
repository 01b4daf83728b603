//! Reads random answers and checks the guarantees of the reader. Prints the number of occurrences of each result, and the
//! times of the slowest large answers. Fails if a stream took too long.
//!
//! `cargo run --release -p loopwright-answers --example random_answers 10000000`

// The example measures and prints times.
#![allow(clippy::disallowed_methods, clippy::print_stdout)]

#[path = "../tests/it/promises/mod.rs"]
mod promises;

use std::{
    hint::black_box,
    process::ExitCode,
    time::{Duration, Instant},
};

use loopwright_answers::{Splitter, choice::choice, json::values, rating::rating, split};
use promises::{Counts, Dice, SCALE, check, names, pieces};

/// The time limit for a stream of one megabyte in pieces of 16 characters, in a release build on an idle computer.
const STREAM: Duration = Duration::from_millis(50);

fn time(work: &dyn Fn()) -> Duration {
    let began = Instant::now();
    work();
    began.elapsed()
}

/// Returns the time that a stream in pieces of 16 characters takes: the shortest of three measurements.
fn stream(text: &str) -> Duration {
    let pieces: Vec<&str> = pieces(text, 16).collect();
    let split = || {
        let mut splitter = Splitter::default();
        for piece in &pieces {
            splitter.push(piece, |part, text| {
                black_box((part, text));
            });
        }
        splitter.end(|part, text| {
            black_box((part, text));
        });
    };
    time(&split).min(time(&split)).min(time(&split))
}

fn times(text: &str) -> [Duration; 5] {
    [
        time(&|| drop(split(text))),
        time(&|| drop(values(text))),
        time(&|| drop(choice(text, &names(), "branch"))),
        time(&|| drop(rating(text, SCALE, "score"))),
        stream(text),
    ]
}

fn main() -> ExitCode {
    let wanted = std::env::args().nth(1).and_then(|count| count.parse().ok());
    let (mut dice, mut counts) = (Dice(7), Counts::default());
    let began = Instant::now();
    for _ in 0..wanted.unwrap_or(1_000_000_u64) {
        let text = dice.answer(24);
        check(&text, &mut counts);
    }
    println!("{counts:?} in {:?}", began.elapsed());

    // With a megabyte that repeats a few pieces, work that grows faster than the text takes visibly long.
    let mut slowest: [(Duration, String); 5] = Default::default();
    for _ in 0..400 {
        let head = dice.answer(3);
        let mut part = dice.answer(4);
        // Half of the parts are padded to a multiple of the piece size, so that every repetition of the part is divided into
        // the same pieces.
        if dice.below(2) == 0 {
            let missing = part.chars().count().next_multiple_of(16) - part.chars().count();
            part.push_str(&" ".repeat(missing));
        }
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
    for (name, (took, what)) in names.iter().zip(&slowest) {
        println!("{name}: at most {took:?} for a megabyte of {what}");
    }
    let [.., (stream, _)] = slowest;
    if stream > STREAM {
        println!("A stream may take {STREAM:?}.");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}
