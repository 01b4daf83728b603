//! What differs between the flows, pins and inputs that two runs were asked for.

use std::collections::BTreeSet;

use loopwright_engine::journal::RunHeader;
use serde_json::{Map, Value};

use super::{
    diff::parts,
    dto::{FieldDifference, StructureDifference, ValueDifference},
};

/// Fields of nodes and settings of the workflow.
pub(super) fn settings(a: &RunHeader, b: &RunHeader) -> Vec<FieldDifference> {
    let mut differences = Vec::new();
    compare_fields(
        None,
        "",
        &a.document["settings"],
        &b.document["settings"],
        &mut differences,
    );
    for node in nodes(&a.document) {
        let Some(id) = node["id"].as_str() else {
            continue;
        };
        let Some(other) = nodes(&b.document).find(|other| other["id"] == id) else {
            continue;
        };
        compare_fields(
            Some(id),
            "type",
            &node["type"],
            &other["type"],
            &mut differences,
        );
        compare_fields(
            Some(id),
            "",
            &node["data"],
            &other["data"],
            &mut differences,
        );
    }
    let pinned: BTreeSet<&String> = a.setup.pins.keys().chain(b.setup.pins.keys()).collect();
    for id in pinned {
        let of = |header: &RunHeader| header.setup.pins.get(id).cloned().unwrap_or_default();
        compare_fields(Some(id), "pin", &of(a), &of(b), &mut differences);
    }
    differences
}

fn nodes(document: &Value) -> impl Iterator<Item = &Value> {
    document["nodes"].as_array().into_iter().flatten()
}

/// Objects are compared field by field, all else as a whole.
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

/// Nodes and wires that one of them lacks.
pub(super) fn structure(a: &Value, b: &Value) -> Vec<StructureDifference> {
    let ids = |document: &Value| -> BTreeSet<String> {
        let ids = nodes(document).filter_map(|node| node["id"].as_str());
        ids.map(str::to_owned).collect()
    };
    let wires = |document: &Value| -> BTreeSet<String> {
        let end = |edge: &Value, node: &str, handle: &str| {
            let name = edge[node].as_str().unwrap_or_default().to_owned();
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
    let mut differences = Vec::new();
    for (of_a, of_b, is_wire) in [(ids(a), ids(b), false), (wires(a), wires(b), true)] {
        for (these, others, in_b) in [(&of_a, &of_b, false), (&of_b, &of_a, true)] {
            differences.extend(these.difference(others).map(|what| StructureDifference {
                what: what.clone(),
                is_wire,
                in_b,
            }));
        }
    }
    differences
}

/// Two objects by name.
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
