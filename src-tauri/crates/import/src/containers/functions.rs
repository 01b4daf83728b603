//! Function nodes: their JavaScript as it is, in a script that gives it its inputs and checks its outputs.

use serde_json::{Map, Value, json};

use loopwright_script::{Language, MAX_SOURCE, mistakes_in};

use super::{
    Entry, Made, Maker, Spec,
    inputs::{Given, Input, Inputs, Read},
    outputs::{Out, declared, fields},
    text,
};
use crate::{build::Port, javascript};

/// What a value becomes for an input that declares a type. Without one, and where it is null, it stays as it is.
const TYPES: [(&str, &str); 4] = [
    (
        "boolean",
        "(value) => (typeof value === \"string\" && /^(true|false)$/i.test(value) ? value.toLowerCase() === \"true\" : Boolean(value))",
    ),
    (
        "number",
        "(value) => (typeof value === \"string\" && !isNaN(parseFloat(value)) ? parseFloat(value) : value)",
    ),
    ("string", "(value) => String(value)"),
    (
        "object",
        "(value) => {\n    if (typeof value !== \"string\") return value;\n    try { return JSON.parse(value); } catch { return value; }\n}",
    ),
];

/// Refuses what the JSON between two nodes would change without a word.
const KEPT: &str = r#"const kept = (value, place) => {
    if (value === null || typeof value === "string" || typeof value === "boolean" || Number.isFinite(value)) return value;
    if (Array.isArray(value)) return Array.from(value, (item, index) => kept(item, place + "[" + index + "]"));
    if (typeof value === "object" && [Object.prototype, null].includes(Object.getPrototypeOf(value))) {
        const fields = Object.entries(value).filter(([, field]) => field !== undefined);
        return Object.fromEntries(fields.map(([name, field]) => [name, kept(field, place + "." + name)]));
    }
    throw new TypeError(place + " is " + (typeof value === "object" ? value.constructor.name : String(value)) + ", which JSON does not have. Return null, a text or a number");
};
"#;

/// How code asks for what only a run can know: the clock and chance.
#[derive(Clone, Copy)]
struct Asked {
    /// The input of a script.
    input: &'static str,
    is_asked: fn(&str) -> bool,
    says: &'static str,
}

const ASKED: [Asked; 2] = [
    Asked {
        input: "now",
        is_asked: javascript::reads_clock,
        says: "A run knows no clock: the time that its code reads is the run's input `now`, in the form 2026-01-31T12:00:00.000Z.",
    },
    Asked {
        input: "seed",
        is_asked: javascript::reads_chance,
        says: "A run has no chance: the numbers of `Math.random()` follow from the run's input `seed`, any text.",
    },
];

impl<'v> Maker<'v, '_> {
    pub(super) fn function(&mut self, spec: &Spec<'v>) -> Result<Made, String> {
        let Some(code) = text(spec.data, "code").filter(|code| !code.is_empty()) else {
            return Err(match text(spec.data, "file") {
                Some(file) => format!(
                    "its code is in the file {file}, which an import does not read. Write the function into a script"
                ),
                None => "it has no code, so that it fails there too".to_owned(),
            });
        };
        let inputs = self.inputs(spec, "in_", &|_| true)?;
        let source = script(spec, code, &inputs)?;
        let mut args = Map::new();
        args.insert("source".to_owned(), source.into());
        for (handle, _) in inputs.wired() {
            args.insert(handle.to_owned(), Value::Null);
        }
        let asked: Vec<Asked> = ASKED
            .into_iter()
            .filter(|asked| (asked.is_asked)(code))
            .collect();
        if self.depth > 0 && !asked.is_empty() {
            return Err("it reads the clock or chance, which a subflow does not have. Give it the value as an input".to_owned());
        }
        let node = self.builder.node(
            "tool",
            spec.id,
            json!({ "tool": "script.javascript", "args": args }),
        );
        self.label(&node, spec);
        for (handle, out) in inputs.wired() {
            self.builder.wire(&out.port, &Port::at(&node, handle));
        }
        self.after(spec, &Entry::Declared(node.clone()), &inputs);
        for Asked { input, says, .. } in asked {
            let from = self.run_input(input);
            if let Some(Value::Object(args)) = self
                .builder
                .data(&node)
                .and_then(|data| data.get_mut("args"))
            {
                args.insert(input.to_owned(), Value::Null);
            }
            self.builder.wire(&from, &Port::at(&node, input));
            self.builder.approximated(&spec.place, Some(&node), says);
        }
        self.builder.mapped(
            &spec.place,
            &node,
            "A function is a script in JavaScript, its code unchanged. Its inputs have the types that they declare.",
        );
        let port = Port::of(&node);
        let names: Vec<&str> = declared(spec).into_iter().map(|(name, _)| name).collect();
        let names = if names.is_empty() {
            vec!["output"]
        } else {
            names
        };
        Ok(Made {
            outputs: fields(&port, &names).into_iter().collect(),
            entry: Entry::Declared(node.clone()),
            ends: vec![(spec.id.to_owned(), Out::of(port))],
            node,
            ..Made::default()
        })
    }

    /// An input of the run that several nodes may read.
    fn run_input(&mut self, name: &str) -> Port {
        let key = ("run".to_owned(), name.to_owned());
        if let Some(port) = self.picked.get(&key) {
            return port.clone();
        }
        let node = self.builder.node(
            "input",
            name,
            json!({ "name": name, "dataType": "text", "required": true }),
        );
        self.picked.insert(key, Port::of(&node));
        Port::of(&node)
    }
}

