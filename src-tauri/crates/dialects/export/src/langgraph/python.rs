//! Formats values as Python source: JSON as literals, computed values as code.

use serde_json::Value;

/// A value of the program: JSON, or code that computes it.
#[derive(Debug, Clone)]
pub(super) enum Python {
    /// Null, a boolean, a number or a string.
    Plain(Value),
    Code(String),
    List(Vec<Python>),
    Object(Vec<(String, Python)>),
}

impl From<Value> for Python {
    fn from(value: Value) -> Self {
        match value {
            Value::Array(items) => Self::List(items.into_iter().map(Self::from).collect()),
            Value::Object(fields) => Self::Object(
                fields
                    .into_iter()
                    .map(|(name, value)| (name, Self::from(value)))
                    .collect(),
            ),
            plain => Self::Plain(plain),
        }
    }
}

impl Python {
    pub(super) const NONE: Self = Self::Plain(Value::Null);

    /// Creates an object with these fields.
    pub(super) fn object<const N: usize>(fields: [(&str, Python); N]) -> Self {
        let named = |(name, value): (&str, Python)| (name.to_owned(), value);
        Self::Object(fields.into_iter().map(named).collect())
    }

    /// Formats the value as Python source.
    pub(super) fn written(&self) -> String {
        let mut text = String::new();
        write(self, 0, &mut text);
        text
    }
}

/// Formats a value as a Python literal.
pub(super) fn literal(value: &Value) -> String {
    Python::from(value.clone()).written()
}

fn write(value: &Python, depth: usize, into: &mut String) {
    let line = |into: &mut String, depth: usize| {
        into.push('\n');
        into.push_str(&"    ".repeat(depth));
    };
    match value {
        Python::Plain(value) => into.push_str(&plain(value)),
        Python::Code(code) => into.push_str(code),
        Python::List(items) if items.is_empty() => into.push_str("[]"),
        Python::Object(fields) if fields.is_empty() => into.push_str("{}"),
        Python::List(items) => {
            into.push('[');
            for item in items {
                line(into, depth + 1);
                write(item, depth + 1, into);
                into.push(',');
            }
            line(into, depth);
            into.push(']');
        }
        Python::Object(fields) => {
            into.push('{');
            for (name, item) in fields {
                line(into, depth + 1);
                into.push_str(&quoted(name));
                into.push_str(": ");
                write(item, depth + 1, into);
                into.push(',');
            }
            line(into, depth);
            into.push('}');
        }
    }
}

fn plain(value: &Value) -> String {
    match value {
        Value::Bool(true) => "True".to_owned(),
        Value::Bool(false) => "False".to_owned(),
        Value::Number(number) => number.to_string(),
        Value::String(text) => quoted(text),
        _ => "None".to_owned(),
    }
}

/// Formats a string in double quotes. Escapes of JSON are also valid in Python, except for characters beyond U+FFFF, which are
/// written unescaped.
fn quoted(text: &str) -> String {
    let mut written = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => written.push_str("\\\""),
            '\\' => written.push_str("\\\\"),
            '\n' => written.push_str("\\n"),
            '\r' => written.push_str("\\r"),
            '\t' => written.push_str("\\t"),
            c if c.is_control() || c == '\u{2028}' || c == '\u{2029}' => {
                written.push_str(&format!("\\u{:04x}", c as u32))
            }
            c => written.push(c),
        }
    }
    written.push('"');
    written
}

/// Returns a node's name in the graph. LangGraph reserves some characters, and two names for the ends of the graph.
pub(super) fn name_of(id: &str) -> String {
    let name: String = id
        .chars()
        .map(|c| if c == ':' || c == '|' { '_' } else { c })
        .collect();
    if ["START", "END", "__start__", "__end__"].contains(&name.as_str()) {
        format!("{name}_node")
    } else {
        name
    }
}
