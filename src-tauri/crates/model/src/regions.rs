//! Finds the regions of a flow, inner ones first, and the problems with them. A region lies between a scope start and
//! its scope end.
//!
//! A region consists of the nodes that can be reached from its start's body edges without passing its single end. Inner
//! regions count as one node. A node of a region is *core* if the end can be reached from it, *tail* if it serves only
//! the next iteration, and otherwise a *leaf*.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::{
    document::Flow,
    graph::{BODY, EdgeIx, FEEDBACK, Graph, NodeIx},
    handles::Handle,
    kind::{Kinds, Repetition, Shape},
    problem::{Problem, quoted},
};

mod problems;
mod region;

pub(crate) use problems::nested_loops;
pub use region::{Region, Regions, Role};

/// The maximum nesting depth of loops and iterators in one flow.
pub const MAX_DEPTH: usize = 32;
/// The maximum number of nodes visited in all body searches. Properly nested bodies need at most [`MAX_DEPTH`] visits for each
/// node of a flow; only overlapping bodies need more.
const MAX_STEPS: usize = 2_000_000;

/// Finds the regions of `flow`. Never fails: for an invalid draft, returns the regions that it can find, and the problems.
pub fn regions(flow: &Flow, kinds: &Kinds, graph: &Graph) -> Regions {
    let mut search = Search {
        flow,
        kinds,
        graph,
        found: BTreeMap::new(),
        held_by: vec![[None; 2]; flow.nodes.len()],
        positions: Vec::new(),
        heights: HashMap::new(),
        steps: 0,
        given_up: None,
        visiting: BTreeSet::new(),
    };
    // Regions are found innermost first. In topological order, a region's nodes come after its start, so the order is reversed.
    let (order, stuck) = graph.topological();
    search.positions = vec![usize::MAX; flow.nodes.len()];
    for (position, &node) in order.iter().enumerate() {
        search.positions[node] = position;
    }
    for node in stuck.into_iter().rev().chain(order.into_iter().rev()) {
        if graph.is_start(node) {
            search.extract(node);
        }
    }
    if let Some(problem) = search.given_up {
        return Regions {
            scope_of: vec![None; flow.nodes.len()],
            problems: vec![problem],
            ..Regions::default()
        };
    }
    let mut regions: Vec<Region> = Vec::with_capacity(search.found.len());
    let starts: Vec<NodeIx> = search.found.keys().copied().collect();
    for start in starts {
        inner_first(start, &mut search.found, &mut regions);
    }
    nest(&mut regions);
    let mut scope_of = vec![None; flow.nodes.len()];
    let mut largest_first: Vec<usize> = (0..regions.len()).collect();
    largest_first.sort_by_key(|&index| std::cmp::Reverse(regions[index].body.len()));
    for index in largest_first {
        for &node in &regions[index].body {
            scope_of[node] = Some(index);
        }
    }
    let mut closed = HashMap::new();
    for (index, region) in regions.iter().enumerate() {
        if let Some(end) = region.end {
            closed.entry(end).or_insert(index);
        }
    }
    let mut result = Regions {
        opened: by_start(&regions),
        closed,
        regions,
        scope_of,
        problems: Vec::new(),
        is_complete: true,
    };
    result.problems = problems::find(flow, kinds, graph, &result);
    result
}

/// Moves a region from `found` to `regions`. The regions inside it are moved first, in document order.
fn inner_first(start: NodeIx, found: &mut BTreeMap<NodeIx, Region>, regions: &mut Vec<Region>) {
    let Some(region) = found.remove(&start) else {
        return;
    };
    for &node in &region.body {
        inner_first(node, found, regions);
    }
    regions.push(region);
}

struct Search<'a> {
    flow: &'a Flow,
    kinds: &'a Kinds,
    graph: &'a Graph,
    found: BTreeMap<NodeIx, Region>,
    /// For each node, the two largest of the regions found so far that contain the node or end at it. Each entry contains a
    /// region's size and its start. The largest region is first. Two are kept because a lookup for one region must skip that
    /// region itself.
    held_by: Vec<[Option<(usize, NodeIx)>; 2]>,
    /// The position of each node in topological order. `usize::MAX` for a node on or after a cycle.
    positions: Vec<usize>,
    /// For the start of each region found so far, the number of nested levels of regions, including the region itself.
    heights: HashMap<NodeIx, usize>,
    /// The number of nodes visited so far in all searches.
    steps: usize,
    /// The problem to report if the search was stopped at a limit; `None` if no limit was reached.
    given_up: Option<Problem>,
    visiting: BTreeSet<NodeIx>,
}

