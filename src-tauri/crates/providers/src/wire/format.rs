//! What a wire format is: it writes a request and reads events.

use std::borrow::Cow;

use reqwest::RequestBuilder;
use serde_json::{Map, Value};

use loopwright_engine::{host::Image, redact::Redactor};

use super::without::Without;
use crate::{secret::Secret, structured::AnswerFormat};

/// How a server is spoken to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Protocol {
    /// OpenAI's chat completions.
    ChatCompletions,
    /// The same behind Azure's addresses.
    Azure {
        /// `2024-10-21`
        api_version: String,
    },
    /// Anthropic's Messages API.
    Messages,
    /// Google's generateContent.
    GenerateContent,
}

/// One message of a request.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Message {
    /// Whether the model said it.
    pub(crate) is_answer: bool,
    pub(crate) text: String,
    pub(crate) images: Vec<Image>,
}

/// What is asked of a server, before its format.
pub(crate) struct ChatRequest<'a> {
    pub(crate) model: &'a str,
    pub(crate) system: Option<&'a str>,
    pub(crate) messages: &'a [Message],
    pub(crate) temperature: Option<f64>,
    pub(crate) max_tokens: Option<u64>,
    pub(crate) wanted: &'a AnswerFormat,
    /// What the server is known to refuse.
    pub(crate) without: Without,
}

impl ChatRequest<'_> {
    /// The instructions where the server takes them apart from the prompt.
    pub(crate) fn instructions(&self) -> Option<&str> {
        self.system.filter(|_| !self.without.system)
    }

    /// What is said, with the instructions in front of it where the server takes them nowhere else.
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
                    is_answer: false,
                    text: system.to_owned(),
                    images: Vec::new(),
                },
            ),
        }
        Cow::Owned(messages)
    }

    pub(crate) fn temperature(&self) -> Option<f64> {
        self.temperature.filter(|_| !self.without.temperature)
    }
}

/// How an answer ended, in the server's words where they say more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum End {
    Complete,
    /// At the most tokens allowed.
    Length,
    /// The model or its window had no more room.
    Overflow,
    Filtered(String),
    Refused,
    Other(String),
}

/// An answer as far as it was read.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Completion {
    pub(crate) id: Option<String>,
    pub(crate) model: Option<String>,
    pub(crate) text: String,
    /// What the model thought before it answered. It is no part of the answer.
    pub(crate) thoughts: String,
    /// The thoughts in the text have no end.
    pub(crate) thinks_on: bool,
    pub(crate) refusal: String,
    pub(crate) end: Option<End>,
    /// The server's word for the end.
    pub(crate) ended_as: Option<String>,
    /// The event came behind which nothing follows.
    pub(crate) is_over: bool,
    /// The event came with which an answer begins, for formats that have one.
    pub(crate) has_started: bool,
    /// Something of an answer came, be it empty.
    pub(crate) has_begun: bool,
    /// Something of the answer, or of the work on it, came since this was last looked at: not a ping.
    pub(crate) has_moved: bool,
    /// The counts came by themselves, which is behind the answer.
    pub(crate) is_counted: bool,
    /// Answers besides the one that was asked for came, and were left out.
    pub(crate) has_others: bool,
    /// What the server gave as a count of tokens, and is none.
    pub(crate) unreadable: Option<String>,
    pub(crate) input_tokens: Option<u64>,
    pub(crate) output_tokens: Option<u64>,
    /// Those of the output that were said, where thoughts are counted apart.
    pub(crate) said_tokens: Option<u64>,
    /// Those of the input that the server had cached.
    pub(crate) cached_tokens: u64,
    /// Those of the output that the model thought with.
    pub(crate) reasoning_tokens: u64,
    /// The tool that the model asks for. It was given none.
    pub(crate) tool: Option<String>,
    /// Blocks of the answer that have begun, for formats that number them.
    pub(crate) blocks: Vec<Block>,
}

/// A block of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Block {
    pub(crate) index: u64,
    pub(crate) is_open: bool,
    pub(crate) kind: BlockKind,
    /// How long the text was when it began.
    pub(crate) from: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BlockKind {
    Text,
    /// Its input is the answer.
    Answer,
    /// Thoughts, and what is not used.
    Other,
}

/// What is wrong with an event.
#[derive(Debug)]
pub(crate) enum Wrong {
    Malformed(String),
    /// The server says that it failed.
    Reported(Value),
}

impl Completion {
    /// Takes the thoughts that a model wrote into its text out of it.
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

    /// Whether the model is known to have thought.
    pub(crate) fn has_thought(&self) -> bool {
        self.thinks_on || self.reasoning_tokens > 0 || !self.thoughts.trim().is_empty()
    }

    /// The server says how the answer ended. It may say so again, but not otherwise.
    pub(crate) fn end_with(&mut self, end: End, word: String) -> Result<(), Wrong> {
        if let (Some(before), Some(said)) = (&self.end, &self.ended_as)
            && *before != end
        {
            return Err(Wrong::Malformed(format!(
                "the answer ends twice, as “{said}” and as “{word}”"
            )));
        }
        self.end = Some(end);
        self.ended_as = Some(word);
        Ok(())
    }

    /// Adds text, which nothing may follow behind the end.
    pub(crate) fn add(&mut self, text: &str) -> Result<(), Wrong> {
        if self.end.is_some() && !text.is_empty() {
            return Err(Wrong::Malformed(
                "more text came behind the end of the answer".to_owned(),
            ));
        }
        self.text.push_str(text);
        Ok(())
    }

    /// Whether anything of the answer came, or of the work on it.
    pub(crate) fn has_content(&self) -> bool {
        !self.text.is_empty() || !self.thoughts.is_empty() || !self.refusal.is_empty()
    }

    /// Takes keys out of what is kept beside the text, which is searched as a whole.
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
    }
}

/// A wire format.
pub(crate) trait Wire: Send + Sync {
    /// For messages: `the chat completions protocol`.
    fn protocol(&self) -> &'static str;

    /// Where an answer of `model` is asked for, relative to the base address, with its query.
    fn path(&self, model: &str, is_streamed: bool) -> String;

    fn authorize(&self, request: RequestBuilder, key: Option<&Secret>) -> RequestBuilder;

    fn body(&self, ask: &ChatRequest<'_>) -> Map<String, Value>;

    /// The most tokens of an answer where a request does not say; `None` is no bound.
    fn most_tokens(&self) -> Option<u64> {
        None
    }

    /// Takes in one event of a stream and gives the text that it adds. `name` is that of the event, where it has one.
    fn take(&self, whole: &mut Completion, name: &str, event: Value) -> Result<String, Wrong>;

    /// Takes in an answer that came in one piece.
    fn take_whole(&self, whole: &mut Completion, body: Value) -> Result<String, Wrong>;

    /// Whether a stream that ends here is complete. A connection that closes early looks just like one that is done.
    fn is_complete(&self, whole: &Completion) -> bool;

    /// Where models are listed, relative to the base address.
    fn models_path(&self) -> String;

    /// Whether a model is in such a list that can be called by its name.
    fn can_be_called(&self, _model: &Value) -> bool {
        true
    }

    /// The model to use where none is named may be the first of the list.
    fn chooses(&self) -> bool {
        true
    }
}
