//! The analysis that the editor requests after every change: problems, handles, regions, and the maximum cost of a run.

use std::collections::{BTreeMap, HashMap};

use loopwright_engine::{KindSet, plan::attempts};
use loopwright_model::{
    Flow, KindSpec, Node, Problem, Repetition, Shape, file,
    graph::{Graph, NodeIx},
    regions::{Region, Regions, Role, regions},
    subflow::{self, Linked},
};
use loopwright_runs::{
    ApiError, Env, NOT_BOUNDED, calls_of_attempt, counted_agent_turns, counted_calls,
    environment_problems, problem_info, subflows,
};
use serde_json::Value;

use crate::{
    dto::{Analysis, Estimate, NodeAnalysis, RegionInfo, RoleInfo},
    kinds::{handle_infos, repeats_info},
};

/// Analyses a document. `path` is the document's file, or `None` if it was never saved. References to other files are
/// resolved against this path.
///
/// # Errors
/// Returns an error if the document is not a flow.
pub fn analyze(env: &Env, document: Value, path: Option<&str>) -> Result<Analysis, ApiError> {
    let flow = file::read_value(document)?;
    Ok(analyze_flow(&flow, path, env.kinds(), |linked| {
        environment_problems(env, linked, path)
    }))
}

/// Returns the number of problems of each node. A problem inside a subflow is counted for the subflow too: `sub/draft` for
/// `sub`.
fn counted(problems: &[Problem]) -> HashMap<&str, u32> {
    let mut counts = HashMap::new();
    for at in problems
        .iter()
        .filter_map(|problem| problem.node.as_deref())
    {
        let ends = at.match_indices('/').map(|(end, _)| end);
        for end in ends.chain([at.len()]) {
            *counts.entry(&at[..end]).or_default() += 1;
        }
    }
    counts
}

/// Analyses a flow. References to other files are resolved against `path`, the file of the document. `environment` receives
/// the flow with all subflows expanded and returns the problems that its run would have on this computer.
pub(crate) fn analyze_flow(
    flow: &Flow,
    path: Option<&str>,
    kinds: &KindSet,
    environment: impl FnOnce(&Flow) -> Vec<Problem>,
) -> Analysis {
    let Linked {
        flow, mut problems, ..
    } = subflows::checked(flow, path, kinds.specs());
    let flow = &flow;
    problems.extend(environment(flow));
    let graph = Graph::new(flow, kinds.specs());
    let regions = regions(flow, kinds.specs(), &graph);
    let id = |node: NodeIx| flow.nodes[node].id.clone();
    let counts = counted(&problems);
    let mut nodes = BTreeMap::new();
    for (index, node) in flow.nodes.iter().enumerate() {
        let innermost = regions.scope_of[index].map(|region| &regions.regions[region]);
        let role = if graph.is_start(index) {
            RoleInfo::Start
        } else if graph.is_end(index) {
            RoleInfo::End
        } else {
            match innermost.and_then(|region| region.roles.get(&index)) {
                None => RoleInfo::Plain,
                Some(Role::Core) => RoleInfo::Core,
                Some(Role::Tail) => RoleInfo::Tail,
                Some(Role::Leaf) => RoleInfo::Leaf,
            }
        };
        nodes.insert(
            node.id.clone(),
            NodeAnalysis {
                inputs: handle_infos(&graph.handles[index].inputs),
                outputs: handle_infos(&graph.handles[index].outputs),
                role,
                region: innermost.map(|region| id(region.start)),
                problems: counts.get(node.id.as_str()).copied().unwrap_or(0),
                model_calls: calls_model(flow, kinds, index),
            },
        );
    }
    let region_infos = regions
        .regions
        .iter()
        .map(|region| {
            let with = |wanted: Role| {
                region
                    .roles
                    .iter()
                    .filter(|(_, role)| **role == wanted)
                    .map(|(&node, _)| id(node))
                    .collect()
            };
            RegionInfo {
                start: id(region.start),
                end: region.end.map(id),
                repeats: repeats_info(region.repeats),
                body: region.body.iter().map(|&node| id(node)).collect(),
                core: with(Role::Core),
                tail: with(Role::Tail),
                leaves: with(Role::Leaf),
                feedback_edges: region
                    .feedback_edges
                    .iter()
                    .map(|&edge| flow.edges[edge].id.clone())
                    .collect(),
                max_iterations: max_iterations(flow, kinds, region),
                depth: u32::try_from(region.depth).unwrap_or(u32::MAX),
            }
        })
        .collect();
    Analysis {
        runnable: !problems.iter().any(Problem::is_error),
        problems: problems.iter().map(problem_info).collect(),
        estimate: match subflow::is_bounded(flow) {
            true => estimate(flow, kinds, &regions),
            false => uncounted(),
        },
        nodes,
        regions: region_infos,
    }
}

fn calls_model(flow: &Flow, kinds: &KindSet, node: NodeIx) -> bool {
    Counted::Calls.is_at(&flow.nodes[node], kinds)
}

/// What an estimate counts: model calls or agent turns.
#[derive(Clone, Copy)]
enum Counted {
    Calls,
    AgentTurns,
}

