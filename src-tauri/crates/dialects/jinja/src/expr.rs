//! Translates Jinja expressions to Python expressions. Jinja itself also compiles to Python, so operators and truth keep their
//! meaning.
//!
//! Three kinds of Jinja values do not exist in Python. An undefined value is `...` here, which no state contains; only
//! operations that test for it accept it, and all others fail. Iterators and marked-up text are detected from the expression,
//! and rejected where their special behaviour would matter. A fourth kind exists only in TEA: an object that is reached from
//! `state` only by dots returns None for a missing field ([`Kind::Dotted`]), while any other object returns an undefined value.

mod calls;

use minijinja::{
    machinery::{
        Span,
        ast::{BinOpKind, CompareOpKind, Expr, UnaryOpKind},
    },
    value::ValueKind,
};
use serde_json::{Map, Value};

/// The reason why an expression has no equivalent, as the end of a sentence that begins with "it".
pub type Why = String;

/// The kind of a value, as far as it is known before the value is computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A string, a number, a boolean or None.
    Scalar,
    /// An object of TEA, or the content of such an object.
    Dotted,
    /// A value that exists in both Python and JSON.
    Plain,
    /// A plain value or one of TEA's objects, or a value that contains both.
    Mixed,
    /// An iterator, which can be consumed once.
    Iterator,
    /// A string marked as HTML.
    Markup,
}

impl Kind {
    /// Returns the kind of a value whose kind is either `self` or `other`.
    pub(super) fn or(self, other: Self) -> Self {
        match (self, other) {
            (Self::Scalar, kind) | (kind, Self::Scalar) => kind,
            (one, other) if one == other => one,
            _ => Self::Mixed,
        }
    }

    /// Returns the kind of the content of a value of this kind. The content is never [`Self::Dotted`].
    pub(super) fn inner(self) -> Self {
        match self {
            Self::Mixed => Self::Mixed,
            _ => Self::Plain,
        }
    }
}

/// A Python expression.
pub(super) struct Code {
    pub(super) text: String,
    pub(super) kind: Kind,
    /// Whether the value may be `...`, which represents an undefined value.
    pub(super) may_lack: bool,
}

impl Code {
    pub(super) fn new(text: String, kind: Kind) -> Self {
        Self {
            text,
            kind,
            may_lack: false,
        }
    }

    fn lacking(self) -> Self {
        Self {
            may_lack: true,
            ..self
        }
    }

    /// Returns code that fails if the value is undefined.
    pub(super) fn strict(self) -> Self {
        if !self.may_lack {
            return self;
        }
        let text = format!("jinja_have({})", self.text);
        Self::new(text, self.kind)
    }
}

/// A name that a template binds, and its Python variable.
#[derive(Debug, Clone)]
pub(super) struct Bound {
    pub(super) name: String,
    pub(super) python: String,
    pub(super) kind: Kind,
    /// Whether a `set` assigns the name and may not have run.
    pub(super) may_lack: bool,
}

/// The meaning of the names in an expression.
pub(super) struct Names<'a> {
    /// The agent's constants by root name: `variables`, `settings`, `data`.
    pub(super) constants: &'a Map<String, Value>,
    pub(super) bound: Vec<Bound>,
    /// The Python variable that counts the iterations of the enclosing `for`, and the variable of the list that the `for`
    /// iterates over. `None` outside a `for`.
    pub(super) round: Option<(String, String)>,
    /// The number of names created by [`Self::new_name`].
    pub(super) named: usize,
}

impl Names<'_> {
    /// Returns a name that the script does not yet use.
    pub(super) fn new_name(&mut self, word: &str) -> String {
        self.named += 1;
        format!("_{word}{}", self.named)
    }
}

/// One template: its source and the names in scope.
pub(super) struct Writer<'n, 'a> {
    pub(super) source: &'n str,
    pub(super) names: &'n Names<'a>,
}

