//! `aggregator`: combines several values into one, or ends an iterator's region.

use std::sync::Arc;

use loopwright_engine::{Execute, Kind, NodeContext, NodeError, NodeInput, Outcome, Step};
use loopwright_model::{
    Category, Handle, Handles, KindSpec, Node, Shape, ValueType,
    kind::{Data, Example},
    value::{describe, to_text},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::config;

pub(crate) struct Aggregator;

/// How several values are combined.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Mode {
    /// A list of the values.
    #[default]
    Array,
    /// One text: the values joined by the separator.
    Concat,
    /// One object, in which later fields override earlier ones, or one list.
    Merge,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
struct Config {
    /// How the values are combined.
    mode: Mode,
    /// The text between two values.
    #[schemars(extend("x-widget" = "textarea", "x-show-if" = {"field": "mode", "in": ["concat"]}))]
    separator: String,
    /// An older name of `mode`.
    #[schemars(extend("x-hidden" = true))]
    strategy: Option<Mode>,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            mode: Mode::Array,
            separator: "\n".to_owned(),
            strategy: None,
        }
    }
}

/// Combines `items` in their order.
///
/// `Concat` writes strings unchanged and other values as compact JSON. `Merge` requires that all items are objects or that
/// all are lists. Both modes skip nulls, which stand for items without a value. `Merge` of no items returns an empty object.
///
/// # Errors
/// `cannot_merge` if the items of `Merge` are neither all objects nor all lists. The message contains the number of the
/// first item that does not fit, counted from 1.
fn combine(mode: Mode, separator: &str, items: &[Value]) -> Result<Value, NodeError> {
    match mode {
        Mode::Array => Ok(Value::Array(items.to_vec())),
        Mode::Concat => {
            let texts: Vec<String> = items
                .iter()
                .filter(|item| !item.is_null())
                .map(to_text)
                .collect();
            Ok(Value::String(texts.join(separator)))
        }
        Mode::Merge => merge(items),
    }
}

fn merge(items: &[Value]) -> Result<Value, NodeError> {
    let mut present = items.iter().enumerate().filter(|(_, item)| !item.is_null());
    let Some((_, first)) = present.next() else {
        return Ok(Value::Object(Map::new()));
    };
    let mut merged = match first {
        Value::Object(_) | Value::Array(_) => first.clone(),
        other => return Err(cannot_merge(0, other)),
    };
    for (index, item) in present {
        match (&mut merged, item) {
            (Value::Object(into), Value::Object(fields)) => {
                into.extend(
                    fields
                        .iter()
                        .map(|(name, value)| (name.clone(), value.clone())),
                );
            }
            (Value::Array(into), Value::Array(more)) => into.extend(more.iter().cloned()),
            (_, other) => return Err(cannot_merge(index, other)),
        }
    }
    Ok(merged)
}

fn cannot_merge(index: usize, item: &Value) -> NodeError {
    NodeError::new(
        "cannot_merge",
        format!(
            "Item {} is {}: `merge` combines either objects or lists, but not both. Use `array` or `concat` for anything else.",
            index + 1,
            describe(item)
        ),
    )
}

