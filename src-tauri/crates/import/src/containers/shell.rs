//! Shell scripts that only print: nothing here runs a shell.

use serde_json::{Map, Value};

/// What a script prints, when it consists of `echo`, `sleep` and remarks alone; and whether it sleeps.
pub(super) fn printed(data: &Map<String, Value>) -> Option<(String, bool)> {
    // What is read out of the text would need the pattern's own language.
    let extracts = data
        .get("outputs")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .any(|output| output.get("extract").is_some());
    if extracts {
        return None;
    }
    let script = match (data.get("script"), data.get("commands")) {
        (Some(Value::String(script)), _) => script.clone(),
        (_, Some(Value::Array(commands))) => {
            let lines: Option<Vec<&str>> = commands.iter().map(Value::as_str).collect();
            lines?.join("\n")
        }
        _ => return None,
    };
    let mut lines = Vec::new();
    let mut sleeps = false;
    for line in script.lines().map(str::trim) {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if let Some(time) = line.strip_prefix("sleep ") {
            time.trim().parse::<f64>().ok()?;
            sleeps = true;
            continue;
        }
        lines.push(echoed(line.strip_prefix("echo")?)?);
    }
    (!lines.is_empty()).then(|| (lines.join("\n"), sleeps))
}

/// The words of an `echo` without variables, pipes or anything else that a shell would do.
fn echoed(words: &str) -> Option<String> {
    let words = words.trim();
    if words.is_empty() {
        return Some(String::new());
    }
    let quote = words.chars().next().filter(|c| ['"', '\''].contains(c));
    let inner = match quote {
        Some(quote) => words.strip_prefix(quote)?.strip_suffix(quote)?,
        None => words,
    };
    let outside = without_templates(inner)?;
    let forbidden: &[char] = match quote {
        Some('\'') => &['\''],
        Some(_) => &['"', '$', '`', '\\', '!'],
        None => &[
            '"', '\'', '$', '`', '\\', '|', '&', ';', '<', '>', '(', ')', '*', '?', '~', '[', '{',
            '#',
        ],
    };
    // `!` means something to a shell that somebody types at, and nothing in a script.
    (!outside.contains(|c: char| c != '!' && forbidden.contains(&c))
        && !outside.starts_with("-n")
        && !outside.starts_with("-e"))
    .then(|| match quote {
        Some(_) => inner.to_owned(),
        // Words without quotes are printed with one space between them.
        None => inner.split_whitespace().collect::<Vec<_>>().join(" "),
    })
}

/// A text without its `{{ … }}`.
fn without_templates(text: &str) -> Option<String> {
    let mut left = String::new();
    let mut rest = text;
    while let Some(open) = rest.find("{{") {
        left.push_str(&rest[..open]);
        let close = rest[open..].find("}}")?;
        rest = &rest[open + close + 2..];
    }
    left.push_str(rest);
    Some(left)
}
