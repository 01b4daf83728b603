//! Validation: finds all problems of a flow in one pass. Each file contains one rule.
//!
//! A rule examines the whole flow through [`FlowContext`] and reports every problem it finds. It never stops at the first one,
//! and never panics, no matter what JSON a draft contains.

mod branches;
mod common;
mod constant_condition;
mod cycles;
mod edges;
mod fields;
mod flow_context;
mod ids;
mod ignored_exit;
mod kinds;
mod loops;
mod names;
mod needs;
mod references;
mod schema;
mod settings;
mod shared_handles;
mod subflows;
mod tails;
mod unknown_fields;
mod unreachable_done;
mod upstream;
mod ways;

use std::{collections::HashMap, path::Path};

use self::flow_context::FlowContext;
pub use self::{
    common::common_fields,
    references::{
        names::{Group, ScopeName, at_field},
        place::{Meaning, Place},
        rename::{RenameError, Renamed, Unread, rename},
    },
};
use crate::{
    document::Flow,
    graph::Graph,
    kind::Kinds,
    problem::{Problem, Severity},
    regions::regions,
    subflow::{self, FlowFiles, Linked, link},
};
pub use loopwright_template::suggest::{did_you_mean, nearest};

type Rule = fn(&FlowContext<'_>, &mut Vec<Problem>);

/// All rules. The problems of one node are reported in the order of the rules.
const RULES: [Rule; 18] = [
    ids::check,
    kinds::check,
    fields::check,
    edges::check,
    cycles::check,
    shared_handles::check,
    needs::check,
    references::check,
    branches::check,
    loops::check,
    constant_condition::check,
    unreachable_done::check,
    ignored_exit::check,
    tails::check,
    check_subflows,
    names::check,
    settings::check,
    unknown_fields::check,
];

/// Applies all rules to the flows inside subflow nodes.
fn check_subflows(context: &FlowContext<'_>, problems: &mut Vec<Problem>) {
    subflows::check(context, problems, |inner| {
        every_problem(inner, context.kinds, &RULES)
    });
}

/// Links `flow`, and returns the linked flow with all problems, including those of the flows in other files.
pub fn check(flow: &Flow, kinds: &Kinds, file: Option<&Path>, files: &dyn FlowFiles) -> Linked {
    let mut linked = link(flow, kinds, file, files);
    let is_refused = linked
        .problems
        .iter()
        .any(|problem| matches!(problem.code, "subflow_too_large" | "subflow_too_deep"));
    let mut problems = validate(&linked.flow, kinds);
    // Linking has already reported the reference that makes the whole flow too large.
    problems.retain(|problem| !is_refused || problem.code != "subflow_too_large");
    linked.problems.append(&mut problems);
    sort(&mut linked.problems, &linked.flow);
    linked
}

/// Returns every problem of `flow`: errors first, then in document order. If the search for regions is not completed, returns
/// only its problems. References to other files are not followed; see [`check`]. If a problem is inside a subflow, its node is
/// a path of ids, such as `sub/draft`.
pub fn validate(flow: &Flow, kinds: &Kinds) -> Vec<Problem> {
    if subflow::is_bounded(flow) {
        return every_problem(flow, kinds, &RULES);
    }
    // The rule for subflows is applied only if the whole flow is within the size limits.
    let own: Vec<Rule> = RULES
        .into_iter()
        .filter(|rule| !std::ptr::fn_addr_eq(*rule, check_subflows as Rule))
        .collect();
    let mut problems = every_problem(flow, kinds, &own);
    problems.insert(0, subflow::unbounded());
    problems
}

/// Applies `rules` to `flow` and returns every problem, in the order of [`validate`]. The caller must ensure that `flow` is
/// within the size limits, or that no rule examines its subflows.
fn every_problem(flow: &Flow, kinds: &Kinds, rules: &[Rule]) -> Vec<Problem> {
    let graph = Graph::new(flow, kinds);
    let regions = regions(flow, kinds, &graph);
    if !regions.is_complete {
        return regions.problems;
    }
    let context = FlowContext::new(flow, kinds, &graph, &regions);
    let mut problems = Vec::new();
    for rule in rules {
        rule(&context, &mut problems);
    }
    for (index, node) in flow.nodes.iter().enumerate() {
        if let Some(kind) = kinds.of(node)
            && !node.is_placeholder()
            && graph.index(&node.id) == Some(index)
        {
            let first = problems.len();
            kind.check(node, &mut problems);
            if node.disabled() {
                // The fields of a bypassed node are not used, so their problems are only warnings.
                for problem in &mut problems[first..] {
                    problem.severity = Severity::Warning;
                }
            }
        }
    }
    problems.extend(regions.problems.iter().cloned());
    drop_repeats(&mut problems);
    sort(&mut problems, flow);
    problems
}

/// Sorts problems by severity, errors first, and then by the order of the nodes. A problem inside a subflow sorts like a
/// problem of the subflow's node.
fn sort(problems: &mut [Problem], flow: &Flow) {
    let order: HashMap<&str, usize> = flow
        .nodes
        .iter()
        .enumerate()
        .rev()
        .map(|(index, node)| (node.id.as_str(), index))
        .collect();
    problems.sort_by_key(|problem| {
        let id = problem.node.as_deref().unwrap_or_default();
        let at = order
            .get(id)
            .or_else(|| order.get(id.split_once('/')?.0))
            .copied();
        (
            problem.severity != Severity::Error,
            at.unwrap_or(usize::MAX),
        )
    });
}

/// Removes repeated problems. A kind's own check and the schema may report the same problem.
fn drop_repeats(problems: &mut Vec<Problem>) {
    let mut seen = std::collections::HashSet::new();
    problems.retain(|problem| {
        let place = problem.place.clone();
        place.is_none()
            || seen.insert((
                problem.code,
                problem.node.clone(),
                place,
                problem.message.clone(),
            ))
    });
}

#[cfg(test)]
mod tests;
