//! promptfoo test cases: `vars` and `assert`, and the columns of its CSV files, which start with `__`.
//!
//! Source: <https://www.promptfoo.dev/docs/configuration/test-cases>. The value of an `equals` assertion becomes the expected
//! result. Other assertions become notes.

use serde_json::{Map, Value};

use super::{
    notes::{Fact, Notes},
    shaped_row::ShapedRow,
};

/// The maximum number of cases that the lists in one test's `vars` may expand to.
const MAX_COMBINATIONS: usize = 10_000;

/// The assertion types that a cell may start with, in addition to `fn:`, `eval:`, `grade:` and `file:`. Any other cell
/// is the expected text.
const ASSERTIONS: &[&str] = &[
    "answer-relevance",
    "bleu",
    "classifier",
    "contains",
    "contains-all",
    "contains-any",
    "contains-html",
    "contains-json",
    "contains-sql",
    "contains-xml",
    "context-faithfulness",
    "context-recall",
    "context-relevance",
    "conversation-relevance",
    "cost",
    "equals",
    "factuality",
    "finish-reason",
    "g-eval",
    "gleu",
    "guardrails",
    "icontains",
    "icontains-all",
    "icontains-any",
    "is-html",
    "is-json",
    "is-refusal",
    "is-sql",
    "is-valid-function-call",
    "is-valid-openai-function-call",
    "is-valid-openai-tools-call",
    "is-xml",
    "javascript",
    "latency",
    "levenshtein",
    "llm-rubric",
    "meteor",
    "model-graded-closedqa",
    "model-graded-factuality",
    "moderation",
    "perplexity",
    "perplexity-score",
    "pi",
    "python",
    "regex",
    "rouge-n",
    "ruby",
    "similar",
    "starts-with",
    "webhook",
    "word-count",
];

/// Returns the cases of a test: one case, or one for each combination of the items of the lists in its `vars`.
///
/// The row of a case has the test's variables, and its other fields unless a variable has the same name.
pub(crate) fn test(mut row: Map<String, Value>, line: u32, notes: &mut Notes) -> Vec<ShapedRow> {
    let Some(Value::Object(vars)) = row.shift_remove("vars") else {
        return vec![ShapedRow::plain(row)];
    };
    for name in [
        "options",
        "provider",
        "providers",
        "threshold",
        "assertScoringFunction",
    ] {
        if row.get(name).is_some_and(|value| !value.is_null()) {
            notes.add(Fact::Ignored(name.to_owned()), line);
        }
    }
    let expands = row
        .get("options")
        .and_then(|options| options.get("disableVarExpansion"))
        != Some(&Value::Bool(true));
    let mut equals = Vec::new();
    if let Some(Value::Array(assertions)) = row.get("assert") {
        collect(assertions, &mut equals, line, notes);
    }
    let expected = first_expected(equals, line, notes);
    if vars.values().any(is_file) {
        notes.add(Fact::FileReference, line);
    }
    let combinations = if expands { combine(&vars) } else { vec![vars] };
    if combinations.len() > 1 {
        notes.add(Fact::Combinations, line);
    }
    combinations
        .into_iter()
        .map(|mut vars| {
            for (name, value) in &row {
                if !vars.contains_key(name) {
                    vars.insert(name.clone(), value.clone());
                }
            }
            ShapedRow {
                row: vars,
                expected: expected.clone(),
            }
        })
        .collect()
}

fn is_file(value: &Value) -> bool {
    value
        .as_str()
        .is_some_and(|text| text.starts_with("file://"))
}

/// Collects the values of `equals` assertions, including those in assertion sets. Other assertions become notes.
fn collect(assertions: &[Value], equals: &mut Vec<Value>, line: u32, notes: &mut Notes) {
    for assertion in assertions {
        let kind = assertion
            .get("type")
            .and_then(Value::as_str)
            .unwrap_or("unnamed");
        match (kind, assertion.get("assert"), assertion.get("value")) {
            ("assert-set", Some(Value::Array(inner)), _) => collect(inner, equals, line, notes),
            ("equals", _, Some(value)) => equals.push(value.clone()),
            _ => notes.add(Fact::Assertion(kind.to_owned()), line),
        }
    }
}

