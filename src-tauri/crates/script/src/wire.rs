//! The messages between a pool and its workers. A message is a length (`u32`, little-endian) and that many bytes. Values
//! have their own binary format, which keeps every number exact. Readings are sent as JSON.

use std::{
    io::{self, Read, Write},
    time::Duration,
};

use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Map, Number, Value};

use crate::{Call, Failure, Language, Limits, Mistake, Outcome, Outline, Reading, limits::CODES};

/// The argument that makes `loopwright-scripts` run as a worker. It must be the only argument.
pub const SERVE: &str = "serve";

/// The first line that a worker prints: the version of these messages, and the version of the program. A pool accepts no
/// other first line.
pub const GREETING: &str = concat!("loopwright-scripts 2 ", env!("CARGO_PKG_VERSION"), "\n");

/// A request to a worker.
#[derive(Debug)]
pub enum Request {
    /// A request to run a script.
    Run(Call),
    /// A request to find the names that a script reads, and its mistakes.
    Read(Language, String),
    /// A request to list the names and attributes that a Python source mentions.
    Outline(String),
}

/// A worker's answer. Each kind of request has its own kind of answer.
#[derive(Debug)]
pub enum Answer {
    /// The answer to [`Request::Run`].
    Ran(Outcome),
    /// The answer to [`Request::Read`].
    Read(Reading),
    /// The answer to [`Request::Outline`].
    Outline(Result<Outline, Mistake>),
}

/// An answer, together with the state of the worker.
#[derive(Debug)]
pub struct Response {
    pub answer: Answer,
    /// The current memory of the worker, in bytes.
    pub held: usize,
}

/// Writes one message.
///
/// # Errors
/// Returns an error if the message cannot be written, or if it is larger than 4 GB.
pub fn send(mut to: impl Write, message: &[u8]) -> io::Result<()> {
    let length = u32::try_from(message.len()).map_err(|_| io::ErrorKind::FileTooLarge)?;
    to.write_all(&length.to_le_bytes())?;
    to.write_all(message)?;
    to.flush()
}

/// Reads one message of at most `limit` bytes. Returns `None` at the end of the input.
///
/// # Errors
/// Returns an error if the message cannot be read, is truncated, or is longer than `limit`.
pub fn receive(mut from: impl Read, limit: usize) -> io::Result<Option<Vec<u8>>> {
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

const RUN: u8 = b'r';
const READ: u8 = b'n';
const OUTLINE: u8 = b'o';

impl Request {
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Writer::default();
        match self {
            Self::Run(call) => {
                out.byte(RUN);
                out.language(call.language);
                out.number(call.limits.memory as u64);
                out.number(u64::try_from(call.limits.time.as_nanos()).unwrap_or(u64::MAX));
                out.number(call.limits.result as u64);
                out.text(&call.source);
                out.fields(&call.values);
            }
            Self::Read(language, source) => {
                out.byte(READ);
                out.language(*language);
                out.text(source);
            }
            Self::Outline(source) => {
                out.byte(OUTLINE);
                out.text(source);
            }
        }
        out.0
    }

    /// Decodes a request.
    ///
    /// # Errors
    /// Returns an error if the bytes are not a request.
    pub fn from_bytes(bytes: &[u8]) -> io::Result<Self> {
        let mut from = Reader(bytes);
        Ok(match from.byte()? {
            RUN => Self::Run(Call {
                language: from.language()?,
                limits: Limits {
                    memory: from.size()?,
                    time: Duration::from_nanos(from.number()?),
                    result: from.size()?,
                },
                source: from.text()?,
                values: from.fields()?,
            }),
            READ => Self::Read(from.language()?, from.text()?),
            OUTLINE => Self::Outline(from.text()?),
            _ => return Err(broken()),
        })
    }
}

