//! Tests of the OpenAI-compatible provider over real sockets, against a server that misbehaves.

#![allow(clippy::unwrap_used)]

use crate::misbehaving;

use std::{
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use loopwright_engine::{
    CancellationToken, NodeError,
    host::{ModelContext, ModelReply, ModelRequest, ResponseFormat, Take, TokenSink},
};
use loopwright_providers::{Limits, ModelProvider, Protocol, Remote, RemoteConfig, Secret};
use misbehaving::{Do, Server, done, event, finish, good, head, plain, serve, text, usage};
use serde_json::{Value, json};

const KEY: &str = "sk-very-secret-key";

fn provider(url: &str) -> Remote {
    Remote::new(RemoteConfig {
        id: "openai".to_owned(),
        name: "Test".to_owned(),
        base_url: url.to_owned(),
        key: Some(Secret::new(KEY)),
        protocol: Protocol::ChatCompletions,
        limits: Limits {
            connect: Duration::from_secs(2),
            idle: Duration::from_millis(400),
            ..Limits::default()
        },
    })
    .unwrap()
}

fn request() -> ModelRequest {
    ModelRequest {
        model: Some("m".to_owned()),
        system: Some("Be brief.".to_owned()),
        prompt: "Hello".to_owned(),
        ..ModelRequest::default()
    }
}

async fn call(
    server: &Server,
    request: ModelRequest,
) -> (Result<ModelReply, NodeError>, Vec<String>) {
    let streamed = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&streamed);
    let sink = TokenSink::new(move |piece| seen.lock().unwrap().push(piece.to_owned()));
    let reply = provider(&server.url)
        .call(
            request,
            ModelContext {
                tokens: sink,
                ..ModelContext::default()
            },
        )
        .await;
    if let Err(error) = &reply {
        assert!(
            !error.message.contains(KEY),
            "a key in a message: {}",
            error.message
        );
    }
    let streamed = streamed.lock().unwrap().clone();
    (reply, streamed)
}

async fn failure(script: Vec<Do>) -> NodeError {
    let server = serve(vec![script]).await;
    call(&server, request()).await.0.unwrap_err()
}

fn body_of(request: &str) -> Value {
    serde_json::from_str(request.split_once("\r\n\r\n").unwrap().1).unwrap()
}

#[tokio::test]
async fn an_answer_is_streamed_and_counted() {
    let server = serve(vec![vec![
        head(),
        text("Hel"),
        Do::Sleep(20),
        text("lo."),
        finish("stop"),
        usage(7, 3),
        done(),
    ]])
    .await;
    let (reply, streamed) = call(
        &server,
        ModelRequest {
            temperature: Some(0.3),
            max_tokens: Some(9),
            ..request()
        },
    )
    .await;
    let reply = reply.unwrap();
    assert_eq!(
        (reply.text.as_str(), reply.model.as_str()),
        ("Hello.", "openai/m-1")
    );
    assert_eq!(streamed, ["Hel", "lo."]);
    assert_eq!(
        (
            reply.usage.calls,
            reply.usage.input_tokens,
            reply.usage.output_tokens,
            reply.usage.unpriced_calls
        ),
        (1, 7, 3, 1)
    );
    let sent = server.requests.lock().unwrap()[0].clone();
    assert!(
        sent.starts_with("POST /v1/chat/completions ") && sent.contains(&format!("Bearer {KEY}"))
    );
    let body = body_of(&sent);
    assert_eq!(
        body["messages"][0],
        json!({ "role": "system", "content": "Be brief." })
    );
    assert_eq!(
        (&body["stream"], &body["temperature"], &body["max_tokens"]),
        (&json!(true), &json!(0.3), &json!(9))
    );
}

#[tokio::test]
async fn letters_split_between_packets_come_out_whole() {
    let Do::Send(bytes) = text("naïve café — 数学 🙂") else {
        unreachable!()
    };
    let mut script = vec![head()];
    for byte in bytes {
        script.extend([Do::Send(vec![byte]), Do::Sleep(1)]);
    }
    script.extend([finish("stop"), done()]);
    let server = serve(vec![script]).await;
    assert_eq!(
        call(&server, request()).await.0.unwrap().text,
        "naïve café — 数学 🙂"
    );
}

