//! Compares the extraction of regions with a second implementation. The second one is slow and was written only from the
//! document "Loops". Both are applied to random flows, and to random flows in which wires were broken, moved and added.

#![allow(clippy::unwrap_used)]

use crate::support;

use std::collections::{BTreeMap, BTreeSet};

use loopwright_model::{
    Flow, Kinds, Repetition, Shape, file,
    graph::{Graph, NodeIx},
    regions::{Role, regions},
};
use proptest::prelude::*;
use serde_json::{Value, json};

type Set = BTreeSet<NodeIx>;

/// A region as the document describes it.
#[derive(Debug, Clone, PartialEq)]
struct Plain {
    end: NodeIx,
    body: Set,
    roles: BTreeMap<NodeIx, char>,
    captures: Set,
}

/// Edges as the document defines them: (source, handle, target, is feedback).
struct Wires(Vec<(NodeIx, String, NodeIx, bool)>);

impl Wires {
    fn read(flow: &Flow, kinds: &Kinds) -> Self {
        let place = |id: &str| flow.nodes.iter().position(|node| node.id == id);
        let wires = flow.edges.iter().filter_map(|edge| {
            let (source, target) = (place(&edge.source)?, place(&edge.target)?);
            let handles = kinds
                .of(&flow.nodes[source])?
                .handles(&flow.nodes[source].data);
            let named = edge.source_handle.as_deref();
            let handle = handles.output(named).map_or_else(
                || named.unwrap_or_default().to_owned(),
                |handle| handle.name.clone(),
            );
            let feedback = edge.target_handle.as_deref() == Some("feedback")
                && flow.nodes[target].kind == "loop";
            Some((source, handle, target, feedback))
        });
        Self(wires.collect())
    }

    fn forward(&self) -> impl Iterator<Item = (NodeIx, &str, NodeIx)> {
        self.0
            .iter()
            .filter(|wire| !wire.3)
            .map(|(source, handle, target, _)| (*source, handle.as_str(), *target))
    }

    /// Returns everything that can be reached from `from` through nodes for which `passes` is true, including `from`.
    fn below(&self, from: Set, passes: impl Fn(NodeIx) -> bool) -> Set {
        let mut all = from;
        loop {
            let more: Set = self
                .forward()
                .filter(|(source, _, target)| all.contains(source) && passes(*target))
                .map(|(_, _, target)| target)
                .filter(|target| !all.contains(target))
                .collect();
            if more.is_empty() {
                return all;
            }
            all.extend(more);
        }
    }
}

/// Applies the document's rules, one pair at a time, innermost first. Returns `None` if a rule is broken.
fn extract(flow: &Flow, kinds: &Kinds) -> Option<BTreeMap<NodeIx, Plain>> {
    let wires = Wires::read(flow, kinds);
    let nodes: Set = (0..flow.nodes.len()).collect();
    let shape = |node: NodeIx| kinds.shape(&flow.nodes[node]);
    let mut starts: Vec<NodeIx> = nodes
        .iter()
        .copied()
        .filter(|&node| matches!(shape(node), Shape::ScopeStart { .. }))
        .collect();
    // Starts are sorted by the number of nodes below them, fewest first, because an inner start is below the outer one.
    starts.sort_by_key(|&start| wires.below([start].into(), |_| true).len());
    let mut found: BTreeMap<NodeIx, Plain> = BTreeMap::new();
    for start in starts {
        let region = region(flow, &wires, &shape, &found, start)?;
        found.insert(start, region);
    }
    let starts: Vec<NodeIx> = found.keys().copied().collect();
    for (place, a) in starts.iter().enumerate() {
        for b in &starts[place + 1..] {
            let (a_region, b_region) = (&found[a], &found[b]);
            let apart = a_region.body.is_disjoint(&b_region.body);
            let nested = |outer_start: NodeIx, outer: &Plain, start: NodeIx, inner: &Plain| {
                outer.body.contains(&start)
                    && wires.below([outer_start].into(), |_| true).contains(&start)
                    && outer.body.contains(&inner.end)
                    && outer.body.is_superset(&inner.body)
            };
            let is_nested =
                nested(*a, a_region, *b, b_region) || nested(*b, b_region, *a, a_region);
            if a_region.end == b_region.end || !(apart || is_nested) {
                return None;
            }
        }
    }
    // Every Exit ends a loop.
    let exits = nodes
        .iter()
        .filter(|&&node| flow.nodes[node].kind == "exit");
    exits
        .copied()
        .all(|exit| found.values().any(|region| region.end == exit))
        .then_some(found)
}

