//! Splits a template into literal text, outputs and tags, and splits the contents of outputs and tags into tokens.
//!
//! Tera does not expose its syntax tree. This crate derives what it needs (the names read, single expressions, nesting depth)
//! from the tokens, using Tera's lexical rules.

use crate::{bounds::MAX_SOURCE, error::TemplateError};

/// A piece of a template, as written in the source.
#[derive(Debug, PartialEq)]
pub enum Piece<'s> {
    /// Literal text.
    Text(&'s str),
    /// A comment or a raw block, unchanged.
    Verbatim(&'s str),
    /// An output: `{{ … }}`.
    Output(Block<'s>),
    /// A tag: `{% … %}`.
    Tag(Block<'s>),
}

/// The contents of `{{ }}` or `{% %}`.
#[derive(Debug, PartialEq)]
pub struct Block<'s> {
    pub tokens: Vec<Token<'s>>,
    /// The byte offset in the source at which the block begins.
    pub at: usize,
    /// Whether the block begins with `{{-` or `{%-`, which removes the white space before it.
    pub trims_before: bool,
    /// Whether the block ends with `-}}` or `-%}`, which removes the white space after it.
    pub trims_after: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Name,
    Number,
    /// A quoted string, including its quotes.
    Quoted,
    Symbol,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token<'s> {
    pub kind: Kind,
    pub text: &'s str,
    pub at: usize,
}

impl Token<'_> {
    pub fn is(&self, symbol: &str) -> bool {
        self.kind == Kind::Symbol && self.text == symbol
    }

    pub fn is_name(&self, name: &str) -> bool {
        self.kind == Kind::Name && self.text == name
    }
}

/// Symbols of more than one character, longest first.
const LONG_SYMBOLS: [&str; 9] = ["...", "//", "**", "==", "!=", ">=", "<=", "?.", "?["];

/// Returns an error if the source is too long.
pub(crate) fn check_size(source: &str) -> Result<(), TemplateError> {
    if source.len() > MAX_SOURCE {
        return Err(TemplateError::new(
            "template_syntax",
            format!(
                "The template is {} KB, and the limit is {} KB. Put long text into an input or a file.",
                source.len() / 1024,
                MAX_SOURCE / 1024
            ),
        ));
    }
    Ok(())
}

/// Splits a template into literal text, comments, outputs and tags.
///
/// # Errors
/// `template_syntax` if a comment, an output or a tag is not closed, or if its contents cannot be split into tokens.
pub fn pieces(source: &str) -> Result<Vec<Piece<'_>>, TemplateError> {
    let mut pieces = Vec::new();
    let mut at = 0;
    while at < source.len() {
        let rest = &source[at..];
        let start = rest
            .as_bytes()
            .windows(2)
            .position(|pair| matches!(pair, b"{{" | b"{%" | b"{#"))
            .unwrap_or(rest.len());
        if start > 0 {
            pieces.push(Piece::Text(&rest[..start]));
            at += start;
            continue;
        }
        match rest.as_bytes()[1] {
            b'#' => {
                let end = rest.find("#}").ok_or_else(|| {
                    TemplateError::syntax(
                        source,
                        at,
                        "The comment that begins with `{#` has no closing `#}`.",
                    )
                })?;
                pieces.push(Piece::Verbatim(&rest[..end + 2]));
                at += end + 2;
            }
            b'%' => {
                if let Some(end) = raw_block(rest) {
                    pieces.push(Piece::Verbatim(&rest[..end]));
                    at += end;
                } else {
                    let (block, end) = block(source, at, "%}")?;
                    pieces.push(Piece::Tag(block));
                    at = end;
                }
            }
            _ => {
                let (block, end) = block(source, at, "}}")?;
                pieces.push(Piece::Output(block));
                at = end;
            }
        }
    }
    Ok(pieces)
}

/// Returns the length in bytes of the `{% raw %} … {% endraw %}` block with which `rest` begins, or `None` if it begins with
/// something else.
fn raw_block(rest: &str) -> Option<usize> {
    let mut end = tag_named(rest, "raw")?;
    loop {
        end += rest[end..].find("{%")?;
        match tag_named(&rest[end..], "endraw") {
            Some(length) => return Some(end + length),
            None => end += 2,
        }
    }
}

/// Returns the length in bytes of the tag at the start of `rest`, or `None` if the tag does not consist of only the word
/// `name`.
fn tag_named(rest: &str, name: &str) -> Option<usize> {
    let inner = rest.strip_prefix("{%")?;
    let inner = inner.strip_prefix('-').unwrap_or(inner).trim_start();
    let inner = inner.strip_prefix(name)?.trim_start();
    let inner = inner
        .strip_prefix('-')
        .unwrap_or(inner)
        .strip_prefix("%}")?;
    Some(rest.len() - inner.len())
}

