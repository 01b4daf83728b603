//! Statements, and what declares names: patterns, functions and their parameters.

use super::{
    Binding, Expr, Function, Kind, Parameter, Parsed, Parser, Pattern, Statement, Token, UNREAD,
};

impl Parser {
    // ---- statements

    pub(super) fn statement(&mut self) -> Parsed<Statement> {
        let line = self.line();
        let kind = self.deeper(Self::statement_here);
        kind.map(|kind| Statement { line, kind })
            .map_err(|why| self.placed(why))
    }

    pub(super) fn statement_here(&mut self) -> Parsed<Kind> {
        if self.is("{") {
            return Ok(Kind::Block(self.block()?));
        }
        if self.eat(";") {
            return Ok(Kind::Block(Vec::new()));
        }
        let Token::Word(word) = self.peek().clone() else {
            return self.expression_statement();
        };
        if matches!(self.ahead(1), Token::Sign(":")) {
            return Err("has a label".to_owned());
        }
        match word.as_str() {
            "var" | "const" => self.declaration(),
            "let" if matches!(self.ahead(1), Token::Word(_) | Token::Sign("{" | "[")) => {
                self.declaration()
            }
            "function" => {
                self.take();
                Ok(Kind::Function(self.function(true)?))
            }
            "if" => self.choice(),
            "for" => self.each(),
            "while" => {
                self.take();
                let condition = self.condition()?;
                Ok(Kind::While(condition, self.body()?, false))
            }
            "do" => {
                self.take();
                let body = self.body()?;
                if !self.eat_word("while") {
                    return Err("has `do` without `while`".to_owned());
                }
                let condition = self.condition()?;
                self.eat(";");
                Ok(Kind::While(condition, body, true))
            }
            "switch" => self.switch(),
            "try" => self.attempt(),
            "return" => {
                self.take();
                let ends =
                    self.fresh() || self.is(";") || self.is("}") || self.peek() == &Token::End;
                let value = if ends { None } else { Some(self.expression()?) };
                self.over()?;
                Ok(Kind::Return(value))
            }
            "throw" => {
                self.take();
                let value = self.expression()?;
                self.over()?;
                Ok(Kind::Throw(value))
            }
            "break" | "continue" => {
                self.take();
                if !self.fresh() && matches!(self.peek(), Token::Word(_)) {
                    return Err(format!("has a `{word}` to a label"));
                }
                self.over()?;
                Ok(if word == "break" {
                    Kind::Break
                } else {
                    Kind::Continue
                })
            }
            unread if UNREAD.contains(&unread) => Err(format!("has `{unread}`")),
            _ => self.expression_statement(),
        }
    }

    pub(super) fn expression_statement(&mut self) -> Parsed<Kind> {
        let value = self.expression()?;
        self.over()?;
        Ok(Kind::Expr(value))
    }

    pub(super) fn block(&mut self) -> Parsed<Vec<Statement>> {
        self.want("{")?;
        let mut statements = Vec::new();
        while !self.eat("}") {
            if self.peek() == &Token::End {
                return Err("has `{` without `}`".to_owned());
            }
            statements.push(self.statement()?);
        }
        Ok(statements)
    }

    pub(super) fn body(&mut self) -> Parsed<Vec<Statement>> {
        if self.is("{") {
            self.block()
        } else {
            Ok(vec![self.statement()?])
        }
    }

    pub(super) fn condition(&mut self) -> Parsed<Expr> {
        self.want("(")?;
        let condition = self.expression()?;
        self.want(")")?;
        Ok(condition)
    }

    pub(super) fn binding(&mut self) -> Parsed<Binding> {
        Ok(match self.name()?.as_str() {
            "var" => Binding::Var,
            "let" => Binding::Let,
            _ => Binding::Const,
        })
    }

    pub(super) fn declaration(&mut self) -> Parsed<Kind> {
        let binding = self.binding()?;
        let declared = self.declared(binding)?;
        self.over()?;
        Ok(declared)
    }

    pub(super) fn declared(&mut self, binding: Binding) -> Parsed<Kind> {
        let mut all = Vec::new();
        loop {
            let pattern = self.pattern()?;
            let value = if self.eat("=") {
                Some(self.assignment()?)
            } else {
                None
            };
            all.push((pattern, value));
            if !self.eat(",") {
                return Ok(Kind::Declare(binding, all));
            }
        }
    }

    pub(super) fn pattern(&mut self) -> Parsed<Pattern> {
        self.deeper(Self::pattern_here)
    }

