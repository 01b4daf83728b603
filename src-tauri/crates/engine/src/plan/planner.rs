//! The planner: assigns nodes to graphs, and then orders, compiles and connects them.

use std::sync::Arc;

use loopwright_model::{
    EffectClass, Flow, Node, Repetition, Settings, Shape,
    graph::{EdgeIx, Graph, NodeIx},
    regions::{Region, Regions, Role},
};
use loopwright_template::Reference;
use serde_json::{Map, Value};

use super::{GraphIx, PlanGraph, PlanNode, Repeat, ScopeConfig, Slot, Source, Wire, Work, policy};
use crate::{
    kind::{Execute, KindSet},
    outcome::{NOT_TRANSLATED, NodeError},
};

pub(crate) struct Planner<'a> {
    pub(crate) flow: &'a Flow,
    pub(crate) kinds: &'a KindSet,
    pub(crate) graph: &'a Graph,
    pub(crate) regions: &'a Regions,
    pub(crate) settings: Settings,
    /// For each node, by its index, the names that its templates and expressions use.
    pub(crate) references: Vec<Vec<Reference>>,
}

/// A plan to which subflows are still to be added.
pub(super) struct Planned {
    pub(super) name: String,
    pub(super) settings: Settings,
    pub(super) graphs: Vec<PlanGraph>,
    pub(super) nodes: Vec<PlanNode>,
}

