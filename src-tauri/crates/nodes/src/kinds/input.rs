//! `input`: brings a value into the run.

use loopwright_engine::{Execute, Kind, NodeError};
use loopwright_model::{
    Category, Handle, Handles, KindSpec, Node, Problem, Shape, ValueType, kind::Data,
    value::describe,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::config;

pub(crate) struct Input;

#[derive(Debug, Default, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum DataType {
    #[default]
    Text,
    Json,
    Number,
    Boolean,
    /// A file path.
    File,
}

#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[allow(
    dead_code,
    reason = "read by the engine; here it is the form's description"
)]
struct Config {
    /// The input's name, as in `--input topic=…` and `{{ run.inputs.topic }}`.
    name: String,
    /// The type of the value.
    data_type: DataType,
    /// Used when the run starts without a value.
    #[schemars(extend("x-widget" = "json"))]
    default: Option<Value>,
    /// A run can't start without a value.
    required: bool,
    /// Tells people what to enter. It is shown next to the field.
    description: Option<String>,
    /// An older name of `default`.
    #[schemars(extend("x-hidden" = true))]
    default_value: Option<Value>,
}

impl KindSpec for Input {
    fn type_name(&self) -> &'static str {
        "input"
    }
    fn title(&self) -> &'static str {
        "Input"
    }
    fn category(&self) -> Category {
        Category::Io
    }
    fn icon(&self) -> &'static str {
        "text-cursor-input"
    }
    fn summary(&self) -> &'static str {
        "starting values"
    }
    fn doc(&self) -> &'static str {
        "A value that you provide when the run starts, in the run box or with `--input name=value` on the command line. \
         A `text` is used as it is, a `file` is a path, and the other types are read as JSON."
    }
    fn shape(&self) -> Shape {
        Shape::Input
    }
    fn handles(&self, data: &Data) -> Handles {
        let value_type = match data.get("dataType").and_then(Value::as_str) {
            Some("json") => ValueType::Json,
            Some("number") => ValueType::Number,
            Some("boolean") => ValueType::Boolean,
            _ => ValueType::Text,
        };
        Handles {
            inputs: Vec::new(),
            outputs: vec![Handle::primary("value", value_type)],
        }
    }
    fn schema(&self) -> Value {
        config::schema::<Config>()
    }
    fn defaults(&self) -> Data {
        config::object(json!({ "name": "topic", "dataType": "text" }))
    }
    fn check(&self, node: &Node, problems: &mut Vec<Problem>) {
        let default = node
            .data
            .get("default")
            .or_else(|| node.data.get("defaultValue"));
        let Some(default) = default.filter(|value| !value.is_null()) else {
            return;
        };
        let wanted = match node.text("dataType") {
            Some("number") if !default.is_number() => "a number",
            Some("boolean") if !default.is_boolean() => "true or false",
            None | Some("text" | "file") if !default.is_string() => "text",
            _ => return,
        };
        problems.push(
            Problem::error(
                "bad_field",
                format!(
                    "`default` of \"{}\" is {}, but its data type needs {wanted}. Change the default or the data type.",
                    node.title(),
                    describe(default)
                ),
            )
            .at(&node.id)
            .place("default"),
        );
    }
}

impl Kind for Input {
    fn compile(&self, node: &Node) -> Result<Box<dyn Execute>, NodeError> {
        Err(config::run_by_engine(node))
    }
}
