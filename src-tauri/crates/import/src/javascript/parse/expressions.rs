//! Expressions, by how strongly their operators bind.

use super::{
    Expr, Function, Item, Kind, Link, LinkKind, Parameter, Parsed, Parser, Pattern, Property,
    Statement, Token, UNREAD,
};

/// Operators by how strongly they bind; `**` is apart, for it binds to the right.
const BINARY: [(&str, u8); 24] = [
    ("??", 1),
    ("||", 2),
    ("&&", 3),
    ("|", 4),
    ("^", 5),
    ("&", 6),
    ("==", 7),
    ("!=", 7),
    ("===", 7),
    ("!==", 7),
    ("<", 8),
    (">", 8),
    ("<=", 8),
    (">=", 8),
    ("in", 8),
    ("instanceof", 8),
    ("<<", 9),
    (">>", 9),
    (">>>", 9),
    ("+", 10),
    ("-", 10),
    ("*", 11),
    ("/", 11),
    ("%", 11),
];

const ASSIGN: [(&str, &str); 16] = [
    ("=", ""),
    ("+=", "+"),
    ("-=", "-"),
    ("*=", "*"),
    ("/=", "/"),
    ("%=", "%"),
    ("**=", "**"),
    ("&&=", "&&"),
    ("||=", "||"),
    ("??=", "??"),
    ("|=", "|"),
    ("&=", "&"),
    ("^=", "^"),
    ("<<=", "<<"),
    (">>=", ">>"),
    (">>>=", ">>>"),
];

impl Parser {
    /// `x => …` or `(x, y) => …`, where one begins.
    pub(super) fn arrow(&mut self) -> Parsed<Option<Expr>> {
        let parameters = if matches!(self.peek(), Token::Word(_)) {
            if !matches!(self.ahead(1), Token::Sign("=>")) {
                return Ok(None);
            }
            let pattern = Pattern::Name(self.name()?);
            vec![Parameter {
                pattern,
                default: None,
                rest: false,
            }]
        } else if self.is("(") && self.arrow_behind() {
            self.take();
            self.parameters()?
        } else {
            return Ok(None);
        };
        self.want("=>")?;
        let line = self.line();
        let body = if self.is("{") {
            self.block()?
        } else {
            let kind = Kind::Return(Some(self.assignment()?));
            vec![Statement { line, kind }]
        };
        Ok(Some(Expr::Function(Box::new(Function {
            name: None,
            parameters,
            body,
        }))))
    }

    /// Whether `=>` stands behind the bracket that closes the one here.
    pub(super) fn arrow_behind(&self) -> bool {
        let mut depth = 0_usize;
        for (at, token) in self.tokens[self.at..].iter().enumerate() {
            match &token.token {
                Token::Sign("(" | "[" | "{") => depth += 1,
                Token::Sign(")" | "]" | "}") => {
                    depth -= 1;
                    if depth == 0 {
                        return matches!(self.ahead(at + 1), Token::Sign("=>"));
                    }
                }
                _ => {}
            }
        }
        false
    }

    // ---- expressions

    pub(super) fn expression(&mut self) -> Parsed<Expr> {
        let value = self.assignment()?;
        if self.is(",") {
            return Err("has several expressions behind commas".to_owned());
        }
        Ok(value)
    }

    pub(super) fn assignment(&mut self) -> Parsed<Expr> {
        self.deeper(Self::assignment_here)
    }