fn region(
    flow: &Flow,
    wires: &Wires,
    shape: &impl Fn(NodeIx) -> Shape,
    found: &BTreeMap<NodeIx, Plain>,
    start: NodeIx,
) -> Option<Plain> {
    let Shape::ScopeStart { closed_by, repeats } = shape(start) else {
        return None;
    };
    // From outside, an inner pair and its body count as a single node, which is represented by the start of the pair.
    let one = |node: NodeIx| {
        found
            .iter()
            .filter(|(_, inner)| inner.end == node || inner.body.contains(&node))
            .max_by_key(|(_, inner)| inner.body.len())
            .map_or(node, |(inner, _)| *inner)
    };
    // The wires between such nodes, without those that stay inside an inner pair.
    let outer: Vec<(NodeIx, &str, NodeIx)> = wires
        .forward()
        .map(|(source, handle, target)| (one(source), handle, one(target)))
        .filter(|(source, _, target)| source != target || !found.contains_key(source))
        .collect();
    let is_end = |node: NodeIx| flow.nodes[node].kind == closed_by && one(node) == node;
    let bounds = |node: NodeIx| matches!(shape(node), Shape::Input | Shape::Output);
    let walk = |from: Set| {
        let mut all: Set = from.into_iter().filter(|&node| !bounds(node)).collect();
        loop {
            let more: Set = outer
                .iter()
                .filter(|(source, _, target)| {
                    all.contains(source) && !is_end(*source) && !bounds(*target) && *target != start
                })
                .map(|wire| wire.2)
                .filter(|target| !all.contains(target))
                .collect();
            if more.is_empty() {
                return all;
            }
            all.extend(more);
        }
    };
    let leaving = |name: &str| -> Set {
        let by = |wire: &&(NodeIx, &str, NodeIx)| wire.0 == start && wire.1 == name;
        outer.iter().filter(by).map(|wire| wire.2).collect()
    };
    let feeds_back = |node: NodeIx| {
        wires.0.iter().any(|(source, _, target, feedback)| {
            *feedback && *target == start && one(*source) == node
        })
    };
    let mut into_body = match repeats {
        Repetition::Each => outer
            .iter()
            .filter(|wire| wire.0 == start)
            .map(|wire| wire.2)
            .collect(),
        Repetition::Loop => leaving("body"),
    };
    let mut results: Set = match repeats {
        Repetition::Each => Set::new(),
        Repetition::Loop => outer
            .iter()
            .filter(|wire| wire.0 == start && wire.1 != "body")
            .map(|wire| wire.2)
            .collect(),
    };
    if into_body.is_empty() && repeats == Repetition::Loop {
        let leads = |target: NodeIx| {
            let reached = walk([target].into());
            reached.iter().any(|&node| is_end(node) || feeds_back(node))
        };
        into_body = leaving("output")
            .into_iter()
            .filter(|&target| leads(target))
            .collect();
        results.retain(|node| !into_body.contains(node));
    }
    let reached = walk(into_body.clone());
    let ends: Vec<NodeIx> = reached
        .iter()
        .copied()
        .filter(|&node| is_end(node))
        .collect();
    let [end] = ends[..] else { return None };
    let members: Set = reached.into_iter().filter(|&node| node != end).collect();
    if members.is_empty() {
        return None;
    }
    // No node of the body is below the end or the results of the start, and wires leave the body only through the end.
    let mut below = wires.below([end].into(), |_| true);
    below.extend(wires.below(results, |_| true));
    below.remove(&end);
    let whole: Set = members
        .iter()
        .flat_map(|&node| {
            let inner = found.get(&node);
            inner
                .into_iter()
                .flat_map(|inner| inner.body.iter().copied().chain([inner.end]))
                .chain([node])
        })
        .collect();
    if whole.iter().any(|node| below.contains(node)) || into_body.iter().any(|&node| bounds(node)) {
        return None;
    }
    for (source, _, target, feedback) in &wires.0 {
        let inside = whole.contains(source);
        let own_feedback = *feedback && *target == start;
        if own_feedback && !inside {
            return None;
        }
        if inside && !own_feedback && *target != end && !whole.contains(target) {
            return None;
        }
    }
    if outer.iter().any(|wire| {
        wire.0 == start && wire.2 == end && wire.1 != "body" && !into_body.contains(&end)
    }) {
        return None;
    }
    let captures: Set = wires
        .0
        .iter()
        .enumerate()
        .filter(|(_, (source, _, target, feedback))| {
            !feedback
                && (whole.contains(target) || *target == end)
                && *source != start
                && !whole.contains(source)
        })
        .map(|(edge, _)| edge)
        .collect();
    Some(Plain {
        end,
        roles: roles(
            flow,
            &outer,
            &members,
            &whole,
            &one,
            &feeds_back,
            shape,
            (start, end),
        ),
        body: whole,
        captures,
    })
}

