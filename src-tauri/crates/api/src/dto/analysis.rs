//! What the editor is told of a document: problems, nodes, regions and costs, and data of renamed nodes.

use std::collections::BTreeMap;

use loopwright_model::{Severity, Span};
use serde::Serialize;
use serde_json::{Map, Value};
use specta::Type;
use specta_typescript::Any;

use super::kinds::{HandleInfo, RepeatsInfo};

#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(rename = "Problem")]
pub struct ProblemInfo {
    pub code: String,
    pub severity: Severity,
    pub node: Option<String>,
    pub place: Option<String>,
    /// Where in the text that stands at `place`, for a template, an expression or a script.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[specta(optional)]
    pub span: Option<Span>,
    pub message: String,
    pub fix: Option<FixInfo>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(rename = "Fix")]
pub struct FixInfo {
    pub title: String,
    /// Edits of the document; see the `Edit` type of the window.
    #[specta(type = Vec<Any>)]
    pub edits: Vec<Value>,
}

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
    /// Id of the innermost scope start around the node.
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

/// The most that a run can do.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct Estimate {
    /// Model calls; `None` when the length of a list decides.
    pub max_calls: Option<u32>,
    /// Model calls in one iteration of the first loop.
    pub per_iteration: Option<u32>,
    /// Turns of agents, whose cost nothing bounds; `None` when the length of a list decides.
    pub agent_turns: Option<u32>,
    /// Dollars, where every price is known.
    pub usd: Option<f64>,
    pub note: String,
}

/// The most that a run can cost, before it starts. What is null is not known, and `unknown` says why.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct CostEstimate {
    /// Model calls, retries and second tries included.
    pub max_calls: Option<u32>,
    pub max_usd: Option<f64>,
    /// Tokens in and out.
    pub max_tokens: Option<u32>,
    /// Turns of agents. Nothing bounds what one costs: where there are some, neither dollars nor tokens are known.
    pub agent_turns: Option<u32>,
    /// Why something is not known, a sentence each.
    pub unknown: Vec<String>,
    /// The nodes whose calls have no bound because they have no `maxTokens`.
    pub unbounded: Vec<UnboundedNode>,
    /// `at most 5 calls, $0.0123`
    pub note: String,
}

/// A node that calls a model and has no `maxTokens`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Type)]
pub struct UnboundedNode {
    /// The ids of the subflows around it and its own: `polish/draft`.
    pub place: String,
    pub title: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct Analysis {
    pub problems: Vec<ProblemInfo>,
    pub nodes: BTreeMap<String, NodeAnalysis>,
    pub regions: Vec<RegionInfo>,
    pub estimate: Estimate,
    pub runnable: bool,
}

/// What nodes' data becomes when nodes get other ids.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct RenamedData {
    /// The whole `data` of each node in which something changed, by the id that the node had before.
    #[specta(type = BTreeMap<String, BTreeMap<String, Any>>)]
    pub data: BTreeMap<String, Map<String, Value>>,
    /// How many places in templates, expressions and scripts were rewritten.
    pub places: u32,
    /// What could not be read and stays as it is, though it may name one of the nodes.
    pub unread: Vec<UnreadField>,
}

/// A template, expression or script with a mistake in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct UnreadField {
    /// The id that the node had before.
    pub node: String,
    /// The field, as a path within `data`.
    pub field: String,
    pub message: String,
}
