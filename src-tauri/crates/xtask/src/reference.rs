//! The reference pages, made from what the kinds and tools say of themselves.

use std::{fmt::Write as _, path::PathBuf};

use loopwright_engine::host::{ToolInfo, Tools as _};
use loopwright_model::{Category, Handle, KindSpec, Repetition, Shape, kind::Example};
use loopwright_tools::{ToolSet, ToolSettings};
use serde_json::Value;

const GENERATED: &str =
    "<!-- Written by `npm run codegen` from the Rust sources. Do not edit. -->\n\n";

/// `docs/reference/kinds.md`.
pub(crate) fn kinds() -> String {
    let set = loopwright_nodes::all();
    let mut page = format!(
        "{GENERATED}# Node kinds\n\nEvery kind with its handles, the fields of its `data` and worked examples, which the \
         tests run. A handle in bold is the primary one: the end of a wire that names none. Fields that every node may \
         have, and how values and templates work, are in [The flow format](../flow-format.md).\n\n"
    );
    for spec in set.specs().iter() {
        let title = heading(spec);
        let anchor = format!("{}-{}", slug(spec.title()), slug(spec.type_name()));
        let _ = writeln!(page, "- [{title}](#{anchor}): {}", spec.summary());
    }
    for spec in set.specs().iter() {
        kind(&mut page, spec);
    }
    page
}

/// `docs/reference/tools.md`.
pub(crate) fn tools() -> String {
    let set = ToolSet::new(&ToolSettings {
        data_dir: PathBuf::new(),
        documents_folder: None,
        allow_private_addresses: false,
    });
    let mut page = format!(
        "{GENERATED}# Tools\n\nWhat a Tool node can use. Its `tool` field names one; arguments come from its `args` field, \
         from wires to handles of their names, and the main one from its input. `loopwright tools` says which can be used \
         on this computer.\n"
    );
    for info in set.list() {
        tool(&mut page, &info);
    }
    page
}

fn heading(spec: &dyn KindSpec) -> String {
    format!("{} (`{}`)", spec.title(), spec.type_name())
}

/// As GitHub makes an anchor of a heading's words.
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

fn kind(page: &mut String, spec: &dyn KindSpec) {
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
        Shape::Plain => "runs once a visit".to_owned(),
        Shape::Input => "takes a value from outside the run".to_owned(),
        Shape::Output => "gives a value to the outside".to_owned(),
        Shape::ScopeStart { closed_by, repeats } => {
            let how = match repeats {
                Repetition::Loop => "one iteration after the other",
                Repetition::Each => "once per item",
            };
            format!("repeats what stands between it and its `{closed_by}`, {how}")
        }
        Shape::ScopeEnd { opened_by, .. } => format!("ends the region that a `{opened_by}` opens"),
        Shape::Branching => "sends its value along one of its outputs".to_owned(),
        Shape::Annotation => "never runs".to_owned(),
    };
    let palette = if spec.hidden() {
        "; known in files, not offered in the palette"
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

/// A table of a JSON Schema's properties.
fn fields(page: &mut String, schema: &Value, what: &str) {
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
        return;
    };
    let required: Vec<&str> = schema
        .get("required")
        .and_then(Value::as_array)
        .map(|names| names.iter().filter_map(Value::as_str).collect())
        .unwrap_or_default();
    let shown = properties
        .iter()
        .filter(|(_, property)| property.get("x-hidden") != Some(&Value::Bool(true)));
    let mut rows = String::new();
    for (name, property) in shown {
        let description = property
            .get("description")
            .and_then(Value::as_str)
            .unwrap_or_default();
        let needed = if required.contains(&name.as_str()) {
            " (required)"
        } else {
            ""
        };
        let default = property
            .get("default")
            .map(|value| format!("`{value}`"))
            .unwrap_or_default();
        let _ = writeln!(
            rows,
            "| `{name}`{needed} | {} | {} | {} |",
            cell(&type_of(property)),
            cell(&default),
            cell(description)
        );
    }
    if !rows.is_empty() {
        let _ = write!(
            page,
            "\n| {what} | takes | default | |\n| --- | --- | --- | --- |\n{rows}"
        );
    }
}

fn type_of(property: &Value) -> String {
    if let Some(choices) = property.get("enum").and_then(Value::as_array) {
        return choices
            .iter()
            .map(|choice| format!("`{}`", plain(choice)))
            .collect::<Vec<_>>()
            .join(", ");
    }
    let name = match property.get("type") {
        Some(Value::String(name)) => name.clone(),
        Some(Value::Array(names)) => names.iter().map(plain).collect::<Vec<_>>().join(" or "),
        _ => "any JSON".to_owned(),
    };
    match (property.get("minimum"), property.get("maximum")) {
        (Some(least), Some(most)) => format!("{name}, {least} to {most}"),
        (Some(least), None) => format!("{name}, at least {least}"),
        (None, Some(most)) => format!("{name}, at most {most}"),
        (None, None) => name,
    }
}

fn plain(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

/// Text inside a table's cell.
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
                "count": { "type": "integer", "minimum": 1 },
            },
            "required": ["mode"],
        });
        fields(&mut page, &schema, "field");
        assert!(
            page.contains("| `mode` (required) | `a`, `b` | `\"a\"` | One \\| two three |"),
            "{page}"
        );
        assert!(
            page.contains("| `count` | integer, at least 1 |  |  |"),
            "{page}"
        );
    }
}
