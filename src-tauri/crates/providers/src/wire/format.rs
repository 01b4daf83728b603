//! The interface of a wire format, which writes requests and reads events.

use std::borrow::Cow;

use reqwest::RequestBuilder;
use serde_json::{Map, Value};

use loopwright_engine::{
    host::{Image, ToolOffer, ToolUse},
    redact::Redactor,
};

use super::without::Without;
use crate::{secret::Secret, structured::AnswerFormat};

/// The protocol of a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Protocol {
    /// The protocol of OpenAI's chat completions.
    ChatCompletions,
    /// Chat completions at Azure's addresses.
    Azure {
        /// The API version, such as `2024-10-21`.
        api_version: String,
    },
    /// The protocol of Anthropic's Messages API.
    Messages,
    /// The protocol of Gemini's `generateContent`.
    GenerateContent,
}

/// One message of a request.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Message {
    /// Whether the model wrote the message.
    pub(crate) is_answer: bool,
    pub(crate) text: String,
    pub(crate) images: Vec<Image>,
    /// The tool calls in this message.
    pub(crate) uses: Vec<ToolUse>,
    /// The results of the tool calls in the previous message, each with its call. Such a message has no text.
    pub(crate) results: Vec<(ToolUse, String)>,
}

/// The content of a request, before a wire format writes it.
pub(crate) struct ChatRequest<'a> {
    pub(crate) model: &'a str,
    pub(crate) system: Option<&'a str>,
    pub(crate) messages: &'a [Message],
    pub(crate) temperature: Option<f64>,
    pub(crate) max_tokens: Option<u64>,
    pub(crate) wanted: &'a AnswerFormat,
    /// The tools that the model may use.
    pub(crate) tools: &'a [ToolOffer],
    /// The parts of a request that the server is known to reject.
    pub(crate) without: Without,
}

impl ChatRequest<'_> {
    /// Returns the instructions; `None` if there are none, or if the server does not take them separately from the prompt.
    pub(crate) fn instructions(&self) -> Option<&str> {
        self.system.filter(|_| !self.without.system)
    }

    /// Returns the messages. If the server takes no separate instructions, the instructions precede the text of the first
    /// message.
    pub(crate) fn said(&self) -> Cow<'_, [Message]> {
        let (Some(system), true) = (self.system, self.without.system) else {
            return Cow::Borrowed(self.messages);
        };
        let mut messages = self.messages.to_vec();
        match messages.first_mut() {
            Some(first) if !first.is_answer => {
                first.text = format!("{system}\n\n{}", first.text);
            }
            _ => messages.insert(
                0,
                Message {
                    text: system.to_owned(),
                    ..Message::default()
                },
            ),
        }
        Cow::Owned(messages)
    }

    pub(crate) fn temperature(&self) -> Option<f64> {
        self.temperature.filter(|_| !self.without.temperature)
    }
}

/// How an answer ended, with the server's reason if that adds information.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum End {
    Complete,
    /// The answer reached its token limit.
    Length,
    /// The model's context was full before the answer was complete.
    Overflow,
    Filtered(String),
    Refused,
    Other(String),
}

/// The part of an answer that has already been read.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Completion {
    pub(crate) id: Option<String>,
    pub(crate) model: Option<String>,
    pub(crate) text: String,
    /// The model's reasoning, which precedes the answer and is not part of it.
    pub(crate) thoughts: String,
    /// Whether the text contains the start tag of the reasoning but not the end tag. Everything after the start then counts
    /// as reasoning.
    pub(crate) thinks_on: bool,
    pub(crate) refusal: String,
    pub(crate) end: Option<End>,
    /// The finish reason that the server sent; `None` before it sends one.
    pub(crate) ended_as: Option<String>,
    /// Whether the stream's last event was received.
    pub(crate) is_over: bool,
    /// Whether the event that starts an answer was received, in formats that have such an event.
    pub(crate) has_started: bool,
    /// Whether any part of an answer was received, even an empty one.
    pub(crate) has_begun: bool,
    /// Whether there was progress since the last check: a part of the answer or of the reasoning, not a ping.
    pub(crate) has_moved: bool,
    /// Whether the counts arrived in their own event, which follows the answer.
    pub(crate) is_counted: bool,
    /// Whether further answers arrived, which were ignored.
    pub(crate) has_others: bool,
    /// An invalid value that the server sent as a token count; `None` if all counts were valid.
    pub(crate) unreadable: Option<String>,
    pub(crate) input_tokens: Option<u64>,
    pub(crate) output_tokens: Option<u64>,
    /// The number of output tokens without the reasoning tokens, if the server counts these separately.
    pub(crate) said_tokens: Option<u64>,
    /// The number of input tokens that the server had cached.
    pub(crate) cached_tokens: u64,
    /// The number of output tokens that the model used for its reasoning.
    pub(crate) reasoning_tokens: u64,
    /// The name of a tool that the model calls although the request did not offer it, or `None` if there is no such call.
    pub(crate) tool: Option<String>,
    /// The model's tool calls.
    pub(crate) uses: Vec<UsePart>,
    /// The blocks of the answer that have begun, for formats that number them.
    pub(crate) blocks: Vec<Block>,
}

