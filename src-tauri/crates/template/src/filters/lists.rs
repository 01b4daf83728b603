//! Replacements for the filters and tests of lists and objects whose work Tera does not limit. They return the same results as
//! Tera's and charge the meter for their work.

use std::{
    cmp::Ordering,
    collections::HashMap,
    hash::{BuildHasher as _, Hash as _, Hasher, RandomState},
};

use tera::{
    Error, Kwargs, Map, State, Tera, TeraResult, Value,
    value::{Key, ValueKind},
};

use crate::{
    bounds::{charge, units},
    convert,
    meter::BYTES_PER_UNIT,
};

/// The number of bytes that are charged for each item of a list.
pub(super) const ITEM: usize = 32;

pub(super) fn register(tera: &mut Tera) {
    tera.register_filter("reverse", reverse);
    tera.register_filter("sort", sort);
    tera.register_filter("unique", unique);
    tera.register_filter("group_by", group_by);
    tera.register_filter("values", values);
    tera.register_filter("keys", keys);
    tera.register_filter("pairs", pairs);
    tera.register_test("containing", containing);
}

/// Charges the meter for creating a list with `count` items.
fn charge_items(count: usize) -> TeraResult<()> {
    charge(count.saturating_mul(ITEM))
}

fn reverse(value: Value, _: Kwargs, _: &State<'_>) -> TeraResult<Value> {
    charge_items(value.as_array().map_or(0, <[Value]>::len))?;
    charge(value.as_str().map_or(0, str::len).saturating_mul(4))?;
    value.reverse()
}

fn values(value: &Map, _: Kwargs, _: &State<'_>) -> TeraResult<Vec<Value>> {
    charge_items(value.len())?;
    Ok(value.values().cloned().collect())
}

fn keys(value: &Map, _: Kwargs, _: &State<'_>) -> TeraResult<Vec<Value>> {
    charge_items(value.len())?;
    value
        .keys()
        .map(|key| {
            units(1, key.as_str().map_or(0, str::len) as u64)?;
            Ok(key.as_value())
        })
        .collect()
}

fn pairs(value: &Map, _: Kwargs, _: &State<'_>) -> TeraResult<Vec<Value>> {
    charge_items(value.len().saturating_mul(4))?;
    value
        .iter()
        .map(|(key, value)| {
            units(2, key.as_str().map_or(0, str::len) as u64)?;
            Ok(Value::from(vec![key.as_value(), value.clone()]))
        })
        .collect()
}

/// Returns the value at the path `attribute` within an item. Fails if the item has no such path; `index` is for the message.
fn at<'v>(item: &'v Value, index: usize, attribute: &'v str) -> TeraResult<&'v Value> {
    units(2 + attribute.len() as u64 / BYTES_PER_UNIT, 0)?;
    item.get_from_path(attribute).ok_or_else(|| {
        Error::message(format!(
            "The item at index {index} has the type {}, without a field `{attribute}`",
            item.name()
        ))
    })
}

fn sort(value: &[Value], arguments: Kwargs, _: &State<'_>) -> TeraResult<Vec<Value>> {
    charge_items(value.len())?;
    let attribute = arguments.get::<&str>("attribute")?;
    let mut items = Vec::with_capacity(value.len());
    for (index, item) in value.iter().enumerate() {
        let key = match attribute {
            Some(attribute) => at(item, index, attribute)?,
            None => item,
        };
        items.push((key, item));
    }
    let items = merge_sort(items)?;
    for pair in items.windows(2) {
        let (one, other) = (pair[0].0, pair[1].0);
        if !one.is_none() && !other.is_none() && one.partial_cmp(other).is_none() {
            return Err(Error::message(format!(
                "The list cannot be sorted: values of the types `{}` and `{}` cannot be compared",
                one.name(),
                other.name()
            )));
        }
    }
    Ok(items.into_iter().map(|(_, item)| item.clone()).collect())
}

type Keyed<'v> = (&'v Value, &'v Value);

