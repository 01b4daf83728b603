//! The flow document as typed data. Unknown fields are kept next to the known ones, so that writing the document again loses
//! nothing.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Number, Value};

use crate::value::whole;

/// The newest `schemaVersion` of a flow file that this program reads.
pub const SCHEMA_VERSION: u64 = 1;

/// The name of the workflow setting with the retry policy of the workflow's model calls.
pub const RETRY: &str = "retry";

/// A workflow: nodes, edges and settings. Field names are camelCase in JSON.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Flow {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema_version: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settings: Option<Map<String, Value>>,
    pub nodes: Vec<Node>,
    #[serde(default)]
    pub edges: Vec<Edge>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub viewport: Option<Value>,
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// One node. `data` contains the kind's configuration and the fields that every node may have, such as the label, `disabled`
/// and `retry`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Node {
    pub id: String,
    #[serde(rename = "type")]
    pub kind: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<Position>,
    #[serde(default)]
    pub data: Map<String, Value>,
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// The position of a node on the canvas, in canvas units. A position that was read is written back in its original number
/// format.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Position {
    pub x: Number,
    pub y: Number,
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// A wire from an output handle to an input handle. A missing handle name means the primary handle.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Edge {
    pub id: String,
    pub source: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_handle: Option<String>,
    pub target: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target_handle: Option<String>,
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

impl Node {
    /// Returns the label shown to users, or the id if there is no label.
    pub fn title(&self) -> &str {
        self.text("label")
            .filter(|label| !label.trim().is_empty())
            .unwrap_or(&self.id)
    }

    /// Returns the name of an input or output node, or its id if it has no name.
    pub fn boundary_name(&self) -> &str {
        self.text("name")
            .filter(|name| !name.trim().is_empty())
            .unwrap_or(&self.id)
    }

    /// Returns the string in the field of `data` with this name, or `None` if the field is missing or not a string.
    pub fn text(&self, field: &str) -> Option<&str> {
        self.data.get(field).and_then(Value::as_str)
    }

    /// Returns whether the node was imported and could not be translated. Its original data is kept unchanged.
    pub fn is_placeholder(&self) -> bool {
        is_placeholder(&self.data)
    }

    /// Returns whether the node is bypassed, that is, whether its `disabled` field is true.
    pub fn disabled(&self) -> bool {
        self.data.get("disabled").and_then(Value::as_bool) == Some(true)
    }
}

/// Returns whether a node with this data was imported and could not be translated.
pub(crate) fn is_placeholder(data: &Map<String, Value>) -> bool {
    data.get("imported")
        .is_some_and(|imported| !matches!(imported, Value::Null | Value::Bool(false)))
}

/// The settings of a flow. They are read leniently: a missing or malformed setting gets its default here, and validation
/// reports malformed settings.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    pub allow_nested_loops: bool,
    /// The upper limit for `maxIterations` of every loop, from 1 to 1,000.
    pub max_iterations_ceiling: u32,
    pub budget_usd: Option<f64>,
    pub budget_tokens: Option<u64>,
    /// The time limit of the whole run, as an ISO 8601 duration. `None` means no limit.
    pub timeout: Option<String>,
    /// The number of nodes that may run at the same time, from 1 to 1,024. Nodes that only compute do not count.
    pub concurrency: usize,
    /// The retry policy of nodes that call a model and have no policy of their own. If it is `None`, these nodes make a single
    /// attempt.
    pub retry: Option<Map<String, Value>>,
    /// The total time that a step may wait for used-up quotas, as an ISO 8601 duration. If it is `None`, the engine's default
    /// applies.
    pub quota_wait: Option<String>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            allow_nested_loops: false,
            max_iterations_ceiling: 50,
            budget_usd: None,
            budget_tokens: None,
            timeout: None,
            concurrency: 8,
            retry: None,
            quota_wait: None,
        }
    }
}

impl Flow {
    pub fn node(&self, id: &str) -> Option<&Node> {
        self.nodes.iter().find(|node| node.id == id)
    }

    pub fn settings(&self) -> Settings {
        let mut settings = Settings::default();
        let Some(map) = &self.settings else {
            return settings;
        };
        if let Some(allow) = map.get("allowNestedLoops").and_then(Value::as_bool) {
            settings.allow_nested_loops = allow;
        }
        if let Some(ceiling) = map.get("maxIterationsCeiling").and_then(whole) {
            settings.max_iterations_ceiling = ceiling.clamp(1, 1000) as u32;
        }
        if let Some(budget) = map.get("budget") {
            settings.budget_usd = budget.get("usd").and_then(Value::as_f64);
            settings.budget_tokens = budget.get("tokens").and_then(whole);
        }
        settings.timeout = map
            .get("timeout")
            .and_then(Value::as_str)
            .map(str::to_owned);
        if let Some(concurrency) = map.get("concurrency").and_then(whole) {
            settings.concurrency = concurrency.clamp(1, 1024) as usize;
        }
        settings.quota_wait = map
            .get("quotaWait")
            .and_then(Value::as_str)
            .map(str::to_owned);
        settings.retry = map.get(RETRY).and_then(Value::as_object).cloned();
        settings
    }
}
