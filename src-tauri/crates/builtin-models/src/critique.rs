//! The text format of a critique, which the critic writes and the reviser reads.
//!
//! It has one numbered line per finding, which users can read and edit: `1. Spelling: in “They recieved the”, replace
//! “recieved” with “received”. “recieved” is not in the dictionary.` The quoted passage locates the correction, which
//! applies to the first occurrence of the word in it. The reviser also understands corrections with a different wording, if
//! they quote both the old and the new text: `"recieve" should be "receive"`.

use std::{ops::Range, sync::LazyLock};

use loopwright_prose::{Finding, edited};
use regex::Regex;

use super::pattern::pattern;

/// The first line of every critique that lists something.
pub(crate) const OPENING: &str = "What to improve in this draft:";

/// The words with which a critique approves a draft. The reviser recognizes them, and then leaves the draft unchanged.
pub(crate) const APPROVAL: &str = "can stand as it is";

/// A correction in the form that [`line`] writes.
static OWN: LazyLock<Regex> =
    LazyLock::new(|| pattern("in “(.*?)”, (?:replace “(.*?)” with “(.*?)”|remove “(.*?)”\\.)"));

/// A correction with a different wording: `"recieve" should be "receive"`, `change 'a' to 'b'`, `“a” → “b”`, `write "b", not
/// "a"`.
static FOREIGN: LazyLock<Regex> = LazyLock::new(|| {
    let quoted = r#"["“`'‘]([^"“”`]{1,200}?)["”`'’]"#;
    let joins = r"[\s,:*()]*(→|->|=>|to|with|becomes|by|not|should\b[^“”]{0,30}?)[\s,:*()]*";
    pattern(&format!("{quoted}{joins}{quoted}"))
});

/// Returns one numbered line of a critique.
pub(crate) fn line(number: usize, draft: &str, finding: &Finding) -> String {
    let passage = passage(draft, &finding.span);
    let found = flat(&finding.found);
    let action = match finding.replacement.as_deref().map(flat) {
        Some(with) if !with.trim().is_empty() => format!("replace “{found}” with “{with}”."),
        _ => format!("remove “{found}”."),
    };
    format!(
        "{number}. {}: in “{passage}”, {action} {}",
        finding.kind.name(),
        finding.message
    )
}

/// Returns `span` with up to three words before and after it on the same line. The passage never contains the text of `span`
/// before `span` itself.
fn passage(draft: &str, span: &Range<usize>) -> String {
    let start = draft[..span.start].rfind('\n').map_or(0, |at| at + 1);
    let end = draft[span.end..].find('\n');
    let end = end.map_or(draft.len(), |at| span.end + at);
    let (before, after) = (&draft[start..span.start], &draft[span.end..end]);
    let from = |words: usize| {
        let gap = before.rmatch_indices(char::is_whitespace).nth(words);
        gap.map_or(start, |(at, gap)| start + at + gap.len())
    };
    let is_first = |from: &usize| {
        let found = places(&draft[*from..span.end], &draft[span.clone()]);
        found.first().is_none_or(|at| from + at.start >= span.start)
    };
    let from = (0..=3).rev().map(from).find(is_first).unwrap_or(span.start);
    let to = after.match_indices(char::is_whitespace).nth(3);
    flat(&draft[from..to.map_or(end, |(at, _)| span.end + at)])
}

fn flat(text: &str) -> String {
    let lines: Vec<&str> = text.split('\n').map(str::trim_end).collect();
    lines.join(" ")
}

/// A correction that a critique requests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Correction {
    /// The passage to search, or `None` if the critique quotes no passage.
    pub(crate) passage: Option<String>,
    pub(crate) found: String,
    pub(crate) replacement: String,
}

/// Returns the corrections of a critique, in its order. Other lines are ignored.
pub(crate) fn corrections(critique: &str) -> Vec<Correction> {
    let lines = critique.lines();
    lines
        .filter_map(|line| own(line).or_else(|| foreign(line)))
        .collect()
}

/// Returns whether a line is one of the critic's own corrections.
pub(crate) fn is_correction(line: &str) -> bool {
    OWN.is_match(line)
}

fn own(line: &str) -> Option<Correction> {
    let captures = OWN.captures(line)?;
    let text = |group| captures.get(group).map(|text| text.as_str().to_owned());
    Some(Correction {
        passage: text(1),
        found: text(2).or_else(|| text(4))?,
        replacement: text(3).unwrap_or_default(),
    })
}

fn foreign(line: &str) -> Option<Correction> {
    let [first, between, second] = FOREIGN.captures(line)?.extract().1;
    let (found, replacement) = match between {
        "not" => (second, first),
        _ => (first, second),
    };
    (found != replacement).then(|| Correction {
        passage: None,
        found: found.to_owned(),
        replacement: replacement.to_owned(),
    })
}

