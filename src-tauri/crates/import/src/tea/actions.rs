//! Built-in actions of TEA (`uses:`) as nodes: model calls, HTTP, JSON, memory, validation; others become placeholders.

use serde_json::{Map, Value, json};

use super::{
    agent::Agent,
    models::model_call,
    python::lua_text,
    reason, schema,
    steps::{Steps, joined, script},
    team, template,
};
use crate::build::Port;

/// Actions that are computed by a script.
const COMPUTED: [&str; 14] = [
    "json.parse",
    "json.stringify",
    "json.transform",
    "csv.parse",
    "csv.stringify",
    "data.merge",
    "data.filter",
    "memory.store",
    "memory.retrieve",
    "state.set",
    "core.return",
    "core.noop",
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

/// A script that computes `result` from `state` and `given`.
pub(super) struct Computed {
    pub(super) source: String,
    pub(super) given: Value,
    pub(super) differs: Vec<String>,
}

/// An action that needs nothing but a script.
///
/// # Errors
/// Why it has none, as a sentence for the report.
pub(super) fn computed(action: &str, agent: &Agent<'_>, given: &Value) -> Result<Computed, String> {
    let mut differs = Vec::new();
    let mut given = given.clone();
    let source = match plain(action).as_str() {
        "json.parse" => {
            "local done, data = pcall(json.decode, given.text)\nlocal result\nif done then\n    result = { data = data, success = true }\nelseif given.strict == false and given.default ~= nil then\n    result = { data = given.default, success = true }\nelse\n    result = { error = \"JSON parse error\", success = false, error_type = \"parse\" }\nend".to_owned()
        }
        "json.stringify" => {
            if ["indent", "sort_keys"].iter().any(|field| given.get(*field).is_some()) {
                differs.push("The text is compact here, without `indent` and `sort_keys`.".to_owned());
            }
            "local result = { text = json.encode(given.data), success = true }".to_owned()
        }
        "json.transform" => {
            let path = given.get("expression").and_then(Value::as_str).and_then(path);
            let Some(path) = path else {
                return Err("`json.transform` with anything but a plain path (`a.b[0]`, `items[*].name`) has no counterpart here".to_owned());
            };
            format!("local path = {{ {path} }}\n{DATA}{}", include_str!("transform.luau").trim_end())
        }
        "data.merge" => format!("{DATA}{}", include_str!("merge.luau").trim_end()),
        "data.filter" => format!("{DATA}{}", include_str!("filter.luau").trim_end()),
        "csv.parse" if given.get("path").is_some() => {
            return Err("`csv.parse` of a file has no counterpart here; read it with `file.read` before".to_owned());
        }
        "csv.parse" => include_str!("csv_parse.luau").trim_end().to_owned(),
        "csv.stringify" => format!("{DATA}{}", include_str!("csv_stringify.luau").trim_end()),
        "memory.store" => {
            differs.push("What is stored is kept in the state, under `_memory`: a flow has no memory beside it, and a run none of the run before.".to_owned());
            "local memory = state._memory or object({})\nlocal space = given.namespace or \"default\"\nmemory[space] = memory[space] or object({})\nmemory[space][tostring(given.key)] = given.value\nstate._memory = memory\nlocal result = { stored = true, key = tostring(given.key), namespace = space }".to_owned()
        }
        "memory.retrieve" => {
            differs.push("What is stored is kept in the state, under `_memory`: a flow has no memory beside it, and a run none of the run before.".to_owned());
            "local memory = state._memory or object({})\nlocal found = (memory[given.namespace or \"default\"] or object({}))[tostring(given.key)]\nlocal result = { value = if found == nil then given.default else found, found = found ~= nil, key = tostring(given.key) }\nif result.value == nil then result.value = null end".to_owned()
        }
        "state.set" | "core.return" | "core.noop" => "local result = given".to_owned(),
        "actions.notify" => {
            differs.push("Nothing is sent: the action prints its message, which nobody reads here.".to_owned());
            "local result = { sent = true }".to_owned()
        }
        "validate.extraction" => {
            for part in ["validation_constraints", "semantic_probes"] {
                if agent.document.contains_key(part) {
                    return Err(format!("`validate.extraction` with `{part}` has no counterpart here"));
                }
            }
            let schema = given
                .as_object_mut()
                .and_then(|given| given.remove("schema"))
                .or_else(|| agent.document.get("extraction_schema").cloned())
                .unwrap_or_else(|| json!({}));
            differs.push("`validated_at` is left out of the result: there is no clock in a flow.".to_owned());
            format!(
                "local schema = json.decode({})\n{}",
                lua_text(&schema.to_string()),
                include_str!("extraction.luau").trim_end()
            )
        }
        other => return Err(format!("the action `{other}` has no counterpart here")),
    };
    Ok(Computed {
        source,
        given,
        differs,
    })
}

/// What scripts over lists and objects ask of a value.
const DATA: &str = include_str!("data.luau");

/// The steps of a path as JMESPath and JSONPath both write it, `$.items[*].name`, as a list of Luau.
fn path(expression: &str) -> Option<String> {
    let mut rest = expression.trim();
    rest = rest.strip_prefix('$').unwrap_or(rest);
    let mut steps = Vec::new();
    while !rest.is_empty() {
        if let Some(inner) = rest.strip_prefix('[') {
            let (index, after) = inner.split_once(']')?;
            steps.push(match index {
                "*" | "" => "\"*\"".to_owned(),
                number => number.parse::<i32>().ok()?.to_string(),
            });
            rest = after;
            continue;
        }
        let name = rest.strip_prefix('.').unwrap_or(rest);
        let end = name.find(['.', '[']).unwrap_or(name.len());
        let (name, after) = name.split_at(end);
        let plain =
            !name.is_empty() && name.bytes().all(|b| b == b'_' || b.is_ascii_alphanumeric());
        steps.push(plain.then(|| lua_text(name))?);
        rest = after;
    }
    (!steps.is_empty()).then(|| steps.join(", "))
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
    if let Some(with) = with.as_object() {
        left_over(steps, &format!("`{action}`"), with, place, used);
    }
}

/// Says which fields of something are not taken over; `of` names it in a sentence.
pub(super) fn left_over(
    steps: &mut Steps<'_, '_>,
    of: &str,
    fields: &Map<String, Value>,
    place: &str,
    used: &[&str],
) {
    let left: Vec<&str> = fields
        .keys()
        .map(String::as_str)
        .filter(|field| !used.contains(field))
        .collect();
    if !left.is_empty() {
        let words = format!("`{}` of {of} is not taken over.", left.join("`, `"));
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
        "reason.cot" => reason::chain_of_thought(steps, name, with, &place, &from),
        "agent.dispatch" => team::dispatch(steps, name, with, &place, &from),
        "agent.sequential" => team::sequential(steps, name, with, &place, &from),
        "agent.parallel" => team::parallel(steps, name, with, &place, &from),
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
    let source = format!("local state = input\n{}\n{then}", made.source);
    let id = script(steps.build, label, &source, made.given, &made.from);
    for (handle, port) in made.wires {
        if let Some(Value::Object(args)) =
            steps.build.data(&id).and_then(|data| data.get_mut("args"))
        {
            args.insert(handle.clone(), Value::Null);
        }
        steps.build.wire(&port, &Port::named(&id, handle));
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
    let then = match output {
        Some(Value::String(key)) => format!("state[{}] = result\nreturn state", lua_text(key)),
        Some(Value::Object(_)) => "return { state = state, result = result }".to_owned(),
        _ => "if type(result) == \"table\" then\n    for name, value in pairs(result) do state[name] = value end\nelse\n    state.result = result\nend\nreturn state".to_owned(),
    };
    let label = if made.wires.is_empty() {
        name.to_owned()
    } else {
        format!("Take {name}")
    };
    let id = settled(steps, &label, made, &then);
    let Some(Value::Object(fields)) = output else {
        return vec![Port::of(&id)];
    };
    // A plain word is a field of the result; anything else is a template over the result, beside the state.
    let is_word = |text: &str| {
        !text.is_empty() && text.bytes().all(|b| b == b'_' || b.is_ascii_alphanumeric())
    };
    let fields_of: String = fields
        .iter()
        .filter_map(|(name, value)| Some((name, value.as_str().filter(|text| is_word(text))?)))
        .map(|(name, field)| {
            let (name, field) = (lua_text(name), lua_text(field));
            format!("if type(result) == \"table\" and result[{field}] ~= nil then state[{name}] = result[{field}] end\n")
        })
        .collect();
    let names = steps.names("input.state").with("result", "input.result");
    match template::convert_value(&Value::Object(fields.clone()), &names) {
        Ok(given) => {
            let source = format!(
                "local state, result = input.state, input.result\nfor name, value in pairs(given) do state[name] = value end\n{fields_of}return state"
            );
            let out = script(
                steps.build,
                &format!("Output of {name}"),
                &source,
                Some(given),
                &[Port::of(&id)],
            );
            vec![Port::of(&out)]
        }
        Err(why) => {
            let ports = [Port::of(&id)];
            steps.keep(
                &format!("Output of {name}"),
                config,
                &format!("{place}.output"),
                &ports,
                &format!("its output {why}"),
            )
        }
    }
}

fn by_script(
    steps: &mut Steps<'_, '_>,
    name: &str,
    action: &str,
    with: &Value,
    place: &str,
    from: &[Port],
) -> Result<Made, String> {
    let given = template::convert_value(with, &steps.names("input"))
        .map_err(|why| format!("an argument of `{action}` {why}"))?;
    let computed = computed(action, steps.agent, &given)?;
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
        given: Some(computed.given),
    })
}

fn http(
    steps: &mut Steps<'_, '_>,
    name: &str,
    action: &str,
    with: &Value,
    place: &str,
    from: &[Port],
) -> Result<Made, String> {
    let names = steps.names("input");
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
            let value = template::convert_value(value, &names)
                .map_err(|why| format!("its `{field}` {why}"))?;
            args.insert(argument.to_owned(), value);
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
    let id = steps.build.node(
        "tool",
        name,
        json!({ "tool": "http.request", "args": args }),
    );
    steps.build.wire_all(&from, &Port::at(&id, "input"));
    steps.build.approximated(
        place,
        Some(&id),
        "The request is made only with a person's consent, unless `approval` of the node is set to `auto`; private addresses are refused.",
    );
    Ok(Made {
        from,
        wires: vec![("reply".to_owned(), Port::of(&id))],
        source: "if reply.status >= 400 then error(\"HTTP status \" .. reply.status, 0) end\nlocal result = reply.body\nif type(result) == \"string\" then\n    local done, value = pcall(json.decode, result)\n    if done then result = value end\nend".to_owned(),
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
    let names = steps.names("input");
    let mut args = Map::new();
    for field in ["path", "content"] {
        if let Some(value) = with.get(field) {
            let value = template::convert_value(value, &names)
                .map_err(|why| format!("its `{field}` {why}"))?;
            args.insert(field.to_owned(), value);
        }
    }
    unused(steps, action, with, place, &["path", "content"]);
    let tool = if action == "file.read" {
        "files.read"
    } else {
        "files.write"
    };
    let from = joined(steps.build, from.to_vec());
    let id = steps
        .build
        .node("tool", name, json!({ "tool": tool, "args": args }));
    steps.build.wire_all(&from, &Port::at(&id, "input"));
    steps.build.approximated(
        place,
        Some(&id),
        format!("`{tool}` reaches the folders it is allowed to, and asks first; a file that cannot be reached fails the node, where the action gives `success: false`."),
    );
    let source = if action == "file.read" {
        "local content = if type(reply) == \"table\" and reply.content ~= nil then reply.content else reply\nlocal result = { content = content, success = true }".to_owned()
    } else {
        "local result = { path = written, success = true }".replace(
            "written",
            "if type(reply) == \"table\" and reply.path ~= nil then reply.path else null",
        )
    };
    Ok(Made {
        from,
        wires: vec![("reply".to_owned(), Port::of(&id))],
        source,
        given: None,
    })
}
