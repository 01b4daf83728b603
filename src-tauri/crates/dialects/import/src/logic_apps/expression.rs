//! The expression language of Logic Apps and Loom, as nodes of a flow evaluate it.

use std::collections::BTreeSet;

pub(crate) use loopwright_azure_expressions::{Dialect, Expr, Mistake};
use loopwright_azure_expressions::{Part, Reading, condition, read};
use serde_json::{Map, Value};

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
            match text.starts_with('-') {
                true => format!("({text})"),
                false => text,
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
                .map(|(name, value)| match name.contains('@') {
                    true => None,
                    false => Some(format!("{}: {}", tera_text(name)?, tera_value(value)?)),
                })
                .collect();
            format!("{{{}}}", fields?.join(", "))
        }
    })
}

/// A text in quotes; `control` writes the control characters that do not end a line.
fn in_quotes(text: &str, control: fn(char) -> Option<String>) -> Option<String> {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            c if c.is_control() => quoted.push_str(&control(c)?),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    Some(quoted)
}

/// A text in the quotes of a template, where these can hold it.
pub(crate) fn tera_text(text: &str) -> Option<String> {
    in_quotes(text, |c| (c == '\t').then(|| "\\t".to_owned()))
}

/// As [`tera_text`]; empty, which no template reads, where quotes cannot hold the text.
pub(crate) fn quoted(text: &str) -> String {
    tera_text(text).unwrap_or_default()
}

/// How a template reads an entry of the state that it is given.
pub(crate) fn entry(section: &str, name: &str) -> String {
    entry_of("input", section, name)
}

/// How a template reads an entry of `state`.
pub(crate) fn entry_of(state: &str, section: &str, name: &str) -> String {
    format!("{state}.{section}[{}]", quoted(name))
}

/// What these actions gave, as a template reads it of `state`: null for one that did not run.
pub(crate) fn outputs_in<'n>(state: &str, actions: impl Iterator<Item = &'n String>) -> String {
    let fields: Vec<String> = actions
        .filter_map(|name| tera_text(name))
        .map(|name| format!("{name}: ({state}.outputs[{name}] | default(value=null))"))
        .collect();
    format!("{{{}}}", fields.join(", "))
}

/// A text in Luau's quotes.
pub(crate) fn luau_text(text: &str) -> String {
    let control = |c: char| match c.is_ascii_control() {
        true => Some(format!("\\{:03}", c as u32)),
        false => Some(c.to_string()),
    };
    in_quotes(text, control).unwrap_or_default()
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
    match condition(&test, dialect)? {
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
            read(text, dialect)?.expressions().for_each(visit);
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
            Value::String(match read(text, dialect)? {
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
            let of = args.first().and_then(Expr::as_text).unwrap_or_default();
            let starts = name.eq_ignore_ascii_case("variables") && of.ends_with("loopStartTime");
            let read = call(&name, args.into_iter().map(milliseconds).collect());
            if !starts {
                return read;
            }
            let epoch = Expr::Int(EPOCH_TICKS);
            let since = call("sub", vec![call("ticks", vec![read]), epoch]);
            call("div", vec![since, Expr::Int(10_000)])
        }
        Expr::Path { of, steps } => Expr::Path {
            of: Box::new(milliseconds(*of)),
            steps,
        },
        other => other,
    }
}

/// Whether two names are one: case makes no difference.
pub(crate) fn same(one: &str, other: &str) -> bool {
    one.to_lowercase() == other.to_lowercase()
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
