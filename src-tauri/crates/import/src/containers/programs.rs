//! Nodes that run something: shell scripts that can be translated, and coding agents with their tools.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::{Made, Maker, Spec, names, nodes::Asked, posix};
use crate::{
    build::{Port, identifier},
    helpers,
    tea::lua_text,
};

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
pub(super) fn has_tools(spec: &Spec<'_>) -> bool {
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

/// The name of an input in a script.
pub(super) fn global(input: &str) -> String {
    format!("in_{}", identifier(input))
}

impl<'v> Maker<'v, '_> {
    /// A shell script in Luau; one that reaches out of itself is kept.
    pub(super) fn program(&mut self, spec: &Spec<'v>) -> Made {
        const INSTEAD: &str = "and a flow runs no shell. Put a tool, a script or a template in its place, which gives an object with its outputs as fields";
        let translated = match posix::translate(spec.data) {
            Ok(translated) => translated,
            Err(why) => return self.kept(spec, &format!("its script {why}, {INSTEAD}")),
        };
        let own = names(spec.data, "inputs");
        let mut args = Map::new();
        for name in own.iter().filter(|name| **name != "input") {
            args.insert(global(name), Value::Null);
        }
        let mut source = String::new();
        let mut unknown = Vec::new();
        for (index, template) in translated.templates.iter().enumerate() {
            let number = index + 1;
            match self.given(spec, &own, template) {
                Some(read) => source.push_str(&format!("local t{number} = {read}\n")),
                None => match self.read(spec, &own, template) {
                    // What is null is the word there, and nothing in a template.
                    Some(read) => {
                        let read = read.replace("default(value=\"\")", "default(value=null)");
                        args.insert(format!("t{number}"), json!(format!("{{{{ {read} }}}}")));
                    }
                    None => {
                        unknown.push(template.clone());
                        source.push_str(&format!("local t{number} = \"\"\n"));
                    }
                },
            }
        }
        source.push_str(&translated.source);
        if !helpers::can_run(&source) {
            return self.kept(
                spec,
                &format!("its script makes one that cannot be run here, {INSTEAD}"),
            );
        }
        args.insert("source".to_owned(), source.into());
        let name = self.name(spec);
        let node = self
            .builder
            .node("tool", &name, json!({ "tool": "script.lua", "args": args }));
        self.label(&node, spec);
        self.builder.approximated(
            &spec.place,
            Some(&node),
            "its shell script is a script in Luau, which gives an object with its outputs as fields. What templates put into it is text, and never a part of the script",
        );
        if translated.sleeps {
            self.builder.approximated(
                &spec.place,
                Some(&node),
                "it does not sleep; what it gives is the same",
            );
        }
        self.unknown(spec, &node, unknown);
        let mut inputs = BTreeMap::from([(String::new(), Port::at(&node, "input"))]);
        for name in own {
            let port = if name == "input" {
                Port::at(&node, "input")
            } else {
                Port::named(&node, global(name))
            };
            inputs.insert(name.to_owned(), port);
        }
        Made {
            inputs,
            fields: true,
            declares: true,
            main: Some("output"),
            node,
            ..Made::default()
        }
    }

    /// How a script reads what is wired to its own inputs: `inputs.x`, `x`, `input`.
    fn given(&self, spec: &Spec<'_>, own: &[&str], template: &str) -> Option<String> {
        let path: Vec<&str> = template.split('.').map(str::trim).collect();
        let (name, rest) = match path.as_slice() {
            ["inputs", name, rest @ ..] => (*name, rest),
            [name, rest @ ..] if own.contains(name) || *name == "input" => (*name, rest),
            _ => return None,
        };
        let wired = self.container.wires.iter().any(|wire| {
            wire.target == spec.id
                && (wire.into == name || (name == "input" && wire.into.is_empty()))
        });
        if !own.contains(&name) && !(name == "input" && wired) {
            return None;
        }
        let mut read = match (name, wired) {
            ("input", false) => "null".to_owned(),
            ("input", true) => "input".to_owned(),
            (name, _) => global(name),
        };
        for step in rest {
            let step = lua_text(step);
            read = format!("(if type({read}) == \"table\" then {read}[{step}] else null)");
        }
        Some(read)
    }

    /// A coding agent with tools: the program itself, behind a Transform that writes its prompt.
    pub(super) fn coding_agent(&mut self, spec: &Spec<'v>, runner: &str, prompt: &str) -> Made {
        let Asked {
            template,
            unknown,
            inputs,
            own,
        } = self.asked(spec, prompt);
        let name = self.name(spec);
        let handles: Vec<String> = inputs.iter().map(|name| identifier(name)).collect();
        let template = if self.is_wired(spec, "prompt") {
            "{{ input }}".to_owned()
        } else {
            template
        };
        let asked = self.builder.node(
            "transform",
            &format!("{name} prompt"),
            json!({ "template": template, "inputs": handles, "outputFormat": "text" }),
        );
        let mut data = json!({
            "runner": if runner == "gemini-cli" { "gemini" } else { runner },
            "session": if self.is_wired(spec, "sessionId") { "resume" } else { "fresh" }
        });
        let folder = ["cwd", "path"]
            .iter()
            .find_map(|field| spec.data.get(*field)?.as_str());
        if let Some(folder) = folder.filter(|folder| !folder.contains("{{")) {
            data["cwd"] = json!(folder);
        }
        let node = self.builder.node("agent", &name, data);
        self.label(&node, spec);
        self.builder
            .wire(&Port::of(&asked), &Port::at(&node, "prompt"));
        let left: Vec<&str> = TOOLS
            .iter()
            .chain(&["promptFiles", "model"])
            .copied()
            .filter(|field| !["cwd", "path"].contains(field) && spec.data.contains_key(*field))
            .collect();
        let mut says = format!(
            "the program {runner} itself, which is approved before the run with its folder and what it may do"
        );
        if !left.is_empty() {
            says.push_str(&format!(
                "; `{}` of it are its own settings, and are not taken over",
                left.join("`, `")
            ));
        }
        self.builder.approximated(&spec.place, Some(&node), says);
        self.unknown(spec, &node, unknown);
        let mut made = Made {
            outputs: BTreeMap::from([
                (String::new(), Port::at(&node, "response")),
                ("output".to_owned(), Port::at(&node, "response")),
                ("response".to_owned(), Port::at(&node, "response")),
                ("sessionId".to_owned(), Port::at(&node, "sessionId")),
                ("usage".to_owned(), Port::at(&node, "usage")),
            ]),
            inputs: BTreeMap::from([
                (String::new(), Port::of(&asked)),
                ("prompt".to_owned(), Port::of(&asked)),
            ]),
            declares: true,
            node: node.clone(),
            ..Made::default()
        };
        for name in inputs {
            made.inputs
                .insert(name.to_owned(), Port::named(&asked, identifier(name)));
        }
        match own.as_slice() {
            [] => {}
            [only] => {
                made.outputs
                    .insert((*only).to_owned(), Port::at(&node, "response"));
            }
            several => {
                let read = self.builder.node(
                    "tool",
                    &format!("{name} answer"),
                    json!({ "tool": "script.lua", "args": { "source":
                        "local text = string.match(input, \"%b{}\") or input\nlocal fine, value = pcall(json.decode, text)\nif not fine or type(value) ~= \"table\" then error(\"the answer is no JSON with the outputs of this node\", 0) end\nreturn value" } }),
                );
                self.builder
                    .wire(&Port::at(&node, "response"), &Port::at(&read, "input"));
                for field in several {
                    let key = json!(field).to_string();
                    let pick = self.builder.node(
                        "transform",
                        &format!("{name} {field}"),
                        json!({ "template": format!("{{{{ input[{key}] | default(value=null) }}}}") }),
                    );
                    self.builder.wire(&Port::of(&read), &Port::of(&pick));
                    made.outputs.insert((*field).to_owned(), Port::of(&pick));
                }
            }
        }
        made
    }
}
