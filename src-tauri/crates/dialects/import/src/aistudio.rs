//! AI Studio flows. They use Loopwright's own format and are imported unchanged.

use loopwright_model::{Flow, Node, Problem, file, kind::Shape, validate::validate};
use serde_json::Value;

use crate::{
    Entry, Outcome, Report, build,
    error::ImportError,
    format::{Format, Import, Options, Source},
    layout,
};

pub(crate) const FORMAT: Format = Format {
    id: "aistudio",
    title: "AI Studio flows",
    dialects: &[],
    reads: &[],
    recognises,
    read,
};

/// Returns whether every node has an `id` and a `type` (and `data`, if any, is an object), and every edge joins two ids.
fn recognises(source: &Source<'_>) -> bool {
    let Some(json) = &source.json else {
        return false;
    };
    let list = |name: &str| json.get(name).and_then(Value::as_array);
    let texts = |item: &Value, fields: [&str; 2]| {
        let mut fields = fields.iter().map(|field| item.get(field));
        fields.all(|field| field.is_some_and(Value::is_string))
    };
    let is_node =
        |node: &Value| texts(node, ["id", "type"]) && node.get("data").is_none_or(Value::is_object);
    let is_edge = |edge: &Value| texts(edge, ["source", "target"]);
    list("nodes").is_some_and(|nodes| nodes.iter().all(is_node))
        && list("edges").is_none_or(|edges| edges.iter().all(is_edge))
}

fn read(source: &Source<'_>, options: &Options) -> Result<Import, ImportError> {
    let Some(json) = source.json.clone() else {
        return Err(ImportError::unreadable(
            "file",
            "an AI Studio flow is a JSON file, and this file is not JSON",
        ));
    };
    let mut flow = file::read_value(json)
        .map_err(|error| ImportError::unreadable("file", error.to_string()))?;
    check_size(&flow, options)?;
    if flow.name.is_none() {
        flow.name.clone_from(&options.name);
    }
    let mut report = Report {
        format: FORMAT.id.to_owned(),
        ..Report::default()
    };
    for (index, node) in flow.nodes.iter().enumerate() {
        let kinds = options.kinds.as_ref();
        if kinds.is_none_or(|kinds| kinds.of(node).is_some()) {
            report.entries.push(Entry {
                outcome: Outcome::Mapped,
                place: format!("nodes[{index}]"),
                node: Some(node.id.clone()),
                message: format!("Imported unchanged: {}.", node.kind),
            });
        }
    }
    let unknown = options
        .kinds
        .iter()
        .flat_map(|kinds| validate(&flow, kinds))
        .filter_map(|problem| entry(&flow, problem));
    report.entries.extend(unknown);
    layout::place(&mut flow);
    Ok(Import { flow, report })
}

/// Fails if the flow exceeds the size limits that all imports have. The kinds in `options` determine which nodes open a
/// region.
fn check_size(flow: &Flow, options: &Options) -> Result<(), ImportError> {
    let opens = |node: &&Node| {
        let kinds = options.kinds.as_ref();
        kinds.is_some_and(|kinds| matches!(kinds.shape(node), Shape::ScopeStart { .. }))
    };
    let regions = flow.nodes.iter().filter(opens).count();
    build::check_size(flow, regions)
}

/// Returns the report entry for an unknown kind or field. Returns `None` for any other problem, which the editor shows.
fn entry(flow: &Flow, problem: Problem) -> Option<Entry> {
    let outcome = match problem.code {
        "unknown_kind" => Outcome::Placeholder,
        "unknown_field" => Outcome::Ignored,
        _ => return None,
    };
    let id = problem.node.as_ref()?;
    let index = flow.nodes.iter().position(|node| node.id == *id)?;
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
