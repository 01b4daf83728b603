//! Tests each wire format against its documentation: how requests are written and how answers are read.

#![allow(clippy::unwrap_used)]

use crate::misbehaving;
use crate::speaking;

use std::sync::Arc;

use loopwright_engine::host::{
    Image, ModelContext, ModelReply, ModelRequest, Models, ResponseFormat, ToolOffer, ToolRound,
    Turn,
};
use loopwright_providers::{
    Keys, LocalServers, ModelProvider, Price, PriceTable, ProviderSet, ProviderSettings,
    ProviderState, keys::MemoryKeys,
};
use misbehaving::{Server, event, head, plain, serve};
use serde_json::{Value, json};
use speaking::{FORMATS, Format, KEY};

fn request() -> ModelRequest {
    ModelRequest {
        model: Some("m".to_owned()),
        system: Some("Be brief.".to_owned()),
        prompt: "Hello".to_owned(),
        ..ModelRequest::default()
    }
}

async fn call(format: Format, server: &Server, request: ModelRequest) -> ModelReply {
    let price = Price {
        provider: format.id().to_owned(),
        input: 10.0,
        cached_input: Some(1.0),
        output: 100.0,
        ..Price::free()
    };
    format
        .remote(&format.address(server))
        .priced(Arc::new(PriceTable::new(vec![price])))
        .call(request, ModelContext::default())
        .await
        .unwrap()
}

/// Returns the head and the body of the request with index `number`, counted from 0.
fn sent(server: &Server, number: usize) -> (String, Value) {
    let requests = server.requests.lock().unwrap();
    let (head, body) = requests[number].split_once("\r\n\r\n").unwrap();
    (head.to_lowercase(), serde_json::from_str(body).unwrap())
}

#[tokio::test]
async fn answers_are_read_and_their_tokens_priced() {
    for format in FORMATS {
        let server = serve(vec![format.good("Hello there.")]).await;
        let reply = call(format, &server, request()).await;
        assert_eq!(reply.text, "Hello there.", "{format:?}");
        assert_eq!(reply.model, format!("{}/m-1", format.id()));
        let usage = reply.usage;
        let reasoning = u64::from(format != Format::Anthropic);
        assert_eq!(
            (
                usage.calls,
                usage.input_tokens,
                usage.output_tokens,
                usage.cached_tokens,
                usage.reasoning_tokens,
                usage.longest_prompt
            ),
            (1, 7, 3, 2, reasoning, 7),
            "{format:?}"
        );
        // Five fresh tokens at 10, two cached ones at 1, three at 100.
        assert_eq!(
            (usage.cost_microusd, usage.unpriced_calls),
            (352, 0),
            "{format:?}"
        );
        assert!(reply.warnings.is_empty(), "{:?}", reply.warnings);
    }
}

#[tokio::test]
async fn each_format_asks_as_its_documentation_has_it() {
    for format in FORMATS {
        let server = serve(vec![format.good("x")]).await;
        let ask = ModelRequest {
            temperature: Some(0.5),
            max_tokens: Some(50),
            context: Some(json!(["material"])),
            images: vec![Image {
                media_type: "image/png".to_owned(),
                data: "aGk=".to_owned(),
            }],
            history: vec![Turn {
                prompt: "Before?".to_owned(),
                answer: "After.".to_owned(),
            }],
            ..request()
        };
        call(format, &server, ask).await;
        let (head, body) = sent(&server, 0);
        let said = "Context:\n[\"material\"]\n\nHello";
        let (line, key, expected) = match format {
            Format::OpenAi | Format::Azure => (
                if format == Format::OpenAi {
                    "post /v1/chat/completions "
                } else {
                    "post /openai/deployments/m/chat/completions?api-version=2024-10-21 "
                },
                if format == Format::OpenAi {
                    format!("authorization: bearer {KEY}")
                } else {
                    format!("api-key: {KEY}")
                },
                json!({
                    "model": "m",
                    "messages": [
                        { "role": "system", "content": "Be brief." },
                        { "role": "user", "content": "Before?" },
                        { "role": "assistant", "content": "After." },
                        { "role": "user", "content": [
                            { "type": "image_url", "image_url": { "url": "data:image/png;base64,aGk=" } },
                            { "type": "text", "text": said }
                        ] }
                    ],
                    "stream": true, "stream_options": { "include_usage": true }, "temperature": 0.5, "max_tokens": 50
                }),
            ),
            Format::Anthropic => (
                "post /v1/messages ",
                format!("x-api-key: {KEY}"),
                json!({
                    "model": "m", "max_tokens": 50, "system": "Be brief.",
                    "messages": [
                        { "role": "user", "content": "Before?" },
                        { "role": "assistant", "content": "After." },
                        { "role": "user", "content": [
                            { "type": "image", "source": { "type": "base64", "media_type": "image/png", "data": "aGk=" } },
                            { "type": "text", "text": said }
                        ] }
                    ],
                    "stream": true, "temperature": 0.5
                }),
            ),
            Format::Gemini => (
                "post /v1beta/models/m:streamgeneratecontent?alt=sse ",
                format!("x-goog-api-key: {KEY}"),
                json!({
                    "systemInstruction": { "parts": [{ "text": "Be brief." }] },
                    "contents": [
                        { "role": "user", "parts": [{ "text": "Before?" }] },
                        { "role": "model", "parts": [{ "text": "After." }] },
                        { "role": "user", "parts": [
                            { "inlineData": { "mimeType": "image/png", "data": "aGk=" } },
                            { "text": said }
                        ] }
                    ],
                    "generationConfig": { "temperature": 0.5, "maxOutputTokens": 50 }
                }),
            ),
        };
        assert!(head.starts_with(line), "{format:?}: {head}");
        assert!(head.contains(&key.to_lowercase()), "{format:?}: {head}");
        assert!(
            !head.lines().next().unwrap().contains(KEY),
            "never in an address"
        );
        assert_eq!(
            head.contains("anthropic-version: 2023-06-01"),
            format == Format::Anthropic
        );
        assert_eq!(body, expected, "{format:?}");
    }
}

