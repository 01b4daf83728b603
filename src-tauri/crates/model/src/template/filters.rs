//! Tera's filters and functions as templates of this crate see them: those that rewriting calls, and those that replace
//! Tera's own where these write values differently or know no bound.

use std::sync::LazyLock;

use regex::RegexBuilder;
use tera::{Error, Kwargs, State, Tera, TeraResult, Value, value::ValueKind};

use super::{
    bounds::{self, Stop, charge},
    convert::{self, NoJson},
};

/// What every template starts from.
pub(super) static BASE: LazyLock<Tera> = LazyLock::new(|| {
    let mut tera = Tera::default();
    tera.autoescape_on(Vec::<&'static str>::new());
    tera.register_filter("__need", need);
    tera.register_filter("__seen", seen);
    tera.register_filter("__need_local", need_local);
    tera.register_filter("__seen_local", seen_local);
    tera.register_filter("__pass", pass);
    tera.register_filter("__text", text);
    tera.register_filter("__keep", keep);
    tera.register_function("__tick", tick);
    tera.register_filter("json", json);
    tera.register_filter("str", text);
    tera.register_filter("default", default);
    tera.register_filter("join", join);
    tera.register_filter("replace", replace);
    tera.register_filter("indent", indent);
    tera.register_test("matching", matching);
    tera.register_function("range", range);
    tera
});

/// The bytes that a value takes, not counting what is within lists and objects, which are shared.
fn weight(value: &Value) -> usize {
    match value.kind() {
        ValueKind::String => value.as_str().map_or(0, str::len),
        _ => 0,
    }
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

/// A name that may be undefined, and what is set.
fn seen(value: Value, _: Kwargs, _: &State<'_>) -> TeraResult<Value> {
    charge(weight(&value))?;
    Ok(value)
}

/// As [`need`], for a name bound in the template: its value may be larger than anything that came in.
fn need_local(value: Value, arguments: Kwargs, state: &State<'_>) -> TeraResult<Value> {
    convert::charge_all(&value)?;
    need(value, arguments, state)
}

fn seen_local(value: Value, _: Kwargs, _: &State<'_>) -> TeraResult<Value> {
    convert::charge_all(&value)?;
    Ok(value)
}

/// An element of a list that is being made.
fn pass(value: Value, _: Kwargs, _: &State<'_>) -> TeraResult<Value> {
    let items = value.as_array().map_or(0, <[Value]>::len);
    charge(64 + weight(&value) + 32 * items)?;
    Ok(value)
}

/// A pass of a `for`, which writes `n` bytes of literal text.
fn tick(arguments: Kwargs, _: &State<'_>) -> TeraResult<Value> {
    charge(64 + arguments.must_get::<usize>("n")?)?;
    Ok(Value::from(""))
}

fn as_json(value: &Value) -> TeraResult<serde_json::Value> {
    convert::from_tera(value).map_err(|why| match why {
        NoJson::Undefined => bounds::stop(Stop::NoValue),
        NoJson::Number => bounds::stop(Stop::NoNumber),
        NoJson::Bounds(error) => error,
    })
}

fn written(value: &Value) -> TeraResult<String> {
    let text = match value.as_str() {
        Some(text) => text.to_owned(),
        None => crate::value::to_text(&as_json(value)?),
    };
    charge(text.len())?;
    Ok(text)
}

/// A value as it stands in a text.
fn text(value: Value, _: Kwargs, _: &State<'_>) -> TeraResult<Value> {
    if value.is_string() {
        charge(weight(&value))?;
        return Ok(value);
    }
    written(&value).map(Value::from)
}

fn keep(value: Value, _: Kwargs, _: &State<'_>) -> TeraResult<Value> {
    if !value.is_undefined() {
        bounds::keep(as_json(&value)?);
    }
    Ok(Value::from(""))
}

fn json(value: Value, arguments: Kwargs, _: &State<'_>) -> TeraResult<Value> {
    let value = as_json(&value)?;
    let text = if arguments.get::<bool>("pretty")?.unwrap_or_default() {
        format!("{value:#}")
    } else {
        value.to_string()
    };
    charge(text.len())?;
    Ok(Value::from(text))
}

fn default(value: Value, arguments: Kwargs, _: &State<'_>) -> TeraResult<Value> {
    let instead = arguments.must_get::<Value>("value")?;
    let boolean = arguments.get::<bool>("boolean")?.unwrap_or_default();
    let missing = value.is_undefined() || value.is_none() || (boolean && !value.is_truthy());
    Ok(if missing { instead } else { value })
}

fn join(value: &[Value], arguments: Kwargs, _: &State<'_>) -> TeraResult<Value> {
    let separator = arguments.get::<&str>("sep")?.unwrap_or_default();
    let texts = value.iter().map(written).collect::<TeraResult<Vec<_>>>()?;
    charge(separator.len().saturating_mul(texts.len()))?;
    Ok(Value::from(texts.join(separator)))
}

fn replace(value: &str, arguments: Kwargs, _: &State<'_>) -> TeraResult<Value> {
    let from = arguments.must_get::<&str>("from")?;
    let to = arguments.must_get::<&str>("to")?;
    let grown = value.matches(from).count().saturating_mul(to.len());
    charge(value.len().saturating_add(grown))?;
    Ok(Value::from(value.replace(from, to)))
}

/// Indents every line but the first and blank ones.
fn indent(value: &str, arguments: Kwargs, _: &State<'_>) -> TeraResult<Value> {
    let width = arguments.get::<usize>("width")?.unwrap_or(4).min(1000);
    let first = arguments.get::<bool>("first")?.unwrap_or_default();
    let blank = arguments.get::<bool>("blank")?.unwrap_or_default();
    let lines = value.split('\n').count();
    charge(value.len().saturating_add(lines.saturating_mul(width)))?;
    let margin = " ".repeat(width);
    let mut indented = String::with_capacity(value.len());
    for (index, line) in value.split('\n').enumerate() {
        if index > 0 {
            indented.push('\n');
        }
        if (index > 0 || first) && (blank || !line.is_empty()) {
            indented.push_str(&margin);
        }
        indented.push_str(line);
    }
    Ok(Value::from(indented))
}

/// Bytes that a compiled pattern may take. Matching itself takes time in proportion to text and pattern, whatever they are.
const MAX_PATTERN: usize = 1024 * 1024;

/// Whether a regular expression fits somewhere in a text.
fn matching(value: &str, arguments: Kwargs, _: &State<'_>) -> TeraResult<bool> {
    let pattern = arguments.must_get::<&str>("pat")?;
    charge(value.len().saturating_add(MAX_PATTERN / 16))?;
    let regex = RegexBuilder::new(pattern)
        .size_limit(MAX_PATTERN)
        .build()
        .map_err(|error| {
            let why = error.to_string();
            let last = why.lines().last().unwrap_or_default();
            Error::message(format!("`{pattern}` is no regular expression: {last}"))
        })?;
    Ok(regex.is_match(value))
}

const MAX_RANGE: i64 = 100_000;

/// Whole numbers from `start` (0) up to, but without, `end`.
fn range(arguments: Kwargs, _: &State<'_>) -> TeraResult<Value> {
    let start = arguments.get::<i64>("start")?.unwrap_or_default();
    let end = arguments.must_get::<i64>("end")?;
    let step = arguments.get::<i64>("step_by")?.unwrap_or(1);
    if step == 0 {
        return Err(Error::message("`step_by` of `range` must not be 0"));
    }
    let mut numbers = Vec::new();
    let mut next = Some(start);
    while let Some(number) = next.filter(|number| {
        if step > 0 {
            *number < end
        } else {
            *number > end
        }
    }) {
        if numbers.len() as i64 >= MAX_RANGE {
            return Err(Error::message(format!(
                "`range` gives at most {MAX_RANGE} numbers"
            )));
        }
        numbers.push(Value::from(number));
        next = number.checked_add(step);
    }
    charge(numbers.len() * 32)?;
    Ok(Value::from(numbers))
}
