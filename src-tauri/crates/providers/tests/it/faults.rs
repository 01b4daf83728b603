//! Tests how every provider reacts to each fault: a table that is run over real sockets, against a server that misbehaves.
//!
//! A row of the table is a fault. Its expectation is checked for each wire format in which the fault can occur.

#![allow(clippy::unwrap_used)]

use crate::misbehaving;
use crate::speaking;
use crate::tls;

use std::{
    sync::{Arc, Mutex, atomic::Ordering},
    time::{Duration, Instant},
};

use futures::{StreamExt as _, future, stream};
use loopwright_engine::{
    CancellationToken, NodeError,
    host::{ModelContext, ModelReply, ModelRequest, ResponseFormat, TokenSink},
};
use loopwright_providers::ModelProvider;
use misbehaving::{Do, Server, event, head, no_tls, plain, serve};
use speaking::{Ends, FORMATS, Format, KEY};

/// The expected result of a fault.
#[derive(Clone, Copy)]
enum Comes {
    /// A failure with this code.
    Fails {
        code: &'static str,
        /// The text of the answer that is kept although the call failed.
        partial: &'static str,
        /// Whether the failure is marked as uncertain, because the call may have been answered.
        uncertain: bool,
        /// A part of the error's message.
        says: &'static str,
        /// The milliseconds that the server asks to wait; `None` if it does not ask.
        wait: Option<u64>,
    },
    /// An answer with this text, and a warning of this code.
    Answers {
        text: &'static str,
        warning: Option<&'static str>,
    },
}

/// The destination of a call.
#[derive(Clone, Copy, PartialEq)]
enum At {
    Server,
    /// An https address of a server that does not speak TLS.
    Tls,
    /// An https server with a self-signed certificate.
    Untrusted,
    /// A port without a listener.
    Nobody,
}

struct Row {
    fault: &'static str,
    at: At,
    /// Returns the steps of the server; `None` if the fault cannot occur in the format.
    script: fn(Format) -> Option<Vec<Do>>,
    comes: Comes,
}

/// Expects a failure after which the call was certainly not answered.
const fn fails(code: &'static str, partial: &'static str, says: &'static str) -> Comes {
    Comes::Fails {
        code,
        partial,
        uncertain: false,
        says,
        wait: None,
    }
}

/// Expects a refusal that asks for a pause of this many milliseconds.
const fn waits(code: &'static str, says: &'static str, millis: u64) -> Comes {
    Comes::Fails {
        code,
        partial: "",
        uncertain: false,
        says,
        wait: Some(millis),
    }
}

/// Expects a failure after which the call may have been answered.
const fn breaks(code: &'static str, partial: &'static str, says: &'static str) -> Comes {
    Comes::Fails {
        code,
        partial,
        uncertain: true,
        says,
        wait: None,
    }
}

/// Returns the start of an answer with the text `text`, followed by these steps.
fn after(format: Format, text: &str, then: Vec<Do>) -> Option<Vec<Do>> {
    let mut out = format.begin();
    out.push(format.text(text));
    out.extend(then);
    Some(out)
}

/// Returns an answer with the text `text` that ends in this way; `None` if the format has no such end.
fn ending(format: Format, text: &str, ends: Ends, counted: bool) -> Option<Vec<Do>> {
    after(format, text, format.end(ends, counted)?)
}

fn bytes_of(piece: Do) -> Vec<u8> {
    match piece {
        Do::Send(bytes) => bytes,
        _ => unreachable!(),
    }
}

const WORDS: &str = "naïve café, 数学 🙂";

