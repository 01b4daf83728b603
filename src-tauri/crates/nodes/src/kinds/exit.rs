//! `exit`: marks the end of a loop's region.

use loopwright_engine::{Execute, Kind, NodeError};
use loopwright_model::{Category, Handle, Handles, KindSpec, Node, Shape, ValueType, kind::Data};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::config;

pub(crate) struct Exit;

#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
struct Config {}

impl KindSpec for Exit {
    fn type_name(&self) -> &'static str {
        "exit"
    }
    fn title(&self) -> &'static str {
        "Exit"
    }
    fn category(&self) -> Category {
        Category::Logic
    }
    fn icon(&self) -> &'static str {
        "log-out"
    }
    fn summary(&self) -> &'static str {
        "leave the loop"
    }
    fn doc(&self) -> &'static str {
        "Marks the end of a Loop. The value that reaches it is the iteration's result. When the loop ends, the final result \
         leaves through `output`. If the loop is exhausted and `exhausted` is wired, the result leaves through `exhausted` \
         instead."
    }
    fn shape(&self) -> Shape {
        Shape::ScopeEnd {
            opened_by: "loop",
            optional_start: false,
        }
    }
    fn handles(&self, _data: &Data) -> Handles {
        Handles {
            inputs: vec![Handle::primary("input", ValueType::Any)],
            outputs: vec![
                Handle::primary("output", ValueType::Any),
                Handle::new("exhausted", ValueType::Any),
            ],
        }
    }
    fn schema(&self) -> Value {
        config::schema::<Config>()
    }
    fn defaults(&self) -> Data {
        Data::new()
    }
}

impl Kind for Exit {
    fn compile(&self, node: &Node) -> Result<Box<dyn Execute>, NodeError> {
        Err(config::run_by_engine(node))
    }
}
