//! `script.lua`, `script.python` and `script.javascript`: run a script in a worker process until the script finishes or the
//! call is dropped.

use std::time::Duration;

use futures::future::BoxFuture;
use loopwright_engine::{
    NodeError,
    host::{Names, Tool, ToolContext, ToolInfo},
};
use loopwright_model::{EffectClass, value::describe};
use loopwright_script::{Call, Failure, Language, Limits, Outcome, Pool};
use serde_json::{Map, Value, json};

const MB: usize = 1024 * 1024;

/// A tool that runs scripts in one language.
pub(crate) struct Script {
    language: Language,
    pool: Pool,
}

impl Script {
    /// Returns one tool for each language.
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        Language::ALL.into_iter().map(|language| Self {
            language,
            pool: Pool::shared(),
        })
    }
}

pub(crate) fn error(code: &str, message: impl Into<String>) -> NodeError {
    NodeError::new(code, message)
}

pub(crate) fn failed(failure: Failure) -> NodeError {
    let message = match (failure.line, failure.column) {
        (Some(line), Some(column)) => format!(
            "In line {line}, column {column} of the script: {}",
            failure.message
        ),
        (Some(line), None) => format!("In line {line} of the script: {}", failure.message),
        _ => failure.message,
    };
    error(failure.code, message)
}

/// Returns the outcome of a script as a value: `{ ok, value }`, or `{ ok, error }` after a failure.
fn reported(ended: Result<Value, Failure>) -> Value {
    match ended {
        Ok(value) => json!({ "ok": true, "value": value }),
        Err(failure) => json!({
            "ok": false,
            "error": {
                "code": failure.code, "line": failure.line, "column": failure.column, "message": failure.message
            }
        }),
    }
}

/// Removes the number `name` from the arguments and returns it, or `None` if there is none. The number must be above 0 and
/// at most `most`. The argument may be a string, because a template may have rendered it.
fn number(args: &mut Map<String, Value>, name: &str, most: f64) -> Result<Option<f64>, NodeError> {
    let given = match args.remove(name) {
        None | Some(Value::Null) => return Ok(None),
        Some(given) => given,
    };
    let number = match &given {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    };
    match number {
        Some(number) if number > 0.0 && number <= most => Ok(Some(number)),
        _ => Err(error(
            "bad_argument",
            format!(
                "`{name}` must be a number above 0 and up to {most}, not {}.",
                match given {
                    Value::Number(number) => number.to_string(),
                    other => describe(&other).to_owned(),
                }
            ),
        )),
    }
}

/// Removes the limits from the arguments of a call and returns them.
fn limits(args: &mut Map<String, Value>) -> Result<Limits, NodeError> {
    let (usual, max) = (Limits::default(), Limits::MAX);
    let time = number(args, "timeout", max.time.as_secs_f64())?;
    let memory = number(args, "memory", (max.memory / MB) as f64)?;
    Ok(Limits {
        time: time.map_or(usual.time, Duration::from_secs_f64),
        memory: memory.map_or(usual.memory, |memory| (memory * MB as f64) as usize),
        ..usual
    })
}

