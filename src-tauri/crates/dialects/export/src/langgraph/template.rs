//! Translates templates and expressions to Python with the same meaning. If that is impossible, the error names the construct that
//! has no equivalent.
//!
//! A template is parsed with the model's tokens and Tera's precedence. Every name, operator, filter and test becomes a call of a
//! function in `templates.py`, which implements Tera's behaviour in Python. A construct without such a function yields
//! [`Refused`], which names the construct and what to write instead.

use std::collections::HashSet;

use loopwright_template::{
    TemplateError,
    scan::{self, Kind, Piece, Token, expects_missing},
};
use serde_json::Value;

use super::{pattern, python::literal};

/// A construct without an equivalent, and its remedy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Refused(pub(super) String);

type Result<T> = std::result::Result<T, Refused>;

impl From<TemplateError> for Refused {
    fn from(error: TemplateError) -> Self {
        Self(format!("it is invalid: {error}"))
    }
}

fn refuse<T>(message: impl Into<String>) -> Result<T> {
    Err(Refused(message.into()))
}

/// A name and the constant steps after it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Reading<'a> {
    pub(super) root: &'a str,
    pub(super) path: Vec<String>,
    /// Whether the name is read as a whole, without steps.
    pub(super) whole: bool,
    /// Whether steps that are known only at run time follow the path.
    pub(super) dynamic: bool,
}

/// Resolves a name in the program: returns code for its value, and the number of steps that this code includes.
pub(super) trait Names {
    fn name(&mut self, reading: &Reading<'_>) -> Result<(String, usize)>;
}

/// The code of a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Code {
    /// An expression that reads names through `n`.
    Expression(String),
    /// The statements of a function that reads names through `n`.
    Function(Vec<String>),
}

/// The code of a condition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Condition {
    pub(super) code: String,
    /// The names that the condition reads, each as code that yields the value or `MISSING`.
    pub(super) reads: Vec<String>,
}

/// Translates a template. Fails if it contains a construct without an equivalent.
pub(super) fn template(source: &str, names: &mut dyn Names) -> Result<Code> {
    let pieces = scan::pieces(source)?;
    let mut writer = Writer::new(names, bound_in(&pieces)?);
    if let [Piece::Output(block)] = pieces.as_slice() {
        let value = writer.whole(&block.tokens, false)?;
        return Ok(Code::Expression(format!("finish({})", value.code)));
    }
    if pieces.iter().any(|piece| matches!(piece, Piece::Tag(_))) {
        return writer.function(&pieces).map(Code::Function);
    }
    let mut parts = Vec::new();
    for part in trimmed(&pieces) {
        match part {
            Part::Text("") => {}
            Part::Text(text) => parts.push(quoted(text)),
            Part::Output(tokens) => {
                parts.push(format!("text({})", writer.whole(tokens, false)?.code));
            }
            Part::Tag(_) => {}
        }
    }
    let parts = match parts.is_empty() {
        true => vec![quoted("")],
        false => parts,
    };
    Ok(Code::Expression(parts.join(" + ")))
}

/// Translates an expression without delimiters (`{{ }}`). At run time, a missing name is an error.
pub(super) fn expression(source: &str, names: &mut dyn Names) -> Result<String> {
    let tokens = scan::expression(source)?;
    let mut writer = Writer::new(names, bound_by(&tokens).collect());
    Ok(writer.whole(&tokens, false)?.code)
}

/// Translates a condition. At run time, a missing name is not an error.
pub(super) fn condition(source: &str, names: &mut dyn Names) -> Result<Condition> {
    let tokens = scan::expression(source)?;
    let mut writer = Writer::new(names, bound_by(&tokens).collect());
    let code = writer.whole(&tokens, true)?.code;
    Ok(Condition {
        code,
        reads: writer.reads,
    })
}

fn quoted(text: &str) -> String {
    literal(&Value::String(text.to_owned()))
}

/// A piece without the white space that the dashes of adjacent pieces remove.
enum Part<'p, 's> {
    Text(&'p str),
    Output(&'p [Token<'s>]),
    Tag(&'p [Token<'s>]),
}

/// The content of a comment or raw block, trimmed inside, and whether it trims the text before and after it.
struct Verbatim<'p> {
    text: &'p str,
    before: bool,
    behind: bool,
}

impl<'p> Verbatim<'p> {
    fn of(source: &'p str) -> Self {
        if let Some(inner) = source.strip_prefix("{#") {
            let inner = inner.strip_suffix("#}").unwrap_or(inner);
            return Self {
                text: "",
                before: inner.starts_with('-'),
                behind: inner.ends_with('-'),
            };
        }
        let (open, rest) = source.split_once("%}").unwrap_or(("", source));
        let (inner, close) = rest.rsplit_once("{%").unwrap_or((rest, ""));
        let text = match open.ends_with('-') {
            true => inner.trim_start(),
            false => inner,
        };
        Self {
            text: match close.starts_with('-') {
                true => text.trim_end(),
                false => text,
            },
            before: open.starts_with("{%-"),
            behind: close.trim_end_matches("%}").ends_with('-'),
        }
    }
}

