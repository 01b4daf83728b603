//! Where sentences end, for counting and quoting. Deliberately simple: no dictionary, so that a text and its
//! revision are cut by the same marks.

use std::ops::Range;

const ABBREVIATIONS: &[&str] = &[
    "dr", "mr", "mrs", "ms", "prof", "st", "e.g", "i.e", "etc", "vs", "cf", "fig", "jr", "sr",
    "u.s", "a.m", "p.m",
];

/// The byte ranges of the sentences of `text`, without the white space between them. A line break after which a blank
/// line, a list mark or a heading stands ends a sentence too.
pub fn sentences(text: &str) -> Vec<Range<usize>> {
    let mut out = Vec::new();
    let mut start = 0;
    let mut chars = text.char_indices().peekable();
    let mut push = |from: usize, to: usize| {
        let part = &text[from..to];
        let lead = part.len() - part.trim_start().len();
        let body = part.trim();
        if body.chars().any(char::is_alphanumeric) {
            out.push(from + lead..from + lead + body.len());
        }
    };
    while let Some((at, letter)) = chars.next() {
        match letter {
            '.' | '!' | '?' => {
                let mut end = at + letter.len_utf8();
                while let Some(&(next_at, next)) = chars.peek() {
                    if matches!(next, '.' | '!' | '?' | '"' | '\'' | ')' | ']' | '”' | '’') {
                        end = next_at + next.len_utf8();
                        chars.next();
                    } else {
                        break;
                    }
                }
                let ends = chars.peek().is_none_or(|(_, next)| next.is_whitespace());
                if ends && !(letter == '.' && abbreviated(&text[start..at])) {
                    push(start, end);
                    start = end;
                }
            }
            '\n' => {
                let rest = text[at + 1..].trim_start_matches([' ', '\t']);
                let breaks = rest.starts_with(['\n', '#', '>', '|'])
                    || rest.starts_with("- ")
                    || rest.starts_with("* ")
                    || rest.split_once('.').is_some_and(|(mark, _)| {
                        !mark.is_empty() && mark.bytes().all(|b| b.is_ascii_digit())
                    });
                if breaks {
                    push(start, at);
                    start = at + 1;
                }
            }
            _ => {}
        }
    }
    push(start, text.len());
    out
}

/// How many sentences `text` has.
pub fn count(text: &str) -> usize {
    sentences(text).len()
}

fn abbreviated(before: &str) -> bool {
    let word = before
        .rsplit(|c: char| c.is_whitespace() || c == '(')
        .next()
        .unwrap_or_default();
    let letters = word.chars().count();
    (letters == 1 && word.chars().all(|c| c.is_uppercase() && c != 'I'))
        || ABBREVIATIONS.contains(&word.to_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_sentences() {
        for (text, expected) in [
            ("", 0),
            ("One. Two! Three?", 3),
            ("Dr. Who met J. Smith at 3.5 p.m. today. He left.", 2),
            (
                "# Title\n\nA line\nthat goes on. Another.\n\n- item one\n- item two",
                5,
            ),
            ("He said \"Stop!\" Then he left...", 2),
        ] {
            assert_eq!(count(text), expected, "{text:?}: {:?}", sentences(text));
        }
    }
}