#[tokio::test]
async fn a_schema_is_asked_for_natively_and_what_does_not_fit_once_more() {
    let schema = json!({ "type": "object", "properties": { "score": { "type": "integer" } }, "required": ["score"] });
    for format in FORMATS {
        let good = match format {
            // The answer is the input of a tool, and arrives in pieces.
            Format::Anthropic => vec![
                head(),
                event(&json!({ "type": "message_start", "message": { "id": "msg_1", "model": "m-1", "content": [], "usage": { "input_tokens": 5, "output_tokens": 1 } } }).to_string()),
                event(&json!({ "type": "content_block_start", "index": 0, "content_block": { "type": "tool_use", "id": "toolu_1", "name": "answer", "input": {} } }).to_string()),
                event(&json!({ "type": "content_block_delta", "index": 0, "delta": { "type": "input_json_delta", "partial_json": "{\"sco" } }).to_string()),
                event(&json!({ "type": "content_block_delta", "index": 0, "delta": { "type": "input_json_delta", "partial_json": "re\": 4}" } }).to_string()),
                event(&json!({ "type": "content_block_stop", "index": 0 }).to_string()),
                event(&json!({ "type": "message_delta", "delta": { "stop_reason": "tool_use" }, "usage": { "output_tokens": 9 } }).to_string()),
                event(&json!({ "type": "message_stop" }).to_string()),
            ],
            _ => format.good("{\"score\": 4}"),
        };
        let server = serve(vec![format.good("{\"score\": \"high\"}"), good]).await;
        let ask = ModelRequest {
            response_format: ResponseFormat::Schema(schema.clone()),
            ..request()
        };
        let reply = call(format, &server, ask).await;
        assert_eq!(reply.json, Some(json!({ "score": 4 })), "{format:?}");
        assert_eq!(
            (reply.warnings[0].0.as_str(), reply.usage.calls),
            ("answer_repaired", 2)
        );
        let (_, body) = sent(&server, 1);
        let (native, turns) = match format {
            Format::OpenAi | Format::Azure => (
                &body["response_format"]["json_schema"]["schema"],
                body["messages"].as_array().unwrap().len() - 1,
            ),
            Format::Anthropic => (
                &body["tools"][0]["input_schema"],
                body["messages"].as_array().unwrap().len(),
            ),
            Format::Gemini => (
                &body["generationConfig"]["responseJsonSchema"],
                body["contents"].as_array().unwrap().len(),
            ),
        };
        assert_eq!((native, turns), (&schema, 3), "{format:?}");
    }
}

