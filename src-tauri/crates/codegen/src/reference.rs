//! The reference pages, generated from the descriptions of node kinds and tools.

use std::{fmt::Write as _, path::PathBuf};

use loopwright_engine::{
    ExitReason, Kind,
    host::{ToolInfo, Tools as _},
};
use loopwright_model::{Category, Handle, KindSpec, Repetition, Shape, kind::Example};
use loopwright_tools::{ToolSet, ToolSettings};
use serde_json::Value;

const GENERATED: &str =
    "<!-- Written by `npm run codegen` from the Rust sources. Do not edit. -->\n\n";

/// Returns the content of `docs/reference/kinds.md`.
pub(crate) fn kinds() -> String {
    let set = loopwright_nodes::all();
    let mut page = format!(
        "{GENERATED}# Node kinds\n\nEvery kind with its handles, the fields of its `data`, and examples, which the tests run. A \
         handle in bold is the primary one: a wire that names no handle uses it. [The flow format](../flow-format.md) \
         describes the fields that every node may have, and how values and templates work.\n\n"
    );
    for spec in set.specs().iter() {
        let title = heading(spec);
        let anchor = format!("{}-{}", slug(spec.title()), slug(spec.type_name()));
        let _ = writeln!(page, "- [{title}](#{anchor}): {}", spec.summary());
    }
    for spec in set.iter() {
        kind(&mut page, spec);
    }
    page
}

/// Returns the content of `docs/reference/tools.md`.
pub(crate) fn tools() -> String {
    let set = ToolSet::new(&ToolSettings {
        data_dir: PathBuf::new(),
        documents_folder: None,
        ..ToolSettings::default()
    });
    let mut page = format!(
        "{GENERATED}# Tools\n\nThe tools that a Tool node can use. Its `tool` field names the tool. Arguments come from its \
         `args` field and from wires to the handles with their names, and the main argument may come from its input. \
         `loopwright tools` lists the tools that you can use on this computer.\n"
    );
    for info in set.list() {
        tool(&mut page, &info);
    }
    page
}

fn heading(spec: &dyn KindSpec) -> String {
    format!("{} (`{}`)", spec.title(), spec.type_name())
}

/// Returns the anchor that GitHub creates for a heading.
fn slug(words: &str) -> String {
    words
        .to_lowercase()
        .chars()
        .filter_map(|letter| match letter {
            ' ' => Some('-'),
            letter if letter.is_alphanumeric() || "-_".contains(letter) => Some(letter),
            _ => None,
        })
        .collect()
}

fn kind(page: &mut String, spec: &dyn Kind) {
    let _ = write!(page, "\n## {}\n\n{}\n", heading(spec), spec.doc());
    let _ = writeln!(page, "\n{}", nature(spec));
    let data = spec.defaults();
    let handles = spec.handles(&data);
    if !(handles.inputs.is_empty() && handles.outputs.is_empty()) {
        page.push_str("\n| handle | side | type |\n| --- | --- | --- |\n");
        rows_of_handles(page, &handles.inputs, "in");
        rows_of_handles(page, &handles.outputs, "out");
    }
    fields(page, &spec.schema(), "field");
    if !spec.exits().is_empty() {
        reasons(page);
    }
    for example in spec.examples() {
        worked(page, &example);
    }
}

fn nature(spec: &dyn KindSpec) -> String {
    let group = match spec.category() {
        Category::Io => "I/O",
        Category::Ai => "AI",
        Category::Logic => "Logic",
        Category::Tools => "Tools",
        Category::Flow => "Flow",
    };
    let shape = match spec.shape() {
        Shape::Plain => "runs once when its inputs are ready".to_owned(),
        Shape::Input => "brings a value into the run".to_owned(),
        Shape::Output => "gives a result of the run".to_owned(),
        Shape::ScopeStart { closed_by, repeats } => {
            let how = match repeats {
                Repetition::Loop => "one iteration after another",
                Repetition::Each => "once per item",
            };
            format!("repeats the nodes between it and its `{closed_by}`, {how}")
        }
        Shape::ScopeEnd {
            opened_by,
            optional_start,
        } => {
            let alone = if optional_start {
                ", and also works without one"
            } else {
                ""
            };
            format!("ends the region that `{opened_by}` opens{alone}")
        }
        Shape::Branching => "sends its value along one of its outputs".to_owned(),
        Shape::Subflow => "runs another flow".to_owned(),
        Shape::Annotation => "never runs".to_owned(),
    };
    let palette = if spec.hidden() {
        "; supported in files, but not offered in the palette"
    } else {
        ""
    };
    format!("*{group}; {shape}{palette}.*")
}