    pub(super) fn pattern_here(&mut self) -> Parsed<Pattern> {
        if self.eat("[") {
            let mut items = Vec::new();
            while !self.eat("]") {
                if self.eat(",") {
                    items.push(None);
                    continue;
                }
                let (pattern, default, rest) = self.element()?;
                items.push(Some((pattern, default, rest)));
                if !self.is("]") {
                    self.want(",")?;
                }
            }
            return Ok(Pattern::Array(items));
        }
        if !self.eat("{") {
            return Ok(Pattern::Name(self.name()?));
        }
        let mut fields = Vec::new();
        while !self.eat("}") {
            if self.eat("...") {
                fields.push((None, Pattern::Name(self.name()?), None));
            } else {
                let key = match self.take() {
                    Token::Word(word) | Token::Text(word) => word,
                    _ => {
                        return Err("takes an object apart by something else than names".to_owned());
                    }
                };
                let pattern = if self.eat(":") {
                    self.pattern()?
                } else {
                    Pattern::Name(key.clone())
                };
                let default = if self.eat("=") {
                    Some(self.assignment()?)
                } else {
                    None
                };
                fields.push((Some(key), pattern, default));
            }
            if !self.is("}") {
                self.want(",")?;
            }
        }
        Ok(Pattern::Object(fields))
    }

    pub(super) fn choice(&mut self) -> Parsed<Kind> {
        self.take();
        let condition = self.condition()?;
        let yes = self.body()?;
        let no = if self.eat_word("else") {
            self.body()?
        } else {
            Vec::new()
        };
        Ok(Kind::If(condition, yes, no))
    }

    pub(super) fn each(&mut self) -> Parsed<Kind> {
        self.take();
        if self.is_word("await") {
            return Err("has `for await`".to_owned());
        }
        self.want("(")?;
        let begins = matches!(self.peek(), Token::Word(word) if ["var", "let", "const"].contains(&word.as_str()));
        let start = self.at;
        let binding = if begins { Some(self.binding()?) } else { None };
        if let Ok(pattern) = self.pattern()
            && (self.is_word("of") || self.is_word("in"))
        {
            let keys = self.is_word("in");
            self.take();
            let over = self.expression()?;
            self.want(")")?;
            return Ok(Kind::Each(binding, pattern, over, keys, self.body()?));
        }
        self.at = start;
        let line = self.line();
        let first = if self.is(";") {
            None
        } else if begins {
            let binding = self.binding()?;
            Some(self.declared(binding)?)
        } else {
            Some(Kind::Expr(self.expression()?))
        };
        self.want(";")?;
        let condition = if self.is(";") {
            None
        } else {
            Some(self.expression()?)
        };
        self.want(";")?;
        let step = if self.is(")") {
            None
        } else {
            Some(self.expression()?)
        };
        self.want(")")?;
        let first = first.map(|kind| Box::new(Statement { line, kind }));
        Ok(Kind::For(first, condition, step, self.body()?))
    }

    pub(super) fn switch(&mut self) -> Parsed<Kind> {
        self.take();
        let value = self.condition()?;
        self.want("{")?;
        let mut cases: Vec<(Option<Expr>, Vec<Statement>)> = Vec::new();
        while !self.eat("}") {
            if self.eat_word("case") {
                cases.push((Some(self.expression()?), Vec::new()));
                self.want(":")?;
            } else if self.eat_word("default") {
                cases.push((None, Vec::new()));
                self.want(":")?;
            } else {
                let statement = self.statement()?;
                let case = cases
                    .last_mut()
                    .ok_or("has a `switch` that begins with no `case`")?;
                case.1.push(statement);
            }
        }
        Ok(Kind::Switch(value, cases))
    }

    pub(super) fn attempt(&mut self) -> Parsed<Kind> {
        self.take();
        let body = self.block()?;
        if !self.eat_word("catch") {
            return Err("has a `try` without `catch`".to_owned());
        }
        let name = if self.eat("(") {
            let name = self.name()?;
            self.want(")")?;
            Some(name)
        } else {
            None
        };
        let caught = self.block()?;
        if self.is_word("finally") {
            return Err("has `finally`".to_owned());
        }
        Ok(Kind::Try(body, name, caught))
    }

    // ---- functions

    pub(super) fn function(&mut self, named: bool) -> Parsed<Function> {
        if self.is("*") {
            return Err("has a generator".to_owned());
        }
        let name = if named || matches!(self.peek(), Token::Word(_)) {
            Some(self.name()?)
        } else {
            None
        };
        self.want("(")?;
        let parameters = self.parameters()?;
        let body = self.block()?;
        Ok(Function {
            name,
            parameters,
            body,
        })
    }

    /// What takes one value of a list: a pattern, with its default, or with all that is left.
    fn element(&mut self) -> Parsed<(Pattern, Option<Expr>, bool)> {
        let rest = self.eat("...");
        let pattern = self.pattern()?;
        let default = match self.eat("=") {
            true => Some(self.assignment()?),
            false => None,
        };
        Ok((pattern, default, rest))
    }

    /// Up to the bracket that closes them.
    pub(super) fn parameters(&mut self) -> Parsed<Vec<Parameter>> {
        let mut parameters = Vec::new();
        while !self.eat(")") {
            let (pattern, default, rest) = self.element()?;
            parameters.push(Parameter {
                pattern,
                default,
                rest,
            });
            if !self.is(")") {
                self.want(",")?;
            }
        }
        Ok(parameters)
    }
}
