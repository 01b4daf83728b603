//! The settings of a tool node.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "Approval")]
pub(crate) enum ToolApproval {
    /// Run without asking.
    Auto,
    /// Ask a person before each use.
    Ask,
    /// Never run.
    Deny,
}

#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Config {
    /// The tool to use, such as `search.documents`, `http.request` or `files.read`.
    #[schemars(extend("x-widget" = "tool"))]
    pub(super) tool: String,
    /// The tool's arguments by name. Text values are templates. A wire to an argument's handle overrides the value here.
    #[schemars(title = "Arguments", extend("x-widget" = "args"))]
    pub(super) args: Map<String, Value>,
    /// Whether the tool may run without asking. If empty, document search, scripts and programs run without asking, and other
    /// tools ask. Programs are approved before the run.
    pub(super) approval: Option<ToolApproval>,
}
