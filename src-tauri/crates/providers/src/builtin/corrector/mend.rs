//! Mends JSON by its schema, one kind of mistake at a time.

use serde_json::{Map, Number, Value};
use strsim::damerau_levenshtein;

/// A kind of mistake: what it is called, and how a value with a schema is mended.
type Kind = (&'static str, fn(&mut Value, &Value));

/// In the order in which one brings the next to light.
const KINDS: [Kind; 6] = [
    ("names", names),
    ("types", types),
    ("choices", choices),
    ("bounds", bounds),
    ("fields that the schema does not have", surplus),
    ("fields with a default", defaults),
];

/// How deeply a value is followed.
const MAX_DEPTH: usize = 100;

/// The value with the first kind of mistake mended everywhere, and that kind's name.
pub(super) fn one_kind(value: Value, schema: &Value) -> (Value, Option<&'static str>) {
    for (name, mend) in KINDS {
        let mut mended = value.clone();
        everywhere(&mut mended, schema, mend, 0);
        if mended != value {
            return (mended, Some(name));
        }
    }
    (value, None)
}

/// Mends a value and what is in it.
fn everywhere(value: &mut Value, schema: &Value, mend: fn(&mut Value, &Value), depth: usize) {
    if depth > MAX_DEPTH {
        return;
    }
    mend(value, schema);
    match value {
        Value::Object(fields) => {
            for (name, field) in fields {
                if let Some(schema) = schema["properties"].get(name) {
                    everywhere(field, schema, mend, depth + 1);
                }
            }
        }
        Value::Array(items) => {
            for item in items {
                everywhere(item, &schema["items"], mend, depth + 1);
            }
        }
        _ => {}
    }
}

/// The types that a schema allows; none when it does not say.
fn allowed(schema: &Value) -> Vec<&str> {
    match &schema["type"] {
        Value::String(one) => vec![one],
        Value::Array(several) => several.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

fn is_of(value: &Value, kind: &str) -> bool {
    match (value, kind) {
        (Value::Null, "null")
        | (Value::Bool(_), "boolean")
        | (Value::String(_), "string")
        | (Value::Array(_), "array")
        | (Value::Object(_), "object")
        | (Value::Number(_), "number") => true,
        (Value::Number(number), "integer") => {
            number.is_i64()
                || number.is_u64()
                || number.as_f64().is_some_and(|float| float.fract() == 0.0)
        }
        _ => false,
    }
}

fn types(value: &mut Value, schema: &Value) {
    let allowed = allowed(schema);
    if allowed.is_empty() || allowed.iter().any(|kind| is_of(value, kind)) {
        return;
    }
    if let Some(mended) = allowed
        .iter()
        .find_map(|kind| converted(value, kind, schema))
    {
        *value = mended;
    }
}

/// The value as `kind`, where it says the same.
fn converted(value: &Value, kind: &str, schema: &Value) -> Option<Value> {
    match (value, kind) {
        (Value::String(text), "integer") => {
            whole(text.trim().parse().ok().or_else(|| loose_number(text))?)
        }
        (Value::String(text), "number") => {
            let number = text.trim().parse().ok().or_else(|| loose_number(text))?;
            whole(number).or_else(|| Number::from_f64(number).map(Value::Number))
        }
        (Value::Number(number), "integer") => whole(number.as_f64()?.round()),
        (Value::String(text), "boolean") => match text.trim().to_lowercase().as_str() {
            "true" | "yes" | "y" | "on" | "1" => Some(Value::Bool(true)),
            "false" | "no" | "n" | "off" | "0" => Some(Value::Bool(false)),
            _ => None,
        },
        (Value::Number(number), "boolean") => match number.as_i64() {
            Some(0) => Some(Value::Bool(false)),
            Some(1) => Some(Value::Bool(true)),
            _ => None,
        },
        (Value::Number(_) | Value::Bool(_), "string") => Some(Value::String(value.to_string())),
        (Value::String(text), "null")
            if ["", "null", "none", "n/a"].contains(&text.trim().to_lowercase().as_str()) =>
        {
            Some(Value::Null)
        }
        (Value::String(text), "object" | "array")
            if serde_json::from_str::<Value>(text).is_ok_and(|inner| is_of(&inner, kind)) =>
        {
            serde_json::from_str(text).ok()
        }
        (Value::String(text), "array") if allowed(&schema["items"]) == ["string"] => Some(
            text.split([',', ';'])
                .map(str::trim)
                .filter(|item| !item.is_empty())
                .map(Value::from)
                .collect(),
        ),
        (Value::Null, "array") => Some(Value::Array(Vec::new())),
        (Value::Object(_), "array")
        | (Value::Number(_) | Value::Bool(_) | Value::String(_), "array") => {
            Some(Value::Array(vec![value.clone()]))
        }
        _ => None,
    }
}

/// The number in a text such as `€ 1,250.00` or `3 nights`: the only one there is.
fn loose_number(text: &str) -> Option<f64> {
    let plain: String = text.chars().filter(|&c| c != ',' && c != '_').collect();
    let mut numbers = plain
        .split(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | '-')))
        .filter_map(|part| part.trim_end_matches('.').parse::<f64>().ok());
    let first = numbers.next()?;
    numbers.next().is_none().then_some(first)
}

fn whole(number: f64) -> Option<Value> {
    (number.fract() == 0.0 && number.abs() < 9e15).then(|| Value::from(number as i64))
}

/// Letters and digits alone, in lower case.
fn plain(name: &str) -> String {
    name.chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}

/// The one of `names` that is meant by `written`: the same but for case and marks, else the one with a slip or two.
fn meant<'a>(written: &str, names: impl Iterator<Item = &'a str> + Clone) -> Option<&'a str> {
    let key = plain(written);
    if key.is_empty() {
        return None;
    }
    names.clone().find(|name| plain(name) == key).or_else(|| {
        let slips = if key.len() >= 8 { 2 } else { 1 };
        names
            .filter(|_| key.len() >= 4)
            .map(|name| (damerau_levenshtein(&plain(name), &key), name))
            .filter(|(distance, _)| *distance <= slips)
            .min_by_key(|(distance, _)| *distance)
            .map(|(_, name)| name)
    })
}

