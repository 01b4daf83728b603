//! Repairs JSON according to its schema, one kind of mistake at a time.

use serde_json::{Number, Value};
use strsim::damerau_levenshtein;

use super::constant::constant;

/// A kind of mistake: its name, and the function that repairs a value according to its schema.
type Kind = (&'static str, fn(&mut Value, &Value));

/// The kinds of mistakes in the order of repair: the repair of one kind can reveal the next.
const KINDS: [Kind; 6] = [
    ("names", names),
    ("types", types),
    ("choices", choices),
    ("bounds", bounds),
    ("fields that the schema does not have", surplus),
    ("fields with a default", defaults),
];

/// Repairs the first kind of mistake everywhere in a value. Returns the value and the name of that kind.
pub(super) fn one_kind(value: Value, schema: &Value) -> (Value, Option<&'static str>) {
    for (name, mend) in KINDS {
        let mut mended = value.clone();
        everywhere(&mut mended, schema, mend);
        if mended != value {
            return (mended, Some(name));
        }
    }
    (value, None)
}

/// Repairs a value and everything in it. The depth is bounded, because the parser limits it.
fn everywhere(value: &mut Value, schema: &Value, mend: fn(&mut Value, &Value)) {
    mend(value, schema);
    match value {
        Value::Object(fields) => {
            for (name, field) in fields {
                if let Some(schema) = schema["properties"].get(name) {
                    everywhere(field, schema, mend);
                }
            }
        }
        Value::Array(items) => {
            for item in items {
                everywhere(item, &schema["items"], mend);
            }
        }
        _ => {}
    }
}

/// Returns the types that a schema allows, or an empty list if it does not restrict the type.
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
    if !allowed.is_empty() && !allowed.iter().any(|kind| is_of(value, kind)) {
        let mut mended = allowed
            .iter()
            .filter_map(|kind| converted(value, kind, schema));
        if let Some(mended) = mended.next() {
            *value = mended;
        }
    }
}

/// Converts a value to the JSON type `kind`. A number is rounded for `integer`, and a single value becomes a list for
/// `array`. Returns `None` if the value has no equivalent of this type.
fn converted(value: &Value, kind: &str, schema: &Value) -> Option<Value> {
    match (value, kind) {
        (Value::String(text), _) => from_text(text, kind, schema),
        (Value::Number(number), "integer") => whole(number.as_f64()?.round()),
        (Value::Number(number), "boolean") => match number.as_i64()? {
            bit @ (0 | 1) => Some(Value::Bool(bit == 1)),
            _ => None,
        },
        (Value::Number(_) | Value::Bool(_), "string") => Some(Value::String(value.to_string())),
        (Value::Null, "array") => Some(Value::Array(Vec::new())),
        (Value::Object(_) | Value::Number(_) | Value::Bool(_), "array") => {
            Some(Value::Array(vec![value.clone()]))
        }
        _ => None,
    }
}

/// Reads a string as a value of the JSON type `kind`: as JSON or a constant, as a number with text around it, or as a list
/// of strings. Returns `None` if the string contains no such value.
fn from_text(text: &str, kind: &str, schema: &Value) -> Option<Value> {
    let word = text.trim();
    let said = serde_json::from_str(word).or_else(|_| serde_json::from_str(&constant(word)));
    let said: Value = said.ok()?;
    match kind {
        _ if is_of(&said, kind) => Some(said),
        "array" if allowed(&schema["items"]) == ["string"] => {
            let items = text.split([',', ';']).map(str::trim);
            Some(
                items
                    .filter(|item| !item.is_empty())
                    .map(Value::from)
                    .collect(),
            )
        }
        "array" => Some(Value::Array(vec![Value::from(text)])),
        "integer" | "number" => {
            let number = said.as_f64().or_else(|| loose_number(text))?;
            let fraction = || Number::from_f64(number).filter(|_| kind == "number");
            whole(number).or_else(|| fraction().map(Value::Number))
        }
        _ if !said.is_string() => converted(&said, kind, schema),
        _ => None,
    }
}

/// Returns the only number in text such as `€ 1,250.00` or `3 nights`, or `None` if there is no number or more than one.
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

/// Returns the letters and digits of a name in lower case.
fn plain(name: &str) -> String {
    name.chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}

/// Returns the name in `names` that `written` probably means: one that differs only in case and punctuation, otherwise one
/// that differs by one or two typos. Returns `None` if there is no such name.
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
    let mut free: Vec<&str> = known.keys().map(String::as_str).collect();
    free.retain(|name| !fields.contains_key(*name));
    let rename = |(name, field): (String, Value)| {
        let new = meant(&name, free.iter().copied()).filter(|_| !known.contains_key(&name));
        let new = new.map(str::to_owned);
        free.retain(|name| Some(*name) != new.as_deref());
        (new.unwrap_or(name), field)
    };
    *fields = std::mem::take(fields).into_iter().map(rename).collect();
}

fn choices(value: &mut Value, schema: &Value) {
    if let (Value::String(text), Value::Array(choices)) = (&*value, &schema["enum"])
        && !choices.contains(value)
        && let Some(choice) = meant(text, choices.iter().filter_map(Value::as_str))
    {
        *value = Value::from(choice);
    }
}

fn bounds(value: &mut Value, schema: &Value) {
    match value {
        Value::Number(number) => {
            let is = number.as_f64().unwrap_or_default();
            let bound = |name: &str, past: fn(&f64, &f64) -> bool| {
                let bound = schema.get(name)?;
                past(&is, &bound.as_f64()?).then(|| bound.clone())
            };
            if let Some(bound) = bound("minimum", f64::lt).or_else(|| bound("maximum", f64::gt)) {
                *value = bound;
            }
        }
        Value::Array(items) => {
            let most = schema["maxItems"].as_u64().map(usize::try_from);
            items.truncate(most.and_then(Result::ok).unwrap_or(usize::MAX));
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
        if let Some(default) = schema["properties"][name].get("default") {
            fields.entry(name).or_insert_with(|| default.clone());
        }
    }
}
