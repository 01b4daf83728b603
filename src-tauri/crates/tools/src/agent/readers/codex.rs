//! Reads Codex, `exec --json`: `item.started { item }` and `item.completed { item }`, whose `type` is `agent_message`, `reasoning`,
//! `command_execution`, `file_change`, `mcp_tool_call`, `web_search`, `todo_list` or `error`.

use loopwright_engine::transcript::{Activity, ActivityKind};
use serde_json::Value;

use super::form::{Reader, text};
use crate::agent::transcript::Transcript;

#[derive(Default)]
pub(super) struct Codex {
    worked: bool,
}

/// Returns the command inside a shell's command line: `npm test` for `/bin/bash -lc 'npm test'`.
fn command(line: &str) -> String {
    let Some((shell, rest)) = line.split_once(' ') else {
        return line.to_owned();
    };
    let name = shell.rsplit('/').next().unwrap_or_default();
    let script = rest
        .strip_prefix("-lc ")
        .or_else(|| rest.strip_prefix("-c "))
        .filter(|_| matches!(name, "sh" | "bash" | "zsh"));
    let Some(script) = script.map(str::trim) else {
        return line.to_owned();
    };
    for quote in ['\'', '"'] {
        let inside = script
            .strip_prefix(quote)
            .and_then(|rest| rest.strip_suffix(quote));
        if let Some(inside) = inside {
            return inside.replace("'\\''", "'").replace("'\"'\"'", "'");
        }
    }
    script.to_owned()
}

fn files(item: &Value) -> String {
    let changes = item["changes"].as_array().into_iter().flatten();
    let paths: Vec<&str> = changes.map(|change| text(change, "/path")).collect();
    paths.join(", ")
}

impl Reader for Codex {
    fn event(&mut self, event: &Value, to: &mut Transcript) -> bool {
        let kind = text(event, "/type");
        let Some(step) = kind.strip_prefix("item.") else {
            match kind {
                "thread.started" => to.set_line("started"),
                "turn.failed" => to.add(Activity::new(
                    ActivityKind::Failed,
                    text(event, "/error/message"),
                )),
                "error" => to.add(Activity::new(ActivityKind::Failed, text(event, "/message"))),
                _ => {}
            }
            return true;
        };
        let item = &event["item"];
        let id = text(item, "/id");
        let is_over = step == "completed";
        let is_failed = (text(item, "/status") == "failed").then_some(true);
        let (activity, output, failed) = match text(item, "/type") {
            "agent_message" => {
                if is_over {
                    to.add(Activity::new(ActivityKind::Said, text(item, "/text")));
                }
                return is_over;
            }
            "error" => {
                if is_over {
                    to.add(Activity::new(ActivityKind::Failed, text(item, "/message")));
                }
                return false;
            }
            "reasoning" => {
                self.worked = true;
                if is_over {
                    to.add(Activity::new(ActivityKind::Thought, text(item, "/text")));
                }
                return false;
            }
            "command_execution" => (
                Activity::new(ActivityKind::Ran, command(text(item, "/command"))),
                text(item, "/aggregated_output"),
                item["exit_code"]
                    .as_i64()
                    .map(|code| code != 0)
                    .or(is_failed),
            ),
            "file_change" => (
                Activity::new(ActivityKind::Edited, files(item)),
                "",
                is_failed,
            ),
            "mcp_tool_call" => (
                Activity::new(
                    ActivityKind::Used,
                    format!("{} {}", text(item, "/server"), text(item, "/tool")),
                ),
                text(item, "/error/message"),
                is_failed,
            ),
            "web_search" => (
                Activity::new(
                    ActivityKind::Used,
                    format!("web search: {}", text(item, "/query")),
                ),
                "",
                is_failed,
            ),
            "todo_list" => {
                self.worked = true;
                let items = item["items"].as_array().into_iter().flatten();
                let open = items.clone().filter(|item| item["completed"] != true);
                let text = format!("plan: {} of {} steps left", open.count(), items.count());
                if step != "updated" {
                    to.add(Activity::new(ActivityKind::Used, text));
                }
                return false;
            }
            _ => {
                self.worked = true;
                return false;
            }
        };
        self.worked = true;
        match step {
            "started" => to.begin(id, activity, true),
            "completed" => to.end_as(id, activity, output, failed),
            _ => {}
        }
        false
    }

    fn stand_in(&self) -> Option<&'static str> {
        self.worked
            .then_some(r#"{"type":"item.completed","item":{"type":"activity"}}"#)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shell_around_a_command_is_not_shown() {
        for (line, expected) in [
            ("/bin/bash -lc 'npm test'", "npm test"),
            ("bash -lc \"npm test\"", "npm test"),
            ("bash -lc ls", "ls"),
            ("zsh -c 'echo '\\''a'\\'''", "echo 'a'"),
            ("npm test", "npm test"),
            ("ls", "ls"),
            ("bash script.sh 'x'", "bash script.sh 'x'"),
        ] {
            assert_eq!(command(line), expected, "{line}");
        }
    }
}
