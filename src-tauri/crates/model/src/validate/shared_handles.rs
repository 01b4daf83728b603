//! Rule: of several wires at one handle at most one can be live, but where the handle takes many.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::{Flowing, quoted};
use crate::{
    graph::{EdgeIx, NodeIx},
    problem::{Edit, Problem},
};

pub(super) fn check(flowing: &Flowing<'_>, problems: &mut Vec<Problem>) {
    let mut branches = Branches::default();
    // A wire that closes a circle is reported as that, and is not meant as a second value.
    let (_, stuck) = flowing.graph.topological();
    let stuck: BTreeSet<NodeIx> = stuck.into_iter().collect();
    let counts = |edge: EdgeIx| {
        flowing.graph.ends[edge].is_some_and(|(source, target)| {
            let leaves_by = flowing.flow.edges[edge].source_handle.as_deref();
            flowing.graph.handles[source].output(leaves_by).is_some()
                && (flowing.graph.is_feedback[edge]
                    || !stuck.contains(&source)
                    || !stuck.contains(&target))
        })
    };
    for (index, node, _) in flowing.active() {
        let handles = &flowing.graph.handles[index];
        let mut by_handle: BTreeMap<&str, Vec<EdgeIx>> = BTreeMap::new();
        for &edge in &flowing.graph.incoming[index] {
            let name = flowing.flow.edges[edge].target_handle.as_deref();
            if let Some(handle) = handles
                .input(name)
                .filter(|handle| !handle.many && counts(edge))
            {
                by_handle.entry(&handle.name).or_default().push(edge);
            }
        }
        for (handle, edges) in by_handle {
            let both_live = pairs(&edges)
                .find(|&(a, b)| !same_value(flowing, a, b) && !branches.exclude(flowing, a, b));
            let Some((a, b)) = both_live else { continue };
            let source = |edge: EdgeIx| {
                flowing.graph.ends[edge].map(|(source, _)| quoted(flowing.node(source)))
            };
            let (first, second) = (source(a).unwrap_or_default(), source(b).unwrap_or_default());
            let problem = Problem::error(
                "several_values",
                format!(
                    "`{handle}` of {} gets a value from {first} and one from {second} in the same run, and takes one. Give each an input \
                     of its own, put an Aggregator before it, or let a Router choose between them.",
                    quoted(node)
                ),
            )
            .at(&node.id)
            .place(handle);
            problems.push(match own_inputs(flowing, index, &edges) {
                Some(edits) => problem.fix("Give each its own input", edits),
                None => problem,
            });
        }
    }
}

fn pairs(edges: &[EdgeIx]) -> impl Iterator<Item = (EdgeIx, EdgeIx)> + '_ {
    edges
        .iter()
        .enumerate()
        .flat_map(|(at, &a)| edges[at + 1..].iter().map(move |&b| (a, b)))
}

/// Two wires from one handle carry the same value; that is reported as a wire too many.
fn same_value(flowing: &Flowing<'_>, a: EdgeIx, b: EdgeIx) -> bool {
    let (a, b) = (&flowing.flow.edges[a], &flowing.flow.edges[b]);
    a.source == b.source && a.source_handle == b.source_handle
}

/// By branching node: what lies on each of its branches.
#[derive(Default)]
struct Branches {
    known: BTreeMap<NodeIx, Vec<(String, BTreeSet<NodeIx>)>>,
}

impl Branches {
    /// Whether two edges lie on different branches of one branching node.
    fn exclude(&mut self, flowing: &Flowing<'_>, a: EdgeIx, b: EdgeIx) -> bool {
        (0..flowing.flow.nodes.len())
            .filter(|&node| flowing.graph.branching[node])
            .any(|node| {
                let on_a = self.of(flowing, node, a);
                let on_b = self.of(flowing, node, b);
                !on_a.is_empty() && !on_b.is_empty() && on_a.is_disjoint(&on_b)
            })
    }

    /// The branches of `node` on which `edge` lies.
    fn of(&mut self, flowing: &Flowing<'_>, node: NodeIx, edge: EdgeIx) -> BTreeSet<String> {
        let Some((source, _)) = flowing.graph.ends[edge] else {
            return BTreeSet::new();
        };
        let handles = &flowing.graph.handles[node];
        let leaves_by = |edge: EdgeIx| {
            handles
                .output(flowing.flow.edges[edge].source_handle.as_deref())
                .map(|handle| handle.name.clone())
        };
        if source == node {
            return leaves_by(edge).into_iter().collect();
        }
        let branches = self.known.entry(node).or_insert_with(|| {
            let mut targets: BTreeMap<String, Vec<NodeIx>> = BTreeMap::new();
            for (edge, target) in flowing.graph.successors(node) {
                if let Some(name) = leaves_by(edge) {
                    targets.entry(name).or_default().push(target);
                }
            }
            targets
                .into_iter()
                .map(|(name, targets)| (name, flowing.graph.reachable(targets)))
                .collect()
        });
        branches
            .iter()
            .filter(|(_, reached)| reached.contains(&source))
            .map(|(name, _)| name.clone())
            .collect()
    }
}

/// Edits that give every wire but the first an input named after its source, where the kind can have named inputs.
fn own_inputs(flowing: &Flowing<'_>, index: NodeIx, edges: &[EdgeIx]) -> Option<Vec<Edit>> {
    let node = flowing.node(index);
    let schema = flowing.spec(index)?.schema();
    schema.pointer("/properties/inputs")?;
    let mut inputs: Vec<Value> = node
        .data
        .get("inputs")
        .and_then(Value::as_array)
        .cloned()
        .unwrap_or_default();
    let mut rewired = Vec::new();
    for &edge in edges.get(1..)? {
        let mut edge = flowing.flow.edges[edge].clone();
        let base = edge.source.clone();
        let mut name = base.clone();
        let mut number = 2;
        while inputs.contains(&json!(name))
            || flowing.graph.handles[index]
                .inputs
                .iter()
                .any(|handle| handle.name == name)
        {
            name = format!("{base}_{number}");
            number += 1;
        }
        inputs.push(json!(name));
        edge.target_handle = Some(name);
        rewired.push(Edit::UpdateEdge { edge });
    }
    let mut edits = vec![Edit::SetData {
        node: node.id.clone(),
        field: "inputs".to_owned(),
        value: Value::Array(inputs),
    }];
    edits.append(&mut rewired);
    Some(edits)
}
