//! `validator`: checks a value and sends it through `valid` or `invalid`.

use std::sync::Arc;

use loopwright_answers::json;
use loopwright_engine::{Execute, Kind, NodeContext, NodeError, NodeInput, Outcome, Step};
use loopwright_model::{
    Category, Handle, Handles, KindSpec, Node, Problem, Shape, ValueType, json as exact,
    kind::{Data, Example, TemplateMode, TemplateSite},
    schema::{MAX_ERRORS, Schema, SchemaError},
};
use loopwright_template::Expression;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::config;

pub(crate) struct Validator;

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Rule {
    /// An expression that must be true.
    #[schemars(extend("x-widget" = "expression"))]
    when: String,
    /// The error message if the expression is false.
    #[serde(default)]
    message: String,
}

#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
struct Config {
    /// A JSON Schema that the value must match.
    #[schemars(extend("x-widget" = "schema"))]
    schema: Option<Value>,
    /// Expressions that must be true, each with an error message.
    rules: Vec<Rule>,
}

impl KindSpec for Validator {
    fn type_name(&self) -> &'static str {
        "validator"
    }
    fn title(&self) -> &'static str {
        "Validator"
    }
    fn category(&self) -> Category {
        Category::Logic
    }
    fn icon(&self) -> &'static str {
        "shield-check"
    }
    fn summary(&self) -> &'static str {
        "check output"
    }
    fn doc(&self) -> &'static str {
        "Checks its input against a JSON Schema, rules, or both, and sends it through `valid` or `invalid`. Later templates can \
         read `errors`, a list of `{ path, message }`. Text that contains one JSON value, alone, in a code fence or within other text, \
         is checked as that value, unless the schema accepts the text."
    }
    fn shape(&self) -> Shape {
        Shape::Branching
    }
    fn handles(&self, _data: &Data) -> Handles {
        Handles {
            inputs: vec![Handle::primary("input", ValueType::Any)],
            outputs: vec![
                Handle::new("valid", ValueType::Any),
                Handle::new("invalid", ValueType::Any),
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
        config::object(
            json!({ "rules": [{ "when": "input | length > 0", "message": "It is empty." }] }),
        )
    }
    fn templates(&self, data: &Data) -> Vec<TemplateSite> {
        let rules = data.get("rules").and_then(Value::as_array);
        rules
            .into_iter()
            .flatten()
            .enumerate()
            .filter_map(|(index, rule)| {
                let source = rule.get("when")?.as_str()?;
                Some(config::site(
                    format!("rules[{index}].when"),
                    source,
                    TemplateMode::Condition,
                ))
            })
            .collect()
    }
    fn check(&self, node: &Node, problems: &mut Vec<Problem>) {
        let schema = node.data.get("schema").filter(|schema| !schema.is_null());
        let rules = node.data.get("rules").and_then(Value::as_array);
        if schema.is_none() && rules.is_none_or(Vec::is_empty) {
            problems.push(
                Problem::error(
                    "nothing_to_check",
                    format!(
                        "\"{}\" has neither a schema nor rules, so every value is valid. Add one of them.",
                        node.title()
                    ),
                )
                .at(&node.id)
                .place("schema"),
            );
        }
        if let Some(error) = schema.and_then(|schema| Schema::compile(schema).err()) {
            problems.push(
                Problem::error(
                    error.code,
                    format!(
                        "`schema` of \"{}\" {error}. Correct the schema.",
                        node.title()
                    ),
                )
                .at(&node.id)
                .place("schema"),
            );
        }
    }
    fn examples(&self) -> Vec<Example> {
        let data = config::object(json!({
            "schema": { "type": "object", "required": ["answer"] },
            "rules": [{ "when": "input.answer | length > 3", "message": "The answer is too short." }]
        }));
        vec![
            Example {
                title: "valid",
                data: data.clone(),
                inputs: config::object(json!({ "input": { "answer": "forty-two" } })),
                gives: json!({ "valid": true, "errors": [], "value": { "answer": "forty-two" } }),
                branch: Some("valid"),
                ..Example::default()
            },
            Example {
                title: "a rule fails",
                data,
                inputs: config::object(json!({ "input": { "answer": "42" } })),
                gives: json!({
                    "valid": false,
                    "errors": [{ "path": "", "message": "The answer is too short." }],
                    "value": { "answer": "42" }
                }),
                branch: Some("invalid"),
                ..Example::default()
            },
        ]
    }
}

impl Kind for Validator {
    fn branch_of(&self, value: &Value) -> Option<String> {
        let valid = value.get("valid")?.as_bool()?;
        Some(if valid { "valid" } else { "invalid" }.to_owned())
    }
    fn branch_example(&self) -> &'static str {
        r#"{"valid": true, "value": …}"#
    }
    fn compile(&self, node: &Node) -> Result<Box<dyn Execute>, NodeError> {
        let config: Config = config::read(node)?;
        let schema = match &config.schema {
            None => None,
            Some(schema) => Some(
                Schema::compile(schema)
                    .map_err(|error| config::schema_error(node.title(), "schema", &error))?,
            ),
        };
        let rules = config
            .rules
            .into_iter()
            .enumerate()
            .map(|(index, rule)| {
                let field = format!("rules[{index}].when");
                let message = if rule.message.trim().is_empty() {
                    format!("`{}` is not true.", rule.when.trim())
                } else {
                    rule.message
                };
                Ok((
                    config::expression(node, &field, &rule.when)?,
                    field,
                    message,
                ))
            })
            .collect::<Result<_, NodeError>>()?;
        Ok(Box::new(Checks {
            title: node.title().to_owned(),
            schema,
            rules,
        }))
    }
}

