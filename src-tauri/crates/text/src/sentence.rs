//! Splits text into sentences and selects sequences of whole sentences.

use std::{collections::HashSet, sync::LazyLock};

use crate::word::list;

/// The abbreviations whose full stop does not end a sentence.
static ABBREVIATIONS: LazyLock<HashSet<&str>> =
    LazyLock::new(|| list(include_str!("abbreviations.txt")));

/// Returns the sentences of `text`, trimmed and in order. A blank line, a heading and a list item also end a sentence.
///
/// A sentence ends at `.`, `!` or `?`, with the quotation marks and brackets that follow, if white space and a character that
/// can begin a sentence come next. The full stop of an initial (`Edward L. Cahn`) or a common abbreviation does not end one.
pub fn sentences(text: &str) -> Vec<&str> {
    let closes = |c: char| matches!(c, '"' | '\'' | ')' | ']' | '”' | '’' | '.' | '!' | '?');
    let can_begin = |c: char| c.is_uppercase() || c.is_ascii_digit() || !c.is_alphabetic();
    let mut found = Vec::new();
    for block in blocks(text) {
        let mut start = 0;
        for (at, mark) in block.match_indices(['.', '!', '?']) {
            let rest = block[at..].trim_start_matches(closes);
            let spaced = rest.is_empty() || rest.starts_with(char::is_whitespace);
            let ends =
                at >= start && spaced && rest.trim_start().chars().next().is_none_or(can_begin);
            if ends && !(mark == "." && is_abbreviated(&block[start..at])) {
                let end = block.len() - rest.len();
                push(&mut found, &block[start..end]);
                start = end;
            }
        }
        push(&mut found, &block[start..]);
    }
    found
}

fn push<'a>(found: &mut Vec<&'a str>, piece: &'a str) {
    let piece = piece.trim();
    if piece.chars().any(char::is_alphanumeric) {
        found.push(piece);
    }
}

/// Splits text into blocks of lines, such as a paragraph or a list item. No sentence continues in the next block.
fn blocks(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let (mut start, mut at, mut below_heading) = (0, 0, false);
    for line in text.split_inclusive('\n') {
        let trimmed = line.trim();
        let heading = trimmed.starts_with('#');
        let mut items = ["- ", "* ", "---"].iter();
        let item = items.any(|mark| trimmed.starts_with(mark));
        if trimmed.is_empty() || heading || below_heading || item {
            found.push(&text[start..at]);
            start = at;
        }
        below_heading = heading;
        at += line.len();
    }
    found.push(&text[start..]);
    found
}

/// Returns whether the full stop after `before` belongs to an abbreviation or an initial.
fn is_abbreviated(before: &str) -> bool {
    let last = before
        .rsplit(|c: char| c.is_whitespace() || c == '(')
        .next()
        .unwrap_or_default();
    let mut letters = last.chars();
    let initial = matches!((letters.next(), letters.next()), (Some(c), None) if c.is_uppercase());
    // A sentence may end in "I."; the initial of a name follows a capitalised word or begins the text.
    initial && last != "I" || ABBREVIATIONS.contains(last.to_lowercase().as_str())
}

/// Returns the sequence of whole sentences with the highest sum of `scores` in at most `limit` characters, as a range of
/// indices. If several have the same sum, the earliest is chosen. The sequence is then extended by the sentences after and
/// before it that still fit. A sentence longer than `limit` forms its own sequence.
pub fn window(sentences: &[&str], scores: &[f64], limit: usize) -> std::ops::Range<usize> {
    let mut best = 0..sentences.len().min(1);
    let mut best_score = f64::NEG_INFINITY;
    for start in 0..sentences.len() {
        let (mut length, mut score) = (0, 0.0);
        for (end, sentence) in sentences.iter().enumerate().skip(start) {
            length += sentence.chars().count() + usize::from(end > start);
            if length > limit && end > start {
                break;
            }
            score += scores.get(end).copied().unwrap_or(0.0);
            if score > best_score {
                best_score = score;
                best = start..end + 1;
            }
        }
    }
    let size = |range: &std::ops::Range<usize>| -> usize {
        let lengths = sentences[range.clone()]
            .iter()
            .map(|part| part.chars().count() + 1);
        lengths.sum::<usize>().saturating_sub(1)
    };
    while best.end < sentences.len() && size(&(best.start..best.end + 1)) <= limit {
        best.end += 1;
    }
    while best.start > 0 && size(&(best.start - 1..best.end)) <= limit {
        best.start -= 1;
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn initials_and_abbreviations_end_nothing() {
        assert_eq!(
            sentences(
                "Dr. Vey met Edward L. Cahn at St. Ives. \"Not moved.\" It weighs 11.5 tonnes! Then?"
            ),
            [
                "Dr. Vey met Edward L. Cahn at St. Ives.",
                "\"Not moved.\"",
                "It weighs 11.5 tonnes!",
                "Then?"
            ]
        );
    }

    #[test]
    fn headings_and_blank_lines_end_a_sentence() {
        assert_eq!(
            sentences("# Corrow\nCorrow is an\nisland\n\nIt is wet.\n- one\n- two"),
            [
                "# Corrow",
                "Corrow is an\nisland",
                "It is wet.",
                "- one",
                "- two"
            ]
        );
    }

    #[test]
    fn a_window_holds_the_best_whole_sentences() {
        let found = ["aaaa.", "bbbb.", "cccc.", "dddd."];
        assert_eq!(window(&found, &[0.0, 1.0, 1.0, 0.0], 11), 1..3);
        assert_eq!(window(&found, &[0.0, 0.0, 0.0, 2.0], 3), 3..4);
        assert_eq!(window(&found, &[0.0, 1.0, 0.0, 0.0], 17), 0..3);
        assert_eq!(window(&found, &[0.0, 0.0, 0.0, 1.0], 100), 0..4);
        assert_eq!(window(&[], &[], 3), 0..0);
    }
}
