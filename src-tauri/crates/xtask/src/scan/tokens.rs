//! The tokens of a Rust source, without comments, literals and code that is compiled only for tests.

use crate::literals::{char_length, is_part, raw_string, string};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token<'a> {
    Word(&'a str),
    /// The token `::`.
    Path,
    Mark(char),
}

/// The tokens of a source, and the modules that its `#[cfg(test)] mod name;` lines declare.
#[derive(Debug, Default)]
pub(super) struct Tokens<'a> {
    pub(super) code: Vec<Token<'a>>,
    pub(super) test_modules: Vec<&'a str>,
}

pub(super) fn tokens(source: &str) -> Tokens<'_> {
    without_tests(&all(source))
}

fn all(source: &str) -> Vec<Token<'_>> {
    let mut found = Vec::new();
    let mut rest = source;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
            '\'' => char_length(rest),
            '"' => string(rest).0,
            ':' if rest.starts_with("::") => {
                found.push(Token::Path);
                2
            }
            first if is_part(first) => {
                let length = rest.find(|c: char| !is_part(c)).unwrap_or(rest.len());
                let (word, behind) = rest.split_at(length);
                match raw_string(word, behind) {
                    Some((literal, _)) => length + literal,
                    None => {
                        found.push(Token::Word(word));
                        length
                    }
                }
            }
            first => {
                if !first.is_whitespace() {
                    found.push(Token::Mark(first));
                }
                first.len_utf8()
            }
        };
        rest = rest.split_at(length).1;
    }
    found
}

fn without_tests<'a>(all: &[Token<'a>]) -> Tokens<'a> {
    let mut kept = Tokens::default();
    let mut rest = all;
    while let Some(first) = rest.first() {
        let length = attribute_length(rest);
        if length > 0 && is_of_tests(&rest[..length]) {
            let item = &rest[length..];
            let end = item_length(item);
            if let [Token::Word("mod"), Token::Word(name), Token::Mark(';')] =
                &item[attributes_length(item)..end]
            {
                kept.test_modules.push(name);
            }
            rest = &item[end..];
        } else {
            kept.code.push(*first);
            rest = &rest[1..];
        }
    }
    kept
}

/// Returns the length in tokens of the `#[…]` at the beginning, or 0 if there is none.
fn attribute_length(tokens: &[Token]) -> usize {
    if tokens.starts_with(&[Token::Mark('#'), Token::Mark('[')]) {
        1 + group_length(&tokens[1..])
    } else {
        0
    }
}

fn attributes_length(tokens: &[Token]) -> usize {
    let mut length = 0;
    loop {
        match attribute_length(&tokens[length..]) {
            0 => return length,
            more => length += more,
        }
    }
}

/// Returns whether an attribute is `#[cfg(test)]` or `#[cfg(all(test, …))]`.
fn is_of_tests(attribute: &[Token]) -> bool {
    let has = |word| attribute.contains(&Token::Word(word));
    attribute.get(2) == Some(&Token::Word("cfg")) && has("test") && !has("not") && !has("any")
}

/// Returns the length, in tokens, of the item at the beginning with its attributes. The item ends with a semicolon or with the
/// braces of its body. The braces of a value or of a list of names do not end it; such an item ends with a semicolon.
fn item_length(tokens: &[Token]) -> usize {
    let mut at = attributes_length(tokens);
    let mut ends_with_brace = true;
    while let Some(token) = tokens.get(at) {
        match token {
            Token::Word("use" | "static" | "type") => ends_with_brace = false,
            Token::Word("const") => {
                ends_with_brace = tokens.get(at + 1) == Some(&Token::Word("fn"))
            }
            Token::Mark(';') => return at + 1,
            Token::Mark(opens @ ('(' | '[' | '{')) => {
                at += group_length(&tokens[at..]);
                if *opens == '{' && ends_with_brace {
                    return at;
                }
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    at
}

/// Returns the length in tokens from the bracket at the beginning to the one that closes it.
fn group_length(tokens: &[Token]) -> usize {
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate() {
        match token {
            Token::Mark('(' | '[' | '{') => depth += 1,
            Token::Mark(')' | ']' | '}') => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return at + 1;
        }
    }
    tokens.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(source: &str) -> Vec<&str> {
        let words = tokens(source).code.into_iter();
        words
            .filter_map(|token| match token {
                Token::Word(word) => Some(word),
                _ => None,
            })
            .collect()
    }

    #[test]
    fn only_code_is_kept() {
        for (source, kept) in [
            ("a /* b */ c // d\ne", vec!["a", "c", "e"]),
            ("f(\"a\", 'b', r#\"c\"#, x)", vec!["f", "x"]),
            ("f::<'a>(b)", vec!["f", "a", "b"]),
            (
                "a #[cfg(test)] mod tests { fn b() { {} } } c",
                vec!["a", "c"],
            ),
            ("#[cfg(all(test, unix))] #[x] mod tests {} c", vec!["c"]),
            ("#[cfg(test)] use a::{b, c}; d", vec!["d"]),
            (
                "#[cfg(test)] pub(crate) fn a(b: [u8; 2]) -> C { d; } e",
                vec!["e"],
            ),
            ("#[cfg(test)] const A: B = { c }; d", vec!["d"]),
            ("#[cfg(not(test))] a", vec!["cfg", "not", "test", "a"]),
        ] {
            assert_eq!(words(source), kept, "{source}");
        }
    }

    #[test]
    fn modules_of_tests_are_told() {
        let source = "mod a; #[cfg(test)] mod b; #[cfg(test)] #[allow(x)] mod c; mod d;";
        assert_eq!(tokens(source).test_modules, ["b", "c"]);
        assert_eq!(words(source), ["mod", "a", "mod", "d"]);
    }
}
