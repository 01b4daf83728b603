//! The world of a test: models and tools whose answers come in an order that a seed decides.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use futures::future::BoxFuture;
use loopwright_engine::{
    NodeError,
    host::{
        ModelContext, ModelReply, ModelRequest, Models, Quote, Tool, ToolContext, ToolInfo, Tools,
    },
};
use loopwright_model::EffectClass;
use loopwright_tools::{ToolSet, ToolSettings};
use serde_json::{Map, Value};

/// Pauses that differ from call to call, the same for the same seed.
#[derive(Clone)]
pub(crate) struct Disorder {
    seed: u64,
    calls: Arc<AtomicU64>,
}

impl Disorder {
    pub(crate) fn new(seed: u64) -> Self {
        Self {
            seed,
            calls: Arc::default(),
        }
    }

    /// The next pause, 0 to 997 milliseconds (SplitMix64, Steele et al. 2014).
    fn next(&self) -> Duration {
        let call = self.calls.fetch_add(1, Ordering::Relaxed);
        let mut z = (self.seed ^ call.wrapping_mul(0x9e37_79b9_7f4a_7c15))
            .wrapping_add(0x9e37_79b9_7f4a_7c15);
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        Duration::from_millis((z ^ (z >> 31)) % 998)
    }
}

/// Models whose answers are held back, so that calls under way at once end in another order.
pub(crate) struct Delayed {
    pub(crate) models: Arc<dyn Models>,
    pub(crate) disorder: Disorder,
}

impl Models for Delayed {
    fn quote(&self, request: &ModelRequest) -> Quote {
        self.models.quote(request)
    }

    fn call(
        &self,
        request: ModelRequest,
        cx: ModelContext,
    ) -> BoxFuture<'static, Result<ModelReply, NodeError>> {
        let call = self.models.call(request, cx);
        let pause = self.disorder.next();
        Box::pin(async move {
            tokio::time::sleep(pause).await;
            call.await
        })
    }
}

/// Tools that answer from lists, by tool name, in the order of the calls.
#[derive(Default)]
pub(crate) struct ScriptedTools {
    answers: Mutex<HashMap<String, Vec<Value>>>,
    disorder: Option<Disorder>,
}

impl ScriptedTools {
    pub(crate) fn new(
        answers: HashMap<String, Vec<Value>>,
        disorder: Option<Disorder>,
    ) -> Arc<Self> {
        Arc::new(Self {
            answers: Mutex::new(answers),
            disorder,
        })
    }
}

/// The registry; an `Arc` so that the tools it gives can share the lists. What touches no world, a script, is the real one
/// where the case does not answer for it.
pub(crate) struct Registry(pub(crate) Arc<ScriptedTools>);

impl Tools for Registry {
    fn find(&self, name: &str) -> Option<Arc<dyn Tool>> {
        if self.0.answers.lock().unwrap().contains_key(name) {
            return Some(Arc::new(ScriptedTool {
                name: name.to_owned(),
                tools: Arc::clone(&self.0),
            }));
        }
        ToolSet::new(&ToolSettings::default())
            .find(name)
            .filter(|tool| tool.effect() == EffectClass::Pure)
    }

    fn list(&self) -> Vec<ToolInfo> {
        Vec::new()
    }
}

/// What a case says of one call: the answer or the failure, and when it comes.
fn read(said: Value) -> (Result<Value, NodeError>, Duration) {
    let after = Duration::from_millis(said["$afterMs"].as_u64().unwrap_or(0));
    let answer = match (said.get("$error"), said.get("$value")) {
        (Some(error), _) => {
            let text = |name: &str| error[name].as_str().unwrap_or_default();
            Err(NodeError::new(text("code"), text("message")))
        }
        (None, Some(value)) => Ok(value.clone()),
        (None, None) if !after.is_zero() => Ok(Value::Null),
        (None, None) => Ok(said),
    };
    (answer, after)
}

struct ScriptedTool {
    name: String,
    tools: Arc<ScriptedTools>,
}

impl Tool for ScriptedTool {
    fn info(&self) -> ToolInfo {
        ToolInfo {
            name: self.name.clone(),
            title: self.name.clone(),
            summary: "Answers what the case says.".to_owned(),
            args: Value::Null,
            unavailable: None,
        }
    }

    fn effect(&self) -> EffectClass {
        EffectClass::Reads
    }

    fn call(
        &self,
        _input: Option<Value>,
        _args: Map<String, Value>,
        _cx: ToolContext,
    ) -> BoxFuture<'static, Result<Value, NodeError>> {
        let mut answers = self.tools.answers.lock().unwrap();
        let left = answers.entry(self.name.clone()).or_default();
        let answer = if left.is_empty() {
            Err(NodeError::new(
                "script_ended",
                format!("The case has no answer left for {}.", self.name),
            ))
        } else {
            Ok(left.remove(0))
        };
        drop(answers);
        let (answer, after) = match answer {
            Ok(answer) => read(answer),
            failed => (failed, Duration::ZERO),
        };
        let disorder = self.tools.disorder.as_ref();
        let pause = disorder.map_or(Duration::ZERO, Disorder::next) + after;
        Box::pin(async move {
            if !pause.is_zero() {
                tokio::time::sleep(pause).await;
            }
            answer
        })
    }
}
