//! A finding of a check: its position, kind and correction.

use std::ops::Range;

/// The kind of a finding, as users see it.
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

/// The kinds in their order, each with its name and level.
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

/// The level of editing that a finding belongs to. Lower levels come first, because the checks of sentences work better once the
/// words are spelled correctly.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    Words,
    Sentences,
    /// The text is correct but could be better.
    Style,
}

/// A passage that can be improved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    pub kind: Kind,
    /// The range of bytes of the passage in the text.
    pub span: Range<usize>,
    /// The text at `span`.
    pub found: String,
    /// The correct text for the passage, or `None` if only the writer can decide.
    pub replacement: Option<String>,
    /// The reason for the finding, in one sentence.
    pub message: String,
    /// The id of the rule that produced the finding, such as `harper/ThenThan` or `pattern/12`.
    pub rule: String,
}

/// A finding before overlaps are resolved. Its range counts characters instead of bytes.
pub(crate) struct PendingFinding {
    pub(crate) kind: Kind,
    pub(crate) span: Range<usize>,
    pub(crate) replacement: Option<String>,
    pub(crate) message: String,
    pub(crate) rule: String,
    /// The rank of the finding. If findings overlap, the one with the lowest rank is kept.
    pub(crate) rank: u16,
}

/// Returns the text with the replacements of `findings`. Findings without a replacement change nothing.
pub fn apply<'a>(text: &str, findings: impl IntoIterator<Item = &'a Finding>) -> String {
    let edits = findings
        .into_iter()
        .filter_map(|finding| Some((finding.span.clone(), finding.replacement.as_deref()?)));
    edited(text, edits.collect())
}

/// Returns the text with the given byte ranges replaced. An edit that overlaps an earlier one is skipped. If a removal
/// leaves two adjacent spaces, one of them is also removed.
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
