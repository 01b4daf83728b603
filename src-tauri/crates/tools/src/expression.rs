//! `expression.azure`: evaluates an expression of the Workflow Definition Language, or a JSON template of such expressions.

use futures::future::BoxFuture;
use loopwright_azure_expressions::{Context, Dialect, Failure, evaluate, evaluate_each};
use loopwright_engine::{
    NodeError,
    host::{Names, Tool, ToolContext, ToolInfo},
};
use loopwright_model::{EffectClass, value::describe};
use serde_json::{Map, Value, json};

pub(crate) struct ExpressionAzure;

/// The arguments of the tool that are not sections of the context.
const OWN: [&str; 7] = [
    "source", "from", "where", "merge", "dialect", "onError", "names",
];

/// The sections of the context.
const SECTIONS: [&str; 10] = [
    "variables",
    "parameters",
    "outputs",
    "actions",
    "items",
    "item",
    "indexes",
    "trigger",
    "now",
    "seed",
];

fn error(code: &str, message: impl Into<String>) -> NodeError {
    NodeError::new(code, message)
}

/// A call whose arguments have been checked.
struct Request {
    source: Value,
    from: Option<Value>,
    only: Option<Value>,
    merge: bool,
    returns: bool,
    dialect: Dialect,
    /// Sections of the context that the arguments override.
    overlay: Map<String, Value>,
    input: Value,
}

/// Removes an argument with two permitted values, of which the first is the default. Returns whether the argument has the
/// second value.
fn is_second(
    args: &mut Map<String, Value>,
    name: &str,
    words: [&str; 2],
) -> Result<bool, NodeError> {
    match args.remove(name) {
        None | Some(Value::Null) => Ok(false),
        Some(Value::String(word)) if word == words[0] => Ok(false),
        Some(Value::String(word)) if word == words[1] => Ok(true),
        Some(other) => Err(error(
            "bad_argument",
            format!(
                "`{name}` must be `{}` or `{}`, not {other}.",
                words[0], words[1]
            ),
        )),
    }
}

impl Request {
    fn new(input: Option<Value>, mut args: Map<String, Value>) -> Result<Self, NodeError> {
        let present = |value: &Value| !value.is_null();
        let only = args.remove("where").filter(present);
        let from = args.remove("from").filter(present);
        let source = match args.remove("source") {
            Some(Value::Null) | None if from.is_some() => json!("@item()"),
            None => {
                return Err(error(
                    "missing_argument",
                    "There is no expression. Write one in `source`, or wire one to it.",
                ));
            }
            Some(source) => source,
        };
        let merge = match args.remove("merge") {
            None | Some(Value::Null) => false,
            Some(Value::Bool(merge)) => merge,
            Some(other) => {
                return Err(error(
                    "bad_argument",
                    format!(
                        "`merge` must be true or false, but is {}.",
                        describe(&other)
                    ),
                ));
            }
        };
        let returns = is_second(&mut args, "onError", ["fail", "return"])?;
        let is_loom = is_second(&mut args, "dialect", ["azure", "loom"])?;
        let names = args.remove("names");
        let input = match (input, names) {
            (Some(input), _) => input,
            (None, Some(Value::Object(mut names))) => names.remove("input").unwrap_or(Value::Null),
            (None, _) => Value::Null,
        };
        Ok(Self {
            source,
            from,
            only,
            merge,
            returns,
            dialect: if is_loom {
                Dialect::Loom
            } else {
                Dialect::Azure
            },
            overlay: args,
            input,
        })
    }

    fn evaluate(&self) -> Result<Value, Failure> {
        let context = Context {
            values: self.input.as_object(),
            overlay: Some(&self.overlay),
            dialect: self.dialect,
        };
        match &self.from {
            Some(from) => evaluate_each(from, self.only.as_ref(), &self.source, context),
            None => evaluate(&self.source, context),
        }
    }

    fn run(mut self) -> Result<Value, NodeError> {
        let ended = self.evaluate();
        if self.returns {
            return Ok(match ended {
                Ok(value) => json!({ "ok": true, "value": value }),
                Err(failure) => json!({
                    "ok": false, "error": { "code": failure.code, "message": failure.message }
                }),
            });
        }
        let value = ended.map_err(|failure| error(failure.code, failure.message))?;
        if !self.merge {
            return Ok(value);
        }
        let Value::Object(changes) = value else {
            return Err(error(
                "bad_argument",
                format!(
                    "With `merge`, the expression must return an object, but it returned {}.",
                    describe(&value)
                ),
            ));
        };
        if !self.input.is_object() {
            self.input = json!({});
        }
        for (section, fields) in changes {
            match (&mut self.input[&section], fields) {
                (Value::Object(before), Value::Object(fields)) => before.extend(fields),
                (before, fields) => *before = fields,
            }
        }
        Ok(self.input)
    }
}

