//! Parses a stream of events (server-sent events, WHATWG HTML 9.2), including the deviations of servers: any line ending,
//! comments, no blank line after the last event, and lines of JSON without a field name.

use super::asides::says_nothing;

/// One event of a stream.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Event {
    /// The event's name; empty if it has none.
    pub(super) name: String,
    pub(super) data: String,
}

/// An error in a stream of events.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Unreadable {
    /// A line exceeded this many bytes without an end.
    LongLine(usize),
    NotUtf8,
}

/// A parser that turns bytes into events. The bytes may be split at any position.
pub(super) struct EventParser {
    /// The bytes of an unfinished line.
    line: Vec<u8>,
    /// The maximum number of bytes that a line may have.
    most: usize,
    /// Whether the last byte was a carriage return. A line feed after it is part of the same line break.
    behind_return: bool,
    event: Event,
    has_data: bool,
}

impl EventParser {
    pub(super) fn new(most: usize) -> Self {
        Self {
            line: Vec::new(),
            most,
            behind_return: false,
            event: Event::default(),
            has_data: false,
        }
    }

    /// Parses bytes, and appends the events that they complete to `into`. Returns an error if a line exceeds the limit.
    pub(super) fn push(&mut self, bytes: &[u8], into: &mut Vec<Event>) -> Result<(), Unreadable> {
        for &byte in bytes {
            let was_return = std::mem::replace(&mut self.behind_return, byte == b'\r');
            match byte {
                b'\n' if was_return => {}
                b'\n' | b'\r' => self.end_line(into)?,
                byte => {
                    if self.line.len() >= self.most {
                        return Err(Unreadable::LongLine(self.most));
                    }
                    self.line.push(byte);
                }
            }
        }
        Ok(())
    }

    /// Ends the stream, and appends the last event to `into` if no blank line followed it. The data of that event may be cut
    /// off.
    ///
    /// # Errors
    /// Returns an error if the last line exceeds the limit.
    pub(super) fn end(&mut self, into: &mut Vec<Event>) -> Result<(), Unreadable> {
        if !self.line.is_empty() {
            self.end_line(into)?;
        }
        if self.has_data {
            self.dispatch(into);
        }
        Ok(())
    }

    fn end_line(&mut self, into: &mut Vec<Event>) -> Result<(), Unreadable> {
        let line = std::mem::take(&mut self.line);
        if line.is_empty() {
            if self.has_data {
                self.dispatch(into);
            }
            self.event = Event::default();
            return Ok(());
        }
        // Errors that are sent after the head of a response often have no field name.
        if line[0] == b'{' {
            return self.add_data(&line);
        }
        let colon = line.iter().position(|byte| *byte == b':');
        let (name, value) = match colon {
            // The line is a comment.
            Some(0) => return Ok(()),
            Some(at) => (&line[..at], &line[at + 1..]),
            None => (&line[..], &[][..]),
        };
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match name {
            b"data" => self.add_data(value),
            // Older versions of llama.cpp's server send this field.
            b"error" => {
                "error".clone_into(&mut self.event.name);
                self.add_data(value)
            }
            b"event" => {
                self.event.name = text(value)?.trim().to_owned();
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn add_data(&mut self, value: &[u8]) -> Result<(), Unreadable> {
        let value = text(value)?;
        if self.has_data {
            self.event.data.push('\n');
        }
        self.has_data = true;
        self.event.data.push_str(value);
        Ok(())
    }

    /// Appends the finished event. If the data as a whole is not JSON, but each of its lines is JSON or an end marker, appends
    /// one event per line.
    fn dispatch(&mut self, into: &mut Vec<Event>) {
        self.has_data = false;
        let event = std::mem::take(&mut self.event);
        if !event.data.contains('\n') || is_json(&event.data) {
            into.push(event);
            return;
        }
        let lines: Vec<&str> = event
            .data
            .lines()
            .filter(|line| !line.trim().is_empty())
            .collect();
        let stands_alone =
            |line: &&str| line.trim() == "[DONE]" || says_nothing(line) || is_json(line);
        if !lines.iter().all(stands_alone) {
            into.push(event);
            return;
        }
        into.extend(lines.into_iter().map(|line| Event {
            name: event.name.clone(),
            data: line.to_owned(),
        }));
    }
}

fn is_json(text: &str) -> bool {
    serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok()
}

fn text(bytes: &[u8]) -> Result<&str, Unreadable> {
    std::str::from_utf8(bytes).map_err(|_| Unreadable::NotUtf8)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(pieces: &[&[u8]]) -> Vec<(String, String)> {
        let mut parser = EventParser::new(100);
        let mut events = Vec::new();
        for piece in pieces {
            parser.push(piece, &mut events).unwrap();
        }
        parser.end(&mut events).unwrap();
        events
            .into_iter()
            .map(|event| (event.name, event.data))
            .collect()
    }

    #[test]
    fn events_are_the_same_however_they_are_cut_and_lines_end() {
        let text = ": hello\n\nevent: a\ndata: 1\n\ndata:{\"b\":\ndata: 2}\nid: 7\nretry: 5\n\ndata: [DONE]\n\n";
        let wanted: Vec<(String, String)> = [("a", "1"), ("", "{\"b\":\n2}"), ("", "[DONE]")]
            .map(|(name, data)| (name.to_owned(), data.to_owned()))
            .to_vec();
        for text in [
            text.to_owned(),
            text.replace('\n', "\r\n"),
            text.replace('\n', "\r"),
        ] {
            assert_eq!(read(&[text.as_bytes()]), wanted);
            let bytes: Vec<&[u8]> = text.as_bytes().chunks(1).collect();
            assert_eq!(read(&bytes), wanted);
        }
    }

    #[test]
    fn what_is_nearly_a_stream_is_read() {
        let data = |text: &[u8]| -> Vec<String> {
            read(&[text]).into_iter().map(|(_, data)| data).collect()
        };
        // Covers events without blank lines between them or at the end, and JSON without a field name.
        assert_eq!(
            data(b"data: {\"a\":1}\ndata: {\"a\":2}\ndata: [DONE]"),
            ["{\"a\":1}", "{\"a\":2}", "[DONE]"]
        );
        assert_eq!(
            data(b"data: {\"a\":1}\n\ndata: {\"a\":2}"),
            ["{\"a\":1}", "{\"a\":2}"]
        );
        assert_eq!(
            data(b"data: ping\ndata: {\"a\":1}\ndata: : keepalive\n"),
            ["ping", "{\"a\":1}", ": keepalive"]
        );
        assert_eq!(
            data(b"data: 1\n\n{\"error\": 1}\n\n"),
            ["1", "{\"error\": 1}"]
        );
        assert_eq!(data(b"data\n\ndata: \n\n"), ["", ""]);
        let mut parser = EventParser::new(10);
        assert_eq!(
            parser.push(b"data: 0123456", &mut Vec::new()),
            Err(Unreadable::LongLine(10))
        );
        let mut parser = EventParser::new(100);
        assert_eq!(
            parser.push(b"data: \xff\n", &mut Vec::new()),
            Err(Unreadable::NotUtf8)
        );
    }
}
