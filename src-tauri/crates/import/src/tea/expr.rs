//! Expressions of TEA agents, Jinja's or their Python-like spelling, as Tera expressions.
//!
//! The expression is read with a Python parser, of whose grammar both spellings are, but for a few words (`is defined`, `x | f`),
//! which parse as something else that is unmistakable.

mod calls;

use ruff_python_ast::{
    BoolOp, CmpOp, Expr, ExprCall, FStringPart, InterpolatedStringElement, Number, Operator,
    UnaryOp,
};
use ruff_python_parser::parse_expression;
use serde_json::{Map, Value};

/// Bytes of one expression.
const MAX_LENGTH: usize = 8 * 1024;
/// Brackets, signs and words that may be nested in one expression.
const MAX_NESTING: usize = 200;

/// What names mean where an expression stands.
#[derive(Debug, Clone)]
pub(super) struct Names<'a> {
    /// What `state` is called there: `input`, `state`.
    pub(super) state: &'a str,
    /// The agent's constants by root name: `variables`, `settings`, `data`.
    pub(super) constants: &'a Map<String, Value>,
    /// Other names that are bound there, and what they are called: `result`, a loop's variable.
    pub(super) bound: Vec<(String, String)>,
}

impl<'a> Names<'a> {
    pub(super) fn new(state: &'a str, constants: &'a Map<String, Value>) -> Self {
        Self {
            state,
            constants,
            bound: Vec::new(),
        }
    }

    pub(super) fn with(&self, name: &str, called: &str) -> Self {
        let mut names = self.clone();
        names.bound.push((name.to_owned(), called.to_owned()));
        names
    }
}

/// Why an expression has no counterpart, as the end of "it …".
pub(super) type Why = String;

/// An expression whose value is used.
pub(super) fn value(source: &str, names: &Names<'_>) -> Result<String, Why> {
    // `{{ state.x }}` of a field that is missing is nothing, as in Jinja over TEA's state.
    read(source, |expr| {
        let writer = Writer { names };
        let text = writer.value(expr)?;
        Ok(
            if matches!(expr, Expr::Attribute(_) | Expr::Subscript(_)) && writer.is_read(expr) {
                format!("{text} | default(value=none)")
            } else {
                text
            },
        )
    })
}

/// An expression that decides: its value counts as true or false by Python's rules.
pub(super) fn condition(source: &str, names: &Names<'_>) -> Result<String, Why> {
    let source = bare(source);
    // A name alone, or with `!`, is a field of the state.
    let negated = source.strip_prefix('!').map(str::trim);
    let name = negated.unwrap_or(source);
    let is_name = name
        .bytes()
        .all(|byte| byte == b'_' || byte.is_ascii_alphanumeric())
        && !name.starts_with(|c: char| c.is_ascii_digit());
    if is_name
        && !name.is_empty()
        && !is_word(name)
        && !names.bound.iter().any(|(bound, _)| bound == name)
    {
        let field = format!("{}.{name} | default(value=false)", names.state);
        return Ok(match negated {
            Some(_) => format!("not ({field})"),
            None => format!("true if ({field}) else false"),
        });
    }
    read(source, |expr| Writer { names }.boolean(expr))
}

fn is_word(name: &str) -> bool {
    ["true", "false", "none", "null", "not", "state"].contains(&name.to_lowercase().as_str())
}

/// An expression without the braces around it.
pub(super) fn bare(source: &str) -> &str {
    let source = source.trim();
    source
        .strip_prefix("{{")
        .and_then(|rest| rest.strip_suffix("}}"))
        .filter(|inner| !inner.contains("{{"))
        .map_or(source, |inner| inner.trim_matches('-').trim())
}

fn read<T>(source: &str, write: impl FnOnce(&Expr) -> Result<T, Why>) -> Result<T, Why> {
    let source = source.trim();
    if source.is_empty() {
        return Err("is empty".to_owned());
    }
    if source.len() > MAX_LENGTH || nesting(source) > MAX_NESTING {
        return Err("is too long to be read".to_owned());
    }
    // Line breaks end a Python expression and not Jinja's.
    let source = source.replace(['\n', '\r'], " ");
    let source = source.replace(" is not defined", " is undefined");
    let parsed = parse_expression(source.trim())
        .map_err(|error| format!("cannot be read: {}", error.error))?;
    write(parsed.expr())
}

