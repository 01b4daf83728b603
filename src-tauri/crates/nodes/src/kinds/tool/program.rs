//! What nodes that run a program by the tool `command` have in common: what the record of a run keeps, and what is warned of.

use loopwright_engine::Trace;
use serde_json::{Map, Value};

/// What of the arguments says which program was started, with the values that came from templates.
const STARTED: [&str; 5] = ["program", "args", "cwd", "env", "stdin"];

/// The record of what was started. A person approved the words of the flow; this is what they became.
pub(crate) fn trace(args: &Map<String, Value>) -> Trace {
    let started = STARTED
        .into_iter()
        .filter_map(|name| Some((name.to_owned(), args.get(name)?.clone())));
    Trace {
        raw: Some(Value::Object(started.collect())),
        ..Trace::default()
    }
}

/// What is to be said of what it printed, where that is not all as it was.
pub(crate) fn warnings(title: &str, result: &Value) -> Vec<(String, String)> {
    let replaced = result.get("replacedBytes") == Some(&Value::Bool(true));
    let warning = format!(
        "The program of \"{title}\" printed bytes that are no UTF-8. They stand as `\u{fffd}` in its output."
    );
    replaced
        .then(|| ("replaced_bytes".to_owned(), warning))
        .into_iter()
        .collect()
}
