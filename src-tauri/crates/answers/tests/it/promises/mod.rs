//! Generates random answers, and checks the guarantees that the reader gives for every answer.

#![allow(dead_code)] // The test and the example each use a part of this module.

use loopwright_answers::{
    Splitter,
    choice::choice,
    json::values,
    rating::{Scale, rating},
    split,
    thoughts::Part,
};

/// Strings that models and servers write, and strings that resemble them.
#[rustfmt::skip]
const PIECES: &[&str] = &[
    "<think>", "</think>", "<thinking>", "</thinking>", "<THINK>", "</Think >", "<thought a=\"1\">", "</thought>",
    "<reasoning>", "</reasoning>", "<reflection>", "</reflection>", "<seed:think>", "</seed:think>", "<think/>", "< think",
    "</think ]>", "</think", "<\nthink>", "<|channel|>final", "<|message|>", "<|start|>", "<thin", "[THINK]", "[/THINK]", "[think]", "[/think]", "◁think▷", "◁/think▷", "<|channel|>analysis<|message|>",
    "<|channel|>", "<|end|><|start|>assistant", "<|channel|>final<|message|>", "<|return|>", "analysis", "assistantfinal",
    "<|channel>thought\n", "<channel|>", "<|START_THINKING|>", "<|END_THINKING|>", "<answer>", "</answer>",
    "<details type=\"reasoning\">", "</details>", "```json\n", "```\n", "\n```", "```", "~~~\n", "`", "\"", "'", "\\", "\\\"",
    "{", "}", "[", "]", "{\"a\": 1}", "{\"title\": \"Tides\"}", "{\"a\":", "[1]", "[1, 2]", "[docs]", "{name}", "{{ input }}",
    "{'a': 1}", "null", "-1.5e3", "123456789012345678901234", ",", ":", "{\"branch\": \"done\"}", "{\"score\": \"8\"}",
    "done", "Done.", "**done**", "needs work", "not ", "Verdict: ", "Branch: ", "Score: ", "8", "8/10", "8 out of 10", "11",
    "Reason: ", "I choose ", "but ", "?", ". ", "\n", "\n\n", " ", "\t", "The text is fine", "é", "漢字", "\u{feff}", "\u{0}",
    "👍", "\r\n", "- ", "1. ", "> ", "# ",
];

/// A pseudorandom number generator with a fixed sequence.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    /// Returns a random number below `most` (SplitMix64, Steele et al. 2014).
    pub(crate) fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % most.max(1) as u64) as usize
    }

    pub(crate) fn answer(&mut self, pieces: usize) -> String {
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

/// The number of times that each result occurred.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    pub(crate) answers: u64,
    pub(crate) bytes: u64,
    pub(crate) with_thoughts: u64,
    pub(crate) open: u64,
    pub(crate) json: u64,
    pub(crate) branches: u64,
    pub(crate) ratings: u64,
}

pub(crate) fn names() -> [String; 2] {
    ["done", "needs work"].map(str::to_owned)
}

pub(crate) const SCALE: Scale = Scale {
    least: Some(1.0),
    most: Some(10.0),
};

/// Checks the guarantees of the reader for `text`, and counts its results.
///
/// # Panics
/// Panics if the reader breaks a guarantee.
pub(crate) fn check(text: &str, counts: &mut Counts) {
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
    let whole = shown(text, text.len().max(1));
    for size in [1, 7, 16] {
        assert_eq!(whole, shown(text, size), "{text:?} by {size}");
    }
}

/// Returns the reasoning and the text that a stream shows, in pieces of `size` characters.
pub(crate) fn shown(text: &str, size: usize) -> (String, String) {
    let (mut thoughts, mut said) = (String::new(), String::new());
    let mut splitter = Splitter::default();
    let mut show = |part: Part, piece: &str| match part {
        Part::Thought => thoughts.push_str(piece),
        Part::Text => said.push_str(piece),
    };
    for piece in pieces(text, size) {
        splitter.push(piece, &mut show);
    }
    splitter.end(&mut show);
    (thoughts, said)
}

/// Cuts `text` into pieces of `size` characters.
pub(crate) fn pieces(text: &str, size: usize) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let end = rest
            .char_indices()
            .nth(size)
            .map_or(rest.len(), |(at, _)| at);
        let piece = &rest[..end];
        rest = &rest[end..];
        (!piece.is_empty()).then_some(piece)
    })
}
