//! `placeholder`: replaces a node of an imported file that could not be translated, and stores the source of that node.

use loopwright_engine::{
    Execute, Kind, NodeContext, NodeError, NodeInput, Step, outcome::NOT_TRANSLATED,
};
use loopwright_model::{
    Category, Handle, Handles, KindSpec, Node, Problem, Shape, ValueType, kind::Data,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::config;

pub(crate) struct Placeholder;

/// The origin of the node is in `imported`, a field that every node may have: `from`, `reason`, `source`.
#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
struct Config {}

impl KindSpec for Placeholder {
    fn type_name(&self) -> &'static str {
        "placeholder"
    }
    fn title(&self) -> &'static str {
        "Placeholder"
    }
    fn category(&self) -> Category {
        Category::Logic
    }
    fn icon(&self) -> &'static str {
        "circle-dashed"
    }
    fn summary(&self) -> &'static str {
        "not translated"
    }
    fn doc(&self) -> &'static str {
        "Takes the place of a node in an imported file that could not be translated. It keeps the source and the reason in \
         `imported`. A run that reaches it fails. No retry, list, loop or subflow catches this failure, and the node gives no value. \
         Replace it with a node that does the same."
    }
    fn shape(&self) -> Shape {
        Shape::Plain
    }
    fn handles(&self, _data: &Data) -> Handles {
        Handles {
            inputs: vec![Handle::primary("input", ValueType::Any).many()],
            outputs: vec![Handle::primary("output", ValueType::Any)],
        }
    }
    fn schema(&self) -> Value {
        config::schema::<Config>()
    }
    fn defaults(&self) -> Data {
        Data::new()
    }
    fn check(&self, node: &Node, problems: &mut Vec<Problem>) {
        if !node.data.contains_key("imported") && !node.data.is_empty() {
            problems.push(
                Problem::warning(
                    "empty_placeholder",
                    format!(
                        "\"{}\" is an empty placeholder without a source. Replace or remove it. A run that reaches it fails.",
                        node.title()
                    ),
                )
                .at(&node.id),
            );
        }
    }
    fn can_bypass(&self) -> bool {
        false
    }
    fn hidden(&self) -> bool {
        true
    }
}

impl Kind for Placeholder {
    fn compile(&self, node: &Node) -> Result<Box<dyn Execute>, NodeError> {
        Ok(Box::new(Fail {
            title: node.title().to_owned(),
        }))
    }
}

struct Fail {
    title: String,
}

impl Execute for Fail {
    fn run(&self, _input: &NodeInput, _cx: &NodeContext) -> Step {
        Step::Done(Err(NodeError::new(
            NOT_TRANSLATED,
            format!(
                "\"{}\" is a placeholder and does nothing. Replace it before it is run.",
                self.title
            ),
        )))
    }
}
