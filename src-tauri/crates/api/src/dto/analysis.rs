//! The analysis of a document for the editor: problems, nodes, regions and costs, and the data of renamed nodes.

use std::collections::BTreeMap;

use loopwright_runs::ProblemInfo;
use serde::Serialize;
use specta::Type;

use super::kinds::{HandleInfo, RepeatsInfo};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum RoleInfo {
    Plain,
    Core,
    Tail,
    Leaf,
    Start,
    End,
}

#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct NodeAnalysis {
    pub inputs: Vec<HandleInfo>,
    pub outputs: Vec<HandleInfo>,
    pub role: RoleInfo,
    /// The id of the node that opens the innermost loop or list around this node; null if it is in none.
    pub region: Option<String>,
    pub problems: u32,
    pub model_calls: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
#[serde(rename = "Region")]
pub struct RegionInfo {
    pub start: String,
    pub end: Option<String>,
    pub repeats: RepeatsInfo,
    pub body: Vec<String>,
    pub core: Vec<String>,
    pub tail: Vec<String>,
    pub leaves: Vec<String>,
    pub feedback_edges: Vec<String>,
    pub max_iterations: Option<u32>,
    pub depth: u32,
}

/// The maximum numbers of model calls and agent turns in a run, and their maximum cost.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct Estimate {
    /// The maximum number of model calls; null if it depends on the length of a list or is too large to count.
    pub max_calls: Option<u32>,
    /// The maximum number of model calls in one iteration of the first loop; null if the flow has no loop.
    pub per_iteration: Option<u32>,
    /// The maximum number of agent turns, whose cost has no bound; null if it depends on the length of a list or is too
    /// large to count.
    pub agent_turns: Option<u32>,
    /// The maximum cost in US dollars: 0 if the run makes no model calls and has no agent turns, otherwise null.
    pub usd: Option<f64>,
    /// The calls and turns as a phrase: `up to 5 calls, up to 3 agent turns`.
    pub counts: String,
    /// The text of `counts`, with a note if nothing limits the cost.
    pub note: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct Analysis {
    pub problems: Vec<ProblemInfo>,
    pub nodes: BTreeMap<String, NodeAnalysis>,
    pub regions: Vec<RegionInfo>,
    pub estimate: Estimate,
    pub runnable: bool,
}
