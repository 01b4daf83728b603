//! A script of the shell as words and signs.

use super::Why;

/// A word: its parts, one after another.
pub(super) type Word = Vec<Part>;

#[derive(Debug, Clone)]
pub(super) enum Part {
    Text(String),
    /// A variable, what stands for it where it is empty, and whether it is in quotes.
    Variable(String, Option<Box<Part>>, bool),
    Template(String, bool),
    Arithmetic(String),
    /// The script within `$(…)`.
    Output(String, bool),
}

#[derive(Debug, Clone)]
pub(super) enum Token {
    Word(Word),
    Sign(&'static str),
}

/// The words and signs of a script whose lines are joined where they go on.
pub(super) fn tokens(source: &str) -> Result<Vec<Token>, Why> {
    Lexer { rest: source }.tokens()
}

struct Lexer<'s> {
    rest: &'s str,
}

impl Lexer<'_> {
    fn tokens(mut self) -> Result<Vec<Token>, Why> {
        let mut tokens = Vec::new();
        loop {
            self.rest = self.rest.trim_start_matches([' ', '\t']);
            let Some(first) = self.rest.chars().next() else {
                return Ok(tokens);
            };
            if first == '#' {
                let end = self.rest.find('\n').unwrap_or(self.rest.len());
                self.rest = &self.rest[end..];
                continue;
            }
            let sign = ["&&", "||", ";;", "\n", ";", "|", "(", ")", "<", ">", "&"]
                .into_iter()
                .find(|sign| self.rest.starts_with(sign));
            match sign {
                Some("<" | ">" | "&" | "(" | ")" | ";;") => {
                    return Err(format!(
                        "has `{}`, which reaches files or other programs",
                        sign.unwrap_or_default()
                    ));
                }
                Some(sign) => {
                    self.rest = &self.rest[sign.len()..];
                    tokens.push(Token::Sign(sign));
                }
                None => tokens.push(Token::Word(self.word()?)),
            }
        }
    }

    fn word(&mut self) -> Result<Word, Why> {
        let mut word = Word::new();
        while let Some(c) = self.rest.chars().next() {
            // A redirection of what goes wrong to nowhere changes nothing: nothing goes wrong here.
            if let Some(rest) = ["2>/dev/null", "2>&1", ">&2"]
                .iter()
                .find_map(|sign| self.rest.strip_prefix(sign))
            {
                if self.rest.starts_with(">&2") {
                    return Err("prints to where errors go".to_owned());
                }
                self.rest = rest;
                continue;
            }
            match c {
                ' ' | '\t' | '\n' | ';' | '&' | '|' | '<' | '>' | '(' | ')' => break,
                '\'' => {
                    let inner = &self.rest[1..];
                    let end = inner.find('\'').ok_or("has a quote that nothing closes")?;
                    literals(&inner[..end], &mut word)?;
                    self.rest = &inner[end + 1..];
                }
                '"' => {
                    self.rest = &self.rest[1..];
                    // Quotes that hold nothing are a word all the same.
                    text(&mut word, "");
                    loop {
                        match self
                            .rest
                            .chars()
                            .next()
                            .ok_or("has a quote that nothing closes")?
                        {
                            '"' => {
                                self.rest = &self.rest[1..];
                                break;
                            }
                            '\\' => {
                                let next = self.rest[1..]
                                    .chars()
                                    .next()
                                    .ok_or("ends with a backslash")?;
                                if ['"', '\\', '$', '`'].contains(&next) {
                                    text(&mut word, &next.to_string());
                                } else {
                                    text(&mut word, &format!("\\{next}"));
                                }
                                self.rest = &self.rest[1 + next.len_utf8()..];
                            }
                            _ => self.part(&mut word, true)?,
                        }
                    }
                }
                '\\' => {
                    let next = self.rest[1..]
                        .chars()
                        .next()
                        .ok_or("ends with a backslash")?;
                    text(&mut word, &next.to_string());
                    self.rest = &self.rest[1 + next.len_utf8()..];
                }
                '*' | '?' if !self.rest.starts_with("?=") => {
                    return Err("names files by a pattern".to_owned());
                }
                _ => self.part(&mut word, false)?,
            }
        }
        Ok(word)
    }

    /// A `$…`, a `{{ … }}` or one character.
    fn part(&mut self, word: &mut Word, quoted: bool) -> Result<(), Why> {
        if let Some(inner) = self.rest.strip_prefix("{{") {
            let end = inner.find("}}").ok_or("has `{{` without `}}`")?;
            word.push(Part::Template(inner[..end].trim().to_owned(), quoted));
            self.rest = &inner[end + 2..];
            return Ok(());
        }
        if let Some(inner) = self.rest.strip_prefix("$((") {
            let end = inner.find("))").ok_or("has `$((` without `))`")?;
            word.push(Part::Arithmetic(inner[..end].to_owned()));
            self.rest = &inner[end + 2..];
            return Ok(());
        }
        if let Some(inner) = self.rest.strip_prefix("$(") {
            let end = closing(inner).ok_or("has `$(` without `)`")?;
            word.push(Part::Output(inner[..end].to_owned(), quoted));
            self.rest = &inner[end + 1..];
            return Ok(());
        }
        if let Some(inner) = self.rest.strip_prefix("${") {
            let end = inner.find('}').ok_or("has `${` without `}`")?;
            let (name, instead) = match inner[..end].split_once(":-") {
                Some((name, instead)) => (
                    name,
                    Some(Box::new(Part::Text(
                        instead.trim_matches(['"', '\'']).to_owned(),
                    ))),
                ),
                None => (&inner[..end], None),
            };
            if !is_name(name)
                || matches!(&instead, Some(part) if matches!(&**part, Part::Text(text) if text.contains('$')))
            {
                return Err(format!("has `${{{}}}`", &inner[..end]));
            }
            word.push(Part::Variable(name.to_owned(), instead, quoted));
            self.rest = &inner[end + 1..];
            return Ok(());
        }
        if let Some(inner) = self.rest.strip_prefix('$') {
            let end = inner
                .find(|c: char| c != '_' && !c.is_ascii_alphanumeric())
                .unwrap_or(inner.len());
            if is_name(&inner[..end]) {
                word.push(Part::Variable(inner[..end].to_owned(), None, quoted));
                self.rest = &inner[end..];
                return Ok(());
            }
            if inner.starts_with(|c: char| "?!#@*-$0123456789".contains(c)) {
                return Err(format!(
                    "reads `${}`",
                    &inner[..inner.chars().next().map_or(0, char::len_utf8)]
                ));
            }
        }
        if self.rest.starts_with('`') {
            return Err("has a command in backquotes".to_owned());
        }
        let c = self.rest.chars().next().unwrap_or_default();
        text(word, &c.to_string());
        self.rest = &self.rest[c.len_utf8()..];
        Ok(())
    }
}