/// The script of a function.
///
/// # Errors
/// What it uses that a script does not have.
fn script(spec: &Spec<'_>, code: &str, inputs: &Inputs<'_>) -> Result<String, String> {
    const INSTEAD: &str = "Write it as a script that gives an object with its outputs";
    javascript::names(code, &["inputs"]).map_err(|why| format!("its code {why}. {INSTEAD}"))?;
    if continues(spec) {
        return Err(format!(
            "`continueOnFailure` of a function has no counterpart. {INSTEAD}"
        ));
    }
    let mut script = String::new();
    let mut lines = Vec::new();
    let mut types: Vec<&str> = Vec::new();
    for name in inputs.names() {
        let value = match inputs.read(name) {
            Some(Read::One(input)) => value(input),
            Some(Read::List(items)) => {
                let items: Vec<String> = items.into_iter().map(value).collect();
                format!("[{}]", items.join(", "))
            }
            None => continue,
        };
        let kind = inputs.kind(name);
        let value = match TYPES.iter().any(|(known, _)| *known == kind) {
            true => {
                types.push(kind);
                format!("typed(types.{kind}, {value})")
            }
            false => value,
        };
        lines.push(format!("    {}: {value},\n", json!(name)));
    }
    if !types.is_empty() {
        script.push_str(
            "const typed = (as, value) => (value === null ? value : as(value));\nconst types = {\n",
        );
        for (kind, make) in TYPES.iter().filter(|(kind, _)| types.contains(kind)) {
            script.push_str(&format!("    {kind}: {make},\n"));
        }
        script.push_str("};\n");
    }
    script.push_str("const given = (result) => {\n    if (typeof result !== \"object\" || result === null) throw new TypeError(\"The function must return an object, and returned \" + typeof result);\n");
    let outputs = declared(spec);
    if outputs.is_empty() {
        script.push_str("    return { output: JSON.stringify(result, (_, value) => (value === undefined ? null : value)) };\n};\n");
    } else {
        let names: Vec<&str> = outputs.into_iter().map(|(name, _)| name).collect();
        script.push_str(&format!(
            "    return Object.fromEntries({}.map((name) => {{\n        if (!(name in result)) throw new TypeError(\"The function returned no output `\" + name + \"`\");\n        return [name, kept(result[name], \"The output `\" + name + \"`\")];\n    }}));\n}};\n{KEPT}",
            json!(names)
        ));
    }
    let called = format!(
        "(function (inputs) {{\n{code}\n}})({{\n{}}})",
        lines.concat()
    );
    script.push_str("// The function as it was written, and what it is given.\n");
    // What it returns may be a promise.
    script.push_str(
        &match ["Promise", "async"].iter().any(|word| code.contains(word)) {
            true => format!("return Promise.resolve({called}).then(given);"),
            false => format!("return given({called});"),
        },
    );
    if let Some(mistake) = mistakes_in(Language::JavaScript, &script)
        .first()
        .filter(|_| script.len() <= MAX_SOURCE)
    {
        return Err(format!(
            "its code is no body of a function here ({}). {INSTEAD}",
            mistake.message
        ));
    }
    match script.len() > MAX_SOURCE {
        true => Err(format!(
            "its code is longer than the {} KB that a script may have",
            MAX_SOURCE / 1024
        )),
        false => Ok(script),
    }
}

fn value(input: &Input<'_>) -> String {
    match &input.given {
        Given::Out(out) => format!("{}{}", input.handle, out.step()),
        Given::Value(value) => value.to_string(),
        Given::Nothing => "undefined".to_owned(),
    }
}

/// Whether the run is to go on where the node fails.
pub(super) fn continues(spec: &Spec<'_>) -> bool {
    spec.data.get("continueOnFailure").and_then(Value::as_bool) == Some(true)
}