/// Removes white space at `{{-`, `-}}` and similar delimiters, by the rules of Tera's lexer.
fn trimmed<'p, 's>(pieces: &'p [Piece<'s>]) -> Vec<Part<'p, 's>> {
    let mut trim_next = false;
    let mut parts = Vec::new();
    for (at, piece) in pieces.iter().enumerate() {
        let next_trims = match pieces.get(at + 1) {
            Some(Piece::Output(block) | Piece::Tag(block)) => block.trims_before,
            Some(Piece::Verbatim(source)) => Verbatim::of(source).before,
            Some(Piece::Text(_)) | None => false,
        };
        let mut content = |text: &'p str, trims_behind: bool, trim_next: &mut bool| {
            let text = match std::mem::take(trim_next) {
                true => text.trim_start(),
                false => text,
            };
            *trim_next |= trims_behind;
            parts.push(Part::Text(match next_trims {
                true => text.trim_end(),
                false => text,
            }));
        };
        match piece {
            Piece::Text(text) => content(text, false, &mut trim_next),
            // The text after a comment is trimmed if either the comment or the piece before it requires it.
            Piece::Verbatim(source) if source.starts_with("{#") => {
                trim_next |= Verbatim::of(source).behind;
            }
            Piece::Verbatim(source) => {
                let raw = Verbatim::of(source);
                content(raw.text, raw.behind, &mut trim_next);
            }
            Piece::Output(block) => {
                parts.push(Part::Output(&block.tokens));
                trim_next = block.trims_after;
            }
            Piece::Tag(block) => {
                parts.push(Part::Tag(&block.tokens));
                trim_next = block.trims_after;
            }
        }
    }
    parts
}

/// Returns the names that a template binds itself.
fn bound_in<'s>(pieces: &[Piece<'s>]) -> Result<HashSet<&'s str>> {
    let mut bound = HashSet::new();
    for piece in pieces {
        let (Piece::Output(block) | Piece::Tag(block)) = piece else {
            continue;
        };
        bound.extend(bound_by(&block.tokens));
        if let Some(tag) = block.tokens.first()
            && (tag.is_name("set") || tag.is_name("set_global"))
            && let Some(name) = block.tokens.get(1)
        {
            bound.insert(name.text);
        }
    }
    Ok(bound)
}

/// Returns the names that the tokens bind: those between each `for` and its `in`.
fn bound_by<'t, 's>(tokens: &'t [Token<'s>]) -> impl Iterator<Item = &'s str> + use<'t, 's> {
    tokens
        .iter()
        .enumerate()
        .filter(|(_, token)| token.is_name("for"))
        .flat_map(|(at, _)| {
            tokens[at + 1..]
                .iter()
                .take_while(|token| !token.is_name("in"))
                .filter(|token| token.kind == Kind::Name)
                .map(|token| token.text)
        })
}

/// The type of an operand of `~`, for which Tera formats lists and fractions differently than elsewhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Joins {
    /// The operand is a string.
    Text,
    /// The type of the operand is known only at run time.
    Unknown,
}

struct Py {
    code: String,
    joins: Joins,
}

impl Py {
    fn of(code: impl Into<String>) -> Self {
        Self {
            code: code.into(),
            joins: Joins::Unknown,
        }
    }

    fn text(code: impl Into<String>) -> Self {
        Self {
            code: code.into(),
            joins: Joins::Text,
        }
    }
}

/// A filter or test with its arguments. The flag of an argument marks it as required.
struct Function {
    name: &'static str,
    arguments: &'static [(&'static str, bool)],
}

