//! Translates agents: to a model call if only text is requested, otherwise to the agent program itself.

use serde_json::{Map, Value, json};

use super::{
    Inputs, Made, Maker, Out, Port, Spec, Trouble, list, output_names, ports, script_tool, text,
};

/// The outputs that every agent has.
const USUAL: [&str; 6] = [
    "output",
    "response",
    "sessionId",
    "exitCode",
    "usage",
    "structured",
];

/// Fields that give an agent more than text (tools, a folder or files), so that a model alone cannot replace it.
const TOOLS: [&str; 9] = [
    "tools",
    "allowedTools",
    "mcpServers",
    "mcpConfig",
    "cwd",
    "path",
    "sandbox",
    "permissionMode",
    "promptFiles",
];

/// JavaScript that parses a program's answer as an object with the outputs of its node.
const ANSWER: &str = r#"const text = input.match(/\{[^]*\}/)?.[0] ?? input;
const value = JSON.parse(text);
if (typeof value !== "object" || value === null) throw new Error("The answer is not JSON with the outputs of this node");
return value;"#;

/// Returns whether an agent uses something in [`TOOLS`].
fn has_tools(spec: &Spec<'_>) -> bool {
    let mut fields = TOOLS.iter().filter_map(|field| spec.data.get(*field));
    fields.any(|value| match value {
        Value::Null | Value::Bool(false) => false,
        Value::String(text) => !text.trim().is_empty(),
        Value::Array(items) => !items.is_empty(),
        Value::Object(fields) => !fields.is_empty(),
        _ => true,
    })
}

/// The data of an agent that the translation to a model call and the one to an agent program share.
struct Asked<'v> {
    runner: &'v str,
    prompt: String,
    inputs: Inputs<'v>,
    /// Whether another node, or the previous iteration, provides the agent's session.
    session: bool,
    schema: Option<Value>,
    /// The declared outputs, without those that every agent has.
    own: Vec<&'v str>,
}

