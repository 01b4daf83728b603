//! Reads the output of agent programs into one shape: `{ response, sessionId, usage: { inputTokens, outputTokens, costUsd }
//! }`.
//!
//! - claude-code: one object, which is the last line of `--output-format stream-json`, and the whole output of
//!   `--output-format json`: `{ type: "result", subtype, is_error, result, session_id, total_cost_usd, usage: {
//!   input_tokens, cache_creation_input_tokens, cache_read_input_tokens, output_tokens, … }, modelUsage }`. Since version
//!   2.1.277, `total_cost_usd` and `modelUsage` of a resumed session cover the whole session up to this turn, and are also
//!   reported as `usage.total`.
//! - codex, `exec --json`: one line each for `thread.started { thread_id }`, `item.completed { item: { type:
//!   "agent_message", text } }`, `turn.completed { usage }`, `turn.failed { error: { message } }`, `error { message }`. Its
//!   usage covers the whole session, including the turns before it was resumed, and is also reported as `usage.session`.
//! - gemini, `--output-format stream-json`: one line each for `init { session_id }`, `message { role, content, delta }`,
//!   `result { status, error, stats: { input_tokens, output_tokens } }`.

use jiff::{Timestamp, tz::TimeZone};
use loopwright_engine::NodeError;
use serde_json::{Value, json};

use super::{
    SESSION_LOST, claude_usage,
    format::Format,
    output::{events, objects},
    passing::{did_nothing, passing, session_is_lost},
    process::Ended,
    usage_limit::usage_limit,
};

/// The parsed output of a program.
#[derive(Debug, Default, PartialEq)]
struct Said {
    response: Option<String>,
    session: Option<String>,
    input_tokens: Option<u64>,
    output_tokens: Option<u64>,
    cost_usd: Option<f64>,
    /// Whether the token counts cover the whole session, not only this turn.
    of_session: bool,
    /// The number of tokens whose cost is `cost_usd`, or `None` if the program does not report it.
    priced_tokens: Option<u64>,
    failure: Option<Failure>,
}

/// A failure of a program.
#[derive(Debug, PartialEq)]
struct Failure {
    /// The text in which usage limits and temporary failures are recognised.
    said: String,
    /// The failure as a clause of an error message, without a full stop. Text from the program is in quotation marks.
    clause: String,
}

impl Failure {
    /// Returns a failure whose clause is the program's own message, in quotation marks.
    fn quoted(said: String) -> Self {
        let clause = quoted(&said);
        Self { said, clause }
    }

    /// Returns a failure whose clause contains no text from the program.
    fn described(clause: &str) -> Self {
        Self {
            said: clause.to_owned(),
            clause: clause.to_owned(),
        }
    }

    /// Returns the failure with the program's message, or with the clause `otherwise` if the message is missing or blank.
    fn reported(message: Option<String>, otherwise: &str) -> Self {
        match message.filter(|message| !message.trim().is_empty()) {
            Some(message) => Self::quoted(message),
            None => Self::described(otherwise),
        }
    }
}

/// Puts text from a program in quotation marks. A full stop at its end is removed, because the sentence around the text has its
/// own.
fn quoted(words: &str) -> String {
    format!("“{}”", words.trim().trim_end_matches('.'))
}

