//! Tests against recorded servers. Each file in `servers/` contains the answers of one server, with its own wording and
//! order of events, and the expected results. `from` says whether an answer comes from documentation, a public report or a
//! recording.

#![allow(clippy::unwrap_used)]

use crate::misbehaving;
use crate::speaking;

use std::{collections::BTreeSet, fs, path::Path};

use futures::{StreamExt as _, future, stream};
use loopwright_engine::host::{ModelContext, ModelRequest, ResponseFormat};
use loopwright_providers::ModelProvider;
use misbehaving::{Do, serve};
use serde_json::{Value, json};
use speaking::Format;

/// The servers of the table in the documentation.
const SERVERS: [&str; 17] = [
    "anthropic",
    "azure",
    "deepseek",
    "gemini",
    "groq",
    "litellm",
    "llama_cpp",
    "llama_cpp_python",
    "lmstudio",
    "mistral",
    "ollama",
    "openai",
    "openrouter",
    "sglang",
    "together",
    "vllm",
    "xai",
];

/// One test case of a file.
#[derive(Default)]
struct Case {
    server: String,
    name: String,
    format: Option<Format>,
    /// The names and values of the expectations, such as `gives: Good morning.`, which precede the answers in the file.
    says: Vec<(String, String)>,
    answers: Vec<Vec<Do>>,
}

impl Case {
    fn get(&self, key: &str) -> Option<&str> {
        let found = self.says.iter().find(|(known, _)| known == key);
        found.map(|(_, value)| value.as_str())
    }
}

