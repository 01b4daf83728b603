//! Reads texts of a document: literals, `@expression` and `@{expression}` within text.
//!
//! The grammar is that of Microsoft's reference of workflow expression functions. Loom's documents also write `@` before a
//! call that is an argument and texts in double quotes; both are read.

use std::fmt;

use serde_json::Number;
use winnow::{
    ModalResult, Parser,
    ascii::multispace0,
    combinator::{alt, cut_err, delimited, opt, preceded, repeat, separated},
    error::{StrContext, StrContextValue},
    token::{one_of, take_while},
};

use super::ast::{Expr, Part, Reading, Step};

/// How deeply brackets may be nested: reading and compiling recurse.
const MAX_NESTING: usize = 48;
/// Bytes of a text with expressions.
const MAX_TEXT: usize = 64 * 1024;

/// What is wrong with an expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mistake {
    pub message: String,
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Mistake {}

impl Mistake {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
        }
    }
}

/// Reads a text as the expression language does.
///
/// # Errors
/// What follows an `@` cannot be read; with the place, in characters from 1.
pub fn read(text: &str) -> Result<Reading, Mistake> {
    if !text.contains('@') {
        return Ok(Reading::Literal(text.to_owned()));
    }
    if text.len() > MAX_TEXT {
        return Err(Mistake::new(format!(
            "an expression of {} KB; at most {} KB are read",
            text.len() / 1024,
            MAX_TEXT / 1024
        )));
    }
    if let Some(rest) = text.strip_prefix("@@") {
        return mixed(&format!("@{rest}"), text, 1);
    }
    match text.strip_prefix('@') {
        Some(rest) if !rest.starts_with('{') => whole(rest, text, 1).map(Reading::Value),
        _ => mixed(text, text, 0),
    }
}

/// Reads a bare expression, with or without its `@`: a condition.
///
/// # Errors
/// As [`read`].
pub fn bare(text: &str) -> Result<Expr, Mistake> {
    whole(text, text, 0)
}

fn whole(rest: &str, text: &str, before: usize) -> Result<Expr, Mistake> {
    bounded(rest)?;
    expression.parse(rest).map_err(|error| {
        let at = before + rest[..error.offset()].chars().count() + 1;
        wrong(text, at, &error.inner().to_string())
    })
}

fn wrong(text: &str, at: usize, why: &str) -> Mistake {
    let shown: String = text.chars().take(120).collect();
    let why = why.replace('\n', "; ");
    let why = if why.is_empty() {
        "this cannot be read"
    } else {
        &why
    };
    Mistake::new(format!("`{shown}`, at character {at}: {why}"))
}

