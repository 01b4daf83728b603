//! Messages over standard input and output, one per line, with a size limit. A message above the limit is dropped, and an
//! error takes its place.
//!
//! rmcp itself drops a line that is too long or unreadable, and answers nothing, so the caller would wait forever. [`Lines`]
//! sits between the pipe and rmcp. It skips such a line, extracts its id, and passes on an error with that id instead.

use std::{
    borrow::Cow,
    io,
    pin::Pin,
    task::{Context, Poll, ready},
};

use loopwright_model::exact_numbers;
use rmcp::transport::async_rw::DEFAULT_MAX_LINE_LENGTH;
use serde_json::{Value, json};
use tokio::io::{AsyncRead, ReadBuf};

/// The maximum size of a message in bytes. rmcp's limit includes the line break.
pub(crate) const MAX_LINE: usize = DEFAULT_MAX_LINE_LENGTH - 1;
/// The maximum number of bytes of one message that are skipped. A longer message ends the connection.
const MAX_SKIPPED: usize = 256 * 1024 * 1024;
/// The number of bytes that are kept of each member of a message while its id is searched for. This suffices, because ids are
/// short.
const MAX_MEMBER: usize = 512;
const PART: usize = 16 * 1024;

/// The method of the request that replaces a request that is too large. Its parameter `bytes` is the size of the original.
pub(crate) const TOO_LARGE: &str = "loopwright/message_too_large";

/// The program at the other end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Peer {
    Server,
    Client,
}

/// The lines that another program sends, except those that are too large.
pub(crate) struct Lines<R> {
    inner: R,
    peer: Peer,
    /// The bytes that are ready to be passed on. Those before `given` have already been passed on.
    ready: Vec<u8>,
    given: usize,
    /// The current line, truncated at the limit. `length` counts all of its bytes.
    line: Vec<u8>,
    length: usize,
    ids: IdScan,
}

/// Returns the message that explains why a line was dropped.
pub(crate) fn too_large(bytes: u64) -> String {
    format!(
        "the message is {bytes} bytes long, but the limit is {MAX_LINE} ({} MB)",
        DEFAULT_MAX_LINE_LENGTH / 1024 / 1024
    )
}

/// Returns a message in a form that can be parsed without loss: in the result of a call, a number that cannot be represented
/// exactly becomes a string of its digits. Returns an error message if the line is unreadable.
fn readable(line: &[u8]) -> Result<Cow<'_, [u8]>, String> {
    let Ok(text) = std::str::from_utf8(line) else {
        return Err("its answer is not UTF-8 text".to_owned());
    };
    if text.trim().is_empty() {
        return Ok(Cow::Borrowed(line));
    }
    let message = serde_json::from_str::<Value>(text)
        .map_err(|error| format!("its answer is not valid JSON: {error}"))?;
    let is_called = message["result"]["structuredContent"].is_object();
    let exact = is_called.then(|| {
        exact_numbers::rewritten(text, |number, _, into| {
            into.push('"');
            into.push_str(number);
            into.push('"');
        })
    });
    Ok(match exact.flatten() {
        Some(exact) => Cow::Owned(exact.text.into_bytes()),
        None => Cow::Borrowed(line),
    })
}

impl<R> Lines<R> {
    /// Reads the messages of a server. An answer that is too large is replaced by an error for its request.
    pub(crate) fn of_server(inner: R) -> Self {
        Self::new(inner, Peer::Server)
    }

    /// Reads the messages of a client. A request that is too large is replaced by one with the method [`TOO_LARGE`], which is
    /// answered with an error.
    pub(crate) fn of_client(inner: R) -> Self {
        Self::new(inner, Peer::Client)
    }

    fn new(inner: R, peer: Peer) -> Self {
        Self {
            inner,
            peer,
            ready: Vec::new(),
            given: 0,
            line: Vec::new(),
            length: 0,
            ids: IdScan::default(),
        }
    }

