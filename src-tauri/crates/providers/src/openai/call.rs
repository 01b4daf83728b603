//! One call: the request, its fallbacks, the check of the answer and the one repair.

use reqwest::header::{CONTENT_TYPE, RETRY_AFTER};
use serde_json::{Map, Value, json};

use loopwright_engine::{
    NodeError, Usage,
    host::{ModelReply, ModelRequest, Quote, TokenSink},
};

use super::{OpenAi, stream, stream::Completion};
use crate::{
    prices::{Price, Tokens},
    set::Rate,
    structured::Wanted,
};

/// Fields that some compatible servers refuse. Each is left out after a refusal that names it.
const OPTIONAL: &[&str] = &[
    "response_format",
    "stream_options",
    "temperature",
    "max_tokens",
];

/// Where neither the node nor the settings name a model: the first that the server lists, with a word about it. A server
/// on one's own computer has often only one.
async fn first_model(
    provider: &OpenAi,
    warnings: &mut Vec<(String, String)>,
) -> Result<String, NodeError> {
    let listed = provider.models().await.map_err(|error| {
        NodeError::new(
            "model_missing",
            format!(
                "The call of “{}” names no model, and its list of models could not be had: {} Choose a model in the node or in the settings.",
                provider.config.id, error.message
            ),
        )
    })?;
    let model = listed.into_iter().next().ok_or_else(|| {
        NodeError::new(
            "model_missing",
            format!(
                "The call of “{}” names no model, and its server lists none. Choose one in the node or in the settings.",
                provider.config.id
            ),
        )
    })?;
    warnings.push((
        "model_chosen".to_owned(),
        format!(
            "No model was named, so “{}” used {model}, the first that it lists.",
            provider.config.id
        ),
    ));
    Ok(model)
}

/// What the protocol may add to what is sent: roles, separators, the beginning of the answer.
const AROUND: usize = 64;

/// How much of what was wrong with an answer is sent back, in characters.
const WRONG: usize = 500;

fn named(request: &ModelRequest) -> Option<&str> {
    let model = request.model.as_deref().map(str::trim);
    model.filter(|model| !model.is_empty())
}

/// The most that a call can use. No token is shorter than a byte, so that the request's bytes bound its tokens. An answer
/// that must be JSON may be asked for once more, with the first one sent back.
pub(crate) fn quote(provider: &OpenAi, request: &ModelRequest) -> Quote {
    let wanted = Wanted::of(request);
    let model = named(request);
    let body = body(
        request,
        model.unwrap_or_default(),
        &messages(request, &wanted),
        &wanted,
    );
    let once = (Value::Object(body).to_string().len() + AROUND) as u64;
    let (input, output) = match (wanted, request.max_tokens) {
        (Wanted::Text, most) => (once, most),
        (_, None) => (once, None),
        (_, Some(most)) => (
            // Characters have at most four bytes, and six where JSON escapes them.
            once.saturating_mul(2)
                .saturating_add(most)
                .saturating_add((WRONG * 6 + 256) as u64),
            Some(most.saturating_mul(2)),
        ),
    };
    let Rate { model, price } = rate(provider, request);
    Quote {
        model,
        input_tokens: input,
        output_tokens: output,
        priced: price.is_some(),
        microusd: price.and_then(|price| match output {
            Some(output) => Some(price.most(input, output)),
            None => price.is_free().then_some(0),
        }),
    }
}

pub(crate) fn rate(provider: &OpenAi, request: &ModelRequest) -> Rate {
    let id = &provider.config.id;
    let model = named(request);
    Rate {
        model: format!("{id}/{}", model.unwrap_or("(the first it lists)")),
        price: model
            .and_then(|model| provider.prices.find(id, model))
            .cloned(),
    }
}

