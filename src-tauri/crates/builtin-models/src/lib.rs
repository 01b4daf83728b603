//! The built-in models: rules and dictionaries that run without a key, a network or a download.
//!
//! Each model is one file and one line in [`ANSWERS`]. The models are deterministic: the same request gives the same reply.
//!
//! Architecture Invariant: this crate knows no services, servers or keys. A reply is a pure function of its request, even if
//! a model uses the script compiler.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod answer;
mod answerer;
mod code;
mod corrector;
mod critic;
mod critique;
mod judge;
mod pattern;
mod planner;
mod prompt;
mod reading;
mod reviser;
mod role;
mod summariser;

#[cfg(test)]
mod tests;

use std::sync::{Arc, LazyLock};

use answer::{Answer, Answering};
use futures::future::BoxFuture;
use loopwright_engine::{
    NodeError, Usage,
    host::{ModelContext, ModelReply, ModelRequest, Quote},
};
use loopwright_providers::{BuiltinModel, BuiltinModels, ModelSummary};

/// A model that consists of rules.
#[derive(Debug)]
pub struct Builtin {
    /// The id, which is the value of `builtin` in a node's data, such as `critic`.
    pub id: &'static str,
    /// The display name, such as `Built-in critic`.
    pub name: &'static str,
    /// One sentence on what the model does.
    pub does: &'static str,
    /// One sentence on what the model cannot do: “It cannot …”.
    pub cannot: &'static str,
    answer: Answering,
}

impl Builtin {
    /// Answers `request`, leaving `usage` and `model` to the caller. This may take a few hundred milliseconds, so call it on
    /// a thread for blocking work.
    ///
    /// # Errors
    /// Returns an error if the model cannot do what the request asks for. The message says why.
    pub fn answer(&self, request: &ModelRequest) -> Answer {
        (self.answer)(request)
    }
}

/// The function of each model, in the order in which lists show the models.
const ANSWERS: [(&str, Answering); 9] = [
    ("critic", critic::answer),
    ("reviser", reviser::answer),
    ("planner", planner::answer),
    ("judge", judge::answer),
    ("answerer", answerer::answer),
    ("summariser", summariser::answer),
    ("corrector", corrector::answer),
    ("code-reviewer", code::review),
    ("code-fixer", code::fix),
];

/// All built-in models, as `builtins.txt` describes them.
static BUILTINS: LazyLock<Vec<Builtin>> = LazyLock::new(|| {
    let lines = include_str!("builtins.txt").lines();
    let lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    let lines: Vec<&str> = lines.collect();
    let described = |&(id, answer)| {
        let at = lines.iter().position(|line| *line == id)?;
        let [id, name, does, cannot] = lines.get(at..at + 4)?.try_into().ok()?;
        Some(Builtin {
            id,
            name,
            does,
            cannot,
            answer,
        })
    };
    ANSWERS.iter().filter_map(described).collect()
});

/// Returns all built-in models, in the order in which lists show them.
pub fn builtins() -> &'static [Builtin] {
    &BUILTINS
}

/// Returns the built-in model with this id, or `None` if the id is unknown.
pub fn builtin(id: &str) -> Option<&'static Builtin> {
    BUILTINS.iter().find(|builtin| builtin.id == id)
}

/// Returns the system prompt, the context and the prompt of a request as one text.
fn material(request: &ModelRequest) -> String {
    let context = request.context.as_ref().map(ToString::to_string);
    let parts = [
        request.system.clone(),
        context,
        Some(request.prompt.clone()),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join("\n")
}

/// The provider of all built-in models.
#[derive(Debug, Clone, Copy)]
pub struct Builtins;

impl BuiltinModels for Builtins {
    fn summaries(&self) -> Vec<ModelSummary> {
        let summary = |builtin: &Builtin| ModelSummary {
            id: builtin.id.to_owned(),
            name: builtin.name.to_owned(),
            does: builtin.does.to_owned(),
            cannot: builtin.cannot.to_owned(),
            context: None,
        };
        builtins().iter().map(summary).collect()
    }

    fn find(&self, id: &str) -> Option<&'static dyn BuiltinModel> {
        builtin(id).map(|builtin| builtin as &dyn BuiltinModel)
    }

    fn infer(&self, request: &ModelRequest) -> Option<&'static dyn BuiltinModel> {
        self.find(role::infer(request)?)
    }
}

