//! The built-in models: rules and dictionaries that run without a key, a network or a download.
//!
//! Each is one file and one line in [`BUILTINS`]. They are deterministic: the same request gives the same reply.

mod answerer;
mod code;
mod corrector;
mod critic;
mod critique;
mod judge;
mod labels;
mod planner;
mod prompt;
mod reading;
mod reviser;
mod summariser;

use std::sync::Arc;

use futures::future::BoxFuture;

use loopwright_engine::{
    NodeError, Usage,
    host::{ModelContext, ModelReply, ModelRequest, Quote},
};

use crate::provider::ModelSummary;

/// What a built-in model is, for lists and messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BuiltinInfo {
    /// What `builtin` in a node's data names: `critic`.
    pub id: &'static str,
    /// `Built-in critic`.
    pub name: &'static str,
    /// One sentence on what it does.
    pub does: &'static str,
    /// One sentence on what it cannot do: “It cannot …”.
    pub cannot: &'static str,
}

impl From<BuiltinInfo> for ModelSummary {
    fn from(info: BuiltinInfo) -> Self {
        Self {
            id: info.id.to_owned(),
            name: info.name.to_owned(),
            does: info.does.to_owned(),
            cannot: info.cannot.to_owned(),
        }
    }
}

/// A model made of rules. `answer` may take some hundred milliseconds: it is called on a thread for blocking work.
pub trait Builtin: Send + Sync {
    fn id(&self) -> &'static str {
        self.info().id
    }

    fn info(&self) -> BuiltinInfo;

    /// Answers `request`. `usage` and `model` of the reply may be left empty: [`run`] fills them in.
    ///
    /// # Errors
    /// When the request is outside of what this model can do, with words that say so.
    fn answer(&self, request: &ModelRequest) -> Result<ModelReply, NodeError>;
}

/// All of them, in the order in which lists show them.
static BUILTINS: &[&dyn Builtin] = &[
    &critic::Critic,
    &reviser::Reviser,
    &planner::Planner,
    &judge::Judge,
    &answerer::Answerer,
    &summariser::Summariser,
    &corrector::Corrector,
    &code::CodeReviewer,
    &code::CodeFixer,
];

/// All built-in models, in the order of lists.
pub fn builtins() -> &'static [&'static dyn Builtin] {
    BUILTINS
}

/// The built-in model of that id.
pub fn builtin(id: &str) -> Option<&'static dyn Builtin> {
    BUILTINS.iter().copied().find(|builtin| builtin.id() == id)
}

/// The most that a call of a built-in model can use: it costs nothing, and counts words, of which no text has more than bytes.
pub fn quote(builtin: &dyn Builtin, request: &ModelRequest) -> Quote {
    let context = request
        .context
        .as_ref()
        .map_or(0, |context| context.to_string().len());
    let system = request.system.as_ref().map_or(0, String::len);
    Quote {
        model: format!("builtin/{}", builtin.id()),
        input_tokens: (request.prompt.len() + system + context) as u64,
        output_tokens: request.max_tokens,
        microusd: Some(0),
        priced: true,
    }
}

/// Runs a built-in model on a thread for blocking work and streams its reply.
///
/// Usage counts one call at no cost; tokens are estimated as words. A cancelled call gives the error `cancelled`.
pub fn run(
    builtin: &'static dyn Builtin,
    request: ModelRequest,
    cx: ModelContext,
) -> BoxFuture<'static, Result<ModelReply, NodeError>> {
    Box::pin(async move {
        // It costs nothing, also where it is cut off.
        cx.call.sending(true);
        let request = Arc::new(request);
        let asked = Arc::clone(&request);
        let work = tokio::task::spawn_blocking(move || builtin.answer(&asked));
        let answered = tokio::select! {
            biased;
            () = cx.cancel.cancelled() => return Err(cancelled(builtin)),
            answered = work => answered,
        };
        let mut reply = answered.map_err(|broken| {
            NodeError::new(
                "builtin_failed",
                format!(
                    "{} broke off: {broken}. This is a defect of the program.",
                    builtin.info().name
                ),
            )
        })??;
        reply.model = format!("builtin/{}", builtin.id());
        keep_within(&request, &mut reply)?;
        reply.usage = estimate(&request, &reply.text);
        for piece in pieces(&reply.text) {
            if cx.cancel.is_cancelled() {
                return Err(cancelled(builtin));
            }
            cx.tokens.send(piece);
        }
        Ok(reply)
    })
}

