//! The plan: everything about a flow that no iteration does again. Scopes, order, wires, compiled nodes, template bindings.
//!
//! Each region becomes a graph of its own (the synthetic workflow): its start stands for the iteration's input, its end
//! for the iteration's result. Graph 0 is the flow itself.

use std::sync::Arc;

use loopwright_model::{
    EffectClass, KindSpec, Node, Settings, Shape, graph::NodeIx, regions::Role,
};
use serde_json::Value;

use crate::{
    budget::Limits,
    kind::{Execute, KindSet},
    outcome::{NodeError, Outcome},
    warning::Warning,
};

pub(crate) mod binding;
mod bindings;
mod flow;
pub mod focus;
mod planner;
mod policy;
mod reads;
pub mod repeat;
mod subflow;
mod wire;

pub use binding::{Binding, Bound};
pub use flow::plan;
pub use focus::Focus;
pub use policy::{Retry, WhenInterrupted, attempts};
pub use repeat::{ListConfig, LoopConfig, OnItemError, ScopeConfig};
pub use subflow::SubflowPlan;
pub use wire::{GraphIx, Slot, Source, Wire};

/// A flow made ready to run. Shared by all iterations, never changed. A clone shares its graphs and nodes: the runs of one flow can have
/// other budgets and warnings and are planned once.
#[derive(Clone)]
pub struct Plan {
    pub name: String,
    pub settings: Settings,
    pub graphs: Arc<[PlanGraph]>,
    /// By node of the document, then those of its subflows; annotations have a plan node that belongs to no graph.
    pub nodes: Arc<[PlanNode]>,
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
    Loop(LoopConfig),
    List(ListConfig),
    Subflow(SubflowPlan),
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
    /// What stands for its executions.
    pub pinned: Option<Arc<Outcome>>,
    /// Else it is left out: nothing that the run is for needs it.
    pub needed: bool,
}

/// What an execution of the node is.
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
    /// Fails when executed.
    Broken(NodeError),
    /// Never runs.
    Annotation,
}

impl Plan {
    /// How a record names its node. What is said of the run as a whole has no path to find the node by, so it is named by its
    /// place.
    pub fn name_on_record(&self, node: NodeIx, path: &str) -> &Arc<str> {
        let planned = &self.nodes[node];
        if path.is_empty() {
            &planned.place
        } else {
            &planned.id
        }
    }

    /// How long a run may take, in milliseconds; `None` is as long as it takes.
    pub fn timeout_ms(&self) -> Option<u64> {
        let timeout = self.settings.timeout.as_deref()?;
        crate::duration::millis(timeout).ok()
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
                default: default.as_ref(),
                required: *required && node.pinned.is_none() && node.needed,
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

/// An input of a flow, as a plan has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlanInput<'a> {
    pub id: &'a str,
    pub name: &'a str,
    pub default: Option<&'a Value>,
    /// A run needs a value for it, given or by default: it is required and has no pin, and the run comes to it.
    pub required: bool,
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