impl BuiltinModel for Builtin {
    fn id(&self) -> &'static str {
        self.id
    }

    fn name(&self) -> &'static str {
        self.name
    }

    /// Returns a quote without cost. It counts each byte of the input as a token. This is an upper bound: usage counts words as
    /// tokens, and text never has more words than bytes.
    fn quote(&self, request: &ModelRequest) -> Quote {
        Quote {
            model: format!("builtin/{}", self.id),
            input_tokens: material(request).len() as u64,
            output_tokens: request.max_tokens,
            microusd: Some(0),
            priced: true,
        }
    }

    /// Answers on a thread for blocking work. The usage is one call at no cost, with words as the estimate of tokens.
    fn call(
        &'static self,
        request: ModelRequest,
        cx: ModelContext,
    ) -> BoxFuture<'static, Result<ModelReply, NodeError>> {
        Box::pin(async move {
            // A built-in model costs nothing, even if the call is cancelled.
            cx.call.to_model(&format!("builtin/{}", self.id));
            cx.call.sending(true);
            let request = Arc::new(request);
            let asked = Arc::clone(&request);
            let work = tokio::task::spawn_blocking(move || self.answer(&asked));
            let answered = tokio::select! {
                biased;
                () = cx.cancel.cancelled() => return Err(cancelled(self)),
                answered = work => answered,
            };
            let mut reply = answered.map_err(|broken| {
                let name = self.name;
                let why =
                    format!("{name} stopped unexpectedly: {broken}. This is a bug in Loopwright.");
                NodeError::new("builtin_failed", why)
            })??;
            reply.model = format!("builtin/{}", self.id);
            keep_within(&request, &mut reply)?;
            reply.usage = estimate(&request, &reply.text);
            for piece in pieces(&reply.text) {
                if cx.cancel.is_cancelled() {
                    return Err(cancelled(self));
                }
                cx.tokens.send(&piece);
            }
            Ok(reply)
        })
    }
}

/// Truncates an answer at `maxTokens`, as a server does, if a budget relies on that limit. Returns an error if a JSON
/// answer would be truncated.
fn keep_within(request: &ModelRequest, reply: &mut ModelReply) -> Result<(), NodeError> {
    let most = request.max_tokens.filter(|_| request.capped);
    let Some(end) = most.and_then(|most| end_of_word(&reply.text, most)) else {
        return Ok(());
    };
    reply.text.truncate(end);
    let why = "The answer reached the token limit and was cut off. Raise maxTokens.";
    if reply.json.is_some() {
        return Err(NodeError::new("answer_cut", why).having_spent(&estimate(request, &reply.text)));
    }
    let warning = ("answer_cut".to_owned(), why.to_owned());
    reply.warnings.push(warning);
    Ok(())
}

/// Returns the byte position after the `count`th word of `text`, or `None` if no word follows.
fn end_of_word(text: &str, count: u64) -> Option<usize> {
    let mut words = text.split_whitespace();
    let count = usize::try_from(count).ok()?;
    let last = count.checked_sub(1).and_then(|before| words.nth(before));
    words.next()?;
    let end = last.map_or(0, |word| {
        word.as_ptr().addr() - text.as_ptr().addr() + word.len()
    });
    Some(end)
}

fn cancelled(builtin: &Builtin) -> NodeError {
    NodeError::new("cancelled", format!("{} was stopped.", builtin.name))
}

fn estimate(request: &ModelRequest, reply: &str) -> Usage {
    let words = |text: &str| text.split_whitespace().count() as u64;
    Usage {
        calls: 1,
        input_tokens: words(&material(request)),
        output_tokens: words(reply),
        ..Usage::default()
    }
}

/// Splits text into pieces of a few words, without dropping any character.
fn pieces(text: &str) -> Vec<String> {
    const WORDS: usize = 4;
    let words: Vec<&str> = text.split_inclusive(char::is_whitespace).collect();
    words.chunks(WORDS).map(<[&str]>::concat).collect()
}
