//! Reads from a run's records what an evaluation needs: its output, and the result and cost of each iteration of a loop.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use loopwright_engine::{
    RunStatus, Usage,
    journal::{Journal, RunState, ScopeEnd, Select},
    plan::{Plan, Repeat},
    similarity::similarity,
};
use loopwright_evaluation::result::Spent;
use loopwright_model::{EffectClass, Flow, Kinds, graph::Graph, regions::Role};
use loopwright_records::{RunTree, Scope, Values};
use loopwright_runs::{ApiError, Code};
use serde_json::{Map, Value};

/// The values that an evaluation needs from a run that has ended.
#[derive(Debug, Clone)]
pub(super) struct Collected {
    pub(super) status: RunStatus,
    /// The run's only output, or an object with all outputs by name.
    pub(super) output: Value,
    pub(super) spent: Spent,
    pub(super) duration_ms: u64,
    pub(super) end: Option<ScopeEnd>,
    pub(super) iterations: Vec<CollectedIteration>,
    pub(super) error: Option<String>,
}

/// A completed iteration.
#[derive(Debug, Clone)]
pub(super) struct CollectedIteration {
    /// The result that the loop would have had if it had ended after this iteration.
    pub(super) result: Arc<Value>,
    /// The result of this iteration. It differs from `result` if the loop returns its best result.
    pub(super) own: Arc<Value>,
    pub(super) input: Arc<Value>,
    pub(super) spent: Spent,
    pub(super) elapsed_ms: u64,
    pub(super) similarity: Option<f64>,
    pub(super) score: Option<f64>,
    pub(super) reached_exit: bool,
    /// Whether ending the loop after this iteration would be a failure: the loop is set to fail at its cap, and its exit
    /// condition was not met.
    pub(super) would_fail: bool,
}

/// The properties of the loop that an evaluation's `perIteration` names, according to the plan of its flow.
#[derive(Debug, Clone)]
pub(super) struct LoopShape {
    pub(super) node: String,
    /// Nodes of the body that only prepare the next iteration.
    tail: BTreeSet<String>,
    /// The nodes that can be reached from the loop.
    after: BTreeSet<String>,
    /// Whether the tail also runs after the last iteration.
    tail_always: bool,
    returns_best: bool,
    fails_at_cap: bool,
    /// Whether the loop has no exit condition, so that only its cap ends it.
    only_cap: bool,
    /// Whether nodes after the loop make calls.
    calls_after: bool,
}

impl LoopShape {
    /// Finds a loop of the flow.
    ///
    /// # Errors
    /// [`Code::InvalidArgument`] if `node` is not a loop, or is inside another loop, a list or a subflow.
    pub(super) fn of(
        flow: &Flow,
        plan: &Plan,
        kinds: &Kinds,
        node: &str,
    ) -> Result<Self, ApiError> {
        let refused = |why: String| ApiError::new(Code::InvalidArgument, why);
        let found = plan.find(node).map(|index| &plan.nodes[index]);
        let graph = found.and_then(|found| {
            plan.graphs.iter().position(|graph| {
                graph
                    .owner
                    .is_some_and(|owner| plan.nodes[owner].place == found.place)
                    && matches!(graph.repeat, Some(Repeat::Loop(_)))
            })
        });
        let Some(graph) = graph else {
            let loops: Vec<&str> = plan
                .graphs
                .iter()
                .filter(|graph| matches!(graph.repeat, Some(Repeat::Loop(_))))
                .filter_map(|graph| graph.owner)
                .map(|owner| &*plan.nodes[owner].place)
                .collect();
            return Err(refused(format!(
                "`perIteration` names `{node}`, which is not one of the flow's loops that run once. Loops: {}.",
                if loops.is_empty() {
                    "none".to_owned()
                } else {
                    loops.join(", ")
                }
            )));
        };
        if found.is_none_or(|found| found.graph != 0) {
            return Err(refused(format!(
                "`perIteration` names `{node}`, which is in another loop, a list or a subflow. Name a loop that runs once."
            )));
        }
        let planned = &plan.graphs[graph];
        let Some(Repeat::Loop(config)) = &planned.repeat else {
            return Err(refused(format!(
                "`perIteration` names `{node}`, which is not a loop. Name a loop."
            )));
        };
        let tail = planned
            .members
            .iter()
            .map(|&member| &plan.nodes[member])
            .filter(|member| member.role == Role::Tail)
            .map(|member| member.id.to_string())
            .collect();
        let wires = Graph::new(flow, kinds);
        let after: BTreeSet<String> = wires
            .index(node)
            .map(|start| wires.reachable([start]))
            .unwrap_or_default()
            .into_iter()
            .filter_map(|index| flow.nodes.get(index))
            .map(|node| node.id.clone())
            .filter(|id| id != node)
            .collect();
        let calls_after = plan
            .nodes
            .iter()
            .filter(|planned| planned.graph == 0 && after.contains(&*planned.id))
            .any(|planned| planned.effect != EffectClass::Pure);
        Ok(Self {
            node: node.to_owned(),
            tail,
            calls_after,
            after,
            tail_always: config.condition().is_some_and(|condition| condition.before),
            returns_best: config.returns_best,
            fails_at_cap: config.fail_on_limit,
            only_cap: matches!(
                config.exit,
                loopwright_engine::run::ExitCondition::MaxIterations
            ),
        })
    }

