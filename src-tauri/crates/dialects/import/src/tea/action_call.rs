//! The call of an action: its arguments, and how its result is stored in the state.

use serde_json::{Map, Value};

use super::steps::{Steps, script};
use crate::build::Port;

/// The script that computes an action's result, with the wires into it.
pub(super) struct ActionCall {
    /// The ports that carry the state.
    pub(super) from: Vec<Port>,
    /// Other wires into the merging script: the handle and the source of each.
    pub(super) wires: Vec<(String, Port)>,
    /// Python that computes `result` from the wired values and `given`.
    pub(super) source: String,
    pub(super) given: Option<Value>,
}

/// Adds a script that computes `result` with the source and the wires in `made`. It ends with the Python in `then`, which
/// returns the script's value. Returns the node's id.
pub(super) fn add_result_script(
    steps: &mut Steps<'_, '_>,
    label: &str,
    made: ActionCall,
    then: &str,
) -> String {
    let source = format!("state = input\n{}\n{then}", made.source);
    let id = script(steps.build, label, &source, made.given, &made.from);
    for (handle, port) in made.wires {
        if let Some(Value::Object(args)) =
            steps.build.data(&id).and_then(|data| data.get_mut("args"))
        {
            args.insert(handle.clone(), Value::Null);
        }
        steps.build.wire(&port, &Port::at(&id, handle));
    }
    id
}

/// Returns the arguments of a node's action (`with` or `params`), or `None` if it has none.
pub(super) fn read_arguments(config: &Map<String, Value>) -> Option<&Value> {
    config.get("with").or_else(|| config.get("params"))
}

/// Reports the arguments of an action that are not translated.
pub(super) fn say_unused_arguments(
    steps: &mut Steps<'_, '_>,
    action: &str,
    with: &Value,
    place: &str,
    used: &[&str],
) {
    let fields = with.as_object().into_iter().flat_map(Map::keys);
    let left: Vec<&str> = fields
        .map(String::as_str)
        .filter(|field| !used.contains(field))
        .collect();
    if !left.is_empty() {
        let words = format!("`{}` of `{action}` is not imported.", left.join("`, `"));
        steps.build.approximated(place, None, words);
    }
}