/// Returns a response. `head` contains its status, type and headers.
fn response(head: &str, body: &str) -> Vec<Do> {
    let mut lines = head.lines();
    let (status, kind) = lines.next().unwrap().split_once(' ').unwrap();
    let mut out = format!("HTTP/1.1 {status} Status\r\ncontent-type: {kind}\r\n");
    for header in lines {
        out.push_str(header);
        out.push_str("\r\n");
    }
    out.push_str(&format!(
        "content-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    ));
    vec![Do::Send(out.into_bytes())]
}

fn cases(server: &str, text: &str) -> Vec<Case> {
    let mut parts = text.split("\n## ");
    let head = parts.next().unwrap();
    let protocol = head
        .lines()
        .find_map(|line| line.strip_prefix("protocol: "))
        .unwrap();
    let format = match protocol {
        "chat" => Format::OpenAi,
        "azure" => Format::Azure,
        "messages" => Format::Anthropic,
        "gemini" => Format::Gemini,
        other => panic!("{server}: {other}"),
    };
    parts
        .map(|part| {
            let mut answers = part.split("\n--- ");
            let mut lines = answers.next().unwrap().lines();
            let name = lines.next().unwrap().to_owned();
            let says = lines
                .filter_map(|line| line.split_once(": "))
                .map(|(key, value)| (key.to_owned(), value.to_owned()))
                .collect();
            let answers = answers
                .map(|answer| {
                    // The header part ends at the first line without the form of a header.
                    let mut at = answer.find('\n').unwrap() + 1;
                    while let Some(end) = answer[at..].find('\n') {
                        let line = &answer[at..at + end];
                        let is_header = line.split_once(": ").is_some_and(|(name, _)| {
                            name.contains('-')
                                && name
                                    .bytes()
                                    .all(|byte| byte.is_ascii_lowercase() || byte == b'-')
                        }) || line.starts_with("date: ");
                        if !is_header {
                            break;
                        }
                        at += end + 1;
                    }
                    response(answer[..at].trim_end(), &answer[at..])
                })
                .collect();
            Case {
                server: server.to_owned(),
                name,
                format: Some(format),
                says,
                answers,
            }
        })
        .collect()
}

fn request(asks: &str) -> ModelRequest {
    let has = |what: &str| asks.contains(what);
    ModelRequest {
        model: Some("m-1".to_owned()),
        system: Some("You are brief.".to_owned()),
        prompt: "Say good morning.".to_owned(),
        temperature: has("temperature").then_some(0.7),
        max_tokens: has("max tokens").then_some(64),
        response_format: match asks {
            "json" => ResponseFormat::Json,
            "schema" => ResponseFormat::Schema(json!({
                "type": "object", "properties": { "title": { "type": "string" } }, "required": ["title"]
            })),
            _ => ResponseFormat::Text,
        },
        ..ModelRequest::default()
    }
}

/// Returns the differences between a case's result and its expectation; `None` if there are none.
async fn check(case: Case) -> Option<String> {
    let format = case.format.unwrap();
    let server = serve(case.answers.clone()).await;
    let remote = format.remote(&format.address(&server));
    let asked = case.get("ask").unwrap_or("text");
    let reply = remote.call(request(asked), ModelContext::default()).await;
    let sent = server.requests.lock().unwrap().clone();
    let wrong = |what: String| Some(format!("{} / {}: {what}", case.server, case.name));
    let last = sent.last().cloned().unwrap_or_default();
    let (_, body) = last.split_once("\r\n\r\n").unwrap_or_default();
    for (key, is_sent) in [("sends", true), ("leaves out", false)] {
        if let Some(name) = case.get(key)
            && body.contains(&format!("\"{name}\"")) != is_sent
        {
            return wrong(format!("{key} {name}: {body}"));
        }
    }
    // The instructions are always sent, even if their role was rejected.
    if !body.contains("You are brief.") {
        return wrong(format!("the instructions are lost: {body}"));
    }
    if let Some(count) = case.get("requests")
        && sent.len().to_string() != count
    {
        return wrong(format!("{} requests: {reply:?}", sent.len()));
    }
    match (case.get("gives"), reply) {
        (Some(text), Ok(reply)) => {
            if reply.text != text {
                return wrong(format!("“{}”", reply.text));
            }
            if asked != "text" && reply.json.is_none() && text.starts_with('{') {
                return wrong("no value".to_owned());
            }
            let usage = &reply.usage;
            let counts = format!(
                "{} {} {} {}",
                usage.input_tokens,
                usage.output_tokens,
                usage.cached_tokens,
                usage.reasoning_tokens
            );
            if case.get("usage").is_some_and(|wanted| wanted != counts) {
                return wrong(format!("usage {counts}"));
            }
            let mut warned = reply.warnings.iter().map(|(code, _)| code.as_str());
            if let Some(wanted) = case.get("warns") {
                return (!warned.any(|code| code == wanted))
                    .then(|| wrong(format!("{:?}", reply.warnings)))?;
            }
            let said: Vec<_> = warned.collect();
            (!said.is_empty() && asked == "text" && case.get("usage").is_some())
                .then(|| wrong(format!("warnings {said:?}")))?
        }
        (None, Err(error)) => {
            let wait = case.get("wait").map(|wait| wait.parse::<u64>().unwrap());
            let is_right = case.get("fails") == Some(error.code.as_str())
                && error.message.contains(case.get("says").unwrap_or_default())
                && error.retry_after_ms() == wait;
            (!is_right).then(|| wrong(format!("{error:?}")))?
        }
        (_, reply) => wrong(format!("{reply:?}")),
    }
}

fn all() -> Vec<Case> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/servers");
    let mut names: Vec<_> = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    names.sort();
    names
        .iter()
        .flat_map(|path| {
            let server = path.file_stem().unwrap().to_str().unwrap();
            cases(server, &fs::read_to_string(path).unwrap())
        })
        .collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn servers_are_understood_as_they_are() {
    let wrong: Vec<String> = stream::iter(all())
        .map(check)
        .buffered(8)
        .filter_map(future::ready)
        .collect()
        .await;
    assert!(
        wrong.is_empty(),
        "{} of the cases differ:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

/// Each server has an answer, a stream, JSON, an error, an overload, token counts, and unknown fields of tools.
#[test]
fn every_server_has_every_kind_of_answer_with_its_source() {
    let cases = all();
    let servers: BTreeSet<_> = cases.iter().map(|case| case.server.as_str()).collect();
    assert_eq!(servers, SERVERS.into_iter().collect());
    for server in SERVERS {
        let of: Vec<_> = cases.iter().filter(|case| case.server == server).collect();
        let has = |what: &str| of.iter().any(|case| case.name.contains(what));
        for what in ["stream", "whole", "json", "error", "over"] {
            assert!(
                has(what) || (what == "over" && has("rate limit")),
                "{server}: {what}"
            );
        }
        assert!(has("tools ignored") || server == "azure", "{server}");
        assert!(
            of.iter().any(|case| case.get("usage").is_some()),
            "{server}"
        );
        for case in of {
            let from = case.get("from").unwrap_or_default();
            let is_reported = ["documented, ", "issue, ", "recorded, "]
                .iter()
                .any(|kind| from.starts_with(kind));
            assert!(is_reported, "{server} / {}: {from}", case.name);
        }
    }
}

/// Returns a 400 response with this error message.
fn refusal(words: &str) -> Vec<Do> {
    let body: Value = json!({ "error": { "message": words } });
    response("400 application/json", &body.to_string())
}

/// A loop makes only one additional request, and each answer has the warning that the refusal causes, if any.
#[tokio::test]
async fn what_was_refused_is_left_out_from_then_on() {
    for (words, asks, warns) in [
        ("temperature is not supported", "text, temperature", true),
        ("response_format is not supported", "json", false),
        ("System role not supported", "text", false),
        ("Streaming is not supported", "text", false),
        ("stream_options: unknown field", "text", false),
    ] {
        let format = Format::OpenAi;
        let mut scripts = vec![refusal(words)];
        scripts.extend((0..3).map(|_| format.good("{\"a\": 1}")));
        let server = serve(scripts).await;
        for _ in 0..3 {
            // Each run creates its providers again.
            let remote = format.remote(&format.address(&server));
            let reply = remote
                .call(request(asks), ModelContext::default())
                .await
                .unwrap();
            let is_warned = reply
                .warnings
                .iter()
                .any(|(code, _)| code == "setting_ignored");
            assert_eq!(is_warned, warns, "{words}: {:?}", reply.warnings);
        }
        assert_eq!(server.requests.lock().unwrap().len(), 4, "{words}");
    }
}

/// Under a budget, the token limit is never left out, even if it was rejected earlier.
#[tokio::test]
async fn a_budget_needs_the_most_tokens() {
    let format = Format::OpenAi;
    let server = serve(vec![
        refusal("max_tokens is not supported"),
        format.good("x"),
    ])
    .await;
    let remote = format.remote(&format.address(&server));
    let ask = |capped| ModelRequest {
        capped,
        ..request("text, max tokens")
    };
    let reply = remote.call(ask(false), ModelContext::default()).await;
    assert_eq!(reply.unwrap().warnings[0].0, "setting_ignored");
    let error = remote.call(ask(true), ModelContext::default()).await;
    assert_eq!(error.unwrap_err().code, "max_tokens_refused");
    assert_eq!(server.requests.lock().unwrap().len(), 2);
}

/// A server may echo the key in place of a count, a name or a tool.
#[tokio::test]
async fn a_key_in_the_place_of_something_else_is_not_kept() {
    let key = speaking::KEY;
    let bodies = [
        json!({ "choices": [{ "message": { "content": "x" }, "finish_reason": "stop" }], "usage": { "prompt_tokens": key, "completion_tokens": 1 } }),
        json!({ "id": key, "model": key, "choices": [{ "message": { "content": "x" }, "finish_reason": key }] }),
        json!({ "choices": [{ "message": { "content": null, "tool_calls": [{ "function": { "name": key } }] }, "finish_reason": "tool_calls" }] }),
        json!({ "choices": key }),
        json!({ "error": { "message": "no", "code": key, "type": key } }),
        json!({ "choices": [{ "message": { "content": "x" }, "finish_reason": "stop" }], "usage": format!("{}{key}", "x".repeat(30)) }),
    ];
    for body in bodies {
        let server = serve(vec![response("200 application/json", &body.to_string())]).await;
        let format = Format::OpenAi;
        let remote = format.remote(&format.address(&server));
        let reply = remote.call(request("text"), ModelContext::default()).await;
        let shown = format!("{reply:?}");
        assert!(!shown.contains("very-secret"), "{body}: {shown}");
    }
    let list = json!({ "data": [{ "id": key }, { "id": "chat" }] });
    let server = serve(vec![response("200 application/json", &list.to_string())]).await;
    let remote = Format::OpenAi.remote(&Format::OpenAi.address(&server));
    let models = remote.models().await.unwrap();
    assert_eq!(models.len(), 1);
    assert_eq!(models[0].id, "chat");
}

/// If a server reports zero tokens for text, it does not count tokens.
#[tokio::test]
async fn no_tokens_for_a_text_is_no_count() {
    for (format, body) in [
        (
            Format::OpenAi,
            json!({ "choices": [{ "message": { "content": "x" }, "finish_reason": "stop" }], "usage": { "prompt_tokens": 0, "completion_tokens": 0 } }),
        ),
        (
            Format::OpenAi,
            json!({ "choices": [{ "message": { "content": "x" }, "finish_reason": "stop" }], "usage": { "prompt_tokens": 9, "completion_tokens": 0 } }),
        ),
        (
            Format::Anthropic,
            json!({ "type": "message", "content": [{ "type": "text", "text": "x" }], "stop_reason": "end_turn", "usage": { "input_tokens": 9, "output_tokens": 0 } }),
        ),
        (
            Format::Anthropic,
            json!({ "type": "message", "content": [{ "type": "text", "text": "x" }], "stop_reason": "end_turn", "usage": { "input_tokens": 0, "output_tokens": 1 } }),
        ),
        (
            Format::Gemini,
            json!({ "candidates": [{ "content": { "parts": [{ "text": "x" }] }, "finishReason": "STOP" }], "usageMetadata": { "promptTokenCount": 9, "candidatesTokenCount": 0, "thoughtsTokenCount": 4 } }),
        ),
    ] {
        let server = serve(vec![response("200 application/json", &body.to_string())]).await;
        let remote = format.remote(&format.address(&server));
        let reply = remote
            .call(request("text"), ModelContext::default())
            .await
            .unwrap();
        let codes: Vec<_> = reply
            .warnings
            .iter()
            .map(|(code, _)| code.as_str())
            .collect();
        assert_eq!(codes, ["usage_unreadable"], "{body}");
        assert_eq!(reply.usage.unpriced_calls, 1, "{body}");
    }
}
