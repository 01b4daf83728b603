//! Reads an answer from its first byte to its end. The first bytes determine the kind of a body; its Content-Type is used only
//! if the first bytes do not suffice.

use std::sync::Arc;

use futures::{Stream, StreamExt};
use reqwest::{Response, header::HeaderMap};
use serde_json::Value;
use tokio::time::Instant;

use loopwright_answers::{Splitter, thoughts::Part};
use loopwright_engine::{NodeError, host::TokenSink, redact::RedactedStream};

use super::{
    asides::{is_aside, says_nothing},
    body::{Broken, bounded_body, packed},
    events::{Event, EventParser, Unreadable},
    failure::{NoAnswer, Server},
    format::{Completion, End, Wire, Wrong},
    halves::{Halves, joined},
    limits::Limits,
    loose::parse,
    reported::is_error,
};

/// The kind of a body, according to its first bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Events,
    Json,
    /// The body is neither a stream of events nor JSON. It is a web page or other text.
    Neither,
}

/// Returns the kind of a body; `None` if only white space has arrived.
fn kind_of(bytes: &[u8], content_type: &str) -> Option<Kind> {
    let bytes = without_mark(bytes);
    let from = bytes.iter().position(|byte| !byte.is_ascii_whitespace())?;
    let begin = &bytes[from..];
    let events: [&[u8]; 5] = [b"data", b"event", b"id", b"retry", b":"];
    let is_event = events
        .iter()
        .any(|field| field.starts_with(begin) || begin.starts_with(field));
    Some(match begin[0] {
        b'{' | b'[' | b'"' => Kind::Json,
        b'<' => Kind::Neither,
        _ if is_event || content_type.starts_with("text/event-stream") => Kind::Events,
        _ if content_type.contains("json") => Kind::Json,
        _ => Kind::Neither,
    })
}

/// Removes a byte order mark.
fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)
}

/// The number of bytes that suffice to recognize the kind of a body.
const BEGINNING: usize = 8;

/// The maximum number of bytes of a body without events that the error message quotes.
const SHOWN: usize = 512;

/// Reads an answer, whose body may be a stream of events or JSON. Sends the answer's text, without reasoning, to `tokens`.
///
/// # Errors
/// Returns an error if the body is not an answer in the format of `wire`, reports a failure, or exceeds a limit.
pub(super) async fn answer(
    response: Response,
    content_type: &str,
    wire: &dyn Wire,
    server: &Server,
    tokens: &TokenSink,
) -> Result<Completion, NoAnswer> {
    let headers = response.headers().clone();
    // A line of an unstreamed answer may be as long as the whole answer. The lines of events are checked as they are read.
    let limits = Limits {
        line: server.limits.body,
        ..server.limits
    };
    let mut pieces = Box::pin(bounded_body(
        Box::pin(response.bytes_stream()),
        limits,
        server.until,
    ));
    let mut progress_until = Instant::now() + server.limits.progress;
    let mut begin = Vec::new();
    let mut is_over = false;
    let kind = loop {
        let seen = kind_of(&begin, content_type);
        let is_enough = without_mark(&begin).trim_ascii_start().len() >= BEGINNING || is_over;
        match seen {
            Some(kind) if is_enough => break kind,
            None if is_over => break Kind::Events,
            _ => {}
        }
        let Ok(piece) = tokio::time::timeout_at(progress_until, pieces.next()).await else {
            return Err(server.broken(Broken::Idle, "").into());
        };
        match piece {
            Some(piece) => {
                let piece = piece.map_err(|broken| server.broken(broken, ""))?;
                begin.extend_from_slice(piece.get_ref().as_ref());
            }
            None => is_over = true,
        }
    };
    let reading = Reading {
        wire,
        server,
        headers: &headers,
        content_type,
    };
    let mut whole = match kind {
        Kind::Events => {
            let rest =
                std::pin::pin!(futures::stream::iter([Ok(begin)]).chain(
                    pieces.map(|piece| piece.map(|piece| piece.get_ref().as_ref().to_vec()))
                ));
            let mut said = RedactedStream::new(Arc::clone(&server.redactor));
            let mut splitter = Splitter::default();
            // Reasoning is not shown as part of the answer.
            let show = |part: Part, text: &str| {
                if part == Part::Text && !text.is_empty() {
                    tokens.send(text);
                }
            };
            let read = reading.events(rest, &mut progress_until, |added| {
                splitter.push(&said.push(added), show);
            });
            let read = read.await;
            splitter.push(&said.end(), show);
            splitter.end(show);
            let mut whole = read?;
            join_halves(&mut whole);
            whole.part_thoughts();
            whole
        }
        Kind::Json | Kind::Neither => {
            while let Some(piece) = pieces.next().await {
                let piece = piece.map_err(|broken| server.broken(broken, ""))?;
                begin.extend_from_slice(piece.get_ref().as_ref());
            }
            let Ok(body) = String::from_utf8(begin) else {
                return Err(server.malformed("its answer is not UTF-8", "").into());
            };
            let body = body.trim_start_matches('\u{feff}');
            if kind == Kind::Neither {
                return Err(server.no_answer(content_type, body).into());
            }
            let mut whole = reading.in_one_piece(body)?;
            join_halves(&mut whole);
            whole.part_thoughts();
            let shown = server.redact(&whole.text);
            if !shown.is_empty() {
                tokens.send(&shown);
            }
            whole
        }
    };
    whole.redact(&server.redactor);
    Ok(whole)
}

