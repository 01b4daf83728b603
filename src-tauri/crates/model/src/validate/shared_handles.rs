//! Rule: at most one of several wires at a handle can be live, unless the handle accepts several values.

use std::{
    cell::{Cell, OnceCell},
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    rc::Rc,
};

use serde_json::{Value, json};

use super::{
    flow_context::FlowContext,
    upstream::Deciding,
    ways::{Ways, is_branch, leaves_by},
};
use crate::{
    graph::{EdgeIx, NodeIx},
    problem::{Edit, Problem, quoted},
};

/// The maximum number of pairs of wires in one flow whose paths are compared completely. All further pairs count as never live
/// together.
const PAIRS: usize = 50_000;

pub(super) fn check(context: &FlowContext<'_>, problems: &mut Vec<Problem>) {
    let (order, stuck) = context.graph.topological();
    let ways = OnceCell::new();
    let pairs = Cell::new(PAIRS);
    let branches = OnceCell::new();
    // A wire that closes a cycle is already reported as a cycle.
    let stuck: BTreeSet<NodeIx> = stuck.into_iter().collect();
    let counts = |edge: EdgeIx| {
        context.graph.ends[edge].is_some_and(|(source, target)| {
            let leaves_by = context.flow.edges[edge].source_handle.as_deref();
            context.graph.handles[source].output(leaves_by).is_some()
                && (context.graph.is_feedback[edge]
                    || !stuck.contains(&source)
                    || !stuck.contains(&target))
        })
    };
    for (index, node, _) in context.active() {
        let handles = &context.graph.handles[index];
        let mut by_handle: BTreeMap<&str, Vec<EdgeIx>> = BTreeMap::new();
        for &edge in &context.graph.incoming[index] {
            let name = context.flow.edges[edge].target_handle.as_deref();
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
            // Another rule reports wires that carry the same value twice.
            let values = distinct(context, &edges);
            let branches = branches.get_or_init(|| Branches::new(context, &order));
            let told = values
                .iter()
                .filter_map(|&edge| Some((edge, branches.of(edge)?)));
            let (values, on): (Vec<EdgeIx>, Vec<On>) = told.unzip();
            let apart = apart(&on);
            let both_live = together(&apart)
                .map(|(a, b)| (values[a], values[b]))
                .take_while(|_| {
                    pairs.set(pairs.get().saturating_sub(1));
                    pairs.get() > 0
                })
                // Even if no single branching node keeps two wires apart, several such nodes together may.
                .find(|&(a, b)| {
                    let ways = ways.get_or_init(|| Ways::new(context, &order));
                    !ways.exclude(context, a, b)
                });
            let Some((a, b)) = both_live else { continue };
            let source = |edge: EdgeIx| {
                context.graph.ends[edge].map(|(source, _)| quoted(context.node(source)))
            };
            let (first, second) = (source(a).unwrap_or_default(), source(b).unwrap_or_default());
            let problem = Problem::error(
                "several_values",
                format!(
                    "`{handle}` of {} gets values from {first} and {second} in the same run, but takes only one. Give each value its own input, put an Aggregator before this input, or let a Router choose between them.",
                    quoted(node)
                ),
            )
            .at(&node.id)
            .place(handle);
            problems.push(match own_inputs(context, index, &edges) {
                Some(edits) => problem.fix("Give each value its own input", edits),
                None => problem,
            });
        }
    }
}

/// Returns the pairs of edges that can both be live in the same run, ordered by the first edge of the pair.
fn together(apart: &[Vec<u64>]) -> impl Iterator<Item = (usize, usize)> + '_ {
    let count = apart.len();
    apart.iter().enumerate().flat_map(move |(a, bits)| {
        let words = bits.iter().enumerate().skip((a + 1) / 64);
        words
            .filter(|(_, bits)| **bits != u64::MAX)
            .flat_map(move |(word, _)| word * 64..(word * 64 + 64).min(count))
            .filter(move |&b| b > a && !is_set(bits, b))
            .map(move |b| (a, b))
    })
}

/// Returns the first edge for each distinct value. Edges from the same output carry the same value.
fn distinct(context: &FlowContext<'_>, edges: &[EdgeIx]) -> Vec<EdgeIx> {
    let mut seen = HashSet::new();
    let mut distinct = edges.to_vec();
    distinct.retain(|&edge| {
        let source = context.graph.ends[edge].map(|(source, _)| source);
        source
            .and_then(|source| Some((source, leaves_by(context, source, edge)?)))
            .is_none_or(|value| seen.insert(value))
    });
    distinct
}

/// The branches on which an edge is live: for each branching node, in order, the indices of outputs. The edge is live only if
/// the node takes one of these outputs. A branching node is omitted if the edge can be live no matter which output the node
/// takes.
type On = Vec<(NodeIx, Vec<usize>)>;

/// Returns, for each edge, the set of edges that are never live together with it, as bits. Two edges are never live together if
/// they lie on different branches of some branching node.
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