const fn function(name: &'static str, arguments: &'static [(&'static str, bool)]) -> Function {
    Function { name, arguments }
}

/// The filters that `templates.py` implements, as `f_NAME`.
const FILTERS: &[Function] = &[
    function("default", &[("value", true), ("boolean", false)]),
    function("json", &[("pretty", false)]),
    function("length", &[]),
    function("join", &[("sep", false)]),
    function("trim", &[("pat", false)]),
    function("trim_start", &[("pat", false)]),
    function("trim_end", &[("pat", false)]),
    function("upper", &[]),
    function("lower", &[]),
    function("capitalize", &[]),
    function("title", &[]),
    function("truncate", &[("length", true), ("end", false)]),
    function("replace", &[("from", true), ("to", true)]),
    function("split", &[("pat", true)]),
    function(
        "indent",
        &[("width", false), ("first", false), ("blank", false)],
    ),
    function("wordcount", &[]),
    function("first", &[]),
    function("last", &[]),
    function("nth", &[("n", true)]),
    function("reverse", &[]),
    function("sort", &[("attribute", false)]),
    function("unique", &[]),
    function("get", &[("key", true), ("default", false)]),
    function("keys", &[]),
    function("values", &[]),
    function("pairs", &[]),
    function("int", &[("base", false)]),
    function("float", &[]),
    function("str", &[]),
    function("round", &[("precision", false), ("method", false)]),
    function("abs", &[]),
    function("pluralize", &[("singular", false), ("plural", false)]),
    function("escape", &[]),
    function("escape_html", &[]),
    function("escape_xml", &[]),
    function("newlines_to_br", &[]),
];

/// Filters that the program does not support. Each has its remedy.
const WITHOUT_FILTER: &[(&str, &str)] = &[
    (
        "safe",
        "Leave the filter out: text is not escaped here, so the filter has no effect",
    ),
    (
        "group_by",
        "Group the items in a separate node, or read them in a `for`",
    ),
];

/// Filters that return a string.
const GIVES_TEXT: [&str; 19] = [
    "json",
    "join",
    "trim",
    "trim_start",
    "trim_end",
    "upper",
    "lower",
    "capitalize",
    "title",
    "truncate",
    "replace",
    "indent",
    "str",
    "pluralize",
    "escape",
    "escape_html",
    "escape_xml",
    "newlines_to_br",
    "~",
];

/// The tests that `templates.py` implements, as `is_NAME`.
const TESTS: &[Function] = &[
    function("defined", &[]),
    function("undefined", &[]),
    function("none", &[]),
    function("containing", &[("pat", true)]),
    function("starting_with", &[("pat", true)]),
    function("ending_with", &[("pat", true)]),
    function("matching", &[("pat", true)]),
    function("string", &[]),
    function("number", &[]),
    function("integer", &[]),
    function("float", &[]),
    function("bool", &[]),
    function("array", &[]),
    function("map", &[]),
    function("iterable", &[]),
    function("odd", &[]),
    function("even", &[]),
    function("divisible_by", &[("divisor", true)]),
];

const FUNCTIONS: &[Function] = &[
    function(
        "range",
        &[("start", false), ("end", true), ("step_by", false)],
    ),
    function("throw", &[("message", true)]),
];

/// A block tag that has not been closed yet.
enum Open<'s> {
    If,
    /// A `for`, and whether its `else` has been reached.
    For(bool),
    Filter(&'s [Token<'s>]),
    Set {
        name: &'s str,
        global: bool,
        filters: &'s [Token<'s>],
    },
}

struct Writer<'n, 's> {
    names: &'n mut dyn Names,
    /// All names that the template binds.
    bound: HashSet<&'s str>,
    /// The names bound at the current position, one list per block.
    locals: Vec<Vec<&'s str>>,
    /// The number of open `for` tags.
    fors: usize,
    reads: Vec<String>,
}

impl<'n, 's> Writer<'n, 's> {
    fn new(names: &'n mut dyn Names, bound: HashSet<&'s str>) -> Self {
        Self {
            names,
            bound,
            locals: vec![Vec::new()],
            fors: 0,
            reads: Vec::new(),
        }
    }

    fn is_local(&self, name: &str) -> bool {
        self.locals.iter().flatten().any(|local| *local == name)
    }

    fn bind(&mut self, name: &'s str) {
        if let Some(locals) = self.locals.last_mut() {
            locals.push(name);
        }
    }