impl Format {
    /// Parses the answer, the session and the usage from the output of a program that has exited.
    ///
    /// # Errors
    /// Returns an error if the program reports a failure, or if its output contains no answer.
    pub(crate) fn read(&self, name: &str, ended: &Ended) -> Result<Value, NodeError> {
        let said = match self {
            Self::ClaudeCode => claude(&ended.output),
            Self::Codex => codex(&ended.output),
            Self::Gemini => gemini(&ended.output),
            Self::Own { response, session } => {
                own(&ended.output, response.as_deref(), session.as_deref())
            }
        };
        let failed = |failure: &Failure| {
            let message = format!("The agent {name} failed: {}.", failure.clause);
            if session_is_lost(&failure.said) {
                return Err(NodeError::new(SESSION_LOST, message));
            }
            if let Some(limit) = usage_limit(&failure.said, Timestamp::now(), &TimeZone::system()) {
                let error = match did_nothing(self, &ended.output) {
                    true => NodeError::new(
                        "usage_limit",
                        format!("{message} The agent had not started its work yet."),
                    ),
                    false => NodeError::new(
                        "agent_failed",
                        format!(
                            "{message} The agent had already started its work. To wait until the limit resets and then repeat the work, set `whenInterrupted` to `repeat`."
                        ),
                    ),
                };
                return Err(error.used_up().asking_to_wait(limit.after_ms));
            }
            Err(match passing(self, &ended.output, &failure.said) {
                Some(code) => NodeError::new(
                    code,
                    format!("{message} The agent had not started its work yet."),
                ),
                None => NodeError::new("agent_failed", message),
            })
        };
        if let Some(failure) = &said.failure {
            return failed(failure);
        }
        if !ended.success {
            let status = &ended.status;
            let errors = ended.errors.trim();
            return failed(&match errors {
                "" => Failure::described(&format!("{status}, without an explanation")),
                _ => Failure {
                    said: format!("{status}; {errors}"),
                    clause: format!("{status}, with the error output {}", quoted(errors)),
                },
            });
        }
        let response = match said.response.as_deref().map(loopwright_answers::split) {
            Some(answer) if answer.text.trim().is_empty() && answer.has_thoughts() => {
                return failed(&Failure::described(
                    "its answer contains only reasoning, but no text",
                ));
            }
            answer => answer.map(|answer| answer.text.to_owned()),
        };
        let Some(response) = response else {
            return Err(NodeError::new(
                "agent_unreadable",
                format!(
                    "The output of the agent {name} contains no answer in the expected format. Update the program, or correct its \
                     settings. The output begins with “{}”.",
                    ended.output.chars().take(200).collect::<String>().trim()
                ),
            ));
        };
        let mut usage = json!({
            "inputTokens": said.input_tokens, "outputTokens": said.output_tokens, "costUsd": said.cost_usd,
        });
        if said.of_session {
            usage["session"] =
                json!({ "inputTokens": said.input_tokens, "outputTokens": said.output_tokens });
        }
        if let Some(tokens) = said.priced_tokens {
            usage["total"] = json!({ "tokens": tokens, "costUsd": said.cost_usd });
        }
        Ok(json!({ "response": response, "sessionId": said.session, "usage": usage }))
    }
}

fn text(value: &Value, pointer: &str) -> Option<String> {
    value
        .pointer(pointer)
        .and_then(Value::as_str)
        .map(str::to_owned)
}

fn claude(output: &str) -> Said {
    let found = objects(output);
    let mut from_last = found.iter().rev();
    // Some versions print a list of all messages, and append the output of hooks to it.
    let Some(value) = from_last
        .clone()
        .find(|value| value["type"] == "result")
        .or_else(|| from_last.find(|value| value["result"].is_string()))
    else {
        return Said::default();
    };
    let result = text(value, "/result").filter(|result| !result.trim().is_empty());
    let subtype = text(value, "/subtype").unwrap_or_default();
    let is_error = value["is_error"] == true || subtype.starts_with("error");
    let errors = value["errors"].as_array().map(|errors| {
        let errors = errors.iter().filter_map(Value::as_str);
        errors.collect::<Vec<_>>().join("; ")
    });
    let errors = errors.filter(|errors| !errors.is_empty());
    let failure = is_error.then(|| match (ending(&subtype), result.clone().or(errors)) {
        (Some(why), Some(said)) => Failure {
            clause: format!("{why} ({subtype}). It said: {}", quoted(&said)),
            said: format!("{why} ({subtype}). It said: {said}"),
        },
        (Some(why), None) => Failure::described(&format!("{why} ({subtype})")),
        (None, Some(said)) if subtype.starts_with("error") => Failure {
            clause: format!("{} ({subtype})", quoted(&said)),
            said: format!("{said} ({subtype})"),
        },
        (None, said) => Failure::reported(said, &format!("the only reason it gave is “{subtype}”")),
    });
    Said {
        failure,
        response: text(value, "/result"),
        session: text(value, "/session_id"),
        input_tokens: claude_usage::input_tokens(&value["usage"]),
        output_tokens: value
            .pointer("/usage/output_tokens")
            .and_then(Value::as_u64),
        cost_usd: value["total_cost_usd"].as_f64(),
        of_session: false,
        priced_tokens: claude_usage::priced_tokens(&value["modelUsage"]),
    }
}

