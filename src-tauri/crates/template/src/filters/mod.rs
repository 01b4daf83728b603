//! The filters and functions of templates. Some are inserted by rewriting. Others replace Tera's filters and functions,
//! because Tera formats values differently from this crate or does not limit their work.

mod lists;
mod matching;
mod tolls;

use std::sync::LazyLock;

use tera::{Error, Kwargs, State, Tera, TeraResult, Value};

use crate::{
    bounds::{self, Stop, charge},
    convert::{self, NoJson},
};

/// The Tera instance that is cloned for each template. The Tera filters that are not replaced take negligible time, or time
/// proportional to the length of their string. That time is charged where a named string is read (`__need`, `__seen`) or before
/// the filter (`__toll`).
pub(crate) static BASE: LazyLock<Tera> = LazyLock::new(|| {
    let mut tera = Tera::default();
    tera.autoescape_on(Vec::<&'static str>::new());
    tolls::register(&mut tera);
    lists::register(&mut tera);
    tera.register_filter("__text", text);
    tera.register_filter("__keep", keep);
    tera.register_filter("json", json);
    tera.register_filter("str", text);
    tera.register_filter("default", default);
    tera.register_filter("join", join);
    tera.register_filter("replace", replace);
    tera.register_filter("split", split);
    tera.register_filter("indent", indent);
    tera.register_test("matching", matching::matching);
    tera.register_function("range", range);
    tera
});

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

/// Implements `__text`: converts a value to its text form.
fn text(value: Value, _: Kwargs, _: &State<'_>) -> TeraResult<Value> {
    if let Some(text) = value.as_str() {
        charge(text.len())?;
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
    charge(texts.iter().map(String::len).sum())?;
    charge(separator.len().saturating_mul(texts.len()))?;
    Ok(Value::from(texts.join(separator)))
}

fn replace(value: &str, arguments: Kwargs, _: &State<'_>) -> TeraResult<Value> {
    let from = arguments.must_get::<&str>("from")?;
    let to = arguments.must_get::<&str>("to")?;
    charge(value.len())?;
    let grown = value.matches(from).count().saturating_mul(to.len());
    charge(grown)?;
    Ok(Value::from(value.replace(from, to)))
}

fn split(value: &str, arguments: Kwargs, _: &State<'_>) -> TeraResult<Value> {
    let pattern = arguments.must_get::<&str>("pat")?;
    charge(value.len())?;
    let pieces = value.matches(pattern).count() + 1;
    charge(pieces.saturating_mul(lists::ITEM))?;
    Ok(value
        .split(pattern)
        .map(Value::from)
        .collect::<Vec<_>>()
        .into())
}

/// Implements the filter `indent`. By default, the first line and blank lines are not indented. `first` and `blank`
/// indent them too.
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

const MAX_RANGE: i64 = 100_000;

/// Implements the function `range`, which returns the whole numbers from `start` (default 0) up to but excluding `end`,
/// in steps of `step_by` (default 1).
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
                "`range` returns at most {MAX_RANGE} numbers. Use a smaller range"
            )));
        }
        numbers.push(Value::from(number));
        next = number.checked_add(step);
    }
    charge(numbers.len() * 32)?;
    Ok(Value::from(numbers))
}
