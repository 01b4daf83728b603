//! Translates the Python of `run:` blocks to scripts: the source is the unchanged body of a function, with the names that TEA
//! provides.

use loopwright_script::{Attribute, Language, Outline};
use serde_json::Value;

use crate::scripts::{python_outline, reads_in};

/// The maximum length of a `run:` block in bytes.
const MAX_LENGTH: usize = 48 * 1024;
/// The maximum number of brackets and operators in a block.
const MOST: usize = 20_000;

/// The fields of a parallel result, in addition to those of its state.
const RESULT_FIELDS: [&str; 12] = [
    "branch",
    "success",
    "state",
    "error",
    "error_type",
    "traceback",
    "timeout",
    "timing_ms",
    "retry_count",
    "circuit_state",
    "attempt_errors",
    "exit_code",
];

/// The place of a block in the agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// A node of the graph. A result that is not a dictionary becomes the field `result`.
    Node,
    /// A step in a sequence or in a loop's body. A result that is not a dictionary is dropped.
    Step,
}

/// Returns an upper bound for the nesting depth of a source.
fn nesting(source: &str) -> usize {
    source
        .bytes()
        .filter(|byte| b"([{-+~.!*".contains(byte))
        .count()
        + source
            .split(|c: char| !c.is_alphanumeric())
            .filter(|word| ["not", "lambda", "if", "await", "else"].contains(word))
            .count()
}

/// Returns whether text is valid Python within the limits on length and nesting.
pub(super) fn is_python(source: &str) -> bool {
    source.len() <= MAX_LENGTH && nesting(source) <= MOST && python_outline(source).is_ok()
}

/// Returns the script of a block. It takes the state as `input` and returns the changed state.
///
/// # Errors
/// Returns an error if the block cannot run here. The error is the end of a sentence that begins with "its Python".
pub(super) fn script(source: &str, place: Place, variables: &Value) -> Result<String, String> {
    if source.len() > MAX_LENGTH || nesting(source) > MOST {
        return Err("is too long or nested too deeply".to_owned());
    }
    let outline = python_outline(source)
        .map_err(|mistake| format!("is invalid: in line {}, {}", mistake.line, mistake.message))?;
    if writes_variables(&outline) {
        return Err(
            "changes `variables`, which the nodes of an agent share in TEA but not in a flow"
                .to_owned(),
        );
    }
    let reads = |name: &str| outline.loaded.iter().any(|read| read == name);
    let mut before = String::new();
    let mut after = String::new();
    if reads("json") || reads("variables") {
        before.push_str("import json\n");
    }
    // As in TEA, the module is available if the word appears anywhere in the text.
    if source.contains("datetime") && reads("datetime") {
        before.push_str("import datetime\n");
    }
    before.push_str("state = input\n");
    if reads("variables") {
        let text = Value::String(variables.to_string());
        before.push_str(&format!(
            "variables = json.loads({text})\n_variables = json.dumps(variables)\n"
        ));
        after.push_str(
            "if json.dumps(variables) != _variables:\n    raise RuntimeError(\"the step changed `variables`, and in a flow no other step would see it\")\n",
        );
    }
    let has_results = source.contains("parallel_results");
    if has_results {
        before.push_str(&results(reads_fields(&outline)));
    }
    // As in TEA, a block that contains the word `return` anywhere is the body of a function. In any other block, the assigned
    // names are the changes.
    let returns = source.contains("return");
    let first;
    if returns {
        before.push_str("def step():\n");
        first = before.lines().count();
        for line in source.trim_end_matches(['\n', ' ']).split('\n') {
            before.push_str("    ");
            before.push_str(line);
            before.push('\n');
        }
        before.push_str("changed = step()\n");
    } else {
        first = before.lines().count();
        before.push_str(source.trim_end());
        before.push('\n');
        after.push_str("changed = {}\n");
        let assigned = outline.assigned.iter();
        for name in assigned.filter(|name| !name.starts_with('_')) {
            after.push_str(&format!(
                "try:\n    changed[\"{name}\"] = {name}\nexcept NameError:\n    pass\n"
            ));
        }
    }
    after.push_str(match place {
        Place::Node => {
            "state.update(changed if isinstance(changed, dict) else {\"result\": changed})\n"
        }
        Place::Step => "if isinstance(changed, dict):\n    state.update(changed)\n",
    });
    after.push_str(if has_results {
        "return plain(state)\n"
    } else {
        "return state\n"
    });
    let script = format!("{before}{after}");
    let reads = reads_in(Language::Python, &script).map_err(|mistake| {
        let line = mistake.line.saturating_sub(first).max(1);
        let message = mistake.message.trim_end_matches('.');
        format!("cannot run here: in line {line}, {message}")
    })?;
    if let Some(name) = reads.names.iter().find(|name| name.root != "input") {
        return Err(format!(
            "reads `{}`, which a script here does not have",
            name.root
        ));
    }
    Ok(script)
}

/// Returns Python that builds the results of parallel branches as TEA's runtime does. If `with_fields` is true, the code reads
/// attributes of the results, so they are objects. Otherwise it reads them by key, including the keys of a branch's state.
fn results(with_fields: bool) -> String {
    let made = if with_fields {
        let fields = RESULT_FIELDS
            .map(|field| format!("        self.{field} = fields[\"{field}\"]\n"))
            .concat();
        format!(
            "class Result:\n    def __init__(self, fields):\n        self.fields = fields\n{fields}{METHODS}"
        )
    } else {
        String::new()
    };
    let each = if with_fields {
        "Result(record)"
    } else {
        "{**(record[\"state\"] or {}), **record}"
    };
    format!(
        "{made}records = state.get(\"parallel_results\") or []\nparallel_results = [{each} for record in records]\n{PLAIN}"
    )
}

const METHODS: &str = "    def get(self, key, default=None):
        return {**(self.state or {}), **self.fields}.get(key, default)
    def to_dict(self):
        return self.fields
";

/// Python that replaces the results with the original records in the state.
const PLAIN: &str = "\
def plain(value):
    for result, record in zip(parallel_results, records):
        if value is result:
            return record
    if isinstance(value, dict):
        return {key: plain(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(inner) for inner in value]
    return value
if records:
    state[\"parallel_results\"] = parallel_results
";

fn is_of_variables(attribute: &Attribute) -> bool {
    attribute.of.as_deref() == Some("variables")
}

/// Returns whether a block reads an attribute of a parallel result.
fn reads_fields(outline: &Outline) -> bool {
    let mut attributes = outline.attributes.iter();
    attributes.any(|attribute| {
        !is_of_variables(attribute) && RESULT_FIELDS.contains(&attribute.name.as_str())
    })
}

/// The methods of a dictionary that change nothing.
const READING: [&str; 5] = ["get", "keys", "values", "items", "copy"];

/// Returns whether a block may change the agent's variables.
fn writes_variables(outline: &Outline) -> bool {
    let mut attributes = outline.attributes.iter();
    outline.items_set.iter().any(|name| name == "variables")
        || attributes.any(|attribute| {
            is_of_variables(attribute) && !READING.contains(&attribute.name.as_str())
        })
}
