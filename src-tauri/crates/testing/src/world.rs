//! Models and tools for tests. A seed determines the order of their answers.

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
    quota::Quota,
};
use loopwright_model::EffectClass;
use serde_json::{Map, Value};

use crate::{Sleep, chance::Chance};

/// Pauses that vary between calls. The same seed yields the same pauses.
#[derive(Clone)]
pub struct Disorder {
    seed: u64,
    calls: Arc<AtomicU64>,
}

impl Disorder {
    pub fn new(seed: u64) -> Self {
        Self {
            seed,
            calls: Arc::default(),
        }
    }

    /// Returns the next pause, 0 to 997 milliseconds.
    fn next(&self) -> Duration {
        let call = self.calls.fetch_add(1, Ordering::Relaxed);
        let chance = Chance::new(self.seed ^ call.wrapping_mul(0x9e37_79b9_7f4a_7c15)).number();
        Duration::from_millis(chance % 998)
    }
}

/// Models that delay their answers, so that concurrent calls end in a different order than they began.
pub struct Delayed {
    pub models: Arc<dyn Models>,
    pub disorder: Disorder,
    pub sleep: Sleep,
}

impl Models for Delayed {
    fn quote(&self, request: &ModelRequest) -> Quote {
        self.models.quote(request)
    }

    fn quota(&self, request: &ModelRequest) -> Quota {
        self.models.quota(request)
    }

    fn call(
        &self,
        request: ModelRequest,
        cx: ModelContext,
    ) -> BoxFuture<'static, Result<ModelReply, NodeError>> {
        let call = self.models.call(request, cx);
        let pause = (self.sleep)(self.disorder.next());
        Box::pin(async move {
            pause.await;
            call.await
        })
    }
}

/// Tools that answer from a list for each tool name, in call order.
pub struct ScriptedTools {
    answers: Mutex<HashMap<String, Vec<Value>>>,
    disorder: Option<Disorder>,
    sleep: Sleep,
}

impl ScriptedTools {
    pub fn new(
        answers: HashMap<String, Vec<Value>>,
        disorder: Option<Disorder>,
        sleep: Sleep,
    ) -> Arc<Self> {
        Arc::new(Self {
            answers: Mutex::new(answers),
            disorder,
            sleep,
        })
    }
}

/// The tools of a case. Tools without external effects, such as scripts, are real unless the case contains answers for them.
pub struct Registry {
    pub scripted: Arc<ScriptedTools>,
    pub others: Arc<dyn Tools>,
}

impl Registry {
    /// Returns a registry without tools.
    pub fn empty(sleep: Sleep) -> Self {
        Self {
            scripted: ScriptedTools::new(HashMap::new(), None, sleep),
            others: Arc::new(NoTools),
        }
    }
}

/// A registry without tools.
pub struct NoTools;

impl Tools for NoTools {
    fn find(&self, _name: &str) -> Option<Arc<dyn Tool>> {
        None
    }

    fn list(&self) -> Vec<ToolInfo> {
        Vec::new()
    }
}

impl Tools for Registry {
    fn find(&self, name: &str) -> Option<Arc<dyn Tool>> {
        if self.scripted.answers.lock().unwrap().contains_key(name) {
            return Some(Arc::new(ScriptedTool {
                name: name.to_owned(),
                tools: Arc::clone(&self.scripted),
            }));
        }
        self.others
            .find(name)
            .filter(|tool| tool.effect() == EffectClass::Pure)
    }

    fn list(&self) -> Vec<ToolInfo> {
        Vec::new()
    }
}

/// Parses the scripted entry of one call into its answer or error, and the delay.
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
        let sleep = Arc::clone(&self.tools.sleep);
        Box::pin(async move {
            if !pause.is_zero() {
                sleep(pause).await;
            }
            answer
        })
    }
}
