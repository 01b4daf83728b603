//! Models that answer from a script, for deterministic tests of flows without a network.

use std::{
    pin::pin,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use futures::future::{BoxFuture, Either, select};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use loopwright_engine::{
    NodeError, Usage,
    host::{ModelContext, ModelReply, ModelRequest, Models, Quote},
    price::{Price, Tokens},
    quota::Quota,
};

use crate::Sleep;

/// The scripted answers of all models.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Script {
    /// The replies. Each call takes the first remaining reply that matches it.
    pub replies: Vec<Reply>,
    /// Whether replies repeat after all matching ones are used. If not, such a call fails with `script_ended`.
    #[serde(default)]
    pub repeat: bool,
    /// The price of calls. `None` means that the price is unknown.
    #[serde(default)]
    pub price: Option<Price>,
}

/// One scripted answer.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Reply {
    /// A string that the call's system prompt, prompt or conversation must contain. `None` matches every call.
    pub when: Option<String>,
    pub text: Option<String>,
    /// The answer as JSON. If there is no `text`, its compact form is used as the text.
    pub json: Option<Value>,
    /// The delay of the answer in milliseconds.
    pub delay_ms: u64,
    /// The error with which the call fails after the delay.
    pub error: Option<NodeError>,
    pub input_tokens: u64,
    pub output_tokens: u64,
    /// The cost of the call in micro-dollars. If `None`, the script's price determines the cost.
    pub cost_microusd: Option<u64>,
}

impl Reply {
    pub fn text(text: &str) -> Self {
        Self {
            text: Some(text.to_owned()),
            ..Self::default()
        }
    }

    pub fn json(json: Value) -> Self {
        Self {
            json: Some(json),
            ..Self::default()
        }
    }

    pub fn error(code: &str, message: &str) -> Self {
        Self {
            error: Some(NodeError::new(code, message)),
            ..Self::default()
        }
    }

    #[must_use]
    pub fn when(mut self, part: &str) -> Self {
        self.when = Some(part.to_owned());
        self
    }

    fn fits(&self, request: &ModelRequest) -> bool {
        self.when.as_deref().is_none_or(|part| {
            request.prompt.contains(part)
                || request
                    .system
                    .as_deref()
                    .is_some_and(|system| system.contains(part))
                || request
                    .history
                    .iter()
                    .any(|turn| turn.prompt.contains(part) || turn.answer.contains(part))
        })
    }
}

#[derive(Debug, Default)]
struct State {
    taken: Vec<bool>,
    calls: Vec<ModelRequest>,
}

/// Models that return the answers of a [`Script`].
#[derive(Clone)]
pub struct FakeModels {
    script: Arc<Script>,
    state: Arc<Mutex<State>>,
    sleep: Sleep,
}

impl FakeModels {
    pub fn new(script: Script, sleep: Sleep) -> Self {
        let state = State {
            taken: vec![false; script.replies.len()],
            ..State::default()
        };
        Self {
            script: Arc::new(script),
            state: Arc::new(Mutex::new(state)),
            sleep,
        }
    }

    /// Returns all calls so far, in call order.
    pub fn calls(&self) -> Vec<ModelRequest> {
        self.state
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .calls
            .clone()
    }

    fn take(&self, request: &ModelRequest) -> Result<Reply, NodeError> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.calls.push(request.clone());
        let fits = |at: &usize| self.script.replies[*at].fits(request);
        let all = || (0..self.script.replies.len()).filter(fits);
        let at = match all().find(|at| !state.taken[*at]) {
            Some(at) => at,
            None if self.script.repeat && all().next().is_some() => {
                for at in all() {
                    state.taken[at] = false;
                }
                all().next().unwrap_or_default()
            }
            None => {
                let start: String = request.prompt.chars().take(60).collect();
                return Err(NodeError::new(
                    "script_ended",
                    format!("The script has no reply left for a call with the prompt “{start}”."),
                ));
            }
        };
        state.taken[at] = true;
        Ok(self.script.replies[at].clone())
    }
}

impl Reply {
    fn usage(&self, price: Option<&Price>) -> Usage {
        let cost = price.map(|price| {
            price.cost(Tokens {
                input: self.input_tokens,
                cached: 0,
                output: self.output_tokens,
            })
        });
        Usage {
            calls: 1,
            input_tokens: self.input_tokens,
            output_tokens: self.output_tokens,
            cost_microusd: self.cost_microusd.or(cost).unwrap_or(0),
            ..Usage::default()
        }
    }
}

impl Models for FakeModels {
    fn quote(&self, request: &ModelRequest) -> Quote {
        let system = request.system.as_ref().map_or(0, String::len);
        let context = request
            .context
            .as_ref()
            .map_or(0, |context| context.to_string().len());
        let input = (request.prompt.len() + system + context) as u64;
        let price = self.script.price.as_ref();
        Quote {
            model: "fake/script".to_owned(),
            input_tokens: input,
            output_tokens: request.max_tokens,
            microusd: price.and_then(|price| match request.max_tokens {
                Some(output) => Some(price.most(input, output)),
                None => price.is_free().then_some(0),
            }),
            priced: price.is_some(),
        }
    }

    fn quota(&self, request: &ModelRequest) -> Quota {
        // Scripted models answer for every provider, so only the model distinguishes their quotas.
        let model = request.model.as_deref().unwrap_or("script");
        Quota::new(format!("fake/{model}"), "Fake")
    }

    fn call(
        &self,
        request: ModelRequest,
        cx: ModelContext,
    ) -> BoxFuture<'static, Result<ModelReply, NodeError>> {
        // The reply is taken now rather than when the future runs, so that replies follow the order of calls.
        let reply = self.take(&request);
        let price = self.script.price.clone();
        let sleep = Arc::clone(&self.sleep);
        Box::pin(async move {
            let reply = reply?;
            let usage = reply.usage(price.as_ref());
            if reply.delay_ms > 0 {
                let cancelled = pin!(cx.cancel.cancelled());
                let pause = sleep(Duration::from_millis(reply.delay_ms));
                if let Either::Left(_) = select(cancelled, pause).await {
                    return Err(NodeError::new("cancelled", "The call was stopped."));
                }
            }
            if let Some(error) = reply.error {
                return Err(error);
            }
            let text = reply.text.unwrap_or_else(|| {
                reply
                    .json
                    .as_ref()
                    .map(Value::to_string)
                    .unwrap_or_default()
            });
            cx.tokens.send(&text);
            Ok(ModelReply {
                usage,
                text,
                json: reply.json,
                model: "fake/script".to_owned(),
                ..ModelReply::default()
            })
        })
    }
}