/// Where the bracket of a `$(` closes.
fn closing(inner: &str) -> Option<usize> {
    let mut depth = 0_usize;
    let mut quote = None;
    for (at, c) in inner.char_indices() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (Some('\''), _) => {}
            (None, '\'' | '"') => quote = Some(c),
            (_, '(') => depth += 1,
            (_, ')') if depth == 0 => return Some(at),
            (_, ')') => depth -= 1,
            _ => {}
        }
    }
    None
}

/// Text in single quotes: templates are put in there as well, before a shell sees it.
fn literals(inner: &str, word: &mut Word) -> Result<(), Why> {
    let mut rest = inner;
    text(word, "");
    while let Some(at) = rest.find("{{") {
        text(word, &rest[..at]);
        let end = rest[at..].find("}}").ok_or("has `{{` without `}}`")?;
        word.push(Part::Template(
            rest[at + 2..at + end].trim().to_owned(),
            true,
        ));
        rest = &rest[at + end + 2..];
    }
    text(word, rest);
    Ok(())
}

/// Puts text at the end of a word.
pub(super) fn text(word: &mut Word, more: &str) {
    if let Some(Part::Text(text)) = word.last_mut() {
        text.push_str(more);
    } else {
        word.push(Part::Text(more.to_owned()));
    }
}

pub(super) fn is_name(name: &str) -> bool {
    !name.is_empty()
        && !name.starts_with(|c: char| c.is_ascii_digit())
        && name.bytes().all(|b| b == b'_' || b.is_ascii_alphanumeric())
}

/// A word that is one plain text.
pub(super) fn plain(word: &Word) -> Option<&str> {
    match word.as_slice() {
        [Part::Text(text)] => Some(text),
        _ => None,
    }
}
