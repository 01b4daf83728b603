//! The plan: everything about a flow that no iteration does again. Scopes, order, wires, compiled nodes, template bindings.
//!
//! Each region becomes a graph of its own (the synthetic workflow): its start stands for the iteration's input, its end
//! for the iteration's result. Graph 0 is the flow itself.

use std::sync::Arc;

use loopwright_model::{
    EffectClass, Flow, KindSpec, Node, Repetition, Settings, Shape,
    graph::{EdgeIx, Graph, NodeIx},
    regions::{Region, Regions, Role},
    template::Reference,
};
use serde_json::{Map, Value};

use crate::{
    budget::Limits,
    event::Warning,
    kind::{Execute, KindSet},
    outcome::{NodeError, Outcome},
};

pub(crate) mod bindings;
pub mod focus;
mod policy;
mod reads;
pub mod repeat;
mod subflow;

pub use bindings::{Binding, Bound};
pub use focus::Focus;
pub use policy::{Retry, WhenInterrupted, attempts};
pub use repeat::LoopPlan;
pub use subflow::InnerPlan;

/// Index of a graph in [`Plan::graphs`].
pub type GraphIx = usize;
/// Position of a node within its graph.
pub type Slot = usize;

/// A flow made ready to run. Shared by all iterations, never changed.
pub struct Plan {
    pub name: String,
    pub settings: Settings,
    pub graphs: Vec<PlanGraph>,
    /// By node of the document, then those of its subflows; annotations have a plan node that belongs to no graph.
    pub nodes: Vec<PlanNode>,
    /// What validation warned of: repeated on the run.
    pub warnings: Vec<Warning>,
    /// The run ends once this node is settled for the first time.
    pub until: Option<NodeIx>,
}

impl std::fmt::Debug for Plan {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Plan({})", self.name)
    }
}

/// A graph that runs as a whole: the flow, one iteration of a region, or a subflow.
pub struct PlanGraph {
    /// The scope start or subflow whose body this is.
    pub owner: Option<NodeIx>,
    pub parent: Option<GraphIx>,
    /// In topological order.
    pub members: Vec<NodeIx>,
    /// Wires into the region's end.
    pub end_wires: Vec<Wire>,
    /// Wires into the start's `feedback`.
    pub feedback_wires: Vec<Wire>,
    /// Last nodes of a dangling tail.
    pub dangling: Vec<Slot>,
    pub has_tail: bool,
    pub repeat: Option<Repeat>,
    /// Every result is kept, for `iterations` is wired or read.
    pub keeps_results: bool,
    /// A template reads `previous`.
    pub reads_previous: bool,
    /// The end's `exhausted` handle is wired.
    pub exhausted_wired: bool,
    pub condition_bindings: Vec<Binding>,
    pub score_bindings: Vec<Binding>,
    /// By variable.
    pub initial_bindings: Vec<Vec<Binding>>,
    pub next_bindings: Vec<Vec<Binding>>,
    /// By extra output.
    pub output_bindings: Vec<Vec<Binding>>,
}

pub enum Repeat {
    Loop(LoopPlan),
    Each(EachPlan),
    Once(InnerPlan),
}

pub struct EachPlan {
    /// Items running at once, 1..=64.
    pub concurrency: usize,
    pub on_error: OnItemError,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnItemError {
    Fail,
    Skip,
    Collect,
}

pub struct PlanNode {
    pub id: Arc<str>,
    /// The ids of the subflows around it and its own: `polish/draft`. One in the whole plan, as ids are in a flow.
    pub place: Arc<str>,
    pub title: String,
    pub graph: GraphIx,
    pub slot: Slot,
    pub role: Role,
    pub shape: Shape,
    /// It sends its value along one of its outputs alone.
    pub branching: bool,
    pub disabled: bool,
    /// Each attempt is cut off after this.
    pub timeout_ms: Option<u64>,
    pub retry: Option<Retry>,
    pub when_interrupted: WhenInterrupted,
    /// Output handles from which the region's end can be reached.
    pub leads_on: Vec<Arc<str>>,
    pub work: Work,
    pub effect: EffectClass,
    pub wires: Vec<Wire>,
    /// Whether any wire enters the primary input.
    pub primary_wired: bool,
    /// The primary output, under which a bypass hands its input on.
    pub primary_output: Option<Arc<str>>,
    /// Slots to tell when this node is settled, once per wire.
    pub consumers: Vec<Slot>,
    /// Wires of the same graph that must be settled before it is its turn.
    pub waits_for: u32,
    pub bindings: Vec<Binding>,
    /// What stands for its visits.
    pub pinned: Option<Arc<Outcome>>,
    /// Else it is left out: nothing that the run is for needs it.
    pub needed: bool,
}

/// What a visit of the node is.
pub enum Work {
    /// A value from outside the run.
    Input {
        name: String,
        default: Option<Value>,
        required: bool,
    },
    /// A value to the outside.
    Output {
        name: String,
    },
    Execute(Box<dyn Execute>),
    /// Runs the graph of its body.
    Scope {
        graph: GraphIx,
        end: NodeIx,
    },
    /// Runs the flow that the node holds.
    Subflow {
        graph: GraphIx,
    },
    /// Settled by its scope start; an `Execute` combines the items of a list.
    End {
        start: NodeIx,
        combine: Option<Box<dyn Execute>>,
    },
    /// Hands its primary input on.
    Bypass,
    /// Fails when visited.
    Broken(NodeError),
    /// Never runs.
    Annotation,
}

/// One wire into a node, or into the end of a region.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wire {
    pub handle: Arc<str>,
    pub primary: bool,
    pub many: bool,
    pub source: Source,
}

