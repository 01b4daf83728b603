//! Converts between JSON values and Tera values. In both directions, a number without a fractional part becomes an integer.

use serde_json::{Map, Number, Value};
use tera::value::{Key, ValueKind};

use crate::{
    bounds::{longest, saw, units},
    meter::{self, BYTES_PER_UNIT, Stopped},
};

/// The assumed memory of a value in addition to its text, in bytes.
const NODE: usize = 16;

/// The magnitude up to which `f64` represents every integer exactly.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// Converts a JSON value to a Tera value. The meter is charged for every nested value.
pub(crate) fn to_tera(value: &Value) -> Result<tera::Value, Stopped> {
    meter::charge(2, 0)?;
    Ok(match value {
        Value::Null => tera::Value::none(),
        Value::Bool(flag) => (*flag).into(),
        Value::Number(number) => number_to_tera(number),
        Value::String(text) => {
            meter::charge_text(text)?;
            saw(text.len());
            text.as_str().into()
        }
        Value::Array(items) => items
            .iter()
            .map(to_tera)
            .collect::<Result<Vec<_>, _>>()?
            .into(),
        Value::Object(fields) => fields
            .iter()
            .map(|(name, value)| Ok((Key::from(name.clone()), to_tera(value)?)))
            .collect::<Result<tera::Map, Stopped>>()?
            .into(),
    })
}

fn number_to_tera(number: &Number) -> tera::Value {
    if let Some(whole) = number.as_i64() {
        return whole.into();
    }
    if let Some(whole) = number.as_u64() {
        return whole.into();
    }
    match number.as_f64() {
        Some(float) => match whole(float) {
            Some(whole) => whole.into(),
            None => float.into(),
        },
        None => tera::Value::none(),
    }
}

fn whole(float: f64) -> Option<i64> {
    (float.fract() == 0.0 && float.abs() <= EXACT).then_some(float as i64)
}

/// The reason why a value cannot be written as JSON.
#[derive(Debug)]
pub(crate) enum NoJson {
    /// The value, or a value within it, is undefined.
    Undefined,
    /// A number in the value is not finite, or is too large for JSON.
    Number,
    /// Converting the value would exceed the limits of the rendering. Lists share their items, so a short template can create a
    /// huge value.
    Bounds(tera::Error),
}

/// Converts a Tera value to JSON. The meter is charged for every nested value.
pub(crate) fn from_tera(value: &tera::Value) -> Result<Value, NoJson> {
    let text = value.as_str().map_or(0, str::len);
    units(2 + text as u64 / BYTES_PER_UNIT, (NODE + text) as u64).map_err(NoJson::Bounds)?;
    Ok(match value.kind() {
        ValueKind::Undefined => return Err(NoJson::Undefined),
        ValueKind::None => Value::Null,
        ValueKind::Bool => Value::Bool(value.as_bool().unwrap_or_default()),
        ValueKind::String => Value::String(value.as_str().unwrap_or_default().to_owned()),
        ValueKind::Array => value
            .as_array()
            .unwrap_or_default()
            .iter()
            .map(from_tera)
            .collect::<Result<_, _>>()?,
        ValueKind::Map => {
            let mut fields = Map::new();
            for (key, value) in value.as_map().into_iter().flatten() {
                fields.insert(key.to_string(), from_tera(value)?);
            }
            Value::Object(fields)
        }
        ValueKind::Bytes => Value::String(value.to_string()),
        _ => return number(value),
    })
}

fn number(value: &tera::Value) -> Result<Value, NoJson> {
    if let Some(whole) = value.as_i64() {
        return Ok(whole.into());
    }
    if let Some(whole) = value.as_u64() {
        return Ok(whole.into());
    }
    let float = value.as_f64().ok_or(NoJson::Number)?;
    match whole(float) {
        Some(whole) => Ok(whole.into()),
        None => Number::from_f64(float)
            .map(Value::Number)
            .ok_or(NoJson::Number),
    }
}

/// Charges the meter for reading a value and everything within it, as a comparison does.
pub(crate) fn weigh(value: &tera::Value) -> Result<(), tera::Error> {
    let text = value.as_str().map_or(0, str::len);
    units(1 + text as u64 / BYTES_PER_UNIT, 0)?;
    if let Some(items) = value.as_array() {
        items.iter().try_for_each(weigh)
    } else if let Some(fields) = value.as_map() {
        fields.iter().try_for_each(|(name, value)| {
            let name = name.as_str().map_or(0, str::len);
            units(1 + name as u64 / BYTES_PER_UNIT, 0)?;
            weigh(value)
        })
    } else {
        Ok(())
    }
}

/// Charges the meter for reading the longest string that the template has named, repeated `times` times.
pub(crate) fn charge_longest(times: usize) -> Result<(), tera::Error> {
    // Tera copies each character into its own allocation.
    units((longest().saturating_mul(times) / 16) as u64, 0)
}

/// Returns a copy of a JSON value in which numbers without a fractional part are integers: `2.0` becomes `2`.
pub(crate) fn normal(value: &Value) -> Value {
    match value {
        Value::Number(number) if number.is_f64() => match number.as_f64().and_then(whole) {
            Some(whole) => whole.into(),
            None => value.clone(),
        },
        Value::Array(items) => items.iter().map(normal).collect(),
        Value::Object(fields) => Value::Object(
            fields
                .iter()
                .map(|(name, value)| (name.clone(), normal(value)))
                .collect(),
        ),
        other => other.clone(),
    }
}

/// Returns whether [`normal`] would return the value unchanged.
pub(crate) fn is_normal(value: &Value) -> bool {
    match value {
        Value::Number(number) => !number.is_f64() || number.as_f64().and_then(whole).is_none(),
        Value::Array(items) => items.iter().all(is_normal),
        Value::Object(fields) => fields.values().all(is_normal),
        _ => true,
    }
}
