//! JavaScript with the results that Node returns. Each case is imported in the two formats whose files contain JavaScript:
//! as the code of a function node, and as inline code of Logic Apps.

use super::*;

/// The outcome of importing a script in one format.
#[derive(Debug)]
enum Gives {
    Value(Value),
    /// The run fails with this message.
    Error(String),
    /// The script was not translated, for this reason.
    Kept(String),
}

/// Returns a function node that receives each input from a constant.
fn as_function(case: &Value) -> String {
    let inputs = case["inputs"].as_object().unwrap();
    let names: Vec<&str> = inputs.keys().map(String::as_str).collect();
    let code = case["source"].as_str().unwrap();
    let mut nodes = vec![function("F", code, &names, &["r"])];
    nodes.extend(
        inputs
            .iter()
            .map(|(name, value)| constant(&format!("K_{name}"), value.clone())),
    );
    let edges: Vec<String> = names
        .iter()
        .map(|name| format!("K_{name}.value > F.{name}"))
        .collect();
    let edges: Vec<&str> = edges.iter().map(String::as_str).collect();
    workflow(json!(nodes), &edges)
}

/// Returns inline code that receives the inputs from an action before it.
fn as_inline_code(case: &Value) -> String {
    let code = format!(
        "const inputs = workflowContext.actions.Given.outputs;\n{}",
        case["source"].as_str().unwrap()
    );
    json!({ "definition": {
        "triggers": { "manual": { "type": "Request" } },
        "actions": {
            "Given": { "type": "Compose", "inputs": case["inputs"] },
            "F": { "type": "JavaScriptCode", "inputs": { "code": code }, "runAfter": { "Given": ["Succeeded"] } }
        }
    } })
    .to_string()
}

/// Returns the outcome for the node or action with the id `F`.
fn gives(text: &str) -> Gives {
    let import = imported(text, None);
    if let Some(why) = outcomes(&import, Outcome::Placeholder).into_iter().next() {
        return Gives::Kept(why);
    }
    let world = World::with(json!({ "now": "2026-01-31T12:00:00.000Z", "seed": "a" }));
    let done = crate::imported::run(&import.flow, world).state;
    match (done.status, done.outputs) {
        (RunStatus::Completed, Some(outputs)) => {
            let given = outputs.get("F").map(AsRef::as_ref);
            let given = given.or_else(|| outputs.get("result")?.get("F"));
            Gives::Value(given.cloned().unwrap_or_default())
        }
        (_, _) => Gives::Error(done.error.map(|error| error.message).unwrap_or_default()),
    }
}

/// Returns whether a value contains null. Node's JSON has null for `undefined` and for numbers that JSON cannot represent, so
/// these cannot be distinguished from a real null.
fn has_null(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(items) => items.iter().any(has_null),
        Value::Object(fields) => fields.values().any(has_null),
        _ => false,
    }
}

/// Each format returns the value that Node returns, or a reason why it cannot. In every case, at least one format returns
/// the value.
#[test]
fn scripts_give_what_node_gives() {
    for path in cases("scripts")
        .iter()
        .filter(|path| path.ends_with("scripts.json"))
    {
        let listed: Vec<Value> = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
        let scripts = listed
            .iter()
            .filter(|case| case["language"] == "javascript");
        let (mut wrong, mut count) = (Vec::new(), 0);
        for case in scripts {
            let (function, code) = (gives(&as_function(case)), gives(&as_inline_code(case)));
            let value = &case["value"];
            // The port of a node cannot carry `undefined` or a number that JSON cannot represent. Such a value is an error
            // there, never null.
            let lacks = value.get("r").is_none_or(has_null);
            let from_function = match &function {
                Gives::Value(given) => given == value,
                Gives::Error(words) => lacks && words.contains("which JSON does not have"),
                Gives::Kept(_) => false,
            };
            // The clock and random numbers are available to a function node, but not to inline code.
            let from_code = match &code {
                Gives::Value(given) => given == value,
                Gives::Kept(why) => why.contains("the clock") || why.contains("random numbers"),
                Gives::Error(_) => false,
            };
            let given = [&function, &code]
                .iter()
                .any(|gives| matches!(gives, Gives::Value(_)));
            count += 1;
            if !(from_function && from_code && given) {
                wrong.push(format!("{}: {value}: {function:?}, {code:?}", case["id"]));
            }
        }
        assert!(
            wrong.is_empty(),
            "{} of {count}:\n{}",
            wrong.len(),
            wrong.join("\n")
        );
    }
}
