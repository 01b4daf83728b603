//! Partial runs of a flow: pinned values replace executions, and nodes whose results are not needed do not run.

use std::sync::Arc;

use loopwright_model::{Flow, Node, Repetition, Shape, graph::NodeIx, regions::Role};
use serde_json::{Map, Value};

use super::{Binding, Bound, GraphIx, Plan, PlanNode, Repeat, Source, Work};
use crate::{
    kind::KindSet,
    outcome::{NodeError, Outcome},
};

/// The part of a flow to run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Focus {
    /// The values that replace the values of nodes, by node id. They apply in every iteration, and their nodes are not
    /// executed.
    pub pins: Map<String, Value>,
    /// The id of the node at which the run ends; `None` to run the whole flow.
    pub until: Option<String>,
}

/// Returns an outcome of `node` with a value that a person set. The value is at the primary handle. If it is an object, each of
/// its fields is also at the handle with the same name. The value for a branching node must name its branch, as a computed
/// value does.
///
/// # Errors
/// `cannot_be_given` if nodes of this kind have no value, or if the value for a branching node names no branch.
pub fn override_outcome(
    kinds: &KindSet,
    node: &Node,
    value: Arc<Value>,
) -> Result<Outcome, NodeError> {
    let refuse = |why: &str| {
        Err(NodeError::new(
            "cannot_be_given",
            format!("The value of \"{}\" cannot be set: {why}", node.title()),
        ))
    };
    let Some(kind) = kinds.get(&node.kind) else {
        return refuse("the node's kind is unknown.");
    };
    let handles = kind.handles(&node.data);
    let mut outcome = Outcome {
        value: Arc::clone(&value),
        pinned: true,
        ..Outcome::default()
    };
    match kind.shape() {
        Shape::Annotation => return refuse("the node never runs."),
        Shape::ScopeStart {
            repeats: Repetition::Each,
            closed_by,
        } => {
            return refuse(&format!(
                "the node outputs the items one after another. Set the value of its {closed_by} instead."
            ));
        }
        Shape::Branching => {
            let Some(branch) = kind.branch_of(&value) else {
                let names: Vec<_> = handles.branches().map(|h| h.name.as_str()).collect();
                return refuse(&format!(
                    "the value must name the branch that the node takes ({}), as {}.",
                    names.join(", "),
                    kind.branch_example(),
                ));
            };
            if !handles.branches().any(|handle| handle.name == branch) {
                return refuse(&format!("the node has no branch `{branch}`."));
            }
            for handle in handles.outputs.iter().filter(|handle| handle.always) {
                let always = (handle.name.clone(), Arc::clone(&value));
                outcome.handles.push(always);
            }
            let carried = value.get("value").cloned();
            outcome
                .handles
                .push((branch.clone(), carried.map_or(value, Arc::new)));
            outcome.branch = Some(branch);
        }
        _ => {
            for handle in &handles.outputs {
                if handle.primary {
                    outcome
                        .handles
                        .push((handle.name.clone(), Arc::clone(&value)));
                } else if let Some(field) = value.get(&handle.name) {
                    outcome
                        .handles
                        .push((handle.name.clone(), Arc::new(field.clone())));
                }
            }
        }
    }
    Ok(outcome)
}

impl Plan {
    /// Limits the plan to `focus`.
    ///
    /// # Errors
    /// `no_such_node` if the focus names an unknown node; `cannot_be_given` if a pin does not fit its node; `internal` if
    /// clones of the plan exist.
    pub fn focus(&mut self, flow: &Flow, kinds: &KindSet, focus: &Focus) -> Result<(), NodeError> {
        let find = |id: &str, what: &str| {
            flow.nodes
                .iter()
                .position(|node| node.id == id)
                .filter(|&node| !matches!(self.nodes[node].work, Work::Annotation))
                .ok_or_else(|| {
                    let ids: Vec<_> = flow.nodes.iter().map(|node| node.id.as_str()).collect();
                    NodeError::new(
                        "no_such_node",
                        format!(
                            "{what} names `{id}`, which is not a node. The nodes are {}.",
                            ids.join(", ")
                        ),
                    )
                })
        };
        let mut pins = Vec::new();
        for (id, value) in &focus.pins {
            let node = find(id, "A pin")?;
            pins.push((
                node,
                override_outcome(kinds, &flow.nodes[node], Arc::new(value.clone()))?,
            ));
        }
        let until = focus
            .until
            .as_deref()
            .map(|id| find(id, "The end of the run"))
            .transpose()?;
        for (node, outcome) in pins {
            let at = match &self.nodes[node].work {
                // The value of a pinned end comes from the region's start, and neither node runs.
                Work::End { start, .. } => *start,
                _ => node,
            };
            self.nodes_mut()?[at].pinned = Some(Arc::new(outcome));
        }
        self.until = until.map(|node| match &self.nodes[node].work {
            // A scope is complete when its end has a value.
            Work::Scope { end, .. } => *end,
            _ => node,
        });
        if !focus.pins.is_empty() || self.until.is_some() {
            self.mark_needed()?;
        }
        Ok(())
    }

