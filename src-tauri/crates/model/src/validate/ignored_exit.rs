//! Rule: a branch that leads to a loop's end should end the loop. Warns if it does not, because the loop runs all its
//! iterations.

use std::collections::{BTreeMap, BTreeSet};

use super::flow_context::FlowContext;
use crate::{
    document::Node,
    graph::NodeIx,
    kind::{Repetition, Shape},
    problem::{Edit, Problem, quoted},
    regions::Region,
};

pub(super) fn check(context: &FlowContext<'_>, problems: &mut Vec<Problem>) {
    for region in &context.regions.regions {
        let start = context.node(region.start);
        let Some(end) = region.end else { continue };
        if region.repeats != Repetition::Loop
            || start.disabled()
            || context.regions.skips(context.flow, region.start)
        {
            continue;
        }
        let setting = context
            .spec(region.start)
            .and_then(|kind| kind.to_end_on_arrival(&start.data));
        let Some(setting) = setting else { continue };
        let deciders = deciders(context, region, end);
        if deciders.is_empty() {
            continue;
        }
        let several = deciders.len() > 1 || deciders.values().any(|branches| branches.len() > 1);
        problems.push(
            Problem::warning(
                "exit_ignored",
                format!(
                    "{} {} to {}, but {} runs all its iterations whichever branch is taken. Set its {} to {} to stop there.",
                    named(context, &deciders),
                    if several { "lead" } else { "leads" },
                    quoted(context.node(end)),
                    quoted(start),
                    setting.name,
                    setting.title,
                ),
            )
            .at(&start.id)
            .place(setting.field)
            .fix(
                title(&deciders),
                vec![Edit::SetData {
                    node: start.id.clone(),
                    field: setting.field.to_owned(),
                    value: setting.value,
                }],
            ),
        );
    }
}

/// For each branching node, the branches after which a value certainly reaches the end of the node's loop.
type Deciders = BTreeMap<NodeIx, BTreeSet<String>>;

/// Returns the branches after which a value certainly reaches the end. Nodes whose branches all lead there are excluded,
/// because their choice decides nothing.
fn deciders(context: &FlowContext<'_>, region: &Region, end: NodeIx) -> Deciders {
    let graph = context.graph;
    let mut found = Deciders::new();
    // The nodes from which a value reaches the end no matter which branches are taken after them.
    let mut certain = BTreeSet::from([end]);
    let mut stack = vec![end];
    while let Some(node) = stack.pop() {
        for (edge, source) in graph.predecessors(node) {
            if !region.body.contains(&source) {
                continue;
            }
            let leaves_by = context.flow.edges[edge].source_handle.as_deref();
            if graph.shapes[source] == Shape::Branching && graph.is_branch(source, leaves_by) {
                let handles = &graph.handles[source];
                let Some(branch) = handles.output(leaves_by) else {
                    continue;
                };
                let leading = found.entry(source).or_default();
                leading.insert(branch.name.clone());
                if handles.branches().any(|one| !leading.contains(&one.name)) {
                    continue;
                }
            }
            // An inner loop or iterator counts as one node, because its branches decide only what happens inside it.
            let source = context
                .regions
                .closed_by(source)
                .map_or(source, |inner| inner.start);
            if certain.insert(source) {
                stack.push(source);
            }
        }
    }
    found.retain(|node, _| !certain.contains(node));
    found
}

/// The maximum number of branches that a message names.
const NAMED: usize = 3;

/// Returns a description of the branches for a message, such as ``Branch `done` of "Router"``.
fn named(context: &FlowContext<'_>, deciders: &Deciders) -> String {
    let count: usize = deciders.values().map(BTreeSet::len).sum();
    let of = |node: &Node, branch: &str| format!("`{branch}` of {}", quoted(node));
    let mut names: Vec<_> = deciders
        .iter()
        .flat_map(|(&node, branches)| {
            let node = context.node(node);
            branches.iter().map(move |branch| of(node, branch))
        })
        .take(NAMED)
        .collect();
    if count > NAMED {
        names.push(format!("{} more", count - NAMED));
    }
    match names.as_slice() {
        [only] => format!("Branch {only}"),
        [first @ .., last] => format!("Branches {} and {last}", first.join(", ")),
        [] => String::new(),
    }
}

/// Returns the title of the fix that makes the loop stop as soon as one of these branches is taken.
fn title(deciders: &Deciders) -> String {
    let branches: BTreeSet<&str> = deciders.values().flatten().map(String::as_str).collect();
    match branches.into_iter().collect::<Vec<_>>().as_slice() {
        [only] => format!("Stop when `{only}` is taken"),
        _ => "Stop when one of them is taken".to_owned(),
    }
}
