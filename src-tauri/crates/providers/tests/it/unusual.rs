//! Tests the deviations of individual servers and gateways from their protocols, each in all of its variants.

#![allow(clippy::unwrap_used)]

use crate::misbehaving;
use crate::speaking;

use loopwright_engine::{
    NodeError,
    host::{ModelContext, ModelReply, ModelRequest, Models},
};
use loopwright_providers::{
    Keys, LocalServers, ModelProvider, ProviderSet, ProviderSettings, keys::MemoryKeys,
};
use misbehaving::{Do, Server, head, plain, serve};
use serde_json::{Value, json};
use speaking::Format;

fn request() -> ModelRequest {
    ModelRequest {
        model: Some("m-1".to_owned()),
        prompt: "Say good morning.".to_owned(),
        ..ModelRequest::default()
    }
}

async fn ask(format: Format, server: &Server) -> Result<ModelReply, NodeError> {
    let remote = format.remote(&format.address(server));
    remote.call(request(), ModelContext::default()).await
}

fn chunk(delta: Value, finish: Value) -> String {
    let chunk = json!({ "id": "c-1", "choices": [{ "index": 0, "delta": delta, "finish_reason": finish }] });
    format!("data: {chunk}\n\n")
}

/// Returns a stream of chat completions with exactly these events.
fn stream(events: &[&str]) -> Vec<Do> {
    vec![head(), Do::Send(events.concat().into_bytes())]
}

fn whole(body: &Value) -> Vec<Do> {
    plain("200 OK", "", &body.to_string())
}

#[tokio::test]
async fn events_that_keep_a_connection_alive_are_passed_over() {
    let good = [
        chunk(json!({ "content": "Good " }), json!(null)),
        chunk(json!({ "content": "morning." }), json!("stop")),
    ];
    for aside in [
        "data: null\n\n",
        "data: ping\n\n",
        "data: \"ping\"\n\n",
        "event: keepalive\ndata: keepalive\n\n",
        "event: heartbeat\ndata: 1764547200\n\n",
        "data: : OPENROUTER PROCESSING\n\n",
        // The blank line after the event is missing.
        "data: keep-alive\n",
    ] {
        let server = serve(vec![stream(&[aside, &good[0], aside, &good[1]])]).await;
        let reply = ask(Format::OpenAi, &server).await;
        assert_eq!(reply.unwrap().text, "Good morning.", "{aside}");
    }
    for lost in [
        "data: Service overloaded\n\n",
        "event: token\ndata: and a\n\n",
        "event: status\ndata: failed\n\n",
        // A chunk follows a missing blank line.
        "event: keepalive\ndata: on\ndata: {\"choices\":[]}\n\n",
    ] {
        let server = serve(vec![stream(&[&good[0], lost, &good[1]])]).await;
        let error = ask(Format::OpenAi, &server).await.unwrap_err();
        assert_eq!(error.code, "malformed_answer", "{lost}");
        assert!(error.message.contains("Good "), "{lost}: {}", error.message);
    }
}

/// A surrogate half may be at the end of a piece of text, in reasoning, or in an unstreamed answer.
#[tokio::test]
async fn a_character_that_was_cut_in_two_is_put_together() {
    let piece = |text: &str, finish: &str| {
        format!(
            "data: {{\"choices\":[{{\"delta\":{{\"content\":\"{text}\"}},\"finish_reason\":{finish}}}]}}\n\n"
        )
    };
    for (pieces, text) in [
        (&[r"a \ud83d", r"\ude00 b"][..], "a 😀 b"),
        (&[r"a \ud83d", "", r"\ude00"], "a 😀"),
        (&[r"a \ud83d", " b"], "a \u{fffd} b"),
        (&["a", r"\ud83d"], "a\u{fffd}"),
    ] {
        let last = pieces.len() - 1;
        let events: Vec<String> = (0..=last)
            .map(|at| piece(pieces[at], if at == last { "\"stop\"" } else { "null" }))
            .collect();
        let events: Vec<&str> = events.iter().map(String::as_str).collect();
        let server = serve(vec![stream(&events)]).await;
        assert_eq!(ask(Format::OpenAi, &server).await.unwrap().text, text);
    }
    let body = r#"{"choices":[{"message":{"content":[{"type":"text","text":"a \ud83d"},{"type":"text","text":"\ude00"}]},"finish_reason":"stop"}]}"#;
    let server = serve(vec![plain("200 OK", "", body)]).await;
    assert_eq!(ask(Format::OpenAi, &server).await.unwrap().text, "a 😀");
}

