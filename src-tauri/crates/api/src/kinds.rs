//! The node kinds and palette presets, in the form that the window receives.

use loopwright_engine::{Kind, KindSet, host::ToolInfo};
use loopwright_model::{
    Category, Handle, KindSpec, Repetition, Shape, ValueType, validate::common_fields,
};
use loopwright_runs::{Env, tools};
use serde_json::{Map, Value, json};

use crate::dto::{
    HandleInfo, KindInfo, KindsReply, PresetInfo, RepeatsInfo, ShapeInfo, ToolDescription,
};

pub fn kinds_reply(env: &Env) -> KindsReply {
    let mut reply = reply(env.kinds());
    let of_servers = mcp_presets(&tools(env));
    reply.presets.extend(with_handles(of_servers, env.kinds()));
    reply
}

fn reply(kinds: &KindSet) -> KindsReply {
    let mut convertible = Vec::new();
    for from in ValueType::ALL {
        for to in ValueType::ALL {
            if from != to && from.converts_to(to) {
                convertible.push((from, to));
            }
        }
    }
    KindsReply {
        kinds: kinds.iter().map(kind_info).collect(),
        presets: with_handles(presets(), kinds),
        convertible,
    }
}

fn kind_info(kind: &dyn Kind) -> KindInfo {
    let defaults = kind.defaults();
    let handles = kind.handles(&defaults);
    let (shape, repeats, paired_with) = match kind.shape() {
        Shape::Plain => (ShapeInfo::Plain, None, None),
        Shape::Input => (ShapeInfo::Input, None, None),
        Shape::Output => (ShapeInfo::Output, None, None),
        Shape::Branching => (ShapeInfo::Branching, None, None),
        Shape::Subflow => (ShapeInfo::Subflow, None, None),
        Shape::Annotation => (ShapeInfo::Annotation, None, None),
        Shape::ScopeStart { closed_by, repeats } => (
            ShapeInfo::ScopeStart,
            Some(repeats_info(repeats)),
            Some(closed_by),
        ),
        Shape::ScopeEnd { opened_by, .. } => (ShapeInfo::ScopeEnd, None, Some(opened_by)),
    };
    KindInfo {
        type_name: kind.type_name().to_owned(),
        title: kind.title().to_owned(),
        category: kind.category(),
        icon: kind.icon().to_owned(),
        summary: kind.summary().to_owned(),
        doc: kind.doc().to_owned(),
        shape,
        repeats,
        paired_with: paired_with.map(str::to_owned),
        exits: kind.exits(),
        inputs: handle_infos(&handles.inputs),
        outputs: handle_infos(&handles.outputs),
        schema: whole_schema(kind),
        defaults,
        hidden: kind.hidden(),
    }
}

/// Returns the schema of the kind's own fields, followed by those common fields that have an effect on nodes of this kind.
fn whole_schema(kind: &dyn KindSpec) -> Value {
    let mut schema = kind.schema();
    if let Some(object) = schema.as_object_mut() {
        let properties = object.entry("properties").or_insert_with(|| json!({}));
        if let Some(properties) = properties.as_object_mut() {
            for (name, field) in common_fields(kind) {
                properties.entry(name).or_insert(field);
            }
        }
    }
    schema
}

pub(crate) fn repeats_info(repeats: Repetition) -> RepeatsInfo {
    match repeats {
        Repetition::Loop => RepeatsInfo::Loop,
        Repetition::Each => RepeatsInfo::Each,
    }
}

pub(crate) fn handle_infos(handles: &[Handle]) -> Vec<HandleInfo> {
    handles
        .iter()
        .map(|handle| HandleInfo {
            name: handle.name.clone(),
            label: handle.name.clone(),
            value_type: handle.value_type,
            primary: handle.primary,
            many: handle.many,
            always: handle.always,
        })
        .collect()
}

/// Returns a palette entry for each available tool of an MCP server, with the arguments that have a default or are required.
fn mcp_presets(tools: &[ToolInfo]) -> Vec<PresetInfo> {
    tools
        .iter()
        .filter(|tool| tool.unavailable.is_none() && tool.name.starts_with("mcp:"))
        .map(|tool| {
            let required: Vec<&str> = tool.args["required"]
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(Value::as_str)
                .collect();
            let args: Map<String, Value> = tool.args["properties"]
                .as_object()
                .into_iter()
                .flatten()
                .filter_map(|(name, schema)| match schema.get("default") {
                    Some(default) => Some((name.clone(), default.clone())),
                    None if !required.contains(&name.as_str()) => None,
                    None => Some((
                        name.clone(),
                        match schema["type"].as_str() {
                            Some("number" | "integer") => json!(0),
                            Some("boolean") => json!(false),
                            Some("array") => json!([]),
                            Some("object") => json!({}),
                            _ => json!(""),
                        },
                    )),
                })
                .collect();
            let data = json!({ "label": tool.title, "tool": tool.name, "args": args });
            PresetInfo {
                id: tool.name.clone(),
                title: tool.title.clone(),
                category: Category::Tools,
                icon: "plug".to_owned(),
                summary: tool.summary.chars().take(60).collect(),
                type_name: "tool".to_owned(),
                data: data.as_object().cloned().unwrap_or_default(),
                inputs: Vec::new(),
                outputs: Vec::new(),
            }
        })
        .collect()
}

