//! The critique as text: what the critic writes and the reviser reads.
//!
//! One numbered line per finding, for a person to read and edit:
//! `1. Spelling: in “They recieved the”, replace “recieved” with “received”. “recieved” is not in the dictionary.`
//! The quoted passage says where: the correction goes to the first place in it where the word stands. The reviser also
//! reads corrections in other people's words, as long as they quote both: `"recieve" should be "receive"`.

use std::ops::Range;

use loopwright_prose::Finding;

/// Opens every critique that lists something.
pub(crate) const OPENING: &str = "What to improve in this draft:";

const IN: &str = "in “";
const REPLACE: &str = "”, replace “";
const REMOVE: &str = "”, remove “";
const WITH: &str = "” with “";

/// One numbered line.
pub(crate) fn line(number: usize, draft: &str, finding: &Finding) -> String {
    let passage = passage(draft, &finding.span);
    let found = flat(&finding.found);
    let kind = finding.kind.name();
    let action = match finding.replacement.as_deref() {
        Some(with) if with.trim().is_empty() => format!("{IN}{passage}{REMOVE}{found}”."),
        Some(with) => format!("{IN}{passage}{REPLACE}{found}{WITH}{}”.", flat(with)),
        None => format!("look at “{passage}”."),
    };
    format!("{number}. {kind}: {action} {}", finding.message)
}

/// Words around `span`, such that the passage stands once in the draft and `span` is the first of its like in it.
fn passage(draft: &str, span: &Range<usize>) -> String {
    let found = &draft[span.clone()];
    let mut best = flat(found);
    for before in (0..=3).rev() {
        let start = words_back(draft, span.start, before);
        if find_word(&draft[start..span.end], found, 0)
            .is_some_and(|at| start + at.start < span.start)
        {
            continue;
        }
        for after in 3..12 {
            let end = words_on(draft, span.end, after);
            best = flat(&draft[start..end]);
            if places(draft, &best).len() == 1 || end == draft.len() {
                return best;
            }
        }
    }
    best
}

fn words_back(text: &str, from: usize, words: usize) -> usize {
    let mut at = from;
    for _ in 0..words {
        let head = text[..at].trim_end();
        // A passage stays within its paragraph.
        if head.is_empty() || text[head.len()..at].contains('\n') {
            break;
        }
        at = head.rfind(char::is_whitespace).map_or(0, |space| {
            space + head[space..].chars().next().map_or(1, char::len_utf8)
        });
    }
    at
}

fn words_on(text: &str, from: usize, words: usize) -> usize {
    // Finish the word that the span stands in first.
    let mut at = from
        + text[from..]
            .find(char::is_whitespace)
            .unwrap_or(text.len() - from);
    for _ in 0..words {
        let rest = &text[at..];
        let space = rest.len() - rest.trim_start().len();
        if space == rest.len() || rest[..space].contains('\n') {
            break;
        }
        let word = rest[space..]
            .find(char::is_whitespace)
            .unwrap_or(rest.len() - space);
        at += space + word;
    }
    at
}

fn flat(text: &str) -> String {
    text.split('\n')
        .map(str::trim_end)
        .collect::<Vec<_>>()
        .join(" ")
}

/// A correction that a critique asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Correction {
    /// Where to look; `None` when the critique quotes no passage.
    pub(crate) passage: Option<String>,
    pub(crate) found: String,
    pub(crate) replacement: String,
}

/// The corrections of a critique, in its order; lines that ask for none are passed over.
pub(crate) fn corrections(critique: &str) -> Vec<Correction> {
    critique
        .lines()
        .filter_map(|line| own(line).or_else(|| foreign(line)))
        .collect()
}

/// Whether a line is one of the critic's own corrections.
pub(crate) fn is_correction(line: &str) -> bool {
    own(line).is_some()
}

fn own(line: &str) -> Option<Correction> {
    let (_, rest) = line.split_once(IN)?;
    if let Some((passage, rest)) = rest.split_once(REPLACE) {
        let (found, rest) = rest.split_once(WITH)?;
        let (replacement, _) = rest.split_once('”')?;
        return Some(Correction {
            passage: Some(passage.to_owned()),
            found: found.to_owned(),
            replacement: replacement.to_owned(),
        });
    }
    let (passage, rest) = rest.split_once(REMOVE)?;
    let (found, _) = rest.split_once("”.")?;
    Some(Correction {
        passage: Some(passage.to_owned()),
        found: found.to_owned(),
        replacement: String::new(),
    })
}

/// `"recieve" should be "receive"`, `change 'a' to 'b'`, `“a” → “b”`.
fn foreign(line: &str) -> Option<Correction> {
    let (found, between, replacement) = two_quotes(line)?;
    let joins = [
        "→",
        "->",
        "=>",
        "should be",
        "to",
        "with",
        "becomes",
        "by",
        "for",
        "not",
    ];
    let between = between
        .trim_matches(|c: char| c.is_whitespace() || matches!(c, ',' | ':' | '*' | '(' | ')'));
    if !joins.contains(&between) && !between.starts_with("should") && !between.ends_with("with") {
        return None;
    }
    let (found, replacement) =
        if between == "not" || line.to_lowercase().contains("use") && between == "for" {
            (replacement, found)
        } else {
            (found, replacement)
        };
    (found != replacement && found.len() < 200).then(|| Correction {
        passage: None,
        found: found.to_owned(),
        replacement: replacement.to_owned(),
    })
}

