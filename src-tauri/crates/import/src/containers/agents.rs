//! Agents: a model in place of the program where it is only asked for words, else the program itself.

use serde_json::{Map, Value, json};

use super::{
    Entry, Made, Maker, Spec,
    functions::continues,
    inputs::Inputs,
    outputs::{Out, declared},
    text,
    texts::Text,
};
use crate::build::Port;

/// Outputs that every agent has.
const USUAL: [&str; 6] = [
    "output",
    "response",
    "sessionId",
    "exitCode",
    "usage",
    "structured",
];

/// Fields by which an agent's node says that it works with more than words.
const TOOLS: [&str; 8] = [
    "tools",
    "allowedTools",
    "mcpServers",
    "mcpConfig",
    "cwd",
    "path",
    "sandbox",
    "permissionMode",
];

/// Whether an agent is given tools, a folder or files, so that a model alone could not stand in for it.
fn has_tools(spec: &Spec<'_>) -> bool {
    TOOLS.iter().chain(&["promptFiles"]).any(|field| {
        spec.data.get(*field).is_some_and(|value| match value {
            Value::Null | Value::Bool(false) => false,
            Value::String(text) => !text.trim().is_empty(),
            Value::Array(items) => !items.is_empty(),
            Value::Object(fields) => !fields.is_empty(),
            _ => true,
        })
    })
}

/// What both readings of an agent share.
struct Asked<'v> {
    runner: &'v str,
    prompt: Text,
    inputs: Inputs<'v>,
    /// Its session begins with what another node, or the iteration before, gives.
    session: bool,
    schema: Option<Value>,
    /// The outputs beside those that every agent has.
    own: Vec<&'v str>,
}

impl Asked<'_> {
    /// The handles beside the primary one.
    fn handles(&self) -> Vec<&str> {
        let inputs = self.inputs.wired().map(|(handle, _)| handle);
        let named = self.prompt.named.iter().map(|named| named.handle.as_str());
        inputs
            .filter(|handle| *handle != "input")
            .chain(named)
            .collect()
    }
}