/// Joins surrogate halves that arrived separately.
fn join_halves(whole: &mut Completion) {
    let arguments = whole.uses.iter_mut().map(|part| &mut part.arguments);
    let texts = [&mut whole.text, &mut whole.thoughts, &mut whole.refusal];
    for text in texts.into_iter().chain(arguments) {
        if let Some(joined) = joined(text) {
            *text = joined;
        }
    }
}

/// An answer that is being read.
struct Reading<'r> {
    wire: &'r dyn Wire,
    server: &'r Server,
    headers: &'r HeaderMap,
    content_type: &'r str,
}

impl Reading<'_> {
    /// Reads a stream of events up to the last one. `show` receives each piece of the text.
    async fn events(
        &self,
        mut pieces: impl Stream<Item = Result<Vec<u8>, Broken>> + Unpin,
        progress_until: &mut Instant,
        mut show: impl FnMut(&str),
    ) -> Result<Completion, NoAnswer> {
        let Self { wire, server, .. } = *self;
        let mut parser = EventParser::new(server.limits.line);
        let mut whole = Completion::default();
        let mut halves = Halves::default();
        let mut events = Vec::new();
        let mut is_first = true;
        let (mut beginning, mut has_event) = (Vec::new(), false);
        loop {
            let next = tokio::time::timeout_at(*progress_until, pieces.next()).await;
            let piece = match next.unwrap_or(Some(Err(Broken::Idle))) {
                // The server has said that the answer is complete, so only the token counts can be missing. Another call would
                // be paid again.
                Some(Err(_)) if whole.end.is_some() => None,
                Some(Err(broken)) => return Err(server.broken(broken, &whole.text).into()),
                Some(Ok(piece)) => Some(piece),
                None => None,
            };
            let is_over = piece.is_none();
            let read = match piece {
                Some(piece) => {
                    let bytes = if is_first {
                        without_mark(&piece)
                    } else {
                        &piece
                    };
                    is_first = false;
                    let room = SHOWN.saturating_sub(beginning.len()).min(bytes.len());
                    beginning.extend_from_slice(&bytes[..room]);
                    parser.push(bytes, &mut events)
                }
                None => parser.end(&mut events),
            };
            for event in events.drain(..) {
                if event.data.trim().is_empty() {
                    continue;
                }
                has_event = true;
                let from = whole.text.len();
                let taken = self.take(&mut whole, &event);
                let added = halves.settle(&mut whole.text, from);
                match taken {
                    Ok(()) => show(&added),
                    // Data that is not followed by a blank line may be truncated.
                    Err(Wrong::Malformed(_)) if is_over => break,
                    Err(wrong) => return Err(self.wrong(wrong, &whole)),
                }
                if whole.is_over {
                    break;
                }
                if std::mem::take(&mut whole.has_moved) {
                    *progress_until = Instant::now() + server.limits.progress;
                    server.heard.note();
                }
            }
            if whole.is_over {
                break;
            }
            match read {
                Ok(()) => {}
                Err(Unreadable::LongLine(most)) => {
                    return Err(server.broken(Broken::LongLine(most), &whole.text).into());
                }
                Err(Unreadable::NotUtf8) if is_over => {}
                Err(Unreadable::NotUtf8) => {
                    let error = server.malformed("an event is not UTF-8", &whole.text);
                    return Err(error.into());
                }
            }
            if is_over {
                break;
            }
            if Instant::now() >= *progress_until && whole.end.is_none() {
                return Err(server.broken(Broken::Idle, &whole.text).into());
            }
        }
        let left = halves.end();
        whole.text.push_str(left);
        show(left);
        if whole.is_over || wire.is_complete(&whole) {
            return Ok(whole);
        }
        let words = words(&beginning).filter(|_| !has_event);
        Err(match words {
            Some(words) => server.no_answer(self.content_type, &words),
            None => server.truncated(&whole.text),
        }
        .into())
    }

    /// Reads one event.
    fn take(&self, whole: &mut Completion, event: &Event) -> Result<(), Wrong> {
        let data = event.data.trim();
        if data.eq_ignore_ascii_case("[DONE]") {
            whole.is_over = true;
            return Ok(());
        }
        if event.name == "error" {
            let error = serde_json::from_str(data).unwrap_or_else(|_| Value::from(data));
            return Err(Wrong::Reported(error));
        }
        if says_nothing(data) || is_aside(&event.name, data) {
            return Ok(());
        }
        let value = parse(data)?;
        // A server that sends no event names may send a list with one item.
        let Value::Array(values) = value else {
            return self.take_value(whole, &event.name, value);
        };
        for value in values {
            self.take_value(whole, &event.name, value)?;
        }
        Ok(())
    }

    fn take_value(&self, whole: &mut Completion, name: &str, value: Value) -> Result<(), Wrong> {
        if value.is_null() {
            return Ok(());
        }
        if is_error(&value) {
            return Err(Wrong::Reported(value));
        }
        self.wire.take(whole, name, value)?;
        Ok(())
    }

    fn wrong(&self, wrong: Wrong, whole: &Completion) -> NoAnswer {
        match wrong {
            Wrong::Reported(error) if !whole.has_content() => NoAnswer::Refused(Box::new(
                self.server.refusal_in_answer(self.headers, &error),
            )),
            wrong => self.server.wrong(wrong, &whole.text).into(),
        }
    }

    /// Reads an unstreamed answer: one value, or several in sequence.
    fn in_one_piece(&self, body: &str) -> Result<Completion, NoAnswer> {
        let mut whole = Completion::default();
        let read = match parse(body) {
            Ok(value) => self.take_whole(&mut whole, value),
            Err(error) => match values(body) {
                Some(values) => values
                    .into_iter()
                    .try_for_each(|value| self.take_value(&mut whole, "", value)),
                None => Err(error),
            },
        };
        match read {
            Ok(()) if self.wire.is_complete(&whole) || !whole.has_begun => Ok(whole),
            Ok(()) => Err(self.server.truncated(&whole.text).into()),
            Err(wrong) => Err(self.wrong(wrong, &whole)),
        }
    }

    fn take_whole(&self, whole: &mut Completion, value: Value) -> Result<(), Wrong> {
        if is_error(&value) || value.get(0).is_some_and(is_error) {
            return Err(Wrong::Reported(value));
        }
        self.wire.take_whole(whole, value)?;
        // An unstreamed answer is complete, even if the server does not say so.
        whole.end.get_or_insert(End::Complete);
        Ok(())
    }
}

