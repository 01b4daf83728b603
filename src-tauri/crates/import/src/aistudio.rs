//! AI Studio flows: the same family as this program's own, so that they are taken as they are.

use std::collections::HashMap;

use loopwright_model::{Flow, Node, Problem, file, kind::Shape, validate::validate};
use serde_json::Value;

use crate::{Entry, Format, Import, ImportError, Options, Outcome, Report, Source, build, layout};

pub(crate) const FORMAT: Format = Format {
    id: "aistudio",
    title: "AI Studio flows",
    dialects: &[],
    reads: &[],
    recognises,
    read,
};

/// Nodes with `type` and an object as `data`, and edges between ids.
fn recognises(source: &Source<'_>) -> bool {
    let Some(json) = &source.json else {
        return false;
    };
    let list = |name: &str| json.get(name).and_then(Value::as_array);
    let are = |items: &[Value], fields: &[&str]| {
        items.iter().all(|item| {
            fields
                .iter()
                .all(|field| item.get(field).is_some_and(Value::is_string))
        })
    };
    let holds_fields = |nodes: &[Value]| {
        let data = nodes.iter().filter_map(|node| node.get("data"));
        data.into_iter().all(Value::is_object)
    };
    list("nodes").is_some_and(|nodes| are(nodes, &["id", "type"]) && holds_fields(nodes))
        && list("edges").is_none_or(|edges| are(edges, &["source", "target"]))
}

fn read(source: &Source<'_>, options: &Options) -> Result<Import, ImportError> {
    let unreadable = |message: String| ImportError::Unreadable {
        place: "file".to_owned(),
        message,
    };
    let Some(json) = source.json.clone() else {
        return Err(unreadable(
            "an AI Studio flow is a JSON file, and this is none".to_owned(),
        ));
    };
    let mut flow = file::read_value(json).map_err(|error| unreadable(error.to_string()))?;
    check_size(&flow, options)?;
    if flow.name.is_none() {
        flow.name.clone_from(&options.name);
    }
    let mut report = Report {
        format: FORMAT.id.to_owned(),
        ..Report::default()
    };
    for (index, node) in flow.nodes.iter().enumerate() {
        let known = options
            .kinds
            .as_ref()
            .is_none_or(|kinds| kinds.of(node).is_some());
        if known {
            report.entries.push(Entry {
                outcome: Outcome::Mapped,
                place: format!("nodes[{index}]"),
                node: Some(node.id.clone()),
                message: format!("Taken as it is: {}.", node.kind),
            });
        }
    }
    let places: HashMap<&str, usize> = flow
        .nodes
        .iter()
        .enumerate()
        .rev()
        .map(|(index, node)| (node.id.as_str(), index))
        .collect();
    let unknown = options
        .kinds
        .iter()
        .flat_map(|kinds| validate(&flow, kinds))
        .filter_map(|problem| entry(&places, problem));
    report.entries.extend(unknown);
    layout::place(&mut flow);
    Ok(Import { flow, report })
}

/// The bounds of every import hold for these as well; what opens regions is known by its kind.
fn check_size(flow: &Flow, options: &Options) -> Result<(), ImportError> {
    let opens = |node: &&Node| {
        let kinds = options.kinds.as_ref();
        kinds.is_some_and(|kinds| matches!(kinds.shape(node), Shape::ScopeStart { .. }))
    };
    let regions = flow.nodes.iter().filter(opens).count();
    build::check_size(flow, regions)
}

/// What validation finds unknown, as the report says it; everything else is the editor's to show.
fn entry(places: &HashMap<&str, usize>, problem: Problem) -> Option<Entry> {
    let outcome = match problem.code {
        "unknown_kind" => Outcome::Placeholder,
        "unknown_field" => Outcome::Ignored,
        _ => return None,
    };
    let index = places.get(problem.node.as_deref()?)?;
    let place = match &problem.place {
        Some(field) if outcome == Outcome::Ignored => format!("nodes[{index}].data.{field}"),
        _ => format!("nodes[{index}]"),
    };
    Some(Entry {
        outcome,
        place,
        node: problem.node,
        message: problem.message,
    })
}
