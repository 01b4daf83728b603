//! The plan: everything about a flow that is the same for every iteration. Scopes, order, wires, compiled nodes, template
//! bindings.
//!
//! Each region becomes a graph of its own (the synthetic workflow). Its start represents the iteration's input, and its end
//! the iteration's result. Graph 0 is the flow itself.

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

/// A flow prepared for execution. All iterations share it, and it never changes. A clone shares its graphs and nodes, so the
/// runs of one flow can differ in budgets and warnings and still be planned once.
#[derive(Clone)]
pub struct Plan {
    pub name: String,
    pub settings: Settings,
    pub graphs: Arc<[PlanGraph]>,
    /// By node of the document, then those of its subflows. Annotations have a plan node that belongs to no graph.
    pub nodes: Arc<[PlanNode]>,
    /// The warnings of validation, repeated on the run.
    pub warnings: Vec<Warning>,
    /// The run ends once this node is settled for the first time.
    pub until: Option<NodeIx>,
}

impl std::fmt::Debug for Plan {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Plan({})", self.name)
    }
}

/// A graph that runs as a unit: the flow, one iteration of a region, or a subflow.
pub struct PlanGraph {
    /// The scope start or subflow that has this graph as its body.
    pub owner: Option<NodeIx>,
    pub parent: Option<GraphIx>,
    /// In topological order.
    pub members: Vec<NodeIx>,
    /// Wires into the region's end.
    pub end_wires: Vec<Wire>,
    /// Wires into the start's `feedback`.
    pub feedback_wires: Vec<Wire>,
    /// The last nodes of a dangling tail, whose outputs lead nowhere.
    pub dangling: Vec<Slot>,
    pub has_tail: bool,
    pub repeat: Option<Repeat>,
    /// Whether every result is kept, because `iterations` is wired or read.
    pub keeps_results: bool,
    /// Whether a template reads `previous`.
    pub reads_previous: bool,
    /// Whether the end's `exhausted` handle is wired.
    pub exhausted_wired: bool,
    pub condition_bindings: Vec<Binding>,
    pub score_bindings: Vec<Binding>,
    /// By variable.
    pub initial_bindings: Vec<Vec<Binding>>,
    pub next_bindings: Vec<Vec<Binding>>,
    /// By extra output.
    pub output_bindings: Vec<Vec<Binding>>,
}

/// How a graph repeats. A loop and a subflow under way share their settings with the plan.
pub enum Repeat {
    Loop(Arc<LoopConfig>),
    List(ListConfig),
    Subflow(Arc<SubflowPlan>),
}

pub struct PlanNode {
    pub id: Arc<str>,
    /// The ids of the subflows around it and its own: `polish/draft`. Unique in the plan, as ids are in a flow.
    pub place: Arc<str>,
    pub title: String,
    pub graph: GraphIx,
    pub slot: Slot,
    pub role: Role,
    pub shape: Shape,
    /// Whether it sends its value along only one of its outputs.
    pub branching: bool,
    pub disabled: bool,
    /// The limit of each attempt.
    pub timeout_ms: Option<u64>,
    pub retry: Option<Retry>,
    pub when_interrupted: WhenInterrupted,
    /// The output handles from which the region's end can be reached.
    pub leads_on: Vec<Arc<str>>,
    pub work: Work,
    pub effect: EffectClass,
    pub wires: Vec<Wire>,
    /// Whether any wire enters the primary input.
    pub primary_wired: bool,
    /// The primary output, through which a bypass passes its input on.
    pub primary_output: Option<Arc<str>>,
    /// The slots to notify when this node is settled, once per wire.
    pub consumers: Vec<Slot>,
    /// The number of wires of the same graph that must be settled before the node can start.
    pub waits_for: u32,
    pub bindings: Vec<Binding>,
    /// The outcome that replaces its executions.
    pub pinned: Option<Arc<Outcome>>,
    /// Whether the run needs it. A node that is not needed is left out.
    pub needed: bool,
}

/// What the node does when it is executed.
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
    /// Runs the graph of the scope's body.
    Scope {
        graph: GraphIx,
        end: NodeIx,
    },
    /// Runs the flow inside the node.
    Subflow {
        graph: GraphIx,
    },
    /// Settled by its scope start. For a list, an `Execute` combines the items.
    End {
        start: NodeIx,
        combine: Option<Box<dyn Execute>>,
    },
    /// Passes its primary input on.
    Bypass,
    /// Fails when executed.
    Broken(NodeError),
    /// Never runs.
    Annotation,
}

impl Plan {
    /// The name of a node in a record. A record about the whole run has no path that identifies the node, so it names the
    /// node's place.
    pub fn name_on_record(&self, node: NodeIx, path: &str) -> &Arc<str> {
        let planned = &self.nodes[node];
        if path.is_empty() {
            &planned.place
        } else {
            &planned.id
        }
    }

    /// The limit of a run's duration, in milliseconds; `None` for no limit.
    pub fn timeout_ms(&self) -> Option<u64> {
        let timeout = self.settings.timeout.as_deref()?;
        crate::duration::millis(timeout).ok()
    }

    /// The budget that the flow sets for a run.
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

    /// Finds the node of a path such as `refine[2]/polish/draft`.
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

/// An input of a flow, as planned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlanInput<'a> {
    pub id: &'a str,
    pub name: &'a str,
    pub default: Option<&'a Value>,
    /// Whether a run needs a value or a default for it: it is required, has no pin, and the run reaches it.
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

/// The static side of a planned node's kind.
pub(crate) fn spec<'a>(kinds: &'a KindSet, node: &Node) -> Option<&'a dyn KindSpec> {
    kinds.specs().of(node)
}