/// The parts of a tool call that have been received.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct UsePart {
    /// The number of the call in the stream; `None` in formats that do not number calls.
    pub(crate) index: Option<u64>,
    pub(crate) id: String,
    pub(crate) name: String,
    /// The arguments as JSON, in pieces until the answer is complete.
    pub(crate) arguments: String,
    /// A signature that the server expects back, unchanged, together with the call; `None` if the server sent none.
    pub(crate) signature: Option<String>,
}

/// A block of an answer, in formats that send an answer as numbered blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Block {
    pub(crate) index: u64,
    pub(crate) is_open: bool,
    pub(crate) kind: BlockKind,
    /// The length of the completion's text, in bytes, when the block began.
    pub(crate) from: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BlockKind {
    Text,
    /// The tool call whose input is the answer.
    Answer,
    /// A call of a tool that was offered.
    Use,
    /// Reasoning, and blocks that are ignored.
    Other,
}

/// The reason why an event cannot be read as a part of an answer.
#[derive(Debug)]
pub(crate) enum Wrong {
    Malformed(String),
    /// The server reports a failure in place of an event of the answer.
    Reported(Value),
}

impl Completion {
    /// Moves the model's reasoning from the text to `thoughts`, for models that write it into their text.
    pub(crate) fn part_thoughts(&mut self) {
        let read = loopwright_answers::split(&self.text);
        if read.thoughts.is_empty() && read.text.len() == self.text.len() {
            return;
        }
        self.thinks_on = read.is_open;
        let (thoughts, text) = (read.thoughts(), read.text.to_owned());
        if !self.thoughts.is_empty() && !thoughts.is_empty() {
            self.thoughts.push_str("\n\n");
        }
        self.thoughts.push_str(&thoughts);
        self.text = text;
    }

    /// Returns whether the answer is known to contain reasoning.
    pub(crate) fn has_thought(&self) -> bool {
        self.thinks_on || self.reasoning_tokens > 0 || !self.thoughts.trim().is_empty()
    }

    /// Records how the answer ended. The server may repeat the reason, but a different reason is an error.
    pub(crate) fn end_with(&mut self, end: End, word: String) -> Result<(), Wrong> {
        if let (Some(before), Some(said)) = (&self.end, &self.ended_as)
            && *before != end
        {
            return Err(Wrong::Malformed(format!(
                "the answer has two finish reasons, “{said}” and “{word}”"
            )));
        }
        self.end = Some(end);
        self.ended_as = Some(word);
        Ok(())
    }

    /// Appends text. Text after the end of the answer is an error.
    pub(crate) fn add(&mut self, text: &str) -> Result<(), Wrong> {
        if self.end.is_some() && !text.is_empty() {
            return Err(Wrong::Malformed(
                "more text came after the end of the answer".to_owned(),
            ));
        }
        self.text.push_str(text);
        Ok(())
    }

    /// Returns whether any part of the answer, of the reasoning or of a refusal was received.
    pub(crate) fn has_content(&self) -> bool {
        !self.text.is_empty() || !self.thoughts.is_empty() || !self.refusal.is_empty()
    }

    /// Removes keys from all fields except the text, the reasoning and the refusal, each of which is redacted later as a
    /// whole.
    pub(super) fn redact(&mut self, redactor: &Redactor) {
        for kept in [
            &mut self.id,
            &mut self.model,
            &mut self.ended_as,
            &mut self.unreadable,
            &mut self.tool,
        ] {
            *kept = kept.take().map(|text| redactor.redact(&text));
        }
        if let Some(End::Filtered(why) | End::Other(why)) = &mut self.end {
            *why = redactor.redact(why);
        }
        for part in &mut self.uses {
            for text in [&mut part.id, &mut part.name, &mut part.arguments] {
                *text = redactor.redact(text);
            }
        }
    }
}

/// A wire format.
pub(crate) trait Wire: Send + Sync {
    /// Returns the protocol's name for messages, such as `the chat completions protocol`.
    fn protocol(&self) -> &'static str;

    /// Returns the path of a request to `model`, relative to the base address, with its query.
    fn path(&self, model: &str, is_streamed: bool) -> String;

    fn authorize(&self, request: RequestBuilder, key: Option<&Secret>) -> RequestBuilder;

    fn body(&self, ask: &ChatRequest<'_>) -> Map<String, Value>;

    /// Returns the token limit that is sent if the request has none; `None` if no limit is sent.
    fn most_tokens(&self) -> Option<u64> {
        None
    }

    /// Reads one event of a stream and returns the text that it adds. `name` is the event's name; empty if it has none.
    /// Fails if the event is malformed or reports an error.
    fn take(&self, whole: &mut Completion, name: &str, event: Value) -> Result<String, Wrong>;

    /// Reads an answer that was not streamed, and returns its text. Fails if the answer is malformed or reports an error.
    fn take_whole(&self, whole: &mut Completion, body: Value) -> Result<String, Wrong>;

    /// Returns whether the answer would be complete if the stream ended now. A closed connection proves nothing, because a
    /// connection that breaks looks like one that ends normally.
    fn is_complete(&self, whole: &Completion) -> bool;

    /// Returns the path of the model list, relative to the base address.
    fn models_path(&self) -> String;

    /// Returns whether a listed model can be called by its name.
    fn can_be_called(&self, _model: &Value) -> bool {
        true
    }

    /// Returns whether the first listed model may be used if the request names no model.
    fn chooses(&self) -> bool {
        true
    }
}