/// The maximum number of branching nodes to which one edge may be confined. An edge that depends on more counts as never live
/// together with any other.
const MAX_CONFINED: usize = 64;

/// The branches on which each node may run, computed in one pass along the wires that decide whether the node runs.
struct Branches<'f> {
    context: &'f FlowContext<'f>,
    /// The branches on which each node may run. If a branching node is not listed, the node may run on all of its branches.
    /// `None` means that there are too many branching nodes to list.
    runs_on: Vec<Option<Rc<Confined>>>,
}

/// For each branching node, the outputs that it may take, as bits.
type Confined = BTreeMap<NodeIx, Vec<u64>>;

impl<'f> Branches<'f> {
    /// Computes the branches. `order` contains the nodes in topological order, except those on or after a cycle. The excepted
    /// nodes may run on any branch.
    fn new(context: &'f FlowContext<'f>, order: &[NodeIx]) -> Self {
        let any = Rc::new(Confined::new());
        let mut branches = Self {
            context,
            runs_on: vec![Some(any); context.flow.nodes.len()],
        };
        for &node in order {
            let wires = context.deciding_wires(node);
            if let [Deciding { source, edge, .. }] = wires.as_slice()
                && edge.is_none_or(|edge| !is_branch(context, *source, edge))
            {
                branches.runs_on[node] = branches.runs_on[*source].clone();
                continue;
            }
            branches.runs_on[node] = branches.joined(&wires);
        }
        branches
    }

    /// Returns the branches on which a node may run if any one of these wires can make it run: the branches on which at least
    /// one of the wires is live. `None` means that there are too many branching nodes to list.
    fn joined(&self, wires: &[Deciding]) -> Option<Rc<Confined>> {
        let mut all: Option<Confined> = None;
        for wire in wires {
            let of = match wire.edge {
                Some(edge) => self.live(wire.source, edge)?,
                None => self.runs_on[wire.source].as_ref().map(Rc::clone)?,
            };
            match &mut all {
                None => all = Some((*of).clone()),
                Some(all) => {
                    all.retain(|node, bits| match of.get(node) {
                        None => false,
                        Some(more) => {
                            bits.iter_mut()
                                .zip(more)
                                .for_each(|(bits, more)| *bits |= more);
                            !self.is_every(*node, bits)
                        }
                    });
                }
            }
        }
        let all = all.unwrap_or_default();
        (all.len() <= MAX_CONFINED).then(|| Rc::new(all))
    }

    fn is_every(&self, node: NodeIx, bits: &[u64]) -> bool {
        let outputs = self.context.graph.handles[node].outputs.iter();
        outputs
            .enumerate()
            .all(|(branch, handle)| handle.always || is_set(bits, branch))
    }

    /// Returns the branches on which the edge, which leaves `source`, is live. `None` means that there are too many branching
    /// nodes to list.
    fn live(&self, source: NodeIx, edge: EdgeIx) -> Option<Rc<Confined>> {
        let runs_on = self.runs_on[source].as_ref()?;
        if !is_branch(self.context, source, edge) {
            return Some(Rc::clone(runs_on));
        }
        let count = self.context.graph.handles[source].outputs.len();
        let mut bits = vec![0_u64; count.div_ceil(64)];
        if let Some(branch) = leaves_by(self.context, source, edge) {
            set(&mut bits, branch);
        }
        let mut confined = (**runs_on).clone();
        if self.is_every(source, &bits) {
            confined.remove(&source);
        } else {
            confined.insert(source, bits);
        }
        Some(Rc::new(confined))
    }

    /// Returns the branches to which `edge` is confined. The edge is live only if each of the branching nodes takes one of its
    /// listed branches. `None` means that there are too many branching nodes to list.
    fn of(&self, edge: EdgeIx) -> Option<On> {
        let Some((source, _)) = self.context.graph.ends[edge] else {
            return Some(On::new());
        };
        let confined = self.live(source, edge)?;
        let on = confined.iter().filter_map(|(&node, bits)| {
            let count = self.context.graph.handles[node].outputs.len();
            let branches: Vec<usize> = (0..count).filter(|&branch| is_set(bits, branch)).collect();
            (!branches.is_empty()).then_some((node, branches))
        });
        Some(on.collect())
    }
}

/// Returns edits that move every wire except the first to a separate input, named after the wire's source. `None` if the kind
/// does not support such inputs.
fn own_inputs(context: &FlowContext<'_>, index: NodeIx, edges: &[EdgeIx]) -> Option<Vec<Edit>> {
    let node = context.node(index);
    let schema = context.kinds.schema(&node.kind)?;
    schema.pointer("/properties/inputs")?;
    let mut inputs: Vec<Value> = node
        .data
        .get("inputs")
        .and_then(Value::as_array)
        .cloned()
        .unwrap_or_default();
    let mut rewired = Vec::new();
    for &edge in edges.get(1..)? {
        let mut edge = context.flow.edges[edge].clone();
        let base = edge.source.clone();
        let mut name = base.clone();
        let mut number = 2;
        while inputs.contains(&json!(name))
            || context.graph.handles[index]
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
