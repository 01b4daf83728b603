//! What a check found: where, what kind, what to do.

use std::ops::Range;

/// How a finding is classed for a reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    Spelling,
    Repetition,
    Capitalization,
    Agreement,
    ConfusedWords,
    Grammar,
    Punctuation,
    Wordiness,
    Clarity,
}

/// The kinds in their order, with their names and levels.
const KINDS: [(Kind, &str, Level); 9] = [
    (Kind::Spelling, "Spelling", Level::Words),
    (Kind::Repetition, "Repetition", Level::Words),
    (Kind::Capitalization, "Capitalization", Level::Words),
    (Kind::Agreement, "Agreement", Level::Sentences),
    (Kind::ConfusedWords, "Confused words", Level::Sentences),
    (Kind::Grammar, "Grammar", Level::Sentences),
    (Kind::Punctuation, "Punctuation", Level::Sentences),
    (Kind::Wordiness, "Wordiness", Level::Style),
    (Kind::Clarity, "Clarity", Level::Style),
];

impl Kind {
    pub fn name(self) -> &'static str {
        KINDS[self as usize].1
    }

    pub fn level(self) -> Level {
        KINDS[self as usize].2
    }

    pub(crate) fn all() -> impl Iterator<Item = Self> {
        KINDS.iter().map(|kind| kind.0)
    }
}

/// The level of editing that a finding belongs to. Lower levels come first: the checks of sentences read words, and
/// read them better once they are spelled right.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    Words,
    Sentences,
    /// Not wrong, but could be better.
    Style,
}

/// One thing to improve.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    pub kind: Kind,
    /// Bytes of the text.
    pub span: Range<usize>,
    /// The text at `span`.
    pub found: String,
    /// What should stand there; `None` when that is for the writer to say.
    pub replacement: Option<String>,
    /// Why, in a sentence.
    pub message: String,
    /// The rule that found it: `harper/ThenThan`, `agreement`.
    pub rule: String,
}

/// A finding before it is settled: characters instead of bytes.
pub(crate) struct PendingFinding {
    pub(crate) kind: Kind,
    pub(crate) span: Range<usize>,
    pub(crate) replacement: Option<String>,
    pub(crate) message: String,
    pub(crate) rule: String,
    /// Which one wins where two overlap: the lower.
    pub(crate) rank: u16,
}

/// The text with the replacements of `findings` made; those without a replacement are left.
pub fn apply<'a>(text: &str, findings: impl IntoIterator<Item = &'a Finding>) -> String {
    let edits = findings
        .into_iter()
        .filter_map(|finding| Some((finding.span.clone(), finding.replacement.as_deref()?)));
    edited(text, edits.collect())
}

/// The text with what stands at ranges of its bytes replaced. An edit that overlaps an earlier one is left out, and what is cut out
/// takes one of the spaces around it along.
pub fn edited(text: &str, mut edits: Vec<(Range<usize>, &str)>) -> String {
    edits.sort_by_key(|(span, _)| span.start);
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for (span, replacement) in edits {
        if span.start < at || span.end > text.len() {
            continue;
        }
        out.push_str(&text[at..span.start]);
        out.push_str(replacement);
        at = span.end;
        if replacement.is_empty() && out.ends_with(' ') && text[at..].starts_with(' ') {
            at += 1;
        }
    }
    out.push_str(&text[at..]);
    out
}
