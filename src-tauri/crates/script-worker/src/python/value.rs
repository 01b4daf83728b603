//! Converts JSON to Python values and back, as `json.loads` and `json.dumps` do. A value that JSON cannot express is an
//! error.

use monty_types::MontyObject;
use num_bigint::BigInt;
use num_traits::ToPrimitive as _;
use serde_json::{Map, Number, Value};

use crate::value::{Budget, NoJson};

pub(crate) fn to_python(value: &Value) -> MontyObject {
    match value {
        Value::Null => MontyObject::None,
        Value::Bool(flag) => MontyObject::Bool(*flag),
        Value::Number(number) => match (number.as_i64(), number.as_u64()) {
            (Some(whole), _) => MontyObject::Int(whole),
            (None, Some(whole)) => MontyObject::BigInt(BigInt::from(whole)),
            (None, None) => MontyObject::Float(number.as_f64().unwrap_or_default()),
        },
        Value::String(text) => MontyObject::String(text.clone()),
        Value::Array(items) => MontyObject::List(items.iter().map(to_python).collect()),
        Value::Object(fields) => MontyObject::dict(
            fields
                .iter()
                .map(|(name, field)| (MontyObject::String(name.clone()), to_python(field)))
                .collect::<Vec<_>>(),
        ),
    }
}

/// Converts the result of a script to JSON of at most `limit` bytes.
///
/// # Errors
/// Returns an error if the value cannot be expressed as JSON, or if the JSON is too large.
pub(crate) fn from_python(value: MontyObject, limit: usize) -> Result<Value, NoJson> {
    read(value, &mut Budget::new(limit))
}

fn read(value: MontyObject, budget: &mut Budget) -> Result<Value, NoJson> {
    budget.charge(2)?;
    Ok(match value {
        MontyObject::None => Value::Null,
        MontyObject::Bool(flag) => Value::Bool(flag),
        MontyObject::Int(whole) => number(Number::from(whole), budget)?,
        MontyObject::BigInt(whole) => match (whole.to_i64(), whole.to_u64()) {
            (Some(whole), _) => number(Number::from(whole), budget)?,
            (None, Some(whole)) => number(Number::from(whole), budget)?,
            (None, None) => {
                return Err(budget.is(
                    "is a whole number of more than 64 bits, so it would lose digits. Return `str(number)`.",
                ));
            }
        },
        MontyObject::Float(float) => match Number::from_f64(float) {
            Some(float) => number(float, budget)?,
            None if float.is_nan() => {
                return Err(budget.is(
                    "is `nan`. JSON numbers cannot be `nan`. Return `None` or a string instead.",
                ));
            }
            None => {
                return Err(budget.is(
                    "is infinite. JSON has no infinite numbers. Return `None` or a string instead.",
                ));
            }
        },
        MontyObject::String(text) => {
            budget.text(&text)?;
            Value::String(text)
        }
        MontyObject::List(items) | MontyObject::Tuple(items) => list(items, budget)?,
        MontyObject::NamedTuple { values, .. } => list(values, budget)?,
        MontyObject::Dict(pairs) => {
            let mut fields = Map::new();
            for (key, field) in pairs {
                let Some(name) = name(&key) else {
                    return Err(budget.is(format_args!(
                        "has the key `{}`, but the keys of an object must be text. Write `str(key)`.",
                        short(&key.py_repr())
                    )));
                };
                let field = budget.field(&name, |budget| read(field, budget))?;
                if fields.contains_key(&name) {
                    return Err(budget.is(format_args!(
                        "has the key `{}` twice: as text and as another type. Use text for both, with different names.",
                        short(&name)
                    )));
                }
                fields.insert(name, field);
            }
            Value::Object(fields)
        }
        MontyObject::Cycle(..) => {
            return Err(budget.is("contains itself, but JSON has no cycles. Remove the cycle."));
        }
        MontyObject::Set(_) | MontyObject::FrozenSet(_) => {
            return Err(budget
                .is("is a set, which JSON does not have. Return it as a list, with `sorted(…)`."));
        }
        other => {
            return Err(budget.is(format_args!(
                "is {}, which JSON does not have. Return a string, a number, a list or a dict instead.",
                kind(&other)
            )));
        }
    })
}

fn number(number: Number, budget: &mut Budget) -> Result<Value, NoJson> {
    budget.charge(number.to_string().len().saturating_sub(1))?;
    Ok(Value::Number(number))
}

fn list(items: Vec<MontyObject>, budget: &mut Budget) -> Result<Value, NoJson> {
    let mut read_items = Vec::new();
    for (index, item) in items.into_iter().enumerate() {
        read_items.push(budget.item(index, |budget| read(item, budget))?);
    }
    Ok(Value::Array(read_items))
}

/// Converts a dictionary key as `json.dumps` does, or returns `None` if JSON cannot have such a key.
fn name(key: &MontyObject) -> Option<String> {
    Some(match key {
        MontyObject::String(name) => name.clone(),
        MontyObject::None => "null".to_owned(),
        MontyObject::Bool(flag) => flag.to_string(),
        MontyObject::Int(_) | MontyObject::BigInt(_) => key.py_repr(),
        MontyObject::Float(float) if float.is_finite() => key.py_repr(),
        _ => return None,
    })
}

fn short(text: &str) -> String {
    text.chars().take(60).collect()
}

fn kind(value: &MontyObject) -> String {
    match value {
        MontyObject::Bytes(_) => "bytes".to_owned(),
        MontyObject::Date(_) => "a date".to_owned(),
        MontyObject::DateTime(_) => "a datetime".to_owned(),
        MontyObject::Time(_) => "a time".to_owned(),
        MontyObject::TimeDelta(_) => "a timedelta".to_owned(),
        MontyObject::TimeZone(_) => "a timezone".to_owned(),
        MontyObject::Path(_) => "a path".to_owned(),
        MontyObject::Exception { .. } => "an exception".to_owned(),
        MontyObject::Type(_) => "a class".to_owned(),
        MontyObject::BuiltinFunction(_) | MontyObject::Function { .. } => "a function".to_owned(),
        MontyObject::ClassInstance(_) => "an instance of a class".to_owned(),
        other => format!("`{}`", short(&other.py_repr())),
    }
}
