//! The commands that a loop file runs before each iteration: programs in Command and Check nodes.

use loopwright_model::{document::Node, duration::millis};
use serde_json::{Map, Value};

/// The seconds after which ralphify stops a command that sets no limit.
const DEFAULT_TIMEOUT: u64 = 60;
/// The seconds after which Loopwright stops a command that sets no limit.
const OWN_TIMEOUT: u64 = 600;

/// A program that a node starts.
pub(super) struct Started<'f> {
    pub(super) program: &'f str,
    pub(super) args: Vec<&'f str>,
    pub(super) folder: &'f str,
    pub(super) input: &'f str,
    /// The time limit in seconds; `None` if it is the default limit of ralphify.
    pub(super) timeout: Option<u64>,
    /// The fields that the node sets but a loop file cannot contain.
    pub(super) lost: Vec<&'f str>,
}

/// Returns the program that a node starts; `None` if it starts none.
pub(super) fn started(node: &Node) -> Option<Started<'_>> {
    let (fields, known): (&Map<String, Value>, &[&str]) = match node.kind.as_str() {
        "check" => (
            &node.data,
            &[
                "label", "program", "args", "cwd", "report", "timeout", "stdin",
            ],
        ),
        "tool" if node.text("tool") == Some("command") => (
            node.data.get("args")?.as_object()?,
            &["program", "args", "cwd", "timeout", "stdin", "readOnly"],
        ),
        _ => return None,
    };
    let text = |field: &str| {
        let value = fields.get(field).and_then(Value::as_str);
        value.unwrap_or_default()
    };
    let args = fields.get("args").and_then(Value::as_array);
    let seconds = match fields.get("timeout") {
        Some(Value::String(text)) => millis(text).ok().map(|millis| millis.div_ceil(1000)),
        Some(value) => value.as_u64(),
        None => None,
    };
    let seconds = seconds.unwrap_or(OWN_TIMEOUT);
    let is_lost = |(name, value): &(&String, &Value)| {
        let is_empty = match value {
            Value::Null | Value::Bool(false) => true,
            Value::Array(items) => items.is_empty(),
            _ => false,
        };
        !known.contains(&name.as_str()) && !is_empty
    };
    Some(Started {
        program: text("program"),
        args: args
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect(),
        folder: text("cwd"),
        input: text("stdin"),
        timeout: (seconds != DEFAULT_TIMEOUT).then_some(seconds),
        lost: fields
            .iter()
            .filter(is_lost)
            .map(|(name, _)| name.as_str())
            .collect(),
    })
}

/// Returns the command as a template in shell syntax. The script of `sh -c` is used unchanged.
pub(super) fn line(started: &Started<'_>) -> String {
    match (started.program, started.args.as_slice()) {
        ("sh", ["-c", script]) => (*script).to_owned(),
        (program, args) => {
            let words = std::iter::once(program).chain(args.iter().copied());
            words.map(quoted).collect::<Vec<_>>().join(" ")
        }
    }
}

/// Quotes a word for a shell. Templates in the word are unchanged.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-./:=,@%+{} ".contains(c);
    let is_bare = |c: char| is_plain(c) && !matches!(c, ' ' | '{' | '}');
    // A word that consists of one expression produces one word of the command.
    let is_expression =
        word.starts_with("{{") && word.ends_with("}}") && word.chars().all(is_plain);
    match !word.is_empty() && (word.chars().all(is_bare) || is_expression) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}