impl<'v> Maker<'v, '_> {
    pub(super) fn agent(&mut self, spec: &Spec<'v>) -> Result<Made, Trouble> {
        let asked = self.asked(spec)?;
        Ok(match asked.runner != "openai" && has_tools(spec) {
            true => self.coding_agent(spec, &asked),
            false => self.model(spec, &asked),
        })
    }

    fn asked(&mut self, spec: &Spec<'v>) -> Result<Asked<'v>, String> {
        let needs = |field| format!("it has no `{field}`, so it fails in the source too");
        let runner = text(spec.data, "runner").ok_or_else(|| needs("runner"))?;
        let written = |field| text(spec.data, field).filter(|words| !words.trim().is_empty());
        let prompt = written("prompt").ok_or_else(|| needs("prompt"))?;
        if spec.continues() {
            return Err("`continueOnFailure` of an agent has no counterpart".to_owned());
        }
        let read = |port: &'v Value| {
            let is_read = port["extract"].get("type")? != "full";
            text(port, "name").filter(|_| is_read)
        };
        if let Some(name) = ports(spec, "outputs").iter().find_map(read) {
            return Err(format!(
                "a pattern extracts its output “{name}” from the answer. Put a script that does this after the agent"
            ));
        }
        let plain = self.plain_names;
        let is_read = |name: &str| {
            prompt.contains(&format!("inputs.{name}"))
                || ((plain || name == "input") && prompt.contains(name))
        };
        let mut inputs = self.inputs(spec, "", &is_read)?;
        let prompt = self.text(spec, prompt, &mut inputs)?.0;
        let mut own = output_names(spec);
        own.retain(|name| !USUAL.contains(name));
        let schema = match written("outputSchema").map(serde_json::from_str::<Value>) {
            None => schema(spec, &own),
            Some(given) => Some(given.map_err(|error| {
                format!("its `outputSchema` is not valid JSON ({error}). Correct it")
            })?),
        };
        Ok(Asked {
            runner,
            prompt,
            session: (self.container.into(spec.id)).any(|wire| wire.into == "sessionId"),
            inputs,
            schema,
            own,
        })
    }

    fn model(&mut self, spec: &Spec<'v>, asked: &Asked<'v>) -> Made {
        let mut data = json!({ "inputs": [], "prompt": asked.prompt });
        let model = text(spec.data, "model");
        if let Some(model) = model.filter(|_| asked.runner == "openai") {
            data["model"] = json!(model);
        }
        if asked.session {
            data["session"] = json!("loop");
        }
        if let Some(schema) = &asked.schema {
            data["responseFormat"] = schema.clone();
        }
        let node = self.own_node("llm", spec, data);
        if asked.runner == "openai" {
            let says = "An OpenAI agent becomes a model call.";
            self.builder.mapped(&spec.place, &node, says);
        } else {
            let choose =
                model.map(|model| format!(" Its model `{model}` is not imported: choose a model."));
            let says = format!(
                "A model call replaces the program {}. Unlike the program, the model does not read or change files or run commands.{}",
                asked.runner,
                choose.unwrap_or_default()
            );
            self.builder.approximated(&spec.place, Some(&node), says);
        }
        if asked.session {
            let says = "Its session continues from one iteration to the next. A session that another node began is not continued: the agent begins a new one.";
            self.builder.approximated(&spec.place, Some(&node), says);
        }
        self.take_inputs(spec, &node, &asked.inputs);
        self.wire_named(spec, &node, &node, &asked.inputs);
        let has_fields = asked.schema.is_some();
        let mut made = agent_made(spec, &node, |name| match name {
            "structured" if has_fields => Some(Out::of(Port::of(&node))),
            _ if USUAL.contains(&name) => None,
            _ if has_fields => Some(Out::of(Port::at(&node, name))),
            _ => Some(response_of(&node)),
        });
        let output = made.outputs.entry("output".to_owned());
        output.or_insert_with(|| Some(response_of(&node)));
        made
    }

    /// Adds a coding agent with tools: the program itself, after a Transform that writes its prompt.
    fn coding_agent(&mut self, spec: &Spec<'v>, asked: &Asked<'v>) -> Made {
        let template = &asked.prompt;
        let data = json!({ "template": template, "inputs": [], "outputFormat": "text" });
        let words = self.part("transform", spec, "prompt", data);
        self.take_inputs(spec, &words, &asked.inputs);
        let mut data = json!({
            "runner": if asked.runner == "gemini-cli" { "gemini" } else { asked.runner },
            "session": if asked.session { "resume" } else { "fresh" }
        });
        let folder = text(spec.data, "cwd").or_else(|| text(spec.data, "path"));
        if let Some(folder) = folder.filter(|folder| !folder.contains("{{")) {
            data["cwd"] = json!(folder);
        }
        let node = self.own_node("agent", spec, data);
        self.builder
            .wire(&Port::of(&words), &Port::at(&node, "prompt"));
        let mut left: Vec<&str> = TOOLS.into_iter().chain(["model"]).collect();
        left.retain(|field| !["cwd", "path"].contains(field) && spec.data.get(*field).is_some());
        let mut says = format!(
            "This node runs the program {} itself. You approve the program, its folder and its permission before the run.",
            asked.runner
        );
        if !left.is_empty() {
            says.push_str(&format!(
                " Its own settings `{}` are not imported.",
                left.join("`, `")
            ));
        }
        self.builder.approximated(&spec.place, Some(&node), says);
        let answer = (asked.own.len() > 1).then(|| {
            let data = script_tool(json!({ "source": ANSWER }));
            let read = self.part("tool", spec, "answer", data);
            let into = Port::at(&read, "input");
            self.builder.wire(&response_of(&node).port, &into);
            Port::of(&read)
        });
        self.wire_named(spec, &node, &words, &asked.inputs);
        agent_made(spec, &node, |name| match (name, &answer) {
            ("sessionId" | "usage", _) => Some(Out::of(Port::at(&node, name))),
            ("exitCode" | "structured", _) => None,
            (_, None) => Some(response_of(&node)),
            (_, Some(answer)) => Some(Out::field(answer, name)),
        })
    }
}

/// Returns the value that contains an agent's answer.
fn response_of(node: &str) -> Out {
    Out::of(Port::at(node, "response"))
}

/// Returns the translation of an agent. `other` provides its outputs except the answer.
fn agent_made(spec: &Spec<'_>, node: &str, other: impl Fn(&str) -> Option<Out>) -> Made {
    let mut made = Made::new(spec, node.to_owned(), response_of(node));
    for name in output_names(spec) {
        let out = match name {
            "output" | "response" => Some(response_of(node)),
            name => other(name),
        };
        made.outputs.insert(name.to_owned(), out);
    }
    made
}

/// Returns the schema of an agent's answer, or `None` if the answer is plain text.
fn schema(spec: &Spec<'_>, own: &[&str]) -> Option<Value> {
    let kind = |name: &str| {
        let mut outputs = list(spec.data, "outputs").iter();
        let output = outputs.find(|output| text(output, "name") == Some(name));
        text(output?, "type")
    };
    let is_text = |name: &str| matches!(kind(name), None | Some("string" | "any"));
    if own.is_empty() || (own.len() == 1 && is_text(own[0])) {
        return None;
    }
    let property = |name: &&str| {
        let kind = kind(name).filter(|kind| ["string", "number", "boolean"].contains(kind));
        let schema = kind.map_or_else(|| json!({}), |kind| json!({ "type": kind }));
        ((*name).to_owned(), schema)
    };
    let properties: Map<String, Value> = own.iter().map(property).collect();
    Some(json!({ "type": "object", "properties": properties, "required": own }))
}
