//! The common form of the output of agent programs, and the code that their readers share.

use loopwright_engine::transcript::{Activity, ActivityKind};
use serde_json::Value;

use crate::agent::transcript::Transcript;

/// Reads the events that one program prints.
pub(crate) trait Reader: Send {
    /// Adds an event to the transcript. Returns whether the answer of the turn needs the event: its response, session, usage or
    /// error.
    fn event(&mut self, event: &Value, to: &mut Transcript) -> bool;

    /// Adds a line that is not an event.
    fn text(&mut self, _line: &str, _to: &mut Transcript) {}

    /// Adds the entries that were held back. This is called at the end of the output.
    fn end(&mut self, _to: &mut Transcript) {}

    /// Returns one event that represents all events that the answer does not need. Returns `None` if the answer does not even
    /// need to know that such events exist.
    fn stand_in(&self) -> Option<&'static str> {
        None
    }
}

/// Returns the string at a pointer, or an empty string if there is none.
pub(super) fn text<'a>(value: &'a Value, pointer: &str) -> &'a str {
    value
        .pointer(pointer)
        .and_then(Value::as_str)
        .unwrap_or_default()
}

/// Returns the first non-empty string among these fields.
pub(super) fn first<'a>(value: &'a Value, fields: &[&str]) -> &'a str {
    fields
        .iter()
        .filter_map(|field| value.get(field)?.as_str())
        .find(|text| !text.is_empty())
        .unwrap_or_default()
}

/// Returns the transcript entry for a call of a tool that does not work on files or run commands. The entry shows the name of
/// the tool and its most informative argument.
pub(super) fn used(name: &str, args: &Value) -> Activity {
    let about = first(
        args,
        &[
            "description",
            "url",
            "query",
            "pattern",
            "prompt",
            "path",
            "file_path",
            "command",
        ],
    );
    let text = if about.is_empty() {
        name.to_owned()
    } else {
        format!("{name}: {about}")
    };
    Activity::new(ActivityKind::Used, text)
}
