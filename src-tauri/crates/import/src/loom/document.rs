//! Finds the workflow in a file and says whose reading of it is meant.
//!
//! Azure writes `{ "definition": { "actions" } }`, also within a resource of a deployment; Loom writes the definition alone. A single
//! action, or an object of actions, as they are printed in documents, is read as a workflow of that.

use serde_json::{Map, Value};

use super::expression::Dialect;
use crate::{ImportError, Options};

/// A workflow within a file.
#[derive(Debug)]
pub(crate) struct Document<'d> {
    pub(crate) dialect: Dialect,
    /// Why that was taken.
    pub(crate) why: String,
    pub(crate) name: Option<&'d str>,
    pub(crate) description: Option<&'d str>,
    pub(crate) parameters: Option<&'d Map<String, Value>>,
    /// Values that a deployment gives to parameters.
    pub(crate) given: Option<&'d Map<String, Value>>,
    pub(crate) triggers: Option<&'d Map<String, Value>>,
    pub(crate) actions: Map<String, Value>,
    /// Where the actions stand: `definition.actions`.
    pub(crate) place: String,
    pub(crate) outputs: Option<&'d Map<String, Value>>,
}

fn object<'d>(value: &'d Value, name: &str) -> Option<&'d Map<String, Value>> {
    value.get(name).and_then(Value::as_object)
}

/// The kind of an action, in small letters.
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

/// A field of an action, or of its `inputs`.
pub(crate) fn field<'a>(action: &'a Map<String, Value>, name: &str) -> Option<&'a Value> {
    action
        .get(name)
        .or_else(|| action.get("inputs")?.as_object()?.get(name))
}

/// Kinds that tell a single action from any other object with a `type`.
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

/// The definition within a file, with the path to it.
fn definition(value: &Value) -> Option<(&Value, String)> {
    let is = |value: &Value| {
        let marked = value
            .get("$schema")
            .and_then(Value::as_str)
            .is_some_and(|schema| schema.contains("Microsoft.Logic"));
        let actions = value.get("actions").and_then(Value::as_object);
        value.get("nodes").is_none()
            && actions.is_some_and(|actions| {
                marked
                    || value.get("triggers").is_some()
                    || (!actions.is_empty() && actions.values().all(|action| action.get("type").is_some_and(Value::is_string)))
            })
            // An action that holds actions is not a definition.
            && !value.get("type").is_some_and(Value::is_string)
    };
    if is(value) {
        return Some((value, String::new()));
    }
    for path in [
        &["definition"][..],
        &["workflow"],
        &["properties", "definition"],
        &["workflow", "definition"],
    ] {
        let found = path.iter().try_fold(value, |value, name| value.get(*name));
        if let Some(found) = found.filter(|found| is(found)) {
            return Some((found, format!("{}.", path.join("."))));
        }
    }
    let resources = value.get("resources").and_then(Value::as_array)?;
    resources.iter().enumerate().find_map(|(index, resource)| {
        let found = resource
            .get("properties")?
            .get("definition")
            .filter(|found| is(found))?;
        Some((found, format!("resources[{index}].properties.definition.")))
    })
}

/// Whether a file holds a workflow of this family.
pub(crate) fn is_workflow(value: &Value) -> bool {
    definition(value).is_some()
        || (is_action(value) && value.get("nodes").is_none())
        || is_actions(value)
}

/// Finds the workflow.
pub(crate) fn read<'d>(value: &'d Value, options: &Options) -> Result<Document<'d>, ImportError> {
    let (definition, place, actions) = match definition(value) {
        Some((definition, before)) => {
            let actions = object(definition, "actions").cloned().unwrap_or_default();
            (definition, format!("{before}actions"), actions)
        }
        None if is_action(value) => {
            let name = value
                .get("name")
                .or(value.get("type"))
                .and_then(Value::as_str)
                .unwrap_or("action");
            (
                value,
                String::new(),
                Map::from_iter([(name.to_owned(), value.clone())]),
            )
        }
        None if is_actions(value) => (
            value,
            String::new(),
            value.as_object().cloned().unwrap_or_default(),
        ),
        None => {
            return Err(ImportError::Unreadable {
                place: "the file".to_owned(),
                message: "there is no workflow in it: no `actions`, no `definition.actions`, and no action with a `type`".to_owned(),
            });
        }
    };
    if actions.is_empty() {
        return Err(ImportError::Refused {
            place,
            message: "a workflow needs at least one action".to_owned(),
        });
    }
    let (dialect, why) = dialect(&actions, value, options)?;
    let whole = !place.is_empty();
    let get = |name: &str| {
        if whole {
            object(definition, name)
        } else {
            None
        }
    };
    Ok(Document {
        dialect,
        why,
        name: [definition, value]
            .into_iter()
            .filter(|_| whole)
            .find_map(|value| {
                value
                    .get("name")
                    .or(value.get("case"))
                    .and_then(Value::as_str)
            }),
        description: definition
            .get("description")
            .and_then(Value::as_str)
            .filter(|_| whole),
        parameters: get("parameters"),
        given: object(value, "parameters").filter(|given| {
            whole && !std::ptr::eq(*given, get("parameters").unwrap_or(&Map::new()))
        }),
        triggers: get("triggers"),
        actions,
        place,
        outputs: get("outputs"),
    })
}

