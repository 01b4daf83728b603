//! Parses the strings of a definition: plain text, `@expression`, and `@{expression}` inside text.
//!
//! Reference: Microsoft, "Schema reference guide for the Workflow Definition Language in Azure Logic Apps", section
//! "Expressions".

use std::fmt;

use crate::{
    ast::{Expr, Part, Reading, Step},
    dialect::Dialect,
};

/// The maximum nesting depth of expressions. A limit is needed because parsing and evaluation are recursive.
const MAX_NESTING: usize = 64;
/// The maximum length of a string with expressions, in bytes.
pub const MAX_SOURCE: usize = 64 * 1024;

/// The reason why an expression cannot be parsed.
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
    pub fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
        }
    }
}

/// Parses a string. A string that begins with `@`, but not with `@{`, is an expression. Any other string that contains `@{` is
/// text with values. A leading `@@` and an inner `@@{` escape the `@`.
///
/// # Errors
/// Returns an error if the string is invalid. The error contains the first invalid position, in characters from 1.
pub fn read(text: &str, dialect: Dialect) -> Result<Reading, Mistake> {
    if !text.contains('@') || text == "@" {
        return Ok(Reading::Literal(text.to_owned()));
    }
    bounded(text)?;
    match text.strip_prefix('@') {
        Some(rest) if rest.starts_with('@') => mixed(text, 1, dialect),
        Some(rest) if !rest.starts_with('{') => {
            Parser::new(text, 1, dialect).whole().map(Reading::Value)
        }
        _ => mixed(text, 0, dialect),
    }
}

/// Parses an expression that is written without its `@`.
///
/// # Errors
/// Returns the errors of [`read`].
pub fn bare(text: &str, dialect: Dialect) -> Result<Expr, Mistake> {
    bounded(text)?;
    Parser::new(text, 0, dialect).whole()
}

fn bounded(text: &str) -> Result<(), Mistake> {
    if text.len() <= MAX_SOURCE {
        return Ok(());
    }
    Err(Mistake::new(format!(
        "The expression is {} KB, and the limit is {} KB. Shorten it.",
        text.len() / 1024,
        MAX_SOURCE / 1024
    )))
}