    fn take(&mut self, bytes: &[u8]) -> io::Result<()> {
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            let (line, ends) = match part.split_last() {
                Some((b'\n', line)) => (line, true),
                _ => (part, false),
            };
            self.ids.feed(line);
            let room = MAX_LINE.saturating_sub(self.length);
            self.line.extend_from_slice(&line[..line.len().min(room)]);
            self.length += line.len();
            if ends {
                self.end_line();
            } else if self.length > MAX_SKIPPED {
                return Err(io::Error::other(
                    "a message is larger than the limit of 256 MB",
                ));
            }
        }
        Ok(())
    }

    fn end_line(&mut self) {
        let length = std::mem::take(&mut self.length);
        let ids = std::mem::take(&mut self.ids);
        let line = std::mem::take(&mut self.line);
        let why = if length > MAX_LINE {
            too_large(length as u64)
        } else {
            // rmcp itself answers a client that writes invalid JSON.
            let read = match self.peer {
                Peer::Server => readable(&line),
                Peer::Client => Ok(Cow::Borrowed(&*line)),
            };
            match read {
                Err(why) => why,
                Ok(line) => {
                    self.ready.extend_from_slice(&line);
                    self.ready.push(b'\n');
                    return;
                }
            }
        };
        let instead = match (self.peer, ids.id, ids.is_request) {
            (Peer::Server, Some(id), false) => json!({
                "jsonrpc": "2.0", "id": id,
                "error": { "code": -32603, "message": why },
            }),
            (Peer::Client, Some(id), true) => json!({
                "jsonrpc": "2.0", "id": id,
                "method": TOO_LARGE, "params": { "bytes": length },
            }),
            // The message is not an answer to a request, so no caller waits for it.
            _ => {
                tracing::warn!("An MCP message was not read: {why}");
                return;
            }
        };
        self.ready.extend_from_slice(instead.to_string().as_bytes());
        self.ready.push(b'\n');
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for Lines<R> {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        loop {
            if let Some(rest) = this.ready.get(this.given..).filter(|rest| !rest.is_empty()) {
                let count = rest.len().min(buf.remaining());
                buf.put_slice(&rest[..count]);
                this.given += count;
                return Poll::Ready(Ok(()));
            }
            this.ready.clear();
            this.given = 0;
            let mut part = [0; PART];
            let mut read = ReadBuf::new(&mut part);
            ready!(Pin::new(&mut this.inner).poll_read(cx, &mut read))?;
            if read.filled().is_empty() {
                if this.line.is_empty() {
                    return Poll::Ready(Ok(()));
                }
                // The last line may not end with a line break.
                this.end_line();
                continue;
            }
            this.take(read.filled())?;
        }
    }
}

/// A scanner that finds the id of a JSON-RPC message, at any position in the message, without keeping the rest.
#[derive(Debug, Default)]
struct IdScan {
    depth: usize,
    in_string: bool,
    escaped: bool,
    /// The current member of the outermost object, without the values that are nested inside it.
    member: Vec<u8>,
    id: Option<Value>,
    /// Whether the message is a request rather than an answer.
    is_request: bool,
}