    /// Returns a note for the report that explains the costs per iteration, or `None` if they need no explanation.
    pub(super) fn note(&self) -> Option<String> {
        self.calls_after.then(|| {
            format!(
                "The cost by iteration leaves out the calls that are made after the loop \"{}\".",
                self.node
            )
        })
    }
}

/// Reads what an evaluation needs from a run that has ended.
///
/// # Errors
/// Returns the journal's error if the run's records cannot be read.
pub(super) fn collect(
    journal: &dyn Journal,
    run_id: &str,
    state: RunState,
    shape: Option<&LoopShape>,
) -> Result<Collected, ApiError> {
    let tree = shape
        .map(|_| RunTree::read(journal, run_id, Select::All, Values::Results))
        .transpose()?;
    let looped = shape.zip(tree.as_ref());
    let output = match state.outputs.map(Value::from) {
        Some(Value::Object(mut outputs)) if outputs.len() == 1 => outputs
            .values_mut()
            .next()
            .map(Value::take)
            .unwrap_or_default(),
        Some(outputs) => outputs,
        None => Value::Null,
    };
    let end = match looped {
        Some((shape, tree)) => scope_of(tree, shape).and_then(|scope| scope.end),
        None => state
            .iterations
            .zip(state.exit_reason)
            .map(|(iterations, exit_reason)| ScopeEnd {
                iterations,
                exit_reason,
                exhausted: state
                    .warnings
                    .iter()
                    .any(|warning| warning.code == "loop_exhausted"),
            }),
    };
    Ok(Collected {
        status: state.status,
        output,
        spent: spent(&state.usage),
        duration_ms: state.duration_ms.unwrap_or_default(),
        end,
        iterations: looped.map_or_else(Vec::new, |(shape, tree)| iterations(tree, shape)),
        error: state.error.map(|error| error.message),
    })
}

/// Converts usage to the units of an evaluation.
pub(super) fn spent(usage: &Usage) -> Spent {
    Spent {
        micro_usd: usage.cost_microusd,
        tokens: usage.tokens(),
        calls: u32::try_from(usage.calls).unwrap_or(u32::MAX),
        unpriced_calls: u32::try_from(usage.unpriced_calls).unwrap_or(u32::MAX),
    }
}

/// The usage of the calls in one iteration, separately for the nodes that produce its result and for the tail that prepares
/// the next iteration.
#[derive(Default, Clone, Copy)]
struct IterationUsage {
    core: Usage,
    tail: Usage,
}

