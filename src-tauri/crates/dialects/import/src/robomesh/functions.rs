//! Translates function nodes. Their JavaScript runs unchanged in a script that provides the inputs and checks the outputs.

use serde_json::json;

use loopwright_script::{Language, MAX_SOURCE};

use super::{
    Inputs, Made, Maker, Out, Port, Spec, Trouble, output_names, outputs::fields, script_tool, text,
};
use crate::{javascript, scripts::mistakes_in};

/// The JavaScript that converts a value to each declared input type. Null values, and values without a type, are unchanged.
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

/// JavaScript that rejects values which the conversion to JSON between two nodes would change silently.
const KEPT: &str = r#"const kept = (value, place) => {
    if (value === null || typeof value === "string" || typeof value === "boolean" || Number.isFinite(value)) return value;
    if (Array.isArray(value)) return Array.from(value, (item, index) => kept(item, place + "[" + index + "]"));
    if (typeof value === "object" && [Object.prototype, null].includes(Object.getPrototypeOf(value))) {
        const fields = Object.entries(value).filter(([, field]) => field !== undefined);
        return Object.fromEntries(fields.map(([name, field]) => [name, kept(field, place + "." + name)]));
    }
    throw new TypeError(place + " is " + (typeof value === "object" ? value.constructor.name : String(value)) + ", which JSON does not have. Return null, a string or a number");
};
"#;

/// The start of the function that converts the code's result to outputs.
const GIVEN: &str = r#"const given = (result) => {
    if (typeof result !== "object" || result === null) throw new TypeError("The function must return an object, and returned " + typeof result);
"#;

/// A value that code may use but only a run knows: the time, or random numbers.
struct Asked {
    /// The input of the script that replaces the clock or randomness.
    input: &'static str,
    is_asked: fn(&str) -> bool,
    says: &'static str,
}

const ASKED: [Asked; 2] = [
    Asked {
        input: "now",
        is_asked: javascript::reads_clock,
        says: "A run has no clock. The code reads the time from the run's input `now`, in the form 2026-01-31T12:00:00.000Z.",
    },
    Asked {
        input: "seed",
        is_asked: javascript::reads_chance,
        says: "A run has no random numbers. `Math.random()` computes its results from the run's input `seed`, which can be any text.",
    },
];

impl<'v> Maker<'v, '_> {
    pub(super) fn function(&mut self, spec: &Spec<'v>) -> Result<Made, Trouble> {
        let Some(code) = text(spec.data, "code").filter(|code| !code.is_empty()) else {
            return Err(Trouble::Kept(match text(spec.data, "file") {
                Some(file) => format!(
                    "its code is in the file {file}, which an import does not read. Write the function into a script"
                ),
                None => "it has no code, so it fails in the source too".to_owned(),
            }));
        };
        let inputs = self.inputs(spec, "in_", &|_| true)?;
        let source = script(spec, code, &inputs)?;
        let asked = || ASKED.iter().filter(|asked| (asked.is_asked)(code));
        if self.depth > 0 && asked().next().is_some() {
            let why = "it reads the clock or random numbers, which a subflow does not have. Pass the value as an input";
            return Err(Trouble::Kept(why.to_owned()));
        }
        let node = self.own_node("tool", spec, script_tool(json!({ "source": source })));
        self.take_inputs(spec, &node, &inputs);
        for Asked { input, says, .. } in asked() {
            let from = self.once("run", input, |maker| {
                let data = json!({ "name": input, "dataType": "text", "required": true });
                Port::of(&maker.builder.node("input", input, data))
            });
            self.declare(&node, input);
            self.builder.wire(&from, &Port::at(&node, *input));
            self.builder.approximated(&spec.place, Some(&node), *says);
        }
        let says = "A function becomes a JavaScript script, with its code unchanged. Its inputs have their declared types.";
        self.builder.mapped(&spec.place, &node, says);
        let port = Port::of(&node);
        Ok(Made {
            outputs: fields(spec, &port),
            ..Made::new(spec, node, Out::of(port))
        })
    }
}

/// Returns the script of a function.
///
/// # Errors
/// Returns an error if the function cannot run as a script. The error is the reason.
fn script(spec: &Spec<'_>, code: &str, inputs: &Inputs<'_>) -> Result<String, String> {
    const INSTEAD: &str = "Write it as a script that returns an object with its outputs";
    javascript::names(code, &["inputs"]).map_err(|why| format!("its code {why}. {INSTEAD}"))?;
    if spec.continues() {
        let why = "`continueOnFailure` of a function has no counterpart";
        return Err(format!("{why}. {INSTEAD}"));
    }
    let mut lines = String::new();
    let mut types: Vec<&str> = Vec::new();
    for name in inputs.names() {
        let Some(read) = inputs.read(name) else {
            continue;
        };
        let mut value = read.written("", "undefined");
        let mut own = inputs.own.iter();
        let input = own.find(|input| input.name == name);
        let kind = input.map_or("any", |input| input.kind);
        if TYPES.iter().any(|(known, _)| *known == kind) {
            types.push(kind);
            value = format!("typed(types.{kind}, {value})");
        }
        lines.push_str(&format!("    {}: {value},\n", json!(name)));
    }
    let mut script = String::new();
    if !types.is_empty() {
        script +=
            "const typed = (as, value) => (value === null ? value : as(value));\nconst types = {\n";
        for (kind, make) in TYPES.iter().filter(|(kind, _)| types.contains(kind)) {
            script.push_str(&format!("    {kind}: {make},\n"));
        }
        script += "};\n";
    }
    script += GIVEN;
    let outputs = output_names(spec);
    if outputs.is_empty() {
        script += "    return { output: JSON.stringify(result, (_, value) => (value === undefined ? null : value)) };\n};\n";
    } else {
        script.push_str(&format!(
            "    return Object.fromEntries({}.map((name) => {{\n        if (!(name in result)) throw new TypeError(\"The function returned no output `\" + name + \"`\");\n        return [name, kept(result[name], \"The output `\" + name + \"`\")];\n    }}));\n}};\n{KEPT}",
            json!(outputs)
        ));
    }
    script += "// The unchanged function and its inputs.\n";
    let called = format!("(function (inputs) {{\n{code}\n}})({{\n{lines}}})");
    // The code may return a promise.
    script += &match ["Promise", "async"].iter().any(|word| code.contains(word)) {
        true => format!("return Promise.resolve({called}).then(given);"),
        false => format!("return given({called});"),
    };
    if script.len() > MAX_SOURCE {
        return Err(format!(
            "its code is longer than {} KB, the limit for a script. Shorten it",
            MAX_SOURCE / 1024
        ));
    }
    match mistakes_in(Language::JavaScript, &script).first() {
        None => Ok(script),
        Some(mistake) => Err(format!(
            "its code is not a valid function body ({}). {INSTEAD}",
            mistake.message
        )),
    }
}