fn names(value: &mut Value, schema: &Value) {
    let (Value::Object(fields), Value::Object(known)) = (&mut *value, &schema["properties"]) else {
        return;
    };
    let free: Vec<&str> = known
        .keys()
        .map(String::as_str)
        .filter(|name| !fields.contains_key(*name))
        .collect();
    let mut taken: Vec<&str> = Vec::new();
    let mut renamed = Map::new();
    for (name, field) in fields.iter() {
        let left = free.iter().copied().filter(|name| !taken.contains(name));
        let new = match known.contains_key(name) {
            true => None,
            false => meant(name, left),
        };
        taken.extend(new);
        renamed.insert(new.unwrap_or(name).to_owned(), field.clone());
    }
    *fields = renamed;
}

fn choices(value: &mut Value, schema: &Value) {
    let Value::Array(choices) = &schema["enum"] else {
        if let Some(only) = schema.get("const") {
            *value = only.clone();
        }
        return;
    };
    if choices.contains(value) {
        return;
    }
    if let Value::String(text) = &*value
        && let Some(choice) = meant(text, choices.iter().filter_map(Value::as_str))
    {
        *value = Value::from(choice);
    }
}

fn bounds(value: &mut Value, schema: &Value) {
    let limit = |name: &str| {
        schema
            .get(name)
            .and_then(Value::as_u64)
            .and_then(|limit| usize::try_from(limit).ok())
    };
    match value {
        Value::Number(number) => {
            let (least, most) = (schema.get("minimum"), schema.get("maximum"));
            let is = number.as_f64().unwrap_or_default();
            if let Some(least) =
                least.filter(|least| least.as_f64().is_some_and(|least| is < least))
            {
                *value = least.clone();
            } else if let Some(most) =
                most.filter(|most| most.as_f64().is_some_and(|most| is > most))
            {
                *value = most.clone();
            }
        }
        Value::String(text) => {
            if let Some(most) = limit("maxLength")
                && let Some((end, _)) = text.char_indices().nth(most)
            {
                text.truncate(end);
            }
        }
        Value::Array(items) => {
            if schema["uniqueItems"] == Value::Bool(true) {
                let mut once: Vec<Value> = Vec::new();
                for item in items.drain(..) {
                    if !once.contains(&item) {
                        once.push(item);
                    }
                }
                *items = once;
            }
            if let Some(most) = limit("maxItems") {
                items.truncate(most);
            }
        }
        _ => {}
    }
}

fn surplus(value: &mut Value, schema: &Value) {
    if schema["additionalProperties"] == Value::Bool(false)
        && let Value::Object(fields) = value
    {
        fields.retain(|name, _| schema["properties"].get(name).is_some());
    }
}

fn defaults(value: &mut Value, schema: &Value) {
    let (Value::Object(fields), Value::Array(required)) = (&mut *value, &schema["required"]) else {
        return;
    };
    for name in required.iter().filter_map(Value::as_str) {
        let default = schema["properties"]
            .get(name)
            .and_then(|field| field.get("default"));
        if let Some(default) = default
            && !fields.contains_key(name)
        {
            fields.insert(name.to_owned(), default.clone());
        }
    }
}