fn rows_of_handles(page: &mut String, handles: &[Handle], side: &str) {
    for handle in handles {
        let name = if handle.primary {
            format!("**{}**", handle.name)
        } else {
            format!("`{}`", handle.name)
        };
        let several = if handle.many { ", several wires" } else { "" };
        let _ = writeln!(
            page,
            "| {name} | {side} | {}{several} |",
            plain(&serde_json::json!(handle.value_type))
        );
    }
}

/// Appends a table of a JSON Schema's properties, including nested ones such as `limits.timeout` and `rules[].when`.
fn fields(page: &mut String, schema: &Value, what: &str) {
    let mut rows = String::new();
    collect(&mut rows, "", schema);
    if !rows.is_empty() {
        let _ = write!(
            page,
            "\n| {what} | takes | default | |\n| --- | --- | --- | --- |\n{rows}"
        );
    }
}

fn collect(rows: &mut String, prefix: &str, schema: &Value) {
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
        return;
    };
    let shown = properties
        .iter()
        .filter(|(_, property)| property.get("x-hidden") != Some(&Value::Bool(true)));
    for (name, property) in shown {
        let path = format!("{prefix}{name}");
        let needed = if names(schema.get("required")).any(|required| required == name) {
            " (required)"
        } else {
            ""
        };
        let _ = writeln!(
            rows,
            "| `{path}`{needed} | {} | {} | {} |",
            cell(&type_of(property)),
            cell(&default_of(property)),
            help_of(property)
        );
        collect(rows, &format!("{path}."), property);
        if let Some(items) = property.get("items") {
            for item in std::iter::once(items).chain(list(items.get("anyOf"))) {
                collect(rows, &format!("{path}[]."), item);
            }
        }
    }
}

/// Appends a table of the reasons why a loop ends: the name of each reason in events, its title, and its meaning.
fn reasons(page: &mut String) {
    page.push_str("\n| `exitReason` | shown as | meaning |\n| --- | --- | --- |\n");
    for info in ExitReason::ALL.map(ExitReason::info) {
        let name = plain(&serde_json::json!(info.reason));
        let _ = writeln!(page, "| `{name}` | {} | {} |", info.title, info.meaning);
    }
}

fn list(value: Option<&Value>) -> impl Iterator<Item = &Value> {
    value.and_then(Value::as_array).into_iter().flatten()
}

fn names(value: Option<&Value>) -> impl Iterator<Item = &str> {
    list(value).filter_map(Value::as_str)
}

/// Formats the default of a property, followed by the defaults that apply for certain values of another field. A default that
/// is missing, null or empty is omitted.
fn default_of(property: &Value) -> String {
    let mut usual = default_text(property.get("default"));
    let otherwise = property.get("x-default-if");
    let field = otherwise.and_then(|other| other.get("field")?.as_str());
    let values = otherwise.and_then(|other| other.get("values")?.as_object());
    for (value, default) in values.into_iter().flatten() {
        let field = field.unwrap_or_default();
        let _ = write!(
            usual,
            "; {} with `{field}` `{value}`",
            default_text(Some(default))
        );
    }
    usual
}

fn default_text(default: Option<&Value>) -> String {
    match default {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) if text.is_empty() => String::new(),
        Some(Value::Array(items)) if items.is_empty() => String::new(),
        Some(Value::Object(map)) if map.is_empty() => String::new(),
        Some(value) => format!("`{value}`"),
    }
}

/// Returns the alternatives if the condition is a list; otherwise the condition itself.
fn either(value: Option<&Value>) -> impl Iterator<Item = &Value> {
    let one = value.filter(|value| value.is_object());
    one.into_iter().chain(list(value))
}

/// Returns the help text of a field: its meaning, the meaning of each choice, and when the field applies.
fn help_of(property: &Value) -> String {
    let text = |value: Option<&Value>| cell(value.and_then(Value::as_str).unwrap_or_default());
    let mut help = text(property.get("description"));
    let choices = property.get("x-enum-help").and_then(Value::as_object);
    for (name, words) in choices.into_iter().flatten() {
        let _ = write!(help, "<br>`{name}`: {}", text(Some(words)));
    }
    let counts = either(property.get("x-show-if")).map(|condition| {
        let values: Vec<_> = names(condition.get("in"))
            .map(|value| format!("`{value}`"))
            .collect();
        let field = text(condition.get("field"));
        format!("`{field}` {}", values.join(" or "))
    });
    let counts: Vec<_> = counts.collect();
    if !counts.is_empty() {
        let _ = write!(help, "<br>With {}.", counts.join(", or "));
    }
    help
}