impl Tool for ExpressionAzure {
    fn info(&self) -> ToolInfo {
        let expression = |description: &str| json!({ "description": description });
        let section = |description: &str| json!({ "type": "object", "description": description });
        ToolInfo {
            name: "expression.azure".to_owned(),
            title: "Evaluate an Azure expression".to_owned(),
            summary: "Evaluates a Workflow Definition Language expression, as used by Azure Logic Apps and Power Automate, such as \
                      @concat('Hello ', variables('name')). The expression has no access to files, the network or the clock. The \
                      time and random values come from `now` and `seed`."
                .to_owned(),
            args: json!({
                "type": "object",
                "properties": {
                    "source": {
                        "description": "The expression, such as @add(variables('n'), 1), or JSON with expressions as text values.",
                        "x-widget": "code"
                    },
                    "from": expression("An expression that returns an array. `source` is then evaluated for each element. item() returns the element."),
                    "where": expression("A filter for `from`. Elements for which this expression is false are left out."),
                    "merge": {
                        "type": "boolean", "default": false,
                        "description": "Merge the expression's result, an object, into the input: `{ \"variables\": { \"n\": 3 } }` changes one variable."
                    },
                    "dialect": {
                        "enum": ["azure", "loom"], "default": "azure",
                        "description": "With `loom`, a missing property is null, and booleans in text are written as true and false."
                    },
                    "onError": {
                        "enum": ["fail", "return"], "default": "fail",
                        "description": "What happens on an error. `fail` fails the node. `return` returns `{ ok, value }` or `{ ok, error: { code, message } }`."
                    },
                    "variables": section("Values of variables('name'). Default: the field `variables` of the node's input. `parameters`, `outputs` and so on default to their own fields in the same way."),
                    "parameters": section("Values of parameters('name')."),
                    "outputs": section("Values of outputs('name') and body('name')."),
                    "actions": section("The names of all actions. An action without outputs has not run and counts as null."),
                    "items": section("Values of items('name')."),
                    "item": expression("The value of item()."),
                    "indexes": section("Values of iterationIndexes('name')."),
                    "trigger": section("The value of triggerOutputs(), with its `body`."),
                    "now": { "type": "string", "description": "The value of utcNow(), such as 2025-01-31T12:00:00Z." },
                    "seed": { "type": "integer", "description": "The seed of rand() and guid()." },
                    "names": {
                        "type": "object",
                        "description": "Used if there is no primary input. The field `input` contains the sections.",
                        "x-widget": "hidden"
                    }
                },
                "required": ["source"],
                "additionalProperties": true
            }),
            unavailable: None,
        }
    }

    fn effect(&self) -> EffectClass {
        EffectClass::Pure
    }

    fn names(&self) -> Vec<(&'static str, Names)> {
        let all = OWN.into_iter().chain(SECTIONS);
        all.map(|name| (name, Names::Nothing)).collect()
    }

    fn place(&self, args: &Map<String, Value>) -> Option<Value> {
        Some(crate::subset(args, &["source", "from", "where"]))
    }

    fn call(
        &self,
        input: Option<Value>,
        args: Map<String, Value>,
        cx: ToolContext,
    ) -> BoxFuture<'static, Result<Value, NodeError>> {
        Box::pin(async move {
            let request = Request::new(input, args)?;
            let evaluation = tokio::task::spawn_blocking(move || request.run());
            tokio::select! {
                () = cx.cancel.cancelled() => Err(error("cancelled", "The expression was stopped.")),
                ended = evaluation => ended.unwrap_or_else(|broken| {
                    Err(error(
                        "expression_failed",
                        format!("The evaluation stopped unexpectedly: {broken}. This is a bug in Loopwright."),
                    ))
                }),
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
        ExpressionAzure
            .call(Some(input), args, ToolContext::default())
            .await
    }

    #[tokio::test]
    async fn sections_come_from_arguments_and_then_from_the_input() {
        let input = json!({ "variables": { "A": 1, "b": 2 } });
        let args =
            json!({ "source": "@add(variables('a'), variables('b'))", "variables": { "b": 5 } });
        assert_eq!(call(input.clone(), args).await.unwrap(), json!(6));
        let args = json!({ "source": { "x": "@variables('a')", "y": "n @{variables('b')}" } });
        assert_eq!(
            call(input, args).await.unwrap(),
            json!({ "x": 1, "y": "n 2" })
        );
    }

    #[tokio::test]
    async fn a_change_is_merged_into_the_input() {
        let input = json!({ "variables": { "a": 1, "b": 2 }, "outputs": {} });
        let args =
            json!({ "source": { "variables": { "a": "@add(variables('a'), 1)" } }, "merge": true });
        assert_eq!(
            call(input, args).await.unwrap(),
            json!({ "variables": { "a": 2, "b": 2 }, "outputs": {} })
        );
        let failure = call(json!({}), json!({ "source": "@1", "merge": true })).await;
        assert_eq!(failure.unwrap_err().code, "bad_argument");
    }

    #[tokio::test]
    async fn a_list_is_mapped_and_filtered() {
        let args = json!({ "from": "@range(1, 4)", "where": "@greater(item(), 2)", "source": { "n": "@item()" } });
        assert_eq!(
            call(json!({}), args).await.unwrap(),
            json!([{ "n": 3 }, { "n": 4 }])
        );
    }

    #[tokio::test]
    async fn an_error_says_what_is_wrong() {
        for (args, code) in [
            (json!({}), "missing_argument"),
            (json!({ "source": "@add(" }), "expression_syntax"),
            (json!({ "source": "@variables('a')" }), "expression_failed"),
            (
                json!({ "source": "@1", "onError": "ignore" }),
                "bad_argument",
            ),
        ] {
            assert_eq!(call(json!({}), args).await.unwrap_err().code, code);
        }
        let args = json!({ "source": "@div(1, 0)", "onError": "return" });
        assert_eq!(
            call(json!({}), args).await.unwrap()["error"]["message"],
            "div(): the divisor is zero."
        );
    }
}
