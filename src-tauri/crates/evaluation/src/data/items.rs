//! Reads a JSON list of objects one item at a time.

use std::io::BufRead;

use serde_json::Value;

use super::{error::DataError, limits::Limits, lines::too_large, mapping::Mapper, strict};

/// The position of the reader within the list.
#[derive(Clone, Copy, PartialEq)]
enum State {
    /// The reader is before the opening bracket.
    Start,
    /// The reader is before an item. The flag is `true` if the reader has passed a comma, after which an item must follow.
    Before(bool),
    Inside,
    /// The reader is after the closing bracket.
    End,
}

/// A reader that splits a list into its items. It tracks only brackets, commas and quotes; each item is parsed separately.
struct Splitter {
    state: State,
    /// The line in the file, from 1.
    line: u32,
    item: Vec<u8>,
    item_line: u32,
    number: u32,
    depth: u32,
    in_text: bool,
    escaped: bool,
}

/// Reads each item as a row. Rejects items that are not objects, that repeat a key, or that are not UTF-8.
pub(crate) fn read(
    reader: &mut impl BufRead,
    mapper: &mut Mapper<'_>,
    limits: Limits,
) -> Result<(), DataError> {
    mapper.count_items();
    let mut splitter = Splitter {
        state: State::Start,
        line: 1,
        item: Vec::new(),
        item_line: 1,
        number: 0,
        depth: 0,
        in_text: false,
        escaped: false,
    };
    loop {
        let bytes = match reader.fill_buf() {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(DataError::io(&error)),
        };
        if bytes.is_empty() {
            break;
        }
        for byte in bytes {
            splitter.push(*byte, mapper, limits)?;
        }
        let read = bytes.len();
        reader.consume(read);
    }
    if splitter.state == State::End {
        return Ok(());
    }
    Err(DataError::at(
        splitter.line,
        format!(
            "The file ends inside its list. The last item is item {}, on line {}. Check that the file is complete and that the list ends with `]`.",
            splitter.number.max(1),
            splitter.item_line
        ),
    ))
}

impl Splitter {
    fn push(&mut self, byte: u8, mapper: &mut Mapper<'_>, limits: Limits) -> Result<(), DataError> {
        match self.state {
            State::Inside if self.in_text => {
                self.item.push(byte);
                if self.escaped {
                    self.escaped = false;
                } else if byte == b'\\' {
                    self.escaped = true;
                } else if byte == b'"' {
                    self.in_text = false;
                }
            }
            State::Inside => match byte {
                b',' | b']' if self.depth == 0 => self.end_item(byte, mapper)?,
                _ => {
                    match byte {
                        b'{' | b'[' => self.depth += 1,
                        b'}' | b']' => self.depth = self.depth.saturating_sub(1),
                        b'"' => self.in_text = true,
                        _ => {}
                    }
                    self.item.push(byte);
                }
            },
            _ if byte.is_ascii_whitespace() => {}
            State::Start => self.state = State::Before(false),
            State::Before(after_comma) => match byte {
                b']' if !after_comma => self.state = State::End,
                b']' | b',' => {
                    return Err(DataError::at(
                        self.line,
                        "A comma has no item after it. Remove the comma.",
                    ));
                }
                _ => {
                    self.number = self.number.saturating_add(1);
                    self.item_line = self.line;
                    self.state = State::Inside;
                    return self.push(byte, mapper, limits);
                }
            },
            State::End => {
                return Err(DataError::at(
                    self.line,
                    "The list has already ended. Remove the text after its `]`, or name the file .jsonl if it has one JSON value on each line.",
                ));
            }
        }
        if self.item.len() > limits.row_bytes {
            return Err(too_large("item", self.item_line, limits));
        }
        if byte == b'\n' {
            self.line = self.line.saturating_add(1);
        }
        Ok(())
    }

    fn end_item(&mut self, byte: u8, mapper: &mut Mapper<'_>) -> Result<(), DataError> {
        self.state = if byte == b',' {
            State::Before(true)
        } else {
            State::End
        };
        let item = std::mem::take(&mut self.item);
        if let Err(error) = std::str::from_utf8(&item) {
            mapper.reject_encoding(self.number, error.valid_up_to() + 1);
            return Ok(());
        }
        let line = |within: usize| {
            let within = u32::try_from(within.saturating_sub(1)).unwrap_or(u32::MAX);
            self.item_line.saturating_add(within)
        };
        match strict::from_slice(&item) {
            Ok(Value::Object(row)) => mapper.add(self.number, row)?,
            Ok(_) => mapper.reject(
                self.number,
                None,
                format!(
                    "Item {} (line {}) is not an object. Write an object such as {{\"topic\": \"…\"}}.",
                    self.number, self.item_line
                ),
            ),
            Err(error) if error.is_json => mapper.reject(
                self.number,
                None,
                format!(
                    "Item {} (line {}) is not a valid row: {}. Correct it.",
                    self.number,
                    line(error.line),
                    error.message
                ),
            ),
            // After malformed JSON, the end of the item cannot be found.
            Err(error) => {
                return Err(DataError::at(
                    line(error.line),
                    format!(
                        "Item {} is not valid JSON: {}. Correct it.",
                        self.number, error.message
                    ),
                ));
            }
        }
        // The buffer is reused unless it is large.
        if item.capacity() <= 1024 * 1024 {
            self.item = item;
            self.item.clear();
        }
        Ok(())
    }
}