impl KindSpec for Aggregator {
    fn type_name(&self) -> &'static str {
        "aggregator"
    }
    fn title(&self) -> &'static str {
        "Aggregator"
    }
    fn category(&self) -> Category {
        Category::Logic
    }
    fn icon(&self) -> &'static str {
        "merge"
    }
    fn summary(&self) -> &'static str {
        "gather results"
    }
    fn doc(&self) -> &'static str {
        "Combines several values into a list, one text or one object. After an Iterator it collects one value per item, in the \
         order of the items. Without an Iterator it collects everything that is wired to its input, in the order of the wires."
    }
    fn shape(&self) -> Shape {
        Shape::ScopeEnd {
            opened_by: "iterator",
            optional_start: true,
        }
    }
    fn handles(&self, data: &Data) -> Handles {
        let mode = data.get("mode").or_else(|| data.get("strategy"));
        let results = match mode.and_then(Value::as_str) {
            Some("concat") => ValueType::Text,
            _ => ValueType::Json,
        };
        Handles {
            inputs: vec![Handle::primary("input", ValueType::Any).many()],
            outputs: vec![
                Handle::primary("results", results),
                Handle::new("count", ValueType::Number),
                Handle::new("errors", ValueType::Json),
            ],
        }
    }
    fn needs_input(&self, _data: &Data) -> bool {
        true
    }
    fn schema(&self) -> Value {
        config::schema::<Config>()
    }
    fn defaults(&self) -> Data {
        config::object(json!({ "mode": "array" }))
    }
    fn examples(&self) -> Vec<Example> {
        let inputs = config::object(json!({ "input": ["one", { "n": 2 }] }));
        vec![
            Example {
                title: "a list",
                data: config::object(json!({ "mode": "array" })),
                inputs: inputs.clone(),
                gives: json!(["one", { "n": 2 }]),
                ..Example::default()
            },
            Example {
                title: "one text",
                data: config::object(json!({ "mode": "concat", "separator": ", " })),
                inputs,
                gives: json!("one, {\"n\":2}"),
                ..Example::default()
            },
            Example {
                title: "one object",
                data: config::object(json!({ "mode": "merge" })),
                inputs: config::object(json!({ "input": [{ "a": 1, "b": 1 }, null, { "b": 2 }] })),
                gives: json!({ "a": 1, "b": 2 }),
                ..Example::default()
            },
        ]
    }
}

impl Kind for Aggregator {
    fn compile(&self, node: &Node) -> Result<Box<dyn Execute>, NodeError> {
        let config: Config = config::read(node)?;
        let mode = match config.strategy {
            Some(strategy) if !node.data.contains_key("mode") => strategy,
            _ => config.mode,
        };
        Ok(Box::new(Combine {
            title: node.title().to_owned(),
            mode,
            separator: config.separator,
        }))
    }
}

struct Combine {
    title: String,
    mode: Mode,
    separator: String,
}

impl Execute for Combine {
    fn run(&self, input: &NodeInput, _cx: &NodeContext) -> Step {
        let empty = Vec::new();
        let value = input
            .get("input")
            .or(input.input.as_ref())
            .map(AsRef::as_ref);
        if let Some(error) = value.and_then(|value| config::charge(&self.title, value).err()) {
            return Step::Done(Err(error));
        }
        let items = match value {
            None => &empty,
            Some(Value::Array(items)) => items,
            Some(other) => {
                return Err(NodeError::new(
                    "not_a_list",
                    format!(
                        "\"{}\" received {}, but needs a list.",
                        self.title,
                        describe(other)
                    ),
                ))
                .into();
            }
        };
        let errors = input
            .get("errors")
            .cloned()
            .unwrap_or_else(|| Arc::new(json!([])));
        let combined = match (self.mode, input.get("input").or(input.input.as_ref())) {
            // The list is shared instead of copied, because it may be long.
            (Mode::Array, Some(list)) => Ok(Arc::clone(list)),
            _ => combine(self.mode, &self.separator, items).map(Arc::new),
        };
        combined
            .map(|results| {
                Outcome::single("results", results)
                    .with("count", json!(items.len()))
                    .with("errors", errors)
            })
            .map_err(|error| {
                NodeError::new(error.code, format!("\"{}\": {}", self.title, error.message))
            })
            .into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nulls_are_kept_in_a_list_and_left_out_of_texts() {
        let items = [json!("a"), Value::Null, json!("b")];
        assert_eq!(
            combine(Mode::Array, "", &items).unwrap(),
            json!(["a", null, "b"])
        );
        assert_eq!(combine(Mode::Concat, "-", &items).unwrap(), json!("a-b"));
    }

    #[test]
    fn merging_lists_joins_them_and_mixing_kinds_names_the_item() {
        assert_eq!(
            combine(Mode::Merge, "", &[json!([1]), json!([2, 3])]).unwrap(),
            json!([1, 2, 3])
        );
        let error = combine(Mode::Merge, "", &[json!({}), json!("x")]).unwrap_err();
        assert_eq!(error.code, "cannot_merge");
        assert!(error.message.starts_with("Item 2 is a text"), "{error}");
        assert_eq!(combine(Mode::Merge, "", &[]).unwrap(), json!({}));
    }
}