fn block<'s>(
    source: &'s str,
    start: usize,
    end_mark: &str,
) -> Result<(Block<'s>, usize), TemplateError> {
    let mut at = start + 2;
    let trims_before = source[at..].starts_with('-');
    if trims_before {
        at += 1;
    }
    let mut tokens = Vec::new();
    let mut braces = 0usize;
    loop {
        at += source[at..].len() - source[at..].trim_start().len();
        let rest = &source[at..];
        if rest.is_empty() {
            let open = &source[start..start + 2];
            return Err(TemplateError::syntax(
                source,
                start,
                format!("`{open}` has no closing `{end_mark}`."),
            ));
        }
        if braces == 0 {
            for (mark, trims_after) in
                [(end_mark.to_owned(), false), (format!("-{end_mark}"), true)]
            {
                if rest.starts_with(&mark) {
                    let block = Block {
                        tokens,
                        at: start,
                        trims_before,
                        trims_after,
                    };
                    return Ok((block, at + mark.len()));
                }
            }
        }
        let token = token(source, at)?;
        match token.text {
            "{" => braces += 1,
            "}" => braces = braces.saturating_sub(1),
            _ => {}
        }
        at += token.text.len();
        tokens.push(token);
    }
}

/// Splits an expression without delimiters (`{{ }}`) into tokens.
///
/// # Errors
/// `template_syntax` if the source contains a string without a closing quote or a character that has no meaning in an
/// expression.
pub fn expression(source: &str) -> Result<Vec<Token<'_>>, TemplateError> {
    let mut tokens = Vec::new();
    let mut at = 0;
    loop {
        at += source[at..].len() - source[at..].trim_start().len();
        if at == source.len() {
            return Ok(tokens);
        }
        let token = token(source, at)?;
        at += token.text.len();
        tokens.push(token);
    }
}

/// Reads the token at the byte offset `at`, where there must be no white space.
fn token(source: &str, at: usize) -> Result<Token<'_>, TemplateError> {
    let rest = &source[at..];
    let first = rest.as_bytes()[0];
    let (kind, length) = match first {
        b'"' | b'\'' | b'`' => (Kind::Quoted, quoted(source, at)?),
        b'0'..=b'9' => (Kind::Number, number(rest)),
        b'_' | b'a'..=b'z' | b'A'..=b'Z' => (Kind::Name, name(rest)),
        _ => match LONG_SYMBOLS
            .iter()
            .find(|symbol| rest.starts_with(**symbol))
        {
            Some(symbol) => (Kind::Symbol, symbol.len()),
            None if b"+-*/%!.,:~|=><()[]{}".contains(&first) => (Kind::Symbol, 1),
            None => {
                let found = rest.chars().next().unwrap_or_default();
                return Err(TemplateError::syntax(
                    source,
                    at,
                    format!(
                        "`{found}` is not allowed in an expression. Remove it, or put it in quotes."
                    ),
                ));
            }
        },
    };
    Ok(Token {
        kind,
        text: &rest[..length],
        at,
    })
}

fn quoted(source: &str, at: usize) -> Result<usize, TemplateError> {
    let bytes = &source.as_bytes()[at..];
    let quote = bytes[0];
    let mut escaped = false;
    for (index, &byte) in bytes.iter().enumerate().skip(1) {
        if escaped {
            escaped = false;
        } else if byte == b'\\' {
            escaped = true;
        } else if byte == quote {
            return Ok(index + 1);
        }
    }
    Err(TemplateError::syntax(
        source,
        at,
        format!(
            "The string that begins with {} has no closing quote.",
            char::from(quote)
        ),
    ))
}

fn name(rest: &str) -> usize {
    rest.bytes()
        .take_while(|byte| *byte == b'_' || byte.is_ascii_alphanumeric())
        .count()
}

fn number(rest: &str) -> usize {
    let digits = |text: &str| {
        text.bytes()
            .take_while(|byte| byte.is_ascii_digit() || *byte == b'_')
            .count()
    };
    let whole = digits(rest);
    match rest[whole..].strip_prefix('.') {
        Some(fraction) if fraction.starts_with(|c: char| c.is_ascii_digit()) => {
            whole + 1 + digits(fraction)
        }
        _ => whole,
    }
}

/// Returns the path step that a token between brackets stands for, as in `["id"]` or `[0]`. Returns `None` if the token is not
/// a literal or contains an escape.
pub fn constant(token: &Token<'_>) -> Option<String> {
    match token.kind {
        Kind::Quoted => {
            let inner = &token.text[1..token.text.len() - 1];
            (!inner.contains('\\')).then(|| inner.to_owned())
        }
        Kind::Number => Some(token.text.to_owned()),
        _ => None,
    }
}

/// Returns whether the tokens from `at` are `| default(…)`, `is defined` or a similar construct, which allows the value before
/// them to be missing.
pub fn expects_missing(tokens: &[Token<'_>], at: usize) -> bool {
    let word = |offset: usize| tokens.get(at + offset).map(|token| token.text);
    match (word(0), word(1), word(2)) {
        (Some("|"), Some("default"), _) => true,
        (Some("is"), Some("not"), Some(test)) | (Some("is"), Some(test), _) => {
            matches!(test, "defined" | "undefined" | "none")
        }
        _ => false,
    }
}
