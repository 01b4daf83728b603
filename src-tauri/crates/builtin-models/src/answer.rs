//! Helpers for the answers and errors of built-in models.

use loopwright_engine::{
    NodeError,
    host::{ModelReply, ModelRequest},
};

/// A reply, or the error if the model cannot answer.
pub(super) type Answer = Result<ModelReply, NodeError>;

/// The function that answers a request for a model.
pub(super) type Answering = fn(&ModelRequest) -> Answer;

/// Returns a reply that consists of text only.
pub(super) fn text_reply(text: String) -> ModelReply {
    ModelReply {
        text,
        ..ModelReply::default()
    }
}

/// Returns `text`, which the model requires.
///
/// # Errors
/// `empty_prompt`, with the message `why`, if the text is empty or only white space.
pub(super) fn required_text<'a>(text: &'a str, why: &str) -> Result<&'a str, NodeError> {
    if text.trim().is_empty() {
        return Err(NodeError::new("empty_prompt", why));
    }
    Ok(text)
}
