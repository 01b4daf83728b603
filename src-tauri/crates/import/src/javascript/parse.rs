//! Tokens to statements, by recursive descent. What is not read is an error that names it.

use super::{
    ast::{
        Binding, Expr, Function, Item, Kind, Link, LinkKind, Parameter, Pattern, Property,
        Statement,
    },
    lex::{At, Token, tokens},
};

/// How deeply expressions and blocks may be nested.
const MAX_DEPTH: usize = 150;

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

    // ---- statements

    fn statement(&mut self) -> Parsed<Statement> {
        let line = self.line();
        let kind = self.deeper(Self::statement_here);
        kind.map(|kind| Statement { line, kind })
            .map_err(|why| self.placed(why))
    }

    fn statement_here(&mut self) -> Parsed<Kind> {
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

    fn expression_statement(&mut self) -> Parsed<Kind> {
        let value = self.expression()?;
        self.over()?;
        Ok(Kind::Expr(value))
    }

    fn block(&mut self) -> Parsed<Vec<Statement>> {
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

    fn body(&mut self) -> Parsed<Vec<Statement>> {
        if self.is("{") {
            self.block()
        } else {
            Ok(vec![self.statement()?])
        }
    }

    fn condition(&mut self) -> Parsed<Expr> {
        self.want("(")?;
        let condition = self.expression()?;
        self.want(")")?;
        Ok(condition)
    }

    fn binding(&mut self) -> Parsed<Binding> {
        Ok(match self.name()?.as_str() {
            "var" => Binding::Var,
            "let" => Binding::Let,
            _ => Binding::Const,
        })
    }

    fn declaration(&mut self) -> Parsed<Kind> {
        let binding = self.binding()?;
        let declared = self.declared(binding)?;
        self.over()?;
        Ok(declared)
    }

    fn declared(&mut self, binding: Binding) -> Parsed<Kind> {
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

    fn pattern(&mut self) -> Parsed<Pattern> {
        self.deeper(Self::pattern_here)
    }

    fn pattern_here(&mut self) -> Parsed<Pattern> {
        if self.eat("[") {
            let mut items = Vec::new();
            while !self.eat("]") {
                if self.eat(",") {
                    items.push(None);
                    continue;
                }
                let rest = self.eat("...");
                let pattern = self.pattern()?;
                let default = if self.eat("=") {
                    Some(self.assignment()?)
                } else {
                    None
                };
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

    fn choice(&mut self) -> Parsed<Kind> {
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

    fn each(&mut self) -> Parsed<Kind> {
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

    fn switch(&mut self) -> Parsed<Kind> {
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

    fn attempt(&mut self) -> Parsed<Kind> {
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

    fn function(&mut self, named: bool) -> Parsed<Function> {
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

    /// Up to the bracket that closes them.
    fn parameters(&mut self) -> Parsed<Vec<Parameter>> {
        let mut parameters = Vec::new();
        while !self.eat(")") {
            let rest = self.eat("...");
            let pattern = self.pattern()?;
            let default = if self.eat("=") {
                Some(self.assignment()?)
            } else {
                None
            };
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

    /// `x => …` or `(x, y) => …`, where one begins.
    fn arrow(&mut self) -> Parsed<Option<Expr>> {
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
    fn arrow_behind(&self) -> bool {
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

    fn expression(&mut self) -> Parsed<Expr> {
        let value = self.assignment()?;
        if self.is(",") {
            return Err("has several expressions behind commas".to_owned());
        }
        Ok(value)
    }

    fn assignment(&mut self) -> Parsed<Expr> {
        self.deeper(Self::assignment_here)
    }

    fn assignment_here(&mut self) -> Parsed<Expr> {
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

    fn operator(&self) -> Option<(&'static str, u8)> {
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

    fn binary(&mut self, least: u8) -> Parsed<Expr> {
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

    fn unary(&mut self) -> Parsed<Expr> {
        self.deeper(Self::unary_here)
    }

    fn unary_here(&mut self) -> Parsed<Expr> {
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

    fn chain(&mut self) -> Parsed<Expr> {
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

    fn index(&mut self) -> Parsed<LinkKind> {
        let index = self.expression()?;
        self.want("]")?;
        Ok(LinkKind::Index(index))
    }

    /// Elements or arguments, up to the sign that closes them.
    fn items(&mut self, close: &'static str) -> Parsed<Vec<Item>> {
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

    fn primary(&mut self) -> Parsed<Expr> {
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

    fn object(&mut self) -> Parsed<Expr> {
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
