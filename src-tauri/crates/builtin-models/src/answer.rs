//! What a built-in model answers with, and what it refuses to answer.

use loopwright_engine::{
    NodeError,
    host::{ModelReply, ModelRequest},
};

/// What answers a request: a reply, or why there is none.
pub(super) type Answer = Result<ModelReply, NodeError>;

/// The function of a model that answers.
pub(super) type Answering = fn(&ModelRequest) -> Answer;

/// A reply of text alone.
pub(super) fn text_reply(text: String) -> ModelReply {
    ModelReply {
        text,
        ..ModelReply::default()
    }
}

/// `text`, which a model cannot do without.
///
/// # Errors
/// `empty_prompt`, with `why`, where there is nothing but white space.
pub(super) fn required_text<'a>(text: &'a str, why: &str) -> Result<&'a str, NodeError> {
    if text.trim().is_empty() {
        return Err(NodeError::new("empty_prompt", why));
    }
    Ok(text)
}