#[tokio::test]
async fn an_end_that_says_nothing_of_the_text_is_no_failure() {
    let answer = |text: &str, reason: &str| {
        whole(&json!({ "choices": [{ "message": { "content": text }, "finish_reason": reason }] }))
    };
    for (reason, warns) in [
        ("FINISH_REASON_STOP", None),
        ("tool_calls", None),
        ("function_call", None),
        ("incomplete", Some("answer_cut")),
        ("unknown", Some("end_not_said")),
        ("other", Some("end_not_said")),
        ("a_new_word", Some("end_not_said")),
    ] {
        let server = serve(vec![answer("Good morning.", reason)]).await;
        let reply = ask(Format::OpenAi, &server).await.unwrap();
        assert_eq!(reply.text, "Good morning.", "{reason}");
        let mut codes = reply.warnings.iter().map(|(code, _)| code.as_str());
        let found = codes.find(|code| ["answer_cut", "end_not_said"].contains(code));
        assert_eq!(found, warns, "{reason}");
    }
    for (text, reason) in [
        ("Good", "abort"),
        ("Good", "cancelled"),
        ("", "unknown"),
        ("", "tool_calls"),
    ] {
        let server = serve(vec![answer(text, reason)]).await;
        let error = ask(Format::OpenAi, &server).await.unwrap_err();
        assert_eq!(error.code, "provider_error", "{reason}");
    }
    // A tool call is recognised even if text precedes it.
    let call = json!([{ "function": { "name": "search", "arguments": "{}" } }]);
    let body = json!({ "choices": [{ "message": { "content": "Good", "tool_calls": call }, "finish_reason": "tool_calls" }] });
    let server = serve(vec![whole(&body)]).await;
    let error = ask(Format::OpenAi, &server).await.unwrap_err();
    assert!(error.message.contains("“search”"), "{}", error.message);
}

/// Apigee's form is from Google's *HTTP 429 as default status code for Quota policy violation*; iFlytek Spark's form is from
/// the documentation of its web API.
#[tokio::test]
async fn an_error_that_is_wrapped_is_one_in_one_piece_and_in_a_stream() {
    for (body, code, says) in [
        (
            json!({ "fault": { "faultstring": "Rate limit quota violation. Quota limit exceeded. Identifier : _default", "detail": { "errorcode": "policies.ratelimit.QuotaViolation" } } }),
            "http_429",
            "Rate limit quota violation",
        ),
        (
            json!({ "header": { "code": 10013, "message": "input audit failed", "sid": "cht000", "status": 2 } }),
            "content_filter",
            "input audit failed",
        ),
        (
            json!({ "header": { "code": 10110, "message": "service is busy", "sid": "cht000" } }),
            "http_503",
            "service is busy",
        ),
        (
            json!({ "header": { "code": 19999, "message": "something new" } }),
            "provider_error",
            "something new",
        ),
    ] {
        for answer in [whole(&body), stream(&[&format!("data: {body}\n\n")])] {
            let server = serve(vec![answer]).await;
            let error = ask(Format::OpenAi, &server).await.unwrap_err();
            assert_eq!(error.code, code, "{body}");
            assert!(error.message.contains(says), "{}", error.message);
        }
    }
}

#[tokio::test]
async fn a_message_may_be_its_text_alone() {
    let body = json!({ "choices": [{ "message": "Good morning.", "finish_reason": "stop" }] });
    let server = serve(vec![whole(&body)]).await;
    assert_eq!(
        ask(Format::OpenAi, &server).await.unwrap().text,
        "Good morning."
    );
    let body = json!({ "choices": [{ "message": 7, "finish_reason": "stop" }] });
    let server = serve(vec![whole(&body)]).await;
    let error = ask(Format::OpenAi, &server).await.unwrap_err();
    assert_eq!(error.code, "malformed_answer");
}

