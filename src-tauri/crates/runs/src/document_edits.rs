//! Changes to a flow's document: the fields of nodes, the budget and the retry policy of one run, and the references to
//! renamed nodes.

use std::collections::BTreeMap;

use loopwright_model::{Flow, Kinds, Node, Shape, file, validate};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use specta::Type;
use specta_typescript::Any;

use crate::{
    env::Env,
    error::{ApiError, Code},
    new_budget::NewBudget,
};

/// The result of renaming nodes: the data of each changed node, in which references use the new ids.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct RenamedData {
    /// The whole `data` of each changed node, by its previous id.
    #[specta(type = BTreeMap<String, BTreeMap<String, Any>>)]
    pub data: BTreeMap<String, Map<String, Value>>,
    /// The number of references that were rewritten in templates, expressions and scripts.
    pub places: u32,
    /// The fields that contain the previous id of a renamed node but could not be parsed. They are unchanged.
    pub unread: Vec<UnreadField>,
}

/// A field whose template, expression or script could not be parsed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct UnreadField {
    /// The node's previous id.
    pub node: String,
    /// The field, as a path within `data`.
    pub field: String,
    pub message: String,
}

/// A value to set in a field of a node's `data` for a run. `field` may be a path, such as `condition.until`.
#[derive(Debug, Clone, PartialEq, Deserialize, Type)]
pub struct FieldEdit {
    pub node: String,
    pub field: String,
    #[specta(type = Any)]
    pub value: Value,
}

/// Sets a field of a node's `data` in a document. Missing objects along the path are created. A value along the path that is
/// not an object is replaced by an object.
///
/// # Errors
/// [`Code::InvalidArgument`] if the document does not contain the node.
pub fn apply_edit(document: &mut Value, edit: &FieldEdit) -> Result<(), ApiError> {
    let node = node_at(document, &edit.node).map_err(|why| {
        ApiError::new(
            Code::InvalidArgument,
            format!("`{}` of `{}` cannot be set: {why}", edit.field, edit.node),
        )
    })?;
    let mut at = &mut node["data"];
    for part in edit.field.split('.') {
        if !at.is_object() {
            *at = json!({});
        }
        at = &mut at[part];
    }
    *at = edit.value.clone();
    Ok(())
}

/// Returns the node with this id. For a node inside a subflow, `place` is a path such as `polish/draft`.
fn node_at<'a>(flow: &'a mut Value, place: &str) -> Result<&'a mut Value, String> {
    let ids: Vec<String> = flow["nodes"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|node| node["id"].as_str().map(str::to_owned))
        .collect();
    let way = |id: &str| {
        let rest = place.strip_prefix(id)?;
        match rest.strip_prefix('/') {
            Some(inside) => Some(Some(inside.to_owned())),
            None => rest.is_empty().then_some(None),
        }
    };
    let found = ids
        .iter()
        .enumerate()
        .find_map(|(index, id)| way(id).map(|inside| (index, inside)));
    match found {
        None => Err(format!(
            "there is no node `{place}`. The nodes are {}.",
            ids.join(", ")
        )),
        Some((index, None)) => Ok(&mut flow["nodes"][index]),
        Some((index, Some(inside))) => {
            let inner = &mut flow["nodes"][index]["data"]["flow"];
            if !inner.is_object() {
                return Err(format!("`{}` does not contain a flow.", ids[index]));
            }
            node_at(inner, &inside).map_err(|why| format!("in `{}`, {why}", ids[index]))
        }
    }
}

/// Sets the budget of a run, in its flow and in the document that is stored with it. Limits that `budget` does not set are
/// unchanged.
///
/// # Errors
/// [`Code::InvalidArgument`] if the amount of dollars is invalid.
pub(crate) fn set_budget(
    flow: &mut Flow,
    document: &mut Value,
    budget: NewBudget,
) -> Result<(), ApiError> {
    if budget == NewBudget::default() {
        return Ok(());
    }
    if budget.usd.is_some_and(|usd| !usd.is_finite() || usd < 0.0) {
        return Err(ApiError::new(
            Code::InvalidArgument,
            "The budget must be 0 dollars or more.",
        ));
    }
    let settings = flow.settings.get_or_insert_default();
    let value = settings.entry("budget").or_insert(Value::Null);
    if !value.is_object() {
        *value = json!({});
    }
    if let Some(usd) = budget.usd {
        value["usd"] = json!(usd);
    }
    if let Some(tokens) = budget.tokens {
        value["tokens"] = json!(tokens);
    }
    document["settings"] = Value::Object(settings.clone());
    Ok(())
}

/// Writes the retry policy of a run into its flow and into the document that is stored with it, so that the run keeps
/// its policy when a later version has another default. If the flow sets no policy, `usual` is written. Does nothing if
/// no node of the flow uses the policy.
pub(crate) fn set_retry(
    flow: &mut Flow,
    document: &mut Value,
    usual: Option<&Map<String, Value>>,
    kinds: &Kinds,
) {
    let goes_by_it = |node: &Node| {
        let kind = kinds.of(node);
        kind.is_some_and(|kind| {
            kind.shape() == Shape::Subflow || kind.retries_by_default(&node.data)
        })
    };
    if flow.nodes.iter().any(goes_by_it) && flow.write_retry(usual) {
        document["settings"] = json!(flow.settings);
    }
}

/// Rewrites the references to renamed nodes, and returns the data of each node that this changes. `names` maps old ids
/// to new ones. The caller must change the ids themselves and the ends of wires. The document may be only a part of a
/// flow, such as pasted nodes.
///
/// # Errors
/// `invalid_argument` if an old id does not exist, or a new id is taken or invalid.
pub fn rename_nodes(
    env: &Env,
    document: Value,
    names: &BTreeMap<String, String>,
) -> Result<RenamedData, ApiError> {
    let flow = file::read_value(document)?;
    let renamed = validate::rename(&flow, env.kinds().specs(), names)
        .map_err(|error| ApiError::new(Code::InvalidArgument, error.to_string()))?;
    Ok(RenamedData {
        data: renamed.data,
        places: u32::try_from(renamed.places).unwrap_or(u32::MAX),
        unread: renamed
            .unread
            .into_iter()
            .map(|unread| UnreadField {
                node: unread.node,
                field: unread.field,
                message: unread.message,
            })
            .collect(),
    })
}
