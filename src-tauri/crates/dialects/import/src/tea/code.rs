//! Translates the code of `run:` blocks to scripts.

use loopwright_jinja as jinja;
use loopwright_script::Language;
use serde_json::{Map, Value, json};

use super::{
    python,
    steps::{Steps, script},
};
use crate::{build::Port, scripts::reads_in};

impl Steps<'_, '_> {
    /// Translates a `run:` block in Python or Lua to a script, without changes to the code.
    pub(super) fn run(
        &mut self,
        name: &str,
        config: &Map<String, Value>,
        run: &Value,
        place: &str,
        from: &[Port],
    ) -> Vec<Port> {
        let field = |object: &Value, name: &str| {
            object.get(name).and_then(Value::as_str).map(str::to_owned)
        };
        let (source, language) = match run {
            Value::String(source) => {
                let language = config.get("language").and_then(Value::as_str);
                (source.clone(), language.map(str::to_owned))
            }
            Value::Object(_) if field(run, "type").as_deref() == Some("expression") => {
                let value = field(run, "value").unwrap_or_default();
                let key = field(run, "output_key").unwrap_or_else(|| "result".to_owned());
                let source = format!("return {{{}: ({value})}}", Value::String(key));
                (source, Some("python".to_owned()))
            }
            Value::Object(_) => (field(run, "code").unwrap_or_default(), field(run, "type")),
            _ => {
                let why = "its `run` is neither text nor an object";
                return self.keep(name, config, place, from, why);
            }
        };
        let source = self.expanded(&source);
        let place = format!("{place}.run");
        let made = match language.as_deref() {
            Some("lua") => self.lua(name, &source, &place, from),
            // TEA renders templates wherever their delimiters appear, even inside a string of the code.
            _ if source.contains("{{") || source.contains("{%") => {
                Err("a template generates its code during the run".to_owned())
            }
            Some("python") => self.python(name, &source, &place, from),
            Some(other) => Err(format!("its code is in {other}, which cannot run here")),
            None if is_lua(&source) => self.lua(name, &source, &place, from),
            None => self.python(name, &source, &place, from),
        };
        match made {
            Ok(id) => vec![Port::of(&id)],
            Err(why) => self.keep(name, config, &place, from, &why),
        }
    }

    fn lua(
        &mut self,
        name: &str,
        source: &str,
        place: &str,
        from: &[Port],
    ) -> Result<String, String> {
        let source = lua(source)?;
        let args = json!({ "source": source });
        let data = json!({ "tool": "script.lua", "args": args });
        let id = self.build.node("tool", name, data);
        self.build.wire_all(from, &Port::at(&id, "input"));
        self.build.mapped(
            place,
            &id,
            "The Lua code runs unchanged in a sandbox. Its result is merged into the state.",
        );
        Ok(id)
    }

    fn python(
        &mut self,
        name: &str,
        source: &str,
        place: &str,
        from: &[Port],
    ) -> Result<String, String> {
        let empty = json!({});
        let variables = self.agent.constants.get("variables").unwrap_or(&empty);
        let stands = if self.within {
            python::Place::Step
        } else {
            python::Place::Node
        };
        let source =
            python::script(source, stands, variables).map_err(|why| format!("its Python {why}"))?;
        let id = script(self.build, name, &source, None, from);
        self.build.mapped(
            place,
            &id,
            "The Python code runs unchanged in a sandbox. Its result is merged into the state.",
        );
        Ok(id)
    }

    /// Replaces each `${name}` with the value of the agent's variable. An unknown name is unchanged.
    fn expanded(&self, text: &str) -> String {
        jinja::with_variables(text, |name| {
            let value = self.agent.constants.get("variables")?.get(name)?;
            Some(match value {
                Value::String(text) => text.clone(),
                other => jinja::literal(other),
            })
        })
    }
}

/// Returns a script for TEA's Lua. As in TEA, a null in the state is absent in Lua, and so is an undeclared name.
fn lua(source: &str) -> Result<String, String> {
    let script = format!(
        "local state = object({})\nfor name, value in pairs(input) do\n    if value ~= null then state[name] = value end\nend\nlocal function step()\n{}\nend\nlocal changed = step()\nif type(changed) == \"table\" then\n    for name, value in pairs(changed) do input[name] = value end\nelseif changed ~= nil and changed ~= null then\n    error(\"the step returned no table\", 0)\nend\nreturn input\n",
        "{}",
        source.trim_end()
    );
    let reads = reads_in(Language::Luau, &script)
        .map_err(|mistake| format!("its Lua code cannot run here: {}", mistake.message))?;
    let mut unknown: Vec<&str> = reads.names.iter().map(|name| name.root.as_str()).collect();
    unknown.retain(|root| *root != "input");
    unknown.sort_unstable();
    unknown.dedup();
    Ok(if unknown.is_empty() {
        script
    } else {
        format!("local {}\n{script}", unknown.join(", "))
    })
}

/// Returns whether code is Lua, judged by its content, because the block names no language.
fn is_lua(source: &str) -> bool {
    let first = source.trim_start();
    if first.starts_with("-- lua") || first.starts_with("--lua") {
        return true;
    }
    !python::is_python(source) && lua(source).is_ok()
}
