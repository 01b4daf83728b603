//! Filters that rewriting puts around names and between filters. They pass their value on and charge for what is done with it,
//! or say that it is missing.

use tera::{Kwargs, State, Tera, TeraResult, Value};

use super::lists::ITEM;
use crate::{
    bounds::{self, Stop, charge, saw, units},
    convert,
    meter::{BYTES_PER_UNIT, STEP},
};

pub(super) fn register(tera: &mut Tera) {
    tera.register_filter("__need", need);
    tera.register_filter("__seen", seen);
    tera.register_filter("__need_whole", need_whole);
    tera.register_filter("__seen_whole", seen_whole);
    tera.register_filter("__set", set);
    tera.register_filter("__weigh", weigh);
    tera.register_filter("__haystack", haystack);
    tera.register_filter("__toll", toll);
    tera.register_filter("__wide_toll", wide_toll);
    tera.register_filter("__indexed", indexed);
    tera.register_filter("__base", base);
    tera.register_filter("__pass", pass);
    tera.register_filter("__iterate", iterate);
    tera.register_function("__tick", tick);
}

/// The bytes of a text; what is within lists and objects is shared.
fn weight(value: &Value) -> usize {
    value.as_str().map_or(0, str::len)
}

/// The items or fields of a list or an object.
fn items(value: &Value) -> usize {
    value
        .as_array()
        .map(<[Value]>::len)
        .or_else(|| value.as_map().map(tera::Map::len))
        .unwrap_or_default()
}

/// A name that must have a value.
fn need(value: Value, arguments: Kwargs, _: &State<'_>) -> TeraResult<Value> {
    if value.is_undefined() {
        let chain = arguments.must_get::<usize>("n")?;
        return Err(bounds::stop(Stop::Undefined(chain)));
    }
    charge(weight(&value))?;
    Ok(value)
}

/// A name that may be undefined.
fn seen(value: Value, _: Kwargs, _: &State<'_>) -> TeraResult<Value> {
    charge(weight(&value))?;
    Ok(value)
}

/// As [`need`], for a value that is read whole: it is compared, or it was made in the template and may be larger than
/// anything that came in.
fn need_whole(value: Value, arguments: Kwargs, state: &State<'_>) -> TeraResult<Value> {
    convert::weigh(&value)?;
    need(value, arguments, state)
}

fn seen_whole(value: Value, _: Kwargs, _: &State<'_>) -> TeraResult<Value> {
    convert::weigh(&value)?;
    charge(weight(&value))?;
    Ok(value)
}

/// What gets a name.
fn set(value: Value, _: Kwargs, _: &State<'_>) -> TeraResult<Value> {
    let bytes = weight(&value);
    charge(bytes)?;
    saw(bytes);
    Ok(value)
}

/// What a filter gave and an operator reads whole.
fn weigh(value: Value, _: Kwargs, _: &State<'_>) -> TeraResult<Value> {
    convert::weigh(&value)?;
    Ok(value)
}

/// What something is looked for in. An object finds a field without looking through them.
fn haystack(value: Value, _: Kwargs, _: &State<'_>) -> TeraResult<Value> {
    if !value.is_map() {
        convert::weigh(&value)?;
    }
    Ok(value)
}

/// A text that a filter is going to read.
fn toll(value: Value, _: Kwargs, _: &State<'_>) -> TeraResult<Value> {
    charge(weight(&value))?;
    Ok(value)
}

/// As [`toll`], where each character may become several.
fn wide_toll(value: Value, _: Kwargs, _: &State<'_>) -> TeraResult<Value> {
    charge(weight(&value).saturating_mul(6))?;
    Ok(value)
}

/// What was read by `n` places in brackets. To find a character goes through its whole text; a stretch of a list is a new list.
fn indexed(value: Value, arguments: Kwargs, _: &State<'_>) -> TeraResult<Value> {
    if value.is_string() || value.is_undefined() {
        convert::charge_longest(arguments.must_get::<usize>("n")?)?;
    }
    charge(items(&value).saturating_mul(ITEM))?;
    Ok(value)
}

/// What is going to be read by a place in brackets.
fn base(value: Value, _: Kwargs, _: &State<'_>) -> TeraResult<Value> {
    charge(weight(&value).saturating_mul(4))?;
    charge(items(&value).saturating_mul(ITEM))?;
    Ok(value)
}

/// An element of a list that is being made, or a list that is copied.
fn pass(value: Value, _: Kwargs, _: &State<'_>) -> TeraResult<Value> {
    charge(64 + weight(&value) + ITEM * items(&value))?;
    Ok(value)
}

/// What a `for` goes through: the fields of an object are copied first, the characters of a text counted.
fn iterate(value: Value, _: Kwargs, _: &State<'_>) -> TeraResult<Value> {
    let fields = value.as_map().map_or(0, tera::Map::len);
    let text = weight(&value) as u64 / BYTES_PER_UNIT;
    units(STEP + text + fields as u64, (fields * ITEM) as u64)?;
    Ok(value)
}

/// A pass of a `for`, which writes `n` bytes of literal text.
fn tick(arguments: Kwargs, _: &State<'_>) -> TeraResult<Value> {
    charge(64 + arguments.must_get::<usize>("n")?)?;
    Ok(Value::from(""))
}