/// An upper bound of how deeply a source is nested.
pub(super) fn nesting(source: &str) -> usize {
    source
        .bytes()
        .filter(|byte| b"([{-+~.!*".contains(byte))
        .count()
        + source
            .split(|c: char| !c.is_alphanumeric())
            .filter(|word| ["not", "lambda", "if", "await", "else"].contains(word))
            .count()
}

struct Writer<'n> {
    names: &'n Names<'n>,
}

impl Writer<'_> {
    /// Python's truth of an expression, as a boolean.
    fn boolean(&self, expr: &Expr) -> Result<String, Why> {
        match expr {
            Expr::BooleanLiteral(literal) => Ok(literal.value.to_string()),
            Expr::NoneLiteral(_) => Ok("false".to_owned()),
            Expr::Compare(_) => self.value(expr),
            Expr::UnaryOp(unary) if unary.op == UnaryOp::Not => {
                Ok(format!("not ({})", self.truth(&unary.operand)?))
            }
            Expr::BoolOp(operation) => {
                let word = match operation.op {
                    BoolOp::And => " and ",
                    BoolOp::Or => " or ",
                };
                let parts = operation
                    .values
                    .iter()
                    .map(|part| {
                        let text = self.boolean(part)?;
                        Ok(match part {
                            Expr::BoolOp(_) | Expr::If(_) => format!("({text})"),
                            _ => text,
                        })
                    })
                    .collect::<Result<Vec<_>, Why>>()?;
                Ok(parts.join(word))
            }
            Expr::If(choice) => Ok(format!(
                "(({}) if ({}) else ({}))",
                self.boolean(&choice.body)?,
                self.boolean(&choice.test)?,
                self.boolean(&choice.orelse)?
            )),
            Expr::Name(name) if name.id.as_str() == "true" || name.id.as_str() == "false" => {
                Ok(name.id.to_string())
            }
            _ if self.is_test(expr) => self.value(expr),
            _ => Ok(format!("(true if ({}) else false)", self.truth(expr)?)),
        }
    }

    /// Something that `if` and `not` take by its truth; what is missing is false.
    fn truth(&self, expr: &Expr) -> Result<String, Why> {
        match expr {
            Expr::Attribute(_) | Expr::Subscript(_) | Expr::Name(_) if self.is_read(expr) => {
                Ok(format!("{} | default(value=false)", self.value(expr)?))
            }
            Expr::BoolOp(_) | Expr::UnaryOp(_) => self.boolean(expr),
            _ => self.value(expr),
        }
    }

    /// Calls that give a boolean.
    fn is_test(&self, expr: &Expr) -> bool {
        let Expr::Call(call) = expr else { return false };
        match &*call.func {
            Expr::Name(name) => ["isinstance", "bool"].contains(&name.id.as_str()),
            Expr::Attribute(method) => ["startswith", "endswith"].contains(&method.attr.as_str()),
            _ => false,
        }
    }

    /// Whether it reads a value that may be missing, such as `state.a.b`.
    fn is_read(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Attribute(attribute) => self.is_read(&attribute.value),
            Expr::Subscript(subscript) => self.is_read(&subscript.value),
            Expr::Name(name) => {
                name.id.as_str() == "state" || self.bound(name.id.as_str()).is_some()
            }
            _ => false,
        }
    }

    fn bound(&self, name: &str) -> Option<&str> {
        self.names
            .bound
            .iter()
            .rev()
            .find(|(bound, _)| bound == name)
            .map(|(_, called)| called.as_str())
    }

    /// The constant that `variables.model` is.
    fn constant(&self, expr: &Expr) -> Option<&Value> {
        match expr {
            Expr::Name(name) if self.bound(name.id.as_str()).is_none() => {
                self.names.constants.get(name.id.as_str())
            }
            Expr::Attribute(attribute) => self
                .constant(&attribute.value)?
                .get(attribute.attr.as_str()),
            Expr::Subscript(subscript) => match &*subscript.slice {
                Expr::StringLiteral(key) => {
                    self.constant(&subscript.value)?.get(key.value.to_str())
                }
                _ => None,
            },
            _ => None,
        }
    }

    fn value(&self, expr: &Expr) -> Result<String, Why> {
        if let Some(constant) = self.constant(expr) {
            return literal(constant);
        }
        match expr {
            Expr::Name(name) => self.name(name.id.as_str()),
            Expr::Attribute(attribute) => Ok(format!(
                "{}.{}",
                self.inner(&attribute.value)?,
                attribute.attr
            )),
            Expr::Subscript(subscript) => self.subscript(&subscript.value, &subscript.slice),
            Expr::StringLiteral(text) => quoted(text.value.to_str()),
            Expr::NumberLiteral(number) => match &number.value {
                Number::Int(whole) => Ok(whole.to_string()),
                Number::Float(float) => Ok(format!("{float:?}")),
                Number::Complex { .. } => Err("has a complex number".to_owned()),
            },
            Expr::BooleanLiteral(literal) => Ok(literal.value.to_string()),
            Expr::NoneLiteral(_) => Ok("none".to_owned()),
            Expr::Compare(compare) => {
                let mut parts = Vec::new();
                let mut left = &*compare.left;
                for (op, right) in compare.ops.iter().zip(compare.comparators.iter()) {
                    parts.push(self.compare(left, *op, right)?);
                    left = right;
                }
                Ok(parts.join(" and "))
            }
            Expr::BoolOp(operation) => self.bool_value(operation.op, &operation.values),
            Expr::UnaryOp(unary) => match unary.op {
                UnaryOp::Not => self.boolean(expr),
                UnaryOp::USub => Ok(format!("-{}", self.inner(&unary.operand)?)),
                UnaryOp::UAdd => self.inner(&unary.operand),
                UnaryOp::Invert => Err("has `~`".to_owned()),
            },
            Expr::BinOp(operation) if operation.op == Operator::BitOr => {
                self.filter(&operation.left, &operation.right)
            }
            Expr::BinOp(operation) => {
                self.arithmetic(&operation.left, operation.op, &operation.right)
            }
            Expr::If(choice) => Ok(format!(
                "({} if {} else {})",
                self.inner(&choice.body)?,
                self.boolean(&choice.test)?,
                self.inner(&choice.orelse)?
            )),
            Expr::List(list) => self.list(&list.elts),
            Expr::Tuple(tuple) => self.list(&tuple.elts),
            Expr::Dict(dict) => {
                let fields = dict
                    .items
                    .iter()
                    .map(|item| match &item.key {
                        Some(key @ Expr::StringLiteral(_)) => Ok(format!(
                            "{}: {}",
                            self.value(key)?,
                            self.value(&item.value)?
                        )),
                        _ => Err("has an object whose keys are not plain texts".to_owned()),
                    })
                    .collect::<Result<Vec<_>, Why>>()?;
                Ok(format!("{{{}}}", fields.join(", ")))
            }
            Expr::Call(call) => self.call(call),
            Expr::FString(text) => {
                let mut parts = Vec::new();
                for part in &text.value {
                    match part {
                        FStringPart::Literal(literal) => parts.push(quoted(literal.as_str())?),
                        FStringPart::FString(string) => {
                            for element in &string.elements {
                                parts.push(match element {
                                    InterpolatedStringElement::Literal(literal) => {
                                        quoted(&literal.value)?
                                    }
                                    InterpolatedStringElement::Interpolation(inner) => {
                                        if inner.format_spec.is_some() {
                                            return Err("formats a number".to_owned());
                                        }
                                        self.inner(&inner.expression)?
                                    }
                                });
                            }
                        }
                    }
                }
                Ok(if parts.is_empty() {
                    "\"\"".to_owned()
                } else {
                    format!("({})", parts.join(" ~ "))
                })
            }
            _ => Err("uses what no template has".to_owned()),
        }
    }

    fn name(&self, name: &str) -> Result<String, Why> {
        if let Some(called) = self.bound(name) {
            return Ok(called.to_owned());
        }
        match name {
            "state" => Ok(self.names.state.to_owned()),
            "true" | "false" | "none" => Ok(name.to_owned()),
            "null" => Ok("none".to_owned()),
            "secrets" | "env" => Err(format!(
                "reads `{name}`, and a flow reads neither the environment nor keys"
            )),
            "checkpoint" => {
                Err("reads `checkpoint`, and runs are kept in the history here".to_owned())
            }
            _ => Err(format!("reads `{name}`, which is not known here")),
        }
    }

    /// As [`Writer::value`], in brackets where an operator beside it could take a part of it.
    fn inner(&self, expr: &Expr) -> Result<String, Why> {
        let text = self.value(expr)?;
        Ok(match expr {
            Expr::BinOp(_)
            | Expr::BoolOp(_)
            | Expr::Compare(_)
            | Expr::UnaryOp(_)
            | Expr::Call(_)
                if !text.starts_with('(') || !text.ends_with(')') =>
            {
                format!("({text})")
            }
            _ => text,
        })
    }

    fn subscript(&self, base: &Expr, key: &Expr) -> Result<String, Why> {
        let base = self.inner(base)?;
        match key {
            Expr::StringLiteral(key) => Ok(format!("{base}[{}]", quoted(key.value.to_str())?)),
            Expr::UnaryOp(unary) if unary.op == UnaryOp::USub => match &*unary.operand {
                Expr::NumberLiteral(one) if matches!(&one.value, Number::Int(whole) if whole.as_u8() == Some(1)) => {
                    Ok(format!("({base} | last)"))
                }
                _ => Err("counts from the end of a list".to_owned()),
            },
            Expr::Slice(slice) if slice.step.is_none() => {
                let bound = |bound: &Option<Box<Expr>>| {
                    bound
                        .as_ref()
                        .map_or_else(|| Ok(String::new()), |bound| self.value(bound))
                };
                Ok(format!(
                    "{base}[{}:{}]",
                    bound(&slice.lower)?,
                    bound(&slice.upper)?
                ))
            }
            Expr::Slice(_) => Err("takes every n-th element".to_owned()),
            key => Ok(format!("{base}[{}]", self.value(key)?)),
        }
    }

    fn list(&self, items: &[Expr]) -> Result<String, Why> {
        let items = items
            .iter()
            .map(|item| self.value(item))
            .collect::<Result<Vec<_>, _>>()?;
        Ok(format!("[{}]", items.join(", ")))
    }

    fn compare(&self, left: &Expr, op: CmpOp, right: &Expr) -> Result<String, Why> {
        let word = match op {
            CmpOp::Eq => "==",
            CmpOp::NotEq => "!=",
            CmpOp::Lt => "<",
            CmpOp::LtE => "<=",
            CmpOp::Gt => ">",
            CmpOp::GtE => ">=",
            CmpOp::In => "in",
            CmpOp::NotIn => "not in",
            CmpOp::Is | CmpOp::IsNot => return self.is(left, op == CmpOp::IsNot, right),
        };
        // A missing value equals nothing, and is none where it is compared with none.
        let side = |expr: &Expr| {
            let text = self.inner(expr)?;
            let may_be_missing = self.is_read(expr) && matches!(op, CmpOp::NotEq | CmpOp::NotIn);
            Ok::<_, Why>(
                if may_be_missing || ((is_none(left) || is_none(right)) && self.is_read(expr)) {
                    format!("({text} | default(value=none))")
                } else {
                    text
                },
            )
        };
        Ok(format!("{} {word} {}", side(left)?, side(right)?))
    }

    /// `is none`, `is defined`, `is True`.
    fn is(&self, left: &Expr, negated: bool, right: &Expr) -> Result<String, Why> {
        let not = if negated { "not " } else { "" };
        let value = self.value(left)?;
        let word = match right {
            Expr::NoneLiteral(_) => "none",
            Expr::Name(name) => name.id.as_str(),
            Expr::BooleanLiteral(literal) => {
                let sign = if negated { "!=" } else { "==" };
                return Ok(format!(
                    "({value} | default(value=none)) {sign} {}",
                    literal.value
                ));
            }
            _ => return Err("has a test that is not known here".to_owned()),
        };
        let test = match word {
            "none" | "null" => return Ok(format!("({value} | default(value=none)) is {not}none")),
            "defined" | "undefined" | "string" | "number" | "integer" | "float" | "iterable"
            | "odd" | "even" => word,
            "mapping" => "map",
            "sequence" => "array",
            "boolean" => "bool",
            "true" | "false" => {
                let sign = if negated { "!=" } else { "==" };
                return Ok(format!("({value} | default(value=none)) {sign} {word}"));
            }
            other => return Err(format!("has the test `{other}`, which is not known here")),
        };
        Ok(format!("{value} is {not}{test}"))
    }

    /// `a or b` and `a and b` as values: one of the two.
    fn bool_value(&self, op: BoolOp, values: &[Expr]) -> Result<String, Why> {
        let is_boolean = |expr: &Expr| {
            matches!(expr, Expr::Compare(_) | Expr::BooleanLiteral(_))
                || matches!(expr, Expr::UnaryOp(unary) if unary.op == UnaryOp::Not)
                || self.is_test(expr)
        };
        if values.iter().all(is_boolean) {
            let parts = values
                .iter()
                .map(|part| self.boolean(part))
                .collect::<Result<Vec<_>, _>>()?;
            return Ok(parts.join(match op {
                BoolOp::And => " and ",
                BoolOp::Or => " or ",
            }));
        }
        let (last, first) = values.split_last().ok_or("is empty")?;
        let mut text = self.inner(last)?;
        for value in first.iter().rev() {
            let read = self.inner(value)?;
            let test = self.boolean(value)?;
            let kept = if self.is_read(value) {
                format!("({read} | default(value=none))")
            } else {
                read
            };
            text = match op {
                BoolOp::Or => format!("({kept} if {test} else {text})"),
                BoolOp::And => format!("({text} if {test} else {kept})"),
            };
        }
        Ok(text)
    }

    fn arithmetic(&self, left: &Expr, op: Operator, right: &Expr) -> Result<String, Why> {
        let is_text = |expr: &Expr| {
            matches!(expr, Expr::StringLiteral(_) | Expr::FString(_))
                || matches!(expr, Expr::Call(call) if matches!(&*call.func, Expr::Name(name) if name.id.as_str() == "str"))
        };
        let is_list = |expr: &Expr| matches!(expr, Expr::List(_));
        let (one, other) = (self.inner(left)?, self.inner(right)?);
        let word = match op {
            Operator::Add if is_list(left) || is_list(right) => {
                return Ok(format!("[...{one}, ...{other}]"));
            }
            Operator::Add if is_text(left) || is_text(right) => "~",
            Operator::Add => "+",
            Operator::Sub => "-",
            Operator::Mult => "*",
            Operator::Div => "/",
            Operator::FloorDiv => "//",
            Operator::Mod => "%",
            Operator::Pow => "**",
            _ => return Err("has an operator on bits".to_owned()),
        };
        Ok(format!("{one} {word} {other}"))
    }
}