/// Sets the handles of each preset to those of a node that is created from it.
fn with_handles(mut presets: Vec<PresetInfo>, kinds: &KindSet) -> Vec<PresetInfo> {
    for preset in &mut presets {
        let Some(kind) = kinds.specs().get(&preset.type_name) else {
            continue;
        };
        let mut data = kind.defaults();
        data.extend(preset.data.clone());
        let handles = kind.handles(&data);
        preset.inputs = handle_infos(&handles.inputs);
        preset.outputs = handle_infos(&handles.outputs);
    }
    presets
}

/// Returns the palette presets: kinds with some fields set, under names that users search for.
fn presets() -> Vec<PresetInfo> {
    let preset = |id: &str,
                  title: &str,
                  category,
                  icon: &str,
                  summary: &str,
                  type_name: &str,
                  data: Value| {
        PresetInfo {
            id: id.to_owned(),
            title: title.to_owned(),
            category,
            icon: icon.to_owned(),
            summary: summary.to_owned(),
            type_name: type_name.to_owned(),
            data: match data {
                Value::Object(map) => map,
                _ => Map::new(),
            },
            inputs: Vec::new(),
            outputs: Vec::new(),
        }
    };
    vec![
        preset(
            "condition",
            "Condition",
            Category::Logic,
            "git-branch",
            "if / else",
            "router",
            json!({
                "label": "Condition", "mode": "rules",
                "branches": [{ "name": "true", "when": "input == true" }, { "name": "false" }], "fallback": "false"
            }),
        ),
        preset(
            "search",
            "Search",
            Category::Tools,
            "search",
            "your documents",
            "tool",
            json!({ "label": "Search", "tool": "search.documents", "args": { "limit": 5 } }),
        ),
        preset(
            "http",
            "HTTP",
            Category::Tools,
            "globe",
            "call an API",
            "tool",
            json!({ "label": "HTTP", "tool": "http.request", "args": { "url": "", "method": "GET" } }),
        ),
        // The server and the tool are not set. The user chooses them after adding the node to the canvas.
        preset(
            "mcp",
            "MCP",
            Category::Tools,
            "plug",
            "server tools",
            "tool",
            json!({ "label": "MCP", "tool": "mcp:" }),
        ),
        preset(
            "script",
            "Script",
            Category::Tools,
            "square-terminal",
            "run code",
            "tool",
            json!({ "label": "Script", "tool": "script.lua", "args": { "source": "return input" } }),
        ),
    ]
}

/// Returns [`tools`] in the form that the window receives.
pub fn tool_descriptions(env: &Env) -> Vec<ToolDescription> {
    tools(env)
        .into_iter()
        .map(|tool| ToolDescription {
            name: tool.name,
            title: tool.title,
            summary: tool.summary,
            args: tool.args,
            unavailable: tool.unavailable,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(kinds: &KindsReply, type_name: &str) -> Vec<String> {
        let kind = kinds.kinds.iter().find(|kind| kind.type_name == type_name);
        let properties = kind.and_then(|kind| kind.schema.get("properties"));
        properties
            .and_then(Value::as_object)
            .map(|fields| fields.keys().cloned().collect())
            .unwrap_or_default()
    }

    #[test]
    fn a_form_has_the_common_fields_that_do_something_for_its_kind() {
        let kinds = reply(&loopwright_nodes::all());
        let has = |kind: &str, field: &str| fields(&kinds, kind).iter().any(|name| name == field);
        for field in ["disabled", "timeout", "retry", "whenInterrupted"] {
            assert!(has("llm", field), "{field}");
        }
        assert!(has("router", "retry"));
        assert!(!has("router", "disabled"));
        assert!(has("transform", "disabled"));
        assert!(!has("transform", "retry"));
        assert!(!has("input", "disabled"));
        assert!(has("loop", "disabled"));
        assert!(!has("iterator", "disabled"));
    }
}