/// Returns a response with these bytes as its body.
fn bytes(status: &str, headers: &str, body: &[u8]) -> Vec<Do> {
    let head = format!(
        "HTTP/1.1 {status}\r\n{headers}content-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    );
    vec![Do::Send([head.as_bytes(), body].concat())]
}

/// A compressed answer causes an error that names the compression, because the request allows none. The message does not
/// contain the compressed bytes.
#[tokio::test]
async fn what_is_packed_is_an_error_that_says_how() {
    // The magic numbers of gzip and zstd, and bytes like those of raw deflate and Brotli.
    for (coding, body) in [
        ("gzip", &b"\x1f\x8b\x08\0\xab\x56\x4a"[..]),
        ("zstd", b"\x28\xb5\x2f\xfd\x04\0\x41"),
        ("deflate", b"\xab\x56\x4a\x54\xb2"),
        ("br", b"\x0f\x03\x80{\"a\""),
    ] {
        let headers = format!("content-type: application/json\r\ncontent-encoding: {coding}\r\n");
        let server = serve(vec![bytes("200 OK", &headers, body)]).await;
        let error = ask(Format::OpenAi, &server).await.unwrap_err();
        assert_eq!(error.code, "malformed_answer", "{coding}");
        assert!(
            error.message.contains(&format!("({coding})")),
            "{}",
            error.message
        );
        let server = serve(vec![bytes("429 Too Many", &headers, body)]).await;
        let error = ask(Format::OpenAi, &server).await.unwrap_err();
        assert_eq!(error.code, "http_429", "{coding}");
        assert!(!error.message.contains('\u{fffd}'), "{}", error.message);
        let server = serve(vec![bytes("200 OK", &headers, body)]).await;
        let remote = Format::OpenAi.remote(&server.url);
        let error = remote.models().await.unwrap_err();
        assert!(error.message.contains(coding), "{}", error.message);
    }
    let body = br#"{"choices":[{"message":{"content":"x"},"finish_reason":"stop"}]}"#;
    let server = serve(vec![bytes("200 OK", "content-encoding: utf-8\r\n", body)]).await;
    assert_eq!(ask(Format::OpenAi, &server).await.unwrap().text, "x");
}

/// JSON is UTF-8. An answer in another charset is an error, not text with wrong letters.
#[tokio::test]
async fn an_answer_in_another_charset_is_an_error() {
    let body = r#"{"choices":[{"message":{"content":"Grüße"},"finish_reason":"stop"}]}"#;
    let units =
        |mark: &str| -> Vec<u32> { mark.chars().chain(body.chars()).map(u32::from).collect() };
    let latin: Vec<u8> = units("").iter().map(|unit| *unit as u8).collect();
    let utf_16 = |mark| -> Vec<u8> {
        let units = units(mark).into_iter();
        units.flat_map(|unit| (unit as u16).to_le_bytes()).collect()
    };
    let utf_32 = |mark| -> Vec<u8> { units(mark).into_iter().flat_map(u32::to_le_bytes).collect() };
    for (charset, body) in [
        ("iso-8859-1", latin),
        ("utf-16", utf_16("\u{feff}")),
        ("utf-16", utf_16("")),
        ("utf-32", utf_32("\u{feff}")),
        ("utf-32", utf_32("")),
    ] {
        let kind = format!("content-type: application/json; charset={charset}\r\n");
        let server = serve(vec![bytes("200 OK", &kind, &body)]).await;
        let error = ask(Format::OpenAi, &server).await.unwrap_err();
        assert_eq!(error.code, "malformed_answer", "{charset}");
    }
}

/// Returns the providers that these variables set up.
fn set(variables: &[(&str, String)]) -> ProviderSet {
    let variable = |name: &str| {
        let mut all = variables.iter();
        all.find(|(known, _)| *known == name)
            .map(|(_, value)| value.clone())
    };
    ProviderSet::with(
        &ProviderSettings::default(),
        &variable,
        &Keys::of(MemoryKeys::default()),
        LocalServers::none(),
    )
    .unwrap()
}

async fn call(set: &ProviderSet, provider: &str) -> Result<ModelReply, NodeError> {
    let request = ModelRequest {
        provider: provider.to_owned(),
        ..request()
    };
    let models: &dyn Models = set;
    models.call(request, ModelContext::default()).await
}

/// Returns the first line of the request with this index, from 0: its method and path.
fn line(server: &Server, number: usize) -> String {
    let requests = server.requests.lock().unwrap();
    requests[number].lines().next().unwrap().to_owned()
}

#[tokio::test]
async fn every_request_has_the_query_of_the_address() {
    for (variable, provider, format, path, wanted) in [
        (
            "OPENAI_BASE_URL",
            "openai",
            Format::OpenAi,
            "/v1?api-version=1&tag=a%20b",
            "/v1/chat/completions?api-version=1&tag=a%20b",
        ),
        (
            "OPENAI_BASE_URL",
            "openai",
            Format::OpenAi,
            "/v1/chat/completions?x=1#y",
            "/v1/chat/completions?x=1",
        ),
        (
            "OPENAI_BASE_URL",
            "openai",
            Format::OpenAi,
            "/v1/chat",
            "/v1/chat/completions",
        ),
        (
            "ANTHROPIC_BASE_URL",
            "anthropic",
            Format::Anthropic,
            "/v1?x=1",
            "/v1/messages?x=1",
        ),
        (
            "GEMINI_BASE_URL",
            "gemini",
            Format::Gemini,
            "/v1beta/models/m:generateContent?alt=json&x=1",
            "/v1beta/models/m-1:streamGenerateContent?alt=sse&x=1",
        ),
        (
            "OLLAMA_HOST",
            "ollama",
            Format::OpenAi,
            "?x=1",
            "/v1/chat/completions?x=1",
        ),
        // The address's parameter sets the version and is not sent twice.
        (
            "AZURE_OPENAI_ENDPOINT",
            "azure",
            Format::Azure,
            "/openai/deployments/d/chat/completions?api-version=2025-01-01-preview",
            "/openai/deployments/m-1/chat/completions?api-version=2025-01-01-preview",
        ),
    ] {
        let server = serve(vec![format.good("Good morning.")]).await;
        let set = set(&[
            (variable, format!("{}{path}", server.root())),
            ("AZURE_OPENAI_API_KEY", "k".to_owned()),
        ]);
        let reply = call(&set, provider).await.unwrap();
        assert_eq!(reply.text, "Good morning.");
        assert_eq!(line(&server, 0), format!("POST {wanted} HTTP/1.1"));
    }
    let server = serve(vec![plain("200 OK", "", "{\"data\":[{\"id\":\"m-1\"}]}")]).await;
    let remote = Format::OpenAi.remote(&format!("{}?x=1", server.url));
    remote.models().await.unwrap();
    assert_eq!(line(&server, 0), "GET /v1/models?x=1 HTTP/1.1");
}

/// Messages show addresses, so an address with a key is rejected. The error does not contain the key.
#[tokio::test]
async fn a_key_in_a_query_is_refused() {
    for query in ["api_key=very-secret", "x=1&Key=very-secret"] {
        let address = format!("http://127.0.0.1:1/v1?{query}");
        let error = call(&set(&[("OPENAI_BASE_URL", address)]), "openai").await;
        let error = error.unwrap_err();
        assert_eq!(error.code, "provider_address");
        assert!(
            error.message.contains("contains a key") && !error.message.contains("very-secret"),
            "{}",
            error.message
        );
    }
}

/// The test's server listens only on the IPv4 address.
#[tokio::test]
async fn every_address_of_this_computer_is_tried_where_a_server_listens_at_all_of_them() {
    let server = serve(vec![Format::OpenAi.good("Good morning.")]).await;
    let port = server.root().rsplit(':').next().unwrap();
    let set = set(&[("OLLAMA_HOST", format!("[::]:{port}"))]);
    let began = std::time::Instant::now();
    assert_eq!(call(&set, "ollama").await.unwrap().text, "Good morning.");
    assert!(began.elapsed().as_secs() < 2, "{:?}", began.elapsed());
}
