//! Finds the length of a literal in a Rust source and, if the literal is a string, its value.

/// Returns the length of the character literal at the beginning of `rest`, or 1 if the `'` there begins a lifetime.
pub(crate) fn char_length(rest: &str) -> usize {
    let mut chars = rest.char_indices().skip(1);
    match (chars.next(), chars.next()) {
        (Some((_, '\\')), Some((at, escaped))) => {
            let behind = at + escaped.len_utf8();
            rest[behind..]
                .find('\'')
                .map_or(rest.len(), |end| behind + end + 1)
        }
        (_, Some((at, '\''))) => at + 1,
        _ => 1,
    }
}

/// Returns the length of the string literal at the beginning of `rest`, and its value, in which a space replaces each escaped
/// character and each line break.
pub(crate) fn string(rest: &str) -> (usize, String) {
    let mut text = String::new();
    let mut chars = rest.char_indices().skip(1).peekable();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return (at + 1, text),
            '\\' => match chars.next() {
                // The spaces that indent the next line are not part of the string.
                Some((_, '\n')) => while chars.next_if(|(_, c)| c.is_whitespace()).is_some() {},
                _ => text.push(' '),
            },
            '\n' => text.push(' '),
            c => text.push(c),
        }
    }
    (rest.len(), text)
}

/// Returns the length of the raw string at the beginning of `rest`, without its prefix, and its value, in which a space
/// replaces each line break. `None` if `rest` does not begin with a raw string.
pub(crate) fn raw_string(prefix: &str, rest: &str) -> Option<(usize, String)> {
    if !["r", "br", "cr"].contains(&prefix) {
        return None;
    }
    let text = rest.trim_start_matches('#').strip_prefix('"')?;
    let marks = rest.len() - text.len() - 1;
    let end = format!("\"{}", "#".repeat(marks));
    let length = text.find(&end).unwrap_or(text.len());
    let behind = (marks + 1 + length + end.len()).min(rest.len());
    Some((behind, text[..length].replace('\n', " ")))
}

pub(crate) fn is_part(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}