fn type_of(property: &Value) -> String {
    let either: Vec<_> = list(property.get("anyOf")).map(type_of).collect();
    if !either.is_empty() {
        return either.join(" or ");
    }
    let choices: Vec<_> = list(property.get("enum"))
        .map(|choice| format!("`{}`", plain(choice)))
        .collect();
    if !choices.is_empty() {
        return choices.join(", ");
    }
    let name = match property.get("type").and_then(Value::as_str) {
        Some("string") => "text",
        Some("integer") => "whole number",
        Some("array") => "list",
        Some(name) => name,
        None => "any value",
    };
    let bound = |key: &str| property.get(key).and_then(Value::as_f64);
    match (bound("minimum"), bound("maximum")) {
        (Some(least), Some(most)) => format!("{name}, {least} to {most}"),
        (Some(least), None) => format!("{name}, at least {least}"),
        (None, Some(most)) => format!("{name}, at most {most}"),
        (None, None) => name.to_owned(),
    }
}

fn plain(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

/// Escapes a string for a table cell.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}

fn worked(page: &mut String, example: &Example) {
    let _ = write!(page, "\nExample: {}.\n\n```json\n", example.title);
    let mut lines = vec![("data", Value::Object(example.data.clone()))];
    if !example.inputs.is_empty() {
        lines.push(("in", Value::Object(example.inputs.clone())));
    }
    if !example.replies.is_empty() {
        lines.push(("answered", Value::Array(example.replies.clone())));
    }
    lines.push(("gives", example.gives.clone()));
    if let Some(branch) = example.branch {
        lines.push(("branch", branch.into()));
    }
    let body: Vec<String> = lines
        .iter()
        .map(|(name, value)| format!("  \"{name}\": {value}"))
        .collect();
    let _ = write!(page, "{{\n{}\n}}\n```\n", body.join(",\n"));
}

fn tool(page: &mut String, info: &ToolInfo) {
    let _ = write!(
        page,
        "\n## {} (`{}`)\n\n{}\n",
        info.title, info.name, info.summary
    );
    fields(page, &info.args, "argument");
}

/// Returns the JSON Schema of evaluation files, for editors.
pub(crate) fn evaluation_schema() -> String {
    format!("{:#}\n", loopwright_evaluation::file::schema())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_a_section_that_the_list_leads_to() {
        let page = kinds();
        for spec in loopwright_nodes::all().specs().iter() {
            assert!(
                page.contains(&format!("\n## {}\n", heading(spec))),
                "{}",
                spec.type_name()
            );
        }
        assert!(page.contains("(#loop-loop)"));
        assert!(page.contains("| `maxIterations` |"));
    }

    #[test]
    fn a_table_survives_what_stands_in_it() {
        let mut page = String::new();
        let schema = serde_json::json!({
            "properties": {
                "mode": { "enum": ["a", "b"], "default": "a", "description": "One | two\nthree" },
                "count": { "type": "integer", "minimum": 1, "x-show-if": { "field": "mode", "in": ["b"] } },
                "times": { "type": "integer", "default": 1, "x-default-if": { "field": "mode", "values": { "b": 2 } } },
                "limits": { "type": "object", "x-show-if": [{ "field": "mode", "in": ["b"] }, { "field": "on", "in": ["c", "d"] }], "properties": {
                    "share": { "type": "number", "minimum": 0, "maximum": 1, "default": 0.5 }
                } },
                "rules": { "type": "array", "default": [], "items": { "anyOf": [
                    { "type": "string" }, { "properties": { "when": { "type": "string" } }, "required": ["when"] }
                ] } },
                "old": { "type": "string", "x-hidden": true },
            },
            "required": ["mode"],
        });
        fields(&mut page, &schema, "field");
        assert!(
            page.contains("| `mode` (required) | `a`, `b` | `\"a\"` | One \\| two three |"),
            "{page}"
        );
        assert!(
            page.contains("| `count` | whole number, at least 1 |  | <br>With `mode` `b`. |"),
            "{page}"
        );
        for row in [
            "| `limits` | object |  | <br>With `mode` `b`, or `on` `c` or `d`. |",
            "| `times` | whole number | `1`; `2` with `mode` `b` |  |",
            "| `limits.share` | number, 0 to 1 | `0.5` |  |",
            "| `rules` | list |  |  |",
            "| `rules[].when` (required) | text |  |  |",
        ] {
            assert!(page.contains(row), "{row} in {page}");
        }
        assert!(!page.contains("old"), "{page}");
    }
}