/// Where a wire begins, seen from the graph it enters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// A node of the same graph.
    Local { slot: Slot, handle: Arc<str> },
    /// A node `up` graphs further out.
    Outer {
        up: usize,
        slot: Slot,
        handle: Arc<str>,
    },
    /// The scope start `up` graphs further out (0: the graph's own owner): the iteration's input or index.
    ScopeInput { up: usize, handle: Arc<str> },
}

impl Plan {
    /// How a record names its node. What is said of the run as a whole has no path to find the node by, so it is named by its
    /// place.
    pub(crate) fn name_on_record(&self, node: NodeIx, path: &str) -> &str {
        let planned = &self.nodes[node];
        if path.is_empty() {
            &planned.place
        } else {
            &planned.id
        }
    }

    /// What the flow allows a run to spend.
    pub fn budget(&self) -> Limits {
        Limits::new(self.settings.budget_usd, self.settings.budget_tokens)
    }

    /// Whether the flow or a loop in it has a budget.
    pub fn has_budgets(&self) -> bool {
        !self.budget().is_none()
            || self.graphs.iter().any(|graph| {
                matches!(&graph.repeat, Some(Repeat::Loop(config)) if !config.budget.is_none())
            })
    }
}

/// An input of a flow, as a plan has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlanInput<'a> {
    pub id: &'a str,
    pub name: &'a str,
    /// A run fails where it is not given: it is required, has no default and no pin, and the run comes to it.
    pub must_be_given: bool,
}

/// Plans `flow`, which must have validated without errors; what still does not fit is said.
pub fn plan(flow: &Flow, kinds: &KindSet) -> Result<Plan, NodeError> {
    let graph = Graph::new(flow, kinds.specs());
    let regions = loopwright_model::regions::regions(flow, kinds.specs(), &graph);
    let mut plan = Planner {
        flow,
        kinds,
        graph: &graph,
        regions: &regions,
        settings: flow.settings(),
        references: flow
            .nodes
            .iter()
            .map(|node| bindings::references(node, kinds))
            .collect(),
    }
    .plan()?;
    subflow::nest(&mut plan, flow, &graph, kinds)?;
    Ok(plan)
}

pub(crate) struct Planner<'a> {
    pub(crate) flow: &'a Flow,
    pub(crate) kinds: &'a KindSet,
    pub(crate) graph: &'a Graph,
    pub(crate) regions: &'a Regions,
    pub(crate) settings: Settings,
    /// By node: what its templates and expressions refer to.
    pub(crate) references: Vec<Vec<Reference>>,
}

