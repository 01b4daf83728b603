//! Rule: of several wires at one handle at most one can be live, but where the handle takes many.

use std::{
    cell::OnceCell,
    collections::{BTreeMap, BTreeSet, HashMap},
};

use serde_json::{Value, json};

use super::{
    Flowing, quoted,
    upstream::{Deciding, deciding},
    ways::{Ways, leaves_by},
};
use crate::{
    graph::{EdgeIx, NodeIx},
    problem::{Edit, Problem},
};

pub(super) fn check(flowing: &Flowing<'_>, problems: &mut Vec<Problem>) {
    let (order, stuck) = flowing.graph.topological();
    let ways = OnceCell::new();
    let mut branches = Branches::new(flowing, order.clone());
    // A wire that closes a circle is reported as that, and is not meant as a second value.
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
            if edges.len() < 2 {
                continue;
            }
            let on: Vec<On> = edges.iter().map(|&edge| branches.of(edge)).collect();
            let apart = apart(&on);
            let both_live = pairs(edges.len())
                .filter(|&(a, b)| !is_set(&apart[a], b))
                .map(|(a, b)| (edges[a], edges[b]))
                .filter(|&(a, b)| !same_value(flowing, a, b))
                // Which no single node tells apart may be told apart by several.
                .find(|&(a, b)| {
                    let ways = ways.get_or_init(|| Ways::new(flowing, &order));
                    !ways.exclude(flowing, a, b)
                });
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

fn pairs(count: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..count).flat_map(move |a| (a + 1..count).map(move |b| (a, b)))
}

/// Two wires from one handle carry the same value; that is reported as a wire too many.
fn same_value(flowing: &Flowing<'_>, a: EdgeIx, b: EdgeIx) -> bool {
    let leaves = |edge: EdgeIx| {
        let (source, _) = flowing.graph.ends[edge]?;
        Some((source, leaves_by(flowing, source, edge)?))
    };
    leaves(a).is_some_and(|a| Some(a) == leaves(b))
}

/// By branching node, in order: those of its outputs, by number, to which an edge is confined. Where that is all of them it is left
/// out.
type On = Vec<(NodeIx, Vec<usize>)>;

/// By edge: a bit for each of the others that lies on other branches of some branching node, so that one of both alone is live.
fn apart(on: &[On]) -> Vec<Vec<u64>> {
    let words = on.len().div_ceil(64);
    let mut by_node: HashMap<NodeIx, Vec<(usize, &[usize])>> = HashMap::new();
    for (edge, nodes) in on.iter().enumerate() {
        for (node, branches) in nodes {
            by_node.entry(*node).or_default().push((edge, branches));
        }
    }
    let mut apart = vec![vec![0_u64; words]; on.len()];
    for edges in by_node.values() {
        let mut all = vec![0_u64; words];
        let mut by_branch: HashMap<usize, Vec<u64>> = HashMap::new();
        for (edge, branches) in edges {
            set(&mut all, *edge);
            for branch in *branches {
                set(
                    by_branch.entry(*branch).or_insert_with(|| vec![0; words]),
                    *edge,
                );
            }
        }
        for (edge, branches) in edges {
            let with: Vec<&Vec<u64>> = branches.iter().map(|branch| &by_branch[branch]).collect();
            for (word, bits) in apart[*edge].iter_mut().enumerate() {
                let together = with.iter().fold(0, |bits, with| bits | with[word]);
                *bits |= all[word] & !together;
            }
        }
    }
    apart
}

fn set(bits: &mut [u64], at: usize) {
    bits[at / 64] |= 1 << (at % 64);
}

fn is_set(bits: &[u64], at: usize) -> bool {
    bits[at / 64] >> (at % 64) & 1 == 1
}

/// By branching node: on which of its branches each node may run, for one after the other as they are asked about.
struct Branches<'f> {
    flowing: &'f Flowing<'f>,
    branching: Vec<NodeIx>,
    /// In topological order, without those on circles and behind them.
    order: Vec<NodeIx>,
    known: HashMap<NodeIx, Vec<Vec<u64>>>,
}

impl<'f> Branches<'f> {
    fn new(flowing: &'f Flowing<'f>, order: Vec<NodeIx>) -> Self {
        let nodes = 0..flowing.flow.nodes.len();
        Self {
            flowing,
            branching: nodes
                .filter(|&node| flowing.graph.branching[node])
                .collect(),
            order,
            known: HashMap::new(),
        }
    }

    /// The branches to which `edge` is confined: it is live only where its branching node takes one of them.
    fn of(&mut self, edge: EdgeIx) -> On {
        let flowing = self.flowing;
        let Some((source, _)) = flowing.graph.ends[edge] else {
            return On::new();
        };
        let mut on = On::new();
        for &node in &self.branching {
            let count = flowing.graph.handles[node].outputs.len();
            let branches: Vec<usize> = if source == node {
                leaves_by(flowing, node, edge).into_iter().collect()
            } else {
                let known = self
                    .known
                    .entry(node)
                    .or_insert_with(|| may_run(flowing, &self.order, node));
                let runs_on = &known[source];
                (0..count)
                    .filter(|&branch| is_set(runs_on, branch))
                    .collect()
            };
            if !branches.is_empty() && branches.len() < count {
                on.push((node, branches));
            }
        }
        on
    }
}

/// By node: a bit for each output of `branching`, where the node may run when that is taken. What runs by other ways as well may
/// run on all of them; only the wires count that decide whether a node runs.
fn may_run(flowing: &Flowing<'_>, order: &[NodeIx], branching: NodeIx) -> Vec<Vec<u64>> {
    let words = flowing.graph.handles[branching].outputs.len().div_ceil(64);
    let mut runs_on = vec![vec![u64::MAX; words]; flowing.flow.nodes.len()];
    for &node in order.iter().filter(|&&node| node != branching) {
        let wires = deciding(flowing, node);
        if wires.is_empty() {
            continue;
        }
        let mut by_any = vec![0_u64; words];
        for Deciding { source, edge, .. } in wires {
            match edge.filter(|_| source == branching) {
                Some(edge) => {
                    if let Some(branch) = leaves_by(flowing, branching, edge) {
                        set(&mut by_any, branch);
                    }
                }
                None => {
                    for (word, bits) in by_any.iter_mut().zip(&runs_on[source]) {
                        *word |= bits;
                    }
                }
            }
        }
        runs_on[node] = by_any;
    }
    runs_on
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