/// Cuts an answer at `maxTokens` where a budget counts on that, as a server does. What is no longer what was asked for fails.
fn keep_within(request: &ModelRequest, reply: &mut ModelReply) -> Result<(), NodeError> {
    let most = request.max_tokens.filter(|_| request.capped);
    let Some(end) = most.and_then(|most| end_of_word(&reply.text, most)) else {
        return Ok(());
    };
    reply.text.truncate(end);
    let why = "The answer reached the most tokens allowed and was cut there. Raise maxTokens.";
    if reply.json.is_some() {
        return Err(NodeError::new("answer_cut", why).having_spent(&estimate(request, &reply.text)));
    }
    reply
        .warnings
        .push(("answer_cut".to_owned(), why.to_owned()));
    Ok(())
}

/// Where the `count`th word of a text ends; `None` where it has no more than that.
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

fn cancelled(builtin: &dyn Builtin) -> NodeError {
    NodeError::new("cancelled", format!("{} was stopped.", builtin.info().name))
}

fn estimate(request: &ModelRequest, reply: &str) -> Usage {
    let words = |text: &str| text.split_whitespace().count() as u64;
    let context = request
        .context
        .as_ref()
        .map_or(0, |context| words(&context.to_string()));
    Usage {
        calls: 1,
        input_tokens: words(&request.prompt) + request.system.as_deref().map_or(0, words) + context,
        output_tokens: words(reply),
        ..Usage::default()
    }
}

/// The text in small pieces that end after white space; joined they are the text.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    const WORDS: usize = 4;
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let mut words = 0;
        let mut in_space = false;
        let end = rest
            .char_indices()
            .find(|&(_, letter)| {
                let space = letter.is_whitespace();
                if in_space && !space {
                    words += 1;
                }
                in_space = space;
                words == WORDS
            })
            .map_or(rest.len(), |(at, _)| at);
        let (piece, after) = rest.split_at(end);
        rest = after;
        Some(piece)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_builtin_describes_itself() {
        let mut ids: Vec<_> = builtins().iter().map(|builtin| builtin.id()).collect();
        for builtin in builtins() {
            let info = builtin.info();
            assert!(info.name.starts_with("Built-in "), "{}", info.name);
            assert!(
                !info.does.is_empty() && info.cannot.starts_with("It cannot "),
                "{}",
                info.id
            );
        }
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), builtins().len(), "ids are unique");
    }

    #[tokio::test]
    async fn under_a_budget_an_answer_ends_at_its_most_tokens() {
        let critic = builtin("critic").unwrap();
        let ask = |capped| ModelRequest {
            prompt: "The committee have met on tuesday to disscuss the the new library.".to_owned(),
            max_tokens: Some(3),
            capped,
            ..ModelRequest::default()
        };
        let answered = |request| run(critic, request, ModelContext::default());
        let whole = answered(ask(false)).await.unwrap();
        assert!(whole.usage.output_tokens > 3 && whole.warnings.is_empty());
        let cut = answered(ask(true)).await.unwrap();
        assert_eq!(
            (cut.usage.output_tokens, &*cut.warnings[0].0),
            (3, "answer_cut")
        );
        assert!(whole.text.starts_with(&cut.text));
        assert_eq!(end_of_word(" a  bc d", 2), Some(6));
        assert_eq!(end_of_word(" a  bc d", 3), None);
        assert_eq!(end_of_word("a", 0), Some(0));
    }

    #[test]
    fn pieces_join_to_the_text() {
        for text in [
            "",
            "one",
            "one two  three\n\nfour five six seven eight ",
            "  naïve café — déjà vu, encore une fois",
        ] {
            assert_eq!(pieces(text).collect::<String>(), text);
        }
        assert_eq!(pieces("a b c d e f").count(), 2);
    }
}
