//! JSON values as the validator reads them. Every access is charged to the meter, and the check stops when the meter's limit is
//! reached.

use std::{borrow::Cow, cell::Cell, panic::resume_unwind};

use jsonschema::{
    JsonType,
    json::{Array, Json, Node, NodeIdentity, Object, SerdeJson, cmp, unique},
};
use serde_json::{Map, Value};

use crate::meter::{self, BYTES_PER_UNIT, Stopped};

/// The payload of the panic that stops a check.
pub(super) struct Left(pub(super) Stopped);

/// The costs of accesses to a value, which depend on the schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Cost {
    /// The units charged for each access. They include the work that the schema causes between two accesses.
    pub(super) access: u64,
    /// The units charged for reading a string, in addition to those for its length.
    pub(super) text: u64,
    /// The number of bytes of a string that are read for one unit.
    pub(super) per_unit: u64,
    /// The memory of one error without its copy of the value, in bytes.
    pub(super) error: u64,
    /// Whether errors are listed. If so, their contents are charged, too.
    pub(super) listing: bool,
}

impl Cost {
    pub(super) fn large_patterns(&mut self) {
        self.per_unit = 1;
        self.text = 64;
    }

    pub(super) fn backtracking_patterns(&mut self) {
        self.per_unit = 1;
        self.text = 2_000;
    }
}

const FREE: Cost = Cost {
    access: 1,
    text: 0,
    per_unit: BYTES_PER_UNIT,
    error: ERROR,
    listing: false,
};

/// The memory that the library uses for one error, in bytes.
pub(super) const ERROR: u64 = 1024;
/// The maximum total memory for the copies of values in the errors of a check, in bytes. Further errors contain a placeholder
/// instead of a copy, because nobody reads that many errors.
const COPIES: u64 = 4 * 1024 * 1024;
/// The maximum size of the excerpt of a value that an error contains, in bytes.
const EXCERPT: usize = 300;
/// The text that replaces the omitted parts of an excerpt.
const MORE: &str = "…";
/// The memory that a value needs in addition to its text, in bytes. It includes the value's slot in the list or object around it.
const NODE: u64 = 160;

thread_local! {
    /// The costs for the check on this thread. They are thread-local because the library cannot pass them along.
    static COST: Cell<Cost> = const { Cell::new(FREE) };
    /// The memory used so far for copies of values in the errors of the current check, in bytes.
    static COPIED: Cell<u64> = const { Cell::new(0) };
}

/// Runs a check on this thread. Each access to a value is charged according to `cost`.
pub(super) fn counting<T>(cost: Cost, check: impl FnOnce() -> T) -> T {
    struct Back(Cost);
    impl Drop for Back {
        fn drop(&mut self) {
            COST.set(self.0);
        }
    }
    let _back = Back(COST.replace(cost));
    COPIED.set(0);
    check()
}

/// Returns an excerpt from the beginning of a value, for an error, and the size of its copy in bytes. The library makes such a
/// copy for every error of every branch.
fn excerpt(value: &Value) -> (Cow<'_, Value>, u64) {
    let mut taken = Taken {
        left: EXCERPT,
        bytes: 0,
    };
    if taken.fits(value) {
        return (Cow::Borrowed(value), taken.bytes);
    }
    let mut taken = Taken {
        left: EXCERPT,
        bytes: 0,
    };
    let beginning = taken.beginning(value);
    (Cow::Owned(beginning), taken.bytes)
}

/// The size of an excerpt while it is built.
struct Taken {
    /// The number of bytes of text that may still be added.
    left: usize,
    /// The memory used so far, in bytes.
    bytes: u64,
}

impl Taken {
    fn take(&mut self, text: usize) -> bool {
        self.bytes += NODE + text as u64;
        let fits = text < self.left;
        self.left = self.left.saturating_sub(text + 1);
        fits
    }

    fn fits(&mut self, value: &Value) -> bool {
        match value {
            Value::String(text) => self.take(text.len()),
            Value::Array(items) => self.take(1) && items.iter().all(|item| self.fits(item)),
            Value::Object(fields) => {
                let mut fields = fields.iter();
                self.take(1)
                    && fields.all(|(name, field)| self.take(name.len()) && self.fits(field))
            }
            _ => self.take(4),
        }
    }

    fn text(&mut self, text: &str) -> String {
        let end = text.floor_char_boundary(self.left);
        if self.take(text.len().min(EXCERPT)) || end == text.len() {
            return text.to_owned();
        }
        format!("{}{MORE}", &text[..end])
    }

    fn beginning(&mut self, value: &Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.text(text)),
            Value::Array(items) => {
                self.take(1);
                let mut shown = Vec::new();
                for item in items {
                    if self.left == 0 {
                        shown.push(Value::from(MORE));
                        break;
                    }
                    shown.push(self.beginning(item));
                }
                Value::Array(shown)
            }
            Value::Object(fields) => {
                self.take(1);
                let mut shown = Map::new();
                for (name, field) in fields {
                    if self.left == 0 {
                        shown.insert(MORE.to_owned(), Value::from(MORE));
                        break;
                    }
                    let name = self.text(name);
                    shown.insert(name, self.beginning(field));
                }
                Value::Object(shown)
            }
            other => {
                self.take(4);
                other.clone()
            }
        }
    }
}