fn first_expected(equals: Vec<Value>, line: u32, notes: &mut Notes) -> Option<Value> {
    if equals.len() > 1 {
        notes.add(Fact::SeveralEquals, line);
    }
    let expected = equals.into_iter().next()?;
    if is_file(&expected) {
        notes.add(Fact::FileReference, line);
    }
    if expected.as_str().is_some_and(|text| text.contains("{{")) {
        notes.add(Fact::Template, line);
        return None;
    }
    Some(expected)
}

/// Returns each combination of the items of the lists in `vars`. The last list varies fastest.
fn combine(vars: &Map<String, Value>) -> Vec<Map<String, Value>> {
    let mut all = vec![vars.clone()];
    for (name, value) in vars {
        let Value::Array(items) = value else { continue };
        // Lists of objects are data, such as messages. promptfoo expands only lists of strings and numbers.
        if items.is_empty()
            || items.iter().any(|item| item.is_object() || item.is_array())
            || all.len().saturating_mul(items.len()) > MAX_COMBINATIONS
        {
            continue;
        }
        all = all
            .into_iter()
            .flat_map(|vars| {
                items.iter().map(move |item| {
                    let mut vars = vars.clone();
                    vars.insert(name.clone(), item.clone());
                    vars
                })
            })
            .collect();
    }
    all
}

/// Returns whether a column has a special meaning in promptfoo.
pub(crate) fn is_column(name: &str) -> bool {
    name.starts_with("__expected")
        || name.starts_with("__metadata:")
        || name.starts_with("__config:")
        || matches!(
            name,
            "__description"
                | "__prefix"
                | "__suffix"
                | "__metric"
                | "__threshold"
                | "__provider"
                | "__providerOutput"
        )
}

/// Returns the case of a CSV row with promptfoo's columns. The row of the case has all columns of the CSV row.
pub(crate) fn columns(row: Map<String, Value>, line: u32, notes: &mut Notes) -> ShapedRow {
    let mut equals = Vec::new();
    for (name, cell) in &row {
        let Some(cell) = cell.as_str().filter(|cell| !cell.trim().is_empty()) else {
            continue;
        };
        if name.starts_with("__expected") {
            match assertion(cell) {
                ("equals", value) => equals.push(Value::String(value.to_owned())),
                (kind, _) => notes.add(Fact::Assertion(kind.to_owned()), line),
            }
        } else if is_column(name) && !name.starts_with("__metadata:") && name != "__description" {
            notes.add(Fact::Ignored(name.clone()), line);
        } else if cell.starts_with("file://") {
            notes.add(Fact::FileReference, line);
        }
    }
    let expected = first_expected(equals, line, notes);
    ShapedRow { row, expected }
}

/// Splits an assertion such as `contains:word` into its type and value.
fn assertion(cell: &str) -> (&str, &str) {
    let (head, value) = cell.split_once(':').unwrap_or((cell, ""));
    match head {
        "fn" | "eval" => return ("javascript", value),
        "grade" => return ("llm-rubric", value),
        "file" if value.contains(".py") => return ("python", value),
        "file" if value.contains(".js") || value.contains(".ts") => return ("javascript", value),
        _ => {}
    }
    let name = match head.split_once('(') {
        Some((name, threshold)) if threshold.ends_with(')') => name,
        _ => head,
    };
    if ASSERTIONS.contains(&name.strip_prefix("not-").unwrap_or(name)) {
        (name, value)
    } else {
        ("equals", cell)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_told_apart_as_promptfoo_does() {
        for (cell, expected) in [
            ("Paris", ("equals", "Paris")),
            ("equals:Paris: a city", ("equals", "Paris: a city")),
            ("Answer: 5", ("equals", "Answer: 5")),
            ("contains:a,b", ("contains", "a,b")),
            ("not-contains:a", ("not-contains", "a")),
            ("similar(0.8):a", ("similar", "a")),
            ("is-json", ("is-json", "")),
            ("grade:is polite", ("llm-rubric", "is polite")),
            ("fn:output.length", ("javascript", "output.length")),
            ("file://check.py", ("python", "//check.py")),
        ] {
            assert_eq!(assertion(cell), expected);
        }
    }
}