#[allow(
    clippy::too_many_arguments,
    reason = "the words of one paragraph of the document"
)]
fn roles(
    flow: &Flow,
    outer: &[(NodeIx, &str, NodeIx)],
    members: &Set,
    whole: &Set,
    one: &impl Fn(NodeIx) -> NodeIx,
    feeds_back: &impl Fn(NodeIx) -> bool,
    shape: &impl Fn(NodeIx) -> Shape,
    (start, end): (NodeIx, NodeIx),
) -> BTreeMap<NodeIx, char> {
    let reach = |from: NodeIx| {
        let mut all: Set = [from].into();
        loop {
            let more: Set = outer
                .iter()
                .filter(|wire| all.contains(&wire.0) && wire.0 != end)
                .map(|wire| wire.2)
                .filter(|target| members.contains(target) || *target == end)
                .filter(|target| !all.contains(target))
                .collect();
            if more.is_empty() {
                return all;
            }
            all.extend(more);
        }
    };
    let core: Set = members
        .iter()
        .copied()
        .filter(|&node| reach(node).contains(&end))
        .collect();
    let mut tail: Set = members
        .iter()
        .copied()
        .filter(|node| !core.contains(node) && reach(*node).iter().any(|&next| feeds_back(next)))
        .collect();
    let data = &flow.nodes[start];
    let dangles = data.text("exitCondition") == Some("evaluator")
        && data.text("feedbackMode") != Some("variables")
        && !members.iter().any(|&node| feeds_back(node));
    if dangles {
        // If `exhausted` of an inner loop is wired, the inner loop is a branch: either `exhausted` or `output` has a value.
        let leaves_by = |node: NodeIx| -> BTreeSet<&str> {
            let by = |wire: &&(NodeIx, &str, NodeIx)| wire.0 == node;
            outer.iter().filter(by).map(|wire| wire.1).collect()
        };
        let branching =
            |node: NodeIx| shape(node) == Shape::Branching || leaves_by(node).contains("exhausted");
        for &node in core.iter().filter(|&&node| branching(node)) {
            let branch = |name: &str| -> Set {
                let by = |wire: &&(NodeIx, &str, NodeIx)| wire.0 == node && wire.1 == name;
                outer.iter().filter(by).map(|wire| wire.2).collect()
            };
            let names: BTreeSet<&str> = leaves_by(node)
                .into_iter()
                .filter(|name| {
                    shape(node) == Shape::Branching || ["output", "exhausted"].contains(name)
                })
                .collect();
            for name in names {
                let targets = branch(name);
                if !targets
                    .iter()
                    .any(|target| *target == end || core.contains(target))
                {
                    tail.extend(targets);
                }
            }
        }
    }
    let below: Set = tail.iter().flat_map(|&node| reach(node)).collect();
    tail.extend(below);
    whole
        .iter()
        .map(|&node| {
            let stands_for = one(node);
            let role = if core.contains(&stands_for) {
                'c'
            } else if tail.contains(&stands_for) {
                't'
            } else {
                'l'
            };
            (node, role)
        })
        .collect()
}

