//! Regular expressions of outputs as Luau patterns, where these can say the same.

use super::Why;

/// Alternatives of one expression that are written out.
const MOST: usize = 16;

/// The patterns of which the one that fits first in a text fits where the expression does.
pub(super) fn patterns(expression: &str) -> Result<Vec<String>, Why> {
    let why = || {
        format!("has an output that is read out by `{expression}`, which patterns here cannot say")
    };
    let mut reader = Reader {
        rest: expression.chars().collect(),
        at: 0,
    };
    let written = reader.sequence(false).ok_or_else(why)?;
    if reader.at != reader.rest.len()
        || !written.iter().all(|text| text.contains('('))
        || written.len() > MOST
    {
        return Err(why());
    }
    Ok(written)
}

struct Reader {
    rest: Vec<char>,
    at: usize,
}

impl Reader {
    fn peek(&self) -> Option<char> {
        self.rest.get(self.at).copied()
    }

    /// Pieces one after another, to the end or to the bracket that closes a group.
    fn sequence(&mut self, in_group: bool) -> Option<Vec<String>> {
        let mut whole = vec![String::new()];
        while let Some(c) = self.peek() {
            match c {
                ')' if in_group => break,
                '|' if in_group => break,
                '|' | ')' => return None,
                '(' => {
                    self.at += 1;
                    let parts = self.group()?;
                    whole = whole
                        .iter()
                        .flat_map(|before| {
                            parts.iter().map(move |part| format!("{before}({part})"))
                        })
                        .collect();
                    if matches!(self.peek(), Some('+' | '*' | '?' | '{')) || whole.len() > MOST {
                        return None;
                    }
                }
                _ => {
                    let piece = self.piece()?;
                    for text in &mut whole {
                        text.push_str(&piece);
                    }
                }
            }
        }
        Some(whole)
    }

    fn group(&mut self) -> Option<Vec<String>> {
        if self.peek() == Some('?') {
            return None;
        }
        let mut found = Vec::new();
        loop {
            found.extend(self.sequence(true)?);
            match self.peek() {
                Some('|') => self.at += 1,
                Some(')') => {
                    self.at += 1;
                    return Some(found);
                }
                _ => return None,
            }
        }
    }

    /// One character or class, with how often it may stand.
    fn piece(&mut self) -> Option<String> {
        let c = self.peek()?;
        self.at += 1;
        let one = match c {
            '^' if self.at == 1 => return Some("^".to_owned()),
            '$' if self.at == self.rest.len() => return Some("$".to_owned()),
            '^' | '$' | '+' | '*' | '?' | '{' | '}' => return None,
            '.' => "[^\n]".to_owned(),
            '\\' => self.escaped(false)?,
            '[' => self.class()?,
            c => plain(c),
        };
        let Some(often @ ('+' | '*' | '?')) = self.peek() else {
            return (self.peek() != Some('{')).then_some(one);
        };
        self.at += 1;
        let lazy = self.peek() == Some('?');
        if lazy {
            self.at += 1;
        }
        // A letter of several bytes is not one thing to a pattern.
        if !one.is_ascii() {
            return None;
        }
        Some(match (often, lazy) {
            ('*', true) => format!("{one}-"),
            ('+', true) => format!("{one}{one}-"),
            ('?', true) => return None,
            (often, _) => format!("{one}{often}"),
        })
    }

    fn escaped(&mut self, in_class: bool) -> Option<String> {
        let c = self.peek()?;
        self.at += 1;
        Some(match c {
            'd' => "%d".to_owned(),
            'D' if !in_class => "%D".to_owned(),
            's' => "%s".to_owned(),
            'S' if !in_class => "%S".to_owned(),
            'w' if in_class => "%w_".to_owned(),
            'w' => "[%w_]".to_owned(),
            'W' if !in_class => "[^%w_]".to_owned(),
            'n' => "\n".to_owned(),
            't' => "\t".to_owned(),
            c if c.is_ascii_alphanumeric() => return None,
            c => plain(c),
        })
    }

    fn class(&mut self) -> Option<String> {
        let mut text = "[".to_owned();
        if self.peek() == Some('^') {
            self.at += 1;
            text.push('^');
        }
        loop {
            let c = self.peek()?;
            self.at += 1;
            match c {
                ']' => {
                    text.push(']');
                    return Some(text);
                }
                '\\' => text.push_str(&self.escaped(true)?),
                '-' => text.push('-'),
                c if !c.is_ascii() => return None,
                c => text.push_str(&plain(c)),
            }
        }
    }
}

/// A character that stands for itself.
fn plain(c: char) -> String {
    if c.is_ascii_punctuation() {
        format!("%{c}")
    } else {
        c.to_string()
    }
}