#[tokio::test]
async fn models_are_listed_in_each_format() {
    for (format, list, ids) in [
        (
            Format::OpenAi,
            json!({ "object": "list", "data": [{ "id": "a", "object": "model" }, { "id": "b" }] }),
            vec!["a", "b"],
        ),
        (
            Format::Anthropic,
            json!({ "data": [{ "type": "model", "id": "claude-x", "display_name": "Claude X" }], "has_more": false }),
            vec!["claude-x"],
        ),
        (
            Format::Gemini,
            json!({ "models": [
                { "name": "models/gemini-x", "displayName": "Gemini X", "supportedGenerationMethods": ["generateContent"] },
                { "name": "models/embed", "supportedGenerationMethods": ["embedContent"] }
            ] }),
            vec!["gemini-x"],
        ),
        // The list contains the models that could be deployed.
        (
            Format::Azure,
            json!({ "data": [{ "id": "gpt-4o" }] }),
            vec![],
        ),
    ] {
        let server = serve(vec![plain("200 OK", "", &list.to_string())]).await;
        let tested = format
            .remote(&format.address(&server))
            .test()
            .await
            .unwrap();
        let listed: Vec<_> = tested
            .models
            .iter()
            .map(|model| model.id.as_str())
            .collect();
        assert_eq!(listed, ids, "{format:?}");
        assert!(tested.says.starts_with("Test answers"), "{}", tested.says);
    }
}

/// Returns a set that looks for local servers at these addresses.
fn set(addresses: Vec<(String, String)>) -> ProviderSet {
    ProviderSet::with(
        &ProviderSettings::default(),
        &|_| None,
        &Keys::of(MemoryKeys::default()),
        LocalServers::at(addresses),
    )
    .unwrap()
}

#[tokio::test]
async fn servers_on_this_computer_are_found_and_told_from_others() {
    let ollama = serve(vec![
        plain("200 OK", "", &json!({ "models": [{ "name": "llama3.2:3b", "details": { "parameter_size": "3.2B", "quantization_level": "Q4_K_M" } }] }).to_string()),
        Format::OpenAi.good("from ollama"),
    ])
    .await;
    // A different server answers at LM Studio's address, and none at llama-server's.
    let other = serve(vec![plain("200 OK", "", "{\"hello\": 1}")]).await;
    let set = set(vec![
        ("ollama".to_owned(), ollama.root().to_owned()),
        ("lmstudio".to_owned(), other.root().to_owned()),
        ("llama-server".to_owned(), "http://127.0.0.1:1".to_owned()),
    ]);
    set.discover().await;
    let summaries = set.summaries();
    let of = |id: &str| summaries.iter().find(|provider| provider.id == id).unwrap();
    assert_eq!(of("ollama").state, ProviderState::Found);
    assert_eq!(of("ollama").models[0].does, "3.2B, Q4_K_M");
    assert_eq!(of("lmstudio").state, ProviderState::Offline);
    assert_eq!(of("llama-server").state, ProviderState::Offline);
    // A discovered server receives no key.
    assert!(
        !ollama.requests.lock().unwrap()[0]
            .to_lowercase()
            .contains("authorization")
    );

    // A node that names the discovered server can use it; `auto` never selects it.
    let ask = |provider: &str| ModelRequest {
        provider: provider.to_owned(),
        ..request()
    };
    let models: &dyn Models = &set;
    let reply = models
        .call(ask("ollama"), ModelContext::default())
        .await
        .unwrap();
    assert_eq!(
        (reply.text.as_str(), reply.usage.cost_usd()),
        ("from ollama", Some(0.0))
    );
    let auto = models.call(ask("auto"), ModelContext::default()).await;
    assert_eq!(auto.unwrap_err().code, "builtin_missing");
}