fn two_quotes(line: &str) -> Option<(&str, &str, &str)> {
    for (open, close) in [('“', '”'), ('"', '"'), ('`', '`'), ('‘', '’'), ('\'', '\'')] {
        let Some((_, rest)) = line.split_once(open) else {
            continue;
        };
        let Some((first, rest)) = rest.split_once(close) else {
            continue;
        };
        let Some((between, rest)) = rest.split_once(open) else {
            continue;
        };
        let Some((second, _)) = rest.split_once(close) else {
            continue;
        };
        if !first.trim().is_empty() && between.len() < 40 {
            return Some((first, between, second));
        }
    }
    None
}

/// The draft with the corrections made, and those that could not be placed.
pub(crate) fn apply(draft: &str, corrections: &[Correction]) -> (String, Vec<Correction>) {
    let mut edits: Vec<(Range<usize>, &str)> = Vec::new();
    let mut unplaced = Vec::new();
    for correction in corrections {
        let free = |span: &Range<usize>| {
            edits
                .iter()
                .all(|(other, _)| span.end <= other.start || other.end <= span.start)
        };
        let spans: Vec<Range<usize>> = match &correction.passage {
            Some(passage) => places(draft, passage)
                .into_iter()
                .filter_map(|place| {
                    find_word(&draft[place.clone()], &correction.found, 0)
                        .map(|at| place.start + at.start..place.start + at.end)
                })
                .collect(),
            None => {
                let mut all = Vec::new();
                let mut from = 0;
                while let Some(at) = find_word(draft, &correction.found, from) {
                    from = at.end;
                    all.push(at);
                }
                // A word that is never right goes everywhere; a whole phrase once.
                all
            }
        };
        let wanted = if correction.passage.is_some() {
            1
        } else {
            usize::MAX
        };
        let placed: Vec<_> = spans.into_iter().filter(free).take(wanted).collect();
        if placed.is_empty() {
            unplaced.push(correction.clone());
        }
        edits.extend(
            placed
                .into_iter()
                .map(|span| (span, correction.replacement.as_str())),
        );
    }
    edits.sort_by_key(|(span, _)| span.start);
    let mut out = String::with_capacity(draft.len());
    let mut at = 0;
    for (span, replacement) in edits {
        out.push_str(&draft[at..span.start]);
        out.push_str(replacement);
        at = span.end;
        // What is cut out takes one of the spaces around it along.
        if replacement.is_empty() && out.ends_with(' ') && draft[at..].starts_with(' ') {
            at += 1;
        }
    }
    out.push_str(&draft[at..]);
    (out, unplaced)
}

/// Where a passage stands, white space counting as equal.
fn places(text: &str, passage: &str) -> Vec<Range<usize>> {
    let mut out = Vec::new();
    let mut from = 0;
    while let Some(at) = find_flat(text, passage, from) {
        from = at.start + text[at.start..].chars().next().map_or(1, char::len_utf8);
        out.push(at);
    }
    out
}

fn find_flat(text: &str, passage: &str, from: usize) -> Option<Range<usize>> {
    let first = passage.chars().next()?;
    text[from..]
        .char_indices()
        .filter(|&(_, letter)| letter == first)
        .find_map(|(start, _)| {
            let start = from + start;
            let mut here = text[start..].char_indices().peekable();
            let mut wanted = passage.chars().peekable();
            while let Some(letter) = wanted.next() {
                let (_, got) = here.next()?;
                if letter.is_whitespace() && got.is_whitespace() {
                    while here.next_if(|(_, c)| c.is_whitespace()).is_some() {}
                    while wanted.next_if(|c| c.is_whitespace()).is_some() {}
                } else if letter != got {
                    return None;
                }
            }
            let end = here.peek().map_or(text.len(), |&(at, _)| start + at);
            Some(start..end)
        })
}

/// `word` standing on its own, at or after `from`.
fn find_word(text: &str, word: &str, from: usize) -> Option<Range<usize>> {
    let mut from = from;
    loop {
        let at = find_flat(text, word, from)?;
        let inner = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        let starts = !inner(word.chars().next()) || !inner(text[..at.start].chars().next_back());
        let ends = !inner(word.chars().next_back()) || !inner(text[at.end..].chars().next());
        if starts && ends {
            return Some(at);
        }
        from = at.start + text[at.start..].chars().next().map_or(1, char::len_utf8);
    }
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
            let (revised, unplaced) = apply(draft, &corrections(&critique));
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
    fn what_cannot_be_placed_is_said() {
        let (text, unplaced) = apply(
            "Nothing here.",
            &corrections("1. Spelling: in “wich one”, replace “wich” with “which”."),
        );
        assert_eq!((text.as_str(), unplaced.len()), ("Nothing here.", 1));
    }
}
