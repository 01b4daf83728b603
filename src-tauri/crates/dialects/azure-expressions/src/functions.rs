//! The functions that compute their value from their arguments alone.

use std::cmp::Ordering;

use base64::{Engine, engine::general_purpose::STANDARD};
use rust_decimal::prelude::ToPrimitive;
use serde_json::Value as Json;

use crate::{
    args::{Args, Result, shorten_text},
    culture::{DEFAULT, INVARIANT},
    date::{self, Moment, ROUND_TRIP},
    environment::Environment,
    failure::Failure,
    number,
    operators::{arithmetic, compare, equals, extreme, includes, is_number, sort, to_decimal},
    strings, uri,
    value::{Object, Value, content, position, typed},
    xml,
};

/// The maximum number of numbers that `range` returns.
const MAX_RANGE: i64 = 100_000;

const BINARY: &str = "application/octet-stream";
const PLAIN: &str = "text/plain;charset=utf-8";
const XML: &str = "application/xml;charset=utf-8";

/// Calls a function. Its arguments are already evaluated and counted.
pub(crate) fn call(environment: &Environment<'_>, mut args: Args) -> Result<Value> {
    let budget = &environment.budget;
    let flag = |flag: bool| Ok(Value::Bool(flag));
    let int = |int: usize| Ok(Value::Int(int as i64));
    let text = |text: String| {
        budget.bytes(text.len())?;
        Ok(Value::Text(text))
    };
    match args.title {
        // Comparisons.
        "equals" => flag(equals(environment, &args.values[0], &args.values[1])?),
        "greater" => flag(compare(&args)?.is_some_and(Ordering::is_gt)),
        "greaterOrEquals" => flag(compare(&args)?.is_some_and(Ordering::is_ge)),
        "less" => flag(compare(&args)?.is_some_and(Ordering::is_lt)),
        "lessOrEquals" => flag(compare(&args)?.is_some_and(Ordering::is_le)),

        // Texts.
        "concat" => {
            let mut joined = String::new();
            for value in &args.values {
                joined.push_str(&environment.to_text(value)?);
            }
            Ok(Value::Text(joined))
        }
        "toLower" => text(strings::lower(args.text(0)?)),
        "toUpper" => text(strings::upper(args.text(0)?)),
        "trim" => text(args.text(0)?.trim().to_owned()),
        "substring" => {
            let (whole, length) = (args.text(0)?, strings::length(args.text(0)?));
            let start = args.int(1)?;
            let count = if args.len() > 2 {
                args.int(2)?
            } else {
                (length as i64).saturating_sub(start)
            };
            match (usize::try_from(start), usize::try_from(count)) {
                (Ok(start), Ok(count))
                    if start.checked_add(count).is_some_and(|end| end <= length) =>
                {
                    text(strings::cut(whole, start..start + count))
                }
                _ => args.fail(format!(
                    "the part from {start} with {count} characters is outside of the text, which has {length}"
                )),
            }
        }
        "slice" => {
            let (whole, length) = (args.text(0)?, strings::length(args.text(0)?) as i64);
            let place = |at: i64| {
                if at < 0 {
                    at.saturating_add(length)
                } else {
                    at
                }
                .clamp(0, length)
            };
            let start = place(args.int(1)?);
            let end = if args.len() > 2 {
                place(args.int(2)?)
            } else {
                length
            };
            text(if start < end {
                strings::cut(whole, start as usize..end as usize)
            } else {
                String::new()
            })
        }
        "replace" => {
            let (whole, old, new) = (args.text(0)?, args.text(1)?, args.text(2)?);
            if old.is_empty() {
                return args.fail("the text to look for is empty");
            }
            let found = whole.matches(old).count();
            budget.bytes(
                (whole.len() + found.saturating_mul(new.len())).saturating_sub(found * old.len()),
            )?;
            Ok(Value::Text(whole.replace(old, new)))
        }
        "split" => {
            let (whole, separator) = (args.text(0)?, args.text(1)?);
            let parts: Vec<Value> = if separator.is_empty() {
                vec![Value::text(whole)]
            } else {
                whole.split(separator).map(Value::text).collect()
            };
            counted(environment, Value::Array(parts))
        }
        "startsWith" => flag(strings::starts_with(args.text(0)?, args.text(1)?)),
        "endsWith" => flag(strings::ends_with(args.text(0)?, args.text(1)?)),
        "indexOf" | "lastIndexOf" => {
            let (whole, part) = (args.text(0)?, args.text(1)?);
            budget.bytes(whole.len().saturating_mul(8))?;
            let first = args.title == "indexOf";
            Ok(Value::Int(match (whole.is_empty(), part.is_empty()) {
                (true, true) => 0,
                (true, false) => -1,
                (false, true) if first => 0,
                (false, true) => strings::length(whole) as i64 - 1,
                (false, false) => {
                    let places = strings::places(whole, part);
                    let place = if first { places.first() } else { places.last() };
                    place.map_or(-1, |place| *place as i64)
                }
            }))
        }
        "nthIndexOf" => {
            budget.bytes(args.text(0)?.len().saturating_mul(8))?;
            let places = strings::places(args.text(0)?, args.text(1)?);
            let ordinal = args.int(2)?;
            let at = if ordinal < 0 {
                ordinal.saturating_add(places.len() as i64)
            } else {
                ordinal - 1
            };
            let place = usize::try_from(at).ok().and_then(|at| places.get(at));
            Ok(Value::Int(place.map_or(-1, |place| *place as i64)))
        }
        "formatNumber" => {
            if !is_number(&args.values[0]) {
                return args.takes(0, "a number");
            }
            let culture = args.culture(2, DEFAULT)?;
            number::format(&args.values[0], args.text(1)?, &culture)
                .map(Value::Text)
                .or_else(|why| args.fail(why))
        }
        "guid" => {
            let (high, low) = (environment.random()?, environment.random()?);
            let high = high & !0xF000 | 0x4000;
            let low = low & !(0xC000 << 48) | (0x8000 << 48);
            let digits = format!("{high:016x}{low:016x}");
            let dashed = [
                &digits[..8],
                &digits[8..12],
                &digits[12..16],
                &digits[16..20],
                &digits[20..],
            ]
            .join("-");
            Ok(Value::Text(match args.text_or(0, "D")? {
                "" | "D" | "d" => dashed,
                "N" | "n" => digits,
                "B" | "b" => format!("{{{dashed}}}"),
                "P" | "p" => format!("({dashed})"),
                other => {
                    return args.fail(format!(
                        "'{other}' is not a GUID format; the formats are N, D, B and P"
                    ));
                }
            }))
        }

        // Collections.
        "length" => match &args.values[0] {
            Value::Text(text) => int(strings::length(text)),
            Value::Array(items) => int(items.len()),
            _ => args.takes(0, "a text or an array"),
        },
        "empty" => match &args.values[0] {
            Value::Null => flag(true),
            Value::Text(text) => flag(text.is_empty()),
            Value::Array(items) => flag(items.is_empty()),
            Value::Object(fields) => flag(fields.is_empty()),
            _ => args.takes(0, "a text, an array or an object"),
        },
        "contains" => match &args.values[0] {
            Value::Text(whole) => match &args.values[1] {
                Value::Null | Value::Array(_) | Value::Object(_) => args.takes(1, "a text"),
                part => flag(whole.contains(&environment.to_text(part)?)),
            },
            Value::Array(items) => flag(includes(environment, items, &args.values[1])?),
            Value::Object(fields) => flag(position(fields, args.text(1)?).is_some()),
            _ => args.takes(0, "a text, an array or an object"),
        },
        "first" | "last" => {
            let first = args.title == "first";
            match args.take(0) {
                Value::Text(whole) => {
                    let length = strings::length(&whole);
                    let at = if first { 0 } else { length.saturating_sub(1) };
                    text(strings::cut(&whole, at..length.min(at + 1)))
                }
                Value::Array(mut items) if first && !items.is_empty() => Ok(items.swap_remove(0)),
                Value::Array(mut items) => Ok(items.pop().unwrap_or(Value::Null)),
                other => {
                    args.values[0] = other;
                    args.takes(0, "a text or an array")
                }
            }
        }
        "skip" | "take" => {
            let Ok(count) = usize::try_from(args.int(1)?) else {
                return args.fail("the number of elements must not be negative");
            };
            let skips = args.title == "skip";
            match args.take(0) {
                Value::Text(whole) => {
                    let length = strings::length(&whole);
                    let count = count.min(length);
                    text(strings::cut(
                        &whole,
                        if skips { count..length } else { 0..count },
                    ))
                }
                Value::Array(mut items) => {
                    let count = count.min(items.len());
                    let behind = items.split_off(count);
                    Ok(Value::Array(if skips { behind } else { items }))
                }
                other => {
                    args.values[0] = other;
                    args.takes(0, "a text or an array")
                }
            }
        }
        "join" => {
            let items = args.array(0)?;
            let separator = args.text(1)?;
            let mut joined = String::new();
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    budget.bytes(separator.len())?;
                    joined.push_str(separator);
                }
                joined.push_str(&environment.to_text(item)?);
            }
            Ok(Value::Text(joined))
        }
        "chunk" => {
            let size = match usize::try_from(args.int(1)?) {
                Ok(size) if size > 0 => size,
                _ => return args.fail("the length of a part must be at least 1"),
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
                other => {
                    args.values[0] = other;
                    args.takes(0, "a text or an array")
                }
            }
        }
        "reverse" => {
            let mut items = args.array(0)?;
            items.reverse();
            Ok(Value::Array(items))
        }
        "sort" => sort(environment, &mut args),
        "union" | "intersection" => combine(environment, &mut args),
        "createArray" => Ok(Value::Array(args.values)),
        "array" => Ok(match args.take(0) {
            array @ Value::Array(_) => array,
            other => Value::Array(vec![other]),
        }),
        "range" => {
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

        // Objects.
        "addProperty" | "setProperty" => {
            let value = args.take(2);
            let mut fields = args.object(0)?;
            let name = args.text(1)?.to_owned();
            match position(&fields, &name) {
                Some(_) if args.title == "addProperty" => {
                    return args.fail(format!("the object already has a property '{name}'"));
                }
                Some(at) => fields[at].1 = value,
                None => fields.push((name, value)),
            }
            Ok(Value::Object(fields))
        }
        "removeProperty" => {
            let mut fields = args.object(0)?;
            if let Some(at) = position(&fields, args.text(1)?) {
                fields.remove(at);
            }
            Ok(Value::Object(fields))
        }

        // Numbers.
        "add" | "sub" | "mul" | "div" | "mod" => arithmetic(&args),
        "min" | "max" => extreme(&mut args),
        "rand" => {
            let (least, most) = (args.int(0)?, args.int(1)?);
            let Some(width) = most.checked_sub(least).filter(|width| *width > 0) else {
                return args.fail("the second number must be greater than the first");
            };
            Ok(Value::Int(
                least + (environment.random()? % width.cast_unsigned()) as i64,
            ))
        }
        "int" => match &args.values[0] {
            Value::Int(int) => Ok(Value::Int(*int)),
            Value::Float(float) => Ok(Value::Int(number::truncated(*float))),
            Value::Decimal(decimal) => match decimal.trunc().to_i64() {
                Some(int) => Ok(Value::Int(int)),
                None => args.fail(format!("{decimal} does not fit into 64 bits")),
            },
            Value::Text(text) => match number::int(text) {
                Some(int) => Ok(Value::Int(int)),
                None => args.fail(format!("'{}' is not an integer", shorten_text(text))),
            },
            _ => args.takes(0, "a text or a number"),
        },
        "float" => {
            let culture = args.culture(1, DEFAULT)?;
            match &args.values[0] {
                Value::Int(int) => Ok(Value::Float(*int as f64)),
                Value::Float(float) => Ok(Value::Float(*float)),
                Value::Decimal(decimal) => Ok(Value::Float(decimal.to_f64().unwrap_or(f64::NAN))),
                Value::Text(text) => match number::float(text, &culture) {
                    Some(float) => Ok(Value::Float(float)),
                    None => args.fail(format!("'{}' is not a number", shorten_text(text))),
                },
                _ => args.takes(0, "a text or a number"),
            }
        }
        "decimal" => match &args.values[0] {
            Value::Text(text) => match number::decimal(text, &DEFAULT) {
                Some(decimal) => Ok(Value::Decimal(decimal)),
                None => args.fail(format!("'{}' is not a decimal number", shorten_text(text))),
            },
            number if is_number(number) => match to_decimal(number) {
                Some(decimal) => Ok(Value::Decimal(decimal)),
                None => args.fail("the number does not fit into a decimal"),
            },
            _ => args.takes(0, "a text or a number"),
        },
        "isInt" => {
            let trimmed = args.text(0)?.trim();
            flag(trimmed.parse::<i64>().is_ok())
        }
        "isFloat" => {
            let culture = args.culture(1, INVARIANT)?;
            flag(number::float(args.text(0)?, &culture).is_some())
        }

        // Conversions.
        "string" => text(args.values[0].to_text(!environment.is_lenient())),
        "bool" => match &args.values[0] {
            Value::Bool(value) => flag(*value),
            Value::Int(int) => flag(*int != 0),
            Value::Float(float) => flag(*float != 0.0),
            Value::Decimal(decimal) => flag(!decimal.is_zero()),
            Value::Text(text) => match text.trim().to_ascii_lowercase().as_str() {
                "true" => flag(true),
                "false" => flag(false),
                _ => args.fail(format!(
                    "'{}' is neither true nor false",
                    shorten_text(text)
                )),
            },
            _ => args.takes(0, "a boolean, a number or a text"),
        },
        "json" => match content(&args.values[0]) {
            Some((ty, bytes)) if ty.contains("xml") => {
                match xml::parse(&String::from_utf8_lossy(&bytes)) {
                    Ok(nodes) => counted(environment, xml::to_json(&nodes)),
                    Err(why) => args.fail(format!("this is not XML: {why}")),
                }
            }
            Some((_, bytes)) => from_json(environment, &args, &String::from_utf8_lossy(&bytes)),
            None => from_json(environment, &args, args.text(0)?),
        },
        "xml" => {
            let parsed = match &args.values[0] {
                Value::Text(text) => xml::parse(text),
                value => match content(value) {
                    Some((_, bytes)) => xml::parse(&String::from_utf8_lossy(&bytes)),
                    None => xml::from_json(value),
                },
            };
            let nodes = parsed.or_else(|why| args.fail(format!("this is not XML: {why}")))?;
            let mut written = String::new();
            xml::write(&nodes, &mut written);
            counted(environment, typed(XML, written.as_bytes()))
        }
        "base64" => text(STANDARD.encode(args.bytes(environment, 0)?)),
        "base64ToString" | "decodeBase64" => match STANDARD.decode(args.text(0)?.trim()) {
            Ok(bytes) => text(String::from_utf8_lossy(&bytes).into_owned()),
            Err(_) => args.fail("the text is not base64"),
        },
        "base64ToBinary" => match STANDARD.decode(args.text(0)?.trim()) {
            Ok(bytes) => counted(environment, typed(BINARY, &bytes)),
            Err(_) => args.fail("the text is not base64"),
        },
        "binary" => counted(environment, typed(BINARY, &args.bytes(environment, 0)?)),
        "dataUri" => {
            let ty = content(&args.values[0]).map_or_else(|| PLAIN.to_owned(), |(ty, _)| ty);
            let encoded = STANDARD.encode(args.bytes(environment, 0)?);
            text(format!("data:{ty};base64,{encoded}"))
        }
        "dataUriToString" | "dataUriToBinary" | "decodeDataUri" => {
            let Some((ty, bytes)) = data_uri(args.text(0)?) else {
                return args.fail("the text is not a data URI such as data:text/plain;base64,SGk=");
            };
            if args.title == "dataUriToString" {
                text(String::from_utf8_lossy(&bytes).into_owned())
            } else {
                counted(environment, typed(&ty, &bytes))
            }
        }
        "uriComponent" | "encodeUriComponent" => {
            text(uri::encode(&environment.to_text(&args.values[0])?))
        }
        "uriComponentToString" | "decodeUriComponent" => {
            text(String::from_utf8_lossy(&uri::decode(args.text(0)?)).into_owned())
        }
        "uriComponentToBinary" => counted(environment, typed(BINARY, &uri::decode(args.text(0)?))),
        "uriHost" | "uriPath" | "uriPathAndQuery" | "uriPort" | "uriQuery" | "uriScheme" => {
            let Some(parsed) = uri::parse(args.text(0)?) else {
                return args.fail(format!(
                    "'{}' is not an absolute URI",
                    shorten_text(args.text(0)?)
                ));
            };
            Ok(match args.title {
                "uriPort" => Value::Int(parsed.port),
                "uriHost" => Value::Text(parsed.host),
                "uriPath" => Value::Text(parsed.path),
                "uriQuery" => Value::Text(parsed.query),
                "uriScheme" => Value::Text(parsed.scheme),
                _ => Value::Text(parsed.path + &parsed.query),
            })
        }

        // Dates.
        "utcNow" => {
            let now = now(environment, &args)?;
            args.formatted(&now, 0)
        }
        "getFutureTime" | "getPastTime" => {
            let now = now(environment, &args)?;
            let count = args.int(0)?;
            let count = if args.title == "getPastTime" {
                count.saturating_neg()
            } else {
                count
            };
            args.moved(&now, count, args.text(1)?, 2)
        }
        "formatDateTime" => {
            let moment = args.moment(0)?;
            let locale = args.text_or(2, "en-us")?.to_ascii_lowercase();
            let pattern = args.text_or(1, ROUND_TRIP)?;
            if !(locale.is_empty() || locale == "en" || locale == "en-us")
                && date::depends_on_culture(pattern)
            {
                return args.fail(format!("month names and date order of the culture '{locale}' are not supported; write a format of digits"));
            }
            args.formatted(&moment, 1)
        }
        "parseDateTime" => {
            let locale = args.text_or(1, "en-us")?.to_ascii_lowercase();
            let parsed = match args.values.get(2) {
                None | Some(Value::Null) => date::parse(
                    args.text(0)?,
                    !(locale.is_empty() || locale.starts_with("en-us") || locale == "en"),
                ),
                Some(_) => date::parse_exact(args.text(0)?, args.text(2)?),
            };
            match parsed {
                Some(moment) => date::format(&moment, ROUND_TRIP)
                    .map(Value::Text)
                    .or_else(|why| args.fail(why)),
                None => args.fail(format!(
                    "'{}' is not a date in a supported format",
                    shorten_text(args.text(0)?)
                )),
            }
        }
        "addDays" => args.moved(&args.moment(0)?, args.int(1)?, "day", 2),
        "addHours" => args.moved(&args.moment(0)?, args.int(1)?, "hour", 2),
        "addMinutes" => args.moved(&args.moment(0)?, args.int(1)?, "minute", 2),
        "addSeconds" => args.moved(&args.moment(0)?, args.int(1)?, "second", 2),
        "addToTime" => args.moved(&args.moment(0)?, args.int(1)?, args.text(2)?, 3),
        "subtractFromTime" => args.moved(
            &args.moment(0)?,
            args.int(1)?.saturating_neg(),
            args.text(2)?,
            3,
        ),
        "startOfDay" | "startOfHour" | "startOfMonth" => {
            let moment = args.moment(0)?;
            let with = match args.title {
                "startOfHour" => moment.at.with().minute(0),
                "startOfDay" => moment.at.with().hour(0).minute(0),
                _ => moment.at.with().day(1).hour(0).minute(0),
            };
            match with.second(0).subsec_nanosecond(0).build() {
                Ok(at) => args.formatted(&Moment { at, ..moment }, 1),
                Err(_) => args.fail("the date is outside of the calendar"),
            }
        }
        "dayOfWeek" => Ok(Value::Int(date::day_of_week(&args.moment(0)?))),
        "dayOfMonth" => Ok(Value::Int(args.moment(0)?.at.day().into())),
        "dayOfYear" => Ok(Value::Int(args.moment(0)?.at.date().day_of_year().into())),
        "ticks" => match date::ticks(&args.moment(0)?) {
            Some(ticks) => Ok(Value::Int(ticks)),
            None => args.fail("the date has no number of ticks"),
        },
        "dateDifference" => Ok(Value::Text(date::difference(
            &args.moment(0)?,
            &args.moment(1)?,
        ))),
        "convertTimeZone" => convert(&args, args.text(1)?, args.text(2)?, 3),
        "convertFromUtc" => convert(&args, "UTC", args.text(1)?, 2),
        "convertToUtc" => convert(&args, args.text(1)?, "UTC", 2),
        other => Err(Failure::failed(format!("{other}() cannot be evaluated."))),
    }
}

