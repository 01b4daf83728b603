//! Finds the problems with a flow's regions: ends that are missing or shared, wires that leave a region, regions that cross,
//! loops that must not be nested, and an evaluator that cannot repeat.

mod add_end;

use std::{
    cell::OnceCell,
    collections::{BTreeSet, HashMap, HashSet},
};

use serde_json::json;

use super::region::{Region, Regions, Role};
use crate::{
    document::{Flow, Node},
    graph::{EdgeIx, Graph, NodeIx},
    kind::{Kinds, Repetition, Shape},
    problem::{Edit, Problem, quoted, with_article},
};

pub(super) fn find(flow: &Flow, kinds: &Kinds, graph: &Graph, regions: &Regions) -> Vec<Problem> {
    let checks = Checks {
        flow,
        kinds,
        graph,
        regions,
        order: OnceCell::new(),
        positions: OnceCell::new(),
        edge_ids: OnceCell::new(),
        open_ends: OnceCell::new(),
        same_ends: OnceCell::new(),
        free_ends: OnceCell::new(),
    };
    let mut problems = Vec::new();
    for region in &regions.regions {
        checks.pairing(region, &mut problems);
        checks.empty(region, &mut problems);
        checks.leaving(region, &mut problems);
        checks.nesting(region, &mut problems);
        checks.workspace_inside(region, &mut problems);
        checks.evaluator(region, &mut problems);
    }
    checks.unpaired_ends(&mut problems);
    checks.crossing(&mut problems);
    problems
}

/// The parent of a region, and the end nodes that the region leads to.
type Ends = (Option<usize>, Vec<NodeIx>);

struct Checks<'a> {
    flow: &'a Flow,
    kinds: &'a Kinds,
    graph: &'a Graph,
    regions: &'a Regions,
    /// The nodes in topological order, computed on first use because few rules need it.
    order: OnceCell<Vec<NodeIx>>,
    /// The position of each node in topological order; `usize::MAX` for nodes on or after a cycle.
    positions: OnceCell<Vec<usize>>,
    /// The ids of all edges, computed on first use because only fixes need them.
    edge_ids: OnceCell<HashSet<&'a str>>,
    /// For each region that has no end node of its own, by its start node: the end nodes that its wires reach.
    open_ends: OnceCell<HashMap<NodeIx, BTreeSet<NodeIx>>>,
    /// For each parent and set of end nodes, the first two regions that lead to exactly these nodes and have no end of their
    /// own.
    same_ends: OnceCell<HashMap<Ends, Vec<usize>>>,
    /// For each type of node, the first node of this type without incoming wires.
    free_ends: OnceCell<HashMap<&'a str, NodeIx>>,
}

