//! Validation: all problems of a flow at once. One rule per file.
//!
//! A rule looks at the whole flow through [`Flowing`] and pushes what it finds; it never stops at the first problem, and
//! never panics whatever JSON a draft holds.

mod branches;
mod common;
mod constant_condition;
mod cycles;
mod edges;
mod fields;
mod ids;
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
mod unreachable_done;
mod upstream;
mod ways;

use std::{
    cell::{Cell, OnceCell, RefCell},
    collections::HashMap,
    path::Path,
};

pub use self::{
    common::common_fields,
    references::{
        Meaning, Place,
        names::{Group, ScopeName, at_field},
    },
};
use crate::{
    document::{Flow, Node},
    graph::{Graph, NodeIx},
    kind::{KindSpec, Kinds},
    problem::{Problem, Severity, quoted},
    regions::{Region, Regions, regions},
    subflow::{self, FlowFiles, Linked, link},
};
use upstream::{Before, Upstream};

/// A flow with what is known of its graph.
pub(crate) struct Flowing<'a> {
    flow: &'a Flow,
    kinds: &'a Kinds,
    graph: &'a Graph,
    regions: &'a Regions,
    /// What has run before what, once it is asked for.
    upstream: OnceCell<Upstream>,
    /// What lies before the node that was last asked about.
    before: RefCell<Option<Before>>,
    /// Names that may still be compared with one that is unknown: each search goes over all nodes.
    hints: Cell<usize>,
}

/// Comparisons of one flow, of unknown names with those that may be meant: in a flow of 100 nodes some 500 names get a hint. Nobody
/// reads further ones before these are mended.
const HINTS: usize = 60_000;

pub use crate::suggest::{did_you_mean, nearest};
pub use references::rename::{RenameError, Renamed, Unread, rename};

type Rule = fn(&Flowing<'_>, &mut Vec<Problem>);

/// Every rule, in the order in which problems of one node are listed.
const RULES: [Rule; 16] = [
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
    tails::check,
    subflows::check,
    names::check,
    settings::check,
];

/// Every problem of `flow` and of the flows it reads from other files: linked, and checked.
pub fn check(flow: &Flow, kinds: &Kinds, file: Option<&Path>, files: &dyn FlowFiles) -> Linked {
    let mut linked = link(flow, kinds, file, files);
    let is_refused = linked
        .problems
        .iter()
        .any(|problem| matches!(problem.code, "subflow_too_large" | "subflow_too_deep"));
    let mut problems = validate(&linked.flow, kinds);
    // Linking said where.
    problems.retain(|problem| !is_refused || problem.code != "subflow_too_large");
    linked.problems.append(&mut problems);
    sort(&mut linked.problems, &linked.flow);
    linked
}

/// Every problem of `flow`: errors first, then in document order. References to other files are not followed; see [`check`].
/// A problem inside a subflow is at `sub/draft`, the ids of the nodes on the way.
pub fn validate(flow: &Flow, kinds: &Kinds) -> Vec<Problem> {
    if subflow::is_bounded(flow) {
        return every_problem(flow, kinds, &RULES);
    }
    // What is inside is looked at once it is small enough.
    let own: Vec<Rule> = RULES
        .into_iter()
        .filter(|rule| !std::ptr::fn_addr_eq(*rule, subflows::check as Rule))
        .collect();
    let mut problems = every_problem(flow, kinds, &own);
    problems.insert(0, subflow::unbounded());
    problems
}

/// As [`validate`], by `rules`, of a flow that is bounded or whose subflows no rule looks at.
fn every_problem(flow: &Flow, kinds: &Kinds, rules: &[Rule]) -> Vec<Problem> {
    let graph = Graph::new(flow, kinds);
    let regions = regions(flow, kinds, &graph);
    if !regions.is_complete {
        return regions.problems;
    }
    let flowing = Flowing::new(flow, kinds, &graph, &regions);
    let mut problems = Vec::new();
    for rule in rules {
        rule(&flowing, &mut problems);
    }
    for (index, node) in flow.nodes.iter().enumerate() {
        if let Some(kind) = kinds.of(node)
            && !node.is_placeholder()
            && graph.index(&node.id) == Some(index)
        {
            let first = problems.len();
            kind.check(node, &mut problems);
            if node.disabled() {
                // Nothing of it is read.
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

/// Errors first, then in the order of the nodes; what is inside a node stands with it.
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

/// One problem a place and code: a kind's own check and the schema may find the same.
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

impl<'a> Flowing<'a> {
    fn new(flow: &'a Flow, kinds: &'a Kinds, graph: &'a Graph, regions: &'a Regions) -> Self {
        Self {
            flow,
            kinds,
            graph,
            regions,
            upstream: OnceCell::new(),
            before: RefCell::default(),
            hints: Cell::new(HINTS),
        }
    }

    /// Whether `earlier` has certainly run in a run (or iteration) in which `later` runs.
    fn has_run(&self, earlier: NodeIx, later: NodeIx) -> bool {
        self.upstream
            .get_or_init(|| Upstream::new(self))
            .has_run(earlier, later)
    }

    /// Whether every way to `later` leads through `earlier`.
    fn dominates(&self, earlier: NodeIx, later: NodeIx) -> bool {
        self.upstream
            .get_or_init(|| Upstream::new(self))
            .dominates(earlier, later)
    }

    /// The candidate that `name` was meant to be, as long as not too many names are looked for.
    fn nearest<'c>(
        &self,
        name: &str,
        candidates: impl IntoIterator<Item = &'c str>,
    ) -> Option<&'c str> {
        self.hints.get().checked_sub(1)?;
        let counted = candidates.into_iter().inspect(|_| {
            self.hints.set(self.hints.get().saturating_sub(1));
        });
        nearest(name, counted)
    }

    fn node(&self, index: NodeIx) -> &'a Node {
        &self.flow.nodes[index]
    }

    fn spec(&self, index: NodeIx) -> Option<&'a dyn KindSpec> {
        self.kinds.of(self.node(index))
    }

    /// Whether a loop ends in the first iteration in which a value reaches its end.
    fn ends_on_arrival(&self, region: &Region) -> bool {
        let data = &self.node(region.start).data;
        self.spec(region.start)
            .is_some_and(|kind| kind.ends_on_arrival(data))
    }

    /// Nodes that a run reads: known, translated, not bypassed, no later duplicate of an id, and not in a loop that is
    /// bypassed.
    fn active(&self) -> impl Iterator<Item = (NodeIx, &'a Node, &'a dyn KindSpec)> + '_ {
        (0..self.flow.nodes.len()).filter_map(|index| {
            let node = self.node(index);
            let spec = self.spec(index)?;
            (!node.disabled()
                && !node.is_placeholder()
                && !self.regions.skips(self.flow, index)
                && self.graph.index(&node.id) == Some(index))
            .then_some((index, node, spec))
        })
    }

    /// Whether something is wired to an input handle; `None` is the primary one.
    fn wired(&self, index: NodeIx, handle: Option<&str>) -> bool {
        let handles = &self.graph.handles[index];
        let Some(wanted) = handles.input(handle) else {
            return false;
        };
        self.graph.incoming[index].iter().any(|&edge| {
            handles
                .input(self.flow.edges[edge].target_handle.as_deref())
                .is_some_and(|handle| handle.name == wanted.name)
        })
    }
}

#[cfg(test)]
mod tests;