fn or_leave(charged: Result<(), Stopped>) {
    if let Err(stopped) = charged {
        resume_unwind(Box::new(Left(stopped)));
    }
}

fn access() {
    or_leave(meter::charge(COST.get().access, 0));
}

fn text(text: &str) {
    let cost = COST.get();
    or_leave(meter::charge(
        cost.access + cost.text + text.len() as u64 / cost.per_unit,
        0,
    ));
}

/// Charges for reading a value and everything within it.
fn whole(value: &Value) {
    access();
    or_leave(meter::charge_value(value));
}

/// The validator's access to `serde_json` values, charged to the meter.
#[derive(Debug)]
pub(super) struct Metered;

#[derive(Debug, Clone, Copy)]
pub(super) struct Seen<'a>(pub(super) &'a Value);

impl Json for Metered {
    type Node<'a> = Seen<'a>;
    type PreparedKey = String;
    type StringBuffer = Value;

    fn prepare_key(key: &str) -> String {
        key.to_owned()
    }

    fn with_string_node<T>(
        buffer: &mut Value,
        string: &str,
        check: impl FnOnce(Seen<'_>) -> T,
    ) -> T {
        text(string);
        SerdeJson::with_string_node(buffer, string, |node| check(Seen(node)))
    }
}

impl<'a> Node<'a, Metered> for Seen<'a> {
    type Object = Fields<'a>;
    type Array = Items<'a>;
    type Number = &'a serde_json::Number;

    fn as_object(&self) -> Option<Fields<'a>> {
        access();
        self.0.as_object().map(Fields)
    }

    fn as_array(&self) -> Option<Items<'a>> {
        access();
        self.0.as_array().map(|items| Items(items))
    }

    fn as_string(&self) -> Option<Cow<'a, str>> {
        access();
        let string = self.0.as_str()?;
        text(string);
        Some(Cow::Borrowed(string))
    }

    fn as_number(&self) -> Option<&'a serde_json::Number> {
        access();
        self.0.as_number()
    }

    fn as_boolean(&self) -> Option<bool> {
        access();
        self.0.as_bool()
    }

    fn is_null(&self) -> bool {
        access();
        self.0.is_null()
    }

    fn json_type(&self) -> JsonType {
        access();
        JsonType::from(self.0)
    }

    fn string_length(&self) -> Option<u64> {
        let string = self.0.as_str()?;
        or_leave(meter::charge_text(string));
        Some(string.chars().count() as u64)
    }

    fn equals_value(&self, expected: &Value) -> bool {
        // Comparing two values of the same type reads at most the size of the schema's value.
        if std::mem::discriminant(self.0) == std::mem::discriminant(expected) {
            whole(expected);
        } else {
            access();
        }
        cmp::equal(self.0, expected)
    }

    /// Returns an excerpt of the value. The library calls this only when it creates an error, and stores the result in the
    /// error.
    fn to_value(&self) -> Cow<'a, Value> {
        let cost = COST.get();
        let (shown, bytes) = match COPIED.get() {
            copied if copied > COPIES => (Cow::Owned(Value::from(MORE)), NODE),
            _ => excerpt(self.0),
        };
        COPIED.set(COPIED.get().saturating_add(bytes));
        or_leave(meter::charge(
            cost.access + 8 + bytes / NODE,
            cost.error + bytes,
        ));
        shown
    }

    fn identity(&self) -> Option<NodeIdentity> {
        access();
        Some(NodeIdentity::new(std::ptr::from_ref(self.0) as usize))
    }
}

pub(super) struct Fields<'a>(&'a Map<String, Value>);

impl<'a> Object<'a, Metered> for Fields<'a> {
    type Node = Seen<'a>;
    type MemberName = &'a str;
    type MembersIter = FieldsIter<'a>;

    fn len(&self) -> usize {
        self.0.len()
    }

    fn get(&self, key: &String) -> Option<Seen<'a>> {
        access();
        self.0.get(key.as_str()).map(Seen)
    }

    fn members(&self) -> FieldsIter<'a> {
        FieldsIter(self.0.iter())
    }
}

pub(super) struct FieldsIter<'a>(serde_json::map::Iter<'a>);

impl<'a> Iterator for FieldsIter<'a> {
    type Item = (&'a str, Seen<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        let (name, value) = self.0.next()?;
        text(name);
        // An error about unknown fields contains their names.
        if COST.get().listing {
            or_leave(meter::charge(0, NODE / 2 + name.len() as u64));
        }
        Some((name.as_str(), Seen(value)))
    }
}

pub(super) struct Items<'a>(&'a [Value]);

impl<'a> Array<'a, Metered> for Items<'a> {
    type Node = Seen<'a>;
    type ElementsIter = ItemsIter<'a>;

    fn len(&self) -> usize {
        self.0.len()
    }

    fn elements(&self) -> ItemsIter<'a> {
        ItemsIter(self.0.iter())
    }

    fn is_unique(&self) -> bool {
        access();
        // The library compares the items of a short list pairwise.
        for item in self.0 {
            or_leave(meter::charge_value(item));
        }
        unique::is_unique(self.0)
    }
}

pub(super) struct ItemsIter<'a>(std::slice::Iter<'a, Value>);

impl<'a> Iterator for ItemsIter<'a> {
    type Item = Seen<'a>;

    fn next(&mut self) -> Option<Self::Item> {
        let item = self.0.next()?;
        access();
        Some(Seen(item))
    }
}
