//! Array functions, some of which also accept a string or an object.

use super::function::{Function, MANY, counted, flag, text};
use crate::{
    args::{Args, Result},
    environment::Environment,
    operators::{equals, includes, sort},
    strings,
    value::{Object, Value, position},
};

/// The maximum number of numbers that `range` returns.
const MAX_RANGE: i64 = 100_000;

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new("length", 1..=1, length),
    Function::new("empty", 1..=1, empty).boolean(),
    Function::new("contains", 2..=2, contains).boolean(),
    Function::new("first", 1..=1, |environment, args| {
        end_of(environment, args, true)
    }),
    Function::new("last", 1..=1, |environment, args| {
        end_of(environment, args, false)
    }),
    Function::new("skip", 2..=2, |environment, args| {
        cut(environment, args, true)
    }),
    Function::new("take", 2..=2, |environment, args| {
        cut(environment, args, false)
    }),
    Function::new("join", 2..=2, join),
    Function::new("chunk", 2..=2, chunk),
    Function::new("reverse", 1..=1, |_, args| {
        let mut items = args.array(0)?;
        items.reverse();
        Ok(Value::Array(items))
    }),
    Function::new("sort", 1..=2, sort),
    Function::new("union", 1..=MANY, |environment, args| {
        combine(environment, args, true)
    }),
    Function::new("intersection", 1..=MANY, |environment, args| {
        combine(environment, args, false)
    }),
    Function::new("createArray", 0..=MANY, |_, args| {
        Ok(Value::Array(std::mem::take(&mut args.values)))
    }),
    Function::new("array", 1..=1, |_, args| {
        Ok(match args.take(0) {
            array @ Value::Array(_) => array,
            other => Value::Array(vec![other]),
        })
    }),
    Function::new("range", 2..=2, range),
];

fn length(_: &Environment<'_>, args: &mut Args) -> Result<Value> {
    let length = match &args.values[0] {
        Value::Text(text) => strings::length(text),
        Value::Array(items) => items.len(),
        _ => return args.takes(0, "a string or an array"),
    };
    Ok(Value::Int(length as i64))
}

fn empty(_: &Environment<'_>, args: &mut Args) -> Result<Value> {
    match &args.values[0] {
        Value::Null => flag(true),
        Value::Text(text) => flag(text.is_empty()),
        Value::Array(items) => flag(items.is_empty()),
        Value::Object(fields) => flag(fields.is_empty()),
        _ => args.takes(0, "a string, an array or an object"),
    }
}

fn contains(environment: &Environment<'_>, args: &mut Args) -> Result<Value> {
    match &args.values[0] {
        Value::Text(whole) => match &args.values[1] {
            Value::Null | Value::Array(_) | Value::Object(_) => args.takes(1, "a string"),
            part => flag(whole.contains(&environment.to_text(part)?)),
        },
        Value::Array(items) => flag(includes(environment, items, &args.values[1])?),
        Value::Object(fields) => flag(position(fields, args.text(1)?).is_some()),
        _ => args.takes(0, "a string, an array or an object"),
    }
}

/// Implements `first` and `last`: returns an element of an array or a character of a string. Returns null for an empty
/// array, and an empty string for an empty string.
fn end_of(environment: &Environment<'_>, args: &mut Args, first: bool) -> Result<Value> {
    match args.take(0) {
        Value::Text(whole) => {
            let length = strings::length(&whole);
            let at = if first { 0 } else { length.saturating_sub(1) };
            text(environment, strings::cut(&whole, at..length.min(at + 1)))
        }
        Value::Array(mut items) if first && !items.is_empty() => Ok(items.swap_remove(0)),
        Value::Array(mut items) => Ok(items.pop().unwrap_or(Value::Null)),
        other => neither_text_nor_array(args, other),
    }
}

/// Implements `skip` and `take`: returns an array or a string without its first elements, or only these elements.
fn cut(environment: &Environment<'_>, args: &mut Args, skips: bool) -> Result<Value> {
    let Ok(count) = usize::try_from(args.int(1)?) else {
        return args.fail("the number of elements must not be negative");
    };
    match args.take(0) {
        Value::Text(whole) => {
            let length = strings::length(&whole);
            let count = count.min(length);
            let part = if skips { count..length } else { 0..count };
            text(environment, strings::cut(&whole, part))
        }
        Value::Array(mut items) => {
            let count = count.min(items.len());
            let behind = items.split_off(count);
            Ok(Value::Array(if skips { behind } else { items }))
        }
        other => neither_text_nor_array(args, other),
    }
}

