//! `iterator`: runs a region once per item of a list.

use loopwright_engine::{
    Execute, Kind, NodeError, ScopeConfig,
    plan::{ListConfig, OnItemError},
};
use loopwright_model::{
    Category, Handle, Handles, KindSpec, Node, Repetition, Shape, ValueType, kind::Data,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::config;

pub(crate) struct Iterator;

#[derive(Debug, Default, Clone, Copy, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum OnError {
    /// Stop at the first failing item. The iterator fails.
    #[default]
    Fail,
    /// Leave failing items out of the results.
    Skip,
    /// Put null in the results for a failing item, and describe the failure in `errors`.
    Collect,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
struct Config {
    /// How many items run at the same time.
    #[serde(deserialize_with = "config::whole")]
    #[schemars(range(min = 1, max = 64))]
    concurrency: u32,
    /// What happens when an item fails.
    on_error: OnError,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            concurrency: 4,
            on_error: OnError::Fail,
        }
    }
}

impl KindSpec for Iterator {
    fn type_name(&self) -> &'static str {
        "iterator"
    }
    fn title(&self) -> &'static str {
        "Iterator"
    }
    fn category(&self) -> Category {
        Category::Logic
    }
    fn icon(&self) -> &'static str {
        "rows-3"
    }
    fn summary(&self) -> &'static str {
        "for each item"
    }
    fn doc(&self) -> &'static str {
        "Runs the nodes between it and its Aggregator once for each item of a list, several items at a time. Templates in \
         these nodes can read `item` and `index`. The results are in the order of the items."
    }
    fn shape(&self) -> Shape {
        Shape::ScopeStart {
            closed_by: "aggregator",
            repeats: Repetition::Each,
        }
    }
    fn handles(&self, _data: &Data) -> Handles {
        Handles {
            inputs: vec![Handle::primary("items", ValueType::Json)],
            outputs: vec![
                Handle::primary("item", ValueType::Any),
                Handle::new("index", ValueType::Number),
            ],
        }
    }
    fn ending(&self, _data: &Data) -> Option<String> {
        Some("ends after the last item".to_owned())
    }
    fn needs_input(&self, _data: &Data) -> bool {
        true
    }
    fn schema(&self) -> Value {
        config::schema::<Config>()
    }
    fn defaults(&self) -> Data {
        config::data(Config::default())
    }
}

impl Kind for Iterator {
    fn scope(&self, node: &Node) -> Result<Option<ScopeConfig>, NodeError> {
        let own: Config = config::read(node)?;
        Ok(Some(ScopeConfig::List(ListConfig {
            concurrency: own.concurrency.clamp(1, 64) as usize,
            on_error: match own.on_error {
                OnError::Fail => OnItemError::Fail,
                OnError::Skip => OnItemError::Skip,
                OnError::Collect => OnItemError::Collect,
            },
        })))
    }
    fn compile(&self, node: &Node) -> Result<Box<dyn Execute>, NodeError> {
        Err(config::run_by_engine(node))
    }
}
