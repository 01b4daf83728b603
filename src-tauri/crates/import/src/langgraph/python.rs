//! JSON as Python writes it.

use serde_json::Value;

/// A value as a Python literal.
pub(super) fn literal(value: &Value) -> String {
    let mut text = String::new();
    write(value, 0, &mut text);
    text
}

fn write(value: &Value, depth: usize, into: &mut String) {
    let line = |into: &mut String, depth: usize| {
        into.push('\n');
        into.push_str(&"    ".repeat(depth));
    };
    match value {
        Value::Null => into.push_str("None"),
        Value::Bool(flag) => into.push_str(if *flag { "True" } else { "False" }),
        Value::Number(number) => into.push_str(&number.to_string()),
        Value::String(text) => into.push_str(&quoted(text)),
        Value::Array(items) if items.is_empty() => into.push_str("[]"),
        Value::Object(fields) if fields.is_empty() => into.push_str("{}"),
        Value::Array(items) => {
            into.push('[');
            for item in items {
                line(into, depth + 1);
                write(item, depth + 1, into);
                into.push(',');
            }
            line(into, depth);
            into.push(']');
        }
        Value::Object(fields) => {
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

/// A text in double quotes. JSON's escapes are Python's too, but for what lies beyond two bytes, which stands as it is.
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

/// A node's name in the graph; LangGraph keeps some characters for itself, and two names for its ends.
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
