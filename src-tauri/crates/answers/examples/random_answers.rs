//! Reads made-up answers and checks what the reader promises: `cargo run --release -p loopwright-answers --example random_answers
//! 10000000`. Prints what they were read as, and how long the slowest large ones took.

// How long it takes is what is printed.
#![allow(clippy::disallowed_methods, clippy::print_stdout)]

use std::time::{Duration, Instant};

use loopwright_answers::{
    Splitter,
    choice::choice,
    json::values,
    rating::{Scale, rating},
    split,
    thoughts::Part,
};

/// What models and servers write, and what reads nearly like it.
#[rustfmt::skip]
const PIECES: &[&str] = &[
    "<think>", "</think>", "<thinking>", "</thinking>", "<THINK>", "</Think >", "<thought a=\"1\">", "</thought>",
    "<reasoning>", "</reasoning>", "<reflection>", "</reflection>", "<seed:think>", "</seed:think>", "<think/>", "< think",
    "<thin", "[THINK]", "[/THINK]", "[think]", "[/think]", "◁think▷", "◁/think▷", "<|channel|>analysis<|message|>",
    "<|channel|>", "<|end|><|start|>assistant", "<|channel|>final<|message|>", "<|return|>", "analysis", "assistantfinal",
    "<|channel>thought\n", "<channel|>", "<|START_THINKING|>", "<|END_THINKING|>", "<answer>", "</answer>",
    "<details type=\"reasoning\">", "</details>", "```json\n", "```\n", "\n```", "```", "~~~\n", "`", "\"", "'", "\\", "\\\"",
    "{", "}", "[", "]", "{\"a\": 1}", "{\"title\": \"Tides\"}", "{\"a\":", "[1]", "[1, 2]", "[docs]", "{name}", "{{ input }}",
    "{'a': 1}", "null", "-1.5e3", "123456789012345678901234", ",", ":", "{\"branch\": \"done\"}", "{\"score\": \"8\"}",
    "done", "Done.", "**done**", "needs work", "not ", "Verdict: ", "Branch: ", "Score: ", "8", "8/10", "8 out of 10", "11",
    "Reason: ", "I choose ", "but ", "?", ". ", "\n", "\n\n", " ", "\t", "The text is fine", "é", "漢字", "\u{feff}", "\u{0}",
    "👍", "\r\n", "- ", "1. ", "> ", "# ",
];

struct Dice(u64);

impl Dice {
    /// SplitMix64 (Steele et al. 2014).
    fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % most.max(1) as u64) as usize
    }

    fn answer(&mut self, pieces: usize) -> String {
        let mut text = String::new();
        for _ in 0..self.below(pieces) + 1 {
            match self.below(12) {
                0 => text.extend(char::from_u32(self.below(0x3000) as u32)),
                _ => text.push_str(PIECES[self.below(PIECES.len())]),
            }
        }
        text
    }
}

#[derive(Debug, Default)]
struct Counts {
    answers: u64,
    bytes: u64,
    with_thoughts: u64,
    open: u64,
    json: u64,
    branches: u64,
    ratings: u64,
}

fn names() -> [String; 2] {
    ["done", "needs work"].map(str::to_owned)
}

const SCALE: Scale = Scale {
    least: Some(1.0),
    most: Some(10.0),
};

fn check(text: &str, counts: &mut Counts) {
    let read = split(text);
    let place = |part: &str| {
        let start = part.as_ptr().addr() - text.as_ptr().addr();
        assert_eq!(text.get(start..start + part.len()), Some(part));
        start
    };
    let mut from = 0;
    for thought in &read.thoughts {
        assert!(place(thought) >= from, "{text:?}");
        from = place(thought) + thought.len();
    }
    assert!(place(read.text) >= from, "{text:?}");
    let small = text.to_ascii_lowercase();
    let is_plain = !text.contains(['<', '[', '◁'])
        && !small.contains("analysis")
        && !small.contains("assistantfinal");
    if is_plain {
        assert_eq!(read.text, text);
    }
    counts.answers += 1;
    counts.bytes += text.len() as u64;
    counts.with_thoughts += u64::from(read.has_thoughts());
    counts.open += u64::from(read.is_open);
    counts.json += u64::from(values(read.text).one().is_ok());
    counts.branches += u64::from(choice(text, &names(), "branch").is_some());
    counts.ratings += u64::from(rating(text, SCALE, "score").is_some());
    assert_eq!(shown(text, 1), shown(text, 7), "{text:?}");
}

/// What a stream shows, in pieces of so many characters.
fn shown(text: &str, size: usize) -> (String, String) {
    let mut splitter = Splitter::default();
    let (mut thoughts, mut said) = (String::new(), String::new());
    let mut show = |part: Part, piece: &str| match part {
        Part::Thought => thoughts.push_str(piece),
        Part::Text => said.push_str(piece),
    };
    let letters: Vec<char> = text.chars().collect();
    for piece in letters.chunks(size) {
        splitter.push(&piece.iter().collect::<String>(), &mut show);
    }
    splitter.end(&mut show);
    (thoughts, said)
}

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
