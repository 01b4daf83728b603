//! `template.jinja`: renders a Jinja template by running it as a Python script.

use futures::future::BoxFuture;
use loopwright_engine::{
    NodeError,
    host::{Names, Tool, ToolContext, ToolInfo},
};
use loopwright_jinja::{NAMES, Templates, with_helpers};
use loopwright_model::EffectClass;
use loopwright_script::{Call, Language, Limits, Pool, Unavailable};
use serde_json::{Map, Value, json};

use crate::script::{error, failed};

pub(crate) struct Jinja {
    pool: Pool,
}

impl Jinja {
    pub(crate) fn new() -> Self {
        Self {
            pool: Pool::shared(),
        }
    }
}

/// Translates a template to a Python script that returns its value. `values` are the variables of the template.
///
/// # Errors
/// Returns an error if the template is invalid or uses a construct that cannot be reproduced exactly.
fn script(source: &Value, values: &Map<String, Value>) -> Result<String, NodeError> {
    let constants = Map::new();
    let mut templates = Templates::strict(&constants, values.keys().map(String::as_str));
    let value = templates
        .value(source)
        .map_err(|why| error("template_syntax", format!("The template {why}.")))?;
    Ok(with_helpers(&format!("{}return {value}", templates.before)))
}

impl Tool for Jinja {
    fn info(&self) -> ToolInfo {
        // The reason why the script runtime is unavailable. Only this tool reports that reason here: for script tools,
        // validation reports it when a script is read. A runtime that is still being built counts as available, because a call
        // waits until the build is finished.
        let unavailable = match self.pool.check() {
            Err(Unavailable::Building) | Ok(()) => None,
            Err(why) => Some(why.to_string()),
        };
        ToolInfo {
            name: "template.jinja".to_owned(),
            title: "Render a Jinja template".to_owned(),
            summary: "Renders a Jinja2 template with the same result as in Python, including how values are written: None, True, \
                      ['a', 1]. A template that is a single expression keeps the value's type. Undefined names are errors. \
                      A construct that can't be reproduced exactly causes an error that names it. The template has no \
                      access to files, the network, the clock or random numbers, and has the limits of a script."
                .to_owned(),
            args: json!({
                "type": "object",
                "properties": {
                    "source": {
                        "description": "The template, such as Hello {{ input.name }}, or JSON with templates as text values. It can read `input` and all other arguments by name.",
                        "x-widget": "code"
                    }
                },
                "required": ["source"],
                "additionalProperties": true
            }),
            unavailable,
        }
    }

    fn effect(&self) -> EffectClass {
        EffectClass::Pure
    }

    fn names(&self) -> Vec<(&'static str, Names)> {
        vec![("source", Names::Nothing)]
    }

    fn place(&self, args: &Map<String, Value>) -> Option<Value> {
        Some(crate::subset(args, &["source"]))
    }

    fn call(
        &self,
        input: Option<Value>,
        mut args: Map<String, Value>,
        cx: ToolContext,
    ) -> BoxFuture<'static, Result<Value, NodeError>> {
        let pool = self.pool.clone();
        Box::pin(async move {
            let Some(source) = args.remove("source").filter(|source| !source.is_null()) else {
                return Err(error(
                    "missing_argument",
                    "There is no template. Write one in `source`, or wire one to it.",
                ));
            };
            let mut values = args;
            if let Some(input) = input {
                values.insert("input".to_owned(), input);
            }
            let call = Call {
                language: Language::Python,
                source: script(&source, &values)?,
                values: Map::from_iter([(NAMES.to_owned(), values.into())]),
                limits: Limits::default(),
            };
            tokio::select! {
                () = cx.cancel.cancelled() => Err(error("cancelled", "The template was stopped.")),
                outcome = pool.run(call) => outcome.result.map_err(failed),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn call(input: Value, args: Value) -> Result<Value, NodeError> {
        let Value::Object(args) = args else {
            panic!("arguments are an object")
        };
        Jinja::new()
            .call(Some(input), args, ToolContext::default())
            .await
    }

    #[tokio::test]
    async fn a_template_reads_its_input_and_arguments() {
        let input = json!({ "flag": true, "list": ["a", 1, null] });
        for (source, expected) in [
            (
                json!("{{ input.flag }}: {{ input.list }}"),
                json!("True: ['a', 1, None]"),
            ),
            (json!("{{ input.list[:2] }}"), json!(["a", 1])),
            (
                json!({ "n": "{{ more + 1 }}", "all": ["{% for x in input.list %}{{ x }},{% endfor %}"] }),
                json!({ "n": 4, "all": ["a,1,None,"] }),
            ),
            (json!("{{ input.nope | default('none') }}"), json!("none")),
        ] {
            let args = json!({ "source": source, "more": 3, "str": 0, "class": 1 });
            assert_eq!(
                call(input.clone(), args).await.unwrap(),
                expected,
                "{source}"
            );
        }
    }

    #[tokio::test]
    async fn an_error_says_what_is_wrong() {
        for (args, code, says) in [
            (json!({}), "missing_argument", "no template"),
            (
                json!({ "source": "a {{ input" }),
                "template_syntax",
                "is invalid",
            ),
            (
                json!({ "source": "a {{ input | sum }}" }),
                "template_syntax",
                "filter `sum`",
            ),
            (
                json!({ "source": "a {{ other }}" }),
                "template_syntax",
                "reads `other`",
            ),
            (
                json!({ "source": "a {{ input.nope }}" }),
                "script_failed",
                "missing value",
            ),
            (
                json!({ "source": "{{ 'a' * 10000000000 }}" }),
                "script_limit",
                "memory",
            ),
        ] {
            let failure = call(json!({}), args).await.unwrap_err();
            assert_eq!(failure.code, code, "{failure}");
            assert!(failure.message.contains(says), "{failure}");
        }
    }
}
