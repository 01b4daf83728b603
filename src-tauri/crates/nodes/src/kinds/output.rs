//! `output`: sends a value out of the run.

use loopwright_engine::{Execute, Kind, NodeError};
use loopwright_model::{Category, Handle, Handles, KindSpec, Node, Shape, ValueType, kind::Data};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::config;

pub(crate) struct Output;

#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Format {
    #[default]
    Text,
    Markdown,
    Json,
}

#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
struct Config {
    /// The name of the result.
    name: String,
    /// How the value is shown. The value itself stays the same.
    format: Format,
}

impl KindSpec for Output {
    fn type_name(&self) -> &'static str {
        "output"
    }
    fn title(&self) -> &'static str {
        "Output"
    }
    fn category(&self) -> Category {
        Category::Io
    }
    fn icon(&self) -> &'static str {
        "file-output"
    }
    fn summary(&self) -> &'static str {
        "final result"
    }
    fn doc(&self) -> &'static str {
        "A named result of the run. `format` sets how the value is shown. It doesn't change the value."
    }
    fn shape(&self) -> Shape {
        Shape::Output
    }
    fn handles(&self, _data: &Data) -> Handles {
        Handles {
            inputs: vec![Handle::primary("value", ValueType::Any)],
            outputs: Vec::new(),
        }
    }
    fn schema(&self) -> Value {
        config::schema::<Config>()
    }
    fn defaults(&self) -> Data {
        config::object(json!({ "name": "result", "format": "text" }))
    }
}

impl Kind for Output {
    fn compile(&self, node: &Node) -> Result<Box<dyn Execute>, NodeError> {
        Err(config::run_by_engine(node))
    }
}