/// Describes an error `subtype` of Claude Code, or returns `None` if it is unknown.
fn ending(subtype: &str) -> Option<&'static str> {
    Some(match subtype {
        "error_max_turns" => "it reached its maximum number of turns before it finished",
        "error_max_budget_usd" => "it reached its budget before it finished",
        "error_max_structured_output_retries" => "none of its answers matched the schema",
        "error_during_execution" => "it stopped because of an error",
        _ => return None,
    })
}

fn codex(output: &str) -> Said {
    let mut said = Said::default();
    for event in events(output) {
        match event["type"].as_str().unwrap_or_default() {
            "thread.started" => said.session = text(&event, "/thread_id"),
            "item.completed" if event.pointer("/item/type") == Some(&json!("agent_message")) => {
                said.response = text(&event, "/item/text");
            }
            "turn.completed" => {
                said.failure = None;
                said.of_session = true;
                said.input_tokens = event.pointer("/usage/input_tokens").and_then(Value::as_u64);
                said.output_tokens = event
                    .pointer("/usage/output_tokens")
                    .and_then(Value::as_u64);
            }
            "turn.failed" => {
                let message = text(&event, "/error/message");
                said.failure = Some(Failure::reported(message, "it gave no reason"));
            }
            "error" => {
                let message = text(&event, "/message");
                said.failure = Some(Failure::reported(message, "it gave no reason"));
            }
            _ => {}
        }
    }
    said
}

fn gemini(output: &str) -> Said {
    let mut said = Said::default();
    for event in events(output) {
        match event["type"].as_str().unwrap_or_default() {
            "init" => said.session = text(&event, "/session_id"),
            "message" if event["role"] == "assistant" => {
                let content = text(&event, "/content").unwrap_or_default();
                said.response.get_or_insert_default().push_str(&content);
            }
            "result" => {
                let status = text(&event, "/status").unwrap_or_default();
                if status.starts_with("error") || event["error"].is_object() {
                    said.failure = Some(Failure::reported(
                        text(&event, "/error/message"),
                        &format!("the only reason it gave is “{status}”"),
                    ));
                }
                said.input_tokens = event.pointer("/stats/input_tokens").and_then(Value::as_u64);
                said.output_tokens = event
                    .pointer("/stats/output_tokens")
                    .and_then(Value::as_u64);
            }
            _ => {}
        }
    }
    said
}