pub(crate) async fn run(
    provider: &OpenAi,
    request: &ModelRequest,
    tokens: &TokenSink,
) -> Result<ModelReply, NodeError> {
    let mut warnings = Vec::new();
    let model = match named(request) {
        Some(model) => model.to_owned(),
        None => first_model(provider, &mut warnings).await?,
    };
    let model = model.as_str();
    let wanted = Wanted::of(request);
    let mut messages = messages(request, &wanted);
    let price = provider.prices.find(&provider.config.id, model);
    let mut usage = Usage::default();
    let mut raw = Vec::new();
    let mut repaired = false;
    loop {
        let body = body(request, model, &messages, &wanted);
        let completion = send(provider, body, request.capped, tokens, &mut warnings)
            .await
            .map_err(|broken| broken.error(price, &usage))?;
        count(&mut usage, &completion, &messages, price);
        raw.push(raw_of(&completion));
        let text = ended(provider, &completion, &mut warnings)
            .map_err(|error| error.having_spent(&usage))?;
        match wanted.read(&text) {
            Ok(json) => {
                return Ok(ModelReply {
                    model: format!(
                        "{}/{}",
                        provider.config.id,
                        completion.model.as_deref().unwrap_or(model)
                    ),
                    raw: Some(if raw.len() == 1 {
                        raw.remove(0)
                    } else {
                        Value::Array(raw)
                    }),
                    text,
                    json,
                    usage,
                    warnings,
                });
            }
            Err(wrong) if !repaired => {
                repaired = true;
                warnings.push(("answer_repaired".to_owned(), format!("The first answer was not as asked for: {wrong}. It was asked for once more.")));
                messages.push(json!({ "role": "assistant", "content": text }));
                let wrong: String = wrong.chars().take(WRONG).collect();
                messages.push(json!({ "role": "user", "content": format!("That answer cannot be used: {wrong}. Answer again, with the corrected JSON alone.") }));
            }
            Err(wrong) => {
                let start: String = text.chars().take(200).collect();
                return Err(NodeError::new(
                    "invalid_answer",
                    format!(
                        "The answer of “{}” was twice not as asked for: {wrong}. It was: “{start}”",
                        provider.config.id
                    ),
                )
                .having_spent(&usage));
            }
        }
    }
}

/// A call that gave no answer: the server refused it, or it broke off when it was under way.
struct Broken {
    error: NodeError,
    /// The server had taken it, so that it may have cost something.
    taken: bool,
}

impl Broken {
    fn refused(error: NodeError) -> Self {
        let taken = false;
        Self { error, taken }
    }

    fn taken(error: NodeError) -> Self {
        let taken = true;
        Self { error, taken }
    }

    /// The error, with what calls had used before it. What one that broke off used is not known, but that it was made.
    fn error(self, price: Option<&Price>, before: &Usage) -> NodeError {
        let mut usage = *before;
        if self.taken {
            let free = price.is_some_and(Price::is_free);
            usage.add(&Usage {
                unpriced_calls: u64::from(!free),
                ..Usage::unknown_call()
            });
        }
        self.error.having_spent(&usage)
    }
}

fn messages(request: &ModelRequest, wanted: &Wanted) -> Vec<Value> {
    let mut system = request.system.clone().unwrap_or_default();
    if let Some(instruction) = wanted.instruction(&request.choices) {
        if !system.is_empty() {
            system.push_str("\n\n");
        }
        system.push_str(&instruction);
    }
    let mut out = Vec::new();
    if !system.trim().is_empty() {
        out.push(json!({ "role": "system", "content": system }));
    }
    let prompt = match &request.context {
        None | Some(Value::Null) => request.prompt.clone(),
        Some(Value::String(context)) => format!("Context:\n{context}\n\n{}", request.prompt),
        Some(context) => format!("Context:\n{context}\n\n{}", request.prompt),
    };
    out.push(json!({ "role": "user", "content": prompt }));
    out
}

fn body(
    request: &ModelRequest,
    model: &str,
    messages: &[Value],
    wanted: &Wanted,
) -> Map<String, Value> {
    let mut body = Map::new();
    body.insert("model".to_owned(), model.into());
    body.insert("messages".to_owned(), messages.into());
    body.insert("stream".to_owned(), true.into());
    body.insert(
        "stream_options".to_owned(),
        json!({ "include_usage": true }),
    );
    if let Some(temperature) = request.temperature {
        body.insert("temperature".to_owned(), temperature.into());
    }
    if let Some(most) = request.max_tokens {
        body.insert("max_tokens".to_owned(), most.into());
    }
    if let Some(format) = wanted.response_format() {
        body.insert("response_format".to_owned(), format);
    }
    body
}