#[tokio::test]
async fn an_end_without_a_finish_is_a_failure_that_quotes_what_came() {
    let error = failure(vec![head(), text("Half an ans"), Do::Close]).await;
    assert_eq!(error.code, "truncated");
    assert!(error.message.contains("Half an ans"), "{}", error.message);
    assert_eq!(failure(vec![head(), Do::Close]).await.code, "truncated");
    // The connection closes in the middle of an event, and then in the middle of an HTTP chunk.
    assert_eq!(
        failure(vec![
            head(),
            text("a"),
            Do::Send(b"data: {\"choices\": [{\"del".to_vec()),
            Do::Close
        ])
        .await
        .code,
        "truncated"
    );
    let chunked = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\nff\r\ndata: {\"cho".to_vec();
    assert_eq!(
        failure(vec![Do::Send(chunked), Do::Close]).await.code,
        "truncated"
    );
}

#[tokio::test]
async fn an_end_after_a_finish_needs_no_done() {
    let server = serve(vec![vec![
        head(),
        text("Whole."),
        finish("stop"),
        Do::Close,
    ]])
    .await;
    assert_eq!(call(&server, request()).await.0.unwrap().text, "Whole.");
}

/// The server said that the answer is complete, so a second call would only be paid again.
#[tokio::test]
async fn a_connection_that_breaks_after_a_finish_keeps_the_answer() {
    let Do::Send(said) = text("Whole.") else {
        panic!("text is sent")
    };
    let Do::Send(finished) = finish("stop") else {
        panic!("the finish is sent")
    };
    let body = String::from_utf8([said, finished].concat()).unwrap();
    // The last chunk, which ends the body, is missing.
    let answer = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n{:x}\r\n{body}\r\n",
        body.len()
    );
    let server = serve(vec![vec![Do::Send(answer.into_bytes()), Do::Close]]).await;
    assert_eq!(call(&server, request()).await.0.unwrap().text, "Whole.");
}

#[tokio::test]
async fn statuses_become_codes_and_words() {
    for (status, headers, body, code, says) in [
        (
            "401 Unauthorized",
            "",
            format!("{{\"error\": {{\"message\": \"bad key {KEY}\"}}}}"),
            "http_401",
            "does not accept the key",
        ),
        (
            "403 Forbidden",
            "",
            String::new(),
            "http_403",
            "does not accept the key",
        ),
        (
            "404 Not Found",
            "",
            "{\"error\": {\"message\": \"no model m\"}}".to_owned(),
            "http_404",
            "no model m",
        ),
        (
            "429 Too Many Requests",
            "retry-after: 7\r\n",
            String::new(),
            "http_429",
            "wait 7 s",
        ),
        (
            "503 Service Unavailable",
            "",
            "<html>down</html>".to_owned(),
            "http_503",
            "retry",
        ),
        (
            "302 Found",
            "location: http://127.0.0.1:1/\r\n",
            String::new(),
            "http_302",
            "not followed",
        ),
    ] {
        let error = failure(plain(status, headers, &body)).await;
        assert_eq!(error.code, code);
        assert!(error.message.contains(says), "{}", error.message);
    }
}

#[tokio::test]
async fn a_closed_port_is_a_network_failure() {
    // Nothing listens on port 1. A port that was free a moment ago may already be used by another test.
    let url = "http://127.0.0.1:1/v1".to_owned();
    let error = provider(&url)
        .call(request(), ModelContext::default())
        .await
        .unwrap_err();
    assert_eq!(error.code, "network");
    assert!(
        error.message.contains("127.0.0.1") && error.message.contains("running"),
        "{}",
        error.message
    );
}

#[tokio::test]
async fn silence_is_a_timeout() {
    assert_eq!(failure(vec![Do::Hang]).await.code, "timeout");
    let error = failure(vec![head(), text("Then"), Do::Hang]).await;
    assert_eq!(error.code, "timeout");
    assert!(error.message.contains("Then"), "{}", error.message);
}

#[tokio::test]
async fn a_slow_answer_that_keeps_coming_is_no_timeout() {
    let mut script = vec![head()];
    for _ in 0..5 {
        script.extend([text("x"), Do::Sleep(150)]);
    }
    script.extend([finish("stop"), done()]);
    let server = serve(vec![script]).await;
    assert_eq!(call(&server, request()).await.0.unwrap().text, "xxxxx");
}

#[tokio::test]
async fn what_is_no_protocol_is_reported() {
    assert_eq!(
        failure(vec![head(), event("{\"choices\": 3}")]).await.code,
        "malformed_answer"
    );
    assert_eq!(
        failure(vec![head(), event("not json")]).await.code,
        "malformed_answer"
    );
    assert_eq!(
        failure(vec![head(), Do::Send(b"data: \xff\xfe\n\n".to_vec())])
            .await
            .code,
        "malformed_answer"
    );
    let html =
        b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 4\r\n\r\nhtml".to_vec();
    assert_eq!(failure(vec![Do::Send(html)]).await.code, "malformed_answer");
    let error = failure(vec![
        head(),
        text("a"),
        event("{\"error\": {\"message\": \"overloaded\"}}"),
    ])
    .await;
    assert_eq!(error.code, "provider_error");
    assert!(error.message.contains("overloaded"));
}

