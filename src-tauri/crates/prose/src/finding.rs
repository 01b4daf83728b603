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

impl Kind {
    pub fn name(self) -> &'static str {
        match self {
            Self::Spelling => "Spelling",
            Self::Repetition => "Repetition",
            Self::Capitalization => "Capitalization",
            Self::Agreement => "Agreement",
            Self::ConfusedWords => "Confused words",
            Self::Grammar => "Grammar",
            Self::Punctuation => "Punctuation",
            Self::Wordiness => "Wordiness",
            Self::Clarity => "Clarity",
        }
    }

    pub(crate) fn named(name: &str) -> Option<Self> {
        [
            Self::ConfusedWords,
            Self::Grammar,
            Self::Spelling,
            Self::Agreement,
        ]
        .into_iter()
        .find(|kind| kind.name() == name)
    }

    pub fn level(self) -> Level {
        match self {
            Self::Spelling | Self::Repetition | Self::Capitalization => Level::Words,
            Self::Agreement | Self::ConfusedWords | Self::Grammar | Self::Punctuation => {
                Level::Sentences
            }
            Self::Wordiness | Self::Clarity => Level::Style,
        }
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
