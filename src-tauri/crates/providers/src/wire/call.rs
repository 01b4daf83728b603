//! One call: the request, its fallbacks, the check of the answer, and the single request to correct it.

use serde_json::{Value, json};

use loopwright_answers::part;
use loopwright_engine::{
    NodeError, Usage,
    host::{ModelContext, ModelReply, ModelRequest, Quote, Take, ToolUse},
};

use super::{
    ends,
    failure::Server,
    format::{ChatRequest, Completion, End, Message},
    models::can_chat,
    numbers::inexact,
    remote::Remote,
    sending::Sending,
    usage::{Sent, add_usage, prompt_cut, with_unknown},
    without::Without,
};
use crate::{
    prices::Price,
    provider::Rate,
    structured::{AnswerFormat, Unread},
};

/// The maximum number of bytes that the protocol may add to a request: roles, separators, the start of the answer.
const PROTOCOL_BYTES: usize = 64;

/// The maximum number of characters of an error that are sent back to the model when it must correct its answer.
const WRONG: usize = 500;

/// An upper bound of the input tokens of one image. Providers cut images into tiles. OpenAI's small models count the most:
/// 2,833 tokens, plus 5,667 for each of at most eight tiles.
const PICTURE: u64 = 50_000;

fn named(request: &ModelRequest) -> Option<&str> {
    let model = request.model.as_deref().map(str::trim);
    model.filter(|model| !model.is_empty())
}