    /// Marks the nodes that must run: those on which the needed values depend, through wires or names in templates. A pinned
    /// node depends on no other node.
    fn mark_needed(&mut self) -> Result<(), NodeError> {
        let mut needs = Needs {
            plan: self,
            needed: vec![false; self.nodes.len()],
            chain: Vec::new(),
        };
        match self.until {
            Some(target) => needs.until(target),
            None => needs.everything(0),
        }
        let needed = needs.needed;
        for (node, needed) in self.nodes_mut()?.iter_mut().zip(needed) {
            node.needed = needed;
        }
        Ok(())
    }

    fn nodes_mut(&mut self) -> Result<&mut [PlanNode], NodeError> {
        Arc::get_mut(&mut self.nodes).ok_or_else(|| {
            NodeError::new(
                "internal",
                "The plan was limited to some nodes after it was shared.",
            )
        })
    }
}

struct Needs<'a> {
    plan: &'a Plan,
    needed: Vec<bool>,
    /// Graphs in which only the nodes that lead to the run's last node are needed.
    chain: Vec<GraphIx>,
}

impl Needs<'_> {
    fn until(&mut self, target: NodeIx) {
        let plan = self.plan;
        let mut at = target;
        loop {
            let graph = plan.nodes[at].graph;
            self.chain.push(graph);
            if plan.nodes[at].role == Role::Tail {
                // A tail node runs only after the exit condition of its iteration was evaluated, so the sources of that
                // evaluation are also needed.
                self.whole_core(graph);
                self.loop_names(graph);
            } else {
                let names = plan.graphs[graph].initial_bindings.iter();
                for bindings in names.chain([&plan.graphs[graph].condition_bindings]) {
                    self.need_bindings(graph, bindings);
                }
            }
            self.need(at);
            let Some(owner) = plan.graphs[graph].owner else {
                break;
            };
            at = owner;
        }
    }

    /// Marks the nodes that a complete run of a graph needs: the nodes without consumers, and the sources of the region's
    /// result, of its feedback, and of the loop's expressions.
    fn everything(&mut self, graph: GraphIx) {
        let plan = self.plan;
        for &node in &plan.graphs[graph].members {
            if plan.nodes[node].consumers.is_empty() {
                self.need(node);
            }
        }
        self.whole_core(graph);
        for wire in &plan.graphs[graph].feedback_wires {
            self.need_source(graph, &wire.source);
        }
        for &slot in &plan.graphs[graph].dangling {
            self.need(plan.graphs[graph].members[slot]);
        }
        self.loop_names(graph);
    }

    /// Marks the nodes that decide the region's result: the sources of the wires into its end, and its branching core nodes.
    fn whole_core(&mut self, graph: GraphIx) {
        let plan = self.plan;
        for wire in &plan.graphs[graph].end_wires {
            self.need_source(graph, &wire.source);
        }
        for &node in &plan.graphs[graph].members {
            // A branching node that leads away from the end provides the result of the iteration.
            if plan.nodes[node].shape == Shape::Branching
                && plan.nodes[node].role == Role::Core
                && graph != 0
            {
                self.need(node);
            }
        }
    }

    fn loop_names(&mut self, graph: GraphIx) {
        let state = &self.plan.graphs[graph];
        let lists = state
            .initial_bindings
            .iter()
            .chain(&state.next_bindings)
            .chain(&state.output_bindings)
            .chain([
                &state.condition_bindings,
                &state.score_bindings,
                &state.summary_bindings,
            ]);
        for bindings in lists {
            self.need_bindings(graph, bindings);
        }
    }

    fn need(&mut self, node: NodeIx) {
        if std::mem::replace(&mut self.needed[node], true) {
            return;
        }
        let plan = self.plan;
        let planned = &plan.nodes[node];
        if let Work::End { start, .. } = planned.work {
            self.need(start);
        }
        if planned.pinned.is_some() {
            if let Work::Scope { end, .. } = planned.work {
                self.needed[end] = true;
            }
            return;
        }
        for wire in &planned.wires {
            self.need_source(planned.graph, &wire.source);
        }
        self.need_bindings(planned.graph, &planned.bindings);
        if let Work::Scope { graph, end } = planned.work {
            self.need(end);
            if !self.chain.contains(&graph) && !planned.disabled {
                self.everything(graph);
            }
        }
    }

    fn need_bindings(&mut self, graph: GraphIx, bindings: &[Binding]) {
        let plan = self.plan;
        for binding in bindings {
            match &binding.bound {
                Bound::Node(node) => self.need_source(graph, &node.source),
                Bound::Nodes(nodes) => {
                    for (_, node) in nodes {
                        self.need_source(graph, &node.source);
                    }
                }
                Bound::Previous { up, nodes } => {
                    if let Some(graph) = plan.out(graph, *up) {
                        for (_, slot, _) in nodes {
                            self.need(plan.graphs[graph].members[*slot]);
                        }
                    }
                }
                _ => {}
            }
        }
    }

    fn need_source(&mut self, graph: GraphIx, source: &Source) {
        if let Some(node) = self.plan.source_node(graph, source) {
            self.need(node);
        }
    }
}

