//! `script.lua`: runs a Luau script in a sandbox, on a thread for blocking work, until it ends or nobody waits for it any more.

use std::sync::{Arc, LazyLock};

use futures::future::BoxFuture;
use loopwright_engine::{
    NodeError,
    host::{Names, Tool, ToolInfo},
};
use loopwright_model::EffectClass;
use loopwright_script::{Failure, Limits, Stop, run};
use serde_json::{Map, Value, json};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

/// Scripts that run at once in this process: more would only share the processors, and each may fill its memory.
static PLACES: LazyLock<Arc<Semaphore>> = LazyLock::new(|| {
    let places = std::thread::available_parallelism().map_or(2, std::num::NonZero::get);
    Arc::new(Semaphore::new(places))
});

pub(crate) struct ScriptLua {
    limits: Limits,
}

impl ScriptLua {
    pub(crate) fn new() -> Self {
        Self {
            limits: Limits::default(),
        }
    }
}

fn error(code: &str, message: impl Into<String>) -> NodeError {
    NodeError::new(code, message)
}

/// Stops the script when the call is dropped: by a cancel, a timeout, or the end of the program.
struct StopOnDrop(Stop);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.stop();
    }
}

async fn execute(
    source: String,
    values: Map<String, Value>,
    limits: Limits,
) -> Result<Result<Value, Failure>, NodeError> {
    let place = Arc::clone(&PLACES)
        .acquire_owned()
        .await
        .map_err(|_| error("cancelled", "The program is ending."))?;
    let stop = Stop::default();
    let guard = StopOnDrop(stop.clone());
    let script = tokio::task::spawn_blocking(move || {
        let ended = run(&source, &values, limits, &stop);
        drop(place);
        ended
    });
    let ended = script.await.map_err(|broken| {
        error(
            "script_failed",
            format!("The script broke off: {broken}. This is a defect of the program."),
        )
    })?;
    drop(guard);
    Ok(ended)
}

fn failed(failure: Failure) -> NodeError {
    let message = match failure.line {
        Some(line) => format!("In line {line} of the script: {}", failure.message),
        None => failure.message,
    };
    error(failure.code, message)
}

/// What a script came to, as a value.
fn told(ended: Result<Value, Failure>) -> Value {
    match ended {
        Ok(value) => json!({ "ok": true, "value": value }),
        Err(failure) => json!({
            "ok": false,
            "error": { "code": failure.code, "line": failure.line, "message": failure.message }
        }),
    }
}