/// Returns the items sorted by key with a merge sort. Items with equal keys keep their order. The standard library's sort is
/// not used, because it cannot be stopped midway.
fn merge_sort(mut items: Vec<Keyed<'_>>) -> TeraResult<Vec<Keyed<'_>>> {
    let mut width = 1;
    while width < items.len() {
        let mut merged = Vec::with_capacity(items.len());
        for run in items.chunks(2 * width) {
            let (mut left, mut right) = run.split_at(width.min(run.len()));
            while let (Some((one, left_rest)), Some((other, right_rest))) =
                (left.split_first(), right.split_first())
            {
                charge_comparison(one.0, other.0)?;
                if one.0.cmp(other.0) == Ordering::Greater {
                    merged.push(*other);
                    right = right_rest;
                } else {
                    merged.push(*one);
                    left = left_rest;
                }
            }
            merged.extend_from_slice(left);
            merged.extend_from_slice(right);
        }
        items = merged;
        width *= 2;
    }
    Ok(items)
}

/// Charges the meter for a comparison, which reads no more than the size of the smaller value.
fn charge_comparison(one: &Value, other: &Value) -> TeraResult<()> {
    units(1, 0)?;
    match (one.kind(), other.kind()) {
        (ValueKind::Array, ValueKind::Array) | (ValueKind::Map, ValueKind::Map) => {
            let smaller = if one.len() <= other.len() { one } else { other };
            convert::weigh(smaller)
        }
        (ValueKind::String, ValueKind::String) => {
            let length = |value: &Value| value.as_str().map_or(0, str::len);
            let shorter = length(one).min(length(other)) as u64;
            units(shorter / BYTES_PER_UNIT, 0)
        }
        _ => Ok(()),
    }
}

/// Returns a list with the first occurrence of each value.
fn unique(value: &[Value], _: Kwargs, _: &State<'_>) -> TeraResult<Vec<Value>> {
    charge_items(value.len())?;
    let state = RandomState::new();
    let mut found: Vec<Value> = Vec::new();
    let mut places: HashMap<u64, Vec<usize>> = HashMap::new();
    for item in value {
        convert::weigh(item)?;
        units(4, 0)?;
        let mut hasher = state.build_hasher();
        hash(item, &state, &mut hasher);
        let same = places.entry(hasher.finish()).or_default();
        let mut known = false;
        for &place in same.iter() {
            charge_comparison(&found[place], item)?;
            known = found[place] == *item;
            if known {
                break;
            }
        }
        if !known {
            same.push(found.len());
            found.push(item.clone());
        }
    }
    Ok(found)
}

/// Hashes a value. Equal values have equal hashes: numbers regardless of their type, and objects regardless of the order of
/// their fields.
fn hash(value: &Value, state: &RandomState, hasher: &mut impl Hasher) {
    if let Some(text) = value.as_str() {
        (0u8, text).hash(hasher);
    } else if let Some(items) = value.as_array() {
        (1u8, items.len()).hash(hasher);
        items.iter().for_each(|item| hash(item, state, hasher));
    } else if let Some(fields) = value.as_map() {
        let sum = fields.iter().fold(0u64, |sum, (name, value)| {
            let mut field = state.build_hasher();
            match name.as_str() {
                Some(name) => name.hash(&mut field),
                None => hash(&name.as_value(), state, &mut field),
            }
            hash(value, state, &mut field);
            sum.wrapping_add(field.finish())
        });
        (2u8, fields.len(), sum).hash(hasher);
    } else if let Some(flag) = value.as_bool() {
        (3u8, flag).hash(hasher);
    } else if value.is_number() {
        (4u8, number(value).to_bits()).hash(hasher);
    } else {
        (5u8, value.is_undefined(), value.as_bytes()).hash(hasher);
    }
}

/// Returns a number as the nearest double, so that numbers of different types can be compared.
fn number(value: &Value) -> f64 {
    let whole = value.as_i128().map(|whole| whole as f64);
    let large = || value.as_u128().map(|large| large as f64);
    let float = match value.kind() {
        ValueKind::F64 => value.as_f64(),
        _ => whole.or_else(large),
    }
    .unwrap_or_default();
    match float {
        0.0 => 0.0,
        odd if odd.is_nan() => f64::NAN,
        float => float,
    }
}

fn group_by(value: &[Value], arguments: Kwargs, _: &State<'_>) -> TeraResult<Map> {
    if value.is_empty() {
        return Ok(Map::new());
    }
    let attribute = arguments.must_get::<&str>("attribute")?;
    charge_items(value.len())?;
    let mut groups: Vec<(Key<'static>, Vec<Value>)> = Vec::new();
    let mut places: HashMap<Key<'static>, usize> = HashMap::new();
    for (index, item) in value.iter().enumerate() {
        let by = at(item, index, attribute)?;
        if by.is_none() {
            continue;
        }
        charge_text(by)?;
        let key = key(by)?;
        let place = *places.entry(key.clone()).or_insert_with(|| {
            groups.push((key, Vec::new()));
            groups.len() - 1
        });
        groups[place].1.push(item.clone());
    }
    Ok(groups
        .into_iter()
        .map(|(key, items)| (key, items.into()))
        .collect())
}

fn charge_text(value: &Value) -> TeraResult<()> {
    let text = value.as_str().map_or(0, str::len) as u64;
    units(2 + text / BYTES_PER_UNIT, text)
}

fn key(value: &Value) -> TeraResult<Key<'static>> {
    let whole = || value.as_i128().map(Key::I128);
    let large = || value.as_u128().map(Key::U128);
    let key = match value.kind() {
        ValueKind::String => value.as_str().map(|text| Key::String(text.into())),
        ValueKind::Bool => value.as_bool().map(Key::Bool),
        ValueKind::U64 => value.as_u64().map(Key::U64),
        ValueKind::I64 => value.as_i64().map(Key::I64),
        ValueKind::U128 | ValueKind::I128 => whole().or_else(large),
        _ => None,
    };
    key.ok_or_else(|| Error::message("A key must be text, a whole number, true or false"))
}

/// Implements the test `containing`: whether a string contains another string, a list contains an item, or an object has a
/// field.
fn containing(value: &Value, arguments: Kwargs, _: &State<'_>) -> TeraResult<bool> {
    if let Some(text) = value.as_str() {
        charge_text(value)?;
        return Ok(text.contains(arguments.must_get::<&str>("pat")?));
    }
    let sought = arguments.must_get::<Value>("pat")?;
    if let Some(fields) = value.as_map() {
        return Ok(key(&sought).is_ok_and(|key| fields.contains_key(&key)));
    }
    let Some(items) = value.as_array() else {
        return Err(Error::message(format!(
            "`containing` works only on text, lists and objects, not on a value of type {}",
            value.name()
        )));
    };
    for item in items {
        charge_comparison(item, &sought)?;
        if *item == sought {
            return Ok(true);
        }
    }
    Ok(false)
}
