//! Built-in actions of TEA (`uses:`) as nodes: model calls, HTTP, JSON, memory, validation; others become placeholders.

use loopwright_jinja::{Templates, Why, literal, quoted};
use serde_json::{Map, Value, json};

use super::{
    agent::Agent,
    computed::computed,
    models::model_call,
    schema,
    steps::{Steps, joined, script},
};
use crate::build::Port;

/// Actions that are computed by a script.
const COMPUTED: [&str; 6] = [
    "json.parse",
    "json.stringify",
    "memory.store",
    "memory.retrieve",
    "validate.extraction",
    "actions.notify",
];

/// Where the names of TEA's own actions begin: an action among these exists there, whether or not it has a counterpart here.
const NAMESPACES: [&str; 56] = [
    "a2a",
    "academic",
    "actions",
    "agent",
    "auth",
    "cache",
    "catalog",
    "checkpoint",
    "code",
    "core",
    "csv",
    "data",
    "error",
    "execution",
    "file",
    "firestore",
    "git",
    "github",
    "graph",
    "http",
    "input",
    "json",
    "learn",
    "llamaextract",
    "llamaindex",
    "llm",
    "ltm",
    "markdown",
    "memory",
    "neo4j",
    "notify",
    "observability",
    "opik",
    "plan",
    "prolog",
    "rag",
    "ratelimit",
    "reason",
    "reflection",
    "retry",
    "schema",
    "search",
    "secrets",
    "semtools",
    "session",
    "state",
    "storage",
    "text",
    "tools",
    "trace",
    "validate",
    "vector",
    "web",
    "tabular",
    "embedding",
    "dspy",
];

/// The name without the older prefix: `actions.http_get` is `http.get`.
pub(super) fn plain(action: &str) -> String {
    // `actions.http_get` and `json_parse`: the first `_` stands for the dot.
    let older = match action {
        "json_parse" | "json_stringify" => action,
        "notify" => return "actions.notify".to_owned(),
        "actions.notify" => return action.to_owned(),
        _ => match action.strip_prefix("actions.") {
            Some(older) => older,
            None => return action.to_owned(),
        },
    };
    match older.split_once('_') {
        Some((space, name)) if NAMESPACES.contains(&space) => format!("{space}.{name}"),
        _ => action.to_owned(),
    }
}

/// Whether TEA has an action of this name, or the agent loads some of its namespace.
pub(super) fn is_known(action: &str, agent: &Agent<'_>) -> bool {
    let name = plain(action);
    if COMPUTED.contains(&name.as_str()) {
        return true;
    }
    let Some((space, _)) = name.split_once('.') else {
        return false;
    };
    // Of validations there is one; the others of that namespace are misspelt.
    let exists = NAMESPACES.contains(&space) && space != "validate" && space != "actions";
    exists || agent.document.get("imports").is_some()
}

/// `, did you mean “validate.extraction”?`
pub(super) fn hint(action: &str) -> String {
    crate::hint(action, COMPUTED.into_iter())
}

/// The arguments of a node's action.
pub(super) fn arguments(config: &Map<String, Value>) -> Option<&Value> {
    config.get("with").or_else(|| config.get("params"))
}

/// Says which arguments of an action are not taken over.
pub(super) fn unused(
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
        let words = format!("`{}` of `{action}` is not taken over.", left.join("`, `"));
        steps.build.approximated(place, None, words);
    }
}

/// A node that uses an action.
pub(super) fn action(
    steps: &mut Steps<'_, '_>,
    name: &str,
    action: &str,
    config: &Map<String, Value>,
    place: &str,
    from: Vec<Port>,
) -> Vec<Port> {
    let empty = json!({});
    let with = arguments(config).unwrap_or(&empty);
    let place = format!("{place}.uses");
    let asked = plain(action);
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

/// An action's call, and how its result gets into the state.
pub(super) struct Made {
    /// Where the state comes from.
    pub(super) from: Vec<Port>,
    /// What else is wired to the merging script: the handle there, and where it comes from.
    pub(super) wires: Vec<(String, Port)>,
    /// Makes `result`, from the wires and `given`.
    pub(super) source: String,
    pub(super) given: Option<Value>,
}

/// The script that makes `result` of what `made` gives and goes on with `then`, which returns.
pub(super) fn settled(steps: &mut Steps<'_, '_>, label: &str, made: Made, then: &str) -> String {
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

/// The script that puts `result` into the state as `output` says.
pub(super) fn finish(
    steps: &mut Steps<'_, '_>,
    name: &str,
    config: &Map<String, Value>,
    place: &str,
    made: Made,
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
    let id = settled(steps, &label, made, &then);
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

/// The fields of an `output`, of which the texts are templates; one that gives nothing is an empty text, as there.
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
) -> Result<Made, String> {
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
    Ok(Made {
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
) -> Result<Made, String> {
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
    unused(
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
        "The request is made only with a person's consent, unless `approval` of the node is set to `auto`; private addresses are refused.",
    );
    Ok(Made {
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
) -> Result<Made, String> {
    let mut args = Map::new();
    for field in ["path", "content"] {
        if let Some(value) = with.get(field) {
            args.insert(field.to_owned(), value.clone());
        }
    }
    unused(steps, action, with, place, &["path", "content"]);
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
        format!("`{tool}` reaches the folders it is allowed to, and asks first; a file that cannot be reached fails the node, where the action gives `success: false`."),
    );
    let field = if action == "file.read" {
        "content"
    } else {
        "path"
    };
    let source = format!(
        "{field} = reply[\"{field}\"] if isinstance(reply, dict) and \"{field}\" in reply else reply\nresult = {{\"{field}\": {field}, \"success\": True}}"
    );
    Ok(Made {
        from,
        wires: vec![("reply".to_owned(), Port::of(&id))],
        source,
        given: None,
    })
}
