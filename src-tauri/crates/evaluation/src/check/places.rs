//! Finds the positions of values in JSON text.

/// The path and the position of a value in JSON text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    /// The path of the value, such as `scorers[1].rubric`. It is empty for the root.
    pub(super) path: String,
    /// The byte offset of the value's name, or of the value if it has no name.
    pub(super) start: usize,
    /// The byte range of the value.
    pub(super) value: std::ops::Range<usize>,
}

/// Returns the path and position of every value in valid JSON text, outer values first.
pub(super) fn find(text: &str) -> Vec<Place> {
    let mut scanner = Scanner {
        text: text.as_bytes(),
        at: 0,
        found: Vec::new(),
    };
    scanner.skip_space();
    scanner.value(String::new(), scanner.at);
    scanner.found
}

/// Returns the innermost value that contains the byte before `offset`. Returns `None` if no value contains it.
pub(super) fn around(places: &[Place], offset: usize) -> Option<&Place> {
    places
        .iter()
        .rev()
        .find(|place| place.value.start < offset && offset <= place.value.end)
}

/// Returns the line and column of a byte, both from 1. Columns count characters.
pub(super) fn line_and_column(text: &str, offset: usize) -> (usize, usize) {
    let mut offset = offset.min(text.len());
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    let before = &text[..offset];
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    (
        before.matches('\n').count() + 1,
        before[line_start..].chars().count() + 1,
    )
}

/// Converts the position in a `serde_json` error to the byte offset after it. The position is the line and column of
/// the last byte that `serde_json` read.
pub(super) fn offset(text: &str, line: usize, column: usize) -> usize {
    let mut start = 0;
    for _ in 1..line {
        match text[start..].find('\n') {
            Some(at) => start += at + 1,
            None => return text.len(),
        }
    }
    (start + column).min(text.len())
}

struct Scanner<'a> {
    text: &'a [u8],
    at: usize,
    found: Vec<Place>,
}

impl Scanner<'_> {
    fn peek(&self) -> u8 {
        self.text.get(self.at).copied().unwrap_or(0)
    }

    fn skip_space(&mut self) {
        while self.peek().is_ascii_whitespace() {
            self.at += 1;
        }
    }

    fn value(&mut self, path: String, start: usize) {
        let index = self.found.len();
        self.found.push(Place {
            path: path.clone(),
            start,
            value: self.at..self.at,
        });
        match self.peek() {
            b'{' => self.items(b'}', &path),
            b'[' => self.items(b']', &path),
            b'"' => {
                self.string();
            }
            _ => {
                while !matches!(self.peek(), b',' | b'}' | b']' | 0)
                    && !self.peek().is_ascii_whitespace()
                {
                    self.at += 1;
                }
            }
        }
        self.found[index].value.end = self.at;
    }

    fn items(&mut self, end: u8, path: &str) {
        self.at += 1;
        let mut number = 0;
        loop {
            self.skip_space();
            match self.peek() {
                0 => return,
                b',' => self.at += 1,
                byte if byte == end => {
                    self.at += 1;
                    return;
                }
                b'"' if end == b'}' => {
                    let start = self.at;
                    let name = self.string();
                    self.skip_space();
                    // Skips the colon.
                    self.at += 1;
                    self.skip_space();
                    let dot = if path.is_empty() { "" } else { "." };
                    self.value(format!("{path}{dot}{name}"), start);
                }
                _ => {
                    let before = self.at;
                    self.value(format!("{path}[{number}]"), before);
                    number += 1;
                    // Nothing was consumed, so the text is not JSON. Skipping a byte prevents an endless loop.
                    if self.at == before {
                        self.at += 1;
                    }
                }
            }
        }
    }

    fn string(&mut self) -> String {
        let start = self.at;
        self.at += 1;
        while !matches!(self.peek(), b'"' | 0) {
            self.at += if self.peek() == b'\\' { 2 } else { 1 };
        }
        self.at = (self.at + 1).min(self.text.len());
        serde_json::from_slice(&self.text[start..self.at]).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_has_its_path() {
        let text = "{\"a\": [1, {\"b\\\"\": \"]}\"}], \"é\": null}";
        let places = find(text);
        let paths: Vec<_> = places
            .iter()
            .map(|place| (place.path.as_str(), &text[place.value.clone()]))
            .collect();
        assert_eq!(
            paths,
            [
                ("", text),
                ("a", "[1, {\"b\\\"\": \"]}\"}]"),
                ("a[0]", "1"),
                ("a[1]", "{\"b\\\"\": \"]}\"}"),
                ("a[1].b\"", "\"]}\""),
                ("é", "null"),
            ]
        );
        assert_eq!(around(&places, 8).unwrap().path, "a[0]");
        assert_eq!(line_and_column("é\nab", 5), (2, 3));
        assert_eq!(offset("ab\ncd", 2, 1), 4);
        // Malformed text must not cause an endless loop.
        for text in ["", "{", "[1", "{\"a", "[}]", "\"\\", "{,}", "]"] {
            find(text);
        }
    }
}