/// Returns the usage of the nodes that are neither in the loop nor after it, and the usage of each iteration, keyed by its
/// index from 0.
fn usage_by_iteration(tree: &RunTree, shape: &LoopShape) -> (Usage, BTreeMap<u32, IterationUsage>) {
    let prefix = format!("{}[", shape.node);
    let mut before = Usage::default();
    let mut by_iteration: BTreeMap<u32, IterationUsage> = BTreeMap::new();
    // Loops that have ended are skipped, because their usage is the sum of the usage of their nodes.
    let nodes = tree
        .steps()
        .filter(|(path, step)| *path != shape.node && !step.is_ended_scope());
    for (path, step) in nodes {
        let Some(inside) = path.strip_prefix(&prefix) else {
            let node = path.split(['/', '[']).next().unwrap_or_default();
            if !shape.after.contains(node) {
                before.add(&step.usage);
            }
            continue;
        };
        let Some((number, rest)) = inside.split_once("]/") else {
            continue;
        };
        let Ok(number) = number.parse::<u32>() else {
            continue;
        };
        let node = rest.split(['/', '[']).next().unwrap_or(rest);
        let used = by_iteration.entry(number.saturating_sub(1)).or_default();
        match shape.tail.contains(node) {
            true => used.tail.add(&step.usage),
            false => used.core.add(&step.usage),
        }
    }
    (before, by_iteration)
}

fn scope_of<'t>(tree: &'t RunTree, shape: &LoopShape) -> Option<&'t Scope> {
    tree.step(&shape.node)?.scope.as_ref()
}

/// Returns the completed iterations up to the first one that failed or was interrupted, without that one.
fn iterations(tree: &RunTree, shape: &LoopShape) -> Vec<CollectedIteration> {
    let Some(scope) = scope_of(tree, shape) else {
        return Vec::new();
    };
    let started_at = tree
        .step(&shape.node)
        .and_then(|step| step.started_at)
        .unwrap_or_default();
    let (mut spent_before, used) = usage_by_iteration(tree, shape);
    let mut found: Vec<CollectedIteration> = Vec::new();
    let mut best: Option<(bool, f64, Arc<Value>)> = None;
    let met = scope.end.is_some_and(|end| !end.exhausted);
    let last = scope.iterations.keys().next_back().copied();
    for (index, iteration) in &scope.iterations {
        // An interrupted or failed iteration has no result.
        let Some(end) = iteration.end.as_ref().filter(|end| end.is_completed()) else {
            break;
        };
        let own = Arc::clone(&end.result);
        let used = used.get(index).copied().unwrap_or_default();
        let mut here = spent_before;
        here.add(&used.core);
        if shape.tail_always {
            here.add(&used.tail);
        }
        spent_before.add(&used.core);
        spent_before.add(&used.tail);
        let similarity = match (end.similarity, found.last()) {
            (Some(similarity), _) => Some(similarity),
            (None, Some(before)) => Some(similarity(&before.own, &own).value),
            (None, None) => None,
        };
        let mut result = Arc::clone(&own);
        if shape.returns_best {
            if let Some(score) = end.score
                && best
                    .as_ref()
                    .is_none_or(|(reached, most, _)| (end.reached_exit, score) > (*reached, *most))
            {
                best = Some((end.reached_exit, score, Arc::clone(&own)));
            }
            if let Some((_, _, best)) = &best {
                result = Arc::clone(best);
            }
        }
        let ended_here = met && Some(*index) == last;
        found.push(CollectedIteration {
            result,
            own,
            input: iteration.input.clone().unwrap_or_default(),
            spent: spent(&here),
            elapsed_ms: u64::try_from(end.at.saturating_sub(started_at)).unwrap_or(0),
            similarity,
            score: end.score,
            reached_exit: end.reached_exit,
            would_fail: shape.fails_at_cap && !shape.only_cap && !ended_here,
        });
    }
    found
}

/// Returns the values that a back-test condition can read after one iteration. `index` counts from 0.
pub(super) fn condition_values(iteration: &CollectedIteration, index: usize) -> Map<String, Value> {
    let mut values = Map::new();
    values.insert("result".to_owned(), (*iteration.own).clone());
    values.insert("input".to_owned(), (*iteration.input).clone());
    values.insert("loopIndex".to_owned(), Value::from(index));
    values.insert("loopCount".to_owned(), Value::from(index + 1));
    values.insert("score".to_owned(), serde_json::json!(iteration.score));
    values.insert(
        "similarity".to_owned(),
        serde_json::json!(iteration.similarity),
    );
    values
}
