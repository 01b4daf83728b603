//! The test file, `NAME.test.json`: a run that was kept, with what its nodes gave and what is expected of it.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::file::Scorer;

/// The version of the file's format that this program writes.
pub const SCHEMA_VERSION: u32 = 1;

/// A run that is made again with recorded answers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TestFile {
    pub schema_version: u32,
    pub name: String,
    /// Path of the flow, from the folder of this file; or the name of a bundled template.
    pub flow: String,
    /// Values by `node.field` that the run had set beyond what the flow's file says.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub set: Map<String, Value>,
    /// By name of the flow's input.
    pub inputs: Map<String, Value>,
    pub expect: Expect,
    /// What nodes gave, in the order in which they ran.
    pub answers: Vec<RecordedAnswer>,
}

/// What must hold of the run. What is absent is not looked at.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Expect {
    /// Outputs by name.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub outputs: Map<String, Value>,
    /// Texts that the outputs contain, by name.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub contains: Map<String, Value>,
    /// JSON Schemas that the outputs fit, by name.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub schemas: Map<String, Value>,
    /// Scorers that are computed, with the least that they must give.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scores: Vec<ExpectedScore>,
    /// Why the first loop ended, such as `evaluator_done`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_reason: Option<String>,
    /// The most iterations of the first loop.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_iterations: Option<u32>,
    /// The most that the run costs, in dollars.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_cost_usd: Option<f64>,
    /// How the run ends: `completed` (the default) or `failed`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
}

/// A scorer and the least that it must give.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ExpectedScore {
    pub scorer: Scorer,
    pub at_least: f64,
}

/// What a node gave once.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RecordedAnswer {
    /// The ids of the subflows around the node and its own.
    pub node: String,
    /// Where it ran when it was recorded, such as `refine[2]/draft`. For people.
    pub path: String,
    /// Hash of the node's settings and of everything that it was given.
    pub key: String,
    /// What it gave; absent where it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Value>,
    /// How it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<Value>,
}
