//! Translates TEA's built-in actions (`uses:`) to nodes: model calls, HTTP, JSON, memory, validation. Others become placeholders.

use loopwright_jinja::{Templates, Why, literal, quoted};
use serde_json::{Map, Value, json};

use super::{
    action_call::{ActionCall, add_result_script, read_arguments, say_unused_arguments},
    action_names::canonical_name,
    computed::computed,
    models::model_call,
    schema,
    steps::{Steps, joined},
};
use crate::build::Port;

/// Translates a node that uses an action. An action without an equivalent becomes a placeholder. Returns the ports that
/// carry the state after the node.
pub(super) fn action(
    steps: &mut Steps<'_, '_>,
    name: &str,
    action: &str,
    config: &Map<String, Value>,
    place: &str,
    from: Vec<Port>,
) -> Vec<Port> {
    let empty = json!({});
    let with = read_arguments(config).unwrap_or(&empty);
    let place = format!("{place}.uses");
    let asked = canonical_name(action);
    let made = match asked.as_str() {
        "llm.call" | "llm.chat" | "llm.stream" | "llm.retry" => {
            model_call(steps, name, &asked, with, &place, &from)
        }
        "http.get" | "http.post" => http(steps, name, &asked, with, &place, &from),
        "file.read" | "file.write" => file(steps, name, &asked, with, &place, &from),
        "data.validate" => schema::validate(steps, name, with, &place, &from),
        _ => by_script(steps, name, &asked, with, &place, &from),
    };
    match made {
        Ok(made) => finish(steps, name, config, &place, made),
        Err(why) => steps.keep(name, config, &place, &from, &why),
    }
}

/// Adds the script that stores `result` in the state as the node's `output` requires. Returns the ports that carry the state
/// after it.
pub(super) fn finish(
    steps: &mut Steps<'_, '_>,
    name: &str,
    config: &Map<String, Value>,
    place: &str,
    made: ActionCall,
) -> Vec<Port> {
    let output = config.get("output").or_else(|| config.get("output_key"));
    let mut templates = steps.templates().with("result");
    let mut untold = None;
    let then = match output {
        Some(key @ Value::String(_)) => format!("state[{key}] = result\nreturn state"),
        Some(Value::Object(fields)) => match output_fields(fields, &mut templates) {
            Ok(fields) => format!(
                "{}state.update({{{fields}}})\nreturn state",
                templates.before
            ),
            Err(why) => {
                untold = Some(why);
                "return state".to_owned()
            }
        },
        _ => "state.update(result if isinstance(result, dict) else {\"result\": result})\nreturn state"
            .to_owned(),
    };
    let label = if made.wires.is_empty() {
        name.to_owned()
    } else {
        format!("Take {name}")
    };
    let id = add_result_script(steps, &label, made, &then);
    let ports = [Port::of(&id)];
    match untold {
        None => ports.to_vec(),
        Some(why) => steps.keep(
            &format!("Output of {name}"),
            config,
            &format!("{place}.output"),
            &ports,
            &format!("its output {why}"),
        ),
    }
}

/// Returns Python for the fields of an `output`, in which strings are templates. An undefined value is an empty string, as in
/// TEA.
fn output_fields(
    fields: &Map<String, Value>,
    templates: &mut Templates<'_>,
) -> Result<String, Why> {
    let mut written = Vec::new();
    for (name, field) in fields {
        let code = match field {
            Value::String(text) => format!("jinja_filled({})", templates.text(text)?),
            field => literal(field),
        };
        written.push(format!("{}: {code}", quoted(name)));
    }
    Ok(written.join(", "))
}

fn by_script(
    steps: &mut Steps<'_, '_>,
    name: &str,
    action: &str,
    with: &Value,
    place: &str,
    from: &[Port],
) -> Result<ActionCall, String> {
    let computed = computed(action, steps, with)?;
    if computed.differs.is_empty() {
        steps.build.say(
            crate::Outcome::Mapped,
            place,
            None,
            format!("“{name}” computes `{action}` in a script."),
        );
    }
    for how in computed.differs {
        steps
            .build
            .approximated(place, None, format!("“{name}”: {how}"));
    }
    Ok(ActionCall {
        from: from.to_vec(),
        wires: Vec::new(),
        source: computed.source,
        given: None,
    })
}

const REPLY: &str = "\
import json
if reply[\"status\"] >= 400:
    raise RuntimeError(\"HTTP status \" + str(reply[\"status\"]))
result = reply[\"body\"]
if isinstance(result, str):
    try:
        result = json.loads(result)
    except ValueError:
        pass";

fn http(
    steps: &mut Steps<'_, '_>,
    name: &str,
    action: &str,
    with: &Value,
    place: &str,
    from: &[Port],
) -> Result<ActionCall, String> {
    let mut args = Map::new();
    let method = if action == "http.post" { "POST" } else { "GET" };
    args.insert("method".to_owned(), method.into());
    for (field, argument) in [
        ("url", "url"),
        ("headers", "headers"),
        ("json", "body"),
        ("data", "body"),
        ("body", "body"),
    ] {
        if let Some(value) = with.get(field) {
            args.insert(argument.to_owned(), value.clone());
        }
    }
    if !args.contains_key("url") {
        return Err("it has no `url`".to_owned());
    }
    say_unused_arguments(
        steps,
        action,
        with,
        place,
        &["url", "headers", "json", "data", "body"],
    );
    let from = joined(steps.build, from.to_vec());
    let (args, to) = steps.computed(name, args, from.clone())?;
    let id = steps.build.node(
        "tool",
        name,
        json!({ "tool": "http.request", "args": args }),
    );
    steps.build.wire_all(&to, &Port::at(&id, "input"));
    steps.build.approximated(
        place,
        Some(&id),
        "The request needs a person's approval, unless the node's `approval` is `auto`. Private addresses are refused.",
    );
    Ok(ActionCall {
        from,
        wires: vec![("reply".to_owned(), Port::of(&id))],
        source: REPLY.to_owned(),
        given: None,
    })
}

fn file(
    steps: &mut Steps<'_, '_>,
    name: &str,
    action: &str,
    with: &Value,
    place: &str,
    from: &[Port],
) -> Result<ActionCall, String> {
    let mut args = Map::new();
    for field in ["path", "content"] {
        if let Some(value) = with.get(field) {
            args.insert(field.to_owned(), value.clone());
        }
    }
    say_unused_arguments(steps, action, with, place, &["path", "content"]);
    let tool = if action == "file.read" {
        "files.read"
    } else {
        "files.write"
    };
    let from = joined(steps.build, from.to_vec());
    let (args, to) = steps.computed(name, args, from.clone())?;
    let id = steps
        .build
        .node("tool", name, json!({ "tool": tool, "args": args }));
    steps.build.wire_all(&to, &Port::at(&id, "input"));
    steps.build.approximated(
        place,
        Some(&id),
        format!("`{tool}` can reach only the folders that you allow, and asks for your approval first. If a file cannot be reached, the node fails; in TEA the action returns `success: false`."),
    );
    let field = if action == "file.read" {
        "content"
    } else {
        "path"
    };
    let source = format!(
        "{field} = reply[\"{field}\"] if isinstance(reply, dict) and \"{field}\" in reply else reply\nresult = {{\"{field}\": {field}, \"success\": True}}"
    );
    Ok(ActionCall {
        from,
        wires: vec![("reply".to_owned(), Port::of(&id))],
        source,
        given: None,
    })
}
