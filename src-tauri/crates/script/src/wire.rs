//! What a pool and its workers say to each other: a length (`u32`, little-endian) and that many bytes. JSON goes as it is, so
//! that every number stays exact.

use std::{
    io::{self, Read, Write},
    time::Duration,
};

use serde_json::{Map, Number, Value};

use crate::{Failure, Language, Limits, Outcome, limits::CODES};

/// The first bytes of a worker.
pub(crate) const MAGIC: &[u8; 8] = b"lw-scr-1";

/// A script to run.
#[derive(Debug)]
pub(crate) struct Request {
    pub(crate) language: Language,
    pub(crate) source: String,
    pub(crate) values: Map<String, Value>,
    pub(crate) limits: Limits,
}

/// What came of it.
#[derive(Debug)]
pub(crate) struct Response {
    pub(crate) outcome: Outcome,
    /// Bytes of memory that the worker holds now.
    pub(crate) held: usize,
}

/// Writes one message.
pub(crate) fn send(mut to: impl Write, message: &[u8]) -> io::Result<()> {
    let length = u32::try_from(message.len()).map_err(|_| io::ErrorKind::FileTooLarge)?;
    to.write_all(&length.to_le_bytes())?;
    to.write_all(message)?;
    to.flush()
}

/// Reads one message of at most `limit` bytes; `None` at the end.
pub(crate) fn receive(mut from: impl Read, limit: usize) -> io::Result<Option<Vec<u8>>> {
    let mut length = [0; 4];
    match from.read_exact(&mut length) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        Err(error) => return Err(error),
    }
    let length = u32::from_le_bytes(length) as usize;
    if length > limit {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    let mut message = vec![0; length];
    from.read_exact(&mut message)?;
    Ok(Some(message))
}

impl Request {
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let mut out = Writer::default();
        let language = Language::ALL
            .iter()
            .position(|language| *language == self.language);
        out.byte(language.unwrap_or_default() as u8);
        out.number(self.limits.memory as u64);
        out.number(u64::try_from(self.limits.time.as_nanos()).unwrap_or(u64::MAX));
        out.number(self.limits.result as u64);
        out.text(&self.source);
        out.fields(&self.values);
        out.0
    }

    pub(crate) fn from_bytes(bytes: &[u8]) -> io::Result<Self> {
        let mut from = Reader(bytes);
        let language = *Language::ALL
            .get(from.byte()? as usize)
            .ok_or_else(broken)?;
        let limits = Limits {
            memory: from.size()?,
            time: Duration::from_nanos(from.number()?),
            result: from.size()?,
        };
        Ok(Self {
            language,
            limits,
            source: from.text()?,
            values: from.fields()?,
        })
    }
}

impl Response {
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let mut out = Writer::default();
        out.number(self.held as u64);
        out.text(&self.outcome.logs);
        match &self.outcome.result {
            Ok(value) => {
                out.byte(1);
                out.value(value);
            }
            Err(failure) => {
                out.byte(0);
                let code = CODES.iter().position(|code| *code == failure.code);
                out.byte(code.unwrap_or_default() as u8);
                out.number(failure.line.unwrap_or_default() as u64);
                out.number(failure.column.unwrap_or_default() as u64);
                out.text(&failure.message);
            }
        }
        out.0
    }

    pub(crate) fn from_bytes(bytes: &[u8]) -> io::Result<Self> {
        let mut from = Reader(bytes);
        let held = from.size()?;
        let logs = from.text()?;
        let result = match from.byte()? {
            1 => Ok(from.value()?),
            _ => Err(Failure {
                code: CODES.get(from.byte()? as usize).ok_or_else(broken)?,
                line: Some(from.size()?).filter(|line| *line > 0),
                column: Some(from.size()?).filter(|column| *column > 0),
                message: from.text()?,
            }),
        };
        Ok(Self {
            outcome: Outcome { result, logs },
            held,
        })
    }
}

fn broken() -> io::Error {
    io::ErrorKind::InvalidData.into()
}

#[derive(Default)]
struct Writer(Vec<u8>);

impl Writer {
    fn byte(&mut self, byte: u8) {
        self.0.push(byte);
    }

    fn number(&mut self, number: u64) {
        self.0.extend(number.to_le_bytes());
    }

    fn text(&mut self, text: &str) {
        self.number(text.len() as u64);
        self.0.extend(text.as_bytes());
    }

    fn fields(&mut self, fields: &Map<String, Value>) {
        self.number(fields.len() as u64);
        for (name, field) in fields {
            self.text(name);
            self.value(field);
        }
    }