impl Writer<'_, '_> {
    /// Translates an expression, whose value may be undefined. Fails if it has no equivalent in Python.
    pub(super) fn code(&self, expr: &Expr<'_>) -> Result<Code, Why> {
        if let Some((constant, kind)) = self.constant(expr) {
            return Ok(Code::new(literal(constant), kind));
        }
        let scalar = |text: String| Ok(Code::new(text, Kind::Scalar));
        match expr {
            Expr::Var(var) => self.name(var.id),
            Expr::Const(constant) => scalar(self.written(constant.span(), &constant.value)?),
            Expr::GetAttr(read) => self.attribute(&read.expr, read.name),
            Expr::GetItem(read) => {
                let key = self.value(&read.subscript_expr)?.text;
                let base = self.base(&read.expr)?;
                let dotted = match base.kind {
                    Kind::Dotted => ", jinja_dot",
                    _ => "",
                };
                Ok(with_sign(&base.text, |base| {
                    format!("jinja_item({base}, {key}{dotted})")
                })
                .lacking())
            }
            Expr::Slice(slice) => {
                let bound = |bound: &Option<Expr<'_>>| {
                    let code = bound.as_ref().map(|bound| self.value(bound));
                    Ok::<_, Why>(code.transpose()?.map_or(String::new(), |code| code.text))
                };
                let (start, stop) = (bound(&slice.start)?, bound(&slice.stop)?);
                let step = bound(&slice.step)?;
                let base = self.base(&slice.expr)?;
                Ok(with_sign(&base.text, |base| {
                    format!("{base}[{start}:{stop}:{step}]")
                }))
            }
            Expr::UnaryOp(unary) => {
                let value = self.value(&unary.expr)?.text;
                scalar(match unary.op {
                    UnaryOpKind::Not => format!("(not {value})"),
                    UnaryOpKind::Neg => format!("-{value}"),
                })
            }
            Expr::BinOp(operation) => self.binary(operation.op, &operation.left, &operation.right),
            Expr::Compare(compare) => {
                let mut text = self.value(&compare.expr)?.text;
                for op in &compare.ops {
                    let word = match op.op {
                        CompareOpKind::Eq => "==",
                        CompareOpKind::Ne => "!=",
                        CompareOpKind::Lt => "<",
                        CompareOpKind::Lte => "<=",
                        CompareOpKind::Gt => ">",
                        CompareOpKind::Gte => ">=",
                        CompareOpKind::In => "in",
                        CompareOpKind::NotIn => "not in",
                    };
                    text = format!("{text} {word} {}", self.value(&op.expr)?.text);
                }
                scalar(format!("({text})"))
            }
            Expr::IfExpr(choice) => {
                let (test, one) = (
                    self.value(&choice.test_expr)?,
                    self.value(&choice.true_expr)?,
                );
                let other = match &choice.false_expr {
                    Some(other) => self.value(other)?,
                    None => Code::new("...".to_owned(), Kind::Scalar).lacking(),
                };
                Ok(Code {
                    text: format!("({} if {} else {})", one.text, test.text, other.text),
                    kind: one.kind.or(other.kind),
                    may_lack: other.may_lack,
                })
            }
            Expr::Filter(filter) => {
                let value = filter
                    .expr
                    .as_ref()
                    .ok_or("has a filter without a value, which is not supported here")?;
                self.filter(filter.name, value, &filter.args)
            }
            Expr::Test(test) => self.test(test.name, &test.expr, test.args.is_empty()),
            Expr::Call(call) => self.call(call),
            Expr::List(list) => {
                let (items, kind) = self.items(&list.items)?;
                let is_tuple = self.span(list.span()).starts_with('(');
                let text = match items.as_slice() {
                    [only] if is_tuple => format!("({only},)"),
                    items if is_tuple => format!("({})", items.join(", ")),
                    items => format!("[{}]", items.join(", ")),
                };
                Ok(Code::new(text, kind))
            }
            Expr::Map(map) => {
                let (keys, _) = self.items(&map.keys)?;
                let (values, kind) = self.items(&map.values)?;
                let fields: Vec<String> = keys
                    .iter()
                    .zip(&values)
                    .map(|(key, value)| format!("{key}: {value}"))
                    .collect();
                Ok(Code::new(format!("{{{}}}", fields.join(", ")), kind))
            }
        }
    }

    /// Translates an expression to a defined value that behaves like JSON. Fails if it has no equivalent in Python, or if it
    /// yields an iterator or marked-up text.
    pub(super) fn value(&self, expr: &Expr<'_>) -> Result<Code, Why> {
        let code = self.iterable(expr)?;
        match code.kind {
            Kind::Iterator => Err(ITERATOR.to_owned()),
            _ => Ok(code),
        }
    }

    /// Translates an expression whose value is iterated over. Fails if it has no equivalent in Python, or if it yields
    /// marked-up text.
    pub(super) fn iterable(&self, expr: &Expr<'_>) -> Result<Code, Why> {
        let code = self.code(expr)?.strict();
        match code.kind {
            Kind::Markup => {
                Err("uses the result of `tojson`, `escape` or `safe` inside a larger expression, where Jinja would escape the other \
                     text; use the filter only as the last step of a `{{ … }}`"
                    .to_owned())
            }
            _ => Ok(code),
        }
    }

    /// Translates an expression that is printed or is the whole result. Its value may be undefined. Fails if it has no
    /// equivalent in Python, or if it yields an iterator.
    pub(super) fn printed(&self, expr: &Expr<'_>) -> Result<Code, Why> {
        let code = self.code(expr)?;
        match code.kind {
            Kind::Iterator => Err(ITERATOR.to_owned()),
            _ => Ok(code),
        }
    }

    /// Translates the items of a list, and returns their common kind. A list with one of TEA's objects is mixed.
    fn items(&self, items: &[Expr<'_>]) -> Result<(Vec<String>, Kind), Why> {
        let mut texts = Vec::new();
        let mut kind = Kind::Plain;
        for item in items {
            let code = self.value(item)?;
            if matches!(code.kind, Kind::Dotted | Kind::Mixed) {
                kind = Kind::Mixed;
            }
            texts.push(code.text);
        }
        Ok((texts, kind))
    }

    /// Translates a value whose field is read. Fails if the value is [`Kind::Mixed`], because the meaning of a missing field
    /// is then unknown.
    fn base(&self, expr: &Expr<'_>) -> Result<Code, Why> {
        let code = self.value(expr)?;
        match code.kind {
            Kind::Mixed => Err(
                "reads a field of a value whose kind is known only during the run, and the kinds treat a missing field differently"
                    .to_owned(),
            ),
            _ => Ok(code),
        }
    }

    fn attribute(&self, base: &Expr<'_>, name: &str) -> Result<Code, Why> {
        if let (Expr::Var(var), Some((round, list))) = (base, &self.names.round)
            && var.id == "loop"
        {
            let text = match name {
                "index" => format!("({round} + 1)"),
                "index0" => round.clone(),
                "first" => format!("({round} == 0)"),
                "last" => format!("({round} + 1 == len({list}))"),
                "length" => format!("len({list})"),
                "revindex" => format!("(len({list}) - {round})"),
                "revindex0" => format!("(len({list}) - {round} - 1)"),
                other => return Err(format!("reads `loop.{other}`, which is not supported here")),
            };
            return Ok(Code::new(text, Kind::Scalar));
        }
        if name.starts_with("__") {
            return Err(format!("reads `{name}`, which only Python has"));
        }
        let read = self.base(base)?;
        // TEA lets Jinja handle names that begin with `_`.
        let dotted = read.kind == Kind::Dotted && !name.starts_with('_');
        let (reader, kind) = if dotted {
            ("jinja_dot", Kind::Dotted)
        } else {
            ("jinja_attr", Kind::Plain)
        };
        let mut code = with_sign(&read.text, |base| {
            format!("{reader}({base}, {})", quoted(name))
        });
        code.kind = kind;
        code.may_lack = !(dotted && read.text == "state");
        Ok(code)
    }

    fn binary(&self, op: BinOpKind, left: &Expr<'_>, right: &Expr<'_>) -> Result<Code, Why> {
        if matches!(op, BinOpKind::Concat) {
            let (one, other) = (self.printed(left)?.strict(), self.printed(right)?.strict());
            let text = format!("(str({}) + str({}))", one.text, other.text);
            return Ok(Code::new(text, Kind::Scalar));
        }
        let word = match op {
            BinOpKind::Eq => "==",
            BinOpKind::Ne => "!=",
            BinOpKind::Lt => "<",
            BinOpKind::Lte => "<=",
            BinOpKind::Gt => ">",
            BinOpKind::Gte => ">=",
            BinOpKind::ScAnd => "and",
            BinOpKind::ScOr => "or",
            BinOpKind::Add => "+",
            BinOpKind::Sub => "-",
            BinOpKind::Mul => "*",
            BinOpKind::Div => "/",
            BinOpKind::FloorDiv => "//",
            BinOpKind::Rem => "%",
            BinOpKind::Pow => "**",
            BinOpKind::In => "in",
            BinOpKind::Concat => "+",
        };
        let one = self.value(left)?;
        let other = match op {
            BinOpKind::In => self.iterable(right)?,
            _ => self.value(right)?,
        };
        // In `-2 ** 2`, Jinja applies the sign first.
        let first = match op {
            BinOpKind::Pow => format!("({})", one.text),
            _ => one.text,
        };
        let kind = match op {
            BinOpKind::ScAnd | BinOpKind::ScOr | BinOpKind::Add => one.kind.or(other.kind),
            _ => Kind::Scalar,
        };
        Ok(Code::new(format!("({first} {word} {})", other.text), kind))
    }

    fn test(&self, name: &str, value: &Expr<'_>, is_bare: bool) -> Result<Code, Why> {
        if !is_bare {
            return Err(format!(
                "has the test `{name}` with an argument, which is not supported here"
            ));
        }
        // These tests accept undefined values, the others fail.
        let lacking = match name {
            "defined" => "{} is not ...",
            "undefined" => "{} is ...",
            "none" => "{} is None",
            "true" => "{} is True",
            "false" => "{} is False",
            "boolean" => "isinstance({}, bool)",
            "string" => "isinstance({}, str)",
            "number" => "isinstance({}, (int, float))",
            "integer" => "type({}) == int",
            "float" => "isinstance({}, float)",
            "mapping" => "isinstance({}, dict)",
            _ => "",
        };
        let strict = match name {
            "odd" => "{} % 2 == 1",
            "even" => "{} % 2 == 0",
            "sequence" => "isinstance({}, (str, list, tuple, dict))",
            "iterable" => "jinja_iterable({})",
            _ => "",
        };
        let code = self.code(value)?;
        if matches!(code.kind, Kind::Iterator | Kind::Markup) {
            return Err(format!(
                "tests whether the result of a filter is `{name}`, which is not supported here"
            ));
        }
        let (form, code) = match (lacking, strict) {
            ("", "") => {
                return Err(format!(
                    "has the test `{name}`, which is not supported here"
                ));
            }
            ("", strict) => (strict, code.strict()),
            (lacking, _) => (lacking, code),
        };
        let text = format!("({})", form.replace("{}", &code.text));
        Ok(Code::new(text, Kind::Scalar))
    }

    fn name(&self, name: &str) -> Result<Code, Why> {
        if let Some(bound) = self.names.bound.iter().rev().find(|one| one.name == name) {
            return Ok(Code {
                text: bound.python.clone(),
                kind: bound.kind,
                may_lack: bound.may_lack,
            });
        }
        match name {
            "secrets" | "env" => Err(format!(
                "reads `{name}`, but a flow cannot read the environment or keys"
            )),
            "checkpoint" => Err(
                "reads `checkpoint`, which does not exist here: runs are kept in the history"
                    .to_owned(),
            ),
            _ => Err(format!("reads `{name}`, which is unknown")),
        }
    }

    /// Returns the constant that `variables.model` refers to, and its kind. Returns `None` for any other expression.
    fn constant(&self, expr: &Expr<'_>) -> Option<(&Value, Kind)> {
        let (found, kind) = match expr {
            Expr::Var(var) if self.names.bound.iter().all(|bound| bound.name != var.id) => {
                (self.names.constants.get(var.id)?, Kind::Dotted)
            }
            Expr::GetAttr(read) => {
                let (base, kind) = self.constant(&read.expr)?;
                // A Python method takes precedence over a field with the same name.
                let dotted = kind == Kind::Dotted && !read.name.starts_with('_');
                let found = base.get(read.name).filter(|_| dotted)?;
                (found, kind)
            }
            _ => return None,
        };
        let is_scalar = !found.is_object() && !found.is_array();
        Some((found, if is_scalar { Kind::Scalar } else { kind }))
    }

    fn span(&self, span: Span) -> &str {
        self.source
            .get(span.start_offset as usize..span.end_offset as usize)
            .unwrap_or_default()
    }

    /// Translates a constant. Numbers are copied as written. Strings may only contain escapes with the same meaning in Python.
    fn written(&self, span: Span, value: &minijinja::Value) -> Result<String, Why> {
        let source = self.span(span);
        if value.is_none() {
            return Ok("None".to_owned());
        }
        match (value.kind(), value.as_str()) {
            (ValueKind::Bool, _) => Ok(literal(&value.is_true().into())),
            (_, None) => Ok(source.to_owned()),
            (_, Some(text)) => {
                let mut signs = source.chars();
                while let Some(sign) = signs.next() {
                    let escaped = if sign == '\\' { signs.next() } else { None };
                    if escaped.is_some_and(|escaped| !"\\'\"nrtbf".contains(escaped)) {
                        return Err(
                            "has a string with an escape that is not supported here".to_owned()
                        );
                    }
                }
                Ok(quoted(text))
            }
        }
    }
}

const ITERATOR: &str = "uses the result of a filter such as `map` or `reverse` like a list, but the result can be read only once; put `| list` after the filter";

/// Adds the steps of an access to its base. The parser puts a leading minus before the base, but the minus belongs to the whole
/// access.
fn with_sign(base: &str, read: impl FnOnce(&str) -> String) -> Code {
    let text = match base.strip_prefix('-') {
        Some(base) => format!("-{}", read(base)),
        None => read(base),
    };
    Code::new(text, Kind::Plain)
}

/// Formats a string as a Python literal.
pub fn quoted(text: &str) -> String {
    Value::String(text.to_owned()).to_string()
}

/// Formats a constant as a Python literal.
pub fn literal(value: &Value) -> String {
    match value {
        Value::Null => "None".to_owned(),
        Value::Bool(true) => "True".to_owned(),
        Value::Bool(false) => "False".to_owned(),
        Value::Number(_) | Value::String(_) => value.to_string(),
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(literal).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Object(fields) => {
            let fields: Vec<String> = fields
                .iter()
                .map(|(name, value)| format!("{}: {}", quoted(name), literal(value)))
                .collect();
            format!("{{{}}}", fields.join(", "))
        }
    }
}
