//! Text helpers: removing terminal codes, shortening, and parsing lists of numbers.

use std::borrow::Cow;

/// The maximum number of bytes that are kept of a failure's output. They are searched for the failure's message and location.
/// The limit exceeds that of a message, because the location may follow the message.
pub(crate) const MAX_BODY: usize = 16 * 1024;

/// Removes ANSI escape sequences, byte order marks and carriage returns. A line that a program overwrote, such as a progress
/// bar, becomes several lines, so that no text is lost.
pub fn plain(text: &str) -> Cow<'_, str> {
    if !text.contains(['\x1b', '\u{9b}', '\r', '\u{feff}', '\u{8}']) {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(char) = chars.next() {
        match char {
            '\r' => {
                while chars.peek() == Some(&'\r') {
                    chars.next();
                }
                if chars.peek() != Some(&'\n') {
                    plain.push('\n');
                }
            }
            '\u{feff}' | '\u{8}' => {}
            '\u{9b}' => sequence(&mut chars),
            '\x1b' => match chars.peek() {
                Some('[') => {
                    chars.next();
                    sequence(&mut chars);
                }
                // The sequence of a title or a link extends to its terminator or to the end of the line.
                Some(']' | 'P' | '_' | '^') => {
                    while let Some(&next) = chars.peek() {
                        if next == '\n' {
                            break;
                        }
                        chars.next();
                        if next == '\u{7}' {
                            break;
                        }
                        if next == '\x1b' {
                            if chars.peek() == Some(&'\\') {
                                chars.next();
                            }
                            break;
                        }
                    }
                }
                // These sequences select a character set.
                Some('(' | ')') => {
                    chars.next();
                    chars.next_if(|char| char.is_ascii_alphanumeric());
                }
                _ => {}
            },
            char => plain.push(char),
        }
    }
    Cow::Owned(plain)
}

/// Skips the parameters and the final letter of an escape sequence. A truncated sequence ends with its line.
fn sequence(chars: &mut std::iter::Peekable<std::str::Chars>) {
    while let Some(&next) = chars.peek() {
        if next == '\n' {
            break;
        }
        chars.next();
        if ('@'..='~').contains(&next) {
            break;
        }
    }
}

/// Truncates `text` to at most `most` bytes, at a character boundary.
pub(crate) fn cut(mut text: String, most: usize) -> String {
    if text.len() > most {
        let mut end = most.saturating_sub('…'.len_utf8());
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        text.truncate(end);
        text.push('…');
    }
    text
}

/// Adds a line to a message, until the message has reached its maximum length.
pub(crate) fn add_line(message: &mut String, line: &str) {
    add_within(message, line, crate::limits::MAX_MESSAGE);
}

/// Adds a line to a failure's output, which is later searched for the message and the location.
pub(crate) fn add_body(body: &mut String, line: &str) {
    add_within(body, line, MAX_BODY);
}

fn add_within(text: &mut String, line: &str, most: usize) {
    if text.len() <= most {
        if !text.is_empty() {
            text.push('\n');
        }
        text.extend(line.chars().take(crate::limits::MAX_MESSAGE));
    }
}

/// Returns `text`, or `None` if it is empty.
pub(crate) fn some(text: &str) -> Option<String> {
    let text = text.trim_matches('\n').trim_end();
    (!text.trim().is_empty()).then(|| text.to_owned())
}

/// Returns the indentation of a line, as a number of spaces.
pub(crate) fn indent(line: &str) -> usize {
    line.len() - line.trim_start_matches([' ', '\t']).len()
}

/// Removes the indentation that all lines share, and empty lines at both ends.
pub(crate) fn dedent(text: &str) -> String {
    let filled = text.lines().filter(|line| !line.trim().is_empty());
    let common = filled.map(indent).min().unwrap_or(0);
    let lines: Vec<&str> = text
        .lines()
        .map(|line| line.get(common..).unwrap_or_default().trim_end())
        .collect();
    lines.join("\n").trim_matches('\n').to_owned()
}

/// Parses `5 failed, 1 skipped` into pairs of number and word. Returns `None` if a part is not such a pair.
pub(crate) fn pairs<'a>(list: &'a str, separator: &str) -> Option<Vec<(u64, &'a str)>> {
    list.split(separator).map(pair).collect()
}

/// Parses `5 failed`.
pub(crate) fn pair(text: &str) -> Option<(u64, &str)> {
    let (number, words) = text.trim().split_once(' ')?;
    Some((number.parse().ok()?, words.trim()))
}

/// Returns the number after `label` in `text`, such as 3 if `text` is `Failures: 3` and `label` is `Failures:`. Returns `None`
/// if no number follows.
pub(crate) fn after(text: &str, label: &str) -> Option<u64> {
    let (_, rest) = text.split_once(label)?;
    let rest = rest.trim_start();
    let digits = rest
        .find(|char: char| !char.is_ascii_digit())
        .unwrap_or(rest.len());
    rest[..digits].parse().ok()
}

/// Returns `name` from `name (12ms)`, if the parentheses contain a time.
pub(crate) fn without_time(name: &str) -> &str {
    let name = name.trim_end();
    match name.rsplit_once(" (") {
        Some((before, time))
            if time.ends_with(')')
                && time.starts_with(|char: char| char.is_ascii_digit() || char == '<')
                && time.trim_end_matches(')').ends_with(['s', 'm', 'h']) =>
        {
            before.trim_end()
        }
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_of_terminals_go() {
        assert_eq!(plain("\x1b[31;1mred\x1b[0m\r\nx"), "red\nx");
        assert_eq!(plain("cut \x1b[31\nx"), "cut \nx");
        assert_eq!(plain("as it is"), "as it is");
        assert_eq!(plain("\u{feff}a\r\r\nb\rc"), "a\nb\nc");
        assert_eq!(
            plain("\x1b]8;;http://a\x1b\\link\x1b]8;;\u{7} \x1b(Bx\u{9b}1my"),
            "link xy"
        );
    }

    #[test]
    fn a_text_is_cut_at_a_border() {
        assert_eq!(cut("äöü".to_owned(), 6), "äöü");
        assert_eq!(cut("äöüß".to_owned(), 6), "ä…");
    }

    #[test]
    fn numbers_have_words() {
        assert_eq!(
            pairs("5 failed, 2 passed", ", "),
            Some(vec![(5, "failed"), (2, "passed")])
        );
        assert_eq!(pairs("5 failed, no", ", "), None);
        assert_eq!(after("Tests: 5, Failures: 3.", "Failures:"), Some(3));
        assert_eq!(after("Tests: x", "Tests:"), None);
        assert_eq!(without_time("adds (1.2ms)"), "adds");
        assert_eq!(without_time("adds (row 1)"), "adds (row 1)");
        assert_eq!(dedent("\n    a\n      b\n\n"), "a\n  b");
    }
}