async fn send(
    provider: &OpenAi,
    mut body: Map<String, Value>,
    capped: bool,
    tokens: &TokenSink,
    warnings: &mut Vec<(String, String)>,
) -> Result<Completion, Broken> {
    let server = provider.server();
    loop {
        let mut request = provider
            .client
            .post(provider.url("chat/completions").map_err(Broken::refused)?)
            .json(&body);
        if let Some(key) = &provider.config.key {
            request = request.bearer_auth(key.expose());
        }
        let response = request.send().await.map_err(|error| Broken {
            taken: !error.is_connect(),
            error: server.transport(&error, ""),
        })?;
        let status = response.status().as_u16();
        if !response.status().is_success() {
            let wait = response
                .headers()
                .get(RETRY_AFTER)
                .and_then(|value| value.to_str().ok())
                .map(str::to_owned);
            let said = response.text().await.unwrap_or_default();
            let refused = OPTIONAL.iter().find(|field| {
                matches!(status, 400 | 422) && body.contains_key(**field) && said.contains(**field)
            });
            if let Some(field) = refused {
                let value = body.remove(*field);
                if *field == "max_tokens" && said.contains("max_completion_tokens") {
                    body.insert(
                        "max_completion_tokens".to_owned(),
                        value.unwrap_or_default(),
                    );
                } else if *field == "max_tokens" && capped {
                    return Err(Broken::refused(NodeError::new(
                        "max_tokens_refused",
                        format!(
                            "The server of “{}” refuses “max_tokens” for this model, and a budget needs it. Choose another model, or remove the budget.",
                            provider.config.id
                        ),
                    )));
                } else if !matches!(*field, "stream_options" | "response_format") {
                    warnings.push(("setting_ignored".to_owned(), format!("The server refuses “{field}” for this model; the call was made without it.")));
                }
                continue;
            }
            return Err(Broken::refused(server.status(
                status,
                &said,
                wait.as_deref(),
            )));
        }
        let kind = response
            .headers()
            .get(CONTENT_TYPE)
            .and_then(|value| value.to_str().ok())
            .unwrap_or_default()
            .to_owned();
        if kind.starts_with("application/json") {
            let whole = response
                .text()
                .await
                .map_err(|error| Broken::taken(server.transport(&error, "")))?;
            return stream::read_whole(&whole, &server, tokens).map_err(Broken::taken);
        }
        if !kind.starts_with("text/event-stream") && !kind.is_empty() {
            let error = server.malformed(&format!("it answered with “{kind}”"), "");
            return Err(Broken::taken(error));
        }
        return stream::read(response, &server, tokens)
            .await
            .map_err(Broken::taken);
    }
}

/// The text of a completion, unless its end says that there is none.
fn ended(
    provider: &OpenAi,
    completion: &Completion,
    warnings: &mut Vec<(String, String)>,
) -> Result<String, NodeError> {
    match completion.finish_reason.as_deref() {
        Some("content_filter") => return Err(provider.server().filtered(&completion.text)),
        Some("length") => warnings.push((
            "answer_cut".to_owned(),
            "The answer reached the most tokens allowed and was cut there. Raise maxTokens."
                .to_owned(),
        )),
        _ => {}
    }
    if completion.text.is_empty() && !completion.refusal.is_empty() {
        return Err(NodeError::new(
            "refused",
            format!(
                "The model of “{}” declined to answer: {}",
                provider.config.id, completion.refusal
            ),
        ));
    }
    Ok(completion.text.clone())
}

/// Adds a call's tokens and cost; a server that does not count has its tokens estimated at four characters each.
fn count(usage: &mut Usage, completion: &Completion, messages: &[Value], price: Option<&Price>) {
    let estimate = |characters: usize| (characters as u64).div_ceil(4);
    let sent: usize = messages
        .iter()
        .filter_map(|message| message["content"].as_str())
        .map(|text| text.chars().count())
        .sum();
    let tokens = Tokens {
        input: completion.input_tokens.unwrap_or_else(|| estimate(sent)),
        cached: completion.cached_tokens,
        output: completion
            .output_tokens
            .unwrap_or_else(|| estimate(completion.text.chars().count())),
    };
    usage.add(&Usage {
        calls: 1,
        input_tokens: tokens.input,
        output_tokens: tokens.output,
        cost_microusd: price.map_or(0, |price| price.cost(tokens)),
        unpriced_calls: u64::from(price.is_none()),
    });
}

fn raw_of(completion: &Completion) -> Value {
    json!({
        "id": completion.id,
        "model": completion.model,
        "text": completion.text,
        "finishReason": completion.finish_reason,
        "inputTokens": completion.input_tokens,
        "outputTokens": completion.output_tokens,
    })
}
