//! The nodes that read `run.inputs`, and so depend on an input without a wire.

use loopwright_model::graph::NodeIx;

use super::{Binding, Bound, GraphIx, Plan, PlanGraph, Repeat, Work};

impl Plan {
    /// Returns the nodes in the flow of `input` that read `run.inputs`. A region is represented by its start, even if only the
    /// expressions of its end read `run.inputs`.
    pub(crate) fn readers_of_inputs(&self, input: NodeIx) -> Vec<NodeIx> {
        let flow = self.flow_of(self.nodes[input].graph);
        let by_nodes = self
            .nodes
            .iter()
            .enumerate()
            .filter(|(_, node)| reads(&node.bindings))
            .map(|(index, node)| match node.work {
                Work::End { start, .. } => start,
                _ => index,
            });
        let by_regions = self
            .graphs
            .iter()
            .filter(|graph| graph.reads_inputs())
            .filter_map(|graph| graph.owner);
        let mut readers: Vec<NodeIx> = by_nodes
            .chain(by_regions)
            .filter(|&node| self.flow_of(self.nodes[node].graph) == flow)
            .collect();
        readers.sort_unstable();
        readers.dedup();
        readers
    }

    /// Returns the outermost graph of the flow that contains `graph`: graph 0, or the graph of a subflow.
    fn flow_of(&self, mut graph: GraphIx) -> GraphIx {
        while let PlanGraph {
            repeat: Some(Repeat::Loop(_) | Repeat::List(_)),
            parent: Some(parent),
            ..
        } = &self.graphs[graph]
        {
            graph = *parent;
        }
        graph
    }
}

impl PlanGraph {
    fn reads_inputs(&self) -> bool {
        let lists = [
            &self.initial_bindings,
            &self.next_bindings,
            &self.output_bindings,
        ];
        reads(&self.condition_bindings)
            || reads(&self.score_bindings)
            || reads(&self.summary_bindings)
            || lists.into_iter().flatten().any(|bindings| reads(bindings))
    }
}

fn reads(bindings: &[Binding]) -> bool {
    bindings
        .iter()
        .any(|binding| matches!(binding.bound, Bound::Run))
}