#[tokio::test]
async fn a_local_server_reports_the_window_of_the_models_that_it_runs() {
    let openai = |id: &str| json!({ "object": "list", "data": [{ "id": id, "object": "model" }, { "id": "other", "object": "model" }] });
    let loaded = json!({ "models": [{ "name": "llama3.2:3b", "model": "llama3.2:3b", "size": 3_825_819_519_u64, "expires_at": "2026-11-02T08:15:34Z", "size_vram": 0, "context_length": 4_096 }] });
    let lmstudio = json!({ "object": "list", "data": [
        { "id": "llama", "type": "llm", "state": "loaded", "max_context_length": 131_072, "loaded_context_length": 8_192 },
        { "id": "other", "type": "llm", "state": "not-loaded", "max_context_length": 32_768 }
    ] });
    let props =
        json!({ "default_generation_settings": { "id": 0, "n_ctx": 16_384 }, "total_slots": 1 });
    for (id, list, answer, path, windows) in [
        (
            "ollama",
            openai("llama3.2:3b"),
            loaded,
            "GET /api/ps ",
            [Some(4_096), None],
        ),
        (
            "lmstudio",
            openai("llama"),
            lmstudio,
            "GET /api/v0/models ",
            [Some(8_192), None],
        ),
        (
            "llama-server",
            openai("model.gguf"),
            props,
            "GET /props ",
            [Some(16_384), Some(16_384)],
        ),
    ] {
        let server = serve(vec![
            plain("200 OK", "", &list.to_string()),
            plain("200 OK", "", &answer.to_string()),
            plain("200 OK", "", &list.to_string()),
            plain("404 Not Found", "", "{}"),
        ])
        .await;
        let set = set(vec![(id.to_owned(), server.root().to_owned())]);
        let windows_of = || async {
            let models = set.models(id).await.unwrap();
            models.iter().map(|model| model.context).collect::<Vec<_>>()
        };
        assert_eq!(windows_of().await, windows, "{id}");
        let asked = server.requests.lock().unwrap()[1].clone();
        assert!(asked.starts_with(path), "{asked}");
        // Without the report the models are listed, and their windows are unknown.
        assert_eq!(windows_of().await, [None, None], "{id}");
    }
}

#[test]
fn the_most_of_a_call_bounds_it_in_each_format() {
    for format in FORMATS {
        let remote = format.remote("http://127.0.0.1:1");
        let short = remote.quote(&request());
        let long = remote.quote(&ModelRequest {
            history: vec![Turn {
                prompt: "x".repeat(1000),
                answer: "y".repeat(1000),
            }],
            ..request()
        });
        assert!(long.input_tokens >= short.input_tokens + 2000, "{format:?}");
        // Anthropic's API requires a limit, so there is always one.
        assert_eq!(short.output_tokens.is_some(), format == Format::Anthropic);
        let picture = remote.quote(&ModelRequest {
            images: vec![Image {
                media_type: "image/png".to_owned(),
                data: "A".repeat(4 << 20),
            }],
            ..request()
        });
        assert!(
            picture.input_tokens < 100_000,
            "by pictures, not by their bytes"
        );
    }
}

/// A field that a server does not know is left out, even if it is inside another field.
#[tokio::test]
async fn what_a_server_refuses_by_name_is_left_out_and_said() {
    for format in FORMATS {
        let refusal = format.status(
            "400 Bad Request",
            "",
            "temperature is not supported with this model",
        );
        let server = serve(vec![refusal, format.good("x")]).await;
        let ask = ModelRequest {
            temperature: Some(1.0),
            ..request()
        };
        let reply = call(format, &server, ask).await;
        assert_eq!(reply.warnings[0].0, "setting_ignored", "{format:?}");
        let (_, body) = sent(&server, 1);
        assert!(!body.to_string().contains("temperature"), "{body}");
    }
}