impl Plan {
    /// Returns the node to which `source` refers, as seen from `graph`, or `None` if there is no such node.
    pub(crate) fn source_node(&self, graph: GraphIx, source: &Source) -> Option<NodeIx> {
        match source {
            Source::Local { slot, .. } => Some(self.graphs[graph].members[*slot]),
            Source::Outer { up, slot, .. } => {
                let graph = self.out(graph, *up)?;
                Some(self.graphs[graph].members[*slot])
            }
            Source::ScopeInput { up, .. } => self.graphs[self.out(graph, *up)?].owner,
        }
    }

    fn out(&self, graph: GraphIx, up: usize) -> Option<GraphIx> {
        (0..up).try_fold(graph, |graph, _| self.graphs[graph].parent)
    }
}

impl Plan {
    /// Returns whether a run can switch from this plan to `other` midway: both plans have the same nodes at the same places
    /// with the same wires, and their loops keep the same values.
    pub fn same_structure(&self, other: &Self) -> bool {
        let same_graph = |(a, b): (&super::PlanGraph, &super::PlanGraph)| {
            a.owner == b.owner
                && a.members == b.members
                && a.end_wires == b.end_wires
                && a.feedback_wires == b.feedback_wires
                && a.dangling == b.dangling
                && a.keeps_results == b.keeps_results
                && a.reads_previous == b.reads_previous
                && a.exhausted_wired == b.exhausted_wired
                && match (&a.repeat, &b.repeat) {
                    (Some(Repeat::Loop(a)), Some(Repeat::Loop(b))) => {
                        let names = |plan: &super::LoopConfig| {
                            let variables = plan.variables.iter().map(|v| v.name.clone());
                            let outputs = plan.outputs.iter().map(|o| o.name.clone());
                            (variables.collect::<Vec<_>>(), outputs.collect::<Vec<_>>())
                        };
                        names(a) == names(b)
                    }
                    (Some(Repeat::List(_)), Some(Repeat::List(_))) | (None, None) => true,
                    (Some(Repeat::Subflow(a)), Some(Repeat::Subflow(b))) => {
                        a.inputs == b.inputs && a.outputs == b.outputs
                    }
                    _ => false,
                }
        };
        let same_node = |(a, b): (&super::PlanNode, &super::PlanNode)| {
            a.id == b.id
                && a.graph == b.graph
                && a.slot == b.slot
                && a.role == b.role
                && a.shape == b.shape
                && a.disabled == b.disabled
                && a.needed == b.needed
                && a.leads_on == b.leads_on
                && a.primary_output == b.primary_output
                && a.consumers == b.consumers
                && a.waits_for == b.waits_for
                && a.wires == b.wires
                && match (&a.work, &b.work) {
                    (Work::Scope { graph, end }, Work::Scope { graph: g, end: e }) => {
                        graph == g && end == e
                    }
                    (Work::End { start, .. }, Work::End { start: s, .. }) => start == s,
                    (a, b) => std::mem::discriminant(a) == std::mem::discriminant(b),
                }
        };
        self.graphs.len() == other.graphs.len()
            && self.nodes.len() == other.nodes.len()
            && self.graphs.iter().zip(other.graphs.iter()).all(same_graph)
            && self.nodes.iter().zip(other.nodes.iter()).all(same_node)
    }
}
