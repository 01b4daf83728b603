//! Collects the model's tool calls from the pieces of an answer, for the next request.

use loopwright_engine::host::ToolUse;

use super::format::{Completion, UsePart, Wrong};

/// The maximum number of tool calls in one answer.
const MAX_USES: usize = 128;

impl Completion {
    /// Adds a tool call, or a piece of one. A piece belongs to the last call with the same number. Some servers give every
    /// call the number 0, and others send no numbers, so a new id also begins another call.
    ///
    /// # Errors
    /// Returns an error if the answer has more than [`MAX_USES`] calls.
    pub(crate) fn add_use(&mut self, piece: UsePart) -> Result<(), Wrong> {
        let at = match piece.index {
            Some(index) => self
                .uses
                .iter()
                .rposition(|known| known.index == Some(index)),
            // A piece without a number and a name continues the last call.
            None if piece.name.is_empty() => self.uses.len().checked_sub(1),
            None => None,
        };
        let is_same = |known: &UsePart| piece.id.is_empty() || known.id == piece.id;
        let at = at.filter(|at| self.uses.get(*at).is_some_and(is_same));
        self.has_moved = true;
        match at.and_then(|at| self.uses.get_mut(at)) {
            Some(known) => {
                known.arguments.push_str(&piece.arguments);
                if known.name.is_empty() {
                    known.name = piece.name;
                }
                known.signature = known.signature.take().or(piece.signature);
            }
            None => self.uses.push(piece),
        }
        match self.uses.len() > MAX_USES {
            true => Err(Wrong::Malformed(format!(
                "the answer has more than {MAX_USES} tool calls"
            ))),
            false => Ok(()),
        }
    }

    /// Returns the tool calls, each with an id. Gemini sends no ids, and other servers may omit them.
    pub(crate) fn tool_uses(&self) -> Vec<ToolUse> {
        self.uses
            .iter()
            .enumerate()
            .map(|(index, part)| ToolUse {
                id: match part.id.as_str() {
                    "" => format!("call_{index}"),
                    id => id.to_owned(),
                },
                name: part.name.clone(),
                arguments: match part.arguments.trim() {
                    "" => "{}".to_owned(),
                    arguments => arguments.to_owned(),
                },
                signature: part.signature.clone(),
            })
            .collect()
    }
}

/// Returns the arguments of a tool call as an object, for formats that expect one. Arguments that are not a JSON object
/// become an empty object.
pub(crate) fn object(arguments: &str) -> serde_json::Value {
    serde_json::from_str(arguments)
        .ok()
        .filter(serde_json::Value::is_object)
        .unwrap_or_else(|| serde_json::json!({}))
}