/// Parses text with `@{…}` in it. The first `skipped` bytes are an escape and are left out.
fn mixed(text: &str, skipped: usize, dialect: Dialect) -> Result<Reading, Mistake> {
    let mut parts = Vec::new();
    let mut literal = String::new();
    let mut at = skipped;
    // The `@` after an escape is text, even before a brace.
    let mut from = if skipped > 0 { skipped + 1 } else { 0 };
    while let Some(found) = text[from..].find("@{") {
        let open = from + found;
        if text[from..open].ends_with('@') {
            literal.push_str(&text[at..open - 1]);
            literal.push_str("@{");
            at = open + 2;
            from = at;
            continue;
        }
        literal.push_str(&text[at..open]);
        if !literal.is_empty() {
            parts.push(Part::Text(std::mem::take(&mut literal)));
        }
        let mut parser = Parser::new(text, open + 2, dialect);
        let expr = parser.expression()?;
        parser.expect('}')?;
        parts.push(Part::Value(expr));
        at = parser.at;
        from = at;
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

struct Parser<'t> {
    text: &'t str,
    /// The position of the parser in the text, in bytes.
    at: usize,
    depth: usize,
    dialect: Dialect,
}

impl<'t> Parser<'t> {
    fn new(text: &'t str, at: usize, dialect: Dialect) -> Self {
        Self {
            text,
            at,
            depth: 0,
            dialect,
        }
    }

    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn take(&mut self, c: char) -> bool {
        let found = self.rest().starts_with(c);
        if found {
            self.at += c.len_utf8();
        }
        found
    }

    fn take_while(&mut self, holds: impl Fn(char) -> bool) -> &'t str {
        let rest = self.rest();
        let end = rest.find(|c: char| !holds(c)).unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    fn skip_space(&mut self) {
        self.take_while(char::is_whitespace);
    }

    fn wrong(&self, why: &str) -> Mistake {
        let shown: String = self.text.chars().take(120).collect();
        let at = self.text[..self.at].chars().count() + 1;
        Mistake::new(format!("`{shown}`, at character {at}: {why}."))
    }

    fn expect(&mut self, c: char) -> Result<(), Mistake> {
        if self.take(c) {
            Ok(())
        } else {
            Err(self.wrong(&format!("`{c}` is expected here")))
        }
    }

    fn whole(&mut self) -> Result<Expr, Mistake> {
        let expr = self.expression()?;
        if self.at == self.text.len() {
            Ok(expr)
        } else {
            Err(self.wrong("the expression ends here, but more text follows"))
        }
    }

    fn expression(&mut self) -> Result<Expr, Mistake> {
        self.depth += 1;
        if self.depth > MAX_NESTING {
            return Err(self.wrong(&format!(
                "expressions are nested more than {MAX_NESTING} levels deep"
            )));
        }
        self.skip_space();
        if self.dialect == Dialect::Loom && self.take('@') {
            self.skip_space();
        }
        let of = self.primary()?;
        let mut steps = Vec::new();
        while let Some(step) = self.step()? {
            steps.push(step);
        }
        self.skip_space();
        self.depth -= 1;
        Ok(if steps.is_empty() {
            of
        } else {
            Expr::Path {
                of: Box::new(of),
                steps,
            }
        })
    }

    fn primary(&mut self) -> Result<Expr, Mistake> {
        match self.peek() {
            Some('\'') => self.quoted('\'').map(Expr::Text),
            Some('"') if self.dialect == Dialect::Loom => self.quoted('"').map(Expr::Text),
            Some(c) if c.is_ascii_digit() || "+-.".contains(c) => self.number(),
            Some(c) if begins_name(c) => self.call(),
            _ => Err(self.wrong(
                "a value is expected here: a function, a 'text', a number, true, false or null",
            )),
        }
    }

    fn step(&mut self) -> Result<Option<Step>, Mistake> {
        let before = self.at;
        self.skip_space();
        let optional = self.take('?');
        if self.take('.') {
            if !self.peek().is_some_and(begins_name) {
                return Err(self.wrong("the name of a property is expected here"));
            }
            let name = self.take_while(in_name);
            return Ok(Some(Step {
                key: Expr::Text(name.to_owned()),
                optional,
            }));
        }
        if self.take('[') {
            let key = self.expression()?;
            self.expect(']')?;
            return Ok(Some(Step { key, optional }));
        }
        if optional {
            return Err(self.wrong("`.` or `[` is expected after `?`"));
        }
        self.at = before;
        Ok(None)
    }

    /// Parses a quoted string. Two quotation marks in a row represent one. Fails if the closing one is missing.
    fn quoted(&mut self, quote: char) -> Result<String, Mistake> {
        let start = self.at;
        self.at += 1;
        let mut text = String::new();
        loop {
            text.push_str(self.take_while(|c| c != quote));
            if !self.take(quote) {
                self.at = start;
                return Err(self.wrong("the closing quote is missing"));
            }
            if !self.take(quote) {
                return Ok(text);
            }
            text.push(quote);
        }
    }

    fn number(&mut self) -> Result<Expr, Mistake> {
        let start = self.at;
        let digit = |c: char| c.is_ascii_digit();
        if !self.take('-') {
            self.take('+');
        }
        let whole = self.take_while(digit).len();
        let mut is_float = false;
        let mut digits = whole;
        if self.take('.') {
            is_float = true;
            digits += self.take_while(digit).len();
        }
        if digits == 0 {
            return Err(self.wrong("a digit is expected here"));
        }
        if self.rest().starts_with(['e', 'E']) {
            is_float = true;
            self.at += 1;
            if !self.take('-') {
                self.take('+');
            }
            if self.take_while(digit).is_empty() {
                return Err(self.wrong("the exponent has no digits"));
            }
        }
        if self.peek().is_some_and(in_name) {
            return Err(self.wrong("the number ends here, but more text follows"));
        }
        let written = self.text[start..self.at].trim_start_matches('+');
        if is_float {
            return written
                .parse()
                .map(Expr::Float)
                .map_err(|_| self.wrong("the number is invalid"));
        }
        written.parse().map(Expr::Int).map_err(|_| {
            self.wrong("the number does not fit into 64 bits. Write it with a decimal point")
        })
    }

    /// Parses a function call or a keyword. Fails for any other name without arguments in parentheses.
    fn call(&mut self) -> Result<Expr, Mistake> {
        let name = self.take_while(in_name);
        let behind = self.at;
        self.skip_space();
        if !self.take('(') {
            self.at = behind;
            return match name.to_ascii_lowercase().as_str() {
                "true" => Ok(Expr::Bool(true)),
                "false" => Ok(Expr::Bool(false)),
                "null" => Ok(Expr::Null),
                _ => Err(self.wrong(&format!("`(` is expected after the function {name}"))),
            };
        }
        let mut args = Vec::new();
        self.skip_space();
        if !self.take(')') {
            loop {
                args.push(self.expression()?);
                if self.take(')') {
                    break;
                }
                if !self.take(',') {
                    return Err(self.wrong("`,` or `)` is expected here"));
                }
            }
        }
        Ok(Expr::Call {
            name: name.to_owned(),
            args,
        })
    }
}

fn begins_name(c: char) -> bool {
    c.is_alphabetic() || c == '_' || c == '$'
}

fn in_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}