fn dialect(
    actions: &Map<String, Value>,
    value: &Value,
    options: &Options,
) -> Result<(Dialect, String), ImportError> {
    match options.dialect.as_deref() {
        Some("loom") => return Ok((Dialect::Loom, "as it was asked for".to_owned())),
        Some("logic-apps") => return Ok((Dialect::LogicApps, "as it was asked for".to_owned())),
        Some(other) => {
            return Err(ImportError::Refused {
                place: "--dialect".to_owned(),
                message: format!("there is no dialect “{other}”; there are loom and logic-apps"),
            });
        }
        None => {}
    }
    let mut signs = Signs::default();
    signs.look(actions, 0);
    match (&signs.loom, &signs.azure) {
        (Some(sign), None) => Ok((Dialect::Loom, format!("{sign}, which Loom writes"))),
        (None, Some(sign)) => Ok((
            Dialect::LogicApps,
            format!("{sign}, which Logic Apps writes"),
        )),
        (None, None) => {
            let azure =
                value.to_string().contains("Microsoft.Logic") || value.get("definition").is_some();
            Ok(if azure {
                (Dialect::LogicApps, "it is marked as a Logic Apps definition and has nothing that Loom alone writes".to_owned())
            } else {
                (Dialect::Loom, "it has no mark of Logic Apps".to_owned())
            })
        }
        (Some(loom), Some(azure)) => Err(ImportError::Refused {
            place: "dialect".to_owned(),
            message: format!(
                "this file has {loom}, which Loom writes, and {azure}, which Logic Apps writes. Until tests before its first \
                 pass in Loom and after it in Logic Apps: say which is meant with --dialect loom or --dialect logic-apps"
            ),
        }),
    }
}

/// What shows which dialect it is.
#[derive(Default)]
struct Signs {
    loom: Option<String>,
    azure: Option<String>,
}

impl Signs {
    fn look(&mut self, actions: &Map<String, Value>, depth: usize) {
        for (name, action) in actions {
            let Some(action) = action.as_object() else {
                continue;
            };
            let kind = kind_of(action);
            if kind == "until" && field(action, "condition").is_some() {
                self.loom
                    .get_or_insert(format!("`condition` in the until “{name}”"));
            }
            if kind == "until" && field(action, "expression").is_some() {
                self.azure
                    .get_or_insert(format!("`expression` in the until “{name}”"));
            }
            if LOOM_ONLY.contains(&kind.as_str()) {
                self.loom
                    .get_or_insert(format!("an action of the type {}", action["type"]));
            }
            if depth < 64 {
                for inner in inner(action) {
                    self.look(inner, depth + 1);
                }
            }
        }
    }
}

/// The maps of actions directly within an action.
pub(crate) fn inner(action: &Map<String, Value>) -> Vec<&Map<String, Value>> {
    let mut found = Vec::new();
    for name in ["actions", "then", "else", "default", "branches", "cases"] {
        let Some(value) = field(action, name).and_then(Value::as_object) else {
            continue;
        };
        match value.get("actions").and_then(Value::as_object) {
            Some(actions) => found.push(actions),
            None if name == "cases" => {
                for case in value.values().filter_map(Value::as_object) {
                    match case.get("actions").and_then(Value::as_object) {
                        Some(actions) => found.push(actions),
                        None => found.extend(inner(case)),
                    }
                }
            }
            None => found.push(value),
        }
    }
    if let Some(action) = field(action, "action").and_then(Value::as_object) {
        found.extend(inner(action));
    }
    found
}