/// Returns the events of an answer with two tool calls, in this format.
fn uses_tools(format: Format) -> Vec<misbehaving::Do> {
    let mut out = vec![head()];
    match format {
        Format::OpenAi | Format::Azure => {
            let chunk = |delta: Value, finish: Option<&str>| {
                event(&json!({ "id": "c", "model": "m-1", "choices": [{ "index": 0, "delta": delta, "finish_reason": finish }] }).to_string())
            };
            let call = |index: u32, rest: Value| {
                let mut call = rest;
                call["index"] = json!(index);
                json!({ "tool_calls": [call] })
            };
            out.extend([
                chunk(json!({ "role": "assistant", "content": "I look." }), None),
                chunk(call(0, json!({ "id": "a", "type": "function", "function": { "name": "files_read", "arguments": "" } })), None),
                chunk(call(0, json!({ "function": { "arguments": "{\"path\":" } })), None),
                chunk(call(0, json!({ "function": { "arguments": " \"x\"}" } })), None),
                chunk(call(1, json!({ "id": "b", "type": "function", "function": { "name": "files_edit", "arguments": "{}" } })), None),
                chunk(json!({}), Some("tool_calls")),
                event(&json!({ "choices": [], "usage": { "prompt_tokens": 7, "completion_tokens": 3 } }).to_string()),
                event("[DONE]"),
            ]);
        }
        Format::Anthropic => {
            let named = |data: Value| event(&data.to_string());
            out.extend([
                named(json!({ "type": "message_start", "message": { "id": "msg_1", "model": "m-1", "content": [], "usage": { "input_tokens": 7, "output_tokens": 1 } } })),
                named(json!({ "type": "content_block_start", "index": 0, "content_block": { "type": "text", "text": "" } })),
                named(json!({ "type": "content_block_delta", "index": 0, "delta": { "type": "text_delta", "text": "I look." } })),
                named(json!({ "type": "content_block_stop", "index": 0 })),
                named(json!({ "type": "content_block_start", "index": 1, "content_block": { "type": "tool_use", "id": "a", "name": "files_read", "input": {} } })),
                named(json!({ "type": "content_block_delta", "index": 1, "delta": { "type": "input_json_delta", "partial_json": "{\"path\":" } })),
                named(json!({ "type": "content_block_delta", "index": 1, "delta": { "type": "input_json_delta", "partial_json": " \"x\"}" } })),
                named(json!({ "type": "content_block_stop", "index": 1 })),
                named(json!({ "type": "content_block_start", "index": 2, "content_block": { "type": "tool_use", "id": "b", "name": "files_edit", "input": {} } })),
                named(json!({ "type": "content_block_stop", "index": 2 })),
                named(json!({ "type": "message_delta", "delta": { "stop_reason": "tool_use" }, "usage": { "output_tokens": 3 } })),
                named(json!({ "type": "message_stop" })),
            ]);
        }
        Format::Gemini => out.push(event(&json!({
            "candidates": [{ "content": { "role": "model", "parts": [
                { "text": "I look." },
                { "functionCall": { "name": "files_read", "args": { "path": "x" } }, "thoughtSignature": "sig" },
                { "functionCall": { "name": "files_edit", "args": {} } },
            ] }, "finishReason": "STOP", "index": 0 }],
            "usageMetadata": { "promptTokenCount": 7, "candidatesTokenCount": 3 }, "modelVersion": "m-1", "responseId": "r"
        }).to_string())),
    }
    out
}

#[tokio::test]
async fn tools_are_offered_used_and_answered_in_each_format() {
    let offer = |name: &str| ToolOffer {
        name: name.to_owned(),
        description: format!("What {name} does."),
        parameters: json!({ "type": "object", "properties": {} }),
    };
    for format in FORMATS {
        let server = serve(vec![uses_tools(format), format.good("Done.")]).await;
        let mut ask = ModelRequest {
            tools: vec![offer("files_read"), offer("files_edit")],
            ..request()
        };
        let reply = call(format, &server, ask.clone()).await;
        assert_eq!(reply.text, "I look.", "{format:?}");
        let used: Vec<(&str, Value)> = reply
            .uses
            .iter()
            .map(|used| {
                (
                    used.name.as_str(),
                    serde_json::from_str(&used.arguments).unwrap(),
                )
            })
            .collect();
        assert_eq!(
            used,
            [
                ("files_read", json!({ "path": "x" })),
                ("files_edit", json!({}))
            ],
            "{format:?}"
        );
        assert_eq!(
            (reply.usage.input_tokens, reply.usage.output_tokens),
            (7, 3)
        );
        ask.rounds.push(ToolRound {
            text: reply.text,
            uses: reply.uses,
            results: vec!["content".to_owned(), "Error: no.".to_owned()],
        });
        let reply = call(format, &server, ask).await;
        assert_eq!(
            (reply.text.as_str(), reply.uses.len()),
            ("Done.", 0),
            "{format:?}"
        );
        let (_, body) = sent(&server, 1);
        let (offered, said) = match format {
            Format::OpenAi | Format::Azure => (
                json!([
                    { "type": "function", "function": { "name": "files_read", "description": "What files_read does.", "parameters": { "type": "object", "properties": {} } } },
                    { "type": "function", "function": { "name": "files_edit", "description": "What files_edit does.", "parameters": { "type": "object", "properties": {} } } },
                ]),
                json!([
                    { "role": "assistant", "content": "I look.", "tool_calls": [
                        { "id": "a", "type": "function", "function": { "name": "files_read", "arguments": "{\"path\": \"x\"}" } },
                        { "id": "b", "type": "function", "function": { "name": "files_edit", "arguments": "{}" } },
                    ] },
                    { "role": "tool", "tool_call_id": "a", "content": "content" },
                    { "role": "tool", "tool_call_id": "b", "content": "Error: no." },
                ]),
            ),
            Format::Anthropic => (
                json!([
                    { "name": "files_read", "description": "What files_read does.", "input_schema": { "type": "object", "properties": {} } },
                    { "name": "files_edit", "description": "What files_edit does.", "input_schema": { "type": "object", "properties": {} } },
                ]),
                json!([
                    { "role": "assistant", "content": [
                        { "type": "text", "text": "I look." },
                        { "type": "tool_use", "id": "a", "name": "files_read", "input": { "path": "x" } },
                        { "type": "tool_use", "id": "b", "name": "files_edit", "input": {} },
                    ] },
                    { "role": "user", "content": [
                        { "type": "tool_result", "tool_use_id": "a", "content": "content" },
                        { "type": "tool_result", "tool_use_id": "b", "content": "Error: no." },
                    ] },
                ]),
            ),
            Format::Gemini => (
                json!([{ "functionDeclarations": [
                    { "name": "files_read", "description": "What files_read does.", "parametersJsonSchema": { "type": "object", "properties": {} } },
                    { "name": "files_edit", "description": "What files_edit does.", "parametersJsonSchema": { "type": "object", "properties": {} } },
                ] }]),
                json!([
                    { "role": "model", "parts": [
                        { "text": "I look." },
                        { "functionCall": { "name": "files_read", "args": { "path": "x" } }, "thoughtSignature": "sig" },
                        { "functionCall": { "name": "files_edit", "args": {} } },
                    ] },
                    { "role": "user", "parts": [
                        { "functionResponse": { "name": "files_read", "response": { "result": "content" } } },
                        { "functionResponse": { "name": "files_edit", "response": { "result": "Error: no." } } },
                    ] },
                ]),
            ),
        };
        assert_eq!(body["tools"], offered, "{format:?}");
        let messages = match format {
            Format::Gemini => &body["contents"],
            _ => &body["messages"],
        };
        let messages = messages.as_array().unwrap();
        let rounds = said.as_array().unwrap();
        assert_eq!(
            &messages[messages.len() - rounds.len()..],
            rounds,
            "{format:?}"
        );
    }
}