fn own(output: &str, response: Option<&str>, session: Option<&str>) -> Said {
    let pointer = |path: &str| format!("/{}", path.replace('.', "/"));
    let found = objects(output);
    let path = response.map(&pointer);
    let has_answer = |value: &&Value| {
        path.as_deref()
            .is_none_or(|path| value.pointer(path).is_some())
    };
    let value = found.iter().rev().find(has_answer).or(found.last());
    let value = value.cloned().unwrap_or_default();
    Said {
        response: match response {
            None => Some(output.trim_end().to_owned()),
            Some(path) => match value.pointer(&pointer(path)) {
                Some(Value::String(text)) => Some(text.clone()),
                Some(Value::Null) | None => None,
                Some(other) => Some(other.to_string()),
            },
        },
        session: session.and_then(|path| text(&value, &pointer(path))),
        ..Said::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ended(output: &str) -> Ended {
        Ended {
            success: true,
            status: "exit status: 0".to_owned(),
            output: output.to_owned(),
            errors: String::new(),
        }
    }

    #[test]
    fn each_program_is_read_in_its_own_form() {
        let own = Format::Own {
            response: Some("answer.text".to_owned()),
            session: Some("id".to_owned()),
        };
        for (format, output) in [
            (
                Format::ClaudeCode,
                r#"{"type":"result","subtype":"success","is_error":false,"duration_ms":12,"num_turns":2,"result":"Done.","session_id":"s-1","total_cost_usd":0.01,"usage":{"input_tokens":7,"output_tokens":3}}"#,
            ),
            (
                Format::Codex,
                "{\"type\":\"thread.started\",\"thread_id\":\"s-1\"}\n{\"type\":\"turn.started\"}\n{\"type\":\"item.completed\",\"item\":{\"id\":\"i0\",\"type\":\"reasoning\",\"text\":\"Hm.\"}}\n{\"type\":\"item.completed\",\"item\":{\"id\":\"i1\",\"type\":\"agent_message\",\"text\":\"Done.\"}}\n{\"type\":\"turn.completed\",\"usage\":{\"input_tokens\":7,\"cached_input_tokens\":0,\"output_tokens\":3}}\n",
            ),
            (
                Format::Gemini,
                "Loaded.\n{\"type\":\"init\",\"session_id\":\"s-1\",\"model\":\"m\"}\n{\"type\":\"message\",\"role\":\"user\",\"content\":\"Hi\"}\n{\"type\":\"message\",\"role\":\"assistant\",\"content\":\"Do\",\"delta\":true}\n{\"type\":\"message\",\"role\":\"assistant\",\"content\":\"ne.\",\"delta\":true}\n{\"type\":\"result\",\"status\":\"success\",\"stats\":{\"input_tokens\":7,\"output_tokens\":3}}\n",
            ),
            (
                own,
                "working\n{\"answer\":{\"text\":\"Done.\"},\"id\":\"s-1\"}\n",
            ),
        ] {
            let read = format.read("x", &ended(output)).unwrap();
            assert_eq!(
                (&read["response"], &read["sessionId"]),
                (&json!("Done."), &json!("s-1")),
                "{format:?}"
            );
        }
    }

    #[test]
    fn a_usage_limit_is_told_from_other_failures_with_its_time() {
        let claude = |turns: u32, tokens: u32| {
            format!(
                r#"{{"type":"result","subtype":"success","is_error":true,"num_turns":{turns},"result":"You've hit your limit, try again in 2h","usage":{{"output_tokens":{tokens}}}}}"#
            )
        };
        let of = |format: Format, output: &str| {
            let error = format.read("x", &ended(output)).unwrap_err();
            let asked = error.retry_after_ms();
            (error.is_used_up(), asked, error.code)
        };
        let hours = Some(7_200_000);
        assert_eq!(
            of(Format::ClaudeCode, &claude(1, 0)),
            (true, hours, "usage_limit".to_owned())
        );
        assert_eq!(
            of(Format::ClaudeCode, &claude(9, 500)),
            (true, hours, "agent_failed".to_owned())
        );
        let codex = "{\"type\":\"thread.started\",\"thread_id\":\"s\"}\n{\"type\":\"turn.failed\",\"error\":{\"message\":\"You've hit your usage limit. Try again later.\"}}\n";
        assert_eq!(
            of(Format::Codex, codex),
            (true, None, "usage_limit".to_owned())
        );
        let gemini = "{\"type\":\"init\",\"session_id\":\"s\"}\n{\"type\":\"result\",\"status\":\"error\",\"error\":{\"message\":\"Your quota will reset after 2h.\"}}\n";
        assert_eq!(
            of(Format::Gemini, gemini),
            (true, hours, "usage_limit".to_owned())
        );
        let other = r#"{"type":"result","is_error":true,"num_turns":1,"result":"API Error: 401","usage":{"output_tokens":0}}"#;
        assert_eq!(
            of(Format::ClaudeCode, other),
            (false, None, "agent_failed".to_owned())
        );
    }

    #[test]
    fn tokens_of_the_cache_are_input_tokens() {
        let output = r#"{"type":"result","subtype":"success","is_error":false,"result":"Done.","session_id":"s","total_cost_usd":0.5,"usage":{"input_tokens":3,"cache_creation_input_tokens":200,"cache_read_input_tokens":15000,"output_tokens":7},"modelUsage":{"a":{"inputTokens":3,"outputTokens":7,"cacheReadInputTokens":15000,"cacheCreationInputTokens":200},"b":{"inputTokens":10,"outputTokens":1}}}"#;
        let read = Format::ClaudeCode.read("x", &ended(output)).unwrap();
        assert_eq!(
            read["usage"],
            json!({
                "inputTokens": 15203, "outputTokens": 7, "costUsd": 0.5, "total": { "tokens": 15221, "costUsd": 0.5 },
            })
        );
        let output = r#"{"type":"result","subtype":"success","result":"Done.","session_id":"s"}"#;
        let read = Format::ClaudeCode.read("x", &ended(output)).unwrap();
        assert_eq!(
            read["usage"],
            json!({ "inputTokens": null, "outputTokens": null, "costUsd": null })
        );
    }

    #[test]
    fn the_result_is_found_wherever_it_stands() {
        let result = r#"{"type":"result","subtype":"success","is_error":false,"result":"Done.","session_id":"s-1"}"#;
        let pretty = serde_json::to_string_pretty(
            &serde_json::from_str::<Value>(&format!("[{{\"type\":\"system\"}},{result}]")).unwrap(),
        )
        .unwrap();
        let list = format!(
            "[{{\"type\":\"system\"}},{result},{{\"type\":\"system\",\"subtype\":\"hook_response\"}}]"
        );
        for output in [
            result.to_owned(),
            format!("(node:1) Warning: something {{ a: 1\n{result}\n"),
            format!("{result}\nBye [ok].\n{{\"type\":\"system\"}}\n"),
            list.clone(),
            format!("Notice: [1]\n{list}\n"),
            format!("\u{feff}{result}"),
            format!("A notice.\n{pretty}\nBye."),
            result.replace("Done.", "<think>Hm.</think>\\n\\nDone."),
        ] {
            let read = Format::ClaudeCode.read("x", &ended(&output)).unwrap();
            assert_eq!(read["response"], "Done.", "{output}");
        }
        let own = Format::Own {
            response: Some("text".to_owned()),
            session: None,
        };
        for output in [
            "a\n{\"text\":\"Done.\"}\n{\"cost\":1}\n",
            "a {\n  \"text\": \"Done.\"\n}\nbye",
        ] {
            assert_eq!(own.read("x", &ended(output)).unwrap()["response"], "Done.");
        }
    }

    #[test]
    fn an_error_is_known_by_its_subtype_alone() {
        for (subtype, words) in [
            ("error_max_turns", "turns"),
            ("error_max_budget_usd", "budget"),
            ("error_during_execution", "error_during_execution"),
            ("error_of_the_future", "error_of_the_future"),
        ] {
            let output = format!(
                r#"{{"type":"result","subtype":"{subtype}","is_error":false,"session_id":"s"}}"#
            );
            let error = Format::ClaudeCode.read("x", &ended(&output)).unwrap_err();
            assert_eq!(error.code, "agent_failed");
            assert!(error.message.contains(words), "{error}");
        }
        let thought = r#"{"type":"result","subtype":"success","result":"<think>Hm."}"#;
        let error = Format::ClaudeCode.read("x", &ended(thought)).unwrap_err();
        assert!(error.message.contains("reasoning"), "{error}");
    }

    #[test]
    fn a_failure_is_reported_and_never_an_answer() {
        let error = |format: Format, output: &str| format.read("x", &ended(output)).unwrap_err();
        let claude = error(
            Format::ClaudeCode,
            r#"{"type":"result","subtype":"error_max_turns","is_error":true,"session_id":"s"}"#,
        );
        assert!(claude.message.contains("error_max_turns"), "{claude}");
        let codex = error(
            Format::Codex,
            "{\"type\":\"thread.started\",\"thread_id\":\"s\"}\n{\"type\":\"turn.failed\",\"error\":{\"message\":\"no quota\"}}",
        );
        assert!(codex.message.contains("no quota"), "{codex}");
        let gemini = error(
            Format::Gemini,
            "{\"type\":\"result\",\"status\":\"error\",\"error\":{\"type\":\"E\",\"message\":\"no key\"}}",
        );
        assert!(gemini.message.contains("no key"), "{gemini}");
        assert_eq!(error(Format::ClaudeCode, "Hello").code, "agent_unreadable");
        let broken = Ended {
            errors: "command crashed".to_owned(),
            status: "exit status: 3".to_owned(),
            ..Ended::default()
        };
        let broken = Format::Codex.read("x", &broken).unwrap_err();
        assert!(
            broken
                .message
                .contains("exit status: 3, with the error output “command crashed”"),
            "{broken}"
        );
    }
}