/// The body nodes and end nodes that a forward search reached.
#[derive(Default)]
struct Met {
    body: BTreeSet<NodeIx>,
    ends: BTreeSet<NodeIx>,
}

impl Search<'_> {
    fn extract(&mut self, start: NodeIx) {
        let is_over = self.given_up.is_some() || self.found.contains_key(&start);
        if is_over || !self.visiting.insert(start) {
            return;
        }
        if self.visiting.len() > MAX_DEPTH {
            self.give_up_nesting(start);
        }
        let Shape::ScopeStart { closed_by, repeats } = self.graph.shapes[start] else {
            return;
        };
        let body_edges = self.body_edges(start, closed_by, repeats);
        let targets: Vec<_> = body_edges
            .iter()
            .filter_map(|&edge| self.graph.ends[edge].map(|(_, target)| target))
            .collect();
        let met = self.forward(start, targets.iter().copied(), closed_by, &BTreeSet::new());
        let end = (met.ends.len() == 1)
            .then(|| met.ends.first().copied())
            .flatten();
        let below = end.map_or_else(BTreeSet::new, |end| {
            self.below(start, end, &body_edges, &met.body)
        });
        let mut region = Region {
            start,
            end,
            repeats,
            body: self.forward(start, targets, closed_by, &below).body,
            roles: BTreeMap::new(),
            body_edges,
            feedback_edges: Vec::new(),
            dangling: Vec::new(),
            captures: Vec::new(),
            parent: None,
            depth: 0,
        };
        region.feedback_edges = self.graph.incoming[start]
            .iter()
            .copied()
            .filter(|&edge| {
                self.graph.is_feedback[edge]
                    && self.graph.ends[edge]
                        .is_some_and(|(source, _)| region.body.contains(&source))
            })
            .collect();
        region.captures = self.captures(&region);
        self.assign_roles(&mut region);
        self.visiting.remove(&start);
        self.measure(&region);
        if let Some(end) = region.end {
            let own = Some((region.body.len(), start));
            for &node in region.body.iter().chain([&end]) {
                let [first, second] = &mut self.held_by[node];
                if own > *first {
                    *second = std::mem::replace(first, own);
                } else if own > *second {
                    *second = own;
                }
            }
        }
        self.found.insert(start, region);
    }

    /// Records the nesting height of `region`: the number of levels of regions in it, including itself. Stops the
    /// search if the height exceeds [`MAX_DEPTH`].
    fn measure(&mut self, region: &Region) {
        let inner = region.body.iter();
        let inner = inner.filter_map(|node| self.heights.get(node)).max();
        let height = inner.map_or(1, |inner| inner + 1);
        self.heights.insert(region.start, height);
        if height > MAX_DEPTH {
            self.give_up_nesting(region.start);
        }
    }

    fn give_up_nesting(&mut self, start: NodeIx) {
        let node = &self.flow.nodes[start];
        self.given_up.get_or_insert_with(|| {
            Problem::error(
                "nested_too_deep",
                format!(
                    "Loops and iterators are nested more than {MAX_DEPTH} levels deep, starting at {}. Remove some levels, or move the inner \
                     ones into a subflow.",
                    quoted(node)
                ),
            )
            .at(&node.id)
        });
    }

    /// Adds to the number of visited nodes. Returns `true` if the search may continue, and `false` if a limit is exceeded.
    fn count_steps(&mut self, start: NodeIx, nodes: usize) -> bool {
        self.steps += nodes;
        if self.steps > MAX_STEPS && self.given_up.is_none() {
            let node = &self.flow.nodes[start];
            self.given_up = Some(
                Problem::error(
                    "tangled_regions",
                    format!(
                        "Too many loops and iterators have overlapping bodies, including {}. Give each its own end node. Then nest the bodies completely, or separate them.",
                        quoted(node)
                    ),
                )
                .at(&node.id),
            );
        }
        self.given_up.is_none()
    }

    /// Returns the edges that lead from outside the region into its body or its end, in document order.
    fn captures(&self, region: &Region) -> Vec<EdgeIx> {
        let mut edges: Vec<EdgeIx> = region
            .body
            .iter()
            .chain(&region.end)
            .flat_map(|&target| self.graph.predecessors(target))
            .filter(|(_, source)| *source != region.start && !region.body.contains(source))
            .map(|(edge, _)| edge)
            .collect();
        edges.sort_unstable();
        edges.dedup();
        edges
    }

    /// Returns the edges that lead from a region's start into its body.
    fn body_edges(&mut self, start: NodeIx, closed_by: &str, repeats: Repetition) -> Vec<EdgeIx> {
        let all: Vec<(EdgeIx, NodeIx)> = self.graph.successors(start).collect();
        if repeats == Repetition::Each {
            return all.into_iter().map(|(edge, _)| edge).collect();
        }
        let named: Vec<_> = all
            .iter()
            .filter(|(edge, _)| self.flow.edges[*edge].source_handle.as_deref() == Some(BODY))
            .map(|(edge, _)| *edge)
            .collect();
        if !named.is_empty() {
            return named;
        }
        let primary: Vec<_> = all
            .into_iter()
            .filter(|(edge, _)| self.is_primary_output(start, *edge))
            .collect();
        let leading: Vec<_> = primary
            .iter()
            .copied()
            .filter(|&(_, target)| {
                let met = self.forward(start, [target], closed_by, &BTreeSet::new());
                !met.ends.is_empty() || met.body.iter().any(|&node| self.feeds_back(node, start))
            })
            .map(|(edge, _)| edge)
            .collect();
        if leading.is_empty() {
            // This draft has no end node yet, so the nodes after the start are taken as the body.
            return primary.into_iter().map(|(edge, _)| edge).collect();
        }
        leading
    }

    fn is_primary_output(&self, node: NodeIx, edge: EdgeIx) -> bool {
        let handle =
            self.graph.handles[node].output(self.flow.edges[edge].source_handle.as_deref());
        handle.is_some_and(|handle| handle.primary)
    }

    fn feeds_back(&self, node: NodeIx, start: NodeIx) -> bool {
        self.graph.outgoing[node].iter().any(|&edge| {
            self.graph.is_feedback[edge]
                && self.graph.ends[edge].is_some_and(|(_, target)| target == start)
        })
    }

    /// Searches forward from `targets` and stops at end nodes of type `closed_by`. Never enters the nodes in `stop` or the
    /// flow's inputs and outputs. Inner regions count as one node.
    fn forward(
        &mut self,
        start: NodeIx,
        targets: impl IntoIterator<Item = NodeIx>,
        closed_by: &str,
        stop: &BTreeSet<NodeIx>,
    ) -> Met {
        let mut met = Met::default();
        let mut stack: Vec<NodeIx> = targets.into_iter().collect();
        stack.reverse();
        while let Some(node) = stack.pop() {
            if !self.count_steps(start, 1) {
                break;
            }
            // An edge from outside into the middle of an inner region leads to that region as a whole.
            let node = self.region_of(node, start).unwrap_or(node);
            if node == start || stop.contains(&node) || met.body.contains(&node) {
                continue;
            }
            match self.graph.shapes[node] {
                Shape::Input | Shape::Output => continue,
                Shape::ScopeEnd { .. } if self.flow.nodes[node].kind == closed_by => {
                    met.ends.insert(node);
                    continue;
                }
                Shape::ScopeStart { .. } => {
                    self.extract(node);
                    let held = self.found.get(&node).map_or(0, |inner| inner.body.len());
                    self.count_steps(start, held);
                    if let Some(inner) = self.found.get(&node) {
                        met.body.insert(node);
                        met.body.extend(inner.body.iter().copied());
                        let mut behind: Vec<_> = inner.end.into_iter().collect();
                        met.body.extend(inner.end);
                        behind.push(node);
                        let inner_body = inner.body_edges.clone();
                        for source in behind {
                            for (edge, next) in self.graph.successors(source) {
                                if !inner_body.contains(&edge) {
                                    stack.push(next);
                                }
                            }
                        }
                        continue;
                    }
                }
                _ => {}
            }
            met.body.insert(node);
            stack.extend(self.graph.successors(node).map(|(_, next)| next));
        }
        met
    }

    /// Returns the start of the outermost region found so far that contains `node` or ends at it. The region of `start`
    /// itself is ignored. Returns `None` if no other region contains the node or ends at it.
    fn region_of(&self, node: NodeIx, start: NodeIx) -> Option<NodeIx> {
        self.held_by[node]
            .iter()
            .flatten()
            .map(|&(_, holder)| holder)
            .find(|&holder| holder != start)
    }

    /// Returns the nodes after a region: those that can be reached from its end, or from the edges that carry the start's
    /// results. `before` contains the nodes that can be reached without passing the end.
    fn below(
        &self,
        start: NodeIx,
        end: NodeIx,
        body_edges: &[EdgeIx],
        before: &BTreeSet<NodeIx>,
    ) -> BTreeSet<NodeIx> {
        let mut from: Vec<_> = self.graph.successors(end).map(|(_, next)| next).collect();
        from.extend(
            self.graph
                .successors(start)
                .filter(|(edge, _)| !body_edges.contains(edge))
                .map(|(_, next)| next),
        );
        // Only nodes in the body and the end itself matter here. Nodes that come later in the order lead to none of them.
        let latest = before
            .iter()
            .chain([&end])
            .map(|&node| self.positions[node])
            .max();
        let mut below = self.reachable_until(from, latest.unwrap_or(0));
        // On a real cycle, the end can be reached from itself. The cycle is reported separately, and the region stays whole.
        if below.remove(&end) {
            below.retain(|node| !before.contains(node));
        }
        let is_on_a_circle = self.positions[start] == usize::MAX;
        if is_on_a_circle && self.graph.reachable([end]).contains(&start) {
            below.clear();
        }
        below
    }

    /// Returns the nodes reachable along forward edges from `from` through nodes at position `latest` or earlier.
    fn reachable_until(&self, from: Vec<NodeIx>, latest: usize) -> BTreeSet<NodeIx> {
        let mut stack = from;
        stack.retain(|&node| self.positions[node] <= latest);
        let mut seen: BTreeSet<_> = stack.iter().copied().collect();
        while let Some(node) = stack.pop() {
            for (_, next) in self.graph.successors(node) {
                if self.positions[next] <= latest && seen.insert(next) {
                    stack.push(next);
                }
            }
        }
        seen
    }

    fn assign_roles(&self, region: &mut Region) {
        let Some(end) = region.end else {
            region.roles = region.body.iter().map(|&node| (node, Role::Core)).collect();
            return;
        };
        let inside = |node: NodeIx| region.body.contains(&node);
        let core = self.reaching([end], &inside);
        let feeding: Vec<_> = region
            .body
            .iter()
            .copied()
            .filter(|&node| self.feeds_back(node, region.start))
            .collect();
        let mut tail = self.reaching(feeding.iter().copied(), &inside);
        tail.extend(feeding);
        tail.retain(|node| !core.contains(node));
        let mut dangling_heads = BTreeSet::new();
        if region.feedback_edges.is_empty() && self.takes_dangling_branches(region.start) {
            for &node in &core {
                if self.graph.branching[node] {
                    dangling_heads.extend(self.dangling_branches(node, end, region, &core));
                }
            }
        }
        let dangling = self.below_inside(dangling_heads, region, &core);
        tail.extend(dangling.iter().copied());
        tail = self.below_inside(tail, region, &core);
        let representatives = self.representatives(region);
        for &node in &region.body {
            // The nodes of an inner region have the role of its start.
            let representative = representatives.get(&node).copied().unwrap_or(node);
            let role = if core.contains(&representative) {
                Role::Core
            } else if tail.contains(&representative) {
                Role::Tail
            } else {
                Role::Leaf
            };
            region.roles.insert(node, role);
        }
        region.dangling = dangling
            .iter()
            .copied()
            .filter(|&node| {
                self.graph.successors(node).all(|(_, next)| !inside(next))
                    && representatives
                        .get(&node)
                        .and_then(|start| self.found.get(start))
                        .is_none_or(|inner| inner.end == Some(node))
            })
            .collect();
    }

    /// Returns the first nodes of those branches of `node` that do not lead to the region's end. Nodes on a branch that does
    /// lead to the end are not returned: they are leaves, because they also run in the last iteration.
    fn dangling_branches(
        &self,
        node: NodeIx,
        end: NodeIx,
        region: &Region,
        core: &BTreeSet<NodeIx>,
    ) -> Vec<NodeIx> {
        let branch = |edge: EdgeIx| {
            let named = self.flow.edges[edge].source_handle.as_deref();
            self.graph.handles[node]
                .output(named)
                .map(|handle| handle.name.as_str())
                .or(named)
        };
        let leading: Vec<_> = self
            .graph
            .successors(node)
            .filter(|(_, next)| *next == end || core.contains(next))
            .map(|(edge, _)| branch(edge))
            .collect();
        self.graph
            .successors(node)
            .filter(|(edge, next)| {
                let leaves_by = self.flow.edges[*edge].source_handle.as_deref();
                self.graph.is_branch(node, leaves_by)
                    && region.body.contains(next)
                    && !leading.contains(&branch(*edge))
            })
            .map(|(_, next)| next)
            .collect()
    }

    /// Returns the nodes inside the region from which one of `targets` can be reached.
    fn reaching(
        &self,
        targets: impl IntoIterator<Item = NodeIx>,
        inside: &impl Fn(NodeIx) -> bool,
    ) -> BTreeSet<NodeIx> {
        let mut stack: Vec<_> = targets.into_iter().collect();
        let mut seen = BTreeSet::new();
        while let Some(node) = stack.pop() {
            for (_, previous) in self.graph.predecessors(node) {
                if inside(previous) && seen.insert(previous) {
                    stack.push(previous);
                }
            }
        }
        seen
    }

    fn below_inside(
        &self,
        heads: BTreeSet<NodeIx>,
        region: &Region,
        core: &BTreeSet<NodeIx>,
    ) -> BTreeSet<NodeIx> {
        let mut seen = heads;
        let mut stack: Vec<_> = seen.iter().copied().collect();
        while let Some(node) = stack.pop() {
            for (_, next) in self.graph.successors(node) {
                if region.body.contains(&next) && !core.contains(&next) && seen.insert(next) {
                    stack.push(next);
                }
            }
        }
        seen
    }

    /// Maps each node of the regions inside `region`, including their ends, to the start of the outermost of these
    /// regions.
    fn representatives(&self, region: &Region) -> BTreeMap<NodeIx, NodeIx> {
        let mut inner: Vec<&Region> = region
            .body
            .iter()
            .filter_map(|node| self.found.get(node))
            .collect();
        inner.sort_by_key(|inner| std::cmp::Reverse(inner.body.len()));
        let mut representatives = BTreeMap::new();
        for inner in inner {
            // A larger region has already added the nodes of this one.
            if representatives.contains_key(&inner.start) {
                continue;
            }
            for &node in inner.body.iter().chain(&inner.end) {
                representatives.insert(node, inner.start);
            }
        }
        representatives
    }

    fn takes_dangling_branches(&self, start: NodeIx) -> bool {
        let node = &self.flow.nodes[start];
        self.kinds
            .of(node)
            .is_some_and(|kind| kind.ends_on_arrival(&node.data) && !kind.keeps_input(&node.data))
    }
}