/// Returns the regions that the program finds, in the form that this second implementation uses. `None` if the program reports
/// that the regions cannot be determined.
fn found(flow: &Flow, kinds: &Kinds) -> Option<BTreeMap<NodeIx, Plain>> {
    let graph = Graph::new(flow, kinds);
    let all = regions(flow, kinds, &graph);
    // These problems concern the run, not the definition of a region.
    let other = ["nested_loops", "evaluator_always_exits"];
    if all
        .problems
        .iter()
        .any(|problem| problem.is_error() && !other.contains(&problem.code))
    {
        return None;
    }
    all.regions
        .iter()
        .map(|region| {
            let roles = region.roles.iter().map(|(&node, role)| {
                let role = match role {
                    Role::Core => 'c',
                    Role::Tail => 't',
                    Role::Leaf => 'l',
                };
                (node, role)
            });
            let plain = Plain {
                end: region.end?,
                body: region.body.clone(),
                roles: roles.collect(),
                captures: region.captures.iter().copied().collect(),
            };
            Some((region.start, plain))
        })
        .collect()
}

/// Breaks, moves and adds wires. The nodes are in topological order, so this never creates a cycle.
fn disturb(document: &mut Value, changes: &[(u8, u8, u8)]) {
    let nodes: Vec<Value> = document["nodes"].as_array().cloned().unwrap_or_default();
    for &(what, a, b) in changes {
        let Some(edges) = document["edges"].as_array_mut() else {
            return;
        };
        let place = usize::from(a) % edges.len().max(1);
        let (a, b) = (usize::from(a) % nodes.len(), usize::from(b) % nodes.len());
        match what % 4 {
            0 if edges.len() > 1 => {
                edges.remove(place);
            }
            1 if a < b => edges.push(json!({
                "id": format!("new{}", edges.len()), "source": nodes[a]["id"], "target": nodes[b]["id"]
            })),
            2 => {
                let target = edges[place]["target"].clone();
                let place_of = |id: &Value| nodes.iter().position(|node| node["id"] == *id);
                let before = place_of(&edges[place]["source"]) < Some(b);
                if before && edges[place]["targetHandle"] != "feedback" && target != nodes[b]["id"] {
                    edges[place]["target"] = nodes[b]["id"].clone();
                    edges[place]["targetHandle"] = Value::Null;
                }
            }
            3 if edges[place]["sourceHandle"] == "body" => {
                edges[place]["sourceHandle"] = json!("output");
            }
            _ => {}
        }
    }
}

fn compare(document: &Value) -> Result<bool, TestCaseError> {
    let flow = file::read_value(document.clone()).unwrap();
    let kinds = loopwright_nodes::all();
    let expected = extract(&flow, kinds.specs());
    let actual = found(&flow, kinds.specs());
    prop_assert_eq!(&actual, &expected, "{:#}", document);
    Ok(expected.is_some())
}

proptest! {
    #![proptest_config(support::generate::config(160))]

    #[test]
    fn valid_flows(bytes in prop::collection::vec(any::<u8>(), 0..160)) {
        let document = support::generate::flow(&bytes, false);
        prop_assert!(compare(&document)?, "a valid flow counts as broken");
    }

    #[test]
    fn disturbed_flows(
        bytes in prop::collection::vec(any::<u8>(), 0..120),
        changes in prop::collection::vec((any::<u8>(), any::<u8>(), any::<u8>()), 1..4),
    ) {
        let mut document = support::generate::flow(&bytes, false);
        disturb(&mut document, &changes);
        compare(&document)?;
    }
}
