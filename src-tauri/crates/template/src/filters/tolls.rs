//! Filters that rewriting inserts around names and between filters. Each returns its value unchanged and charges the meter for
//! the use of the value, or reports that the value is missing.

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

/// Returns the length of a string in bytes, or 0 for other values, because Tera shares lists and objects instead of copying
/// them.
fn weight(value: &Value) -> usize {
    value.as_str().map_or(0, str::len)
}

/// Returns the number of items of a list or of fields of an object, or 0 for other values.
fn items(value: &Value) -> usize {
    value
        .as_array()
        .map(<[Value]>::len)
        .or_else(|| value.as_map().map(tera::Map::len))
        .unwrap_or_default()
}

/// Checks that a name has a value, and charges for the value.
fn need(value: Value, arguments: Kwargs, _: &State<'_>) -> TeraResult<Value> {
    if value.is_undefined() {
        let chain = arguments.must_get::<usize>("n")?;
        return Err(bounds::stop(Stop::Undefined(chain)));
    }
    charge(weight(&value))?;
    Ok(value)
}

/// Charges for the value of a name that is allowed to be undefined.
fn seen(value: Value, _: Kwargs, _: &State<'_>) -> TeraResult<Value> {
    charge(weight(&value))?;
    Ok(value)
}

/// Checks that a name has a value as [`need`] does, and charges for reading the whole value. Used for values that are
/// compared, and for values that the template created, because these may be larger than any input.
fn need_whole(value: Value, arguments: Kwargs, state: &State<'_>) -> TeraResult<Value> {
    convert::weigh(&value)?;
    need(value, arguments, state)
}

fn seen_whole(value: Value, _: Kwargs, _: &State<'_>) -> TeraResult<Value> {
    convert::weigh(&value)?;
    charge(weight(&value))?;
    Ok(value)
}

/// Charges for a value to which the template gives a name.
fn set(value: Value, _: Kwargs, _: &State<'_>) -> TeraResult<Value> {
    let bytes = weight(&value);
    charge(bytes)?;
    saw(bytes);
    Ok(value)
}

/// Charges for a filter's result that an operator reads in full.
fn weigh(value: Value, _: Kwargs, _: &State<'_>) -> TeraResult<Value> {
    convert::weigh(&value)?;
    Ok(value)
}

/// Charges for a value that is searched. The fields of an object are found without a search.
fn haystack(value: Value, _: Kwargs, _: &State<'_>) -> TeraResult<Value> {
    if !value.is_map() {
        convert::weigh(&value)?;
    }
    Ok(value)
}

/// Charges for a string before a filter reads it.
fn toll(value: Value, _: Kwargs, _: &State<'_>) -> TeraResult<Value> {
    charge(weight(&value))?;
    Ok(value)
}

/// Charges for a string before a filter that may write several characters for each one that it reads.
fn wide_toll(value: Value, _: Kwargs, _: &State<'_>) -> TeraResult<Value> {
    charge(weight(&value).saturating_mul(6))?;
    Ok(value)
}

/// Charges for a value that was read with `n` indices. Finding a character of a string scans the string, and slicing a list
/// copies the slice.
fn indexed(value: Value, arguments: Kwargs, _: &State<'_>) -> TeraResult<Value> {
    if value.is_string() || value.is_undefined() {
        convert::charge_longest(arguments.must_get::<usize>("n")?)?;
    }
    charge(items(&value).saturating_mul(ITEM))?;
    Ok(value)
}

/// Charges for a value that will be indexed.
fn base(value: Value, _: Kwargs, _: &State<'_>) -> TeraResult<Value> {
    charge(weight(&value).saturating_mul(4))?;
    charge(items(&value).saturating_mul(ITEM))?;
    Ok(value)
}

/// Charges for an item of a new list, or for a list that is copied.
fn pass(value: Value, _: Kwargs, _: &State<'_>) -> TeraResult<Value> {
    charge(64 + weight(&value) + ITEM * items(&value))?;
    Ok(value)
}

/// Charges for the value over which a `for` iterates. The fields of an object are copied first, and the characters of a
/// string are counted.
fn iterate(value: Value, _: Kwargs, _: &State<'_>) -> TeraResult<Value> {
    let fields = value.as_map().map_or(0, tera::Map::len);
    let text = weight(&value) as u64 / BYTES_PER_UNIT;
    units(STEP + text + fields as u64, (fields * ITEM) as u64)?;
    Ok(value)
}

/// Charges for one iteration of a `for`, in which `n` bytes of literal text are written.
fn tick(arguments: Kwargs, _: &State<'_>) -> TeraResult<Value> {
    charge(64 + arguments.must_get::<usize>("n")?)?;
    Ok(Value::from(""))
}