#[tokio::test]
async fn filtered_cut_and_declined_answers_are_told_apart() {
    assert_eq!(
        failure(vec![head(), text("I "), finish("content_filter"), done()])
            .await
            .code,
        "content_filter"
    );
    let declined = event(
        "{\"choices\": [{\"delta\": {\"refusal\": \"I cannot help with that.\"}, \"finish_reason\": \"stop\"}]}",
    );
    assert_eq!(
        failure(vec![head(), declined, done()]).await.code,
        "refused"
    );
    let server = serve(vec![vec![head(), text("Cut he"), finish("length"), done()]]).await;
    let reply = call(&server, request()).await.0.unwrap();
    assert_eq!(
        (reply.text.as_str(), reply.warnings[0].0.as_str()),
        ("Cut he", "answer_cut")
    );
}

#[tokio::test]
async fn cancelling_closes_the_socket() {
    let server = serve(vec![vec![head(), text("Going on"), Do::Hang]]).await;
    let cancel = CancellationToken::new();
    let stop = cancel.clone();
    let sink = TokenSink::new(move |_| stop.cancel());
    let start = Instant::now();
    let error = provider(&server.url)
        .call(
            request(),
            ModelContext {
                tokens: sink,
                cancel,
                ..ModelContext::default()
            },
        )
        .await
        .unwrap_err();
    assert_eq!(error.code, "cancelled");
    assert!(start.elapsed() < Duration::from_millis(300));
    tokio::time::timeout(Duration::from_secs(2), server.left.notified())
        .await
        .expect("the server sees the client leave");
}

#[tokio::test]
async fn a_verdict_is_checked_and_repaired_once() {
    let choices = vec!["done".to_owned(), "continue".to_owned()];
    let ask = || ModelRequest {
        choices: choices.clone(),
        ..request()
    };
    let server = serve(vec![
        good("Perhaps."),
        good("{\"branch\": \"done\", \"reason\": \"All is there.\"}"),
    ])
    .await;
    let reply = call(&server, ask()).await.0.unwrap();
    assert_eq!(
        reply.json,
        Some(json!({ "branch": "done", "reason": "All is there." }))
    );
    assert_eq!(
        (
            reply.warnings[0].0.as_str(),
            reply.usage.calls,
            reply.usage.input_tokens
        ),
        ("answer_repaired", 2, 14)
    );
    let second = body_of(&server.requests.lock().unwrap()[1]);
    assert_eq!(second["messages"].as_array().unwrap().len(), 4);
    assert_eq!(
        second["response_format"]["json_schema"]["schema"]["properties"]["branch"]["enum"],
        json!(choices)
    );

    let server = serve(vec![
        good("{\"branch\": \"maybe\", \"reason\": \"\"}"),
        good("no"),
    ])
    .await;
    assert_eq!(
        call(&server, ask()).await.0.unwrap_err().code,
        "invalid_answer"
    );
}

#[tokio::test]
async fn a_schema_is_checked_and_a_server_without_it_still_serves() {
    let schema = json!({ "type": "object", "properties": { "score": { "type": "number" } }, "required": ["score"] });
    let refusal = plain(
        "400 Bad Request",
        "",
        "{\"error\": {\"message\": \"unknown field response_format\"}}",
    );
    let server = serve(vec![refusal, good("```json\n{\"score\": 4}\n```")]).await;
    let reply = call(
        &server,
        ModelRequest {
            response_format: ResponseFormat::Schema(schema),
            ..request()
        },
    )
    .await
    .0
    .unwrap();
    assert_eq!(reply.json, Some(json!({ "score": 4 })));
    let second = body_of(&server.requests.lock().unwrap()[1]);
    assert!(second.get("response_format").is_none());
    assert!(
        second["messages"][0]["content"]
            .as_str()
            .unwrap()
            .contains("JSON Schema")
    );
}

#[tokio::test]
async fn a_server_that_does_not_stream_is_read_too() {
    let whole = json!({ "id": "x", "model": "m-2", "choices": [{ "message": { "content": "In one piece." }, "finish_reason": "stop" }] });
    let server = serve(vec![plain("200 OK", "", &whole.to_string())]).await;
    let (reply, streamed) = call(&server, request()).await;
    let reply = reply.unwrap();
    assert_eq!((reply.text.as_str(), streamed.len()), ("In one piece.", 1));
    assert!(reply.usage.output_tokens > 0, "estimated");
}

