//! Translates expressions of Logic Apps and Loom to code that the nodes of a flow evaluate.

use std::collections::BTreeSet;

pub(crate) use loopwright_azure_expressions::{Dialect, Expr, Mistake};
use loopwright_azure_expressions::{Part, Reading, condition, read};
use serde_json::{Map, Value};

/// A loop that surrounds an expression.
#[derive(Debug, Clone)]
pub(crate) struct Around {
    /// The name of the action.
    pub(crate) name: String,
    /// The id of the Loop node.
    pub(crate) node: String,
    /// Whether the source offers `loopIndex` and similar values for this loop.
    pub(crate) counts: bool,
    /// The actions whose outputs form the loop's result.
    pub(crate) actions: Vec<String>,
}

/// A value that a node computes.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Code {
    /// JSON whose strings are expressions, as in the document.
    Source {
        value: Value,
        /// Values that the expressions read in addition to the state. They are arguments of the node and are written as
        /// templates.
        args: Map<String, Value>,
    },
    /// An expression of a Tera template.
    Tera(String),
}

impl Code {
    /// Creates JSON without expressions.
    pub(crate) fn constant(value: Value) -> Self {
        Self::Source {
            value,
            args: Map::new(),
        }
    }

    /// Returns the value as a template expression, or `None` if it contains an expression of the language.
    pub(crate) fn as_tera(&self) -> Option<String> {
        match self {
            Self::Tera(text) => Some(text.clone()),
            Self::Source { value, .. } => tera_value(value),
        }
    }
}

/// Formats JSON without expressions as a template literal. Returns `None` if no template literal can express it, or if a
/// string contains an `@`.
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

/// Returns a string in double quotes. `control` formats a control character other than a line end; if it returns `None` for
/// one, so does this function.
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

/// Returns a string as a template literal, or `None` if a template literal cannot express it.
pub(crate) fn tera_text(text: &str) -> Option<String> {
    in_quotes(text, |c| (c == '\t').then(|| "\\t".to_owned()))
}

/// Quotes text like [`tera_text`], but returns an empty string if the text cannot be quoted. No template accepts the empty
/// string.
pub(crate) fn quoted(text: &str) -> String {
    tera_text(text).unwrap_or_default()
}

/// Returns the template expression that reads an entry of the input state.
pub(crate) fn entry(section: &str, name: &str) -> String {
    entry_of("input", section, name)
}

/// Returns the template expression that reads an entry of `state`.
pub(crate) fn entry_of(state: &str, section: &str, name: &str) -> String {
    format!("{state}.{section}[{}]", quoted(name))
}

/// Returns a template expression for the outputs of these actions in `state`. The outputs of an action that did not run are null.
pub(crate) fn outputs_in<'n>(state: &str, actions: impl Iterator<Item = &'n String>) -> String {
    let fields: Vec<String> = actions
        .filter_map(|name| tera_text(name))
        .map(|name| format!("{name}: ({state}.outputs[{name}] | default(value=null))"))
        .collect();
    format!("{{{}}}", fields.join(", "))
}

/// Returns a string as a Luau literal.
pub(crate) fn luau_text(text: &str) -> String {
    let control = |c: char| match c.is_ascii_control() {
        true => Some(format!("\\{:03}", c as u32)),
        false => Some(c.to_string()),
    };
    in_quotes(text, control).unwrap_or_default()
}

/// Escapes a string so that a document does not read it as an expression.
pub(crate) fn literal(text: &str) -> String {
    let escaped = text.replace("@{", "@@{");
    match text.strip_prefix('@') {
        Some(rest) if rest.starts_with('{') => escaped,
        Some(_) => format!("@{escaped}"),
        None => escaped,
    }
}

/// Reads one value of a document as an operand of an expression.
///
/// # Errors
/// Returns an error if the string cannot be parsed, or if the value is an object, which no expression can contain.
pub(crate) fn operand(value: &Value, dialect: Dialect) -> Result<Expr, Mistake> {
    let test = serde_json::json!({ "not-a-name": [value] });
    match condition(&test, dialect)? {
        Expr::Call { mut args, .. } if args.len() == 1 => Ok(args.remove(0)),
        other => Ok(other),
    }
}

/// Calls `visit` with every expression in a value.
///
/// # Errors
/// Returns an error if a string cannot be parsed. The error describes the first such string.
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

/// The .NET ticks at the start of 1970-01-01.
const EPOCH_TICKS: i64 = 621_355_968_000_000_000;

/// Converts the start times of loops that expressions read to milliseconds, as in Loom. A loop of a flow provides its start
/// time as text. Fails if a string cannot be parsed.
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

/// Returns whether two names are equal, ignoring case.
pub(crate) fn same(one: &str, other: &str) -> bool {
    one.to_lowercase() == other.to_lowercase()
}

/// A set of names that ignores case.
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
