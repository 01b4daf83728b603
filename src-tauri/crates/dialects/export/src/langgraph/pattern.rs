//! Translates the regular expressions of `matching` for Python's `re`.
//!
//! Syntax with the same meaning is copied. Other syntax is rewritten. If that is impossible, the error names it.

use std::iter::Peekable;

/// Unicode white space, as the content of a character class. Python's `\s` includes four more control characters.
const SPACE: &str =
    "\\t\\n\\x0b\\x0c\\r \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000";

/// Translates a pattern to Python.
///
/// # Errors
/// Returns an error if a part has no equivalent. The error is the text of that part, such as `` `\b` ``.
pub(super) fn python(pattern: &str) -> Result<String, String> {
    let mut written = String::with_capacity(pattern.len());
    let mut letters = pattern.chars().peekable();
    // Whether a repeat count may follow the preceding element.
    let mut repeatable = false;
    while let Some(letter) = letters.next() {
        match letter {
            '(' => {
                if letters.next_if_eq(&'?').is_some() {
                    if letters.next_if_eq(&':').is_none() {
                        return Err("a group with flags or a name (`(?…`)".to_owned());
                    }
                    written.push_str("(?:");
                } else {
                    written.push('(');
                }
                repeatable = false;
                continue;
            }
            ')' => written.push(')'),
            '|' => {
                written.push('|');
                repeatable = false;
                continue;
            }
            '^' => {
                written.push('^');
                repeatable = false;
                continue;
            }
            // Python's `$` also matches before a final line break.
            '$' => {
                written.push_str("\\Z");
                repeatable = false;
                continue;
            }
            '.' => written.push('.'),
            '*' | '+' | '?' => {
                repeated(repeatable)?;
                written.push(letter);
                lazy(&mut letters, &mut written)?;
                repeatable = false;
                continue;
            }
            '{' => {
                repeated(repeatable)?;
                let counts: String =
                    std::iter::from_fn(|| letters.next_if(|c| *c != '}')).collect();
                if letters.next().is_none() || !is_count(&counts) {
                    return Err(format!("the quantifier `{{{counts}}}`"));
                }
                written.push_str(&format!("{{{counts}}}"));
                lazy(&mut letters, &mut written)?;
                repeatable = false;
                continue;
            }
            '[' => class(&mut letters, &mut written)?,
            '\\' => written.push_str(&escape(letters.next(), false)?),
            ']' | '}' => written.push_str(&format!("\\{letter}")),
            other => written.push(other),
        }
        repeatable = true;
    }
    Ok(written)
}

fn repeated(repeatable: bool) -> Result<(), String> {
    match repeatable {
        true => Ok(()),
        false => Err("a quantifier that repeats nothing or follows another quantifier,".to_owned()),
    }
}

fn lazy(letters: &mut Peekable<std::str::Chars<'_>>, written: &mut String) -> Result<(), String> {
    if letters.next_if_eq(&'?').is_some() {
        written.push('?');
    }
    match letters.peek() {
        Some('*' | '+' | '?' | '{') => repeated(false),
        _ => Ok(()),
    }
}

/// Returns whether the text between braces is a repeat count: `3`, `3,` or `3,5`.
fn is_count(counts: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    match counts.split_once(',') {
        Some((least, most)) => digits(least) && (most.is_empty() || digits(most)),
        None => digits(counts),
    }
}

/// Translates a character class, after its opening bracket. Fails if it is not closed, or if Python would read it
/// differently.
fn class(letters: &mut Peekable<std::str::Chars<'_>>, written: &mut String) -> Result<(), String> {
    written.push('[');
    if letters.next_if_eq(&'^').is_some() {
        written.push('^');
    }
    let mut first = true;
    loop {
        let Some(letter) = letters.next() else {
            return Err("a character class that is not closed".to_owned());
        };
        match letter {
            ']' if !first => break,
            ']' | '[' => return Err("a bracket within a character class".to_owned()),
            '\\' => written.push_str(&escape(letters.next(), true)?),
            '&' | '~' | '-' if letters.peek() == Some(&letter) => {
                return Err(format!("`{letter}{letter}` within a class"));
            }
            // Inside a class these characters are literal; in Python they need an escape to stay literal.
            '^' | '|' => written.push_str(&format!("\\{letter}")),
            other => written.push(other),
        }
        first = false;
    }
    written.push(']');
    Ok(())
}

fn escape(letter: Option<char>, in_class: bool) -> Result<String, String> {
    let spaces = |negated: bool| match (in_class, negated) {
        (true, false) => Ok(SPACE.to_owned()),
        (true, true) => Err("`\\S` within a class".to_owned()),
        (false, true) => Ok(format!("[^{SPACE}]")),
        (false, false) => Ok(format!("[{SPACE}]")),
    };
    match letter {
        Some('s') => spaces(false),
        Some('S') => spaces(true),
        Some(same @ ('d' | 'D' | 'n' | 't' | 'r')) => Ok(format!("\\{same}")),
        Some('w' | 'W') => Err("`\\w` (write `[A-Za-z0-9_]` or the intended letters)".to_owned()),
        Some(sign) if sign.is_ascii_punctuation() && !matches!(sign, '<' | '>') => {
            Ok(format!("\\{sign}"))
        }
        Some(other) => Err(format!("`\\{other}`")),
        None => Err("a `\\` at the end".to_owned()),
    }
}
