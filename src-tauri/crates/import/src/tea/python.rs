//! Python of `run:` blocks as scripts: the source unchanged as the body of a function, with what TEA has in its reach.

use ruff_python_ast::{
    Expr, ExprContext, Stmt,
    visitor::{self, Visitor},
};
use ruff_python_parser::parse_module;
use serde_json::Value;

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
    source.len() <= MAX_LENGTH && nesting(source) <= MOST && parse_module(source).is_ok()
}

/// The script of a block: it takes the state as `input` and gives the state with what changed.
///
/// # Errors
/// What keeps the block from running here, as the end of "its Python …".
pub(super) fn script(source: &str, place: Place, variables: &Value) -> Result<String, String> {
    if source.len() > MAX_LENGTH || nesting(source) > MOST {
        return Err("is too long".to_owned());
    }
    let found = Found::of(source)?;
    if let Some(why) = found.writes_variables {
        return Err(why);
    }
    let reads = |name: &str| found.names.iter().any(|read| read == name);
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
        before.push_str(&results(found.fields_of_results));
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
        for name in &found.assigned {
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
    let language = loopwright_script::Language::Python;
    let reads = loopwright_script::reads_in(language, &script).map_err(|mistake| {
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

/// What a block reads and assigns, as far as it decides how it is run.
#[derive(Default)]
struct Found {
    /// Names that are read somewhere.
    names: Vec<String>,
    /// Names that the block itself assigns, outside of its functions and classes.
    assigned: Vec<String>,
    /// It looks at an attribute that a parallel result has.
    fields_of_results: bool,
    writes_variables: Option<String>,
    /// Functions and classes around what is looked at.
    depth: usize,
}

impl Found {
    /// # Errors
    /// When the block is no Python.
    fn of(source: &str) -> Result<Self, String> {
        // `return` outside of a function is a mistake of the compiler's, not of the parser's.
        let module = parse_module(source).map_err(|error| {
            let line = source
                .get(..error.location.start().to_usize())
                .map_or(1, |before| before.matches('\n').count() + 1);
            format!("cannot be read: in its line {line}, {}", error.error)
        })?;
        let mut found = Self::default();
        found.visit_body(module.suite());
        Ok(found)
    }

    fn no_variables(&mut self) {
        self.writes_variables.get_or_insert_with(|| {
            "changes `variables`, which every node of the agent shares there and no two nodes share here".to_owned()
        });
    }
}

fn is_variables(expr: &Expr) -> bool {
    matches!(expr, Expr::Name(name) if name.id.as_str() == "variables")
}

/// Methods of a dictionary that change nothing.
const READING: [&str; 5] = ["get", "keys", "values", "items", "copy"];

impl Visitor<'_> for Found {
    fn visit_stmt(&mut self, stmt: &Stmt) {
        let inner = matches!(stmt, Stmt::FunctionDef(_) | Stmt::ClassDef(_));
        self.depth += usize::from(inner);
        visitor::walk_stmt(self, stmt);
        self.depth -= usize::from(inner);
    }

    fn visit_expr(&mut self, expr: &Expr) {
        match expr {
            Expr::Name(name) => {
                let id = name.id.as_str();
                if name.ctx == ExprContext::Load {
                    if !self.names.iter().any(|known| known == id) {
                        self.names.push(id.to_owned());
                    }
                } else if self.depth == 0
                    && !id.starts_with('_')
                    && !self.assigned.iter().any(|known| known == id)
                {
                    self.assigned.push(id.to_owned());
                }
            }
            Expr::Subscript(subscript) if is_variables(&subscript.value) => {
                if subscript.ctx != ExprContext::Load {
                    self.no_variables();
                }
                self.names.push("variables".to_owned());
                self.visit_expr(&subscript.slice);
            }
            Expr::Attribute(attribute) if is_variables(&attribute.value) => {
                if !READING.contains(&attribute.attr.as_str()) {
                    self.no_variables();
                }
                self.names.push("variables".to_owned());
            }
            Expr::Attribute(attribute) => {
                self.fields_of_results |= RESULT_FIELDS.contains(&attribute.attr.as_str());
                visitor::walk_expr(self, expr);
            }
            // Names of a comprehension are its own.
            Expr::ListComp(_)
            | Expr::SetComp(_)
            | Expr::DictComp(_)
            | Expr::Generator(_)
            | Expr::Lambda(_) => {
                self.depth += 1;
                visitor::walk_expr(self, expr);
                self.depth -= 1;
            }
            _ => visitor::walk_expr(self, expr),
        }
    }
}