impl Tool for ScriptLua {
    fn info(&self) -> ToolInfo {
        let mb = 1024 * 1024;
        ToolInfo {
            name: "script.lua".to_owned(),
            title: "Run a script".to_owned(),
            summary: format!(
                "Runs a script in Luau, a Lua with types, and gives what it returns as JSON. It computes and nothing else: no \
                 files, no network, no clock, no randomness; at most {} s, {} MB of memory and {} MB of result.",
                self.limits.time.as_secs(),
                self.limits.memory / mb,
                self.limits.result / mb
            ),
            args: json!({
                "type": "object",
                "properties": {
                    "source": {
                        "type": "string",
                        "description": "The script. Names that a template could read here are its globals; so is every other argument, by its name.",
                        "x-widget": "code"
                    },
                    "onError": {
                        "enum": ["fail", "return"], "default": "fail",
                        "description": "What an error in the script does: it fails the node, or the result is `{ ok, value }` or `{ ok, error: { code, line, message } }`."
                    },
                    "names": {
                        "type": "object",
                        "description": "The globals of the script. A Tool node fills it with what the script reads.",
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
        ["source", "onError", "names"]
            .map(|name| (name, Names::Nothing))
            .to_vec()
    }

    fn call(
        &self,
        input: Option<Value>,
        mut args: Map<String, Value>,
        cancel: CancellationToken,
    ) -> BoxFuture<'static, Result<Value, NodeError>> {
        let limits = self.limits;
        Box::pin(async move {
            let source = match args.remove("source") {
                Some(Value::String(source)) if !source.trim().is_empty() => source,
                Some(Value::Null | Value::String(_)) | None => {
                    return Err(error(
                        "missing_argument",
                        "There is no script. Write it into `source`, or wire one to it.",
                    ));
                }
                Some(other) => {
                    return Err(error(
                        "bad_argument",
                        format!(
                            "`source` must be a text, the script, and is {}.",
                            loopwright_model::value::describe(&other)
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
                        format!("`onError` is `fail` or `return`, and not {other}."),
                    ));
                }
            };
            let mut values = args;
            if let Some(Value::Object(names)) = names {
                values.extend(names);
            }
            if let Some(input) = input {
                values.entry("input").or_insert(input);
            }
            tokio::select! {
                () = cancel.cancelled() => Err(error("cancelled", "The script was stopped.")),
                ended = execute(source, values, limits) => match ended {
                    Ok(ended) if returns => Ok(told(ended)),
                    Ok(ended) => ended.map_err(failed),
                    Err(error) => Err(error),
                },
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;

    fn call(
        input: Option<Value>,
        args: Value,
        cancel: &CancellationToken,
    ) -> BoxFuture<'static, Result<Value, NodeError>> {
        let Value::Object(args) = args else {
            panic!("arguments are an object")
        };
        ScriptLua::new().call(input, args, cancel.clone())
    }

    #[tokio::test]
    async fn a_script_reads_its_names_and_arguments() {
        let cancel = CancellationToken::new();
        let args = json!({
            "source": "return { input, draft.text, limit }", "limit": 3, "names": { "draft": { "text": "hello" } }
        });
        assert_eq!(
            call(Some(json!(1)), args, &cancel).await.unwrap(),
            json!([1, "hello", 3])
        );
        for (args, code, says) in [
            (json!({}), "missing_argument", "wire one"),
            (json!({ "source": " " }), "missing_argument", "wire one"),
            (json!({ "source": [1] }), "bad_argument", "a list"),
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
            let failure = call(None, args, &cancel).await.unwrap_err();
            assert_eq!(failure.code, code);
            assert!(failure.message.contains(says), "{failure}");
        }
    }

    #[tokio::test]
    async fn an_error_can_be_the_result() {
        let cancel = CancellationToken::new();
        for (source, expected) in [
            ("return { 1 }", json!({ "ok": true, "value": [1] })),
            (
                "\nerror('no')",
                json!({ "ok": false, "error": { "code": "script_failed", "line": 2, "message": "no." } }),
            ),
            (
                "return (",
                json!({ "ok": false, "error": { "code": "script_syntax", "line": 1,
                    "message": "Expected identifier when parsing expression, got <eof>." } }),
            ),
        ] {
            let args = json!({ "source": source, "onError": "return" });
            assert_eq!(call(None, args, &cancel).await.unwrap(), expected);
        }
        let args = json!({ "source": "return 1", "onError": "ignore" });
        assert_eq!(
            call(None, args, &cancel).await.unwrap_err().code,
            "bad_argument"
        );
    }

    #[tokio::test]
    async fn a_stopped_script_gives_its_place_back() {
        let places = PLACES.available_permits();
        for cancelled in [true, false] {
            let cancel = CancellationToken::new();
            let endless = call(None, json!({ "source": "while true do end" }), &cancel);
            let began = Instant::now();
            let running = tokio::time::timeout(Duration::from_millis(60), endless);
            let (ended, ()) = tokio::join!(running, async {
                tokio::time::sleep(Duration::from_millis(20)).await;
                if cancelled {
                    cancel.cancel();
                }
            });
            assert_eq!(ended.is_ok(), cancelled);
            while PLACES.available_permits() < places {
                assert!(began.elapsed() < Duration::from_secs(5));
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        }
    }
}
