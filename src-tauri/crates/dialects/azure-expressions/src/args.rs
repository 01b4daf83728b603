//! The arguments of a call, read as the types that a function requires.

use rust_decimal::prelude::ToPrimitive;

use crate::{
    culture::{Culture, culture},
    date::{self, Moment, ROUND_TRIP},
    environment::Environment,
    failure::Failure,
    value::{Object, Value, content},
};

pub(crate) type Result<T> = std::result::Result<T, Failure>;

/// The arguments of one call.
pub(crate) struct Args {
    pub(crate) title: &'static str,
    pub(crate) values: Vec<Value>,
}

impl Args {
    pub(crate) fn new(title: &'static str, values: Vec<Value>) -> Self {
        Self { title, values }
    }

    pub(crate) fn fail<T>(&self, why: impl AsRef<str>) -> Result<T> {
        Err(Failure::failed(format!(
            "{}(): {}.",
            self.title,
            why.as_ref()
        )))
    }

    pub(crate) fn takes<T>(&self, at: usize, what: &str) -> Result<T> {
        let got = self.values.get(at).map_or("nothing", Value::kind);
        let ordinal = ["first", "second", "third", "fourth"]
            .get(at)
            .unwrap_or(&"next");
        self.fail(format!(
            "the {ordinal} argument must be {what}, but is {got}"
        ))
    }

    pub(crate) fn len(&self) -> usize {
        self.values.len()
    }

    pub(crate) fn text(&self, at: usize) -> Result<&str> {
        match &self.values[at] {
            Value::Text(text) => Ok(text),
            _ => self.takes(at, "a string"),
        }
    }

    /// Returns the string argument at a position, or `default` if the argument is absent or null. Fails if the argument has
    /// another type.
    pub(crate) fn text_or<'a>(&'a self, at: usize, default: &'a str) -> Result<&'a str> {
        match self.values.get(at) {
            None | Some(Value::Null) => Ok(default),
            Some(_) => self.text(at),
        }
    }

    pub(crate) fn int(&self, at: usize) -> Result<i64> {
        match &self.values[at] {
            Value::Int(int) => Ok(*int),
            Value::Float(float) if float.fract() == 0.0 && float.abs() < 9.0e15 => {
                Ok(*float as i64)
            }
            Value::Decimal(decimal) if decimal.is_integer() => match decimal.to_i64() {
                Some(int) => Ok(int),
                None => self.takes(at, "an integer"),
            },
            _ => self.takes(at, "an integer"),
        }
    }

    pub(crate) fn array(&mut self, at: usize) -> Result<Vec<Value>> {
        match std::mem::replace(&mut self.values[at], Value::Null) {
            Value::Array(items) => Ok(items),
            other => {
                self.values[at] = other;
                self.takes(at, "an array")
            }
        }
    }

    pub(crate) fn object(&mut self, at: usize) -> Result<Object> {
        match std::mem::replace(&mut self.values[at], Value::Null) {
            Value::Object(fields) => Ok(fields),
            other => {
                self.values[at] = other;
                self.takes(at, "an object")
            }
        }
    }

    pub(crate) fn take(&mut self, at: usize) -> Value {
        std::mem::replace(&mut self.values[at], Value::Null)
    }

    pub(crate) fn culture(&self, at: usize, default: Culture) -> Result<Culture> {
        match self.values.get(at) {
            None | Some(Value::Null) => Ok(default),
            Some(_) => {
                let name = self.text(at)?;
                match culture(name) {
                    Some(culture) => Ok(culture),
                    None => self.fail(format!("the culture '{name}' is not supported")),
                }
            }
        }
    }

    pub(crate) fn moment(&self, at: usize) -> Result<Moment> {
        let text = self.text(at)?;
        match date::parse(text, false) {
            Some(moment) => Ok(moment),
            None => self.fail(format!(
                "'{}' is not a date such as 2025-01-31T12:00:00Z",
                shorten_text(text)
            )),
        }
    }

    pub(crate) fn formatted(&self, moment: &Moment, at: usize) -> Result<Value> {
        let pattern = self.text_or(at, ROUND_TRIP)?;
        let pattern = if pattern.is_empty() {
            ROUND_TRIP
        } else {
            pattern
        };
        date::format(moment, pattern)
            .map(Value::Text)
            .or_else(|why| self.fail(why))
    }

    pub(crate) fn moved(
        &self,
        moment: &Moment,
        count: i64,
        unit: &str,
        format: usize,
    ) -> Result<Value> {
        match date::moved(moment, count, unit) {
            Some(moved) => self.formatted(&moved, format),
            None => self.fail(format!(
                "the time cannot be moved by {count} '{unit}'. The units are Second, Minute, Hour, Day, Week, Month and Year, \
                 and the result must be in the years 1 to 9999"
            )),
        }
    }

    /// Returns the bytes of an argument: the decoded bytes of typed content, otherwise the bytes of its text. Fails if the budget
    /// is exceeded.
    pub(crate) fn bytes(&self, environment: &Environment<'_>, at: usize) -> Result<Vec<u8>> {
        match content(&self.values[at]) {
            Some((_, bytes)) => Ok(bytes),
            None => Ok(environment.to_text(&self.values[at])?.into_bytes()),
        }
    }
}

/// Returns the first 60 characters of `text`, to show in a message.
pub(crate) fn shorten_text(text: &str) -> String {
    text.chars().take(60).collect()
}
