//! Finds the workflow in a file and determines its dialect.
//!
//! Azure writes `{ "definition": { "actions" } }`, either as the whole file or inside a deployment resource. Loom writes only the
//! definition. A single action, or an object of actions, as printed in documentation, is read as a workflow of those actions.

use serde_json::{Map, Value};

use super::expression::Dialect;
use crate::{error::ImportError, format::Options};

/// A workflow within a file.
#[derive(Debug)]
pub(crate) struct Document<'d> {
    pub(crate) dialect: Dialect,
    /// The reason for the choice of dialect.
    pub(crate) why: String,
    /// Whether the dialect was assumed because nothing in the file indicates it.
    pub(crate) is_assumed: bool,
    pub(crate) name: Option<&'d str>,
    pub(crate) description: Option<&'d str>,
    pub(crate) parameters: Option<&'d Map<String, Value>>,
    /// The parameter values set by a deployment.
    pub(crate) given: Option<&'d Map<String, Value>>,
    pub(crate) triggers: Option<&'d Map<String, Value>>,
    pub(crate) actions: Map<String, Value>,
    /// The path of the actions: `definition.actions`.
    pub(crate) place: String,
    pub(crate) outputs: Option<&'d Map<String, Value>>,
}

fn object<'d>(value: &'d Value, name: &str) -> Option<&'d Map<String, Value>> {
    value.get(name).and_then(Value::as_object)
}

/// Returns the `type` of an action in lower case, without `_` and `-`. Returns an empty string if the action has none.
pub(crate) fn kind_of(action: &Map<String, Value>) -> String {
    let written = action
        .get("type")
        .and_then(Value::as_str)
        .unwrap_or_default();
    written
        .chars()
        .filter(|c| *c != '_' && *c != '-')
        .collect::<String>()
        .to_lowercase()
}

/// Returns a field of an action or, if the action lacks it, of its `inputs`. `None` if neither has it.
pub(crate) fn field<'a>(action: &'a Map<String, Value>, name: &str) -> Option<&'a Value> {
    action
        .get(name)
        .or_else(|| action.get("inputs")?.as_object()?.get(name))
}

/// An action, and its path in the document.
#[derive(Clone, Copy)]
pub(crate) struct Action<'a> {
    pub(crate) name: &'a str,
    pub(crate) fields: &'a Map<String, Value>,
    pub(crate) place: &'a str,
}

impl<'a> Action<'a> {
    pub(crate) fn kind(&self) -> String {
        kind_of(self.fields)
    }

    /// Returns a field of the action or, if the action lacks it, of its `inputs`. `None` if neither has it.
    pub(crate) fn field(&self, name: &str) -> Option<&'a Value> {
        field(self.fields, name)
    }

    /// Returns the first of these fields that the action has, or `None` if it has none of them.
    pub(crate) fn first_of(&self, names: &[&str]) -> Option<&'a Value> {
        names.iter().find_map(|name| self.field(name))
    }

    pub(crate) fn text(&self, name: &str) -> Option<&'a str> {
        self.field(name).and_then(Value::as_str)
    }

    pub(crate) fn object(&self, name: &str) -> Option<&'a Map<String, Value>> {
        self.field(name).and_then(Value::as_object)
    }

    /// Returns the path of a part of the action.
    pub(crate) fn within(&self, part: &str) -> String {
        within(self.place, part)
    }
}

/// Returns the path of `part` under `place`. The path of the file itself is empty.
pub(crate) fn within(place: &str, part: &str) -> String {
    if place.is_empty() {
        part.to_owned()
    } else {
        format!("{place}.{part}")
    }
}

/// The kinds that distinguish a single action from other objects with a `type`.
const STRUCTURES: [&str; 12] = [
    "until", "while", "dountil", "foreach", "retry", "if", "switch", "scope", "parallel", "actor",
    "activity", "compose",
];

const LOOM_ONLY: [&str; 8] = [
    "while",
    "dountil",
    "retry",
    "ai",
    "activity",
    "actor",
    "parallel",
    "humanapproval",
];