/// Charges a new value to the budget and returns the value.
fn counted(environment: &Environment<'_>, value: Value) -> Result<Value> {
    environment.budget.value(&value)?;
    Ok(value)
}

/// Computes `union` and `intersection` of arrays or objects.
fn combine(environment: &Environment<'_>, args: &mut Args) -> Result<Value> {
    let union = args.title == "union";
    if matches!(args.values[0], Value::Object(_)) {
        let mut result = args.object(0)?;
        for at in 1..args.len() {
            let other = args.object(at)?;
            environment
                .budget
                .step(result.len() as u64 * other.len() as u64)?;
            if union {
                for (name, value) in other {
                    match position(&result, &name) {
                        Some(at) => result[at].1 = value,
                        None => result.push((name, value)),
                    }
                }
            } else {
                let mut kept = Object::new();
                for (name, value) in result {
                    let same = position(&other, &name).map(|at| &other[at].1);
                    if let Some(same) = same
                        && equals(environment, &value, same)?
                    {
                        kept.push((name, value));
                    }
                }
                result = kept;
            }
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

fn from_json(environment: &Environment<'_>, args: &Args, text: &str) -> Result<Value> {
    environment.budget.bytes(text.len())?;
    let parsed: Json = match serde_json::from_str(text) {
        Ok(parsed) => parsed,
        Err(why) => return args.fail(format!("this is not JSON: {why}")),
    };
    environment.budget.json(&parsed)?;
    Ok(Value::from_json(&parsed))
}

/// Returns the type and the bytes of a data URI.
fn data_uri(text: &str) -> Option<(String, Vec<u8>)> {
    let (head, body) = text.trim().strip_prefix("data:")?.split_once(',')?;
    match head.strip_suffix(";base64") {
        Some(ty) => Some((ty.to_owned(), STANDARD.decode(body.trim()).ok()?)),
        None => Some((head.to_owned(), uri::decode(body))),
    }
}

fn now(environment: &Environment<'_>, args: &Args) -> Result<Moment> {
    let now = environment.now()?;
    match date::parse(now, false) {
        Some(now) => Ok(Moment { utc: true, ..now }),
        None => args.fail(format!(
            "the time of the run, '{}', is not a date",
            shorten_text(now)
        )),
    }
}

fn convert(args: &Args, from: &str, to: &str, format: usize) -> Result<Value> {
    match date::convert(&args.moment(0)?, from, to) {
        Ok(moment) => args.formatted(&moment, format),
        Err(why) => args.fail(why),
    }
}