/// Applies the corrections to the draft. Returns the new draft, and the corrections that were not applied because their text
/// was not found or overlaps an earlier correction.
pub(crate) fn apply<'a>(
    draft: &str,
    corrections: &'a [Correction],
) -> (String, Vec<&'a Correction>) {
    let mut edits: Vec<(Range<usize>, &str)> = Vec::new();
    let mut unplaced = Vec::new();
    for correction in corrections {
        let mut spans = spans(draft, correction);
        spans.retain(|span| {
            edits
                .iter()
                .all(|(other, _)| span.end <= other.start || other.end <= span.start)
        });
        // A correction without a passage is applied everywhere. One with a passage is applied once.
        if correction.passage.is_some() {
            spans.truncate(1);
        }
        if spans.is_empty() {
            unplaced.push(correction);
        }
        let replacement = correction.replacement.as_str();
        edits.extend(spans.into_iter().map(|span| (span, replacement)));
    }
    (edited(draft, edits), unplaced)
}

/// Returns the byte ranges of the draft to which a correction applies.
fn spans(draft: &str, correction: &Correction) -> Vec<Range<usize>> {
    let Some(passage) = &correction.passage else {
        return places(draft, &correction.found);
    };
    let within = places(draft, passage).into_iter().filter_map(|place| {
        let at = places(&draft[place.clone()], &correction.found)
            .into_iter()
            .next()?;
        Some(place.start + at.start..place.start + at.end)
    });
    within.collect()
}

/// Returns the byte ranges at which a passage occurs as whole words. A run of white space in the passage matches any run of
/// white space.
fn places(text: &str, passage: &str) -> Vec<Range<usize>> {
    let edge = |letter: Option<char>| match letter {
        Some(letter) if letter.is_alphanumeric() => "\\b",
        Some(letter) if letter.is_whitespace() => "\\s+",
        _ => "",
    };
    let escaped = regex::escape(passage);
    let words: Vec<&str> = escaped.split_whitespace().collect();
    let (first, last) = (passage.chars().next(), passage.chars().next_back());
    let pattern = format!("{}{}{}", edge(first), words.join("\\s+"), edge(last));
    let pattern = Regex::new(&pattern).ok().filter(|_| !words.is_empty());
    let found = pattern.iter().flat_map(|pattern| pattern.find_iter(text));
    found.map(|found| found.range()).collect()
}

#[cfg(test)]
mod tests {
    use loopwright_prose::{Finding, Kind};

    use super::*;

    fn finding(draft: &str, found: &str, nth: usize, with: &str) -> Finding {
        let (at, _) = draft.match_indices(found).nth(nth).unwrap();
        Finding {
            kind: Kind::Spelling,
            span: at..at + found.len(),
            found: found.to_owned(),
            replacement: Some(with.to_owned()),
            message: "Why.".to_owned(),
            rule: "test".to_owned(),
        }
    }

    #[test]
    fn what_is_written_is_read_back_and_put_in_its_place() {
        for (draft, found, nth, with, expected) in [
            (
                "It is to late to go, to much.",
                "to",
                0,
                "too",
                "It is too late to go, to much.",
            ),
            (
                "It is to late to go, to much.",
                "to",
                2,
                "too",
                "It is to late to go, too much.",
            ),
            ("One the\nthe two.", "the\nthe", 0, "the", "One the two."),
            (
                "A “quoted” wrod, “and” more.",
                "wrod",
                0,
                "word",
                "A “quoted” word, “and” more.",
            ),
            ("a b c a b c", "b", 1, "B", "a b c a B c"),
            (
                "Naïve café wich—dash.",
                "wich",
                0,
                "which",
                "Naïve café which—dash.",
            ),
        ] {
            let critique = format!(
                "{OPENING}\n\n{}",
                line(1, draft, &finding(draft, found, nth, with))
            );
            let corrections = corrections(&critique);
            let (revised, unplaced) = apply(draft, &corrections);
            assert_eq!(revised, expected, "{critique}");
            assert!(unplaced.is_empty());
        }
    }

    #[test]
    fn corrections_in_other_words_are_read() {
        for line in [
            "- \"recieve\" should be \"receive\".",
            "Change 'recieve' to 'receive'",
            "* “recieve” → “receive” (spelling)",
            "Write \"receive\", not \"recieve\".",
        ] {
            assert_eq!(
                apply("We recieve it.", &corrections(line)).0,
                "We receive it.",
                "{line}"
            );
        }
        assert!(corrections("The second paragraph is “vague” and needs “evidence”.").is_empty());
    }

    #[test]
    fn what_cannot_be_placed_is_reported() {
        let corrections = corrections("1. Spelling: in “wich one”, replace “wich” with “which”.");
        let (text, unplaced) = apply("Nothing here.", &corrections);
        assert_eq!((text.as_str(), unplaced.len()), ("Nothing here.", 1));
    }
}