fn is_action(value: &Value) -> bool {
    value.as_object().is_some_and(|action| {
        let kind = kind_of(action);
        STRUCTURES.contains(&kind.as_str())
            || (!kind.is_empty() && action.contains_key("inputs") && !action.contains_key("id"))
    })
}

fn is_actions(value: &Value) -> bool {
    value
        .as_object()
        .is_some_and(|actions| !actions.is_empty() && actions.values().all(is_action))
}

/// Returns the definition in a file, and the path to it. Returns `None` if the file has no definition.
fn definition(value: &Value) -> Option<(&Value, String)> {
    let is = |value: &Value| {
        let typed = |action: &Value| action.get("type").is_some_and(Value::is_string);
        let schema = value.get("$schema").and_then(Value::as_str);
        let marked = schema.is_some_and(|schema| schema.contains("Microsoft.Logic"));
        // An object with a `type` is an action that contains actions, not a definition.
        if value.get("nodes").is_some() || typed(value) {
            return false;
        }
        object(value, "actions").is_some_and(|actions| {
            let all_typed = !actions.is_empty() && actions.values().all(typed);
            marked || value.get("triggers").is_some() || all_typed
        })
    };
    for place in [
        "",
        "definition.",
        "workflow.",
        "properties.definition.",
        "workflow.definition.",
    ] {
        let mut path = place.split_terminator('.');
        let found = path.try_fold(value, |value, name| value.get(name));
        if let Some(found) = found.filter(|found| is(found)) {
            return Some((found, place.to_owned()));
        }
    }
    let resources = value.get("resources").and_then(Value::as_array)?;
    resources.iter().enumerate().find_map(|(index, resource)| {
        let found = resource.pointer("/properties/definition")?;
        let place = format!("resources[{index}].properties.definition.");
        is(found).then_some((found, place))
    })
}

/// Returns whether a file contains a workflow of this family.
pub(crate) fn is_workflow(value: &Value) -> bool {
    definition(value).is_some()
        || (is_action(value) && value.get("nodes").is_none())
        || is_actions(value)
}

/// Finds the workflow in a file and determines its dialect. Fails if the file contains no workflow, or if its dialect is
/// ambiguous.
pub(crate) fn read<'d>(value: &'d Value, options: &Options) -> Result<Document<'d>, ImportError> {
    let (definition, around, place, actions) = match definition(value) {
        Some((definition, before)) => {
            let actions = object(definition, "actions").cloned().unwrap_or_default();
            (definition, value, format!("{before}actions"), actions)
        }
        // Actions that were copied from documentation have no surrounding definition.
        None if is_action(value) => {
            let name = value.get("name").or(value.get("type"));
            let name = name.and_then(Value::as_str).unwrap_or("action");
            let actions = Map::from_iter([(name.to_owned(), value.clone())]);
            (&Value::Null, &Value::Null, String::new(), actions)
        }
        None if is_actions(value) => {
            let actions = value.as_object().cloned().unwrap_or_default();
            (&Value::Null, &Value::Null, String::new(), actions)
        }
        None => {
            return Err(ImportError::unreadable(
                "the file",
                "it contains no workflow: there are no `actions`, no `definition.actions`, and no action with a `type`",
            ));
        }
    };
    if actions.is_empty() {
        return Err(ImportError::refused(
            place,
            "a workflow needs at least one action",
        ));
    }
    let Reading {
        dialect,
        why,
        is_assumed,
    } = reading(&actions, value, options)?;
    let name_of =
        |value: &'d Value| (value.get("name").or(value.get("case"))).and_then(Value::as_str);
    Ok(Document {
        dialect,
        why,
        is_assumed,
        name: name_of(definition).or_else(|| name_of(around)),
        description: definition.get("description").and_then(Value::as_str),
        parameters: object(definition, "parameters"),
        given: object(around, "parameters").filter(|_| !std::ptr::eq(around, definition)),
        triggers: object(definition, "triggers"),
        actions,
        place,
        outputs: object(definition, "outputs"),
    })
}

/// The dialect of a file, and how it was determined.
struct Reading {
    dialect: Dialect,
    why: String,
    /// Whether the dialect was assumed because nothing in the file indicates it.
    is_assumed: bool,
}

