//! The test file, `NAME.test.json`: a saved run with its recorded answers and the expected results.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::file::Scorer;

/// The version of the file format that this program writes.
pub const SCHEMA_VERSION: u32 = 1;

/// A saved run. It is repeated with its recorded answers, and its results are compared with the expected ones.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TestFile {
    pub schema_version: u32,
    pub name: String,
    /// The path of the flow, relative to the folder of this file, or the name of a bundled template.
    pub flow: String,
    /// The fields that the run set to values other than those in the flow's file, with the values of the run. The keys
    /// are `node.field`.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub set: Map<String, Value>,
    /// The inputs of the run, by the name of the flow's input.
    pub inputs: Map<String, Value>,
    pub expect: Expect,
    /// The recorded answers of nodes, in execution order.
    pub answers: Vec<RecordedAnswer>,
}

/// The expectations of the run. Absent fields are not checked.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Expect {
    /// The expected outputs, by name.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub outputs: Map<String, Value>,
    /// The strings that outputs must contain, by name of the output.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub contains: Map<String, Value>,
    /// The JSON Schemas that outputs must match, by name of the output.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub schemas: Map<String, Value>,
    /// The minimum scores, for scorers that compute a score without a model.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scores: Vec<ExpectedScore>,
    /// The exit reason of the first loop, such as `evaluator_done`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_reason: Option<String>,
    /// The maximum number of iterations of the first loop.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_iterations: Option<u32>,
    /// The maximum cost of the run, in dollars.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_cost_usd: Option<f64>,
    /// The final status of the run: `completed` (the default) or `failed`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
}

/// A scorer and its minimum score.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ExpectedScore {
    pub scorer: Scorer,
    pub at_least: f64,
}

/// The recorded answer of a node.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RecordedAnswer {
    /// The ids of the subflows around the node, followed by the node's own id.
    pub node: String,
    /// The path at which the node ran when its answer was recorded, such as `refine[2]/draft`. The path is only for readers
    /// of the file.
    pub path: String,
    /// The hash of the node's settings and all of its inputs.
    pub key: String,
    /// The recorded outcome of the node. `None` if the node failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Value>,
    /// The recorded error of the node. `None` if the node did not fail.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<Value>,
}