impl Counted {
    fn is_at(self, node: &Node, kinds: &KindSet) -> bool {
        let is = |kind: &dyn KindSpec| match self {
            Self::Calls => kind.calls_model(&node.data),
            Self::AgentTurns => kind.spends_unbounded(&node.data),
        };
        !node.disabled() && kinds.specs().of(node).is_some_and(is)
    }

    /// Returns the maximum count for one attempt of `node`, for which [`Self::is_at`] must return true.
    fn in_attempt(self, node: &Node, kinds: &KindSet) -> u32 {
        match self {
            Self::Calls => calls_of_attempt(node, kinds.specs().shape(node)),
            Self::AgentTurns => 1,
        }
    }
}

/// Returns the maximum count for one execution of `node` (`None` if it is unknown), and whether that count depends on
/// the length of a list in the node's subflow. Returns `None` if nothing in the node is counted.
fn in_execution(
    counted: Counted,
    flow: &Flow,
    kinds: &KindSet,
    node: NodeIx,
) -> Option<(Option<u32>, bool)> {
    let document = &flow.nodes[node];
    if counted.is_at(document, kinds) {
        let each = counted.in_attempt(document, kinds);
        return Some((each.checked_mul(attempts(document)), false));
    }
    if kinds.specs().shape(document) != Shape::Subflow || document.disabled() {
        return None;
    }
    let inner = subflow::inline(document)?.ok()?;
    let graph = Graph::new(&inner, kinds.specs());
    let regions = regions(&inner, kinds.specs(), &graph);
    let (most, _, lists) = most_in_run(counted, &inner, kinds, &regions);
    (most != Some(0)).then_some((most, lists))
}

/// Returns the maximum number of iterations of a region under the limits of the workflow. Returns `None` for a list, because its
/// length is not known in advance.
fn max_iterations(flow: &Flow, kinds: &KindSet, region: &Region) -> Option<u32> {
    let node = &flow.nodes[region.start];
    let asked = kinds.specs().of(node)?.max_iterations(&node.data)?;
    Some(asked.clamp(1, flow.settings().max_iterations_ceiling))
}

/// Returns the maximum count for a run, the maximum count for one iteration of the first loop, and whether they depend on
/// the length of a list. A node in a loop's core runs in every iteration, and a node in its tail in every iteration except
/// the last.
fn most_in_run(
    counted: Counted,
    flow: &Flow,
    kinds: &KindSet,
    regions: &Regions,
) -> (Option<u32>, Option<u32>, bool) {
    let mut total = Some(0_u32);
    let mut per_iteration = 0_u32;
    let mut lists = false;
    let first_loop = regions
        .regions
        .iter()
        .position(|region| region.repeats == Repetition::Loop && region.parent.is_none());
    for node in 0..flow.nodes.len() {
        let Some((each, inside)) = in_execution(counted, flow, kinds, node) else {
            continue;
        };
        lists |= inside;
        let mut visits = each;
        let mut at = node;
        for region in regions.enclosing(node) {
            let region = &regions.regions[region];
            let times =
                max_iterations(flow, kinds, region).map(|most| match region.roles.get(&at) {
                    Some(Role::Tail) => most - 1,
                    _ => most,
                });
            lists |= times.is_none();
            visits = visits
                .zip(times)
                .and_then(|(visits, times)| visits.checked_mul(times));
            at = region.start;
        }
        if first_loop.is_some_and(|first| regions.enclosing(node).any(|region| region == first)) {
            per_iteration += each.unwrap_or(1);
        }
        total = total
            .zip(visits)
            .and_then(|(total, visits)| total.checked_add(visits));
    }
    (total, first_loop.map(|_| per_iteration), lists)
}

/// Returns the estimate for a flow whose calls cannot be counted.
fn uncounted() -> Estimate {
    Estimate {
        max_calls: None,
        per_iteration: None,
        agent_turns: None,
        usd: None,
        counts: "more calls than can be counted".to_owned(),
        note: "more calls than can be counted".to_owned(),
    }
}

fn estimate(flow: &Flow, kinds: &KindSet, regions: &Regions) -> Estimate {
    let (total, per_iteration, lists) = most_in_run(Counted::Calls, flow, kinds, regions);
    let (turns, _, turns_in_lists) = most_in_run(Counted::AgentTurns, flow, kinds, regions);
    let calls = match total {
        Some(0) => "no model calls".to_owned(),
        Some(calls) => format!("up to {}", counted_calls(u64::from(calls))),
        None if lists => "calls per item".to_owned(),
        None => "more calls than can be counted".to_owned(),
    };
    let agents = match turns {
        Some(0) => None,
        Some(turns) => Some(counted_agent_turns(u64::from(turns))),
        None if turns_in_lists => Some("agent turns per item".to_owned()),
        None => Some("more agent turns than can be counted".to_owned()),
    };
    let bound = if agents.is_some() { NOT_BOUNDED } else { "" };
    let counts = match (agents, total) {
        (None, _) => calls,
        (Some(agents), Some(0)) => agents,
        (Some(agents), _) => format!("{calls}, {agents}"),
    };
    Estimate {
        max_calls: total,
        per_iteration,
        agent_turns: turns,
        usd: (total == Some(0) && turns == Some(0)).then_some(0.0),
        note: format!("{counts}{bound}"),
        counts,
    }
}