/// Returns an upper bound of the usage of a call. No token is shorter than a byte, so the size of the request in bytes
/// bounds its tokens. If an answer must be JSON, it may be requested a second time, and that request contains the first
/// answer.
pub(super) fn quote(remote: &Remote, request: &ModelRequest) -> Quote {
    let wanted = AnswerFormat::of(request);
    let system = system(request, &wanted);
    let mut messages = messages(request);
    // The number of tokens of an image does not depend on its size in bytes.
    messages
        .iter_mut()
        .for_each(|message| message.images.clear());
    let ask = ChatRequest {
        model: named(request).unwrap_or_default(),
        system: system.as_deref(),
        messages: &messages,
        temperature: request.temperature,
        max_tokens: request.max_tokens,
        wanted: &wanted,
        tools: &request.tools,
        without: Without::default(),
    };
    let body = Value::Object(remote.wire.body(&ask)).to_string();
    let once = (body.len() + PROTOCOL_BYTES) as u64 + PICTURE * request.images.len() as u64;
    let Rate {
        model,
        price,
        most_tokens,
    } = rate(remote, request);
    let (input, output) = match (wanted, most_tokens) {
        (AnswerFormat::Text, most) => (once, most),
        (_, None) => (once, None),
        (_, Some(most)) => (
            // A character has at most four bytes, or six if JSON escapes it.
            once.saturating_mul(2)
                .saturating_add(most)
                .saturating_add((WRONG * 6 + 256) as u64),
            Some(most.saturating_mul(2)),
        ),
    };
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

pub(super) fn rate(remote: &Remote, request: &ModelRequest) -> Rate {
    let id = &remote.config.id;
    let model = named(request);
    Rate {
        model: format!("{id}/{}", model.unwrap_or("(the first listed model)")),
        price: model
            .and_then(|model| remote.prices.find(id, model))
            .cloned(),
        most_tokens: request.max_tokens.or(remote.wire.most_tokens()),
    }
}

pub(super) async fn run(
    remote: &Remote,
    request: &ModelRequest,
    cx: &ModelContext,
) -> Result<ModelReply, NodeError> {
    // The list of models may have to be requested first.
    cx.call.preparing();
    let mut warnings = Vec::new();
    let model = match named(request) {
        Some(model) => model.to_owned(),
        None => first_model(remote, &mut warnings).await?,
    };
    let wanted = AnswerFormat::of(request);
    let system = system(request, &wanted);
    let mut messages = messages(request);
    let price = remote.prices.find(&remote.config.id, &model);
    let mut usage = Usage::default();
    let mut raw = Vec::new();
    let mut repaired = false;
    loop {
        let ask = ChatRequest {
            model: &model,
            system: system.as_deref(),
            messages: &messages,
            temperature: request.temperature,
            max_tokens: request.max_tokens,
            wanted: &wanted,
            tools: &request.tools,
            without: Without::default(),
        };
        let sending = Sending {
            remote,
            request,
            is_free: price.is_some_and(Price::is_free),
            cx,
        };
        let completion = sending.send(ask, &mut warnings).await.map_err(|error| {
            let usage = with_unknown(&usage, &error, price);
            error.having_spent(&usage)
        })?;
        let sent = Sent::of(system.as_deref(), &messages);
        add_usage(&mut usage, &completion, &sent, price, &mut warnings);
        cx.call.answered(&usage);
        warnings.extend(others_left_out(remote, &completion));
        warnings.extend(prompt_cut(remote, &completion, &sent));
        raw.push(raw_of(remote, &completion));
        if let Some(uses) =
            uses(remote, request, &completion).map_err(|error| error.having_spent(&usage))?
        {
            let answered_by = completion.model.as_deref().unwrap_or(&model);
            let server = remote.server();
            return Ok(ModelReply {
                model: server.redact(&format!("{}/{answered_by}", remote.config.id)),
                raw: raw.pop(),
                text: server.redact(&completion.text),
                usage,
                warnings,
                uses,
                ..ModelReply::default()
            });
        }
        let text = match ended(remote, &completion, &wanted, &mut warnings) {
            Ok(text) if wanted == AnswerFormat::Text => {
                taken(remote, request.take, text, &mut warnings)
                    .map_err(|error| error.having_spent(&usage))?
            }
            Ok(text) => text,
            // After its tools have done the work, a model may end without text.
            Err(error) if error.code == "empty_answer" && !request.rounds.is_empty() => {
                String::new()
            }
            Err(error)
                if error.code == "empty_answer" && wanted != AnswerFormat::Text && !repaired =>
            {
                repaired = true;
                let wrong = "it is empty";
                warnings.push(asked_again(wrong));
                ask_again(&mut messages, String::new(), wrong);
                continue;
            }
            Err(error) => return Err(error.having_spent(&usage)),
        };
        let is_cut = completion.end == Some(End::Length);
        match wanted.read(&text, is_cut).await {
            // If an answer is truncated within a number, the remaining digits are unknown.
            Ok(Some(Value::Number(_))) if is_cut => {
                let error = cut(remote, "it ends in a number, which may be cut off", &text);
                return Err(error.having_spent(&usage));
            }
            Ok(json) => {
                warnings.extend(json.as_ref().and_then(|json| inexact(json, &text)));
                let answered_by = completion.model.as_deref().unwrap_or(&model);
                return Ok(ModelReply {
                    model: remote
                        .server()
                        .redact(&format!("{}/{answered_by}", remote.config.id)),
                    raw: Some(if raw.len() == 1 {
                        raw.remove(0)
                    } else {
                        Value::Array(raw)
                    }),
                    text,
                    // JSON escapes may have hidden the key in the text, so it is also removed from the parsed value.
                    json: json.map(|json| remote.redactor.redact_value(json)),
                    usage,
                    warnings,
                    uses: Vec::new(),
                });
            }
            Err(Unread::Failed(error)) => return Err(error.having_spent(&usage)),
            Err(Unread::Wrong(wrong)) if is_cut => {
                return Err(cut(remote, &wrong, &text).having_spent(&usage));
            }
            Err(Unread::Wrong(wrong)) if !repaired => {
                repaired = true;
                warnings.push(asked_again(&wrong));
                ask_again(&mut messages, text, &wrong);
            }
            Err(Unread::Wrong(wrong)) => {
                let start: String = text.chars().take(200).collect();
                return Err(NodeError::new(
                    "invalid_answer",
                    format!(
                        "“{}” answered twice in the wrong format: {wrong}. Its last answer was: “{start}”",
                        remote.config.id
                    ),
                )
                .with_partial(&text)
                .having_spent(&usage));
            }
        }
    }
}

/// Returns the part of the answer that the request asks for. If there is no such part, returns the whole answer and adds a
/// warning.
///
/// # Errors
/// `empty_answer` if the requested part is empty.
fn taken(
    remote: &Remote,
    take: Take,
    text: String,
    warnings: &mut Vec<(String, String)>,
) -> Result<String, NodeError> {
    let (part, marks) = match take {
        Take::Whole => return Ok(text),
        Take::Marked => (part::marked(&text), "the requested tags around the text"),
        Take::Code => (part::code(&text), "exactly one code block"),
    };
    match part {
        Some("") => {
            let why = "the model wrote nothing between the requested tags. Run the node again, or choose another model.".to_owned();
            Err(remote.server().error("empty_answer", why, &text))
        }
        Some(part) => Ok(part.to_owned()),
        None => {
            let words =
                format!("The answer does not contain {marks}, so the whole answer was used.");
            warnings.push(("answer_not_marked".to_owned(), words));
            Ok(text)
        }
    }
}

/// Returns the instruction at the end of the prompt that asks the model to delimit the requested part; `None` if the whole
/// answer is requested, or if its format is not plain text. Even small models follow an instruction at the end.
fn take_instruction(request: &ModelRequest) -> Option<String> {
    if AnswerFormat::of(request) != AnswerFormat::Text {
        return None;
    }
    match request.take {
        Take::Whole => None,
        Take::Marked => Some(format!(
            "Answer with the text alone, without an introduction or an explanation, between {} and {}.",
            part::OPEN,
            part::CLOSE
        )),
        Take::Code => Some("Answer with the whole code, in one Markdown code block.".to_owned()),
    }
}

fn asked_again(wrong: &str) -> (String, String) {
    let words = format!(
        "The first answer was in the wrong format: {wrong}. The model was asked once more."
    );
    ("answer_repaired".to_owned(), words)
}

/// Appends the model's answer and a description of what is wrong with it to the conversation.
fn ask_again(messages: &mut Vec<Message>, answer: String, wrong: &str) {
    let wrong: String = wrong.chars().take(WRONG).collect();
    messages.push(Message {
        is_answer: true,
        // No format accepts an empty message.
        text: if answer.trim().is_empty() {
            "(nothing)".to_owned()
        } else {
            answer
        },
        ..Message::default()
    });
    messages.push(Message {
        text: format!(
            "That answer cannot be used: {wrong}. Answer again, with the corrected JSON alone."
        ),
        ..Message::default()
    });
}

/// Returns the first listed model that can chat, and adds a warning. This model is used if neither the node nor the settings
/// name one. Fails with `model_missing` if no such model is listed. A local server often serves only one model.
async fn first_model(
    remote: &Remote,
    warnings: &mut Vec<(String, String)>,
) -> Result<String, NodeError> {
    let id = &remote.config.id;
    let missing = |why: String| {
        NodeError::new(
            "model_missing",
            format!(
                "The call to “{id}” names no model, and {why} Choose one in the node or in Settings."
            ),
        )
    };
    if !remote.wire.chooses() {
        return Err(missing("no model can be chosen automatically.".to_owned()));
    }
    let listed = remote.listed().await.map_err(|error| {
        missing(format!(
            "its list of models could not be fetched: {}",
            error.message
        ))
    })?;
    let Some(some) = listed.first().map(|model| model.id.clone()) else {
        return Err(missing("its server lists none.".to_owned()));
    };
    let model = listed
        .into_iter()
        .map(|model| model.id)
        .find(|model| can_chat(model))
        .ok_or_else(|| {
            missing(format!(
                "none of the models that its server lists seems to answer prompts (such as {some})."
            ))
        })?;
    warnings.push((
        "model_chosen".to_owned(),
        format!("No model was named, so “{id}” used {model}, the first chat model in its list."),
    ));
    Ok(model)
}

/// Returns the system prompt, followed by the instruction for the form of the answer; `None` if both are empty.
fn system(request: &ModelRequest, wanted: &AnswerFormat) -> Option<String> {
    let mut system = request.system.clone().unwrap_or_default();
    if let Some(instruction) = wanted.instruction(request) {
        if !system.is_empty() {
            system.push_str("\n\n");
        }
        system.push_str(&instruction);
    }
    (!system.trim().is_empty()).then_some(system)
}

/// Returns the earlier messages, followed by the prompt and the rounds of tool calls.
fn messages(request: &ModelRequest) -> Vec<Message> {
    let plain = |is_answer: bool, text: &str| Message {
        is_answer,
        text: text.to_owned(),
        ..Message::default()
    };
    let mut out = Vec::new();
    for turn in &request.history {
        out.push(plain(false, &turn.prompt));
        out.push(plain(true, &turn.answer));
    }
    // Some formats do not allow empty messages.
    out.retain(|message| !message.text.trim().is_empty());
    let mut said = request.said();
    if let Some(instruction) = take_instruction(request) {
        said.push_str("\n\n");
        said.push_str(&instruction);
    }
    out.push(Message {
        images: request.images.clone(),
        ..plain(false, &said)
    });
    for round in &request.rounds {
        out.push(Message {
            uses: round.uses.clone(),
            ..plain(true, &round.text)
        });
        let results = round
            .uses
            .iter()
            .cloned()
            .zip(round.results.iter().cloned());
        out.push(Message {
            results: results.collect(),
            ..Message::default()
        });
    }
    out
}

/// Returns the tool calls of the completion. Returns `None` if the model answered instead, was offered no tools, or if the
/// answer was withheld or broke off.
///
/// # Errors
/// `answer_cut` if the token limit was reached: the arguments of the calls may be incomplete.
fn uses(
    remote: &Remote,
    request: &ModelRequest,
    completion: &Completion,
) -> Result<Option<Vec<ToolUse>>, NodeError> {
    if request.tools.is_empty() || completion.uses.is_empty() {
        return Ok(None);
    }
    match completion.end {
        Some(End::Length) => {
            let why = "the model was still writing the arguments of a tool";
            Err(cut(remote, why, &remote.server().redact(&completion.text)))
        }
        // The server withheld the answer, so its tool calls are not run.
        Some(End::Filtered(_) | End::Overflow | End::Refused) => Ok(None),
        _ if is_broken_off(completion) => Ok(None),
        _ => Ok(Some(completion.tool_uses())),
    }
}

/// Returns the text of a completion.
///
/// # Errors
/// Returns an error if the text is not an answer, judging by how the completion ended.
fn ended(
    remote: &Remote,
    completion: &Completion,
    wanted: &AnswerFormat,
    warnings: &mut Vec<(String, String)>,
) -> Result<String, NodeError> {
    let server = remote.server();
    let id = &remote.config.id;
    let text = server.redact(&completion.text);
    match &completion.end {
        Some(End::Filtered(why)) => return Err(server.filtered(why, &completion.text)),
        Some(End::Overflow) => {
            return Err(server.error(
                "context_overflow",
                "the model's context was full before the answer was complete. Shorten the input, or choose a model with a larger context.".to_owned(),
                &completion.text,
            ));
        }
        _ if is_tool_alone(completion) => {
            let tool = match completion.tool.as_deref() {
                None | Some("") => String::new(),
                Some(tool) => format!(" “{tool}”"),
            };
            return Err(server.error(
                "provider_error",
                format!(
                    "the model of {} called the tool{tool} instead of answering, but the request did not offer this tool. Ask for text in the prompt, or choose another model.",
                    server.host
                ),
                &completion.text,
            ));
        }
        Some(End::Other(why)) if text.trim().is_empty() || is_broken_off(completion) => {
            return Err(server.error(
                "provider_error",
                format!(
                    "the answer from {} ended with the finish reason “{why}”, so its text may be incomplete.",
                    server.host
                ),
                &completion.text,
            ));
        }
        Some(End::Refused) => {}
        // This warning concerns the answer, so it precedes the warnings about how the request was sent.
        Some(End::Length) if *wanted == AnswerFormat::Text => warnings.insert(
            0,
            (
                "answer_cut".to_owned(),
                "The answer reached the token limit and was cut off. Raise maxTokens."
                    .to_owned(),
            ),
        ),
        // The server says that the answer ended with a tool call, but it has text and no tool call. The text is accepted.
        Some(End::Other(_)) if is_ended_by_tool(completion) => {}
        Some(End::Other(why)) => warnings.push((
            "end_not_said".to_owned(),
            format!(
                "{} gave the finish reason “{why}”, which does not show whether the answer is complete.",
                server.host
            ),
        )),
        Some(End::Length | End::Complete) | None => {}
    }
    let is_refused = text.trim().is_empty() && !completion.refusal.is_empty();
    if completion.end == Some(End::Refused) || is_refused {
        let said = if completion.refusal.is_empty() {
            &completion.text
        } else {
            &completion.refusal
        };
        let said = match said.trim() {
            "" => ".".to_owned(),
            said => format!(": {}", server.redact(said)),
        };
        return Err(NodeError::new(
            "refused",
            format!("The model of “{id}” declined to answer{said}"),
        )
        .with_partial(&text));
    }
    if !completion.has_begun {
        return Err(server.error(
            "empty_answer",
            format!(
                "the answer from {} is empty: it has neither text nor a finish reason.",
                server.host
            ),
            "",
        ));
    }
    if text.trim().is_empty() {
        // A server that aborts an answer to serve another call may still end its stream normally.
        return Err(if completion.end.is_none() && !completion.has_thought() {
            server.truncated("")
        } else {
            nothing_said(&server, completion)
        });
    }
    if completion.end.is_none() {
        let words = format!(
            "{} did not say how its answer ended, so the end may be missing. Some servers answer only one call at a time and break off an answer when the next call arrives. For such a server, set the workflow's concurrency to 1.",
            server.host
        );
        warnings.push(("end_not_said".to_owned(), words));
    }
    Ok(text)
}

/// Returns the error for an answer without text. The model's reasoning, if any, becomes the error's partial text.
fn nothing_said(server: &Server, completion: &Completion) -> NodeError {
    let host = &server.host;
    let (code, why) = match (&completion.end, completion.has_thought()) {
        (Some(End::Length), true) => (
            "answer_cut",
            "there is no answer: the model used all allowed tokens for its reasoning. Raise maxTokens, or reduce the model's reasoning."
                .to_owned(),
        ),
        (Some(End::Length), false) => (
            "answer_cut",
            "there is no answer: the token limit was reached before any text came. Raise maxTokens.".to_owned(),
        ),
        (_, true) => (
            "empty_answer",
            format!(
                "the answer from {host} contains only the model's reasoning, and no text. Run the node again, reduce the model's reasoning, or choose another model."
            ),
        ),
        (_, false) => (
            "empty_answer",
            format!("the answer from {host} is empty: it has no text."),
        ),
    };
    let thoughts = server.redact(&completion.thoughts);
    server.error(code, why, "").with_partial(&thoughts)
}

/// Returns whether a tool call takes the place of the answer: there is a call and no text, or the finish reason is a tool
/// call and there is either a call or no text. Some servers report this finish reason for an answer that has text and no
/// call (vllm-project/vllm issue 53255).
fn is_tool_alone(completion: &Completion) -> bool {
    let has_text = !completion.text.trim().is_empty();
    let ended_so = is_ended_by_tool(completion);
    match (&completion.tool, has_text) {
        (Some(_), true) | (None, false) => ended_so,
        (Some(_), false) => true,
        (None, true) => false,
    }
}

fn is_ended_by_tool(completion: &Completion) -> bool {
    let ended_so = completion.ended_as.as_deref().is_some_and(ends::is_tool);
    ended_so && matches!(completion.end, Some(End::Other(_)))
}

fn is_broken_off(completion: &Completion) -> bool {
    let reason = completion.ended_as.as_deref();
    reason.is_some_and(ends::is_broken_off)
}

/// Returns the error for JSON that was cut off at the token limit. The model is not asked again, because its answer would be
/// cut off again.
fn cut(remote: &Remote, wrong: &str, text: &str) -> NodeError {
    NodeError::new(
        "answer_cut",
        format!(
            "The answer from “{}” reached the token limit and was cut off, so it is not complete JSON: {wrong}. Raise maxTokens.",
            remote.config.id
        ),
    )
    .with_partial(text)
}

/// Returns the code and message of a warning if the server sent further answers, otherwise `None`. Only one answer was
/// requested, and the others are ignored.
fn others_left_out(remote: &Remote, completion: &Completion) -> Option<(String, String)> {
    completion.has_others.then(|| {
        (
            "answers_left_out".to_owned(),
            format!(
                "The server of “{}” sent more than one answer. The first was used.",
                remote.config.id
            ),
        )
    })
}

fn raw_of(remote: &Remote, completion: &Completion) -> Value {
    let server = remote.server();
    let shown = |text: &Option<String>| text.as_deref().map(|text| server.redact(text));
    let mut raw = json!({
        "id": shown(&completion.id),
        "model": shown(&completion.model),
        "text": server.redact(&completion.text),
        "finishReason": shown(&completion.ended_as),
        "inputTokens": completion.input_tokens,
        "outputTokens": completion.output_tokens,
        "cachedTokens": completion.cached_tokens,
        "reasoningTokens": completion.reasoning_tokens,
    });
    if !completion.uses.is_empty() {
        let uses = completion.uses.iter();
        let uses = uses.map(|part| json!({ "tool": part.name, "arguments": part.arguments }));
        raw["uses"] = uses.collect();
    }
    if !completion.thoughts.is_empty() {
        raw["thoughts"] = server.redact(&completion.thoughts).into();
    }
    raw
}