    /// Returns the statements of the Python function for a template with tags.
    fn function(&mut self, pieces: &'s [Piece<'s>]) -> Result<Vec<String>> {
        let mut lines = vec!["n.open()".to_owned()];
        let mut open: Vec<Open<'s>> = Vec::new();
        // The indentation of the open tags. An empty block still needs a statement.
        let mut depth = 0;
        let put = |lines: &mut Vec<String>, depth: usize, line: String| {
            lines.push(format!("{}{line}", "    ".repeat(depth)));
        };
        for part in trimmed(pieces) {
            let tokens = match part {
                Part::Text("") => continue,
                Part::Text(text) => {
                    put(&mut lines, depth, format!("n.write({})", quoted(text)));
                    continue;
                }
                Part::Output(tokens) => {
                    let value = self.whole(tokens, false)?.code;
                    put(&mut lines, depth, format!("n.write(text({value}))"));
                    continue;
                }
                Part::Tag(tokens) => tokens,
            };
            let Some((tag, rest)) = tokens.split_first() else {
                return refuse("an empty tag");
            };
            match tag.text {
                "if" => {
                    let condition = self.whole(rest, true)?.code;
                    put(&mut lines, depth, format!("if {condition}:"));
                    open.push(Open::If);
                    depth += 1;
                    put(&mut lines, depth, "pass".to_owned());
                }
                "elif" => {
                    let condition = self.whole(rest, true)?.code;
                    put(&mut lines, depth - 1, format!("elif {condition}:"));
                    put(&mut lines, depth, "pass".to_owned());
                }
                "else" => {
                    match open.last_mut() {
                        Some(Open::For(met)) => {
                            *met = true;
                            self.fors -= 1;
                            put(&mut lines, depth - 1, "if n.end_for():".to_owned());
                        }
                        _ => put(&mut lines, depth - 1, "else:".to_owned()),
                    }
                    put(&mut lines, depth, "pass".to_owned());
                }
                "endif" => {
                    open.pop();
                    depth -= 1;
                }
                "for" => {
                    let (names, target) = for_header(rest)?;
                    let value = self.whole(target, false)?.code;
                    let (key, item) = key_and_item(&names)?;
                    let key = key.map_or_else(|| "None".to_owned(), quoted);
                    let line = format!("n.begin_for({key}, {}, {value})", quoted(item));
                    put(&mut lines, depth, line);
                    put(&mut lines, depth, "while n.turn():".to_owned());
                    open.push(Open::For(false));
                    self.locals.push(names);
                    self.fors += 1;
                    depth += 1;
                    put(&mut lines, depth, "pass".to_owned());
                }
                "endfor" => {
                    depth -= 1;
                    if let Some(Open::For(false)) = open.pop() {
                        self.fors -= 1;
                        put(&mut lines, depth, "n.end_for()".to_owned());
                    }
                    self.locals.pop();
                }
                "break" | "continue" => put(&mut lines, depth, tag.text.to_owned()),
                "filter" => {
                    put(&mut lines, depth, "n.open()".to_owned());
                    open.push(Open::Filter(rest));
                    self.locals.push(Vec::new());
                }
                "endfilter" => {
                    self.locals.pop();
                    if let Some(Open::Filter(filters)) = open.pop() {
                        let text = self.filtered("n.close()", filters)?;
                        put(&mut lines, depth, format!("n.write(text({text}))"));
                    }
                }
                "set" | "set_global" => {
                    let global = tag.text == "set_global";
                    let Some((name, behind)) = rest.split_first() else {
                        return refuse("`set` without a name");
                    };
                    if let Some((_, value)) = behind.split_first().filter(|(sign, _)| sign.is("="))
                    {
                        let value = self.whole(value, false)?.code;
                        put(&mut lines, depth, set(global, name.text, &value));
                        self.bind(name.text);
                    } else {
                        put(&mut lines, depth, "n.open()".to_owned());
                        open.push(Open::Set {
                            name: name.text,
                            global,
                            filters: behind,
                        });
                        self.bind(name.text);
                        self.locals.push(Vec::new());
                    }
                }
                "endset" | "endset_global" => {
                    self.locals.pop();
                    if let Some(Open::Set {
                        name,
                        global,
                        filters,
                    }) = open.pop()
                    {
                        let value = self.filtered("n.close()", filters)?;
                        put(&mut lines, depth, set(global, name, &value));
                    }
                }
                other => return refuse(format!("the tag `{other}`")),
            }
        }
        put(&mut lines, 0, "return n.close()".to_owned());
        Ok(lines)
    }

    /// Returns code that applies the filters of `{% filter upper | trim %}` to the result of the code `text`.
    fn filtered(&mut self, text: &str, tokens: &[Token<'s>]) -> Result<String> {
        let mut value = Py::text(text);
        let mut at = 0;
        while at < tokens.len() {
            if tokens[at].is("|") {
                at += 1;
                continue;
            }
            value = self.filter(value, tokens, &mut at, false)?;
        }
        Ok(value.code)
    }

    /// Translates an expression that consists of all `tokens`.
    fn whole(&mut self, tokens: &[Token<'s>], lenient: bool) -> Result<Py> {
        let mut at = 0;
        let value = self.expression(tokens, &mut at, 0, lenient)?;
        match tokens.get(at) {
            None => Ok(value),
            Some(token) => refuse(format!("`{}` where nothing is expected", token.text)),
        }
    }

    /// Translates an operand and the operators after it that bind at least as tightly as `least` (Tera's precedence climbing).
    fn expression(
        &mut self,
        tokens: &[Token<'s>],
        at: &mut usize,
        least: u8,
        lenient: bool,
    ) -> Result<Py> {
        let mut left = self.operand(tokens, at, lenient)?;
        loop {
            let Some(&token) = tokens.get(*at) else {
                return Ok(left);
            };
            let negated =
                token.is_name("not") && tokens.get(*at + 1).is_some_and(|t| t.is_name("in"));
            let operator = match (token.kind, token.text) {
                (Kind::Symbol, "[") => {
                    left = self.item(left, tokens, at, lenient)?;
                    continue;
                }
                (Kind::Name, "if") => {
                    if least > 0 {
                        return Ok(left);
                    }
                    *at += 1;
                    let condition = self.expression(tokens, at, 0, true)?;
                    if !tokens.get(*at).is_some_and(|token| token.is_name("else")) {
                        return refuse("`a if b` without an `else`");
                    }
                    *at += 1;
                    let other = self.expression(tokens, at, 0, lenient)?;
                    let joins = match (left.joins, other.joins) {
                        (Joins::Text, Joins::Text) => Joins::Text,
                        _ => Joins::Unknown,
                    };
                    return Ok(Py {
                        code: format!("({} if {} else {})", left.code, condition.code, other.code),
                        joins,
                    });
                }
                (Kind::Name, "not") if negated => "in",
                (Kind::Name, "in" | "and" | "or" | "is") => token.text,
                (
                    Kind::Symbol,
                    "+" | "-" | "*" | "/" | "//" | "%" | "**" | "<" | "<=" | ">" | ">=" | "=="
                    | "!=" | "~" | "|",
                ) => token.text,
                _ => return Ok(left),
            };
            let (binds, right) = powers(operator);
            if binds < least {
                return Ok(left);
            }
            *at += 1 + usize::from(negated);
            left = match operator {
                "|" => self.filter(left, tokens, at, lenient)?,
                "is" => self.test(&left, tokens, at, lenient)?,
                _ => {
                    let other = self.expression(tokens, at, right, lenient)?;
                    self.operation(operator, negated, &left, &other)?
                }
            };
        }
    }

    fn operation(&self, operator: &str, negated: bool, left: &Py, right: &Py) -> Result<Py> {
        let (one, other) = (&left.code, &right.code);
        let call = |name: &str| Py::of(format!("{name}({one}, {other})"));
        Ok(match operator {
            "and" | "or" => Py::of(format!("({one} {operator} {other})")),
            "+" => call("add"),
            "-" => call("subtract"),
            "*" => call("multiply"),
            "/" => call("divide"),
            "//" => call("floor_divide"),
            "%" => call("remainder"),
            "**" => call("power"),
            "<" => call("less"),
            "<=" => call("at_most"),
            ">" => call("greater"),
            ">=" => call("at_least"),
            "==" => call("same"),
            "!=" => Py::of(format!("(not same({one}, {other}))")),
            "in" if negated => Py::of(format!("(not inside({one}, {other}))")),
            "in" => call("inside"),
            "~" => {
                if left.joins != Joins::Text || right.joins != Joins::Text {
                    return refuse(
                        "`~` with a value that is not a name, a string or a filter that returns text: lists and fractions are \
                         written differently in the program. Convert the value with `str`, as in `(…) | str`, or write the values \
                         one after another: `{{ a }}{{ b }}`",
                    );
                }
                Py::text(format!("({one} + {other})"))
            }
            other => return refuse(format!("the operator `{other}`")),
        })
    }

    fn operand(&mut self, tokens: &[Token<'s>], at: &mut usize, lenient: bool) -> Result<Py> {
        let Some(&token) = tokens.get(*at) else {
            return refuse("an expression that ends where a value is expected");
        };
        match (token.kind, token.text) {
            (Kind::Quoted, text) => {
                *at += 1;
                Ok(Py::text(quoted(&unescaped(text)?)))
            }
            (Kind::Number, text) => {
                *at += 1;
                number(text)
            }
            (Kind::Symbol, "-") => {
                *at += 1;
                let of = self.expression(tokens, at, 20, lenient)?;
                Ok(Py::of(format!("negative({})", of.code)))
            }
            (Kind::Symbol, "(") => {
                *at += 1;
                let inner = self.expression(tokens, at, 0, lenient)?;
                close(tokens, at, ")")?;
                Ok(inner)
            }
            (Kind::Symbol, "[") => self.list(tokens, at, lenient),
            (Kind::Symbol, "{") => self.map(tokens, at, lenient),
            (Kind::Name, "not") => {
                *at += 1;
                let of = self.expression(tokens, at, 5, lenient)?;
                Ok(Py::of(format!("(not {})", of.code)))
            }
            (Kind::Name, "true" | "True") => {
                *at += 1;
                Ok(Py::of("True"))
            }
            (Kind::Name, "false" | "False") => {
                *at += 1;
                Ok(Py::of("False"))
            }
            (Kind::Name, "none" | "None" | "null") => {
                *at += 1;
                Ok(Py::of("None"))
            }
            (Kind::Name, name) if tokens.get(*at + 1).is_some_and(|next| next.is("(")) => {
                *at += 1;
                let arguments = self.arguments("function", name, FUNCTIONS, tokens, at, lenient)?;
                Ok(Py::of(format!("{name}_({})", arguments.join(", "))))
            }
            (Kind::Name, _) => self.chain(tokens, at, lenient),
            (_, text) => refuse(format!("`{text}` where a value is expected")),
        }
    }

    /// Translates a name and the steps that follow it.
    fn chain(&mut self, tokens: &[Token<'s>], at: &mut usize, lenient: bool) -> Result<Py> {
        let (start, root) = (*at, tokens[*at].text);
        *at += 1;
        if root == "loop" && self.fors > 0 {
            let field = tokens.get(*at + 1).filter(|_| tokens[*at].is("."));
            let Some(field) = field.map(|field| field.text) else {
                return refuse("`loop` without one of its fields, such as `loop.index`");
            };
            *at += 2;
            return Ok(Py::of(format!("n.count({})", quoted(field))));
        }
        let mut steps: Vec<String> = Vec::new();
        let mut path: Vec<String> = Vec::new();
        let mut constant = true;
        while let Some(token) = tokens.get(*at) {
            if token.is(".") || token.is("?.") {
                let Some(field) = tokens.get(*at + 1) else {
                    return refuse("a dot without a field after it");
                };
                steps.push(quoted(field.text));
                if constant {
                    path.push(field.text.to_owned());
                }
                *at += 2;
            } else if token.is("[") || token.is("?[") {
                let written = tokens
                    .get(*at + 1)
                    .filter(|_| tokens.get(*at + 2).is_some_and(|token| token.is("]")))
                    .and_then(scan::constant);
                *at += 1;
                steps.push(format!("[{}]", self.index(tokens, at, lenient)?));
                match written {
                    Some(step) if constant => path.push(step),
                    _ => constant = false,
                }
            } else {
                break;
            }
        }
        let soft = lenient || expects_missing(tokens, *at);
        let is_local = self.is_local(root);
        if !is_local && self.bound.contains(root) {
            return refuse(format!(
                "`{root}`, a name that the template itself sets elsewhere. Rename the variable that the template sets"
            ));
        }
        let (base, taken) = match is_local {
            true => (format!("n.local({})", quoted(root)), 0),
            false => {
                let reading = Reading {
                    root,
                    path: path.clone(),
                    whole: steps.is_empty(),
                    dynamic: steps.len() > path.len(),
                };
                self.names.name(&reading)?
            }
        };
        if taken > path.len() {
            return refuse(format!(
                "`{root}` with a field that is known only during the run"
            ));
        }
        let rest = steps[taken..].join(", ");
        let rest = match rest.is_empty() {
            true => String::new(),
            false => format!(", {rest}"),
        };
        if !is_local {
            let found: String = path[taken..]
                .iter()
                .map(|step| format!(", {}", quoted(step)))
                .collect();
            let found = format!("found({base}{found})");
            if !self.reads.contains(&found) {
                self.reads.push(found);
            }
        }
        let code = match soft {
            true if rest.is_empty() => base,
            true => format!("seen({base}{rest})"),
            false => {
                let written: String = tokens[start..*at].iter().map(|token| token.text).collect();
                format!("need({}, {base}{rest})", quoted(&written))
            }
        };
        let beside = |at: Option<usize>| {
            at.and_then(|at| tokens.get(at))
                .is_some_and(|token| token.is("~"))
        };
        let joined = beside(start.checked_sub(1)) || beside(Some(*at));
        Ok(match joined && !soft {
            true => Py::text(format!("text({code})")),
            false => Py::of(code),
        })
    }

    /// Translates an index after a value, including the closing bracket.
    fn index(&mut self, tokens: &[Token<'s>], at: &mut usize, lenient: bool) -> Result<String> {
        let slice =
            "a slice such as `list[1:3]`. Select the items in a `for`, or in a separate node";
        if tokens.get(*at).is_some_and(|token| token.is(":")) {
            return refuse(slice);
        }
        let index = self.expression(tokens, at, 0, lenient)?.code;
        if tokens.get(*at).is_some_and(|token| token.is(":")) {
            return refuse(slice);
        }
        close(tokens, at, "]")?;
        Ok(index)
    }

    /// Translates `[index]` after a value that is not a name.
    fn item(&mut self, of: Py, tokens: &[Token<'s>], at: &mut usize, lenient: bool) -> Result<Py> {
        *at += 1;
        let index = self.index(tokens, at, lenient)?;
        Ok(Py::of(format!("item({}, {index})", of.code)))
    }

    fn list(&mut self, tokens: &[Token<'s>], at: &mut usize, lenient: bool) -> Result<Py> {
        if let Some(for_at) = comprehension(tokens, *at) {
            return self.comprehension(tokens, at, for_at, lenient);
        }
        *at += 1;
        let mut items = Vec::new();
        while !tokens.get(*at).is_some_and(|token| token.is("]")) {
            let spread = tokens.get(*at).is_some_and(|token| token.is("..."));
            *at += usize::from(spread);
            let value = self.expression(tokens, at, 0, lenient)?.code;
            items.push(match spread {
                true => format!("*items({value})"),
                false => value,
            });
            comma(tokens, at, "]")?;
        }
        *at += 1;
        Ok(Py::of(format!("[{}]", items.join(", "))))
    }

    /// Translates `[expression for name in list if condition]`.
    fn comprehension(
        &mut self,
        tokens: &[Token<'s>],
        at: &mut usize,
        for_at: usize,
        lenient: bool,
    ) -> Result<Py> {
        let names: Vec<&'s str> = tokens[for_at + 1..]
            .iter()
            .take_while(|token| !token.is_name("in"))
            .filter(|token| token.kind == Kind::Name)
            .map(|token| token.text)
            .collect();
        let (key, item) = key_and_item(&names)?;
        let (key, item) = (key.map_or_else(|| "None".to_owned(), quoted), quoted(item));
        self.locals.push(names);
        let element = self.whole(&tokens[*at + 1..for_at], lenient)?.code;
        *at = for_at + 1;
        while tokens.get(*at).is_some_and(|token| !token.is_name("in")) {
            *at += 1;
        }
        *at += 1;
        let of = self.expression(tokens, at, 1, lenient)?.code;
        let condition = match tokens.get(*at).is_some_and(|token| token.is_name("if")) {
            true => {
                *at += 1;
                self.expression(tokens, at, 1, true)?.code
            }
            false => "True".to_owned(),
        };
        close(tokens, at, "]")?;
        self.locals.pop();
        Ok(Py::of(format!(
            "n.collect({key}, {item}, {of}, lambda: {condition}, lambda: {element})"
        )))
    }

    fn map(&mut self, tokens: &[Token<'s>], at: &mut usize, lenient: bool) -> Result<Py> {
        *at += 1;
        let (mut entries, mut spreads) = (Vec::new(), false);
        while !tokens.get(*at).is_some_and(|token| token.is("}")) {
            let Some(&key) = tokens.get(*at) else {
                return refuse("an object that is not closed");
            };
            *at += 1;
            if key.is("...") {
                spreads = true;
                let value = self.expression(tokens, at, 0, lenient)?.code;
                entries.push((None, value));
            } else {
                if key.kind != Kind::Quoted {
                    return refuse(format!(
                        "an object whose field name `{}` is not text. Put the name in quotes",
                        key.text
                    ));
                }
                close(tokens, at, ":")?;
                let value = self.expression(tokens, at, 0, lenient)?.code;
                entries.push((Some(quoted(&unescaped(key.text)?)), value));
            }
            comma(tokens, at, "}")?;
        }
        *at += 1;
        let written: Vec<String> = entries
            .into_iter()
            .map(|(key, value)| match (key, spreads) {
                (Some(key), true) => format!("{{{key}: {value}}}"),
                (Some(key), false) => format!("{key}: {value}"),
                (None, _) => format!("fields({value})"),
            })
            .collect();
        Ok(Py::of(match spreads {
            true => format!("merge({})", written.join(", ")),
            false => format!("{{{}}}", written.join(", ")),
        }))
    }

    /// Translates the filter at `at` with its arguments. Fails if the program does not have the filter.
    fn filter(
        &mut self,
        value: Py,
        tokens: &[Token<'s>],
        at: &mut usize,
        lenient: bool,
    ) -> Result<Py> {
        let Some(name) = tokens.get(*at).map(|token| token.text) else {
            return refuse("a `|` without a filter after it");
        };
        if let Some((_, instead)) = WITHOUT_FILTER.iter().find(|(known, _)| *known == name) {
            return refuse(format!("the filter `{name}`. {instead}"));
        }
        *at += 1;
        let arguments = self.arguments("filter", name, FILTERS, tokens, at, lenient)?;
        let code = called(&format!("f_{name}"), &value.code, &arguments);
        Ok(match GIVES_TEXT.contains(&name) {
            true => Py::text(code),
            false => Py::of(code),
        })
    }

    /// Translates the test after an `is`. Fails if the program does not have the test.
    fn test(
        &mut self,
        value: &Py,
        tokens: &[Token<'s>],
        at: &mut usize,
        lenient: bool,
    ) -> Result<Py> {
        let negated = tokens.get(*at).is_some_and(|token| token.is_name("not"));
        *at += usize::from(negated);
        let Some(name) = tokens.get(*at).map(|token| token.text) else {
            return refuse("an `is` without a test after it");
        };
        *at += 1;
        let arguments = match name {
            "matching" => vec![format!("pat={}", quoted(&regex(tokens, at)?))],
            _ => self.arguments("test", name, TESTS, tokens, at, lenient)?,
        };
        let code = called(&format!("is_{name}"), &value.code, &arguments);
        Ok(Py::of(match negated {
            true => format!("(not {code})"),
            false => code,
        }))
    }

    /// Translates the arguments in parentheses, if any, and checks that `name` accepts them.
    fn arguments(
        &mut self,
        what: &str,
        name: &str,
        known: &[Function],
        tokens: &[Token<'s>],
        at: &mut usize,
        lenient: bool,
    ) -> Result<Vec<String>> {
        let Some(function) = known.iter().find(|function| function.name == name) else {
            return refuse(format!("the {what} `{name}`"));
        };
        let mut given: Vec<(&str, String)> = Vec::new();
        if tokens.get(*at).is_some_and(|token| token.is("(")) {
            *at += 1;
            while !tokens.get(*at).is_some_and(|token| token.is(")")) {
                let Some(argument) = tokens.get(*at).map(|token| token.text) else {
                    return refuse(format!("the {what} `{name}` with an unclosed bracket"));
                };
                *at += 1;
                close(tokens, at, "=")?;
                let value = self.expression(tokens, at, 0, lenient)?.code;
                if !function
                    .arguments
                    .iter()
                    .any(|(known, _)| *known == argument)
                {
                    return refuse(format!(
                        "the unknown argument `{argument}` of the {what} `{name}`. Leave it out"
                    ));
                }
                given.push((argument, value));
                comma(tokens, at, ")")?;
            }
            *at += 1;
        }
        for (argument, must) in function.arguments {
            if *must && !given.iter().any(|(name, _)| name == argument) {
                return refuse(format!(
                    "the {what} `{name}` without its required argument `{argument}`. Write `{name}({argument}=…)`"
                ));
            }
        }
        let keyword = |argument: &str| match argument {
            // Python keywords.
            "from" => "from_".to_owned(),
            other => other.to_owned(),
        };
        Ok(given
            .into_iter()
            .map(|(argument, value)| format!("{}={value}", keyword(argument)))
            .collect())
    }
}

fn set(global: bool, name: &str, value: &str) -> String {
    let function = if global { "set_global" } else { "set" };
    format!("n.{function}({}, {value})", quoted(name))
}

fn called(function: &str, value: &str, arguments: &[String]) -> String {
    let arguments: String = arguments.iter().map(|one| format!(", {one}")).collect();
    format!("{function}({value}{arguments})")
}

/// Returns the binding powers of an operator to its left and its right (Tera's table).
fn powers(operator: &str) -> (u8, u8) {
    match operator {
        "or" => (1, 2),
        "and" => (3, 4),
        "in" | "is" => (5, 6),
        "==" | "!=" | "<" | "<=" | ">" | ">=" => (7, 8),
        "+" | "-" => (11, 12),
        "**" => (16, 15),
        "|" => (17, 18),
        _ => (13, 14),
    }
}

/// Translates the pattern of `matching(pat="…")` to Python.
fn regex(tokens: &[Token<'_>], at: &mut usize) -> Result<String> {
    let written = match tokens.get(*at..) {
        Some([open, pat, sign, text, rest @ ..])
            if open.is("(") && pat.is_name("pat") && sign.is("=") && text.kind == Kind::Quoted =>
        {
            let trailing = usize::from(rest.first().is_some_and(|token| token.is(",")));
            rest.get(trailing)
                .is_some_and(|token| token.is(")"))
                .then(|| (text.text, 5 + trailing))
        }
        _ => None,
    };
    let Some((text, taken)) = written else {
        return refuse(
            "the test `matching` with a pattern that is known only during the run. Write the pattern out: `matching(pat=\"^[0-9]+$\")`",
        );
    };
    *at += taken;
    let pattern = unescaped(text)?;
    pattern::python(&pattern).map_err(|what| {
        Refused(format!(
            "{what} in the regular expression `{pattern}` of the test `matching`"
        ))
    })
}

fn number(text: &str) -> Result<Py> {
    if text.contains('.') {
        return match text.parse::<f64>() {
            Ok(number) => Ok(Py::of(format!("{number:?}"))),
            Err(_) => refuse(format!("the number `{text}`")),
        };
    }
    match text.parse::<i64>() {
        // After `~` an integer is written unchanged.
        Ok(number) => Ok(Py::of(number.to_string())),
        Err(_) => refuse(format!("the number `{text}`")),
    }
}

fn unescaped(quoted: &str) -> Result<String> {
    let inner = &quoted[1..quoted.len() - 1];
    let mut text = String::with_capacity(inner.len());
    let mut letters = inner.chars();
    while let Some(letter) = letters.next() {
        text.push(match letter {
            '\\' => match letters.next() {
                Some('n') => '\n',
                Some('t') => '\t',
                Some('r') => '\r',
                Some(same @ ('"' | '\'' | '/' | '\\')) => same,
                other => return refuse(format!("the escape `\\{}`", other.unwrap_or(' '))),
            },
            other => other,
        });
    }
    Ok(text)
}

fn close(tokens: &[Token<'_>], at: &mut usize, symbol: &str) -> Result<()> {
    if tokens.get(*at).is_some_and(|token| token.is(symbol)) {
        *at += 1;
        return Ok(());
    }
    refuse(format!(
        "an expression without `{symbol}` where it is expected"
    ))
}

fn comma(tokens: &[Token<'_>], at: &mut usize, end: &str) -> Result<()> {
    match tokens.get(*at) {
        Some(token) if token.is(",") => {
            *at += 1;
            Ok(())
        }
        Some(token) if token.is(end) => Ok(()),
        _ => refuse(format!("a list without `{end}` at its end")),
    }
}

fn for_header<'t, 's>(tokens: &'t [Token<'s>]) -> Result<(Vec<&'s str>, &'t [Token<'s>])> {
    let Some(in_at) = tokens.iter().position(|token| token.is_name("in")) else {
        return refuse("a `for` without `in`");
    };
    let names = tokens[..in_at]
        .iter()
        .filter(|token| token.kind == Kind::Name)
        .map(|token| token.text)
        .collect();
    Ok((names, &tokens[in_at + 1..]))
}

fn key_and_item<'s>(names: &[&'s str]) -> Result<(Option<&'s str>, &'s str)> {
    match names {
        [item] => Ok((None, item)),
        [key, item] => Ok((Some(key), item)),
        _ => refuse("a `for` that does not have one or two names"),
    }
}

/// Returns the position of `for` in the list that opens at `open`, or `None` if the list is not a comprehension.
fn comprehension(tokens: &[Token<'_>], open: usize) -> Option<usize> {
    let mut depth = 0usize;
    for (at, token) in tokens.iter().enumerate().skip(open) {
        match (token.kind, token.text) {
            (Kind::Symbol, "(" | "[" | "{" | "?[") => depth += 1,
            (Kind::Symbol, ")" | "]" | "}") => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return None;
                }
            }
            (Kind::Name, "for") if depth == 1 => return Some(at),
            _ => {}
        }
    }
    None
}
