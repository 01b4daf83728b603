//! Rule: inputs and outputs have distinct names, and the flow has a result.

use std::collections::{HashMap, HashSet};

use super::flow_context::FlowContext;
use crate::{
    document::Node,
    kind::Shape,
    problem::{Problem, quoted},
};

pub(super) fn check(context: &FlowContext<'_>, problems: &mut Vec<Problem>) {
    unique(context, Shape::Input, "input", problems);
    unique(context, Shape::Output, "output", problems);
    let any = context
        .active()
        .any(|(_, _, kind)| kind.shape() != Shape::Annotation);
    let output = context
        .active()
        .any(|(_, _, kind)| kind.shape() == Shape::Output);
    if any && !output {
        problems.push(Problem::warning(
            "no_output",
            "The workflow has no Output node, so a run gives no result. Add one and wire the result to it.",
        ));
    }
}

fn unique(context: &FlowContext<'_>, shape: Shape, what: &str, problems: &mut Vec<Problem>) {
    let mut taken: HashMap<&str, &Node> = HashMap::new();
    let mut names: HashSet<String> = context
        .active()
        .filter(|(_, _, kind)| kind.shape() == shape)
        .filter_map(|(_, node, _)| node.text("name").map(str::to_owned))
        .collect();
    let mut numbers: HashMap<String, u32> = HashMap::new();
    for (_, node, kind) in context.active() {
        if kind.shape() != shape {
            continue;
        }
        let name = node.text("name").filter(|name| !name.trim().is_empty());
        if name.is_none() {
            problems.push(
                Problem::warning(
                    "missing_name",
                    format!(
                        "The {what} {} has no name, so its id \"{}\" is used. Give it a name.",
                        quoted(node),
                        node.id
                    ),
                )
                .at(&node.id)
                .place("name"),
            );
        }
        let name = name.unwrap_or(&node.id);
        if let Some(first) = taken.insert(name, node) {
            let free = free_name(name, &names, &mut numbers);
            names.insert(free.clone());
            problems.push(
                Problem::error(
                    "duplicate_name",
                    format!(
                        "{} and {} are both {what}s called `{name}`. Rename one of them.",
                        quoted(first),
                        quoted(node)
                    ),
                )
                .at(&node.id)
                .place("name")
                .set_to(&node.id, "name", free),
            );
        }
    }
}

/// Returns the first unused name with a number: `topic` becomes `topic_2`, and `topic_2` becomes `topic_3`. `numbers` maps each
/// name without its number to the first number that has not been tried.
fn free_name(name: &str, taken: &HashSet<String>, numbers: &mut HashMap<String, u32>) -> String {
    let stem = match name.rsplit_once('_') {
        Some((stem, number)) if !stem.is_empty() && number.parse::<u32>().is_ok() => stem,
        _ => name,
    };
    let next = numbers.entry(stem.to_owned()).or_insert(2);
    loop {
        let free = format!("{stem}_{next}");
        *next = next.saturating_add(1);
        if !taken.contains(&free) || *next == u32::MAX {
            return free;
        }
    }
}
