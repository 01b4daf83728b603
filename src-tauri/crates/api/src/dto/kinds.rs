//! Node kinds, palette entries and tools.

use std::collections::BTreeMap;

use loopwright_engine::ExitChoice;
use loopwright_model::{Category, ValueType};
use serde::Serialize;
use serde_json::{Map, Value};
use specta::Type;
use specta_typescript::Any;

/// A handle of a node, drawn as a socket.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct HandleInfo {
    pub name: String,
    pub label: String,
    pub value_type: ValueType,
    pub primary: bool,
    pub many: bool,
    /// Whether this output of a branching node has a value on every branch. Such an output is not itself a branch.
    pub always: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum ShapeInfo {
    Plain,
    Input,
    Output,
    ScopeStart,
    ScopeEnd,
    Branching,
    Subflow,
    Annotation,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum RepeatsInfo {
    Loop,
    Each,
}

/// A node kind, with the data for the palette, the cards and the forms.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct KindInfo {
    #[serde(rename = "type")]
    pub type_name: String,
    pub title: String,
    pub category: Category,
    /// The name of a lucide icon.
    pub icon: String,
    pub summary: String,
    pub doc: String,
    pub shape: ShapeInfo,
    pub repeats: Option<RepeatsInfo>,
    /// For a kind that opens or closes a region, the kind of the node at the region's other end; null for other kinds.
    pub paired_with: Option<String>,
    /// The exit conditions that a loop of this kind offers; empty for other kinds.
    pub exits: Vec<ExitChoice>,
    pub inputs: Vec<HandleInfo>,
    pub outputs: Vec<HandleInfo>,
    /// The JSON Schema of a node's `data`.
    #[specta(type = Any)]
    pub schema: Value,
    #[specta(type = BTreeMap<String, Any>)]
    pub defaults: Map<String, Value>,
    /// Whether the kind is left out of the palette.
    pub hidden: bool,
}

/// A palette entry: a kind with some of its fields set.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct PresetInfo {
    pub id: String,
    pub title: String,
    pub category: Category,
    pub icon: String,
    pub summary: String,
    #[serde(rename = "type")]
    pub type_name: String,
    #[specta(type = BTreeMap<String, Any>)]
    pub data: Map<String, Value>,
    /// The inputs of a node that is created from the preset.
    pub inputs: Vec<HandleInfo>,
    pub outputs: Vec<HandleInfo>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct KindsReply {
    pub kinds: Vec<KindInfo>,
    pub presets: Vec<PresetInfo>,
    /// Pairs of different value types that a wire can connect. Values of the first type are converted to the second.
    pub convertible: Vec<(ValueType, ValueType)>,
}

/// A tool that a node can use.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct ToolDescription {
    /// The name of the tool, such as `search.documents`.
    pub name: String,
    pub title: String,
    pub summary: String,
    /// The JSON Schema of the tool's arguments.
    #[specta(type = Any)]
    pub args: Value,
    /// The reason why the tool cannot be used here, with a remedy; `null` if it can be used.
    pub unavailable: Option<String>,
}