    pub(super) fn assignment_here(&mut self) -> Parsed<Expr> {
        if self.is_word("async") && matches!(self.ahead(1), Token::Word(_) | Token::Sign("(")) {
            return Err("has `async`".to_owned());
        }
        if let Some(function) = self.arrow()? {
            return Ok(function);
        }
        let value = self.binary(0)?;
        if self.eat("?") {
            let yes = self.assignment()?;
            self.want(":")?;
            let no = self.assignment()?;
            return Ok(Expr::Choice(Box::new(value), Box::new(yes), Box::new(no)));
        }
        let Token::Sign(sign) = self.peek() else {
            return Ok(value);
        };
        let Some((_, operator)) = ASSIGN.iter().find(|(assign, _)| assign == sign) else {
            return Ok(value);
        };
        self.take();
        let is_target = match &value {
            Expr::Name(_) => true,
            Expr::Chain(_, links) => {
                links.iter().all(|link| !link.optional)
                    && !matches!(
                        links.last(),
                        Some(Link {
                            kind: LinkKind::Call(_),
                            ..
                        })
                    )
            }
            _ => false,
        };
        if !is_target {
            return Err("assigns to something else than a name or a field".to_owned());
        }
        let to = self.assignment()?;
        Ok(Expr::Assign(operator, Box::new(value), Box::new(to)))
    }

    pub(super) fn operator(&self) -> Option<(&'static str, u8)> {
        let found = match self.peek() {
            Token::Sign(sign) => *sign,
            Token::Word(word) if word == "in" || word == "instanceof" => word.as_str(),
            _ => return None,
        };
        BINARY
            .iter()
            .copied()
            .find(|(operator, _)| *operator == found)
    }

    pub(super) fn binary(&mut self, least: u8) -> Parsed<Expr> {
        let mut left = self.unary()?;
        let mut count = 0;
        while let Some((operator, strength)) =
            self.operator().filter(|(_, strength)| *strength > least)
        {
            count += 1;
            if count > 400 {
                return Err("has an expression that is too long".to_owned());
            }
            self.take();
            let right = self.deeper(|parser| parser.binary(strength))?;
            left = Expr::Binary(operator, Box::new(left), Box::new(right));
        }
        Ok(left)
    }

    pub(super) fn unary(&mut self) -> Parsed<Expr> {
        self.deeper(Self::unary_here)
    }

    pub(super) fn unary_here(&mut self) -> Parsed<Expr> {
        for sign in ["!", "-", "+", "~"] {
            if self.eat(sign) {
                return Ok(Expr::Unary(sign, Box::new(self.unary()?)));
            }
        }
        for (sign, by) in [("++", 1.0), ("--", -1.0)] {
            if self.eat(sign) {
                return Ok(Expr::Update(by, false, Box::new(self.unary()?)));
            }
        }
        for word in ["typeof", "delete", "void"] {
            if self.is_word(word) {
                self.take();
                return Ok(Expr::Unary(word, Box::new(self.unary()?)));
            }
        }
        if let Token::Word(word) = self.peek()
            && UNREAD.contains(&word.as_str())
        {
            return Err(format!("has `{word}`"));
        }
        let value = self.chain()?;
        if !self.fresh() {
            for (sign, by) in [("++", 1.0), ("--", -1.0)] {
                if self.eat(sign) {
                    return Ok(Expr::Update(by, true, Box::new(value)));
                }
            }
        }
        if self.eat("**") {
            let right = self.unary()?;
            return Ok(Expr::Binary("**", Box::new(value), Box::new(right)));
        }
        Ok(value)
    }

    pub(super) fn chain(&mut self) -> Parsed<Expr> {
        let base = self.primary()?;
        let mut links = Vec::new();
        loop {
            if self.eat(".") {
                links.push(Link {
                    kind: LinkKind::Member(self.name()?),
                    optional: false,
                });
            } else if self.eat("?.") {
                let kind = if self.eat("[") {
                    self.index()?
                } else if self.eat("(") {
                    LinkKind::Call(self.items(")")?)
                } else {
                    LinkKind::Member(self.name()?)
                };
                links.push(Link {
                    kind,
                    optional: true,
                });
            } else if self.eat("[") {
                links.push(Link {
                    kind: self.index()?,
                    optional: false,
                });
            } else if self.eat("(") {
                links.push(Link {
                    kind: LinkKind::Call(self.items(")")?),
                    optional: false,
                });
            } else if matches!(self.peek(), Token::Template(..)) {
                return Err("has a template behind a function".to_owned());
            } else if links.is_empty() {
                return Ok(base);
            } else {
                return Ok(Expr::Chain(Box::new(base), links));
            }
        }
    }