fn join(environment: &Environment<'_>, args: &mut Args) -> Result<Value> {
    let items = args.array(0)?;
    let separator = args.text(1)?;
    let mut joined = String::new();
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            environment.budget.bytes(separator.len())?;
            joined.push_str(separator);
        }
        joined.push_str(&environment.to_text(item)?);
    }
    Ok(Value::Text(joined))
}

fn chunk(environment: &Environment<'_>, args: &mut Args) -> Result<Value> {
    let size = match usize::try_from(args.int(1)?) {
        Ok(size) if size > 0 => size,
        _ => return args.fail("the length of a chunk must be at least 1"),
    };
    match args.take(0) {
        Value::Text(whole) => {
            let units: Vec<u16> = whole.encode_utf16().collect();
            let parts = units.chunks(size);
            let parts = parts.map(|part| Value::Text(String::from_utf16_lossy(part)));
            counted(environment, Value::Array(parts.collect()))
        }
        Value::Array(items) => {
            let parts = items.chunks(size).map(|part| Value::Array(part.to_vec()));
            counted(environment, Value::Array(parts.collect()))
        }
        other => neither_text_nor_array(args, other),
    }
}

/// Fails, because the first argument is neither a string nor an array. `taken` is this argument, which the caller removed
/// from `args`. It is put back for the message.
fn neither_text_nor_array(args: &mut Args, taken: Value) -> Result<Value> {
    args.values[0] = taken;
    args.takes(0, "a string or an array")
}

/// Computes `union` and `intersection` of arrays or objects. Fails if the arguments are not all of one of these types.
fn combine(environment: &Environment<'_>, args: &mut Args, union: bool) -> Result<Value> {
    if matches!(args.values[0], Value::Object(_)) {
        let mut result = args.object(0)?;
        for at in 1..args.len() {
            let other = args.object(at)?;
            environment
                .budget
                .step(result.len() as u64 * other.len() as u64)?;
            result = if union {
                with_fields(result, other)
            } else {
                same_fields(environment, result, &other)?
            };
        }
        return Ok(Value::Object(result));
    }
    let mut arrays = Vec::new();
    for at in 0..args.len() {
        arrays.push(args.array(at)?);
    }
    let others = if union {
        Vec::new()
    } else {
        arrays.split_off(1)
    };
    let mut result: Vec<Value> = Vec::new();
    for item in arrays.into_iter().flatten() {
        let mut wanted = !includes(environment, &result, &item)?;
        for other in &others {
            wanted = wanted && includes(environment, other, &item)?;
        }
        if wanted {
            result.push(item);
        }
    }
    Ok(Value::Array(result))
}

/// Returns `object` with all fields of `other`, which replace fields with the same name, ignoring case.
fn with_fields(mut object: Object, other: Object) -> Object {
    for (name, value) in other {
        match position(&object, &name) {
            Some(at) => object[at].1 = value,
            None => object.push((name, value)),
        }
    }
    object
}

/// Returns the fields of `object` that `other` also has, with an equal value.
fn same_fields(environment: &Environment<'_>, object: Object, other: &Object) -> Result<Object> {
    let mut kept = Object::new();
    for (name, value) in object {
        let same = position(other, &name).map(|at| &other[at].1);
        if let Some(same) = same
            && equals(environment, &value, same)?
        {
            kept.push((name, value));
        }
    }
    Ok(kept)
}

fn range(environment: &Environment<'_>, args: &mut Args) -> Result<Value> {
    let (start, count) = (args.int(0)?, args.int(1)?);
    if !(0..=MAX_RANGE).contains(&count) || start.checked_add(count).is_none() {
        return args.fail(format!(
            "the count must be 0 to {MAX_RANGE}, but is {count}"
        ));
    }
    counted(
        environment,
        Value::Array((start..start + count).map(Value::Int).collect()),
    )
}