impl Planner<'_> {
    fn plan(&self) -> Result<Plan, NodeError> {
        let (order, stuck) = self.graph.topological();
        if let Some(&node) = stuck.first() {
            return Err(NodeError::new(
                "cycle",
                format!(
                    "\"{}\" lies on a cycle. Send the edge that goes back to a loop's `feedback`.",
                    self.flow.nodes[node].title()
                ),
            ));
        }
        // Graph 0 is the flow; region i becomes graph i + 1.
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
            node.bindings = self.bindings(index, &slots);
        }
        self.bind_loops(&mut graphs, &slots);
        for graph in &mut graphs {
            graph.has_tail = graph
                .members
                .iter()
                .any(|&node| nodes[node].role == Role::Tail);
        }
        Ok(Plan {
            name: self
                .flow
                .name
                .clone()
                .unwrap_or_else(|| "Untitled".to_owned()),
            settings: self.settings.clone(),
            graphs,
            nodes,
            warnings: Vec::new(),
            until: None,
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
                format!("\"{}\" has no end. Add one behind its body.", node.title()),
            ));
        }
        Ok(match region.repeats {
            // Of a loop that is bypassed nothing is read.
            Repetition::Loop if node.disabled() => {
                let bare = Node {
                    data: Map::new(),
                    ..node.clone()
                };
                Repeat::Loop(LoopPlan::read(&bare, &self.settings)?)
            }
            Repetition::Loop => Repeat::Loop(LoopPlan::read(node, &self.settings)?),
            Repetition::Each => Repeat::Each(EachPlan {
                concurrency: node
                    .data
                    .get("concurrency")
                    .and_then(Value::as_u64)
                    .map_or(4, |count| count.clamp(1, 64) as usize),
                on_error: match node.text("onError") {
                    Some("skip") => OnItemError::Skip,
                    Some("collect") => OnItemError::Collect,
                    _ => OnItemError::Fail,
                },
            }),
        })
    }

    fn node(&self, index: NodeIx, slots: &[Slot]) -> Result<PlanNode, NodeError> {
        let node = &self.flow.nodes[index];
        let kind = self.kinds.get(&node.kind);
        let role = self.regions.scope_of[index]
            .and_then(|region| self.regions.regions[region].roles.get(&index).copied())
            .unwrap_or(Role::Core);
        let primary_output = self.graph.handles[index]
            .primary_output()
            .map(|handle| Arc::from(handle.name.as_str()));
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
            timeout_ms: policy::timeout(node)?,
            retry: policy::retry(node)?,
            when_interrupted: policy::when_interrupted(
                node,
                kind.map_or(EffectClass::Pure, |kind| kind.effect(&node.data)),
            ),
            leads_on: self.leads_on(index),
            work: self.work(index)?,
            effect: kind.map_or(EffectClass::Pure, |kind| kind.effect(&node.data)),
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

    /// Output handles of a node from which the end of its region can be reached.
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
            // Left out: there is nothing that it could be passed on to.
            Shape::Output if node.disabled() => Work::Bypass,
            Shape::Output => Work::Output { name: name() },
            _ if node.disabled() => Work::Bypass,
            _ if node.is_placeholder() => Work::Broken(NodeError::new(
                "not_translated",
                format!(
                    "\"{}\" was imported and could not be translated{}. Replace it before it is run.",
                    node.title(),
                    node.data["imported"]
                        .get("reason")
                        .and_then(Value::as_str)
                        .map_or_else(String::new, |reason| format!(": {reason}"))
                ),
            )),
            // Its graph is known once the flow around it is planned.
            Shape::Subflow => Work::Subflow { graph: 0 },
            _ => Work::Execute(self.compile(node)?),
        })
    }

    fn compile(&self, node: &Node) -> Result<Box<dyn Execute>, NodeError> {
        let kind = self.kinds.get(&node.kind).ok_or_else(|| {
            NodeError::new(
                "unknown_kind",
                format!(
                    "\"{}\" is of the kind `{}`, which this program does not know.",
                    node.title(),
                    node.kind
                ),
            )
        })?;
        kind.compile(node)
    }

    /// How many graphs lie between `inner` and `outer`; `None` when `outer` is not around it.
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

    /// The wire's beginning as seen from `graph`; `None` when it cannot be reached from there.
    pub(crate) fn source(
        &self,
        graph: GraphIx,
        node: NodeIx,
        handle: Arc<str>,
        slots: &[Slot],
    ) -> Option<Source> {
        // The start of a scope around us gives the iteration's input.
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

    /// Turns edges into wires and dependencies.
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
            // The end is settled by its start.
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

    fn leaving_handle(&self, edge: EdgeIx, source: NodeIx) -> Arc<str> {
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
                // Of an unknown kind or a subflow without its file, which run only as a bypass, no more is known than that `input` is the primary one.
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

impl Plan {
    /// The inputs of the flow itself, in the order of the plan.
    pub fn inputs(&self) -> impl Iterator<Item = PlanInput<'_>> {
        let members = self.graphs[0].members.iter();
        members.filter_map(|&index| {
            let node = &self.nodes[index];
            let Work::Input {
                name,
                default,
                required,
            } = &node.work
            else {
                return None;
            };
            Some(PlanInput {
                id: &node.id,
                name,
                must_be_given: *required
                    && default.is_none()
                    && node.pinned.is_none()
                    && node.needed,
            })
        })
    }

    /// The node that a path names: `refine[2]/polish/draft`.
    pub fn find(&self, path: &str) -> Option<NodeIx> {
        self.find_in(0, path)
    }

    fn find_in(&self, graph: GraphIx, path: &str) -> Option<NodeIx> {
        self.graphs[graph].members.iter().find_map(|&index| {
            let node = &self.nodes[index];
            let rest = path.strip_prefix(&*node.id)?;
            match &node.work {
                _ if rest.is_empty() => Some(index),
                Work::Subflow { graph } => self.find_in(*graph, rest.strip_prefix('/')?),
                Work::Scope { graph, .. } => {
                    let (iteration, inside) = rest.strip_prefix('[')?.split_once("]/")?;
                    iteration.parse::<u32>().ok()?;
                    self.find_in(*graph, inside)
                }
                _ => None,
            }
        })
    }
}

impl PlanGraph {
    fn empty(owner: Option<NodeIx>, parent: Option<GraphIx>) -> Self {
        Self {
            owner,
            parent,
            members: Vec::new(),
            end_wires: Vec::new(),
            feedback_wires: Vec::new(),
            dangling: Vec::new(),
            has_tail: false,
            repeat: None,
            keeps_results: false,
            reads_previous: false,
            exhausted_wired: false,
            condition_bindings: Vec::new(),
            score_bindings: Vec::new(),
            initial_bindings: Vec::new(),
            next_bindings: Vec::new(),
            output_bindings: Vec::new(),
        }
    }
}

/// The kind's static side, for a planned node.
pub(crate) fn spec<'a>(kinds: &'a KindSet, node: &Node) -> Option<&'a dyn KindSpec> {
    kinds.specs().of(node)
}