/// Servers number tool calls in several ways, or not at all.
#[tokio::test]
async fn uses_of_tools_are_told_apart_however_a_server_numbers_them() {
    let function = |name: &str, arguments: Value| json!({ "name": name, "arguments": arguments });
    let whole = |calls: Value, end: &str| json!({ "choices": [{ "message": { "content": null, "tool_calls": calls }, "finish_reason": end }] });
    for (calls, end) in [
        (
            json!([{ "id": "a", "function": function("one", json!("{\"x\":1}")) }, { "id": "b", "function": function("two", json!("")) }]),
            "tool_calls",
        ),
        // All tool calls have the number 0.
        (
            json!([{ "index": 0, "id": "a", "function": function("one", json!("{\"x\":1}")) }, { "index": 0, "id": "b", "function": function("two", json!("{}")) }]),
            "stop",
        ),
        // The arguments are an object, and there are no ids.
        (
            json!([{ "function": function("one", json!({ "x": 1 })) }, { "function": function("two", json!({})) }]),
            "tool_calls",
        ),
    ] {
        let server = serve(vec![plain(
            "200 OK",
            "",
            &whole(calls.clone(), end).to_string(),
        )])
        .await;
        let ask = ModelRequest {
            tools: vec![ToolOffer {
                name: "one".to_owned(),
                description: String::new(),
                parameters: json!({ "type": "object" }),
            }],
            ..request()
        };
        let reply = call(Format::OpenAi, &server, ask).await;
        let used: Vec<(&str, &str)> = reply
            .uses
            .iter()
            .map(|used| (used.name.as_str(), used.arguments.as_str()))
            .collect();
        assert_eq!(used, [("one", "{\"x\":1}"), ("two", "{}")], "{calls}");
        assert_ne!(reply.uses[0].id, reply.uses[1].id);
    }
    // Tool calls whose arguments were cut off by the token limit are not run.
    let cut = whole(
        json!([{ "id": "a", "function": function("one", json!("{\"x\":")) }]),
        "length",
    );
    let server = serve(vec![plain("200 OK", "", &cut.to_string())]).await;
    let ask = ModelRequest {
        tools: vec![ToolOffer {
            name: "one".to_owned(),
            description: String::new(),
            parameters: json!({ "type": "object" }),
        }],
        ..request()
    };
    let remote = Format::OpenAi.remote(&Format::OpenAi.address(&server));
    let error = remote.call(ask, ModelContext::default()).await.unwrap_err();
    assert_eq!(error.code, "answer_cut", "{error:?}");
}
