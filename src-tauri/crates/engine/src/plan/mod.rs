//! The plan: everything about a flow that is the same in every iteration, such as scopes, order, wires, compiled nodes and
//! template bindings.
//!
//! Each region becomes a separate graph. In it, the start of the region represents the iteration's input, and the end
//! represents the iteration's result. Graph 0 is the flow itself.

use std::sync::Arc;

use loopwright_model::{
    EffectClass, KindSpec, Node, Settings, Shape, graph::NodeIx, regions::Role,
};
use serde_json::Value;

use crate::{
    budget::Limits,
    kind::{Execute, KindSet},
    outcome::{NodeError, Outcome},
    quota::DEFAULT_WAIT_MS,
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

/// A flow prepared for execution. It never changes, and all iterations share it. Clones share the graphs and nodes, so a flow
/// is planned once even if its runs differ in budgets and warnings.
#[derive(Clone)]
pub struct Plan {
    pub name: String,
    pub settings: Settings,
    pub graphs: Arc<[PlanGraph]>,
    /// The nodes in the order of the document, then those of its subflows. The plan node of an annotation belongs to no graph.
    pub nodes: Arc<[PlanNode]>,
    /// The warnings of the flow's validation. Each run reports them again.
    pub warnings: Vec<Warning>,
    /// The node at which the run ends: the run is over once this node is settled for the first time.
    pub until: Option<NodeIx>,
}

impl std::fmt::Debug for Plan {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Plan({})", self.name)
    }
}

/// A graph that runs as a unit: the flow, one iteration of a region, or a subflow.
pub struct PlanGraph {
    /// The scope start or subflow whose body this graph is; `None` for the flow itself.
    pub owner: Option<NodeIx>,
    pub parent: Option<GraphIx>,
    /// The nodes of the graph, in topological order.
    pub members: Vec<NodeIx>,
    /// The wires that lead to the region's end.
    pub end_wires: Vec<Wire>,
    /// The wires that lead to the `feedback` input of the region's start.
    pub feedback_wires: Vec<Wire>,
    /// The last nodes of a dangling tail, whose outputs lead to no other node.
    pub dangling: Vec<Slot>,
    pub has_tail: bool,
    pub repeat: Option<Repeat>,
    /// Whether the loop keeps every result. It does if its `iterations` handle is wired or read by a template.
    pub keeps_results: bool,
    /// Whether a template reads `previous`.
    pub reads_previous: bool,
    /// The fields of the current iteration that templates read from the loop's resource.
    pub reads_of_resource: Arc<[Arc<str>]>,
    /// Whether the end's `exhausted` handle is wired.
    pub exhausted_wired: bool,
    pub condition_bindings: Vec<Binding>,
    pub score_bindings: Vec<Binding>,
    /// The bindings of each variable's initial value, in the order of the variables.
    pub initial_bindings: Vec<Vec<Binding>>,
    pub next_bindings: Vec<Vec<Binding>>,
    /// The bindings of the summary that replaces older parts of an appended input.
    pub summary_bindings: Vec<Binding>,
    /// The bindings of each extra output, in the order of the outputs.
    pub output_bindings: Vec<Vec<Binding>>,
}

/// How a graph repeats. A loop or subflow in progress shares these settings with the plan.
pub enum Repeat {
    Loop(Arc<LoopConfig>),
    List(ListConfig),
    Subflow(Arc<SubflowPlan>),
}

pub struct PlanNode {
    pub id: Arc<str>,
    /// The ids of the enclosing subflows and the node's own id, as in `polish/draft`. In the plan, this path is unique, as an
    /// id is in a flow.
    pub place: Arc<str>,
    pub title: String,
    pub graph: GraphIx,
    pub slot: Slot,
    pub role: Role,
    pub shape: Shape,
    /// Whether the node sends its value through only one of its outputs.
    pub branching: bool,
    pub disabled: bool,
    /// The time limit of each attempt, in milliseconds; `None` for no limit.
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
    /// The primary output, if the node has one. A bypassed node passes its input on through this output.
    pub primary_output: Option<Arc<str>>,
    /// The slots of the nodes to notify when this node is settled. A slot occurs once for each wire from this node to it.
    pub consumers: Vec<Slot>,
    /// The number of wires in the same graph that must be settled before the node can start.
    pub waits_for: u32,
    pub bindings: Vec<Binding>,
    /// The outcome that replaces the node's executions, if the node is pinned.
    pub pinned: Option<Arc<Outcome>>,
    /// Whether the run needs the node. If not, the node does not run.
    pub needed: bool,
}

/// What a node does when it runs.
pub enum Work {
    /// The node provides a value from outside the run.
    Input {
        name: String,
        default: Option<Value>,
        required: bool,
    },
    /// The node passes a value to the outside.
    Output {
        name: String,
    },
    Execute(Box<dyn Execute>),
    /// The node runs the graph of the scope's body.
    Scope {
        graph: GraphIx,
        end: NodeIx,
    },
    /// The node runs the flow inside it.
    Subflow {
        graph: GraphIx,
    },
    /// The node itself does nothing, because the scope start settles it. For a list, an `Execute` combines the items.
    End {
        start: NodeIx,
        combine: Option<Box<dyn Execute>>,
    },
    /// The node passes its primary input on unchanged.
    Bypass,
    /// The node fails with this error when it is executed.
    Broken(NodeError),
    /// The node never runs.
    Annotation,
}

impl Plan {
    /// Returns the name of a node in a record at `path`: its id or, if the record is about the whole run and has an empty
    /// path, its place in the plan.
    pub fn name_on_record(&self, node: NodeIx, path: &str) -> &Arc<str> {
        let planned = &self.nodes[node];
        if path.is_empty() {
            &planned.place
        } else {
            &planned.id
        }
    }

    /// Returns the maximum duration of a run, in milliseconds, or `None` for no limit.
    pub fn timeout_ms(&self) -> Option<u64> {
        let timeout = self.settings.timeout.as_deref()?;
        crate::duration::millis(timeout).ok()
    }

    /// Returns the total time that a step may wait for quotas, in milliseconds; 0 if a refused call fails at once.
    pub fn quota_wait_ms(&self) -> u64 {
        let wait = self.settings.quota_wait.as_deref();
        wait.and_then(|wait| crate::duration::millis(wait).ok())
            .unwrap_or(DEFAULT_WAIT_MS)
    }

    /// Returns the budget that the flow sets for a run.
    pub fn budget(&self) -> Limits {
        Limits::new(self.settings.budget_usd, self.settings.budget_tokens)
    }

    /// Returns whether the flow or a loop in it has a budget.
    pub fn has_budgets(&self) -> bool {
        !self.budget().is_none()
            || self.graphs.iter().any(|graph| {
                matches!(&graph.repeat, Some(Repeat::Loop(config)) if !config.budget.is_none())
            })
    }

    /// Returns the inputs of the flow itself, in the order of the plan.
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

    /// Returns the node at a path such as `refine[2]/polish/draft`, or `None` if there is none.
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
    /// Whether a run needs a value for the input: the input is required and has no pin, and the run reaches it.
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
            reads_of_resource: Arc::default(),
            exhausted_wired: false,
            condition_bindings: Vec::new(),
            score_bindings: Vec::new(),
            initial_bindings: Vec::new(),
            next_bindings: Vec::new(),
            summary_bindings: Vec::new(),
            output_bindings: Vec::new(),
        }
    }
}

/// Returns the specification of a planned node's kind, or `None` for an unknown kind.
pub(crate) fn spec<'a>(kinds: &'a KindSet, node: &Node) -> Option<&'a dyn KindSpec> {
    kinds.specs().of(node)
}