#[tokio::test]
async fn a_call_that_can_have_no_model_and_a_bad_address_are_refused() {
    let server = serve(vec![]).await;
    assert_eq!(
        call(
            &server,
            ModelRequest {
                model: None,
                ..request()
            }
        )
        .await
        .0
        .unwrap_err()
        .code,
        "model_missing"
    );
    for url in [
        "localhost:1/v1",
        "ftp://host/v1",
        "http://user:pw@host/v1",
        "nonsense",
    ] {
        let config = RemoteConfig {
            id: "openai".to_owned(),
            name: "Test".to_owned(),
            base_url: url.to_owned(),
            key: None,
            protocol: Protocol::ChatCompletions,
            limits: Limits::default(),
        };
        let error = Remote::new(config).err().unwrap();
        assert_eq!(error.code, "provider_address", "{url}");
        assert!(!error.message.contains("pw"), "{}", error.message);
    }
}

#[tokio::test]
async fn the_test_lists_models() {
    let server = serve(vec![plain(
        "200 OK",
        "",
        "{\"data\": [{\"id\": \"a\"}, {\"id\": \"b\"}]}",
    )])
    .await;
    assert_eq!(
        provider(&server.url).test().await.unwrap().says,
        "Test answers with 2 models, such as a."
    );
}

#[tokio::test]
async fn without_a_model_the_first_listed_one_answers_and_is_reported() {
    let server = serve(vec![
        plain(
            "200 OK",
            "",
            "{\"data\": [{\"id\": \"a\"}, {\"id\": \"b\"}]}",
        ),
        good("Hello."),
    ])
    .await;
    let unnamed = ModelRequest {
        model: None,
        ..request()
    };
    let reply = call(&server, unnamed).await.0.unwrap();
    assert!(reply.text.contains("Hello"));
    assert_eq!(reply.warnings[0].0, "model_chosen");
    assert!(reply.warnings[0].1.contains('a'));
}

#[tokio::test]
async fn only_the_part_that_was_asked_for_is_taken() {
    let answers = |words: &str| vec![head(), text(words), finish("stop"), usage(7, 3), done()];
    let cases = [
        (
            Take::Marked,
            "Here is a revised version:\n<answer>Tides rise.</answer>\nI made two changes.",
            "Tides rise.",
            false,
        ),
        (Take::Marked, "Tides rise.", "Tides rise.", true),
        (
            Take::Code,
            "Sure!\n```lua\nreturn 1\n```\nIt works.",
            "return 1",
            false,
        ),
        (
            Take::Whole,
            "<answer>Tides</answer>",
            "<answer>Tides</answer>",
            false,
        ),
    ];
    for (take, said, taken, warns) in cases {
        let server = serve(vec![answers(said)]).await;
        let asked = ModelRequest { take, ..request() };
        let reply = call(&server, asked).await.0.unwrap();
        let warned = reply
            .warnings
            .iter()
            .any(|(code, _)| code == "answer_not_marked");
        assert_eq!((reply.text.as_str(), warned), (taken, warns), "{said}");
        // The record contains the model's text unchanged.
        assert_eq!(reply.raw.unwrap()["text"], said);
        let body = body_of(&server.requests.lock().unwrap()[0]);
        let prompt = body["messages"][1]["content"].as_str().unwrap();
        let word = match take {
            Take::Whole => "Hello",
            Take::Marked => "</answer>.",
            Take::Code => "code block.",
        };
        assert!(
            prompt.starts_with("Hello") && prompt.ends_with(word),
            "{prompt}"
        );
    }
    let server = serve(vec![answers("<answer> </answer>")]).await;
    let asked = ModelRequest {
        take: Take::Marked,
        ..request()
    };
    assert_eq!(
        call(&server, asked).await.0.unwrap_err().code,
        "empty_answer"
    );
}

/// llama-cpp-python's server aborts an answer when the next call arrives, and ends its stream normally.
#[tokio::test]
async fn a_stream_that_does_not_say_how_it_ended_is_not_taken_for_whole_in_silence() {
    let role =
        || event(r#"{"choices":[{"index":0,"delta":{"role":"assistant"},"finish_reason":null}]}"#);
    let server = serve(vec![vec![head(), role(), done()]]).await;
    let error = call(&server, request()).await.0.unwrap_err();
    assert_eq!(error.code, "truncated");
    let server = serve(vec![vec![head(), role(), text("Tides ri"), done()]]).await;
    let reply = call(&server, request()).await.0.unwrap();
    assert_eq!(reply.text, "Tides ri");
    let codes: Vec<_> = reply.warnings.iter().map(|(code, _)| &**code).collect();
    assert!(codes.contains(&"end_not_said"), "{codes:?}");
}