impl<'v> Maker<'v, '_> {
    pub(super) fn agent(&mut self, spec: &Spec<'v>) -> Result<Made, String> {
        let asked = self.asked(spec)?;
        let made = if asked.runner != "openai" && has_tools(spec) {
            self.coding_agent(spec, &asked)
        } else {
            self.model(spec, &asked)
        };
        if let Entry::Declared(renders) = &made.entry {
            self.wire_named(spec, &made.node, renders, &asked.prompt.named);
        }
        Ok(made)
    }

    fn asked(&mut self, spec: &Spec<'v>) -> Result<Asked<'v>, String> {
        let needs = |field| format!("it has no `{field}`, so that it fails there too");
        let runner = text(spec.data, "runner").ok_or_else(|| needs("runner"))?;
        let prompt = text(spec.data, "prompt").filter(|prompt| !prompt.trim().is_empty());
        let prompt = prompt.ok_or_else(|| needs("prompt"))?;
        if continues(spec) {
            return Err("`continueOnFailure` of an agent has no counterpart".to_owned());
        }
        let outputs = declared(spec);
        let reads = |extract: &Value| extract.get("type").is_some_and(|kind| kind != "full");
        if let Some((name, _)) = outputs
            .iter()
            .find(|(_, extract)| extract.is_some_and(reads))
        {
            return Err(format!(
                "its output “{name}” is read out of the answer by a pattern. Put a script behind the agent that does that"
            ));
        }
        let plain = self.plain_names;
        let is_read = |name: &str| {
            prompt.contains(&format!("inputs.{name}"))
                || ((plain || name == "input") && prompt.contains(name))
        };
        let inputs = self.inputs(spec, "", &is_read)?;
        let prompt = self.text(spec, prompt, &inputs)?;
        let own: Vec<&str> = outputs
            .iter()
            .map(|(name, _)| *name)
            .filter(|name| !USUAL.contains(name))
            .collect();
        let given = text(spec.data, "outputSchema").filter(|schema| !schema.trim().is_empty());
        let schema = match given.map(serde_json::from_str::<Value>) {
            Some(Ok(schema)) => Some(schema),
            Some(Err(error)) => {
                return Err(format!(
                    "its `outputSchema` is no JSON ({error}). Correct it"
                ));
            }
            None => schema(spec.data, &own),
        };
        Ok(Asked {
            runner,
            prompt,
            session: self
                .container
                .into(spec.id)
                .any(|wire| wire.into == "sessionId"),
            inputs,
            schema,
            own,
        })
    }

    fn model(&mut self, spec: &Spec<'v>, asked: &Asked<'v>) -> Made {
        let wired = asked.handles();
        let mut data = json!({ "inputs": wired, "prompt": asked.prompt.template });
        if let Some(model) = text(spec.data, "model").filter(|_| asked.runner == "openai") {
            data["model"] = json!(model);
        }
        if asked.session {
            data["session"] = json!("loop");
        }
        if let Some(schema) = &asked.schema {
            data["responseFormat"] = schema.clone();
        }
        let node = self.builder.node("llm", spec.id, data);
        self.label(&node, spec);
        if asked.runner == "openai" {
            self.builder.mapped(
                &spec.place,
                &node,
                "An OpenAI agent is a model that is asked.",
            );
        } else {
            self.builder.approximated(
                &spec.place,
                Some(&node),
                format!(
                    "A model is asked in place of the program {}, which would also read and change files and run commands.{}",
                    asked.runner,
                    match text(spec.data, "model") {
                        Some(model) => format!(" Its model `{model}` is not taken over: choose one."),
                        None => String::new(),
                    }
                ),
            );
        }
        if asked.session {
            self.builder.approximated(
                &spec.place,
                Some(&node),
                "Its session goes on from one iteration to the next. A session that another node began is not taken over: it begins a new one.",
            );
        }
        let entry = Entry::Declared(node.clone());
        self.fed(spec, &asked.inputs, &node, &entry);
        let mut made = Made {
            node: node.clone(),
            entry,
            ..Made::default()
        };
        let response = Out::of(Port::at(&node, "response"));
        for name in declared(spec).into_iter().map(|(name, _)| name) {
            let out = match name {
                "output" | "response" => Some(response.clone()),
                "structured" if asked.schema.is_some() => Some(Out::of(Port::of(&node))),
                name if asked.own.contains(&name) && asked.schema.is_some() => {
                    Some(Out::of(Port::at(&node, name)))
                }
                name if asked.own.contains(&name) => Some(response.clone()),
                _ => None,
            };
            made.outputs.insert(name.to_owned(), out);
        }
        made.outputs
            .entry("output".to_owned())
            .or_insert(Some(response.clone()));
        made.ends.push((spec.id.to_owned(), response));
        made
    }

    fn fed(&mut self, spec: &Spec<'v>, inputs: &Inputs<'v>, node: &str, entry: &Entry) {
        for (handle, out) in inputs.wired() {
            let into = match handle {
                "input" => Port::of(node),
                handle => Port::at(node, handle),
            };
            self.builder.wire(&out.port, &into);
        }
        self.after(spec, entry, inputs);
    }

    /// A coding agent with tools: the program itself, behind a Transform that writes its prompt.
    fn coding_agent(&mut self, spec: &Spec<'v>, asked: &Asked<'v>) -> Made {
        let wired = asked.handles();
        let words = self.builder.node(
            "transform",
            &format!("{} prompt", spec.id),
            json!({ "template": asked.prompt.template, "inputs": wired, "outputFormat": "text" }),
        );
        let entry = Entry::Declared(words.clone());
        self.fed(spec, &asked.inputs, &words, &entry);
        let mut data = json!({
            "runner": if asked.runner == "gemini-cli" { "gemini" } else { asked.runner },
            "session": if asked.session { "resume" } else { "fresh" }
        });
        let folder = ["cwd", "path"]
            .iter()
            .find_map(|field| text(spec.data, field));
        if let Some(folder) = folder.filter(|folder| !folder.contains("{{")) {
            data["cwd"] = json!(folder);
        }
        let node = self.builder.node("agent", spec.id, data);
        self.label(&node, spec);
        self.builder
            .wire(&Port::of(&words), &Port::at(&node, "prompt"));
        let left: Vec<&str> = TOOLS
            .iter()
            .chain(&["promptFiles", "model"])
            .copied()
            .filter(|field| !["cwd", "path"].contains(field) && spec.data.contains_key(*field))
            .collect();
        let mut says = format!(
            "The program {} itself, which is approved before the run with its folder and what it may do.",
            asked.runner
        );
        if !left.is_empty() {
            says.push_str(&format!(
                " `{}` of it are its own settings, and are not taken over.",
                left.join("`, `")
            ));
        }
        self.builder.approximated(&spec.place, Some(&node), says);
        let response = Out::of(Port::at(&node, "response"));
        let mut made = Made {
            node: node.clone(),
            entry,
            ends: vec![(spec.id.to_owned(), response.clone())],
            ..Made::default()
        };
        let answer = (asked.own.len() > 1).then(|| {
            let read = self.builder.node(
                "tool",
                &format!("{} answer", spec.id),
                json!({ "tool": "script.javascript", "args": { "source":
                    "const text = input.match(/\\{[^]*\\}/)?.[0] ?? input;\nconst value = JSON.parse(text);\nif (typeof value !== \"object\" || value === null) throw new Error(\"The answer is no JSON with the outputs of this node\");\nreturn value;" } }),
            );
            self.builder.wire(&Port::at(&node, "response"), &Port::at(&read, "input"));
            read
        });
        for name in declared(spec).into_iter().map(|(name, _)| name) {
            let out = match (name, &answer) {
                ("output" | "response", _) => Some(response.clone()),
                ("sessionId", _) => Some(Out::of(Port::at(&node, "sessionId"))),
                ("usage", _) => Some(Out::of(Port::at(&node, "usage"))),
                ("exitCode" | "structured", _) => None,
                (_, None) => Some(response.clone()),
                (name, Some(read)) => Some(Out {
                    port: Port::of(read),
                    field: Some(name.to_owned()),
                }),
            };
            made.outputs.insert(name.to_owned(), out);
        }
        made
    }
}

/// The schema of an agent's answer; `None` where one text is the answer.
fn schema(data: &Map<String, Value>, own: &[&str]) -> Option<Value> {
    let outputs = data.get("outputs").and_then(Value::as_array)?;
    let kind = |name: &str| {
        let ty = outputs
            .iter()
            .find(|output| output.get("name").and_then(Value::as_str) == Some(name))?;
        ty.get("type").and_then(Value::as_str)
    };
    if own.is_empty() || (own.len() == 1 && matches!(kind(own[0]), None | Some("string" | "any"))) {
        return None;
    }
    let properties: Map<String, Value> = own
        .iter()
        .map(|name| {
            let ty = match kind(name) {
                Some(ty @ ("string" | "number" | "boolean")) => json!({ "type": ty }),
                _ => json!({}),
            };
            ((*name).to_owned(), ty)
        })
        .collect();
    Some(json!({ "type": "object", "properties": properties, "required": own }))
}
