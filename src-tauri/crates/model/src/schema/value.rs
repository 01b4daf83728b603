//! JSON values as the validator reads them: every access is charged, and leaves the check where the meter says so.

use std::{borrow::Cow, cell::Cell, panic::resume_unwind};

use jsonschema::{
    JsonType,
    json::{Array, Json, Node, NodeIdentity, Object, SerdeJson, cmp, unique},
};
use serde_json::{Map, Value};

use crate::meter::{self, BYTES_PER_UNIT, Stopped};

/// What unwinds out of a check.
pub(super) struct Left(pub(super) Stopped);

/// What an access costs with a schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Cost {
    /// Units for each access: what the schema does between two of them.
    pub(super) access: u64,
    /// Units for reading a text, beside what its length takes.
    pub(super) text: u64,
    /// Bytes of a text that a unit reads.
    pub(super) per_unit: u64,
    /// Bytes of an error.
    pub(super) error: u64,
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
    error: 512,
};

thread_local! {
    /// Of the schema that is checked on this thread: the library takes nothing along that could hold it.
    static COST: Cell<Cost> = const { Cell::new(FREE) };
}

/// Runs a check with these costs.
pub(super) fn counting<T>(cost: Cost, check: impl FnOnce() -> T) -> T {
    struct Back(Cost);
    impl Drop for Back {
        fn drop(&mut self) {
            COST.set(self.0);
        }
    }
    let _back = Back(COST.replace(cost));
    check()
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

/// Everything within a value is read.
fn whole(value: &Value) {
    access();
    or_leave(meter::charge_value(value));
}

/// Values of `serde_json`, read with a meter.
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
        // Two values of one kind are compared as far as the one in the schema goes.
        if std::mem::discriminant(self.0) == std::mem::discriminant(expected) {
            whole(expected);
        } else {
            access();
        }
        cmp::equal(self.0, expected)
    }

    /// Only errors ask for it, each once.
    fn to_value(&self) -> Cow<'a, Value> {
        let cost = COST.get();
        or_leave(meter::charge(cost.access + 8, cost.error));
        Cow::Borrowed(self.0)
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
        // Few items are compared in pairs.
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
