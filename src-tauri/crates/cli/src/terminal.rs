//! Shows the subject of a question on a terminal, so that neither later output nor blanks can hide a part of it.

use std::{io, iter};

use crate::out::errln;

/// The number of rows that are left free below a page, for the prompt and the answer that a person types.
const BELOW: usize = 3;
/// The assumed number of rows if the size of the terminal is unknown.
const ROWS: usize = 24;
const COLUMNS: usize = 80;
/// The maximum number of characters shown of a label.
const LABEL: usize = 60;
/// The maximum number of labels shown for one item.
const LABELS: usize = 3;
/// The maximum number of consecutive blanks that are shown unchanged.
const FEW: usize = 16;

/// How a person left the display of pages.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Paged {
    /// All pages were shown, or the user skipped to the last one.
    Shown,
    /// The user typed an answer instead of turning the page.
    Said(String),
    /// The input of the terminal ended.
    Ended,
}

/// Returns the number of columns of the terminal.
pub(crate) fn columns() -> usize {
    size().0
}

fn size() -> (usize, usize) {
    terminal_size::terminal_size_of(io::stderr()).map_or((COLUMNS, ROWS), |(columns, rows)| {
        (
            usize::from(columns.0).max(1),
            usize::from(rows.0).max(BELOW + 2),
        )
    })
}

/// Shows the lines page by page if they and `below` further rows do not fit on the screen. `line` prints a prompt and reads the
/// line that the user types.
pub(crate) fn show(
    lines: &[String],
    below: usize,
    line: &mut dyn FnMut(&str) -> Option<String>,
) -> Paged {
    let (columns, rows) = size();
    show_in(
        lines,
        columns,
        rows.saturating_sub(below + BELOW).max(1),
        line,
    )
}

fn show_in(
    lines: &[String],
    columns: usize,
    rows: usize,
    line: &mut dyn FnMut(&str) -> Option<String>,
) -> Paged {
    let pages = pages(lines, columns, rows);
    let count = pages.len();
    let mut at = 0;
    while let Some(page) = pages.get(at) {
        page.iter().for_each(|line| errln!("{line}"));
        at += 1;
        if at >= count {
            break;
        }
        let said = line(&format!(
            "Page {at} of {count}. Press Enter for the next page, or e for the last page, which is the most important: "
        ));
        match said.as_deref() {
            None => return Paged::Ended,
            Some("") => {}
            Some("e" | "end") => at = count - 1,
            Some(other) => return Paged::Said(other.to_owned()),
        }
    }
    Paged::Shown
}

/// Splits the lines into pages of at most `rows` rows. Pages are filled from the end, because the last one is next to the
/// prompt.
fn pages(lines: &[String], columns: usize, rows: usize) -> Vec<&[String]> {
    let height = |line: &String| line.chars().count().div_ceil(columns).max(1);
    let mut pages = Vec::new();
    let mut rest = lines;
    while !rest.is_empty() {
        let mut taken = 0;
        let first = rest
            .iter()
            .rev()
            .take_while(|line| {
                taken += height(line);
                taken <= rows
            })
            .count()
            .max(1);
        let (before, page) = rest.split_at(rest.len() - first);
        pages.push(page);
        rest = before;
    }
    pages.reverse();
    pages
}

/// Replaces long sequences of blanks by their count, and escapes characters that look like blanks: `⟨400 spaces⟩`,
/// `\u{2800}×60`.
pub(crate) fn blanks_shown(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(char) = rest.next() {
        let is_blank = char == ' ' || is_look_alike(char);
        if !is_blank {
            shown.push(char);
            continue;
        }
        let count = 1 + iter::from_fn(|| rest.next_if_eq(&char)).count();
        match (char, count) {
            (' ', ..=FEW) => shown.extend(iter::repeat_n(char, count)),
            (' ', _) => shown.push_str(&format!("⟨{count} spaces⟩")),
            (_, 1) => shown.extend(char.escape_unicode()),
            (_, _) => shown.push_str(&format!("{}×{count}", char.escape_unicode())),
        }
    }
    shown
}

/// Returns whether a character looks like a space but is not the ordinary space.
fn is_look_alike(char: char) -> bool {
    matches!(
        char,
        '\u{a0}' | '\u{1680}' | '\u{2000}'
            ..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{2800}' | '\u{3000}'
    )
}

/// Formats labels of nodes, shortened and in quotation marks. The author of the flow chose them, and the quotation marks set
/// them apart from the program's own words.
pub(crate) fn labels(labels: &[String]) -> String {
    let mut shown: Vec<String> = labels
        .iter()
        .take(LABELS)
        .map(|label| format!("\"{}\"", shortened(label).replace('"', "\\\"")))
        .collect();
    if labels.len() > LABELS {
        shown.push(format!("and {} more", labels.len() - LABELS));
    }
    shown.join(", ")
}

fn shortened(label: &str) -> String {
    let label = blanks_shown(label);
    match label.char_indices().nth(LABEL) {
        None => label,
        Some((end, _)) => format!("{}…", &label[..end]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typing(lines: usize, said: &[&str]) -> (Paged, usize) {
        let lines: Vec<String> = (0..lines).map(|line| line.to_string()).collect();
        let mut rest = said.iter();
        let mut asked = 0;
        let paged = show_in(&lines, 80, 10, &mut |_| {
            asked += 1;
            rest.next().map(|said| (*said).to_owned())
        });
        (paged, asked)
    }

    #[test]
    fn what_is_more_than_a_screen_is_shown_page_by_page() {
        assert_eq!(typing(10, &[]), (Paged::Shown, 0));
        assert_eq!(typing(25, &["", ""]), (Paged::Shown, 2));
        assert_eq!(typing(2_000, &["", "e"]), (Paged::Shown, 2));
        assert_eq!(typing(25, &["no"]), (Paged::Said("no".to_owned()), 1));
        assert_eq!(typing(25, &[]), (Paged::Ended, 1));
    }

    #[test]
    fn a_page_has_as_many_rows_as_its_lines_take_and_the_last_is_full() {
        let lines = ["a".repeat(200), "b".to_owned(), "c".to_owned()];
        assert_eq!(pages(&lines, 80, 3), [&lines[..1], &lines[1..]]);
        assert_eq!(pages(&lines, 80, 2), [&lines[..1], &lines[1..]]);
        assert_eq!(pages(&lines, 80, 9), [&lines[..]]);
        assert!(pages(&[], 80, 9).is_empty());
    }

    #[test]
    fn blanks_are_counted_and_those_that_look_like_others_are_shown() {
        for (text, shown) in [
            ("rm -rf  x", "rm -rf  x"),
            ("    indented", "    indented"),
            ("a\u{2800}\u{2800}b\u{a0}c", "a\\u{2800}×2b\\u{a0}c"),
            ("\u{3000} \u{202f}", "\\u{3000} \\u{202f}"),
        ] {
            assert_eq!(blanks_shown(text), shown);
        }
        assert_eq!(blanks_shown(&" ".repeat(4_000)), "⟨4000 spaces⟩");
    }

    #[test]
    fn a_label_passes_for_no_words_of_ours() {
        let label =
            "notes\"]  a program that only reads; approved before by you  [x, which goes on";
        let shown = labels(&[label.to_owned()]);
        assert!(shown.starts_with("\"notes\\\"]  a program"), "{shown}");
        assert!(shown.ends_with("…\""), "{shown}");
        let many: Vec<String> = (0..9).map(|number| number.to_string()).collect();
        assert_eq!(labels(&many), "\"0\", \"1\", \"2\", and 6 more");
    }
}