struct Checks {
    title: String,
    schema: Option<Schema>,
    rules: Vec<(Expression, String, String)>,
}

impl Checks {
    fn errors(&self, value: &Value, input: &NodeInput) -> Result<Vec<Value>, NodeError> {
        let mut errors = Vec::new();
        if let Some(schema) = &self.schema {
            let failed = |error: SchemaError| config::schema_error(&self.title, "schema", &error);
            // A model's answer is often not JSON but text that contains JSON.
            let parsed = match value.as_str() {
                Some(text) if !schema.is_valid(value).map_err(failed)? => {
                    config::charge(&self.title, value)?;
                    let (found, inexact) = json_in(text, schema).map_err(failed)?;
                    if let Some(message) = inexact {
                        errors.push(json!({ "path": "", "message": message }));
                    }
                    found
                }
                _ => None,
            };
            let checked = parsed.as_ref().unwrap_or(value);
            let mistakes = schema.mistakes(checked, MAX_ERRORS).map_err(failed)?;
            errors.extend(
                mistakes
                    .into_iter()
                    .map(|mistake| json!({ "path": mistake.path, "message": mistake.message })),
            );
        }
        let breaks_schema = !errors.is_empty();
        for (rule, field, message) in &self.rules {
            match rule.test(&input.scope) {
                Ok(true) => {}
                Ok(false) => errors.push(json!({ "path": "", "message": message })),
                // A rule may rely on what the schema requires. If the schema is violated, errors in rules are not reported
                // in addition.
                Err(_) if breaks_schema => {}
                Err(error) => return Err(config::template_error(&self.title, field, &error)),
            }
        }
        Ok(errors)
    }
}

/// Returns the JSON value in `text`: the only one that fits the schema or, if none fits, the only one in the text. If this
/// value cannot be represented exactly, the second item is the reason instead. Both items are `None` if there is no such value.
/// Fails if a check exceeds a limit.
fn json_in(text: &str, schema: &Schema) -> Result<(Option<Value>, Option<String>), SchemaError> {
    let text = loopwright_answers::split(text).text;
    let mut failure = None;
    let found = json::values(text).one_that(|candidate| {
        exact::read(candidate).is_ok_and(|value| match schema.is_valid(&value) {
            Ok(fits) => fits,
            Err(error) => {
                failure.get_or_insert(error);
                false
            }
        })
    });
    match (failure, found.map(exact::read)) {
        (Some(error), _) => Err(error),
        (None, Ok(Ok(value))) => Ok((Some(value), None)),
        (None, Ok(Err(error))) => Ok((
            None,
            Some(format!("The JSON in the input is invalid: {error}.")),
        )),
        (None, Err(_)) => Ok((None, None)),
    }
}

impl Execute for Checks {
    fn run(&self, input: &NodeInput, _cx: &NodeContext) -> Step {
        let carried = input.input.clone().unwrap_or_default();
        config::charge(&self.title, &carried)
            .and_then(|()| self.errors(&carried, input))
            .map(|errors| {
                let valid = errors.is_empty();
                let value = json!({ "valid": valid, "errors": errors, "value": *carried });
                let branch = if valid { "valid" } else { "invalid" };
                Outcome::branch(branch, value, Arc::clone(&carried))
            })
            .into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_one_value_in_a_text_is_found_and_kept_exactly() {
        let schema = Schema::compile(&json!({ "type": "object", "required": ["a"] })).unwrap();
        let read = |text: &str| json_in(text, &schema).unwrap();
        for text in [
            "```json\n{\"a\": 1}\n```",
            "As in [1]: {\"a\": 1}. See [docs].",
            "<think>{\"a\": 2}?</think>{\"a\": 1}",
            "{\"b\": 0} and {\"a\": 1}",
        ] {
            assert_eq!(read(text), (Some(json!({ "a": 1 })), None), "{text}");
        }
        for text in ["no", "See [1].", "{\"a\": 1} {\"a\": 2}"] {
            assert_eq!(read(text), (None, None), "{text}");
        }
        let (found, why) = read("{\"a\": 123456789012345678901234}");
        assert!(found.is_none() && why.unwrap().contains("exactly"));
    }
}
