//! `subflow`: a flow used as one node.

use loopwright_engine::{Execute, Kind, NodeError};
use loopwright_model::{
    Category, Handle, Handles, KindSpec, Node, Shape, ValueType, kind::Data, subflow,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{input::Input, output::Output};
use crate::config;

pub(crate) struct Subflow;

#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[allow(
    dead_code,
    reason = "read by the engine; here it is the form's description"
)]
struct Config {
    /// The workflow file, such as `lib/polish.flow.json`. It must be in this workflow's folder or below it. It is read once, when a
    /// run starts.
    #[schemars(title = "File")]
    r#ref: Option<String>,
    /// The flow itself, if it is stored here instead of in a file.
    #[schemars(extend("x-hidden" = true, "type" = "object"))]
    flow: Option<Map<String, Value>>,
    /// The file that the flow stored here was read from. It is not read again.
    #[schemars(extend("x-hidden" = true))]
    from: Option<String>,
}

/// The properties of an inner input or output node that determine a handle of the subflow node.
struct Boundary {
    name: String,
    value_type: ValueType,
}

/// Returns the inputs or the outputs of the inner flow, in document order. If several have the same name, only the first is
/// returned.
fn boundaries(data: &Data, kind: &dyn KindSpec) -> Vec<Boundary> {
    let nodes = data
        .get(subflow::FLOW)
        .and_then(|flow| flow.get("nodes"))
        .and_then(Value::as_array);
    let mut found: Vec<Boundary> = Vec::new();
    for node in nodes.into_iter().flatten() {
        if node.get("type").and_then(Value::as_str) != Some(kind.type_name()) {
            continue;
        }
        let empty = Data::new();
        let data = node
            .get("data")
            .and_then(Value::as_object)
            .unwrap_or(&empty);
        if data.get("disabled") == Some(&Value::Bool(true)) {
            continue;
        }
        let id = node.get("id").and_then(Value::as_str);
        let Some(name) = config::text(data, "name").or(id) else {
            continue;
        };
        if found.iter().any(|known| known.name == name) {
            continue;
        }
        let handles = kind.handles(data);
        let handle = handles.primary_output().or(handles.primary_input());
        found.push(Boundary {
            name: name.to_owned(),
            value_type: handle.map_or(ValueType::Any, |handle| handle.value_type),
        });
    }
    found
}

/// Returns a handle for each of these nodes. The first handle is the primary one.
fn handles(boundaries: Vec<Boundary>) -> Vec<Handle> {
    boundaries
        .into_iter()
        .enumerate()
        .map(|(index, boundary)| match index {
            0 => Handle::primary(boundary.name, boundary.value_type),
            _ => Handle::new(boundary.name, boundary.value_type),
        })
        .collect()
}

impl KindSpec for Subflow {
    fn type_name(&self) -> &'static str {
        "subflow"
    }
    fn title(&self) -> &'static str {
        "Subflow"
    }
    fn category(&self) -> Category {
        Category::Logic
    }
    fn icon(&self) -> &'static str {
        "workflow"
    }
    fn summary(&self) -> &'static str {
        "a workflow as one node"
    }
    fn doc(&self) -> &'static str {
        "Runs another workflow as one node. The node's inputs and outputs are the inputs and outputs of that workflow, by name. \
         The first of each is the main one. The workflow is stored in the node, or in a file in this workflow's folder. Inside, \
         `run.inputs` are the subflow's own inputs, and templates can't read anything outside that isn't wired to the node. \
         Nodes inside have paths such as `polish/draft`."
    }
    fn shape(&self) -> Shape {
        Shape::Subflow
    }
    fn touches_world(&self) -> bool {
        // A subflow counts as having effects, because nodes of the inner flow may have them.
        true
    }
    fn handles(&self, data: &Data) -> Handles {
        Handles {
            inputs: handles(boundaries(data, &Input)),
            outputs: handles(boundaries(data, &Output)),
        }
    }
    fn schema(&self) -> Value {
        config::schema::<Config>()
    }
    fn defaults(&self) -> Data {
        Data::new()
    }
}

impl Kind for Subflow {
    fn compile(&self, node: &Node) -> Result<Box<dyn Execute>, NodeError> {
        Err(config::run_by_engine(node))
    }
}