impl Tool for Script {
    fn info(&self) -> ToolInfo {
        let (usual, max) = (Limits::default(), Limits::MAX);
        let (language, about) = match self.language {
            Language::Luau => ("Luau (a typed Lua)", "globals"),
            Language::Python => ("Python", "variables"),
            Language::JavaScript => ("JavaScript", "variables"),
        };
        ToolInfo {
            name: format!("script.{}", self.language.name()),
            title: format!("Run a script in {}", self.language),
            summary: format!(
                "Runs a script in {language} and returns its result as JSON. The script has no access to files, the network, \
                 the clock or random numbers. By default, it may run for {} s, use {} MB of memory and return {} MB.",
                usual.time.as_secs(),
                usual.memory / MB,
                usual.result / MB
            ),
            args: json!({
                "type": "object",
                "properties": {
                    "source": {
                        "type": "string",
                        "description": format!(
                            "The script. Everything that a template can read here is available as {about}, and so are the other arguments, by name. `inputs` contains all arguments."
                        ),
                        "x-widget": "code"
                    },
                    "onError": {
                        "enum": ["fail", "return"], "default": "fail",
                        "description": "What happens on an error in the script. `fail` fails the node. `return` returns `{ ok, value }` or `{ ok, error: { code, line, column, message } }`."
                    },
                    "timeout": {
                        "type": "number", "exclusiveMinimum": 0, "maximum": max.time.as_secs(), "default": usual.time.as_secs(),
                        "description": "The time limit in seconds."
                    },
                    "memory": {
                        "type": "number", "exclusiveMinimum": 0, "maximum": max.memory / MB, "default": usual.memory / MB,
                        "description": "The memory limit in MB."
                    },
                    "names": {
                        "type": "object",
                        "description": "Variables for the script. A Tool node sets this to the values that the script reads.",
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
        ["source", "onError", "timeout", "memory", "names"]
            .map(|name| (name, Names::Nothing))
            .to_vec()
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
        let (language, pool) = (self.language, self.pool.clone());
        Box::pin(async move {
            let source = match args.remove("source") {
                Some(Value::String(source)) if !source.trim().is_empty() => source,
                Some(Value::Null | Value::String(_)) | None => {
                    return Err(error(
                        "missing_argument",
                        "There is no script. Write one in `source`, or wire one to it.",
                    ));
                }
                Some(other) => {
                    return Err(error(
                        "bad_argument",
                        format!(
                            "`source` must be the script as text, but is {}.",
                            describe(&other)
                        ),
                    ));
                }
            };
            let names = args.remove("names");
            let returns = match args.remove("onError") {
                None | Some(Value::Null) => false,
                Some(Value::String(how)) if how == "fail" => false,
                Some(Value::String(how)) if how == "return" => true,
                Some(other) => {
                    return Err(error(
                        "bad_argument",
                        format!("`onError` must be `fail` or `return`, not {other}."),
                    ));
                }
            };
            let limits = limits(&mut args)?;
            let mut values = args;
            if let Some(Value::Object(names)) = names {
                values.extend(names);
            }
            if let Some(input) = input {
                values.entry("input").or_insert(input);
            }
            let call = Call {
                language,
                source,
                values,
                limits,
            };
            tokio::select! {
                () = cx.cancel.cancelled() => Err(error("cancelled", "The script was stopped.")),
                Outcome { result, logs } = pool.run(call) => {
                    cx.printed.print(&logs);
                    if returns {
                        Ok(reported(result))
                    } else {
                        result.map_err(failed)
                    }
                }
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    fn call(
        language: Language,
        input: Option<Value>,
        args: Value,
        cx: &ToolContext,
    ) -> BoxFuture<'static, Result<Value, NodeError>> {
        let Value::Object(args) = args else {
            panic!("arguments are an object")
        };
        let script = Script {
            language,
            pool: Pool::shared(),
        };
        script.call(input, args, cx.clone())
    }

    #[tokio::test]
    async fn a_script_reads_its_names_and_arguments() {
        let cx = ToolContext::default();
        for (language, source) in [
            (Language::Luau, "return { input, draft.text, limit }"),
            (Language::Python, "[input, draft['text'], limit]"),
            (Language::JavaScript, "[input, draft.text, limit]"),
        ] {
            let args = json!({
                "source": source, "limit": 3, "names": { "draft": { "text": "hello" } }, "timeout": "20", "memory": 64
            });
            assert_eq!(
                call(language, Some(json!(1)), args, &cx).await.unwrap(),
                json!([1, "hello", 3])
            );
        }
        for (args, code, says) in [
            (json!({}), "missing_argument", "wire one"),
            (json!({ "source": " " }), "missing_argument", "wire one"),
            (json!({ "source": [1] }), "bad_argument", "a list"),
            (
                json!({ "source": "return 1", "timeout": 61 }),
                "bad_argument",
                "up to 60, not 61",
            ),
            (
                json!({ "source": "return 1", "memory": "much" }),
                "bad_argument",
                "up to 1024",
            ),
            (
                json!({ "source": "return 1 +" }),
                "script_syntax",
                "In line 1",
            ),
            (
                json!({ "source": "\nerror('no')" }),
                "script_failed",
                "In line 2 of the script: no.",
            ),
        ] {
            let failure = call(Language::Luau, None, args, &cx).await.unwrap_err();
            assert_eq!(failure.code, code);
            assert!(failure.message.contains(says), "{failure}");
        }
    }

    #[tokio::test]
    async fn an_error_can_be_the_result() {
        let cx = ToolContext::default();
        for (language, source, expected) in [
            (
                Language::Luau,
                "return { 1 }",
                json!({ "ok": true, "value": [1] }),
            ),
            (
                Language::Luau,
                "\nerror('no')",
                json!({ "ok": false, "error": { "code": "script_failed", "line": 2, "column": null, "message": "no." } }),
            ),
            (
                Language::Python,
                "\nraise ValueError('no')",
                json!({ "ok": false, "error": { "code": "script_failed", "line": 2, "column": 7, "message": "ValueError: no." } }),
            ),
            (
                Language::JavaScript,
                "\nthrow new Error('no')",
                json!({ "ok": false, "error": { "code": "script_failed", "line": 2, "column": 11, "message": "Error: no." } }),
            ),
        ] {
            let args = json!({ "source": source, "onError": "return" });
            assert_eq!(
                call(language, None, args, &cx).await.unwrap(),
                expected,
                "{language}"
            );
        }
        let args = json!({ "source": "return 1", "onError": "ignore" });
        assert_eq!(
            call(Language::Luau, None, args, &cx)
                .await
                .unwrap_err()
                .code,
            "bad_argument"
        );
    }

    #[tokio::test]
    async fn what_a_script_prints_is_told_apart_from_its_result() {
        let cx = ToolContext::default();
        for (language, source) in [
            (Language::Luau, "print('seen') return 1"),
            (Language::Python, "print('seen')\n1"),
            (Language::JavaScript, "console.log('seen'); 1"),
        ] {
            let result = call(language, None, json!({ "source": source }), &cx).await;
            assert_eq!(
                (result.unwrap(), cx.printed.take()),
                (json!(1), "seen\n".to_owned()),
                "{language}"
            );
        }
    }

    #[tokio::test]
    async fn a_stopped_script_gives_its_place_back() {
        let pool = Pool::shared();
        let places = pool.available();
        for cancelled in [true, false] {
            let cx = ToolContext::default();
            let endless = call(
                Language::Luau,
                None,
                json!({ "source": "while true do end", "timeout": 60 }),
                &cx,
            );
            let began = Instant::now();
            let running = tokio::time::timeout(Duration::from_millis(60), endless);
            let (ended, ()) = tokio::join!(running, async {
                tokio::time::sleep(Duration::from_millis(20)).await;
                if cancelled {
                    cx.cancel.cancel();
                }
            });
            assert_eq!(ended.is_ok(), cancelled);
            while pool.available() < places {
                assert!(began.elapsed() < Duration::from_secs(5));
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        }
    }
}