/// Brackets, texts left out, must not be nested too deeply.
fn bounded(text: &str) -> Result<(), Mistake> {
    let (mut depth, mut quote) = (0usize, None);
    for c in text.chars() {
        match (c, quote) {
            (c, Some(open)) if c == open => quote = None,
            (_, Some(_)) => {}
            ('\'' | '"', None) => quote = Some(c),
            ('(' | '[', None) => depth += 1,
            (')' | ']', None) => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > MAX_NESTING {
            return Err(Mistake::new(format!(
                "brackets are nested more than {MAX_NESTING} deep"
            )));
        }
    }
    Ok(())
}

/// Text with `@{…}` in it; `@@{` stands for `@{`. The first `escaped` characters are taken as they are.
fn mixed(text: &str, original: &str, escaped: usize) -> Result<Reading, Mistake> {
    let mut parts = Vec::new();
    let mut literal = String::new();
    let mut at = escaped;
    literal.push_str(&text[..at]);
    while let Some(found) = text[at..].find("@{") {
        let open = at + found;
        if text[at..open].ends_with('@') {
            literal.push_str(&text[at..open - 1]);
            literal.push_str("@{");
            at = open + 2;
            continue;
        }
        literal.push_str(&text[at..open]);
        if !literal.is_empty() {
            parts.push(Part::Text(std::mem::take(&mut literal)));
        }
        let mut rest = &text[open + 2..];
        bounded(rest)?;
        let here = |rest: &str| text[..text.len() - rest.len()].chars().count() + 1;
        let expr = expression
            .parse_next(&mut rest)
            .map_err(|error| wrong(original, here(rest), &error.to_string()))?;
        let Some(after) = rest.strip_prefix('}') else {
            return Err(wrong(original, here(rest), "expected `}`"));
        };
        parts.push(Part::Value(expr));
        at = text.len() - after.len();
    }
    literal.push_str(&text[at..]);
    if parts.is_empty() {
        return Ok(Reading::Literal(literal));
    }
    if !literal.is_empty() {
        parts.push(Part::Text(literal));
    }
    Ok(Reading::Mixed(parts))
}

fn expected(what: &'static str) -> StrContext {
    StrContext::Expected(StrContextValue::Description(what))
}

fn expression(input: &mut &str) -> ModalResult<Expr> {
    let (of, steps) = delimited(
        (multispace0, opt('@'), multispace0),
        (primary, repeat(0.., step)),
        multispace0,
    )
    .parse_next(input)?;
    let steps: Vec<Step> = steps;
    Ok(if steps.is_empty() {
        of
    } else {
        Expr::Path {
            of: Box::new(of),
            steps,
        }
    })
}

fn primary(input: &mut &str) -> ModalResult<Expr> {
    alt((text.map(Expr::Text), number, call))
        .context(expected(
            "a value: a function, a 'text', a number, true, false or null",
        ))
        .parse_next(input)
}

fn step(input: &mut &str) -> ModalResult<Step> {
    let optional = preceded(multispace0, opt('?')).parse_next(input)?.is_some();
    let field = preceded('.', cut_err(name.context(expected("a field's name"))))
        .map(|name: &str| Expr::Text(name.to_owned()));
    let key = delimited(
        '[',
        cut_err(expression),
        cut_err(']').context(expected("`]`")),
    );
    let key = alt((field, key)).parse_next(input)?;
    Ok(Step { key, optional })
}

/// A quoted text; the quote itself is written twice.
fn text(input: &mut &str) -> ModalResult<String> {
    let quote: char = one_of(['\'', '"']).parse_next(input)?;
    let mut written = String::new();
    loop {
        let stretch: &str = take_while(0.., move |c| c != quote).parse_next(input)?;
        written.push_str(stretch);
        cut_err(quote)
            .context(expected("the closing quote"))
            .parse_next(input)?;
        if !input.starts_with(quote) {
            return Ok(written);
        }
        written.push(quote);
        *input = &input[quote.len_utf8()..];
    }
}

fn number(input: &mut &str) -> ModalResult<Expr> {
    let digits = || take_while(1.., |c: char| c.is_ascii_digit());
    let exponent = (one_of(['e', 'E']), opt(one_of(['+', '-'])), digits());
    (
        opt(one_of(['-', '+'])),
        digits(),
        opt(('.', digits())),
        opt(exponent),
    )
        .take()
        .verify_map(|written: &str| {
            let written = written.trim_start_matches('+');
            written
                .parse::<i64>()
                .map(Number::from)
                .ok()
                .or_else(|| Number::from_f64(written.parse().ok()?))
        })
        .map(Expr::Number)
        .parse_next(input)
}

fn name<'i>(input: &mut &'i str) -> ModalResult<&'i str> {
    (
        one_of(|c: char| c.is_alphabetic() || c == '_' || c == '$'),
        take_while(0.., |c: char| c.is_alphanumeric() || c == '_'),
    )
        .take()
        .parse_next(input)
}

/// A function's call, or one of the words that stand alone.
fn call(input: &mut &str) -> ModalResult<Expr> {
    let word = name.parse_next(input)?;
    let open: Option<char> = opt(preceded(multispace0, '(')).parse_next(input)?;
    if open.is_none() {
        return match word.to_ascii_lowercase().as_str() {
            "true" => Ok(Expr::Bool(true)),
            "false" => Ok(Expr::Bool(false)),
            "null" => Ok(Expr::Null),
            _ => cut_err(winnow::combinator::fail)
                .context(expected("`(` after a function's name"))
                .parse_next(input),
        };
    }
    let args = separated(0.., expression, ',');
    let args: Vec<Expr> = (multispace0, args, multispace0)
        .map(|(_, args, _)| args)
        .parse_next(input)?;
    cut_err(')')
        .context(expected("`,` or `)`"))
        .parse_next(input)?;
    Ok(Expr::Call {
        name: word.to_owned(),
        args,
    })
}