impl Planner<'_> {
    pub(super) fn plan(&self) -> Result<Planned, NodeError> {
        let (order, stuck) = self.graph.topological();
        if let Some(&node) = stuck.first() {
            return Err(NodeError::new(
                "cycle",
                format!(
                    "\"{}\" is on a cycle. Connect the edge that leads back to the `feedback` input of a loop.",
                    self.flow.nodes[node].title()
                ),
            ));
        }
        // Graph 0 is the flow, and region i becomes graph i + 1.
        let mut graphs: Vec<PlanGraph> = Vec::with_capacity(self.regions.regions.len() + 1);
        graphs.push(PlanGraph::empty(None, None));
        for region in &self.regions.regions {
            let parent = region.parent.map_or(0, |parent| parent + 1);
            let mut graph = PlanGraph::empty(Some(region.start), Some(parent));
            graph.repeat = Some(self.repeat(region)?);
            graphs.push(graph);
        }
        let mut slots = vec![0; self.flow.nodes.len()];
        for &node in &order {
            if self.graph.shapes[node] == Shape::Annotation {
                continue;
            }
            let members = &mut graphs[self.graph_of(node)].members;
            slots[node] = members.len();
            members.push(node);
        }
        let mut nodes = Vec::with_capacity(self.flow.nodes.len());
        for index in 0..self.flow.nodes.len() {
            nodes.push(self.node(index, &slots)?);
        }
        self.connect(&mut graphs, &mut nodes, &slots);
        for (index, node) in nodes.iter_mut().enumerate() {
            node.bindings = self.bindings(index, &graphs, &slots);
        }
        self.bind_loops(&mut graphs, &slots);
        for graph in &mut graphs {
            graph.has_tail = graph
                .members
                .iter()
                .any(|&node| nodes[node].role == Role::Tail);
        }
        Ok(Planned {
            name: self
                .flow
                .name
                .clone()
                .unwrap_or_else(|| "Untitled".to_owned()),
            settings: self.settings.clone(),
            graphs,
            nodes,
        })
    }

    pub(crate) fn graph_of(&self, node: NodeIx) -> GraphIx {
        self.regions.scope_of[node].map_or(0, |region| region + 1)
    }

    fn repeat(&self, region: &Region) -> Result<Repeat, NodeError> {
        let node = &self.flow.nodes[region.start];
        if region.end.is_none() {
            return Err(NodeError::new(
                "no_end",
                format!(
                    "\"{}\" has no end node. Add one after its body.",
                    node.title()
                ),
            ));
        }
        let bare = self.is_unread(region.start).then(|| Node {
            data: Map::new(),
            ..node.clone()
        });
        let node = bare.as_ref().unwrap_or(node);
        let kind = self.kinds.get(&node.kind);
        match kind.map_or(Ok(None), |kind| kind.scope(node))? {
            Some(ScopeConfig::Loop(config)) => {
                Ok(Repeat::Loop(Arc::new(config.bounded(&self.settings))))
            }
            Some(ScopeConfig::List(config)) => Ok(Repeat::List(config)),
            None => Err(NodeError::new(
                "no_scope",
                format!("\"{}\" does not say how it repeats its body.", node.title()),
            )),
        }
    }

    /// Returns whether the node's configuration is ignored because the node, or a loop around it, is bypassed. Validation skips
    /// such configurations too.
    fn is_unread(&self, index: NodeIx) -> bool {
        self.flow.nodes[index].disabled() || self.regions.skips(self.flow, index)
    }

    fn node(&self, index: NodeIx, slots: &[Slot]) -> Result<PlanNode, NodeError> {
        let node = &self.flow.nodes[index];
        let kind = self.kinds.get(&node.kind);
        let role = self.regions.scope_of[index]
            .and_then(|region| self.regions.regions[region].roles.get(&index).copied())
            .unwrap_or(Role::Core);
        let effect = kind.map_or(EffectClass::Pure, |kind| kind.effect(&node.data));
        let primary_output = self.graph.handles[index]
            .primary_output()
            .map(|handle| Arc::from(handle.name.as_str()));
        // A placeholder does nothing that could take time or be retried.
        let (timeout_ms, retry) = if node.is_placeholder() || self.is_unread(index) {
            (None, None)
        } else {
            let workflow = self.settings.retry.as_ref();
            let inherits = kind.zip(workflow).and_then(|(kind, workflow)| {
                kind.retries_by_default(&node.data)
                    .then(|| policy::Inherits {
                        workflow,
                        asks_model: kind.calls_model(&node.data),
                    })
            });
            (
                policy::timeout(node)?,
                policy::retry(node, effect, inherits)?,
            )
        };
        Ok(PlanNode {
            id: Arc::from(node.id.as_str()),
            place: Arc::from(node.id.as_str()),
            title: node.title().to_owned(),
            graph: self.graph_of(index),
            slot: slots[index],
            role,
            shape: self.graph.shapes[index],
            branching: self.graph.branching[index],
            disabled: node.disabled(),
            timeout_ms,
            retry,
            when_interrupted: policy::when_interrupted(node, effect),
            leads_on: self.leads_on(index),
            work: self.work(index)?,
            effect,
            wires: Vec::new(),
            primary_wired: false,
            primary_output,
            consumers: Vec::new(),
            waits_for: 0,
            bindings: Vec::new(),
            pinned: None,
            needed: true,
        })
    }

    /// Returns those output handles of a node that lead to the end of its region.
    fn leads_on(&self, index: NodeIx) -> Vec<Arc<str>> {
        let Some(region) = self.regions.scope_of[index].map(|region| &self.regions.regions[region])
        else {
            return Vec::new();
        };
        self.graph
            .successors(index)
            .filter(|(_, target)| {
                region.end == Some(*target) || region.roles.get(target) == Some(&Role::Core)
            })
            .map(|(edge, _)| self.leaving_handle(edge, index))
            .collect()
    }

    fn work(&self, index: NodeIx) -> Result<Work, NodeError> {
        let node = &self.flow.nodes[index];
        if self.graph.shapes[index] == Shape::Annotation {
            return Ok(Work::Annotation);
        }
        if let Some(region) = self.regions.regions.iter().position(|r| r.start == index) {
            let end = self.regions.regions[region].end.unwrap_or(index);
            return Ok(Work::Scope {
                graph: region + 1,
                end,
            });
        }
        if let Some(region) = self.regions.closed_by(index) {
            let combine = match region.repeats {
                Repetition::Each => Some(self.compile(node)?),
                Repetition::Loop => None,
            };
            return Ok(Work::End {
                start: region.start,
                combine,
            });
        }
        let name = || node.boundary_name().to_owned();
        Ok(match self.graph.shapes[index] {
            Shape::Input => Work::Input {
                name: name(),
                default: ["default", "defaultValue"]
                    .iter()
                    .filter_map(|field| node.data.get(*field))
                    .find(|value| !value.is_null())
                    .cloned(),
                required: node.data.get("required").and_then(Value::as_bool) == Some(true),
            },
            // A disabled output is bypassed, because its value would go nowhere.
            Shape::Output if node.disabled() => Work::Bypass,
            Shape::Output => Work::Output { name: name() },
            _ if self.is_unread(index) => Work::Bypass,
            _ if node.is_placeholder() => Work::Broken(NodeError::new(
                NOT_TRANSLATED,
                format!(
                    "\"{}\" was imported and could not be translated{}. Replace it before it is run.",
                    node.title(),
                    node.data["imported"]
                        .get("reason")
                        .and_then(Value::as_str)
                        .map_or_else(String::new, |reason| format!(": {reason}"))
                ),
            )),
            // The index of the subflow's graph is set when the subflow is added to the plan of the flow around it.
            Shape::Subflow => Work::Subflow { graph: 0 },
            _ => Work::Execute(self.compile(node)?),
        })
    }

    fn compile(&self, node: &Node) -> Result<Box<dyn Execute>, NodeError> {
        let kind = self.kinds.get(&node.kind).ok_or_else(|| {
            NodeError::new(
                "unknown_kind",
                format!(
                    "\"{}\" is of type `{}`, which Loopwright does not know. Replace the node, or update Loopwright.",
                    node.title(),
                    node.kind
                ),
            )
        })?;
        kind.compile(node)
    }

    /// Returns the number of levels between `inner` and the enclosing graph `outer`, or `None` if `outer` does not enclose
    /// `inner`.
    pub(crate) fn levels(&self, inner: GraphIx, outer: GraphIx) -> Option<usize> {
        let mut at = inner;
        let mut up = 0;
        while at != outer {
            let region = at.checked_sub(1)?;
            at = self.regions.regions[region]
                .parent
                .map_or(0, |parent| parent + 1);
            up += 1;
        }
        Some(up)
    }

    /// Returns the source of a wire as seen from `graph`, or `None` if `graph` cannot reach the source.
    pub(crate) fn source(
        &self,
        graph: GraphIx,
        node: NodeIx,
        handle: Arc<str>,
        slots: &[Slot],
    ) -> Option<Source> {
        // The start of an enclosing scope provides the iteration's input.
        let mut at = graph;
        let mut up = 0;
        while let Some(region) = at.checked_sub(1) {
            if self.regions.regions[region].start == node {
                return Some(Source::ScopeInput { up, handle });
            }
            at = self.regions.regions[region]
                .parent
                .map_or(0, |parent| parent + 1);
            up += 1;
        }
        let home = self.graph_of(node);
        match self.levels(graph, home)? {
            0 => Some(Source::Local {
                slot: slots[node],
                handle,
            }),
            up => Some(Source::Outer {
                up,
                slot: slots[node],
                handle,
            }),
        }
    }

    /// Converts edges to wires and dependencies.
    fn connect(&self, graphs: &mut [PlanGraph], nodes: &mut [PlanNode], slots: &[Slot]) {
        for edge in 0..self.flow.edges.len() {
            let Some((source, target)) = self.graph.ends[edge] else {
                continue;
            };
            if self.graph.shapes[source] == Shape::Annotation
                || self.graph.shapes[target] == Shape::Annotation
            {
                continue;
            }
            let leaving_handle = self.leaving_handle(edge, source);
            if self.graph.is_feedback[edge] {
                if let Some(region) = self.regions.regions.iter().position(|r| r.start == target)
                    && let Some(begin) = self.source(region + 1, source, leaving_handle, slots)
                {
                    graphs[region + 1].feedback_wires.push(Wire {
                        handle: Arc::from("feedback"),
                        primary: false,
                        many: false,
                        source: begin,
                    });
                }
                continue;
            }
            let (handle, primary, many) = self.to_handle(edge, target);
            if let Some(region) = self
                .regions
                .regions
                .iter()
                .position(|r| r.end == Some(target))
            {
                if let Some(begin) =
                    self.source(region + 1, source, Arc::clone(&leaving_handle), slots)
                {
                    graphs[region + 1].end_wires.push(Wire {
                        handle,
                        primary,
                        many,
                        source: begin,
                    });
                }
                continue;
            }
            let home = nodes[target].graph;
            let Some(begin) = self.source(home, source, leaving_handle, slots) else {
                continue;
            };
            if let Source::Local { .. } = begin {
                nodes[source].consumers.push(slots[target]);
                nodes[target].waits_for += 1;
            }
            nodes[target].primary_wired |= primary;
            nodes[target].wires.push(Wire {
                handle,
                primary,
                many,
                source: begin,
            });
        }
        for (index, region) in self.regions.regions.iter().enumerate() {
            let Some(end) = region.end else { continue };
            // The start settles the end.
            nodes[region.start].consumers.push(slots[end]);
            nodes[end].waits_for += 1;
            for &edge in &region.captures {
                let Some((source, _)) = self.graph.ends[edge] else {
                    continue;
                };
                if self.graph_of(source) == nodes[region.start].graph {
                    nodes[source].consumers.push(slots[region.start]);
                    nodes[region.start].waits_for += 1;
                }
            }
            graphs[index + 1].dangling = region.dangling.iter().map(|&node| slots[node]).collect();
        }
    }

    pub(super) fn leaving_handle(&self, edge: EdgeIx, source: NodeIx) -> Arc<str> {
        let name = self.flow.edges[edge].source_handle.as_deref();
        self.graph.handles[source].output(name).map_or_else(
            || Arc::from(name.unwrap_or("output")),
            |handle| Arc::from(handle.name.as_str()),
        )
    }

    fn to_handle(&self, edge: EdgeIx, target: NodeIx) -> (Arc<str>, bool, bool) {
        let name = self.flow.edges[edge].target_handle.as_deref();
        self.graph.handles[target].input(name).map_or_else(
            || {
                // Unknown kinds and subflows without a file run only when bypassed. The only known fact about their inputs is
                // that `input` is the primary one.
                let node = &self.flow.nodes[target];
                let unknown = self.kinds.get(&node.kind).is_none()
                    || (self.graph.shapes[target] == Shape::Subflow
                        && !loopwright_model::subflow::is_linked(node));
                let name = name.unwrap_or("input");
                (Arc::from(name), unknown && name == "input", false)
            },
            |handle| (Arc::from(handle.name.as_str()), handle.primary, handle.many),
        )
    }
}