    fn value(&mut self, value: &Value) {
        match value {
            Value::Null => self.byte(b'n'),
            Value::Bool(false) => self.byte(b'f'),
            Value::Bool(true) => self.byte(b't'),
            Value::Number(number) => match (number.as_i64(), number.as_u64()) {
                (Some(whole), _) => {
                    self.byte(b'i');
                    self.number(whole.cast_unsigned());
                }
                (None, Some(whole)) => {
                    self.byte(b'u');
                    self.number(whole);
                }
                (None, None) => {
                    self.byte(b'd');
                    self.number(number.as_f64().unwrap_or_default().to_bits());
                }
            },
            Value::String(text) => {
                self.byte(b's');
                self.text(text);
            }
            Value::Array(items) => {
                self.byte(b'a');
                self.number(items.len() as u64);
                items.iter().for_each(|item| self.value(item));
            }
            Value::Object(fields) => {
                self.byte(b'o');
                self.fields(fields);
            }
        }
    }
}

struct Reader<'b>(&'b [u8]);

impl Reader<'_> {
    fn take(&mut self, bytes: usize) -> io::Result<&[u8]> {
        let (taken, rest) = self.0.split_at_checked(bytes).ok_or_else(broken)?;
        self.0 = rest;
        Ok(taken)
    }

    fn byte(&mut self) -> io::Result<u8> {
        Ok(self.take(1)?[0])
    }

    fn number(&mut self) -> io::Result<u64> {
        let bytes = self.take(8)?.try_into().map_err(|_| broken())?;
        Ok(u64::from_le_bytes(bytes))
    }

    fn size(&mut self) -> io::Result<usize> {
        usize::try_from(self.number()?).map_err(|_| broken())
    }

    fn text(&mut self) -> io::Result<String> {
        let length = self.size()?;
        let text = std::str::from_utf8(self.take(length)?).map_err(|_| broken())?;
        Ok(text.to_owned())
    }

    fn fields(&mut self) -> io::Result<Map<String, Value>> {
        let count = self.size()?;
        (0..count)
            .map(|_| Ok((self.text()?, self.value()?)))
            .collect()
    }

    fn value(&mut self) -> io::Result<Value> {
        Ok(match self.byte()? {
            b'n' => Value::Null,
            b'f' => Value::Bool(false),
            b't' => Value::Bool(true),
            b'i' => Value::from(self.number()?.cast_signed()),
            b'u' => Value::from(self.number()?),
            b'd' => {
                Number::from_f64(f64::from_bits(self.number()?)).map_or(Value::Null, Value::Number)
            }
            b's' => Value::String(self.text()?),
            b'a' => {
                let count = self.size()?;
                Value::Array(
                    (0..count)
                        .map(|_| self.value())
                        .collect::<io::Result<_>>()?,
                )
            }
            b'o' => Value::Object(self.fields()?),
            _ => return Err(broken()),
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_sent_arrives() {
        let value = json!({
            "a": [1, -2, 2.5, null, true, "é\n", u64::MAX, i64::MIN, 5e-324, 1e308], "b": { "": {} }, "c": []
        });
        let Value::Object(values) = value.clone() else {
            unreachable!()
        };
        let request = Request {
            language: Language::JavaScript,
            source: "return a".to_owned(),
            values,
            limits: Limits::default(),
        };
        let mut sent = Vec::new();
        send(&mut sent, &request.to_bytes()).unwrap();
        let message = receive(sent.as_slice(), 10_000).unwrap().unwrap();
        let arrived = Request::from_bytes(&message).unwrap();
        assert_eq!(Value::Object(arrived.values), value);
        assert_eq!(arrived.language, Language::JavaScript);
        assert_eq!(arrived.limits, Limits::default());
        assert!(receive(sent.as_slice(), 10).is_err());
        assert!(receive([].as_slice(), 10).unwrap().is_none());
        for cut in 0..message.len() {
            assert!(Request::from_bytes(&message[..cut]).is_err());
        }
        let failure = Failure {
            code: "script_limit",
            line: Some(3),
            column: None,
            message: "no".to_owned(),
        };
        for result in [Ok(value), Err(failure)] {
            let outcome = Outcome {
                result,
                logs: "printed\n".to_owned(),
            };
            let response = Response {
                outcome: outcome.clone(),
                held: 7,
            };
            let arrived = Response::from_bytes(&response.to_bytes()).unwrap();
            assert_eq!((arrived.outcome, arrived.held), (outcome, 7));
        }
    }
}
