//! Code shared by the nodes that run a program through the tool `command`: the trace that is recorded, and the warnings.

use loopwright_engine::Trace;
use serde_json::{Map, Value};

/// The arguments that are recorded for a started program, with the values of their templates.
const STARTED: [&str; 5] = ["program", "args", "cwd", "env", "stdin"];

/// Returns the trace of a started program. The user approved the arguments as written in the flow. The trace contains them
/// with the values of their templates.
pub(crate) fn trace(args: &Map<String, Value>) -> Trace {
    let started = STARTED
        .into_iter()
        .filter_map(|name| Some((name.to_owned(), args.get(name)?.clone())));
    Trace {
        raw: Some(Value::Object(started.collect())),
        ..Trace::default()
    }
}

/// Returns the code and the message of a warning if the recorded output is not exactly what the program printed.
pub(crate) fn warnings(title: &str, result: &Value) -> Vec<(String, String)> {
    let replaced = result.get("replacedBytes") == Some(&Value::Bool(true));
    let warning = format!(
        "The program of \"{title}\" printed bytes that are not UTF-8. They appear as `\u{fffd}` in its output."
    );
    replaced
        .then(|| ("replaced_bytes".to_owned(), warning))
        .into_iter()
        .collect()
}
