//! What every provider does about each fault: a table over real sockets, against a server that misbehaves.
//!
//! A row is a fault; its expectation holds for each wire format that the fault can happen to.

#![allow(clippy::unwrap_used)]

mod misbehaving;
mod speaking;
#[path = "misbehaving/tls.rs"]
mod tls;

use std::{
    sync::{Arc, Mutex, atomic::Ordering},
    time::{Duration, Instant},
};

use futures::{StreamExt as _, future, stream};
use loopwright_engine::{
    NodeError,
    host::{ModelReply, ModelRequest, ResponseFormat, TokenSink},
};
use loopwright_providers::ModelProvider;
use misbehaving::{Do, Server, event, head, no_tls, plain, serve};
use speaking::{Ends, FORMATS, Format, KEY};
use tokio_util::sync::CancellationToken;

/// What comes of a fault.
#[derive(Clone, Copy)]
enum Comes {
    /// A failure with this code.
    Fails {
        code: &'static str,
        /// The text that is kept, marked as partial.
        partial: &'static str,
        /// Whether the call may have been answered all the same.
        uncertain: bool,
        /// A part of the words.
        says: &'static str,
        /// Milliseconds that the server asks for.
        wait: Option<u64>,
    },
    /// An answer with this text, and a warning of this code.
    Answers {
        text: &'static str,
        warning: Option<&'static str>,
    },
}

/// Who is called.
#[derive(Clone, Copy, PartialEq)]
enum At {
    Server,
    /// A server by https, which it does not speak.
    Tls,
    /// A server by https whose certificate is signed by itself alone.
    Untrusted,
    /// A port where nobody listens.
    Nobody,
}

struct Row {
    fault: &'static str,
    at: At,
    /// `None`: the format knows no such thing.
    script: fn(Format) -> Option<Vec<Do>>,
    comes: Comes,
}

/// A failure that is known to be one.
const fn fails(code: &'static str, partial: &'static str, says: &'static str) -> Comes {
    Comes::Fails {
        code,
        partial,
        uncertain: false,
        says,
        wait: None,
    }
}

/// A refusal by a server that wants to be left alone for so many milliseconds.
const fn waits(code: &'static str, says: &'static str, millis: u64) -> Comes {
    Comes::Fails {
        code,
        partial: "",
        uncertain: false,
        says,
        wait: Some(millis),
    }
}

/// A failure behind which the call may have been answered.
const fn breaks(code: &'static str, partial: &'static str, says: &'static str) -> Comes {
    Comes::Fails {
        code,
        partial,
        uncertain: true,
        says,
        wait: None,
    }
}

/// What begins an answer, `text`, and then this.
fn after(format: Format, text: &str, then: Vec<Do>) -> Option<Vec<Do>> {
    let mut out = format.begin();
    out.push(format.text(text));
    out.extend(then);
    Some(out)
}

/// An answer that ends so.
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
    // ---- refused before an answer
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
        comes: waits("http_429", "wait 0 s", 0),
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
        comes: waits("http_429", "wait 31556952000 s", 31_556_952_000_000),
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
        comes: fails("network", "", "Is the server running"),
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
        comes: breaks("timeout", "", "silent"),
    },
    Row {
        fault: "silence in the middle",
        at: At::Server,
        script: |f| after(f, "Then", vec![Do::Hang]),
        comes: breaks("timeout", "Then", "silent"),
    },
    Row {
        fault: "a byte now and then",
        at: At::Server,
        script: |f| after(f, "Then", vec![Do::Drip(vec![b'd'; 100], 300)]),
        comes: breaks("timeout", "Then", "silent"),
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
        comes: breaks("timeout", "", "silent"),
    },
    // ---- broken answers
    Row {
        fault: "an error event after 200",
        at: At::Server,
        script: |f| after(f, "Half", vec![f.error_event()]),
        comes: breaks("provider_error", "Half", "reported an error"),
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
        comes: breaks("truncated", "", "broke off"),
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
        comes: breaks("malformed_answer", "a", "does not speak"),
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
        comes: breaks("malformed_answer", "a", "does not speak"),
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
        comes: breaks("malformed_answer", "", "packed (gzip)"),
    },
    // ---- ends that are no answer
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
    remote
        .call(request(), TokenSink::none(), CancellationToken::new())
        .await
}

async fn address(row: &Row, format: Format, server: &Server) -> String {
    match row.at {
        At::Server => format.address(server),
        At::Tls => no_tls().await,
        At::Untrusted => format!("https://{}/v1", tls::untrusted().await.0),
        // Nothing listens on the first port.
        At::Nobody => "http://127.0.0.1:1".to_owned(),
    }
}

/// The row's fault in this format, and what differs from what is expected.
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
async fn every_fault_comes_to_what_its_row_says() {
    let cases = ROWS
        .iter()
        .flat_map(|row| FORMATS.map(|format| (row, format)));
    // Not all at once: who waits for the processor is no silent server.
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

/// It says which server, and what to do, and does not knock again.
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
        let error = remote.call(request(), sink, cancel).await.unwrap_err();
        assert_eq!(error.code, "cancelled");
        tokio::time::timeout(Duration::from_secs(1), server.left.notified())
            .await
            .expect("the server sees the client leave");
        let began = began.lock().unwrap().unwrap();
        assert!(began.elapsed() < Duration::from_secs(1), "{format:?}");
    }
}

/// As well where nothing has been said yet.
#[tokio::test]
async fn cancelling_a_silent_call_closes_the_socket_within_a_second() {
    for format in FORMATS {
        let server = serve(vec![vec![Do::Hang]]).await;
        let cancel = CancellationToken::new();
        let remote = format.remote(&format.address(&server));
        let calling = remote.call(request(), TokenSink::none(), cancel.clone());
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

/// JSON that was cut is not asked for again: it would be cut again.
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
        let error = remote
            .call(ask, TokenSink::none(), CancellationToken::new())
            .await
            .unwrap_err();
        assert_eq!((error.code.as_str(), error.usage.calls), ("answer_cut", 1));
        assert_eq!(error.partial(), Some("{\"a\": [1, 2"));
    }
}