fn reading(
    actions: &Map<String, Value>,
    value: &Value,
    options: &Options,
) -> Result<Reading, ImportError> {
    let told = |dialect, why: String| Reading {
        dialect,
        why,
        is_assumed: false,
    };
    // The caller has rejected all other dialects.
    if let Some(asked) = options.dialect.as_deref() {
        let dialect = match asked {
            "loom" => Dialect::Loom,
            _ => Dialect::Azure,
        };
        return Ok(told(dialect, "as requested".to_owned()));
    }
    let is_azure =
        || value.to_string().contains("Microsoft.Logic") || value.get("definition").is_some();
    Ok(match signs(actions) {
        (Some(loom), Some(azure)) => {
            let message = format!(
                "this file has {loom}, which Loom writes, and {azure}, which Logic Apps writes. An Until tests its condition before the first pass in Loom, and after it in Logic Apps. Choose the dialect (on the command line: --dialect loom or --dialect \
                 logic-apps)"
            );
            return Err(ImportError::Ambiguous {
                place: "dialect".to_owned(),
                message,
            });
        }
        (Some(sign), None) => told(Dialect::Loom, format!("{sign}, which Loom writes")),
        (None, Some(sign)) => told(Dialect::Azure, format!("{sign}, which Logic Apps writes")),
        (None, None) if is_azure() => told(
            Dialect::Azure,
            "the file is marked as a Logic Apps definition and contains nothing that only Loom writes"
                .to_owned(),
        ),
        (None, None) => Reading {
            dialect: Dialect::Loom,
            why: "nothing in the file is specific to Logic Apps".to_owned(),
            is_assumed: true,
        },
    })
}

/// Returns the first construct that only Loom writes, and the first that only Logic Apps writes.
fn signs(actions: &Map<String, Value>) -> (Option<String>, Option<String>) {
    let (mut loom, mut azure) = (None, None);
    each_action(actions, &mut |name, action| {
        let kind = kind_of(action);
        if kind == "until" && field(action, "condition").is_some() {
            loom.get_or_insert_with(|| format!("`condition` in the until “{name}”"));
        }
        if kind == "until" && field(action, "expression").is_some() {
            azure.get_or_insert_with(|| format!("`expression` in the until “{name}”"));
        }
        if LOOM_ONLY.contains(&kind.as_str()) {
            loom.get_or_insert_with(|| format!("an action of the type {}", action["type"]));
        }
    });
    (loom, azure)
}

/// Calls `visit` with every action at any depth, each before the actions inside it.
pub(crate) fn each_action<'d>(
    actions: &'d Map<String, Value>,
    visit: &mut impl FnMut(&'d str, &'d Map<String, Value>),
) {
    for (name, action) in actions {
        let Some(action) = action.as_object() else {
            continue;
        };
        visit(name, action);
        for inner in inner(action) {
            each_action(inner, visit);
        }
    }
}

/// Returns this map of actions and all maps inside it, at any depth.
pub(crate) fn all_maps(actions: &Map<String, Value>) -> Vec<&Map<String, Value>> {
    let mut found = Vec::new();
    let mut open = vec![actions];
    while let Some(actions) = open.pop() {
        found.push(actions);
        for action in actions.values().filter_map(Value::as_object) {
            open.extend(inner(action));
        }
    }
    found
}

/// Returns the maps of actions directly inside an action.
fn inner(action: &Map<String, Value>) -> Vec<&Map<String, Value>> {
    let mut found = Vec::new();
    for name in ["actions", "then", "else", "default", "branches", "cases"] {
        let Some(value) = field(action, name) else {
            continue;
        };
        match (object(value, "actions"), value.as_object()) {
            (Some(actions), _) => found.push(actions),
            (None, Some(cases)) if name == "cases" => {
                for case in cases.values() {
                    match (object(case, "actions"), case.as_object()) {
                        (Some(actions), _) => found.push(actions),
                        (None, case) => found.extend(case.into_iter().flat_map(inner)),
                    }
                }
            }
            (None, value) => found.extend(value),
        }
    }
    let retried = field(action, "action").and_then(Value::as_object);
    found.extend(retried.into_iter().flat_map(inner));
    found
}