    pub(super) fn index(&mut self) -> Parsed<LinkKind> {
        let index = self.expression()?;
        self.want("]")?;
        Ok(LinkKind::Index(index))
    }

    /// Elements or arguments, up to the sign that closes them.
    pub(super) fn items(&mut self, close: &'static str) -> Parsed<Vec<Item>> {
        let mut items = Vec::new();
        while !self.eat(close) {
            let spread = self.eat("...");
            if self.is(",") {
                return Err("has a list with holes".to_owned());
            }
            items.push(Item {
                value: self.assignment()?,
                spread,
            });
            if !self.is(close) {
                self.want(",")?;
            }
        }
        Ok(items)
    }

    pub(super) fn primary(&mut self) -> Parsed<Expr> {
        if matches!(self.peek(), Token::End) {
            return Err("ends where a value is expected".to_owned());
        }
        Ok(match self.take() {
            Token::Number(number) => Expr::Number(number),
            Token::Text(text) => Expr::Text(text),
            Token::Template(texts, values) => {
                let mut parsed = Vec::new();
                for (source, line) in values {
                    let mut inner = Parser::new(&source, line)?;
                    inner.depth = self.depth;
                    parsed.push(inner.expression()?);
                    if inner.peek() != &Token::End {
                        return Err(format!(
                            "has {} behind a value in a template",
                            inner.found()
                        ));
                    }
                }
                Expr::Template(texts, parsed)
            }
            Token::Sign("(") => {
                let value = self.expression()?;
                self.want(")")?;
                value
            }
            Token::Sign("[") => Expr::Array(self.items("]")?),
            Token::Sign("{") => self.object()?,
            Token::Word(word) => match word.as_str() {
                "true" => Expr::Bool(true),
                "false" => Expr::Bool(false),
                "null" => Expr::Null,
                "function" => Expr::Function(Box::new(self.function(false)?)),
                "new" => {
                    let name = self.name()?;
                    let items = if self.eat("(") {
                        self.items(")")?
                    } else {
                        Vec::new()
                    };
                    Expr::New(name, items)
                }
                "this" | "arguments" => return Err(format!("has `{word}`")),
                _ => Expr::Name(word),
            },
            _ => {
                self.at -= 1;
                return Err(format!("has {} where a value is expected", self.found()));
            }
        })
    }

    pub(super) fn object(&mut self) -> Parsed<Expr> {
        let mut properties = Vec::new();
        while !self.eat("}") {
            if self.eat("...") {
                properties.push(Property::Spread(self.assignment()?));
            } else {
                let (key, short) = match self.take() {
                    Token::Word(word) => (Expr::Text(word.clone()), Some(word)),
                    Token::Text(text) => (Expr::Text(text), None),
                    Token::Number(number) => (Expr::Number(number), None),
                    Token::Sign("[") => {
                        let key = self.expression()?;
                        self.want("]")?;
                        (key, None)
                    }
                    _ => return Err("has an object with a key that is no name".to_owned()),
                };
                let value = match short {
                    Some(name) if self.is(",") || self.is("}") => Expr::Name(name),
                    Some(name)
                        if (name == "get" || name == "set" || name == "async")
                            && matches!(self.peek(), Token::Word(_)) =>
                    {
                        return Err(format!("has `{name}` in an object"));
                    }
                    _ if self.eat("(") => {
                        let parameters = self.parameters()?;
                        let body = self.block()?;
                        Expr::Function(Box::new(Function {
                            name: None,
                            parameters,
                            body,
                        }))
                    }
                    _ => {
                        self.want(":")?;
                        self.assignment()?
                    }
                };
                properties.push(Property::Named(key, value));
            }
            if !self.is("}") {
                self.want(",")?;
            }
        }
        Ok(Expr::Object(properties))
    }
}