impl IdScan {
    fn feed(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            if self.in_string {
                self.keep(byte);
                match byte {
                    _ if self.escaped => self.escaped = false,
                    b'\\' => self.escaped = true,
                    b'"' => self.in_string = false,
                    _ => {}
                }
                continue;
            }
            match byte {
                b'"' => {
                    self.in_string = true;
                    self.keep(byte);
                }
                b'{' | b'[' => self.depth += 1,
                b'}' | b']' => {
                    if self.depth == 1 {
                        self.end_member();
                    }
                    self.depth = self.depth.saturating_sub(1);
                }
                b',' if self.depth == 1 => self.end_member(),
                _ => self.keep(byte),
            }
        }
    }

    fn keep(&mut self, byte: u8) {
        if self.depth == 1 && self.member.len() < MAX_MEMBER {
            self.member.push(byte);
        }
    }

    fn end_member(&mut self) {
        let member = std::mem::take(&mut self.member);
        let member = member.trim_ascii();
        let value = |name: &str| {
            let rest = member.strip_prefix(name.as_bytes())?.trim_ascii_start();
            Some(rest.strip_prefix(b":")?.trim_ascii())
        };
        if let Some(value) = value("\"id\"") {
            self.id = serde_json::from_slice(value)
                .ok()
                .filter(|id: &Value| id.is_string() || id.is_number());
        }
        self.is_request |= value("\"method\"").is_some();
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncReadExt as _;

    use super::*;

    fn scanned(text: &str) -> (Option<Value>, bool) {
        // The bytes are passed one by one, because pipes split messages at any position.
        let mut ids = IdScan::default();
        text.as_bytes().chunks(1).for_each(|byte| ids.feed(byte));
        (ids.id, ids.is_request)
    }

    #[test]
    fn the_id_is_found_wherever_it_stands() {
        for (text, id, is_request) in [
            (
                r#"{"jsonrpc":"2.0","id":7,"result":{"id":8}}"#,
                Some(json!(7)),
                false,
            ),
            (
                r#"{"result":{"content":[{"id":"x"}]},"jsonrpc":"2.0","id":"a\"b,}"}"#,
                Some(json!("a\"b,}")),
                false,
            ),
            (
                r#" { "params" : { "text": "\"id\":9,{[" } , "method" : "tools/call" , "id" : 3 } "#,
                Some(json!(3)),
                true,
            ),
            (
                r#"{"method":"notifications/message","params":{"id":4}}"#,
                None,
                true,
            ),
            (r#"{"note":"\",\"id\":5","id":null}"#, None, false),
            ("[{\"id\":1}]", None, false),
            ("", None, false),
        ] {
            assert_eq!(scanned(text), (id, is_request), "{text}");
        }
    }

    async fn through(peer: Peer, text: String) -> String {
        let mut lines = Lines::new(io::Cursor::new(text.into_bytes()), peer);
        let mut out = String::new();
        lines.read_to_string(&mut out).await.unwrap();
        out
    }

    #[tokio::test]
    async fn a_line_that_is_too_large_becomes_the_error_of_its_request() {
        let small = "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n";
        let huge = |rest: &str| format!("{{\"result\":\"{}\",{rest}}}\n", "x".repeat(MAX_LINE));
        let all = format!("{small}{}{small}", huge("\"id\":2"));
        let out = through(Peer::Server, all).await;
        let lines: Vec<&str> = out.lines().collect();
        assert_eq!((lines[0], lines[2]), (small.trim(), small.trim()));
        let error: Value = serde_json::from_str(lines[1]).unwrap();
        let words = error["error"]["message"].as_str().unwrap();
        assert!(error["id"] == 2 && words.contains("(16 MB)"), "{error}");
        assert!(
            words.contains(&huge("\"id\":2").trim().len().to_string()),
            "{words}"
        );

        let out = through(Peer::Client, huge("\"method\":\"tools/call\",\"id\":\"a\"")).await;
        let request: Value = serde_json::from_str(out.lines().next().unwrap()).unwrap();
        assert_eq!(
            (&request["method"], &request["id"]),
            (&json!(TOO_LARGE), &json!("a"))
        );
        // A server's request has an id that the server chose. It must not be mistaken for the id of a request of the client.
        let out = through(
            Peer::Server,
            huge("\"method\":\"sampling/createMessage\",\"id\":2"),
        )
        .await;
        assert_eq!(out.lines().count(), 0);
    }

    #[tokio::test]
    async fn an_answer_that_cannot_be_read_becomes_the_error_of_its_request() {
        let answers: [(&[u8], &str); 4] = [
            (b"{\"id\":4,\"result\":{\"t\":\"Gr\xfc\xdfe\"}}\n", "UTF-8"),
            (br#"{"id":4,"result":{"t":"\ud83d"}}"#, "JSON"),
            (b"{\"id\":4,\"result\":{\"n\":NaN}}\n", "JSON"),
            (b"{\"id\":4,\"result\":{}} trailing\n", "JSON"),
        ];
        for (answer, word) in answers {
            let mut lines = Lines::of_server(io::Cursor::new(answer.to_vec()));
            let mut out = String::new();
            lines.read_to_string(&mut out).await.unwrap();
            let error: Value = serde_json::from_str(out.trim()).unwrap();
            let words = error["error"]["message"].as_str().unwrap();
            assert!(error["id"] == 4 && words.contains(word), "{error}");
        }
        // Numbers that cannot be represented exactly become strings of the same digits.
        let big = "{\"id\":1,\"result\":{\"structuredContent\":{\"id\":123456789012345678901234,\"n\":7}}}\n";
        let out = through(Peer::Server, big.to_owned()).await;
        assert!(
            out.contains("\"id\":\"123456789012345678901234\",\"n\":7"),
            "{out}"
        );
        // Lines between messages, such as log output, are not answers.
        let beside = "Listening on stdio\n\n{\"id\":1,\"result\":{}}\n".to_owned();
        assert_eq!(
            through(Peer::Server, beside).await,
            "\n{\"id\":1,\"result\":{}}\n"
        );
    }

    #[tokio::test]
    async fn the_largest_line_goes_through_whole() {
        let frame = "{\"id\":1,\"result\":\"\"}".len();
        let line = format!(
            "{{\"id\":1,\"result\":\"{}\"}}\n",
            "x".repeat(MAX_LINE - frame)
        );
        assert_eq!(through(Peer::Server, line.clone()).await, line);
    }
}
