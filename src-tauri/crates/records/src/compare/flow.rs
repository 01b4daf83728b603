//! The differences between the flows, pins and inputs of two runs.

use std::collections::BTreeSet;

use loopwright_engine::journal::RunHeader;
use loopwright_model::subflow::FLOW;
use serde_json::{Map, Value};

use super::{
    diff::parts,
    dto::{FieldDifference, StructureDifference, ValueDifference},
};

/// Returns the differences in the fields of nodes and in the settings of the workflow, including those of inline subflows.
pub(super) fn settings(a: &RunHeader, b: &RunHeader) -> Vec<FieldDifference> {
    let mut differences = Vec::new();
    settings_within("", &a.document, &b.document, &mut differences);
    let pinned: BTreeSet<&String> = a.setup.pins.keys().chain(b.setup.pins.keys()).collect();
    for id in pinned {
        let of = |header: &RunHeader| header.setup.pins.get(id).cloned().unwrap_or_default();
        compare_fields(Some(id), "pin", &of(a), &of(b), &mut differences);
    }
    differences
}

/// Compares two flows. `around` is the path of the subflow that contains them, such as `polish/`, and is empty outside
/// subflows.
fn settings_within(around: &str, a: &Value, b: &Value, differences: &mut Vec<FieldDifference>) {
    let (whole, field) = match around.strip_suffix('/') {
        Some(subflow) => (Some(subflow), "settings"),
        None => (None, ""),
    };
    compare_fields(whole, field, &a["settings"], &b["settings"], differences);
    for (id, node, other) in in_both(a, b) {
        let place = format!("{around}{id}");
        compare_fields(
            Some(&place),
            "type",
            &node["type"],
            &other["type"],
            differences,
        );
        match (inner(node), inner(other)) {
            (Some(a), Some(b)) => {
                let (of_a, of_b) = (without_flow(&node["data"]), without_flow(&other["data"]));
                compare_fields(Some(&place), "", &of_a, &of_b, differences);
                settings_within(&format!("{place}/"), a, b, differences);
            }
            _ => compare_fields(Some(&place), "", &node["data"], &other["data"], differences),
        }
    }
}

/// Returns the nodes whose id exists in both flows: the id, the node in `a` and the node in `b`.
fn in_both<'a>(a: &'a Value, b: &'a Value) -> Vec<(&'a str, &'a Value, &'a Value)> {
    nodes(a)
        .filter_map(|node| {
            let id = node["id"].as_str()?;
            Some((id, node, nodes(b).find(|other| other["id"] == id)?))
        })
        .collect()
}

/// Returns the inline flow of a node, or `None` if it has none.
fn inner(node: &Value) -> Option<&Value> {
    node["data"].get(FLOW).filter(|flow| flow.is_object())
}

fn without_flow(data: &Value) -> Value {
    let mut data = data.clone();
    if let Some(fields) = data.as_object_mut() {
        fields.remove(FLOW);
    }
    data
}

fn nodes(document: &Value) -> impl Iterator<Item = &Value> {
    document["nodes"].as_array().into_iter().flatten()
}

/// Compares objects field by field, and all other values as a whole.
fn compare_fields(
    node: Option<&str>,
    field: &str,
    a: &Value,
    b: &Value,
    differences: &mut Vec<FieldDifference>,
) {
    if a == b {
        return;
    }
    let empty = Map::new();
    let (of_a, of_b) = match (a, b) {
        (Value::Object(a), Value::Object(b)) => (a, b),
        (Value::Object(a), Value::Null) => (a, &empty),
        (Value::Null, Value::Object(b)) => (&empty, b),
        _ => {
            differences.push(FieldDifference {
                node: node.map(str::to_owned),
                field: field.to_owned(),
                a: a.clone(),
                b: b.clone(),
                parts: parts(a, b),
            });
            return;
        }
    };
    for name in of_a
        .keys()
        .chain(of_b.keys().filter(|name| !of_a.contains_key(*name)))
    {
        let path = if field.is_empty() {
            name.clone()
        } else {
            format!("{field}.{name}")
        };
        let of = |fields: &Map<String, Value>| fields.get(name).cloned().unwrap_or_default();
        compare_fields(node, &path, &of(of_a), &of(of_b), differences);
    }
}

/// Returns the nodes and wires that exist in only one of the flows, including those of inline subflows.
pub(super) fn structure(a: &Value, b: &Value) -> Vec<StructureDifference> {
    let mut differences = Vec::new();
    structure_within("", a, b, &mut differences);
    differences
}

fn structure_within(
    around: &str,
    a: &Value,
    b: &Value,
    differences: &mut Vec<StructureDifference>,
) {
    let ids = |document: &Value| -> BTreeSet<String> {
        let ids = nodes(document).filter_map(|node| node["id"].as_str());
        ids.map(|id| format!("{around}{id}")).collect()
    };
    let wires = |document: &Value| -> BTreeSet<String> {
        let end = |edge: &Value, node: &str, handle: &str| {
            let name = format!("{around}{}", edge[node].as_str().unwrap_or_default());
            match edge[handle].as_str() {
                Some(handle) => format!("{name}.{handle}"),
                None => name,
            }
        };
        let edges = document["edges"].as_array().into_iter().flatten();
        edges
            .map(|edge| {
                format!(
                    "{} → {}",
                    end(edge, "source", "sourceHandle"),
                    end(edge, "target", "targetHandle")
                )
            })
            .collect()
    };
    for (of_a, of_b, is_wire) in [(ids(a), ids(b), false), (wires(a), wires(b), true)] {
        for (these, others, in_b) in [(&of_a, &of_b, false), (&of_b, &of_a, true)] {
            differences.extend(these.difference(others).map(|what| StructureDifference {
                what: what.clone(),
                is_wire,
                in_b,
            }));
        }
    }
    for (id, node, other) in in_both(a, b) {
        if let (Some(a), Some(b)) = (inner(node), inner(other)) {
            structure_within(&format!("{around}{id}/"), a, b, differences);
        }
    }
}

/// Compares two objects field by field. With `with_same`, the fields with equal values are included.
pub(super) fn values(a: &Value, b: &Value, with_same: bool) -> Vec<ValueDifference> {
    let of = |value: &Value| value.as_object().cloned().unwrap_or_default();
    let (of_a, of_b) = (of(a), of(b));
    let names = of_a
        .keys()
        .chain(of_b.keys().filter(|name| !of_a.contains_key(*name)));
    names
        .map(|name| {
            let a = of_a.get(name).cloned().unwrap_or_default();
            let b = of_b.get(name).cloned().unwrap_or_default();
            ValueDifference {
                name: name.clone(),
                same: a == b,
                parts: parts(&a, &b),
                a,
                b,
            }
        })
        .filter(|difference| with_same || !difference.same)
        .collect()
}
