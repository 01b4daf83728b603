//! The position of an error in its source, so that an editor can underline it.

use std::ops::Range;

use crate::error::TemplateError;

impl TemplateError {
    /// Returns the byte range of `source` to underline for the error: a word, a symbol, or the whole line if only the line is
    /// known. `None` if the position is unknown.
    pub fn place(&self, source: &str) -> Option<Range<usize>> {
        let (line, column) = self.at?;
        let begins: usize = source
            .split_inclusive('\n')
            .take(line.saturating_sub(1))
            .map(str::len)
            .sum();
        let text = source.get(begins..)?.lines().next().unwrap_or_default();
        if column == 0 {
            let indent = text.len() - text.trim_start().len();
            return Some(begins + indent..begins + text.trim_end().len().max(indent));
        }
        let start = text
            .char_indices()
            .nth(column - 1)
            .map_or(text.len(), |(at, _)| at);
        let rest = &text[start..];
        let is_word = |c: char| c == '_' || c.is_alphanumeric();
        let word = rest.chars().take_while(|c| is_word(*c)).count();
        let marks = ["{{", "{%", "{#", "}}", "%}", "=="];
        let length = if marks.iter().any(|mark| rest.starts_with(mark)) {
            2
        } else {
            rest.chars().take(word.max(1)).map(char::len_utf8).sum()
        };
        // Past the end of the line, the last character is underlined instead.
        Some(if length == 0 {
            let before = text[..start].chars().next_back().map_or(0, char::len_utf8);
            begins + start - before..begins + start
        } else {
            begins + start..begins + start + length
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mistake_covers_its_word_its_mark_or_its_line() {
        let at = |source: &str, line, column| {
            let error = TemplateError {
                at: Some((line, column)),
                ..TemplateError::new("template_syntax", "")
            };
            error.place(source).map(|at| source[at].to_owned())
        };
        assert_eq!(at("a\nä {{ b", 2, 3).as_deref(), Some("{{"));
        assert_eq!(at("{{ x | uper }}", 1, 8).as_deref(), Some("uper"));
        assert_eq!(at("x >", 1, 4).as_deref(), Some(">"));
        assert_eq!(at("local a\n  b = \nc", 2, 0).as_deref(), Some("b ="));
        assert_eq!(at("", 1, 1).as_deref(), Some(""));
    }
}