impl Checks<'_> {
    fn node(&self, index: NodeIx) -> &Node {
        &self.flow.nodes[index]
    }

    /// Reports a loop with a workspace inside another loop with a workspace. All loops inside a loop with a workspace use its
    /// workspace, and an inner workspace would be lost in each iteration.
    fn workspace_inside(&self, region: &Region, problems: &mut Vec<Problem>) {
        let has = |start: NodeIx| {
            let node = self.node(start);
            let kind = self.kinds.of(node);
            kind.is_some_and(|kind| kind.workspace(&node.data).is_some())
        };
        if !has(region.start) {
            return;
        }
        let mut around = self.regions.enclosing(region.start);
        let Some(outer) = around.find(|&outer| has(self.regions.regions[outer].start)) else {
            return;
        };
        let inner = self.node(region.start);
        let outer = self.node(self.regions.regions[outer].start);
        problems.push(
            Problem::error(
                "workspace_in_workspace",
                format!(
                    "{} has a workspace, but {} around it has one too. The nodes of both loops use the outer workspace. Remove the workspace folder of the \
                     inner loop.",
                    quoted(inner),
                    quoted(outer)
                ),
            )
            .at(&inner.id)
            .place("workspace.source"),
        );
    }

    fn kind_title(&self, type_name: &str) -> String {
        self.kinds
            .get(type_name)
            .map_or_else(|| type_name.to_owned(), |kind| kind.title().to_owned())
    }

    /// Reports a region from which no end node, or more than one, can be reached.
    fn pairing(&self, region: &Region, problems: &mut Vec<Problem>) {
        if region.end.is_some() {
            return;
        }
        let Shape::ScopeStart { closed_by, .. } = self.graph.shapes[region.start] else {
            return;
        };
        // For an empty body, another check reports that it is empty. No further problem is reported.
        if self.awaits(region).is_some() {
            return;
        }
        let start = self.node(region.start);
        let end_title = self.kind_title(closed_by);
        let ends = self.ends_of(region);
        if ends.len() > 1 && self.crossed_by(region).is_some() {
            return;
        }
        // An inner region that leads to several ends would hide the end of this region.
        let inner = |node: &NodeIx| {
            self.regions
                .opened_by(*node)
                .is_some_and(|open| open.end.is_none() && self.ends_of(open).len() > 1)
        };
        if region.body.iter().any(inner) {
            return;
        }
        if ends.len() > 1 {
            let names: Vec<_> = ends.iter().map(|&end| quoted(self.node(end))).collect();
            problems.push(
                Problem::error(
                    "several_ends",
                    format!(
                        "{} leads to several {end_title} nodes ({}). Keep one and send every finished path to it.",
                        quoted(start),
                        names.join(", ")
                    ),
                )
                .at(&start.id),
            );
            return;
        }
        let (remedy, fix) = match self.free_end(closed_by) {
            Some(end) => (
                format!(
                    "Wire the last node of the body to {}.",
                    quoted(self.node(end))
                ),
                format!("Wire {end_title}"),
            ),
            None => (
                format!(
                    "Add {} {end_title} after the last node of the body.",
                    article(&end_title)
                ),
                format!("Add {end_title}"),
            ),
        };
        let problem = Problem::error(
            "no_end",
            format!(
                "{} has no {end_title}, so its body has no end. {remedy}",
                quoted(start),
            ),
        )
        .at(&start.id);
        let edits = self.add_end(region, closed_by);
        problems.push(problem.fix(fix, edits));
    }

    fn empty(&self, region: &Region, problems: &mut Vec<Problem>) {
        if !region.body.is_empty() {
            return;
        }
        let start = self.node(region.start);
        if region.end.is_some() || region.body_edges.is_empty() {
            let last = self.awaits(region).map_or_else(String::new, |end| {
                format!(", and the last one to {}", quoted(self.node(end)))
            });
            problems.push(
                Problem::error(
                    "empty_region",
                    format!(
                        "{} has an empty body, so there is nothing to repeat. Wire its `{}` handle to the first node of the \
                         body{last}.",
                        quoted(start),
                        self.body_handle(region),
                    ),
                )
                .at(&start.id),
            );
        }
    }

    /// Returns an end node without incoming wires, for a region that has no end and whose body is still empty. `None` for
    /// other regions, or if there is no such node.
    fn awaits(&self, region: &Region) -> Option<NodeIx> {
        let Shape::ScopeStart { closed_by, .. } = self.graph.shapes[region.start] else {
            return None;
        };
        (region.end.is_none() && region.body_edges.is_empty())
            .then(|| self.free_end(closed_by))
            .flatten()
    }

    fn body_handle(&self, region: &Region) -> &str {
        match region.repeats {
            Repetition::Loop => crate::graph::BODY,
            Repetition::Each => self.graph.handles[region.start]
                .primary_output()
                .map_or("item", |handle| handle.name.as_str()),
        }
    }

    /// Reports edges that leave a region other than through its end.
    fn leaving(&self, region: &Region, problems: &mut Vec<Problem>) {
        let Some(end) = region.end else { return };
        let start = self.node(region.start);
        let body_edges: BTreeSet<EdgeIx> = region.body_edges.iter().copied().collect();
        for index in self.edges_at(region) {
            let edge = &self.flow.edges[index];
            let Some((source, target)) = self.graph.ends[index] else {
                continue;
            };
            if self.graph.is_feedback[index] {
                let inside = region.body.contains(&source);
                if target == region.start && !inside {
                    problems.push(
                        Problem::error(
                            "feedback_from_outside",
                            format!(
                                "The feedback of {} comes from {}, which is not in its body. Feedback must come from a node \
                                 between {} and {}.",
                                quoted(start), quoted(self.node(source)), quoted(start), quoted(self.node(end)),
                            ),
                        )
                        .at(&start.id)
                        .place(format!("edge:{}", edge.id))
                        .fix("Remove the wire", vec![Edit::RemoveEdge { id: edge.id.clone() }]),
                    );
                } else if inside && target != region.start && !region.body.contains(&target) {
                    problems.push(self.leaves(region, index, end));
                }
                continue;
            }
            let into_region = target == end || region.body.contains(&target);
            if source == region.start && into_region && !body_edges.contains(&index) {
                problems.push(self.result_into_region(region, index, target));
                continue;
            }
            let from_inside = region.body.contains(&source) || body_edges.contains(&index);
            if from_inside && target != end && !region.body.contains(&target) {
                problems.push(self.leaves(region, index, end));
            }
        }
        if region.captures.is_empty() {
            return;
        }
        // A start sends the values for its body before each iteration, but its results only after the end is reached.
        let results = self
            .graph
            .successors(region.start)
            .filter(|(edge, next)| {
                !region.body_edges.contains(edge) && !region.body.contains(next) && *next != end
            })
            .map(|(_, next)| next);
        let below = self.before_captures(region, results.chain([end]));
        for &edge in &region.captures {
            let Some((source, target)) = self.graph.ends[edge] else {
                continue;
            };
            if below.contains(&source) {
                problems.push(
                    Problem::error(
                        "capture_from_below",
                        format!(
                            "{} is in the body of {} and reads {}, which runs only after {}. Read a node before the loop, or \
                             send the value back through `feedback`.",
                            quoted(self.node(target)), quoted(start), quoted(self.node(source)), quoted(self.node(end)),
                        ),
                    )
                    .at(&self.node(target).id)
                    .place(format!("edge:{}", self.flow.edges[edge].id))
                    .fix(
                        "Remove the wire",
                        vec![Edit::RemoveEdge {
                            id: self.flow.edges[edge].id.clone(),
                        }],
                    ),
                );
            }
        }
    }

    /// Returns the nodes reachable from `from` that may be sources of the region's captures. Nodes that run later than
    /// the last of these sources are skipped, because they lead to no source.
    fn before_captures(
        &self,
        region: &Region,
        from: impl Iterator<Item = NodeIx>,
    ) -> HashSet<NodeIx> {
        let positions = self.positions.get_or_init(|| {
            let mut positions = vec![usize::MAX; self.flow.nodes.len()];
            let order = self.order.get_or_init(|| self.graph.topological().0);
            for (position, &node) in order.iter().enumerate() {
                positions[node] = position;
            }
            positions
        });
        let sources = region
            .captures
            .iter()
            .filter_map(|&edge| self.graph.ends[edge]);
        let latest = sources.map(|(source, _)| positions[source]).max();
        let mut stack: Vec<NodeIx> = from.collect();
        let mut seen: HashSet<NodeIx> = stack.iter().copied().collect();
        while let Some(node) = stack.pop() {
            for (_, next) in self.graph.successors(node) {
                if Some(positions[next]) <= latest && seen.insert(next) {
                    stack.push(next);
                }
            }
        }
        seen
    }

    /// Returns the edges that leave the body or the start, or send feedback to the start, in document order.
    fn edges_at(&self, region: &Region) -> Vec<EdgeIx> {
        let mut edges: Vec<EdgeIx> = region
            .body
            .iter()
            .chain([&region.start])
            .flat_map(|&node| self.graph.outgoing[node].iter())
            .chain(&self.graph.incoming[region.start])
            .copied()
            .collect();
        edges.sort_unstable();
        edges.dedup();
        edges
    }

    /// Creates the problem of an edge that carries the start's result into the start's own region. The result exists only after
    /// the last iteration, so no iteration can use it.
    fn result_into_region(&self, region: &Region, edge: EdgeIx, target: NodeIx) -> Problem {
        let document_edge = &self.flow.edges[edge];
        let start = self.node(region.start);
        let mut from_body = document_edge.clone();
        from_body.source_handle = Some(self.body_handle(region).to_owned());
        Problem::error(
            "result_into_region",
            format!(
                "{} sends its final result to {}, which runs inside its iterations. Use `{}` instead.",
                quoted(start),
                quoted(self.node(target)),
                self.body_handle(region),
            ),
        )
        .at(&start.id)
        .place(format!("edge:{}", document_edge.id))
        .fix(
            format!("Use `{}`", self.body_handle(region)),
            vec![Edit::UpdateEdge { edge: from_body }],
        )
    }

    fn leaves(&self, region: &Region, edge: EdgeIx, end: NodeIx) -> Problem {
        let document_edge = &self.flow.edges[edge];
        let (source, target) = self.graph.ends[edge].unwrap_or((region.start, end));
        let end_node = self.node(end);
        let mut through_end = document_edge.clone();
        through_end.source.clone_from(&end_node.id);
        through_end.source_handle = self.graph.handles[end]
            .primary_output()
            .map(|handle| handle.name.clone());
        Problem::error(
            "edge_leaves_region",
            format!(
                "The wire from {} to {} leaves the body of {} without passing {}. Take the value from {} instead.",
                quoted(self.node(source)),
                quoted(self.node(target)),
                quoted(self.node(region.start)),
                quoted(end_node),
                quoted(end_node),
            ),
        )
        .at(&self.node(source).id)
        .place(format!("edge:{}", document_edge.id))
        .fix(
            format!("Send it through {}", end_node.title()),
            vec![Edit::UpdateEdge { edge: through_end }],
        )
    }

    fn nesting(&self, region: &Region, problems: &mut Vec<Problem>) {
        if region.repeats != Repetition::Loop
            || region.parent.is_none()
            || self.node(region.start).disabled()
            || self.flow.settings().allow_nested_loops
        {
            return;
        }
        let start = self.node(region.start);
        problems.push(nested_loops(
            &start.id,
            &format!("{} is inside {}.", quoted(start), self.around(region)),
            self.flow,
        ));
    }

    /// Returns the name of the loop or iterator around a region, for a message.
    fn around(&self, region: &Region) -> String {
        let outer = region.parent.map(|parent| &self.regions.regions[parent]);
        match outer {
            Some(outer) if outer.repeats == Repetition::Each => {
                format!("the iterator {}", quoted(self.node(outer.start)))
            }
            Some(outer) => format!("the loop {}", quoted(self.node(outer.start))),
            None => "another".to_owned(),
        }
    }

    /// Reports a loop that stops when a value reaches its end, if every path of its body reaches the end or no path does.
    fn evaluator(&self, region: &Region, problems: &mut Vec<Problem>) {
        let start = self.node(region.start);
        if region.repeats != Repetition::Loop
            || !self
                .kinds
                .of(start)
                .is_some_and(|kind| kind.ends_on_arrival(&start.data))
            || start.disabled()
        {
            return;
        }
        let Some(end) = region.end else { return };
        if region.body.is_empty() {
            return;
        }
        let leads_on =
            |target: NodeIx| target == end || region.roles.get(&target) == Some(&Role::Core);
        let turns_away = region.body.iter().any(|&node| {
            let always_leads_on = self.graph.successors(node).any(|(edge, target)| {
                let leaves_by = self.flow.edges[edge].source_handle.as_deref();
                !self.graph.is_branch(node, leaves_by) && leads_on(target)
            });
            region.roles.get(&node) == Some(&Role::Core)
                && self.graph.branching[node]
                && !always_leads_on
                && self.graph.handles[node].branches().any(|handle| {
                    !self.graph.successors(node).any(|(edge, target)| {
                        let leaves_by = self.graph.handles[node]
                            .output(self.flow.edges[edge].source_handle.as_deref());
                        leaves_by.is_some_and(|by| by.name == handle.name) && leads_on(target)
                    })
                })
        });
        if !turns_away {
            problems.push(
                Problem::error(
                    "evaluator_always_exits",
                    format!(
                        "{} stops when a value reaches {}, but every path through the loop's body leads there, so it always stops after the first iteration. \
                         Put a Router, Validator, Check or Approval before {} with a branch that leads elsewhere, or choose another exit condition.",
                        quoted(start), quoted(self.node(end)), quoted(self.node(end)),
                    ),
                )
                .at(&start.id)
                .place("exitCondition"),
            );
        }
    }

    fn unpaired_ends(&self, problems: &mut Vec<Problem>) {
        let closed: HashSet<NodeIx> = self
            .regions
            .regions
            .iter()
            .filter_map(|region| region.end.or_else(|| self.awaits(region)))
            .collect();
        // For each kind of start, the nodes that follow starts of this kind without an end.
        let mut open: HashMap<&str, Vec<NodeIx>> = HashMap::new();
        for region in &self.regions.regions {
            if region.end.is_none() {
                let kind = self.node(region.start).kind.as_str();
                open.entry(kind).or_default().push(region.start);
            }
        }
        let behind: HashMap<&str, BTreeSet<NodeIx>> = open
            .into_iter()
            .map(|(kind, starts)| (kind, self.graph.reachable(starts)))
            .collect();
        for (index, node) in self.flow.nodes.iter().enumerate() {
            let Shape::ScopeEnd {
                opened_by,
                optional_start,
            } = self.graph.shapes[index]
            else {
                continue;
            };
            let claimed = closed.contains(&index)
                || behind
                    .get(opened_by)
                    .is_some_and(|nodes| nodes.contains(&index));
            if claimed || optional_start {
                continue;
            }
            let opener = self.kind_title(opened_by);
            let a_opener = with_article(&opener);
            let problem = Problem::error(
                "end_without_start",
                format!(
                    "{} closes no {opener}: no path from {a_opener}'s body leads to it. Wire the last node of {a_opener}'s body \
                     to it, or remove it.",
                    quoted(node),
                ),
            )
            .at(&node.id);
            // If some region lacks an end, this end node was probably meant for it.
            let is_wanted = behind.contains_key(opened_by);
            problems.push(if is_wanted {
                problem
            } else {
                problem.fix(
                    "Remove it",
                    vec![Edit::RemoveNode {
                        id: node.id.clone(),
                    }],
                )
            });
        }
    }

    /// Reports a region that is not completely inside its parent, or that shares nodes with a sibling. Comparing a region with
    /// its parent and its siblings is enough.
    fn crossing(&self, problems: &mut Vec<Problem>) {
        let all = &self.regions.regions;
        let mut within: HashMap<usize, HashSet<NodeIx>> = HashMap::new();
        let mut behind: HashMap<usize, BTreeSet<NodeIx>> = HashMap::new();
        for a in all {
            if let Some(around) = a.parent {
                let parent = &all[around];
                // A wire into the middle of a neighboring region does not place this region inside that neighbor.
                let inside = within
                    .entry(around)
                    .or_insert_with(|| self.reached_inside(parent));
                let beside = !inside.contains(&a.start)
                    && !behind
                        .entry(around)
                        .or_insert_with(|| self.graph.reachable([parent.start]))
                        .contains(&a.start);
                let complete = parent.end.is_some() && a.end.is_some();
                if complete && (beside || !a.body.is_subset(&parent.body)) {
                    problems.push(self.cross(a, parent));
                }
            }
        }
        self.crossing_siblings(problems);
    }

    /// Returns the nodes of a body that are reachable from its start without leaving the body.
    fn reached_inside(&self, region: &Region) -> HashSet<NodeIx> {
        let mut reached = HashSet::new();
        let mut stack = vec![region.start];
        while let Some(node) = stack.pop() {
            for (_, next) in self.graph.successors(node) {
                if region.body.contains(&next) && reached.insert(next) {
                    stack.push(next);
                }
            }
        }
        reached
    }

    /// Reports sibling regions that share an end or a part of their bodies, each with the next region that it crosses.
    fn crossing_siblings(&self, problems: &mut Vec<Problem>) {
        let all = &self.regions.regions;
        // For each parent and node, the latest region that contains the node or ends at it.
        let mut holders: HashMap<(Option<usize>, NodeIx, bool), usize> = HashMap::new();
        let mut crossing: BTreeSet<(usize, usize)> = BTreeSet::new();
        for (index, region) in all.iter().enumerate() {
            let Some(end) = region.end else {
                if self.ends_of(region).len() > 1
                    && let Some(other) = self.crossed_by(region)
                    && let Some(other) = self.regions.index_of(other.start)
                    && index < other
                {
                    crossing.insert((index, other));
                }
                continue;
            };
            let body = region.body.iter().map(|&node| (node, false));
            for (node, is_end) in body.chain([(end, true)]) {
                if let Some(before) = holders.insert((region.parent, node, is_end), index) {
                    crossing.insert((before, index));
                }
            }
        }
        problems.extend(
            crossing
                .into_iter()
                .map(|(a, b)| self.cross(&all[a], &all[b])),
        );
    }

    /// Returns the end nodes to which a region without its own end leads. Empty for a region that has an end.
    fn ends_of(&self, region: &Region) -> &BTreeSet<NodeIx> {
        static NONE: BTreeSet<NodeIx> = BTreeSet::new();
        let all = self.open_ends.get_or_init(|| {
            let open = self.regions.regions.iter().filter(|one| one.end.is_none());
            open.map(|one| (one.start, self.find_ends(one))).collect()
        });
        all.get(&region.start).unwrap_or(&NONE)
    }

    fn find_ends(&self, region: &Region) -> BTreeSet<NodeIx> {
        let Shape::ScopeStart { closed_by, .. } = self.graph.shapes[region.start] else {
            return BTreeSet::new();
        };
        let first = region
            .body_edges
            .iter()
            .filter_map(|&edge| self.graph.ends[edge]);
        region
            .body
            .iter()
            .flat_map(|&node| self.graph.successors(node).map(|(_, next)| next))
            .chain(first.map(|(_, target)| target))
            .filter(|&next| self.node(next).kind == closed_by && !region.body.contains(&next))
            .collect()
    }

    /// Returns another region without an end that leads to the same end nodes, so that the bodies of the two regions
    /// overlap. Returns `None` if no other region does.
    fn crossed_by(&self, region: &Region) -> Option<&Region> {
        let all = &self.regions.regions;
        let key = |region: &Region| {
            let ends = self.ends_of(region).iter().copied().collect();
            (region.parent, ends)
        };
        let same_ends = self.same_ends.get_or_init(|| {
            let mut same: HashMap<_, Vec<usize>> = HashMap::new();
            for (index, open) in all.iter().enumerate().filter(|(_, one)| one.end.is_none()) {
                let first = same.entry(key(open)).or_default();
                if first.len() < 2 {
                    first.push(index);
                }
            }
            same
        });
        // Only regions with the same parent are compared.
        let others = same_ends.get(&key(region))?;
        let mut others = others.iter().map(|&index| &all[index]);
        others.find(|other| other.start != region.start)
    }

    fn cross(&self, a: &Region, b: &Region) -> Problem {
        Problem::error(
            "crossing_regions",
            format!(
                "The bodies of {} and {} overlap. Give each its own end node. Then put one body completely inside the other, or separate them.",
                quoted(self.node(a.start)),
                quoted(self.node(b.start)),
            ),
        )
        .at(&self.node(a.start).id)
    }
}

/// Reports a loop inside another repeating scope in a workflow that does not allow nesting. `what` is a sentence that says
/// where the loop is.
pub(crate) fn nested_loops(node: &str, what: &str, flow: &Flow) -> Problem {
    let ceiling = flow.settings().max_iterations_ceiling;
    Problem::error(
        "nested_loops",
        format!(
            "{what} Nested loops are turned off for this workflow because they multiply calls (up to {ceiling} × {ceiling} iterations). Allow nesting in Workflow settings."
        ),
    )
    .at(node)
    .fix(
        "Allow nesting",
        vec![Edit::SetSetting {
            field: "allowNestedLoops".to_owned(),
            value: json!(true),
        }],
    )
}

fn article(word: &str) -> &'static str {
    if word.starts_with(['A', 'E', 'I', 'O', 'U', 'a', 'e', 'i', 'o', 'u']) {
        "an"
    } else {
        "a"
    }
}
