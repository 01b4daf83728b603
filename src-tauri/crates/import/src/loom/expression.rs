//! The expression language of Logic Apps and Loom, as nodes of a flow evaluate it.

use std::collections::BTreeSet;

use loopwright_azure_expressions::{self as language};
pub(crate) use loopwright_azure_expressions::{Expr, Mistake, Part, Reading};
use serde_json::{Map, Value};

/// Whose reading of a document it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dialect {
    Loom,
    LogicApps,
}

impl Dialect {
    pub(crate) fn id(self) -> &'static str {
        match self {
            Self::Loom => "loom",
            Self::LogicApps => "logic-apps",
        }
    }

    /// The dialect of the language.
    pub(crate) fn language(self) -> language::Dialect {
        match self {
            Self::Loom => language::Dialect::Loom,
            Self::LogicApps => language::Dialect::Azure,
        }
    }
}

/// A loop around an expression.
#[derive(Debug, Clone)]
pub(crate) struct Around {
    /// The action's name.
    pub(crate) name: String,
    /// The Loop node's id.
    pub(crate) node: String,
    /// Whether the document knows it as a loop with `loopIndex` and the like.
    pub(crate) counts: bool,
    /// The actions whose outputs are its result.
    pub(crate) actions: Vec<String>,
}

/// A value that a node computes.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Code {
    /// JSON whose texts are expressions, as the document has them.
    Source {
        value: Value,
        /// What the expressions read beside the state: arguments of the node, which are templates.
        args: Map<String, Value>,
    },
    /// An expression of a template.
    Tera(String),
}

impl Code {
    /// JSON in which nothing is computed.
    pub(crate) fn constant(value: Value) -> Self {
        Self::Source {
            value,
            args: Map::new(),
        }
    }

    /// The value as an expression of a template, where that computes nothing of the language.
    pub(crate) fn as_tera(&self) -> Option<String> {
        match self {
            Self::Tera(text) => Some(text.clone()),
            Self::Source { value, .. } => tera_value(value),
        }
    }
}

/// JSON without expressions as a template writes it.
pub(crate) fn tera_value(value: &Value) -> Option<String> {
    Some(match value {
        Value::Null | Value::Bool(_) => value.to_string(),
        Value::Number(number) => {
            let text = number.to_string();
            if text.contains(['e', 'E']) {
                return None;
            }
            if text.starts_with('-') {
                format!("({text})")
            } else {
                text
            }
        }
        Value::String(text) if text.contains('@') => return None,
        Value::String(text) => tera_text(text)?,
        Value::Array(items) => {
            let items: Option<Vec<String>> = items.iter().map(tera_value).collect();
            format!("[{}]", items?.join(", "))
        }
        Value::Object(fields) => {
            let fields: Option<Vec<String>> = fields
                .iter()
                .map(|(name, value)| {
                    let plain = !name.contains('@');
                    plain.then_some(())?;
                    Some(format!("{}: {}", tera_text(name)?, tera_value(value)?))
                })
                .collect();
            format!("{{{}}}", fields?.join(", "))
        }
    })
}

/// A text in the quotes of a template.
pub(crate) fn tera_text(text: &str) -> Option<String> {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            c if c.is_control() => return None,
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    Some(quoted)
}

/// A text in Luau's quotes.
pub(crate) fn luau_text(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            c if c.is_ascii_control() => quoted.push_str(&format!("\\{:03}", c as u32)),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

/// A text that stands for itself in a document.
pub(crate) fn literal(text: &str) -> String {
    let escaped = text.replace("@{", "@@{");
    match text.strip_prefix('@') {
        Some(rest) if rest.starts_with('{') => escaped,
        Some(_) => format!("@{escaped}"),
        None => escaped,
    }
}

/// One value of a document as an operand within an expression.
///
/// # Errors
/// A text that cannot be read; an object, which no expression can write.
pub(crate) fn operand(value: &Value, dialect: Dialect) -> Result<Expr, Mistake> {
    let test = serde_json::json!({ "not-a-name": [value] });
    match language::condition(&test, dialect.language())? {
        Expr::Call { mut args, .. } if args.len() == 1 => Ok(args.remove(0)),
        other => Ok(other),
    }
}

/// Calls `visit` with every expression within a value.
///
/// # Errors
/// The first text that cannot be read.
pub(crate) fn each_expression(
    value: &Value,
    dialect: Dialect,
    visit: &mut impl FnMut(&Expr),
) -> Result<(), Mistake> {
    match value {
        Value::String(text) => {
            language::read(text, dialect.language())?
                .expressions()
                .for_each(visit);
            Ok(())
        }
        Value::Array(items) => items
            .iter()
            .try_for_each(|item| each_expression(item, dialect, visit)),
        Value::Object(fields) => fields
            .iter()
            .try_for_each(|(_, item)| each_expression(item, dialect, visit)),
        _ => Ok(()),
    }
}

/// Ticks of .NET at 1970-01-01.
const EPOCH_TICKS: i64 = 621_355_968_000_000_000;

/// The value with the start times of loops as milliseconds, which they are in Loom. A loop here gives a text.
pub(crate) fn with_start_times(value: &Value, dialect: Dialect) -> Result<Value, Mistake> {
    Ok(match value {
        Value::String(text) if text.contains("loopStartTime") => {
            let shown = |expr: Expr| milliseconds(expr).to_string();
            Value::String(match language::read(text, dialect.language())? {
                Reading::Literal(_) => text.clone(),
                Reading::Value(expr) => format!("@{}", shown(expr)),
                Reading::Mixed(parts) => parts
                    .into_iter()
                    .map(|part| match part {
                        Part::Text(text) => literal(&text),
                        Part::Value(expr) => format!("@{{{}}}", shown(expr)),
                    })
                    .collect(),
            })
        }
        Value::Array(items) => items
            .iter()
            .map(|item| with_start_times(item, dialect))
            .collect::<Result<_, _>>()?,
        Value::Object(fields) => fields
            .iter()
            .map(|(name, item)| Ok((name.clone(), with_start_times(item, dialect)?)))
            .collect::<Result<Map<_, _>, Mistake>>()?
            .into(),
        other => other.clone(),
    })
}

fn milliseconds(expr: Expr) -> Expr {
    let call = |name: &str, args: Vec<Expr>| Expr::Call {
        name: name.to_owned(),
        args,
    };
    match expr {
        Expr::Call { name, args } => {
            let starts = name.eq_ignore_ascii_case("variables")
                && args
                    .first()
                    .and_then(Expr::as_text)
                    .is_some_and(|name| name.ends_with("loopStartTime"));
            let args: Vec<Expr> = args.into_iter().map(milliseconds).collect();
            let read = call(&name, args);
            if starts {
                let since = call(
                    "sub",
                    vec![call("ticks", vec![read]), Expr::Int(EPOCH_TICKS)],
                );
                call("div", vec![since, Expr::Int(10_000)])
            } else {
                read
            }
        }
        Expr::Path { of, steps } => Expr::Path {
            of: Box::new(milliseconds(*of)),
            steps,
        },
        other => other,
    }
}

/// A set of names that compare without regard to case.
#[derive(Debug, Clone, Default)]
pub(crate) struct NameSet(BTreeSet<String>);

impl NameSet {
    pub(crate) fn insert(&mut self, name: &str) {
        self.0.insert(name.to_lowercase());
    }

    pub(crate) fn contains(&self, name: &str) -> bool {
        self.0.contains(&name.to_lowercase())
    }
}
