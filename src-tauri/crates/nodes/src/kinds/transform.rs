//! `transform`: creates a value from other values with a template.

use std::sync::Arc;

use loopwright_engine::{Execute, Kind, NodeContext, NodeError, NodeInput, Outcome, Step};
use loopwright_model::{
    Category, Handle, Handles, KindSpec, Node, Problem, Shape, ValueType, exact_numbers,
    kind::{Data, Example, TemplateSite},
    meter,
    value::{preview, to_text},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::config::{self, Rendered};

pub(crate) struct Transform;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum OutputFormat {
    /// Always text. Other values become compact JSON.
    Text,
    /// The text is parsed as JSON. The node fails if the text isn't valid JSON.
    Json,
}

#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Mode {
    #[default]
    Template,
}

#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
struct Config {
    /// Extra inputs. Use their names in the template.
    #[schemars(extend("x-widget" = "handles"))]
    inputs: Vec<String>,
    /// Use `{{ name }}` to insert a value. A single `{{ expression }}` keeps the value's type. Anything else produces text.
    #[schemars(extend("x-widget" = "template"))]
    template: String,
    /// The type of the result. If empty, the template decides.
    output_format: Option<OutputFormat>,
    /// How the value is created. Only templates are supported.
    #[schemars(extend("x-hidden" = true))]
    mode: Mode,
}

impl KindSpec for Transform {
    fn type_name(&self) -> &'static str {
        "transform"
    }
    fn title(&self) -> &'static str {
        "Transform"
    }
    fn category(&self) -> Category {
        Category::Logic
    }
    fn icon(&self) -> &'static str {
        "braces"
    }
    fn summary(&self) -> &'static str {
        "reshape data"
    }
    fn doc(&self) -> &'static str {
        "Builds a value from its inputs with a template. It doesn't call a model."
    }
    fn shape(&self) -> Shape {
        Shape::Plain
    }
    fn handles(&self, data: &Data) -> Handles {
        let mut inputs = vec![Handle::primary("input", ValueType::Any)];
        inputs.extend(
            config::names(data, "inputs")
                .into_iter()
                .filter(|name| name != "input")
                .map(|name| Handle::new(name, ValueType::Any)),
        );
        let output = match data.get("outputFormat").and_then(Value::as_str) {
            Some("text") => ValueType::Text,
            Some("json") => ValueType::Json,
            _ => ValueType::Any,
        };
        Handles {
            inputs,
            outputs: vec![Handle::primary("output", output)],
        }
    }
    fn schema(&self) -> Value {
        config::schema::<Config>()
    }
    fn defaults(&self) -> Data {
        config::object(json!({ "template": "{{ input }}" }))
    }
    fn templates(&self, data: &Data) -> Vec<TemplateSite> {
        config::template_site(data, "template")
            .into_iter()
            .collect()
    }
    fn check(&self, node: &Node, problems: &mut Vec<Problem>) {
        if node.data.get("template").is_none_or(Value::is_null) {
            problems.push(
                Problem::error(
                    "missing_template",
                    format!(
                        "\"{}\" has no template. Write one, such as `{{{{ input }}}}` to pass the input on.",
                        node.title()
                    ),
                )
                .at(&node.id)
                .place("template"),
            );
        }
    }
    fn examples(&self) -> Vec<Example> {
        vec![
            Example {
                title: "text from two inputs",
                data: config::object(json!({
                    "inputs": ["draft", "critique"],
                    "template": "{{ draft }}\n\nImprove this: {{ critique }}"
                })),
                inputs: config::object(json!({ "draft": "A cat.", "critique": "Too short." })),
                gives: json!("A cat.\n\nImprove this: Too short."),
                ..Example::default()
            },
            Example {
                title: "one expression keeps its type",
                data: config::object(json!({ "template": "{{ input.items | length }}" })),
                inputs: config::object(json!({ "input": { "items": [1, 2, 3] } })),
                gives: json!(3),
                ..Example::default()
            },
            Example {
                title: "JSON from a template",
                data: config::object(json!({
                    "template": "{\"n\": {{ input.n + 1 }}}",
                    "outputFormat": "json"
                })),
                inputs: config::object(json!({ "input": { "n": 1 } })),
                gives: json!({ "n": 2 }),
                ..Example::default()
            },
        ]
    }
}

impl Kind for Transform {
    fn compile(&self, node: &Node) -> Result<Box<dyn Execute>, NodeError> {
        let config: Config = config::read(node)?;
        Ok(Box::new(Render {
            title: node.title().to_owned(),
            template: Rendered::compile(node, "template", Some(&config.template))?,
            literal: config.template,
            format: config.output_format,
        }))
    }
}

/// A rendered value, with the code and message of a warning about its numbers, if any.
type Rendering = (Arc<Value>, Option<(String, String)>);

struct Render {
    title: String,
    /// The compiled template, or `None` if the template is blank. The result is then `literal`.
    template: Option<Rendered>,
    literal: String,
    format: Option<OutputFormat>,
}

impl Render {
    fn value(&self, input: &NodeInput) -> Result<Rendering, NodeError> {
        let value = match &self.template {
            Some(template) => template.shared(&input.scope)?,
            None => Arc::new(Value::String(self.literal.clone())),
        };
        match (self.format, &*value) {
            (None, _) | (Some(OutputFormat::Text), Value::String(_)) => Ok((value, None)),
            (Some(OutputFormat::Text), other) => {
                Ok((Arc::new(Value::String(to_text(other))), None))
            }
            (Some(OutputFormat::Json), Value::String(text)) => {
                meter::charge(text.len() as u64 / 4, 0).map_err(|_| {
                    NodeError::new(
                        "cancelled",
                        "The text was not parsed completely, because the run was stopped.",
                    )
                })?;
                let read = exact_numbers::read(text).map_err(|error| {
                    NodeError::new(
                        "not_json",
                        format!(
                            "The template of \"{}\" did not produce valid JSON: {error}. Its text begins with: {}",
                            self.title,
                            preview(&value, 80)
                        ),
                    )
                })?;
                let warning = read.warning(&format!("The text of \"{}\"", self.title));
                Ok((Arc::new(read.value), warning))
            }
            (Some(OutputFormat::Json), _) => Ok((value, None)),
        }
    }
}

impl Execute for Render {
    fn run(&self, input: &NodeInput, _cx: &NodeContext) -> Step {
        self.value(input)
            .map(|(value, warning)| {
                let mut outcome = Outcome::single("output", value);
                outcome.warnings.extend(warning);
                outcome
            })
            .into()
    }
}