fn by_start(regions: &[Region]) -> HashMap<NodeIx, usize> {
    let starts = regions.iter().enumerate();
    starts
        .map(|(index, region)| (region.start, index))
        .collect()
}

/// Sets parents and depths. The parent of a region is the smallest region that contains its start and comes after it in
/// the list. Inner regions come first in the list. Regions on a cycle contain each other's starts, so only one of them
/// becomes the parent.
fn nest(regions: &mut [Region]) {
    let by_start = by_start(regions);
    let mut parents: Vec<Option<usize>> = vec![None; regions.len()];
    for outer in 0..regions.len() {
        for node in &regions[outer].body {
            let Some(&index) = by_start.get(node).filter(|&&index| index < outer) else {
                continue;
            };
            let size = |region: usize| regions[region].body.len();
            if parents[index].is_none_or(|parent| size(outer) < size(parent)) {
                parents[index] = Some(outer);
            }
        }
    }
    for index in (0..regions.len()).rev() {
        let parent = parents[index];
        regions[index].parent = parent;
        regions[index].depth = parent.map_or(0, |outer| regions[outer].depth + 1);
    }
}

/// Returns the output handle at which an edge starts, or `None` if the handle is unknown.
pub fn source_handle<'a>(flow: &Flow, graph: &'a Graph, edge: EdgeIx) -> Option<&'a Handle> {
    let (source, _) = graph.ends[edge]?;
    graph.handles[source].output(flow.edges[edge].source_handle.as_deref())
}

/// Returns whether a target handle with this name is the feedback handle of a loop.
pub fn is_feedback_handle(handle: Option<&str>) -> bool {
    handle == Some(FEEDBACK)
}