const ROWS: &[Row] = &[
    // ---- the server refuses the request instead of answering
    Row {
        fault: "429, Retry-After in seconds",
        at: At::Server,
        script: |f| Some(f.status("429 Too Many Requests", "retry-after: 7\r\n", "slow down")),
        comes: waits("http_429", "wait 7 s", 7_000),
    },
    Row {
        fault: "429, Retry-After as a date",
        at: At::Server,
        script: |f| {
            Some(f.status("429 Too Many Requests", "date: Sun, 06 Nov 1994 08:49:37 GMT\r\nretry-after: Sun, 06 Nov 1994 08:50:07 GMT\r\n", "slow down"))
        },
        comes: waits("http_429", "wait 30 s", 30_000),
    },
    Row {
        fault: "429, Retry-After as a date that is over",
        at: At::Server,
        script: |f| {
            Some(f.status("429 Too Many Requests", "date: Sun, 06 Nov 1994 08:49:37 GMT\r\nretry-after: Sun, 06 Nov 1994 08:00:00 GMT\r\n", "slow down"))
        },
        comes: waits("http_429", "(status 429). It said", 0),
    },
    Row {
        fault: "429, Retry-After of a thousand years",
        at: At::Server,
        script: |f| {
            Some(f.status(
                "429 Too Many Requests",
                "retry-after: 31556952000\r\n",
                "slow down",
            ))
        },
        comes: waits("http_429", "wait more than 10 years", 31_556_952_000_000),
    },
    Row {
        fault: "429, Retry-After beyond all numbers",
        at: At::Server,
        script: |f| {
            Some(f.status(
                "429 Too Many Requests",
                "retry-after: 99999999999999999999999999\r\n",
                "slow down",
            ))
        },
        comes: waits("http_429", "wait", u64::MAX),
    },
    Row {
        fault: "429, Retry-After that is no time",
        at: At::Server,
        script: |f| {
            Some(f.status(
                "429 Too Many Requests",
                "retry-after: soon\r\n",
                "slow down",
            ))
        },
        comes: fails("http_429", "", "too many requests"),
    },
    Row {
        fault: "429, a negative Retry-After",
        at: At::Server,
        script: |f| Some(f.status("429 Too Many Requests", "retry-after: -5\r\n", "slow down")),
        comes: fails("http_429", "", "too many requests"),
    },
    Row {
        fault: "429, the wait in the body",
        at: At::Server,
        script: |f| {
            (f == Format::Gemini).then(|| plain("429 Too Many Requests", "", r#"{"error":{"code":429,"message":"Quota","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"23s"}]}}"#))
        },
        comes: waits("http_429", "wait 23 s", 23_000),
    },
    Row {
        fault: "500",
        at: At::Server,
        script: |f| Some(f.status("500 Internal Server Error", "", "oh")),
        comes: fails("http_500", "", "a retry may help"),
    },
    Row {
        fault: "503 with a page",
        at: At::Server,
        script: |_| {
            Some(plain(
                "503 Service Unavailable",
                "retry-after: 2\r\n",
                "<html>down</html>",
            ))
        },
        comes: waits("http_503", "wait 2 s", 2_000),
    },
    Row {
        fault: "529",
        at: At::Server,
        script: |f| Some(f.status("529 Overloaded", "", "Overloaded")),
        comes: fails("http_529", "", "Overloaded"),
    },
    Row {
        fault: "400",
        at: At::Server,
        script: |f| Some(f.status("400 Bad Request", "", "no such thing")),
        comes: fails("http_400", "", "no such thing"),
    },
    Row {
        fault: "401 that says the key back",
        at: At::Server,
        script: |f| Some(f.status("401 Unauthorized", "", &format!("Incorrect key: {KEY}"))),
        comes: fails("http_401", "", "***"),
    },
    Row {
        fault: "403",
        at: At::Server,
        script: |f| Some(f.status("403 Forbidden", "", "")),
        comes: fails("http_403", "", "does not accept the key"),
    },
    Row {
        fault: "404",
        at: At::Server,
        script: |f| Some(f.status("404 Not Found", "", "no model m")),
        comes: fails("http_404", "", "no model m"),
    },
    Row {
        fault: "a redirect",
        at: At::Server,
        script: |_| Some(plain("302 Found", "location: http://127.0.0.1:1/\r\n", "")),
        comes: fails("http_302", "", "not followed"),
    },
    Row {
        fault: "a refusal without an end",
        at: At::Server,
        script: |_| {
            Some(vec![
                Do::Send(b"HTTP/1.1 500 Oh\r\ncontent-type: text/plain\r\n\r\n".to_vec()),
                Do::Flood(vec![b'x'; 64 << 10], 1 << 30),
            ])
        },
        comes: fails("http_500", "", "failed"),
    },
    Row {
        fault: "context overflow",
        at: At::Server,
        script: |f| Some(f.overflow()),
        comes: fails("context_overflow", "", "Shorten"),
    },
    // ---- no connection
    Row {
        fault: "nobody listens",
        at: At::Nobody,
        script: |_| Some(vec![]),
        comes: fails("network", "", "Check that the server is running"),
    },
    Row {
        fault: "no TLS",
        at: At::Tls,
        script: |_| Some(vec![]),
        comes: fails("tls", "", "secure connection"),
    },
    Row {
        fault: "a certificate that nobody trusts",
        at: At::Untrusted,
        script: |_| Some(vec![]),
        comes: fails("certificate", "", "is not trusted by this computer"),
    },
    Row {
        fault: "the connection closes without a word",
        at: At::Server,
        script: |_| Some(vec![Do::Close]),
        comes: breaks("network", "", "failed"),
    },
    // ---- silence
    Row {
        fault: "silence",
        at: At::Server,
        script: |_| Some(vec![Do::Hang]),
        comes: breaks("timeout", "", "sent nothing for"),
    },
    Row {
        fault: "silence in the middle",
        at: At::Server,
        script: |f| after(f, "Then", vec![Do::Hang]),
        comes: breaks("timeout", "Then", "sent nothing for"),
    },
    Row {
        fault: "a byte now and then",
        at: At::Server,
        script: |f| after(f, "Then", vec![Do::Drip(vec![b'd'; 100], 300)]),
        comes: breaks("timeout", "Then", "sent nothing for"),
    },
    Row {
        fault: "a head now and then",
        at: At::Server,
        script: |_| {
            Some(vec![Do::Drip(
                b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n".to_vec(),
                300,
            )])
        },
        comes: breaks("timeout", "", "sent nothing for"),
    },
    Row {
        fault: "pings, and nothing else",
        at: At::Server,
        script: |f| {
            let pings = (0..40).flat_map(|_| [f.ping(), Do::Sleep(100)]);
            after(f, "Then", pings.collect())
        },
        comes: breaks("timeout", "Then", "without sending any of the answer"),
    },
    // ---- broken answers
    Row {
        fault: "an error event after 200, whose type has a status",
        at: At::Server,
        script: |f| (f == Format::Anthropic).then(|| after(f, "Half", vec![f.error_event()]))?,
        comes: breaks("http_529", "Half", "Overloaded"),
    },
    Row {
        fault: "an error event after 200, by the name of server_error",
        at: At::Server,
        script: |f| {
            matches!(f, Format::OpenAi | Format::Azure)
                .then(|| after(f, "Half", vec![f.error_event()]))?
        },
        comes: breaks("http_500", "Half", "The server had an error"),
    },
    Row {
        fault: "an error event after 200, with its status",
        at: At::Server,
        script: |f| (f == Format::Gemini).then(|| after(f, "Half", vec![f.error_event()]))?,
        comes: breaks("http_503", "Half", "in its answer"),
    },
    Row {
        fault: "an error of a known status before anything of an answer",
        at: At::Server,
        script: |_| {
            Some(vec![
                head(),
                event(r#"{"error":{"code":429,"message":"slow down"}}"#),
            ])
        },
        comes: fails("http_429", "", "slow down"),
    },
    Row {
        fault: "a limit in one piece after 200, with its pause",
        at: At::Server,
        script: |_| {
            Some(plain(
                "200 OK",
                "retry-after: 4\r\n",
                r#"{"error":{"code":"502","message":"gone"}}"#,
            ))
        },
        comes: waits("http_502", "gone", 4_000),
    },
    Row {
        fault: "a quota that is spent",
        at: At::Server,
        script: |_| {
            Some(plain(
                "429 Too Many Requests",
                "",
                r#"{"error":{"code":"insufficient_quota","message":"You exceeded your current quota"}}"#,
            ))
        },
        comes: fails("quota_spent", "", "exceeded your current quota"),
    },
    Row {
        fault: "a page of a firewall",
        at: At::Server,
        script: |_| {
            Some(plain(
                "403 Forbidden",
                "",
                "<!DOCTYPE html><html><head><title>Just a moment...</title></head></html>",
            ))
        },
        comes: fails("http_403", "", "“Just a moment...”"),
    },
    Row {
        fault: "an event that only its name says to be an error, and then the rest of the answer",
        at: At::Server,
        script: |f| {
            let mut then = vec![f.named_error(), f.text("Rest")];
            then.extend(f.end(Ends::Well, true)?);
            after(f, "Half", then)
        },
        comes: breaks("provider_error", "Half", "boom"),
    },
    Row {
        fault: "an event by the name of error that is no JSON",
        at: At::Server,
        script: |f| {
            after(
                f,
                "Half",
                vec![Do::Send(b"event: error\ndata: boom\n\n".to_vec())],
            )
        },
        comes: breaks("provider_error", "Half", "boom"),
    },
    Row {
        fault: "an error event in the shape of another server",
        at: At::Server,
        script: |f| {
            let error = event(
                r#"{"object":"error","message":"boom","type":"InternalServerError","code":500}"#,
            );
            matches!(f, Format::OpenAi | Format::Azure).then(|| after(f, "Half", vec![error]))?
        },
        comes: breaks("http_500", "Half", "boom"),
    },
    Row {
        fault: "an error in one piece after 200",
        at: At::Server,
        script: |_| Some(plain("200 OK", "", r#"{"error":{"message":"boom"}}"#)),
        comes: breaks("provider_error", "", "boom"),
    },
    Row {
        fault: "two ends that differ",
        at: At::Server,
        script: |f| {
            let mut then = f.end(Ends::Length, false)?;
            // Drops the event that marks the end.
            then.truncate(match f {
                Format::Anthropic => 2,
                _ => 1,
            });
            then.extend(
                f.end(Ends::Well, true)?
                    .into_iter()
                    .skip(usize::from(f == Format::Anthropic)),
            );
            after(f, "Once.", then)
        },
        comes: breaks("malformed_answer", "Once.", "two finish reasons"),
    },
    Row {
        fault: "the same end twice",
        at: At::Server,
        script: |f| {
            let mut then = f.end(Ends::Well, false)?;
            then.truncate(match f {
                Format::Anthropic => 2,
                _ => 1,
            });
            then.extend(
                f.end(Ends::Well, true)?
                    .into_iter()
                    .skip(usize::from(f == Format::Anthropic)),
            );
            after(f, "Once.", then)
        },
        comes: Comes::Answers {
            text: "Once.",
            warning: None,
        },
    },
    Row {
        fault: "another answer in between",
        at: At::Server,
        script: |f| {
            let mut then = vec![f.other("no")?, f.text("lo"), f.other("pe")?];
            then.extend(f.end(Ends::Well, true)?);
            after(f, "Hel", then)
        },
        comes: Comes::Answers {
            text: "Hello",
            warning: Some("answers_left_out"),
        },
    },
    Row {
        fault: "another answer alone",
        at: At::Server,
        script: |f| {
            let script = vec![head(), f.other("no")?, event("[DONE]")];
            matches!(f, Format::OpenAi | Format::Azure).then_some(script)
        },
        comes: fails("empty_answer", "", "empty"),
    },
    Row {
        fault: "no terminal event",
        at: At::Server,
        script: |f| after(f, "Half an ans", vec![Do::Close]),
        comes: breaks("truncated", "Half an ans", "Half an ans"),
    },
    Row {
        fault: "no event at all",
        at: At::Server,
        script: |_| Some(vec![head(), Do::Close]),
        comes: breaks("truncated", "", "ended before"),
    },
    Row {
        fault: "the end in the middle of an event",
        at: At::Server,
        script: |f| after(f, "a", vec![Do::Send(b"data: {\"choi".to_vec()), Do::Close]),
        comes: breaks("truncated", "a", "ended before"),
    },
    Row {
        fault: "the end in the middle of a chunk",
        at: At::Server,
        script: |_| {
            Some(vec![Do::Send(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\nff\r\ndata: {\"cho".to_vec()), Do::Close])
        },
        comes: breaks("truncated", "", "was cut off"),
    },
    Row {
        fault: "letters split between packets",
        at: At::Server,
        script: |f| {
            let mut out = f.begin();
            out.push(Do::Drip(bytes_of(f.text(WORDS)), 0));
            out.extend(f.end(Ends::Well, true)?);
            Some(out)
        },
        comes: Comes::Answers {
            text: WORDS,
            warning: None,
        },
    },
    Row {
        fault: "invalid UTF-8",
        at: At::Server,
        script: |f| after(f, "a", vec![Do::Send(b"data: \"\xff\xfe\"\n\n".to_vec())]),
        comes: breaks("malformed_answer", "a", ""),
    },
    Row {
        fault: "an event that is no JSON",
        at: At::Server,
        script: |f| after(f, "a", vec![event("not json")]),
        comes: breaks("malformed_answer", "a", "does not follow"),
    },
    Row {
        fault: "an event of another shape",
        at: At::Server,
        script: |f| {
            after(
                f,
                "a",
                vec![event("{\"choices\": 3, \"candidates\": 3, \"type\": 3}")],
            )
        },
        comes: breaks("malformed_answer", "a", "does not follow"),
    },
    Row {
        fault: "duplicate events",
        at: At::Server,
        script: |f| Some(f.twice()),
        comes: breaks("malformed_answer", "Once.", ""),
    },
    Row {
        fault: "a page instead of an answer",
        at: At::Server,
        script: |_| {
            Some(vec![Do::Send(
                b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 4\r\n\r\nhtml"
                    .to_vec(),
            )])
        },
        comes: breaks("malformed_answer", "", "text/html"),
    },
    Row {
        fault: "JSON that is no answer",
        at: At::Server,
        script: |_| Some(plain("200 OK", "", "\"nothing\"")),
        comes: breaks("malformed_answer", "", ""),
    },
    // ---- too much
    Row {
        fault: "a gigabyte of events",
        at: At::Server,
        script: |f| after(f, "a", vec![Do::Flood(b": more\n".repeat(4096), 1 << 30)]),
        comes: breaks("answer_too_long", "a", "longer than 1 MB"),
    },
    Row {
        fault: "a gigabyte in one piece",
        at: At::Server,
        script: |_| {
            Some(vec![Do::Send(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 1073741824\r\n\r\n".to_vec()), Do::Flood(vec![b' '; 64 << 10], 1 << 30)])
        },
        comes: breaks("answer_too_long", "", "longer than 1 MB"),
    },
    Row {
        fault: "an endless line",
        at: At::Server,
        script: |f| {
            after(
                f,
                "a",
                vec![
                    Do::Send(b"data: ".to_vec()),
                    Do::Flood(vec![b'x'; 16 << 10], 1 << 30),
                ],
            )
        },
        comes: breaks("answer_too_long", "a", "line"),
    },
    Row {
        fault: "a gzip bomb",
        at: At::Server,
        script: |_| {
            Some(vec![Do::Send(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-encoding: gzip\r\n\r\n\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03".to_vec()), Do::Flood(vec![0; 64 << 10], 1 << 30)])
        },
        comes: breaks("malformed_answer", "", "compressed (gzip)"),
    },
    // ---- the response ends without an answer
    Row {
        fault: "refusal",
        at: At::Server,
        script: |f| ending(f, "", Ends::Refused, true),
        comes: fails("refused", "", "declined"),
    },
    Row {
        fault: "content filter",
        at: At::Server,
        script: |f| ending(f, "I ", Ends::Filtered, true),
        comes: fails("content_filter", "I ", "withheld"),
    },
    Row {
        fault: "a blocked prompt",
        at: At::Server,
        script: |f| {
            (f == Format::Gemini).then(|| vec![head(), event("{\"promptFeedback\": {\"blockReason\": \"SAFETY\"}, \"usageMetadata\": {\"promptTokenCount\": 7}}")])
        },
        comes: fails("content_filter", "", "the prompt was blocked"),
    },
    Row {
        fault: "length stop",
        at: At::Server,
        script: |f| ending(f, "Cut he", Ends::Length, true),
        comes: Comes::Answers {
            text: "Cut he",
            warning: Some("answer_cut"),
        },
    },
    Row {
        fault: "empty choices",
        at: At::Server,
        script: |f| Some(f.empty()),
        comes: fails("empty_answer", "", "empty"),
    },
    Row {
        fault: "missing usage",
        at: At::Server,
        script: |f| (f != Format::Gemini).then(|| ending(f, "Whole.", Ends::Well, false))?,
        comes: Comes::Answers {
            text: "Whole.",
            warning: Some("usage_missing"),
        },
    },
];

fn request() -> ModelRequest {
    ModelRequest {
        model: Some("m".to_owned()),
        system: Some("Be brief.".to_owned()),
        prompt: "Hello".to_owned(),
        ..ModelRequest::default()
    }
}

async fn call(format: Format, address: &str) -> Result<ModelReply, NodeError> {
    let remote = format.remote(address);
    remote.call(request(), ModelContext::default()).await
}

async fn address(row: &Row, format: Format, server: &Server) -> String {
    match row.at {
        At::Server => format.address(server),
        At::Tls => no_tls().await,
        At::Untrusted => format!("https://{}/v1", tls::untrusted().await.0),
        // Nothing listens on port 1.
        At::Nobody => "http://127.0.0.1:1".to_owned(),
    }
}

/// Runs the row's fault in this format. Returns the differences from the expected result; `None` if there are none, or if
/// the fault does not exist in this format.
async fn check(row: &Row, format: Format) -> Option<String> {
    let script = (row.script)(format)?;
    let server = serve(vec![script]).await;
    let began = Instant::now();
    let reply = call(format, &address(row, format, &server).await).await;
    let wrong = |what: String| Some(format!("{} ({format:?}): {what}", row.fault));
    if began.elapsed() > Duration::from_secs(8) {
        return wrong(format!("it took {:?}", began.elapsed()));
    }
    if server.flooded.load(Ordering::SeqCst) > 16 << 20 {
        return wrong("much more was read than is allowed".to_owned());
    }
    if server.requests.lock().unwrap().len() > 1 {
        return wrong("it was sent more than once".to_owned());
    }
    match (row.comes, reply) {
        (Comes::Answers { text, warning }, Ok(reply)) => {
            let warned = reply.warnings.first().map(|(code, _)| code.as_str());
            (reply.text != text || warned != warning)
                .then(|| wrong(format!("“{}”, {warned:?}", reply.text)))?
        }
        (
            Comes::Fails {
                code,
                partial,
                uncertain,
                says,
                wait,
            },
            Err(error),
        ) => {
            let kept = error.partial().unwrap_or_default();
            let shown = format!("{error:?}");
            if shown.contains(KEY) {
                return wrong("the key is in the error".to_owned());
            }
            let calls = u64::from(uncertain);
            let counted = !uncertain || error.usage.calls == calls;
            (error.code != code
                || kept != partial
                || error.is_uncertain() != uncertain
                || !error.message.contains(says)
                || error.retry_after_ms() != wait
                || !counted)
                .then(|| wrong(shown))?
        }
        (_, Ok(reply)) => wrong(format!("it was answered: “{}”", reply.text)),
        (_, Err(error)) => wrong(format!("it failed: {error:?}")),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_fault_has_the_result_of_its_row() {
    let cases = ROWS
        .iter()
        .flat_map(|row| FORMATS.map(|format| (row, format)));
    // Limited concurrency: a server that waits for the processor must not count as silent.
    let wrong: Vec<String> = stream::iter(cases)
        .map(|(row, format)| check(row, format))
        .buffered(16)
        .filter_map(future::ready)
        .collect()
        .await;
    assert!(
        wrong.is_empty(),
        "{} of the rows differ:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

/// The error names the server and what to do, and the call is not repeated.
#[tokio::test]
async fn a_certificate_that_nobody_trusts_is_named_with_its_server_and_a_remedy() {
    for format in FORMATS {
        let (address, calls) = tls::untrusted().await;
        let error = call(format, &format!("https://{address}/v1"))
            .await
            .unwrap_err();
        assert_eq!(error.code, "certificate", "{format:?}");
        for part in [address.as_str(), "UnknownIssuer", "trusted certificates"] {
            assert!(
                error.message.contains(part),
                "{format:?}: {}",
                error.message
            );
        }
        assert!(!error.is_uncertain() && error.usage.calls == 0);
        assert_eq!(calls.load(Ordering::SeqCst), 1, "{format:?}");
    }
}

#[tokio::test]
async fn cancelling_closes_the_socket_within_a_second() {
    for format in FORMATS {
        let server = serve(vec![after(format, "Going on", vec![Do::Hang]).unwrap()]).await;
        let cancel = CancellationToken::new();
        let stop = cancel.clone();
        let began = Arc::new(Mutex::new(None));
        let at = Arc::clone(&began);
        let sink = TokenSink::new(move |_| {
            *at.lock().unwrap() = Some(Instant::now());
            stop.cancel();
        });
        let remote = format.remote(&format.address(&server));
        let error = remote
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
        tokio::time::timeout(Duration::from_secs(1), server.left.notified())
            .await
            .expect("the server sees the client leave");
        let began = began.lock().unwrap().unwrap();
        assert!(began.elapsed() < Duration::from_secs(1), "{format:?}");
    }
}

/// Cancelling closes the socket even if no part of the answer was received.
#[tokio::test]
async fn cancelling_a_silent_call_closes_the_socket_within_a_second() {
    for format in FORMATS {
        let server = serve(vec![vec![Do::Hang]]).await;
        let cancel = CancellationToken::new();
        let remote = format.remote(&format.address(&server));
        let calling = remote.call(
            request(),
            ModelContext {
                cancel: cancel.clone(),
                ..ModelContext::default()
            },
        );
        let stopping = async {
            while server.requests.lock().unwrap().is_empty() {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
            cancel.cancel();
            Instant::now()
        };
        let (came, stopped) = future::join(calling, stopping).await;
        assert_eq!(came.unwrap_err().code, "cancelled", "{format:?}");
        tokio::time::timeout(Duration::from_secs(1), server.left.notified())
            .await
            .expect("the server sees the client leave");
        assert!(stopped.elapsed() < Duration::from_secs(1), "{format:?}");
    }
}

/// Truncated JSON is not requested again, because it would be truncated again.
#[tokio::test]
async fn json_that_was_cut_is_a_failure_of_its_own() {
    for format in FORMATS {
        let cut = ending(format, "{\"a\": [1, 2", Ends::Length, true).unwrap();
        let server = serve(vec![cut]).await;
        let ask = ModelRequest {
            response_format: ResponseFormat::Json,
            ..request()
        };
        let remote = format.remote(&format.address(&server));
        let error = remote.call(ask, ModelContext::default()).await.unwrap_err();
        assert_eq!((error.code.as_str(), error.usage.calls), ("answer_cut", 1));
        assert_eq!(error.partial(), Some("{\"a\": [1, 2"));
    }
}

/// The server takes longer to answer than the default time limit. The node's `timeout` raises that limit.
#[tokio::test]
async fn an_answer_has_a_whole_time_that_its_node_can_make_longer() {
    let drips = |format: Format| {
        let words = (0..25).flat_map(|_| [format.text("x"), Do::Sleep(200)]);
        let mut then: Vec<_> = words.collect();
        then.extend(format.end(Ends::Well, true).unwrap());
        after(format, "Then", then).unwrap()
    };
    let calls = FORMATS.map(|format| async move {
        let server = serve(vec![drips(format), drips(format)]).await;
        let remote = format.remote(&format.address(&server));
        let ask = |timeout_ms| ModelRequest {
            timeout_ms,
            ..request()
        };
        let call = |ask| remote.call(ask, ModelContext::default());
        let (error, patient) = future::join(call(ask(None)), call(ask(Some(20_000)))).await;
        let error = error.unwrap_err();
        assert_eq!(error.code, "timeout", "{format:?}");
        assert!(error.message.contains("not complete after 3 s"), "{error}");
        assert!(error.message.contains("`timeout`"), "{error}");
        assert!(error.partial().unwrap().starts_with("Thenx"));
        assert!(error.is_uncertain() && error.usage.calls == 1);
        assert!(patient.unwrap().text.ends_with('x'), "{format:?}");
    });
    future::join_all(calls).await;
}

#[tokio::test]
async fn counts_that_are_none_are_not_known_and_said() {
    for format in FORMATS {
        for count in [
            "9223372036854775808",
            "18446744073709551615",
            "1000000000001",
            "-1",
            "7.5",
            "1e300",
            "\"7\"",
            "[7]",
        ] {
            let server = serve(vec![format.counting("Whole.", count)]).await;
            let reply = call(format, &format.address(&server)).await.unwrap();
            let wrong = format!("{format:?} {count}: {reply:?}");
            assert_eq!(reply.text, "Whole.", "{wrong}");
            let codes: Vec<_> = reply
                .warnings
                .iter()
                .map(|(code, _)| code.as_str())
                .collect();
            assert_eq!(codes, ["usage_unreadable"], "{wrong}");
            assert_eq!(
                (reply.usage.calls, reply.usage.unpriced_calls),
                (1, 1),
                "{wrong}"
            );
            assert!(reply.usage.tokens() < 100, "{wrong}");
        }
    }
}

/// The answer arrives in pieces of one letter. It contains the key unchanged, in hexadecimal, and reversed.
#[tokio::test]
async fn an_echoed_key_is_in_no_stream_and_no_answer() {
    let said = |format: Format, text: &str| {
        let letters = text.chars().map(|letter| format.text(&letter.to_string()));
        let mut then: Vec<_> = letters.collect();
        then.extend(format.end(Ends::Well, true).unwrap());
        after(format, "", then).unwrap()
    };
    for format in FORMATS {
        let hex: String = KEY.bytes().map(|byte| format!("{byte:02x}")).collect();
        let backwards: String = KEY.chars().rev().collect();
        for form in [KEY, hex.as_str(), backwards.as_str()] {
            let server = serve(vec![said(format, &format!("It is {form}; sk-v no."))]).await;
            let streamed = Arc::new(Mutex::new(String::new()));
            let into = Arc::clone(&streamed);
            let sink = TokenSink::new(move |piece| into.lock().unwrap().push_str(piece));
            let remote = format.remote(&format.address(&server));
            let reply = remote
                .call(
                    request(),
                    ModelContext {
                        tokens: sink,
                        ..ModelContext::default()
                    },
                )
                .await;
            assert_eq!(
                *streamed.lock().unwrap(),
                "It is ***; sk-v no.",
                "{format:?}"
            );
            assert_eq!(reply.unwrap().text, "It is ***; sk-v no.");
        }
        // The key spans the position at which a message is truncated, or is escaped in JSON.
        let mut script = said(format, &format!("{}{KEY}", "x".repeat(290)));
        script.truncate(script.len() - 1);
        script.push(format.named_error());
        let server = serve(vec![script]).await;
        let error = call(format, &format.address(&server)).await.unwrap_err();
        assert!(!error.message.contains("sk-very"), "{error}");
        let escaped = KEY.replacen('s', "\\u0073", 1);
        let server = serve(vec![said(format, &format!("{{\"a\": \"{escaped}\"}}"))]).await;
        let ask = ModelRequest {
            response_format: ResponseFormat::Json,
            ..request()
        };
        let remote = format.remote(&format.address(&server));
        let reply = remote.call(ask, ModelContext::default()).await;
        assert_eq!(reply.unwrap().json.unwrap()["a"], "***");
    }
}

/// The last digits of the number may be missing.
#[tokio::test]
async fn a_number_that_was_cut_is_no_answer() {
    for format in FORMATS {
        let server = serve(vec![ending(format, "12", Ends::Length, true).unwrap()]).await;
        let ask = ModelRequest {
            response_format: ResponseFormat::Json,
            ..request()
        };
        let remote = format.remote(&format.address(&server));
        let error = remote.call(ask, ModelContext::default()).await;
        let error = error.unwrap_err();
        assert_eq!(
            (error.code.as_str(), error.partial()),
            ("answer_cut", Some("12"))
        );
    }
}

#[tokio::test]
async fn a_prompt_that_was_cut_is_told_by_the_tokens_that_were_counted() {
    let words = "The lighthouse keeper wrote down what he saw, every evening. ".repeat(3_000);
    let digits = "0123456789abcdef".repeat(12_500);
    // The prompt, the number of tokens that the server reports, and whether this number shows that the server truncated the
    // prompt.
    for (prompt, counted, cut) in [
        (&words, 2_048, true),
        (&words, 36_000, false),
        (&digits, 2_048, true),
        (&digits, 100_000, false),
        // A plausible count for text that is a single word, and a server that does not count.
        (&digits, 12_500, false),
        (&words, 0, false),
    ] {
        let format = Format::OpenAi;
        let server = serve(vec![format.counting("Whole.", &counted.to_string())]).await;
        let ask = ModelRequest {
            prompt: prompt.clone(),
            ..request()
        };
        let remote = format.remote(&format.address(&server));
        let reply = remote.call(ask, ModelContext::default()).await;
        let warnings = reply.unwrap().warnings;
        let said = warnings.iter().find(|(code, _)| code == "prompt_cut");
        assert_eq!(said.is_some(), cut, "{counted}: {warnings:?}");
        if let Some((_, words)) = said {
            assert!(
                words.contains("2050 tokens") && words.contains("context"),
                "{words}"
            );
        }
    }
}
