//! Plans a flow and its subflows. A subflow is planned like any other flow, and its graphs are added to the outer plan.

use std::sync::Arc;

use loopwright_model::{
    Flow, Node,
    graph::Graph,
    subflow::{inline, reference},
};

use super::{
    Plan, PlanGraph, PlanNode, Repeat, SubflowPlan, Work,
    bindings::references,
    planner::{Planned, Planner},
};
use crate::{duration::millis, kind::KindSet, outcome::NodeError};

/// Plans `flow`, which must have validated without errors.
///
/// # Errors
/// Returns an error if the flow cannot be planned although it validated.
pub fn plan(flow: &Flow, kinds: &KindSet) -> Result<Plan, NodeError> {
    let Planned {
        name,
        settings,
        graphs,
        nodes,
    } = planned(flow, kinds)?;
    Ok(Plan {
        name,
        settings,
        graphs: graphs.into(),
        nodes: nodes.into(),
        warnings: Vec::new(),
        until: None,
    })
}

fn planned(flow: &Flow, kinds: &KindSet) -> Result<Planned, NodeError> {
    if !loopwright_model::subflow::is_bounded(flow) {
        return Err(NodeError::new(
            "subflow_too_large",
            "With its subflows, this workflow is too large to run. Remove subflows, or make them smaller.",
        ));
    }
    let graph = Graph::new(flow, kinds.specs());
    let regions = loopwright_model::regions::regions(flow, kinds.specs(), &graph);
    if let (false, Some(problem)) = (regions.is_complete, regions.problems.first()) {
        return Err(NodeError::new(problem.code, &problem.message));
    }
    let mut plan = Planner {
        flow,
        kinds,
        graph: &graph,
        regions: &regions,
        settings: flow.settings(),
        references: flow
            .nodes
            .iter()
            .enumerate()
            .map(|(index, node)| match references(node, kinds) {
                // This node is never executed, so its script need not be readable.
                Err(_) if node.disabled() || regions.skips(flow, index) => Ok(Vec::new()),
                found => found,
            })
            .collect::<Result<_, _>>()?,
    }
    .plan()?;
    nest(&mut plan, flow, &graph, kinds)?;
    Ok(plan)
}

/// Plans the subflows of `flow` and adds them to `outer`, the plan of `flow` itself.
fn nest(outer: &mut Planned, flow: &Flow, graph: &Graph, kinds: &KindSet) -> Result<(), NodeError> {
    for (index, node) in flow.nodes.iter().enumerate() {
        if !matches!(outer.nodes[index].work, Work::Subflow { .. }) {
            continue;
        }
        let mut inner = held(node)?;
        let within = |error: NodeError| NodeError {
            message: format!("In \"{}\": {}", node.title(), error.message),
            ..error
        };
        // A workflow's retry policy also applies to the model calls of its inner flows.
        inner.write_retry(outer.settings.retry.as_ref());
        let planned = planned(&inner, kinds).map_err(within)?;
        let handles = &graph.handles[index];
        let timeout_ms = planned.settings.timeout.as_deref().map(millis);
        let repeat = Repeat::Subflow(Arc::new(SubflowPlan {
            inputs: handles
                .inputs
                .iter()
                .map(|handle| (handle.name.clone(), handle.value_type))
                .collect(),
            outputs: handles
                .outputs
                .iter()
                .map(|handle| handle.name.clone())
                .collect(),
            timeout_ms: timeout_ms.transpose().map_err(within)?,
        }));
        splice(outer, index, planned, repeat);
    }
    Ok(())
}

fn held(node: &Node) -> Result<Flow, NodeError> {
    let why = match (inline(node), reference(&node.data)) {
        (Some(Ok(flow)), _) => return Ok(flow),
        (Some(Err(error)), _) => format!("does not contain a readable flow: {error}"),
        (None, Some(file)) => format!("refers to \"{file}\", which was not read."),
        (None, None) => "has no flow to run. Choose a file, or create a flow inside it.".to_owned(),
    };
    Err(NodeError::new(
        "subflow_unreadable",
        format!("\"{}\" {why}", node.title()),
    ))
}

/// Appends a planned flow as the body of node `index`. Its slots and levels do not change, because they are relative to the
/// flow.
fn splice(outer: &mut Planned, index: usize, inner: Planned, repeat: Repeat) {
    let (graphs, nodes) = (outer.graphs.len(), outer.nodes.len());
    let place = Arc::clone(&outer.nodes[index].place);
    for graph in inner.graphs {
        outer.graphs.push(PlanGraph {
            owner: graph.owner.map(|owner| owner + nodes),
            parent: graph.parent.map(|parent| parent + graphs),
            members: graph.members.iter().map(|member| member + nodes).collect(),
            ..graph
        });
    }
    let body = &mut outer.graphs[graphs];
    body.owner = Some(index);
    body.parent = Some(outer.nodes[index].graph);
    body.repeat = Some(repeat);
    for node in inner.nodes {
        outer.nodes.push(PlanNode {
            place: Arc::from(format!("{place}/{}", node.place)),
            graph: node.graph + graphs,
            work: match node.work {
                Work::Scope { graph, end } => Work::Scope {
                    graph: graph + graphs,
                    end: end + nodes,
                },
                Work::End { start, combine } => Work::End {
                    start: start + nodes,
                    combine,
                },
                Work::Subflow { graph } => Work::Subflow {
                    graph: graph + graphs,
                },
                other => other,
            },
            ..node
        });
    }
    outer.nodes[index].work = Work::Subflow { graph: graphs };
}