impl Response {
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Writer::default();
        out.number(self.held as u64);
        match &self.answer {
            Answer::Ran(outcome) => {
                out.byte(RUN);
                out.outcome(outcome);
            }
            Answer::Read(reading) => {
                out.byte(READ);
                out.json(reading);
            }
            Answer::Outline(outline) => {
                out.byte(OUTLINE);
                out.json(outline);
            }
        }
        out.0
    }

    /// Decodes a response.
    ///
    /// # Errors
    /// Returns an error if the bytes are not a response.
    pub fn from_bytes(bytes: &[u8]) -> io::Result<Self> {
        let mut from = Reader(bytes);
        let held = from.size()?;
        let answer = match from.byte()? {
            RUN => Answer::Ran(from.outcome()?),
            READ => Answer::Read(from.json()?),
            OUTLINE => Answer::Outline(from.json()?),
            _ => return Err(broken()),
        };
        Ok(Self { answer, held })
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

    fn language(&mut self, language: Language) {
        let all = Language::ALL.iter();
        let at = all.clone().position(|known| *known == language);
        self.byte(at.unwrap_or_default() as u8);
    }

    /// Appends JSON, which fills the rest of the message.
    fn json(&mut self, value: &impl Serialize) {
        // Names and places can always be serialized. If serialization failed, the receiver would reject the empty message.
        self.0.extend(serde_json::to_vec(value).unwrap_or_default());
    }

    fn outcome(&mut self, outcome: &Outcome) {
        self.text(&outcome.logs);
        match &outcome.result {
            Ok(value) => {
                self.byte(1);
                self.value(value);
            }
            Err(failure) => {
                self.byte(0);
                let code = CODES.iter().position(|code| *code == failure.code);
                self.byte(code.unwrap_or_default() as u8);
                self.number(failure.line.unwrap_or_default() as u64);
                self.number(failure.column.unwrap_or_default() as u64);
                self.text(&failure.message);
            }
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

    fn language(&mut self) -> io::Result<Language> {
        let language = Language::ALL.get(self.byte()? as usize);
        language.copied().ok_or_else(broken)
    }

    fn json<T: DeserializeOwned>(&self) -> io::Result<T> {
        Ok(serde_json::from_slice(self.0)?)
    }

    fn outcome(&mut self) -> io::Result<Outcome> {
        let logs = self.text()?;
        let result = match self.byte()? {
            1 => Ok(self.value()?),
            _ => Err(Failure {
                code: CODES.get(self.byte()? as usize).ok_or_else(broken)?,
                line: Some(self.size()?).filter(|line| *line > 0),
                column: Some(self.size()?).filter(|column| *column > 0),
                message: self.text()?,
            }),
        };
        Ok(Outcome { result, logs })
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
    use crate::{Attribute, Name, Place, Reads};

    fn sent(request: &Request) -> Request {
        let mut sent = Vec::new();
        send(&mut sent, &request.to_bytes()).unwrap();
        let message = receive(sent.as_slice(), 10_000).unwrap().unwrap();
        for cut in 0..message.len() {
            assert!(Request::from_bytes(&message[..cut]).is_err());
        }
        Request::from_bytes(&message).unwrap()
    }

    fn answered(answer: Answer) -> Answer {
        let response = Response { answer, held: 7 };
        let arrived = Response::from_bytes(&response.to_bytes()).unwrap();
        assert_eq!(arrived.held, 7);
        arrived.answer
    }

    #[test]
    fn what_is_sent_arrives() {
        let value = json!({
            "a": [1, -2, 2.5, null, true, "é\n", u64::MAX, i64::MIN, 5e-324, 1e308], "b": { "": {} }, "c": []
        });
        let Value::Object(values) = value.clone() else {
            unreachable!()
        };
        let call = Call {
            language: Language::JavaScript,
            source: "return a".to_owned(),
            values,
            limits: Limits::default(),
        };
        match sent(&Request::Run(call.clone())) {
            Request::Run(arrived) => assert_eq!(arrived, call),
            other => panic!("{other:?}"),
        }
        match sent(&Request::Read(Language::Python, "é".to_owned())) {
            Request::Read(Language::Python, source) => assert_eq!(source, "é"),
            other => panic!("{other:?}"),
        }
        match sent(&Request::Outline("x".to_owned())) {
            Request::Outline(source) => assert_eq!(source, "x"),
            other => panic!("{other:?}"),
        }
        let mut long = Vec::new();
        send(&mut long, &[0; 100]).unwrap();
        assert!(receive(long.as_slice(), 10).is_err());
        assert!(receive([].as_slice(), 10).unwrap().is_none());
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
            match answered(Answer::Ran(outcome.clone())) {
                Answer::Ran(arrived) => assert_eq!(arrived, outcome),
                other => panic!("{other:?}"),
            }
        }
    }

    #[test]
    fn what_was_read_arrives() {
        let name = Name {
            root: "draft".to_owned(),
            path: vec!["a \"b\"".to_owned()],
            may_be_missing: true,
        };
        let reads = Reads {
            names: vec![name.clone()],
            places: vec![Place {
                name,
                at: 3..8,
                steps: vec![8..20, 21..23],
            }],
        };
        let mistake = Mistake {
            line: 2,
            column: Some(1),
            message: "no".to_owned(),
        };
        for reading in [Ok((reads, vec![mistake.clone()])), Err(mistake.clone())] {
            match answered(Answer::Read(reading.clone())) {
                Answer::Read(arrived) => assert_eq!(arrived, reading),
                other => panic!("{other:?}"),
            }
        }
        let outline = Outline {
            loaded: vec!["a".to_owned()],
            assigned: vec!["b".to_owned()],
            items_set: vec![],
            attributes: vec![Attribute {
                of: None,
                name: "c".to_owned(),
            }],
        };
        for outline in [Ok(outline), Err(mistake)] {
            match answered(Answer::Outline(outline.clone())) {
                Answer::Outline(arrived) => assert_eq!(arrived, outline),
                other => panic!("{other:?}"),
            }
        }
    }
}
