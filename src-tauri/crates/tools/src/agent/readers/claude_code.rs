//! Reads Claude Code, `--output-format stream-json --verbose`: one line each for `system { subtype: "init" }`, `assistant
//! { message: { id, content: [text, thinking, tool_use], usage } }`, `user { message: { content: [tool_result] } }` and `result`.

use loopwright_engine::transcript::{Activity, ActivityKind};
use serde_json::Value;

use super::form::{Reader, first, text, used};
use crate::agent::{claude_usage::input_tokens, transcript::Transcript};

#[derive(Default)]
pub(super) struct ClaudeCode {
    /// The id of the last message. Each part of a message is a separate event, and repeats the tokens of the message.
    message: String,
    of_message: [u64; 2],
    /// The input and output tokens of the earlier messages.
    before: [u64; 2],
}

impl ClaudeCode {
    fn count(&mut self, event: &Value, to: &mut Transcript) {
        let usage = &event["message"]["usage"];
        let id = text(event, "/message/id");
        if id != self.message {
            id.clone_into(&mut self.message);
            for (before, last) in self.before.iter_mut().zip(self.of_message) {
                *before = before.saturating_add(last);
            }
        }
        self.of_message =
            [input_tokens(usage), usage["output_tokens"].as_u64()].map(Option::unwrap_or_default);
        let [input, output] = [0, 1].map(|at| self.before[at].saturating_add(self.of_message[at]));
        to.set_tokens(Some(input), Some(output));
    }
}

/// Returns the transcript entry for a call of the tool `name`, and whether the output of the call is worth showing.
fn activity(name: &str, args: &Value) -> (Activity, bool) {
    let file = first(args, &["file_path", "notebook_path", "path"]);
    match name {
        "Read" | "NotebookRead" | "LS" => (Activity::new(ActivityKind::Read, file), false),
        "Glob" | "Grep" => {
            let text = [first(args, &["pattern"]), first(args, &["path"])]
                .into_iter()
                .filter(|part| !part.is_empty())
                .collect::<Vec<_>>()
                .join(" in ");
            (Activity::new(ActivityKind::Read, text), false)
        }
        "Edit" | "MultiEdit" | "Write" | "NotebookEdit" => {
            (Activity::new(ActivityKind::Edited, file), false)
        }
        "Bash" => (
            Activity::new(ActivityKind::Ran, first(args, &["command"])),
            true,
        ),
        name => (used(name, args), true),
    }
}

/// Returns the text of a tool's result, which is a string or a list of parts.
fn output(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let texts = parts.iter().filter_map(|part| part["text"].as_str());
            texts.collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    }
}

impl Reader for ClaudeCode {
    fn event(&mut self, event: &Value, to: &mut Transcript) -> bool {
        let content = event.pointer("/message/content").and_then(Value::as_array);
        let parts = content.into_iter().flatten();
        match text(event, "/type") {
            "system" => {
                if text(event, "/subtype") == "init" {
                    to.set_line("started");
                }
                false
            }
            "assistant" => {
                self.count(event, to);
                for part in parts {
                    match text(part, "/type") {
                        "text" => to.add(Activity::new(ActivityKind::Said, text(part, "/text"))),
                        "thinking" => to.add(Activity::new(
                            ActivityKind::Thought,
                            text(part, "/thinking"),
                        )),
                        "tool_use" => {
                            let (activity, shows) = activity(text(part, "/name"), &part["input"]);
                            to.begin(text(part, "/id"), activity, shows);
                        }
                        _ => {}
                    }
                }
                false
            }
            "user" => {
                for part in parts.filter(|part| part["type"] == "tool_result") {
                    let failed = part["is_error"].as_bool();
                    to.end(
                        text(part, "/tool_use_id"),
                        &output(&part["content"]),
                        failed,
                    );
                }
                false
            }
            "result" => {
                let usage = &event["usage"];
                to.set_tokens(input_tokens(usage), usage["output_tokens"].as_u64());
                true
            }
            // These events contain the output of hooks and pieces of messages.
            "stream_event" | "control_request" | "control_response" | "tool_progress" => false,
            _ => true,
        }
    }
}