/// Returns the start of a body as text, if its first line shows that the body is not a stream of events; `None` if the body may
/// be such a stream.
fn words(beginning: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(beginning);
    let line = text.lines().map(str::trim).find(|line| !line.is_empty())?;
    let name = line.split(':').next().unwrap_or_default();
    let is_field = matches!(name, "" | "data" | "event" | "id" | "retry" | "error");
    (!is_field).then(|| text.into_owned())
}

/// Returns the JSON values in a body that contains several in sequence. Returns `None` for any other body, and if the last
/// value is truncated.
fn values(body: &str) -> Option<Vec<Value>> {
    let mut stream = serde_json::Deserializer::from_str(body).into_iter::<serde::de::IgnoredAny>();
    let mut values = Vec::new();
    let mut from = 0;
    while let Some(read) = stream.next() {
        read.ok()?;
        let to = stream.byte_offset();
        values.push(parse(body.get(from..to)?).ok()?);
        from = to;
    }
    (values.len() > 1).then_some(values)
}

/// Reads a whole body as text.
///
/// # Errors
/// Returns an error if the body breaks off, exceeds a limit, is compressed, or is not UTF-8.
pub(super) async fn whole(response: Response, server: &Server) -> Result<String, NodeError> {
    if let Some(packed) = packed(response.headers()) {
        let what = format!("its answer is compressed ({packed}), which was not requested");
        return Err(server.malformed(&what, ""));
    }
    let limits = Limits {
        line: server.limits.body,
        ..server.limits
    };
    let mut pieces = Box::pin(bounded_body(
        Box::pin(response.bytes_stream()),
        limits,
        server.until,
    ));
    let mut bytes = Vec::new();
    while let Some(piece) = pieces.next().await {
        let piece = piece.map_err(|broken| server.broken(broken, ""))?;
        bytes.extend_from_slice(piece.get_ref().as_ref());
    }
    String::from_utf8(without_mark(&bytes).to_vec())
        .map_err(|_| server.malformed("its answer is not UTF-8", ""))
}
