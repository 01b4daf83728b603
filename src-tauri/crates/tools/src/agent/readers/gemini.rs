//! Reads Gemini, `--output-format stream-json`: one line each for `init`, `message { role, content, delta }`, `tool_use { tool_name,
//! tool_id, parameters }`, `tool_result { tool_id, status, output, error }`, `error { message }` and `result`.

use loopwright_engine::transcript::{Activity, ActivityKind};
use serde_json::Value;

use super::form::{Reader, first, text, used};
use crate::agent::transcript::Transcript;

/// The maximum size in bytes of a message that is put together from its pieces.
const MAX_MESSAGE: usize = 64 * 1024;

#[derive(Default)]
pub(super) struct Gemini {
    /// The message that is arriving in pieces.
    message: String,
    worked: bool,
}

impl Gemini {
    fn end_message(&mut self, to: &mut Transcript) {
        let message = std::mem::take(&mut self.message);
        to.add(Activity::new(ActivityKind::Said, message));
    }
}

/// Returns the transcript entry for a call of the tool `name`, and whether the output of the call is worth showing.
fn activity(name: &str, args: &Value) -> (Activity, bool) {
    let file = first(args, &["file_path", "absolute_path", "dir_path", "path"]);
    match name {
        "read_file" | "list_directory" | "read_many_files" => {
            let file = if file.is_empty() {
                first(args, &["include"])
            } else {
                file
            };
            (Activity::new(ActivityKind::Read, file), false)
        }
        "glob" | "grep_search" | "search_file_content" => {
            let pattern = first(args, &["pattern"]);
            (Activity::new(ActivityKind::Read, pattern), false)
        }
        "replace" | "write_file" | "edit" => (Activity::new(ActivityKind::Edited, file), false),
        "run_shell_command" => (
            Activity::new(ActivityKind::Ran, first(args, &["command"])),
            true,
        ),
        name => (used(name, args), true),
    }
}

impl Reader for Gemini {
    fn event(&mut self, event: &Value, to: &mut Transcript) -> bool {
        let kind = text(event, "/type");
        if kind == "message" {
            if event["role"] != "assistant" {
                return false;
            }
            if event["delta"] != true {
                self.end_message(to);
            }
            let room = MAX_MESSAGE.saturating_sub(self.message.len());
            let piece = text(event, "/content");
            self.message
                .push_str(&piece[..piece.floor_char_boundary(room.min(piece.len()))]);
            to.set_line("writing an answer");
            return true;
        }
        self.end_message(to);
        match kind {
            "init" => {
                to.set_line("started");
                true
            }
            "tool_use" => {
                self.worked = true;
                let (activity, shows) = activity(text(event, "/tool_name"), &event["parameters"]);
                to.begin(text(event, "/tool_id"), activity, shows);
                false
            }
            "tool_result" => {
                self.worked = true;
                let failed = text(event, "/status") == "error";
                let output = match text(event, "/output") {
                    "" => text(event, "/error/message"),
                    output => output,
                };
                to.end(text(event, "/tool_id"), output, Some(failed));
                false
            }
            "error" => {
                to.add(Activity::new(ActivityKind::Failed, text(event, "/message")));
                false
            }
            "result" => {
                to.add(Activity::new(
                    ActivityKind::Failed,
                    text(event, "/error/message"),
                ));
                true
            }
            _ => true,
        }
    }

    fn end(&mut self, to: &mut Transcript) {
        self.end_message(to);
    }

    fn stand_in(&self) -> Option<&'static str> {
        self.worked.then_some(r#"{"type":"tool_use"}"#)
    }
}
