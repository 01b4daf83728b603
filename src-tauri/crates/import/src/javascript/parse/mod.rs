//! Tokens to statements, by recursive descent. What is not read is an error that names it.

mod expressions;
mod statements;

use super::{
    ast::{
        Binding, Expr, Function, Item, Kind, Link, LinkKind, Parameter, Pattern, Property,
        Statement,
    },
    lex::{At, Token, tokens},
};

/// How deeply expressions and blocks may be nested.
const MAX_DEPTH: usize = 150;

/// Words that begin what is not read.
const UNREAD: [&str; 9] = [
    "class", "async", "await", "yield", "import", "export", "with", "debugger", "super",
];

type Parsed<T> = Result<T, String>;

pub(super) fn program(source: &str) -> Parsed<Vec<Statement>> {
    let mut parser = Parser::new(source, 1)?;
    let mut statements = Vec::new();
    while parser.peek() != &Token::End {
        let statement = parser.statement();
        statements.push(statement.map_err(|why| parser.placed(why))?);
    }
    Ok(statements)
}

struct Parser {
    tokens: Vec<At>,
    at: usize,
    depth: usize,
}

impl Parser {
    fn new(source: &str, line: usize) -> Parsed<Self> {
        Ok(Self {
            tokens: tokens(source, line)?,
            at: 0,
            depth: 0,
        })
    }

    fn placed(&self, why: String) -> String {
        if why.contains("(line ") {
            why
        } else {
            format!("{why} (line {})", self.line())
        }
    }

    fn peek(&self) -> &Token {
        &self.tokens[self.at].token
    }

    fn ahead(&self, by: usize) -> &Token {
        self.tokens
            .get(self.at + by)
            .map_or(&Token::End, |at| &at.token)
    }

    fn line(&self) -> usize {
        self.tokens[self.at].line
    }

    fn fresh(&self) -> bool {
        self.tokens[self.at].fresh
    }

    fn take(&mut self) -> Token {
        let token = self.tokens[self.at].token.clone();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    fn is(&self, sign: &str) -> bool {
        matches!(self.peek(), Token::Sign(found) if *found == sign)
    }

    fn is_word(&self, word: &str) -> bool {
        matches!(self.peek(), Token::Word(found) if found == word)
    }

    fn eat(&mut self, sign: &str) -> bool {
        let is = self.is(sign);
        if is {
            self.take();
        }
        is
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let is = self.is_word(word);
        if is {
            self.take();
        }
        is
    }

    fn want(&mut self, sign: &'static str) -> Parsed<()> {
        if self.eat(sign) {
            return Ok(());
        }
        Err(format!("has {} where `{sign}` is expected", self.found()))
    }

    fn found(&self) -> String {
        match self.peek() {
            Token::Number(number) => format!("{number}"),
            Token::Text(_) | Token::Template(..) => "a text".to_owned(),
            Token::Word(word) => format!("`{word}`"),
            Token::Sign(sign) => format!("`{sign}`"),
            Token::End => "its end".to_owned(),
        }
    }

    fn name(&mut self) -> Parsed<String> {
        match self.take() {
            Token::Word(word) => Ok(word),
            _ => {
                self.at = self.at.saturating_sub(1);
                Err(format!("has {} where a name is expected", self.found()))
            }
        }
    }

    fn deeper<T>(&mut self, work: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= MAX_DEPTH {
            return Err("is nested too deeply".to_owned());
        }
        self.depth += 1;
        let done = work(self);
        self.depth -= 1;
        done
    }

    /// The end of a statement: `;`, a line's end, or what closes the block.
    fn over(&mut self) -> Parsed<()> {
        if self.eat(";") || self.fresh() || self.is("}") || self.peek() == &Token::End {
            return Ok(());
        }
        Err(format!("has {} behind a statement", self.found()))
    }
}