fn is_none(expr: &Expr) -> bool {
    matches!(expr, Expr::NoneLiteral(_))
        || matches!(expr, Expr::Name(name) if ["none", "null"].contains(&name.id.as_str()))
}

/// A constant as Tera writes it.
pub(super) fn literal(value: &Value) -> Result<String, Why> {
    Ok(match value {
        Value::Null => "none".to_owned(),
        Value::Bool(flag) => flag.to_string(),
        Value::Number(number) => number.to_string(),
        Value::String(text) => quoted(text)?,
        Value::Array(items) => {
            let items = items.iter().map(literal).collect::<Result<Vec<_>, _>>()?;
            format!("[{}]", items.join(", "))
        }
        Value::Object(fields) => {
            let fields = fields
                .iter()
                .map(|(name, value)| Ok(format!("{}: {}", quoted(name)?, literal(value)?)))
                .collect::<Result<Vec<_>, Why>>()?;
            format!("{{{}}}", fields.join(", "))
        }
    })
}

/// A text as Tera writes it: in the quotes that it does not hold itself, else with escapes.
fn quoted(text: &str) -> Result<String, Why> {
    let plain = ['"', '\'', '`']
        .into_iter()
        .find(|quote| !text.contains(*quote))
        .filter(|_| !text.contains('\\'));
    Ok(match plain {
        Some(quote) => format!("{quote}{text}{quote}"),
        None => format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"")),
    })
}
