//! What a wire format is: it writes a request and reads events.

use reqwest::RequestBuilder;
use serde_json::{Map, Value};

use loopwright_engine::host::Image;

use crate::{provider::ModelSummary, secret::Secret, structured::AnswerFormat};

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
    /// Something of an answer came, be it empty.
    pub(crate) has_begun: bool,
    /// Something of the answer, or of the work on it, came since this was last looked at: not a ping.
    pub(crate) has_moved: bool,
    /// Answers besides the one that was asked for came, and were left out.
    pub(crate) has_others: bool,
    /// What the server gave as a count of tokens, and is none.
    pub(crate) unreadable: Option<String>,
    pub(crate) input_tokens: Option<u64>,
    pub(crate) output_tokens: Option<u64>,
    /// Those of the input that the server had cached.
    pub(crate) cached_tokens: u64,
    /// Those of the output that the model thought with.
    pub(crate) reasoning_tokens: u64,
    /// Blocks of the answer that have begun and ended, for formats that number them.
    pub(crate) blocks: Vec<bool>,
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
}

impl From<serde_json::Error> for Wrong {
    fn from(error: serde_json::Error) -> Self {
        Self::Malformed(format!("an event is not what was expected ({error})"))
    }
}

/// A wire format.
pub(crate) trait Wire: Send + Sync {
    /// For messages: `the chat completions protocol`.
    fn protocol(&self) -> &'static str;

    /// Where an answer of `model` is asked for, relative to the base address, with its query.
    fn path(&self, model: &str) -> String;

    fn authorize(&self, request: RequestBuilder, key: Option<&Secret>) -> RequestBuilder;

    fn body(&self, ask: &ChatRequest<'_>) -> Map<String, Value>;

    /// Fields of the body that some servers refuse (`generationConfig.temperature`). Each is left out after a refusal that
    /// names its last part.
    fn optional(&self) -> &'static [&'static str];

    /// The most tokens of an answer where a request does not say; `None` is no bound.
    fn most_tokens(&self) -> Option<u64> {
        None
    }

    /// Takes in one event of a stream and gives the text that it adds.
    fn take(&self, whole: &mut Completion, data: &str) -> Result<String, Wrong>;

    /// Takes in an answer that came in one piece.
    fn take_whole(&self, whole: &mut Completion, body: &str) -> Result<String, Wrong>;

    /// Whether a stream that ends here is complete. A connection that closes early looks just like one that is done.
    fn is_complete(&self, whole: &Completion) -> bool;

    /// Where models are listed, relative to the base address.
    fn models_path(&self) -> String;

    /// The models of such a list that answer prompts.
    fn models(&self, list: &Value) -> Vec<ModelSummary>;

    /// The model to use where none is named may be the first of the list.
    fn chooses(&self) -> bool {
        true
    }
}
