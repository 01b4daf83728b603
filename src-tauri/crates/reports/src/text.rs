//! Texts: without the codes of terminals, and cut to a length.

use std::borrow::Cow;

/// `text` without ANSI escape sequences and carriage returns before line ends.
pub(crate) fn plain(text: &str) -> Cow<'_, str> {
    if !text.contains(['\x1b', '\r']) {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(char) = chars.next() {
        match char {
            '\r' if chars.peek() == Some(&'\n') => {}
            '\x1b' if chars.peek() == Some(&'[') => {
                chars.next();
                // Parameters, then one final letter. A sequence that is cut off ends with its line.
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
            '\x1b' => {}
            char => plain.push(char),
        }
    }
    Cow::Owned(plain)
}

/// `text`, cut at a character's border to `most` bytes.
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

/// Adds a line to a message that nobody reads beyond its bound.
pub(crate) fn add_line(message: &mut String, line: &str) {
    if message.len() <= crate::MAX_MESSAGE {
        if !message.is_empty() {
            message.push('\n');
        }
        message.extend(line.chars().take(crate::MAX_MESSAGE));
    }
}

/// The text, unless nothing is in it.
pub(crate) fn some(text: &str) -> Option<String> {
    let text = text.trim_matches('\n').trim_end();
    (!text.trim().is_empty()).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_of_terminals_go() {
        assert_eq!(plain("\x1b[31;1mred\x1b[0m\r\nx"), "red\nx");
        assert_eq!(plain("cut \x1b[31\nx"), "cut \nx");
        assert_eq!(plain("as it is"), "as it is");
    }

    #[test]
    fn a_text_is_cut_at_a_border() {
        assert_eq!(cut("äöü".to_owned(), 6), "äöü");
        assert_eq!(cut("äöüß".to_owned(), 6), "ä…");
    }
}
