//! Python of `run:` blocks as scripts: the source unchanged as the body of a function, with what TEA has in its reach.

use loopwright_script::{Attribute, Language, Outline};
use serde_json::Value;

use crate::scripts::{python_outline, reads_in};

/// Bytes of one `run:` block.
const MAX_LENGTH: usize = 48 * 1024;
/// Brackets and signs in a block.
const MOST: usize = 20_000;

/// Fields of a parallel result, beside those of its state.
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

/// Where a block stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// A node of the graph: what it returns that is no dictionary becomes the field `result`.
    Node,
    /// A step of a row or of a loop's body: what it returns that is no dictionary is dropped.
    Step,
}

/// An upper bound of how deeply a source is nested.
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

/// Whether a text is Python at all.
pub(super) fn is_python(source: &str) -> bool {
    source.len() <= MAX_LENGTH && nesting(source) <= MOST && python_outline(source).is_ok()
}

/// The script of a block: it takes the state as `input` and gives the state with what changed.
///
/// # Errors
/// What keeps the block from running here, as the end of "its Python …".
pub(super) fn script(source: &str, place: Place, variables: &Value) -> Result<String, String> {
    if source.len() > MAX_LENGTH || nesting(source) > MOST {
        return Err("is too long".to_owned());
    }
    let outline = python_outline(source).map_err(|mistake| {
        format!(
            "cannot be read: in its line {}, {}",
            mistake.line, mistake.message
        )
    })?;
    if writes_variables(&outline) {
        return Err(
            "changes `variables`, which every node of the agent shares there and no two nodes share here"
                .to_owned(),
        );
    }
    let reads = |name: &str| outline.loaded.iter().any(|read| read == name);
    let mut before = String::new();
    let mut after = String::new();
    if reads("json") || reads("variables") {
        before.push_str("import json\n");
    }
    // As there: the module is in reach where the word stands anywhere in the text.
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
    // As there: a block in which the word `return` stands anywhere is the body of a function; of any other, the names that it
    // assigns are what changed.
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
        format!("cannot run here: in its line {line}, {message}")
    })?;
    if let Some(name) = reads.names.iter().find(|name| name.root != "input") {
        return Err(format!(
            "reads `{}`, which a script here does not have",
            name.root
        ));
    }
    Ok(script)
}

/// The results of parallel branches as the runtime gives them. Code that looks at their attributes gets objects; any other reads
/// them by keys, which may be those of a branch's state.
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

/// Gives the state what it had in place of the results.
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

/// Whether a block looks at an attribute that a parallel result has.
fn reads_fields(outline: &Outline) -> bool {
    let mut attributes = outline.attributes.iter();
    attributes.any(|attribute| {
        !is_of_variables(attribute) && RESULT_FIELDS.contains(&attribute.name.as_str())
    })
}

/// Methods of a dictionary that change nothing.
const READING: [&str; 5] = ["get", "keys", "values", "items", "copy"];

/// Whether a block may change the variables of its agent.
fn writes_variables(outline: &Outline) -> bool {
    let mut attributes = outline.attributes.iter();
    outline.items_set.iter().any(|name| name == "variables")
        || attributes.any(|attribute| {
            is_of_variables(attribute) && !READING.contains(&attribute.name.as_str())
        })
}
